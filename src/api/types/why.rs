//! Why an argument stands, falls or is undecided.

use async_graphql::{Enum, ID, SimpleObject};

use crate::api::types::scalars::LabelValue;
use crate::events::ids::ArgumentId;
use crate::verdicts::why::{NamedStep, Why as Inner};

/// Why an argument has its label: a reason that can be followed to its end.
#[derive(SimpleObject, Clone)]
pub struct Why {
    /// The grounded label; none where the argument does not count.
    label: Option<LabelValue>,
    /// The reason in sentences, for people; whatever a sentence rests on is told after it.
    sentences: Vec<String>,
    /// Those that defeat what attacks it. Only of what stands.
    defender_ids: Vec<ID>,
    /// Those that stand and attack it. Only of what falls.
    defeater_ids: Vec<ID>,
    /// The circle of undecided arguments that it waits for, along the attacks. Only of what is undecided.
    cycle_ids: Vec<ID>,
    /// The same exactly, the argument's own step first. Numbers only go down as one follows the steps.
    steps: Vec<WhyStep>,
    /// How many steps further from the argument were left out: 24 are told at most.
    omitted: usize,
}

/// A step of a reason.
#[derive(SimpleObject, Clone)]
pub struct WhyStep {
    /// What becomes of the argument by it.
    kind: WhyKind,
    /// The argument; of a cycle all of them, along the attacks.
    argument_ids: Vec<ID>,
    /// Its min-max number: 1 where nobody attacks, else one more than those it rests on. None where it is undecided.
    number: Option<u32>,
    /// The attacker that it falls to, or waits for.
    attacker_id: Option<ID>,
    /// The attackers that are defeated, of what stands.
    answers: Vec<WhyAnswer>,
}

/// A defeated attacker.
#[derive(SimpleObject, Clone)]
pub struct WhyAnswer {
    /// Who attacks.
    attacker_id: ID,
    /// Who defeats it, and stands.
    defeater_id: ID,
}

/// What becomes of an argument in a step of a reason.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyKind {
    /// It stands because each of its attackers is defeated.
    Stands,
    /// It falls to an attacker that stands.
    Falls,
    /// It is undecided because an attacker is.
    Waits,
    /// They are undecided because each attacks the next, the last the first, and nothing outside decides it.
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
    those.iter().map(|it| ID(it.to_string())).collect()
}
