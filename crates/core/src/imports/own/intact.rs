//! Importer for exports of this program: restores the same debate, event by event. The events are trusted like a log.

use std::collections::BTreeSet;

use serde_json::Value;
use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::ids::{DebateId, TurnId};
use crate::events::turn::StatementSource;
use crate::export::jsonl::ExportedEvent;
use crate::export::line_hash::line_hash;
use crate::imports::import_error::ImportError;
use crate::imports::limits::{MAX_PARTICIPANTS, NUMBER};
use crate::imports::sanitize::without_controls;
use crate::kernel::command::check_limits;
use crate::kernel::quotations::turn_quotes;
use crate::projections::summary::Status;
use crate::verdicts::read_model::DebateReadModel;

/// Reads the events of an export. Versions must start at 1 without gaps, there must be one opening event, and each body
/// must match its kind. Events that a fork shares with its origin keep the origin's debate id.
///
/// # Errors
/// [`ImportError::Broken`], with the place in the file, if an event is invalid or out of order, its hash does not match
/// its content, or the debate is still running; [`ImportError::Limit`] if there are too many participants.
pub fn read(records: &[(String, Value)]) -> Result<Vec<Recorded>, ImportError> {
    check_hashes(records)?;
    read_edited(records)
}

/// Reads the events like [`read`], whatever their hashes are.
///
/// # Errors
/// As [`read`], except for hashes.
pub fn read_edited(records: &[(String, Value)]) -> Result<Vec<Recorded>, ImportError> {
    let mut events: Vec<Recorded> = Vec::with_capacity(records.len());
    let mut ids: BTreeSet<(DebateId, Uuid)> = BTreeSet::new();
    for (place, record) in records {
        let line: ExportedEvent = serde_json::from_value(as_exported(record))
            .map_err(|error| ImportError::broken(place, format!("it is not an exported event: {error}")))?;
        let wanted = events.len() as i64 + 1;
        if line.version != wanted {
            let what =
                format!("it has the version {}, but {wanted} is expected: a line is missing or moved", line.version);
            return Err(ImportError::broken(place, what));
        }
        if line.id.is_nil() || !ids.insert((line.debate_id, line.id)) {
            return Err(ImportError::broken(place, format!("the id {} is nil or belongs to another event", line.id)));
        }
        events.push(line.recorded().map_err(|error| ImportError::broken(place, error.to_string()))?);
        let this = events.len() - 1;
        in_order(place, &events[..this], &events[this])?;
    }
    admissible(&events)?;
    Ok(events)
}

/// Checks the hashes of the lines. Exports of earlier versions have none.
fn check_hashes(records: &[(String, Value)]) -> Result<(), ImportError> {
    let stated = |record: &Value| record.get("hash").and_then(Value::as_str).map(str::to_owned);
    if records.iter().all(|(_, record)| stated(record).is_none()) {
        return Ok(());
    }
    let mut before = String::new();
    for (place, record) in records {
        let mut content = record.clone();
        if let Some(fields) = content.as_object_mut() {
            fields.remove("hash");
        }
        before = line_hash(&before, &content);
        let what = match stated(record) {
            Some(hash) if hash == before => continue,
            Some(_) => "its hash does not match: this line was changed, or a line is missing or moved",
            None => "it has no hash, unlike other lines: it was added or changed",
        };
        return Err(ImportError::broken(
            place,
            format!("{what} after the export; export the debate again, or import the file as edited (--edited)"),
        ));
    }
    Ok(())
}

/// Adapts an event in the form of `history --json` and of the API: removes its position in the log, and adds the
/// current schema version if there is none.
fn as_exported(record: &Value) -> Value {
    let mut record = record.clone();
    if let Some(fields) = record.as_object_mut() {
        fields.remove("position");
        let schema = fields.get("kind").and_then(Value::as_str).and_then(Event::current_schema).unwrap_or(1);
        fields.entry("schema").or_insert_with(|| Value::from(schema));
    }
    record
}

/// Checks that an event may follow those before it.
fn in_order(place: &str, before: &[Recorded], recorded: &Recorded) -> Result<(), ImportError> {
    let refused = |what: &str| Err(ImportError::broken(place, what));
    match (before.last(), &recorded.event) {
        (None, Event::DebateOpened(_)) => Ok(()),
        (None, _) => refused("a debate starts with the event debate_opened; the first lines are missing"),
        (Some(last), Event::DebateForked(forked)) => {
            let fits = last.debate == forked.origin || before.iter().any(|event| event.debate == forked.origin);
            if fits && forked.at == last.version && recorded.debate != last.debate {
                return Ok(());
            }
            refused("it forks from another version than the one before it")
        }
        (_, Event::DebateOpened(_)) => refused("a debate can be opened only once"),
        (Some(last), _) if last.debate != recorded.debate => {
            refused("it belongs to another debate than the line before it")
        }
        (Some(last), _) if recorded.at < last.at => refused("it was recorded before the event that it follows"),
        _ => Ok(()),
    }
}

/// Checks that a debate may be imported: it must not be running, since it is driven elsewhere, and the numbers of its
/// ids must leave room for more.
fn admissible(events: &[Recorded]) -> Result<(), ImportError> {
    let refused = |what: String| Err(ImportError::broken("the export", what));
    for opened in events.iter().filter_map(|record| record.event.opening()) {
        ImportError::within("the export", "participants", MAX_PARTICIPANTS, opened.participants.len())?;
        let texts = opened
            .participants
            .iter()
            .flat_map(|participant| [&participant.name, &participant.about])
            .chain([&opened.topic]);
        if texts.into_iter().any(|text| without_controls(text) != **text) {
            return refused("the topic, or a participant's name, contains control characters".to_owned());
        }
        check_limits(&opened.limits).map_err(|error| ImportError::broken("the export", error.to_string()))?;
    }
    let read_model = DebateReadModel::of(events);
    if let Some(forged) = events.iter().find(|recorded| !is_quoted_truly(&read_model, &recorded.event)) {
        return refused(format!("version {} quotes words that its turn does not contain", forged.version));
    }
    if read_model.summary.status == Status::Running {
        return refused("the debate is still running: pause it, or let it end, before you export it".to_owned());
    }
    if read_model.summary.is_being_audited {
        return refused("an audit is under way: let it end before you export the debate".to_owned());
    }
    if read_model.summary.is_being_probed {
        return refused("probes are under way: let them end before you export the debate".to_owned());
    }
    let turns = read_model.transcript.turns.iter().map(|entry| entry.turn.0);
    let numbers = turns
        .chain(read_model.arguments.arguments.keys().map(|id| id.0))
        .chain(read_model.arguments.attacks.keys().map(|id| id.0))
        .chain(read_model.disputes.disputes.keys().map(|id| id.0))
        .chain(read_model.rooms.rooms.keys().map(|id| id.0))
        .chain(read_model.fact_checks.checks.keys().map(|id| id.0))
        .chain(read_model.proposals.proposals.iter().map(|entry| entry.proposal.0));
    match numbers.max() {
        Some(number) if number > NUMBER => refused(format!("an id has the number {number}; the limit is {NUMBER}")),
        _ => Ok(()),
    }
}

/// Returns false if a stance, a concession, an acknowledgement, a flip condition or a probe quotes words that its turn does
/// not contain, or a concession grants words that the other turn does not contain.
fn is_quoted_truly(read_model: &DebateReadModel, event: &Event) -> bool {
    let contains = |turn: TurnId, quote: &str| {
        read_model.transcript.get(turn).is_some_and(|turn| turn_quotes::is_quoted(&turn.text, quote))
    };
    let (turn, quote) = match event {
        Event::StanceTaken(taken) => (taken.turn, taken.quote.as_deref()),
        Event::ConcessionMade(made) => {
            let grants_truly = made.granted.as_ref().is_none_or(|granted| match granted.source {
                StatementSource::Turn { turn } => contains(turn, &granted.statement),
                StatementSource::Argument { .. } => true,
            });
            if !grants_truly {
                return false;
            }
            (made.turn, made.quote.as_deref())
        }
        Event::CruxAcknowledged(by) => (by.turn, by.quote.as_deref()),
        Event::FlipConditionStated(stated) => (stated.turn, Some(stated.quote.as_str())),
        Event::ContractProbed(probed) => return probed.contradictions.iter().all(|it| contains(it.turn, &it.quote)),
        _ => return true,
    };
    quote.is_none_or(|quote| contains(turn, quote))
}
