//! Structural candidates for cruxes: disputed arguments, the statements they rest on, and the theses they may decide.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::projections::argument_graph::{ArgumentFramework, ArgumentGraph};
use crate::verdicts::crux_id::normal;
use faultline_argumentation::explanation::acceptance::{Acceptance, AcceptanceStatus};

/// Role of a statement in the arguments that rest on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Assumption of an argument.
    Assumption,
    /// Premise of an argument.
    Premise,
    /// Claim of an argument.
    Claim,
}

/// Disputed arguments of a debate.
#[derive(Clone, Debug)]
pub struct Disputed {
    /// Disputed arguments, by index.
    pub arguments: BTreeSet<u32>,
    /// True if they are the arguments on which the preferred extensions differ. Otherwise they contradict each other
    /// across speakers, and only statements that decide a thesis are cruxes.
    pub by_extensions: bool,
}

/// Statement with the arguments of the framework that rest on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Role in these arguments: the first level that applies to any of them.
    pub level: Level,
    /// Text of the statement, as first advanced.
    pub text: String,
    /// Arguments, by index.
    pub settled: BTreeSet<u32>,
}

/// Returns the arguments on which the preferred extensions differ, or, if they agree on all, the ends of active attacks
/// between different speakers.
pub fn disputed(graph: &ArgumentGraph, framed: &ArgumentFramework, acceptance: &Acceptance) -> Disputed {
    let differing = differing(acceptance);
    if differing.is_empty() {
        Disputed { arguments: contradicted(graph, framed), by_extensions: false }
    } else {
        Disputed { arguments: differing, by_extensions: true }
    }
}

/// Arguments in some preferred extensions but not in all, ascending. Computed from the components of the framework,
/// since a truncated list of extensions would miss some.
fn differing(acceptance: &Acceptance) -> BTreeSet<u32> {
    let standings = (0..).zip(&acceptance.statuses);
    standings.filter(|(_, status)| **status == AcceptanceStatus::Credulous).map(|(argument, _)| argument).collect()
}

fn contradicted(graph: &ArgumentGraph, framed: &ArgumentFramework) -> BTreeSet<u32> {
    let across = framed
        .framework
        .attacks()
        .filter(|(source, target)| graph.speaker(framed.id(*source)) != graph.speaker(framed.id(*target)));
    across.flat_map(|(source, target)| [source, target]).collect()
}

/// Theses: the claims that answer the topic. If there are none, or none of them is attacked, all disputed claims, so
/// that an uncontested claim never displaces contested ones.
pub fn theses(graph: &ArgumentGraph, framed: &ArgumentFramework, disputed: &BTreeSet<u32>) -> Vec<u32> {
    let answers =
        |index: &u32| graph.arguments.get(&framed.id(*index)).is_some_and(|argument| argument.advanced.answers_topic);
    let answering: Vec<u32> = framed.framework.arguments().filter(answers).collect();
    if answering.iter().all(|argument| framed.framework.attackers(*argument).is_empty()) {
        disputed.iter().copied().collect()
    } else {
        answering
    }
}

/// Statements that the disputed arguments rest on: their assumptions, otherwise their premises, otherwise their claims.
/// Texts that differ only in white space, case and a final stop are one statement, to which every live argument that
/// rests on it belongs.
pub fn candidates(graph: &ArgumentGraph, framed: &ArgumentFramework, disputed: &BTreeSet<u32>) -> Vec<Candidate> {
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
            // If it is an assumption of any argument, its level is assumption.
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
