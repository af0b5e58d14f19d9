//! Progress of longer work for a log file: a line now and then instead of a bar that is redrawn.

use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};

use faultline_terminal::labels::lasting;

/// Minimum time between two lines, and before the first one: shorter work prints none.
const MIN_INTERVAL: Duration = Duration::from_secs(10);

/// Returns a progress bar that prints lines to stderr.
pub fn progress_lines(what: &'static str) -> ProgressBar {
    let lines =
        ProgressLines { last: Mutex::new(Instant::now()), interval: MIN_INTERVAL, print: |line| eprintln!("{line}") };
    drawn_by(lines).with_message(what)
}

fn drawn_by(lines: ProgressLines) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::term_like_with_hz(Box::new(lines), 1));
    match ProgressStyle::with_template("faultline: {msg}: {pos} of {len}{left}") {
        Ok(style) => bar.with_style(style.with_key("left", time_left)),
        Err(_) => bar,
    }
}

/// Writes the time that the rest takes at the present rate, such as `, 3 min 20 s left`; nothing until it can be estimated
/// and when nothing is left.
pub fn time_left(state: &ProgressState, written: &mut dyn fmt::Write) {
    let rest = state.len().unwrap_or(0).saturating_sub(state.pos());
    let seconds = state.eta().as_secs();
    if state.pos() == 0 || rest == 0 || seconds == 0 {
        return;
    }
    let left = lasting(TimeDelta::seconds(i64::try_from(seconds).unwrap_or(i64::MAX / 1_000)));
    // The bar is drawn without it if it cannot be written.
    let _written = write!(written, ", {left} left");
}

/// Output to which a progress bar is drawn, each time on a new line.
#[derive(Debug)]
struct ProgressLines {
    last: Mutex<Instant>,
    interval: Duration,
    print: fn(&str),
}

impl TermLike for ProgressLines {
    fn width(&self) -> u16 {
        u16::MAX
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.write_str(line)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let line = text.trim();
        if !line.is_empty() && last.elapsed() >= self.interval {
            *last = Instant::now();
            (self.print)(line);
        }
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_once_it_can_be_estimated() {
        let mut told = Vec::new();
        for (done, all) in [(0, 100), (1, 1_000_000), (100, 100)] {
            let bar = ProgressBar::hidden();
            bar.set_length(all);
            bar.set_style(ProgressStyle::default_bar());
            std::thread::sleep(Duration::from_millis(20));
            bar.set_position(done);
            let mut text = String::new();
            bar.update(|state| time_left(state, &mut text));
            told.push(text);
        }
        assert_eq!((told[0].as_str(), told[2].as_str()), ("", ""));
    }

    static PRINTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn progress_is_printed_as_lines() {
        let print = |line: &str| PRINTED.lock().expect("no test has panicked").push(line.to_owned());
        let lines = ProgressLines { last: Mutex::new(Instant::now()), interval: Duration::ZERO, print };
        let bar = drawn_by(lines).with_message("embedding");
        bar.set_length(40);
        bar.inc(3);
        bar.tick();
        bar.finish_and_clear();
        let printed = PRINTED.lock().expect("no test has panicked");
        assert!(printed.iter().any(|line| line == "faultline: embedding: 3 of 40"), "{printed:?}");
    }
}
