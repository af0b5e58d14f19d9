//! Parse errors: the position, the expected input and the actual input.

use std::fmt;

use crate::formats::format::Format;

/// Error of parsing a file. Formatted in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Format that the file was parsed as.
    pub format: Format,
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// Problem at this place.
    pub flaw: ParseProblem,
}

/// Problem in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseProblem {
    /// Unexpected input.
    Unexpected {
        /// Expected input.
        expected: &'static str,
        /// Actual input.
        found: String,
    },
    /// An attack from or on an argument that the file does not declare.
    Unknown(String),
    /// An argument that is declared twice.
    Repeated(String),
    /// A number that belongs to no argument.
    OutOfRange {
        /// The number as written.
        found: String,
        /// Number of arguments.
        arguments: u32,
    },
    /// A byte that is not valid UTF-8.
    NotText(u8),
    /// A limit was exceeded.
    Beyond {
        /// The limited items, in the plural.
        what: &'static str,
        /// The limit.
        most: usize,
    },
}

/// Problem, and the byte at which it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemAt {
    /// Index of the byte, from 0.
    pub at: usize,
    /// Problem at this byte.
    pub flaw: ParseProblem,
}

impl ProblemAt {
    /// Converts the byte index into a line and a column. A line ends with a line feed, a carriage return, or both.
    pub fn into_parse_error(self, format: Format, content: &[u8]) -> ParseError {
        let before = &content[..self.at];
        let is_break = |at: usize| match before[at] {
            b'\n' => true,
            b'\r' => before.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let breaks = (0..before.len()).filter(|at| is_break(*at));
        let start = breaks.clone().next_back().map_or(0, |at| at + 1);
        // Continuation bytes are not counted, so that a column is a number of characters.
        let column = 1 + before[start..].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        ParseError { format, line: 1 + breaks.count(), column, flaw: self.flaw }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {} of {}: {}", self.line, self.column, self.format, self.flaw)
    }
}

impl std::error::Error for ParseError {}

impl fmt::Display for ParseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::Unknown(name) => write!(f, "an attack names {name}, which is not declared as an argument"),
            Self::Repeated(name) => write!(f, "the argument {name} is declared twice"),
            Self::OutOfRange { found, arguments: 0 } => {
                write!(f, "expected no attack, because there are no arguments, found {found}")
            }
            Self::OutOfRange { found, arguments } => {
                write!(f, "expected an argument number from 1 to {arguments}, found {found}")
            }
            Self::NotText(byte) => write!(f, "expected text in UTF-8, found the byte {byte:#04x}"),
            Self::Beyond { what, most } => write!(f, "more {what} than the limit of {most}"),
        }
    }
}
