//! Measured habits of speech: sentence length, frequency of questions, sentence openings and more.

use std::collections::BTreeMap;

use crate::voices::tokens::{is_word, tokens};

/// Maximum number of sentence openings listed.
const MAX_OPENERS: usize = 3;
/// Words that open a sentence out of habit, regardless of its subject.
#[rustfmt::skip]
const HABITUAL: &[&str] = &[
    "admittedly", "and", "as", "ask", "because", "but", "consider", "every", "for", "how", "however", "if", "let", "look",
    "may", "mind", "never", "no", "nobody", "none", "nor", "not", "nothing", "now", "once", "only", "or", "perhaps", "say",
    "since", "so", "still", "suppose", "take", "tell", "then", "though", "try", "until", "well", "what", "when", "where",
    "whether", "while", "who", "whoever", "whose", "why", "yes", "yet",
];

/// Counts over some sentences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StyleCounts {
    /// Number of sentences.
    pub sentences: usize,
    /// Number of words in them.
    pub words: usize,
    /// Number of questions.
    pub questions: usize,
    /// Number of sentences of at most six words.
    pub short: usize,
    /// Number of contractions such as `don't`.
    pub contractions: usize,
    /// Number of semicolons.
    pub semicolons: usize,
    /// Number of dashes.
    pub dashes: usize,
    /// Number of numerals.
    pub numbers: usize,
    /// Number of uses of `I`, `my`, `me` and `mine`.
    pub first_person: usize,
    /// Number of sentences that begin with each word.
    pub openers: BTreeMap<String, usize>,
}

/// Counts over sentences. Linear in them.
pub fn count<'a>(sentences: impl IntoIterator<Item = &'a str>) -> StyleCounts {
    let mut counts = StyleCounts::default();
    for sentence in sentences {
        let tokens = tokens(sentence);
        let words: Vec<&String> = tokens.iter().filter(|token| is_word(token)).collect();
        let Some(first) = words.first() else { continue };
        let marks = |mark: &str| tokens.iter().filter(|token| *token == mark).count();
        counts.sentences += 1;
        counts.words += words.len();
        counts.questions += usize::from(sentence.trim_end().ends_with(['?', '\u{201d}', '"']) && marks("?") > 0);
        counts.short += usize::from(words.len() <= 6);
        counts.contractions += words.iter().filter(|word| is_contraction(word)).count();
        counts.semicolons += marks(";");
        counts.dashes += marks("—");
        counts.numbers += marks("#");
        counts.first_person += words.iter().filter(|word| matches!(word.as_str(), "i" | "my" | "me" | "mine")).count();
        *counts.openers.entry((*first).clone()).or_default() += 1;
    }
    counts
}

fn is_contraction(word: &str) -> bool {
    ["n't", "'re", "'ve", "'ll", "'d", "'m"].iter().any(|ending| word.ends_with(ending))
        || matches!(word, "it's" | "that's" | "there's" | "what's" | "let's" | "he's" | "she's" | "who's")
}

/// Describes habits with their figures, if the writer is exceptional or exceeds the others by half.
pub fn habits(own: &StyleCounts, others: &StyleCounts) -> Vec<String> {
    if own.sentences == 0 {
        return Vec::new();
    }
    let length = |counts: &StyleCounts| per(counts.words, counts.sentences, 1.0);
    let mut told = Vec::new();
    let words = length(own);
    match words {
        _ if words >= 20.0 => told.push(format!("Long sentences: {words:.0} words on average")),
        _ if words <= 13.0 => told.push(format!("Short sentences: {words:.0} words on average")),
        _ => told.push(format!("Sentences of middling length: {words:.0} words on average")),
    }
    let short = per(own.short, own.sentences, 100.0);
    if short >= 15.0 {
        told.push(format!(
            "Sets very short sentences between the others: {short:.0} in a hundred have six words or fewer"
        ));
    }
    let contractions = |counts: &StyleCounts| per(counts.contractions, counts.words, 1_000.0);
    match contractions(own) {
        rate if rate < 1.0 => told.push("No contractions: does not, I have, it is".to_owned()),
        rate if rate >= 12.0 => told.push(format!("Contracts freely (don't, it's): {rate:.0} in a thousand words")),
        _ => {}
    }
    let much = |own: f64, others: f64, least: f64| own >= least && own >= others * 1.5;
    let questions = |counts: &StyleCounts| per(counts.questions, counts.sentences, 100.0);
    if much(questions(own), questions(others), 4.0) {
        told.push(format!("Asks: {:.0} sentences in a hundred are questions", questions(own)));
    }
    for (what, rate) in [
        (
            "Joins thoughts with semicolons",
            (|counts| per(counts.semicolons, counts.words, 1_000.0)) as fn(&StyleCounts) -> f64,
        ),
        ("Breaks off with dashes", |counts| per(counts.dashes, counts.words, 1_000.0)),
        ("Gives figures", |counts| per(counts.numbers, counts.words, 1_000.0)),
        ("Uses the first person (I, my)", |counts| per(counts.first_person, counts.words, 1_000.0)),
    ] {
        if much(rate(own), rate(others), 3.0) {
            told.push(format!("{what}: {:.0} in a thousand words", rate(own)));
        }
    }
    told.extend(openers(own, others));
    told
}

fn per(count: usize, of: usize, times: f64) -> f64 {
    count as f64 * times / of.max(1) as f64
}

/// Returns the words with which this writer begins sentences more than twice as often as others.
fn openers(own: &StyleCounts, others: &StyleCounts) -> Option<String> {
    let rate = |counts: &StyleCounts, word: &str| {
        counts.openers.get(word).copied().unwrap_or(0) as f64 / counts.sentences.max(1) as f64
    };
    let mut marked: Vec<(&String, usize)> = own
        .openers
        .iter()
        .filter(|(word, times)| **times >= 3 && HABITUAL.contains(&word.as_str()))
        .filter(|(word, _)| rate(own, word) > 2.0 * rate(others, word))
        .map(|(word, times)| (word, *times))
        .collect();
    marked.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let words: Vec<String> = marked.iter().take(MAX_OPENERS).map(|(word, _)| capitalized(word)).collect();
    (!words.is_empty()).then(|| format!("Often begins with {}", words.join(", ")))
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_are_described_with_their_figures() {
        let own = count(["Look, I don't know.", "Look, who pays?", "Look at it.", "Why would I?", "It's mine."]);
        assert_eq!((own.sentences, own.questions, own.short, own.contractions), (5, 2, 5, 2));
        let others = count(["The harbour is wide and nobody has counted the boats that lie in it."; 5]);
        let told = habits(&own, &others);
        assert!(told.contains(&"Short sentences: 3 words on average".to_owned()), "{told:?}");
        assert!(told.contains(&"Asks: 40 sentences in a hundred are questions".to_owned()), "{told:?}");
        assert!(told.contains(&"Often begins with Look".to_owned()), "{told:?}");
        assert_eq!(habits(&StyleCounts::default(), &others), Vec::<String>::new());
    }
}
