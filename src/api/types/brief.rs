//! What of a list stands in columns of its rows: where nothing else is asked for, nothing else is read.
//!
//! The whole of a debate's line or of a crux is stored as JSON of a kilobyte and more. Writing it out costs the database
//! more than finding the row, and reading it here as much again. A field that does not stand on these lists is taken for
//! one that needs the whole; a test asks for each of them alone and holds the answer against that of all together.

use async_graphql::{Lookahead, SelectionField};

/// The fields of a crux that stand in columns.
pub const OF_CRUX: &[&str] = &[
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
    "statement",
];

/// Those of a debate.
pub const OF_DEBATE: &[&str] = &[
    "__typename",
    "endedAt",
    "engine",
    "id",
    "nTurns",
    "openedAt",
    "phase",
    "provider",
    "status",
    "topic",
    "updatedAt",
    "version",
];

/// Whether nothing of these cruxes is asked for but what stands in columns.
pub fn of_cruxes(cruxes: &Lookahead<'_>) -> bool {
    cruxes.selection_fields().iter().all(is_brief_crux)
}

/// The same of debates, and of their cruxes: those lead nowhere where they are brief.
pub fn of_debates(debates: &Lookahead<'_>) -> bool {
    let is_brief = |it: SelectionField<'_>| match it.name() {
        "cruxes" => is_brief_crux(&it),
        name => OF_DEBATE.contains(&name),
    };
    debates.selection_fields().iter().all(|it| it.selection_set().all(is_brief))
}

fn is_brief_crux(cruxes: &SelectionField<'_>) -> bool {
    cruxes.selection_set().all(|it| OF_CRUX.contains(&it.name()))
}
