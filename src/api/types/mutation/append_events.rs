//! Input and payload of `appendEvents`.

use async_graphql::{ID, InputObject, SimpleObject};
use serde_json::Value;
use uuid::Uuid;

use crate::api::types::debate::debate::Debate;
use crate::api::types::event::Event;
use faultline_service::append::EventInput;

/// Input of `appendEvents`.
#[derive(InputObject)]
pub struct AppendEventsInput {
    /// Id of the debate; chosen by the client if the first event opens it.
    pub debate_id: ID,
    /// Latest version of the debate that the client knows; 0 if it does not exist yet.
    pub expected_version: i64,
    /// Events in order.
    pub events: Vec<AppendEventInput>,
}

/// Event that an external orchestrator appends.
#[derive(InputObject)]
#[graphql(name = "EventInput")]
pub struct AppendEventInput {
    /// Id of the event, a UUID chosen by the client. Repeating a call with the same ids records nothing twice.
    pub id: ID,
    /// Kind of the event, such as `turn_taken`.
    pub kind: String,
    /// Content of the event, in the schema of its kind.
    pub body: Value,
    /// Event that caused this one: an event of the debate, or an earlier one of the same call.
    pub caused_by: Option<ID>,
}

/// Result of `appendEvents`.
#[derive(SimpleObject)]
pub struct AppendEventsPayload {
    /// The debate, including the appended events.
    pub debate: Debate,
    /// Version of the debate after the append; the next append expects it.
    pub version: i64,
    /// The recorded events, in the given order.
    pub events: Vec<Event>,
    /// True if the events had been recorded before and nothing was appended.
    pub repeated: bool,
}

impl AppendEventInput {
    /// Converts the input to the event that the service appends.
    ///
    /// # Errors
    /// A message if an id is not a UUID.
    pub fn into_external_event(self) -> Result<EventInput, String> {
        let read = |id: &ID| {
            let excerpt: String = id.chars().take(64).collect();
            Uuid::parse_str(id).map_err(|_| format!("{excerpt:?} is not an event id; use a UUID"))
        };
        let (id, caused_by) = (read(&self.id)?, self.caused_by.as_ref().map(read).transpose()?);
        Ok(EventInput { id, kind: self.kind, body: self.body, caused_by })
    }
}
