//! Read cursor over the bytes of a file.

use crate::formats::parse_error::{ParseProblem, ProblemAt};

/// Maximum number of characters of a file that an error message quotes.
const MAX_EXCERPT_CHARS: usize = 24;

/// Read position in a file.
#[derive(Clone, Debug)]
pub struct ByteCursor<'a> {
    /// Bytes of the whole file.
    pub bytes: &'a [u8],
    /// Index of the next byte.
    pub at: usize,
    /// True if the whole file is ASCII.
    pub is_ascii: bool,
}

impl<'a> ByteCursor<'a> {
    /// Creates a cursor at the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, is_ascii: bytes.is_ascii() }
    }

    /// Returns the next byte; `None` at the end.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Moves past all bytes for which `holds` is true, and returns them.
    #[inline]
    pub fn take_while(&mut self, holds: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let len = rest.iter().position(|byte| !holds(*byte)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// Moves past these bytes if they come next, and returns true in that case.
    #[inline]
    pub fn take<const N: usize>(&mut self, expected: &[u8; N]) -> bool {
        let comes = self.bytes[self.at..].first_chunk() == Some(expected);
        self.at += if comes { N } else { 0 };
        comes
    }

    /// Moves past spaces and tabs, and returns them.
    #[inline]
    pub fn skip_blanks(&mut self) -> &'a [u8] {
        self.take_while(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// Moves to the end of the line, before the line break.
    pub fn skip_line(&mut self) {
        self.take_while(|byte| !is_break(byte));
    }

    /// Returns true at the end of a line or of the file.
    #[inline]
    pub fn at_line_end(&self) -> bool {
        self.peek().is_none_or(is_break)
    }

    /// Returns the error that something else was expected here.
    #[cold]
    pub fn unexpected(&self, expected: &'static str) -> ProblemAt {
        ProblemAt { at: self.at, flaw: ParseProblem::Unexpected { expected, found: self.found() } }
    }

    /// Describes the input at the cursor: the word, the single character, or the end.
    pub fn found(&self) -> String {
        let rest = String::from_utf8_lossy(&self.bytes[self.at..self.bytes.len().min(self.at + 4 * MAX_EXCERPT_CHARS)]);
        let Some(first) = rest.chars().next() else {
            return "the end of the file".to_owned();
        };
        match first {
            '\n' | '\r' => "the end of the line".to_owned(),
            it if it.is_control() || it.is_whitespace() => format!("the character U+{:04X}", u32::from(it)),
            it if !is_of_word(it) => format!("`{it}`"),
            _ => excerpt(rest.split(|letter| !is_of_word(letter)).next().unwrap_or_default()),
        }
    }
}

/// Quotes a word between backticks, shortened if it is long.
pub fn excerpt(word: &str) -> String {
    if word.chars().count() < MAX_EXCERPT_CHARS {
        return format!("`{word}`");
    }
    format!("`{}...`", word.chars().take(MAX_EXCERPT_CHARS - 4).collect::<String>())
}

/// Returns true if a byte is a line break.
#[inline]
pub fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn is_of_word(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '_' | '-' | '+' | '\'' | '#')
}
