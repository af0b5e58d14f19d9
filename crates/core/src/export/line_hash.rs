//! Hashes of JSON records that do not depend on white space or on the order of keys.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Returns the hash of an exported line, chained to the hash of the line before it: an empty text before the first.
/// Any change to a line changes its hash and those of all later lines. Lower-case hexadecimal digits.
pub fn line_hash(before: &str, line: &Value) -> String {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(b"\n");
    canonical(line, &mut hasher);
    hex(hasher)
}

/// Returns a hash as lower-case hexadecimal digits.
pub fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes a value with sorted keys, so that the hash does not depend on how objects are stored in memory.
pub fn canonical(value: &Value, hasher: &mut Sha256) {
    match value {
        Value::Array(items) => {
            hasher.update(b"[");
            for item in items {
                canonical(item, hasher);
                hasher.update(b",");
            }
            hasher.update(b"]");
        }
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| *key);
            hasher.update(b"{");
            for (key, value) in fields {
                hasher.update(Value::from(key.as_str()).to_string());
                hasher.update(b":");
                canonical(value, hasher);
                hasher.update(b",");
            }
            hasher.update(b"}");
        }
        leaf => hasher.update(leaf.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hash_depends_on_the_line_and_on_those_before_it() {
        let first = line_hash("", &json!({"a": 1, "b": [2, "x"]}));
        assert_eq!((first.len(), &first), (64, &line_hash("", &json!({"b": [2, "x"], "a": 1}))));
        for other in
            [line_hash("", &json!({"a": 1, "b": [2, "y"]})), line_hash(&first, &json!({"a": 1, "b": [2, "x"]}))]
        {
            assert_ne!(first, other);
        }
    }
}
