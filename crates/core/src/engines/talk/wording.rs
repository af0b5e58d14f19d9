//! Content words: overlap and novelty of texts, and identity of questions.
//!
//! Words are lower-case runs of more than two letters, and numbers, without stop words and without a plural's final
//! letter. This measures the surface of English text; it does not recognize paraphrases.

use std::collections::BTreeSet;

/// Stop words of more than two letters.
const STOP: &[&str] = &[
    "about", "above", "actually", "after", "again", "all", "also", "always", "and", "any", "are", "aren", "because",
    "been", "before", "being", "between", "both", "but", "came", "can", "cannot", "come", "could", "couldn", "did",
    "didn", "does", "doesn", "doing", "don", "down", "each", "even", "ever", "every", "few", "first", "for", "from",
    "get", "give", "going", "got", "had", "has", "hasn", "have", "haven", "her", "here", "him", "his", "how", "into",
    "isn", "its", "just", "know", "less", "let", "like", "made", "make", "many", "may", "mean", "might", "more",
    "most", "much", "must", "not", "now", "off", "once", "one", "only", "other", "our", "out", "over", "own",
    "perhaps", "point", "really", "said", "same", "say", "see", "shall", "she", "should", "shouldn", "since", "some",
    "still", "such", "take", "than", "that", "the", "their", "them", "then", "there", "these", "they", "thing",
    "think", "this", "those", "though", "through", "too", "under", "until", "upon", "very", "want", "was", "wasn",
    "way", "well", "were", "what", "when", "where", "whether", "which", "while", "who", "whole", "why", "will", "with",
    "within", "without", "won", "would", "wouldn", "yes", "yet", "you", "your",
];
/// Words that negate a question and add nothing else.
const NEGATIONS: &[&str] = &["n't", "not", "never", "no", "cannot", "impossible", "false", "untrue"];
/// Function words that can change the meaning of a question: two questions that differ in them are different.
const TURNS: &[&str] = &[
    "after", "all", "always", "any", "before", "both", "down", "each", "every", "few", "first", "into", "less", "many",
    "more", "most", "much", "must", "off", "once", "one", "only", "out", "over", "since", "some", "still", "than",
    "under", "until", "up", "upon", "while", "with", "within", "without", "yet",
];

/// Returns the content words of a text.
pub fn content_words(text: &str) -> BTreeSet<String> {
    all(text).filter(|word| tells(word)).map(|word| singular(&word)).collect()
}

/// Returns the share of the smaller set that is also in the other, from 0 to 1; 0 if one is empty.
pub fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let smaller = one.len().min(other.len());
    if smaller == 0 { 0.0 } else { one.intersection(other).count() as f64 / smaller as f64 }
}

/// Returns the share of the union that is in both sets (Jaccard index), from 0 to 1; 0 if both are empty.
pub fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let all = one.union(other).count();
    if all == 0 { 0.0 } else { one.intersection(other).count() as f64 / all as f64 }
}

/// Returns the share of new words that are not among the old ones, from 0 to 1; 0 if there are no new words.
pub fn novelty(old: &BTreeSet<String>, new: &BTreeSet<String>) -> f64 {
    if new.is_empty() { 0.0 } else { new.difference(old).count() as f64 / new.len() as f64 }
}

/// Compares two questions; `None` if they differ, else true if one is the negation of the other. `share` is the minimum
/// share of common content words. The common words must be in the same order, and no function word that can change the
/// meaning may differ: treating different questions as one would create false agreement.
pub fn same_question(one: &str, other: &str, share: f64) -> Option<bool> {
    let (one, other) = (Question::of(one), Question::of(other));
    let (set, other_set): (BTreeSet<String>, BTreeSet<String>) =
        (one.matter.iter().cloned().collect(), other.matter.iter().cloned().collect());
    let common = |question: &Question| {
        question
            .matter
            .iter()
            .filter(|word| set.contains(*word) && other_set.contains(*word))
            .cloned()
            .collect::<Vec<_>>()
    };
    let same = jaccard(&set, &other_set) >= share && !set.is_empty() && one.turns == other.turns;
    (same && common(&one) == common(&other)).then_some(one.negated != other.negated)
}

/// Parsed question: its content words in order, the function words that can change its meaning, and true if it is
/// negated an odd number of times.
struct Question {
    matter: Vec<String>,
    turns: Vec<String>,
    negated: bool,
}

impl Question {
    fn of(text: &str) -> Question {
        let mut question = Question { matter: Vec::new(), turns: Vec::new(), negated: false };
        for word in all(text) {
            if NEGATIONS.contains(&word.as_str()) {
                question.negated = !question.negated;
            } else if TURNS.contains(&word.as_str()) {
                question.turns.push(word);
            } else if tells(&word) {
                question.matter.push(singular(&word));
            }
        }
        question.turns.sort_unstable();
        question
    }
}

/// Returns true if the first word of a name occurs in a text as a whole word.
pub fn mentions_name(text: &str, name: &str) -> bool {
    let said: Vec<String> = all(text).collect();
    let first = all(name).find(|word| word.len() > 2 && !STOP.contains(&word.as_str()));
    first.is_some_and(|word| said.contains(&word))
}

fn all(text: &str) -> impl Iterator<Item = String> {
    let spelled = text.replace("n't", " n't ").replace("n\u{2019}t", " n't ").to_lowercase();
    let words: Vec<String> = spelled
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .map(|word| if word == "n't" { word } else { word.split('\'').next().unwrap_or_default() })
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

/// Returns true for content words.
fn tells(word: &str) -> bool {
    word.chars().count() > 2 && word != "n't" && !STOP.contains(&word)
        || word.contains(|letter: char| letter.is_ascii_digit())
}

fn singular(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 3 && !stem.ends_with('s') => stem.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_words_exclude_stop_words_and_plural_endings() {
        let check = |text: &str, expected: &[&str]| {
            let words: Vec<String> = content_words(text).into_iter().collect();
            assert_eq!(words, expected, "{text}");
        };
        check("The ferries should run at night.", &["ferrie", "night", "run"]);
        check("It isn't the boat's crew, it's the boats!", &["boat", "crew"]);
        check("Will 5 boats do by 2030?", &["2030", "5", "boat"]);
        check("", &[]);
        check("and so it is", &[]);
    }

    #[test]
    fn overlap_is_relative_to_the_smaller_set_and_alike_to_the_union() {
        let check = |one: &str, other: &str, expected: (f64, f64)| {
            let (one, other) = (content_words(one), content_words(other));
            assert_eq!((overlap(&one, &other), jaccard(&one, &other)), expected, "{one:?} {other:?}");
        };
        check("night ferry", "night ferry crew winter", (1.0, 0.5));
        check("night ferry", "crew winter", (0.0, 0.0));
        check("", "crew", (0.0, 0.0));
        check("", "", (0.0, 0.0));
    }

    #[test]
    fn repeated_and_negated_questions_are_recognized() {
        let check = |other: &str, expected: Option<bool>| {
            assert_eq!(same_question("Should the ferry run at night?", other, 1.0), expected, "{other}");
            assert_eq!(same_question(other, "Should the ferry run at night?", 1.0), expected, "{other}");
        };
        check("Should the ferry run at night?", Some(false));
        check("Should ferries be run at night?", None);
        check("Should the ferry not run at night?", Some(true));
        check("Shouldn't the ferry run at night?", Some(true));
        check("Is it false that the ferry should never run at night?", Some(false));
        check("Should the ferry run at night in winter?", None);
        check("Should the ferry run only at night?", None);
        check("Should the night run the ferry?", None);
        check("", None);
        let loose = |other: &str| same_question("Should the ferry run at night?", other, 0.7);
        assert_eq!(loose("Should the ferry run at night in winter?"), Some(false));
        assert_eq!(loose("Should the ferry run until night in winter?"), None);
        assert_eq!(same_question("Can he refuse?", "Is it impossible for him to refuse?", 1.0), Some(true));
        assert_eq!(same_question("Will 5 boats do?", "Will 6 boats do?", 0.5), None);
    }

    #[test]
    fn names_match_whole_words_only() {
        let check =
            |text: &str, name: &str, expected: bool| assert_eq!(mentions_name(text, name), expected, "{text} {name}");
        check("What do you say, Ada?", "Ada Quill", true);
        check("An adamant no.", "Ada", false);
        check("Ben's crew.", "Ben", true);
        check("", "", false);
    }
}
