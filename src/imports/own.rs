//! An export of ours, read back: the same debate, event by event. It is taken at its word, as a log is.

use std::collections::BTreeSet;

use serde_json::Value;
use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::events::upcast::current_schema;
use crate::export::jsonl::Line;
use crate::imports::cleaning::without_controls;
use crate::imports::fault::ImportError;
use crate::imports::limits::{NUMBER, PARTICIPANTS};
use crate::kernel::command::within_ceiling;
use crate::projections::summary::Status;
use crate::verdicts::board::Board;

/// The events of an export: versions from 1 without gaps, one opening, each body what its kind promises. Those that a fork
/// shares with its origin are the origin's.
///
/// # Errors
/// [`ImportError::Broken`] with the place in the file.
pub fn read(records: &[(String, Value)]) -> Result<Vec<Recorded>, ImportError> {
    let mut events: Vec<Recorded> = Vec::with_capacity(records.len());
    let mut ids: BTreeSet<(DebateId, Uuid)> = BTreeSet::new();
    for (place, record) in records {
        let line: Line = serde_json::from_value(as_exported(record))
            .map_err(|it| ImportError::broken(place, format!("it is no event of an export: {it}")))?;
        let wanted = events.len() as i64 + 1;
        if line.version != wanted {
            let what =
                format!("it has the version {}, where {wanted} comes next: a line is missing or moved", line.version);
            return Err(ImportError::broken(place, what));
        }
        if line.id.is_nil() || !ids.insert((line.debate_id, line.id)) {
            return Err(ImportError::broken(place, format!("the id {} names another event already, or none", line.id)));
        }
        events.push(line.recorded().map_err(|it| ImportError::broken(place, it.to_string()))?);
        let this = events.len() - 1;
        in_order(place, &events[..this], &events[this])?;
    }
    admissible(&events)?;
    Ok(events)
}

/// An event as `history --json` and the API tell it is an export as well: with a place in the log, which means nothing
/// here, and without a schema, which is then today's.
fn as_exported(record: &Value) -> Value {
    let mut record = record.clone();
    if let Some(fields) = record.as_object_mut() {
        fields.remove("position");
        let schema = fields.get("kind").and_then(Value::as_str).map_or(1, current_schema);
        fields.entry("schema").or_insert_with(|| Value::from(schema));
    }
    record
}

/// Whether an event may follow those before it.
fn in_order(place: &str, before: &[Recorded], recorded: &Recorded) -> Result<(), ImportError> {
    let refused = |what: &str| Err(ImportError::broken(place, what));
    match (before.last(), &recorded.event) {
        (None, Event::DebateOpened(_)) => Ok(()),
        (None, _) => refused("a debate begins with the event debate_opened; the first lines are missing"),
        (Some(last), Event::DebateForked(forked)) => {
            let fits = last.debate == forked.origin || before.iter().any(|it| it.debate == forked.origin);
            if fits && forked.at == last.version && recorded.debate != last.debate {
                return Ok(());
            }
            refused("it goes on from a moment that is not the one before it")
        }
        (_, Event::DebateOpened(_)) => refused("a debate is opened once"),
        (Some(last), _) if last.debate != recorded.debate => refused("it is of another debate than the line before it"),
        (Some(last), _) if recorded.at < last.at => refused("it was recorded before the event that it follows"),
        _ => Ok(()),
    }
}

/// Whether a debate may come in: what is under way elsewhere must not go on here, and names must leave room to be counted
/// on.
fn admissible(events: &[Recorded]) -> Result<(), ImportError> {
    let refused = |what: String| Err(ImportError::broken("the export", what));
    for opened in events.iter().filter_map(|it| it.event.opening()) {
        ImportError::within("the export", "participants", PARTICIPANTS, opened.participants.len())?;
        let texts = opened.participants.iter().flat_map(|it| [&it.name, &it.about]).chain([&opened.topic]);
        if texts.into_iter().any(|it| without_controls(it) != **it) {
            return refused("the topic, or a participant's name, holds control characters".to_owned());
        }
        within_ceiling(&opened.limits).map_err(|it| ImportError::broken("the export", it.to_string()))?;
    }
    let board = Board::of(events);
    if board.summary.status == Status::Running {
        return refused("the debate is still under way: pause it, or let it end, and export it then".to_owned());
    }
    let turns = board.transcript.turns.iter().map(|it| it.turn.0);
    let numbers = turns
        .chain(board.arguments.arguments.keys().map(|it| it.0))
        .chain(board.arguments.attacks.keys().map(|it| it.0))
        .chain(board.disputes.disputes.keys().map(|it| it.0))
        .chain(board.rooms.rooms.keys().map(|it| it.0))
        .chain(board.fact_checks.checks.keys().map(|it| it.0))
        .chain(board.proposals.proposals.iter().map(|it| it.proposal.0));
    match numbers.max() {
        Some(number) if number > NUMBER => {
            refused(format!("a name bears the number {number}; at most {NUMBER} is taken"))
        }
        _ => Ok(()),
    }
}
