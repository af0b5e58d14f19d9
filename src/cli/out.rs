//! Printing, for people and for programs. A reader that goes away ends the command quietly.

use std::io::Write;

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::exit::CliError;
use crate::events::event::Recorded;
use crate::events::wire;

/// Prints a text as it is, with colours only where standard output shows them.
///
/// # Errors
/// [`CliError::Unread`] where nobody reads any more.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
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

/// An event as programs see it: as in GraphQL.
pub fn event_json(recorded: &Recorded) -> Value {
    let stored = wire::encode(&recorded.event);
    json!({
        "id": recorded.id,
        "debateId": recorded.debate,
        "version": recorded.version,
        "position": format!("{}.{}", recorded.lane, recorded.position),
        "kind": stored.kind,
        "at": recorded.at,
        "causedBy": recorded.caused_by,
        "body": serde_json::from_slice::<Value>(&stored.body).unwrap_or_default(),
    })
}
