//! Resolution paths: for each open crux, the question whose answer would settle it, and the observations that count as
//! an answer.

use serde::{Deserialize, Serialize};

use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::verdicts::crux::CruxOrigin;
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::verdict::Verdict;

/// Path to the resolution of a crux.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResolutionPath {
    /// Crux that it would settle.
    pub crux: CruxKey,
    /// Question whose answer would settle it.
    pub question: String,
    /// Observations that would settle the question, as recorded with the dispute; empty if nobody named any.
    pub criteria: Vec<String>,
    /// Time horizon of the question, as recorded with the dispute.
    pub horizon: Option<String>,
    /// Number of theses whose status changes with the answer; `None` for a crux that no argument rests on.
    pub changed_theses: Option<usize>,
}

/// Lists the resolution paths of the open cruxes, in the order of the cruxes.
pub fn resolution_paths(disputes: &DisputeGraph, verdict: &Verdict) -> Vec<ResolutionPath> {
    let path = verdict.cruxes.iter().map(|crux| {
        let dispute = match crux.origin {
            CruxOrigin::Dispute { dispute } => disputes.disputes.get(&dispute),
            _ => None,
        };
        ResolutionPath {
            crux: crux.key,
            question: crux.question.clone(),
            criteria: dispute.map(|dispute| dispute.criteria.clone()).unwrap_or_default(),
            horizon: dispute.and_then(|dispute| dispute.horizon.clone()),
            changed_theses: crux.consequence.map(|consequence| consequence.changed),
        }
    });
    path.collect()
}
