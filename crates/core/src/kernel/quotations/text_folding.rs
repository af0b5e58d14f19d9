//! Normalized texts for comparing quotations, with a mapping back to the bytes of the original.
//!
//! | treated as equal | example |
//! |----------------------|---------|
//! | characters with the same normal form (NFC, per grapheme cluster) | `é` as one code point or as two |
//! | quotation marks and apostrophes of every kind, single or repeated | `“`, `„`, `'`, `''` |
//! | dashes of every kind, single or repeated | `—`, `–`, `-`, `--` |
//! | white space of any length; removed at both ends | a text broken at 80 columns |
//! | an ellipsis and three dots | `…`, `...` |
//!
//! Upper and lower case differ. Invisible characters are skipped ([`crate::kernel::safety::sanitize`]). Linear in the text.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::kernel::safety::sanitize::{VisibleChar, visible_chars};

/// Text in normalized form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldedText {
    text: String,
    /// For each character: its first byte in `text`, and the byte range in the original.
    places: Vec<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    at: usize,
    from: usize,
    to: usize,
}

impl FoldedText {
    /// Normalizes a text.
    pub fn of(text: &str) -> FoldedText {
        let letters = visible_chars(text);
        let shown: String = letters.iter().map(|character| character.letter).collect();
        let mut folded = FoldedText::default();
        let mut rest = letters.as_slice();
        for cluster in shown.graphemes(true) {
            let (here, behind) = rest.split_at(cluster.chars().count().min(rest.len()));
            rest = behind;
            folded.take(cluster, here);
        }
        if folded.text.ends_with(' ') {
            folded.text.pop();
            folded.places.pop();
        }
        folded
    }

    /// Returns the normalized text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if the normalized text is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Maps a byte range of the normalized text to the bytes of the original; `None` if the range does not match whole
    /// characters.
    pub fn written(&self, compared: Range<usize>) -> Option<Range<usize>> {
        let first = self.places.binary_search_by_key(&compared.start, |place| place.at).ok()?;
        let behind = self.places.partition_point(|place| place.at < compared.end);
        let last = self.places[first..behind].last()?;
        Some(self.places[first].from..last.to)
    }

    fn take(&mut self, cluster: &str, written: &[VisibleChar]) {
        let (Some(first), Some(last)) = (written.first(), written.last()) else { return };
        for letter in cluster.nfc() {
            match letter {
                it if it.is_whitespace() && self.is_empty() => {}
                it if it.is_whitespace() => self.run(' ', first.from, last.to),
                '…' => (0..3).for_each(|_| self.push('.', first.from, last.to)),
                it if is_quotation_mark(it) => self.run('\'', first.from, last.to),
                it if is_dash(it) => self.run('-', first.from, last.to),
                it => self.push(it, first.from, last.to),
            }
        }
    }

    /// Adds a character that counts once however often it is repeated.
    fn run(&mut self, letter: char, from: usize, to: usize) {
        match self.places.last_mut() {
            Some(place) if self.text.ends_with(letter) => place.to = to,
            _ => self.push(letter, from, to),
        }
    }

    fn push(&mut self, letter: char, from: usize, to: usize) {
        self.places.push(Place { at: self.text.len(), from, to });
        self.text.push(letter);
    }
}

/// Returns true for quotation marks and apostrophes, opening or closing.
pub fn is_quotation_mark(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '`' | '´' | '«' | '»' | '‘'..='‟' | '′' | '″' | '‹' | '›' | '＂' | '＇')
}

fn is_dash(letter: char) -> bool {
    matches!(letter, '-' | '‐'..='―' | '−' | '﹘' | '－')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_the_same_fold_to_the_same_text() {
        for (text, folded) in [
            ("  a \n\t b\r\n", "a b"),
            ("“It’s” — ‘so’", "'It's' - 'so'"),
            ("''x'' -- \"y\"", "'x' - 'y'"),
            ("cafe\u{301}", "café"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("wait …", "wait ..."),
            ("Zero\u{200b}width <!-- x --> text", "Zerowidth text"),
            ("", ""),
            (" \u{200b} ", ""),
        ] {
            assert_eq!(FoldedText::of(text).text(), folded, "{text:?}");
        }
    }

    #[test]
    fn folded_ranges_map_back_to_the_original_bytes() {
        let text = "An  “old” cafe\u{301} – shut.";
        let folded = FoldedText::of(text);
        let back = |words: &str| {
            let at = folded.text().find(words)?;
            folded.written(at..at + words.len()).map(|range| &text[range])
        };
        assert_eq!(back("old' café"), Some("old” cafe\u{301}"));
        assert_eq!(back("An 'old"), Some("An  “old"));
        assert_eq!(back("- shut."), Some("– shut."));
        assert_eq!(folded.written(0..0), None);
        assert_eq!(folded.written(900..901), None);
    }
}
