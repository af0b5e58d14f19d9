//! Explanations of labels: verifiable steps, and sentences.

use std::collections::BTreeMap;

use crate::events::ids::ArgumentId;
use crate::projections::argument_graph::{ArgumentFramework, ArgumentGraph};
use faultline_argumentation::explanation::explanation::{ExplanationStep, MAX_STEPS, explain_label};
use faultline_argumentation::explanation::explanation_text::explanation_sentences;
use faultline_argumentation::explanation::reasons::{GroundedDerivation, LabelReason as Cause};
use faultline_argumentation::labelling::Label;

/// Explanation of an argument's label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// Grounded label; `None` if the argument is not live.
    pub label: Option<Label>,
    /// Explanation in sentences, each followed by the sentences it depends on.
    pub sentences: Vec<String>,
    /// Arguments that defeat its attackers; only for accepted arguments.
    pub defenders: Vec<ArgumentId>,
    /// Accepted arguments that attack it, in the order in which they were derived; only for rejected arguments.
    pub defeaters: Vec<ArgumentId>,
    /// Cycle of undecided arguments that it depends on, along the attacks; only for undecided arguments.
    pub circle: Vec<ArgumentId>,
    /// Steps of the explanation, the argument's own first.
    pub steps: Vec<NamedStep>,
    /// Number of further steps that were omitted.
    pub omitted: usize,
}

/// Step of an explanation, with the argument ids of the debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedStep {
    /// Accepted because each of its attackers is defeated.
    Stands {
        /// The argument.
        argument: ArgumentId,
        /// Min-max number of the argument, larger than those of the arguments it depends on.
        number: u32,
        /// Attackers, each with the argument that defeats it; empty if nothing attacks it.
        answers: Vec<(ArgumentId, ArgumentId)>,
    },
    /// Rejected because an accepted argument attacks it.
    Falls {
        /// The argument.
        argument: ArgumentId,
        /// Min-max number of the argument.
        number: u32,
        /// The accepted attacker.
        to: ArgumentId,
    },
    /// Undecided because an attacker is undecided.
    Waits {
        /// The argument.
        argument: ArgumentId,
        /// The undecided attacker.
        on: ArgumentId,
    },
    /// Undecided because each of them attacks the next, and the last attacks the first.
    Circle {
        /// The arguments, along the attacks.
        arguments: Vec<ArgumentId>,
    },
}

/// Explains the label of every argument ever advanced. Nearly linear in the framework for each.
pub fn reasons(graph: &ArgumentGraph) -> BTreeMap<ArgumentId, Why> {
    let framed = graph.framework();
    let grounds = GroundedDerivation::new(&framed.framework);
    let why = |id: ArgumentId| match framed.index(id) {
        Some(index) => of_live(&framed, &grounds, index),
        None => of_dead(graph, id),
    };
    graph.arguments.keys().map(|id| (*id, why(*id))).collect()
}

fn of_live(framed: &ArgumentFramework, grounds: &GroundedDerivation<'_>, index: u32) -> Why {
    let skeleton = explain_label(grounds, index, MAX_STEPS);
    let ids = |those: &[u32]| those.iter().map(|argument| framed.id(*argument)).collect::<Vec<_>>();
    let steps: Vec<NamedStep> = skeleton.steps.iter().map(|step| named(framed, step)).collect();
    let defenders = match steps.first() {
        Some(NamedStep::Stands { answers, .. }) => {
            let mut by: Vec<ArgumentId> = answers.iter().map(|(_, by)| *by).collect();
            by.sort_unstable();
            by.dedup();
            by
        }
        _ => Vec::new(),
    };
    let circle = steps.iter().find_map(|step| match step {
        NamedStep::Circle { arguments } => Some(arguments.clone()),
        _ => None,
    });
    Why {
        label: Some(skeleton.label),
        sentences: explanation_sentences(&skeleton, |argument| framed.id(argument).to_string()),
        defenders,
        defeaters: match grounds.reason(index) {
            Cause::Out { by } => ids(&by),
            Cause::In { .. } | Cause::Undec { .. } => Vec::new(),
        },
        circle: circle.unwrap_or_default(),
        steps,
        omitted: skeleton.omitted,
    }
}

fn named(framed: &ArgumentFramework, step: &ExplanationStep) -> NamedStep {
    match step {
        ExplanationStep::Accepted { argument, number, defeats: answers } => NamedStep::Stands {
            argument: framed.id(*argument),
            number: *number,
            answers: answers.iter().map(|answer| (framed.id(answer.attacker), framed.id(answer.defeater))).collect(),
        },
        ExplanationStep::Defeated { argument, number, defeater: to } => {
            NamedStep::Falls { argument: framed.id(*argument), number: *number, to: framed.id(*to) }
        }
        ExplanationStep::Undecided { argument, attacker: on } => {
            NamedStep::Waits { argument: framed.id(*argument), on: framed.id(*on) }
        }
        ExplanationStep::Cycle { arguments } => {
            NamedStep::Circle { arguments: arguments.iter().map(|argument| framed.id(*argument)).collect() }
        }
    }
}

/// Explains why an argument is not live: it was withdrawn, or it carries an attack that is not valid.
fn of_dead(graph: &ArgumentGraph, id: ArgumentId) -> Why {
    Why {
        label: None,
        sentences: vec![format!("{id} does not count{}.", because(graph, id))],
        defenders: Vec::new(),
        defeaters: Vec::new(),
        circle: Vec::new(),
        steps: Vec::new(),
        omitted: 0,
    }
}

fn because(graph: &ArgumentGraph, id: ArgumentId) -> String {
    let Some(argument) = graph.arguments.get(&id) else { return String::new() };
    if let Some(withdrawn) = &argument.withdrawn {
        let instead =
            withdrawn.superseded_by.map(|successor| format!(", and {successor} replaced it")).unwrap_or_default();
        return format!(": it was withdrawn in {}{instead}", withdrawn.turn);
    }
    if argument.is_contested {
        return ": an auditor read that the words of its turn do not say it".to_owned();
    }
    let Some(carried) = argument.advanced.carries else { return String::new() };
    match graph.attacks.get(&carried) {
        Some(attack) if attack.withdrawn.is_some() => format!(": the attack {carried} that it carries was withdrawn"),
        Some(attack) if attack.judged.is_some() => format!(": the attack {carried} that it carries was found invalid"),
        _ => format!(" yet: the attack {carried} that it carries has not been judged"),
    }
}
