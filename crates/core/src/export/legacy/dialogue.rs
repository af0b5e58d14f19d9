//! Events of all engines except `graph`, in the format of the old dialogue engine ("v2").

use serde_json::{Value, json};

use crate::events::event::{Event, Recorded};
use crate::events::ids::TurnId;
use crate::events::lifecycle::{DebateConcluded, DebateOutcome, PhaseEntered};
use crate::events::turn::{ConcessionEffect, ConcessionExtent, ConcessionMade, Move, TurnTaken};
use crate::export::legacy::legacy_debate::{LegacyDebate, argument_name, attack_name, preferred};
use crate::verdicts::verdict::Verdict;

/// Translates the next event.
pub fn translate(legacy: &mut LegacyDebate, recorded: &Recorded, before: Option<&Verdict>) -> Vec<Value> {
    match &recorded.event {
        Event::DebateOpened(_) => {
            let topic = &legacy.read_model.summary.topic;
            vec![json!({ "type": "engine_start", "topic": topic, "personaIds": legacy.names() })]
        }
        Event::PhaseEntered(it) => phase(legacy, it, before),
        Event::HintGiven(it) => {
            legacy.hint = Some(it.text.clone());
            let target = legacy.name(&it.speaker);
            vec![json!({ "type": "steering", "hint": it.text, "targetPersonaId": target })]
        }
        Event::TurnTaken(it) => {
            let hint = legacy.hint.take();
            vec![json!({ "type": "dialogue_turn", "turn": turn(legacy, it, recorded, hint) })]
        }
        Event::CruxProposed(it) => {
            let who = legacy.name(&it.speaker);
            vec![json!({ "type": "crux_proposed", "personaId": who, "statement": it.statement })]
        }
        Event::ConcessionMade(it) => vec![json!({ "type": "concession", "concession": concession(legacy, it) })],
        Event::ProgressMeasured(_) => vec![graph(&legacy.read_model.verdict())],
        Event::DebateConcluded(it) => concluded(legacy, it),
        Event::DebateAborted(it) => vec![json!({ "type": "engine_error", "message": it.reason })],
        event => crystal(legacy, event).into_iter().collect(),
    }
}

/// Change of the argument graph as the old crystallizer reported it. An attack is reported once it is valid.
fn crystal(legacy: &LegacyDebate, event: &Event) -> Option<Value> {
    let graph = &legacy.read_model.arguments;
    let (key, value) = match event {
        Event::ArgumentAdvanced(it) => ("newArgs", legacy.argument(it)),
        Event::ArgumentRevised(it) => {
            let now = &graph.arguments.get(&it.argument)?.advanced;
            let (id, claim) = (argument_name(it.argument), &now.claim);
            ("updatedArgs", json!({ "id": id, "claim": claim, "assumptions": now.assumptions }))
        }
        Event::ArgumentWithdrawn(it) => ("removedArgIds", json!(argument_name(it.argument))),
        Event::AttackJudged(it) if it.valid => ("newAttacks", legacy.attack(&graph.attacks.get(&it.attack)?.raised)),
        Event::AttackJudged(it) => ("removedAttackIds", json!(attack_name(it.attack))),
        Event::AttackWithdrawn(it) => ("removedAttackIds", json!(attack_name(it.attack))),
        _ => return None,
    };
    let mut result =
        json!({ "newArgs": [], "updatedArgs": [], "removedArgIds": [], "newAttacks": [], "removedAttackIds": [] });
    result[key] = json!([value]);
    Some(json!({ "type": "crystallization", "result": result }))
}

fn phase(legacy: &mut LegacyDebate, entered: &PhaseEntered, before: Option<&Verdict>) -> Vec<Value> {
    let from = legacy.phase;
    let to = number(&entered.phase);
    legacy.phase = to;
    let mut told: Vec<Value> = before.filter(|verdict| !verdict.labels.is_empty()).map(graph).into_iter().collect();
    if from != 0 && from != to {
        let reason = entered.reason.clone().unwrap_or_else(|| entered.phase.clone());
        told.push(json!({ "type": "phase_transition", "from": from, "to": to, "reason": reason }));
    }
    if from != to {
        told.push(json!({ "type": "phase_start", "phase": to }));
    }
    told
}

/// Number of a phase; the old engine had four phases.
fn number(phase: &str) -> u32 {
    match phase {
        "opening" | "openings" => 1,
        "crux" | "cruxes" => 3,
        "resolution" | "closing" | "closings" => 4,
        _ => 2,
    }
}

fn turn(legacy: &LegacyDebate, taken: &TurnTaken, recorded: &Recorded, hint: Option<String>) -> Value {
    json!({
        "turnIndex": index(taken.turn),
        "phase": legacy.phase.max(1),
        "personaId": legacy.name(&taken.speaker),
        "dialogue": taken.text,
        "move": taken.moves.first().map_or("CLAIM", |talk_move| word(*talk_move)),
        "steeringHint": hint,
        "timestamp": recorded.at.timestamp_millis(),
    })
}

/// Old index of a turn, counted from 0.
fn index(turn: TurnId) -> u32 {
    turn.0.saturating_sub(1)
}

fn word(it: Move) -> &'static str {
    match it {
        Move::Claim | Move::Propose => "CLAIM",
        Move::Challenge => "CHALLENGE",
        Move::Clarify => "CLARIFY",
        Move::Concede => "CONCEDE",
        Move::Reframe => "REFRAME",
        Move::ProposeCrux => "PROPOSE_CRUX",
    }
}

fn concession(legacy: &LegacyDebate, made: &ConcessionMade) -> Value {
    let kind = match made.kind {
        ConcessionExtent::Full => "full",
        ConcessionExtent::Partial => "partial",
        ConcessionExtent::Scope => "scope_narrowing",
    };
    let (removed, updated) = match made.effect {
        ConcessionEffect::Withdrew { argument } => (vec![argument_name(argument)], vec![]),
        ConcessionEffect::Revised { argument } => (vec![], vec![argument_name(argument)]),
        ConcessionEffect::Moved { .. } | ConcessionEffect::Said => (vec![], vec![]),
    };
    json!({
        "turnIndex": index(made.turn),
        "personaId": legacy.name(&made.speaker),
        "type": kind,
        "concededClaim": made.what,
        "effect": kind,
        "removedArgIds": removed,
        "updatedArgIds": updated,
    })
}

fn graph(verdict: &Verdict) -> Value {
    let [standing, fallen, open] = LegacyDebate::counts(verdict);
    json!({
        "type": "graph_updated",
        "inCount": standing,
        "outCount": fallen,
        "undecCount": open,
        "preferredCount": preferred(verdict),
    })
}

fn concluded(legacy: &LegacyDebate, concluded: &DebateConcluded) -> Vec<Value> {
    let verdict = legacy.read_model.verdict();
    let converged = matches!(concluded.outcome, DebateOutcome::Settled { .. });
    let summary = &legacy.read_model.summary;
    let regime = verdict.regime.kind.name();
    let concessions: Vec<Value> =
        legacy.read_model.concessions.concessions.iter().map(|entry| concession(legacy, &entry.made)).collect();
    let camps = verdict.camps.iter().enumerate().map(|(at, camp)| {
        let arguments: Vec<String> = camp.arguments.iter().map(|argument| argument_name(*argument)).collect();
        let personas: Vec<&str> = camp.personas.iter().map(|persona| legacy.name(persona)).collect();
        json!({ "extensionIndex": at, "argumentIds": arguments, "personaIds": personas })
    });
    let total = &summary.usage.total;
    let output = json!({
        "topic": summary.topic,
        "personaIds": legacy.names(),
        "graph": whole_graph(legacy, &verdict),
        "crux": crux(legacy),
        "commonGround": [],
        "camps": camps.collect::<Vec<_>>(),
        "concessionTrail": concessions,
        "regime": regime,
        "regimeDescription": verdict.regime.reason,
        "tokenUsage": { "inputTokens": total.input_tokens, "outputTokens": total.output_tokens },
        "duration": total.millis,
    });
    vec![
        graph(&verdict),
        json!({ "type": "convergence_check", "converged": converged, "reason": concluded.outcome.reason() }),
        json!({ "type": "engine_complete", "output": output }),
    ]
}

/// Final graph: live arguments and valid attacks only.
fn whole_graph(legacy: &LegacyDebate, verdict: &Verdict) -> Value {
    let graph = &legacy.read_model.arguments;
    let arguments: Vec<Value> = graph.live().map(|(_, argument)| legacy.argument(&argument.advanced)).collect();
    let attacks: Vec<Value> = graph.active().map(|(_, attack)| legacy.attack(&attack.raised)).collect();
    let judged = graph.active().filter_map(|(_, attack)| attack.judged.as_ref());
    json!({
        "topic": legacy.read_model.summary.topic,
        "arguments": arguments,
        "attacks": attacks,
        "validationResults": judged.map(|judgement| legacy.validation(judgement)).collect::<Vec<_>>(),
        "labelling": LegacyDebate::labels(verdict),
        "round": 0,
    })
}

/// Last crux that a participant proposed; `acknowledged` if another participant agreed with its statement.
fn crux(legacy: &LegacyDebate) -> Value {
    let last = legacy.read_model.crux_proposals.cruxes.values().last();
    last.map_or(Value::Null, |crux| {
        json!({
            "proposedBy": [legacy.name(&crux.proposed.speaker)],
            "statement": crux.proposed.statement,
            "assumptions": [],
            "acknowledged": !crux.acknowledged.is_empty(),
        })
    })
}
