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

/// Lines of a text, for finding the line of many bytes.
#[derive(Clone, Debug)]
pub struct LineNumbers {
    /// Bytes after which a new line begins, in ascending order.
    line_feeds: Vec<usize>,
}

impl LineNumbers {
    /// Finds the lines of a text. Cost: linear in the text.
    pub fn of(text: &str) -> LineNumbers {
        LineNumbers { line_feeds: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    /// Returns the line, from 1, that contains a byte of the text. Cost: logarithmic in the number of lines.
    pub fn line_of(&self, byte: usize) -> usize {
        self.line_feeds.partition_point(|line_feed| *line_feed < byte) + 1
    }
}

/// Returns the line, from 1, that contains a byte of a text. Cost: linear in the text; [`LineNumbers`] are for many bytes.
pub fn line_of(text: &str, byte: usize) -> usize {
    LineNumbers::of(text).line_of(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_its_line_feed() {
        let text = "é\n\nb\n";
        let lines: Vec<usize> = (0..=text.len() + 1).map(|byte| line_of(text, byte)).collect();
        assert_eq!(lines, [1, 1, 1, 2, 3, 3, 4, 4]);
        assert_eq!(line_of("", 0), 1);
    }
}
