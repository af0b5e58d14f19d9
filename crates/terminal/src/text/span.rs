//! Text with a tone.

use crate::text::clean::{clean, width};
use crate::text::style::Tone;

/// Non-breaking space.
pub const GLUE: char = '\u{a0}';

/// Piece of text in one tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Tone of the text.
    pub tone: Tone,
    /// Content of the span.
    pub text: String,
}

/// Spans that form one line, or a text to be wrapped.
pub type SpanLine = Vec<Span>;

/// Creates a span from untrusted text of a model, a corpus or a person; control characters are removed.
pub fn untrusted(tone: Tone, text: &str) -> Span {
    Span { tone, text: clean(text) }
}

/// Creates a span from the program's own text.
pub fn trusted(tone: Tone, text: impl Into<String>) -> Span {
    Span { tone, text: text.into() }
}

/// Creates a span from the program's own text that is never wrapped.
pub fn glued(tone: Tone, text: &str) -> Span {
    trusted(tone, text.replace(' ', "\u{a0}"))
}

/// Creates a span of spaces.
pub fn blanks(columns: usize) -> Span {
    trusted(Tone::Plain, " ".repeat(columns))
}

/// Returns the number of columns that these spans take on one line.
pub fn columns(line: &[Span]) -> usize {
    line.iter().flat_map(|span| span.text.chars()).map(width).sum()
}

/// Pads a line with spaces to `room` columns, with at least one space.
pub fn padded(mut line: SpanLine, room: usize) -> SpanLine {
    let used = columns(&line);
    line.push(blanks(room.saturating_sub(used).max(1)));
    line
}

/// Returns the longest prefix that fits into `columns`.
pub fn head(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, letter) in text.char_indices() {
        used += width(letter);
        if used > columns {
            return &text[..at];
        }
    }
    text
}

/// Returns the first `most` characters of a text.
pub fn first(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(at, _)| &text[..at])
}

/// Converts an untrusted text to one line with single spaces.
pub fn in_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Number of characters of the note on what was cut: a text that is longer by less stays whole.
const NOTE: usize = 24;

/// Shortens a text to about `most` characters, with a note on what was cut.
pub fn shortened(tone: Tone, text: &str, most: usize) -> SpanLine {
    match text.char_indices().nth(most).filter(|(at, _)| text[*at..].chars().nth(NOTE).is_some()) {
        None => vec![untrusted(tone, text.trim())],
        Some((at, _)) => {
            let kept = &text[..at];
            let kept =
                kept.rfind(char::is_whitespace).filter(|index| index * 2 > at).map_or(kept, |index| &kept[..index]);
            let left = text[kept.len()..].chars().count();
            vec![untrusted(tone, kept.trim()), trusted(Tone::Quiet, format!(" … ({left} more characters)"))]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_with_a_note() {
        let line = shortened(Tone::Plain, &"word ".repeat(100), 20);
        assert_eq!(line[0].text, "word word word word");
        assert_eq!(line[1].text, " … (481 more characters)");
        assert_eq!(shortened(Tone::Plain, "short", 20).len(), 1);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(head("日本語", 5), "日本");
        assert_eq!(columns(&[untrusted(Tone::Plain, "日本"), blanks(3)]), 7);
    }
}
