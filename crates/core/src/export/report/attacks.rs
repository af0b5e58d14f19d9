//! Attacks in a report: each with the turn that makes it.

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::export::report::report_model::AttackReport;
use crate::projections::argument_graph::Attack;
use crate::verdicts::crux_card::crux_text::quoted;
use crate::verdicts::read_model::DebateReadModel;

/// Builds the report of all valid attacks between arguments that are in force, in the order of their ids.
pub fn attacks(read_model: &DebateReadModel) -> Vec<AttackReport> {
    let told = read_model.arguments.active().map(|(_, attack)| {
        let text = sentence(attack) + &words(read_model, attack);
        AttackReport { turn: attack.raised.turn, text }
    });
    told.collect()
}

/// Words of the turn that make an attack, if the turn does not contain the claim of the attacking argument.
fn words(read_model: &DebateReadModel, attack: &Attack) -> String {
    let (raised, transcript) = (&attack.raised, &read_model.transcript);
    let source = read_model.arguments.arguments.get(&raised.source);
    let is_said = source.is_some_and(|it| transcript.quote(raised.turn, &it.advanced.claim).is_some());
    let words = raised.quote.as_deref().filter(|_| !is_said);
    words.map(|words| format!(", in these words: “{}”", quoted(words))).unwrap_or_default()
}

/// Describes an attack. Claims of which one rebuts the other attack each other, whoever spoke first.
fn sentence(attack: &Attack) -> String {
    let (source, target) = (attack.raised.source, attack.raised.target);
    if attack.is_mutual() {
        return format!("{source} attacks the claim of {target}, and is attacked by it");
    }
    format!("{source} attacks {} of {target}", attacked_part(attack))
}

/// Names the part of an argument that an attack denies. An attack on how a premise is used denies the premise.
fn attacked_part(attack: &Attack) -> &'static str {
    match (attack.kind(), attack.component()) {
        (AttackKind::Undercut, ArgumentPart::Claim) => "the inference",
        (_, ArgumentPart::Claim) => "the claim",
        (_, ArgumentPart::Premise(_)) => "a premise",
        (_, ArgumentPart::Assumption(_)) => "an assumption",
    }
}
