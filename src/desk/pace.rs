//! How much is read at once for one reader alone: at first little, then as much as may be held for him.

/// How many events are read at once.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    events: i64,
    most: i64,
    bytes: usize,
}

impl Pace {
    /// So many at first, when nobody knows how long they are; then so many that they come to about `bytes`, and never more
    /// than `most`: those that follow may be longer.
    pub fn new(events: i64, most: i64, bytes: usize) -> Pace {
        Pace { events, most, bytes }
    }

    /// How many are to be read now.
    pub fn events(&self) -> i64 {
        self.events
    }

    /// Takes note of how many came, and how long they were. Pages grow step by step: what was short may be followed by what
    /// is long.
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
    fn pages_grow_step_by_step_and_shrink_at_once() {
        let mut pace = Pace::new(8, 100, 1_000);
        for (n_events, bytes, next) in
            [(8, 8, 16), (16, 16, 32), (32, 32, 64), (64, 64, 100), (100, 100_000, 1), (1, 0, 2), (0, 0, 1)]
        {
            pace.pass(n_events, bytes);
            assert_eq!(pace.events(), next, "after {n_events} of {bytes} bytes");
        }
    }
}
