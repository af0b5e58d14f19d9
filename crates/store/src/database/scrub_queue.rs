//! Coordination of clean-ups after erasures: one runs at a time, and one run serves all callers that asked before it
//! began.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Mutex, MutexGuard};

/// Queue of clean-ups. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScrubQueue {
    turn: Arc<Mutex<()>>,
    n_begun: Arc<AtomicU64>,
    /// Number of the last completed run.
    done: Arc<AtomicU64>,
}

/// A clean-up that runs; the next one starts when this is dropped.
#[derive(Debug)]
pub(crate) struct ScrubRun<'a> {
    queue: &'a ScrubQueue,
    number: u64,
    _turn: MutexGuard<'a, ()>,
}

impl ScrubQueue {
    /// Waits for the running clean-up and starts the next one. Returns `None` if a run that began after this call has
    /// completed in the meantime.
    pub(crate) async fn start(&self) -> Option<ScrubRun<'_>> {
        let n_before = self.n_begun.load(Ordering::Acquire);
        let turn = self.turn.lock().await;
        if self.done.load(Ordering::Acquire) > n_before {
            return None;
        }
        let number = self.n_begun.fetch_add(1, Ordering::AcqRel) + 1;
        Some(ScrubRun { queue: self, number, _turn: turn })
    }
}

impl ScrubRun<'_> {
    /// Records that the run completed, so that it serves the callers that waited for it.
    pub(crate) fn complete(self) {
        self.queue.done.store(self.number, Ordering::Release);
    }
}
