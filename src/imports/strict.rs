//! JSON that says one thing: no key twice, nothing too deep, no string too long.
//!
//! A plain reader takes the last of two equal keys in silence, so that two readers of one file may see two debates.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::imports::fault::ImportError;
use crate::imports::limits::{DEPTH, STRING_BYTES};

/// The value of a text that stands at a line of a file.
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
        if self.depth < DEPTH {
            return Ok(self.depth + 1);
        }
        Err(E::custom(format!("arrays and objects lie more than {DEPTH} deep in one another")))
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
        Number::from_f64(it).map(Value::Number).ok_or_else(|| E::custom("a number that is none"))
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
                return Err(A::Error::custom(format!("the key {key:?} stands twice in one object")));
            }
            let value = fields.next_value_seed(Strict { depth })?;
            found.insert(key, value);
        }
        Ok(Value::Object(found))
    }
}

fn short_enough<E: Error>(text: &str) -> Result<(), E> {
    if text.len() <= STRING_BYTES {
        return Ok(());
    }
    Err(E::custom(format!("a string of {} bytes; at most {STRING_BYTES} are taken", text.len())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_read_as_it_stands() {
        let check = |text: &str, wanted: Value| assert_eq!(value(text, 1), Ok(wanted), "{text}");
        check("null", json!(null));
        check(" {\"a\": [1, -2, 0.5, true, \"x\\u00e9\"]} ", json!({"a": [1, -2, 0.5, true, "xé"]}));
        check(&format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH)), (1..DEPTH).fold(json!([]), |it, _| json!([it])));
        check(&format!("\"{}\"", "x".repeat(STRING_BYTES)), json!("x".repeat(STRING_BYTES)));
    }

    #[test]
    fn what_says_two_things_or_too_much_is_refused_where_it_stands() {
        let check = |text: &str, at: (usize, usize), wanted: &str| match value(text, 7) {
            Err(ImportError::Json { line, column, what }) => {
                assert_eq!((line, column), at, "{what}");
                assert!(what.contains(wanted), "{what}");
            }
            other => panic!("{other:?}"),
        };
        check("{\"a\":1,\n\"a\":2}", (8, 3), "the key \"a\" stands twice");
        check(&format!("{}{}", "[".repeat(DEPTH + 1), "]".repeat(DEPTH + 1)), (7, DEPTH + 2), "more than 64 deep");
        check(&"[".repeat(1 << 20), (7, DEPTH + 1), "more than 64 deep");
        check(&format!("[\"{}\"]", "x".repeat(STRING_BYTES + 1)), (7, STRING_BYTES + 4), "1048577 bytes");
        check("{\"a\":", (7, 5), "cut off");
        check("{\"a\":1} x", (7, 9), "trailing characters");
        check("[1e999]", (7, 6), "number out of range");
        check("\"\\ud800\"", (7, 8), "hex escape");
        check("", (7, 1), "cut off");
    }
}
