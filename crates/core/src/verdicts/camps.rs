//! Camps: preferred extensions, with the personas whose arguments they contain.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::events::ids::{ArgumentId, PersonaId};
use crate::projections::argument_graph::{ArgumentFramework, ArgumentGraph};
use faultline_argumentation::extensions::extensions;
use faultline_argumentation::factors::factors::Factors;
use faultline_argumentation::max_membership::{MaxMembership, max_membership};
use faultline_argumentation::structures::count::{Count, Natural};

/// Maximum number of camps listed for a tie of one persona.
pub const MAX_TIES: usize = 64;

/// Camp: arguments that can be accepted together, and the personas most of whose arguments are among them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camp {
    /// Arguments of the preferred extension.
    pub arguments: Vec<ArgumentId>,
    /// Personas more of whose live arguments are in this camp than in any other, unless it opposes their own thesis.
    pub personas: Vec<PersonaId>,
    /// Personas of whose live arguments this camp contains as many as some other camp, and more than the rest, unless it
    /// opposes their own thesis.
    pub tied: Vec<PersonaId>,
}

/// All camps of a debate.
#[derive(Clone, Debug, PartialEq)]
pub struct Camps {
    /// The camps.
    pub camps: Vec<Camp>,
    /// True if all camps are listed; false if a persona is tied among more than [`MAX_TIES`], or the search for
    /// extensions was stopped early.
    pub exact: bool,
}

/// Computes the preferred extensions to which some persona belongs, alone or by a tie.
///
/// A persona without live arguments in any extension belongs to no camp, and nobody to one that accepts the opposite of
/// their own answer to the topic; an extension to which nobody belongs is no camp. The extensions with most of a persona's
/// arguments are chosen factor by factor, so none is missed however many extensions there are. Cost: for each persona
/// linear in the factors and in the members of the listed camps.
pub fn camps(graph: &ArgumentGraph, framed: &ArgumentFramework, factors: &Factors) -> Camps {
    let mut own: BTreeMap<&PersonaId, BTreeSet<u32>> = BTreeMap::new();
    for index in framed.framework.arguments() {
        if let Some(speaker) = graph.speaker(framed.id(index)) {
            own.entry(speaker).or_default().insert(index);
        }
    }
    let most: Vec<(&PersonaId, &BTreeSet<u32>, MaxMembership)> = own
        .iter()
        .map(|(persona, own)| (*persona, own, max_membership(factors, |member| own.contains(&member))))
        .collect();
    let mut sets = BTreeSet::new();
    let mut exact = factors.limit.is_none();
    for (_, _, holding) in most.iter().filter(|(_, _, holding)| holding.count > 0) {
        let found = extensions(&holding.factors, MAX_TIES);
        exact &= found.exact;
        sets.extend(found.sets);
    }
    let told = sets.into_iter().map(|set| {
        let best_here = |wanted_tie: bool| {
            let those = most.iter().filter(|(_, own, holding)| {
                let held = set.iter().filter(|argument| own.contains(argument)).count();
                let alone = holding.factors.count() == Count::Exactly(Natural::ONE);
                held > 0 && held == holding.count && alone != wanted_tie && !opposes(graph, framed, &set, own)
            });
            those.map(|(persona, _, _)| (*persona).clone()).collect()
        };
        let arguments = set.iter().map(|argument| framed.id(*argument)).collect();
        Camp { arguments, personas: best_here(false), tied: best_here(true) }
    });
    let is_held = |camp: &Camp| !camp.personas.is_empty() || !camp.tied.is_empty();
    Camps { camps: told.filter(is_held).collect(), exact }
}

/// True if a set contains a claim that answers the topic and conflicts with such a claim of a persona, and none of the
/// persona's own.
fn opposes(graph: &ArgumentGraph, framed: &ArgumentFramework, set: &[u32], own: &BTreeSet<u32>) -> bool {
    let answers =
        |index: u32| graph.arguments.get(&framed.id(index)).is_some_and(|argument| argument.advanced.answers_topic);
    let theses: Vec<u32> = own.iter().copied().filter(|index| answers(*index)).collect();
    let conflict = |one: u32, other: u32| framed.framework.attackers(one).contains(&other);
    !theses.iter().any(|thesis| set.contains(thesis))
        && set.iter().any(|member| {
            answers(*member) && theses.iter().any(|own| conflict(*own, *member) || conflict(*member, *own))
        })
}

/// Participants with live arguments who belong to none of the camps, in the order of their ids.
pub fn unlisted<'a>(graph: &'a ArgumentGraph, camps: &[Camp]) -> impl Iterator<Item = &'a PersonaId> {
    let speakers: BTreeSet<&PersonaId> = graph.live().map(|(_, argument)| &argument.advanced.speaker).collect();
    let listed: BTreeSet<&PersonaId> = camps.iter().flat_map(|camp| camp.personas.iter().chain(&camp.tied)).collect();
    let unlisted: Vec<&PersonaId> = speakers.into_iter().filter(|speaker| !listed.contains(speaker)).collect();
    unlisted.into_iter()
}

/// True if there are several camps, and each participant in one of them is in all of them by a tie: no camp is anybody's.
pub fn is_tie_of_all(camps: &[Camp]) -> bool {
    let is_tie = |camp: &Camp| camp.personas.is_empty() && camps.first().is_some_and(|first| first.tied == camp.tied);
    camps.len() > 1 && camps.iter().all(is_tie)
}

/// True if no other arguments than those of the only camp can be accepted together, given the number of preferred
/// extensions as [`Verdict::n_extensions`](crate::verdicts::verdict::Verdict::n_extensions) has it.
pub fn is_only_set(camps: &[Camp], n_extensions: &str) -> bool {
    camps.len() == 1 && n_extensions == "1"
}

/// True if two camps conflict: each has a persona who does not belong to the other.
pub fn are_split(camps: &[Camp]) -> bool {
    camps.iter().filter(|camp| !camp.personas.is_empty()).count() >= 2
}
