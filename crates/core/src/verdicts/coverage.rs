//! Coverage: share of the possible conflicts that were examined.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::disputes::dispute_graph::DisputeGraph;

/// Pairs of live claims of different speakers, and those that were examined for conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Number of examined pairs.
    pub examined: usize,
    /// Number of pairs.
    pub pairs: usize,
}

impl Coverage {
    /// Share of examined pairs, from 0 to 1; `None` if there is nothing to compare.
    pub fn share(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.examined as f64 / self.pairs as f64)
    }

    /// Sum of two coverages.
    pub fn and(self, other: Coverage) -> Coverage {
        Coverage { examined: self.examined + other.examined, pairs: self.pairs + other.pairs }
    }

    /// True if there are pairs, and every one was examined.
    pub fn is_complete(&self) -> bool {
        self.pairs > 0 && self.examined == self.pairs
    }
}

/// Counts the pairs. A pair of arguments was examined if an attack between them was judged, with any result, or if they
/// were compared; that a speaker saw both in a prompt does not count. In debates with extracted disputes, pairs of live
/// reasons on the same dispute are counted as well. For each dispute with criteria, every pair of participants is
/// counted, and examined once both have taken a stance.
///
/// Cost: quadratic in the live arguments, in the reasons of a dispute, and in the participants.
pub fn coverage(graph: &ArgumentGraph, disputes: &DisputeGraph, participants: usize) -> Coverage {
    let arguments = counted(&graph.pairs(), &graph.examined());
    let reasons = counted(&disputes.pairs(), &disputes.examined());
    let asked = disputes.not_retired().filter(|(_, dispute)| !dispute.criteria.is_empty());
    let stances = asked.fold(Coverage::default(), |sum, (_, dispute)| {
        let pairs = |n: usize| n * n.saturating_sub(1) / 2;
        sum.and(Coverage { examined: pairs(dispute.stances.len().min(participants)), pairs: pairs(participants) })
    });
    arguments.and(reasons).and(stances)
}

fn counted<T: Ord>(pairs: &[T], examined: &BTreeSet<T>) -> Coverage {
    Coverage { examined: pairs.iter().filter(|pair| examined.contains(pair)).count(), pairs: pairs.len() }
}
