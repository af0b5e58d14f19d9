//! Strict JSON parser: refuses duplicate keys, deep nesting and long strings.
//!
//! Ordinary parsers silently take the last of duplicate keys, so that two of them could read different debates from one
//! file.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::imports::import_error::ImportError;
use crate::imports::limits::{MAX_DEPTH, MAX_STRING_BYTES};

/// Parses a text that starts at `first_line` of a file.
///
/// Cost: linear in the text.
///
/// # Errors
/// [`ImportError::Json`] with the line in the file.
pub fn value(text: &str, first_line: usize) -> Result<Value, ImportError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = Strict { depth: 0 }.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| {
        let said = error.to_string();
        let what = said.split(" at line ").next().unwrap_or_default().to_owned();
        let line = first_line + error.line().saturating_sub(1);
        let cut_off = if error.is_eof() { "; the file seems to be cut off there" } else { "" };
        ImportError::Json { line, column: error.column().max(1), what: format!("{what}{cut_off}") }
    })
}

struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: Error>(&self) -> Result<usize, E> {
        if self.depth < MAX_DEPTH {
            return Ok(self.depth + 1);
        }
        Err(E::custom(format!("arrays and objects are nested more than {MAX_DEPTH} deep")))
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, it: bool) -> Result<Value, E> {
        Ok(Value::Bool(it))
    }

    fn visit_i64<E>(self, it: i64) -> Result<Value, E> {
        Ok(Value::from(it))
    }

    fn visit_u64<E>(self, it: u64) -> Result<Value, E> {
        Ok(Value::from(it))
    }

    fn visit_f64<E: Error>(self, it: f64) -> Result<Value, E> {
        Number::from_f64(it).map(Value::Number).ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E: Error>(self, it: &str) -> Result<Value, E> {
        short_enough(it)?;
        Ok(Value::String(it.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let depth = self.deeper()?;
        let mut found = Vec::new();
        while let Some(item) = items.next_element_seed(Strict { depth })? {
            found.push(item);
        }
        Ok(Value::Array(found))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let depth = self.deeper()?;
        let mut found = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            short_enough(&key)?;
            if found.contains_key(&key) {
                let key: String = key.chars().take(64).collect();
                return Err(A::Error::custom(format!("duplicate key {key:?} in an object")));
            }
            let value = fields.next_value_seed(Strict { depth })?;
            found.insert(key, value);
        }
        Ok(Value::Object(found))
    }
}

fn short_enough<E: Error>(text: &str) -> Result<(), E> {
    if text.len() <= MAX_STRING_BYTES {
        return Ok(());
    }
    Err(E::custom(format!("a string of {} bytes; the limit is {MAX_STRING_BYTES}", text.len())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn valid_json_is_parsed() {
        let check = |text: &str, wanted: Value| assert_eq!(value(text, 1), Ok(wanted), "{text}");
        check("null", json!(null));
        check(" {\"a\": [1, -2, 0.5, true, \"x\\u00e9\"]} ", json!({"a": [1, -2, 0.5, true, "xé"]}));
        check(
            &format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH)),
            (1..MAX_DEPTH).fold(json!([]), |value, _| json!([value])),
        );
        check(&format!("\"{}\"", "x".repeat(MAX_STRING_BYTES)), json!("x".repeat(MAX_STRING_BYTES)));
    }

    #[test]
    fn invalid_json_and_exceeded_limits_are_refused_with_the_place() {
        let check = |text: &str, at: (usize, usize), wanted: &str| match value(text, 7) {
            Err(ImportError::Json { line, column, what }) => {
                assert_eq!((line, column), at, "{what}");
                assert!(what.contains(wanted), "{what}");
            }
            other => panic!("{other:?}"),
        };
        check("{\"a\":1,\n\"a\":2}", (8, 3), "duplicate key \"a\"");
        check(
            &format!("{}{}", "[".repeat(MAX_DEPTH + 1), "]".repeat(MAX_DEPTH + 1)),
            (7, MAX_DEPTH + 2),
            "more than 64 deep",
        );
        check(&"[".repeat(1 << 20), (7, MAX_DEPTH + 1), "more than 64 deep");
        check(&format!("[\"{}\"]", "x".repeat(MAX_STRING_BYTES + 1)), (7, MAX_STRING_BYTES + 4), "1048577 bytes");
        check("{\"a\":", (7, 5), "cut off");
        check("{\"a\":1} x", (7, 9), "trailing characters");
        check("[1e999]", (7, 6), "number out of range");
        check("\"\\ud800\"", (7, 8), "hex escape");
        check("", (7, 1), "cut off");
    }
}
