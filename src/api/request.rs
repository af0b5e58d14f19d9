//! A GraphQL request as clients send it, read strictly: from JSON, or from a query string.

use std::collections::BTreeMap;

use async_graphql::{Request, Value as GraphValue, Variables};
use serde_json::{Map, Value};

use crate::api::guard::COST;
use crate::api::persisted::{DOCUMENT_ID, PERSISTED_QUERY};

/// What a body asks for.
#[derive(Debug)]
pub enum Body {
    /// One operation, answered by one response.
    One(Box<Request>),
    /// Several, answered by as many in a list.
    Batch(Vec<Request>),
}

/// Reads the body of a POST, which may hold at most `batch` requests; where that is 1, no list.
///
/// # Errors
/// What is wrong with it.
pub fn from_json(body: &[u8], batch: usize) -> Result<Body, String> {
    match serde_json::from_slice(body).map_err(|error| format!("the request is no JSON: {error}"))? {
        Value::Array(_) if batch == 1 => Err("one operation at a time: send an object, not an array".to_owned()),
        Value::Array(all) if all.is_empty() => Err("the list of requests is empty".to_owned()),
        Value::Array(all) if all.len() > batch => Err(format!("at most {batch} requests in a list")),
        Value::Array(all) => all.into_iter().map(from_value).collect::<Result<_, _>>().map(Body::Batch),
        one => from_value(one).map(|it| Body::One(Box::new(it))),
    }
}

/// Reads a request from JSON that has been read already.
///
/// # Errors
/// What is wrong with it.
pub fn from_value(value: Value) -> Result<Request, String> {
    match value {
        Value::Object(fields) => from_fields(fields),
        _ => Err("the request has to be a JSON object".to_owned()),
    }
}

/// Reads a request from the parameters of a GET.
///
/// # Errors
/// What is wrong with it.
pub fn from_parameters(parameters: BTreeMap<String, String>) -> Result<Request, String> {
    let mut fields = Map::new();
    for (name, text) in parameters {
        let value = match name.as_str() {
            "variables" | "extensions" => {
                serde_json::from_str(&text).map_err(|error| format!("{name} is no JSON: {error}"))?
            }
            _ => Value::String(text),
        };
        fields.insert(name, value);
    }
    from_fields(fields)
}

fn from_fields(mut fields: Map<String, Value>) -> Result<Request, String> {
    let mut take = |name: &str| fields.remove(name).filter(|it| !it.is_null());
    let mut extensions = match take("extensions") {
        Some(Value::Object(extensions)) => extensions,
        Some(_) => return Err("extensions has to be an object".to_owned()),
        None => Map::new(),
    };
    // Those that are known; what they say is for the guard to read.
    extensions.retain(|name, _| [PERSISTED_QUERY, COST].contains(&name.as_str()));
    extensions.extend(take(DOCUMENT_ID).map(|it| (DOCUMENT_ID.to_owned(), it)));
    let is_named = extensions.keys().any(|it| it != COST);
    let query = match take("query") {
        Some(Value::String(query)) => query,
        Some(_) => return Err("query has to be a string".to_owned()),
        None if is_named => String::new(),
        None => return Err("query is missing".to_owned()),
    };
    let operation = match take("operationName") {
        Some(Value::String(name)) => Some(name),
        Some(_) => return Err("operationName has to be a string".to_owned()),
        None => None,
    };
    let variables = match take("variables") {
        Some(variables @ Value::Object(_)) => Variables::from_json(variables),
        Some(_) => return Err("variables has to be an object".to_owned()),
        None => Variables::default(),
    };
    let mut request = Request::new(query).variables(variables);
    for (name, value) in extensions {
        let value = GraphValue::from_json(value).map_err(|it| format!("extensions cannot be read: {it}"))?;
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
    fn requests_are_read_strictly() {
        let cases = [
            (r#"{"query":"{ a }"}"#, Ok("{ a } None {}")),
            (
                r#"{"query":"{ a }","operationName":"A","variables":{"x":1},"extensions":{"y":1},"id":2}"#,
                Ok(r#"{ a } Some("A") {"x":1}"#),
            ),
            (r#"{"query":"{ a }","operationName":null,"variables":null,"extensions":null}"#, Ok("{ a } None {}")),
            (r#"{}"#, Err("query is missing")),
            (r#"{"query":null}"#, Err("query is missing")),
            (r#"{"query":1}"#, Err("query has to be a string")),
            (r#"{"query":"","operationName":[]}"#, Err("operationName has to be a string")),
            (r#"{"query":"","variables":[1]}"#, Err("variables has to be an object")),
            (r#"{"query":"","variables":"{}"}"#, Err("variables has to be an object")),
            (r#"{"query":"","extensions":7}"#, Err("extensions has to be an object")),
            (r#"[{"query":"{ a }"}]"#, Err("one operation at a time: send an object, not an array")),
            (r#"["{ a }", null, {}, {}]"#, Err("one operation at a time: send an object, not an array")),
            (r#""{ a }""#, Err("the request has to be a JSON object")),
        ];
        for (body, expected) in cases {
            let told = |it: Request| {
                let variables = serde_json::to_string(&it.variables).expect("JSON");
                format!("{} {:?} {variables}", it.query, it.operation_name)
            };
            let one = |it: Body| match it {
                Body::One(request) => told(*request),
                Body::Batch(all) => format!("{} requests", all.len()),
            };
            assert_eq!(
                from_json(body.as_bytes(), 1).map(one),
                expected.map(str::to_owned).map_err(str::to_owned),
                "{body}"
            );
        }
        assert!(from_json(b"{", 1).is_err_and(|it| it.starts_with("the request is no JSON")));
        assert!(from_json("[".repeat(100_000).as_bytes(), 1).is_err(), "nesting ends in the reader of JSON");
    }

    #[test]
    fn a_list_holds_as_many_as_it_may() {
        let list = |n: usize| format!("[{}]", vec![r#"{"query":"{ a }"}"#; n].join(","));
        let read = |n: usize, batch: usize| from_json(list(n).as_bytes(), batch);
        assert!(matches!(read(3, 3), Ok(Body::Batch(all)) if all.len() == 3));
        assert_eq!(read(4, 3).expect_err("one too many"), "at most 3 requests in a list");
        assert!(read(1, 1).is_err() && read(0, 3).is_err() && from_json(br#"[{"query":1}]"#, 3).is_err());
    }

    #[test]
    fn what_has_a_name_needs_no_text() {
        let read = |body: &str| match from_json(body.as_bytes(), 1) {
            Ok(Body::One(request)) => format!("{:?} {}", request.query, request.extensions.len()),
            other => format!("{other:?}"),
        };
        assert_eq!(read(r#"{"documentId":"sha256:1"}"#), "\"\" 1");
        assert_eq!(read(r#"{"extensions":{"persistedQuery":{"version":1},"other":2}}"#), "\"\" 1");
        assert_eq!(read(r#"{"query":"{ a }","extensions":{"cost":true}}"#), "\"{ a }\" 1");
        assert!(read(r#"{"extensions":{"cost":true}}"#).contains("query is missing"));
    }

    #[test]
    fn parameters_are_read_alike() {
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
