//! An event of the log, and a part of the log.

use std::io::Write as _;
use std::sync::Arc;

use async_graphql::connection::PageInfo;
use async_graphql::{ID, Json, Object, Result, SimpleObject};
use chrono::{DateTime, Utc};
use serde_json::value::RawValue;

use crate::api::error::from_fault;
use crate::api::plain::{Items, Plain, Write, json as json_of};
use crate::events::event::Recorded;
use crate::events::tell::tell;
use crate::events::upcast::current_schema;
use crate::store::fault::Fault;
use crate::store::kept::Kept;
use crate::store::lanes::Cursor;

/// Something that happened in a debate. Immutable.
#[derive(Clone)]
pub struct Event {
    kept: Arc<Kept>,
    /// The cursor of the log behind it, where the log is read.
    cursor: Option<Arc<str>>,
}

/// Something that happened in a debate. Immutable.
#[Object]
impl Event {
    /// The event's own name.
    async fn id(&self) -> ID {
        ID(self.kept.id.to_string())
    }

    /// The debate.
    async fn debate_id(&self) -> ID {
        ID(self.kept.debate.to_string())
    }

    /// Its place in the debate, from 1 without gaps. Pass the last one you have as `after` to go on from there.
    async fn version(&self) -> i64 {
        self.kept.version
    }

    /// Its place in the log: lane and position.
    async fn position(&self) -> String {
        format!("{}.{}", self.kept.lane, self.kept.position)
    }

    /// The cursor behind it, to go on from in `log`. None where a debate is read.
    async fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// What kind of event: `turn_taken`.
    async fn kind(&self) -> &str {
        &self.kept.stored.kind
    }

    /// When the database recorded it.
    async fn at(&self) -> DateTime<Utc> {
        self.kept.at
    }

    /// What happened, in the shape of its kind.
    async fn body(&self) -> Result<Json<Box<RawValue>>> {
        if !self.is_current() {
            let read = self.kept.read().map_err(|it| from_fault(&it))?;
            return json(&Kept::from(&read).stored.body);
        }
        json(&self.kept.stored.body)
    }

    /// What happened, in a line for people.
    async fn line(&self) -> Result<String> {
        self.kept.read().map(|it| tell(&it.event)).map_err(|it| from_fault(&it))
    }

    /// The event that this one followed from; none where a person caused it.
    async fn caused_by(&self) -> Option<ID> {
        self.kept.caused_by.map(|it| ID(it.to_string()))
    }
}

impl Plain for Event {
    fn plain(field: &str) -> Option<Write<Event>> {
        Some(match field {
            "__typename" => |_, to| json_of("Event", to),
            "id" => |it, to| json_of(&it.kept.id, to),
            "debateId" => |it, to| json_of(&it.kept.debate.0, to),
            "version" => |it, to| json_of(&it.kept.version, to),
            "position" => |it, to| write!(to, "\"{}.{}\"", it.kept.lane, it.kept.position).ok(),
            "cursor" => |it, to| json_of(&it.cursor.as_deref(), to),
            "kind" => |it, to| json_of(&it.kept.stored.kind, to),
            "at" => |it, to| json_of(&it.kept.at.to_rfc3339(), to),
            "body" => Event::write_body,
            "causedBy" => |it, to| json_of(&it.kept.caused_by, to),
            _ => return None,
        })
    }
}

/// A body as it is stored: nothing is gained by taking it apart and putting it together again.
fn json(body: &[u8]) -> Result<Json<Box<RawValue>>> {
    serde_json::from_slice(body).map(Json).map_err(|it| from_fault(&Fault::json("read the body of an event")(it)))
}

impl Event {
    /// Writes its body where that is in today's shape.
    fn write_body(&self, to: &mut Vec<u8>) -> Option<()> {
        let body: &RawValue = serde_json::from_slice(&self.kept.stored.body).ok().filter(|_| self.is_current())?;
        to.extend_from_slice(body.get().as_bytes());
        Some(())
    }

    /// Whether its body is in today's shape of its kind.
    fn is_current(&self) -> bool {
        self.kept.stored.schema >= current_schema(&self.kept.stored.kind)
    }

    /// An event of the whole log, and the cursor behind it.
    pub fn behind(recorded: &Recorded, cursor: &Cursor) -> Event {
        Event { cursor: Some(cursor.to_string().into()), ..Event::from(recorded) }
    }
}

impl From<&Recorded> for Event {
    fn from(recorded: &Recorded) -> Self {
        Event::from(Kept::from(recorded))
    }
}

impl From<Kept> for Event {
    fn from(kept: Kept) -> Self {
        Event { kept: Arc::new(kept), cursor: None }
    }
}

/// A part of a debate's events, or of the log.
#[derive(SimpleObject)]
pub struct EventConnection {
    /// The events, each with its cursor.
    edges: Vec<EventEdge>,
    /// The events alone.
    nodes: Items<Event>,
    /// Whether there are more, and where.
    page_info: PageInfo,
    /// How many there are in all, whatever the page. Of the whole log none where only some kinds are asked for: nobody has
    /// counted those.
    total_count: Option<i64>,
}

/// An event in a list.
#[derive(SimpleObject)]
pub struct EventEdge {
    /// Its place in this list, for `after` and `before`.
    cursor: String,
    /// The event.
    node: Event,
}

impl EventConnection {
    /// A part of a list: events with their cursors, and what else there is.
    pub fn new(events: Vec<(String, Event)>, page_info: PageInfo, total_count: Option<i64>) -> Self {
        EventConnection {
            nodes: Items(events.iter().map(|it| it.1.clone()).collect()),
            edges: events.into_iter().map(|(cursor, node)| EventEdge { cursor, node }).collect(),
            page_info,
            total_count,
        }
    }
}
