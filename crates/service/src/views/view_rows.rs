//! Builds the stored rows of a debate: summary, verdict, cruxes and disputes.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use faultline_core::events::ids::{DebateId, DisputeId};
use faultline_core::events::lifecycle::DebateOutcome;
use faultline_core::measures::registry::measures;
use faultline_core::measures::speaker_figures::speaker_figures;
use faultline_core::projections::disputes::dispute_state::Dispute;
use faultline_core::projections::summary::{Status, Summary};
use faultline_core::verdicts::crux::Crux;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;
use faultline_store::error::StoreError;
use faultline_store::generations::save::ViewChanges;
use faultline_store::views::crux_writes::{CruxRow, DebateCruxes};
use faultline_store::views::debates::DebateRow;
use faultline_store::views::dispute_writes::{DebateDisputes, DisputeRow};
use faultline_store::views::editions::DebateCast;
use faultline_store::views::views::{DEBATES, ViewBody, ViewRow};

/// Name of the stored view of a debate's summary.
pub const SUMMARY: &str = "summary";
/// Name of the stored view of a debate's verdict.
pub const VERDICT: &str = "verdict";

/// All names under which rows of a generation are served.
pub const NAMES: [&str; 3] = [DEBATES, SUMMARY, VERDICT];

/// Adds all rows of a debate in a generation to the changes to be saved; none if the debate has not been opened.
///
/// # Errors
/// [`StoreError::Json`] if a view cannot be encoded.
pub fn project(
    changes: &mut ViewChanges,
    generation: i32,
    debate: DebateId,
    read_model: &DebateReadModel,
) -> Result<(), StoreError> {
    let summary = &read_model.summary;
    let Some(opened_at) = summary.opened_at else { return Ok(()) };
    let verdict = read_model.verdict();
    let regime = verdict.regime.kind.name();
    let view = |projection, body| ViewRow { projection, generation, debate, version: summary.version, body };
    changes.views.push(view(SUMMARY, ViewBody::Json(raw(summary)?)));
    // Kilobytes, replaced with every turn.
    changes.views.push(view(VERDICT, ViewBody::compressed(raw(&verdict)?)));
    let ranked = (1..).zip(verdict.all_cruxes());
    let rows = ranked.map(|(place, crux)| crux_row(read_model, (place, crux), opened_at, regime));
    let rows = rows.collect::<Result<_, _>>()?;
    changes.cruxes.push(DebateCruxes { generation, debate, version: summary.version, rows, unchanged: Vec::new() });
    let pinned = summary.participants.iter().filter_map(|participant| {
        read_model.cast.get(&participant.persona).map(|persona| (participant.edition.clone(), persona.clone()))
    });
    changes.casts.push(DebateCast { debate, opened_at, personas: pinned.collect() });
    let rows =
        read_model.disputes.disputes.iter().map(|(id, dispute)| dispute_row(read_model, *id, dispute, opened_at));
    let rows = rows.collect::<Result<_, _>>()?;
    changes.disputes.push(DebateDisputes { generation, debate, version: summary.version, rows });
    let total = summary.usage.total;
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let count = |number: usize| i64::try_from(number).ok();
    changes.debates.push(DebateRow {
        generation,
        debate,
        version: summary.version,
        topic: summary.topic.clone(),
        engine: summary.engine.clone(),
        provider: summary.provider.clone(),
        status: summary.status.name().to_owned(),
        phase: summary.phase.clone(),
        regime: Some(regime.to_owned()),
        opened_at,
        changed_at: summary.updated_at.unwrap_or(opened_at),
        ended_at: summary.ended_at,
        n_turns: i64::from(summary.n_turns),
        tokens: signed(total.input_tokens + total.output_tokens),
        cost_micros: signed(total.cost_micros),
        participants: summary.participants.iter().map(|participant| participant.persona.clone()).collect(),
        outcome: outcome(summary).map(str::to_owned),
        models: summary.usage.by_model.keys().cloned().collect(),
        speaker_figures: speaker_figures(read_model).concat(),
        measures: summary.status.is_final().then(|| values(read_model, &verdict)),
        n_arguments: count(read_model.arguments.arguments.len()),
        n_attacks: count(read_model.arguments.attacks.len()),
        n_concessions: count(read_model.concessions.concessions.len()),
    });
    Ok(())
}

/// Returns the kind of the outcome, or `cancelled`; `None` until the debate ends.
fn outcome(summary: &Summary) -> Option<&'static str> {
    match summary.status {
        Status::Cancelled => Some("cancelled"),
        _ => summary.outcome.as_ref().map(DebateOutcome::kind),
    }
}

/// Returns the measures that have a value, by key.
fn values(read_model: &DebateReadModel, verdict: &Verdict) -> BTreeMap<String, f64> {
    let measured = measures(read_model, verdict).into_iter();
    measured.filter_map(|it| Some((it.definition.key.to_owned(), it.measurement.value?))).collect()
}

fn crux_row(
    read_model: &DebateReadModel,
    (place, crux): (i32, &Crux),
    debate_opened: DateTime<Utc>,
    regime: &str,
) -> Result<CruxRow, StoreError> {
    let (opened_at, changed_at) = crux.times(&read_model.transcript, debate_opened);
    let sides = crux.positions.iter().filter(|position| position.side.is_listed());
    Ok(CruxRow {
        key: crux.key.to_string(),
        place,
        kind: crux.origin.name().to_owned(),
        open: crux.open,
        statement: crux.statement.clone(),
        pivotality: crux.pivotality,
        order: crux.consequence.and_then(|consequence| consequence.order),
        n_dependents: crux.dependents.len(),
        personas: sides.map(|position| position.persona.clone()).collect(),
        regime: regime.to_owned(),
        opened_at,
        changed_at,
        body: raw(crux)?,
    })
}

fn dispute_row(
    read_model: &DebateReadModel,
    id: DisputeId,
    dispute: &Dispute,
    debate_opened: DateTime<Utc>,
) -> Result<DisputeRow, StoreError> {
    let stances = dispute.history.iter().map(|(_, stance)| stance.turn);
    let reasons = dispute.reasons.values().map(|reason| reason.given.turn);
    let turns = dispute.turns.iter().copied().chain(stances).chain(reasons);
    let mut times: Vec<DateTime<Utc>> =
        turns.filter_map(|id| read_model.transcript.turn(id)).map(|turn| turn.at).collect();
    times.sort_unstable();
    Ok(DisputeRow {
        key: id,
        statement: dispute.question.clone(),
        status: dispute.status().name().to_owned(),
        is_topic: dispute.is_topic,
        personas: dispute.stances.keys().cloned().collect(),
        opened_at: times.first().copied().unwrap_or(debate_opened),
        changed_at: times.last().copied().unwrap_or(debate_opened),
        body: raw(&dispute.stances)?,
    })
}

fn raw(value: &impl Serialize) -> Result<Box<RawValue>, StoreError> {
    to_raw_value(value).map_err(StoreError::json("write a view"))
}
