//! Topic of a debate: the side of every participant at the opening and now. The topic is no crux: cruxes explain why
//! participants differ on it.

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::Stance;
use crate::projections::summary::Summary;
use crate::projections::transcript::Transcript;
use crate::verdicts::crux_card::crux_text::quoted;

/// Topic with the positions of all participants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicVerdict {
    /// Dispute about the topic.
    pub dispute: DisputeId,
    /// Question of the topic.
    pub question: String,
    /// Positions of the participants who have not left, in speaking order.
    pub positions: Vec<TopicPosition>,
}

/// Position of a participant on the topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicPosition {
    /// Id of the participant.
    pub persona: PersonaId,
    /// First side; undecided if the participant never took one.
    pub first: Side,
    /// Current side; undecided if the participant never took one.
    pub side: Side,
    /// Turn in which the current side was last stated; `None` if the participant never took one.
    pub turn: Option<TurnId>,
    /// Statement of the current stance, otherwise the beginning of its turn; empty without a stance. Cut to a length that
    /// fits a line; `quote` is exact.
    pub words: String,
    /// Words of the turn that state the current side, exactly as it contains them; `None` without a stance or without a
    /// recorded quotation.
    #[serde(default)]
    pub quote: Option<String>,
}

impl TopicPosition {
    /// True if the participant is on another side than at first.
    pub fn has_moved(&self) -> bool {
        self.first != self.side
    }
}

impl TopicVerdict {
    /// True if one participant says yes and another no.
    pub fn is_split(&self) -> bool {
        let takes = |side| self.positions.iter().any(|position| position.side == side);
        takes(Side::Yes) && takes(Side::No)
    }

    /// Side on which all participants are; `None` unless all say yes or all say no.
    pub fn agreed_side(&self) -> Option<Side> {
        let all_on = |side: &Side| self.positions.iter().all(|position| position.side == *side);
        [Side::Yes, Side::No].into_iter().find(all_on).filter(|_| !self.positions.is_empty())
    }

    /// Participants who changed sides.
    pub fn moved(&self) -> impl Iterator<Item = &TopicPosition> {
        self.positions.iter().filter(|position| position.has_moved())
    }
}

/// Finds the positions on the topic; `None` if the debate has no dispute about its topic.
pub fn topic_verdict(summary: &Summary, disputes: &DisputeGraph, transcript: &Transcript) -> Option<TopicVerdict> {
    let (id, dispute) = disputes.topic()?;
    let words = |stance: &Stance| match stance.words() {
        Some(words) => quoted(words),
        None => transcript.turn(stance.turn).map(|turn| quoted(&turn.text)).unwrap_or_default(),
    };
    let position = |persona: &PersonaId| {
        let current = dispute.stances.get(persona);
        let first = dispute.history.iter().find(|(holder, _)| holder == persona).map(|(_, stance)| stance.side);
        TopicPosition {
            persona: persona.clone(),
            first: first.unwrap_or(Side::Undecided),
            side: current.map_or(Side::Undecided, |stance| stance.side),
            turn: current.map(|stance| stance.turn),
            words: current.map(words).unwrap_or_default(),
            quote: current.and_then(|stance| stance.quote.clone()),
        }
    };
    let positions = summary.present().map(|participant| position(&participant.persona)).collect();
    Some(TopicVerdict { dispute: id, question: dispute.question.clone(), positions })
}

/// Current side of a participant on the topic; `None` if they took none, or if the debate has no dispute about it.
pub fn topic_side(disputes: &DisputeGraph, persona: &PersonaId) -> Option<Side> {
    disputes.topic()?.1.stances.get(persona).map(|stance| stance.side)
}

/// True if one side is yes and the other no.
pub fn are_opposite(one: Option<Side>, other: Option<Side>) -> bool {
    matches!((one, other), (Some(Side::Yes), Some(Side::No)) | (Some(Side::No), Some(Side::Yes)))
}

/// True if a participant stood on the side of the topic that is opposite to the author's, by their last stance outside
/// the given turn. Such a participant must say in that turn that they changed sides before they can accept a proposal of
/// the author.
pub fn stood_against(disputes: &DisputeGraph, persona: &PersonaId, author: &PersonaId, turn: TurnId) -> bool {
    let Some((_, topic)) = disputes.topic() else { return false };
    let mut earlier = topic.history.iter().rev().filter(|(holder, stance)| holder == persona && stance.turn != turn);
    are_opposite(earlier.next().map(|(_, stance)| stance.side), topic_side(disputes, author))
}
