//! What a crystallizer drew from the turns of a dialogue ("v2"), and the graph that was left at the end.

use serde_json::Value;

use crate::events::argument::{ArgumentRevised, ArgumentWithdrawn, AttackWithdrawn};
use crate::events::distil::TurnsCrystallized;
use crate::events::event::Event;
use crate::events::ids::{AttackId, PersonaId, TurnId};
use crate::imports::draft::Draft;
use crate::imports::fields::{items, text, text_of, texts};
use crate::imports::graph_pieces::{advance, judge, judge_by_rule, raise};

/// How strong the crystallizer took each of its attacks to be.
const CRYSTALLIZED: f64 = 0.8;

/// Why its attacks are valid: nobody was asked.
pub const RULE: &str = "the origin took every attack of its crystallizer as valid";

/// `crystallization`: what a model drew from the last turns. Removals first, as the old engine did.
pub fn crystallization(draft: &mut Draft, record: &Value) {
    let result = record.get("result").unwrap_or(record);
    let turns = draft.uncrystallized();
    draft.record(Event::TurnsCrystallized(TurnsCrystallized { turns, refused: Vec::new(), repetition: None }));
    for removed in items(result, "removedArgIds") {
        remove_argument(draft, removed);
    }
    for updated in items(result, "updatedArgs") {
        revise_argument(draft, updated);
    }
    for argument in items(result, "newArgs") {
        match speaker_and_turn(draft, argument) {
            Ok((speaker, turn)) => advance(draft, argument, &speaker, turn),
            Err(reason) => draft.quarantine("argument", reason, argument),
        }
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

fn attack_of(draft: &mut Draft, attack: &Value) -> Option<AttackId> {
    match speaker_and_turn(draft, attack) {
        Ok((speaker, turn)) => raise(draft, attack, &speaker, turn),
        Err(reason) => {
            draft.quarantine("attack", reason, attack);
            None
        }
    }
}

/// Whose it is, and the latest turn of theirs: what was drawn was drawn from what was just said.
fn speaker_and_turn(draft: &Draft, raw: &Value) -> Result<(PersonaId, TurnId), String> {
    let source = text_of(raw, &["fromArgId", "sourceArgId"]).and_then(|it| draft.arguments.get(it));
    let speaker = match (text(raw, "speakerId"), source) {
        (None, Some(known)) => known.speaker.clone(),
        (named, _) => draft.speaker(named)?,
    };
    let turn = draft.latest_turn(&speaker);
    turn.map(|turn| (speaker.clone(), turn)).ok_or_else(|| format!("{speaker} has said nothing yet"))
}

/// An argument was withdrawn, in what its owner said last.
fn remove_argument(draft: &mut Draft, removed: &Value) {
    let Some(known) = removed.as_str().and_then(|it| draft.arguments.get(it)).cloned() else {
        return draft.quarantine("removed argument", "the file holds no such argument", removed);
    };
    let turn = draft.latest_turn(&known.speaker).unwrap_or(known.turn);
    let reason = "the crystallizer of the origin took it out".to_owned();
    let argument = known.argument;
    draft.record(Event::ArgumentWithdrawn(ArgumentWithdrawn { argument, turn, superseded_by: None, reason }));
}

/// An argument was put differently, in what its owner said last. What it took for granted before, it still does.
fn revise_argument(draft: &mut Draft, updated: &Value) {
    let Some(known) = text(updated, "id").and_then(|it| draft.arguments.get(it)).cloned() else {
        return draft.quarantine("updated argument", "the file holds no such argument", updated);
    };
    let turn = draft.latest_turn(&known.speaker).unwrap_or(known.turn);
    let claim = text(updated, "claim").filter(|it| *it != known.claim).map(str::to_owned);
    let mut assumptions = texts(updated, "assumptions");
    assumptions.retain(|it| !known.assumptions.contains(it));
    if claim.is_none() && assumptions.is_empty() {
        return draft.keep("updated argument", updated);
    }
    if let Some(entry) = text(updated, "id").and_then(|it| draft.arguments.get_mut(it)) {
        entry.claim = claim.clone().unwrap_or(known.claim);
        entry.assumptions.extend(assumptions.iter().cloned());
    }
    let argument = known.argument;
    draft.record(Event::ArgumentRevised(ArgumentRevised { argument, turn, claim, assumptions }));
}

/// An attack was withdrawn, as the last turn shows.
fn remove_attack(draft: &mut Draft, removed: &Value) {
    let Some(attack) = removed.as_str().and_then(|it| draft.attacks.get(it)).map(|it| it.attack) else {
        return draft.quarantine("removed attack", "the file holds no such attack", removed);
    };
    let (turn, reason) = (draft.last_turn(), "the crystallizer of the origin took it out".to_owned());
    draft.record(Event::AttackWithdrawn(AttackWithdrawn { attack, turn, reason }));
}

/// What a graph of the old systems holds beyond what is known already: arguments, attacks, and what was made of them.
pub fn graph(draft: &mut Draft, graph: &Value) {
    for argument in items(graph, "arguments").iter().filter(|it| is_new(draft, it)).collect::<Vec<_>>() {
        match speaker_and_turn(draft, argument) {
            Ok((speaker, turn)) => advance(draft, argument, &speaker, turn),
            Err(reason) => draft.quarantine("argument", reason, argument),
        }
    }
    let known = draft.attacks.clone();
    for attack in items(graph, "attacks").iter().filter(|it| text(it, "id").is_none_or(|it| !known.contains_key(it))) {
        attack_of(draft, attack);
    }
    judge_all(draft, graph, &known.into_keys().collect::<Vec<_>>(), RULE);
}

fn is_new(draft: &Draft, argument: &Value) -> bool {
    text(argument, "id").is_none_or(|it| !draft.arguments.contains_key(it))
}

/// Judges the attacks of a graph but for those known before. Where it holds no validations at all, its system took every
/// attack as valid; where it holds some, an attack without one stays unjudged.
pub fn judge_all(draft: &mut Draft, graph: &Value, before: &[String], rule: &str) {
    if graph.get("validationResults").is_some_and(Value::is_array) {
        let is_new = |it: &&Value| text(it, "attackId").is_none_or(|it| before.iter().all(|known| known != it));
        for result in items(graph, "validationResults").iter().filter(is_new) {
            judge(draft, result);
        }
        return;
    }
    let names = items(graph, "attacks").iter().filter_map(|it| text(it, "id"));
    let new = names.filter(|it| before.iter().all(|known| known != it));
    let unjudged: Vec<_> = new.filter_map(|it| draft.attacks.get(it)).map(|it| it.attack).collect();
    if !unjudged.is_empty() {
        draft.note("the file holds no validations: its attacks count as its system took them");
    }
    for attack in unjudged {
        judge_by_rule(draft, attack, CRYSTALLIZED, rule);
    }
}
