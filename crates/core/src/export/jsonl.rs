//! Debate as its event log: one line of JSON per event, in order. Importing it restores the same debate.
//!
//! Each line has a hash of its content and of the line before it, so that an import notices a changed, moved or missing
//! line. The hash is not secret: it protects against mistakes, and against changes by others only if the hash of the last
//! line is known from elsewhere.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::events::wire;
use crate::events::wire::DecodeError;
use crate::export::line_hash::line_hash;

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
    /// [`line_hash`] of the other fields; absent in exports of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
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
            hash: None,
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

/// Renders the events of a debate, one per line, with their hashes.
pub fn jsonl<'a>(events: impl IntoIterator<Item = &'a Recorded>) -> String {
    let mut writer = JsonlWriter::default();
    let mut text = String::new();
    events.into_iter().for_each(|recorded| writer.push(recorded, &mut text));
    text
}

/// Writer of the events of a debate, which need not be in memory together. Its only state is the hash of the last line.
#[derive(Clone, Debug, Default)]
pub struct JsonlWriter {
    hash: String,
}

impl JsonlWriter {
    /// Appends the line of the next event to `text`.
    pub fn push(&mut self, recorded: &Recorded, text: &mut String) {
        let mut line = ExportedEvent::of(recorded);
        let content = serde_json::to_value(&line).expect("export lines always serialise to JSON");
        self.hash = line_hash(&self.hash, &content);
        line.hash = Some(self.hash.clone());
        text.push_str(&serde_json::to_string(&line).expect("export lines always serialise to JSON"));
        text.push('\n');
    }
}
