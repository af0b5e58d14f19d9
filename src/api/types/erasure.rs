//! Records of erasures.

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};

use crate::store::erasure::{self, Subject};

/// The record that something was erased: never what it said.
#[derive(SimpleObject)]
pub struct Erasure {
    /// The record's number.
    id: ID,
    /// The debate that was erased; none where a persona was.
    debate_id: Option<ID>,
    /// The persona that was erased, with what it wrote; none where a debate was.
    persona_id: Option<ID>,
    /// When.
    erased_at: DateTime<Utc>,
    /// At whose word.
    asked_by: String,
    /// Why.
    reason: String,
    /// Whether nothing is left to be read: false where the debate had been recorded in plain and is only hidden.
    sealed: bool,
}

impl From<erasure::Erasure> for Erasure {
    fn from(erased: erasure::Erasure) -> Self {
        let (debate_id, persona_id) = match erased.subject {
            Subject::Debate(it) => (Some(ID(it.to_string())), None),
            Subject::Persona(it) => (None, Some(ID(it.to_string()))),
        };
        let erasure::Order { asked_by, reason } = erased.order;
        let id = ID(erased.number.to_string());
        Erasure { id, debate_id, persona_id, erased_at: erased.erased_at, asked_by, reason, sealed: erased.sealed }
    }
}
