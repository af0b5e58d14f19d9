//! Cruxes by structure: which statements, in which order, with which consequence.

use std::collections::{BTreeMap, BTreeSet};

use faultline_core::events::ids::TurnId;
use faultline_core::verdicts::candidates::Level;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::cruxes::{Crux, CruxOrigin};
use faultline_core::verdicts::verdict::{ALGORITHM, Verdict};

use crate::debates::verdicts::oracles::bitcoin;
use crate::debates::verdicts::verdict_debate::{THREE, TWO, VerdictDebate, statements, structural};

/// Rule 11: the texts on which disputed arguments rest.
#[test]
fn cruxes_by_structure_are_assumptions_then_premises_then_claims() {
    let check = |premises: &[&str], assumptions: &[&str], level: Level, expected: &[&str]| {
        let mut debate = VerdictDebate::new(TWO);
        let texts = |given: &[&str]| given.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let one = debate.add_argument("ada", "one", |argument| {
            (argument.premises, argument.assumptions) = (texts(premises), texts(assumptions));
        });
        let other = debate.add_assuming_argument("ben", "other", &["of ben"]);
        debate.add_mutual_attack(one, other);
        let verdict = debate.verdict();
        let of_ada = structural(&verdict).filter(|crux| crux.dependents == [one]);
        let mut found: Vec<(&str, CruxOrigin)> = of_ada.map(|crux| (crux.statement.as_str(), crux.origin)).collect();
        found.sort();
        let expected: Vec<(&str, CruxOrigin)> =
            expected.iter().map(|statement| (*statement, CruxOrigin::Structure { level })).collect();
        assert_eq!(found, expected);
        assert!(statements(&verdict).contains(&"of ben"));
    };
    check(&["p"], &["q", "r"], Level::Assumption, &["q", "r"]);
    check(&["p", "s"], &[], Level::Premise, &["p", "s"]);
    check(&[], &[], Level::Claim, &["one"]);
}

/// Rule 11: statements on which all preferred extensions agree are no cruxes, and all on which they differ are.
#[test]
fn every_argument_on_which_positions_differ_has_a_crux() {
    let mut debate = VerdictDebate::new(TWO);
    let mut expected = BTreeSet::new();
    debate.add_assuming_argument("ada", "undisputed", &["never a crux"]);
    for n in 0..6 {
        let one = debate.add_assuming_argument("ada", "one", &[&format!("ada {n}")]);
        let other = debate.add_assuming_argument("ben", "other", &[&format!("ben {n}")]);
        debate.add_mutual_attack(one, other);
        expected.extend([format!("ada {n}"), format!("ben {n}")]);
    }
    let verdict = debate.verdict();
    assert_eq!(verdict.n_extensions, "64");
    assert_eq!(statements(&verdict).into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), expected);
}

/// Rule 11: the same holds if there are more positions than are listed.
#[test]
fn no_crux_is_lost_among_many_positions() {
    for n in [10_usize, 11, 16] {
        let mut debate = VerdictDebate::new(TWO);
        for k in 0..n {
            let one = debate.add_claim("ada", &format!("ada {k}"));
            let other = debate.add_claim("ben", &format!("ben {k}"));
            debate.add_mutual_attack(one, other);
        }
        assert_eq!(statements(&debate.verdict()).len(), 2 * n, "of {n} contradictions");
    }
}

/// Rule 11: ranking by pivotality, then dependents, then degree of attack.
#[test]
fn cruxes_are_ranked() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |argument| {
        (argument.answers_topic, argument.assumptions) = (true, vec!["of the thesis".into()]);
    });
    let hub = debate.add_assuming_argument("ben", "hub", &["decides"]);
    debate.add_mutual_attack(hub, thesis);
    let (twin, twins) = (
        debate.add_assuming_argument("ada", "twin", &["shared"]),
        debate.add_assuming_argument("ada", "twins", &["shared"]),
    );
    let (foe, foes) = (
        debate.add_assuming_argument("ben", "foe", &["of foe"]),
        debate.add_assuming_argument("ben", "foes", &["of foes"]),
    );
    debate.add_mutual_attack(twin, foe);
    debate.add_mutual_attack(twins, foes);
    let third = debate.add_assuming_argument("ada", "third", &["of third"]);
    debate.add_mutual_attack(third, foes);
    let verdict = debate.verdict();
    let keys: Vec<(f64, usize, usize)> = structural(&verdict)
        .map(|crux| (crux.pivotality.expect("by structure"), crux.dependents.len(), crux.attack_degree))
        .collect();
    let in_order = keys.windows(2).all(|pair| pair[0] >= pair[1]);
    assert!(in_order, "{keys:?}");
    let first: Vec<&str> = statements(&verdict).into_iter().take(3).collect();
    assert_eq!(first, ["decides", "shared", "of foes"], "{keys:?}");
    assert_eq!(keys[0], (1.0, 1, 2));
}

/// Rule 11: equal texts are the same assumption.
#[test]
fn an_assumption_that_several_share_is_one_crux() {
    let mut debate = VerdictDebate::new(THREE);
    let a = debate.add_assuming_argument("ada", "one", &["Crews are scarce."]);
    let b = debate.add_assuming_argument("ben", "two", &["crews  are\nscarce"]);
    let c = debate.add_assuming_argument("cleo", "three", &["Crews are many."]);
    debate.add_mutual_attack(a, c);
    debate.add_mutual_attack(b, c);
    let verdict = debate.verdict();
    let shared = structural(&verdict).find(|crux| crux.dependents.len() == 2).expect("the shared one");
    assert_eq!(shared.dependents, [a, b]);
    let positions: Vec<String> =
        shared.positions.iter().map(|position| format!("{} {}", position.persona, position.side.name())).collect();
    assert_eq!(positions, ["ada yes", "ben yes", "cleo no"]);
    assert_eq!(verdict.cruxes.len(), 2);
}

/// Rule 11: a text that one speaker assumes and another concludes is an assumption, whoever spoke first.
#[test]
fn a_shared_text_is_an_assumption_if_anybody_assumes_it() {
    for swapped in [false, true] {
        let mut debate = VerdictDebate::new(TWO);
        let mut pair = [None, None];
        for (place, speaker) in [(0, "ada"), (1, "ben")] {
            pair[place] = Some(debate.add_argument(speaker, speaker, |argument| match (place == 0) ^ swapped {
                true => argument.premises = vec!["shared".into()],
                false => argument.assumptions = vec!["shared".into()],
            }));
        }
        let [Some(one), Some(other)] = pair else { panic!("two arguments") };
        debate.add_mutual_attack(one, other);
        let origins: Vec<CruxOrigin> = structural(&debate.verdict()).map(|crux| crux.origin).collect();
        assert_eq!(origins, [CruxOrigin::Structure { level: Level::Assumption }], "swapped: {swapped}");
    }
}

/// Rule 11, with a single position: contradictions across speakers that decide a thesis.
#[test]
fn a_single_position_has_cruxes_if_a_thesis_depends_on_an_answer() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |argument| argument.answers_topic = true);
    let attack = debate.add_assuming_argument("ben", "attack", &["decides"]);
    let idle = debate.add_assuming_argument("ben", "idle", &["decides nothing"]);
    debate.add_attack(attack, thesis);
    let verdict = debate.verdict();
    assert_eq!((verdict.n_extensions.as_str(), statements(&verdict)), ("1", vec!["decides"]));
    let own = debate.add_assuming_argument("ben", "own", &["of ben himself"]);
    debate.add_attack(own, idle); // no other speaker is contradicted
    assert_eq!(statements(&debate.verdict()), ["decides"]);
}

/// Rule 12: the order of a crux.
#[test]
fn an_assumption_has_an_order() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |argument| argument.answers_topic = true);
    let one = debate.add_assuming_argument("ben", "one", &["of one"]);
    let other = debate.add_assuming_argument("ben", "other", &["of other"]);
    debate.add_attack(one, thesis);
    debate.add_attack(other, thesis);
    let found = |debate: &VerdictDebate| -> Vec<(String, Option<f64>, Option<u32>)> {
        let verdict = debate.verdict();
        let actual = structural(&verdict)
            .map(|crux| (crux.statement.clone(), crux.pivotality, crux.consequence.expect("by structure").order));
        actual.collect()
    };
    // Two attacks on the thesis: to refute one of them changes nothing, and with every label decided there is no crux.
    assert_eq!(found(&debate), []);
    // Each attack is contradicted, so positions differ on it; now each alone leaves the thesis undecided.
    let answers = [
        debate.add_assuming_argument("ada", "answer", &["answer"]),
        debate.add_assuming_argument("ada", "answers", &["answers"]),
    ];
    debate.add_mutual_attack(answers[0], one);
    debate.add_mutual_attack(answers[1], other);
    let orders: BTreeMap<String, Option<u32>> =
        found(&debate).into_iter().map(|(statement, _, order)| (statement, order)).collect();
    let assumed = ["answer", "answers", "of one", "of other"].map(|statement| (statement.to_owned(), Some(1)));
    // There is only one thesis, so nothing else rests on it.
    let expected = assumed.into_iter().chain([("thesis".to_owned(), None)]);
    assert_eq!(orders, expected.collect());
    // A third attack that nobody contradicts decides the thesis alone: the others change nothing, not even two at once.
    let mut decided = debate.clone();
    let third = decided.add_claim("ben", "third");
    decided.add_attack(third, thesis);
    assert!(found(&decided).iter().all(|(_, pivotality, order)| (*pivotality, *order) == (Some(0.0), None)));
}

/// Rule 12: statements that change the thesis only together.
#[test]
fn two_statements_may_decide_what_neither_decides_alone() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |argument| argument.answers_topic = true);
    for n in 0..2 {
        // An objection that also undercuts itself depends on its answer: it is OUT, or stays undecided.
        let objection = debate.add_claim("ben", &format!("objection {n}"));
        debate.add_attack(objection, objection);
        debate.add_attack(objection, thesis);
        let answer = debate.add_assuming_argument("ada", &format!("answer {n}"), &[&format!("of answer {n}")]);
        debate.add_attack(answer, objection);
        let doubt = debate.add_assuming_argument("ben", &format!("doubt {n}"), &[&format!("of doubt {n}")]);
        debate.add_mutual_attack(doubt, answer);
    }
    let verdict = debate.verdict();
    let cruxes: Vec<&Crux> = structural(&verdict).filter(|crux| crux.statement.starts_with("of ")).collect();
    assert_eq!(cruxes.len(), 4);
    for crux in cruxes {
        let consequence = crux.consequence.expect("by structure");
        assert_eq!((consequence.order, consequence.responsibility(), consequence.changed), (Some(2), 0.5, 0));
        assert!(crux.why.starts_with("settling it alone changes none of 1 thesis; with one more"), "{}", crux.why);
    }
}

/// Rule 12: the fields of a crux that clients are shown.
#[test]
fn a_crux_has_question_positions_and_consequence() {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_argument("ada", "The ferry pays", |argument| {
        argument.assumptions = vec!["The crews are rested.".into(), "Fuel stays cheap".into()];
    });
    let other = debate.add_assuming_argument("ben", "The ferry loses", &["Nobody travels"]);
    debate.add_mutual_attack(other, one);
    let verdict = debate.verdict();
    let crux = structural(&verdict).find(|crux| crux.statement.starts_with("The crews")).expect("the crux");
    assert_eq!(crux.question, "Is it so that the crews are rested?");
    assert_eq!(crux.assumptions, ["Fuel stays cheap"]);
    let positions: Vec<String> = crux
        .positions
        .iter()
        .map(|position| format!("{} {} {}: {}", position.persona, position.side.name(), position.turn, position.words))
        .collect();
    assert_eq!(positions, ["ada yes t1: The ferry pays", "ben no t2: The ferry loses"]);
    assert_eq!((crux.turns.clone(), crux.opened), (vec![TurnId(1), TurnId(2), TurnId(3)], TurnId(3)));
    assert_eq!(
        (crux.why.as_str(), crux.open),
        ("settling it changes 1 of 1 thesis; 1 disputed argument rests on it", true)
    );
}

/// A crux keeps its id as the debate continues, whatever its rank.
#[test]
fn a_crux_keeps_its_id() {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_argument("ada", "one", |argument| argument.premises = vec!["Crews are scarce.".into()]);
    let other = debate.add_claim("ben", "other");
    debate.add_mutual_attack(one, other);
    let key = CruxKey::of_statement("crews are SCARCE");
    let place = |debate: &VerdictDebate| {
        let verdict = debate.verdict();
        let place = verdict.cruxes.iter().position(|crux| crux.key == key).expect("it is there");
        let keys: BTreeSet<CruxKey> = verdict.cruxes.iter().map(|crux| crux.key).collect();
        assert_eq!(keys.len(), verdict.cruxes.len(), "ids are unique");
        (place, verdict.cruxes[place].origin.name())
    };
    assert_eq!(place(&debate), (0, "premise"));
    debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
    let third = debate.add_assuming_argument("ben", "third", &["crews are scarce"]);
    debate.add_mutual_attack(third, other);
    debate.add_mutual_attack(third, one);
    let (place, origin) = place(&debate);
    assert_eq!((place > 0, origin), (true, "assumption"));
}

/// Rule 3: a dispute on which all took one side in the end was a crux, and is reported as resolved.
#[test]
fn settled_disputes_are_reported_as_resolved() {
    let check = |stances: &str, n_open: usize, resolved: Option<(&str, u32)>| {
        let mut debate = VerdictDebate::new(THREE);
        debate.raise_dispute_with_stances("Is winter rough?", stances);
        let verdict = debate.verdict();
        assert_eq!(verdict.cruxes.len(), n_open, "{stances}");
        let found = verdict.resolved.iter().map(|crux| (crux.why.as_str(), crux.opened.0, crux.open));
        assert_eq!(
            found.collect::<Vec<_>>(),
            resolved.map(|(why, opened)| (why, opened, false)).into_iter().collect::<Vec<_>>()
        );
    };
    check("ada yes, ben yes", 0, None);
    check("ada yes, ben no", 1, None);
    check("ada yes, cleo yes, ben no, ben yes", 0, Some(("all took the same side: 3 say yes", 3)));
    check("ada yes, ben no, ada no", 0, Some(("all took the same side: 2 say no", 2)));
    check("ada yes, ben no, ben nuanced", 0, None);
}

/// Rule 15.
#[test]
fn a_verdict_names_its_origin_and_reads_back() {
    let (_, debate) = bitcoin();
    let verdict = debate.verdict();
    assert_eq!(verdict.algorithm, ALGORITHM);
    let text = serde_json::to_string(&verdict).expect("a verdict is JSON");
    assert_eq!(serde_json::from_str::<Verdict>(&text).ok(), Some(verdict));
}
