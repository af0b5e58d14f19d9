//! Why a file cannot be read: where, what was expected there, and what was found.

use std::fmt;

use crate::argumentation::formats::format::Format;

/// A file that is not in its format. Told in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// The format that it was read as.
    pub format: Format,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub flaw: Flaw,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Something else should stand here.
    Unexpected {
        /// What should.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// An attack from or on an argument that the file does not name as one.
    Unknown(String),
    /// A second argument of this name.
    Repeated(String),
    /// A number that is no argument's.
    OutOfRange {
        /// The number as it is written.
        found: String,
        /// How many arguments there are.
        arguments: u32,
    },
    /// A byte that is not of a text in UTF-8.
    NotText(u8),
    /// A limit was reached.
    Beyond {
        /// Of what there is too much.
        what: &'static str,
        /// How much is too much.
        most: usize,
    },
}

/// A flaw, and the byte at which it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flawed {
    /// The byte, from 0.
    pub at: usize,
    /// What is wrong there.
    pub flaw: Flaw,
}

impl Flawed {
    /// The same, with its place as people count it. A line ends with a line feed, a carriage return, or both.
    pub fn told(self, format: Format, content: &[u8]) -> Misread {
        let before = &content[..self.at];
        let is_break = |at: usize| match before[at] {
            b'\n' => true,
            b'\r' => before.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let breaks = (0..before.len()).filter(|at| is_break(*at));
        let start = breaks.clone().next_back().map_or(0, |at| at + 1);
        // Bytes that go on with a character are not counted, so that a column is one of characters.
        let column = 1 + before[start..].iter().filter(|it| **it & 0xC0 != 0x80).count();
        Misread { format, line: 1 + breaks.count(), column, flaw: self.flaw }
    }
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {} of {}: {}", self.line, self.column, self.format, self.flaw)
    }
}

impl std::error::Error for Misread {}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::Unknown(name) => write!(f, "an attack names {name}, which is not declared as an argument"),
            Self::Repeated(name) => write!(f, "the argument {name} is named a second time"),
            Self::OutOfRange { found, arguments: 0 } => {
                write!(f, "expected no attack, for there are no arguments, found {found}")
            }
            Self::OutOfRange { found, arguments } => {
                write!(f, "expected the number of an argument, 1 to {arguments}, found {found}")
            }
            Self::NotText(byte) => write!(f, "expected text in UTF-8, found the byte {byte:#04x}"),
            Self::Beyond { what, most } => write!(f, "there are more {what} than {most}, which is the limit"),
        }
    }
}
