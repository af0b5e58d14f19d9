//! The messages of `graphql-transport-ws`: what a client sends, and how the service answers.

use async_graphql::Request;
use serde::Serialize;
use serde_json::Value;

use crate::api::request::from_value;
use crate::api::tokens::Denied;

/// The sub-protocol's name.
pub const PROTOCOL: &str = "graphql-transport-ws";
/// The longest name that a client may give an operation, in bytes.
pub const MAX_ID_BYTES: usize = 128;

/// What a client says.
#[derive(Debug)]
pub enum Said {
    /// Hello, and perhaps who it is.
    Init(Option<String>),
    /// Are you there?
    Ping,
    /// I am.
    Pong,
    /// Execute this, under this name.
    Subscribe(String, Box<Request>),
    /// No more of this.
    Complete(String),
}

/// Why a socket is closed, as the protocol numbers it. No reason is longer than a close frame can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Close {
    /// What was said cannot be understood.
    #[error("{0}")]
    Invalid(&'static str),
    /// Nothing may be asked before hello.
    #[error("say connection_init first")]
    Unauthorized,
    /// Whoever said hello may not come in.
    #[error("{0}")]
    Forbidden(Denied),
    /// Another protocol is spoken here.
    #[error("the sub-protocol is graphql-transport-ws")]
    Protocol,
    /// No hello in time.
    #[error("no connection_init came in time")]
    InitTimeout,
    /// Two operations under one name.
    #[error("an operation of this id is under way already")]
    Duplicate,
    /// Hello twice.
    #[error("connection_init came twice")]
    InitTwice,
    /// The client does not read, or does not answer.
    #[error("too slow: nothing was read or answered for a while; come back with your last cursor")]
    TooSlow,
    /// The client sends more pings than it may.
    #[error("too many pings: one every few seconds is enough")]
    Flood,
    /// The service stops.
    #[error("the service stops; come back with your last cursor")]
    GoingAway,
}

impl Close {
    /// Its number.
    pub fn code(self) -> u16 {
        match self {
            Close::Invalid(_) => 4400,
            Close::Unauthorized => 4401,
            Close::Forbidden(_) => 4403,
            Close::Protocol => 4406,
            Close::InitTimeout => 4408,
            Close::Duplicate => 4409,
            Close::TooSlow => 4410,
            Close::InitTwice => 4429,
            Close::Flood => 4413,
            Close::GoingAway => 1001,
        }
    }

    /// Its name among what is counted.
    pub fn name(self) -> &'static str {
        match self {
            Close::Invalid(_) => "invalid",
            Close::Unauthorized => "unauthorized",
            Close::Forbidden(_) => "forbidden",
            Close::Protocol => "protocol",
            Close::InitTimeout => "init_timeout",
            Close::Duplicate => "duplicate",
            Close::TooSlow => "too_slow",
            Close::InitTwice => "init_twice",
            Close::Flood => "flood",
            Close::GoingAway => "going_away",
        }
    }
}

/// Reads what a client said.
///
/// # Errors
/// [`Close::Invalid`], and what is wrong with it.
pub fn read(text: &str) -> Result<Said, Close> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(text) else {
        return Err(Close::Invalid("a message has to be a JSON object"));
    };
    let mut take = |name: &str| fields.remove(name).filter(|it| !it.is_null());
    let Some(Value::String(kind)) = take("type") else {
        return Err(Close::Invalid("a message has a type, which is a string"));
    };
    let (id, payload) = (take("id"), take("payload"));
    match kind.as_str() {
        "connection_init" | "ping" | "pong" if payload.as_ref().is_some_and(|it| !it.is_object()) => {
            Err(Close::Invalid("the payload has to be an object"))
        }
        "connection_init" => Ok(Said::Init(payload.and_then(credentials))),
        "ping" => Ok(Said::Ping),
        "pong" => Ok(Said::Pong),
        "complete" => Ok(Said::Complete(name(id)?)),
        "subscribe" => {
            let id = name(id)?;
            let request = from_value(payload.unwrap_or_default());
            let request = request.map_err(|_| Close::Invalid("the payload is no GraphQL request"))?;
            Ok(Said::Subscribe(id, Box::new(request)))
        }
        _ => Err(Close::Invalid("there is no message of this type")),
    }
}

/// What a hello says of who it is: `{"authorization": "Bearer TOKEN"}` or `{"token": "TOKEN"}`.
fn credentials(payload: Value) -> Option<String> {
    let Value::Object(fields) = payload else { return None };
    let told = ["authorization", "Authorization", "token"].iter().find_map(|it| fields.get(*it));
    told.and_then(Value::as_str).map(str::to_owned)
}

fn name(id: Option<Value>) -> Result<String, Close> {
    match id {
        Some(Value::String(id)) if !id.is_empty() && id.len() <= MAX_ID_BYTES => Ok(id),
        _ => Err(Close::Invalid("the id has to be a string of 1 to 128 bytes")),
    }
}

/// What the service says.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer<'a> {
    /// Hello.
    ConnectionAck,
    /// I am here.
    Pong,
    /// The operation of this name is over.
    Complete {
        /// The name.
        id: &'a str,
    },
}

/// How every response to the operation of this name begins.
pub fn beginning(id: &str) -> Box<str> {
    head("next", id).into()
}

/// A response that is written already, behind how it begins. It is the one thing that is done for each who hears it.
pub fn next(beginning: &str, body: &str) -> String {
    [beginning, body, "}"].concat()
}

/// The operation of this name was refused, and is over; why, written already.
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
    fn the_page_tells_every_code() {
        let page = include_str!("../../docs/subscriptions.md");
        let all = [
            Close::Invalid(""),
            Close::Unauthorized,
            Close::Forbidden(Denied::Unknown),
            Close::Protocol,
            Close::InitTimeout,
            Close::Duplicate,
            Close::InitTwice,
            Close::TooSlow,
            Close::Flood,
            Close::GoingAway,
        ];
        for close in all {
            assert!(page.contains(&format!("\n| {} | ", close.code())), "docs/subscriptions.md lacks {}", close.code());
        }
    }

    #[test]
    fn what_clients_say_is_understood_or_closed_upon() {
        let told = |text: &str| match read(text) {
            Ok(Said::Subscribe(id, request)) => format!("subscribe {id} {}", request.query),
            Ok(said) => format!("{said:?}"),
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
            assert_eq!(told(text), expected, "{text}");
        }
        assert_eq!(told(&format!(r#"{{"type":"complete","id":"{}"}}"#, "a".repeat(MAX_ID_BYTES + 1))), "4400");
    }

    #[test]
    fn answers_look_as_the_protocol_wants_them() {
        let text = |answer: &Answer<'_>| serde_json::to_string(answer).expect("JSON");
        assert_eq!(text(&Answer::ConnectionAck), r#"{"type":"connection_ack"}"#);
        assert_eq!(text(&Answer::Pong), r#"{"type":"pong"}"#);
        assert_eq!(text(&Answer::Complete { id: "a" }), r#"{"type":"complete","id":"a"}"#);
        assert_eq!(next(&beginning("a\""), r#"{"data":1}"#), r#"{"type":"next","id":"a\"","payload":{"data":1}}"#);
        assert_eq!(error("a", r#"[{"message":"no"}]"#), r#"{"type":"error","id":"a","payload":[{"message":"no"}]}"#);
    }

    #[test]
    fn every_reason_to_close_fits_a_frame() {
        use Close::{Duplicate, Flood, GoingAway, InitTimeout, InitTwice, Protocol, TooSlow, Unauthorized};
        let denied = [Denied::Missing, Denied::Unknown, Denied::Busy].map(Close::Forbidden);
        let all = [Unauthorized, Protocol, InitTimeout, Duplicate, TooSlow, Flood, InitTwice, GoingAway];
        for close in all.into_iter().chain(denied) {
            assert!(close.to_string().len() <= 123, "{close}");
        }
    }
}
