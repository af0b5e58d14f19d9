//! Search for words in what was said, whatever the white space, the case and a final full stop.

use std::ops::Range;

/// Words to find in several texts.
pub struct WantedWords {
    /// Letters in lower case, without a final full stop.
    letters: Letters,
    has_words: bool,
    ends_with_stop: bool,
}

/// Letters of a text when folded, as bytes if all of them are ASCII, as most are.
enum Letters {
    Ascii(Vec<u8>),
    Any(Vec<char>),
}

impl WantedWords {
    /// Prepares a search for words. White space, case and a final full stop do not matter.
    pub fn new(words: &str) -> WantedWords {
        let bare = words.trim().trim_end_matches('.');
        let letters = match bare.is_ascii() {
            true => Letters::Ascii(folded_ascii(bare.as_bytes())),
            false => Letters::Any(folded(bare).collect()),
        };
        WantedWords {
            letters,
            has_words: bare.contains(char::is_alphanumeric),
            ends_with_stop: words.trim_end().ends_with('.'),
        }
    }

    /// Finds the words in a text and returns them as the text has them, with the full stop if both have it; `None` if the
    /// text lacks them, or has them only as parts of words. Linear in the text, times the occurrences of the first letter.
    pub fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        if !self.has_words {
            return None;
        }
        let found = match &self.letters {
            Letters::Ascii(wanted) if text.is_ascii() => find_ascii(text.as_bytes(), wanted),
            Letters::Ascii(wanted) => find_any(text, &wanted.iter().copied().map(char::from).collect::<Vec<_>>()),
            Letters::Any(wanted) => find_any(text, wanted),
        }?;
        let has_stop = self.ends_with_stop && text[found.end..].starts_with('.');
        text.get(found.start..found.end + usize::from(has_stop))
    }
}

/// Finds letters in a text of any letters, as whole words.
fn find_any(text: &str, wanted: &[char]) -> Option<Range<usize>> {
    let first = *wanted.first()?;
    // Scripts from U+2E80 on are written without spaces between words.
    let is_letter = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() && it < '\u{2e80}');
    let is_cut = |end: usize| is_letter(text[..end].chars().next_back()) && is_letter(text[end..].chars().next());
    let mut starts = text.char_indices().filter(|(_, letter)| lower(*letter) == first);
    starts.find_map(|(start, _)| {
        let end = start + folded_prefix(&text[start..], wanted)?;
        (!is_cut(start) && !is_cut(end)).then_some(start..end)
    })
}

/// Finds letters as [`find_any`] does, all of them and the text being ASCII.
fn find_ascii(text: &[u8], wanted: &[u8]) -> Option<Range<usize>> {
    let first = *wanted.first()?;
    let is_letter = |at: usize| text.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let is_cut = |end: usize| end > 0 && is_letter(end - 1) && is_letter(end);
    let mut starts = text.iter().enumerate().filter(|(_, byte)| lower_ascii(**byte) == first);
    starts.find_map(|(start, _)| {
        let end = start + folded_ascii_prefix(&text[start..], wanted)?;
        (!is_cut(start) && !is_cut(end)).then_some(start..end)
    })
}

/// Returns the length in bytes of the beginning of a text that has the wanted letters when folded; `None` if it has others.
fn folded_prefix(text: &str, wanted: &[char]) -> Option<usize> {
    let (mut was_blank, mut n_equal) = (false, 0);
    for (at, letter) in text.char_indices() {
        if n_equal == wanted.len() {
            return Some(at);
        }
        let is_repeated = was_blank && letter.is_whitespace();
        was_blank = letter.is_whitespace();
        if !is_repeated {
            if lower(letter) != wanted[n_equal] {
                return None;
            }
            n_equal += 1;
        }
    }
    (n_equal == wanted.len()).then_some(text.len())
}

/// Returns what [`folded_prefix`] does for ASCII.
fn folded_ascii_prefix(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let (mut was_blank, mut n_equal) = (false, 0);
    for (at, byte) in text.iter().enumerate() {
        if n_equal == wanted.len() {
            return Some(at);
        }
        let letter = lower_ascii(*byte);
        let is_repeated = was_blank && letter == b' ';
        was_blank = letter == b' ';
        if !is_repeated {
            if letter != wanted[n_equal] {
                return None;
            }
            n_equal += 1;
        }
    }
    (n_equal == wanted.len()).then_some(text.len())
}

/// Returns the letters that [`folded`] does for ASCII.
fn folded_ascii(text: &[u8]) -> Vec<u8> {
    let blanks = text.iter().zip(text.get(1..).unwrap_or_default());
    let are_repeated = |(one, next): (&u8, &u8)| (lower_ascii(*one) == b' ') & (lower_ascii(*next) == b' ');
    // Mostly there are none, which is found out many letters at a time.
    if !blanks.fold(false, |any, pair| any | are_repeated(pair)) {
        return text.iter().map(|byte| lower_ascii(*byte)).collect();
    }
    let mut letters = Vec::with_capacity(text.len());
    let mut was_blank = false;
    for byte in text {
        let letter = lower_ascii(*byte);
        if !(was_blank && letter == b' ') {
            letters.push(letter);
        }
        was_blank = letter == b' ';
    }
    letters
}

/// An ASCII letter in lower case, and any white space as a blank.
fn lower_ascii(byte: u8) -> u8 {
    if byte.wrapping_sub(b'\t') < 5 { b' ' } else { byte.to_ascii_lowercase() }
}

/// Letters of a text in lower case; stretches of white space are one blank.
fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut was_blank = false;
    let kept = text.chars().filter(move |letter| {
        let is_repeated = was_blank && letter.is_whitespace();
        was_blank = letter.is_whitespace();
        !is_repeated
    });
    kept.map(lower)
}

/// A letter in lower case, and any white space as a blank. Of a letter whose lower case has two, the first.
fn lower(letter: char) -> char {
    match letter {
        _ if letter.is_whitespace() => ' ',
        _ if letter.is_ascii() => letter.to_ascii_lowercase(),
        _ => letter.to_lowercase().next().unwrap_or(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_words<'t>(text: &'t str, words: &str) -> Option<&'t str> {
        WantedWords::new(words).find(text)
    }

    #[test]
    fn words_are_found_as_the_text_has_them() {
        let text = "There is one crew,\nand by ten they   have been up since four. No Ärger. 夜の船";
        for (words, expected) in [
            ("there is one crew", Some("There is one crew")),
            ("And by ten they have been up since four.", Some("and by ten they   have been up since four.")),
            ("no ärger", Some("No Ärger")),
            ("been up since four.", Some("been up since four.")),
            ("夜の", Some("夜の")),
            ("here is one crew", None),
            ("There is one cre", None),
            ("A crew can be had.", None),
            (" . ", None),
            ("", None),
        ] {
            assert_eq!(find_words(text, words), expected, "{words}");
        }
        assert_eq!(find_words("the cat, not the ca", "the ca"), Some("the ca"), "the first match cuts a word");
        assert_eq!(find_words("", "x"), None);
    }

    #[test]
    fn ascii_words_are_found_where_any_words_are() {
        let texts = ["The cat sat.\n  on the\tCAT", "a  b a b", "ab aB", "x", "", "..", "cat\u{b}sat", "cats cat"];
        let words = ["cat", "the cat", "cat sat", "A B", "a  b.", "b", "x.", "on  the", " . ", "cat\u{c}sat", "ca"];
        for text in texts {
            for wanted in words {
                let found = WantedWords::new(wanted);
                let Letters::Ascii(bytes) = &found.letters else { panic!("{wanted:?} is ASCII") };
                let letters: Vec<char> = folded(wanted.trim().trim_end_matches('.')).collect();
                assert_eq!(bytes.iter().copied().map(char::from).collect::<Vec<_>>(), letters, "{wanted:?}");
                let general = find_any(text, &letters).filter(|_| found.has_words);
                let expected = general.map(|place| {
                    let has_stop = wanted.ends_with('.') && text[place.end..].starts_with('.');
                    &text[place.start..place.end + usize::from(has_stop)]
                });
                assert_eq!(found.find(text), expected, "{wanted:?} in {text:?}");
            }
        }
    }
}
