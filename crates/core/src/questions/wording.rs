//! Features of the words of one question, without their meaning.

use std::collections::BTreeSet;

/// Maximum number of characters of a text that are analysed.
pub const MAX_CHARS: usize = 2_000;

/// Number words. `one` is not included, because it can refer to anything (`bred ones`, `one has to`).
const NUMBERS: &[(&str, &str)] = &[
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("hundred", "100"),
    ("thousand", "1000"),
    ("million", "1000000"),
];

/// Stop words, which carry no meaning of the question.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "he", "her", "his", "hold", "how", "i", "if", "in", "into", "is", "it",
    "its", "may", "might", "must", "need", "of", "on", "one", "or", "ought", "our", "out", "over", "shall", "she", "should",
    "so", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too",
    "up", "was", "we", "were", "what", "when", "where", "whether", "which", "who", "will", "with", "would", "you", "your",
];

/// Features of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextFeatures {
    /// Words in order, in lower case.
    pub words: Vec<String>,
    /// Numbers, as digits.
    pub numbers: BTreeSet<String>,
    /// Capitalized words within a sentence, in lower case.
    pub names: BTreeSet<String>,
}

impl TextFeatures {
    /// Analyses the first [`MAX_CHARS`] characters of a text. Linear in them.
    pub fn of(text: &str) -> TextFeatures {
        let mut wording = TextFeatures::default();
        let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
        let mut begins = true;
        for piece in text[..end].split_whitespace() {
            for word in words_in(piece) {
                let lower = match word.is_ascii() {
                    true => word.to_ascii_lowercase(),
                    false => word.to_lowercase().replace('’', "'"),
                };
                if !begins && word.starts_with(char::is_uppercase) && word != "I" {
                    wording.names.insert(lower.trim_end_matches("'s").to_owned());
                }
                wording.numbers.extend(numbers_in(&lower));
                wording.words.push(lower);
                begins = false;
            }
            begins |= piece.ends_with(['.', '!', '?', ':']);
        }
        wording
    }

    /// Returns true if a word is a content word.
    pub fn is_full(word: &str) -> bool {
        EMPTY.binary_search(&word).is_err()
    }

    /// Returns the share of the longer text that is a common beginning or end, word for word: from 0 to 1.
    pub fn frame(&self, other: &TextFeatures) -> f32 {
        let (one, two) = (&self.words, &other.words);
        let longer = one.len().max(two.len());
        if longer == 0 {
            return 1.0;
        }
        let head = one.iter().zip(two).take_while(|(a, b)| a == b).count();
        let (one, two) = (&one[head..], &two[head..]);
        let tail = one.iter().rev().zip(two.iter().rev()).take_while(|(a, b)| a == b).count();
        (head + tail) as f32 / longer as f32
    }

    /// Returns true if the numbers differ, or if each text has a name that the other lacks.
    pub fn is_of_another_thing(&self, other: &TextFeatures) -> bool {
        let apart = |one: &BTreeSet<String>, two: &BTreeSet<String>| !one.is_subset(two) && !two.is_subset(one);
        self.numbers != other.numbers || apart(&self.names, &other.names)
    }
}

/// Returns the words of a piece without white space: letters and digits, with inner hyphens, apostrophes and decimal
/// points.
fn words_in(piece: &str) -> impl Iterator<Item = &str> {
    let is_of_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '\'' | '’' | '.' | ',');
    let parts = piece.split(move |letter| !is_of_word(letter));
    parts.map(|part| part.trim_matches(|letter: char| !letter.is_alphanumeric())).filter(|part| !part.is_empty())
}

fn numbers_in(word: &str) -> Vec<String> {
    let parts = word.split(|letter: char| !letter.is_alphanumeric() && letter != '.' && letter != ',');
    let number = |part: &str| match NUMBERS.iter().find(|(name, _)| *name == part) {
        Some((_, digits)) => Some((*digits).to_owned()),
        None if part.starts_with(|letter: char| letter.is_ascii_digit()) => Some(part.replace(',', "")),
        None => None,
    };
    parts.filter_map(number).collect()
}

/// Returns true if two texts are the same except for white space, case and punctuation.
pub fn says_the_same(one: &str, other: &str) -> bool {
    let one = lower_words(one);
    !one.is_empty() && one == lower_words(other)
}

/// Words that make a statement a question about it, or its negation.
const ASKING: &[&str] = &["cannot", "no", "not", "or", "that", "whether"];

/// A question, ready to be compared with many texts.
pub struct AskedQuestion {
    words: Vec<String>,
    signature: u64,
}

impl AskedQuestion {
    /// Prepares the comparison with a question.
    pub fn of(question: &str) -> AskedQuestion {
        AskedQuestion { words: asked_words(question), signature: signature(question) }
    }

    /// Returns true if a text asks the same, as a question, a statement or its negation: "Should the ferry run?", "The ferry
    /// should not run." and "Whether the ferry should run" do. The words must be the same in any order, apart from white
    /// space, case, punctuation and the words that negate or ask. Cost: linear in the text; a text with other words is not
    /// copied.
    pub fn is_asked_by(&self, text: &str) -> bool {
        !self.words.is_empty() && self.signature == signature(text) && self.words == asked_words(text)
    }
}

/// Returns true if two texts ask the same question, as [`AskedQuestion::is_asked_by`] says.
pub fn asks_the_same(one: &str, other: &str) -> bool {
    AskedQuestion::of(one).is_asked_by(other)
}

fn asked_words(text: &str) -> Vec<String> {
    let mut words = lower_words(text);
    words.retain(|word| !ASKING.contains(&word.as_str()));
    words.sort_unstable();
    words
}

/// Sum over the words that do not negate or ask, the same for the same words in any order.
fn signature(text: &str) -> u64 {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let content = words.filter(|word| !ASKING.iter().any(|asking| word.eq_ignore_ascii_case(asking)));
    let letters = |word: &str| {
        word.chars()
            .flat_map(char::to_lowercase)
            // A word in lower case ends in another sigma than the letter by itself.
            .map(|letter| if letter == 'ς' { 'σ' } else { letter })
            .fold(FIRST, |sum, letter| (sum ^ u64::from(letter)).wrapping_mul(FACTOR))
    };
    content.fold(0, |sum: u64, word| sum.wrapping_add(letters(word)))
}

/// First value and factor of the FNV-1a hash, by Fowler, Noll and Vo.
const FIRST: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

/// Returns true if words are a question that asks the same as another, so that they are no answer to it.
pub fn only_asks(words: &str, question: &str) -> bool {
    words.trim_end().ends_with('?') && asks_the_same(words, question)
}

/// Splits words into sentences, without those that are empty.
pub(super) fn sentences(words: &str) -> impl Iterator<Item = &str> {
    let ends = |letter: char| matches!(letter, '.' | '!' | '?' | ';' | '\n');
    words.split_inclusive(ends).map(str::trim).filter(|sentence| !sentence.is_empty())
}

fn lower_words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(EMPTY.is_sorted());
        assert!(!TextFeatures::is_full("the") && TextFeatures::is_full("reactor"));
    }

    #[test]
    fn numbers_and_names_are_extracted() {
        let check = |text: &str, numbers: &[&str], names: &[&str]| {
            let wording = TextFeatures::of(text);
            assert_eq!((wording.numbers, wording.names), (set(numbers), set(names)), "{text}");
        };
        check("Should rents be capped at 5% or 1,200.50 a year?", &["5", "1200.50"], &[]);
        check("Do sixteen-year-olds vote in two rounds?", &["16", "2"], &[]);
        check("Should Mars’s dust, or I, reach Venus?", &[], &["mars", "venus"]);
        check("It is so. Then the Ferrow dam goes.", &[], &["ferrow"]);
        check("Are bred ones better than one?", &[], &[]);
        check("", &[], &[]);
        check("Ünïcode ist groß, 中文 too?", &[], &[]);
    }

    #[test]
    fn the_frame_is_the_common_beginning_and_end() {
        let check = |one: &str, other: &str, expected: f32| {
            let (one, other) = (TextFeatures::of(one), TextFeatures::of(other));
            assert!((one.frame(&other) - expected).abs() < 1e-6, "{}", one.frame(&other));
            assert!((other.frame(&one) - expected).abs() < 1e-6);
        };
        check("Should the dam go?", "Should the dyke go?", 0.75);
        check("Should the dam go?", "should THE dam go", 1.0);
        check("a a a", "a a", 2.0 / 3.0);
        check("", "", 1.0);
        check("", "a", 0.0);
    }

    #[test]
    fn a_question_its_statement_and_its_negation_ask_the_same() {
        let check = |other: &str, expected: bool| {
            assert_eq!(asks_the_same("Should the ferry run at night?", other), expected, "{other}");
        };
        check("should the FERRY run at night", true);
        check("The ferry should run at night.", true);
        check("The ferry should not run at night.", true);
        check("Whether or not the ferry should run at night", true);
        check("The ferry should run.", false);
        check("Should the ferry run at night in winter?", false);
        assert!(!asks_the_same("Not?", "Whether."));
        assert!(asks_the_same("Ο ΔΡΟΜΟΣ;", "ο δρομος"), "a sigma at the end of a word");
    }
}
