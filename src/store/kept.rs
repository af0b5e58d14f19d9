//! An event as it is stored, its body unread: for whoever passes it on and does not fold it.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::events::event::{Erased, Event, Recorded};
use crate::events::ids::DebateId;
use crate::events::wire::{self, Stored};
use crate::store::fault::Fault;

/// An event as it is stored, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The lane in which the debate lives.
    pub lane: i16,
    /// The event's place in the lane.
    pub position: i64,
    /// The debate in whose stream it is.
    pub debate: DebateId,
    /// The event's place in the stream, from 1.
    pub version: i64,
    /// The event's own name.
    pub id: Uuid,
    /// The event that it followed from.
    pub caused_by: Option<Uuid>,
    /// When the database recorded it.
    pub at: DateTime<Utc>,
    /// Whether its debate was erased: then the body is `null`.
    pub erased: bool,
    /// Kind, schema and body, opened where it is sealed.
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
    /// The event, read.
    ///
    /// # Errors
    /// [`Fault::Damaged`] where the body is not what its kind promises.
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
