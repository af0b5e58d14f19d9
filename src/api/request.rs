//! A GraphQL request as clients send it, read strictly: from JSON, or from a query string.

use std::collections::BTreeMap;

use async_graphql::{Request, Variables};
use serde_json::{Map, Value};

/// Reads a request from the body of a POST.
///
/// # Errors
/// What is wrong with it.
pub fn from_json(body: &[u8]) -> Result<Request, String> {
    match serde_json::from_slice(body) {
        Ok(value) => from_value(value),
        Err(error) => Err(format!("the request is no JSON: {error}")),
    }
}

/// Reads a request from JSON that has been read already.
///
/// # Errors
/// What is wrong with it.
pub fn from_value(value: Value) -> Result<Request, String> {
    match value {
        Value::Object(fields) => from_fields(fields),
        Value::Array(_) => Err("one operation at a time: send an object, not an array".to_owned()),
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
    let query = match take("query") {
        Some(Value::String(query)) => query,
        Some(_) => return Err("query has to be a string".to_owned()),
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
    // Of extensions none is known; they have to have the right shape all the same.
    if take("extensions").is_some_and(|it| !it.is_object()) {
        return Err("extensions has to be an object".to_owned());
    }
    let request = Request::new(query).variables(variables);
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
            assert_eq!(
                from_json(body.as_bytes()).map(told),
                expected.map(str::to_owned).map_err(str::to_owned),
                "{body}"
            );
        }
        assert!(from_json(b"{").is_err_and(|it| it.starts_with("the request is no JSON")));
        assert!(from_json("[".repeat(100_000).as_bytes()).is_err(), "nesting ends in the reader of JSON");
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
