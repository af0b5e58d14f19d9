//! What is held in common: only what several said, each in a turn of their own, and nobody denied.

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::{DisputeId, PersonaId, TurnId};
use crate::projections::dispute_graph::DisputeGraph;

/// A dispute on which the participants agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommonGround {
    /// The dispute.
    pub dispute: DisputeId,
    /// The question.
    pub question: String,
    /// The side they take.
    pub side: Side,
    /// Who takes it, and in which turn they said so.
    pub holders: Vec<(PersonaId, TurnId)>,
}

/// The disputes that count on which at least `quorum` participants, and never fewer than two, hold the same side while
/// nobody holds the other. Silence is not agreement, and one speaker alone never is.
pub fn common_ground(disputes: &DisputeGraph, quorum: usize) -> Vec<CommonGround> {
    disputes
        .counted()
        .filter_map(|(id, dispute)| {
            let side = dispute.agreed(quorum)?;
            let holders = dispute.stances.iter().filter(|(_, it)| it.side == side);
            Some(CommonGround {
                dispute: id,
                question: dispute.question.clone(),
                side,
                holders: holders.map(|(persona, it)| (persona.clone(), it.turn)).collect(),
            })
        })
        .collect()
}
