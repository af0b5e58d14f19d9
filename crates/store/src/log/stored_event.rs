//! Stored event with its body not yet decoded, for callers that pass events on without folding them.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::error::StoreError;
use faultline_core::events::event::{Erased, Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire;
use faultline_core::events::wire::EncodedEvent;

/// Stored event with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Lane of the debate.
    pub lane: i16,
    /// Position of the event in the lane.
    pub position: i64,
    /// Debate that the event belongs to.
    pub debate: DebateId,
    /// Version of the event in its stream, from 1.
    pub version: i64,
    /// Id of the event.
    pub id: Uuid,
    /// Id of the event that caused this one.
    pub caused_by: Option<Uuid>,
    /// Time at which the database recorded the event.
    pub at: DateTime<Utc>,
    /// True if the debate was erased; the body is then `null`.
    pub erased: bool,
    /// Kind, schema and decrypted body.
    pub stored: EncodedEvent,
}

impl From<&Recorded> for StoredEvent {
    fn from(recorded: &Recorded) -> Self {
        StoredEvent {
            lane: recorded.lane,
            position: recorded.position,
            debate: recorded.debate,
            version: recorded.version,
            id: recorded.id,
            caused_by: recorded.caused_by,
            at: recorded.at,
            erased: matches!(recorded.event, Event::Erased(_)),
            stored: wire::encode(&recorded.event),
        }
    }
}

impl StoredEvent {
    /// Decodes the event.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the body cannot be decoded as an event of its kind.
    pub fn read(&self) -> Result<Recorded, StoreError> {
        let EncodedEvent { kind, schema, body } = &self.stored;
        let event = match self.erased {
            true => Event::Erased(Erased { kind: kind.clone(), schema: *schema }),
            false => wire::decode(kind, *schema, body).map_err(|source| StoreError::Damaged {
                debate: self.debate,
                version: self.version,
                lane: self.lane,
                position: self.position,
                kind: kind.clone(),
                source: Arc::new(source),
            })?,
        };
        Ok(Recorded {
            lane: self.lane,
            position: self.position,
            debate: self.debate,
            version: self.version,
            id: self.id,
            caused_by: self.caused_by,
            at: self.at,
            event,
        })
    }
}
