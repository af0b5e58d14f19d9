//! Position in a stream, which clients pass as `after` and browsers as `Last-Event-ID`.

use std::fmt;

use crate::desk::relay;
use crate::store::lanes::Cursor;

/// Position in a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// The stream has no positions; it starts with the next item.
    Nowhere,
    /// After this version of a debate.
    Version(i64),
    /// After this cursor in the log.
    Log(Cursor),
}

impl relay::Place for Place {
    fn covers(&self, other: &Place) -> bool {
        match (self, other) {
            (Place::Version(own), Place::Version(theirs)) => own >= theirs,
            (Place::Log(own), Place::Log(theirs)) => own.covers(theirs),
            _ => self == other,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Nowhere => Ok(()),
            Place::Version(version) => version.fmt(f),
            Place::Log(cursor) => cursor.fmt(f),
        }
    }
}
