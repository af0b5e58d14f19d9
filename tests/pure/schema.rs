//! GraphQL schema: the committed text is the schema, and everything in it is described.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs;
use std::path::Path;

use async_graphql::Positioned;
use async_graphql::parser::types::{
    FieldDefinition, InputValueDefinition, Selection, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use async_graphql::parser::{parse_query, parse_schema};
use faultline::api::schema::schema::sdl;

#[test]
fn the_committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema.graphql");
    let committed = fs::read_to_string(path).unwrap_or_default();
    let now = sdl();
    if committed == now {
        return;
    }
    let mut lines = committed.lines().zip(now.lines()).enumerate();
    let differs =
        lines.find(|(_, (old, new))| old != new).map(|(at, (old, new))| format!("{}: {old:?}, now {new:?}", at + 1));
    let differs = differs.unwrap_or_else(|| "after the last line of the shorter one".to_owned());
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
                // Directives defined by the specification have no description of their own.
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
            for it in choice.values.iter().map(|value| &value.node) {
                note(it.description.as_ref(), &format!("{name}.{}", it.value.node), missing);
            }
        }
        TypeKind::Scalar | TypeKind::Union(_) => {}
    }
}

fn of_fields(owner: &str, fields: &[Positioned<FieldDefinition>], missing: &mut Vec<String>) {
    for it in fields.iter().map(|field| &field.node) {
        let name = format!("{owner}.{}", it.name.node);
        note(it.description.as_ref(), &name, missing);
        of_inputs(&name, &it.arguments, missing);
    }
}

fn of_inputs(owner: &str, inputs: &[Positioned<InputValueDefinition>], missing: &mut Vec<String>) {
    for it in inputs.iter().map(|input| &input.node) {
        note(it.description.as_ref(), &format!("{owner}({})", it.name.node), missing);
    }
}

fn note(description: Option<&Positioned<impl AsRef<str> + Debug>>, name: &str, missing: &mut Vec<String>) {
    if description.is_none_or(|description| description.node.as_ref().trim().is_empty()) {
        missing.push(name.to_owned());
    }
}

/// A deprecation names its successor, and the successor exists.
#[test]
fn deprecated_fields_name_an_existing_successor() {
    let text = sdl();
    let document = parse_schema(&text).expect("the schema's own text");
    let mut faults = Vec::new();
    for definition in &document.definitions {
        let TypeSystemDefinition::Type(it) = definition else { continue };
        let name = &it.node.name.node;
        let TypeKind::Object(object) = &it.node.kind else { continue };
        for field in object.fields.iter().map(|field| &field.node) {
            let deprecated = field.directives.iter().find(|directive| directive.node.name.node == "deprecated");
            let Some(deprecated) = deprecated else { continue };
            let reason = deprecated.node.arguments.first().map(|(_, value)| value.node.to_string()).unwrap_or_default();
            let successor = reason.split('`').nth(1).unwrap_or_default();
            if !object.fields.iter().any(|field| field.node.name.node == successor) {
                faults.push(format!("{name}.{}: {reason}", field.name.node));
            }
        }
    }
    assert!(faults.is_empty(), "no successor of the same type is named between backticks:\n{}", faults.join("\n"));
}

/// Caches of clients store an object under its `id`; `node` returns it again.
#[test]
fn every_object_with_an_id_is_a_node() {
    let document = parse_schema(sdl()).expect("the schema's own text");
    let mut others = Vec::new();
    for definition in &document.definitions {
        let TypeSystemDefinition::Type(it) = definition else { continue };
        let TypeKind::Object(object) = &it.node.kind else { continue };
        let has_id = object.fields.iter().any(|field| field.node.name.node == "id");
        if has_id && !object.implements.iter().any(|interface| interface.node == "Node") {
            others.push(it.node.name.node.as_str());
        }
    }
    // Records of erasures are for operators: they are listed for the role admin only.
    assert_eq!(others, ["Erasure"]);
}

/// A paged list is a connection: it has edges, nodes, page information, a count, and the arguments.
#[test]
fn every_connection_has_the_standard_fields_and_arguments() {
    let text = sdl();
    let document = parse_schema(&text).expect("the schema's own text");
    let (mut n_fields, mut faults) = (0, Vec::new());
    for definition in &document.definitions {
        let TypeSystemDefinition::Type(it) = definition else { continue };
        let TypeKind::Object(object) = &it.node.kind else { continue };
        let name = it.node.name.node.as_str();
        if name.ends_with("Connection") {
            for wanted in ["edges", "nodes", "pageInfo", "totalCount"] {
                if !object.fields.iter().any(|field| field.node.name.node == wanted) {
                    faults.push(format!("{name} has no {wanted}"));
                }
            }
        }
        for field in object.fields.iter().map(|field| &field.node) {
            if !field.ty.node.to_string().ends_with("Connection!") {
                continue;
            }
            n_fields += 1;
            let has = |name: &str| field.arguments.iter().any(|argument| argument.node.name.node == name);
            let both = has("last") && has("before");
            // The log of all debates has no total order and therefore no end: it is paged in one direction.
            let one_way = field.name.node == "log";
            if !(has("first") && has("after") && (both || one_way)) {
                faults.push(format!("{name}.{} cannot be paged", field.name.node));
            }
        }
    }
    assert!(n_fields >= 7, "{n_fields} connections");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A mutation takes one argument, `input: <Mutation>Input!`, and returns `<Mutation>Payload!`.
#[test]
fn every_mutation_takes_its_input_and_returns_its_payload() {
    let document = parse_schema(sdl()).expect("the schema's own text");
    let mutation = document.definitions.iter().find_map(|definition| match definition {
        TypeSystemDefinition::Type(it) if it.node.name.node == "Mutation" => Some(&it.node.kind),
        _ => None,
    });
    let Some(TypeKind::Object(mutation)) = mutation else { panic!("the schema has no mutations") };
    let mut faults = Vec::new();
    for field in mutation.fields.iter().map(|field| &field.node) {
        let name = field.name.node.as_str();
        let type_name = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        let arguments: Vec<String> =
            field.arguments.iter().map(|it| format!("{}: {}", it.node.name.node, it.node.ty.node)).collect();
        if arguments != [format!("input: {type_name}Input!")] {
            faults.push(format!("{name} takes ({})", arguments.join(", ")));
        }
        if field.ty.node.to_string() != format!("{type_name}Payload!") {
            faults.push(format!("{name} returns {}", field.ty.node));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Fields of a debate that `show --json` leaves out: they are computed on request, or are pages of their own.
const COMPUTED: [&str; 8] = ["driver", "events", "extensions", "labelling", "map", "measures", "timeline", "whatIf"];

/// A field that is added to the API is added to the documents of the command line, or named above.
#[test]
fn the_command_line_prints_all_of_a_debate() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/documents");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a document");
    let document = parse_query(read("debate.graphql") + &read("crux.graphql")).expect("queries");
    let schema = parse_schema(sdl()).expect("the schema's own text");
    let types = schema.definitions.iter().filter_map(|it| match it {
        TypeSystemDefinition::Type(it) => Some(&it.node),
        _ => None,
    });
    let types: BTreeMap<&str, &TypeKind> = types.map(|it| (it.name.node.as_str(), &it.kind)).collect();
    let mut missing = Vec::new();
    for fragment in document.fragments.values() {
        let name = fragment.node.type_condition.node.on.node.as_str();
        let Some(TypeKind::Object(object)) = types.get(name) else { panic!("{name} is no type of the schema") };
        let selected: BTreeSet<&str> = fragment
            .node
            .selection_set
            .node
            .items
            .iter()
            .filter_map(|item| match &item.node {
                Selection::Field(field) => Some(field.node.name.node.as_str()),
                _ => None,
            })
            .collect();
        for field in &object.fields {
            let field_name = field.node.name.node.as_str();
            let base = field.node.ty.node.to_string().replace(['[', ']', '!'], "");
            let is_value = !matches!(
                types.get(base.as_str()),
                Some(TypeKind::Object(_) | TypeKind::Interface(_) | TypeKind::Union(_))
            );
            let is_left_out = name == "Debate" && (COMPUTED.contains(&field_name) || field_name == "turns");
            if (is_value || name == "Debate") && !selected.contains(field_name) && !is_left_out {
                missing.push(format!("{name}.{field_name}"));
            }
        }
    }
    assert!(missing.is_empty(), "src/cli/documents leaves out {missing:?}");
}
