//! Exponential backoff between retries.

use std::time::Duration;

/// Maximum time for which a batch is retried while the database is away: longer than a failover takes, which with the
/// defaults of Patroni is 30 seconds and some more.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// Wait after the first failure.
const FIRST: Duration = Duration::from_millis(50);
/// Longest wait.
const LONGEST: Duration = Duration::from_secs(3);

/// Wait that doubles from 50 ms to 3 s with each failure, until an attempt succeeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Records a failure and returns the time to wait before the next attempt.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures += 1;
        wait
    }

    /// Returns true if exactly one attempt has failed since the last success.
    pub(crate) fn has_just_begun(&self) -> bool {
        self.failures == 1
    }

    /// Records a success: the next wait is again the shortest. Returns true if attempts had failed before.
    pub(crate) fn reset(&mut self) -> bool {
        std::mem::take(&mut self.failures) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_reset_after_a_success() {
        let mut backoff = Backoff::default();
        let waits: Vec<u128> = (0..8).map(|_| backoff.next().as_millis()).collect();
        assert_eq!(waits, [50, 100, 200, 400, 800, 1600, 3000, 3000]);
        assert!(backoff.reset() && !backoff.reset());
        assert_eq!(backoff.next(), FIRST);
        assert!(backoff.has_just_begun());
    }
}
