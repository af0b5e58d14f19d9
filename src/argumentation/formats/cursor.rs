//! A place in the bytes of a file, and what can be found there.

use crate::argumentation::formats::misread::{Flaw, Flawed};

/// The most characters of a file that an error repeats.
const MAX_EXCERPT_CHARS: usize = 24;

/// A place in a file that moves on.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// The next byte.
    pub at: usize,
    /// Whether the whole file is plain ASCII.
    pub is_ascii: bool,
}

impl<'a> Cursor<'a> {
    /// A cursor at the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, is_ascii: bytes.is_ascii() }
    }

    /// The next byte; `None` at the end.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Goes past all bytes of which this holds; what they are.
    #[inline]
    pub fn take_while(&mut self, holds: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let len = rest.iter().position(|it| !holds(*it)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// Goes past these bytes, if they come next.
    #[inline]
    pub fn take<const N: usize>(&mut self, expected: &[u8; N]) -> bool {
        let comes = self.bytes[self.at..].first_chunk() == Some(expected);
        self.at += if comes { N } else { 0 };
        comes
    }

    /// Goes past spaces and tabs; what they are.
    #[inline]
    pub fn skip_blanks(&mut self) -> &'a [u8] {
        self.take_while(|it| matches!(it, b' ' | b'\t'))
    }

    /// Goes to the end of the line, before what breaks it.
    pub fn skip_line(&mut self) {
        self.take_while(|it| !is_break(it));
    }

    /// Whether the line, or the file, ends here.
    #[inline]
    pub fn at_line_end(&self) -> bool {
        self.peek().is_none_or(is_break)
    }

    /// Something else was expected here.
    #[cold]
    pub fn unexpected(&self, expected: &'static str) -> Flawed {
        Flawed { at: self.at, flaw: Flaw::Unexpected { expected, found: self.found() } }
    }

    /// What is found here, in words: the word, or the single sign, or an end.
    pub fn found(&self) -> String {
        let rest = String::from_utf8_lossy(&self.bytes[self.at..self.bytes.len().min(self.at + 4 * MAX_EXCERPT_CHARS)]);
        let Some(first) = rest.chars().next() else {
            return "the end of the file".to_owned();
        };
        match first {
            '\n' | '\r' => "the end of the line".to_owned(),
            it if it.is_control() || it.is_whitespace() => format!("the character U+{:04X}", u32::from(it)),
            it if !is_of_word(it) => format!("`{it}`"),
            _ => excerpt(rest.split(|it| !is_of_word(it)).next().unwrap_or_default()),
        }
    }
}

/// A word between ticks, shortened where it is long.
pub fn excerpt(word: &str) -> String {
    if word.chars().count() < MAX_EXCERPT_CHARS {
        return format!("`{word}`");
    }
    format!("`{}...`", word.chars().take(MAX_EXCERPT_CHARS - 4).collect::<String>())
}

/// Whether a byte breaks a line.
#[inline]
pub fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn is_of_word(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '_' | '-' | '+' | '\'' | '#')
}
