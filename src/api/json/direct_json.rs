//! Fast path for lists whose items can be serialized without resolvers: the whole list is written as JSON at once.
//!
//! `async-graphql` creates a future for every field and a tree for every response, and walks that tree twice more. For
//! fifty events with four fields each this is most of the cost of the response, although nothing has to be awaited.
//! Such a list is therefore one value, its JSON, which [`written`](crate::api::json::response_json) copies unchanged. If the
//! selection contains anything else (a nested object, arguments, directives, a field that can fail), the library
//! resolves it as usual.

use std::borrow::Cow;
use std::collections::HashMap;

use async_graphql::async_trait::async_trait;
use async_graphql::parser::types::{ExecutableDocument, Field, FragmentDefinition, Selection, SelectionSet};
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, Name, OutputType, Positioned, ServerResult, Value};
use serde::Serialize;

/// Request data that enables this path. Set it only if the response is written by [`written`](crate::api::json::response_json) and
/// the document [`is_unmerged`].
pub struct DirectJsonEnabled;

/// Object type with fields that can be serialized without a resolver.
pub trait DirectJson: OutputType {
    /// Returns the serializer of a field; `None` if the field needs a resolver.
    fn plain(field: &str) -> Option<Write<Self>>;
}

/// Serializer of a field's value as JSON. It returns `None` if the library has to resolve the field and report its
/// error.
pub type Write<T> = fn(&T, &mut Vec<u8>) -> Option<()>;

/// Writes a value as JSON.
pub fn json(value: &(impl Serialize + ?Sized), to: &mut Vec<u8>) -> Option<()> {
    serde_json::to_writer(to, value).ok()
}

/// List of objects that is serialized directly if the selection permits it.
pub struct List<T>(pub Vec<T>);

#[async_trait]
impl<T: DirectJson> OutputType for List<T> {
    fn type_name() -> Cow<'static, str> {
        Vec::<T>::type_name()
    }

    fn qualified_type_name() -> String {
        Vec::<T>::qualified_type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        Vec::<T>::create_type_info(registry)
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        match self.written(context) {
            Some(text) => Ok(Value::Binary(text.into())),
            None => self.0.resolve(context, field).await,
        }
    }
}

impl<T: DirectJson> List<T> {
    /// Returns the list as JSON; `None` if the library has to resolve it.
    fn written(&self, context: &ContextSelectionSet<'_>) -> Option<Vec<u8>> {
        context.data_opt::<DirectJsonEnabled>()?;
        let mut selected = SelectedFields::<T> { fragments: &context.query_env.fragments, fields: Vec::new() };
        selected.collect(&context.item.node)?;
        let mut text = vec![b'['];
        for (at, item) in self.0.iter().enumerate() {
            text.extend_from_slice(if at == 0 { b"{" } else { b",{" });
            for (key, write) in &selected.fields {
                text.extend_from_slice(key.as_bytes());
                write(item, &mut text)?;
            }
            text.push(b'}');
        }
        text.push(b']');
        Some(text)
    }
}

/// Selected fields of each item: the JSON key and the serializer.
struct SelectedFields<'a, T> {
    fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
    fields: Vec<(String, Write<T>)>,
}

impl<T: DirectJson> SelectedFields<'_, T> {
    /// Adds the fields of a selection set; `None` if it contains anything that needs a resolver.
    fn collect(&mut self, set: &SelectionSet) -> Option<()> {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => self.field(&field.node)?,
                Selection::InlineFragment(it) if it.node.directives.is_empty() => {
                    let on = it.node.type_condition.as_ref().map(|condition| condition.node.on.node.as_str());
                    on.is_none_or(|name| name == T::type_name()).then_some(())?;
                    self.collect(&it.node.selection_set.node)?;
                }
                Selection::FragmentSpread(it) if it.node.directives.is_empty() => {
                    let fragment = &self.fragments.get(&it.node.fragment_name.node)?.node;
                    (fragment.type_condition.node.on.node.as_str() == T::type_name()).then_some(())?;
                    self.collect(&fragment.selection_set.node)?;
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn field(&mut self, field: &Field) -> Option<()> {
        let is_bare = field.arguments.is_empty() && field.directives.is_empty();
        let write = T::plain(&field.name.node).filter(|_| is_bare)?;
        // GraphQL names need no JSON escapes.
        let key = format!("\"{}\":", field.response_key().node);
        let is_there = |entry: &(String, Write<T>)| entry.0.trim_start_matches(',') == key;
        if !self.fields.iter().any(is_there) {
            let key = if self.fields.is_empty() { key } else { format!(",{key}") };
            self.fields.push((key, write));
        }
        Some(())
    }
}

/// Returns true if no selection set contains two fields with the same response key and their own selections. The
/// library merges such fields, which is impossible once they are serialized.
pub fn is_unmerged(document: &ExecutableDocument) -> bool {
    let operations = document.operations.iter().map(|(_, operation)| &operation.node.selection_set.node);
    let mut sets: Vec<&SelectionSet> = operations.collect();
    sets.extend(document.fragments.values().map(|fragment| &fragment.node.selection_set.node));
    while let Some(set) = sets.pop() {
        let mut level = Level { document, keys: Vec::new(), spread: Vec::new() };
        if !level.is_unmerged(set) {
            return false;
        }
        for selection in &set.items {
            match &selection.node {
                Selection::Field(it) => sets.push(&it.node.selection_set.node),
                Selection::InlineFragment(it) => sets.push(&it.node.selection_set.node),
                Selection::FragmentSpread(_) => {}
            }
        }
    }
    true
}

/// Fields selected on one object, including those of fragments.
struct Level<'a> {
    document: &'a ExecutableDocument,
    keys: Vec<&'a str>,
    spread: Vec<&'a str>,
}

impl<'a> Level<'a> {
    fn is_unmerged(&mut self, set: &'a SelectionSet) -> bool {
        set.items.iter().all(|selection| match &selection.node {
            Selection::Field(field) if field.node.selection_set.node.items.is_empty() => true,
            Selection::Field(field) => is_new(&mut self.keys, &field.node.response_key().node),
            Selection::InlineFragment(selection) => self.is_unmerged(&selection.node.selection_set.node),
            Selection::FragmentSpread(selection) => {
                let name = &selection.node.fragment_name.node;
                let fragment = self.document.fragments.get(name);
                // A fragment that is spread twice selects its fields twice. This check also ends cycles.
                is_new(&mut self.spread, name)
                    && fragment.is_none_or(|fragment| self.is_unmerged(&fragment.node.selection_set.node))
            }
        })
    }
}

fn is_new<'a>(known: &mut Vec<&'a str>, name: &'a str) -> bool {
    let is_new = !known.contains(&name);
    known.push(name);
    is_new
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    #[test]
    fn duplicate_fields_with_selections_are_found_at_any_depth() {
        for (query, expected) in [
            ("{ a { b } c { b } d: c { e } f f }", true),
            ("{ a { b ...F } } fragment F on A { c { d } }", true),
            ("{ a { b } a { c } }", false),
            ("{ x: a { b } x: a { c } }", false),
            ("{ a { b { c } ... { b { d } } } }", false),
            ("{ a { b { c } ...F } } fragment F on A { b { d } }", false),
            ("{ a { ...F ...F } } fragment F on A { b }", false),
            ("{ a { ...F } } fragment F on A { b { c } ...G } fragment G on A { b { d } }", false),
            ("{ a { ...F } } fragment F on A { ...G } fragment G on A { ...F }", false),
            ("query A { a } query B { a { b } ... { c { d } } ... { c { e } } }", false),
        ] {
            assert_eq!(is_unmerged(&parse_query(query).expect("a query")), expected, "{query}");
        }
    }
}
