//! Checks whether a passage contains a quotation, and where.
//!
//! | check | rule |
//! |-------|------|
//! | verbatim | the passage contains the words exactly; the final punctuation mark may differ |
//! | abridged | the passage contains the pieces between ellipses, in order and without overlap |
//! | unverified | neither |
//!
//! Words are compared as [`crate::kernel::quotations::text_folding`] defines, and results are byte ranges of the original passage. Cost:
//! linear in passage and words, times the number of pieces, at most [`MAX_PIECES`].

use std::collections::HashSet;
use std::ops::Range;

use crate::events::citation::{ByteRange, QuoteCheck};
use crate::kernel::quotations::text_folding::FoldedText;

/// Maximum number of pieces of an abridged quotation; one with more is not verified.
pub const MAX_PIECES: usize = 8;
/// Minimum number of words of a piece: single words occur in any text in any order.
const MIN_PIECE_WORDS: usize = 2;
/// Marks that quoters put at the end of a quotation.
const AT_THE_END: &[char] = &[',', '.', ';', ':', '!', '?', ' ', '\''];
/// Characters allowed around the pieces of an abridged quotation.
const AROUND_PIECES: &[char] = &[' ', '\'', '[', ']', '(', ')', ',', '.', ';', ':', '!', '?'];

/// Result of checking a quotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Kind of match.
    pub check: QuoteCheck,
    /// Matching byte ranges of the original passage.
    pub ranges: Vec<ByteRange>,
}

impl Checked {
    fn unverified() -> Checked {
        Checked { check: QuoteCheck::Unverified, ranges: Vec::new() }
    }
}

/// Checks whether a passage contains the given words.
pub fn check(words: &FoldedText, passage: &FoldedText) -> Checked {
    if n_words(words.text()) == 0 {
        return Checked::unverified();
    }
    let bare = words.text().trim_matches(['\'', ' ']);
    let whole = [words.text(), bare, bare.trim_end_matches(AT_THE_END)];
    if let Some(range) = whole.iter().find_map(|text| find(text, passage, 0)) {
        return Checked { check: QuoteCheck::Verbatim, ranges: places(passage, &[range]) };
    }
    if words.text().contains("...") { abridged(words.text(), passage) } else { Checked::unverified() }
}

fn abridged(words: &str, passage: &FoldedText) -> Checked {
    let trimmed = words.split("...").map(|piece| piece.trim_matches(AROUND_PIECES));
    let pieces: Vec<&str> = trimmed.filter(|piece| !piece.is_empty()).collect();
    if pieces.len() > MAX_PIECES || pieces.iter().any(|piece| n_words(piece) < MIN_PIECE_WORDS) {
        return Checked::unverified();
    }
    let (mut found, mut from) = (Vec::new(), 0);
    for piece in pieces {
        // The leftmost match is optimal: any piece that fits after a later match also fits after this one.
        let Some(range) = find(piece, passage, from) else { return Checked::unverified() };
        from = range.end;
        found.push(range);
    }
    match found.len() {
        0 => Checked::unverified(),
        1 => Checked { check: QuoteCheck::Verbatim, ranges: places(passage, &found) },
        _ => Checked { check: QuoteCheck::Abridged, ranges: places(passage, &found) },
    }
}

fn find(words: &str, passage: &FoldedText, from: usize) -> Option<Range<usize>> {
    let at = from + passage.text().get(from..)?.find(words)?;
    (!words.is_empty()).then(|| at..at + words.len())
}

fn places(passage: &FoldedText, compared: &[Range<usize>]) -> Vec<ByteRange> {
    let written = compared.iter().filter_map(|range| passage.written(range.clone()));
    written.map(|range| ByteRange { from: small(range.start), to: small(range.end) }).collect()
}

/// Converts an offset, which is below [`crate::kernel::safety::sanitize::MAX_READ_BYTES`] and so fits into 32 bits.
fn small(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns the share of pairs of adjacent words that also occur in the passage, from 0 to 1. Measures how much words
/// that are not quoted exactly resemble a passage.
pub fn overlap(words: &FoldedText, passage: &FoldedText) -> f64 {
    let theirs: Vec<String> = spoken(words.text());
    let ours = spoken(passage.text());
    let pairs: HashSet<&[String]> = ours.windows(2).collect();
    let shared = theirs.windows(2).filter(|pair| pairs.contains(pair)).count();
    if theirs.len() < 2 { 0.0 } else { shared as f64 / (theirs.len() - 1) as f64 }
}

fn spoken(text: &str) -> Vec<String> {
    let words = text.split(' ').map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Returns the number of words in a text.
pub fn n_words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

/// Returns the ranges between quotation marks, without the marks. Single marks are ignored, since most are apostrophes;
/// a quotation ends with its paragraph.
pub fn marked(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match open {
            Some((mark, from)) if closes(mark, letter) => {
                found.push(from..at);
                open = None;
            }
            _ if matches!(letter, '“' | '„' | '‟' | '«' | '"' | '＂') => {
                open = Some((letter, at + letter.len_utf8()))
            }
            Some(_) if letter == '\n' && before == '\n' => open = None,
            _ => {}
        }
        before = letter;
    }
    found
}

fn closes(open: char, letter: char) -> bool {
    match open {
        '“' | '‟' => letter == '”',
        '„' => matches!(letter, '“' | '”'),
        '«' => letter == '»',
        _ => letter == open,
    }
}

/// Splits a text into candidate sentences: after every mark that ends a sentence or introduces the next. Excess splits
/// are harmless, because pieces that occur together in a passage are joined again.
pub fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut from, mut ended) = (0, false);
    for (at, letter) in text.char_indices() {
        if ended && letter.is_whitespace() {
            pieces.push(from..at);
            (from, ended) = (at, false);
        } else if matches!(letter, '.' | '!' | '?' | ':' | '…' | '。' | '！' | '？') {
            ended = true;
        } else if !matches!(letter, ')' | ']' | '”' | '’' | '"' | '\'' | '»') {
            ended = false;
        }
    }
    pieces.push(from..text.len());
    pieces.retain(|piece| !text[piece.clone()].trim().is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGE: &str =
        "The wall “needs repair” — every winter it\n  gives way. Nobody paid. We, the cafe\u{301} owners, did!";

    fn written(words: &str) -> (QuoteCheck, Vec<&'static str>) {
        let checked = check(&FoldedText::of(words), &FoldedText::of(PASSAGE));
        let slice = |range: &ByteRange| &PASSAGE[range.from as usize..range.to as usize];
        (checked.check, checked.ranges.iter().map(slice).collect())
    }

    #[test]
    fn exact_words_are_verbatim() {
        for (words, there) in [
            ("every winter it gives way", "every winter it\n  gives way"),
            ("The wall 'needs repair' - every", "The wall “needs repair” — every"),
            ("\"Nobody paid,\"", "Nobody paid"),
            ("the café owners", "the cafe\u{301} owners"),
            ("… Nobody paid …", "Nobody paid"),
            ("We, the cafe\u{301} owners, did!", "We, the cafe\u{301} owners, did!"),
        ] {
            assert_eq!(written(words), (QuoteCheck::Verbatim, vec![there]), "{words:?}");
        }
    }

    #[test]
    fn pieces_in_order_are_abridged() {
        for (words, there) in [
            ("The wall … gives way", vec!["The wall", "gives way"]),
            ("every winter [...] Nobody paid. (…) owners, did", vec!["every winter", "Nobody paid", "owners, did"]),
        ] {
            assert_eq!(written(words), (QuoteCheck::Abridged, there), "{words:?}");
        }
    }

    #[test]
    fn other_words_are_unverified() {
        for words in [
            "the wall 'needs repair'",
            "Nobody paid … The wall",
            "gives way … gives way",
            "wall … paid",
            "cafe owners",
            "the café owners did",
            "…",
            "",
            "\"\"",
            "The wall … needs repair … every winter … it gives … way. Nobody … Nobody paid … paid. We … We, the … the café",
        ] {
            assert_eq!(written(words), (QuoteCheck::Unverified, vec![]), "{words:?}");
        }
    }

    #[test]
    fn quotation_marks_are_paired() {
        for (text, inside) in [
            ("He said \"one two\" and “three” and „vier“.", vec!["one two", "three", "vier"]),
            ("don't 'count' these", vec![]),
            ("never \"closed\n\nagain \"here\"", vec!["here"]),
            ("“outer ‘inner’ end”", vec!["outer ‘inner’ end"]),
            ("“restarted “again”", vec!["again"]),
            ("«a» ''", vec!["a"]),
        ] {
            assert_eq!(marked(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>(), inside, "{text:?}");
        }
    }

    #[test]
    fn sentences_are_split_after_their_final_marks() {
        let text = "As I wrote: Dr. Ray came (late.) \"Why?\" he asked… v1.2 held";
        let cut: Vec<&str> = pieces(text).into_iter().map(|piece| text[piece].trim()).collect();
        assert_eq!(cut, ["As I wrote:", "Dr.", "Ray came (late.)", "\"Why?\"", "he asked…", "v1.2 held"]);
    }

    #[test]
    fn overlap_distinguishes_a_garbled_quotation_from_a_phrase() {
        let shared = |words: &str| overlap(&FoldedText::of(words), &FoldedText::of(PASSAGE));
        assert!(shared("Every winter it gives way to the sea") >= 0.5);
        assert!(shared("It was the tide that did it") < 0.2);
        assert_eq!(shared("wall"), 0.0);
    }
}
