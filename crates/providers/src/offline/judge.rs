//! Judge of attacks: decides whether a counter-claim answers its target.
//!
//! An attack is valid if its counter-claim is close enough to the attacked part, its passage is close enough to the
//! passage of that part (the measure of answers.rs), its speaker is on another side, and the counter-claim is not a
//! concession. If another part of the target is clearly closer to the counter-claim, the judge corrects part and kind.
//! The judge measures relatedness, not contradiction, and every reason says so. Cost: a handful of comparisons per
//! attack.

use crate::offline::answers;
use crate::offline::debate::debate::DerivedDebate;
use crate::offline::debate::reading::{ResolvedArgument, ResolvedTask};
use crate::offline::reply::{Judgement, part_of};
use crate::offline::text::relatedness::{ComparableText, rounded};
use faultline_core::events::argument::{ArgumentPart, AttackKind};
use faultline_core::kernel::task::AttackInput;

/// Margin by which another part must be closer for the judge to correct the attacker.
const CLEARLY: f64 = 0.1;
/// Score above the threshold at which an attack has full strength.
const RANGE: f64 = 0.2;

/// Judges one attack. `targets` are the aliases of the arguments in `reading`, in order.
pub fn judge(debate: &DerivedDebate, reading: &ResolvedTask, targets: &[String], attack: &AttackInput) -> Judgement {
    let papers = &debate.papers;
    let target = targets.iter().position(|alias| *alias == attack.target).map(|at| &reading.arguments[at]);
    let (Some(target), Some(from)) = (target, papers.speaker(&attack.speaker)) else {
        return refused(
            attack,
            "The attack names an argument or a speaker that is not part of this debate.".to_owned(),
        );
    };
    let (line, counter) = reading.probe(debate, Some(from), &attack.counter_claim);
    let (_, hit) = reading.probe(debate, target.speaker, &attack.target_text);
    let near = papers.gauge.relate(&counter, &hit);
    let passage = line.map(|line| papers.lines[line].passage);
    let aside = papers.gauge.relate(passage.map_or(&counter, |passage| &papers.passages[passage].probe), &target.whole);
    let lines = passage.map_or(&[][..], |passage| papers.of(passage));
    let reach = lines.iter().map(|line| papers.gauge.relate(&line.probe, &hit)).fold(near, f64::max);
    let score = passage.map_or(rounded(0.5 * aside + 0.5 * reach), |passage| {
        answers::measure(debate, passage, target.speaker, reach, aside)
    });

    if target.speaker == Some(from) {
        return refused(attack, "A speaker cannot attack an argument of their own.".to_owned());
    }
    if target.speaker.is_some_and(|other| !debate.sides[from].opposes(debate.sides[other])) {
        return refused(
            attack,
            "Both speakers are on the same side of the topic; the two quotations do not oppose each other.".to_owned(),
        );
    }
    if line.is_some_and(|line| !papers.lines[line].cues.asserts()) {
        return refused(
            attack,
            "The counter-claim concedes, asks or reports; it asserts nothing against the target.".to_owned(),
        );
    }
    if line.is_some_and(|line| answers::echoes(debate, line, &hit)) {
        return refused(attack, "The counter-claim says the same as its target and is no objection to it.".to_owned());
    }
    let floor = debate.floor.valid + target.speaker.map_or(0.0, |other| debate.extra(from, other));
    if (debate.floor.valid..floor).contains(&score) {
        let reason = format!(
            "Related {score:.2}, but one of the two is between the sides, and such quotations often agree: too \
             little to count as an attack."
        );
        return refused(attack, reason);
    }
    if score < floor {
        return refused(
            attack,
            format!("Hardly related ({score:.2}): the quotation is about another matter than its target."),
        );
    }
    let corrected = corrected(debate, target, attack, &counter, near);
    let part = corrected.map(|(component, _)| component);
    Judgement {
        attack: attack.alias.clone(),
        valid: true,
        strength: strength(score - floor),
        reason: format!(
            "Related {score:.2} and from the other side; the offline judge measures relatedness, not contradiction."
        ),
        kind: corrected.map(|correction| correction.1),
        component: part.map(|part| part_of(part).0),
        index: part.and_then(|part| part_of(part).1),
    }
}

fn refused(attack: &AttackInput, reason: String) -> Judgement {
    Judgement {
        attack: attack.alias.clone(),
        valid: false,
        strength: 0.0,
        reason,
        kind: None,
        component: None,
        index: None,
    }
}

/// Strength of an attack: from 0.3 at the threshold to 1, in steps of 0.01.
fn strength(above: f64) -> f64 {
    let share = (above / RANGE).clamp(0.0, 1.0);
    ((0.3 + 0.7 * share) * 100.0).round() / 100.0
}

/// Returns the part that is really attacked and the kind of attack, if the attacker was wrong: another part to which
/// the counter-claim is clearly closer.
fn corrected(
    debate: &DerivedDebate,
    target: &ResolvedArgument,
    attack: &AttackInput,
    counter: &ComparableText,
    near: f64,
) -> Option<(ArgumentPart, AttackKind)> {
    let gauge = &debate.papers.gauge;
    let others = target.parts.iter().filter(|part| part.component != attack.component);
    let scored = others.map(|part| (gauge.relate(&part.probe, counter), part.component));
    let (best, component) = scored.max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)))?;
    if best < near + CLEARLY || best < debate.floor.back {
        return None;
    }
    let kind = match component {
        ArgumentPart::Claim => AttackKind::Rebut,
        ArgumentPart::Premise(_) | ArgumentPart::Assumption(_) => AttackKind::Undermine,
    };
    Some((component, kind))
}
