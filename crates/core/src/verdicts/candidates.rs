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

/// Statement with the arguments of the framework that rest on it, or inference with the arguments that make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// True if attacks deny only that the claim follows, and not the claim itself. Arguments that use the claim as a premise
    /// do not rest on the inference.
    pub is_inference: bool,
    /// True if the same participants deny that the claim follows to the same arguments, be it alone or beside the claim.
    pub is_inference_denied: bool,
    /// True if an attack is on the statement itself; false if it is only a claim that is attacked back by what it attacks.
    pub is_attacked: bool,
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

/// Returns the arguments on which the preferred extensions differ, and the ends of active attacks between different
/// speakers, whether the extensions decide them alike or not.
pub fn disputed(graph: &ArgumentGraph, framed: &ArgumentFramework, acceptance: &Acceptance) -> BTreeSet<u32> {
    differing(acceptance).union(&contradicted(graph, framed)).copied().collect()
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

/// Statements that divide the participants: components of disputed arguments that another participant attacks, by a
/// valid attack on that very component. An attack on a claim denies none of its premises. Claims that answer the topic
/// are no candidates, since the topic is no crux.
///
/// Texts that differ only in white space, case and a final stop are one statement, to which every live argument that
/// rests on it belongs. Statements under the same arguments always turn together and are one candidate, if the same
/// participants attack them: otherwise they divide the participants differently.
pub fn candidates(graph: &ArgumentGraph, framed: &ArgumentFramework, disputed: &BTreeSet<u32>) -> Vec<Candidate> {
    let mut statements: BTreeMap<(bool, String), Candidate> = BTreeMap::new();
    for Denied { index, id, component, is_inference, is_target, by } in
        denied(graph, framed).filter(|it| disputed.contains(&it.index))
    {
        let is_thesis = graph.arguments.get(&id).is_some_and(|argument| argument.advanced.answers_topic);
        let level = Level::of(component);
        let Some(text) = graph.component_text(id, component).filter(|_| !(is_thesis && level == Level::Claim)) else {
            continue;
        };
        let fresh = || Candidate {
            is_inference,
            is_inference_denied: is_inference,
            is_attacked: false,
            level,
            text: text.to_owned(),
            others: Vec::new(),
            deniers: BTreeSet::new(),
            settled: BTreeSet::new(),
        };
        let candidate = statements.entry((is_inference, normal(text))).or_insert_with(fresh);
        candidate.settled.insert(index);
        candidate.is_attacked |= is_target;
        candidate.deniers.extend(by.cloned());
    }
    for index in framed.framework.arguments() {
        let Some(argument) = graph.arguments.get(&framed.id(index)) else {
            continue;
        };
        let advanced = &argument.advanced;
        let assumptions = advanced.assumptions.iter().map(|text| (Level::Assumption, text));
        let premises = advanced.premises.iter().map(|text| (Level::Premise, text));
        for (level, text) in assumptions.chain(premises).chain([(Level::Claim, &advanced.claim)]) {
            if let Some(candidate) = statements.get_mut(&(false, normal(text))) {
                // If it is an assumption of any argument, its level is assumption.
                candidate.level = candidate.level.min(level);
                candidate.settled.insert(index);
            }
        }
    }
    merged(statements.into_values())
}

/// Component of a live argument that another participant's valid attack denies.
struct Denied<'a> {
    index: u32,
    id: ArgumentId,
    component: ArgumentPart,
    /// True if the attack denies only that the claim follows.
    is_inference: bool,
    /// True for the target of the attack; false for the claim that a mutual attack makes, and that is attacked back.
    is_target: bool,
    by: Option<&'a PersonaId>,
}

/// Returns what attacks between participants deny. A mutual attack denies both claims.
fn denied<'a>(graph: &'a ArgumentGraph, framed: &'a ArgumentFramework) -> impl Iterator<Item = Denied<'a>> + 'a {
    let across =
        graph.active().filter(|(_, attack)| graph.speaker(attack.raised.source) != graph.speaker(attack.raised.target));
    across.flat_map(move |(_, attack)| {
        let (source, target) = (attack.raised.source, attack.raised.target);
        let on_target = Some((target, attack.component(), attack.is_on_inference(), source));
        let on_source = attack.is_mutual().then_some((source, ArgumentPart::Claim, false, target));
        on_target.into_iter().chain(on_source).filter_map(move |(id, component, is_inference, by)| {
            let (index, by) = (framed.index(id)?, graph.speaker(by));
            Some(Denied { index, id, component, is_inference, is_target: id == target, by })
        })
    })
}

/// Merges the statements that rest under the same arguments and that the same participants deny: the one of the lowest
/// level, and then the first in the alphabet, comes first.
fn merged(statements: impl Iterator<Item = Candidate>) -> Vec<Candidate> {
    let mut groups: BTreeMap<(bool, BTreeSet<u32>, BTreeSet<PersonaId>), Vec<Candidate>> = BTreeMap::new();
    for statement in statements {
        let key = (statement.is_inference, statement.settled.clone(), statement.deniers.clone());
        groups.entry(key).or_default().push(statement);
    }
    let candidates: Vec<Candidate> = groups
        .into_values()
        .filter_map(|mut group| {
            group.sort_by_cached_key(|candidate| (candidate.level, normal(&candidate.text)));
            let mut texts = group.into_iter();
            let mut first = texts.next()?;
            first.others = texts.map(|candidate| candidate.text).collect();
            Some(first)
        })
        .collect();
    // Who denies a claim and that it follows, to the same arguments, is told once. A claim that is only attacked back is told
    // with the claim that it attacks.
    let (inferences, mut candidates): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(|candidate| candidate.is_inference);
    for inference in inferences {
        let same = |it: &&mut Candidate| {
            let alike = (&it.settled, &it.deniers) == (&inference.settled, &inference.deniers);
            !it.is_inference && it.is_attacked && alike && normal(&it.text) == normal(&inference.text)
        };
        match candidates.iter_mut().find(same) {
            Some(claim) => claim.is_inference_denied = true,
            None => candidates.push(inference),
        }
    }
    candidates.sort_by_cached_key(|candidate| (normal(&candidate.text), candidate.is_inference));
    candidates
}
