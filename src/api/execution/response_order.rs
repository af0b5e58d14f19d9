//! Reorders responses as the GraphQL specification requires; a workaround for `async-graphql`.
//!
//! The library returns fields in the order in which they were resolved, and omits fields that failed, whatever their
//! type. Clients rely on the order of the query, on null for a failed field, and on non-null types: a null in such a
//! field makes its parent null. Responses are therefore reordered after execution.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    BaseType, ExecutableDocument, OperationType, Selection, SelectionSet, Type, TypeKind, TypeSystemDefinition,
};
use async_graphql::{Name, PathSegment, Request, Response, ServerError, Value, Variables};

use crate::api::admission::persisted::hex;
use crate::api::execution::document_cache::ParsedDocument;

/// Types of all fields of a schema.
#[derive(Debug)]
pub struct FieldTypes {
    fields: HashMap<Name, HashMap<Name, Type>>,
    digest: String,
}

/// Operation that a response answers.
#[derive(Clone, Debug)]
pub struct Operation {
    document: Arc<ParsedDocument>,
    name: Option<String>,
}

impl Operation {
    /// Returns the operation of a document with this name, or its only operation.
    pub fn new(document: ExecutableDocument, name: Option<String>) -> Operation {
        Operation::of(Arc::new(document.into()), name)
    }

    /// Like [`Operation::new`], for a shared document.
    pub fn of(document: Arc<ParsedDocument>, name: Option<String>) -> Operation {
        Operation { document, name }
    }

    /// Returns a new request for this operation with these variables.
    pub fn request(&self, variables: Variables) -> Request {
        let mut request = Request::new("").variables(variables);
        request.operation_name = self.name.clone();
        request.set_parsed_query(self.document.tree.clone());
        request
    }

    /// Returns true if the operation has this type; false if it is ambiguous, in which case the executor refuses it.
    pub fn is(&self, kind: OperationType) -> bool {
        self.selected().is_some_and(|(own, _)| own == kind)
    }

    /// Returns true if the operation selects `__schema` or `__type`.
    pub fn asks_for_schema(&self) -> bool {
        let Some((_, set)) = self.selected() else { return false };
        let mut sets = vec![set];
        let mut spread = HashSet::new();
        while let Some(set) = sets.pop() {
            for selection in &set.items {
                match &selection.node {
                    Selection::Field(it) if ["__schema", "__type"].contains(&it.node.name.node.as_str()) => {
                        return true;
                    }
                    Selection::Field(_) => {}
                    Selection::InlineFragment(it) => sets.push(&it.node.selection_set.node),
                    Selection::FragmentSpread(it) => {
                        let name = &it.node.fragment_name.node;
                        let fragment = self.document().fragments.get(name).filter(|_| spread.insert(name));
                        sets.extend(fragment.map(|fragment| &fragment.node.selection_set.node));
                    }
                }
            }
        }
        false
    }

    /// Returns the document that contains the operation.
    pub fn document(&self) -> &ExecutableDocument {
        &self.document.tree
    }

    /// Returns true if no fields of the document have to be merged.
    pub fn is_unmerged(&self) -> bool {
        self.document.unmerged
    }

    /// Returns the root field of the operation: `several` if it has more than one, `none` if the operation is
    /// ambiguous.
    pub fn field(&self) -> String {
        let Some((_, set)) = self.selected() else { return "none".to_owned() };
        match set.items.as_slice() {
            [one] => match &one.node {
                Selection::Field(field) => field.node.name.node.to_string(),
                _ => "several".to_owned(),
            },
            _ => "several".to_owned(),
        }
    }

    /// Returns the type and selections of the operation; `None` if the document has no such operation, or more than
    /// one.
    pub fn selected(&self) -> Option<(OperationType, &SelectionSet)> {
        let name = self.name.as_deref();
        let mut meant =
            self.document().operations.iter().filter(|(own, _)| name.is_none() || own.map(Name::as_str) == name);
        match (meant.next(), meant.next()) {
            (Some((_, it)), None) => Some((it.node.ty, &it.node.selection_set.node)),
            _ => None,
        }
    }
}

/// Null in a non-null field, which makes its parent null.
struct Fallen;

impl FieldTypes {
    /// Parses the field types of a schema from its SDL text.
    pub fn new(sdl: &str) -> FieldTypes {
        let document = parse_schema(sdl).expect("the library can parse the SDL that it wrote");
        let types = document.definitions.into_iter().filter_map(|definition| match definition {
            TypeSystemDefinition::Type(definition) => Some(definition.node),
            _ => None,
        });
        let objects = types.filter_map(|definition| {
            let fields = match definition.kind {
                TypeKind::Object(object) => object.fields,
                TypeKind::Interface(interface) => interface.fields,
                _ => return None,
            };
            let fields = fields.into_iter().map(|field| (field.node.name.node, field.node.ty.node));
            Some((definition.name.node, fields.collect()))
        });
        FieldTypes { fields: objects.collect(), digest: hex(sdl) }
    }

    /// Returns the name of the type of a field, without list and non-null markers.
    pub fn named_type(&self, owner: &str, field: &str) -> Option<&str> {
        let mut base = &self.fields.get(owner)?.get(field)?.base;
        while let BaseType::List(item) = base {
            base = &item.base;
        }
        match base {
            BaseType::Named(name) => Some(name.as_str()),
            BaseType::List(_) => None,
        }
    }

    /// Returns the hash of the SDL text, which identifies a revision of the schema.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the type of an object's field; `None` if there is no such object or field.
    pub fn field(&self, of: &str, name: &str) -> Option<&Type> {
        self.fields.get(of)?.get(name)
    }

    /// Returns true if the schema has an object type with this name.
    pub fn is_object(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// Reorders a response. A response without data is returned unchanged.
    pub fn reorder(&self, operation: &Operation, mut response: Response) -> Response {
        let (Value::Object(_), Some((kind, set))) = (&response.data, operation.selected()) else { return response };
        let root = match kind {
            OperationType::Query => "Query",
            OperationType::Mutation => "Mutation",
            OperationType::Subscription => "Subscription",
        };
        let data = std::mem::take(&mut response.data);
        let errors = std::mem::take(&mut response.errors);
        let mut reorder =
            ResponseReorder { field_types: self, document: operation.document(), errors: &errors, path: Vec::new() };
        response.data = reorder.object(root, &[set], data).unwrap_or(Value::Null);
        response.errors = errors;
        response
    }
}

struct ResponseReorder<'a> {
    field_types: &'a FieldTypes,
    document: &'a ExecutableDocument,
    errors: &'a [ServerError],
    path: Vec<Step<'a>>,
}

/// One step of the path to a value.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// Selected field, with the selection sets of all its occurrences.
struct SelectedField<'a> {
    /// Type on which the field was selected; for an interface, that of the fragment.
    of: &'a str,
    key: &'a str,
    name: &'a str,
    sets: Vec<&'a SelectionSet>,
}

impl<'a> ResponseReorder<'a> {
    fn object(&mut self, of: &'a str, sets: &[&'a SelectionSet], value: Value) -> Result<Value, Fallen> {
        let Value::Object(mut values) = value else { return Ok(value) };
        // The SDL does not contain the introspection types; their fields cannot fail.
        if !self.field_types.fields.contains_key(of) {
            return Ok(Value::Object(values));
        }
        let mut fields = Vec::new();
        sets.iter().for_each(|set| self.collect(of, set, &mut fields));
        let mut rest = std::mem::take(&mut values);
        for it in fields {
            self.path.push(Step::Key(it.key));
            let field = self.field_types.fields.get(it.of).and_then(|types| types.get(it.name));
            let reordered = match (rest.swap_remove(it.key), field) {
                (Some(value), Some(of)) => self.value(of, &it.sets, value).map(Some),
                (Some(value), None) => Ok(Some(value)),
                (None, Some(of)) if self.has_failed() => self.value(of, &it.sets, Value::Null).map(Some),
                // Skipped by a directive.
                (None, _) => Ok(None),
            };
            self.path.pop();
            if let Some(value) = reordered? {
                values.insert(Name::new(it.key), value);
            }
        }
        Ok(Value::Object(values))
    }

    fn value(&mut self, of: &'a Type, sets: &[&'a SelectionSet], value: Value) -> Result<Value, Fallen> {
        let reordered = match (&of.base, value) {
            (_, Value::Null) => Err(Fallen),
            (BaseType::List(of), Value::List(items)) => self.list(of, sets, items),
            (BaseType::Named(name), value) => self.object(name, sets, value),
            (BaseType::List(_), value) => Ok(value),
        };
        reordered.or_else(|Fallen| if of.nullable { Ok(Value::Null) } else { Err(Fallen) })
    }

    fn list(&mut self, of: &'a Type, sets: &[&'a SelectionSet], items: Vec<Value>) -> Result<Value, Fallen> {
        let reordered = items.into_iter().enumerate().map(|(index, item)| {
            self.path.push(Step::Index(index));
            let reordered = self.value(of, sets, item);
            self.path.pop();
            reordered
        });
        reordered.collect::<Result<_, _>>().map(Value::List)
    }

    /// Collects the fields of a selection set in query order, with occurrences of the same response key merged.
    fn collect(&self, of: &'a str, set: &'a SelectionSet, fields: &mut Vec<SelectedField<'a>>) {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => {
                    let (key, name) = (field.node.response_key().node.as_str(), field.node.name.node.as_str());
                    let set = &field.node.selection_set.node;
                    match fields.iter_mut().find(|entry| entry.key == key) {
                        Some(known) => known.sets.push(set),
                        None => fields.push(SelectedField { of, key, name, sets: vec![set] }),
                    }
                }
                Selection::InlineFragment(inline) => {
                    let on =
                        inline.node.type_condition.as_ref().map_or(of, |condition| condition.node.on.node.as_str());
                    self.collect(on, &inline.node.selection_set.node, fields);
                }
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = self.document.fragments.get(&spread.node.fragment_name.node) {
                        let on = fragment.node.type_condition.node.on.node.as_str();
                        self.collect(on, &fragment.node.selection_set.node, fields);
                    }
                }
            }
        }
    }

    /// Returns true if an error was reported for this path or one below it.
    fn has_failed(&self) -> bool {
        self.errors.iter().any(|error| {
            let mut steps = self.path.iter().zip(&error.path);
            error.path.len() >= self.path.len()
                && steps.all(|(own, theirs)| match (own, theirs) {
                    (Step::Key(own), PathSegment::Field(theirs)) => own == theirs,
                    (Step::Index(own), PathSegment::Index(theirs)) => own == theirs,
                    _ => false,
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use async_graphql::{Pos, value};

    use super::*;

    const SDL: &str = "type Query { must: Thing! may: Thing all: [Thing!]! some: [Thing] any: JSON node: Node }
        interface Node { id: ID! } type Other implements Node { id: ID! all: String }
        type Thing { name: String! note: String below: [Thing!] }
        scalar JSON";

    fn check(query: &str, data: Value, failed: &[&[&str]], expected: &str) {
        let errors = failed.iter().map(|path| {
            let step = |segment: &&str| {
                segment.parse().map_or_else(|_| PathSegment::Field((*segment).to_owned()), PathSegment::Index)
            };
            ServerError::new("no", Some(Pos::default())).with_path(path.iter().map(step).collect())
        });
        let mut response = Response::new(data);
        response.errors = errors.collect();
        let operation = Operation::new(parse_query(query).expect("a query"), None);
        let reordered = FieldTypes::new(SDL).reorder(&operation, response);
        assert_eq!(serde_json::to_string(&reordered.data).expect("JSON"), expected, "{query}");
        assert_eq!(reordered.errors.len(), failed.len());
    }

    #[test]
    fn fields_are_returned_in_query_order() {
        let thing = || value!({ "note": "n", "__typename": "Thing", "name": "t" });
        check(
            "{ may { name note } any }",
            value!({ "any": { "b": 1, "a": 2 }, "may": { "note": 1, "name": 2 } }),
            &[],
            r#"{"may":{"name":2,"note":1},"any":{"b":1,"a":2}}"#,
        );
        check(
            "{ all { name ...F } } fragment F on Thing { __typename note name }",
            value!({ "all": [thing(), thing()] }),
            &[],
            r#"{"all":[{"name":"t","__typename":"Thing","note":"n"},{"name":"t","__typename":"Thing","note":"n"}]}"#,
        );
        check(
            "{ y: may { name } x: must { a: name } y: may { note } }",
            value!({ "x": { "a": "1" }, "y": { "note": "2", "name": "3" } }),
            &[],
            r#"{"y":{"name":"3","note":"2"},"x":{"a":"1"}}"#,
        );
        check(
            "{ __schema { types { name } } any }",
            value!({ "any": 1, "__schema": { "types": [] } }),
            &[],
            r#"{"__schema":{"types":[]},"any":1}"#,
        );
    }

    #[test]
    fn a_failed_field_is_null_and_propagates_through_non_null_types() {
        check(
            "{ may { name note } any }",
            value!({ "any": 1, "may": { "name": "t" } }),
            &[&["may", "note"]],
            r#"{"may":{"name":"t","note":null},"any":1}"#,
        );
        check(
            "{ may { name note } any }",
            value!({ "any": 1, "may": { "note": "n" } }),
            &[&["may", "name"]],
            r#"{"may":null,"any":1}"#,
        );
        check(
            "{ must { name note } any }",
            value!({ "any": 1, "must": { "note": "n" } }),
            &[&["must", "name"]],
            "null",
        );
        check(
            "{ all { name note } }",
            value!({ "all": [{ "note": 1, "name": 1 }, { "note": 1 }] }),
            &[&["all", "1", "name"]],
            "null",
        );
        check(
            "{ some { name note } }",
            value!({ "some": [{ "note": 1, "name": 1 }, { "note": 1 }] }),
            &[&["some", "1", "name"]],
            r#"{"some":[{"name":1,"note":1},null]}"#,
        );
        check(
            "{ some { name below { name } } }",
            value!({ "some": [{ "name": 1, "below": [null] }] }),
            &[&["some", "0", "below", "0", "name"]],
            r#"{"some":[{"name":1,"below":null}]}"#,
        );
        check(
            "{ x: may { name } y: may { name } }",
            value!({ "y": { "name": 1 } }),
            &[&["x"]],
            r#"{"x":null,"y":{"name":1}}"#,
        );
        check("{ all { name } any }", value!({ "any": 1 }), &[&["all", "3"]], "null");
    }

    #[test]
    fn fields_of_an_interface_are_ordered_by_the_type_of_their_fragment() {
        let node = || value!({ "node": { "all": "x", "id": 1 } });
        check(
            "{ node { id ... on Other { all } ... on Query { may { name } } } }",
            node(),
            &[],
            r#"{"node":{"id":1,"all":"x"}}"#,
        );
        check("{ node { ...F id } } fragment F on Other { all }", node(), &[], r#"{"node":{"all":"x","id":1}}"#);
        check("{ node { id } }", value!({ "node": {} }), &[&["node", "id"]], r#"{"node":null}"#);
    }

    #[test]
    fn skipped_fields_stay_absent() {
        check(
            "{ must { name note @skip(if: true) } any @include(if: false) }",
            value!({ "must": { "name": 1 } }),
            &[],
            r#"{"must":{"name":1}}"#,
        );
        check(
            "{ must { name @skip(if: true) note } }",
            value!({ "must": {} }),
            &[&["must", "note"]],
            r#"{"must":{"note":null}}"#,
        );
    }
}
