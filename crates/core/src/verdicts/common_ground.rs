//! Common ground: answers that several participants gave, each in an own turn, and that nobody denied.

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::dispute_graph::DisputeGraph;

/// Dispute on which the participants agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommonGround {
    /// Id of the dispute.
    pub dispute: DisputeId,
    /// Question of the dispute.
    pub question: String,
    /// Agreed side.
    pub side: Side,
    /// Participants who take the side, each with the turn.
    pub holders: Vec<(PersonaId, TurnId)>,
}

/// Finds the disputes that are not retired and on which at least `quorum` participants, and never fewer than two, take
/// the same side while nobody takes the other. Silence is not agreement, and neither is the answer of a single speaker.
pub fn common_ground(disputes: &DisputeGraph, quorum: usize) -> Vec<CommonGround> {
    disputes
        .not_retired()
        .filter_map(|(id, dispute)| {
            let side = dispute.agreed_side(quorum)?;
            let holders = dispute.stances.iter().filter(|(_, stance)| stance.side == side);
            Some(CommonGround {
                dispute: id,
                question: dispute.question.clone(),
                side,
                holders: holders.map(|(persona, stance)| (persona.clone(), stance.turn)).collect(),
            })
        })
        .collect()
}
