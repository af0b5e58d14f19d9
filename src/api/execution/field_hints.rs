//! Hints for fields that were selected on a connection although its nodes have them.

use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};
use async_graphql::{Pos, ServerError};

use crate::api::execution::response_order::FieldTypes;

/// Rewrites errors about fields that a connection lacks and its nodes have: `debates { id }` gets the hint
/// `debates { nodes { id } }`.
pub fn add_connection_hints(errors: &mut [ServerError], document: &ExecutableDocument, types: &FieldTypes) {
    for error in errors {
        if let Some(message) = connection_hint(error, document, types) {
            error.message = message;
        }
    }
}

fn connection_hint(error: &ServerError, document: &ExecutableDocument, types: &FieldTypes) -> Option<String> {
    let (field, rest) = error.message.strip_prefix("Unknown field \"")?.split_once("\" on type \"")?;
    let owner = rest.split('"').next().filter(|owner| owner.ends_with("Connection"))?;
    let node = types.named_type(owner, "nodes")?;
    types.named_type(node, field)?;
    let at = *error.locations.first()?;
    let operations = document.operations.iter().map(|(_, operation)| &operation.node.selection_set.node);
    let fragments = document.fragments.values().map(|fragment| &fragment.node.selection_set.node);
    let parent = operations.chain(fragments).find_map(|set| parent_of(set, at));
    let hint = match parent {
        Some(parent) => format!("{parent} {{ nodes {{ {field} }} }}"),
        None => format!("nodes {{ {field} }}"),
    };
    Some(format!("Unknown field \"{field}\" on type \"{owner}\", which is a connection. Did you mean `{hint}`?"))
}

/// Returns the name of the field that selects the field at a position.
fn parent_of(root: &SelectionSet, at: Pos) -> Option<&str> {
    let mut sets: Vec<(Option<&str>, &SelectionSet)> = vec![(None, root)];
    while let Some((parent, set)) = sets.pop() {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(it) if it.pos == at => return parent,
                Selection::Field(it) => sets.push((Some(it.node.name.node.as_str()), &it.node.selection_set.node)),
                Selection::InlineFragment(it) => sets.push((parent, &it.node.selection_set.node)),
                Selection::FragmentSpread(_) => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    fn check(query: &str, (line, column): (usize, usize), message: &str, expected: &str) {
        let types = FieldTypes::new(
            "type Query { debates: DebateConnection! } type DebateConnection { nodes: [Debate!]! } type Debate { id: ID! }",
        );
        let mut errors = [ServerError::new(message, Some(Pos { line, column }))];
        add_connection_hints(&mut errors, &parse_query(query).expect("a query"), &types);
        assert_eq!(errors[0].message, expected, "{query}");
    }

    #[test]
    fn a_field_of_the_nodes_is_suggested_with_its_path() {
        let unknown = "Unknown field \"id\" on type \"DebateConnection\".";
        let hint = |path: &str| {
            format!("Unknown field \"id\" on type \"DebateConnection\", which is a connection. Did you mean `{path}`?")
        };
        check("{ debates { id } }", (1, 13), unknown, &hint("debates { nodes { id } }"));
        check("{ all: debates { ... { id } } }", (1, 24), unknown, &hint("debates { nodes { id } }"));
        let fragment = "{ debates { ...F } } fragment F on DebateConnection { id }";
        check(fragment, (1, 55), unknown, &hint("nodes { id }"));
    }

    #[test]
    fn other_errors_are_left_as_they_are() {
        for other in [
            "Unknown field \"nonsense\" on type \"DebateConnection\".",
            "Unknown field \"id\" on type \"Query\".",
            "Query is too complex.",
        ] {
            check("{ debates { id } }", (1, 13), other, other);
        }
    }
}
