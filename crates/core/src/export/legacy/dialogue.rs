//! Events of all engines except `graph`, in the format of the old dialogue engine ("v2").

use serde_json::{Value, json};

use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::{DebateConcluded, DebateOutcome, PhaseEntered};
use crate::events::turn::{ConcessionEffect, ConcessionExtent, ConcessionMade, Move, TurnTaken};
use crate::export::legacy::crystal_batch::CrystalBatch;
use crate::export::legacy::dispute_update::dispute_update;
use crate::export::legacy::legacy_debate::{LegacyDebate, argument_name, dispute_name, preferred, turn_index};
use crate::export::legacy::output::LegacyOutput;
use crate::projections::transcript::Turn;
use crate::verdicts::crux::CruxOrigin;
use crate::verdicts::verdict::Verdict;

/// Translates the next event. `before` is the verdict before it, given for a new phase.
pub fn translate(
    legacy: &mut LegacyDebate,
    batch: &mut CrystalBatch,
    recorded: &Recorded,
    before: Option<&Verdict>,
) -> Vec<Value> {
    let event = &recorded.event;
    if CrystalBatch::includes(event) {
        batch.add(legacy, event);
        return Vec::new();
    }
    let mut sent = crystallized(legacy, std::mem::take(batch));
    sent.extend(match event {
        Event::DebateOpened(_) => {
            let (topic, names) = (&legacy.read_model.summary.topic, legacy.names());
            let debate = recorded.debate;
            vec![json!({ "type": "engine_start", "debateId": debate, "topic": topic, "personaIds": names })]
        }
        Event::PhaseEntered(entered) => phase(legacy, entered, before),
        Event::HintGiven(given) => {
            legacy.hint = Some(given.text.clone());
            let target = legacy.name(&given.speaker);
            vec![json!({ "type": "steering", "hint": given.text, "targetPersonaId": target })]
        }
        Event::TurnTaken(taken) => {
            let hint = legacy.hint.take();
            vec![json!({ "type": "dialogue_turn", "turn": turn(legacy, taken, recorded, hint) })]
        }
        Event::CruxProposed(proposed) => {
            let who = legacy.name(&proposed.speaker);
            vec![json!({ "type": "crux_proposed", "personaId": who, "statement": proposed.statement })]
        }
        Event::ProgressMeasured(_) => {
            let verdict = legacy.read_model.verdict();
            let check = json!({ "type": "convergence_check", "converged": false, "reason": null });
            [graph(&verdict), check].into_iter().chain(dispute_update(legacy, &verdict)).collect()
        }
        Event::DebateConcluded(concluded) => conclusion(legacy, concluded),
        Event::DebateAborted(aborted) => vec![json!({ "type": "engine_error", "message": aborted.reason })],
        _ => Vec::new(),
    });
    sent
}

/// Returns the crystallization and the concessions that are not sent yet.
fn crystallized(legacy: &LegacyDebate, batch: CrystalBatch) -> Vec<Value> {
    let concessions = batch.concessions.iter().map(|made| {
        let concession = concession(legacy, made);
        json!({ "type": "concession", "concession": concession })
    });
    batch.crystallization().into_iter().chain(concessions).collect()
}

fn phase(legacy: &mut LegacyDebate, entered: &PhaseEntered, before: Option<&Verdict>) -> Vec<Value> {
    let from = legacy.phase;
    let to = number(&entered.phase);
    legacy.phase = to;
    let mut sent: Vec<Value> = before.filter(|verdict| !verdict.labels.is_empty()).map(graph).into_iter().collect();
    if from != 0 && from != to {
        let reason = entered.reason.clone().unwrap_or_else(|| entered.phase.clone());
        sent.push(json!({ "type": "phase_transition", "from": from, "to": to, "reason": reason }));
    }
    if from != to {
        sent.push(json!({ "type": "phase_start", "phase": to }));
    }
    sent
}

/// Number of a phase; the old engine had four phases.
fn number(phase: &str) -> u32 {
    match phase {
        "opening" | "openings" => 1,
        "crux_seeking" | "crux" | "cruxes" => 3,
        "resolution" | "closing" | "closings" | "answers" => 4,
        _ => 2,
    }
}

fn turn(legacy: &LegacyDebate, taken: &TurnTaken, recorded: &Recorded, hint: Option<String>) -> Value {
    json!({
        "turnIndex": turn_index(taken.turn),
        "phase": legacy.phase.max(1),
        "personaId": legacy.name(&taken.speaker),
        "dialogue": taken.text,
        "move": first_move(&taken.moves),
        "steeringHint": hint,
        "timestamp": recorded.at.timestamp_millis(),
    })
}

/// Turn of the transcript in the same form; `None` for a turn of the moderator, which the old format lacks.
fn turn_of_transcript(turn: &Turn) -> Option<Value> {
    turn.speaker.as_ref()?;
    Some(json!({
        "turnIndex": turn_index(turn.turn),
        "phase": turn.phase.as_deref().map_or(1, number),
        "personaId": turn.name,
        "dialogue": turn.text,
        "move": first_move(&turn.moves),
        "steeringHint": turn.hint.as_ref().map(|hint| hint.text.as_str()),
        "timestamp": turn.at.timestamp_millis(),
    }))
}

/// Old name of the first move of a turn. Unknown moves were claims in the old engine, and so are turns without one.
fn first_move(moves: &[Move]) -> &'static str {
    match moves.first() {
        None | Some(Move::Claim | Move::Propose) => "CLAIM",
        Some(Move::Challenge) => "CHALLENGE",
        Some(Move::Clarify) => "CLARIFY",
        Some(Move::Concede) => "CONCEDE",
        Some(Move::Reframe) => "REFRAME",
        Some(Move::ProposeCrux) => "PROPOSE_CRUX",
    }
}

fn concession(legacy: &LegacyDebate, made: &ConcessionMade) -> Value {
    let kind = match made.kind {
        ConcessionExtent::Full => "full",
        ConcessionExtent::Partial => "partial",
        ConcessionExtent::Scope => "scope_narrowing",
    };
    let (removed, updated, effect) = match made.effect {
        ConcessionEffect::Withdrew { argument } => {
            let name = argument_name(argument);
            let effect = format!("Withdrew [{name}]");
            (vec![name], vec![], effect)
        }
        ConcessionEffect::Revised { argument } => {
            let name = argument_name(argument);
            let effect = format!("Narrowed [{name}]");
            (vec![], vec![name], effect)
        }
        ConcessionEffect::Moved { dispute, .. } => {
            (vec![], vec![], format!("Changed sides on [{}]", dispute_name(dispute)))
        }
        ConcessionEffect::Said => (vec![], vec![], "Said, without effect on the graph".to_owned()),
    };
    json!({
        "turnIndex": turn_index(made.turn),
        "personaId": legacy.name(&made.speaker),
        "type": kind,
        "concededClaim": made.what,
        "effect": effect,
        "removedArgIds": removed,
        "updatedArgIds": updated,
    })
}

fn graph(verdict: &Verdict) -> Value {
    let [accepted, rejected, undecided] = LegacyDebate::counts(verdict);
    json!({
        "type": "graph_updated",
        "inCount": accepted,
        "outCount": rejected,
        "undecCount": undecided,
        "preferredCount": preferred(verdict),
    })
}

fn conclusion(legacy: &LegacyDebate, concluded: &DebateConcluded) -> Vec<Value> {
    let verdict = legacy.read_model.verdict();
    let converged = matches!(concluded.outcome, DebateOutcome::Settled { .. });
    let summary = &legacy.read_model.summary;
    let concessions: Vec<Value> =
        legacy.read_model.concessions.concessions.iter().map(|entry| concession(legacy, &entry.made)).collect();
    let lasted = summary.ended_at.zip(summary.opened_at).map(|(end, start)| (end - start).num_milliseconds());
    let total = &summary.usage.total;
    let result = LegacyOutput::of(legacy, &verdict);
    let agreements = result.agreements();
    let output = json!({
        "topic": summary.topic,
        "personaIds": legacy.names(),
        "transcript": legacy.read_model.transcript.turns.iter().filter_map(turn_of_transcript).collect::<Vec<_>>(),
        "graph": result.graph(),
        "crux": crux(legacy, &verdict),
        "commonGround": agreements.iter().map(|agreed| &agreed["disputeId"]).collect::<Vec<_>>(),
        "agreements": agreements,
        "camps": result.camps(),
        "concessionTrail": concessions,
        "cruxes": result.cruxes(),
        "faultLines": result.fault_lines(),
        "flipConditions": result.flip_conditions(),
        "evidenceLedger": result.evidence_ledger(),
        "resolutionPaths": result.resolution_paths(),
        "regime": verdict.regime.kind.name(),
        "regimeDescription": verdict.regime.reason,
        "tokenUsage": { "inputTokens": total.input_tokens, "outputTokens": total.output_tokens },
        "duration": lasted,
    });
    let check = json!({ "type": "convergence_check", "converged": converged, "reason": concluded.outcome.reason() });
    let complete = json!({ "type": "engine_complete", "output": output });
    let update = dispute_update(legacy, &verdict);
    std::iter::once(graph(&verdict)).chain(update).chain([check, complete]).collect()
}

/// Crux of the debate: the latest one that participants agreed on; otherwise the most important one of the verdict;
/// otherwise the latest one that was only proposed. Null if there is none.
fn crux(legacy: &LegacyDebate, verdict: &Verdict) -> Value {
    let proposals = &legacy.read_model.crux_proposals;
    let acknowledged = proposals.acknowledged().last().map(|(_, crux)| crux);
    let structural = verdict.cruxes.iter().find(|crux| !matches!(crux.origin, CruxOrigin::Acknowledged { .. }));
    if let (None, Some(crux)) = (acknowledged, structural) {
        return json!({
            "proposedBy": [],
            "statement": crux.statement,
            "assumptions": crux.assumptions,
            "acknowledged": false,
        });
    }
    acknowledged.or_else(|| proposals.cruxes.values().last()).map_or(Value::Null, |crux| {
        let others = crux.acknowledged.iter().map(|acknowledgement| &acknowledgement.speaker);
        json!({
            "proposedBy": [legacy.name(&crux.proposed.speaker)],
            "acknowledgedBy": legacy.names_of(others),
            "statement": crux.proposed.statement,
            "assumptions": [],
            "acknowledged": !crux.acknowledged.is_empty(),
        })
    })
}
