//! GraphQL type of erasure records.

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};

use faultline_store::erasure::erasure;
use faultline_store::erasure::erasure::Subject;

/// Record of an erasure. It contains nothing of the erased content.
#[derive(SimpleObject)]
pub struct Erasure {
    /// Unique id: the number of the record, after `erasure:`.
    id: ID,
    /// Id of the erased debate; null if a persona was erased.
    debate_id: Option<ID>,
    /// Id of the persona that was erased together with its texts; null if a debate was erased.
    persona_id: Option<ID>,
    /// Time of the erasure.
    erased_at: DateTime<Utc>,
    /// Person or token that requested it.
    requested_by: String,
    /// Reason.
    reason: String,
    /// True if nothing can be recovered; false if the debate was recorded unencrypted and is only hidden.
    unrecoverable: bool,
}

impl From<erasure::ErasureRecord> for Erasure {
    fn from(erased: erasure::ErasureRecord) -> Self {
        let (debate_id, persona_id) = match erased.subject {
            Subject::Debate(it) => (Some(ID(it.to_string())), None),
            Subject::Persona(it) => (None, Some(ID(it.to_string()))),
        };
        let erasure::ErasureOrder { asked_by, reason } = erased.order;
        let id = ID(format!("erasure:{}", erased.number));
        Erasure {
            id,
            debate_id,
            persona_id,
            erased_at: erased.erased_at,
            requested_by: asked_by,
            reason,
            unrecoverable: erased.sealed,
        }
    }
}
