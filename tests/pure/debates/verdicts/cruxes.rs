//! Cruxes by structure: which statements, in which order, with which consequence.

use std::collections::{BTreeMap, BTreeSet};

use faultline_core::events::argument::ArgumentPart;
use faultline_core::events::argument::ArgumentPart::{Assumption, Claim, Premise};
use faultline_core::events::ids::{ArgumentId, TurnId};
use faultline_core::verdicts::candidates::Level;
use faultline_core::verdicts::crux::{Crux, CruxOrigin};
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::verdict::{ALGORITHM, Verdict};

use crate::debates::verdicts::oracles::bitcoin;
use crate::debates::verdicts::verdict_debate::{
    THREE, TWO, VerdictDebate, contested, positions, statements, structural,
};

/// Builds a debate in which ben's objection to ada's thesis rests on the premises `p` and `s` and the assumption `q`, and
/// ada answers it with a directed attack on one of its components. Returns the objection.
fn answered_objection(component: ArgumentPart) -> (VerdictDebate, ArgumentId) {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |argument| argument.answers_topic = true);
    let objection = debate.add_argument("ben", "objection", |argument| {
        argument.premises = vec!["p".into(), "s".into()];
        argument.assumptions = vec!["q".into()];
    });
    debate.add_attack(objection, thesis);
    let answer = debate.add_claim("ada", "answer");
    debate.undermine(answer, objection, component);
    (debate, objection)
}

/// Rules 11 and 21: the candidate is what an attack denies, and nothing else of the same argument.
#[test]
fn a_crux_by_structure_is_the_component_that_another_attacks() {
    let check = |component: ArgumentPart, level: Level, expected: &str| {
        let (debate, objection) = answered_objection(component);
        let verdict = debate.verdict();
        let found: Vec<(&str, CruxOrigin)> =
            structural(&verdict).map(|crux| (crux.statement.as_str(), crux.origin)).collect();
        assert_eq!(found, [(expected, CruxOrigin::Structure { level })]);
        let crux = &verdict.cruxes[0];
        assert_eq!(
            (crux.dependents.as_slice(), positions(crux).join(", ").as_str()),
            ([objection].as_slice(), "ben rests_on, ada attacks")
        );
    };
    check(Claim, Level::Claim, "objection");
    check(Premise(0), Level::Premise, "p");
    check(Premise(1), Level::Premise, "s");
    check(Assumption(0), Level::Assumption, "q");
}

/// Rule 11: statements that nobody attacks are no cruxes, and all on which the preferred extensions differ are. Two claims
/// that contradict each other are one crux.
#[test]
fn every_argument_on_which_positions_differ_has_a_crux() {
    let mut debate = VerdictDebate::new(TWO);
    let mut expected = BTreeSet::new();
    debate.add_assuming_argument("ada", "undisputed", &["never a crux"]);
    for n in 0..6 {
        let one = debate.add_assuming_argument("ada", &format!("ada {n}"), &["never attacked"]);
        let other = debate.add_assuming_argument("ben", &format!("ben {n}"), &["nor this"]);
        debate.add_mutual_attack(one, other);
        // The attacked claim tells both.
        expected.insert(format!("ben {n}"));
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
        assert_eq!(statements(&debate.verdict()).len(), n, "of {n} contradictions");
    }
}

/// Rule 11: ranking by pivotality, then dependents, then degree of attack.
#[test]
fn cruxes_are_ranked() {
    let mut debate = VerdictDebate::new(TWO);
    let theses =
        ["first", "second"].map(|claim| debate.add_argument("ada", claim, |argument| argument.answers_topic = true));
    for (assumption, objections, targets, answers) in [
        ("lone", 1, &theses[..1], 1),
        ("busy", 1, &theses[..1], 2),
        ("shared", 2, &theses[..1], 1),
        ("hub", 1, &theses[..], 1),
    ] {
        for n in 0..objections {
            let objection = debate.add_assuming_argument("ben", &format!("{assumption} objection {n}"), &[assumption]);
            targets.iter().for_each(|thesis| debate.add_attack(objection, *thesis));
            for k in 0..answers {
                let answer = debate.add_claim("ada", &format!("{assumption} answer {n} {k}"));
                debate.undermine(answer, objection, Assumption(0));
            }
        }
    }
    let verdict = debate.verdict();
    let found: Vec<(&str, f64, usize, usize)> = structural(&verdict)
        .map(|crux| {
            let pivotality = crux.pivotality.expect("by structure");
            (crux.statement.as_str(), pivotality, crux.dependents.len(), crux.attack_degree)
        })
        .collect();
    assert_eq!(found, [("hub", 1.0, 1, 3), ("shared", 0.5, 2, 4), ("busy", 0.5, 1, 3), ("lone", 0.5, 1, 2)]);
}

/// Rule 11: equal texts are the same assumption.
#[test]
fn an_assumption_that_several_share_is_one_crux() {
    let mut debate = VerdictDebate::new(THREE);
    let a = debate.add_assuming_argument("ada", "one", &["Crews are scarce."]);
    let b = debate.add_assuming_argument("ben", "two", &["crews  are\nscarce"]);
    let c = debate.add_claim("cleo", "Crews are many.");
    debate.undermine(c, a, Assumption(0));
    debate.undermine(c, b, Assumption(0));
    debate.add_attack(a, c);
    let verdict = debate.verdict();
    let shared = structural(&verdict).find(|crux| crux.dependents.len() == 2).expect("the shared one");
    assert_eq!(shared.dependents, [a, b]);
    assert_eq!(positions(shared), ["ada rests_on", "ben rests_on", "cleo attacks"]);
    assert_eq!(verdict.cruxes.len(), 2);
}

/// Rule 11: a text that is a premise of one argument and an assumption of another is an assumption, no matter who spoke
/// first and which of the two is attacked.
#[test]
fn a_shared_text_is_an_assumption_if_anybody_assumes_it() {
    for swapped in [false, true] {
        let mut debate = VerdictDebate::new(THREE);
        let one = debate.add_argument("ada", "one", |argument| match swapped {
            true => argument.premises = vec!["shared".into()],
            false => argument.assumptions = vec!["shared".into()],
        });
        debate.add_argument("ben", "other", |argument| match swapped {
            true => argument.assumptions = vec!["shared".into()],
            false => argument.premises = vec!["shared".into()],
        });
        let foe = debate.add_claim("cleo", "foe");
        debate.undermine(foe, one, if swapped { Premise(0) } else { Assumption(0) });
        debate.add_attack(one, foe);
        let verdict = debate.verdict();
        let shared = structural(&verdict).find(|crux| crux.statement == "shared").expect("it divides");
        assert_eq!(shared.origin, CruxOrigin::Structure { level: Level::Assumption }, "swapped: {swapped}");
        assert_eq!(positions(shared), ["ada rests_on", "ben rests_on", "cleo attacks"]);
    }
}

/// Rules 11 and 21, with a single position: a statement is a crux if another participant attacks it and a thesis depends
/// on it.
#[test]
fn a_single_position_has_cruxes_if_a_thesis_depends_on_an_answer() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |argument| argument.answers_topic = true);
    let attack = debate.add_assuming_argument("ben", "attack", &["decides"]);
    let idle = debate.add_assuming_argument("ben", "idle", &["decides nothing"]);
    debate.add_attack(attack, thesis);
    assert_eq!(statements(&debate.verdict()), [""; 0], "nobody denies what the attack rests on");
    let answer = debate.add_claim("ada", "answer");
    debate.undermine(answer, attack, Assumption(0));
    let verdict = debate.verdict();
    assert_eq!((verdict.n_extensions.as_str(), statements(&verdict)), ("1", vec!["decides"]));
    let own = debate.add_claim("ben", "own");
    debate.undermine(own, idle, Assumption(0)); // no other speaker is contradicted
    let verdict = debate.verdict();
    assert_eq!((statements(&verdict), contested(&verdict)), (vec!["decides"], vec![]));
    let doubt = debate.add_claim("ada", "doubt");
    debate.undermine(doubt, idle, Assumption(0)); // another speaker is, but no thesis depends on it
    let verdict = debate.verdict();
    assert_eq!((statements(&verdict), contested(&verdict)), (vec!["decides"], vec!["decides nothing"]));
}

/// Rule 12: the order of a crux.
#[test]
fn a_contested_statement_has_an_order() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |argument| argument.answers_topic = true);
    let one = debate.add_claim("ben", "one");
    let other = debate.add_claim("ben", "other");
    debate.add_attack(one, thesis);
    debate.add_attack(other, thesis);
    let found = |those: &[Crux]| -> Vec<(String, Option<f64>, Option<u32>)> {
        let key =
            |crux: &Crux| (crux.statement.clone(), crux.pivotality, crux.consequence.expect("by structure").order);
        those.iter().map(key).collect()
    };
    // Two attacks on the thesis that nobody answers: nobody is divided over them.
    let verdict = debate.verdict();
    assert_eq!((found(&verdict.cruxes), found(&verdict.contested)), (vec![], vec![]));
    // Each attack is contradicted, so positions differ on it; now each alone decides the thesis.
    for (claim, attack) in [("answer", one), ("answers", other)] {
        let answer = debate.add_claim("ada", claim);
        debate.add_mutual_attack(answer, attack);
    }
    let verdict = debate.verdict();
    let orders: BTreeMap<String, Option<u32>> =
        found(&verdict.cruxes).into_iter().map(|(statement, _, order)| (statement, order)).collect();
    let expected = ["one", "other"].map(|statement| (statement.to_owned(), Some(1)));
    assert_eq!(orders, BTreeMap::from(expected), "the thesis answers the topic and is no crux");
    // A third attack that nobody contradicts decides the thesis alone: the others change nothing, not even two at once.
    let third = debate.add_claim("ben", "third");
    debate.add_attack(third, thesis);
    let verdict = debate.verdict();
    assert_eq!((found(&verdict.cruxes), verdict.contested.len()), (vec![], 2));
    let changes_nothing = |(_, pivotality, order): &(String, _, _)| (*pivotality, *order) == (Some(0.0), None);
    assert!(found(&verdict.contested).iter().all(changes_nothing));
}

/// Rules 12 and 21: statements that change the thesis only together are contested premises of order 2.
#[test]
fn two_statements_may_decide_what_neither_decides_alone() {
    let mut debate = VerdictDebate::new(TWO);
    let thesis = debate.add_argument("ada", "thesis", |argument| argument.answers_topic = true);
    for n in 0..2 {
        // An objection that also undercuts itself depends on its answer: it is OUT, or stays undecided.
        let objection = debate.add_claim("ben", &format!("objection {n}"));
        debate.add_attack(objection, objection);
        debate.add_attack(objection, thesis);
        let answer = debate.add_claim("ada", &format!("answer {n}"));
        debate.add_attack(answer, objection);
        let doubt = debate.add_claim("ben", &format!("doubt {n}"));
        debate.add_mutual_attack(doubt, answer);
    }
    let verdict = debate.verdict();
    let is_pair = |crux: &&Crux| crux.statement.starts_with("answer") || crux.statement.starts_with("doubt");
    let premises: Vec<&Crux> = verdict.contested.iter().filter(is_pair).collect();
    // Each objection decides the thesis alone.
    assert_eq!((premises.len(), statements(&verdict)), (2, vec!["objection 0", "objection 1"]));
    for crux in premises {
        let consequence = crux.consequence.expect("by structure");
        assert_eq!((consequence.order, consequence.responsibility(), consequence.changed), (Some(2), 0.5, 0));
        assert!(
            crux.why.starts_with(
                "settling it alone does not change the status of the only answer to the topic that does not rest on it; with one more"
            ),
            "{}",
            crux.why
        );
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
    debate.undermine(other, one, Assumption(0));
    debate.add_attack(one, other);
    let verdict = debate.verdict();
    let crux = structural(&verdict).find(|crux| crux.statement.starts_with("The crews")).expect("the crux");
    assert_eq!(crux.question, "Are the crews rested?");
    assert_eq!(crux.assumptions, ["Fuel stays cheap"]);
    let positions: Vec<String> = crux
        .positions
        .iter()
        .map(|position| format!("{} {} {}: {}", position.persona, position.side.name(), position.turn, position.words))
        .collect();
    assert_eq!(positions, ["ada rests_on t1: The ferry pays", "ben attacks t3: The ferry loses"]);
    assert_eq!((crux.turns.clone(), crux.opened), (vec![TurnId(1), TurnId(3)], TurnId(3)));
    assert_eq!(
        (crux.why.as_str(), crux.open),
        (
            "settling it can change the status of the only claim in conflict that does not rest on it; 1 disputed argument rests on it",
            true
        )
    );
}

/// A crux keeps its id as the debate continues, whatever its rank.
#[test]
fn a_crux_keeps_its_id() {
    let mut debate = VerdictDebate::new(THREE);
    let one = debate.add_argument("ada", "one", |argument| argument.premises = vec!["Crews are scarce.".into()]);
    let other = debate.add_claim("ben", "other");
    debate.undermine(other, one, Premise(0));
    debate.add_attack(one, other);
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
    let third = debate.add_assuming_argument("cleo", "third", &["crews are scarce"]);
    debate.add_mutual_attack(third, other);
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
