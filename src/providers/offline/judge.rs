//! The judge of attacks: does a counter-claim answer what it is set against?
//!
//! Valid is an attack whose counter-claim is near enough to the part that it hits and whose passage is near enough to the
//! passage hit (the measure of answers.rs), from a speaker of another side, and that is no
//! concession. Where another part of the target is clearly nearer to the counter-claim, the judge corrects part and kind.
//! It measures relatedness, not contradiction, and every reason says so. Cost: a handful of comparisons an attack.

use crate::events::argument::{AttackKind, Component};
use crate::kernel::task::AttackTold;
use crate::providers::offline::answers;
use crate::providers::offline::debate::Debate;
use crate::providers::offline::reading::{Reading, Told};
use crate::providers::offline::relate::{Probe, rounded};
use crate::providers::offline::reply::{Judgement, part_of};

/// How much nearer another part must be for the judge to correct the attacker.
const CLEARLY: f64 = 0.08;
/// So much above the floor an attack is as strong as can be.
const RANGE: f64 = 0.3;

/// Judges one attack. `targets` are the aliases of the arguments in `reading`, in order.
pub fn judge(debate: &Debate, reading: &Reading, targets: &[String], attack: &AttackTold) -> Judgement {
    let papers = &debate.papers;
    let target = targets.iter().position(|it| *it == attack.target).map(|at| &reading.arguments[at]);
    let (Some(target), Some(from)) = (target, papers.speaker(&attack.speaker)) else {
        return refused(attack, "The attack names an argument or a speaker that is not part of this debate.".to_owned());
    };
    let (line, counter) = reading.probe(debate, Some(from), &attack.counter_claim);
    let (_, hit) = reading.probe(debate, target.speaker, &attack.target_text);
    let near = papers.gauge.relate(&counter, &hit);
    let passage = line.map(|it| papers.lines[it].passage);
    let aside = papers.gauge.relate(passage.map_or(&counter, |it| &papers.passages[it].probe), &target.whole);
    let lines = passage.map_or(&[][..], |it| papers.of(it));
    let reach = lines.iter().map(|it| papers.gauge.relate(&it.probe, &hit)).fold(near, f64::max);
    let score = passage.map_or(rounded(0.5 * aside + 0.5 * reach), |it| {
        answers::measure(debate, it, target.speaker, reach, aside)
    });

    if target.speaker == Some(from) {
        return refused(attack, "A speaker does not tell against an argument of their own.".to_owned());
    }
    if target.speaker.is_some_and(|other| !debate.sides[from].opposes(debate.sides[other])) {
        return refused(attack, "Both speakers are on the same side of the topic; the two quotations stand together.".to_owned());
    }
    if line.is_some_and(|it| !papers.lines[it].cues.asserts()) {
        return refused(attack, "The counter-claim grants, asks or reports; it asserts nothing against the target.".to_owned());
    }
    if answers::echoes(debate, &counter, &hit) {
        return refused(attack, "The counter-claim says the same as what it is set against, and tells nothing against it.".to_owned());
    }
    if score < debate.floor.valid {
        return refused(attack, format!("Hardly related ({score:.2}): the quotation is about another matter than what it is set against."));
    }
    let corrected = corrected(debate, target, attack, &counter, near);
    let part = corrected.map(|(component, _)| component);
    Judgement {
        attack: attack.alias.clone(),
        valid: true,
        strength: strength(debate, score),
        reason: format!(
            "Related {score:.2} and from the other side; the offline judge measures relatedness, not contradiction."
        ),
        kind: corrected.map(|it| it.1),
        component: part.map(|it| part_of(it).0),
        index: part.and_then(|it| part_of(it).1),
    }
}

fn refused(attack: &AttackTold, reason: String) -> Judgement {
    Judgement { attack: attack.alias.clone(), valid: false, strength: 0.0, reason, kind: None, component: None, index: None }
}

/// From 0.3 at the floor to 1, in steps of a hundredth.
fn strength(debate: &Debate, score: f64) -> f64 {
    let share = ((score - debate.floor.valid) / RANGE).clamp(0.0, 1.0);
    ((0.3 + 0.7 * share) * 100.0).round() / 100.0
}

/// The part that is really hit and how, where the attacker was wrong about it.
fn corrected(
    debate: &Debate,
    target: &Told,
    attack: &AttackTold,
    counter: &Probe,
    near: f64,
) -> Option<(Component, AttackKind)> {
    let (component, best) = target.nearest(&debate.papers.gauge, counter)?;
    if component == attack.component || best < near + CLEARLY {
        return None;
    }
    let kind = match component {
        Component::Claim => AttackKind::Rebut,
        Component::Premise(_) | Component::Assumption(_) => AttackKind::Undermine,
    };
    Some((component, kind))
}
