//! Position in a stream, which clients pass as `after` and browsers as `Last-Event-ID`.

use std::fmt;

use async_graphql::Value;

use faultline_service::shared_stream::StreamPosition;
use faultline_store::lanes::{Cursor, ParseCursorError};

/// Position in a stream of any kind. The hub needs one type, because it shares streams of all kinds; a feed of the
/// service takes the position of its own kind, a version or a cursor.
#[derive(Clone, Debug, PartialEq)]
pub enum Position {
    /// The stream has no positions; it starts with the next item.
    Nowhere,
    /// After this version of a debate; 0 is before its first event.
    Version(i64),
    /// After this cursor in the log.
    Log(Cursor),
}

/// Kinds of streams that have positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionKind {
    /// Events of one debate, by version.
    Version,
    /// Events of the log, by cursor.
    Log,
}

impl PositionKind {
    /// Returns the position before the first item.
    pub fn start(self) -> Position {
        match self {
            PositionKind::Version => Position::Version(0),
            PositionKind::Log => Position::Log(Cursor::default()),
        }
    }

    /// Parses a position that a transport received, such as `Last-Event-ID`.
    ///
    /// # Errors
    /// A message if the text is not a position of this kind.
    pub fn parse(self, text: &str) -> Result<Position, String> {
        match self {
            PositionKind::Version => parse_version(text).map(Position::Version),
            PositionKind::Log => parse_cursor(text).map(Position::Log),
        }
    }

    /// Reads the value of the argument `after`, where null is the start of the stream; `None` if it is not a position
    /// of this kind.
    pub fn read_argument(self, value: &Value) -> Option<Position> {
        match (self, value) {
            (_, Value::Null) => Some(self.start()),
            (PositionKind::Log, Value::String(text)) => self.parse(text).ok(),
            (PositionKind::Version, Value::Number(number)) => number.as_i64().map(Position::Version),
            _ => None,
        }
    }
}

/// Parses the version of a debate that a transport received, such as `?after=`.
///
/// # Errors
/// A message if the text is not an integer.
pub fn parse_version(text: &str) -> Result<i64, String> {
    let excerpt = || text.chars().take(64).collect::<String>();
    text.parse().map_err(|_| format!("{:?} is not a version", excerpt()))
}

/// Parses a cursor of the log that a transport received, such as `?after=`.
///
/// # Errors
/// A message if the text is not a cursor.
pub fn parse_cursor(text: &str) -> Result<Cursor, String> {
    text.parse().map_err(|error: ParseCursorError| error.to_string())
}

impl Position {
    /// Returns the version; `None` for a position of another kind.
    pub fn version(&self) -> Option<i64> {
        match self {
            Position::Version(version) => Some(*version),
            Position::Nowhere | Position::Log(_) => None,
        }
    }

    /// Returns the cursor; `None` for a position of another kind.
    pub fn cursor(&self) -> Option<Cursor> {
        match self {
            Position::Log(cursor) => Some(cursor.clone()),
            Position::Nowhere | Position::Version(_) => None,
        }
    }
}

impl StreamPosition for Position {
    /// Positions of different kinds do not cover each other.
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
