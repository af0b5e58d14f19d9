//! Polarity: counts the reversals of meaning between two texts, by negations that only one has and by opposite words.
//!
//! With an odd number of reversals, yes to one is no to the other. Opposites are looked up in a short list and detected
//! by prefix (`fair`, `unfair`); others are missed.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::questions::wording::TextFeatures;

/// Words that negate a sentence.
pub(crate) const DENIALS: &[&str] = &[
    "no",
    "not",
    "never",
    "nobody",
    "none",
    "nothing",
    "neither",
    "nor",
    "cannot",
    "can't",
    "don't",
    "doesn't",
    "isn't",
    "aren't",
    "won't",
    "shouldn't",
    "wouldn't",
    "wasn't",
    "weren't",
    "hasn't",
    "haven't",
    "didn't",
    "couldn't",
];

/// Prefixes that negate the rest of a word, if at least [`STEM`] letters remain.
const DENYING: &[&str] = &["un", "in", "il", "im", "ir", "dis", "non-", "non"];
const STEM: usize = 4;

/// Two words with one meaning, and the word that replaces them.
const TOGETHER: &[(&str, &str, &str)] = &[
    ("give", "up", "abandon"),
    ("gives", "up", "abandon"),
    ("kept", "out", "banned"),
    ("keep", "out", "ban"),
    ("done", "away", "abolished"),
    ("do", "away", "abolish"),
    ("phase", "out", "abolish"),
    ("phased", "out", "abolished"),
];

/// Opposite words, one axis per line. A word is on one axis only.
const AXES: &[(&str, &str)] = &[
    (
        "allow allowed permit permitted legal legalise legalised legally lawful lawfully",
        "ban banned forbid forbidden prohibit prohibited outlaw outlawed illegal illegally unlawful \
         unlawfully",
    ),
    (
        "keep kept retain retained stay continue continued introduce introduced restore restored build adopt \
         adopted open accept accepted start started begin support preserve preserved join enter",
        "abolish abolished scrap scrapped end ended remove removed close closed shut demolish demolished \
         reject rejected stop stopped quit leave abandon abandoned drop dropped oppose refuse refused repeal \
         repealed cancel cancelled",
    ),
    (
        "more most raise raised raises increase increased increases grow grows rise rises higher boost boosts \
         widen widens expand expands faster longer lengthen gain gains win bigger larger above before early \
         earlier strengthen strengthens",
        "less least fewer lower lowered lowers reduce reduced reduces decrease decreased decreases fall falls \
         cut cuts shrink shrinks narrow narrows slower shorter shorten lose loses lessen lessens smaller \
         below after late later weaken weakens",
    ),
    (
        "good better best safe safer right fair help helps helped aid aids benefit benefits beneficial strong \
         stronger moral healthy valuable harmless improve improves protect protects true succeed succeeds \
         solve solves",
        "bad worse worst dangerous unsafe wrong unfair harm harms harmed hurt hurts damage damages harmful \
         weak weaker immoral unhealthy worthless risky riskier worsen worsens endanger endangers false fail \
         fails",
    ),
    ("compulsory mandatory obligatory required obliged", "optional voluntary"),
    ("cheap cheaper affordable", "dear dearer expensive costly"),
    ("public state", "private"),
    ("with", "without"),
];

/// Differences between two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolarityReversals {
    /// Number of reversals of meaning.
    pub count: usize,
    /// Number of content words that only one text has and that reverse nothing. A word that says the same as one that
    /// reverses does not count: "keep its centre open" reverses "close its centre" once, and leaves nothing.
    pub left: usize,
}

impl PolarityReversals {
    /// Returns true if yes to one is no to the other.
    pub fn is_odd(&self) -> bool {
        self.count % 2 == 1
    }
}

/// Counts the reversals between two texts, in the words that only one of them has. Quadratic in the number of those
/// words.
pub fn turns(one: &TextFeatures, other: &TextFeatures) -> PolarityReversals {
    let (one, other) = (joined(&one.words), joined(&other.words));
    let denials = |words: &[&str]| words.iter().filter(|word| DENIALS.contains(word)).count();
    let mut count = denials(&one).abs_diff(denials(&other));
    let (mut mine, mut theirs) = (Vec::new(), own(&other, &one));
    let mut reversed = Vec::new();
    for word in own(&one, &other) {
        match theirs.iter().position(|other| are_opposites(word, other)) {
            Some(at) => {
                reversed.extend([word, theirs.remove(at)].map(place));
                count += 1;
            }
            None => mine.push(word),
        }
    }
    let is_left =
        |word: &&&str| TextFeatures::is_full(word) && place(word).is_none_or(|it| !reversed.contains(&Some(it)));
    let left = mine.iter().chain(&theirs).filter(is_left).count();
    PolarityReversals { count, left }
}

/// Returns the words that the other text does not have, without negations, which are counted separately.
fn own<'a>(words: &[&'a str], others: &[&str]) -> Vec<&'a str> {
    words.iter().filter(|word| !others.contains(word) && !DENIALS.contains(word)).copied().collect()
}

/// Returns the words, with some pairs replaced by one word. Such a pair may have one word in between.
fn joined(words: &[String]) -> Vec<&str> {
    let mut joined: Vec<&str> = words.iter().map(String::as_str).collect();
    for (first, second, meant) in TOGETHER {
        if let Some(at) = joined.iter().position(|word| word == first) {
            let behind = (at + 1..joined.len().min(at + 3)).find(|index| joined[*index] == *second);
            if let Some(behind) = behind {
                joined.remove(behind);
                joined[at] = meant;
            }
        }
    }
    joined
}

/// Returns the axis and the side of a listed word.
fn place(word: &str) -> Option<(usize, bool)> {
    static LISTED: LazyLock<HashMap<&str, (usize, bool)>> = LazyLock::new(|| {
        let both = |(axis, (yes, no)): (usize, &(&'static str, &'static str))| {
            let told = yes.split(' ').map(move |word| (word, (axis, true)));
            told.chain(no.split(' ').map(move |word| (word, (axis, false))))
        };
        AXES.iter().enumerate().flat_map(both).collect()
    });
    LISTED.get(word).copied()
}

fn are_opposites(one: &str, other: &str) -> bool {
    let listed = match (place(one), place(other)) {
        (Some((axis, way)), Some((other_axis, other_way))) => axis == other_axis && way != other_way,
        _ => false,
    };
    listed || denies(one, other) || denies(other, one)
}

/// Returns true if a word is another one with a negating prefix, or with `less` in place of nothing or of `ful`.
fn denies(word: &str, other: &str) -> bool {
    let bare = |prefix: &&str| word.strip_prefix(*prefix).is_some_and(|rest| rest.len() >= STEM && rest == other);
    let stem = word.strip_suffix("less").filter(|stem| stem.len() >= STEM);
    DENYING.iter().any(bare) || stem.is_some_and(|stem| other == stem || other.strip_suffix("ful") == Some(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversals_are_counted() {
        let check = |one: &str, other: &str, count: usize, left: usize| {
            let (one, other) = (TextFeatures::of(one), TextFeatures::of(other));
            assert_eq!(turns(&one, &other), PolarityReversals { count, left }, "{one:?} {other:?}");
            assert_eq!(turns(&other, &one), PolarityReversals { count, left }, "{other:?} {one:?}");
        };
        check("Should X be banned?", "Should X be allowed?", 1, 0);
        check("Should X be allowed?", "Should X not be allowed?", 1, 0);
        check("Should X be banned?", "Should X not be allowed?", 2, 0);
        check("Is it fair?", "Is it unfair?", 1, 0);
        check("Is it harmful?", "Is it harmless?", 1, 0);
        check("Should they give it up?", "Should they keep it?", 1, 0);
        check("Is the plant cheap?", "Is the plant dear and loud?", 1, 1);
        check("Should the city close its centre?", "Should the city keep its centre open?", 1, 0);
        check("Should the city close its centre?", "Should the city keep its centre clean?", 1, 1);
        check("Is the plant cheap?", "Is the ferry loud?", 0, 4);
        check("", "", 0, 0);
    }

    #[test]
    fn a_word_is_on_one_axis_and_side() {
        let all: Vec<&str> = AXES.iter().flat_map(|(yes, no)| yes.split(' ').chain(no.split(' '))).collect();
        for (at, word) in all.iter().enumerate() {
            assert!(!all[..at].contains(word), "{word}");
        }
    }
}
