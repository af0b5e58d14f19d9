//! Printing, for people and for programs. A reader that goes away ends the command quietly.

use std::io::Write;

use serde::Serialize;

use crate::cli::exit::CliError;

/// Prints a text as it is, with colours only where standard output shows them.
///
/// # Errors
/// [`CliError::Unread`] where nobody reads any more.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a text byte by byte as it is.
///
/// # Errors
/// As [`print()`].
pub fn print_plain(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a value as one line of JSON.
///
/// # Errors
/// As [`print()`].
pub fn json_line(value: &impl Serialize) -> Result<(), CliError> {
    let line = serde_json::to_string(value).map_err(|it| CliError::Fault(format!("writing JSON failed: {it}")))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
