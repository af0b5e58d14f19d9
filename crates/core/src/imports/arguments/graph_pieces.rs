//! Arguments, attacks and judgements in the form common to the old systems.

use serde_json::Value;

use crate::events::argument::{ArgumentAdvanced, ArgumentPart, AttackJudged, AttackRaised};
use crate::events::citation::Evidence;
use crate::events::event::Event;
use crate::events::ids::{ArgumentId, AttackId, PersonaId, TurnId};
use crate::events::imported::{ArgumentAttributed, ArgumentSynthesised, TurnBasis};
use crate::imports::arguments::attribution::ArgumentTurn;
use crate::imports::arguments::graph_fields::{component_of, kind_of, target_of};
use crate::imports::draft::{ImportDraft, KnownArgument, KnownAttack, excerpt};
use crate::imports::fields::{flag, share, text, text_of, texts};

/// Default strength and confidence of an attack, as in the old systems.
const MIDDLING: f64 = 0.5;

/// Records an argument of the file in the turn that the file states, or sets it aside if it is invalid.
pub fn advance(draft: &mut ImportDraft, raw: &Value, speaker: &PersonaId, turn: TurnId) {
    advance_as(
        draft,
        raw,
        speaker,
        ArgumentTurn { turn: Some(turn), basis: TurnBasis::Stated, shared_words: 0, latest: None },
    );
}

/// Records an argument of the file with the attribution of its turn, or sets it aside if it is invalid.
pub fn advance_as(draft: &mut ImportDraft, raw: &Value, speaker: &PersonaId, attribution: ArgumentTurn) {
    let Some(name) = text(raw, "id") else {
        return draft.quarantine("argument", "it has no id", raw);
    };
    let Some(claim) = text(raw, "claim") else {
        return draft.quarantine("argument", format!("{} has no claim", excerpt(name)), raw);
    };
    if let Some(known) = draft.arguments.get(name) {
        if known.claim != claim || known.speaker != *speaker {
            draft.quarantine("argument", format!("the argument id {} is used twice", excerpt(name)), raw);
        }
        return;
    }
    let advanced = ArgumentAdvanced {
        argument: draft.next_argument(),
        speaker: speaker.clone(),
        turn: attribution.turn.unwrap_or(TurnId(0)),
        claim: claim.to_owned(),
        premises: texts(raw, "premises"),
        assumptions: texts(raw, "assumptions"),
        evidence: evidence(raw),
        carries: None,
        answers_topic: false,
        distilled: false,
        paraphrased: false,
    };
    let ArgumentTurn { basis, shared_words, .. } = attribution;
    let argument = advanced.argument;
    enter(draft, name, advanced);
    if basis == TurnBasis::Stated {
        return;
    }
    draft.record(Event::ArgumentAttributed(ArgumentAttributed { argument, basis, shared_words }));
    draft.note(match basis {
        TurnBasis::Unknown => {
            "the file does not state the turns of some arguments, and no possible turn of the speaker shares a word with \
             them: their turns are unknown"
        }
        TurnBasis::LatestTurn => {
            "some arguments share no word with a turn of their speaker: each is attributed to the speaker's latest turn \
             when the original system extracted it"
        }
        _ => {
            "the file does not state the turns of some arguments: each is attributed to the turn of its speaker that \
             shares the most words with it and is not younger than an attack on it"
        }
    });
}

fn enter(draft: &mut ImportDraft, name: &str, advanced: ArgumentAdvanced) {
    let known = KnownArgument {
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

/// Records an attack of the file in a turn, or sets it aside if it is invalid. Creates the source argument if the file
/// does not contain it.
pub fn raise(draft: &mut ImportDraft, raw: &Value, speaker: &PersonaId, turn: TurnId) -> Option<AttackId> {
    let name = text(raw, "id").map_or_else(|| format!("unnamed-{}", draft.attacks.len() + 1), str::to_owned);
    if draft.attacks.contains_key(&name) {
        draft.quarantine("attack", format!("the attack id {} is used twice", excerpt(&name)), raw);
        return None;
    }
    let hit = raw.get("target").unwrap_or(raw);
    let target_name = target_of(raw).or_else(|| text(raw, "argId")).unwrap_or_default();
    let Some(struck) = draft.arguments.get(target_name).cloned() else {
        let reason = format!("its target {:?} is not in the file", excerpt(target_name));
        draft.quarantine("attack", reason, raw);
        return None;
    };
    let Some(kind) = text_of(raw, &["type", "attackType"]).and_then(kind_of) else {
        draft.quarantine("attack", "its type is not rebut, undermine or undercut", raw);
        return None;
    };
    let attack = draft.next_attack();
    let Some(source) = source_of(draft, raw, speaker, turn, attack) else {
        draft.quarantine("attack", "its source argument is not in the file, and neither is a claim for it", raw);
        return None;
    };
    let component = component_within(draft, component_of(hit).unwrap_or(ArgumentPart::Claim), &struck);
    let target = struck.argument;
    draft.attacks.insert(name, KnownAttack { attack, target: struck });
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
        quote: None,
        confidence: share(raw, "confidence").unwrap_or(MIDDLING),
    }));
    Some(attack)
}

/// Source argument of an attack. The old graph engine created it before the attack and did not report it.
fn source_of(
    draft: &mut ImportDraft,
    raw: &Value,
    speaker: &PersonaId,
    turn: TurnId,
    attack: AttackId,
) -> Option<ArgumentId> {
    let name = text_of(raw, &["fromArgId", "sourceArgId"]);
    if let Some(known) = name.and_then(|name| draft.arguments.get(name)) {
        return Some(known.argument);
    }
    let name = name.map_or_else(|| format!("unnamed-{}", draft.arguments.len() + 1), str::to_owned);
    let counter = raw.get("counterArgument").unwrap_or(&Value::Null);
    let claim = text(counter, "claim").or_else(|| text(raw, "counterProposition"))?.to_owned();
    let argument = draft.next_argument();
    let reason = "the argument is not in the file; its claim is the counter-proposition of the attack".to_owned();
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
        distilled: false,
        paraphrased: false,
    };
    enter(draft, &name, advanced);
    Some(argument)
}

/// Records a validator's verdict on an attack.
pub fn judge(draft: &mut ImportDraft, raw: &Value) {
    let name = text(raw, "attackId").unwrap_or_default();
    let Some(KnownAttack { attack, target }) = draft.attacks.get(name).cloned() else {
        let reason = format!("its attack {:?} is not in the file", excerpt(name));
        return draft.quarantine("validation", reason, raw);
    };
    let Some(valid) = flag(raw, "valid") else {
        return draft.quarantine("validation", format!("it does not state whether {} is valid", excerpt(name)), raw);
    };
    let corrections = raw.get("corrections").unwrap_or(&Value::Null);
    let corrected = corrections.get("target").unwrap_or(corrections);
    let component = component_of(corrected).map(|component| component_within(draft, component, &target));
    judged(
        draft,
        AttackJudged {
            attack,
            valid,
            strength: share(raw, "attackStrength").unwrap_or(MIDDLING),
            reason: text_of(raw, &["reason", "explanation"]).unwrap_or("as stated by the imported file").to_owned(),
            kind: text_of(corrections, &["type", "attackType"]).and_then(kind_of),
            component,
        },
    );
}

/// Records an attack as valid that the original system accepted by a rule of its own.
pub fn judge_by_rule(draft: &mut ImportDraft, attack: AttackId, strength: f64, rule: &str) {
    judged(draft, AttackJudged { attack, valid: true, strength, reason: rule.to_owned(), kind: None, component: None });
}

fn judged(draft: &mut ImportDraft, judged: AttackJudged) {
    draft.counts.judgements += 1;
    draft.record(Event::AttackJudged(judged));
}

fn evidence(raw: &Value) -> Vec<Evidence> {
    texts(raw, "evidence").into_iter().map(|text| Evidence { text, citation: None }).collect()
}

/// The component if the argument has it; otherwise the first of that kind, as in the old systems, or the claim.
fn component_within(draft: &mut ImportDraft, component: ArgumentPart, struck: &KnownArgument) -> ArgumentPart {
    let (index, there, first) = match component {
        ArgumentPart::Claim => return component,
        ArgumentPart::Premise(index) => (index, struck.n_premises, ArgumentPart::Premise(0)),
        ArgumentPart::Assumption(index) => (index, number_of(&struck.assumptions), ArgumentPart::Assumption(0)),
    };
    if index < there {
        return component;
    }
    draft.note(
        "some attacks name a premise or an assumption that their target lacks; the first one, or the claim, is used",
    );
    if there > 0 { first } else { ArgumentPart::Claim }
}

fn number_of(texts: &[String]) -> u32 {
    u32::try_from(texts.len()).unwrap_or(u32::MAX)
}
