//! Parts of a disagreement: each follows from the graph, and each list is empty where the debate shows nothing.

use faultline_argumentation::labelling::Label::{In, Out, Undec};
use faultline_core::events::argument::{ArgumentPart, AttackKind};
use faultline_core::events::citation::Evidence;
use faultline_core::events::dispute::{Polarity, ReasonGiven, Side};
use faultline_core::events::event::Event;
use faultline_core::events::ids::{ArgumentId, AttackId, DisputeId, ReasonId};
use faultline_core::verdicts::disagreement::evidence_ledger::{EvidenceLedger, evidence_ledgers};
use faultline_core::verdicts::disagreement::fault_category::FaultCategory;
use faultline_core::verdicts::disagreement::fault_lines::{FaultLine, fault_lines};
use faultline_core::verdicts::disagreement::flip_conditions::{FlipCondition, flip_conditions};
use faultline_core::verdicts::disagreement::resolution_paths::{ResolutionPath, resolution_paths};

use crate::debates::verdicts::verdict_debate::{TWO, VerdictDebate};

fn lines(debate: &VerdictDebate) -> Vec<FaultLine> {
    let read_model = debate.read_model();
    fault_lines(&read_model.arguments, &read_model.verdict())
}

fn ledgers(debate: &VerdictDebate) -> Vec<EvidenceLedger> {
    let read_model = debate.read_model();
    let labels = read_model.verdict().labels;
    evidence_ledgers(&read_model.summary, &read_model.arguments, &read_model.disputes, &labels)
}

fn conditions(debate: &VerdictDebate) -> Vec<FlipCondition> {
    let read_model = debate.read_model();
    flip_conditions(&read_model.summary, &read_model.arguments, &read_model.verdict().labels)
}

fn paths(debate: &VerdictDebate) -> Vec<ResolutionPath> {
    let read_model = debate.read_model();
    resolution_paths(&read_model.disputes, &read_model.verdict())
}

fn evidence(text: &str) -> Evidence {
    Evidence { text: text.to_owned(), citation: None }
}

#[test]
fn a_debate_without_conflict_shows_no_parts() {
    let mut debate = VerdictDebate::new(TWO);
    debate.add_claim("ada", "one");
    debate.add_claim("ben", "two");
    assert_eq!((lines(&debate), conditions(&debate), paths(&debate)), (Vec::new(), Vec::new(), Vec::new()));
    let ledgers = ledgers(&debate);
    assert_eq!(ledgers.len(), 2, "each participant has a ledger");
    assert!(ledgers.iter().all(|ledger| ledger.offered.is_empty() && ledger.contested.is_empty()));
}

#[test]
fn a_fault_line_consists_of_what_only_one_camp_accepts() {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_claim("ada", "The ferry pays in ten years");
    let other = debate.add_claim("ben", "The ferry pays this month or never");
    let shared = debate.add_claim("ada", "The crew is tired");
    debate.add_mutual_attack(other, one);
    let lines = lines(&debate);
    let [line] = lines.as_slice() else { panic!("one line: {lines:?}") };
    assert_eq!((&line.one.arguments, &line.other.arguments), (&vec![one], &vec![other]));
    assert!(!line.one.arguments.contains(&shared));
    assert_eq!((line.one.personas[0].as_str(), line.other.personas[0].as_str()), ("ada", "ben"));
    assert_eq!((line.category, line.words.join(" ")), (Some(FaultCategory::TimeHorizon), "years month".to_owned()));
}

#[test]
fn a_condition_names_one_attacker_if_its_refutation_is_enough() {
    let mut debate = VerdictDebate::new(TWO);
    let target = debate.add_claim("ada", "one");
    let attacker = debate.add_claim("ben", "two");
    debate.add_attack(attacker, target);
    let expected = |refuted: Vec<ArgumentId>, label, becomes| FlipCondition {
        persona: "ada".parse().expect("an id"),
        argument: target,
        label,
        refuted,
        becomes,
    };
    assert_eq!(conditions(&debate), [expected(vec![attacker], Out, In)], "ben's argument is accepted");
    let second = debate.add_claim("ben", "three");
    debate.add_attack(second, target);
    assert_eq!(conditions(&debate), [expected(vec![attacker, second], Out, In)], "one of two is not enough");
}

#[test]
fn an_undecided_argument_has_a_condition_if_none_is_rejected() {
    let mut debate = VerdictDebate::new(TWO);
    let one = debate.add_claim("ada", "one");
    let other = debate.add_claim("ben", "two");
    debate.add_mutual_attack(other, one);
    let found = conditions(&debate);
    let brief: Vec<_> = found.iter().map(|it| (it.argument, it.label, it.refuted.clone(), it.becomes)).collect();
    assert_eq!(brief, [(one, Undec, vec![other], In), (other, Undec, vec![one], In)]);
}

#[test]
fn evidence_is_contested_by_attacks_and_defeated_by_accepted_ones() {
    let mut debate = VerdictDebate::new(TWO);
    let target = debate.add_argument("ada", "one", |argument| argument.evidence = vec![evidence("the log of 1998")]);
    let attacker = debate.add_claim("ben", "two");
    debate.raise_attack(attacker, target, AttackKind::Undercut, ArgumentPart::Claim);
    assert!(ledgers(&debate)[1].contested.is_empty(), "an attack that nobody judged contests nothing");
    debate.judge_attack(AttackId(1), true);
    let found = ledgers(&debate);
    let offered: Vec<&str> = found[0].offered.iter().map(|offered| offered.evidence.text.as_str()).collect();
    assert_eq!((offered, found[1].offered.len()), (vec!["the log of 1998"], 0));
    let contested = &found[1].contested[0];
    assert_eq!((contested.offered_by.as_str(), contested.evidence.text.as_str()), ("ada", "the log of 1998"));
    assert_eq!((contested.attack, contested.defeated, found[0].contested.len()), (Some(AttackId(1)), true, 0));
    let answer = debate.add_claim("ada", "three");
    debate.add_attack(answer, attacker);
    assert!(!ledgers(&debate)[1].contested[0].defeated, "an attack that is answered defeats nothing");
}

#[test]
fn reasons_offer_and_contest_evidence_too() {
    let mut debate = VerdictDebate::new(TWO);
    let dispute = debate.raise_dispute_with_stances("Does it pay?", "ada yes, ben no");
    let reason = |debate: &mut VerdictDebate, number: u32, speaker: &str, given: Evidence, attacks: Vec<ReasonId>| {
        let turn = debate.turn(speaker);
        debate.events.push(Event::ReasonGiven(ReasonGiven {
            reason: ReasonId(number),
            dispute,
            speaker: speaker.parse().expect("an id"),
            turn,
            side: if speaker == "ada" { Side::Yes } else { Side::No },
            polarity: Polarity::Supports,
            claim: format!("reason {number}"),
            assumptions: Vec::new(),
            evidence: vec![given],
            attacks,
            paraphrased: false,
        }));
    };
    reason(&mut debate, 1, "ada", evidence("the books"), Vec::new());
    reason(&mut debate, 2, "ben", evidence("the bank"), vec![ReasonId(1)]);
    let found = ledgers(&debate);
    let offered = |at: usize| found[at].offered.iter().map(|it| it.evidence.text.as_str()).collect::<Vec<_>>();
    assert_eq!((offered(0), offered(1)), (vec!["the books"], vec!["the bank"]));
    let contested = &found[1].contested[0];
    assert_eq!((contested.evidence.text.as_str(), contested.reason.as_str()), ("the books", "reason 2"));
    assert_eq!((contested.attack, contested.defeated), (None, false));
}

#[test]
fn a_path_leads_to_each_open_crux_and_to_nothing_else() {
    let mut debate = VerdictDebate::new(TWO);
    debate.ask_topic("ada yes, ben no");
    let open = debate.raise_dispute_with_stances("Does it pay?", "ada yes, ben no");
    debate.raise_dispute_with_stances("Is it safe?", "ada yes, ben yes");
    let paths = paths(&debate);
    let questions: Vec<&str> = paths.iter().map(|path| path.question.as_str()).collect();
    assert_eq!((questions, open), (vec!["Does it pay?"], DisputeId(2)), "neither the topic nor an agreement");
    assert_eq!((paths[0].criteria.len(), paths[0].changed_theses), (0, None), "nobody named an observation");
}
