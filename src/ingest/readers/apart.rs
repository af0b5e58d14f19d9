//! Parsing what strangers wrote, apart from everything else.
//!
//! A parser runs on a thread of its own with a stack of its own: a panic is caught, and one that does not come back is
//! left behind after a time. Such a thread cannot be stopped, only ended with the process, so there may be few of them.
//! What a parser may take of memory is limited before it runs, by the size, nesting and unfolding of its input.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// How long a parser may take.
pub const PARSE_SECONDS: u64 = 30;

/// The bytes of its stack.
const STACK_BYTES: usize = 64 << 20;

/// The most parsers that may be left behind before no more are started.
const LEFT_BEHIND: usize = 4;

static N_LEFT: AtomicUsize = AtomicUsize::new(0);

/// Runs a parser apart, for at most so long. Blocks.
///
/// # Errors
/// In words: its own, that it broke down, or that it did not come back.
pub fn apart<T: Send + 'static>(
    within: Duration,
    parse: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    if N_LEFT.load(Ordering::Relaxed) >= LEFT_BEHIND {
        return Err(format!(
            "{LEFT_BEHIND} parsers have not come back, and no more are started; start again without those sources"
        ));
    }
    let (done, told) = sync_channel(1);
    let run = move || {
        let parsed = catch_unwind(AssertUnwindSafe(parse));
        // Nobody may be waiting any more.
        let _unheard = done.send(parsed);
    };
    let thread = thread::Builder::new().name("parser".to_owned()).stack_size(STACK_BYTES).spawn(run);
    let thread = thread.map_err(|it| format!("no thread can be had for its parser: {it}"))?;
    match told.recv_timeout(within) {
        Ok(Ok(parsed)) => parsed,
        Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
            Err("breaks its parser; it is damaged, or made to do so".to_owned())
        }
        Err(RecvTimeoutError::Timeout) => {
            N_LEFT.fetch_add(1, Ordering::Relaxed);
            drop(thread);
            Err(format!("takes its parser longer than {} seconds", within.as_secs_f32()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_or_hangs_costs_only_itself() {
        let second = Duration::from_secs(60);
        assert_eq!(apart(second, || Ok(1)), Ok(1));
        assert_eq!(apart::<()>(second, || Err("no".to_owned())), Err("no".to_owned()));
        assert!(apart::<()>(second, || panic!("a bad file")).unwrap_err().starts_with("breaks its parser"));
        let (held, release) = sync_channel::<()>(0);
        let hangs = move || release.recv().map_err(|it| it.to_string());
        assert_eq!(
            apart(Duration::from_millis(10), hangs),
            Err("takes its parser longer than 0.01 seconds".to_owned())
        );
        drop(held);
    }
}
