//! Conversion of a file into a debate.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::events::lifecycle::{DebateLimits, DebateOpened, DebateOutcome};
use crate::imports::document::ImportDocument;
use crate::imports::draft::ImportDraft;
use crate::imports::fields::text;
use crate::imports::identity::{PROVIDER, content_hash, debate_id, event_id};
use crate::imports::import_error::ImportError;
use crate::imports::limits::MAX_EVENTS;
use crate::imports::own::{edited, intact};
use crate::imports::report::{ImportCounts, ImportReport};
use crate::imports::reported_results::StatedResults;
use crate::imports::sanitize::cleaned;
use crate::imports::shape::Shape;
use crate::imports::{results, stream};
use crate::kernel::command::MAX_TOPIC_BYTES;
use crate::kernel::quotations::turn_quotes::SENTENCE_REVISION;
use crate::verdicts::read_model::DebateReadModel;

/// Imported debate.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Id of the debate: made from the file's content, or the original id of an export.
    pub debate: DebateId,
    /// Events, in order. Events that a fork shares with its origin keep the origin's debate id.
    pub events: Vec<Recorded>,
    /// True if the file contains times. Otherwise the log assigns the time of recording.
    pub timed: bool,
    /// Report about the import.
    pub report: ImportReport,
}

/// Converts a file into a debate.
///
/// Cost: linear in the file, plus one verdict.
///
/// # Errors
/// [`ImportError`], if the file is too large, not JSON, of an unknown shape, or invalid.
pub fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    of_document(ImportDocument::read(bytes)?, Vouching::Intact)
}

/// Converts a file into a debate. An export of this program may have been edited: it becomes another debate, whose
/// stances, concessions and agreements are shown as reported and not counted.
///
/// # Errors
/// As [`read`], except that hashes of lines are not checked; and [`ImportError::Broken`] for an export of a fork.
pub fn read_edited(bytes: &[u8]) -> Result<Imported, ImportError> {
    of_document(ImportDocument::read(bytes)?, Vouching::Edited)
}

/// Converts a parsed value into a debate; a string is parsed like a file.
///
/// # Errors
/// The same as [`read`].
pub fn read_value(value: Value) -> Result<Imported, ImportError> {
    of_document(ImportDocument::of_value(value)?, Vouching::Intact)
}

/// Converts a parsed value like [`read_edited`].
///
/// # Errors
/// The same as [`read_edited`].
pub fn read_edited_value(value: Value) -> Result<Imported, ImportError> {
    of_document(ImportDocument::of_value(value)?, Vouching::Edited)
}

/// State in which an export of this program has to be.
#[derive(Clone, Copy)]
enum Vouching {
    /// As it was exported: the hashes of its lines are checked.
    Intact,
    /// Possibly edited.
    Edited,
}

fn of_document(document: ImportDocument, vouching: Vouching) -> Result<Imported, ImportError> {
    match document {
        ImportDocument::Records(records) => match Shape::of_records(&records)? {
            Shape::Own => own_debate(&records, vouching),
            shape => foreign(shape, Foreign::Stream(records)),
        },
        ImportDocument::Whole(whole) => match whole.get("events").and_then(Value::as_array) {
            Some(events) => {
                ImportError::within("events", "items", MAX_EVENTS, events.len())?;
                let place = |(n, event): (usize, &Value)| (format!("events[{n}]"), event.clone());
                of_document(ImportDocument::Records(events.iter().enumerate().map(place).collect()), vouching)
            }
            None => foreign(Shape::of_whole(&whole)?, Foreign::Result(whole)),
        },
    }
}

/// File of another system.
enum Foreign {
    Stream(Vec<(String, Value)>),
    Result(Value),
}

fn foreign(shape: Shape, file: Foreign) -> Result<Imported, ImportError> {
    let (hash, file, n_mended) = prepared(file);
    let (topic, mut draft) = match &file {
        Foreign::Stream(records) => {
            let mut draft = ImportDraft::of(stream::cast(records)?);
            stream::read(&mut draft, shape, records)?;
            (stream::topic(shape, records), draft)
        }
        Foreign::Result(whole) => {
            let mut draft = ImportDraft::of(results::cast(whole)?);
            match shape {
                Shape::ResultV1 => results::read_v1(&mut draft, whole)?,
                _ => results::read_v2(&mut draft, whole)?,
            }
            let topic = text(whole, "topic").unwrap_or("Debate without a topic (imported result file)");
            (topic.to_owned(), draft)
        }
    };
    ImportError::within("the topic", "bytes", MAX_TOPIC_BYTES, topic.len())?;
    draft.counts.mended = n_mended;
    let opened = DebateOpened {
        topic,
        engine: shape.engine().to_owned(),
        engine_revision: 0,
        options: json!({ "imported": { "shape": shape, "content": hash, "reader": shape.reader() } }),
        participants: draft.cast.personas(shape.about()),
        limits: DebateLimits::default(),
        seed: 0,
        provider: PROVIDER.to_owned(),
        models: std::collections::BTreeMap::new(),
        sentence_revision: Some(SENTENCE_REVISION),
    };
    Ok(finished(shape, hash, draft, opened))
}

/// Returns the hash of the original file, and its content with all texts cleaned.
fn prepared(file: Foreign) -> (String, Foreign, usize) {
    match file {
        Foreign::Stream(records) => {
            let hash = content_hash(records.iter().map(|(_, record)| record));
            let mut n_mended = 0;
            let clean = records.into_iter().map(|(place, record)| {
                let (record, n) = cleaned(record);
                n_mended += n;
                (place, record)
            });
            let clean = clean.collect();
            (hash, Foreign::Stream(clean), n_mended)
        }
        Foreign::Result(whole) => {
            let hash = content_hash([&whole]);
            let (whole, n_mended) = cleaned(whole);
            (hash, Foreign::Result(whole), n_mended)
        }
    }
}

fn finished(shape: Shape, hash: String, mut draft: ImportDraft, opened: DebateOpened) -> Imported {
    let debate = debate_id(&hash);
    draft.record(draft.ending.event());
    let (counts, set_aside) = (draft.counts, std::mem::take(&mut draft.set_aside));
    let (notes, claimed) = (std::mem::take(&mut draft.notes), std::mem::take(&mut draft.claimed));
    let told: Vec<(Event, Option<DateTime<Utc>>)> = draft.into_events();
    let first = told.first().and_then(|(_, at)| *at);
    let opening = (Event::DebateOpened(Box::new(opened)), first);
    let events: Vec<Recorded> = (1..)
        .zip(std::iter::once(opening).chain(told))
        .map(|(version, (event, at))| Recorded {
            id: event_id(debate, version),
            debate,
            version,
            lane: 0,
            position: 0,
            at: at.unwrap_or(DateTime::UNIX_EPOCH),
            caused_by: None,
            event,
        })
        .collect();
    let report = report(shape, hash, counts, claimed, &events);
    Imported { debate, events, timed: first.is_some(), report: ImportReport { set_aside, notes, ..report } }
}

fn own_debate(records: &[(String, Value)], vouching: Vouching) -> Result<Imported, ImportError> {
    let hash = content_hash(records.iter().map(|(_, record)| record));
    let (events, notes) = match vouching {
        Vouching::Intact => (intact::read(records)?, Vec::new()),
        Vouching::Edited => (edited::reported(&hash, intact::read_edited(records)?)?, vec![edited::NOTE.to_owned()]),
    };
    let counts = ImportCounts { read: records.len(), ..ImportCounts::default() };
    let report = report(Shape::Own, hash, counts, StatedResults::default(), &events);
    let last = events.last().map(|event| event.debate);
    let report = ImportReport { notes, ..report };
    Ok(Imported { debate: last.unwrap_or(report.debate), events, timed: true, report })
}

fn report(
    shape: Shape,
    content_hash: String,
    counts: ImportCounts,
    claimed: StatedResults,
    events: &[Recorded],
) -> ImportReport {
    let read_model = DebateReadModel::of(events);
    let verdict = read_model.verdict();
    let ended = match (&read_model.summary.outcome, &read_model.summary.cancelled) {
        (Some(outcome @ DebateOutcome::Limit { limit, .. }), _) => {
            format!("limit {limit} reached: {}", outcome.reason())
        }
        (Some(outcome), _) => format!("{}: {}", outcome.kind(), outcome.reason()),
        (None, Some(reason)) => reason.clone(),
        (None, None) => read_model.summary.status.name().to_owned(),
    };
    ImportReport {
        shape,
        debate: read_model.summary.debate.unwrap_or(debate_id(&content_hash)),
        topic: read_model.summary.topic.clone(),
        participants: read_model.summary.participants.iter().map(|participant| participant.name.clone()).collect(),
        content_hash,
        counts: ImportCounts { events: events.len(), ..counted(counts, &read_model) },
        set_aside: Vec::new(),
        notes: Vec::new(),
        differences: claimed.differences(&verdict),
        claimed,
        regime: verdict.regime,
        ended,
    }
}

/// Counts of an export, taken from its read model.
fn counted(counts: ImportCounts, read_model: &DebateReadModel) -> ImportCounts {
    if counts.turns > 0 {
        return counts;
    }
    ImportCounts {
        turns: read_model.transcript.turns.len(),
        arguments: read_model.arguments.arguments.len(),
        attacks: read_model.arguments.attacks.len(),
        judgements: read_model.arguments.attacks.values().filter(|attack| attack.judged.is_some()).count(),
        disputes: read_model.disputes.disputes.len(),
        rooms: read_model.rooms.rooms.len(),
        stances: read_model.disputes.disputes.values().map(|dispute| dispute.stances.len()).sum(),
        ..counts
    }
}
