//! Camps: preferred extensions, told by persona.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::argumentation::extensions::Extensions;
use crate::events::ids::{ArgumentId, PersonaId};
use crate::projections::argument_graph::{ArgumentGraph, Framed};

/// A set of arguments that stand together, and those whose arguments they mostly are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camp {
    /// The preferred extension.
    pub arguments: Vec<ArgumentId>,
    /// Those whose live arguments it holds more of than any other camp does.
    pub personas: Vec<PersonaId>,
    /// Those of whose live arguments it holds as many as some other camp, and more than the rest.
    pub tied: Vec<PersonaId>,
}

/// The preferred extensions to which some persona belongs, wholly or by a tie.
///
/// A persona none of whose live arguments are in any extension belongs to no camp. Cost: linear in the members of all
/// extensions.
pub fn camps(graph: &ArgumentGraph, framed: &Framed, extensions: &Extensions) -> Vec<Camp> {
    let mut held: Vec<BTreeMap<&PersonaId, usize>> = Vec::new();
    for set in &extensions.sets {
        let mut counts = BTreeMap::new();
        for speaker in set.iter().filter_map(|it| graph.speaker(framed.id(*it))) {
            *counts.entry(speaker).or_insert(0) += 1;
        }
        held.push(counts);
    }
    let mut most: BTreeMap<&PersonaId, (usize, usize)> = BTreeMap::new();
    for (persona, count) in held.iter().flatten() {
        let (best, camps) = most.entry(persona).or_insert((0, 0));
        match count.cmp(best) {
            std::cmp::Ordering::Greater => (*best, *camps) = (*count, 1),
            std::cmp::Ordering::Equal => *camps += 1,
            std::cmp::Ordering::Less => {}
        }
    }
    let told = extensions.sets.iter().zip(&held).map(|(set, counts)| {
        let best_here = |wanted_tie: bool| {
            let those = counts.iter().filter(|(persona, count)| {
                let (best, camps) = most[**persona];
                **count == best && (camps > 1) == wanted_tie
            });
            those.map(|(persona, _)| (*persona).clone()).collect::<Vec<_>>()
        };
        let arguments = set.iter().map(|it| framed.id(*it)).collect();
        Camp { arguments, personas: best_here(false), tied: best_here(true) }
    });
    told.filter(|it| !it.personas.is_empty() || !it.tied.is_empty()).collect()
}

/// Whether two camps stand against each other: each with somebody who belongs to it and not to the other.
pub fn are_split(camps: &[Camp]) -> bool {
    camps.iter().filter(|it| !it.personas.is_empty()).count() >= 2
}
