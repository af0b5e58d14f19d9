//! Pager for long output on a terminal: `$FAULTLINE_PAGER`, else `$PAGER`, else `less`.
//!
//! The output goes straight to the terminal if standard output is none, the terminal is dumb, `--no-pager` is given, or
//! the pager is `cat` or empty. A pager that cannot be run is replaced by plain output.

use std::io::{IsTerminal, Write, stdout};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::output::exit::CliError;
use crate::cli::output::output::print;

/// Pager if none is chosen. It ends at once if the text fits on the screen (`F`), shows colours (`R`) and leaves the
/// text on the screen (`X`).
const DEFAULT: &str = "less -FRX";
/// Options that `less` gets through the environment if the user has set none, so that `PAGER=less` shows colours too.
const LESS: &str = "FRX";
/// Exit codes by which the shell reports that it cannot run the pager.
const NOT_RUN: [i32; 2] = [126, 127];

/// True if `--no-pager` is given.
static IS_DISABLED: AtomicBool = AtomicBool::new(false);
/// True while a pager runs.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Disables the pager for this process.
pub fn disable() {
    IS_DISABLED.store(true, Ordering::Relaxed);
}

/// Returns true while a pager runs.
pub fn is_open() -> bool {
    IS_OPEN.load(Ordering::Relaxed)
}

/// Returns true if [`page`] may open a pager, so that output should be collected for it.
pub fn is_wanted() -> bool {
    command().is_some()
}

/// Prints a text through the pager, or as [`print()`] if there is none; nothing if it is empty. Returns when the reader has
/// closed the pager, so a command calls it after it has closed the database.
///
/// # Errors
/// As [`print()`].
pub fn page(text: &str) -> Result<(), CliError> {
    if text.is_empty() {
        return Ok(());
    }
    match command() {
        Some(command) if is_shown(&command, text) => Ok(()),
        _ => print(text),
    }
}

/// Returns the pager to use, if one is wanted.
fn command() -> Option<String> {
    if IS_DISABLED.load(Ordering::Relaxed) || !stdout().is_terminal() {
        return None;
    }
    chosen(&|name| std::env::var(name).ok())
}

/// Chooses the pager by the environment.
fn chosen(variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    if variable("TERM").as_deref() == Some("dumb") {
        return None;
    }
    let pager = ["FAULTLINE_PAGER", "PAGER"].into_iter().find_map(variable).unwrap_or_else(|| DEFAULT.to_owned());
    let pager = pager.trim();
    (!pager.is_empty() && pager != "cat").then(|| pager.to_owned())
}

/// Shows a text in a pager. Returns false if the pager could not be run.
fn is_shown(command: &str, text: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        shell.env("LESS", LESS);
    }
    IS_OPEN.store(true, Ordering::Relaxed);
    let status = shell.spawn().and_then(|mut pager| {
        if let Some(mut input) = pager.stdin.take() {
            // Fails if the reader leaves the pager before the end.
            let _left = input.write_all(text.as_bytes());
        }
        pager.wait()
    });
    IS_OPEN.store(false, Ordering::Relaxed);
    status.is_ok_and(|status| status.code().is_none_or(|code| !NOT_RUN.contains(&code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pager_is_chosen_by_the_environment() {
        let check = |variables: &[(&str, &str)], expected: Option<&str>| {
            let value =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(chosen(&value).as_deref(), expected, "{variables:?}");
        };
        check(&[], Some(DEFAULT));
        check(&[("PAGER", "more")], Some("more"));
        check(&[("PAGER", "more"), ("FAULTLINE_PAGER", "less -S")], Some("less -S"));
        check(&[("PAGER", "more"), ("FAULTLINE_PAGER", "")], None);
        check(&[("PAGER", "cat")], None);
        check(&[("TERM", "dumb")], None);
        check(&[("TERM", "dumb"), ("PAGER", "more")], None);
        check(&[("TERM", "xterm-256color")], Some(DEFAULT));
    }

    #[test]
    fn a_pager_that_cannot_be_run_is_reported_and_one_that_is_left_early_is_not() {
        let long = "line\n".repeat(100_000);
        assert!(!is_shown("no-such-pager-anywhere 2>/dev/null", &long));
        assert!(is_shown("head -n 1 >/dev/null", &long));
        assert!(is_shown("exit 1", &long));
        assert!(!is_open());
    }
}
