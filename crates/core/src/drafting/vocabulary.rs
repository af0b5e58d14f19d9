//! Words and phrases that are typical of a writer: frequent in their works, and rare in those of others.
//!
//! The score of a phrase of one to three words is its number of uses times the square of the logarithm of its rarity
//! among the others (after tf-idf, K. Spärck Jones, "A statistical interpretation of term specificity", Journal of
//! Documentation 28 (1972)). Linear in the texts.

use std::collections::{BTreeMap, BTreeSet};

use crate::voices::tokens::{is_word, tokens};

/// Maximum number of words and phrases returned.
pub const MAX_MOST: usize = 14;
/// Minimum number of uses of a phrase; a rarer phrase is not typical.
const MIN_USES: usize = 3;
/// Minimum number of documents with a phrase; a phrase of one document reflects its subject.
const MIN_DOCUMENTS: usize = 2;
/// Maximum number of words in a phrase.
const MAX_WORDS: usize = 3;

/// Words with which no phrase begins or ends.
#[rustfmt::skip]
const SMALL: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "being", "but", "by", "can", "could", "did", "do", "does", "down", "each", "for", "from", "had", "has",
    "have", "he", "her", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "may", "me", "might",
    "more", "most", "much", "must", "my", "no", "nor", "not", "of", "off", "on", "one", "only", "or", "other", "our",
    "out", "over", "own", "same", "shall", "she", "should", "so", "some", "still", "such", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "two", "under", "until", "up",
    "upon", "us", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why",
    "will", "with", "without", "would", "yet", "you", "your", "don't", "it's", "i've", "i'd", "i'll", "i'm", "that's",
    "didn't", "doesn't", "isn't", "wasn't", "can't", "won't", "there's", "they're", "we're", "you're", "said", "says",
];

/// Returns the words and phrases of a writer's documents that distinguish them from others, most typical first; at most
/// [`MAX_MOST`]. Each of `others` is the complete text of one other writer.
pub fn vocabulary(documents: &[String], others: &[String]) -> Vec<String> {
    let mut uses: BTreeMap<String, (usize, BTreeSet<usize>)> = BTreeMap::new();
    for (place, document) in documents.iter().enumerate() {
        for phrase in phrases(document) {
            let known = uses.entry(phrase).or_default();
            known.0 += 1;
            known.1.insert(place);
        }
    }
    let spread = MIN_DOCUMENTS.min(documents.len());
    // A writer of few texts uses no phrase often.
    let marks = |least: usize, (times, places): &(usize, BTreeSet<usize>)| *times >= least && places.len() >= spread;
    let least = (1..=MIN_USES).rev().find(|least| uses.values().any(|usage| marks(*least, usage))).unwrap_or(1);
    uses.retain(|_, usage| marks(least, usage));
    let elsewhere: Vec<BTreeSet<String>> = others.iter().map(|text| phrases(text).collect()).collect();
    let mut scored: Vec<(f64, String)> = uses
        .iter()
        .map(|(phrase, (times, _))| {
            let users = elsewhere.iter().filter(|phrases| phrases.contains(phrase)).count();
            let rarity = ((elsewhere.len() + 2) as f64 / (users + 1) as f64).ln();
            // Of two equally frequent phrases, the longer is more specific.
            let length = 1.0 + phrase.matches(' ').count() as f64;
            // Squared, because a phrase shared with the few who write on the same subject is not typical of either.
            (*times as f64 * rarity * rarity * length, phrase.clone())
        })
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    let mut found: Vec<String> = Vec::new();
    for (_, phrase) in scored {
        let padded = format!(" {phrase} ");
        let overlaps = found.iter().any(|other| {
            let taken = format!(" {other} ");
            taken.contains(&padded) || padded.contains(&taken)
        });
        if !overlaps && !phrase.ends_with("'s") {
            found.push(phrase);
        }
        if found.len() == MAX_MOST {
            break;
        }
    }
    found.into_iter().map(|phrase| as_written(&phrase, documents)).collect()
}

/// Returns a phrase with its most frequent capitalization in the documents.
fn as_written(phrase: &str, documents: &[String]) -> String {
    let mut ways: BTreeMap<&str, usize> = BTreeMap::new();
    for document in documents {
        let small = document.to_lowercase();
        // Byte positions only agree if lower case does not change the length of the text.
        if small.len() == document.len() {
            let found = small.match_indices(phrase).filter_map(|(at, _)| document.get(at..at + phrase.len()));
            found.for_each(|spelling| *ways.entry(spelling).or_default() += 1);
        }
    }
    ways.into_iter().max_by_key(|(_, times)| *times).map_or_else(|| phrase.to_owned(), |(way, _)| way.to_owned())
}

/// Returns all phrases of a text that contain no punctuation mark and begin and end with a significant word.
fn phrases(text: &str) -> impl Iterator<Item = String> {
    // Words on both sides of a hyphen are not a phrase of two words, and could not be found again as one.
    let tokens = tokens(&text.replace('-', ";"));
    let mut found = Vec::new();
    for from in 0..tokens.len() {
        for to in from + 1..=(from + MAX_WORDS).min(tokens.len()) {
            let words = &tokens[from..to];
            if !words.iter().all(|word| is_word(word)) {
                break;
            }
            let weighs = |word: &String| word.chars().count() > 2 && !SMALL.contains(&word.as_str());
            if words.first().is_some_and(weighs) && words.last().is_some_and(weighs) {
                found.push(words.join(" "));
            }
        }
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_that_others_lack_are_typical() {
        let document = "By my count the red ink was dry. The red ink runs; red ink, by my count. The harbour sleeps. The \
                        harbour wakes. The harbour is wide. Nobody counts the harbour.";
        let others = ["The harbour is where we live.".to_owned(), "A harbour, a wall.".to_owned()];
        let found = vocabulary(&[document.to_owned(), document.to_owned()], &others);
        assert_eq!(found.first().map(String::as_str), Some("red ink"));
        assert!(!found.iter().any(|phrase| phrase == "ink" || phrase == "red"), "{found:?}");
        assert!(!found.iter().any(|phrase| phrase.starts_with("the ") || phrase.ends_with(" the")), "{found:?}");
        assert_eq!(vocabulary(&[], &[]), Vec::<String>::new());
    }
}
