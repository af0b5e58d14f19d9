//! Conditions that participants stated for a change of their mind, and whether they have changed sides since.
//!
//! A condition about a question is followed on that question, any other on the topic. A participant has changed sides if a later
//! turn of theirs takes another side than the one that they held when they stated the condition. Whether the condition came about
//! is not judged: only what was said counts. Cost: conditions times stances of their speakers.

use serde::{Deserialize, Serialize};

use crate::events::ids::{DisputeId, TurnId};
use crate::events::turn::FlipConditionStated;
use crate::projections::disputes::dispute_graph::DisputeGraph;
use crate::projections::flip_conditions::FlipConditions;

/// Stated condition with what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrackedCondition {
    /// The condition.
    #[serde(flatten)]
    pub stated: FlipConditionStated,
    /// Dispute on which it is followed; `None` if the debate has no topic yet.
    pub followed_on: Option<DisputeId>,
    /// The speaker's first later turn that takes another side of it; `None` if there is none.
    pub changed_in: Option<TurnId>,
}

/// Follows the conditions that were stated, in order.
pub fn tracked_conditions(conditions: &FlipConditions, disputes: &DisputeGraph) -> Vec<TrackedCondition> {
    let topic = disputes.topic().map(|(id, _)| id);
    let tracked = conditions.stated.iter().map(|stated| {
        let followed_on = stated.dispute.or(topic);
        let changed_in = followed_on.and_then(|dispute| changed_in(disputes, dispute, stated));
        TrackedCondition { stated: stated.clone(), followed_on, changed_in }
    });
    tracked.collect()
}

fn changed_in(disputes: &DisputeGraph, dispute: DisputeId, stated: &FlipConditionStated) -> Option<TurnId> {
    let history = &disputes.disputes.get(&dispute)?.history;
    let own = || history.iter().filter(|(persona, _)| *persona == stated.speaker).map(|(_, stance)| stance);
    let held = own().filter(|stance| stance.turn <= stated.turn).max_by_key(|stance| stance.turn)?.side;
    own().filter(|stance| stance.turn > stated.turn && stance.side != held).map(|stance| stance.turn).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::dispute::{DisputeRaised, Side};
    use crate::projections::disputes::dispute_state::{Dispute, Stance};

    #[test]
    fn a_change_of_sides_counts_after_the_condition_and_on_its_question() {
        let check = |history: &[(u32, Side)], about: Option<u32>, expected: Option<u32>| {
            let mut disputes = DisputeGraph::default();
            for id in [1, 2] {
                let mut dispute = Dispute::raised(&DisputeRaised::bare(DisputeId(id), "Is it so?", id == 1));
                let stance = |(turn, side): &(u32, Side)| {
                    let (statement, confidence, quote, version, reading) = (None, None, None, 1, None);
                    let stance =
                        Stance { side: *side, turn: TurnId(*turn), statement, confidence, quote, version, reading };
                    ("ada".parse().expect("an id"), stance)
                };
                dispute.history = if id == 2 { history.iter().map(stance).collect() } else { Vec::new() };
                disputes.disputes.insert(DisputeId(id), dispute);
            }
            let (speaker, turn, quote) = ("ada".parse().expect("an id"), TurnId(4), "If it rains.".to_owned());
            let stated = FlipConditionStated { speaker, turn, quote, dispute: about.map(DisputeId), crux: None };
            let tracked = tracked_conditions(&FlipConditions { stated: vec![stated] }, &disputes);
            assert_eq!(tracked[0].changed_in, expected.map(TurnId), "{history:?} {about:?}");
        };
        check(&[(1, Side::Yes), (6, Side::No), (8, Side::Yes)], Some(2), Some(6));
        check(&[(1, Side::Yes), (4, Side::No), (6, Side::No)], Some(2), None);
        check(&[(1, Side::Yes), (6, Side::Yes)], Some(2), None);
        check(&[(1, Side::Yes), (3, Side::No)], Some(2), None);
        check(&[(6, Side::No)], Some(2), None);
        check(&[(1, Side::Yes), (6, Side::No)], None, None);
    }
}
