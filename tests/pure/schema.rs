//! The GraphQL schema: that the committed text is the schema, and that everything in it is said.

use std::fmt::Debug;
use std::fs;
use std::path::Path;

use async_graphql::Positioned;
use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    FieldDefinition, InputValueDefinition, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use faultline::api::schema::sdl;

#[test]
fn the_committed_schema_is_the_schema() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema.graphql");
    let committed = fs::read_to_string(path).unwrap_or_default();
    let now = sdl();
    if committed == now {
        return;
    }
    let mut lines = committed.lines().zip(now.lines()).enumerate();
    let differs =
        lines.find(|(_, (old, new))| old != new).map(|(at, (old, new))| format!("{}: {old:?}, now {new:?}", at + 1));
    let differs = differs.unwrap_or_else(|| "behind the last line of the shorter one".to_owned());
    panic!(
        "schema.graphql is not the schema any more, first at line {differs}\n\
         If the change is meant: cargo run -- schema > schema.graphql"
    );
}

#[test]
fn everything_is_described() {
    let document = parse_schema(sdl()).expect("the schema's own text");
    let mut missing = Vec::new();
    for definition in &document.definitions {
        match definition {
            TypeSystemDefinition::Type(it) => of_type(&it.node, &mut missing),
            TypeSystemDefinition::Directive(it) => {
                // Those that the specification defines come without a word of their own.
                if !BUILT_IN.contains(&it.node.name.node.as_str()) {
                    note(it.node.description.as_ref(), &format!("@{}", it.node.name.node), &mut missing);
                }
            }
            TypeSystemDefinition::Schema(_) => {}
        }
    }
    assert!(missing.is_empty(), "{} names lack a description:\n{}", missing.len(), missing.join("\n"));
}

const BUILT_IN: &[&str] = &["include", "skip", "deprecated", "specifiedBy", "oneOf"];

fn of_type(it: &TypeDefinition, missing: &mut Vec<String>) {
    let name = &it.name.node;
    note(it.description.as_ref(), name, missing);
    match &it.kind {
        TypeKind::Object(object) => of_fields(name, &object.fields, missing),
        TypeKind::Interface(interface) => of_fields(name, &interface.fields, missing),
        TypeKind::InputObject(input) => of_inputs(name, &input.fields, missing),
        TypeKind::Enum(choice) => {
            for it in choice.values.iter().map(|it| &it.node) {
                note(it.description.as_ref(), &format!("{name}.{}", it.value.node), missing);
            }
        }
        TypeKind::Scalar | TypeKind::Union(_) => {}
    }
}

fn of_fields(owner: &str, fields: &[Positioned<FieldDefinition>], missing: &mut Vec<String>) {
    for it in fields.iter().map(|it| &it.node) {
        let name = format!("{owner}.{}", it.name.node);
        note(it.description.as_ref(), &name, missing);
        of_inputs(&name, &it.arguments, missing);
    }
}

fn of_inputs(owner: &str, inputs: &[Positioned<InputValueDefinition>], missing: &mut Vec<String>) {
    for it in inputs.iter().map(|it| &it.node) {
        note(it.description.as_ref(), &format!("{owner}({})", it.name.node), missing);
    }
}

fn note(description: Option<&Positioned<impl AsRef<str> + Debug>>, name: &str, missing: &mut Vec<String>) {
    if description.is_none_or(|it| it.node.as_ref().trim().is_empty()) {
        missing.push(name.to_owned());
    }
}
