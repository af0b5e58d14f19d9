//! Changes between two JSON values, for stored data whose type has no comparison of its own.

use std::collections::BTreeSet;

use serde_json::Value;

/// Difference between two JSON values.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonChange {
    /// Keys and indices that lead to the value; empty if the values as a whole differ.
    pub path: Vec<String>,
    /// First value, as text; `None` if there is none, or it is null.
    pub from: Option<String>,
    /// Second value, as text; `None` if there is none, or it is null.
    pub to: Option<String>,
}

/// Lists the innermost differences between two JSON values; none exactly if they are equal. A list whose items only
/// changed their order is one difference, and a list of another length is one difference per index. The depth of the
/// recursion is that of the values, which parsing limits to 128.
pub fn json_changes(before: &Value, after: &Value) -> Vec<JsonChange> {
    let mut found = Vec::new();
    collect(&mut found, &mut Vec::new(), (Some(before), Some(after)));
    found
}

fn collect(found: &mut Vec<JsonChange>, path: &mut Vec<String>, values: (Option<&Value>, Option<&Value>)) {
    if values.0 == values.1 {
        return;
    }
    match values {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for key in keys {
                path.push(key.clone());
                collect(found, path, (before.get(key), after.get(key)));
                path.pop();
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if !is_permutation(before, after) => {
            for index in 0..before.len().max(after.len()) {
                path.push(index.to_string());
                collect(found, path, (before.get(index), after.get(index)));
                path.pop();
            }
        }
        // A key with the value null equals an absent key in the text form, but not as JSON.
        (before, after) => found.push(JsonChange { path: path.clone(), from: text(before), to: text(after) }),
    }
}

fn is_permutation(before: &[Value], after: &[Value]) -> bool {
    let sorted = |items: &[Value]| {
        let mut texts: Vec<String> = items.iter().map(Value::to_string).collect();
        texts.sort_unstable();
        texts
    };
    before.len() == after.len() && sorted(before) == sorted(after)
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_difference_is_named_by_its_path() {
        let check = |before: Value, after: Value, expected: &[(&str, Option<&str>, Option<&str>)]| {
            let found: Vec<(String, Option<String>, Option<String>)> = json_changes(&before, &after)
                .into_iter()
                .map(|change| (change.path.join("."), change.from, change.to))
                .collect();
            let expected: Vec<_> = expected
                .iter()
                .map(|(path, from, to)| ((*path).to_owned(), from.map(str::to_owned), to.map(str::to_owned)))
                .collect();
            assert_eq!(found, expected, "{before} {after}");
        };
        check(json!({ "a": [1, 2] }), json!({ "a": [1, 2] }), &[]);
        check(json!({ "a": [1, 2] }), json!({ "a": [2, 1] }), &[("a", Some("[1,2]"), Some("[2,1]"))]);
        check(json!({ "a": ["x", "y"] }), json!({ "a": ["x", "z"] }), &[("a.1", Some("y"), Some("z"))]);
        check(json!({ "a": [1] }), json!({ "a": [1, 2] }), &[("a.1", None, Some("2"))]);
        check(json!({ "a": { "b": true } }), json!({ "a": {} }), &[("a.b", Some("true"), None)]);
        check(json!({ "a": null }), json!({}), &[("a", None, None)]);
        check(json!(1), json!("1"), &[("", Some("1"), Some("1"))]);
    }
}
