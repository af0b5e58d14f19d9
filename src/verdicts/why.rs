//! Why an argument stands, falls, is undecided, or does not count: in steps that can be checked, and in sentences.

use std::collections::BTreeMap;

use crate::argumentation::labelling::Label;
use crate::argumentation::reasons::{Grounds, Why as Cause};
use crate::argumentation::skeleton::{MAX_STEPS, Step, skeleton};
use crate::argumentation::telling::tell;
use crate::events::ids::ArgumentId;
use crate::projections::argument_graph::{ArgumentGraph, Framed};

/// Why an argument has its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The grounded label; `None` where the argument does not count.
    pub label: Option<Label>,
    /// The reason in sentences, whatever a sentence rests on told after it.
    pub sentences: Vec<String>,
    /// Those that defeat what attacks it. Only of what stands.
    pub defenders: Vec<ArgumentId>,
    /// Those that stand and attack it, in the order in which they were derived. Only of what falls.
    pub defeaters: Vec<ArgumentId>,
    /// The circle of undecided arguments that it waits for, along the attacks. Only of what is undecided.
    pub circle: Vec<ArgumentId>,
    /// The same exactly: each step, the argument's own first.
    pub steps: Vec<NamedStep>,
    /// How many steps further from the argument were left out.
    pub omitted: usize,
}

/// A step of a reason, in the debate's own names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedStep {
    /// It stands because each of its attackers is defeated.
    Stands {
        /// The argument.
        argument: ArgumentId,
        /// Its min-max number: what it rests on has lower ones.
        number: u32,
        /// Each attacker, and who defeats it. None where nobody attacks.
        answers: Vec<(ArgumentId, ArgumentId)>,
    },
    /// It falls to one that stands.
    Falls {
        /// The argument.
        argument: ArgumentId,
        /// Its min-max number.
        number: u32,
        /// To whom.
        to: ArgumentId,
    },
    /// It is undecided because an attacker is.
    Waits {
        /// The argument.
        argument: ArgumentId,
        /// The attacker.
        on: ArgumentId,
    },
    /// They are undecided because each attacks the next, the last the first.
    Circle {
        /// The arguments, along the attacks.
        arguments: Vec<ArgumentId>,
    },
}

/// The reason of every argument that was ever advanced. For each nearly linear in the framework.
pub fn reasons(graph: &ArgumentGraph) -> BTreeMap<ArgumentId, Why> {
    let framed = graph.framed();
    let grounds = Grounds::new(&framed.framework);
    let why = |id: ArgumentId| match framed.index(id) {
        Some(index) => of_live(&framed, &grounds, index),
        None => of_dead(graph, id),
    };
    graph.arguments.keys().map(|id| (*id, why(*id))).collect()
}

fn of_live(framed: &Framed, grounds: &Grounds<'_>, index: u32) -> Why {
    let skeleton = skeleton(grounds, index, MAX_STEPS);
    let ids = |those: &[u32]| those.iter().map(|it| framed.id(*it)).collect::<Vec<_>>();
    let steps: Vec<NamedStep> = skeleton.steps.iter().map(|it| named(framed, it)).collect();
    let defenders = match steps.first() {
        Some(NamedStep::Stands { answers, .. }) => {
            let mut by: Vec<ArgumentId> = answers.iter().map(|(_, by)| *by).collect();
            by.sort_unstable();
            by.dedup();
            by
        }
        _ => Vec::new(),
    };
    let circle = steps.iter().find_map(|it| match it {
        NamedStep::Circle { arguments } => Some(arguments.clone()),
        _ => None,
    });
    Why {
        label: Some(skeleton.label),
        sentences: tell(&skeleton, |it| framed.id(it).to_string()),
        defenders,
        defeaters: match grounds.why(index) {
            Cause::Out { by } => ids(&by),
            Cause::In { .. } | Cause::Undec { .. } => Vec::new(),
        },
        circle: circle.unwrap_or_default(),
        steps,
        omitted: skeleton.omitted,
    }
}

fn named(framed: &Framed, step: &Step) -> NamedStep {
    match step {
        Step::Stands { argument, number, answers } => NamedStep::Stands {
            argument: framed.id(*argument),
            number: *number,
            answers: answers.iter().map(|it| (framed.id(it.attacker), framed.id(it.by))).collect(),
        },
        Step::Falls { argument, number, to } => {
            NamedStep::Falls { argument: framed.id(*argument), number: *number, to: framed.id(*to) }
        }
        Step::Waits { argument, on } => NamedStep::Waits { argument: framed.id(*argument), on: framed.id(*on) },
        Step::Circle { arguments } => {
            NamedStep::Circle { arguments: arguments.iter().map(|it| framed.id(*it)).collect() }
        }
    }
}

/// An argument that was withdrawn does not count, and one that carries an attack counts only while that is valid.
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
        let instead = withdrawn.superseded_by.map(|it| format!(", and {it} took its place")).unwrap_or_default();
        return format!(": it was withdrawn in {}{instead}", withdrawn.turn);
    }
    let Some(carried) = argument.advanced.carries else { return String::new() };
    match graph.attacks.get(&carried) {
        Some(attack) if attack.withdrawn.is_some() => format!(": the attack {carried} that it carries was withdrawn"),
        Some(attack) if attack.judged.is_some() => format!(": the attack {carried} that it carries was found invalid"),
        _ => format!(" yet: nobody has judged the attack {carried} that it carries"),
    }
}
