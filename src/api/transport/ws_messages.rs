//! Messages of the `graphql-transport-ws` protocol: those of the client, those of the service, and close codes.

use async_graphql::Request;
use serde::Serialize;
use serde_json::Value;

use crate::api::admission::tokens::AccessDenied;
use crate::api::transport::request::from_value;

/// Name of the sub-protocol.
pub const PROTOCOL: &str = "graphql-transport-ws";
/// Maximum length of an operation id, in bytes.
pub const MAX_ID_BYTES: usize = 128;

/// Message from a client.
#[derive(Debug)]
pub enum ClientMessage {
    /// `connection_init`, with the credentials if the payload contains any.
    Init(Option<String>),
    /// `ping`.
    Ping,
    /// `pong`.
    Pong,
    /// `subscribe`: id and request of an operation.
    Subscribe(String, Box<Request>),
    /// `complete`: id of the operation to stop.
    Complete(String),
}

/// Reason for closing a socket, with the close code of the protocol. Each reason fits into a close frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CloseCode {
    /// The message is malformed.
    #[error("{0}")]
    Invalid(&'static str),
    /// An operation was sent before `connection_init`.
    #[error("send connection_init before any operation")]
    Unauthorized,
    /// The credentials in `connection_init` were denied.
    #[error("{0}")]
    Forbidden(AccessDenied),
    /// The client asked for another sub-protocol.
    #[error("unsupported sub-protocol; use graphql-transport-ws")]
    Protocol,
    /// `connection_init` did not arrive in time.
    #[error("connection_init did not arrive in time")]
    InitTimeout,
    /// The operation id is in use.
    #[error("an operation with this id is already running")]
    Duplicate,
    /// `connection_init` was sent twice.
    #[error("connection_init was sent more than once")]
    InitTwice,
    /// The client stopped reading, or does not answer pings.
    #[error("too slow: nothing was read or answered for too long; reconnect and resume from the last cursor")]
    TooSlow,
    /// The client sends too many pings.
    #[error("too many pings; send one every few seconds")]
    Flood,
    /// The service is shutting down.
    #[error("the service is shutting down; reconnect and resume from the last cursor")]
    GoingAway,
}

impl CloseCode {
    /// Returns the close code.
    pub fn code(self) -> u16 {
        match self {
            CloseCode::Invalid(_) => 4400,
            CloseCode::Unauthorized => 4401,
            CloseCode::Forbidden(_) => 4403,
            CloseCode::Protocol => 4406,
            CloseCode::InitTimeout => 4408,
            CloseCode::Duplicate => 4409,
            CloseCode::TooSlow => 4410,
            CloseCode::InitTwice => 4429,
            CloseCode::Flood => 4413,
            CloseCode::GoingAway => 1001,
        }
    }

    /// Returns the name used as a metric label.
    pub fn name(self) -> &'static str {
        match self {
            CloseCode::Invalid(_) => "invalid",
            CloseCode::Unauthorized => "unauthorized",
            CloseCode::Forbidden(_) => "forbidden",
            CloseCode::Protocol => "protocol",
            CloseCode::InitTimeout => "init_timeout",
            CloseCode::Duplicate => "duplicate",
            CloseCode::TooSlow => "too_slow",
            CloseCode::InitTwice => "init_twice",
            CloseCode::Flood => "flood",
            CloseCode::GoingAway => "going_away",
        }
    }
}

/// Parses a message from a client.
///
/// # Errors
/// [`CloseCode::Invalid`] if the message is malformed; it states the problem.
pub fn read(text: &str) -> Result<ClientMessage, CloseCode> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(text) else {
        return Err(CloseCode::Invalid("the message must be a JSON object"));
    };
    let mut take = |name: &str| fields.remove(name).filter(|value| !value.is_null());
    let Some(Value::String(kind)) = take("type") else {
        return Err(CloseCode::Invalid("the message must have a string `type`"));
    };
    let (id, payload) = (take("id"), take("payload"));
    match kind.as_str() {
        "connection_init" | "ping" | "pong" if payload.as_ref().is_some_and(|payload| !payload.is_object()) => {
            Err(CloseCode::Invalid("`payload` must be an object"))
        }
        "connection_init" => Ok(ClientMessage::Init(payload.and_then(credentials))),
        "ping" => Ok(ClientMessage::Ping),
        "pong" => Ok(ClientMessage::Pong),
        "complete" => Ok(ClientMessage::Complete(name(id)?)),
        "subscribe" => {
            let id = name(id)?;
            let request = from_value(payload.unwrap_or_default());
            let request = request.map_err(|_| CloseCode::Invalid("`payload` is not a GraphQL request"))?;
            Ok(ClientMessage::Subscribe(id, Box::new(request)))
        }
        _ => Err(CloseCode::Invalid("unknown message type")),
    }
}

/// Reads the credentials from the payload of `connection_init`: `{"authorization": "Bearer TOKEN"}` or
/// `{"token": "TOKEN"}`.
fn credentials(payload: Value) -> Option<String> {
    let Value::Object(fields) = payload else { return None };
    let credentials = ["authorization", "Authorization", "token"].iter().find_map(|name| fields.get(*name));
    credentials.and_then(Value::as_str).map(str::to_owned)
}

fn name(id: Option<Value>) -> Result<String, CloseCode> {
    match id {
        Some(Value::String(id)) if !id.is_empty() && id.len() <= MAX_ID_BYTES => Ok(id),
        _ => Err(CloseCode::Invalid("`id` must be a string of 1 to 128 bytes")),
    }
}

/// Message to a client, except `next` and `error`, which are built from serialized JSON.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    /// `connection_ack`.
    ConnectionAck,
    /// `pong`.
    Pong,
    /// `complete`: the operation is over.
    Complete {
        /// Operation id.
        id: &'a str,
    },
}

/// Returns the beginning of every `next` message for an operation.
pub fn beginning(id: &str) -> Box<str> {
    head("next", id).into()
}

/// Builds a `next` message from its beginning and a serialized response. This is the only work per subscriber.
pub fn next(beginning: &str, body: &str) -> String {
    [beginning, body, "}"].concat()
}

/// Builds an `error` message, which ends the operation, from serialized errors.
pub fn error(id: &str, errors: &str) -> String {
    [&head("error", id), errors, "}"].concat()
}

fn head(kind: &str, id: &str) -> String {
    let id = Value::String(id.to_owned());
    format!(r#"{{"type":"{kind}","id":{id},"payload":"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docs_list_every_close_code() {
        let page = include_str!("../../../docs/subscriptions.md");
        let all = [
            CloseCode::Invalid(""),
            CloseCode::Unauthorized,
            CloseCode::Forbidden(AccessDenied::Unknown),
            CloseCode::Protocol,
            CloseCode::InitTimeout,
            CloseCode::Duplicate,
            CloseCode::InitTwice,
            CloseCode::TooSlow,
            CloseCode::Flood,
            CloseCode::GoingAway,
        ];
        for close in all {
            assert!(page.contains(&format!("\n| {} | ", close.code())), "docs/subscriptions.md lacks {}", close.code());
        }
    }

    #[test]
    fn client_messages_are_parsed_or_refused() {
        let outcome = |text: &str| match read(text) {
            Ok(ClientMessage::Subscribe(id, request)) => format!("subscribe {id} {}", request.query),
            Ok(message) => format!("{message:?}"),
            Err(close) => close.code().to_string(),
        };
        let cases = [
            (r#"{"type":"connection_init"}"#, "Init(None)"),
            (r#"{"type":"connection_init","payload":null}"#, "Init(None)"),
            (r#"{"type":"connection_init","payload":{"a":1}}"#, "Init(None)"),
            (r#"{"type":"connection_init","payload":{"token":"a.b"}}"#, r#"Init(Some("a.b"))"#),
            (r#"{"type":"connection_init","payload":{"authorization":"Bearer a.b"}}"#, r#"Init(Some("Bearer a.b"))"#),
            (r#"{"type":"connection_init","payload":"a"}"#, "4400"),
            (r#"{"type":"ping"}"#, "Ping"),
            (r#"{"type":"pong","payload":{}}"#, "Pong"),
            (r#"{"type":"ping","payload":1}"#, "4400"),
            (r#"{"type":"subscribe","id":"a","payload":{"query":"{ a }"}}"#, "subscribe a { a }"),
            (r#"{"type":"subscribe","id":"","payload":{"query":"{ a }"}}"#, "4400"),
            (r#"{"type":"subscribe","id":7,"payload":{"query":"{ a }"}}"#, "4400"),
            (r#"{"type":"subscribe","payload":{"query":"{ a }"}}"#, "4400"),
            (r#"{"type":"subscribe","id":"a","payload":{}}"#, "4400"),
            (r#"{"type":"subscribe","id":"a"}"#, "4400"),
            (r#"{"type":"complete","id":"a"}"#, r#"Complete("a")"#),
            (r#"{"type":"complete"}"#, "4400"),
            (r#"{"type":"start"}"#, "4400"),
            (r#"{"type":1}"#, "4400"),
            (r#"{}"#, "4400"),
            ("[]", "4400"),
            ("{", "4400"),
        ];
        for (text, expected) in cases {
            assert_eq!(outcome(text), expected, "{text}");
        }
        assert_eq!(outcome(&format!(r#"{{"type":"complete","id":"{}"}}"#, "a".repeat(MAX_ID_BYTES + 1))), "4400");
    }

    #[test]
    fn server_messages_conform_to_the_protocol() {
        let text = |answer: &ServerMessage<'_>| serde_json::to_string(answer).expect("JSON");
        assert_eq!(text(&ServerMessage::ConnectionAck), r#"{"type":"connection_ack"}"#);
        assert_eq!(text(&ServerMessage::Pong), r#"{"type":"pong"}"#);
        assert_eq!(text(&ServerMessage::Complete { id: "a" }), r#"{"type":"complete","id":"a"}"#);
        assert_eq!(next(&beginning("a\""), r#"{"data":1}"#), r#"{"type":"next","id":"a\"","payload":{"data":1}}"#);
        assert_eq!(error("a", r#"[{"message":"no"}]"#), r#"{"type":"error","id":"a","payload":[{"message":"no"}]}"#);
    }

    #[test]
    fn every_close_reason_fits_into_a_close_frame() {
        use CloseCode::{Duplicate, Flood, GoingAway, InitTimeout, InitTwice, Protocol, TooSlow, Unauthorized};
        let denied = [AccessDenied::Missing, AccessDenied::Unknown, AccessDenied::Busy].map(CloseCode::Forbidden);
        let all = [Unauthorized, Protocol, InitTimeout, Duplicate, TooSlow, Flood, InitTwice, GoingAway];
        for close in all.into_iter().chain(denied) {
            assert!(close.to_string().len() <= 123, "{close}");
        }
    }
}
