//! GraphQL types of explanations of argument labels.

use async_graphql::{Enum, ID, SimpleObject};

use crate::api::types::scalars::LabelValue;
use faultline_core::events::ids::ArgumentId;
use faultline_core::verdicts::why::{NamedStep, Why as Inner};

/// Explanation of an argument's label, as a chain of reasons that can be followed to its end.
#[derive(SimpleObject, Clone)]
pub struct Explanation {
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
    steps: Vec<ExplanationStep>,
    /// Number of omitted steps: at most 24 are listed.
    omitted_steps: usize,
}

/// One step of an explanation.
#[derive(SimpleObject, Clone)]
pub struct ExplanationStep {
    /// Status of the argument in this step.
    kind: ExplanationStepKind,
    /// Id of the argument; for a cycle, the ids of all its arguments in the direction of attack.
    argument_ids: Vec<ID>,
    /// Min-max number: 1 for an argument without attackers, otherwise one more than those it depends on. Null if
    /// undecided.
    min_max_number: Option<u32>,
    /// Id of the attacker that defeats it, or that it depends on.
    attacker_id: Option<ID>,
    /// Defeated attackers, if the argument is accepted.
    defeated_attackers: Vec<DefeatedAttacker>,
}

/// A defeated attacker.
#[derive(SimpleObject, Clone)]
pub struct DefeatedAttacker {
    /// Id of the attacker.
    attacker_id: ID,
    /// Id of the accepted argument that defeats it.
    defeater_id: ID,
}

/// Status of an argument in a step of an explanation.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplanationStepKind {
    /// Accepted, because each of its attackers is defeated.
    Accepted,
    /// Defeated by an accepted attacker.
    Defeated,
    /// Undecided, because an attacker is.
    Undecided,
    /// Undecided, because the arguments attack each other in a cycle and nothing outside decides it.
    Cycle,
}

impl From<&Inner> for Explanation {
    fn from(why: &Inner) -> Self {
        Explanation {
            label: why.label.map(LabelValue::from),
            sentences: why.sentences.clone(),
            defender_ids: ids(&why.defenders),
            defeater_ids: ids(&why.defeaters),
            cycle_ids: ids(&why.circle),
            steps: why.steps.iter().map(ExplanationStep::from).collect(),
            omitted_steps: why.omitted,
        }
    }
}

impl From<&NamedStep> for ExplanationStep {
    fn from(step: &NamedStep) -> Self {
        let of = |kind: ExplanationStepKind, arguments: &[ArgumentId]| ExplanationStep {
            kind,
            argument_ids: ids(arguments),
            min_max_number: None,
            attacker_id: None,
            defeated_attackers: Vec::new(),
        };
        match step {
            NamedStep::Stands { argument, number, answers } => {
                let answer = |(attacker, by): &(ArgumentId, ArgumentId)| DefeatedAttacker {
                    attacker_id: ID(attacker.to_string()),
                    defeater_id: ID(by.to_string()),
                };
                let defeated_attackers = answers.iter().map(answer).collect();
                ExplanationStep {
                    min_max_number: Some(*number),
                    defeated_attackers,
                    ..of(ExplanationStepKind::Accepted, &[*argument])
                }
            }
            NamedStep::Falls { argument, number, to } => ExplanationStep {
                min_max_number: Some(*number),
                attacker_id: Some(ID(to.to_string())),
                ..of(ExplanationStepKind::Defeated, &[*argument])
            },
            NamedStep::Waits { argument, on } => ExplanationStep {
                attacker_id: Some(ID(on.to_string())),
                ..of(ExplanationStepKind::Undecided, &[*argument])
            },
            NamedStep::Circle { arguments } => of(ExplanationStepKind::Cycle, arguments),
        }
    }
}

fn ids(those: &[ArgumentId]) -> Vec<ID> {
    those.iter().map(|argument| ID(argument.to_string())).collect()
}
