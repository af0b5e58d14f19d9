//! Highlighted words of search hits, as byte ranges of their text.
//!
//! Only the database knows which words it considers equal ("ferry" and "ferries"). It marks them in the text with two
//! characters that no text contains; this module removes the marks and returns ranges.

use std::ops::Range;

/// Mark before a matching word.
pub const OPEN: char = '\u{1}';
/// Mark after a matching word.
pub const CLOSE: char = '\u{2}';

/// Returns the byte ranges in `text` of the words that are marked in `marked`, in order.
///
/// Empty if `marked` is not `text` with marks. Linear.
pub fn ranges(text: &str, marked: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut at, mut open) = (0, None);
    for sign in marked.chars() {
        match sign {
            OPEN => open = Some(at),
            CLOSE => found.extend(open.take().filter(|from| *from < at).map(|from| from..at)),
            _ if text[at..].starts_with(sign) => at += sign.len_utf8(),
            _ => return Vec::new(),
        }
    }
    if at == text.len() { found } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<'a>(text: &'a str, marked: &str) -> Vec<&'a str> {
        ranges(text, marked).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn marked_words_are_ranges_of_the_text() {
        let text = "Die Fähre und das Wehr: zwei Fähren.";
        let marked = "Die \u{1}Fähre\u{2} und das Wehr: zwei \u{1}Fähren\u{2}.";
        assert_eq!(words(text, marked), ["Fähre", "Fähren"]);
        assert_eq!(ranges(text, marked)[0], 4..10);
        assert!(ranges(text, text).is_empty());
    }

    #[test]
    fn another_text_has_no_ranges() {
        for marked in ["", "\u{1}wall\u{2}", "the \u{1}wall\u{2}s", "the \u{1}fall\u{2}", "\u{1}the wall"] {
            assert!(ranges("the wall", marked).is_empty(), "{marked:?}");
        }
        assert_eq!(words("the wall", "the \u{2}\u{1}\u{2}\u{1}wall\u{2}"), ["wall"], "unbalanced marks are ignored");
        assert!(ranges("", "").is_empty());
    }
}
