//! Arguments, attacks and judgements as all the old systems wrote them.

use serde_json::Value;

use crate::events::argument::{ArgumentAdvanced, AttackJudged, AttackKind, AttackRaised, Component, Evidence};
use crate::events::event::Event;
use crate::events::ids::{ArgumentId, AttackId, PersonaId, TurnId};
use crate::events::imported::ArgumentSynthesised;
use crate::imports::draft::{Draft, Known, Struck, excerpt};
use crate::imports::fields::{count, flag, share, text, text_of, texts};

/// The strength, and the confidence, of an attack of which the file tells none: what the old systems took.
const MIDDLING: f64 = 0.5;

/// Advances an argument of the file in a turn; sets it aside where it cannot be.
pub fn advance(draft: &mut Draft, raw: &Value, speaker: &PersonaId, turn: TurnId) {
    let Some(name) = text(raw, "id") else {
        return draft.quarantine("argument", "it has no id", raw);
    };
    let Some(claim) = text(raw, "claim") else {
        return draft.quarantine("argument", format!("{} claims nothing", excerpt(name)), raw);
    };
    if let Some(known) = draft.arguments.get(name) {
        if known.claim != claim || known.speaker != *speaker {
            draft.quarantine("argument", format!("another argument is called {} already", excerpt(name)), raw);
        }
        return;
    }
    let advanced = ArgumentAdvanced {
        argument: draft.next_argument(),
        speaker: speaker.clone(),
        turn,
        claim: claim.to_owned(),
        premises: texts(raw, "premises"),
        assumptions: texts(raw, "assumptions"),
        evidence: evidence(raw),
        carries: None,
        answers_topic: false,
    };
    enter(draft, name, advanced);
}

fn enter(draft: &mut Draft, name: &str, advanced: ArgumentAdvanced) {
    let known = Known {
        argument: advanced.argument,
        speaker: advanced.speaker.clone(),
        turn: advanced.turn,
        claim: advanced.claim.clone(),
        n_premises: number_of(&advanced.premises),
        assumptions: advanced.assumptions.clone(),
    };
    draft.arguments.insert(name.to_owned(), known);
    draft.counts.arguments += 1;
    draft.record(Event::ArgumentAdvanced(advanced));
}

/// Raises an attack of the file in a turn, and makes up the argument that it comes from where the file does not hold it;
/// sets it aside where it cannot be.
pub fn raise(draft: &mut Draft, raw: &Value, speaker: &PersonaId, turn: TurnId) -> Option<AttackId> {
    let name = text(raw, "id").map_or_else(|| format!("unnamed-{}", draft.attacks.len() + 1), str::to_owned);
    if draft.attacks.contains_key(&name) {
        draft.quarantine("attack", format!("another attack is called {} already", excerpt(&name)), raw);
        return None;
    }
    let hit = raw.get("target").unwrap_or(raw);
    let target_name = text_of(raw, &["toArgId", "targetArgId"]).or_else(|| text(hit, "argId")).unwrap_or_default();
    let Some(struck) = draft.arguments.get(target_name).cloned() else {
        let reason = format!("it attacks {:?}, and the file holds no such argument", excerpt(target_name));
        draft.quarantine("attack", reason, raw);
        return None;
    };
    let Some(kind) = text_of(raw, &["type", "attackType"]).and_then(kind_of) else {
        draft.quarantine("attack", "it is neither a rebuttal nor an undermining nor an undercut", raw);
        return None;
    };
    let attack = draft.next_attack();
    let Some(source) = source_of(draft, raw, speaker, turn, attack) else {
        draft.quarantine("attack", "the argument it comes from is not in the file, nor what it would say", raw);
        return None;
    };
    let component = component_within(draft, component_of(hit).unwrap_or(Component::Claim), &struck);
    let target = struck.argument;
    draft.attacks.insert(name, Struck { attack, target: struck });
    draft.counts.attacks += 1;
    draft.record(Event::AttackRaised(AttackRaised {
        attack,
        speaker: speaker.clone(),
        turn,
        source,
        target,
        component,
        kind,
        rationale: text_of(raw, &["rationale", "counterProposition"]).unwrap_or_default().to_owned(),
        confidence: share(raw, "confidence").unwrap_or(MIDDLING),
    }));
    Some(attack)
}

/// The argument that an attack comes from. The old graph engine made it before the attack and never told of it.
fn source_of(
    draft: &mut Draft,
    raw: &Value,
    speaker: &PersonaId,
    turn: TurnId,
    attack: AttackId,
) -> Option<ArgumentId> {
    let name = text_of(raw, &["fromArgId", "sourceArgId"]);
    if let Some(known) = name.and_then(|it| draft.arguments.get(it)) {
        return Some(known.argument);
    }
    let name = name.map_or_else(|| format!("unnamed-{}", draft.arguments.len() + 1), str::to_owned);
    let counter = raw.get("counterArgument").unwrap_or(&Value::Null);
    let claim = text(counter, "claim").or_else(|| text(raw, "counterProposition"))?.to_owned();
    let argument = draft.next_argument();
    let reason = "the file holds no such argument; its claim is the counter-proposition of the attack".to_owned();
    draft.counts.synthesised += 1;
    draft.record(Event::ArgumentSynthesised(ArgumentSynthesised { argument, name: excerpt(&name), reason }));
    let advanced = ArgumentAdvanced {
        argument,
        speaker: speaker.clone(),
        turn,
        claim,
        premises: texts(counter, "premises"),
        assumptions: texts(counter, "assumptions"),
        evidence: evidence(raw),
        carries: Some(attack),
        answers_topic: false,
    };
    enter(draft, &name, advanced);
    Some(argument)
}

/// Takes a validator's word on an attack.
pub fn judge(draft: &mut Draft, raw: &Value) {
    let name = text(raw, "attackId").unwrap_or_default();
    let Some(Struck { attack, target }) = draft.attacks.get(name).cloned() else {
        let reason = format!("it judges {:?}, and the file holds no such attack", excerpt(name));
        return draft.quarantine("validation", reason, raw);
    };
    let Some(valid) = flag(raw, "valid") else {
        return draft.quarantine("validation", format!("it does not say whether {} is valid", excerpt(name)), raw);
    };
    let corrections = raw.get("corrections").unwrap_or(&Value::Null);
    let corrected = corrections.get("target").unwrap_or(corrections);
    let component = component_of(corrected).map(|it| component_within(draft, it, &target));
    judged(
        draft,
        AttackJudged {
            attack,
            valid,
            strength: share(raw, "attackStrength").unwrap_or(MIDDLING),
            reason: text_of(raw, &["reason", "explanation"]).unwrap_or("as the imported file has it").to_owned(),
            kind: text_of(corrections, &["type", "attackType"]).and_then(kind_of),
            component,
        },
    );
}

/// Judges an attack that the origin took as valid by a rule of its own.
pub fn judge_by_rule(draft: &mut Draft, attack: AttackId, strength: f64, rule: &str) {
    judged(draft, AttackJudged { attack, valid: true, strength, reason: rule.to_owned(), kind: None, component: None });
}

fn judged(draft: &mut Draft, judged: AttackJudged) {
    draft.counts.judgements += 1;
    draft.record(Event::AttackJudged(judged));
}

fn evidence(raw: &Value) -> Vec<Evidence> {
    texts(raw, "evidence").into_iter().map(|text| Evidence { text, citation: None }).collect()
}

fn kind_of(word: &str) -> Option<AttackKind> {
    Some(match word.to_lowercase().as_str() {
        "rebut" | "rebuttal" => AttackKind::Rebut,
        "undermine" => AttackKind::Undermine,
        "undercut" => AttackKind::Undercut,
        _ => return None,
    })
}

/// The part that is hit; some models wrote it in the plural.
fn component_of(target: &Value) -> Option<Component> {
    let index = count(target, "index").or_else(|| count(target, "targetIndex")).unwrap_or(0);
    let word = text_of(target, &["component", "targetComponent"])?.to_lowercase();
    match word.trim_end_matches('s') {
        "claim" => Some(Component::Claim),
        "premise" => Some(Component::Premise(index)),
        "assumption" => Some(Component::Assumption(index)),
        _ => None,
    }
}

/// The part, if the argument has it; else its first of that kind, as the old systems read it, or its claim.
fn component_within(draft: &mut Draft, component: Component, struck: &Known) -> Component {
    let (index, there, first) = match component {
        Component::Claim => return component,
        Component::Premise(index) => (index, struck.n_premises, Component::Premise(0)),
        Component::Assumption(index) => (index, number_of(&struck.assumptions), Component::Assumption(0)),
    };
    if index < there {
        return component;
    }
    draft.note("some attacks hit a premise or an assumption that their target does not have; the first, or the claim, was taken");
    if there > 0 { first } else { Component::Claim }
}

fn number_of(texts: &[String]) -> u32 {
    u32::try_from(texts.len()).unwrap_or(u32::MAX)
}
