//! Structural cruxes: statements that divide the participants and decide a thesis.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::argument::ArgumentPart;
use crate::events::ids::{ArgumentId, PersonaId, TurnId};
use crate::projections::argument_graph::{ArgumentFramework, ArgumentGraph};
use crate::verdicts::candidates::{Candidate, candidates, disputed, theses};
use crate::verdicts::consequence::{Consequence, consequences};
use crate::verdicts::crux::{Crux, CruxInputs, CruxOrigin, Position, PositionSide, in_order};
use crate::verdicts::crux_id::{CruxKey, normal};
use crate::verdicts::crux_text::{quoted, settling_question, why_statement};
use faultline_argumentation::explanation::acceptance::Acceptance;

/// Finds the structural cruxes and the contested premises, each by pivotality, number of dependents and attack degree.
///
/// Both are statements that an argument of one participant rests on and another participant attacks. A crux changes the
/// status of a thesis when it is settled; a contested premise changes none.
///
/// Cost: one pass over the framework for every 256 candidates, plus that of [`consequences`].
pub fn structural(views: CruxInputs<'_>, acceptance: &Acceptance) -> (Vec<Crux>, Vec<Crux>) {
    let CruxInputs { graph, framed, .. } = views;
    let disputed = disputed(graph, framed, acceptance);
    let theses = theses(graph, framed, &disputed);
    let candidates = candidates(graph, framed, &disputed);
    let consequences = consequences(&framed.framework, &theses, candidates.iter().map(|candidate| &candidate.settled));
    let judged = candidates.iter().zip(consequences);
    let mut found: Vec<Crux> = judged
        .map(|(candidate, consequence)| of_statement(views, &disputed, candidate, consequence))
        .filter(divides)
        .collect();
    found.sort_by(|one, other| {
        let pivotality = |crux: &Crux| crux.pivotality.unwrap_or(0.0);
        pivotality(other)
            .total_cmp(&pivotality(one))
            .then(other.dependents.len().cmp(&one.dependents.len()))
            .then(other.attack_degree.cmp(&one.attack_degree))
            .then(one.origin.cmp(&other.origin))
            .then(one.dependents.cmp(&other.dependents))
            .then(one.statement.cmp(&other.statement))
    });
    found.into_iter().partition(|crux| crux.consequence.is_some_and(|consequence| consequence.changed > 0))
}

/// True if one participant rests on the statement and another attacks it.
fn divides(crux: &Crux) -> bool {
    crux.positions.iter().any(|position| position.side.affirms())
        && crux.positions.iter().any(|position| position.side.denies())
}

fn of_statement(
    views: CruxInputs<'_>,
    disputed: &BTreeSet<u32>,
    candidate: &Candidate,
    consequence: Consequence,
) -> Crux {
    let CruxInputs { graph, framed, .. } = views;
    let settled: Vec<u32> = candidate.settled.iter().copied().collect();
    let framework = &framed.framework;
    let attacks =
        settled.iter().map(|argument| framework.attackers(*argument).len() + framework.attacked(*argument).len());
    let dependents: Vec<ArgumentId> =
        settled.iter().filter(|argument| disputed.contains(argument)).map(|argument| framed.id(*argument)).collect();
    let (turns, opened) = turns(graph, framed, &settled);
    Crux {
        key: CruxKey::of_statement(&candidate.text),
        origin: CruxOrigin::Structure { level: candidate.level },
        open: true,
        statement: candidate.text.clone(),
        other_statements: candidate.others.clone(),
        question: settling_question(candidate.level, &candidate.text),
        why: why_statement(&consequence, dependents.len()),
        pivotality: Some(consequence.pivotality()),
        consequence: Some(consequence),
        assumptions: behind(graph, &dependents, &candidate.text),
        dependents,
        attack_degree: attacks.sum(),
        positions: positions(graph, framed, candidate),
        turns,
        opened,
    }
}

/// Other grounds of the arguments, without the statement; each text once.
fn behind(graph: &ArgumentGraph, arguments: &[ArgumentId], statement: &str) -> Vec<String> {
    let mut known = BTreeSet::from([normal(statement)]);
    let mut texts = Vec::new();
    for argument in arguments.iter().filter_map(|id| graph.arguments.get(id)) {
        let advanced = &argument.advanced;
        let those = if advanced.assumptions.is_empty() { &advanced.premises } else { &advanced.assumptions };
        texts.extend(those.iter().filter(|text| known.insert(normal(text))).cloned());
    }
    texts
}

/// Positions on a statement: speakers whose arguments rest on it, and speakers who attack exactly this statement. Who
/// does both rests on it. An argument whose turn is unknown shows no position, since no words of its speaker do.
fn positions(graph: &ArgumentGraph, framed: &ArgumentFramework, candidate: &Candidate) -> Vec<Position> {
    let mut positions: BTreeMap<&PersonaId, Position> = BTreeMap::new();
    let resting = candidate.settled.iter().map(|index| (framed.id(*index), PositionSide::RestsOn));
    let attacking = attackers(graph, candidate).into_iter().map(|id| (id, PositionSide::Attacks));
    for (id, side) in resting.chain(attacking) {
        if let (Some(argument), Some(turn)) = (graph.arguments.get(&id), graph.turn(id)) {
            let advanced = &argument.advanced;
            let (persona, words) = (advanced.speaker.clone(), quoted(&advanced.claim));
            let position = Position { persona, side, turn, argument: Some(id), words };
            positions.entry(&advanced.speaker).or_insert(position);
        }
    }
    positions.into_values().collect()
}

/// Arguments that attack one of the candidate's statements itself, in order.
fn attackers(graph: &ArgumentGraph, candidate: &Candidate) -> BTreeSet<ArgumentId> {
    let texts: BTreeSet<String> = candidate.others.iter().chain([&candidate.text]).map(|text| normal(text)).collect();
    let is_on = |id: ArgumentId, component: ArgumentPart| {
        graph.component_text(id, component).is_some_and(|text| texts.contains(&normal(text)))
    };
    let mut attackers = BTreeSet::new();
    for (_, attack) in graph.active() {
        let (source, target) = (attack.raised.source, attack.raised.target);
        if is_on(target, attack.component()) {
            attackers.insert(source);
        }
        if attack.is_mutual() && is_on(source, ArgumentPart::Claim) {
            attackers.insert(target);
        }
    }
    attackers
}

/// Returns the turns in which the arguments were advanced or attacked, ascending, and the first turn in which one of
/// them attacked or was attacked.
fn turns(graph: &ArgumentGraph, framed: &ArgumentFramework, settled: &[u32]) -> (Vec<TurnId>, TurnId) {
    let ids: BTreeSet<ArgumentId> = settled.iter().map(|argument| framed.id(*argument)).collect();
    let said = ids.iter().filter_map(|id| graph.turn(*id));
    let attacks = || graph.active().map(|(_, attack)| &attack.raised);
    let on = attacks().filter(|attack| ids.contains(&attack.target));
    let turns = in_order(said.chain(on.flat_map(|attack| graph.turn(attack.source).into_iter().chain([attack.turn]))));
    let either = attacks().filter(|attack| ids.contains(&attack.target) || ids.contains(&attack.source));
    let opened = either.map(|attack| attack.turn).min().or(turns.first().copied());
    (turns, opened.unwrap_or(TurnId(0)))
}
