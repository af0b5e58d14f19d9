//! Reference of event kinds for readers of the log: JSON Schemas and docs/events.md.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::events::event::Event;
use crate::events::registry::EventKind;

/// Dialect of the schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Introduction of docs/events.md.
const INTRODUCTION: &str = include_str!("reference.md");

/// Returns one JSON document with the name, schema number, recorders, description and JSON Schema of each event kind.
pub fn event_schemas() -> Value {
    let kinds: Map<String, Value> = Event::KINDS.iter().map(|kind| (kind.name.to_owned(), entry(kind))).collect();
    json!({ "$schema": DIALECT, "kinds": kinds })
}

/// Returns [`event_schemas()`] as text: docs/events.schema.json.
pub fn json() -> String {
    format!("{:#}\n", event_schemas())
}

/// Returns the entry of a kind. Its `body` is a complete JSON Schema, which refers to its own `$defs` only.
fn entry(kind: &EventKind) -> Value {
    let mut body = (kind.json_schema)().to_value();
    tidy(&mut body);
    body["$id"] = json!(format!("urn:faultline:event:{}:{}", kind.name, kind.schema));
    let recorders: Vec<&str> = kind.recorded_by.iter().map(|recorder| recorder.name()).collect();
    json!({ "schema": kind.schema, "recordedBy": recorders, "description": body["description"], "body": body })
}

/// Puts descriptions, which are doc comments, on one line each, and replaces links to code by the linked name.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "description" => {
                        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        *text = line.replace("[`", "`").replace("`]", "`");
                    }
                    _ => tidy(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Returns the text of docs/events.md: the introduction, the kinds by family, and the types that bodies share.
pub fn markdown() -> String {
    let (mut page, mut types, mut family) = (INTRODUCTION.to_owned(), BTreeMap::new(), "");
    for kind in Event::KINDS {
        let entry = entry(kind);
        if kind.family != family {
            family = kind.family;
            let _ = write!(page, "\n## {family}\n");
        }
        let recorders: Vec<&str> = kind.recorded_by.iter().map(|recorder| recorder.name()).collect();
        let (about, schema, by) = (text(&entry["description"]), kind.schema, recorders.join(", "));
        let _ = write!(page, "\n### `{}`\n\n{about}\n\nSchema {schema}. Recorded by: {by}.\n\n", kind.name);
        page.push_str(&fields(&entry["body"]));
        let _ = write!(page, "\nExample:\n\n```json\n{}\n```\n", kind.example.trim_end());
        if let Some(definitions) = entry["body"]["$defs"].as_object() {
            types.extend(definitions.clone());
        }
    }
    page.push_str("\n## Types\n\nTypes that the tables above refer to.\n");
    for (name, schema) in &types {
        let _ = write!(page, "\n### {name}\n\n{}\n\n{}", text(&schema["description"]), shape(schema));
    }
    page
}

/// Describes a shared type below its description: fields, words, variants or form.
fn shape(schema: &Value) -> String {
    let Some(variants) = schema["oneOf"].as_array() else {
        return if schema["properties"].is_object() { fields(schema) } else { format!("Type: {}.\n", type_of(schema)) };
    };
    let mut table = "| value | description |\n|---|---|\n".to_owned();
    for variant in variants {
        let about = cell(&variant["description"]);
        let _ = writeln!(table, "| {} | {about}{} |", type_of(variant), further_fields(variant));
    }
    table
}

/// Lists the fields that a variant has besides its tag, as sentences.
fn further_fields(variant: &Value) -> String {
    let fields = fields_of(variant).into_iter().filter(|(_, field, _)| field["const"].is_null());
    let fields = fields.map(|(name, field, _)| {
        let about = text(&field["description"]).trim_end_matches('.');
        format!("`{name}` ({}): {}.", type_of(field), about.replace('|', "\\|"))
    });
    let list: Vec<String> = fields.collect();
    if list.is_empty() { String::new() } else { format!(" Further fields: {}", list.join(" ")) }
}

/// Renders the table of an object's fields: required fields in their order, then the others by name.
fn fields(schema: &Value) -> String {
    if fields_of(schema).is_empty() {
        return "The body is an empty object.\n".to_owned();
    }
    let mut table = "| field | type | required | description |\n|---|---|---|---|\n".to_owned();
    for (name, field, required) in fields_of(schema) {
        let required = if required { "yes" } else { "no" };
        let (about, default) = (cell(&field["description"]), default_of(field));
        let _ = writeln!(table, "| `{name}` | {} | {required} | {about}{default} |", type_of(field));
    }
    table
}

/// Names the value that stands for an absent field, if it is a number other than 0.
fn default_of(field: &Value) -> String {
    match field["default"].as_f64() {
        Some(number) if number != 0.0 => format!(" Default: {}.", field["default"]),
        _ => String::new(),
    }
}

/// Returns name, schema and presence of an object's fields.
fn fields_of(schema: &Value) -> Vec<(&str, &Value, bool)> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let all = schema["properties"].as_object().into_iter().flatten();
    let others = all
        .filter(|(name, _)| !required.contains(&name.as_str()))
        .map(|(name, property)| (name.as_str(), property, false));
    let first = required.iter().map(|name| (*name, &schema["properties"][name], true));
    first.chain(others).collect()
}

/// Names the type of a value in words. Null stands for an absent field and is not mentioned.
fn type_of(schema: &Value) -> String {
    if let Some(path) = schema["$ref"].as_str() {
        let name = path.rsplit('/').next().unwrap_or(path);
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("`{word}`");
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    }
    if let Some(options) = schema["anyOf"].as_array() {
        let options = options.iter().filter(|option| option["type"] != "null").map(type_of);
        return options.collect::<Vec<_>>().join(" or ");
    }
    if let Some(tag) = tag_of(schema) {
        return tag;
    }
    let name = match &schema["type"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        name => name.as_str(),
    };
    match name {
        None => "any JSON value".to_owned(),
        Some("array") => format!("list of {}", type_of(&schema["items"])),
        Some("object") if schema["additionalProperties"].is_object() => {
            format!("object with values of type {}", type_of(&schema["additionalProperties"]))
        }
        Some("string") => match (schema["format"].as_str(), schema["pattern"].as_str()) {
            (Some("uuid"), _) => "UUID".to_owned(),
            (_, Some(pattern)) => format!("string matching `{pattern}`"),
            _ => "string".to_owned(),
        },
        Some(name) => name.to_owned(),
    }
}

/// Returns the tag of a variant that is an object with a constant field, as `` `kind`: `limit` ``.
fn tag_of(schema: &Value) -> Option<String> {
    let properties = schema["properties"].as_object()?;
    let (name, word) = properties.iter().find_map(|(name, field)| Some((name, field["const"].as_str()?)))?;
    Some(format!("`{name}`: `{word}`"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Escapes a description for a cell of a table.
fn cell(value: &Value) -> String {
    text(value).replace('|', "\\|")
}
