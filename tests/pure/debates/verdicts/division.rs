//! Rule 21: a crux divides. Statements that nobody denies, that change nothing, or that turn together.

use faultline_core::events::argument::ArgumentPart::{Assumption, Claim, Premise};
use faultline_core::events::argument::AttackKind::{Rebut, Undercut, Undermine};
use faultline_core::events::argument::{ArgumentPart, AttackKind};
use faultline_core::events::ids::ArgumentId;
use faultline_core::verdicts::crux::{Crux, CruxOrigin, Position, PositionBasis, PositionSide};
use faultline_core::verdicts::crux_id::CruxKey;

use crate::debates::verdicts::debate_plan::debate_plans;
use crate::debates::verdicts::verdict_debate::{
    THREE, TWO, VerdictDebate, contested, positions, statements, structural,
};

/// Adds an argument with these premises.
fn with_premises(debate: &mut VerdictDebate, speaker: &str, claim: &str, premises: &[&str]) -> ArgumentId {
    debate.add_argument(speaker, claim, |argument| {
        argument.premises = premises.iter().map(|premise| (*premise).to_owned()).collect();
    })
}

/// Positions of Ada, who rests an argument on a statement, and of Ben, who attacks it.
fn positions_on(turn_of_ada: &str, is_assumed: bool, statement: &str) -> Vec<Position> {
    let mut debate = VerdictDebate::new(TWO);
    let (said, answered) = (debate.say("ada", turn_of_ada), debate.say("ben", "Nobody will crew it."));
    let one = debate.add_argument("ada", "The ferry pays.", |argument| {
        argument.turn = said;
        let grounds = if is_assumed { &mut argument.assumptions } else { &mut argument.premises };
        grounds.push(statement.to_owned());
    });
    let other = debate.add_argument("ben", "Nobody will crew it.", |argument| argument.turn = answered);
    debate.undermine(other, one, if is_assumed { Assumption(0) } else { Premise(0) });
    let verdict = debate.verdict();
    let found = verdict.all_cruxes().chain(&verdict.contested).find(|crux| crux.statement == statement);
    found.expect("it divides them").positions.clone()
}

/// A participant who rests an argument on a statement is quoted with it, never with the claim of the argument instead.
#[test]
fn what_nobody_said_is_quoted_of_nobody() {
    let crew = "A crew can be had.";
    let of_ada = |turn: &str, is_assumed: bool| {
        let positions = positions_on(turn, is_assumed, crew);
        (positions[0].basis, positions[0].quote.clone(), positions[0].remark())
    };
    let (assumed, written) = (" (taken for granted, not said)", " (in the written argument, not said aloud)");
    assert_eq!(of_ada("The ferry pays.", true), (PositionBasis::Assumed, None, assumed.to_owned()));
    assert_eq!(of_ada("The ferry pays.", false), (PositionBasis::Written, None, written.to_owned()));
    for is_assumed in [true, false] {
        let said = (PositionBasis::Said, Some("a crew can be had.".to_owned()), String::new());
        assert_eq!(of_ada("The ferry pays, as a crew can be had.", is_assumed), said);
    }
}

#[test]
fn an_attack_on_a_claim_denies_no_premise() {
    // Claims that contradict each other are one question; whether each of them follows is two.
    for (kind, expected) in [(Rebut, vec!["The ferry loses."]), (Undercut, vec!["The ferry loses.", "The ferry pays."])]
    {
        let mut debate = VerdictDebate::new(TWO);
        let one = with_premises(&mut debate, "ada", "The ferry pays.", &["Forty nurses finish at eleven."]);
        let other = with_premises(&mut debate, "ben", "The ferry loses.", &["Fuel doubled."]);
        for (source, target) in [(one, other), (other, one)] {
            let attack = debate.raise_attack(source, target, kind, Claim);
            debate.judge_attack(attack, true);
        }
        let verdict = debate.verdict();
        let mut found = statements(&verdict);
        found.sort_unstable();
        assert_eq!((found, contested(&verdict)), (expected, vec![]), "{kind:?}");
    }
}

/// Rule 21: who denies that a claim follows does not deny the claim, and no argument that uses it rests on that.
#[test]
fn an_attack_on_an_inference_denies_no_claim() {
    let mut debate = VerdictDebate::new(TWO);
    let one = with_premises(&mut debate, "ada", "The ferry pays.", &["Fuel is cheap."]);
    let user = with_premises(&mut debate, "ada", "The ferry should run.", &["The ferry pays."]);
    let other = debate.add_claim("ben", "Ten passengers came.");
    let attack = debate.raise_attack(other, one, Undercut, Claim);
    debate.judge_attack(attack, true);
    let found = |debate: &VerdictDebate| {
        let verdict = debate.verdict();
        let all: Vec<Crux> = verdict.cruxes.iter().chain(&verdict.contested).cloned().collect();
        let mut told: Vec<_> = all.iter().map(|it| (it.question.clone(), it.dependents.clone(), it.key)).collect();
        told.sort();
        told
    };
    let follows = "Does this follow as its speaker argues: “The ferry pays”?".to_owned();
    let inference = (follows, vec![one], CruxKey::of_inference("The ferry pays."));
    assert_eq!(found(&debate), std::slice::from_ref(&inference));
    // As soon as somebody denies the claim itself, both arguments rest on it.
    let denial = debate.add_claim("ben", "The ferry loses.");
    debate.undermine(denial, user, Premise(0));
    let claim =
        ("Is this true: “The ferry pays”?".to_owned(), vec![one, user], CruxKey::of_statement("The ferry pays."));
    assert_eq!(found(&debate), [inference, claim]);
}

/// Rule 21: who denies a claim and that it follows is shown with both, and has one mind to change.
#[test]
fn a_participant_who_denies_both_is_shown_with_both() {
    let mut debate = VerdictDebate::new(TWO);
    let one = with_premises(&mut debate, "ada", "The ferry pays.", &["Fuel is cheap."]);
    let other = debate.add_claim("ben", "The ferry loses.");
    debate.add_mutual_attack(other, one);
    debate.add_attack(other, one);
    let verdict = debate.verdict();
    let crux = verdict.cruxes.iter().find(|crux| crux.statement == "The ferry pays.").expect("the attacked claim");
    assert_eq!(crux.question, "Is this true, and does it follow as its speaker argues: “The ferry pays”?");
    assert_eq!(positions(crux), ["ada rests_on", "ben attacks", "ben undercuts"]);
    let minds: Vec<&str> = crux.card.mind_changes.iter().map(|change| change.persona.as_str()).collect();
    assert_eq!(minds, ["ada", "ben"]);
}

/// The component that counts is the one of the judgement, if it corrects the attacker's.
#[test]
fn a_judge_decides_which_component_is_denied() {
    let check = |raised: (AttackKind, ArgumentPart), corrected: Option<ArgumentPart>, expected: &[&'static str]| {
        let mut debate = VerdictDebate::new(TWO);
        let one = with_premises(&mut debate, "ada", "one", &["first", "second"]);
        let other = debate.add_claim("ben", "other");
        let attack = debate.raise_attack(other, one, raised.0, raised.1);
        debate.judge_attack_as(attack, true, None, corrected);
        debate.add_attack(one, other);
        let verdict = debate.verdict();
        let mut found = statements(&verdict);
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{raised:?}, corrected to {corrected:?}");
    };
    check((Undermine, Premise(0)), None, &["first", "other"]);
    check((Undermine, Premise(0)), Some(Premise(1)), &["second", "other"]);
    // Two claims that contradict each other are one crux.
    check((Undermine, Premise(0)), Some(Claim), &["one"]);
    check((Undercut, Claim), Some(Premise(1)), &["second", "other"]);
}

#[test]
fn a_statement_that_changes_no_thesis_is_a_contested_premise() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |argument| argument.answers_topic = true);
    let rival = debate.add_argument("ben", "rival", |argument| argument.answers_topic = true);
    debate.add_mutual_attack(thesis, rival);
    let aside = debate.add_assuming_argument("ada", "aside", &["Gulls are white."]);
    let doubt = debate.add_claim("ben", "Some gulls are grey.");
    debate.undermine(doubt, aside, Assumption(0));
    debate.add_attack(aside, doubt); // positions differ on both
    let verdict = debate.verdict();
    assert_eq!(statements(&verdict), [""; 0]);
    assert_eq!(contested(&verdict), ["Gulls are white.", "Some gulls are grey."]);
    for premise in &verdict.contested {
        let consequence = premise.consequence.expect("by structure");
        assert_eq!((premise.pivotality, consequence.changed, consequence.theses), (Some(0.0), 0, 2));
        let sides: Vec<PositionSide> = premise.positions.iter().map(|position| position.side).collect();
        assert!(sides.contains(&PositionSide::RestsOn) && sides.iter().any(|side| side.denies()), "{sides:?}");
    }
    debate.add_attack(aside, rival);
    let verdict = debate.verdict();
    assert_eq!((statements(&verdict).len(), contested(&verdict).len()), (2, 0), "now both decide a thesis");
}

#[test]
fn a_topic_is_no_crux_and_neither_are_the_claims_that_answer_it() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "It should.", |argument| {
        (argument.answers_topic, argument.assumptions) = (true, vec!["Crews can be had.".into()]);
    });
    let rival = debate.add_argument("ben", "It should not.", |argument| argument.answers_topic = true);
    debate.add_mutual_attack(thesis, rival);
    let topic = debate.ask_topic("ada yes, ben no");
    let verdict = debate.verdict();
    assert_eq!((verdict.cruxes.len(), verdict.contested.len(), verdict.resolved.len()), (0, 0, 0));
    assert!(verdict.topic.is_some_and(|topic| topic.is_split()));
    let denial = debate.add_claim("ben", "No crew can be had.");
    debate.undermine(denial, thesis, Assumption(0));
    let verdict = debate.verdict();
    assert_eq!(statements(&verdict), ["Crews can be had."]);
    assert_eq!(positions(&verdict.cruxes[0]), ["ada rests_on", "ben attacks"]);
    debate.take_side("ben", topic, faultline_core::events::dispute::Side::Yes);
    assert_eq!(debate.verdict().resolved, [], "nor is it a resolved crux");
}

#[test]
fn statements_under_the_same_arguments_are_one_crux() {
    let mut debate = VerdictDebate::new(THREE);
    let one = debate.add_argument("ada", "one", |argument| {
        (argument.premises, argument.assumptions) = (vec!["p".into(), "q".into()], vec!["r".into()]);
    });
    let other = debate.add_claim("ben", "other");
    let third = debate.add_claim("cleo", "third");
    debate.undermine(other, one, Premise(1));
    debate.undermine(third, one, Premise(0));
    debate.undermine(other, one, Assumption(0));
    debate.add_attack(one, other);
    let verdict = debate.verdict();
    let of_ada = structural(&verdict).find(|crux| crux.dependents == [one]).expect("what ada rests on");
    assert_eq!((of_ada.statement.as_str(), of_ada.other_statements.as_slice()), ("r", ["q".into()].as_slice()));
    assert_eq!(positions(of_ada), ["ada rests_on", "ben attacks"]);
    let of_cleo = structural(&verdict).find(|crux| crux.statement == "p").expect("what cleo attacks");
    assert_eq!(positions(of_cleo), ["ada rests_on", "cleo attacks"], "they divide others");
    assert_eq!((statements(&verdict).len(), contested(&verdict)), (2, vec!["other"]), "cleo defeats ada without ben");
    // Another argument rests on one of them only, so they need not turn together.
    with_premises(&mut debate, "ada", "one more", &["q"]);
    let verdict = debate.verdict();
    let mut found = statements(&verdict);
    found.sort_unstable();
    assert_eq!(found, ["p", "q", "r"]);
}

#[test]
fn who_both_rests_on_a_statement_and_attacks_it_does_not_divide_alone() {
    let mut debate = VerdictDebate::new(TWO);
    let one = with_premises(&mut debate, "ada", "one", &["shared"]);
    with_premises(&mut debate, "ben", "of ben", &["shared"]);
    let other = debate.add_claim("ben", "other");
    debate.undermine(other, one, Premise(0));
    debate.add_attack(one, other);
    let verdict = debate.verdict();
    assert_eq!((statements(&verdict), contested(&verdict)), (vec!["other"], vec![]), "both state the premise");
}

/// Every crux and contested premise of every debate.
#[test]
fn every_crux_has_somebody_on_each_side() {
    debate_plans(|plot, _| {
        let verdict = plot.held(&plot.in_order()).verdict();
        for crux in verdict.cruxes.iter().chain(&verdict.contested) {
            let sides = || crux.positions.iter().map(|position| position.side);
            assert!(sides().any(PositionSide::affirms) && sides().any(PositionSide::denies), "{crux:#?}\n{plot:#?}");
            let by_structure = matches!(crux.origin, CruxOrigin::Structure { .. });
            let is_structural = |side: PositionSide| {
                (side.affirms() || side.denies()) && !matches!(side, PositionSide::Yes | PositionSide::No)
            };
            assert!(sides().all(|side| is_structural(side) == by_structure), "{crux:#?}");
        }
        assert!(structural(&verdict).all(|crux| crux.pivotality > Some(0.0)), "{plot:#?}");
        assert!(verdict.contested.iter().all(|premise| premise.pivotality == Some(0.0)), "{plot:#?}");
    });
}
