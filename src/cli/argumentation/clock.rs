//! Timeout of `argue`, and its progress on a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::cli::argumentation::iccma::ReasoningProblem;

/// Time before progress is shown.
const QUIET: Duration = Duration::from_secs(1);

/// Timeout, and progress output if stderr is a terminal.
pub struct Clock {
    started: Instant,
    timeout: Option<Duration>,
    is_watched: bool,
    /// Last second printed; 0 if none.
    printed_second: AtomicU64,
}

impl Clock {
    /// Starts a clock.
    pub fn new(timeout: Option<Duration>) -> Self {
        let is_watched = stderr().is_terminal();
        Self { started: Instant::now(), timeout, is_watched, printed_second: AtomicU64::new(0) }
    }

    /// Returns whether the timeout has passed. Prints the elapsed time once per second.
    pub fn has_run_out(&self, problem: ReasoningProblem) -> bool {
        let spent = self.started.elapsed();
        if self.is_watched && spent >= QUIET {
            let seconds = spent.as_secs();
            if self.printed_second.swap(seconds, Ordering::Relaxed) != seconds {
                eprint!("\r  {problem}: {seconds} s ");
            }
        }
        self.timeout.is_some_and(|timeout| spent >= timeout)
    }

    /// Erases the printed progress.
    pub fn clear(&self) {
        if self.printed_second.swap(0, Ordering::Relaxed) != 0 {
            eprint!("\r{:30}\r", "");
        }
    }
}
