//! Validates events of tables in external events: seatings, intents and measurements.

use crate::events::dispute::Side;
use crate::events::event::Event;
use crate::events::ids::{DisputeId, PersonaId};
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
    if it.round == 0 {
        return Err(Refusal::invalid("the round is 0; rounds are counted from 1"));
    }
    if read_model.tables.of(&it.speaker).is_none() {
        return Err(conflict(format!("{} sits at no table; seat them first", it.speaker)));
    }
    if it.action == IntendedAction::Listen { Ok(()) } else { check_not_blank("intent", &it.intent) }
}

/// Checks that a table was not measured in this round before, and that the measures are those of its stances on the disputes under
/// discussion.
fn measured(read_model: &DebateReadModel, it: &ConvergenceMeasured) -> Result<(), Refusal> {
    let Some(table) = read_model.tables.table(it.table) else { return Err(missing("table", it.table)) };
    if table.measured.iter().any(|before| before.measured.round >= it.round) {
        return Err(conflict(format!("table {} was measured in round {} or a later one before", it.table, it.round)));
    }
    let only = &table.seated.disputes;
    let asked =
        read_model.disputes.not_retired().filter(|(id, it)| only.is_empty() || it.is_topic || only.contains(id));
    let asked: Vec<DisputeId> = asked.map(|(id, _)| id).collect();
    let given: Vec<DisputeId> = it.disputes.iter().map(|given| given.dispute).collect();
    if given != asked {
        let names = |ids: &[DisputeId]| match ids.is_empty() {
            true => "none".to_owned(),
            false => ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        return Err(Refusal::invalid(format!(
            "the disputes under discussion at table {} are {}, in this order; {} were given",
            it.table,
            names(&asked),
            names(&given)
        )));
    }
    it.disputes.iter().try_for_each(|given| check_measures(read_model, table, given))?;
    let is_held = |id: &DisputeId, side: Side| {
        let stances = read_model.disputes.disputes.get(id).map(|dispute| &dispute.stances);
        let held = table.seated.participants.iter().filter_map(|participant| stances?.get(participant));
        held.into_iter().any(|stance| stance.side == side)
    };
    let divided = asked.iter().filter(|id| is_held(id, Side::Yes) && is_held(id, Side::No)).count();
    if usize::try_from(it.divided) != Ok(divided) {
        return Err(Refusal::invalid(format!(
            "`divided` is {}; table {} is divided on {divided}",
            it.divided, it.table
        )));
    }
    for (name, given, computed) in [
        ("entropy", it.entropy, mean(it.disputes.iter().filter_map(|given| given.entropy))),
        ("distance", it.distance, mean(it.disputes.iter().filter_map(|given| given.distance))),
    ] {
        if !is_near(given, computed) {
            return Err(Refusal::invalid(format!(
                "the mean {name} is {}; `{name}` is {}",
                told(computed),
                told(given)
            )));
        }
    }
    check_state(it)?;
    check_not_blank("reason", &it.reason)
}

/// Checks that a table has converged only if everybody took a stance and more than half of the weight is on one side, and has diverged
/// only if something divides it and nobody changed sides.
fn check_state(it: &ConvergenceMeasured) -> Result<(), Refusal> {
    let is_on_one_side = |given: &MeasuredDispute| given.without == 0 && given.yes.max(given.no) > 0.5;
    let why = match it.state {
        TableState::Converged if it.disputes.is_empty() || !it.disputes.iter().all(is_on_one_side) => {
            "have converged: that needs a stance of everybody there on every question, and more than half of the \
             stances, weighted by confidence, on one side"
        }
        TableState::Diverged if it.divided == 0 => "have diverged: no question divides it",
        TableState::Diverged if it.moved > 0 => "have diverged: somebody changed sides since the measurement before",
        _ => return Ok(()),
    };
    Err(Refusal::invalid(format!("table {} cannot {why}", it.table)))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn is_near(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= MAX_ERROR,
        (one, other) => one.is_none() && other.is_none(),
    }
}

fn told(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("{value:.4}"))
}

fn check_measures(read_model: &DebateReadModel, table: &Table, given: &MeasuredDispute) -> Result<(), Refusal> {
    let stances = &dispute(read_model, given.dispute)?.stances;
    let participants: &[PersonaId] = &table.seated.participants;
    let held: Vec<&Stance> = participants.iter().filter_map(|participant| stances.get(participant)).collect();
    let computed = stance_measures(held.iter().copied());
    let shares = computed.as_ref().map_or([0.0; 3], |it| [it.yes, it.no, it.neither]);
    let (entropy, distance) = (computed.as_ref().map(|it| it.entropy), computed.as_ref().and_then(|it| it.distance));
    let without = participants.len() - held.len();
    let given_shares = [given.yes, given.no, given.neither];
    let is_right = given_shares.into_iter().zip(shares).all(|(one, other)| is_near(Some(one), Some(other)))
        && is_near(given.entropy, entropy)
        && is_near(given.distance, distance)
        && usize::try_from(given.without) == Ok(without);
    if is_right {
        return Ok(());
    }
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
