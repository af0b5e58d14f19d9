//! Stored event with its body not yet decoded, for callers that pass events on without folding them.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::events::event::{Erased, Event, Recorded};
use crate::events::ids::DebateId;
use crate::events::wire::{self, Stored};
use crate::store::fault::Fault;

/// Stored event with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
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
    pub stored: Stored,
}

impl From<&Recorded> for Kept {
    fn from(recorded: &Recorded) -> Self {
        Kept {
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

impl Kept {
    /// Decodes the event.
    ///
    /// # Errors
    /// [`Fault::Damaged`] if the body cannot be decoded as an event of its kind.
    pub fn read(&self) -> Result<Recorded, Fault> {
        let Stored { kind, schema, body } = &self.stored;
        let event = match self.erased {
            true => Event::Erased(Erased { kind: kind.clone(), schema: *schema }),
            false => wire::decode(kind, *schema, body).map_err(|source| Fault::Damaged {
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
