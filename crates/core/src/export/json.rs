//! Debate as one JSON value: all read models, the verdict, and the events.

use serde_json::{Map, Value, json};

use crate::events::event::Recorded;
use crate::events::ids::PersonaId;
use crate::export::jsonl::ExportedEvent;
use crate::verdicts::read_model::DebateReadModel;

/// Name of the format, by which the importer recognises it.
pub const FORMAT: &str = "faultline-debate/1";

/// All read models of a debate and its verdict, as JSON.
pub fn views(board: &DebateReadModel) -> Value {
    json!({
        "summary": board.summary,
        "transcript": board.transcript.turns,
        "arguments": board.arguments.arguments,
        "attacks": board.arguments.attacks,
        "disputes": board.disputes.disputes,
        "cruxProposals": board.crux_proposals.cruxes,
        "rooms": board.rooms.rooms,
        "factChecks": board.fact_checks.checks,
        "concessions": board.concessions.concessions,
        "progress": board.progress.signals,
        "proposals": board.proposals.proposals,
        "grounding": grounding(board),
        "verdict": board.verdict(),
    })
}

/// Grounding of the debate: in total, by participant, and the suspicious passages.
pub fn grounding(board: &DebateReadModel) -> Value {
    let of = |persona: &PersonaId| (persona.to_string(), json!(board.grounding.of(persona)));
    let suspected =
        board.grounding.suspected.iter().map(|(version, passage)| json!({ "version": version, "passage": passage }));
    json!({
        "total": board.grounding.total(),
        "participants": board.grounding.participants.keys().map(of).collect::<Map<String, Value>>(),
        "suspected": suspected.collect::<Vec<Value>>(),
    })
}

/// Renders the whole debate as indented JSON. The importer reads only the `events` field.
pub fn json(board: &DebateReadModel, events: &[Recorded]) -> String {
    let mut whole = views(board);
    let lines: Vec<Value> =
        events.iter().map(|recorded| serde_json::to_value(ExportedEvent::of(recorded)).unwrap_or_default()).collect();
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("format".to_owned(), json!(FORMAT));
        fields.insert("debate".to_owned(), json!(board.summary.debate));
        fields.insert("events".to_owned(), Value::Array(lines));
    }
    format!("{whole:#}\n")
}
