//! Whether two questions ask the same: by their words, or by what they mean.
//!
//! To take different questions for one would make agreement out of nothing, so an embedder's word is not enough: it puts a
//! question and its negation, and questions that differ in a number, next to each other. Those are told by their words.

use crate::engines::talk_words as words;
use crate::kernel::likeness::Likeness;

/// What is asked of two questions that are to be one.
#[derive(Clone, Copy, Debug)]
pub struct Sameness<'a> {
    /// The share of all content words from which they are the same by their words.
    pub words: f64,
    /// The cosine from which they are the same by what they mean.
    pub meaning: f64,
    /// How alike questions are, where an embedder told it.
    pub likeness: Option<&'a Likeness>,
}

/// Two questions that ask the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Same {
    /// Whether yes to the one is no to the other.
    pub negated: bool,
    /// Their cosine; `None` where their words told it.
    pub likeness: Option<f64>,
}

impl Sameness<'_> {
    /// Whether two questions ask the same; `None` where they do not, or it cannot be told.
    pub fn of(&self, one: &str, other: &str) -> Option<Same> {
        if let Some(negated) = words::same_question(one, other, self.words) {
            return Some(Same { negated, likeness: None });
        }
        let likeness = self.likeness?.of(one, other).filter(|it| *it >= self.meaning)?;
        let negated = words::negated_alike(one, other)?;
        Some(Same { negated, likeness: Some((likeness * 10_000.0).round() / 10_000.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_the_same_by_words_or_by_meaning() {
        let near = [
            "Should the ferry sail at night?",
            "Ought the boat to run after dark?",
            "Should the ferry not sail at night?",
        ];
        let far = ["Should the ferry cost 3 crowns?", "Should the ferry cost 5 crowns?"];
        let vectors = near.iter().map(|it| (*it, vec![1.0, 0.0])).chain(far.iter().map(|it| (*it, vec![0.0, 1.0])));
        let likeness = Likeness::new("it", vectors.map(|(text, it)| (text.to_owned(), it)));
        let check = |one: &str, other: &str, expected: Option<(bool, Option<f64>)>| {
            let same = Sameness { words: 1.0, meaning: 0.9, likeness: Some(&likeness) };
            assert_eq!(same.of(one, other).map(|it| (it.negated, it.likeness)), expected, "{one} {other}");
        };
        check(near[0], near[1], Some((false, Some(1.0))));
        check(near[0], near[2], Some((true, None)));
        check(near[1], near[2], Some((true, Some(1.0))));
        check(near[0], far[0], None);
        check(far[0], far[1], None);
        let blind = Sameness { words: 1.0, meaning: 0.9, likeness: None };
        assert_eq!(blind.of(near[0], near[1]), None);
    }
}
