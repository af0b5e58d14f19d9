//! Wraps spans into lines.

use crate::text::clean::width;
use crate::text::span::{GLUE, Span, SpanLine, trusted};
use crate::text::style::Tone;

/// Pieces that stay together on one line.
#[derive(Default)]
struct Word {
    pieces: SpanLine,
    columns: usize,
    /// True if a space precedes the word.
    spaced: bool,
}

/// Wraps spans into lines of at most `room` columns. Lines break at spaces, at line feeds and next to wide characters;
/// runs of spaces count as one, and a word wider than a line is cut.
///
/// Runs in linear time.
pub fn wrap(spans: &[Span], room: usize) -> Vec<SpanLine> {
    let room = room.max(2);
    let mut lines = Vec::new();
    for paragraph in paragraphs(spans) {
        fill(words(&paragraph), room, &mut lines);
    }
    while lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    if lines.is_empty() { vec![SpanLine::new()] } else { lines }
}

fn fill(words: Vec<Word>, room: usize, lines: &mut Vec<SpanLine>) {
    let mut line = SpanLine::new();
    let mut used = 0;
    for word in words {
        let gap = usize::from(word.spaced && used > 0);
        if used > 0 && used + gap + word.columns > room {
            lines.push(std::mem::take(&mut line));
            used = 0;
        } else if gap == 1 {
            // A space between two words of the same tone takes that tone.
            let tone = match (line.last(), word.pieces.first()) {
                (Some(before), Some(after)) if before.tone == after.tone => before.tone,
                _ => Tone::Plain,
            };
            add(&mut line, tone, ' ');
            used += 1;
        }
        for piece in word.pieces {
            for letter in piece.text.chars() {
                let columns = width(letter);
                if used + columns > room {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                add(&mut line, piece.tone, letter);
                used += columns;
            }
        }
    }
    // Consecutive empty lines are merged.
    if !line.is_empty() || lines.last().is_some_and(|line| !line.is_empty()) {
        lines.push(line);
    }
}

fn add(line: &mut SpanLine, tone: Tone, letter: char) {
    match line.last_mut() {
        Some(last) if last.tone == tone => last.text.push(letter),
        _ => line.push(trusted(tone, letter)),
    }
}

fn paragraphs(spans: &[Span]) -> Vec<SpanLine> {
    let mut paragraphs = vec![SpanLine::new()];
    for span in spans {
        for (at, part) in span.text.split('\n').enumerate() {
            if at > 0 {
                paragraphs.push(SpanLine::new());
            }
            if let Some(paragraph) = paragraphs.last_mut() {
                paragraph.push(trusted(span.tone, part));
            }
        }
    }
    paragraphs
}

fn words(spans: &[Span]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut word = Word::default();
    let mut before = GLUE;
    for span in spans {
        for letter in span.text.chars() {
            if (letter == ' ' || may_part(before, letter)) && word.columns > 0 {
                words.push(std::mem::take(&mut word));
            }
            before = letter;
            if letter == ' ' {
                word.spaced = true;
                continue;
            }
            add(&mut word.pieces, span.tone, letter);
            word.columns += width(letter);
        }
    }
    if !word.pieces.is_empty() {
        words.push(word);
    }
    words
}

/// Returns whether a line may break between two characters without a space: next to wide characters, but not before
/// closing punctuation.
fn may_part(before: char, after: char) -> bool {
    const CLOSING: &str = ",.;:!?…”’)]、。，．！？：；」』）】";
    let beside_wide = width(before) > 1 || width(after) > 1;
    beside_wide && width(after) > 0 && before != GLUE && after != GLUE && !CLOSING.contains(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::span::{columns, untrusted};

    fn lines(text: &str, room: usize) -> Vec<String> {
        let lines = wrap(&[untrusted(Tone::Plain, text)], room);
        assert!(lines.iter().all(|line| columns(line) <= room), "{text:?} in {room}");
        lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect()
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(lines("one two  three", 8), ["one two", "three"]);
        assert_eq!(lines("", 8), [""]);
        assert_eq!(lines("one\n\n\n\ntwo\n", 8), ["one", "", "two"]);
    }

    #[test]
    fn words_wider_than_a_line_are_cut() {
        assert_eq!(lines("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(lines("日本語だよ", 5), ["日本", "語だ", "よ"]);
        assert_eq!(lines("a日本語", 3), ["a日", "本", "語"]);
        assert_eq!(lines("日本。語", 4), ["日", "本。", "語"]);
        let glued = [trusted(Tone::Plain, "one a\u{a0}日本")];
        assert_eq!(wrap(&glued, 6), [[trusted(Tone::Plain, "one")], [trusted(Tone::Plain, "a\u{a0}日本")]]);
        assert_eq!(lines("\u{301}\u{301}", 2), ["\u{301}\u{301}"]);
    }

    #[test]
    fn a_word_may_span_several_tones() {
        let spans = [untrusted(Tone::Plain, "see "), trusted(Tone::Strong, "a3"), trusted(Tone::Quiet, ": why")];
        let wrapped = wrap(&spans, 7);
        assert_eq!(wrapped.len(), 2);
        assert_eq!(wrapped[0], [trusted(Tone::Plain, "see "), trusted(Tone::Strong, "a3"), trusted(Tone::Quiet, ":")]);
    }
}
