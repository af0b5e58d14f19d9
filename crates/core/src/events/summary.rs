//! One-line summaries of events for people: histories, rehearsals, traces.
//!
//! Each body implements [`Summarize`] in its own file; the functions here format what several bodies have in common.

use crate::events::ids::RoomId;

/// Maximum number of characters of a text shown in a line.
const MAX_SHOWN: usize = 72;

/// One-line summary of an event body.
pub trait Summarize {
    /// Summarizes the body in one line, without its kind.
    fn summary(&self) -> String;
}

/// Formats the room, unless it is the main channel.
pub fn in_room(room: Option<RoomId>) -> String {
    room.map(|room| format!(" in {room}")).unwrap_or_default()
}

/// Formats the rejected parts of a reply, if there are any.
pub fn refused_parts(refused: &[String]) -> String {
    if refused.is_empty() { String::new() } else { format!(" (refused: {})", refused.join("; ")) }
}

/// Shortens a text to 72 characters. Stops before any control character: a truncated escape sequence would no
/// longer be recognized as one.
pub fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let letters = line.char_indices();
    match letters.enumerate().find(|(n, (_, letter))| *n == MAX_SHOWN || letter.is_control()) {
        None => line,
        Some((_, (at, _))) => format!("{}...", line[..at].trim_end()),
    }
}
