//! An event of the log.

use async_graphql::{ID, SimpleObject};
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::events::event::Recorded;
use crate::events::tell::tell;
use crate::events::wire;

/// Something that happened in a debate. Immutable.
#[derive(SimpleObject, Clone)]
pub struct Event {
    /// The event's own name.
    id: ID,
    /// The debate.
    debate_id: ID,
    /// Its place in the debate, from 1 without gaps. Pass the last one you have as `after` to go on from there.
    version: i64,
    /// Its place in the log: lane and position.
    position: String,
    /// What kind of event: `turn_taken`.
    kind: String,
    /// When the database recorded it.
    at: DateTime<Utc>,
    /// What happened, in the shape of its kind.
    body: Value,
    /// What happened, in a line for people.
    line: String,
    /// The event that this one followed from; none where a person caused it.
    caused_by: Option<ID>,
}

impl From<&Recorded> for Event {
    fn from(recorded: &Recorded) -> Self {
        let stored = wire::encode(&recorded.event);
        Event {
            id: ID(recorded.id.to_string()),
            debate_id: ID(recorded.debate.to_string()),
            version: recorded.version,
            position: format!("{}.{}", recorded.lane, recorded.position),
            kind: stored.kind,
            at: recorded.at,
            body: serde_json::from_slice(&stored.body).unwrap_or_default(),
            line: tell(&recorded.event),
            caused_by: recorded.caused_by.map(|it| ID(it.to_string())),
        }
    }
}
