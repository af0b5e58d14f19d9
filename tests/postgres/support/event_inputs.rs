//! Inputs of events that an external engine appends.

use faultline_core::events::ids::DebateId;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::Client;

/// GraphQL mutation that appends events.
pub const APPEND: &str = "mutation ($id: ID!, $at: Int!, $events: [EventInput!]!) {
    appendEvents(input: { debateId: $id, expectedVersion: $at, events: $events }) {
        version repeated events { id: recordId version kind } debate { id status engine }
    }
}";

/// Builds an event with a new id.
pub fn event_input(kind: &str, body: Value) -> Value {
    json!({ "id": Uuid::now_v7(), "kind": kind, "body": body })
}

/// Builds a turn in the main channel.
pub fn turn_input(n: u32, speaker: &str, text: &str) -> Value {
    event_input("turn_taken", json!({ "turn": format!("t{n}"), "speaker": speaker, "moves": ["claim"], "text": text }))
}

/// Builds the first event, with two participants that have no persona file.
pub fn opening_input() -> Value {
    let persona = |id: &str| {
        json!({
            "id": id, "name": id.to_uppercase(), "about": "holds one side", "version": 1,
            "contract": {
                "personality": "calm", "bias": "none", "stakes": "none", "epistemology": "trials",
                "time_horizon": "a year", "flip_conditions": ["a trial"], "evidence_policy": "trials",
            },
            "voice": { "speech_patterns": [], "vocabulary": [], "forbidden_phrases": [] },
        })
    };
    event_input(
        "debate_opened",
        json!({
            "topic": "Should the library open on Sundays?", "engine": "external", "engine_revision": 1,
            "options": { "settings": { "by": "a test" } }, "participants": [persona("anna"), persona("basil")],
            "limits": {}, "seed": 7, "provider": "external",
        }),
    )
}

/// Appends events and returns the whole response.
pub async fn try_append(client: &Client, id: DebateId, at: i64, events: &[Value]) -> Value {
    client.query(APPEND, json!({ "id": id, "at": at, "events": events })).await
}

/// Appends events, expects success, and returns the result.
pub async fn append(client: &Client, id: DebateId, at: i64, events: &[Value]) -> Value {
    let mut answer = try_append(client, id, at, events).await;
    assert!(answer.get("errors").is_none(), "{answer}");
    answer["data"]["appendEvents"].take()
}
