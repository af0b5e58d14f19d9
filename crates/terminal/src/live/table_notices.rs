//! Notices of tables: who sits there, who has the floor, and how far the stances have come together.

use crate::labels;
use crate::speakers::Speakers;
use faultline_core::events::event::Event;
use faultline_core::events::table::{ConvergenceMeasured, TableSeated, TableState};
use faultline_core::verdicts::read_model::DebateReadModel;

/// Returns the notice for an event of a table; `None` for other events.
pub fn notice(event: &Event, speakers: &Speakers, read_model: &DebateReadModel) -> Option<String> {
    match event {
        Event::TableSeated(it) => Some(table_seated(it, speakers)),
        // Elsewhere, the turn that follows tells enough.
        Event::FloorGiven(it) if it.room.is_none() && read_model.tables.of(&it.speaker).is_some() => {
            Some(format!("{} has the floor: {}", speakers.get(&it.speaker).name, it.reason))
        }
        Event::ConvergenceMeasured(it) => Some(convergence(it, read_model)),
        _ => None,
    }
}

/// Describes who sits at a table.
fn table_seated(it: &TableSeated, speakers: &Speakers) -> String {
    let names: Vec<String> = it.participants.iter().map(|participant| speakers.get(participant).name).collect();
    let kind = if it.is_final { "final table" } else { "table" };
    format!("{kind} {}: {} ({})", it.table, labels::listed(&names), it.reason)
}

/// Describes how far the stances at a table have come together. A final table is measured before anybody has spoken there.
fn convergence(it: &ConvergenceMeasured, read_model: &DebateReadModel) -> String {
    let share = |name: &str, share: Option<f64>| share.map(|share| format!("; {name} {share:.2}")).unwrap_or_default();
    let measures = format!("{}{}", share("mean entropy", it.entropy), share("mean distance", it.distance));
    let is_new = read_model.tables.table(it.table).is_some_and(|table| table.turns.is_empty());
    let state = match it.state {
        TableState::Open if is_new => "begins",
        TableState::Open => "goes on",
        state => state.in_words(),
    };
    format!("table {} {state}: {}{measures}", it.table, it.reason)
}
