//! JSON Schemas of replies, in the strict subset that providers enforce.
//!
//! Providers accept objects in which every property is required and no other is allowed, enums, `anyOf`, and nesting
//! without `$ref`; they refuse ranges, lengths and formats. Constraints that the subset cannot express are checked
//! after reading.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

/// Maximum number of names in an enumeration, since providers limit them; of a longer list, the last are allowed.
pub const MAX_NAMES: usize = 200;

/// Generates the schema of a reply type. `required` lists its properties in the order in which the type declares them.
/// The schema as a whole has no description: the documentation of the type is not addressed to a model.
pub fn strict<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    // Lists all fields as required, also those with a default.
    settings.contract = Contract::Serialize;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("description");
    normal(schema.to_value())
}

/// Restricts string properties to the names that a reply may use: every property of the given name, at any depth, becomes
/// an enumeration. If its list is empty, a nullable property must be null; other properties with an empty list stay as
/// they are. Of more than [`MAX_NAMES`] names, the last are allowed, which are the newest. A model that decodes under the
/// schema then cannot name what does not exist.
pub fn closed(mut schema: Value, names: &[(&str, Vec<String>)]) -> Value {
    let named = |name: &str, property: &mut Value| {
        let Some((_, allowed)) = names.iter().find(|(closed, _)| *closed == name) else { return false };
        let newest = &allowed[allowed.len().saturating_sub(MAX_NAMES)..];
        restrict(property, &newest.iter().cloned().map(Value::String).collect::<Vec<_>>());
        true
    };
    for_each_property(&mut schema, &named);
    schema
}

/// Restricts integer properties of this name, at any depth, to the indices from 0 to less than `n`.
pub fn indexed(mut schema: Value, index: &str, n: usize) -> Value {
    let allowed: Vec<Value> = (0..n).take(MAX_NAMES).map(Value::from).collect();
    let named = |name: &str, property: &mut Value| {
        if name == index {
            restrict(property, &allowed);
        }
        name == index
    };
    for_each_property(&mut schema, &named);
    schema
}

/// Calls `visit` with every property and its name; goes deeper where it returns false.
fn for_each_property(schema: &mut Value, visit: &dyn Fn(&str, &mut Value) -> bool) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, property) in properties {
            if !visit(name, property) {
                for_each_property(property, visit);
            }
        }
    } else if let Some(items) = schema.get_mut("items") {
        for_each_property(items, visit);
    }
}

/// Restricts a value, a nullable value, a choice of documented values, or the items of a list.
fn restrict(property: &mut Value, allowed: &[Value]) {
    if let Some(choices) = property.get_mut("anyOf").and_then(Value::as_array_mut) {
        choices.retain(|choice| choice.get("const").is_none_or(|value| allowed.contains(value)));
        return;
    }
    if let Some(items) = property.get_mut("items") {
        return restrict(items, allowed);
    }
    let is_nullable = property["type"].as_array().is_some_and(|types| types.iter().any(|name| name == "null"));
    let values: Vec<Value> = allowed.iter().cloned().chain(is_nullable.then_some(Value::Null)).collect();
    if !values.is_empty() {
        property["enum"] = Value::Array(values);
    }
}

/// JSON in which the properties of schemas have the order of `required`, for requests to models. A model that decodes
/// under a schema writes the properties in this order, so text and reasons come before what follows from them. Equal
/// to the value in every other respect.
pub struct InOrder<'a>(pub &'a Value);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => serializer.collect_seq(items.iter().map(InOrder)),
            Value::Object(fields) => {
                let order = fields.get("required").and_then(Value::as_array);
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    match (order, value) {
                        (Some(order), Value::Object(properties)) if name == "properties" => {
                            map.serialize_entry(name, &PropertiesInOrder { properties, order })?;
                        }
                        _ => map.serialize_entry(name, &InOrder(value))?,
                    }
                }
                map.end()
            }
            other => other.serialize(serializer),
        }
    }
}

struct PropertiesInOrder<'a> {
    properties: &'a Map<String, Value>,
    order: &'a [Value],
}

impl Serialize for PropertiesInOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PropertiesInOrder { properties, order } = self;
        let first = order.iter().filter_map(|name| properties.get_key_value(name.as_str()?));
        let others = properties.iter().filter(|(name, _)| !order.iter().any(|listed| listed == *name));
        serializer.collect_map(first.chain(others).map(|(name, value)| (name, InOrder(value))))
    }
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
    let declared: Vec<Value> = fields.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (name, value) in fields {
        match name.as_str() {
            // A property can have the name of a keyword: the names under `properties` are data.
            "properties" => {
                let properties: Map<String, Value> = match value {
                    Value::Object(properties) => {
                        properties.into_iter().map(|(name, property)| (name, normal(property))).collect()
                    }
                    _ => Map::new(),
                };
                let others = properties.keys().filter(|name| !declared.iter().any(|listed| listed == *name));
                let required = declared.iter().cloned().chain(others.cloned().map(Value::String)).collect();
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
            "none": { "type": ["string", "null"] },
            "parts": { "type": "array", "items": { "properties": { "one": { "type": "string" }, "text": { "type": "string" } } } },
        } });
        let names =
            [("one", vec!["a1".to_owned()]), ("other", vec!["t1".to_owned()]), ("many", vec!["t1.1".to_owned()])];
        let closed = closed(schema, &[names.as_slice(), &[("text", vec![]), ("none", vec![])]].concat());
        assert_eq!(
            closed,
            json!({ "properties": {
                "one": { "type": "string", "enum": ["a1"] },
                "other": { "type": ["string", "null"], "enum": ["t1", null] },
                "many": { "type": "array", "items": { "type": "string", "enum": ["t1.1"] } },
                "none": { "type": ["string", "null"], "enum": [null] },
                "parts": { "type": "array", "items": { "properties": {
                    "one": { "type": "string", "enum": ["a1"] }, "text": { "type": "string" },
                } } },
            } })
        );
    }

    #[test]
    fn of_too_many_names_the_last_are_allowed() {
        let schema = json!({ "properties": { "one": { "type": "string" } } });
        let names = |from: usize| (from..MAX_NAMES + 3).map(|number| format!("a{number}")).collect::<Vec<_>>();
        assert_eq!(closed(schema.clone(), &[("one", names(0))]), closed(schema, &[("one", names(3))]));
    }

    #[test]
    fn indices_are_closed_by_their_number() {
        let schema = json!({ "properties": { "index": { "type": ["integer", "null"] }, "n": { "type": "integer" } } });
        let closed = json!({ "properties": {
            "index": { "type": ["integer", "null"], "enum": [0, 1, null] }, "n": { "type": "integer" },
        } });
        assert_eq!(indexed(schema, "index", 2), closed);
    }

    #[test]
    fn properties_are_written_in_the_order_of_their_declaration() {
        let schema = strict::<Reply>();
        let written = serde_json::to_string(&InOrder(&schema)).unwrap();
        let at = |name: &str| written.rfind(&format!("\"{name}\":")).unwrap();
        assert!(
            at("kind") < at("title") && at("title") < at("confidence") && at("confidence") < at("parts"),
            "{written}"
        );
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), schema);
    }

    #[test]
    fn every_property_is_required_and_no_other_allowed() {
        let schema = strict::<Reply>();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "required": ["kind", "title", "confidence", "parts"],
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
