//! Cancellation of computations whose result is no longer needed.
//!
//! A computation runs inside [`Cancellation::run`], on one thread. Every search checks the flag at intervals
//! ([`crate::limits::WorkBudget`]), and so do long loops ([`is_cancelled`]); they then return at once. The
//! result is incomplete and marked as such; it must not be shown or stored.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Cancellation of the computation that runs on this thread.
    static CURRENT: RefCell<Option<Cancellation>> = const { RefCell::new(None) };
}

/// Cancellation flag. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Sets the flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Runs `work` on the current thread under this cancellation.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = CURRENT.replace(Some(self.clone()));
        let _restored = Restored(before);
        work()
    }

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Guard that restores the previous cancellation of the thread, even if the work panics.
struct Restored(Option<Cancellation>);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Returns true if the computation on this thread was cancelled. Costs a few nanoseconds.
pub fn is_cancelled() -> bool {
    CURRENT.with_borrow(|current| current.as_ref().is_some_and(Cancellation::is_cancelled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framework::Framework;
    use crate::limits::SolverLimits;
    use crate::reasoning::extensions_of;
    use crate::semantics::Semantics;

    #[test]
    fn only_the_innermost_cancellation_applies() {
        let (one, other) = (Cancellation::default(), Cancellation::default());
        other.cancel();
        assert!(!one.run(is_cancelled));
        assert!(other.run(is_cancelled));
        assert!(!other.run(|| one.run(is_cancelled)), "the innermost cancellation applies");
        assert!(!is_cancelled(), "no cancellation is left on the thread");
    }

    /// Builds a framework of many cycles, so that every search has work to do.
    fn hard() -> Framework {
        let n = 60_u32;
        let attacks = (0..n).flat_map(|argument| {
            [(argument, (argument + 1) % n), (argument, (argument * 7 + 3) % n), ((argument * 5 + 1) % n, argument)]
        });
        Framework::new(n as usize, attacks).expect("a framework")
    }

    #[test]
    fn cancelled_searches_report_an_incomplete_result() {
        let cancelled = Cancellation::default();
        cancelled.cancel();
        for semantics in [Semantics::Preferred, Semantics::SemiStable, Semantics::Stage, Semantics::Stable] {
            let found = cancelled.run(|| extensions_of(&hard(), semantics, &SolverLimits::default()));
            assert!(!found.exact && found.limit == Some("stop"), "{semantics:?}: {found:?}");
        }
    }
}
