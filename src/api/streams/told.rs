//! A response of a stream, written once.

use std::sync::Arc;
use std::time::Instant;

use async_graphql::Response;

use crate::api::guard::refused;
use crate::api::streams::place::Place;
use crate::api::written;

/// A response, as every transport sends it.
#[derive(Clone, Debug)]
pub struct Told {
    /// Where it leaves its reader.
    pub place: Place,
    /// The whole response as JSON, in one line.
    pub body: Arc<str>,
    /// Where nothing was executed: the errors alone, as JSON.
    pub refused: Option<Arc<str>>,
    /// When it was written.
    pub at: Instant,
}

impl Told {
    /// Writes a response down.
    pub fn new(place: Place, response: &Response) -> Told {
        let body = text(written::json(response));
        let is_refused = response.is_err() && response.data == async_graphql::Value::Null;
        Told {
            place,
            body,
            refused: is_refused.then(|| text(serde_json::to_vec(&response.errors))),
            at: Instant::now(),
        }
    }

    /// An error of our own, which ends its stream.
    pub fn error(place: Place, message: &str, code: &'static str) -> Told {
        Told::new(place, &Response::from_errors(vec![refused(message, code)]))
    }
}

fn text(written: serde_json::Result<Vec<u8>>) -> Arc<str> {
    const UNTOLD: &str = r#"{"data":null,"errors":[{"message":"the response could not be written"}]}"#;
    let text = written.ok().and_then(|it| String::from_utf8(it).ok());
    text.map_or_else(|| UNTOLD.into(), Into::into)
}
