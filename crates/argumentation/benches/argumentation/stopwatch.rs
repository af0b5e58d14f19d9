//! Measurements of time.

use std::fs;
use std::time::{Duration, Instant};

const BATCHES: usize = 5;
const BATCH: Duration = Duration::from_millis(4);

/// Returns the microseconds a call: the best of several batches, each long enough for the clock.
pub fn micros<T>(mut call: impl FnMut() -> T) -> f64 {
    let mut times = 1_u32;
    let mut best = f64::INFINITY;
    for _ in 0..BATCHES {
        loop {
            let start = Instant::now();
            (0..times).for_each(|_| drop(call()));
            let spent = start.elapsed();
            if spent >= BATCH {
                best = best.min(spent.as_secs_f64() * 1e6 / f64::from(times));
                break;
            }
            times *= 2;
        }
    }
    best
}

/// Processor time of this process, if the system reports it (Linux), or else the elapsed time. A busy machine therefore
/// does not count against a long answer.
#[derive(Clone, Copy)]
pub struct Stopwatch {
    computed: Option<Duration>,
    begun: Instant,
}

impl Stopwatch {
    /// Starts a measurement.
    pub fn start() -> Self {
        Self { computed: computed(), begun: Instant::now() }
    }

    /// Returns the time spent since the start.
    pub fn spent(&self) -> Duration {
        match (self.computed, computed()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.begun.elapsed(),
        }
    }
}

fn computed() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
