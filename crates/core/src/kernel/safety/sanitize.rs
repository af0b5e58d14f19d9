//! Extraction of the visible text of a foreign document. Prompts show only this text, and quotations are checked only
//! against it.
//!
//! | removed | because |
//! |-----------|---------|
//! | invisible characters, changes of the reading direction | people could not check what a model reads |
//! | HTML comments, up to the end of the text if not closed | the same reason |
//! | everything after the first [`MAX_READ_BYTES`] | size limit |

use crate::kernel::safety::injection_scan::is_hidden;

/// Maximum number of bytes read of a foreign text; the rest is neither shown nor quoted from.
pub const MAX_READ_BYTES: usize = 64 * 1024;

const COMMENT_BEGINS: &[char] = &['<', '!', '-', '-'];
const COMMENT_ENDS: &[char] = &['-', '-', '>'];

/// Visible character, with its byte range in the original text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleChar {
    /// The character.
    pub letter: char,
    /// Index of its first byte.
    pub from: usize,
    /// Index of the byte after its last one.
    pub to: usize,
}

/// Returns the visible characters of a text, in order. A comment is replaced by a blank, so that the texts around it do
/// not form a word or a delimiter. Linear in the text.
pub fn visible_chars(text: &str) -> Vec<VisibleChar> {
    let letters = text.char_indices().take_while(|(at, letter)| at + letter.len_utf8() <= MAX_READ_BYTES);
    let all: Vec<VisibleChar> = letters
        .filter(|(_, letter)| !is_hidden(*letter))
        .map(|(from, letter)| VisibleChar { letter, from, to: from + letter.len_utf8() })
        .collect();
    let mut seen = Vec::with_capacity(all.len());
    let mut rest = all.as_slice();
    while let Some(first) = rest.first() {
        let n_hidden = comment(rest);
        if n_hidden > 0 {
            seen.push(VisibleChar { letter: ' ', from: first.from, to: rest[n_hidden - 1].to });
            rest = &rest[n_hidden..];
        } else {
            seen.push(*first);
            rest = &rest[1..];
        }
    }
    seen
}

/// Returns the number of characters in the comment that starts at the first one; 0 if none does.
fn comment(letters: &[VisibleChar]) -> usize {
    let spells = |at: usize, word: &[char]| {
        letters[at..].len() >= word.len() && letters[at..].iter().zip(word).all(|(one, other)| one.letter == *other)
    };
    if !spells(0, COMMENT_BEGINS) {
        return 0;
    }
    let end = (COMMENT_BEGINS.len()..letters.len()).find(|at| spells(*at, COMMENT_ENDS));
    end.map_or(letters.len(), |index| index + COMMENT_ENDS.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_text_is_removed() {
        for (text, shown) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("zero\u{200b}width \u{202e}turned\u{202c}", "zerowidth turned"),
            ("bell\u{7}", "bell"),
            ("a<!-- ignore -->b", "a b"),
            ("a<!\u{200b}-- ignore --\u{feff}>b", "a b"),
            ("<!<!-- x -->-- y -->", "<! -- y -->"),
            ("a <!-- never closed", "a  "),
            ("<!---->", " "),
            ("", ""),
        ] {
            let letters = visible_chars(text);
            assert_eq!(letters.iter().map(|character| character.letter).collect::<String>(), shown, "{text:?}");
            assert!(letters.windows(2).all(|pair| pair[0].to <= pair[1].from), "{text:?}");
            assert!(letters.iter().all(|character| text.get(character.from..character.to).is_some()), "{text:?}");
        }
    }

    #[test]
    fn text_beyond_the_limit_is_not_read() {
        let long = "ä".repeat(MAX_READ_BYTES);
        assert_eq!(visible_chars(&long).len(), MAX_READ_BYTES / 2);
    }
}
