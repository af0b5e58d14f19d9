//! What may be a crux by structure: the disputed arguments, what they rest on, and the theses that might turn on it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::argumentation::acceptance::{Acceptance, Standing};
use crate::projections::argument_graph::{ArgumentGraph, Framed};
use crate::verdicts::crux_name::normal;

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

/// What is disputed in a debate.
#[derive(Clone, Debug)]
pub struct Disputed {
    /// The disputed arguments, by index.
    pub arguments: BTreeSet<u32>,
    /// Whether they are those on which the preferred extensions differ; else they contradict each other across speakers,
    /// and only what decides a thesis is a crux.
    pub by_extensions: bool,
}

/// A statement, and the arguments of the framework that rest on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What it is to them: the first of levels that applies.
    pub level: Level,
    /// It, in the words of the first who said it.
    pub text: String,
    /// The arguments, by index.
    pub settled: BTreeSet<u32>,
}

/// The arguments on which the preferred extensions differ; where they differ on nothing, those between which an attack
/// across speakers is in force.
pub fn disputed(graph: &ArgumentGraph, framed: &Framed, acceptance: &Acceptance) -> Disputed {
    let differing = differing(acceptance);
    if differing.is_empty() {
        Disputed { arguments: contradicted(graph, framed), by_extensions: false }
    } else {
        Disputed { arguments: differing, by_extensions: true }
    }
}

/// The arguments that are in some preferred extensions and not in others, ascending. Read off the components of the
/// framework, not off a list of extensions: a list that was cut off would miss some.
fn differing(acceptance: &Acceptance) -> BTreeSet<u32> {
    let standings = (0..).zip(&acceptance.standings);
    standings.filter(|(_, it)| **it == Standing::Credulous).map(|(argument, _)| argument).collect()
}

fn contradicted(graph: &ArgumentGraph, framed: &Framed) -> BTreeSet<u32> {
    let across = framed
        .framework
        .attacks()
        .filter(|(source, target)| graph.speaker(framed.id(*source)) != graph.speaker(framed.id(*target)));
    across.flat_map(|(source, target)| [source, target]).collect()
}

/// The claims that answer the topic, the debate's own dispute; where there is none, or nothing tells against any of them,
/// every disputed claim. So a claim that nobody contests never takes the place of those that are contested.
pub fn theses(graph: &ArgumentGraph, framed: &Framed, disputed: &BTreeSet<u32>) -> Vec<u32> {
    let answers = |it: &u32| graph.arguments.get(&framed.id(*it)).is_some_and(|it| it.advanced.answers_topic);
    let answering: Vec<u32> = framed.framework.arguments().filter(answers).collect();
    if answering.iter().all(|it| framed.framework.attackers(*it).is_empty()) {
        disputed.iter().copied().collect()
    } else {
        answering
    }
}

/// What the disputed arguments rest on: their assumptions, else their premises, else their claims. The same words (white
/// space and case aside) are the same statement, and every live argument that rests on them belongs to it.
pub fn candidates(graph: &ArgumentGraph, framed: &Framed, disputed: &BTreeSet<u32>) -> Vec<Candidate> {
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
    candidates.into_values().collect()
}
