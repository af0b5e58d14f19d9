//! Computations for requests: as many at once as there are cores, and none for a request that has ended.
//!
//! A computation waits for a slot without a thread. If its request ends before, because the client is gone or its time is
//! up, it never begins; if it has begun, it is cancelled and returns at the next look ([`Cancellation`]).

use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

use crate::argumentation::cancellation::Cancellation;

tokio::task_local! {
    /// The slots of the request that this task works for.
    static SHARE: Arc<Semaphore>;
}

/// The slots of one request or one socket: half of the cores, and at least one. Clones share them.
#[derive(Clone, Debug)]
pub struct ComputeShare(Arc<Semaphore>);

impl Default for ComputeShare {
    fn default() -> Self {
        ComputeShare(Arc::new(Semaphore::new((cores() / 2).max(1))))
    }
}

impl ComputeShare {
    /// The share of the request that this task works for.
    pub fn current() -> Option<ComputeShare> {
        SHARE.try_with(|share| ComputeShare(Arc::clone(share))).ok()
    }

    /// Works with this share.
    pub async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        SHARE.scope(self.0, work).await
    }
}

/// Runs a computation on a thread where it keeps nobody waiting. Dropping the future cancels it.
///
/// # Errors
/// Where the computation panicked.
pub async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
    // Neither semaphore is ever closed. The request's own slot comes first, so that a request with many computations does
    // not fill the queue for the others.
    let _own = match ComputeShare::current() {
        Some(share) => share.0.acquire_owned().await.ok(),
        None => None,
    };
    let slot = Arc::clone(slots()).acquire_owned().await.ok();
    let cancellation = CancelOnDrop(Cancellation::default());
    let running = cancellation.0.clone();
    spawn_blocking(move || {
        // Held by the thread: the slot is taken for as long as the work takes, whoever waits for it.
        let _slot = slot;
        running.run(work)
    })
    .await
}

struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn slots() -> &'static Arc<Semaphore> {
    static SLOTS: OnceLock<Arc<Semaphore>> = OnceLock::new();
    SLOTS.get_or_init(|| Arc::new(Semaphore::new(cores())))
}

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;
    use crate::argumentation::cancellation::is_cancelled;

    #[tokio::test]
    async fn work_that_nobody_waits_for_ends_and_what_waited_behind_it_never_begins() {
        static BEGUN: AtomicUsize = AtomicUsize::new(0);
        let endless = || {
            BEGUN.fetch_add(1, Ordering::Relaxed);
            while !is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        let many: Vec<_> = (0..cores() * 4).map(|_| tokio::spawn(compute(endless))).collect();
        while BEGUN.load(Ordering::Relaxed) < cores() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        many.iter().for_each(tokio::task::JoinHandle::abort);
        let answer = timeout(Duration::from_secs(10), compute(|| 7)).await.expect("the slots are free again");
        assert_eq!(answer.ok(), Some(7));
        assert_eq!(BEGUN.load(Ordering::Relaxed), cores());
    }

    #[tokio::test]
    async fn one_request_has_its_share_and_no_more() {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = || {
            let (now, most) = (Arc::clone(&now), Arc::clone(&most));
            compute(move || {
                most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
                now.fetch_sub(1, Ordering::Relaxed);
            })
        };
        let all = futures_util::future::join_all((0..8).map(|_| work()));
        ComputeShare::default().scope(all).await;
        assert!(most.load(Ordering::Relaxed) <= (cores() / 2).max(1), "{most:?}");
    }
}
