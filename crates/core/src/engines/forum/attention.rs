//! Attention: how much a participant heeds a turn of somebody else.
//!
//! A score is the weighted sum of four parts: the similarity of the turn to the participant's own stances, by an embedder or
//! else by common content words; whether the turn addresses the participant; whether it was taken in a thread in which the
//! participant takes part; and whether it was taken in a thread whose question is on the agenda.

use crate::engines::forum::forum_state::{ForumState, Place};
use crate::engines::talk::state::Talk;
use crate::engines::talk::wording as words;
use crate::events::channel::{AttentionScore, AttentionScored};
use crate::events::ids::PersonaId;
use crate::events::persona::Persona;
use crate::events::turn::TurnTaken;
use crate::kernel::similarity::TextSimilarity;

/// Maximum number of stances of a participant with which a turn is compared, the latest of them.
const MAX_STANCES: usize = 6;

/// Returns the words of a participant's latest stances.
pub fn stance_words<'a>(talk: &'a Talk, participant: &PersonaId) -> Vec<&'a str> {
    let taken = talk.disputes.not_retired().filter_map(|(_, dispute)| dispute.stances.get(participant));
    let mut taken: Vec<_> = taken.filter_map(|stance| Some((stance.version, stance.quote.as_deref()?))).collect();
    taken.sort_unstable();
    taken.into_iter().rev().take(MAX_STANCES).map(|(_, quote)| quote).collect()
}

/// Scores the attention of all other participants to a turn that is about to be recorded.
pub fn scores(talk: &Talk, state: &ForumState, turn: &TurnTaken, likeness: Option<&TextSimilarity>) -> AttentionScored {
    let others = talk.speakers().filter(|speaker| speaker.id != turn.speaker);
    let score = |participant: &Persona| {
        let similarity = similarity(talk, &participant.id, &turn.text, likeness);
        let is_addressed = is_addressed(talk, participant, turn);
        let is_member = turn.room.is_some_and(|thread| state.is_member(&participant.id, thread));
        let is_in_focus = state.is_in_focus(turn.room);
        let options = &state.options;
        let parts = [
            (options.weight_similarity, similarity),
            (options.weight_addressed, f64::from(u8::from(is_addressed))),
            (options.weight_member, f64::from(u8::from(is_member))),
            (options.weight_focus, f64::from(u8::from(is_in_focus))),
        ];
        let score = rounded(parts.into_iter().map(|(weight, part)| weight * part).sum());
        AttentionScore { participant: participant.id.clone(), score, similarity, is_addressed, is_member, is_in_focus }
    };
    let by = likeness.map(|likeness| likeness.by.clone());
    AttentionScored { turn: turn.turn, scores: others.map(score).collect(), by }
}

fn similarity(talk: &Talk, participant: &PersonaId, text: &str, likeness: Option<&TextSimilarity>) -> f64 {
    let said = words::content_words(text);
    let one = |stance: &str| match likeness {
        Some(likeness) => likeness.of(text, stance).unwrap_or(0.0),
        None => words::overlap(&said, &words::content_words(stance)),
    };
    rounded(stance_words(talk, participant).into_iter().map(one).fold(0.0, f64::max).clamp(0.0, 1.0))
}

/// Returns true if a turn answers one of the participant, or names them.
fn is_addressed(talk: &Talk, participant: &Persona, turn: &TurnTaken) -> bool {
    let answered = turn.answers.and_then(|id| talk.transcript.get(id)).and_then(|turn| turn.speaker.as_ref());
    answered == Some(&participant.id) || words::mentions_name(&turn.text, &participant.name)
}

/// Returns the attention of a participant to a place: the highest score among its latest turns since their own last one
/// there, and the turn. A thread without turns has those that led to it.
pub fn to_place<'s>(
    talk: &Talk,
    state: &'s ForumState,
    participant: &PersonaId,
    place: Place,
) -> Option<&'s AttentionScore> {
    let here = talk.participant_turns().rev().filter(|turn| turn.room == place);
    let unread = here.take_while(|turn| turn.speaker.as_ref() != Some(participant)).map(|turn| turn.turn);
    let mut turns: Vec<_> = unread.take(state.options.attention_span as usize).collect();
    if let Some(room) = place.and_then(|room| state.rooms.rooms.get(&room)).filter(|room| room.turns.is_empty()) {
        turns.clone_from(&room.opened.turns);
    }
    let scores = turns.into_iter().filter_map(|turn| state.attention.of(participant, turn));
    scores.reduce(|best, score| if score.score > best.score { score } else { best })
}

/// Rounds to four decimal places, because people compare measurements.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::forum::settings::ForumOptions;
    use crate::engines::talk::replies::decode::{StatedSide, noted, stance};
    use crate::engines::talk::sample::{persona, talk};
    use crate::events::dispute::{DisputeRaised, Side};
    use crate::events::event::Event;
    use crate::events::ids::{DisputeId, TurnId};
    use crate::events::turn::Move;

    /// Returns the scores of ben and cleo for a turn of ada; cleo is on record with "Bats sleep under the bridge."
    fn scored(text: &str, answers: Option<u32>, likeness: Option<&TextSimilarity>) -> Vec<(f64, f64, bool)> {
        let mut talk = talk(&["ada", "ben", "cleo"], &["ada: a", "ben: b", "cleo: Bats sleep under the bridge."]);
        let dispute = DisputeId(1);
        talk.evolve(&noted(&Event::DisputeRaised(DisputeRaised::bare(dispute, "Are there bats?", false))));
        let words = "Bats sleep under the bridge.".to_owned();
        let position = StatedSide { dispute, side: Side::Yes, confidence: None, words };
        let events = stance(&talk.disputes, &persona("cleo"), TurnId(3), position);
        events.iter().for_each(|event| talk.evolve(&noted(event)));
        let taken = TurnTaken {
            preparation: None,
            turn: TurnId(4),
            speaker: persona("ada"),
            round: None,
            room: None,
            moves: vec![Move::Claim],
            move_quotes: vec![],
            answers: answers.map(TurnId),
            text: text.to_owned(),
            citations: vec![],
            refused: vec![],
            dangling: 0,
        };
        let state = ForumState::new(ForumOptions::default());
        let scores = scores(&talk, &state, &taken, likeness).scores;
        scores.iter().map(|score| (score.score, score.similarity, score.is_addressed)).collect()
    }

    #[test]
    fn attention_is_the_weighted_sum_of_its_parts() {
        let nothing = (0.0, 0.0, false);
        assert_eq!(scored("The lamp is dear.", None, None), [nothing, nothing]);
        assert_eq!(scored("The lamp is dear.", Some(2), None), [(0.3, 0.0, true), nothing]);
        assert_eq!(scored("The lamp is dear, Cleo.", None, None), [nothing, (0.3, 0.0, true)]);
        assert_eq!(scored("Bats under a bridge hear no lamp.", None, None)[1].1, 0.6667);
        let far = "The lamp is dear.";
        let vectors = [(far, vec![1.0, 0.0]), ("Bats sleep under the bridge.", vec![0.6, 0.8])];
        let likeness = TextSimilarity::new("compass", vectors.map(|(text, vector)| (text.to_owned(), vector)));
        assert_eq!(scored(far, None, Some(&likeness)), [nothing, (0.24, 0.6, false)]);
    }
}
