//! Validates events of tables in external events: seatings, intents and measurements.

use crate::events::event::Event;
use crate::events::ids::PersonaId;
use crate::events::table::{
    ConvergenceMeasured, IntendedAction, IntentStated, MeasuredDispute, TableSeated, TableState,
};
use crate::kernel::engine::Refusal;
use crate::kernel::external::claims::check_count;
use crate::kernel::external::id_rules::{check_not_blank, conflict, dispute, missing, next, present, share};
use crate::projections::disputes::dispute_state::Stance;
use crate::projections::tables::Table;
use crate::verdicts::disagreement::stance_measures::stance_measures;
use crate::verdicts::read_model::DebateReadModel;

/// Maximum number of tables in an external debate.
pub const MAX_TABLES: usize = 100;
/// Maximum difference of a given measure from the one that follows from the stances.
const MAX_ERROR: f64 = 0.001;

/// Checks whether an event of a table is consistent with the debate; accepts all other events.
///
/// # Errors
/// [`Refusal`] if the event is not.
pub fn check_table(read_model: &DebateReadModel, event: &Event) -> Result<(), Refusal> {
    match event {
        Event::TableSeated(it) => seated(read_model, it),
        Event::IntentStated(it) => intent(read_model, it),
        Event::ConvergenceMeasured(it) => measured(read_model, it),
        _ => Ok(()),
    }
}

/// Checks that a new table has at least two participants, each once, and disputes besides the topic, each once.
fn seated(read_model: &DebateReadModel, it: &TableSeated) -> Result<(), Refusal> {
    check_count("tables", read_model.tables.tables.len(), MAX_TABLES)?;
    next("table", &it.table, &read_model.tables.next_table())?;
    for (at, participant) in it.participants.iter().enumerate() {
        present(read_model, participant)?;
        if it.participants[..at].contains(participant) {
            return Err(Refusal::invalid(format!("{participant} is seated twice at table {}", it.table)));
        }
    }
    if it.participants.len() < 2 {
        return Err(Refusal::invalid(format!("table {} needs at least two participants", it.table)));
    }
    for (at, id) in it.disputes.iter().enumerate() {
        if dispute(read_model, *id)?.is_topic {
            return Err(Refusal::invalid(format!("{id} asks the topic, which is always discussed; leave it out")));
        }
        if it.disputes[..at].contains(id) {
            return Err(Refusal::invalid(format!("{id} is listed twice")));
        }
    }
    check_not_blank("reason", &it.reason)
}

fn intent(read_model: &DebateReadModel, it: &IntentStated) -> Result<(), Refusal> {
    present(read_model, &it.speaker)?;
    share("urgency", it.urgency)?;
    if read_model.tables.of(&it.speaker).is_none() {
        return Err(conflict(format!("{} sits at no table; seat them first", it.speaker)));
    }
    if it.action == IntendedAction::Listen { Ok(()) } else { check_not_blank("intent", &it.intent) }
}

/// Checks that a table was not measured in this round before, and that the measures are those of its stances.
fn measured(read_model: &DebateReadModel, it: &ConvergenceMeasured) -> Result<(), Refusal> {
    let Some(table) = read_model.tables.table(it.table) else { return Err(missing("table", it.table)) };
    if table.measured.iter().any(|before| before.measured.round >= it.round) {
        return Err(conflict(format!("table {} was measured in round {} or a later one before", it.table, it.round)));
    }
    for (at, given) in it.disputes.iter().enumerate() {
        if it.disputes[..at].iter().any(|other| other.dispute == given.dispute) {
            return Err(Refusal::invalid(format!("{} is measured twice", given.dispute)));
        }
        check_measures(read_model, table, given)?;
    }
    for (name, value, highest) in [("entropy", it.entropy, 1.0), ("distance", it.distance, 2.0)] {
        if value.is_some_and(|value| !(0.0..=highest).contains(&value)) {
            return Err(Refusal::invalid(format!("`{name}` must be between 0 and {highest}")));
        }
    }
    if it.state == TableState::Converged && it.disputes.iter().any(|given| given.without > 0) {
        return Err(Refusal::invalid(format!(
            "table {} cannot have converged: not everybody there took a stance on every question",
            it.table
        )));
    }
    check_not_blank("reason", &it.reason)
}

fn check_measures(read_model: &DebateReadModel, table: &Table, given: &MeasuredDispute) -> Result<(), Refusal> {
    let stances = &dispute(read_model, given.dispute)?.stances;
    let participants: &[PersonaId] = &table.seated.participants;
    let held: Vec<&Stance> = participants.iter().filter_map(|participant| stances.get(participant)).collect();
    let computed = stance_measures(held.iter().copied());
    let shares = computed.as_ref().map_or([0.0; 3], |it| [it.yes, it.no, it.neither]);
    let near = |one: f64, other: f64| (one - other).abs() <= MAX_ERROR;
    let same = |one: Option<f64>, other: Option<f64>| match (one, other) {
        (Some(one), Some(other)) => near(one, other),
        (one, other) => one.is_none() && other.is_none(),
    };
    let (entropy, distance) = (computed.as_ref().map(|it| it.entropy), computed.as_ref().and_then(|it| it.distance));
    let without = participants.len() - held.len();
    let is_right = [given.yes, given.no, given.neither].into_iter().zip(shares).all(|(one, other)| near(one, other))
        && same(given.entropy, entropy)
        && same(given.distance, distance)
        && usize::try_from(given.without) == Ok(without);
    if is_right {
        return Ok(());
    }
    let told = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.4}"));
    Err(Refusal::invalid(format!(
        "the measures of {} are not those of the stances at the table: yes {:.4}, no {:.4}, neither {:.4}, entropy {}, \
         distance {}, without a stance {without}",
        given.dispute,
        shares[0],
        shares[1],
        shares[2],
        told(entropy),
        told(distance)
    )))
}
