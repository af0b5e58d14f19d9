//! Debate as one JSON value: all read models, the verdict, and the events.

use serde_json::{Map, Value, json};

use crate::events::event::Recorded;
use crate::events::ids::PersonaId;
use crate::export::jsonl::ExportedEvent;
use crate::projections::crux_rooms::Room;
use crate::verdicts::disagreement::evidence_ledger::evidence_ledgers;
use crate::verdicts::disagreement::fault_lines::fault_lines;
use crate::verdicts::disagreement::flip_conditions::flip_conditions;
use crate::verdicts::disagreement::resolution_paths::resolution_paths;
use crate::verdicts::disagreement::room_summary::room_summary;
use crate::verdicts::disagreement::tracked_conditions::tracked_conditions;
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::verdict::Verdict;

/// Name of the format, by which the importer recognises it.
pub const FORMAT: &str = "faultline-debate/1";

/// All read models of a debate and its verdict, as JSON.
pub fn views(read_model: &DebateReadModel) -> Value {
    let verdict = read_model.verdict();
    json!({
        "summary": read_model.summary,
        "transcript": read_model.transcript.turns,
        "arguments": read_model.arguments.arguments,
        "attacks": read_model.arguments.attacks,
        "disputes": read_model.disputes.disputes,
        "cruxProposals": read_model.crux_proposals.cruxes,
        "rooms": read_model.rooms.rooms,
        "roomSummaries": room_summaries(read_model),
        "roomCandidates": read_model.candidates.candidates,
        "floor": read_model.floor.given,
        "skippedTurns": read_model.floor.skips,
        "attention": read_model.attention.turns,
        "agendas": read_model.agenda.set,
        "tables": read_model.tables.tables,
        "factChecks": read_model.fact_checks.checks,
        "uncheckedClaims": read_model.fact_checks.unchecked,
        "unreadForClaims": read_model.fact_checks.unread,
        "searches": read_model.searches.all,
        "motion": read_model.motion,
        "speakerUse": read_model.speaker_use.speakers,
        "concessions": read_model.concessions.concessions,
        "flipConditions": read_model.flip_conditions.stated,
        "progress": read_model.progress.signals,
        "proposals": read_model.proposals.proposals,
        "refinement": read_model.proposals.refinement(),
        "grounding": grounding(read_model),
        "disagreement": disagreement(read_model, &verdict),
        "audit": audit(&verdict),
        "probes": read_model.probes.rounds,
        "verdict": verdict,
    })
}

/// Summaries of the rooms that have a dispute, by room.
fn room_summaries(read_model: &DebateReadModel) -> Value {
    let summary = |room: &Room| room_summary(room, &read_model.disputes, &read_model.flip_conditions);
    let rooms = read_model.rooms.rooms.iter();
    rooms.filter_map(|(id, room)| Some((id.to_string(), json!(summary(room)?)))).collect::<Map<_, _>>().into()
}

/// Parts of the disagreement: fault lines, evidence, conditions and resolution paths.
pub fn disagreement(read_model: &DebateReadModel, verdict: &Verdict) -> Value {
    let DebateReadModel { summary, arguments, disputes, .. } = read_model;
    json!({
        "faultLines": fault_lines(read_model, verdict),
        "evidenceLedgers": evidence_ledgers(summary, arguments, disputes, &verdict.labels),
        "flipConditions": flip_conditions(summary, arguments, &verdict.labels),
        "resolutionPaths": resolution_paths(disputes, verdict),
        "statedConditions": tracked_conditions(&read_model.flip_conditions, disputes),
    })
}

/// Audit of the verdict in figures and words; the readings are part of the verdict.
fn audit(verdict: &Verdict) -> Value {
    let audit = &verdict.audit;
    json!({
        "state": audit.state(),
        "summary": audit.in_words(),
        "audited": audit.audited(),
        "words": audit.words.len(),
        "contested": audit.contested().count(),
    })
}

/// Grounding of the debate: in total, by participant, and the suspicious passages.
pub fn grounding(read_model: &DebateReadModel) -> Value {
    let of = |persona: &PersonaId| (persona.to_string(), json!(read_model.grounding.of(persona)));
    let suspected = read_model
        .grounding
        .suspected
        .iter()
        .map(|(version, passage)| json!({ "version": version, "passage": passage }));
    json!({
        "total": read_model.grounding.total(),
        "participants": read_model.grounding.participants.keys().map(of).collect::<Map<String, Value>>(),
        "suspected": suspected.collect::<Vec<Value>>(),
    })
}

/// Renders the whole debate as indented JSON. The importer reads only the `events` field.
pub fn json(read_model: &DebateReadModel, events: &[Recorded]) -> String {
    let mut whole = views(read_model);
    let lines: Vec<Value> =
        events.iter().map(|recorded| serde_json::to_value(ExportedEvent::of(recorded)).unwrap_or_default()).collect();
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("format".to_owned(), json!(FORMAT));
        fields.insert("debate".to_owned(), json!(read_model.summary.debate));
        fields.insert("events".to_owned(), Value::Array(lines));
    }
    format!("{whole:#}\n")
}
