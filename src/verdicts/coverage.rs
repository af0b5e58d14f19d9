//! How much of what could be in conflict was looked at.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::projections::argument_graph::ArgumentGraph;
use crate::projections::dispute_graph::DisputeGraph;

/// Pairs of live claims by different speakers, and those among them that were examined for conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Pairs that were examined.
    pub examined: usize,
    /// All pairs.
    pub pairs: usize,
}

impl Coverage {
    /// From 0 to 1; 1 where there is no pair to examine.
    pub fn share(&self) -> f64 {
        if self.pairs == 0 { 1.0 } else { self.examined as f64 / self.pairs as f64 }
    }

    /// Both together.
    pub fn and(self, other: Coverage) -> Coverage {
        Coverage { examined: self.examined + other.examined, pairs: self.pairs + other.pairs }
    }

    /// Whether every pair was examined.
    pub fn is_complete(&self) -> bool {
        self.examined == self.pairs
    }
}

/// Counts the pairs. A pair of arguments was examined when an attack between the two was judged, whatever the judge said,
/// or when the two were compared; that a speaker saw both claims in a prompt examines nothing. Where disputes are drawn
/// from talk, the pairs of live reasons on the same dispute are counted as well; and on each dispute that says what would
/// settle it, every two participants are a pair, examined once both have taken a stance.
///
/// Cost: quadratic in the live arguments, in the reasons of a dispute, and in the participants.
pub fn coverage(graph: &ArgumentGraph, disputes: &DisputeGraph, participants: usize) -> Coverage {
    let arguments = counted(&graph.pairs(), &graph.examined());
    let reasons = counted(&disputes.pairs(), &disputes.examined());
    let asked = disputes.counted().filter(|(_, it)| !it.criteria.is_empty());
    let stances = asked.fold(Coverage::default(), |sum, (_, it)| {
        let pairs = |n: usize| n * n.saturating_sub(1) / 2;
        sum.and(Coverage { examined: pairs(it.stances.len().min(participants)), pairs: pairs(participants) })
    });
    arguments.and(reasons).and(stances)
}

fn counted<T: Ord>(pairs: &[T], examined: &BTreeSet<T>) -> Coverage {
    Coverage { examined: pairs.iter().filter(|it| examined.contains(it)).count(), pairs: pairs.len() }
}
