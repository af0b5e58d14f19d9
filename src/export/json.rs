//! A debate as one JSON value: every view, the verdict, and the events behind them.

use serde_json::{Value, json};

use crate::events::event::Recorded;
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
        "concessions": board.concessions.concessions,
        "progress": board.progress.signals,
        "proposals": board.proposals.proposals,
        "verdict": board.verdict(),
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
