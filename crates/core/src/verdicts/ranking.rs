//! Ranking of the reasons of one dispute, by Dung's semantics and gradual strength.
//!
//! Agreement between participants is read from their stances alone ([`crate::verdicts::common_ground`]). The ranking
//! only weighs a reason against the other reasons on the same question: its grounded label states whether it is
//! accepted, and its gradual strength how strong it is (quadratic energy, with a base score of one half).

use serde::{Deserialize, Serialize};

use crate::events::dispute::Side;
use crate::events::ids::ReasonId;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::disputes::dispute_state::Dispute;
use faultline_argumentation::gradual::influence::GradualSemantics;
use faultline_argumentation::gradual::qbaf::{Qbaf, WeightedRelation};
use faultline_argumentation::gradual::strengths::strengths;
use faultline_argumentation::labelling::{Label, grounded};

/// Base score of a reason.
const START: f64 = 0.5;

/// Reason with its rank among the reasons of its dispute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedReason {
    /// Id of the reason.
    pub reason: ReasonId,
    /// Side that it supports.
    pub side: Side,
    /// Grounded label among the reasons.
    pub label: Label,
    /// Strength, from 0 to 1; one half if nothing attacks it.
    pub strength: f64,
}

/// Ranks the live reasons of a dispute: accepted ones first, then undecided, then rejected ones; within each the
/// strongest first, then the oldest. Cost: linear in the attacks, except for cycles.
pub fn ranked(disputes: &DisputeGraph, dispute: &Dispute) -> Vec<RankedReason> {
    let framed = disputes.reason_framework(dispute);
    let labels = grounded(&framed.framework);
    let attacks = framed.framework.attacks().map(|(source, target)| WeightedRelation::attack(source, target));
    let qbaf = Qbaf::new(vec![START; framed.ids.len()], attacks).expect("scores and indices are within their ranges");
    let strengths = strengths(&qbaf, GradualSemantics::QuadraticEnergy);
    let reasons = framed.ids.iter().zip(labels.0).zip(strengths.of);
    let mut ranked: Vec<RankedReason> = reasons
        .filter_map(|((reason, label), strength)| {
            let side = dispute.reasons.get(reason)?.supported_side();
            Some(RankedReason { reason: *reason, side, label, strength })
        })
        .collect();
    let place = |reason: &RankedReason| match reason.label {
        Label::In => 0,
        Label::Undec => 1,
        Label::Out => 2,
    };
    ranked.sort_by(|one, other| {
        place(one).cmp(&place(other)).then(other.strength.total_cmp(&one.strength)).then(one.reason.cmp(&other.reason))
    });
    ranked
}
