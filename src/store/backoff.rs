//! How long to wait before trying again.

use std::time::Duration;

/// The first wait.
const FIRST: Duration = Duration::from_millis(50);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(3);

/// Waits that double from 50 ms to 3 s, until something succeeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// It failed: how long to wait now.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures += 1;
        wait
    }

    /// Whether the last attempt was the first to fail.
    pub(crate) fn has_just_begun(&self) -> bool {
        self.failures == 1
    }

    /// It succeeded: the next wait is a first one again. Answers whether there had been failures.
    pub(crate) fn reset(&mut self) -> bool {
        std::mem::take(&mut self.failures) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_begin_anew() {
        let mut backoff = Backoff::default();
        let waits: Vec<u128> = (0..8).map(|_| backoff.next().as_millis()).collect();
        assert_eq!(waits, [50, 100, 200, 400, 800, 1600, 3000, 3000]);
        assert!(backoff.reset() && !backoff.reset());
        assert_eq!(backoff.next(), FIRST);
        assert!(backoff.has_just_begun());
    }
}
