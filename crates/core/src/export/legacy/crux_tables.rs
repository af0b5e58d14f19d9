//! Tables at which a crux surfaced.

use std::collections::BTreeSet;

use crate::events::ids::TurnId;
use crate::export::legacy::legacy_debate::table_name;
use crate::projections::disputes::dispute_state::Dispute;
use crate::projections::tables::Table;
use crate::verdicts::crux::{Crux, CruxOrigin};
use crate::verdicts::read_model::DebateReadModel;

/// Old ids of the tables at which a crux surfaced: those in a turn of which it was raised, answered, reasoned about or
/// named as the crux. The final table counts only if no other did. Empty if it surfaced at no table, as one of last words.
///
/// A debate without tables is told with one, which has the id 0.
pub fn surfaced_by(read_model: &DebateReadModel, crux: &Crux) -> Vec<u32> {
    let tables = &read_model.tables.tables;
    if tables.is_empty() {
        return vec![0];
    }
    let dispute = match crux.origin {
        CruxOrigin::Dispute { dispute } => read_model.disputes.disputes.get(&dispute),
        _ => None,
    };
    let turns: BTreeSet<TurnId> = crux.turns.iter().copied().chain(dispute.into_iter().flat_map(turns_about)).collect();
    let surfaced = |table: &&Table| table.turns.iter().any(|turn| turns.contains(turn));
    let (last, first): (Vec<&Table>, Vec<&Table>) =
        tables.iter().filter(surfaced).partition(|table| table.seated.is_final);
    let tables = if first.is_empty() { last } else { first };
    tables.into_iter().map(|table| table_name(table.seated.table)).collect()
}

/// Turns from which a dispute was extracted, and those that answer it or give a reason on it.
fn turns_about(dispute: &Dispute) -> impl Iterator<Item = TurnId> + '_ {
    let stances = dispute.history.iter().chain(&dispute.reported).map(|(_, stance)| stance.turn);
    let reasons = dispute.reasons.values().map(|reason| reason.given.turn);
    dispute.turns.iter().copied().chain(stances).chain(reasons)
}
