//! JSON Schemas of replies, in the strict subset that providers enforce.
//!
//! Providers accept objects in which every property is required and no other is allowed, enums, `anyOf`, and nesting
//! without `$ref`; they refuse ranges, lengths and formats. Constraints that the subset cannot express are checked
//! after reading.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Generates the schema of a reply type.
pub fn strict<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    normal(schema.to_value())
}

/// Restricts string properties to the names that a reply may use: every property of the given name, at any depth, becomes
/// an enumeration. Properties without a list, or with an empty one, stay as they are. A model that decodes under the
/// schema then cannot name what does not exist.
pub fn closed(mut schema: Value, names: &[(&str, Vec<String>)]) -> Value {
    close(&mut schema, names);
    schema
}

fn close(schema: &mut Value, names: &[(&str, Vec<String>)]) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, property) in properties {
            match names.iter().find(|(closed, allowed)| closed == name && !allowed.is_empty()) {
                Some((_, allowed)) => restrict(property, allowed),
                None => close(property, names),
            }
        }
    } else if let Some(items) = schema.get_mut("items") {
        close(items, names);
    }
}

/// Restricts a string, a nullable string, or the items of a list of strings.
fn restrict(property: &mut Value, allowed: &[String]) {
    if let Some(items) = property.get_mut("items") {
        return restrict(items, allowed);
    }
    let is_nullable = property["type"].as_array().is_some_and(|types| types.iter().any(|name| name == "null"));
    let values = allowed.iter().cloned().map(Value::String);
    property["enum"] = values.chain(is_nullable.then_some(Value::Null)).collect();
}

/// Keywords that providers refuse or that are useless to a model.
const DROPPED: &[&str] = &[
    "title",
    "$schema",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "default",
];

fn normal(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(normal_object(fields)),
        Value::Array(items) => Value::Array(items.into_iter().map(normal).collect()),
        other => other,
    }
}

fn normal_object(fields: Map<String, Value>) -> Map<String, Value> {
    let mut normalized = Map::new();
    for (name, value) in fields {
        match name.as_str() {
            // A property can have the name of a keyword: the names under `properties` are data.
            "properties" => {
                let properties = match value {
                    Value::Object(properties) => {
                        properties.into_iter().map(|(name, property)| (name, normal(property))).collect()
                    }
                    _ => Map::new(),
                };
                let required = properties.keys().cloned().map(Value::String).collect();
                normalized.insert("required".into(), Value::Array(required));
                normalized.insert("additionalProperties".into(), Value::Bool(false));
                normalized.insert(name, Value::Object(properties));
            }
            "required" | "additionalProperties" => {}
            "oneOf" => drop(normalized.insert("anyOf".into(), normal(value))),
            dropped if DROPPED.contains(&dropped) => {}
            _ => drop(normalized.insert(name, normal(value))),
        }
    }
    normalized
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Reply {
        /// The kind.
        kind: Kind,
        #[serde(default)]
        title: Option<String>,
        #[schemars(range(min = 0.0, max = 1.0))]
        confidence: f64,
        parts: Vec<Part>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        One,
        Other,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Part {
        text: String,
    }

    #[test]
    fn names_are_closed_by_enumerations_at_any_depth() {
        let schema = json!({ "properties": {
            "one": { "type": "string" },
            "other": { "type": ["string", "null"] },
            "many": { "type": "array", "items": { "type": "string" } },
            "parts": { "type": "array", "items": { "properties": { "one": { "type": "string" }, "text": { "type": "string" } } } },
        } });
        let names =
            [("one", vec!["a1".to_owned()]), ("other", vec!["t1".to_owned()]), ("many", vec!["t1.1".to_owned()])];
        let closed = closed(schema, &[names.as_slice(), &[("text", vec![])]].concat());
        assert_eq!(
            closed,
            json!({ "properties": {
                "one": { "type": "string", "enum": ["a1"] },
                "other": { "type": ["string", "null"], "enum": ["t1", null] },
                "many": { "type": "array", "items": { "type": "string", "enum": ["t1.1"] } },
                "parts": { "type": "array", "items": { "properties": {
                    "one": { "type": "string", "enum": ["a1"] }, "text": { "type": "string" },
                } } },
            } })
        );
    }

    #[test]
    fn every_property_is_required_and_no_other_allowed() {
        let schema = strict::<Reply>();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "required": ["confidence", "kind", "parts", "title"],
                "additionalProperties": false,
                "properties": {
                    "kind": { "type": "string", "description": "The kind.", "enum": ["one", "other"] },
                    "title": { "type": ["string", "null"] },
                    "confidence": { "type": "number" },
                    "parts": { "type": "array", "items": {
                        "type": "object", "required": ["text"], "additionalProperties": false,
                        "properties": { "text": { "type": "string" } },
                    } },
                },
            })
        );
    }
}
