//! Importer for files of the graph engine: arguments and attacks in rounds. The old engine had no turns, so each
//! submission becomes one.

use serde_json::Value;

use crate::events::ids::PersonaId;
use crate::events::turn::Move;
use crate::imports::arguments::graph_pieces::{advance, judge, raise};
use crate::imports::draft::ImportDraft;
use crate::imports::fields::{count, flag, items, text, text_of};

/// Imports `arguments_submitted`: the arguments of one speaker.
pub fn arguments_submitted(draft: &mut ImportDraft, record: &Value) {
    let submitted = items(record, "arguments");
    let first = submitted.iter().find_map(|argument| text(argument, "speakerId"));
    let speaker = match draft.speaker(text(record, "personaId").or(first)) {
        Ok(speaker) => speaker,
        Err(reason) => return draft.quarantine("arguments_submitted", reason, record),
    };
    submit(draft, &speaker, count(record, "round"), submitted);
}

/// Records a speaker's arguments in one turn, if there are any.
pub fn submit(draft: &mut ImportDraft, speaker: &PersonaId, round: Option<u32>, submitted: &[Value]) {
    let claims: Vec<&str> = submitted.iter().filter_map(|argument| text(argument, "claim")).collect();
    if claims.is_empty() {
        return;
    }
    let turn = draft.turn(speaker, round, Move::Claim, &claims.join("\n"));
    for argument in submitted {
        match text(argument, "speakerId") {
            Some(other) if draft.cast.find(other) != Some(speaker) => {
                draft.quarantine("argument", "it belongs to another speaker than the submission", argument);
            }
            _ => advance(draft, argument, speaker, turn),
        }
    }
}

/// Imports `attacks_generated`: the attacks of a round. Those of one speaker become one turn.
pub fn attacks_generated(draft: &mut ImportDraft, record: &Value) {
    let round = count(record, "round");
    let attacks = items(record, "attacks");
    let mut words: Vec<(PersonaId, Vec<&str>)> = Vec::new();
    for attack in attacks {
        let Ok(speaker) = draft.speaker(text(attack, "speakerId")) else { continue };
        let said = text_of(attack, &["counterProposition", "rationale"]).unwrap_or("(attacks without giving a reason)");
        match words.iter_mut().find(|(persona, _)| *persona == speaker) {
            Some((_, all)) => all.push(said),
            None => words.push((speaker, vec![said])),
        }
    }
    for (speaker, words) in words {
        let turn = draft.turn(&speaker, round, Move::Challenge, &words.join("\n"));
        for attack in attacks {
            if text(attack, "speakerId").and_then(|name| draft.cast.find(name)) == Some(&speaker) {
                raise(draft, attack, &speaker, turn);
            }
        }
    }
    for attack in attacks {
        if let Err(reason) = draft.speaker(text(attack, "speakerId")) {
            draft.quarantine("attack", reason, attack);
        }
    }
}

/// Imports `validation_complete`: the judge's verdicts on the attacks of a round. Attacks without a verdict stay
/// unjudged and therefore inactive.
pub fn validation_complete(draft: &mut ImportDraft, record: &Value) {
    for result in items(record, "results") {
        judge(draft, result);
    }
}

/// Imports `graph_convergence`: whether the last round changed the graph.
pub fn convergence(draft: &mut ImportDraft, record: &Value) {
    draft.ending.converged = match (flag(record, "stable"), count(record, "newEdges")) {
        (Some(true), Some(0)) => Some("the last round added no attack".to_owned()),
        (Some(true), _) => Some("the labels did not change".to_owned()),
        _ => None,
    };
    draft.ending.limit = match (&draft.ending.converged, count(record, "round")) {
        (None, Some(rounds)) => {
            Some(("rounds".to_owned(), format!("the graph still changed in the last round, {rounds}")))
        }
        _ => None,
    };
}
