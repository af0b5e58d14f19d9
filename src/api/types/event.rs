//! GraphQL types of an event and of pages of events.

use std::borrow::Cow;
use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use async_graphql::connection::PageInfo;
use async_graphql::{Error, ID, Json, Object, Result, SimpleObject};
use chrono::{DateTime, Utc};
use serde_json::value::RawValue;

use crate::api::error::from_fault;
use crate::api::json::direct_json::{DirectJson, List, Write, json as json_of};
use crate::api::types::debate_object::DebateObject;
use crate::api::types::event_content::content::EventContent;
use faultline_core::events::event::{Event as Inner, Recorded};
use faultline_store::error::StoreError;
use faultline_store::lanes::Cursor;
use faultline_store::log::stored_event::StoredEvent;

/// An immutable event of a debate.
#[derive(Clone)]
pub struct Event {
    kept: Arc<StoredEvent>,
    /// Cursor after this event, when reading the log.
    cursor: Option<Arc<str>>,
    /// Unique id, written on first use.
    id: OnceLock<ID>,
}

/// An immutable event of a debate.
#[Object]
impl Event {
    /// Unique id, also accepted by `node`: that of the debate, and the version.
    pub(crate) async fn id(&self) -> &ID {
        self.id.get_or_init(|| ID(format!("{}:{}", self.kept.debate, DebateObject::Event(self.kept.version))))
    }

    /// Id under which it was recorded, a UUID. `EventInput.id` and `causedBy` contain such ids.
    async fn record_id(&self) -> ID {
        ID(self.kept.id.to_string())
    }

    /// Id of the debate.
    async fn debate_id(&self) -> ID {
        ID(self.kept.debate.to_string())
    }

    /// Version: its sequence number in the debate, from 1 without gaps. To resume, pass the last version received as
    /// `after`.
    async fn version(&self) -> i64 {
        self.kept.version
    }

    /// Position in the log: lane and sequence number.
    async fn position(&self) -> String {
        format!("{}.{}", self.kept.lane, self.kept.position)
    }

    /// Cursor after this event, from which `log` continues. Null when reading a single debate.
    async fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Kind of the event, such as `turn_taken`.
    async fn kind(&self) -> &str {
        &self.kept.stored.kind
    }

    /// Time at which the database recorded it.
    async fn at(&self) -> DateTime<Utc> {
        self.kept.at
    }

    /// Content as JSON, in the schema of its kind.
    async fn body(&self) -> Result<Json<Box<RawValue>>> {
        serde_json::from_slice(&self.current_body()?).map(Json).map_err(unreadable)
    }

    /// Content, with a type for each kind. Null if this version of the service does not know the kind, or its schema.
    async fn content(&self) -> Result<Option<EventContent>> {
        let stored = &self.kept.stored;
        if Inner::current_schema(&stored.kind).is_some_and(|current| stored.schema > current) {
            return Ok(None);
        }
        EventContent::read(&self.kept.stored.kind, &self.current_body()?).map_err(unreadable)
    }

    /// One-line summary for people.
    async fn summary(&self) -> Result<String> {
        self.kept.read().map(|record| record.event.summary()).map_err(|error| from_fault(&error))
    }

    /// `recordId` of the event that caused this one; null if a person caused it.
    async fn caused_by(&self) -> Option<ID> {
        self.kept.caused_by.map(|cause| ID(cause.to_string()))
    }
}

impl DirectJson for Event {
    fn plain(field: &str) -> Option<Write<Event>> {
        Some(match field {
            "__typename" => |_, to| json_of("Event", to),
            "id" => |event, to| {
                let kept = &event.kept;
                write!(to, "\"{}:{}\"", kept.debate, DebateObject::Event(kept.version)).ok()
            },
            "recordId" => |event, to| json_of(&event.kept.id, to),
            "debateId" => |event, to| json_of(&event.kept.debate.0, to),
            "version" => |event, to| json_of(&event.kept.version, to),
            "position" => |event, to| write!(to, "\"{}.{}\"", event.kept.lane, event.kept.position).ok(),
            "cursor" => |event, to| json_of(&event.cursor.as_deref(), to),
            "kind" => |event, to| json_of(&event.kept.stored.kind, to),
            "at" => |event, to| json_of(&event.kept.at.to_rfc3339(), to),
            "body" => Event::write_body,
            "causedBy" => |event, to| json_of(&event.kept.caused_by, to),
            _ => return None,
        })
    }
}

fn unreadable(error: serde_json::Error) -> Error {
    from_fault(&StoreError::json("read the body of an event")(error))
}

impl Event {
    /// Writes the body, if it has the current schema of its kind.
    fn write_body(&self, to: &mut Vec<u8>) -> Option<()> {
        let body: &RawValue = serde_json::from_slice(&self.kept.stored.body).ok().filter(|_| self.is_current())?;
        to.extend_from_slice(body.get().as_bytes());
        Some(())
    }

    /// Returns the body in the current schema of its kind.
    fn current_body(&self) -> Result<Cow<'_, [u8]>> {
        if self.is_current() {
            return Ok(Cow::Borrowed(&self.kept.stored.body));
        }
        let read = self.kept.read().map_err(|error| from_fault(&error))?;
        Ok(Cow::Owned(StoredEvent::from(&read).stored.body))
    }

    /// Returns true if the body has the current schema of its kind.
    fn is_current(&self) -> bool {
        let stored = &self.kept.stored;
        Inner::current_schema(&stored.kind).is_none_or(|current| stored.schema >= current)
    }

    /// Builds an event of the log with the cursor after it.
    pub fn behind(recorded: &Recorded, cursor: &Cursor) -> Event {
        Event { cursor: Some(cursor.to_string().into()), ..Event::from(recorded) }
    }
}

impl From<&Recorded> for Event {
    fn from(recorded: &Recorded) -> Self {
        Event::from(StoredEvent::from(recorded))
    }
}

impl From<StoredEvent> for Event {
    fn from(kept: StoredEvent) -> Self {
        Event { kept: Arc::new(kept), cursor: None, id: OnceLock::new() }
    }
}

/// A page of the events of a debate, or of the log.
#[derive(SimpleObject)]
pub struct EventConnection {
    /// Events with their cursors.
    edges: Vec<EventEdge>,
    /// Events without their cursors.
    nodes: List<Event>,
    /// Page information.
    page_info: PageInfo,
    /// Total number of events in the list. Null for the log restricted to some kinds, which are not counted.
    total_count: Option<i64>,
}

/// An event in a list.
#[derive(SimpleObject)]
pub struct EventEdge {
    /// Cursor for `after` and `before` in this list.
    cursor: String,
    /// The event.
    node: Event,
}

impl EventConnection {
    /// Builds a page of events with their cursors.
    pub fn new(events: Vec<(String, Event)>, page_info: PageInfo, total_count: Option<i64>) -> Self {
        EventConnection {
            nodes: List(events.iter().map(|entry| entry.1.clone()).collect()),
            edges: events.into_iter().map(|(cursor, node)| EventEdge { cursor, node }).collect(),
            page_info,
            total_count,
        }
    }
}
