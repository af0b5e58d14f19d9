//! Likeness of each turn to earlier turns: to those of anybody, which shows if it is new, and to those of its speaker,
//! which shows if they circle.

use crate::events::ids::{PersonaId, TurnId};
use crate::measures::text_vectors::TextVector;
use crate::projections::transcript::Transcript;

/// Maximum number of turns that are compared with one another; the first ones are.
pub const MAX_LIKENED: usize = 400;

/// Turn of a participant with its likeness to earlier turns, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnLikeness {
    /// The turn.
    pub turn: TurnId,
    /// Greatest likeness to an earlier turn of any participant.
    pub to_any: f64,
    /// Greatest likeness to an earlier turn of the same speaker; `None` in their first turn.
    pub to_own: Option<f64>,
}

/// Compares each turn of a participant with all earlier ones. The first turn has none, and is left out. Cost: quadratic in
/// the turns, of which the first [`MAX_LIKENED`] are compared.
pub fn turn_likeness(transcript: &Transcript) -> Vec<TurnLikeness> {
    let said = transcript.turns.iter().filter_map(|turn| {
        let speaker = turn.speaker.as_ref()?;
        Some((speaker, turn.turn, TextVector::of(&turn.text)))
    });
    let said: Vec<(&PersonaId, TurnId, TextVector)> = said.take(MAX_LIKENED).collect();
    let compared = |at: usize| {
        let (speaker, turn, vector) = &said[at];
        let mut found = TurnLikeness { turn: *turn, to_any: 0.0, to_own: None };
        for (other, _, earlier) in &said[..at] {
            let likeness = vector.likeness(earlier);
            found.to_any = found.to_any.max(likeness);
            if other == speaker {
                found.to_own = Some(found.to_own.unwrap_or_default().max(likeness));
            }
        }
        found
    };
    (1..said.len()).map(compared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projections::transcript::Turn;

    fn transcript(said: &[(Option<&str>, &str)]) -> Transcript {
        let turn = |(number, (speaker, text)): (u32, &(Option<&str>, &str))| Turn::said(number, *speaker, text);
        let mut transcript = Transcript::default();
        transcript.turns.extend((1..).zip(said).map(turn));
        transcript
    }

    #[test]
    fn a_turn_is_compared_with_earlier_turns_of_all_and_of_its_speaker() {
        let found = turn_likeness(&transcript(&[
            (Some("ada-quill"), "ab"),
            (None, "ab"),
            (Some("bo-reed"), "ab"),
            (Some("ada-quill"), "xy"),
            (Some("bo-reed"), "abc"),
        ]));
        let turns: Vec<u32> = found.iter().map(|it| it.turn.0).collect();
        assert_eq!(turns, [3, 4, 5], "neither the first turn nor the moderator");
        let is_near = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
        assert!(is_near(found[0].to_any, 1.0) && found[0].to_own.is_none(), "{found:?}");
        assert!(is_near(found[1].to_any, 0.0) && found[1].to_own == Some(0.0), "{found:?}");
        let likeness = 1.0 / 6.0_f64.sqrt();
        assert!(is_near(found[2].to_any, likeness) && found[2].to_own == Some(found[2].to_any), "{found:?}");
    }

    #[test]
    fn only_the_first_turns_are_compared() {
        let many = vec![(Some("ada-quill"), "ab"); MAX_LIKENED + 5];
        assert_eq!(turn_likeness(&transcript(&many)).len(), MAX_LIKENED - 1);
        assert_eq!(turn_likeness(&transcript(&[])), []);
    }
}
