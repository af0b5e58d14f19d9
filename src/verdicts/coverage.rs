//! How much of what could be in conflict was looked at.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::events::ids::ArgumentId;
use crate::projections::argument_graph::ArgumentGraph;

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

    /// Whether every pair was examined.
    pub fn is_complete(&self) -> bool {
        self.examined == self.pairs
    }
}

/// Counts the pairs. A pair was examined when an attack between the two was judged, whatever the judge said: that a
/// speaker saw both claims in a prompt examines nothing.
///
/// Cost: quadratic in the live arguments.
pub fn coverage(graph: &ArgumentGraph) -> Coverage {
    let judged: BTreeSet<(ArgumentId, ArgumentId)> = graph
        .attacks
        .values()
        .filter(|it| it.judged.is_some())
        .map(|it| ordered(it.raised.source, it.raised.target))
        .collect();
    let live: Vec<_> = graph.live().collect();
    let mut coverage = Coverage::default();
    for (index, (one, argument)) in live.iter().enumerate() {
        for (other, counterpart) in &live[index + 1..] {
            if argument.advanced.speaker != counterpart.advanced.speaker {
                coverage.pairs += 1;
                coverage.examined += usize::from(judged.contains(&ordered(*one, *other)));
            }
        }
    }
    coverage
}

fn ordered(one: ArgumentId, other: ArgumentId) -> (ArgumentId, ArgumentId) {
    (one.min(other), one.max(other))
}
