//! Lists whose items have at hand all that is asked of them: written down at once.
//!
//! The library makes a future of every field and a tree of every answer, and walks that twice more. Of fifty events with
//! four fields each that is most of what the answer costs here, and none of it is needed: nothing is waited for. So such a
//! list is one value, its JSON; whoever writes answers ([`written`](crate::api::written)) passes it on as it is. Where
//! anything else is asked for (an object below, arguments, directives, a field that may fail), the library does it all.

use std::borrow::Cow;
use std::collections::HashMap;

use async_graphql::parser::types::{ExecutableDocument, Field, FragmentDefinition, Selection, SelectionSet};
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, Name, OutputType, Positioned, ServerResult, Value};
use serde::Serialize;

/// Goes along with a request whose answer is written by [`written`](crate::api::written), and whose document
/// [`is_unmerged`].
pub struct AtOnce;

/// An object that has fields at hand.
pub trait Plain: OutputType {
    /// How a field is written; `None` where it is not at hand.
    fn plain(field: &str) -> Option<Write<Self>>;
}

/// Writes the value of a field as JSON; `None` where the library has to say what is wrong with it.
pub type Write<T> = fn(&T, &mut Vec<u8>) -> Option<()>;

/// Writes a value.
pub fn json(value: &(impl Serialize + ?Sized), to: &mut Vec<u8>) -> Option<()> {
    serde_json::to_writer(to, value).ok()
}

/// A list of such objects.
pub struct Items<T>(pub Vec<T>);

impl<T: Plain> OutputType for Items<T> {
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

impl<T: Plain> Items<T> {
    /// The list as JSON; `None` where the library has to do it.
    fn written(&self, context: &ContextSelectionSet<'_>) -> Option<Vec<u8>> {
        context.data_opt::<AtOnce>()?;
        let mut asked = Asked::<T> { fragments: &context.query_env.fragments, fields: Vec::new() };
        asked.collect(&context.item.node)?;
        let mut text = vec![b'['];
        for (at, item) in self.0.iter().enumerate() {
            text.extend_from_slice(if at == 0 { b"{" } else { b",{" });
            for (key, write) in &asked.fields {
                text.extend_from_slice(key.as_bytes());
                write(item, &mut text)?;
            }
            text.push(b'}');
        }
        text.push(b']');
        Some(text)
    }
}

/// What is asked of each item: the keys as they are written, and how their values are.
struct Asked<'a, T> {
    fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
    fields: Vec<(String, Write<T>)>,
}

impl<T: Plain> Asked<'_, T> {
    /// Adds what a selection asks for; `None` where not all of it is at hand.
    fn collect(&mut self, set: &SelectionSet) -> Option<()> {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => self.field(&field.node)?,
                Selection::InlineFragment(it) if it.node.directives.is_empty() => {
                    let on = it.node.type_condition.as_ref().map(|it| it.node.on.node.as_str());
                    on.is_none_or(|it| it == T::type_name()).then_some(())?;
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
        // A name of GraphQL needs no escape.
        let key = format!("\"{}\":", field.response_key().node);
        let is_there = |it: &(String, Write<T>)| it.0.trim_start_matches(',') == key;
        if !self.fields.iter().any(is_there) {
            let key = if self.fields.is_empty() { key } else { format!(",{key}") };
            self.fields.push((key, write));
        }
        Some(())
    }
}

/// Whether nothing below a field is asked for twice under one name. Where it is, the library puts the two together, which
/// it cannot do with what is written already.
pub fn is_unmerged(document: &ExecutableDocument) -> bool {
    let operations = document.operations.iter().map(|(_, it)| &it.node.selection_set.node);
    let mut sets: Vec<&SelectionSet> = operations.collect();
    sets.extend(document.fragments.values().map(|it| &it.node.selection_set.node));
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

/// What one object is asked for, fragments and all.
struct Level<'a> {
    document: &'a ExecutableDocument,
    keys: Vec<&'a str>,
    spread: Vec<&'a str>,
}

impl<'a> Level<'a> {
    fn is_unmerged(&mut self, set: &'a SelectionSet) -> bool {
        set.items.iter().all(|it| match &it.node {
            Selection::Field(field) if field.node.selection_set.node.items.is_empty() => true,
            Selection::Field(field) => is_new(&mut self.keys, &field.node.response_key().node),
            Selection::InlineFragment(it) => self.is_unmerged(&it.node.selection_set.node),
            Selection::FragmentSpread(it) => {
                let name = &it.node.fragment_name.node;
                let fragment = self.document.fragments.get(name);
                // One that is spread twice is asked for twice; and none leads round for ever.
                is_new(&mut self.spread, name)
                    && fragment.is_none_or(|it| self.is_unmerged(&it.node.selection_set.node))
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
    fn what_is_asked_for_twice_is_found_wherever_it_stands() {
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
