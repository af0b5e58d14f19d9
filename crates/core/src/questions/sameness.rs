//! Classification of two texts as the same question, opposite questions, near questions or neither.
//!
//! Cosines of `MiniLM` over 320 labelled pairs (tests/fixtures/questions/pairs.tsv) overlap: half of the questions that
//! are merely near each other have 0.68 or more, a tenth of the paraphrases less than that, and opposites have 0.83 to
//! 0.99. The words separate them. Numbers and names must agree, the meaning must not be reversed, and the more of the
//! sentence both share word for word, the higher the cosine must be, because a shared frame raises it regardless of the
//! words in the frame.
//!
//! The two constants were chosen on the tuning half, for the greatest F measure with precision weighted twice (F0.5);
//! the other half was only used for measurement. The figures are in tests/pure/corpora/questions.rs, which checks them.

use crate::questions::contrast::mirrors;
use crate::questions::polarity::turns;
use crate::questions::wording::TextFeatures;

/// Cosine from which two texts without a shared frame ask the same question.
pub const SAME: f32 = 0.77;
/// Additional cosine required of texts that share the whole frame.
pub const FRAMED: f32 = 0.16;
/// Cosine from which texts that reverse each other, and differ in at most [`MAX_LEFT`] other words, are opposites.
pub const OPPOSITE: f32 = 0.8;
/// Maximum number of other words in which opposites may differ.
pub const MAX_LEFT: usize = 1;
/// Cosine from which questions are near each other. Questions of unrelated debates stay below 0.2.
pub const NEAR: f32 = 0.5;

/// Relation of one question to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuestionRelation {
    /// The same question: yes to one is yes to the other.
    Same,
    /// Yes to the one is no to the other.
    Opposite,
    /// A different question on a near subject.
    Near,
    /// Unrelated questions.
    Apart,
}

/// Returns true if two texts are equal except for white space, case and final punctuation.
pub fn is_alike(one: &TextFeatures, other: &TextFeatures) -> bool {
    !one.words.is_empty() && one.words == other.words
}

/// Returns the relation of two texts with this cosine. Symmetric.
pub fn relation(one: &TextFeatures, other: &TextFeatures, cosine: f32) -> QuestionRelation {
    if is_alike(one, other) {
        return QuestionRelation::Same;
    }
    if mirrors(one, other) {
        return QuestionRelation::Opposite;
    }
    // A cosine of NaN is near nothing.
    if cosine.is_nan() || cosine < NEAR {
        return QuestionRelation::Apart;
    }
    // Below both thresholds the words make no difference.
    if cosine < SAME.min(OPPOSITE) || one.is_of_another_thing(other) {
        return QuestionRelation::Near;
    }
    let turns = turns(one, other);
    match turns.is_odd() {
        true if cosine >= OPPOSITE && turns.left <= MAX_LEFT => QuestionRelation::Opposite,
        false if cosine >= SAME + FRAMED * one.frame(other) => QuestionRelation::Same,
        _ => QuestionRelation::Near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_overrule_the_cosine() {
        let check = |one: &str, other: &str, cosine: f32, expected: QuestionRelation| {
            let (one, other) = (TextFeatures::of(one), TextFeatures::of(other));
            assert_eq!(relation(&one, &other, cosine), expected, "{one:?} {other:?}");
            assert_eq!(relation(&other, &one, cosine), expected);
        };
        check("Should rents be capped?", "should RENTS be capped", 0.0, QuestionRelation::Same);
        check("Should rents be capped?", "Ought rents to have a cap?", 0.9, QuestionRelation::Same);
        check("Should rents be capped?", "Ought rents to have a cap?", 0.7, QuestionRelation::Near);
        check("Should rents be capped?", "Ought rents to have a cap?", 0.1, QuestionRelation::Apart);
        check("Should rents be capped?", "Ought rents to have a cap?", f32::NAN, QuestionRelation::Apart);
        check("Is 5 enough?", "Is 6 enough?", 0.99, QuestionRelation::Near);
        check("Shall we go to Mars?", "Shall we go to Venus?", 0.99, QuestionRelation::Near);
        check("Should cars be banned?", "Should cars be allowed?", 0.95, QuestionRelation::Opposite);
        check("Should cars be banned?", "Should old lorries from abroad be allowed?", 0.95, QuestionRelation::Near);
        check("Should cars be banned?", "Should vans be banned?", 0.88, QuestionRelation::Near);
        check("Did it help rather than harm?", "Did it harm rather than help?", 0.99, QuestionRelation::Opposite);
        check("", "", 1.0, QuestionRelation::Same);
    }
}
