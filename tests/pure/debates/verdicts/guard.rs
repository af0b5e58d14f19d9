//! Rule 26: no two items of common ground contradict each other.

use faultline_core::events::dispute::Side;
use faultline_core::events::ids::DisputeId;

use crate::debates::verdicts::debate_plan::debate_plans;
use crate::debates::verdicts::verdict_debate::{TWO, VerdictDebate};

#[test]
fn common_ground_that_contradicts_itself_is_none() {
    let check = |questions: [(&str, &str); 2], contradict: bool| {
        let mut debate = VerdictDebate::in_consensus(TWO);
        for (question, side) in questions {
            debate.raise_dispute_with_stances(question, &format!("ada {side}, ben {side}"));
        }
        let verdict = debate.verdict();
        let left: Vec<DisputeId> = verdict.common_ground.iter().map(|ground| ground.dispute).collect();
        let clause = "; d2 and d3 contradict each other and are not counted as agreed upon";
        assert_eq!(left, if contradict { vec![DisputeId(1)] } else { [1, 2, 3].map(DisputeId).to_vec() });
        assert_eq!(verdict.regime.reason.contains(clause), contradict, "{questions:?}: {}", verdict.regime.reason);
    };
    let rough = "Is winter rough on the crews?";
    check([(rough, "yes"), ("Is winter not rough on the crews?", "yes")], true);
    check([(rough, "no"), ("Is winter not rough on the crews?", "no")], true);
    check([(rough, "yes"), ("Is winter not rough on the crews?", "no")], false);
    check([(rough, "yes"), ("is winter ROUGH on the crews", "no")], true);
    check([(rough, "yes"), ("is winter ROUGH on the crews", "yes")], false);
    check([("Is the ferry safe?", "yes"), ("Is the ferry dangerous?", "yes")], true);
    check([("Is the ferry safe?", "yes"), ("Is the ferry dangerous?", "no")], false);
    check([(rough, "yes"), ("Is summer rough on the crews?", "no")], false);
    check([(rough, "yes"), ("Is the ferry not cheap?", "yes")], false);
}

#[test]
fn a_retired_or_split_dispute_contradicts_nothing() {
    let mut debate = VerdictDebate::in_consensus(TWO);
    debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben yes");
    let negated = debate.raise_dispute_with_stances("Is winter not rough?", "ada yes, ben yes");
    let ground = |debate: &VerdictDebate| debate.verdict().common_ground.len();
    assert_eq!(ground(&debate), 1, "the topic is left");
    let mut retired = debate.clone();
    retired.retire_argument(negated);
    assert_eq!(ground(&retired), 2);
    debate.take_side("ben", negated, Side::Nuanced);
    assert_eq!(ground(&debate), 2);
}

/// Measure M16 is 0 in every debate.
#[test]
fn common_ground_contradicts_itself_in_no_debate() {
    debate_plans(|plot, _| {
        let verdict = plot.held(&plot.in_order()).verdict();
        let side = |question: &str| {
            verdict.common_ground.iter().find(|ground| ground.question == question).map(|ground| ground.side)
        };
        for ground in &verdict.common_ground {
            let negated = format!("not {}", ground.question);
            assert_ne!(side(&negated), Some(ground.side), "{plot:#?}");
        }
    });
}
