//! Debate as one JSON value: all read models, the verdict, and the events.

use serde_json::{Map, Value, json};

use crate::events::event::Recorded;
use crate::events::ids::PersonaId;
use crate::export::jsonl::ExportedEvent;
use crate::verdicts::read_model::DebateReadModel;

/// Name of the format, by which the importer recognises it.
pub const FORMAT: &str = "faultline-debate/1";

/// All read models of a debate and its verdict, as JSON.
pub fn views(read_model: &DebateReadModel) -> Value {
    json!({
        "summary": read_model.summary,
        "transcript": read_model.transcript.turns,
        "arguments": read_model.arguments.arguments,
        "attacks": read_model.arguments.attacks,
        "disputes": read_model.disputes.disputes,
        "cruxProposals": read_model.crux_proposals.cruxes,
        "rooms": read_model.rooms.rooms,
        "factChecks": read_model.fact_checks.checks,
        "concessions": read_model.concessions.concessions,
        "flipConditions": read_model.flip_conditions.stated,
        "progress": read_model.progress.signals,
        "proposals": read_model.proposals.proposals,
        "refinement": read_model.proposals.refinement(),
        "grounding": grounding(read_model),
        "verdict": read_model.verdict(),
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
