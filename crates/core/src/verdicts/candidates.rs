//! Structural candidates for cruxes: disputed arguments, the statements they rest on, and the theses they may decide.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::events::argument::ArgumentPart;
use crate::events::ids::{ArgumentId, PersonaId};
use crate::projections::argument_graph::{ArgumentFramework, ArgumentGraph};
use crate::verdicts::consequence::CountedClaims;
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

impl Level {
    /// Level of a component of an argument.
    pub fn of(component: ArgumentPart) -> Level {
        match component {
            ArgumentPart::Claim => Level::Claim,
            ArgumentPart::Premise(_) => Level::Premise,
            ArgumentPart::Assumption(_) => Level::Assumption,
        }
    }
}

/// Statement with the arguments of the framework that rest on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Role in these arguments: the first level that applies to any of them.
    pub level: Level,
    /// Text of the statement, as first advanced.
    pub text: String,
    /// Other statements under exactly the same arguments, which always turn together with this one, and which the same
    /// participants attack.
    pub others: Vec<String>,
    /// Participants whose arguments attack the statement.
    pub deniers: BTreeSet<PersonaId>,
    /// Arguments, by index.
    pub settled: BTreeSet<u32>,
}

/// Returns the arguments on which the preferred extensions differ, or, if they agree on all, the ends of active attacks
/// between different speakers.
pub fn disputed(graph: &ArgumentGraph, framed: &ArgumentFramework, acceptance: &Acceptance) -> BTreeSet<u32> {
    let differing = differing(acceptance);
    if differing.is_empty() { contradicted(graph, framed) } else { differing }
}

/// Returns the disputed arguments with the ends of all active attacks between different speakers: those that somebody opposes,
/// whatever the extensions say of them.
pub fn opposed(graph: &ArgumentGraph, framed: &ArgumentFramework, disputed: &BTreeSet<u32>) -> BTreeSet<u32> {
    disputed.union(&contradicted(graph, framed)).copied().collect()
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
/// that an uncontested claim never displaces contested ones. Returns their indices and their kind.
pub fn theses(
    graph: &ArgumentGraph,
    framed: &ArgumentFramework,
    disputed: &BTreeSet<u32>,
) -> (Vec<u32>, CountedClaims) {
    let answers =
        |index: &u32| graph.arguments.get(&framed.id(*index)).is_some_and(|argument| argument.advanced.answers_topic);
    let answering: Vec<u32> = framed.framework.arguments().filter(answers).collect();
    if answering.iter().all(|argument| framed.framework.attackers(*argument).is_empty()) {
        (disputed.iter().copied().collect(), CountedClaims::DisputedClaims)
    } else {
        (answering, CountedClaims::Theses)
    }
}

/// Statements that divide the participants: components of opposed arguments that another participant attacks, by a
/// valid attack on that very component. An attack on a claim denies none of its premises. Claims that answer the topic
/// are no candidates, since the topic is no crux.
///
/// Texts that differ only in white space, case and a final stop are one statement, to which every live argument that
/// rests on it belongs. Statements under the same arguments always turn together and are one candidate, if the same
/// participants attack them: otherwise they divide the participants differently.
pub fn candidates(graph: &ArgumentGraph, framed: &ArgumentFramework, opposed: &BTreeSet<u32>) -> Vec<Candidate> {
    let mut statements: BTreeMap<String, Candidate> = BTreeMap::new();
    for (index, id, component, denier) in denied(graph, framed).filter(|(index, ..)| opposed.contains(index)) {
        let is_thesis = graph.arguments.get(&id).is_some_and(|argument| argument.advanced.answers_topic);
        let level = Level::of(component);
        let Some(text) = graph.component_text(id, component).filter(|_| !(is_thesis && level == Level::Claim)) else {
            continue;
        };
        let fresh = || Candidate {
            level,
            text: text.to_owned(),
            others: Vec::new(),
            deniers: BTreeSet::new(),
            settled: BTreeSet::new(),
        };
        let candidate = statements.entry(normal(text)).or_insert_with(fresh);
        candidate.settled.insert(index);
        candidate.deniers.extend(denier.cloned());
    }
    for index in framed.framework.arguments() {
        let Some(argument) = graph.arguments.get(&framed.id(index)) else {
            continue;
        };
        let advanced = &argument.advanced;
        let assumptions = advanced.assumptions.iter().map(|text| (Level::Assumption, text));
        let premises = advanced.premises.iter().map(|text| (Level::Premise, text));
        for (level, text) in assumptions.chain(premises).chain([(Level::Claim, &advanced.claim)]) {
            if let Some(candidate) = statements.get_mut(&normal(text)) {
                // If it is an assumption of any argument, its level is assumption.
                candidate.level = candidate.level.min(level);
                candidate.settled.insert(index);
            }
        }
    }
    merged(statements.into_values())
}

/// Components of live arguments that another participant's valid attack denies, with the index and the id of the
/// argument and the participant who denies them. A mutual attack denies both claims.
fn denied<'a>(
    graph: &'a ArgumentGraph,
    framed: &'a ArgumentFramework,
) -> impl Iterator<Item = (u32, ArgumentId, ArgumentPart, Option<&'a PersonaId>)> + 'a {
    let across =
        graph.active().filter(|(_, attack)| graph.speaker(attack.raised.source) != graph.speaker(attack.raised.target));
    across.flat_map(|(_, attack)| {
        let (source, target) = (attack.raised.source, attack.raised.target);
        let on_target = Some((target, attack.component(), source));
        let on_source = attack.is_mutual().then_some((source, ArgumentPart::Claim, target));
        on_target
            .into_iter()
            .chain(on_source)
            .filter_map(|(id, component, by)| Some((framed.index(id)?, id, component, graph.speaker(by))))
    })
}

/// Merges the statements that rest under the same arguments and that the same participants deny: the one of the lowest
/// level, and then the first in the alphabet, comes first.
fn merged(statements: impl Iterator<Item = Candidate>) -> Vec<Candidate> {
    let mut groups: BTreeMap<(BTreeSet<u32>, BTreeSet<PersonaId>), Vec<Candidate>> = BTreeMap::new();
    for statement in statements {
        groups.entry((statement.settled.clone(), statement.deniers.clone())).or_default().push(statement);
    }
    let mut candidates: Vec<Candidate> = groups
        .into_values()
        .filter_map(|mut group| {
            group.sort_by_cached_key(|candidate| (candidate.level, normal(&candidate.text)));
            let mut texts = group.into_iter();
            let mut first = texts.next()?;
            first.others = texts.map(|candidate| candidate.text).collect();
            Some(first)
        })
        .collect();
    candidates.sort_by_cached_key(|candidate| normal(&candidate.text));
    candidates
}
