//! What of a foreign text anybody sees: the letters that a prompt shows, and the only ones in which quotations are
//! looked for.
//!
//! | taken out | because |
//! |-----------|---------|
//! | letters that nobody sees, turns of the direction of reading | a person could not check what a model is told |
//! | HTML comments, up to the end of the text where one does not close | the same |
//! | what stands behind the first [`MAX_READ_BYTES`] | a limit |

use crate::kernel::suspicion::hides;

/// How much of one foreign text is read at all, in bytes; what stands behind is neither shown nor quoted from.
pub const MAX_READ_BYTES: usize = 64 * 1024;

const COMMENT_BEGINS: &[char] = &['<', '!', '-', '-'];
const COMMENT_ENDS: &[char] = &['-', '-', '>'];

/// A letter that anybody sees, and the bytes of the text that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The letter.
    pub letter: char,
    /// Its first byte.
    pub from: usize,
    /// The byte behind its last.
    pub to: usize,
}

/// The letters of a text that anybody sees, in order. A comment leaves a blank, so that what stood around it forms no
/// word and no mark. Linear in the text.
pub fn seen(text: &str) -> Vec<Seen> {
    let letters = text.char_indices().take_while(|(at, it)| at + it.len_utf8() <= MAX_READ_BYTES);
    let all: Vec<Seen> = letters
        .filter(|(_, it)| !hides(*it))
        .map(|(from, letter)| Seen { letter, from, to: from + letter.len_utf8() })
        .collect();
    let mut seen = Vec::with_capacity(all.len());
    let mut rest = all.as_slice();
    while let Some(first) = rest.first() {
        let n_hidden = comment(rest);
        if n_hidden > 0 {
            seen.push(Seen { letter: ' ', from: first.from, to: rest[n_hidden - 1].to });
            rest = &rest[n_hidden..];
        } else {
            seen.push(*first);
            rest = &rest[1..];
        }
    }
    seen
}

/// How many of these letters the comment has that begins with the first; 0 where none does.
fn comment(letters: &[Seen]) -> usize {
    let spells = |at: usize, word: &[char]| {
        letters[at..].len() >= word.len() && letters[at..].iter().zip(word).all(|(one, other)| one.letter == *other)
    };
    if !spells(0, COMMENT_BEGINS) {
        return 0;
    }
    let end = (COMMENT_BEGINS.len()..letters.len()).find(|at| spells(*at, COMMENT_ENDS));
    end.map_or(letters.len(), |it| it + COMMENT_ENDS.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_left_out() {
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
            let letters = seen(text);
            assert_eq!(letters.iter().map(|it| it.letter).collect::<String>(), shown, "{text:?}");
            assert!(letters.windows(2).all(|it| it[0].to <= it[1].from), "{text:?}");
            assert!(letters.iter().all(|it| text.get(it.from..it.to).is_some()), "{text:?}");
        }
    }

    #[test]
    fn what_stands_behind_the_limit_is_not_read() {
        let long = "ä".repeat(MAX_READ_BYTES);
        assert_eq!(seen(&long).len(), MAX_READ_BYTES / 2);
    }
}
