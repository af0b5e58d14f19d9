//! Text in a tone.

use crate::cli::stage::clean::{clean, width};
use crate::cli::stage::style::Tone;

/// A blank at which no line is broken.
pub const GLUE: char = '\u{a0}';

/// A piece of text in one tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it is.
    pub tone: Tone,
    /// The text.
    pub text: String,
}

/// Pieces that stand on one line, or are to be broken into lines.
pub type Line = Vec<Span>;

/// What somebody else wrote: a model, a corpus, a person. It leaves behind what a terminal would act upon.
pub fn told(tone: Tone, text: &str) -> Span {
    Span { tone, text: clean(text) }
}

/// Words of our own.
pub fn own(tone: Tone, text: impl Into<String>) -> Span {
    Span { tone, text: text.into() }
}

/// Words of our own that stay on one line.
pub fn glued(tone: Tone, text: &str) -> Span {
    own(tone, text.replace(' ', "\u{a0}"))
}

/// Blanks.
pub fn blanks(columns: usize) -> Span {
    own(Tone::Plain, " ".repeat(columns))
}

/// The columns that these pieces take on one line.
pub fn columns(line: &[Span]) -> usize {
    line.iter().flat_map(|it| it.text.chars()).map(width).sum()
}

/// A line filled up with blanks.
pub fn padded(mut line: Line, room: usize) -> Line {
    let used = columns(&line);
    line.push(blanks(room.saturating_sub(used).max(1)));
    line
}

/// The most that fits, without a word of what was cut.
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

/// The first letters of a text.
pub fn first(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(at, _)| &text[..at])
}

/// A text of somebody else's in one line, white space as single blanks.
pub fn in_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As many letters of a text as are worth showing, and a word on the rest.
pub fn shortened(tone: Tone, text: &str, most: usize) -> Line {
    match text.char_indices().nth(most) {
        None => vec![told(tone, text.trim())],
        Some((at, _)) => {
            let kept = &text[..at];
            let kept = kept.rfind(char::is_whitespace).filter(|it| it * 2 > at).map_or(kept, |it| &kept[..it]);
            let left = text[kept.len()..].chars().count();
            vec![told(tone, kept.trim()), own(Tone::Quiet, format!(" … ({left} characters more)"))]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_huge_is_cut_with_a_note() {
        let line = shortened(Tone::Plain, &"word ".repeat(100), 20);
        assert_eq!(line[0].text, "word word word word");
        assert_eq!(line[1].text, " … (481 characters more)");
        assert_eq!(shortened(Tone::Plain, "short", 20).len(), 1);
    }

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(head("日本語", 5), "日本");
        assert_eq!(columns(&[told(Tone::Plain, "日本"), blanks(3)]), 7);
    }
}
