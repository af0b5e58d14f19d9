//! Strict parsing of GraphQL requests, from JSON or from a query string.

use std::collections::BTreeMap;

use async_graphql::{Request, Value as GraphValue, Variables};
use serde_json::{Map, Value};

use crate::api::admission::persisted::{DOCUMENT_ID, PERSISTED_QUERY};
use crate::api::execution::admission::COST;

/// Parsed body of a POST request.
#[derive(Debug)]
pub enum RequestBody {
    /// Single request, answered by one response.
    One(Box<Request>),
    /// Batch of requests, answered by a list of responses.
    Batch(Vec<Request>),
}

/// Parses the body of a POST request. A list may contain at most `batch` requests; if `batch` is 1, lists are refused.
///
/// # Errors
/// A description of the problem.
pub fn from_json(body: &[u8], batch: usize) -> Result<RequestBody, String> {
    match serde_json::from_slice(body).map_err(|error| format!("the request body is not valid JSON: {error}"))? {
        Value::Array(_) if batch == 1 => Err("batching is disabled: send an object, not an array".to_owned()),
        Value::Array(all) if all.is_empty() => Err("the list of requests is empty".to_owned()),
        Value::Array(all) if all.len() > batch => Err(format!("a batch may contain at most {batch} requests")),
        Value::Array(all) => all.into_iter().map(from_value).collect::<Result<_, _>>().map(RequestBody::Batch),
        one => from_value(one).map(|request| RequestBody::One(Box::new(request))),
    }
}

/// Reads a request from parsed JSON.
///
/// # Errors
/// A description of the problem.
pub fn from_value(value: Value) -> Result<Request, String> {
    match value {
        Value::Object(fields) => from_fields(fields),
        _ => Err("the request must be a JSON object".to_owned()),
    }
}

/// Reads a request from the parameters of a GET request.
///
/// # Errors
/// A description of the problem.
pub fn from_parameters(parameters: BTreeMap<String, String>) -> Result<Request, String> {
    let mut fields = Map::new();
    for (name, text) in parameters {
        let value = match name.as_str() {
            "variables" | "extensions" => {
                serde_json::from_str(&text).map_err(|error| format!("`{name}` is not valid JSON: {error}"))?
            }
            _ => Value::String(text),
        };
        fields.insert(name, value);
    }
    from_fields(fields)
}

fn from_fields(mut fields: Map<String, Value>) -> Result<Request, String> {
    let mut take = |name: &str| fields.remove(name).filter(|value| !value.is_null());
    let mut extensions = match take("extensions") {
        Some(Value::Object(extensions)) => extensions,
        Some(_) => return Err("`extensions` must be an object".to_owned()),
        None => Map::new(),
    };
    // Only known extensions are kept; the admission control reads their values.
    extensions.retain(|name, _| [PERSISTED_QUERY, COST].contains(&name.as_str()));
    extensions.extend(take(DOCUMENT_ID).map(|id| (DOCUMENT_ID.to_owned(), id)));
    let is_named = extensions.keys().any(|key| key != COST);
    let query = match take("query") {
        Some(Value::String(query)) => query,
        Some(_) => return Err("`query` must be a string".to_owned()),
        None if is_named => String::new(),
        None => return Err("`query` is missing".to_owned()),
    };
    let operation = match take("operationName") {
        Some(Value::String(name)) => Some(name),
        Some(_) => return Err("`operationName` must be a string".to_owned()),
        None => None,
    };
    let variables = match take("variables") {
        Some(variables @ Value::Object(_)) => Variables::from_json(variables),
        Some(_) => return Err("`variables` must be an object".to_owned()),
        None => Variables::default(),
    };
    let mut request = Request::new(query).variables(variables);
    for (name, value) in extensions {
        let value = GraphValue::from_json(value).map_err(|error| format!("`extensions` is malformed: {error}"))?;
        request.extensions.insert(name, value);
    }
    Ok(match operation {
        Some(name) => request.operation_name(name),
        None => request,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_parsed_strictly() {
        let cases = [
            (r#"{"query":"{ a }"}"#, Ok("{ a } None {}")),
            (
                r#"{"query":"{ a }","operationName":"A","variables":{"x":1},"extensions":{"y":1},"id":2}"#,
                Ok(r#"{ a } Some("A") {"x":1}"#),
            ),
            (r#"{"query":"{ a }","operationName":null,"variables":null,"extensions":null}"#, Ok("{ a } None {}")),
            (r#"{}"#, Err("`query` is missing")),
            (r#"{"query":null}"#, Err("`query` is missing")),
            (r#"{"query":1}"#, Err("`query` must be a string")),
            (r#"{"query":"","operationName":[]}"#, Err("`operationName` must be a string")),
            (r#"{"query":"","variables":[1]}"#, Err("`variables` must be an object")),
            (r#"{"query":"","variables":"{}"}"#, Err("`variables` must be an object")),
            (r#"{"query":"","extensions":7}"#, Err("`extensions` must be an object")),
            (r#"[{"query":"{ a }"}]"#, Err("batching is disabled: send an object, not an array")),
            (r#"["{ a }", null, {}, {}]"#, Err("batching is disabled: send an object, not an array")),
            (r#""{ a }""#, Err("the request must be a JSON object")),
        ];
        for (body, expected) in cases {
            let summary = |request: Request| {
                let variables = serde_json::to_string(&request.variables).expect("JSON");
                format!("{} {:?} {variables}", request.query, request.operation_name)
            };
            let one = |body: RequestBody| match body {
                RequestBody::One(request) => summary(*request),
                RequestBody::Batch(all) => format!("{} requests", all.len()),
            };
            assert_eq!(
                from_json(body.as_bytes(), 1).map(one),
                expected.map(str::to_owned).map_err(str::to_owned),
                "{body}"
            );
        }
        assert!(from_json(b"{", 1).is_err_and(|error| error.starts_with("the request body is not valid JSON")));
        assert!(from_json("[".repeat(100_000).as_bytes(), 1).is_err(), "the JSON parser limits nesting");
    }

    #[test]
    fn the_size_of_a_batch_is_limited() {
        let list = |n: usize| format!("[{}]", vec![r#"{"query":"{ a }"}"#; n].join(","));
        let read = |n: usize, batch: usize| from_json(list(n).as_bytes(), batch);
        assert!(matches!(read(3, 3), Ok(RequestBody::Batch(all)) if all.len() == 3));
        assert_eq!(read(4, 3).expect_err("one too many"), "a batch may contain at most 3 requests");
        assert!(read(1, 1).is_err() && read(0, 3).is_err() && from_json(br#"[{"query":1}]"#, 3).is_err());
    }

    #[test]
    fn a_persisted_query_needs_no_text() {
        let read = |body: &str| match from_json(body.as_bytes(), 1) {
            Ok(RequestBody::One(request)) => format!("{:?} {}", request.query, request.extensions.len()),
            other => format!("{other:?}"),
        };
        assert_eq!(read(r#"{"documentId":"sha256:1"}"#), "\"\" 1");
        assert_eq!(read(r#"{"extensions":{"persistedQuery":{"version":1},"other":2}}"#), "\"\" 1");
        assert_eq!(read(r#"{"query":"{ a }","extensions":{"cost":true}}"#), "\"{ a }\" 1");
        assert!(read(r#"{"extensions":{"cost":true}}"#).contains("`query` is missing"));
    }

    #[test]
    fn url_parameters_are_parsed_like_json() {
        let parameters = |pairs: &[(&str, &str)]| {
            from_parameters(pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
        };
        let request = parameters(&[("query", "{ a }"), ("operationName", "A"), ("variables", r#"{"x":1}"#)]);
        let request = request.expect("a request");
        assert_eq!((request.query.as_str(), request.operation_name.as_deref()), ("{ a }", Some("A")));
        assert_eq!(request.variables.len(), 1);
        assert!(parameters(&[("variables", "{}")]).is_err());
        assert!(parameters(&[("query", "{ a }"), ("variables", "")]).is_err());
    }
}
