//! Whether two texts ask the same question.
//!
//! Cosines of `MiniLM` over 320 labelled pairs (tests/fixtures/questions/pairs.tsv) overlap: half of the questions that
//! merely stand near each other have 0.68 or more, a tenth of the paraphrases less than that, and what is turned round
//! has 0.83 to 0.99. What separates them is in the words. Numbers and names must agree; what is said must not be turned
//! round; and the more of the sentence both share word for word, the higher the cosine has to be, for a shared frame
//! lifts it whatever stands in the frame.
//!
//! The two constants were chosen on the tuning half, for the greatest F of precision and recall with precision counted
//! twice (F0.5), and the other half was only measured: tests/pure/questions.rs has the figures and holds them.

use crate::questions::polarity::turns;
use crate::questions::wording::Wording;

/// The cosine from which two texts that share no frame ask the same.
pub const SAME: f32 = 0.77;
/// How much more it has to be where they share all of it.
pub const FRAMED: f32 = 0.16;
/// The cosine from which texts that turn each other round, and differ in at most [`LEFT`] other words, are opposites.
pub const OPPOSITE: f32 = 0.8;
/// Other words in which opposites may differ.
pub const LEFT: usize = 1;
/// The cosine from which questions are near each other. Those of unrelated debates stay below 0.2.
pub const NEAR: f32 = 0.5;

/// What a question is to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The same: yes to the one is yes to the other.
    Same,
    /// Yes to the one is no to the other.
    Opposite,
    /// Another question nearby.
    Near,
    /// Nothing.
    Apart,
}

/// Whether a text is another but for white space, case and what ends the sentence.
pub fn is_alike(one: &Wording, other: &Wording) -> bool {
    !one.words.is_empty() && one.words == other.words
}

/// What two texts of this cosine are to each other. Symmetric.
pub fn relation(one: &Wording, other: &Wording, cosine: f32) -> Relation {
    if is_alike(one, other) {
        return Relation::Same;
    }
    // What is no number is near nothing.
    if cosine.is_nan() || cosine < NEAR {
        return Relation::Apart;
    }
    // Below both, words decide nothing any more.
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
    fn words_can_forbid_what_a_cosine_says() {
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
