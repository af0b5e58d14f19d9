//! The reasons of one dispute, the strongest first: Dung inside a dispute, and nowhere beyond it.
//!
//! What the participants agree on is read off their stances alone ([`crate::verdicts::common_ground`]). Here a reason is only
//! weighed against the other reasons on the same question: its grounded label says whether it stands, and its gradual
//! strength how well (quadratic energy, each reason starting at one half).

use serde::{Deserialize, Serialize};

use crate::argumentation::gradual::influence::Gradual;
use crate::argumentation::gradual::qbaf::{Qbaf, Relation};
use crate::argumentation::gradual::strengths::strengths;
use crate::argumentation::labelling::{Label, grounded};
use crate::events::dispute::Side;
use crate::events::ids::ReasonId;
use crate::projections::dispute_graph::{Dispute, DisputeGraph};

/// How strong a reason is before anything is said against it.
const START: f64 = 0.5;

/// A reason, weighed against the others on its dispute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedReason {
    /// The reason.
    pub reason: ReasonId,
    /// The side that it tells for.
    pub side: Side,
    /// Whether it stands among the reasons.
    pub label: Label,
    /// How strong it is, from 0 to 1; one half where nothing tells against it.
    pub strength: f64,
}

/// The live reasons of a dispute: those that stand first, then those undecided, then those defeated; within each the
/// strongest first, then the oldest. Cost: linear in what tells against what, but for circles.
pub fn ranked(disputes: &DisputeGraph, dispute: &Dispute) -> Vec<RankedReason> {
    let framed = disputes.framed(dispute);
    let labels = grounded(&framed.framework);
    let attacks = framed.framework.attacks().map(|(source, target)| Relation::attack(source, target));
    let qbaf = Qbaf::new(vec![START; framed.ids.len()], attacks).expect("scores and indices are within their ranges");
    let strengths = strengths(&qbaf, Gradual::QuadraticEnergy);
    let reasons = framed.ids.iter().zip(labels.0).zip(strengths.of);
    let mut ranked: Vec<RankedReason> = reasons
        .filter_map(|((reason, label), strength)| {
            let side = dispute.reasons.get(reason)?.tells_for();
            Some(RankedReason { reason: *reason, side, label, strength })
        })
        .collect();
    let place = |it: &RankedReason| match it.label {
        Label::In => 0,
        Label::Undec => 1,
        Label::Out => 2,
    };
    ranked.sort_by(|one, other| {
        place(one).cmp(&place(other)).then(other.strength.total_cmp(&one.strength)).then(one.reason.cmp(&other.reason))
    });
    ranked
}
