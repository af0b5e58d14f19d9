//! Cruxes: what the disagreement turns on. Computed from the structure of the debate, never asked for.
//!
//! Two origins. *By dispute*: an open question with a yes and a no. *By structure*: what the arguments on which the
//! preferred extensions differ take for granted; where they differ on nothing, the arguments that contradict each other
//! across speakers and whose settlement decides a thesis.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::argumentation::acceptance::{Acceptance, Standing};
use crate::argumentation::counterfactual::shares::{Share, shares};
use crate::events::dispute::Side;
use crate::events::ids::{ArgumentId, DisputeId, PersonaId, TurnId};
use crate::projections::argument_graph::{ArgumentGraph, Framed};
use crate::projections::dispute_graph::DisputeGraph;

/// What a disagreement turns on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crux {
    /// How it was found.
    pub origin: Origin,
    /// The crux, in the words of those who disagree.
    pub statement: String,
    /// The share of theses, of others than its own, whose status its settlement changes: from 0 to 1. `None` for a
    /// crux by dispute: it is a question, and rests on no argument.
    pub pivotality: Option<f64>,
    /// Disputed arguments that rest on it.
    pub dependents: Vec<ArgumentId>,
    /// Attacks on and by those arguments.
    pub attack_degree: usize,
    /// Who stands where.
    pub positions: Vec<Position>,
    /// The turns in which it was said, and in which it was attacked.
    pub turns: Vec<TurnId>,
}

/// How a crux was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// An open dispute.
    Dispute {
        /// Which.
        dispute: DisputeId,
    },
    /// Something that disputed arguments rest on.
    Structure {
        /// What it is to them.
        level: Level,
    },
}

/// What a statement is to the arguments that rest on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Taken for granted.
    Assumption,
    /// Concluded from.
    Premise,
    /// Concluded.
    Claim,
}

/// Where a participant stands on a crux.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Who.
    pub persona: PersonaId,
    /// Which side. By structure: yes for whose argument rests on it, no for who attacks such an argument.
    pub side: Side,
    /// The turn that shows it.
    pub turn: TurnId,
}

/// All cruxes, the open disputes first, then by pivotality, dependents and attack degree.
///
/// Cost: for every 256 candidates one pass over the framework.
pub fn cruxes(graph: &ArgumentGraph, framed: &Framed, acceptance: &Acceptance, disputes: &DisputeGraph) -> Vec<Crux> {
    let mut cruxes: Vec<Crux> = by_dispute(disputes).collect();
    let mut structural = by_structure(graph, framed, acceptance);
    structural.sort_by(|one, other| {
        let pivotality = |it: &Crux| it.pivotality.unwrap_or(0.0);
        pivotality(other)
            .total_cmp(&pivotality(one))
            .then(other.dependents.len().cmp(&one.dependents.len()))
            .then(other.attack_degree.cmp(&one.attack_degree))
            .then(one.origin.cmp(&other.origin))
            .then(one.dependents.cmp(&other.dependents))
            .then(one.statement.cmp(&other.statement))
    });
    cruxes.extend(structural);
    cruxes
}

fn by_dispute(disputes: &DisputeGraph) -> impl Iterator<Item = Crux> {
    disputes.counted().filter(|(_, it)| it.is_split()).map(|(id, dispute)| {
        let stances = dispute.stances.iter();
        let positions: Vec<Position> =
            stances.map(|(persona, it)| Position { persona: persona.clone(), side: it.side, turn: it.turn }).collect();
        Crux {
            origin: Origin::Dispute { dispute: id },
            statement: dispute.question.clone(),
            pivotality: None,
            dependents: Vec::new(),
            attack_degree: 0,
            turns: turns(positions.iter().map(|it| it.turn)),
            positions,
        }
    })
}

fn by_structure(graph: &ArgumentGraph, framed: &Framed, acceptance: &Acceptance) -> Vec<Crux> {
    let differing = differing(acceptance);
    let by_extensions = !differing.is_empty();
    let disputed = if by_extensions { differing } else { contradicted(graph, framed) };
    let theses = theses(graph, framed, &disputed);
    let candidates: Vec<Candidate> = candidates(graph, framed, &disputed).into_values().collect();
    let sets: Vec<Vec<u32>> = candidates.iter().map(|it| it.settled.iter().copied().collect()).collect();
    let sets: Vec<&[u32]> = sets.iter().map(Vec::as_slice).collect();
    let shares = shares(&framed.framework, &sets, &theses);
    let judged = candidates.iter().zip(shares).map(|(it, share)| judge(graph, framed, &disputed, it, share));
    judged.filter(|it| by_extensions || it.pivotality > Some(0.0)).collect()
}

/// The arguments that are in some preferred extensions and not in others, ascending. Read off the components of the
/// framework, not off a list of extensions: a list that was cut off would miss some.
fn differing(acceptance: &Acceptance) -> BTreeSet<u32> {
    let standings = (0..).zip(&acceptance.standings);
    standings.filter(|(_, it)| **it == Standing::Credulous).map(|(argument, _)| argument).collect()
}

/// The arguments between which an attack across speakers is in force.
fn contradicted(graph: &ArgumentGraph, framed: &Framed) -> BTreeSet<u32> {
    let across = framed
        .framework
        .attacks()
        .filter(|(source, target)| graph.speaker(framed.id(*source)) != graph.speaker(framed.id(*target)));
    across.flat_map(|(source, target)| [source, target]).collect()
}

/// The claims that answer the topic; where nothing tells against any of them, every disputed claim.
fn theses(graph: &ArgumentGraph, framed: &Framed, disputed: &BTreeSet<u32>) -> Vec<u32> {
    let answers = |it: &u32| graph.arguments.get(&framed.id(*it)).is_some_and(|it| it.advanced.answers_topic);
    let answering: Vec<u32> = framed.framework.arguments().filter(answers).collect();
    if answering.iter().all(|it| framed.framework.attackers(*it).is_empty()) {
        disputed.iter().copied().collect()
    } else {
        answering
    }
}

/// A statement, and the arguments of the framework that rest on it.
struct Candidate {
    level: Level,
    text: String,
    settled: BTreeSet<u32>,
}

/// What the disputed arguments rest on: their assumptions, else their premises, else their claims. The same words (white
/// space and case aside) are the same statement, and every live argument that rests on them belongs to it.
fn candidates(graph: &ArgumentGraph, framed: &Framed, disputed: &BTreeSet<u32>) -> BTreeMap<String, Candidate> {
    let mut candidates: BTreeMap<String, Candidate> = BTreeMap::new();
    for index in disputed {
        let Some(argument) = graph.arguments.get(&framed.id(*index)) else {
            continue;
        };
        let advanced = &argument.advanced;
        let claim = std::slice::from_ref(&advanced.claim);
        let (level, texts) = match (advanced.assumptions.as_slice(), advanced.premises.as_slice()) {
            ([], []) => (Level::Claim, claim),
            ([], premises) => (Level::Premise, premises),
            (assumptions, _) => (Level::Assumption, assumptions),
        };
        for text in texts {
            let fresh = || Candidate { level, text: text.clone(), settled: BTreeSet::new() };
            let candidate = candidates.entry(normal(text)).or_insert_with(fresh);
            // What somebody takes for granted is an assumption, whoever else concludes from it.
            candidate.level = candidate.level.min(level);
            candidate.settled.insert(*index);
        }
    }
    for index in framed.framework.arguments() {
        let Some(argument) = graph.arguments.get(&framed.id(index)) else {
            continue;
        };
        for text in argument.advanced.assumptions.iter().chain(&argument.advanced.premises) {
            if let Some(candidate) = candidates.get_mut(&normal(text)) {
                candidate.settled.insert(index);
            }
        }
    }
    candidates
}

fn normal(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches('.').to_owned()
}

fn judge(
    graph: &ArgumentGraph,
    framed: &Framed,
    disputed: &BTreeSet<u32>,
    candidate: &Candidate,
    share: Share,
) -> Crux {
    let settled: Vec<u32> = candidate.settled.iter().copied().collect();
    let framework = &framed.framework;
    let attacks = settled.iter().map(|it| framework.attackers(*it).len() + framework.attacked(*it).len());
    let dependents: Vec<ArgumentId> =
        settled.iter().filter(|it| disputed.contains(it)).map(|it| framed.id(*it)).collect();
    let positions = positions(graph, framed, &settled);
    Crux {
        origin: Origin::Structure { level: candidate.level },
        statement: candidate.text.clone(),
        pivotality: Some(share.as_f64()),
        dependents,
        attack_degree: attacks.sum(),
        turns: turns(positions.iter().map(|it| it.turn)),
        positions,
    }
}

/// Yes for those whose arguments rest on it; no for those who attack such an argument and rest on it nowhere.
fn positions(graph: &ArgumentGraph, framed: &Framed, settled: &[u32]) -> Vec<Position> {
    let mut positions: BTreeMap<PersonaId, Position> = BTreeMap::new();
    let attackers = settled.iter().flat_map(|it| framed.framework.attackers(*it)).copied();
    let sides = settled.iter().copied().map(|it| (it, Side::Yes)).chain(attackers.map(|it| (it, Side::No)));
    for (index, side) in sides {
        let id = framed.id(index);
        if let (Some(persona), Some(turn)) = (graph.speaker(id), graph.turn(id)) {
            let position = Position { persona: persona.clone(), side, turn };
            positions.entry(persona.clone()).or_insert(position);
        }
    }
    positions.into_values().collect()
}

fn turns(turns: impl Iterator<Item = TurnId>) -> Vec<TurnId> {
    let ordered: BTreeSet<TurnId> = turns.collect();
    ordered.into_iter().collect()
}
