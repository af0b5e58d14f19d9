//! Importer for the crystallizer records of dialogues ("v2") and for the final graph.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::events::argument::{ArgumentRevised, ArgumentWithdrawn, AttackWithdrawn};
use crate::events::distillation::TurnsCrystallized;
use crate::events::event::Event;
use crate::events::ids::{AttackId, PersonaId, TurnId};
use crate::imports::arguments::attribution::{ArgumentTurn, attributions};
use crate::imports::arguments::graph_pieces::{advance_as, judge, judge_by_rule, raise};
use crate::imports::draft::ImportDraft;
use crate::imports::fields::{items, text, text_of, texts};

/// Strength given to the crystallizer's attacks.
const CRYSTALLIZED: f64 = 0.8;

/// Reason recorded for their validity: the old system asked no judge.
pub const RULE: &str = "the original system treated every attack of its crystallizer as valid";

/// Imports `crystallization`: arguments and attacks extracted from the latest turns. Removals come first, as in the old
/// engine.
pub fn crystallization(draft: &mut ImportDraft, record: &Value) {
    let result = record.get("result").unwrap_or(record);
    let turns = draft.uncrystallized();
    draft.record(Event::TurnsCrystallized(TurnsCrystallized { turns, refused: Vec::new(), repetition: None }));
    for removed in items(result, "removedArgIds") {
        remove_argument(draft, removed);
    }
    for updated in items(result, "updatedArgs") {
        revise_argument(draft, updated);
    }
    let (arguments, attacks) = (items(result, "newArgs"), items(result, "newAttacks"));
    // An attack is raised in the attacker's latest turn, so it can come long after the attacking argument.
    let placed = attributions(draft, (arguments, attacks), |known| draft.latest_turn(&known.speaker));
    // The crystallizer read the latest turns, so an argument is in one of them if no words show another.
    let placed = placed.into_iter().map(|(name, attribution)| (name, attribution.or_latest())).collect();
    for argument in arguments {
        place(draft, argument, &placed);
    }
    for removed in items(result, "removedAttackIds") {
        remove_attack(draft, removed);
    }
    for attack in items(result, "newAttacks") {
        if let Some(raised) = attack_of(draft, attack) {
            judge_by_rule(draft, raised, CRYSTALLIZED, RULE);
        }
    }
}

/// Records an argument in the turn to which it is attributed, or sets it aside if its speaker has no turn.
fn place(draft: &mut ImportDraft, argument: &Value, placed: &BTreeMap<String, ArgumentTurn>) {
    let attribution = text(argument, "id").and_then(|name| placed.get(name)).copied();
    match speaker_and_turn(draft, argument) {
        Ok((speaker, _)) => advance_as(draft, argument, &speaker, attribution.unwrap_or(ArgumentTurn::UNKNOWN)),
        Err(reason) => draft.quarantine("argument", reason, argument),
    }
}

fn attack_of(draft: &mut ImportDraft, attack: &Value) -> Option<AttackId> {
    match speaker_and_turn(draft, attack) {
        Ok((speaker, turn)) => raise(draft, attack, &speaker, turn),
        Err(reason) => {
            draft.quarantine("attack", reason, attack);
            None
        }
    }
}

/// Returns the speaker and the speaker's latest turn, since crystals are extracted from the latest turns.
fn speaker_and_turn(draft: &ImportDraft, raw: &Value) -> Result<(PersonaId, TurnId), String> {
    let source = text_of(raw, &["fromArgId", "sourceArgId"]).and_then(|name| draft.arguments.get(name));
    let speaker = match (text(raw, "speakerId"), source) {
        (None, Some(known)) => known.speaker.clone(),
        (named, _) => draft.speaker(named)?,
    };
    let turn = draft.latest_turn(&speaker);
    turn.map(|turn| (speaker.clone(), turn)).ok_or_else(|| format!("{speaker} has no turn yet"))
}

/// Withdraws an argument, as of its owner's latest turn.
fn remove_argument(draft: &mut ImportDraft, removed: &Value) {
    let Some(known) = removed.as_str().and_then(|name| draft.arguments.get(name)).cloned() else {
        return draft.quarantine("removed argument", "the argument is not in the file", removed);
    };
    let turn = draft.latest_turn(&known.speaker).unwrap_or(known.turn);
    let reason = "removed by the crystallizer of the original system".to_owned();
    let argument = known.argument;
    draft.record(Event::ArgumentWithdrawn(ArgumentWithdrawn { argument, turn, superseded_by: None, reason }));
}

/// Revises an argument, as of its owner's latest turn. Earlier assumptions are kept.
fn revise_argument(draft: &mut ImportDraft, updated: &Value) {
    let Some(known) = text(updated, "id").and_then(|name| draft.arguments.get(name)).cloned() else {
        return draft.quarantine("updated argument", "the argument is not in the file", updated);
    };
    let turn = draft.latest_turn(&known.speaker).unwrap_or(known.turn);
    let claim = text(updated, "claim").filter(|wording| *wording != known.claim).map(str::to_owned);
    let mut assumptions = texts(updated, "assumptions");
    assumptions.retain(|assumption| !known.assumptions.contains(assumption));
    if claim.is_none() && assumptions.is_empty() {
        return draft.keep("updated argument", updated);
    }
    if let Some(entry) = text(updated, "id").and_then(|name| draft.arguments.get_mut(name)) {
        entry.claim = claim.clone().unwrap_or(known.claim);
        entry.assumptions.extend(assumptions.iter().cloned());
    }
    let argument = known.argument;
    draft.record(Event::ArgumentRevised(ArgumentRevised { argument, turn, claim, assumptions }));
}

/// Withdraws an attack, as of the last turn.
fn remove_attack(draft: &mut ImportDraft, removed: &Value) {
    let Some(attack) = removed.as_str().and_then(|name| draft.attacks.get(name)).map(|known| known.attack) else {
        return draft.quarantine("removed attack", "the attack is not in the file", removed);
    };
    let (turn, reason) = (draft.last_turn(), "removed by the crystallizer of the original system".to_owned());
    draft.record(Event::AttackWithdrawn(AttackWithdrawn { attack, turn, reason }));
}

/// Imports the parts of an old argument graph that are not known yet: arguments, attacks and judgements.
pub fn graph(draft: &mut ImportDraft, graph: &Value) {
    let (arguments, attacks) = (items(graph, "arguments"), items(graph, "attacks"));
    let placed = attributions(draft, (arguments, attacks), |known| draft.latest_turn(&known.speaker));
    for argument in arguments.iter().filter(|argument| is_new(draft, argument)).collect::<Vec<_>>() {
        place(draft, argument, &placed);
    }
    let known = draft.attacks.clone();
    for attack in
        items(graph, "attacks").iter().filter(|attack| text(attack, "id").is_none_or(|name| !known.contains_key(name)))
    {
        attack_of(draft, attack);
    }
    judge_all(draft, graph, &known.into_keys().collect::<Vec<_>>(), RULE);
}

fn is_new(draft: &ImportDraft, argument: &Value) -> bool {
    text(argument, "id").is_none_or(|name| !draft.arguments.contains_key(name))
}

/// Judges the attacks of a graph, except those in `before`. If the graph contains no validations, its system treated
/// every attack as valid; if it contains some, attacks without one stay unjudged.
pub fn judge_all(draft: &mut ImportDraft, graph: &Value, before: &[String], rule: &str) {
    if graph.get("validationResults").is_some_and(Value::is_array) {
        let is_new =
            |result: &&Value| text(result, "attackId").is_none_or(|name| before.iter().all(|known| known != name));
        for result in items(graph, "validationResults").iter().filter(is_new) {
            judge(draft, result);
        }
        return;
    }
    let names = items(graph, "attacks").iter().filter_map(|attack| text(attack, "id"));
    let new = names.filter(|name| before.iter().all(|known| known != name));
    let unjudged: Vec<_> = new.filter_map(|name| draft.attacks.get(name)).map(|known| known.attack).collect();
    if !unjudged.is_empty() {
        draft.note("the file contains no validations: its attacks are treated as valid, as its system did");
    }
    for attack in unjudged {
        judge_by_rule(draft, attack, CRYSTALLIZED, rule);
    }
}
