//! Events of the engine `graph`, in the format of the old graph engine.

use serde_json::{Value, json};

use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::{DebateConcluded, DebateOutcome, PhaseEntered};
use crate::export::legacy::legacy_debate::{LegacyDebate, argument_name, preferred};
use crate::verdicts::crux::Crux;
use crate::verdicts::verdict::Verdict;

/// Translates the next event.
pub fn translate(legacy: &LegacyDebate, recorded: &Recorded, before: Option<&Verdict>) -> Vec<Value> {
    match &recorded.event {
        Event::DebateOpened(_) => opened(legacy, recorded),
        Event::PhaseEntered(it) => {
            let graph = before
                .filter(|verdict| !verdict.labels.is_empty())
                .map(|verdict| graph(verdict, legacy.read_model.summary.round));
            graph.into_iter().chain([status(it)]).collect()
        }
        // The old engine created arguments that carry an attack together with the attack, and did not report them.
        Event::ArgumentAdvanced(it) if it.carries.is_none() => {
            let (who, round) = (legacy.name(&it.speaker), legacy.round(it.turn));
            let arguments = [legacy.argument(it)];
            vec![json!({ "type": "arguments_submitted", "personaId": who, "arguments": arguments, "round": round })]
        }
        Event::AttackRaised(it) => {
            let round = legacy.round(it.turn);
            vec![json!({ "type": "attacks_generated", "attacks": [legacy.attack(it)], "round": round })]
        }
        Event::AttackJudged(it) => {
            let raised = legacy.read_model.arguments.attacks.get(&it.attack);
            let round = raised.map_or(0, |attack| legacy.round(attack.raised.turn));
            vec![json!({ "type": "validation_complete", "results": [legacy.validation(it)], "round": round })]
        }
        Event::DebateConcluded(it) => concluded(legacy, it),
        Event::DebateAborted(it) => vec![json!({ "type": "error", "message": it.reason })],
        _ => Vec::new(),
    }
}

fn opened(legacy: &LegacyDebate, recorded: &Recorded) -> Vec<Value> {
    let names = legacy.names();
    vec![
        json!({ "type": "status", "phase": "agents", "message": format!("Loading {} persona contracts...", names.len()) }),
        json!({ "type": "debate_start", "debateId": recorded.debate, "topic": legacy.read_model.summary.topic, "claims": [] }),
        json!({ "type": "table_assigned", "tableId": 0, "personaIds": names }),
    ]
}

fn status(entered: &PhaseEntered) -> Value {
    let message = match entered.round {
        Some(round) => format!("Round {round}: {}...", entered.phase),
        None => format!("{}...", entered.phase),
    };
    json!({ "type": "status", "phase": entered.phase, "message": message })
}

fn graph(verdict: &Verdict, round: Option<u32>) -> Value {
    let [standing, ..] = LegacyDebate::counts(verdict);
    json!({
        "type": "graph_update",
        "labelling": LegacyDebate::labels(verdict),
        "groundedSize": standing,
        "preferredCount": preferred(verdict),
        "round": round.unwrap_or(0),
    })
}

fn concluded(legacy: &LegacyDebate, concluded: &DebateConcluded) -> Vec<Value> {
    let verdict = legacy.read_model.verdict();
    let converged = matches!(concluded.outcome, DebateOutcome::Exhausted { .. });
    let round = legacy.read_model.summary.round.unwrap_or(0);
    let [_, _, open] = LegacyDebate::counts(&verdict);
    let entropy = if verdict.labels.is_empty() { 0.0 } else { open as f64 / verdict.labels.len() as f64 };
    let cruxes = verdict.cruxes.iter().enumerate().map(|(at, entry)| crux(at, entry));
    let output = json!({
        "cruxes": cruxes.collect::<Vec<_>>(),
        "faultLines": [],
        "flipConditions": [],
        "evidenceLedger": [],
        "resolutionPaths": [],
        "regime": verdict.regime.kind.name(),
        "regimeDescription": verdict.regime.reason,
    });
    let metrics = json!({
        "entropy": entropy,
        "confidenceWeightedDistance": 0,
        "unresolvedCruxCount": verdict.cruxes.len(),
        "converged": converged,
        "diverged": false,
        "eventCount": round,
        "maxEvents": round.max(1),
    });
    vec![
        graph(&verdict, legacy.read_model.summary.round),
        json!({ "type": "graph_convergence", "stable": converged, "newEdges": 0, "round": round }),
        json!({ "type": "convergence_update", "metrics": metrics }),
        json!({ "type": "debate_complete", "output": output }),
    ]
}

fn crux(at: usize, crux: &Crux) -> Value {
    let rest_on_it: Vec<String> = crux.dependents.iter().map(|dependent| argument_name(*dependent)).collect();
    json!({
        "id": format!("crux-{}", at + 1),
        "proposition": crux.statement,
        "weight": crux.pivotality.unwrap_or(1.0),
        "surfacedByTables": [0],
        "resolved": false,
        "argIds": rest_on_it,
    })
}
