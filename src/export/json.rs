//! A debate as one JSON value: every view, the verdict, and the events behind them.

use serde_json::{Map, Value, json};

use crate::events::event::Recorded;
use crate::events::ids::PersonaId;
use crate::export::jsonl::Line;
use crate::verdicts::board::Board;

/// The name of the format, by which an import knows it.
pub const FORMAT: &str = "faultline-debate/1";

/// A debate as programs see it: every view, and the verdict.
pub fn views(board: &Board) -> Value {
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

/// How the debate is grounded: in all, by participant, and what is suspicious.
pub fn grounding(board: &Board) -> Value {
    let of = |it: &PersonaId| (it.to_string(), json!(board.grounding.of(it)));
    let suspected = board.grounding.suspected.iter().map(|(version, it)| json!({ "version": version, "passage": it }));
    json!({
        "total": board.grounding.total(),
        "participants": board.grounding.participants.keys().map(of).collect::<Map<String, Value>>(),
        "suspected": suspected.collect::<Vec<Value>>(),
    })
}

/// The whole of a debate, over several lines. The events alone make it: what reads it back takes nothing else from it.
pub fn json(board: &Board, events: &[Recorded]) -> String {
    let mut whole = views(board);
    let lines: Vec<Value> = events.iter().map(|it| serde_json::to_value(Line::of(it)).unwrap_or_default()).collect();
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("format".to_owned(), json!(FORMAT));
        fields.insert("debate".to_owned(), json!(board.summary.debate));
        fields.insert("events".to_owned(), Value::Array(lines));
    }
    format!("{whole:#}\n")
}
