//! Events of the engine `graph`, in the format of the old graph engine.

use serde_json::{Value, json};

use crate::events::dispute::{Side, StanceTaken};
use crate::events::event::{Event, Recorded};
use crate::events::ids::DisputeId;
use crate::events::lifecycle::{DebateConcluded, DebateOutcome, PhaseEntered, is_after_rounds};
use crate::export::legacy::legacy_debate::{LegacyDebate, claim_name, preferred};
use crate::export::legacy::output::LegacyOutput;
use crate::export::legacy::round_batch::RoundBatch;
use crate::verdicts::regime::RegimeKind;
use crate::verdicts::verdict::Verdict;

/// Purpose of the request to the judge.
const JUDGE: &str = "judge";
/// Dispute about the topic, which is the only claim of the debate.
const TOPIC: DisputeId = DisputeId(1);

/// Translates the next event. `before` is the verdict before it, given for a new phase.
pub fn translate(
    legacy: &mut LegacyDebate,
    batch: &mut RoundBatch,
    recorded: &Recorded,
    before: Option<&Verdict>,
) -> Vec<Value> {
    match &recorded.event {
        Event::DebateOpened(_) => opened(legacy, recorded),
        Event::PhaseEntered(entered) => phase(legacy, batch, entered, before),
        // The old engine created arguments that carry an attack together with the attack, and did not report them.
        Event::ArgumentAdvanced(advanced) if advanced.carries.is_none() => {
            let argument = legacy.argument(advanced);
            batch.add_argument(legacy, (&advanced.speaker, advanced.turn), argument)
        }
        Event::ArgumentAdvanced(_) => Vec::new(),
        Event::StanceTaken(taken) if is_initial(legacy, recorded) => batch.add_stance(legacy, taken),
        Event::StanceTaken(taken) => stated(legacy, taken).into_iter().collect(),
        Event::AttackRaised(raised) => batch.add_attack(legacy, raised),
        Event::AttackJudged(judged) => batch.add_judgement(legacy, judged),
        Event::EffectRequested(requested) if requested.key.purpose == JUDGE => batch.send_attacks(legacy),
        Event::DebateConcluded(concluded) => conclusion(legacy, batch, concluded),
        Event::DebateAborted(aborted) => {
            let sent = batch.send_all(legacy);
            sent.into_iter().chain([json!({ "type": "error", "message": aborted.reason })]).collect()
        }
        _ => batch.send_submission(legacy),
    }
}

/// True for a stance on the topic that is taken in the opening.
fn is_initial(legacy: &LegacyDebate, recorded: &Recorded) -> bool {
    let Event::StanceTaken(taken) = &recorded.event else { return false };
    let turn = legacy.read_model.transcript.turn(taken.turn);
    let is_last = turn.and_then(|turn| turn.phase.as_deref()).is_some_and(is_after_rounds);
    is_on_topic(legacy, taken) && taken.quote.is_some() && legacy.phase == 0 && !is_last
}

fn is_on_topic(legacy: &LegacyDebate, taken: &StanceTaken) -> bool {
    legacy.read_model.disputes.topic().map(|(id, _)| id) == Some(taken.dispute)
}

/// Message of a stance on the topic that is taken after the opening: its words.
fn stated(legacy: &LegacyDebate, taken: &StanceTaken) -> Option<Value> {
    let words = taken.quote.as_ref().filter(|_| is_on_topic(legacy, taken))?;
    let stance = legacy.stance(&taken.speaker, taken.dispute, (taken.side, taken.confidence), legacy.phase);
    Some(json!({
        "type": "agent_turn",
        "personaId": legacy.name(&taken.speaker),
        "tableId": 0,
        "content": words,
        "stance": stance,
        "stances": [stance],
        "round": legacy.phase,
    }))
}

fn opened(legacy: &LegacyDebate, recorded: &Recorded) -> Vec<Value> {
    let (names, topic) = (legacy.names(), &legacy.read_model.summary.topic);
    let claims = [json!({ "id": claim_name(TOPIC), "text": topic, "debateId": recorded.debate })];
    vec![
        status("agents", &format!("Loading {} persona contracts...", names.len())),
        json!({ "type": "debate_start", "debateId": recorded.debate, "topic": topic, "claims": claims }),
        json!({ "type": "table_assigned", "tableId": 0, "personaIds": names }),
    ]
}

fn status(phase: &str, message: &str) -> Value {
    json!({ "type": "status", "phase": phase, "message": message })
}

/// Ends the round before, if the phase begins another one, and reports the new phase.
fn phase(
    legacy: &mut LegacyDebate,
    batch: &mut RoundBatch,
    entered: &PhaseEntered,
    before: Option<&Verdict>,
) -> Vec<Value> {
    let mut sent = batch.send_all(legacy);
    // A phase without a round belongs to the round before it.
    let round = legacy.phase;
    legacy.phase = entered.round.unwrap_or(round);
    if let Some(verdict) = before.filter(|verdict| legacy.phase != round && !verdict.labels.is_empty()) {
        sent.extend(round_end(legacy, batch, verdict, (round, None)));
    }
    let words = match (entered.phase.as_str(), entered.round) {
        ("opening", _) => status("arguments", "Generating initial arguments..."),
        ("attacks", Some(round)) => status("attacks", &format!("Round {round}: Generating attacks...")),
        (phase, Some(round)) => status(phase, &format!("Round {round}: {phase}...")),
        (phase, None) => status(phase, &format!("{phase}...")),
    };
    sent.push(words);
    sent
}

/// Results of a round: the labelling, and for a round of attacks how far the debate has come. `outcome` is that of the
/// debate, if the round was its last.
fn round_end(
    legacy: &LegacyDebate,
    batch: &mut RoundBatch,
    verdict: &Verdict,
    (round, outcome): (u32, Option<&DebateOutcome>),
) -> Vec<Value> {
    let [accepted, rejected, undecided] = LegacyDebate::counts(verdict);
    let all = verdict.labels.len();
    let mut sent = vec![json!({
        "type": "graph_update",
        "labelling": LegacyDebate::labels(verdict),
        "groundedSize": accepted,
        "preferredCount": preferred(verdict),
        "round": round,
    })];
    let (valid, raised) = (std::mem::take(&mut batch.valid), std::mem::take(&mut batch.raised));
    if round == 0 && outcome.is_none() {
        return sent;
    }
    if raised == 0 {
        sent.insert(0, json!({ "type": "attacks_generated", "attacks": [], "round": round }));
    }
    let is_exhausted = matches!(outcome, Some(DebateOutcome::Exhausted { .. }));
    let metrics = json!({
        "entropy": if all == 0 { 0.0 } else { undecided as f64 / all as f64 },
        "confidenceWeightedDistance": distance(legacy),
        "unresolvedCruxCount": verdict.cruxes.len(),
        "converged": matches!(outcome, Some(DebateOutcome::Settled { .. })),
        "diverged": is_exhausted && verdict.regime.kind == RegimeKind::Polarized,
        "eventCount": round,
        "maxEvents": legacy.rounds.unwrap_or(u64::from(round)).max(1),
    });
    let extensions = match verdict.n_extensions.as_str() {
        "1" => "1 preferred extension".to_owned(),
        count => format!("{count} preferred extensions"),
    };
    let summary = format!("{all} arguments: {accepted} IN, {rejected} OUT, {undecided} UNDEC; {extensions}");
    sent.push(json!({ "type": "graph_convergence", "stable": is_exhausted, "newEdges": valid, "round": round }));
    sent.push(json!({ "type": "convergence_update", "metrics": metrics }));
    sent.push(json!({ "type": "blackboard_update", "tableId": 0, "summary": summary }));
    sent
}

/// Mean distance of the sides on the topic over all pairs of participants: 0 for equal sides, 1 for yes and no, 0.5 for
/// one of them and neither. A side counts in proportion to the confidence that its words express, or in full if they
/// express none.
fn distance(legacy: &LegacyDebate) -> f64 {
    let topic = legacy.read_model.disputes.topic().map(|(_, topic)| topic);
    let present = legacy.read_model.summary.present();
    let positions: Vec<f64> = present
        .map(|participant| {
            let stance = topic.and_then(|topic| topic.stances.get(&participant.persona));
            let weight = 0.5 * stance.and_then(|stance| stance.confidence).unwrap_or(1.0);
            match stance.map(|stance| stance.side) {
                Some(Side::Yes) => 0.5 + weight,
                Some(Side::No) => 0.5 - weight,
                Some(Side::Nuanced | Side::Undecided) | None => 0.5,
            }
        })
        .collect();
    let pairs = positions.iter().enumerate().flat_map(|(at, one)| positions[at + 1..].iter().map(move |it| one - it));
    let distances: Vec<f64> = pairs.map(f64::abs).collect();
    if distances.is_empty() { 0.0 } else { distances.iter().sum::<f64>() / distances.len() as f64 }
}

fn conclusion(legacy: &LegacyDebate, batch: &mut RoundBatch, concluded: &DebateConcluded) -> Vec<Value> {
    let mut sent = batch.send_all(legacy);
    let verdict = legacy.read_model.verdict();
    sent.extend(round_end(legacy, batch, &verdict, (legacy.phase, Some(&concluded.outcome))));
    sent.push(status("output", "Computing debate results from graph..."));
    let output = LegacyOutput::of(legacy, &verdict);
    let result = json!({
        "cruxes": output.cruxes(),
        "faultLines": output.fault_lines(),
        "flipConditions": output.flip_conditions(),
        "evidenceLedger": output.evidence_ledger(),
        "resolutionPaths": output.resolution_paths(),
        "agreements": output.agreements(),
        "camps": output.camps(),
        "graph": output.graph(),
        "regime": verdict.regime.kind.name(),
        "regimeDescription": verdict.regime.reason,
        "outcome": { "kind": concluded.outcome.kind(), "reason": concluded.outcome.reason() },
    });
    sent.push(json!({ "type": "debate_complete", "output": result }));
    sent
}
