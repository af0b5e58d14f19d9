//! Fault lines between camps of arguments: the claims that divide each pair of camps.

use std::collections::BTreeSet;

use crate::events::ids::{ArgumentId, TurnId};
use crate::projections::argument_graph::{Argument, ArgumentGraph};
use crate::verdicts::camps::Camp;
use crate::verdicts::disagreement::fault_line::{FaultLine, FaultSide, Subject, conflicting_first, is_between};
use crate::verdicts::verdict::Verdict;

/// Finds the fault lines between camps. Camps without a participant of their own are left out, so there are at most as
/// many camps as participants, and a line for each two of them.
pub fn camp_lines(graph: &ArgumentGraph, verdict: &Verdict) -> Vec<FaultLine> {
    let camps: Vec<&Camp> = verdict.camps.iter().filter(|camp| !camp.personas.is_empty()).collect();
    let pairs = camps.iter().enumerate().flat_map(|(at, one)| camps[at + 1..].iter().map(move |other| (*one, *other)));
    let attacks = graph.active().map(|(_, attack)| (attack.raised.source, attack.raised.target));
    let conflicts: Vec<(ArgumentId, ArgumentId)> = attacks.chain(graph.opposed_theses()).collect();
    pairs.map(|(one, other)| camp_line(graph, verdict, &conflicts, (one, other))).collect()
}

fn camp_line(
    graph: &ArgumentGraph,
    verdict: &Verdict,
    conflicts: &[(ArgumentId, ArgumentId)],
    (one, other): (&Camp, &Camp),
) -> FaultLine {
    let [left, right] =
        conflicting_first(conflicts, own_arguments(graph, one, other), own_arguments(graph, other, one));
    let first = left.first().into_iter().chain(right.first());
    let claims = first.filter_map(|id| graph.arguments.get(id)).map(|argument| argument.advanced.claim.as_str());
    let Subject { category, missing, words } = Subject::of(claims);
    let divides = verdict.cruxes.iter().filter(|crux| is_between(crux, &one.personas, &other.personas));
    FaultLine {
        dispute: None,
        cruxes: divides.map(|crux| crux.key).collect(),
        one: side(graph, one, left),
        other: side(graph, other, right),
        category,
        category_missing: missing,
        words,
    }
}

/// Arguments that a camp accepts and another does not, theses first.
fn own_arguments(graph: &ArgumentGraph, camp: &Camp, beside: &Camp) -> Vec<ArgumentId> {
    let shared: BTreeSet<ArgumentId> = beside.arguments.iter().copied().collect();
    let mut arguments: Vec<ArgumentId> = camp.arguments.iter().copied().filter(|id| !shared.contains(id)).collect();
    let is_thesis = |id: &ArgumentId| graph.arguments.get(id).is_some_and(|argument| argument.advanced.answers_topic);
    arguments.sort_by_key(|id| (!is_thesis(id), *id));
    arguments
}

fn side(graph: &ArgumentGraph, camp: &Camp, arguments: Vec<ArgumentId>) -> FaultSide {
    let turns: BTreeSet<TurnId> =
        arguments.iter().filter_map(|id| graph.arguments.get(id)).flat_map(Argument::turns).collect();
    let (personas, turns) = (camp.personas.clone(), turns.into_iter().collect());
    FaultSide { personas, arguments, reasons: Vec::new(), turns }
}
