//! Common ground: answers that several participants gave, each in a turn of their own, and that nobody denied.

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::disputes::dispute_graph::DisputeGraph;

/// Dispute on which the participants agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommonGround {
    /// Id of the dispute.
    pub dispute: DisputeId,
    /// Question of the dispute.
    pub question: String,
    /// Agreed side.
    pub side: Side,
    /// Participants who take the side.
    pub holders: Vec<Holder>,
}

/// Participant who takes an agreed side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// The participant.
    pub persona: PersonaId,
    /// The participant's turn that states it.
    pub turn: TurnId,
    /// Words of the turn that state it.
    #[serde(default)]
    pub quote: Option<String>,
    /// Confidence in the side that the participant expressed, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// Finds the disputes that are not retired and on which at least `quorum` participants, and never fewer than two, take
/// the same side while nobody takes the other. Silence is not agreement, and neither is the answer of a single speaker.
pub fn common_ground(disputes: &DisputeGraph, quorum: usize) -> Vec<CommonGround> {
    disputes
        .not_retired()
        .filter_map(|(id, dispute)| {
            let side = dispute.agreed_side(quorum)?;
            let holders = dispute.stances.iter().filter(|(_, stance)| stance.side == side);
            let holders = holders.map(|(persona, stance)| Holder {
                persona: persona.clone(),
                turn: stance.turn,
                quote: stance.quote.clone(),
                confidence: stance.confidence,
            });
            Some(CommonGround { dispute: id, question: dispute.question.clone(), side, holders: holders.collect() })
        })
        .collect()
}
