//! Identity of questions, by words or by meaning.
//!
//! Treating different questions as one would create false agreement, so the similarity of an embedder alone is not
//! sufficient: the rule measured on labelled pairs ([`crate::questions::sameness`]) decides, here as across debates.

use crate::engines::talk::wording as words;
use crate::kernel::similarity::TextSimilarity;
use crate::questions::sameness::{QuestionRelation, relation};
use crate::questions::wording::TextFeatures;

/// Criteria for two questions to count as the same.
#[derive(Clone, Copy, Debug)]
pub struct QuestionMatcher<'a> {
    /// Share of common content words from which two questions are the same.
    pub words: f64,
    /// Similarity of the questions, if an embedder measured it.
    pub likeness: Option<&'a TextSimilarity>,
}

/// Match of two questions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuestionMatch {
    /// True if yes to one means no to the other.
    pub negated: bool,
    /// Cosine similarity; `None` if they matched by words.
    pub likeness: Option<f64>,
}

impl QuestionMatcher<'_> {
    /// Matches two questions; `None` if they differ, or no criterion decides.
    pub fn of(&self, one: &str, other: &str) -> Option<QuestionMatch> {
        if let Some(negated) = words::same_question(one, other, self.words) {
            return Some(QuestionMatch { negated, likeness: None });
        }
        let likeness = self.likeness?.of(one, other)?;
        let negated = match relation(&TextFeatures::of(one), &TextFeatures::of(other), likeness as f32) {
            QuestionRelation::Same => false,
            QuestionRelation::Opposite => true,
            QuestionRelation::Near | QuestionRelation::Apart => return None,
        };
        Some(QuestionMatch { negated, likeness: Some((likeness * 10_000.0).round() / 10_000.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_match_by_words_or_by_meaning() {
        let near = ["Should rents be capped?", "Ought rents to have a cap?", "Should rents not be capped?"];
        let turned = ["Should cars be banned?", "Should cars be allowed?"];
        let far = ["Is 5 enough?", "Is 6 enough?"];
        let towards = |texts: &[&str], axis: usize| {
            let vector: Vec<f32> = (0..3).map(|index| if index == axis { 1.0 } else { 0.0 }).collect();
            texts.iter().map(|text| ((*text).to_owned(), vector.clone())).collect::<Vec<_>>()
        };
        let likeness = TextSimilarity::new("it", [towards(&near, 0), towards(&turned, 1), towards(&far, 2)].concat());
        let check = |one: &str, other: &str, expected: Option<(bool, Option<f64>)>| {
            let same = QuestionMatcher { words: 1.0, likeness: Some(&likeness) };
            assert_eq!(same.of(one, other).map(|found| (found.negated, found.likeness)), expected, "{one} {other}");
        };
        check(near[0], near[1], Some((false, Some(1.0))));
        check(near[0], near[2], Some((true, None)));
        check(turned[0], turned[1], Some((true, Some(1.0))));
        check(near[0], turned[0], None);
        check(far[0], far[1], None);
        let blind = QuestionMatcher { words: 1.0, likeness: None };
        assert_eq!(blind.of(near[0], near[1]), None);
    }
}
