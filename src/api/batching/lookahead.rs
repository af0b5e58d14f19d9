//! Fields of list items that are stored in their own columns: if a query selects only these, the JSON of the item is
//! not read.
//!
//! A listed debate or crux is stored as JSON of a kilobyte and more. For the database, writing it out costs more than
//! finding the row, and parsing it here costs as much again. A field that is missing from these lists is assumed to
//! need the JSON; a test queries each listed field alone and compares the result with that of all fields together.

use async_graphql::{Lookahead, SelectionField};

/// Fields of a crux that are stored in columns.
pub const CRUX_COLUMNS: &[&str] = &[
    "__typename",
    "changedAt",
    "debateId",
    "id",
    "open",
    "openedAt",
    "origin",
    "pivotality",
    "question",
    "rank",
    "shortId",
    "statement",
];

/// Fields of a debate that are stored in columns.
pub const DEBATE_COLUMNS: &[&str] = &[
    "__typename",
    "endedAt",
    "engine",
    "id",
    "turnCount",
    "openedAt",
    "phase",
    "provider",
    "status",
    "topic",
    "updatedAt",
    "version",
];

/// Returns true if only column fields of these cruxes are selected.
pub fn cruxes_need_columns_only(cruxes: &Lookahead<'_>) -> bool {
    cruxes.selection_fields().iter().all(is_brief_crux)
}

/// Returns true if only column fields of these debates and of their cruxes are selected. Column fields of a crux never
/// lead back to a debate.
pub fn debates_need_columns_only(debates: &Lookahead<'_>) -> bool {
    let is_brief = |field: SelectionField<'_>| match field.name() {
        "cruxes" => is_brief_crux(&field),
        name => DEBATE_COLUMNS.contains(&name),
    };
    debates.selection_fields().iter().all(|field| field.selection_set().all(is_brief))
}

fn is_brief_crux(cruxes: &SelectionField<'_>) -> bool {
    cruxes.selection_set().all(|field| CRUX_COLUMNS.contains(&field.name()))
}
