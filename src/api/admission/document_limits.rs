//! Limits checked after a query is parsed and before it is validated.
//!
//! Validation expands every fragment at every spread: eighteen fragments that each spread the next one twice turn a
//! kilobyte into a quarter of a million fields. Fields are therefore counted first, visiting each fragment once.

use std::collections::HashMap;

use async_graphql::Name;
use async_graphql::parser::types::{ExecutableDocument, OperationType, Selection, SelectionSet};

use crate::limits::ApiLimits;

/// The limit or rule that a document violates, with the value of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// Maximum number of fields.
    #[error("the query selects more than {0} fields, counting fragments at every spread")]
    Fields(usize),
    /// Maximum number of operations.
    #[error("the query has more than {0} operations")]
    Operations(usize),
    /// Maximum number of fragments.
    #[error("the query has more than {0} fragments")]
    Fragments(usize),
    /// A subscription has several root fields.
    #[error("a subscription must have one root field; use several subscriptions instead")]
    Roots,
}

impl Excess {
    /// Returns the name and value of the limit; `None` for a rule without a limit.
    pub fn limit(self) -> Option<(&'static str, usize)> {
        match self {
            Excess::Fields(limit) => Some(("fields", limit)),
            Excess::Operations(limit) => Some(("operations", limit)),
            Excess::Fragments(limit) => Some(("fragments", limit)),
            Excess::Roots => None,
        }
    }
}

/// Counts operations, fragments and fields of a document and checks them against the limits.
///
/// # Errors
/// The first [`Excess`].
pub fn check_document(document: &ExecutableDocument, limits: &ApiLimits) -> Result<(), Excess> {
    if document.operations.iter().count() > limits.operations {
        return Err(Excess::Operations(limits.operations));
    }
    if document.fragments.len() > limits.fragments {
        return Err(Excess::Fragments(limits.fragments));
    }
    let mut scales = Scales { document, counted: HashMap::new() };
    let mut fields = 0_usize;
    for (_, operation) in document.operations.iter() {
        let set = &operation.node.selection_set.node;
        fields = fields.saturating_add(scales.count(set, &|count| count.all));
        if fields > limits.fields {
            return Err(Excess::Fields(limits.fields));
        }
        if operation.node.ty == OperationType::Subscription && scales.count(set, &|count| count.roots) > 1 {
            return Err(Excess::Roots);
        }
    }
    Ok(())
}

/// Field counts of a selection set.
#[derive(Clone, Copy, Default)]
struct Count {
    /// All fields, at every level.
    all: usize,
    /// Fields at the first level.
    roots: usize,
}

struct Scales<'a> {
    document: &'a ExecutableDocument,
    counted: HashMap<&'a Name, Count>,
}

impl<'a> Scales<'a> {
    fn count(&mut self, set: &'a SelectionSet, which: &dyn Fn(Count) -> usize) -> usize {
        which(self.of(set))
    }

    fn of(&mut self, set: &'a SelectionSet) -> Count {
        let mut sum = Count::default();
        for selection in &set.items {
            let it = match &selection.node {
                Selection::Field(field) => {
                    Count { all: self.of(&field.node.selection_set.node).all.saturating_add(1), roots: 1 }
                }
                Selection::InlineFragment(inline) => self.of(&inline.node.selection_set.node),
                Selection::FragmentSpread(spread) => self.of_fragment(&spread.node.fragment_name.node),
            };
            sum = Count { all: sum.all.saturating_add(it.all), roots: sum.roots.saturating_add(it.roots) };
        }
        sum
    }

    /// Counts a fragment. A spread of the fragment in itself counts as 0: validation refuses it.
    fn of_fragment(&mut self, name: &'a Name) -> Count {
        if let Some(known) = self.counted.get(name) {
            return *known;
        }
        self.counted.insert(name, Count::default());
        let fragment = self.document.fragments.get(name);
        let count = fragment.map(|fragment| self.of(&fragment.node.selection_set.node)).unwrap_or_default();
        self.counted.insert(name, count);
        count
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    fn check(query: &str, expected: Result<(), Excess>) {
        assert_eq!(
            check_document(&parse_query(query).expect("a query"), &ApiLimits::default()),
            expected,
            "{query:.60}"
        );
    }

    /// Builds `n` fragments, each of which spreads the next one twice.
    fn bomb(n: usize) -> String {
        let fragments = (0..n).map(|index| format!("fragment F{index} on Query {{ ...F{0} ...F{0} }} ", index + 1));
        format!("{{ ...F0 }} {} fragment F{n} on Query {{ a }}", fragments.collect::<String>())
    }

    #[test]
    fn fields_of_fragments_are_counted_at_every_spread() {
        check("{ a { b } ... { c } ...F } fragment F on Query { d { ...G } } fragment G on X { e }", Ok(()));
        check(&bomb(10), Ok(()));
        let ApiLimits { fields, fragments, operations, .. } = ApiLimits::default();
        check(&bomb(18), Err(Excess::Fields(fields)));
        check(&bomb(90), Err(Excess::Fields(fields)));
        check(&format!("{{ {} }}", "a ".repeat(fields)), Ok(()));
        check(&format!("{{ {} b }}", "a ".repeat(fields)), Err(Excess::Fields(fields)));
        let chain = |n: usize| {
            let fragments = (1..n).map(|index| format!("fragment F{index} on Query {{ ...F{} }} ", index - 1));
            format!("{{ ...F0 }} fragment F0 on Query {{ a }} {}", fragments.collect::<String>())
        };
        check(&chain(fragments), Ok(()));
        check(&chain(fragments + 1), Err(Excess::Fragments(fragments)));
        let many = |n: usize| (0..n).map(|index| format!("query Q{index} {{ a }} ")).collect::<String>();
        check(&many(operations), Ok(()));
        check(&many(operations + 1), Err(Excess::Operations(operations)));
    }

    #[test]
    fn cyclic_and_missing_fragments_are_left_to_validation() {
        check("{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }", Ok(()));
        check("{ ...A }", Ok(()));
    }

    #[test]
    fn a_subscription_must_have_one_root_field() {
        check("subscription { a }", Ok(()));
        check("subscription { a b }", Err(Excess::Roots));
        check("subscription { ...F } fragment F on S { a b }", Err(Excess::Roots));
        check("subscription { ...F x: a } fragment F on S { a }", Err(Excess::Roots));
    }
}
