//! Adaptive page size for a single reader: starts small and grows up to a memory budget.

/// Number of events to read per page, adapted to the size of recent events.
#[derive(Clone, Copy, Debug)]
pub struct AdaptivePageSize {
    events: i64,
    most: i64,
    bytes: usize,
}

impl AdaptivePageSize {
    /// Creates a page size that starts at `events` and adapts so that a page takes about `bytes`. It never exceeds
    /// `most`, because later events may be larger.
    pub fn new(events: i64, most: i64, bytes: usize) -> AdaptivePageSize {
        AdaptivePageSize { events, most, bytes }
    }

    /// Number of events to read next.
    pub fn events(&self) -> i64 {
        self.events
    }

    /// Adapts to a page of `n_events` that took `bytes`. The size at most doubles per page, because large events may
    /// follow small ones.
    pub fn pass(&mut self, n_events: usize, bytes: usize) {
        let most = self.most.min(2 * self.events);
        let fitting = n_events.saturating_mul(self.bytes) / bytes.max(1);
        self.events = i64::try_from(fitting).unwrap_or(most).clamp(1, most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_size_grows_gradually_and_shrinks_at_once() {
        let mut pace = AdaptivePageSize::new(8, 100, 1_000);
        for (n_events, bytes, next) in
            [(8, 8, 16), (16, 16, 32), (32, 32, 64), (64, 64, 100), (100, 100_000, 1), (1, 0, 2), (0, 0, 1)]
        {
            pace.pass(n_events, bytes);
            assert_eq!(pace.events(), next, "after {n_events} of {bytes} bytes");
        }
    }
}
