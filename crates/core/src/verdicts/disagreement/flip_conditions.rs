//! Flip conditions: for each participant, the claims of others whose refutation would improve the status of an own
//! argument.
//!
//! A condition is computed from the graph: it states a consequence for an argument, not what its speaker would think.
//! Conditions that participants stated themselves are in their contracts and on the cards of rooms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::ids::{ArgumentId, PersonaId};
use crate::projections::argument_graph::{ArgumentFramework, ArgumentGraph};
use crate::projections::summary::Summary;
use faultline_argumentation::counterfactual::intervention::{Intervention, labels_after};
use faultline_argumentation::labelling::Label;

/// Maximum number of attackers of one argument that are examined. Each takes time linear in the framework.
pub const MAX_ATTACKERS: usize = 64;

/// Condition under which the status of a participant's argument improves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlipCondition {
    /// The participant.
    pub persona: PersonaId,
    /// The participant's argument.
    pub argument: ArgumentId,
    /// Its grounded label.
    pub label: Label,
    /// Arguments against it that would have to be refuted: one if that is enough, otherwise all that keep it from being
    /// accepted.
    pub refuted: Vec<ArgumentId>,
    /// Its grounded label if they were refuted.
    pub becomes: Label,
}

/// Finds one condition for each participant: for their most attacked argument that is rejected; if none is, for the most
/// attacked one that is undecided. Participants whose arguments are all accepted have none, and neither has an argument
/// with more than [`MAX_ATTACKERS`] attackers.
pub fn flip_conditions(
    summary: &Summary,
    graph: &ArgumentGraph,
    labels: &BTreeMap<ArgumentId, Label>,
) -> Vec<FlipCondition> {
    let framed = graph.framework();
    let own = summary.participants.iter().map(|participant| &participant.persona);
    own.filter_map(|persona| {
        let index = most_attacked(graph, &framed, labels, persona)?;
        condition(&framed, labels, persona, index)
    })
    .collect()
}

/// Index of the participant's most attacked argument that is not accepted, rejected ones first.
fn most_attacked(
    graph: &ArgumentGraph,
    framed: &ArgumentFramework,
    labels: &BTreeMap<ArgumentId, Label>,
    persona: &PersonaId,
) -> Option<u32> {
    let label = |index: &u32| labels.get(&framed.id(*index)).copied();
    let own = framed.framework.arguments().filter(|index| graph.speaker(framed.id(*index)) == Some(persona));
    let open: Vec<u32> = own.filter(|index| label(index).is_some_and(|label| label != Label::In)).collect();
    let count = |index: &u32| framed.framework.attackers(*index).len();
    let first = |wanted: Label| {
        let those = open.iter().copied().filter(|index| label(index) == Some(wanted));
        those.min_by_key(|index| (usize::MAX - count(index), *index))
    };
    first(Label::Out).or_else(|| first(Label::Undec))
}

fn condition(
    framed: &ArgumentFramework,
    labels: &BTreeMap<ArgumentId, Label>,
    persona: &PersonaId,
    index: u32,
) -> Option<FlipCondition> {
    let framework = &framed.framework;
    let label = *labels.get(&framed.id(index))?;
    let attackers = framework.attackers(index);
    if attackers.len() > MAX_ATTACKERS {
        return None;
    }
    let keeps = |attacker: &u32| *attacker != index && labels.get(&framed.id(*attacker)) != Some(&Label::Out);
    let keeping: Vec<u32> = attackers.iter().copied().filter(keeps).collect();
    let after = |refuted: &[u32]| {
        let settled: Vec<(u32, Intervention)> = refuted.iter().map(|it| (*it, Intervention::Refuted)).collect();
        labels_after(framework, &settled).of(index)
    };
    let alone = keeping.iter().map(|attacker| vec![*attacker]);
    let together = (keeping.len() > 1).then(|| keeping.clone());
    let (refuted, becomes) = alone
        .chain(together)
        .map(|refuted| (after(&refuted), refuted))
        .find(|(becomes, _)| *becomes == Label::In || label == Label::Out && *becomes == Label::Undec)
        .map(|(becomes, refuted)| (refuted, becomes))?;
    let refuted = refuted.into_iter().map(|attacker| framed.id(attacker)).collect();
    Some(FlipCondition { persona: persona.clone(), argument: framed.id(index), label, refuted, becomes })
}
