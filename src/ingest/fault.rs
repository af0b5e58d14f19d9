//! What is wrong with a file, and where.

use std::fmt;
use std::path::PathBuf;

/// Something wrong in a file that people write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; `None` where it is the file as a whole.
    pub line: Option<usize>,
    /// What is wrong, and what was expected instead.
    pub what: String,
}

impl Fault {
    /// A fault in a line.
    pub fn at(file: impl Into<PathBuf>, line: usize, what: impl Into<String>) -> Self {
        Fault { file: file.into(), line: Some(line), what: what.into() }
    }

    /// A fault of the file as a whole.
    pub fn of(file: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        Fault { file: file.into(), line: None, what: what.into() }
    }

    /// Where and what, for somebody who knows the file.
    pub fn within(&self) -> String {
        self.line.map_or_else(|| self.what.clone(), |line| format!("line {line}: {}", self.what))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file.display(), self.what),
            None => write!(f, "{}: {}", self.file.display(), self.what),
        }
    }
}

/// The line, from 1, that a byte of a text stands in.
pub fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|it| *it == b'\n').count() + 1
}
