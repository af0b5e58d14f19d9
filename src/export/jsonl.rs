//! A debate as it is kept: a line of JSON for each event, in order. What reads it back has the same debate.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::events::wire::{self, Damaged};

/// An event as it is written out: all that is kept of it but its place among other debates' events.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Line {
    /// The debate in whose stream it is; the origin's, where a fork shares it.
    pub debate_id: DebateId,
    /// Its place in the stream, from 1.
    pub version: i64,
    /// Its name.
    pub id: Uuid,
    /// Its wire name.
    pub kind: String,
    /// The shape number of its body.
    pub schema: i16,
    /// When it was recorded.
    pub at: DateTime<Utc>,
    /// The event that it followed from; null where a person caused it.
    #[serde(default)]
    pub caused_by: Option<Uuid>,
    /// What happened.
    pub body: Box<RawValue>,
}

impl Line {
    /// An event written out.
    pub fn of(recorded: &Recorded) -> Line {
        let stored = wire::encode(&recorded.event);
        let body = String::from_utf8(stored.body).ok().and_then(|it| RawValue::from_string(it).ok());
        Line {
            debate_id: recorded.debate,
            version: recorded.version,
            id: recorded.id,
            kind: stored.kind,
            schema: stored.schema,
            at: recorded.at,
            caused_by: recorded.caused_by,
            body: body.expect("a body is written as JSON"),
        }
    }

    /// The event, as it was; outside a log it has no place among other debates' events.
    ///
    /// # Errors
    /// [`Damaged`] where the body is not what its kind and schema promise.
    pub fn recorded(&self) -> Result<Recorded, Damaged> {
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

/// A debate's events, a line each.
pub fn jsonl<'a>(events: impl IntoIterator<Item = &'a Recorded>) -> String {
    let mut text = String::new();
    for recorded in events {
        text.push_str(
            &serde_json::to_string(&Line::of(recorded)).expect("a line has string keys and finite shapes only"),
        );
        text.push('\n');
    }
    text
}
