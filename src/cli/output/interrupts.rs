//! Ctrl-C: every command ends with the exit code 130, as a shell reports a process that SIGINT ended.
//!
//! Commands with work to put in order run it in [`interruptible`] and close what they opened. All others end at once, by
//! [`exit_on_interrupt`]; a private `PostgreSQL` that they started ends with them.

use crate::cli::output::exit::{CliError, INTERRUPTED};
use crate::cli::output::pager;

/// Runs a future until it completes or the user presses Ctrl-C.
///
/// # Errors
/// The error of `run`; [`CliError::Interrupted`] with the hint if it was interrupted.
pub async fn interruptible<T>(
    run: impl Future<Output = Result<T, CliError>>,
    hint: &'static str,
) -> Result<T, CliError> {
    tokio::select! {
        done = run => done,
        _ = tokio::signal::ctrl_c() => Err(CliError::Interrupted(hint.to_owned())),
    }
}

/// Ends the process when the user presses Ctrl-C, unless a pager is open: there the key belongs to the pager.
pub fn exit_on_interrupt() {
    tokio::spawn(async {
        while tokio::signal::ctrl_c().await.is_ok() {
            if !pager::is_open() {
                std::process::exit(INTERRUPTED.into());
            }
        }
    });
}
