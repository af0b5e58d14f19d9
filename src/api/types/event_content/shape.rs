//! Shapes of event bodies: types and fields, read from the JSON Schemas of the registry.
//!
//! A kind becomes a type of its name, as in `TurnTaken`; a type that bodies share becomes one with `Event` before its
//! name, as in `EventCitation`. Fields have the names of the body in camel case, except for `id`. Alternatives with a tag
//! become one type with the fields of all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use faultline_core::events::event::Event;
use faultline_core::events::reference::event_schemas;

/// Shapes of all event bodies.
pub static SHAPES: LazyLock<Shapes> = LazyLock::new(|| Shapes::read(&event_schemas()));

/// Types of event bodies, by name.
#[derive(Default)]
pub struct Shapes {
    /// Object types.
    pub objects: BTreeMap<String, ObjectShape>,
    /// Enums.
    pub enums: BTreeMap<String, EnumShape>,
    /// Name of the object type of each kind.
    pub kinds: BTreeMap<&'static str, String>,
}

/// An object type.
pub struct ObjectShape {
    /// Description.
    pub description: String,
    /// Fields in the order of their names.
    pub fields: Vec<FieldShape>,
}

/// A field of an object type.
pub struct FieldShape {
    /// Name in GraphQL.
    pub name: String,
    /// Name in the body.
    pub key: String,
    /// Description.
    pub description: String,
    /// Type.
    pub field_type: FieldType,
    /// Value of a body that omits the field; null if there is none.
    pub default: Value,
    /// True if the field can be null.
    pub nullable: bool,
}

/// Type of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldType {
    /// A built-in scalar, or one of the schema, by its name.
    Scalar(&'static str),
    /// An enum, by its name.
    Enum(String),
    /// An object type, by its name.
    Object(String),
    /// A list.
    List(Box<FieldType>),
}

/// An enum.
pub struct EnumShape {
    /// Description.
    pub description: String,
    /// Values in the body, each with its description.
    pub values: BTreeMap<String, String>,
}

/// Returns the name of an enum value in GraphQL.
pub fn enum_value(text: &str) -> String {
    text.to_uppercase()
}

impl Shapes {
    fn read(schemas: &Value) -> Shapes {
        let mut shapes = Shapes::default();
        for kind in Event::KINDS {
            let body = &schemas["kinds"][kind.name]["body"];
            let definitions = body["$defs"].as_object().cloned().unwrap_or_default();
            let name = pascal(kind.name);
            Reader { definitions: &definitions, shapes: &mut shapes }.object(&name, body);
            shapes.kinds.insert(kind.name, name);
        }
        shapes
    }
}

/// Reader of one JSON Schema.
struct Reader<'a> {
    definitions: &'a Map<String, Value>,
    shapes: &'a mut Shapes,
}

impl Reader<'_> {
    /// Reads an object type, unless it is known.
    fn object(&mut self, name: &str, schema: &Value) {
        if self.shapes.objects.contains_key(name) {
            return;
        }
        let of = |schema: &Value| schema["properties"].as_object().cloned().unwrap_or_default();
        let variants = schema["oneOf"].as_array().cloned().unwrap_or_default();
        let mut properties = of(schema);
        for (key, property) in variants.iter().flat_map(of) {
            match properties.get_mut(&key) {
                Some(known) => add_description(known, &property),
                None => drop(properties.insert(key, property)),
            }
        }
        let sources: Vec<&Value> = if variants.is_empty() { vec![schema] } else { variants.iter().collect() };
        let fields = properties.iter().map(|(key, property)| {
            let is_required = sources.iter().all(|source| requires(source, key));
            match property.get("const") {
                Some(_) => self.tag(name, key, &variants),
                None => self.field(&field_name(name, key), key, property, is_required),
            }
        });
        let shape = ObjectShape { description: description(schema), fields: fields.collect() };
        self.shapes.objects.insert(name.to_owned(), shape);
    }

    /// Reads the field that tells alternatives apart, as an enum.
    fn tag(&mut self, owner: &str, key: &str, variants: &[Value]) -> FieldShape {
        let name = format!("{owner}{}", pascal(key));
        let value =
            |variant: &Value| Some((variant["properties"][key]["const"].as_str()?.to_owned(), description(variant)));
        let shape = EnumShape {
            description: "Kinds of what an event contains.".to_owned(),
            values: variants.iter().filter_map(value).collect(),
        };
        self.shapes.enums.insert(name.clone(), shape);
        FieldShape {
            name: camel(key),
            key: key.to_owned(),
            description: "Kind, which determines the other fields.".to_owned(),
            field_type: FieldType::Enum(name),
            default: Value::Null,
            nullable: false,
        }
    }

    fn field(&mut self, name: &str, key: &str, property: &Value, is_required: bool) -> FieldShape {
        let (field_type, accepts_null) = self.field_type(key, property);
        let default = match (property.get("default"), &field_type) {
            (Some(default), _) => default.clone(),
            (None, FieldType::List(_)) => json!([]),
            (None, FieldType::Scalar("Boolean")) if !accepts_null => json!(false),
            (None, _) => Value::Null,
        };
        FieldShape {
            name: name.to_owned(),
            key: key.to_owned(),
            description: self.description_of(property),
            nullable: accepts_null || !is_required && default.is_null(),
            field_type,
            default,
        }
    }

    /// Returns the type of a property, and whether it accepts null.
    fn field_type(&mut self, key: &str, property: &Value) -> (FieldType, bool) {
        if let Some(name) = reference(property) {
            return (self.shared(name), false);
        }
        if let Some(choices) = property["anyOf"].as_array() {
            let (nulls, others): (Vec<&Value>, Vec<&Value>) =
                choices.iter().partition(|choice| choice["type"] == "null");
            return match others.as_slice() {
                [one] => (self.field_type(key, one).0, !nulls.is_empty()),
                _ => (FieldType::Scalar("JSON"), true),
            };
        }
        let kinds: BTreeSet<&str> = match &property["type"] {
            Value::String(kind) => BTreeSet::from([kind.as_str()]),
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => BTreeSet::new(),
        };
        let format = property["format"].as_str();
        let field_type = if kinds.contains("array") {
            FieldType::List(Box::new(self.field_type(key, &property["items"]).0))
        } else if kinds.contains("integer") {
            FieldType::Scalar(match format {
                _ if key == "seed" => "Seed",
                Some("uint64" | "int64") => "Long",
                _ => "Int",
            })
        } else if kinds.contains("number") {
            FieldType::Scalar("Float")
        } else if kinds.contains("boolean") {
            FieldType::Scalar("Boolean")
        } else if kinds.contains("string") {
            FieldType::Scalar(if format == Some("uuid") { "ID" } else { "String" })
        } else {
            // A map with names of its own, or any JSON.
            FieldType::Scalar("JSON")
        };
        (field_type, kinds.contains("null") || kinds.is_empty())
    }

    /// Returns the type that bodies share under this name.
    fn shared(&mut self, name: &str) -> FieldType {
        let schema = self.definitions.get(name).cloned().unwrap_or_default();
        let is_kind = Event::KINDS.iter().any(|kind| pascal(kind.name) == name);
        let shared = if is_kind { name.to_owned() } else { format!("Event{name}") };
        let variants = schema["oneOf"].as_array();
        if let Some(values) = variants.filter(|variants| variants.iter().all(|it| it.get("const").is_some())) {
            let value = |it: &Value| Some((it["const"].as_str()?.to_owned(), description(it)));
            let shape =
                EnumShape { description: description(&schema), values: values.iter().filter_map(value).collect() };
            self.shapes.enums.insert(shared.clone(), shape);
            return FieldType::Enum(shared);
        }
        if variants.is_some() || schema["properties"].is_object() {
            self.object(&shared, &schema);
            return FieldType::Object(shared);
        }
        // All other shared types are names of things.
        FieldType::Scalar("ID")
    }

    /// Returns the description of a property, or else that of its type.
    fn description_of(&self, property: &Value) -> String {
        let own = description(property);
        let shared = reference(property).and_then(|name| self.definitions.get(name)).map(description);
        if own.is_empty() { shared.unwrap_or_default() } else { own }
    }
}

fn requires(schema: &Value, key: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key))
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().to_owned()
}

/// Adds the description that a property has in another alternative.
fn add_description(known: &mut Value, other: &Value) {
    let (known_text, other_text) = (description(known), description(other));
    if !other_text.is_empty() && !known_text.contains(&other_text) {
        known["description"] = json!(format!("{known_text} Or: {other_text}"));
    }
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Returns a name with each word in upper case: `TurnTaken` of `turn_taken`.
fn pascal(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| format!("{}{}", first.to_uppercase(), letters.as_str())).unwrap_or_default()
    };
    name.split('_').map(word).collect()
}

/// Returns the name of a field of a type. Caches of clients take `id` for the key of an object, and contents are no
/// objects of their own: the `id` of a persona as pinned is its `personaId`.
fn field_name(owner: &str, key: &str) -> String {
    if key != "id" {
        return camel(key);
    }
    let owner = owner.trim_start_matches("Event");
    format!("{}{}Id", owner[..1].to_lowercase(), &owner[1..])
}

/// Returns a name in camel case: `answersTopic` of `answers_topic`.
fn camel(name: &str) -> String {
    let (first, rest) = name.split_once('_').unwrap_or((name, ""));
    format!("{first}{}", pascal(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(object: &str, name: &str) -> (FieldType, bool) {
        let shape = &SHAPES.objects[object];
        let field = shape.fields.iter().find(|field| field.name == name).expect(name);
        (field.field_type.clone(), field.nullable)
    }

    #[test]
    fn every_kind_has_a_type() {
        let names: Vec<&str> = SHAPES.kinds.keys().copied().collect();
        let mut kinds: Vec<&str> = Event::KINDS.iter().map(|kind| kind.name).collect();
        kinds.sort_unstable();
        assert_eq!(names, kinds);
        assert!(SHAPES.kinds.values().all(|name| SHAPES.objects.contains_key(name)));
    }

    #[test]
    fn fields_have_the_types_of_the_body() {
        let object = |name: &str| FieldType::Object(name.to_owned());
        let one_of = |name: &str| FieldType::Enum(name.to_owned());
        let list = |of| FieldType::List(Box::new(of));
        assert_eq!(field("TurnTaken", "turn"), (FieldType::Scalar("ID"), false));
        assert_eq!(field("TurnTaken", "text"), (FieldType::Scalar("String"), false));
        assert_eq!(field("TurnTaken", "moves"), (list(one_of("EventMove")), false));
        assert_eq!(field("ArgumentAdvanced", "answersTopic"), (FieldType::Scalar("Boolean"), false));
        assert_eq!(field("ArgumentAdvanced", "carries"), (FieldType::Scalar("ID"), true));
        assert_eq!(field("AttackRaised", "component"), (object("EventArgumentPart"), false));
        assert_eq!(field("EventArgumentPart", "part"), (one_of("EventArgumentPartPart"), false));
        assert_eq!(field("EventArgumentPart", "index"), (FieldType::Scalar("Int"), true));
        assert_eq!(field("EventPersona", "personaId"), (FieldType::Scalar("ID"), false));
        assert_eq!(field("DebateOpened", "seed"), (FieldType::Scalar("Seed"), false));
        assert_eq!(field("DebateForked", "opened"), (object("DebateOpened"), false));
        let values: Vec<&String> = SHAPES.enums["EventArgumentPartPart"].values.keys().collect();
        assert_eq!(values, ["assumption", "claim", "premise"]);
    }

    #[test]
    fn everything_is_described() {
        for (name, object) in &SHAPES.objects {
            let missing = object.fields.iter().find(|field| field.description.is_empty());
            assert!(!object.description.is_empty() && missing.is_none(), "{name} {:?}", missing.map(|it| &it.name));
        }
    }
}
