//! Serialization of responses as JSON, which copies values that are serialized already.

use async_graphql::{Response, Value};
use serde_json::Result;

/// Serializes a response: data, extensions and errors.
///
/// # Errors
/// [`serde_json::Error`] if a value cannot be serialized.
pub fn json(response: &Response) -> Result<Vec<u8>> {
    let mut to = Vec::with_capacity(1_024);
    to.extend_from_slice(b"{\"data\":");
    data(&response.data, &mut to)?;
    if !response.extensions.is_empty() {
        to.extend_from_slice(b",\"extensions\":");
        serde_json::to_writer(&mut to, &response.extensions)?;
    }
    if !response.errors.is_empty() {
        to.extend_from_slice(b",\"errors\":");
        serde_json::to_writer(&mut to, &response.errors)?;
    }
    to.push(b'}');
    Ok(to)
}

/// Writes a value. The schema has no binary type: a `Value::Binary` is JSON that was [serialized
/// before](crate::api::json::direct_json).
fn data(value: &Value, to: &mut Vec<u8>) -> Result<()> {
    match value {
        Value::Binary(written) => to.extend_from_slice(written),
        Value::List(items) => {
            to.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    to.push(b',');
                }
                data(item, to)?;
            }
            to.push(b']');
        }
        // An object with this key is a stored event body as raw JSON, in the library's own representation.
        Value::Object(fields) if !fields.contains_key(RAW) => {
            to.push(b'{');
            for (at, (name, value)) in fields.iter().enumerate() {
                if at > 0 {
                    to.push(b',');
                }
                serde_json::to_writer(&mut *to, name)?;
                to.push(b':');
                data(value, to)?;
            }
            to.push(b'}');
        }
        value => serde_json::to_writer(to, value)?,
    }
    Ok(())
}

/// Key by which `serde_json`, and `async-graphql` after it, marks raw JSON.
const RAW: &str = "$serde_json::private::RawValue";

#[cfg(test)]
mod tests {
    use async_graphql::{ServerError, value};
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn responses_are_serialized_as_by_the_library() {
        let raw = RawValue::from_string(r#"{"b": 1.50,"a":null}"#.to_owned()).expect("JSON");
        let raw = async_graphql::to_value(raw).expect("a value");
        let data =
            value!({ "a\"": [1, 2.5, "x\n", null, true, [], {}], "b": { "c": [{ "d": 1 }, { "e": 2 }] }, "raw": raw });
        let mut response = Response::new(data);
        let check = |it: &Response| {
            let text = String::from_utf8(json(it).expect("a serializable response")).expect("text");
            assert_eq!(text, serde_json::to_string(it).expect("JSON"));
        };
        check(&response);
        check(&Response::default());
        response.errors.push(ServerError::new("no", None));
        check(&response);
        check(&response.extension("cost", value!({ "requested": 1 })));
    }

    #[test]
    fn serialized_values_are_copied_unchanged() {
        let mut data = value!({ "x": 1 });
        if let Value::Object(fields) = &mut data {
            fields.insert(async_graphql::Name::new("items"), Value::Binary(br#"[{"a":1}]"#.to_vec().into()));
        }
        let bytes = json(&Response::new(data)).expect("a serializable response");
        assert_eq!(String::from_utf8_lossy(&bytes), r#"{"data":{"x":1,"items":[{"a":1}]}}"#);
    }
}
