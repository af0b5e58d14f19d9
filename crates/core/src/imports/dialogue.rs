//! Importer for files of the dialogue engine ("v2"): turns with moves, phases, hints and concessions.

use serde_json::{Map, Value};

use crate::events::crux::CruxProposed;
use crate::events::event::Event;
use crate::events::ids::{PersonaId, TurnId};
use crate::events::turn::{ConcessionEffect, ConcessionExtent, ConcessionMade, Hint, HintGiven, Move};
use crate::imports::crystals::graph;
use crate::imports::draft::{ImportDraft, excerpt};
use crate::imports::fields::{count, flag, items, text, text_of, time};

/// Imports `phase_start`: one of four phases.
pub fn phase_start(draft: &mut ImportDraft, record: &Value) {
    match count(record, "phase") {
        Some(phase) => draft.phase(phase_name(phase), None),
        None => draft.keep("phase_start", record),
    }
}

/// Name of a phase that the old engine numbered.
fn phase_name(phase: u32) -> &'static str {
    match phase {
        1 => "opening",
        2 => "exchange",
        3 => "crux",
        4 => "resolution",
        _ => "dialogue",
    }
}

/// Imports `phase_transition`. The last phase starts because the turn budget is spent or the debate converged.
pub fn phase_transition(draft: &mut ImportDraft, record: &Value) {
    let reason = text(record, "reason").unwrap_or_default();
    let Some(to) = count(record, "to") else { return draft.keep("phase_transition", record) };
    draft.phase_because(phase_name(to), None, text(record, "reason").map(str::to_owned));
    if to == 4 {
        if reason.to_lowercase().contains("budget") {
            draft.ending.limit = Some(("turns".to_owned(), reason.to_owned()));
        } else {
            draft.ending.converged = Some(reason.to_owned());
        }
    }
}

/// Imports `dialogue_turn`.
pub fn dialogue_turn(draft: &mut ImportDraft, record: &Value) {
    turn(draft, record.get("turn").unwrap_or(record));
}

/// Imports a turn of a stream or of a transcript.
pub fn turn(draft: &mut ImportDraft, raw: &Value) -> Option<TurnId> {
    let (speaker, words) = match (draft.speaker(text(raw, "personaId")), text(raw, "dialogue")) {
        (Ok(speaker), Some(words)) => (speaker, words),
        (Err(reason), _) => {
            draft.quarantine("turn", reason, raw);
            return None;
        }
        (_, None) => {
            draft.quarantine("turn", "it has no text", raw);
            return None;
        }
    };
    draft.at(time(raw, "timestamp"));
    if let Some(phase) = count(raw, "phase") {
        draft.phase(phase_name(phase), None);
    }
    let does = move_of(draft, text(raw, "move"));
    let turn = draft.turn(&speaker, count(raw, "round"), does, words);
    if does == Move::Concede {
        draft.conceding.insert(turn);
    }
    if let Some(index) = count(raw, "turnIndex") {
        draft.turns.insert(index.to_string(), turn);
    }
    Some(turn)
}

/// Move of an old name. Unknown moves are claims, as in the old engine.
fn move_of(draft: &mut ImportDraft, word: Option<&str>) -> Move {
    match word.unwrap_or("CLAIM").to_uppercase().as_str() {
        "CLAIM" => Move::Claim,
        "CHALLENGE" => Move::Challenge,
        "CLARIFY" => Move::Clarify,
        "CONCEDE" => Move::Concede,
        "REFRAME" => Move::Reframe,
        "PROPOSE_CRUX" => Move::ProposeCrux,
        other => {
            draft.note(&format!("the move {:?} is unknown and is treated as a claim", excerpt(other)));
            Move::Claim
        }
    }
}

/// Imports `concession`, as extracted by the crystallizer. It is accepted if it refers to a conceding turn of the
/// conceder: the old engine attributed many to turns of other speakers, or to turns that concede nothing.
pub fn concession(draft: &mut ImportDraft, record: &Value) {
    let raw = record.get("concession").unwrap_or(record);
    let conceder = match draft.speaker(text(raw, "personaId")) {
        Ok(conceder) => conceder,
        Err(reason) => return draft.quarantine("concession", reason, raw),
    };
    let turn = count(raw, "turnIndex").and_then(|index| draft.turns.get(&index.to_string())).copied();
    let Some((turn, speaker)) = turn.and_then(|turn| Some((turn, draft.speaker_of(turn)?))) else {
        return draft.quarantine("concession", "its turn is not in the debate", raw);
    };
    if *speaker != conceder {
        let (theirs, own) = (draft.cast.name(speaker), draft.cast.name(&conceder));
        let reason = format!("it refers to a turn of {theirs}; no turn of {own} contains it");
        return draft.quarantine("concession", reason, raw);
    }
    if !draft.conceding.contains(&turn) {
        let reason = format!("it refers to {turn}, which concedes nothing: it was inferred");
        return draft.quarantine("concession", reason, raw);
    }
    concede(draft, raw, conceder, turn);
}

/// Records a concession that its turn confirms.
fn concede(draft: &mut ImportDraft, raw: &Value, speaker: PersonaId, turn: TurnId) {
    let argument = |key: &str| {
        let mut names = items(raw, key).iter().filter_map(Value::as_str);
        names
            .find_map(|name| draft.arguments.get(name))
            .filter(|argument| argument.speaker == speaker)
            .map(|known| known.argument)
    };
    let (removed, updated) = (argument("removedArgIds"), argument("updatedArgIds"));
    let effect = match (removed, updated) {
        (Some(argument), _) => ConcessionEffect::Withdrew { argument },
        (None, Some(argument)) => ConcessionEffect::Revised { argument },
        (None, None) => ConcessionEffect::Said,
    };
    let kind = match text(raw, "type") {
        Some("full") => ConcessionExtent::Full,
        Some("scope_narrowing" | "scope") => ConcessionExtent::Scope,
        _ => ConcessionExtent::Partial,
    };
    let what = text_of(raw, &["concededClaim", "effect"]).unwrap_or("a point").to_owned();
    let quote = draft.quote(turn, Some(&what));
    draft.record(Event::ConcessionMade(ConcessionMade { turn, speaker, kind, what, effect, quote, granted: None }));
}

/// Imports `steering`: the hint that the controller gave a speaker before its turn.
pub fn steering(draft: &mut ImportDraft, record: &Value) {
    let speaker = draft.speaker(text(record, "targetPersonaId"));
    match (speaker, text(record, "hint"), text(record, "hint").and_then(hint_of)) {
        (Ok(speaker), Some(said), Some(hint)) => {
            let about = matches!(hint, Hint::Conceded | Hint::Reframed).then(|| draft.last_turn());
            let text = said.to_owned();
            draft.record(Event::HintGiven(HintGiven { speaker, hint, text, about, dispute: None, crux: None }));
        }
        _ => draft.keep("steering", record),
    }
}

/// Hint of a sentence; the old controller used a fixed sentence for each hint.
fn hint_of(words: &str) -> Option<Hint> {
    const SENTENCES: &[(&str, Hint)] = &[
        ("conceded", Hint::Conceded),
        ("reframed", Hint::Reframed),
        ("circ", Hint::Circling),
        ("do you agree", Hint::AgreementWanted),
        ("core disagreement", Hint::CruxWanted),
        ("challeng", Hint::Challenges),
        ("change your mind", Hint::FlipWanted),
    ];
    let words = words.to_lowercase();
    SENTENCES.iter().find(|(part, _)| words.contains(part)).map(|(_, hint)| *hint)
}

/// Imports `crux_proposed`: the crux that a speaker proposed in its latest turn. Nobody has agreed with it yet; the old
/// engine counted the move itself as agreement.
pub fn crux_proposed(draft: &mut ImportDraft, record: &Value) {
    match (draft.speaker(text(record, "personaId")), text(record, "statement")) {
        (Ok(speaker), Some(statement)) => match draft.latest_turn(&speaker) {
            Some(turn) => propose(draft, speaker, turn, statement),
            None => draft.quarantine("crux_proposed", "its speaker has no turn yet", record),
        },
        (Err(reason), _) => draft.quarantine("crux_proposed", reason, record),
        (_, None) => draft.quarantine("crux_proposed", "it has no statement", record),
    }
}

/// Records a proposed crux.
pub fn propose(draft: &mut ImportDraft, speaker: PersonaId, turn: TurnId, statement: &str) {
    let crux = draft.next_crux();
    let statement = statement.to_owned();
    draft.record(Event::CruxProposed(CruxProposed { crux, speaker, turn, statement, quote: None }));
}

/// Imports `convergence_check`: whether the controller considered the debate converged.
pub fn convergence(draft: &mut ImportDraft, record: &Value) {
    draft.ending.converged = match flag(record, "converged") {
        Some(true) => Some(text(record, "reason").unwrap_or("converged").to_owned()),
        _ => draft.ending.converged.take(),
    };
}

/// Imports `engine_complete`. The final graph contains attacks that no event reported; its conclusions are kept only as
/// stated results.
pub fn complete(draft: &mut ImportDraft, record: &Value) {
    draft.ending.complete = true;
    let output = record.get("output").unwrap_or(record);
    graph(draft, output.get("graph").unwrap_or(&Value::Null));
    conclude(draft, "engine_complete", output);
    if draft.ending.converged.is_none() && draft.ending.limit.is_none() {
        let turns = draft.counts.turns;
        draft.ending.limit = Some(("turns".to_owned(), format!("{turns} turns were taken without convergence")));
    }
}

/// Records the conclusions of an output, without fields that only repeat other records.
pub fn conclude(draft: &mut ImportDraft, name: &str, output: &Value) {
    const REPEATED: &[&str] =
        &["topic", "personaIds", "transcript", "graph", "concessionTrail", "rounds", "finalState"];
    let fields = output.as_object().into_iter().flatten().filter(|(key, _)| !REPEATED.contains(&key.as_str()));
    let said: Map<String, Value> = fields.map(|(key, value)| (key.clone(), value.clone())).collect();
    if !said.is_empty() {
        draft.record_result(name, &Value::Object(said));
    }
}
