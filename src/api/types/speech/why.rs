//! GraphQL types of explanations of argument labels.

use async_graphql::{Enum, ID, SimpleObject};

use crate::api::types::scalars::LabelValue;
use faultline_core::events::ids::ArgumentId;
use faultline_core::verdicts::why::{NamedStep, Why as Inner};

/// Explanation of an argument's label, as a chain of reasons that can be followed to its end.
#[derive(SimpleObject, Clone)]
pub struct Why {
    /// Grounded label; null if the argument does not count.
    label: Option<LabelValue>,
    /// Explanation in sentences, for people. Each sentence is followed by those it depends on.
    sentences: Vec<String>,
    /// Ids of the arguments that defeat its attackers, if it is accepted.
    defender_ids: Vec<ID>,
    /// Ids of the accepted arguments that attack it, if it is defeated.
    defeater_ids: Vec<ID>,
    /// Ids of the cycle of undecided arguments that it depends on, in the direction of attack, if it is undecided.
    cycle_ids: Vec<ID>,
    /// Formal explanation, starting with the argument's own step. Numbers decrease along the steps.
    steps: Vec<WhyStep>,
    /// Number of omitted steps: at most 24 are listed.
    omitted: usize,
}

/// One step of an explanation.
#[derive(SimpleObject, Clone)]
pub struct WhyStep {
    /// Status of the argument in this step.
    kind: WhyKind,
    /// Id of the argument; for a cycle, the ids of all its arguments in the direction of attack.
    argument_ids: Vec<ID>,
    /// Min-max number: 1 for an argument without attackers, otherwise one more than those it depends on. Null if
    /// undecided.
    number: Option<u32>,
    /// Id of the attacker that defeats it, or that it depends on.
    attacker_id: Option<ID>,
    /// Defeated attackers, if the argument is accepted.
    answers: Vec<WhyAnswer>,
}

/// A defeated attacker.
#[derive(SimpleObject, Clone)]
pub struct WhyAnswer {
    /// Id of the attacker.
    attacker_id: ID,
    /// Id of the accepted argument that defeats it.
    defeater_id: ID,
}

/// Status of an argument in a step of an explanation.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyKind {
    /// Accepted, because each of its attackers is defeated.
    Stands,
    /// Defeated by an accepted attacker.
    Falls,
    /// Undecided, because an attacker is.
    Waits,
    /// Undecided, because the arguments attack each other in a cycle and nothing outside decides it.
    Cycle,
}

impl From<&Inner> for Why {
    fn from(why: &Inner) -> Self {
        Why {
            label: why.label.map(LabelValue::from),
            sentences: why.sentences.clone(),
            defender_ids: ids(&why.defenders),
            defeater_ids: ids(&why.defeaters),
            cycle_ids: ids(&why.circle),
            steps: why.steps.iter().map(WhyStep::from).collect(),
            omitted: why.omitted,
        }
    }
}

impl From<&NamedStep> for WhyStep {
    fn from(step: &NamedStep) -> Self {
        let of = |kind: WhyKind, arguments: &[ArgumentId]| WhyStep {
            kind,
            argument_ids: ids(arguments),
            number: None,
            attacker_id: None,
            answers: Vec::new(),
        };
        match step {
            NamedStep::Stands { argument, number, answers } => {
                let answer = |(attacker, by): &(ArgumentId, ArgumentId)| WhyAnswer {
                    attacker_id: ID(attacker.to_string()),
                    defeater_id: ID(by.to_string()),
                };
                let answers = answers.iter().map(answer).collect();
                WhyStep { number: Some(*number), answers, ..of(WhyKind::Stands, &[*argument]) }
            }
            NamedStep::Falls { argument, number, to } => WhyStep {
                number: Some(*number),
                attacker_id: Some(ID(to.to_string())),
                ..of(WhyKind::Falls, &[*argument])
            },
            NamedStep::Waits { argument, on } => {
                WhyStep { attacker_id: Some(ID(on.to_string())), ..of(WhyKind::Waits, &[*argument]) }
            }
            NamedStep::Circle { arguments } => of(WhyKind::Cycle, arguments),
        }
    }
}

fn ids(those: &[ArgumentId]) -> Vec<ID> {
    those.iter().map(|argument| ID(argument.to_string())).collect()
}
