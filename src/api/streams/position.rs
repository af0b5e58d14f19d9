//! Position in a stream, which clients pass as `after` and browsers as `Last-Event-ID`.

use std::fmt;

use crate::service::shared_stream;
use faultline_store::lanes::Cursor;

/// Position in a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Position {
    /// The stream has no positions; it starts with the next item.
    Nowhere,
    /// After this version of a debate.
    Version(i64),
    /// After this cursor in the log.
    Log(Cursor),
}

impl shared_stream::StreamPosition for Position {
    fn covers(&self, other: &Position) -> bool {
        match (self, other) {
            (Position::Version(own), Position::Version(theirs)) => own >= theirs,
            (Position::Log(own), Position::Log(theirs)) => own.covers(theirs),
            _ => self == other,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Nowhere => Ok(()),
            Position::Version(version) => version.fmt(f),
            Position::Log(cursor) => cursor.fmt(f),
        }
    }
}
