//! Fault lines: the claims that divide each pair of camps.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::events::ids::{ArgumentId, PersonaId};
use crate::projections::argument_graph::ArgumentGraph;
use crate::verdicts::camps::Camp;
use crate::verdicts::crux::Crux;
use crate::verdicts::crux_id::CruxKey;
use crate::verdicts::disagreement::fault_category::FaultCategory;
use crate::verdicts::verdict::Verdict;

/// Line between two camps that conflict with each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultLine {
    /// First camp.
    pub one: FaultSide,
    /// Second camp.
    pub other: FaultSide,
    /// Subject of the first claim on each side, by their words; `None` unless they contain two words of a category.
    pub category: Option<FaultCategory>,
    /// Words of these two claims that belong to the category, in lower case.
    pub words: Vec<String>,
    /// Cruxes that a participant of one side affirms and one of the other denies, most important first.
    pub cruxes: Vec<CruxKey>,
}

/// Side of a fault line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultSide {
    /// Participants who belong to this camp alone.
    pub personas: Vec<PersonaId>,
    /// Arguments that this camp accepts and the other does not. Those in conflict with an argument of the other side come
    /// first, then theses, then in order. The first of each side conflict with each other, if any two do.
    pub arguments: Vec<ArgumentId>,
}

/// Finds the fault lines between camps. Camps without a participant of their own are left out, so there are at most as
/// many camps as participants, and a line for each two of them.
pub fn fault_lines(graph: &ArgumentGraph, verdict: &Verdict) -> Vec<FaultLine> {
    let camps: Vec<&Camp> = verdict.camps.iter().filter(|camp| !camp.personas.is_empty()).collect();
    let pairs = camps.iter().enumerate().flat_map(|(at, one)| camps[at + 1..].iter().map(move |other| (*one, *other)));
    let attacks = graph.active().map(|(_, attack)| (attack.raised.source, attack.raised.target));
    let conflicts: Vec<(ArgumentId, ArgumentId)> = attacks.chain(graph.opposed_theses()).collect();
    pairs.map(|(one, other)| fault_line(graph, verdict, &conflicts, (one, other))).collect()
}

fn fault_line(
    graph: &ArgumentGraph,
    verdict: &Verdict,
    conflicts: &[(ArgumentId, ArgumentId)],
    (one, other): (&Camp, &Camp),
) -> FaultLine {
    let (left, right) = (side(graph, one, other), side(graph, other, one));
    let (left, right) = (
        conflicting_first(conflicts, left.clone(), &right.arguments),
        conflicting_first(conflicts, right, &left.arguments),
    );
    let right = conflicting_first(conflicts, right, left.arguments.get(..1).unwrap_or_default());
    let quoted = left.arguments.first().into_iter().chain(right.arguments.first());
    let arguments = quoted.filter_map(|id| graph.arguments.get(id));
    let found = FaultCategory::of(arguments.map(|argument| argument.advanced.claim.as_str()));
    // One word, in singular and plural, may be there by chance.
    let found = found.filter(|(_, words)| words.iter().any(|word| !words[0].starts_with(word.trim_end_matches('s'))));
    let (category, words) = found.map_or((None, Vec::new()), |(category, words)| (Some(category), words));
    let divides = |crux: &&Crux| is_between(crux, &left.personas, &right.personas);
    let cruxes = verdict.cruxes.iter().filter(divides).map(|crux| crux.key).collect();
    FaultLine { one: left, other: right, category, words, cruxes }
}

fn side(graph: &ArgumentGraph, camp: &Camp, beside: &Camp) -> FaultSide {
    let shared: BTreeSet<ArgumentId> = beside.arguments.iter().copied().collect();
    let mut arguments: Vec<ArgumentId> = camp.arguments.iter().copied().filter(|id| !shared.contains(id)).collect();
    let is_thesis = |id: &ArgumentId| graph.arguments.get(id).is_some_and(|argument| argument.advanced.answers_topic);
    arguments.sort_by_key(|id| (!is_thesis(id), *id));
    FaultSide { personas: camp.personas.clone(), arguments }
}

/// Puts the arguments in conflict with one of the others first, so that what is quoted of a line is what divides the camps.
/// `conflicts` are the ends of attacks.
fn conflicting_first(conflicts: &[(ArgumentId, ArgumentId)], mut side: FaultSide, others: &[ArgumentId]) -> FaultSide {
    let against: BTreeSet<ArgumentId> = others.iter().copied().collect();
    let either = conflicts.iter().flat_map(|(one, other)| [(*one, *other), (*other, *one)]);
    let dividing: BTreeSet<ArgumentId> = either.filter(|(_, end)| against.contains(end)).map(|(id, _)| id).collect();
    side.arguments.sort_by_key(|id| !dividing.contains(id));
    side
}

/// True if a participant of one side affirms the crux and a participant of the other denies it.
fn is_between(crux: &Crux, one: &[PersonaId], other: &[PersonaId]) -> bool {
    let affirms = |personas: &[PersonaId]| {
        crux.positions.iter().any(|position| position.side.affirms() && personas.contains(&position.persona))
    };
    let denies = |personas: &[PersonaId]| {
        crux.positions.iter().any(|position| position.side.denies() && personas.contains(&position.persona))
    };
    affirms(one) && denies(other) || affirms(other) && denies(one)
}
