//! Errors in files that people write, with their location.

use std::fmt;
use std::path::PathBuf;

/// Error in a file that people write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FileError {
    /// Path of the file.
    pub file: PathBuf,
    /// Line, from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// Description of the error, and the expected content.
    pub what: String,
}

impl FileError {
    /// Creates an error in a line.
    pub fn at(file: impl Into<PathBuf>, line: usize, what: impl Into<String>) -> Self {
        FileError { file: file.into(), line: Some(line), what: what.into() }
    }

    /// Creates an error in the file as a whole.
    pub fn of(file: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        FileError { file: file.into(), line: None, what: what.into() }
    }

    /// Formats the error without the file name.
    pub fn within(&self) -> String {
        self.line.map_or_else(|| self.what.clone(), |line| format!("line {line}: {}", self.what))
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file.display(), self.what),
            None => write!(f, "{}: {}", self.file.display(), self.what),
        }
    }
}

/// Returns the line, from 1, that contains a byte of a text.
pub fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}
