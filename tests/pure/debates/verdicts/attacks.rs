//! Attacks: which ones count, and how they are told apart.

use std::collections::BTreeMap;

use faultline_argumentation::labelling::Label::{In, Out, Undec};
use faultline_core::events::argument::ArgumentPart::{Assumption, Claim, Premise};
use faultline_core::events::argument::AttackKind::{Rebut, Undercut, Undermine};
use faultline_core::events::argument::{ArgumentPart, ArgumentRevised, AttackKind};
use faultline_core::events::event::Event;
use faultline_core::events::ids::AttackId;
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::debates::verdicts::verdict_debate::{TWO, VerdictDebate, labels};
use crate::rehearsal::{Script, perform};

/// Rule 6.
#[test]
fn a_rebuttal_of_a_claim_is_mutual_and_all_other_attacks_are_directed() {
    let check =
        |raised: (AttackKind, ArgumentPart), corrected: (Option<AttackKind>, Option<ArgumentPart>), mutual: bool| {
            let mut debate = VerdictDebate::new(TWO);
            let target = debate.add_argument("ada", "one", |argument| {
                (argument.premises, argument.assumptions) = (vec!["two".into()], vec!["three".into()]);
            });
            let source = debate.add_claim("ben", "four");
            let attack = debate.raise_attack(source, target, raised.0, raised.1);
            debate.judge_attack_as(attack, true, corrected.0, corrected.1);
            let expected = if mutual { vec![Undec, Undec] } else { vec![Out, In] };
            assert_eq!(labels(&debate), expected, "{raised:?}, corrected to {corrected:?}");
            assert_eq!(debate.verdict().n_extensions, if mutual { "2" } else { "1" });
        };
    for component in [Claim, Premise(0), Assumption(0)] {
        check((Rebut, component), (None, None), component == Claim);
        check((Undermine, component), (None, None), false);
        check((Undercut, component), (None, None), false);
    }
    check((Rebut, Claim), (Some(Undercut), None), false);
    check((Rebut, Claim), (None, Some(Premise(0))), false);
    check((Undercut, Claim), (Some(Rebut), None), true);
    check((Undermine, Premise(0)), (Some(Rebut), Some(Claim)), true);
}

/// Rule 7.
#[test]
fn an_attack_not_judged_valid_adds_neither_an_edge_nor_a_node() {
    for judged in [None, Some(false), Some(true)] {
        let mut debate = VerdictDebate::new(TWO);
        let target = debate.add_claim("ada", "one");
        let (counter, attack) = debate.add_counterargument("ben", target, "two");
        judged.iter().for_each(|judgement| debate.judge_attack(attack, *judgement));
        let read_model = debate.read_model();
        let (framed, verdict) = (read_model.arguments.framework(), read_model.verdict());
        let enters = judged == Some(true);
        assert_eq!(framed.ids, if enters { vec![target, counter] } else { vec![target] }, "{judged:?}");
        assert_eq!(framed.framework.attack_count(), if enters { 2 } else { 0 }, "{judged:?}");
        assert_eq!(verdict.labels.contains_key(&counter), enters, "{judged:?}");
        assert_eq!(verdict.regime.coverage.pairs, usize::from(enters), "{judged:?}");
        assert!(verdict.camps.iter().all(|camp| enters || !camp.arguments.contains(&counter)), "{judged:?}");
        assert_eq!(read_model.arguments.arguments.len(), 2, "the log keeps it");
    }
}

/// Rule 7: an attack on an argument that does not count does not count.
#[test]
fn an_attack_on_an_inactive_argument_is_inactive() {
    let mut debate = VerdictDebate::new(TWO);
    let target = debate.add_claim("ada", "one");
    let (counter, attack) = debate.add_counterargument("ben", target, "two");
    let answer = debate.add_claim("ada", "three");
    debate.add_attack(answer, counter);
    debate.add_attack(counter, answer);
    debate.judge_attack(attack, false);
    assert_eq!(debate.read_model().arguments.framework().framework.attack_count(), 0);
    assert_eq!(debate.verdict().labels, BTreeMap::from([(target, In), (answer, In)]));
}

/// Rule 8: the same attack by the same speaker counts once, and by two speakers twice.
#[test]
fn attacks_are_distinguished_by_attacker_argument_target_and_kind() {
    let attack = |component: &str, kind: &str, claim: &str| {
        format!(
            r#"{{"target": "a1", "component": "{component}", "index": 0, "kind": "{kind}", "rationale": "...",
                "confidence": 0.5, "counter": {{"claim": "{claim}", "premises": [], "assumptions": []}}}}"#
        )
    };
    let turn = |attacks: &[&str]| format!(r#"{{"speech": "So.", "attacks": [{}]}}"#, attacks.join(", "));
    let opening = r#"{"stance": "yes", "stance_words": "Yes.", "speech": "Yes.", "arguments": [{"claim": "one", "premises": ["two"]}]}"#;
    let same = attack("claim", "rebut", "three");
    let others = [
        attack("premise", "undermine", "three"),
        attack("claim", "undercut", "three"),
        attack("claim", "rebut", "four"),
    ];
    let check = |of_ben: &[&str], of_cleo: &[&str], expected: usize| {
        let actual = "topic: x\nengine: graph\npersonas: ada, ben, cleo\noptions: {\"rounds\": 1}\n";
        let mut script = Script::parse(actual);
        let nothing = r#"{"speech": "", "attacks": []}"#.to_owned();
        for (key, reply) in [
            ("open/*", opening.to_owned()),
            ("attack/ada/1", nothing),
            ("attack/ben/1", turn(of_ben)),
            ("attack/cleo/1", turn(of_cleo)),
            ("judge/*", "{}".to_owned()),
        ] {
            script.answers.insert(key.to_owned(), [reply].into());
        }
        let log = perform(script, None);
        assert_eq!(DebateReadModel::of(&log.0).arguments.attacks.len(), expected, "{}", log.lines());
    };
    check(&[&same], &[], 1);
    check(&[&same, &same], &[], 1);
    check(&[&same], &[&same], 2);
    for other in others {
        check(&[&same, &other], &[], 2);
    }
}

/// Rule 18: whatever a judge rules, an attack by a claim on an equal claim is not valid, on whichever component.
#[test]
fn equal_claims_do_not_attack_each_other() {
    let check = |one: &str, other: &str, component: ArgumentPart, kind: AttackKind, equal: bool| {
        let mut debate = VerdictDebate::new(TWO);
        let target = debate.add_argument("ada", one, |argument| argument.premises = vec!["a premise".into()]);
        let attack = AttackId(1);
        let source = debate.add_argument("ben", other, |argument| argument.carries = Some(attack));
        debate.raise_attack(source, target, kind, component);
        debate.judge_attack(attack, true);
        let read_model = debate.read_model();
        let (entry, framed) = (&read_model.arguments.attacks[&attack], read_model.arguments.framework());
        assert_eq!((entry.is_between_equals, entry.is_valid()), (equal, !equal), "{one:?} and {other:?}");
        assert_eq!(framed.framework.attack_count() == 0, equal, "{one:?} and {other:?}");
        assert_eq!(read_model.arguments.is_live(source), !equal, "an argument counts if the attack it carries does");
    };
    for (component, kind) in [(Claim, Rebut), (Claim, Undercut), (Premise(0), Undermine)] {
        check("The city should close its centre.", "the city should  close its centre", component, kind, true);
        check("The city should close its centre.", "The city should not close its centre.", component, kind, false);
        check("¿?", "!", component, kind, false); // without words nothing is the same
    }
}

/// Rule 18: a claim that a concession narrows to what its attacker says is no longer attacked, and the other way round.
#[test]
fn a_revised_claim_is_compared_anew() {
    let mut debate = VerdictDebate::new(TWO);
    let target = debate.add_claim("ada", "The ferry should run at night.");
    let source = debate.add_claim("ben", "The ferry should run at night in summer.");
    debate.add_attack(source, target);
    let revised_to = |debate: &mut VerdictDebate, claim: &str| {
        let (turn, claim) = (debate.turn("ada"), Some(claim.to_owned()));
        let revised = ArgumentRevised { argument: target, turn, claim, assumptions: vec![] };
        debate.events.push(Event::ArgumentRevised(revised));
        labels(debate)
    };
    assert_eq!(labels(&debate), [Out, In]);
    assert_eq!(revised_to(&mut debate, "The ferry should run at night, in summer."), [In, In]);
    assert_eq!(revised_to(&mut debate, "The ferry should run at night in June."), [Out, In]);
}
