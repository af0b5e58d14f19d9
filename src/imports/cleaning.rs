//! What every text of a foreign file goes through before anything is read from it: its encoding is mended, and controls
//! that no reader sees are taken out.

use serde_json::{Map, Value};

use crate::imports::encoding::mended;

/// The value with its texts cleaned; how many of them had to be decoded once more.
pub fn cleaned(value: Value) -> (Value, usize) {
    match value {
        Value::String(text) => {
            let decoded = mended(&text);
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
                    let decoded = without_controls(&mended(&key));
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

/// Line feeds and tabs stay; a carriage return before a line feed goes, and so does every other control.
pub fn without_controls(text: &str) -> String {
    text.chars().filter(|it| !it.is_control() || matches!(it, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_cleaned_wherever_they_stand() {
        let dirty = json!({"persona": "JosÃ©", "said": ["a\u{0}b\u{1b}[2J", "x\r\ny\tz", 1, null], "clÃ©": "ok"});
        let clean = json!({"persona": "José", "said": ["ab[2J", "x\ny\tz", 1, null], "clé": "ok"});
        assert_eq!(cleaned(dirty), (clean.clone(), 2));
        assert_eq!(cleaned(clean.clone()), (clean, 0));
    }
}
