//! Types of the GraphQL schema, and selections of all their fields.

use std::collections::BTreeMap;

use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{BaseType, FieldDefinition, Type, TypeKind, TypeSystemDefinition};
use faultline::api::schema::schema::sdl;

/// Types of a schema with their fields.
pub type Types = BTreeMap<String, Vec<FieldDefinition>>;

/// Parses the types of the schema.
pub fn schema_types() -> Types {
    let document = parse_schema(sdl()).expect("the schema's own text");
    let types = document.definitions.into_iter().filter_map(|definition| match definition {
        TypeSystemDefinition::Type(definition) => {
            let fields = match definition.node.kind {
                TypeKind::Object(object) => object.fields,
                TypeKind::Interface(interface) => interface.fields,
                _ => return None,
            };
            Some((definition.node.name.node.to_string(), fields.into_iter().map(|field| field.node).collect()))
        }
        _ => None,
    });
    types.collect()
}

pub fn named(of: &Type) -> &str {
    match &of.base {
        BaseType::Named(name) => name,
        BaseType::List(of) => named(of),
    }
}

pub fn needs_arguments(field: &FieldDefinition) -> bool {
    field.arguments.iter().any(|argument| !argument.node.ty.node.nullable && argument.node.default_value.is_none())
}

/// Returns the fields of a type as selections; a field of an object type is selected with its leaf fields.
pub fn field_selections(types: &Types, of: &str) -> Vec<String> {
    let asked =
        types[of].iter().filter(|field| !needs_arguments(field) && !LEFT_OUT.contains(&field.name.node.as_str()));
    let actual = asked.map(|field| match named(&field.ty.node) {
        below if types.contains_key(below) => format!("{} {{ __typename {} }}", field.name.node, leaves(types, below)),
        _ => field.name.node.to_string(),
    });
    actual.collect()
}

/// Returns the leaf fields of a type.
pub fn leaves(types: &Types, of: &str) -> String {
    let leaves = types[of].iter().filter(|field| !types.contains_key(named(&field.ty.node)) && !needs_arguments(field));
    leaves.map(|field| field.name.node.to_string()).collect::<Vec<_>>().join(" ")
}

/// Returns a selection of all fields of a type, down to `steps` levels.
pub fn all(types: &Types, of: &str, steps: usize) -> String {
    let further = types[of].iter().filter(|field| steps > 0 && types.contains_key(named(&field.ty.node)));
    let further = further.filter(|field| !needs_arguments(field) && !LEFT_OUT.contains(&field.name.node.as_str()));
    let further = further.map(|field| {
        let size = if is_connection(field) { "(first: 2)" } else { "" };
        format!(" {}{size} {{ {} }}", field.name.node, all(types, named(&field.ty.node), steps - 1))
    });
    let actual = leaves(types, of) + &further.collect::<String>();
    // All fields lead to deeper levels.
    if actual.trim().is_empty() { "__typename".to_owned() } else { actual }
}

pub fn is_connection(field: &FieldDefinition) -> bool {
    named(&field.ty.node).ends_with("Connection")
}

/// Fields that are read from the library once per speaker, and are therefore left out.
pub const LEFT_OUT: &[&str] = &["attribution"];
