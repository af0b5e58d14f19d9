//! Quotations of turns: sentences by number, and words that a speaker copied.
//!
//! Whatever is recorded about the talk points into it: the words of a stance, a concession or an acknowledgement are
//! taken from the turn, and never from the reply that names them.

use std::ops::Range;

use crate::events::citation::QuoteCheck;
use crate::kernel::quotations::quote_matching;
use crate::kernel::quotations::text_folding::FoldedText;

/// Revision of [`sentences`]. Raise it whenever a text would be split otherwise: recorded names of sentences, such as `t3.2`,
/// are those of the revision in the opening event.
pub const SENTENCE_REVISION: i32 = 1;
/// Maximum length of a quotation of a turn, in bytes.
pub const MAX_QUOTE_BYTES: usize = 2_400;
/// Words that end with a stop within a sentence, in lower case and without the stop.
const ABBREVIATIONS: &[&str] =
    &["dr", "mr", "mrs", "ms", "st", "prof", "rev", "vs", "etc", "e.g", "i.e", "cf", "approx", "fig", "vol", "p", "pp"];

/// Splits a text into its sentences, as byte ranges without surrounding white space. A sentence ends with a final mark
/// before white space, or with a line break; not after an abbreviation, nor before a lower-case letter. Linear in the
/// text.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let (mut from, mut is_ended) = (0, false);
    for (at, letter) in text.char_indices() {
        if letter == '\n' || is_ended && letter.is_whitespace() {
            if letter == '\n' || ends_before(&text[from..at], &text[at..]) {
                sentences.extend(trimmed(text, from..at));
                from = at;
            }
            // Further white space decides nothing, so that a long stretch of it is read once.
            is_ended = false;
        } else if matches!(letter, '.' | '!' | '?' | '…' | '。' | '！' | '？') {
            is_ended = true;
        } else if !letter.is_whitespace() && !matches!(letter, ')' | ']' | '”' | '’' | '"' | '\'' | '»') {
            is_ended = false;
        }
    }
    sentences.extend(trimmed(text, from..text.len()));
    sentences
}

/// Returns the sentence with this number, from 1.
pub fn sentence(text: &str, number: usize) -> Option<String> {
    let range = sentences(text).into_iter().nth(number.checked_sub(1)?)?;
    text.get(range).map(str::to_owned)
}

/// Returns the first sentence, cut to [`MAX_QUOTE_BYTES`]; `None` if the text is blank. It names a text, and is no stance.
pub fn first_words(text: &str) -> Option<String> {
    let first = sentences(text).into_iter().next()?;
    let mut end = first.end.min(first.start + MAX_QUOTE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(first.start..end).map(str::to_owned)
}

/// Finds copied words in a text and returns them as the text has them; `None` if it does not contain them or they are
/// too long. White space, quotation marks, dashes and the final mark may differ; a part of a word is no quotation.
pub fn words(text: &str, copied: &str) -> Option<String> {
    let checked = quote_matching::check(&FoldedText::of(copied), &FoldedText::of(text));
    let (QuoteCheck::Verbatim, [range]) = (checked.check, checked.ranges.as_slice()) else { return None };
    let found = text.get(range.from as usize..range.to as usize)?;
    is_quoted(text, found).then(|| found.to_owned())
}

/// Returns true if a quotation contains a word, is not too long, and occurs in the text byte for byte, without cutting
/// words: "no" is not quoted from "nobody".
pub fn is_quoted(text: &str, quote: &str) -> bool {
    let has_word = quote.contains(char::is_alphanumeric);
    has_word && quote.len() <= MAX_QUOTE_BYTES && text.match_indices(quote).any(|(from, _)| is_whole(text, from, quote))
}

/// Returns true if the quotation at this offset neither begins nor ends within a word.
fn is_whole(text: &str, from: usize, quote: &str) -> bool {
    // Scripts from U+2E80 on are written without spaces between words.
    let is_letter = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() && letter < '\u{2e80}');
    let (before, after) = (text[..from].chars().next_back(), text[from + quote.len()..].chars().next());
    let (first, last) = (quote.chars().next(), quote.chars().next_back());
    let is_cut = |one, other| is_letter(one) && is_letter(other);
    !is_cut(before, first) && !is_cut(last, after)
}

/// Returns true if a sentence whose last word has a final mark ends there, given the text that follows.
fn ends_before(sentence: &str, rest: &str) -> bool {
    let last = sentence.split_whitespace().next_back().unwrap_or_default();
    let last = last.trim_start_matches(['(', '[', '“', '‘', '"', '\'', '«']).to_lowercase();
    let is_abbreviated = last.strip_suffix('.').is_some_and(|word| ABBREVIATIONS.contains(&word));
    let next = rest.trim_start().chars().next();
    let is_number = last == "no." && next.is_some_and(|letter| letter.is_ascii_digit());
    !is_abbreviated && !is_number && !next.is_some_and(char::is_lowercase)
}

fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let there = &text[range.clone()];
    let from = range.start + (there.len() - there.trim_start().len());
    let range = from..from + there.trim().len();
    (!range.is_empty()).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn sentences_end_with_a_final_mark_or_a_line() {
        for (text, expected) in [
            ("I say no. There is one crew.", vec!["I say no.", "There is one crew."]),
            (
                "Dr. Ray came (late.) \"Why?\" he asked… v1.2 held",
                vec!["Dr. Ray came (late.)", "\"Why?\" he asked… v1.2 held"],
            ),
            ("First line\n\n  Second line.  ", vec!["First line", "Second line."]),
            ("“Never!” Nobody paid?! So be it", vec!["“Never!”", "Nobody paid?!", "So be it"]),
            ("Costs, e.g. fuel, rise. No. 4 sails.", vec!["Costs, e.g. fuel, rise.", "No. 4 sails."]),
            ("夜は暗い。 船は出ない。", vec!["夜は暗い。", "船は出ない。"]),
            (" \n ", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(split(text), expected, "{text:?}");
        }
    }

    #[test]
    fn sentences_are_numbered_from_one() {
        let text = "I say no. There is one crew.";
        assert_eq!(sentence(text, 2).as_deref(), Some("There is one crew."));
        assert_eq!((sentence(text, 0), sentence(text, 3)), (None, None));
    }

    #[test]
    fn copied_words_are_returned_as_the_text_has_them() {
        let text = "I stand on the pier — at eleven. The “night boat” pays.";
        for (copied, found) in [
            ("the pier - at eleven", Some("the pier — at eleven")),
            ("The \"night boat\" pays", Some("The “night boat” pays")),
            ("The night boat pays", None),
            ("I stand … pays", None),
            ("", None),
        ] {
            assert_eq!(words(text, copied).as_deref(), found, "{copied:?}");
        }
    }

    #[test]
    fn a_part_of_a_word_is_no_quotation() {
        let text = "Nobody knows; they do not say. 夜は暗い。";
        for (quote, is_there) in
            [("no", false), ("No", false), ("the", false), ("not", true), ("they do", true), ("暗い", true)]
        {
            assert_eq!(is_quoted(text, quote), is_there, "{quote:?}");
        }
        assert_eq!((words(text, "no"), words("Is it no? No.", "no")), (None, Some("no".to_owned())));
    }

    #[test]
    fn a_quotation_must_occur_byte_for_byte() {
        let text = "There is one crew — no other.";
        assert!(is_quoted(text, "one crew — no"));
        for quote in ["one crew - no", "", "  ", ".", "two crews"] {
            assert!(!is_quoted(text, quote), "{quote:?}");
        }
        let long = "a".repeat(MAX_QUOTE_BYTES + 1);
        assert!(!is_quoted(&long, &long));
    }
}
