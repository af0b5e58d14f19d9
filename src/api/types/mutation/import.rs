//! Input and payload of `importDebate`.

use async_graphql::{InputObject, Json, SimpleObject};
use serde_json::Value;

use crate::api::types::debate::debate::Debate;

/// Input of `importDebate`.
#[derive(InputObject)]
pub struct ImportDebateInput {
    /// JSON of the file: an object, an array of events, or the whole text as a string.
    pub document: Json<Value>,
    /// True to accept a Faultline export that was edited. It becomes a debate of its own, whose stances, concessions
    /// and agreements are shown as reported and not counted.
    #[graphql(default)]
    pub edited: bool,
}

/// Result of `importDebate`.
#[derive(SimpleObject)]
pub struct ImportDebatePayload {
    /// The imported debate.
    pub debate: Debate,
}
