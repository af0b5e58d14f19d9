//! Conversion between [`Event`] and its stored form: kind, schema and body. The only code that knows stored JSON.

use std::fmt::Display;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::Error;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::events::event::{Event, Opaque, Recorded};
use crate::events::ids::DebateId;
use crate::events::upcast;

/// Event in its stored form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedEvent {
    /// Wire name of the kind.
    pub kind: String,
    /// Schema number of the body.
    pub schema: i16,
    /// The body: one JSON value, UTF-8.
    pub body: Vec<u8>,
}

/// Error for a stored body that does not match its kind and schema.
#[derive(Debug, thiserror::Error)]
#[error("the stored body of a {kind} event (schema {schema}) cannot be read: {source}")]
pub struct DecodeError {
    /// Wire name of the kind.
    pub kind: String,
    /// Schema number of the body.
    pub schema: i16,
    /// The deserialization error.
    pub source: serde_json::Error,
}

/// Encodes an event for storage, in the current schema of its kind.
pub fn encode(event: &Event) -> EncodedEvent {
    let body = event.encode_body().expect("bodies serialize: their maps have string keys");
    EncodedEvent { kind: event.kind().to_owned(), schema: event.schema(), body }
}

/// Event with its metadata as JSON for clients: the command line, event streams, exports and GraphQL.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventJson {
    /// Id of the event.
    pub id: Uuid,
    /// The debate to whose stream it belongs.
    pub debate_id: DebateId,
    /// Version in the stream.
    pub version: i64,
    /// Position in the log: lane and position.
    pub position: String,
    /// Wire name of the kind.
    pub kind: String,
    /// Time at which the database recorded it.
    pub at: DateTime<Utc>,
    /// The event that caused it.
    pub caused_by: Option<Uuid>,
    /// Body of the event, as stored.
    pub body: Box<RawValue>,
}

/// Converts a recorded event to its client form.
pub fn to_event_json(recorded: &Recorded) -> EventJson {
    let stored = encode(&recorded.event);
    let body = String::from_utf8(stored.body).ok().and_then(|text| RawValue::from_string(text).ok());
    EventJson {
        id: recorded.id,
        debate_id: recorded.debate,
        version: recorded.version,
        position: format!("{}.{}", recorded.lane, recorded.position),
        kind: stored.kind,
        at: recorded.at,
        caused_by: recorded.caused_by,
        body: body.expect("bodies are encoded as UTF-8 JSON"),
    }
}

/// Creates the error for a body that is unreadable for another reason, such as failed decryption.
pub fn decode_error(kind: &str, schema: i16, reason: impl Display) -> DecodeError {
    DecodeError { kind: kind.to_owned(), schema, source: serde_json::Error::custom(reason) }
}

/// Decodes a stored event. A kind or schema newer than this program is returned as [`Event::Opaque`].
///
/// # Errors
/// [`DecodeError`] if the body is not JSON, or does not have the shape that its kind and schema define.
pub fn decode(kind: &str, schema: i16, body: &[u8]) -> Result<Event, DecodeError> {
    let damaged = |source| DecodeError { kind: kind.to_owned(), schema, source };
    let opaque = |body: &[u8]| {
        let body = serde_json::from_slice(body)?;
        Ok(Event::Opaque(Opaque { kind: kind.to_owned(), schema, body }))
    };
    let lifted = |body: &[u8]| serde_json::to_vec(&upcast::lift(kind, schema, serde_json::from_slice(body)?));
    let event = match Event::current_schema(kind) {
        Some(current) if schema == current => Event::decode_body(kind, body),
        Some(current) if schema < current => Event::decode_body(kind, &lifted(body).map_err(damaged)?),
        _ => None,
    };
    event.unwrap_or_else(|| opaque(body)).map_err(damaged)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::events::lifecycle::PhaseEntered;

    #[test]
    fn events_round_trip_through_the_stored_form() {
        let event = Event::PhaseEntered(PhaseEntered::new("opening", Some(1), None));
        let stored = encode(&event);
        assert_eq!((stored.kind.as_str(), stored.schema), ("phase_entered", 1));
        assert_eq!(stored.body, br#"{"phase":"opening","round":1}"#);
        assert_eq!(decode(&stored.kind, stored.schema, &stored.body).ok(), Some(event));
    }

    #[test]
    fn newer_kinds_and_schemas_are_preserved_unchanged() {
        for (kind, schema) in [("moon_landed", 1), ("phase_entered", 9)] {
            let event = decode(kind, schema, br#"{"x":1}"#).expect("opaque");
            assert_eq!(event, Event::Opaque(Opaque { kind: kind.into(), schema, body: json!({"x": 1}) }));
            assert_eq!(encode(&event), EncodedEvent { kind: kind.into(), schema, body: br#"{"x":1}"#.to_vec() });
        }
    }

    #[test]
    fn malformed_bodies_are_refused() {
        for body in [&b"{"[..], b"{\"phase\":1}", b"", b"\xff", b"{}}"] {
            assert!(decode("phase_entered", 1, body).is_err());
        }
    }
}
