//! Events of the engines `blitz` and `classical`, in the format of the old engines of these names.

use serde_json::{Value, json};

use crate::events::channel::FloorGiven;
use crate::events::dispute::StanceTaken;
use crate::events::event::{Event, Recorded};
use crate::events::ids::PersonaId;
use crate::events::lifecycle::{DebateConcluded, PhaseEntered, is_after_rounds};
use crate::events::table::{ConvergenceMeasured, IntendedAction, TableSeated, TableState};
use crate::events::turn::TurnTaken;
use crate::export::legacy::legacy_debate::{CLAIM_AS_QUESTION, LegacyDebate, claim_name, table_name};
use crate::export::legacy::output::LegacyOutput;
use crate::projections::disputes::dispute_state::Stance;
use crate::projections::tables::{StatedIntent, Table};

/// Turn whose stances follow it in the log.
#[derive(Debug, Default)]
pub struct TurnBatch {
    turn: Option<TurnTaken>,
    stances: Vec<StanceTaken>,
}

/// Translates the next event. A turn is told with the stances that it takes, once an event follows that is not of the turn.
pub fn translate(legacy: &mut LegacyDebate, batch: &mut TurnBatch, recorded: &Recorded) -> Vec<Value> {
    match (&recorded.event, &batch.turn) {
        (Event::StanceTaken(taken), Some(turn)) if taken.turn == turn.turn => {
            batch.stances.push(taken.clone());
            return Vec::new();
        }
        // What else a turn says stands among its stances.
        (
            Event::ConcessionMade(_)
            | Event::CruxProposed(_)
            | Event::CruxAcknowledged(_)
            | Event::DisputeLinked(_)
            | Event::DisputeRaised(_)
            | Event::DisputeRevised(_)
            | Event::FlipConditionStated(_),
            Some(_),
        ) => return Vec::new(),
        _ => {}
    }
    let sent = batch.send(legacy);
    sent.into_iter().chain(told(legacy, batch, recorded)).collect()
}

fn told(legacy: &mut LegacyDebate, batch: &mut TurnBatch, recorded: &Recorded) -> Vec<Value> {
    match &recorded.event {
        Event::DebateOpened(_) if !is_imported(legacy) => {
            vec![status("claims", "Decomposing topic into testable claims...")]
        }
        Event::PhaseEntered(entered) => phase(legacy, entered, recorded),
        Event::TableSeated(seated) => table_seated(legacy, seated),
        Event::FloorGiven(given) => speaker_selected(legacy, given).into_iter().collect(),
        Event::TurnTaken(taken) if !is_last_word(legacy, taken) => {
            batch.turn = Some(taken.clone());
            Vec::new()
        }
        Event::ConvergenceMeasured(measured) if measured.round > 0 => round_end(legacy, measured),
        // What an imported file said is told as it said it.
        Event::VerdictImported(it) if TOLD_RESULTS.contains(&it.name.as_str()) => vec![it.said.clone()],
        Event::RecordKept(it) if it.name == "speaker_selected" => vec![it.record.clone()],
        Event::DebateConcluded(concluded) => complete(legacy, concluded),
        Event::DebateAborted(aborted) => vec![json!({ "type": "error", "message": aborted.reason })],
        _ => Vec::new(),
    }
}

/// Names of the results of an imported file that are told again; those of the whole debate are computed here.
const TOLD_RESULTS: [&str; 2] = ["convergence_update", "blackboard_update"];

/// True for a debate that was imported: it has no options of an engine.
fn is_imported(legacy: &LegacyDebate) -> bool {
    legacy.rounds.is_none()
}

fn is_last_word(legacy: &LegacyDebate, taken: &TurnTaken) -> bool {
    let turn = legacy.read_model.transcript.turn(taken.turn);
    turn.and_then(|turn| turn.phase.as_deref()).is_some_and(is_after_rounds)
}

impl TurnBatch {
    /// Tells the turn that was waiting for its stances: first stances, or a turn of a round.
    fn send(&mut self, legacy: &LegacyDebate) -> Option<Value> {
        let taken = self.turn.take()?;
        let new = std::mem::take(&mut self.stances);
        let (speaker, round) = (&taken.speaker, taken.round.unwrap_or(0));
        let stance = |it: &StanceTaken| legacy.stance(speaker, it.dispute, (it.side, it.confidence), round);
        let name = legacy.name(speaker);
        if round == 0 {
            let stances: Vec<Value> = new.iter().map(stance).collect();
            let words = |it: &StanceTaken| it.quote.clone().or(it.statement.clone()).unwrap_or_default();
            let reasonings = new.iter().map(|it| json!({ "claimId": claim_name(it.dispute), "reasoning": words(it) }));
            let reasonings: Vec<Value> = reasonings.collect();
            return Some(json!({
                "type": "initial_stance", "personaId": name, "stances": stances, "reasonings": reasonings,
            }));
        }
        let held: Vec<Value> = legacy
            .read_model
            .disputes
            .not_retired()
            .filter_map(|(id, dispute)| {
                let of_speaker = |(persona, _): &&(PersonaId, Stance)| persona == speaker;
                let reported = dispute.reported.iter().rfind(of_speaker).map(|(_, stance)| stance);
                let stance = dispute.stances.get(speaker).or(reported)?;
                Some(legacy.stance(speaker, id, (stance.side, stance.confidence), round))
            })
            .collect();
        let table = legacy.read_model.tables.of(speaker).map_or(0, |table| table_name(table.seated.table));
        let first = new.first().map(stance).or_else(|| held.first().cloned()).unwrap_or_default();
        Some(json!({
            "type": "agent_turn", "personaId": name, "tableId": table, "content": taken.text, "stance": first,
            "stances": held, "round": round,
        }))
    }
}

fn status(phase: &str, message: &str) -> Value {
    json!({ "type": "status", "phase": phase, "message": message })
}

/// Tells the claims before the first stances, and what begins.
fn phase(legacy: &LegacyDebate, entered: &PhaseEntered, recorded: &Recorded) -> Vec<Value> {
    let engine = &legacy.read_model.summary.engine;
    let agents = || status("agents", &format!("Loading {} persona contracts...", legacy.names().len()));
    let stances = || status("stances", "Generating initial stances...");
    match (entered.phase.as_str(), entered.round) {
        ("stances", _) if !is_imported(legacy) => vec![start(legacy, recorded), agents(), stances()],
        ("claims", _) => vec![status("claims", "Decomposing topic into testable claims...")],
        ("agents", _) => vec![start(legacy, recorded), agents()],
        ("stances", _) => vec![stances()],
        ("tables", Some(1)) | ("debate", _) => vec![status("debate", &format!("Starting {engine} debate..."))],
        ("silence", _) => vec![status("silence", "Nobody wants to speak.")],
        _ => Vec::new(),
    }
}

fn start(legacy: &LegacyDebate, recorded: &Recorded) -> Value {
    let read_model = &legacy.read_model;
    let claims = read_model.disputes.not_retired().map(|(id, dispute)| {
        let text = dispute.question.strip_prefix(CLAIM_AS_QUESTION).unwrap_or(&dispute.question);
        json!({ "id": claim_name(id), "text": text, "debateId": recorded.debate })
    });
    json!({
        "type": "debate_start", "debateId": recorded.debate, "topic": read_model.summary.topic,
        "claims": claims.collect::<Vec<_>>(),
    })
}

fn table_seated(legacy: &LegacyDebate, seated: &TableSeated) -> Vec<Value> {
    let names = legacy.names_of(&seated.participants);
    let table = table_name(seated.table);
    let claims: Vec<String> = seated.disputes.iter().map(|dispute| claim_name(*dispute)).collect();
    if !seated.is_final {
        return vec![json!({ "type": "table_assigned", "tableId": table, "personaIds": names })];
    }
    vec![
        json!({ "type": "merge_start" }),
        json!({ "type": "merge_complete", "claimIds": claims }),
        json!({ "type": "final_table_start", "tableId": table, "personaIds": names, "claimIds": claims }),
    ]
}

/// Tells who was given the floor, with the intent by which they got it.
fn speaker_selected(legacy: &LegacyDebate, given: &FloorGiven) -> Option<Value> {
    let table = legacy.read_model.tables.of(&given.speaker)?;
    let own = |intent: &&StatedIntent| intent.stated.speaker == given.speaker;
    let stated = &table.intents.iter().rfind(own)?.stated;
    Some(json!({
        "type": "speaker_selected", "personaId": legacy.name(&given.speaker), "urgency": stated.urgency,
        "intent": stated.intent,
    }))
}

/// Tells the board and the measures after a round.
fn round_end(legacy: &LegacyDebate, measured: &ConvergenceMeasured) -> Vec<Value> {
    let Some(table) = legacy.read_model.tables.table(measured.table) else { return Vec::new() };
    // A final table is measured when it is seated, before it holds a round.
    if table.seated.is_final && table.measured.len() == 1 {
        return Vec::new();
    }
    let mut intents = table.intents.iter().filter(|intent| intent.stated.round == measured.round).peekable();
    let has_listened = intents.peek().is_some() && intents.all(|intent| intent.stated.action == IntendedAction::Listen);
    let silence = has_listened.then(|| status("silence", "Nobody wants to speak."));
    let unresolved = legacy.read_model.disputes.not_retired().filter(|(_, dispute)| dispute.is_split()).count();
    let metrics = json!({
        "entropy": measured.entropy.unwrap_or(0.0),
        // The old distance of two opposite positions was 1.
        "confidenceWeightedDistance": measured.distance.unwrap_or(0.0) / 2.0,
        "unresolvedCruxCount": unresolved,
        "converged": measured.state == TableState::Converged,
        "diverged": measured.state == TableState::Diverged,
        "eventCount": measured.round,
        "maxEvents": legacy.rounds.unwrap_or(u64::from(measured.round)).max(1),
    });
    let board = json!({ "type": "blackboard_update", "tableId": table_name(measured.table), "summary": summary(legacy, table) });
    silence.into_iter().chain([board, json!({ "type": "convergence_update", "metrics": metrics })]).collect()
}

/// Describes the board: how many questions divide the table, and the cruxes that were named.
fn summary(legacy: &LegacyDebate, table: &Table) -> String {
    let divided = table.measured.last().map_or(0, |latest| latest.measured.divided);
    let named: Vec<&str> =
        legacy.read_model.crux_proposals.cruxes.values().map(|crux| crux.proposed.statement.as_str()).collect();
    let cruxes = match named.len() {
        0 => String::new(),
        n => format!(" {n} open crux(es): {}.", named.join("; ")),
    };
    format!("{divided} active dispute(s).{cruxes}")
}

fn complete(legacy: &LegacyDebate, concluded: &DebateConcluded) -> Vec<Value> {
    let verdict = legacy.read_model.verdict();
    let output = LegacyOutput::of(legacy, &verdict);
    let result = json!({
        "cruxes": output.cruxes(),
        "faultLines": output.fault_lines(),
        "flipConditions": output.flip_conditions(),
        "evidenceLedger": output.evidence_ledger(),
        "resolutionPaths": output.resolution_paths(),
        "agreements": output.agreements(),
        "regime": verdict.regime.kind.name(),
        "regimeDescription": verdict.regime.reason,
        "outcome": { "kind": concluded.outcome.kind(), "reason": concluded.outcome.reason() },
    });
    vec![json!({ "type": "debate_complete", "output": result })]
}
