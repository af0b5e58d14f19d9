//! Compute pool for requests: at most one computation per core, cancelled when its request ends.
//!
//! A queued computation occupies no thread. If its request ends first, because the client disconnected or timed out,
//! the computation never starts; a running one is cancelled and returns at its next check ([`Cancellation`]).

use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

use faultline_argumentation::cancellation::Cancellation;

tokio::task_local! {
    /// Slots of the request that the current task belongs to.
    static SHARE: Arc<Semaphore>;
}

/// Slots of one request or one socket: half of the cores, at least one. Clones share them.
#[derive(Clone, Debug)]
pub struct ComputeShare(Arc<Semaphore>);

impl Default for ComputeShare {
    fn default() -> Self {
        ComputeShare(Arc::new(Semaphore::new((cores() / 2).max(1))))
    }
}

impl ComputeShare {
    /// Returns the share of the request that the current task belongs to.
    pub fn current() -> Option<ComputeShare> {
        SHARE.try_with(|share| ComputeShare(Arc::clone(share))).ok()
    }

    /// Runs a future with this share.
    pub async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        SHARE.scope(self.0, work).await
    }
}

/// Runs a computation on a blocking thread. Dropping the future cancels it.
///
/// # Errors
/// [`JoinError`] if the computation panicked.
pub async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
    // Neither semaphore is ever closed. The request's own slot is acquired first, so that one request with many
    // computations cannot fill the queue for the others.
    let _own = match ComputeShare::current() {
        Some(share) => share.0.acquire_owned().await.ok(),
        None => None,
    };
    let slot = Arc::clone(slots()).acquire_owned().await.ok();
    let cancellation = CancelOnDrop(Cancellation::default());
    let running = cancellation.0.clone();
    spawn_blocking(move || {
        // The thread holds the slot for as long as the work runs, even if the caller has gone.
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
    use faultline_argumentation::cancellation::is_cancelled;

    #[tokio::test]
    async fn dropped_computations_are_cancelled_and_queued_ones_never_start() {
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
    async fn one_request_uses_at_most_its_share_of_the_cores() {
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
