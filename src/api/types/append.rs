//! Events from outside, and what became of them.

use async_graphql::{ID, InputObject, SimpleObject};
use serde_json::Value;
use uuid::Uuid;

use crate::api::types::debate::Debate;
use crate::api::types::event::Event;
use crate::desk::append::Given;

/// An event that an orchestrator outside appends.
#[derive(InputObject)]
pub struct EventInput {
    /// Its own name, a UUID that the client draws. Asking again with the same ids records nothing twice.
    pub id: ID,
    /// What kind of event: `turn_taken`.
    pub kind: String,
    /// What happened, in the shape of its kind.
    pub body: Value,
    /// The event that this one followed from: one of the debate, or an earlier one of the same call.
    pub caused_by: Option<ID>,
}

/// What became of an append.
#[derive(SimpleObject)]
pub struct AppendResult {
    /// The debate as it is now, the events included.
    pub debate: Debate,
    /// The version at which the debate stands now; the next append expects it.
    pub version: i64,
    /// The events as they are recorded, in the order in which they were given.
    pub events: Vec<Event>,
    /// Whether they had been recorded before: then nothing was appended.
    pub repeated: bool,
}

impl EventInput {
    /// The same, as the desk is asked; else what is wrong with a name.
    ///
    /// # Errors
    /// Which id is none.
    pub fn given(self) -> Result<Given, String> {
        let read = |id: &ID| {
            let excerpt: String = id.chars().take(64).collect();
            Uuid::parse_str(id).map_err(|_| format!("{excerpt:?} is no event id, which is a UUID"))
        };
        let (id, caused_by) = (read(&self.id)?, self.caused_by.as_ref().map(read).transpose()?);
        Ok(Given { id, kind: self.kind, body: self.body, caused_by })
    }
}
