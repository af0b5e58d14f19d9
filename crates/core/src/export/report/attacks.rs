//! Attacks in a report: each with the turn that makes it.

use crate::events::argument::ArgumentPart;
use crate::events::distillation::{Comparison, ComparisonFinding};
use crate::events::ids::{ArgumentId, PointId, TurnId};
use crate::export::report::model::report_model::AttackReport;
use crate::export::report::quotes::short;
use crate::export::report::unsaid::without_ellipsis;
use crate::projections::argument_graph::{ArgumentGraph, Attack};
use crate::verdicts::crux_card::crux_text::quoted;
use crate::verdicts::read_model::DebateReadModel;
use crate::verdicts::structural::reworded_in;

/// Maximum length of the reason why an attack ended, in characters.
const MAX_REASON: usize = 200;

/// Attacks that nobody judged, as when the judge failed: they do not count.
pub fn unjudged(graph: &ArgumentGraph) -> Vec<String> {
    let unjudged = graph.attacks.iter().filter(|(_, attack)| is_unjudged(attack));
    unjudged.map(|(id, _)| id.to_string()).collect()
}

fn is_unjudged(attack: &Attack) -> bool {
    attack.judged.is_none() && attack.withdrawn.is_none()
}

/// Builds the report of all attacks that were judged valid, or not at all, in the order of their ids, and of the conflicts
/// of opposite answers to the topic. Each stands under the turn that completes it: no argument attacks before both were
/// made. One that is no longer in force says since when.
pub fn attacks(read_model: &DebateReadModel) -> Vec<AttackReport> {
    let graph = &read_model.arguments;
    let made_in = |ends: [ArgumentId; 2], turn: Option<TurnId>| {
        ends.into_iter().filter_map(|end| graph.turn(end)).chain(turn).max()
    };
    let told = graph.attacks.values().filter(|attack| attack.was_valid() || is_unjudged(attack));
    let raised = told.filter_map(|attack| {
        let ends = [attack.raised.source, attack.raised.target];
        let reworded = ends.into_iter().filter_map(|end| reworded_in(graph.arguments.get(&end)?)).max();
        let reworded = reworded.filter(|_| is_found_by_comparison(read_model, attack));
        let turn = made_in(ends, Some(attack.raised.turn).max(reworded))?;
        let text = [
            sentence(attack),
            words(read_model, attack),
            basis(read_model, attack),
            in_turn(attack),
            ended(read_model, attack).unwrap_or_default(),
            if is_unjudged(attack) { " (not judged, and not counted)".to_owned() } else { String::new() },
        ]
        .concat();
        Some(AttackReport { turn, text })
    });
    let opposed = graph.opposed_theses().into_iter().filter_map(|(one, other)| {
        let text = format!("{other} conflicts with {one}: they answer the topic from opposite sides");
        Some(AttackReport { turn: made_in([one, other], None)?, text })
    });
    raised.chain(opposed).collect()
}

/// Words of the turn that make an attack, if the turn does not contain the claim of the attacking argument.
fn words(read_model: &DebateReadModel, attack: &Attack) -> String {
    let (raised, transcript) = (&attack.raised, &read_model.transcript);
    let source = read_model.arguments.arguments.get(&raised.source);
    let is_said = source.is_some_and(|it| transcript.quote(raised.turn, &it.advanced.claim).is_some());
    let words = raised.quote.as_deref().filter(|_| !is_said);
    words.map(|words| format!(", in these words: “{}”", quoted(words))).unwrap_or_default()
}

/// Basis of an attack that nobody said: a comparison of the two claims, or a reason that was only written; empty for others.
fn basis(read_model: &DebateReadModel, attack: &Attack) -> String {
    if is_found_by_comparison(read_model, attack) {
        return " (found by a comparison of the two claims)".to_owned();
    }
    let Attack { raised, .. } = attack;
    let words = without_ellipsis(&raised.rationale);
    let said: Vec<TurnId> = read_model.transcript.said_by(&raised.speaker, words).collect();
    match (quoted(&raised.rationale), said.as_slice()) {
        (reason, _) if reason.is_empty() || said.contains(&raised.turn) => String::new(),
        (reason, [turn, ..]) => format!(" (reason, said in {turn}: “{reason}”)"),
        (reason, []) => format!(" (reason, not said aloud: “{reason}”)"),
    }
}

fn is_found_by_comparison(read_model: &DebateReadModel, attack: &Attack) -> bool {
    let ends = [attack.raised.source, attack.raised.target].map(PointId::Argument);
    let is_of = |it: &&Comparison| ends.contains(&it.one) && ends.contains(&it.other);
    let mut compared = read_model.arguments.comparisons.iter().filter(is_of);
    compared.any(|it| it.finding == ComparisonFinding::Conflict && it.reason == attack.raised.rationale)
}

/// Remark on an attack that is no longer in force; `None` for others.
fn ended(read_model: &DebateReadModel, attack: &Attack) -> Option<String> {
    if let Some(withdrawn) = &attack.withdrawn {
        // Words of a turn are those of its speaker, who may have narrowed what was attacked.
        let is_said = read_model.transcript.quote(withdrawn.turn, &withdrawn.reason).is_some();
        let reason = if is_said { String::new() } else { format!(": {}", short(&withdrawn.reason, MAX_REASON)) };
        return Some(format!(" (until {}{reason})", withdrawn.turn));
    }
    let ends = [attack.raised.source, attack.raised.target];
    let arguments = &read_model.arguments.arguments;
    let mut gone = ends.into_iter().filter_map(|end| Some((end, arguments.get(&end)?.withdrawn.as_ref()?)));
    gone.next().map(|(end, withdrawn)| format!(" (until {}: {end} was withdrawn)", withdrawn.turn))
}

/// Describes an attack.
fn sentence(attack: &Attack) -> String {
    format!("{} attacks {} of {}", attack.raised.source, attacked_part(attack), attack.raised.target)
}

/// Remark on an attack of claims that contradict each other: they attack each other, whoever spoke first.
fn in_turn(attack: &Attack) -> String {
    let (source, target) = (attack.raised.source, attack.raised.target);
    if attack.is_mutual() {
        format!("; since the two contradict each other, {target} attacks {source}, too")
    } else {
        String::new()
    }
}

/// Names the part of an argument that an attack denies. An attack on how a premise is used denies the premise.
fn attacked_part(attack: &Attack) -> &'static str {
    match attack.component() {
        _ if attack.is_on_inference() => "the inference",
        ArgumentPart::Claim => "the claim",
        ArgumentPart::Premise(_) => "a premise",
        ArgumentPart::Assumption(_) => "an assumption",
    }
}
