//! Attacks in a report: each with the turn that makes it.

use crate::events::argument::{ArgumentPart, AttackKind};
use crate::export::report::report_model::AttackReport;
use crate::projections::argument_graph::Attack;
use crate::verdicts::read_model::DebateReadModel;

/// Builds the report of all valid attacks between arguments that are in force, in the order of their ids.
pub fn attacks(read_model: &DebateReadModel) -> Vec<AttackReport> {
    let told = read_model.arguments.active().map(|(_, attack)| AttackReport {
        turn: attack.raised.turn,
        text: format!("{} attacks {} of {}", attack.raised.source, attacked_part(attack), attack.raised.target),
    });
    told.collect()
}

/// Names the part of an argument that an attack denies.
fn attacked_part(attack: &Attack) -> &'static str {
    match (attack.kind(), attack.component()) {
        (AttackKind::Undercut, _) => "the inference",
        (_, ArgumentPart::Claim) => "the claim",
        (_, ArgumentPart::Premise(_)) => "a premise",
        (_, ArgumentPart::Assumption(_)) => "an assumption",
    }
}
