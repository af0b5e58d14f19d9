//! Table of cruxes.

use crate::events::ids::DisputeId;
use crate::export::tables::cell::{TableRows, joined};
use crate::export::tables::export_table::{ExportTable, ListedCrux, TableSource};
use crate::verdicts::crux::{Crux, CruxOrigin, PositionSide};

/// Cruxes, from the stored rows.
pub const CRUXES: ExportTable = ExportTable {
    name: "cruxes",
    about: "One row per crux, open or resolved, by rank.",
    columns: COLUMNS,
    source: TableSource::Cruxes(push),
};

table_row!(listed: ListedCrux {
    Uuid "debate_id" "Id of the debate." => listed.debate;
    Integer "version" "Version of the debate's newest event in the row." => listed.version;
    Text "crux_key" "Key of the crux in its debate; it does not change when the debate continues." => &listed.crux.key;
    Integer "rank" "Place in the debate's list, from 1; open cruxes come first." => i64::from(listed.rank);
    Text "kind" "`dispute`, `acknowledged`, `assumption`, `premise` or `claim`." => listed.crux.origin.name();
    Boolean "is_open" "True if participants still disagree." => listed.crux.open;
    Text "statement" "Statement of the crux." => listed.crux.statement.as_str();
    Text "question" "Question whose answer would settle it." => listed.crux.question.as_str();
    Text "why" "Explanation of its rank." => listed.crux.why.as_str();
    Float or null "pivotality" "Share of the theses that change if it is settled, from 0 to 1; null if no disputed argument is \
        about it." => listed.crux.pivotality;
    Integer or null "settling_order" "Number of statements that have to be settled together to change a thesis; null if none was \
        found." => listed.crux.consequence.and_then(|consequence| consequence.order);
    Text or null "dispute_id" "Dispute that the crux is." => dispute(&listed.crux);
    Text or null "proposal_id" "Proposal that participants agreed on as the crux." => listed.crux.agreed;
    Text "dependents" "Disputed arguments that rest on it, separated by commas." => joined(&listed.crux.dependents);
    Integer "n_dependents" "Number of these arguments." => listed.crux.dependents.len();
    Integer "attack_degree" "Number of attacks on and by these arguments." => listed.crux.attack_degree;
    Text "affirming" "Personas that say yes or rest an argument on it, separated by commas."
        => holders(&listed.crux, PositionSide::affirms);
    Text "denying" "Personas that say no, attack or undercut it, or claim something in conflict with it, separated by commas."
        => holders(&listed.crux, PositionSide::denies);
    Text "other" "Personas that say that it depends, are undecided, or only name it as the crux, separated by commas."
        => holders(&listed.crux, |side| !side.affirms() && !side.denies());
    Text "turns" "Turns in which it was stated or attacked, separated by commas." => joined(&listed.crux.turns);
    Text "opened_in" "Turn in which it became a crux." => listed.crux.opened;
    Timestamp "opened_at" "Time at which it became a crux." => listed.opened_at;
    Timestamp "changed_at" "Time of the newest turn behind it." => listed.changed_at;
});

fn push(listed: &ListedCrux, rows: &mut TableRows) {
    push_row(rows, listed);
}

fn dispute(crux: &Crux) -> Option<DisputeId> {
    match crux.origin {
        CruxOrigin::Dispute { dispute } => Some(dispute),
        CruxOrigin::Acknowledged { .. } | CruxOrigin::Structure { .. } => None,
    }
}

/// Personas with a position of such a side, each once, in the order of the positions.
fn holders(crux: &Crux, is_such: impl Fn(PositionSide) -> bool) -> String {
    let mut found = Vec::new();
    for position in crux.positions.iter().filter(|position| is_such(position.side)) {
        if !found.contains(&&position.persona) {
            found.push(&position.persona);
        }
    }
    joined(found)
}
