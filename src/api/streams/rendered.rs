//! A response of a stream, serialized once for all subscribers.

use std::sync::Arc;
use std::time::Instant;

use async_graphql::Response;

use crate::api::execution::admission::refused;
use crate::api::json::response_json;
use crate::api::streams::position::Position;

/// Serialized response, as every transport sends it.
#[derive(Clone, Debug)]
pub struct RenderedResponse {
    /// Position in the stream after this response.
    pub position: Position,
    /// Whole response as JSON, in one line.
    pub body: Arc<str>,
    /// Errors as JSON, if nothing was executed.
    pub refused: Option<Arc<str>>,
    /// Time at which it was serialized.
    pub at: Instant,
}

impl RenderedResponse {
    /// Serializes a response.
    pub fn new(position: Position, response: &Response) -> RenderedResponse {
        let body = text(response_json::json(response));
        let is_refused = response.is_err() && response.data == async_graphql::Value::Null;
        RenderedResponse {
            position,
            body,
            refused: is_refused.then(|| text(serde_json::to_vec(&response.errors))),
            at: Instant::now(),
        }
    }

    /// Builds an error response, which ends its stream.
    pub fn error(position: Position, message: &str, code: &'static str) -> RenderedResponse {
        RenderedResponse::new(position, &Response::from_errors(vec![refused(message, code)]))
    }
}

fn text(json: serde_json::Result<Vec<u8>>) -> Arc<str> {
    const UNSERIALIZABLE: &str = r#"{"data":null,"errors":[{"message":"the response could not be serialized"}]}"#;
    let text = json.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.map_or_else(|| UNSERIALIZABLE.into(), Into::into)
}
