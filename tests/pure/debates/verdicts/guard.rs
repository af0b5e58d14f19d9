//! Rule 26: no two items of common ground contradict each other.

use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::dispute::{DisputeLinked, Side};
use faultline_core::events::event::Event;
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
fn a_recorded_wording_contradicts_as_the_question_itself_does() {
    let check = |negates: bool, other: &str, side: &str, contradict: bool| {
        let mut debate = VerdictDebate::in_consensus(TWO);
        let linked = debate.raise_dispute_with_stances("Do the crews sleep enough?", "ada yes, ben yes");
        let question = "Are the crews worn out by ten?".to_owned();
        let (turns, likeness) = (Vec::new(), None);
        debate.events.push(Event::DisputeLinked(DisputeLinked { dispute: linked, question, negates, turns, likeness }));
        let second = debate.raise_dispute_with_stances(other, &format!("ada {side}, ben {side}"));
        let left: Vec<DisputeId> = debate.verdict().common_ground.iter().map(|ground| ground.dispute).collect();
        let all = vec![DisputeId(1), linked, second];
        assert_eq!(left, if contradict { vec![DisputeId(1)] } else { all }, "{negates} {other} {side}");
    };
    let worn = "Are the crews worn out by ten?";
    check(true, worn, "yes", true);
    check(true, worn, "no", false);
    check(false, worn, "yes", false);
    check(false, worn, "no", true);
    check(true, "Are the crews not worn out by ten?", "yes", false);
    check(true, "Are the crews not worn out by ten?", "no", true);
    check(true, "Are the boats worn out by ten?", "yes", false);
}

#[test]
fn the_ends_of_a_valid_attack_are_no_common_ground() {
    let ground = |is_valid: bool, component: ArgumentPart, questions: [&str; 2]| -> (usize, String) {
        let mut debate = VerdictDebate::in_consensus(TWO);
        let one = debate.add_argument("ada", "The ferry pays.", |argument| {
            argument.premises = vec!["Forty nurses travel at eleven.".into()];
        });
        let other = debate.add_claim("ben", "The ward closes at ten.");
        if is_valid {
            debate.undermine(other, one, component);
        }
        for question in questions {
            debate.raise_dispute_with_stances(question, "ada yes, ben yes");
        }
        let verdict = debate.verdict();
        (verdict.common_ground.len(), verdict.regime.reason)
    };
    let (travel, closes) = ("Do forty nurses travel at eleven?", "The ward closes at ten?");
    let (left, reason) = ground(true, ArgumentPart::Premise(0), [travel, closes]);
    assert_eq!(left, 1, "{reason}");
    assert!(reason.contains("d2 and d3 stand in a valid attack and are not counted as agreed upon"), "{reason}");
    assert_eq!(ground(false, ArgumentPart::Premise(0), [travel, closes]).0, 3);
    assert_eq!(ground(true, ArgumentPart::Claim, [travel, closes]).0, 3, "the premise is not attacked");
    assert_eq!(ground(true, ArgumentPart::Premise(0), [travel, "Is the ward old?"]).0, 3);
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
