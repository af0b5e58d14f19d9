//! Disputes and stances.

use async_graphql::{ID, SimpleObject};

use crate::api::types::scalars::{DisputeStatus, Side};
use crate::events::ids::DisputeId;
use crate::projections::dispute_graph;

/// A binary question, and who stands where.
#[derive(SimpleObject, Clone)]
pub struct Dispute {
    /// Its name in the debate: `d1`.
    id: ID,
    /// The question.
    question: String,
    /// Whether it is the debate's own topic.
    is_topic: bool,
    /// Where it is in its life.
    pub(crate) status: DisputeStatus,
    /// The present stances.
    stances: Vec<Stance>,
    /// Why it no longer counts.
    retired: Option<String>,
}

/// Where somebody stands.
#[derive(SimpleObject, Clone)]
pub struct Stance {
    /// Who.
    pub persona_id: ID,
    /// Which side.
    pub side: Side,
    /// The turn in which they said so.
    pub turn_id: ID,
}

impl Dispute {
    /// A dispute by its name.
    pub fn new(id: DisputeId, dispute: &dispute_graph::Dispute) -> Self {
        let stances = dispute.stances.iter().map(|(persona, it)| Stance {
            persona_id: ID(persona.to_string()),
            side: it.side.into(),
            turn_id: ID(it.turn.to_string()),
        });
        Dispute {
            id: ID(id.to_string()),
            question: dispute.question.clone(),
            is_topic: dispute.is_topic,
            status: dispute.status().into(),
            stances: stances.collect(),
            retired: dispute.retired.clone(),
        }
    }
}
