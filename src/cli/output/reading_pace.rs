//! Reading pace: pauses after what was printed, for somebody who watches a debate that would otherwise be over at once.

use std::io::{IsTerminal, stdin, stdout};
use std::time::Duration;

use tokio::sync::oneshot;

/// Pause for each printed word, and the longest pause after one piece of text.
const PER_WORD: Duration = Duration::from_millis(140);
const LONGEST: Duration = Duration::from_secs(9);

/// Pauses between pieces of text, until somebody presses Enter.
pub struct ReadingPace {
    skip: Option<oneshot::Receiver<()>>,
}

impl ReadingPace {
    /// Returns the pace for standard output; `None` if it is not a terminal, where nobody reads along.
    pub fn of_stdout() -> Option<ReadingPace> {
        stdout().is_terminal().then(|| ReadingPace { skip: stdin().is_terminal().then(wait_for_enter) })
    }

    /// Returns true if Enter skips the pauses.
    pub fn can_be_skipped(&self) -> bool {
        self.skip.is_some()
    }

    /// Pauses for as long as it takes to read a text. Returns false if the pauses were skipped.
    pub async fn read(&mut self, text: &str) -> bool {
        let pause = pause_after(text);
        let Some(skip) = &mut self.skip else {
            tokio::time::sleep(pause).await;
            return true;
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => true,
            pressed = skip => {
                self.skip = None;
                pressed.is_err()
            }
        }
    }
}

/// Returns the time that it takes to read a text.
fn pause_after(text: &str) -> Duration {
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    PER_WORD.saturating_mul(u32::try_from(words).unwrap_or(u32::MAX)).min(LONGEST)
}

/// Waits for a line on standard input, in a thread of its own: reading it cannot be cancelled, and the process may exit
/// before.
fn wait_for_enter() -> oneshot::Receiver<()> {
    let (pressed, waiting) = oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        if stdin().read_line(&mut line).is_ok() {
            let _ = pressed.send(());
        }
    });
    waiting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_grows_with_the_words_up_to_a_limit() {
        assert_eq!(pause_after("  ── · ──\n"), Duration::ZERO);
        assert_eq!(pause_after("Ten words, and not one of them is longer here."), PER_WORD * 10);
        assert_eq!(pause_after(&"word ".repeat(500)), LONGEST);
    }
}
