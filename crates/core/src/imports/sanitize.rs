//! Cleaning of all texts of an imported file: repairs the encoding and removes control characters.

use serde_json::{Map, Value};

use crate::imports::encoding::repaired;

/// Cleans all texts of a value. Returns the number of texts whose encoding was repaired, too.
pub fn cleaned(value: Value) -> (Value, usize) {
    match value {
        Value::String(text) => {
            let decoded = repaired(&text);
            let n_mended = usize::from(decoded != text);
            (Value::String(without_controls(&decoded)), n_mended)
        }
        Value::Array(items) => {
            let (items, n_mended): (Vec<Value>, Vec<usize>) = items.into_iter().map(cleaned).unzip();
            (Value::Array(items), n_mended.iter().sum())
        }
        Value::Object(fields) => {
            let mut n_mended = 0;
            let fields: Map<String, Value> = fields
                .into_iter()
                .map(|(key, value)| {
                    let decoded = without_controls(&repaired(&key));
                    let (value, n) = cleaned(value);
                    n_mended += n + usize::from(decoded != key);
                    (decoded, value)
                })
                .collect();
            (Value::Object(fields), n_mended)
        }
        other => (other, 0),
    }
}

/// Removes control characters except line feeds and tabs.
pub fn without_controls(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_and_nested_texts_are_cleaned() {
        let dirty = json!({"persona": "JosÃ©", "said": ["a\u{0}b\u{1b}[2J", "x\r\ny\tz", 1, null], "clÃ©": "ok"});
        let clean = json!({"persona": "José", "said": ["ab[2J", "x\ny\tz", 1, null], "clé": "ok"});
        assert_eq!(cleaned(dirty), (clean.clone(), 2));
        assert_eq!(cleaned(clean.clone()), (clean, 0));
    }
}
