//! Debate as its event log: one line of JSON per event, in order. Importing it restores the same debate.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::events::wire;
use crate::events::wire::DecodeError;

/// Event as it is exported: all stored fields except its lane and position in the log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportedEvent {
    /// Debate in whose stream the event is; for events shared by a fork, the debate of origin.
    pub debate_id: DebateId,
    /// Version in the stream, counted from 1.
    pub version: i64,
    /// Id of the event.
    pub id: Uuid,
    /// Wire name of the event kind.
    pub kind: String,
    /// Schema version of the body.
    pub schema: i16,
    /// Time at which the event was recorded.
    pub at: DateTime<Utc>,
    /// Id of the event that caused it; null if a person did.
    #[serde(default)]
    pub caused_by: Option<Uuid>,
    /// Body of the event.
    pub body: Box<RawValue>,
}

impl ExportedEvent {
    /// Converts a recorded event.
    pub fn of(recorded: &Recorded) -> ExportedEvent {
        let stored = wire::encode(&recorded.event);
        let body = String::from_utf8(stored.body).ok().and_then(|text| RawValue::from_string(text).ok());
        ExportedEvent {
            debate_id: recorded.debate,
            version: recorded.version,
            id: recorded.id,
            kind: stored.kind,
            schema: stored.schema,
            at: recorded.at,
            caused_by: recorded.caused_by,
            body: body.expect("event bodies are encoded as JSON"),
        }
    }

    /// Converts back to the recorded event. Lane and position are 0, since the event is outside the log.
    ///
    /// # Errors
    /// [`DecodeError`] if the body does not match its kind and schema version.
    pub fn recorded(&self) -> Result<Recorded, DecodeError> {
        Ok(Recorded {
            id: self.id,
            debate: self.debate_id,
            version: self.version,
            lane: 0,
            position: 0,
            at: self.at,
            caused_by: self.caused_by,
            event: wire::decode(&self.kind, self.schema, self.body.get().as_bytes())?,
        })
    }
}

/// Renders the events of a debate, one per line.
pub fn jsonl<'a>(events: impl IntoIterator<Item = &'a Recorded>) -> String {
    let mut text = String::new();
    for recorded in events {
        text.push_str(
            &serde_json::to_string(&ExportedEvent::of(recorded)).expect("export lines always serialise to JSON"),
        );
        text.push('\n');
    }
    text
}
