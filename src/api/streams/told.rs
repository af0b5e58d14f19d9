//! A response of a stream, written once.

use std::sync::Arc;
use std::time::Instant;

use async_graphql::Response;

use crate::api::guard::refused;
use crate::api::streams::place::Place;

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
        let body = json(response);
        let is_refused = response.is_err() && response.data == async_graphql::Value::Null;
        Told { place, body, refused: is_refused.then(|| json(&response.errors)), at: Instant::now() }
    }

    /// An error of our own, which ends its stream.
    pub fn error(place: Place, message: &str, code: &'static str) -> Told {
        Told::new(place, &Response::from_errors(vec![refused(message, code)]))
    }
}

fn json(value: &impl serde::Serialize) -> Arc<str> {
    const UNTOLD: &str = r#"{"data":null,"errors":[{"message":"the response could not be written"}]}"#;
    serde_json::to_string(value).map_or_else(|_| UNTOLD.into(), Into::into)
}
