//! Classification of two texts as the same question, opposite questions, near questions or neither.
//!
//! Cosines of `MiniLM` over 320 labelled pairs (tests/fixtures/questions/pairs.tsv) overlap: half of the questions that
//! are merely near each other have 0.68 or more, a tenth of the paraphrases less than that, and opposites have 0.83 to
//! 0.99. The words separate them. Numbers and names must agree, the meaning must not be reversed, and the more of the
//! sentence both share word for word, the higher the cosine must be, because a shared frame raises it regardless of the
//! words in the frame.
//!
//! The two constants were chosen on the tuning half, for the greatest F measure with precision weighted twice (F0.5);
//! the other half was only used for measurement. The figures are in tests/pure/questions.rs, which checks them.

use crate::questions::polarity::turns;
use crate::questions::wording::Wording;

/// Cosine from which two texts without a shared frame ask the same question.
pub const SAME: f32 = 0.77;
/// Additional cosine required of texts that share the whole frame.
pub const FRAMED: f32 = 0.16;
/// Cosine from which texts that reverse each other, and differ in at most [`LEFT`] other words, are opposites.
pub const OPPOSITE: f32 = 0.8;
/// Maximum number of other words in which opposites may differ.
pub const LEFT: usize = 1;
/// Cosine from which questions are near each other. Questions of unrelated debates stay below 0.2.
pub const NEAR: f32 = 0.5;

/// Relation of one question to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
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
pub fn is_alike(one: &Wording, other: &Wording) -> bool {
    !one.words.is_empty() && one.words == other.words
}

/// Returns the relation of two texts with this cosine. Symmetric.
pub fn relation(one: &Wording, other: &Wording, cosine: f32) -> Relation {
    if is_alike(one, other) {
        return Relation::Same;
    }
    // A cosine of NaN is near nothing.
    if cosine.is_nan() || cosine < NEAR {
        return Relation::Apart;
    }
    // Below both thresholds the words make no difference.
    if cosine < SAME.min(OPPOSITE) || one.is_of_another_thing(other) {
        return Relation::Near;
    }
    let turns = turns(one, other);
    match turns.is_odd() {
        true if cosine >= OPPOSITE && turns.left <= LEFT => Relation::Opposite,
        false if cosine >= SAME + FRAMED * one.frame(other) => Relation::Same,
        _ => Relation::Near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_overrule_the_cosine() {
        let check = |one: &str, other: &str, cosine: f32, expected: Relation| {
            let (one, other) = (Wording::of(one), Wording::of(other));
            assert_eq!(relation(&one, &other, cosine), expected, "{one:?} {other:?}");
            assert_eq!(relation(&other, &one, cosine), expected);
        };
        check("Should rents be capped?", "should RENTS be capped", 0.0, Relation::Same);
        check("Should rents be capped?", "Ought rents to have a cap?", 0.9, Relation::Same);
        check("Should rents be capped?", "Ought rents to have a cap?", 0.7, Relation::Near);
        check("Should rents be capped?", "Ought rents to have a cap?", 0.1, Relation::Apart);
        check("Should rents be capped?", "Ought rents to have a cap?", f32::NAN, Relation::Apart);
        check("Is 5 enough?", "Is 6 enough?", 0.99, Relation::Near);
        check("Shall we go to Mars?", "Shall we go to Venus?", 0.99, Relation::Near);
        check("Should cars be banned?", "Should cars be allowed?", 0.95, Relation::Opposite);
        check("Should cars be banned?", "Should old lorries from abroad be allowed?", 0.95, Relation::Near);
        check("Should cars be banned?", "Should vans be banned?", 0.88, Relation::Near);
        check("", "", 1.0, Relation::Same);
    }
}
