//! Parts of a disagreement: each follows from the graph, and each list is empty where the debate shows nothing.

use faultline_argumentation::labelling::Label::{In, Out, Undec};
use faultline_core::events::argument::{ArgumentPart, AttackKind};
use faultline_core::events::citation::Evidence;
use faultline_core::events::dispute::{Polarity, ReasonGiven, Side};
use faultline_core::events::event::Event;
use faultline_core::events::ids::{ArgumentId, AttackId, DisputeId, ReasonId, TurnId};
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::disagreement::evidence_ledger::{EvidenceLedger, evidence_ledgers};
use faultline_core::verdicts::disagreement::fault_category::FaultCategory;
use faultline_core::verdicts::disagreement::fault_line::FaultLine;
use faultline_core::verdicts::disagreement::fault_lines::fault_lines;
use faultline_core::verdicts::disagreement::flip_conditions::{FlipCondition, flip_conditions};
use faultline_core::verdicts::disagreement::resolution_paths::{ResolutionPath, resolution_paths};

use crate::debates::verdicts::verdict_debate::{TWO, VerdictDebate};

fn lines(debate: &VerdictDebate) -> Vec<FaultLine> {
    let read_model = debate.read_model();
    fault_lines(&read_model, &read_model.verdict())
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
    assert_eq!((line.dispute, line.category_missing.as_deref()), (None, None));
    assert_eq!((&line.one.turns, &line.other.turns), (&vec![TurnId(1)], &vec![TurnId(2)]));
}

/// Gives a reason in a turn with this text.
fn give_reason(debate: &mut VerdictDebate, speaker: &str, text: &str, change: impl FnOnce(&mut ReasonGiven)) -> TurnId {
    let turn = debate.say(speaker, text);
    let n = debate.events.iter().filter(|event| matches!(event, Event::ReasonGiven(_))).count();
    let mut given = ReasonGiven {
        reason: ReasonId(n as u32 + 1),
        dispute: DisputeId(1),
        speaker: speaker.parse().expect("an id"),
        turn,
        side: if speaker == "ada" { Side::Yes } else { Side::No },
        polarity: Polarity::Supports,
        claim: text.to_owned(),
        assumptions: Vec::new(),
        evidence: Vec::new(),
        attacks: Vec::new(),
        paraphrased: false,
    };
    change(&mut given);
    debate.events.push(Event::ReasonGiven(given));
    turn
}

#[test]
fn a_question_with_a_yes_and_a_no_is_a_fault_line_where_no_argument_is() {
    let mut debate = VerdictDebate::new(TWO);
    debate.raise_dispute_with_stances("Does it pay?", "ada yes, ben no");
    debate.raise_dispute_with_stances("Is it safe?", "ada yes, ben yes");
    let first = give_reason(&mut debate, "ada", "Tickets pay for it.", |_| {});
    let second = give_reason(&mut debate, "ada", "It breaks even within ten years.", |_| {});
    let third = give_reason(&mut debate, "ben", "This month it runs empty.", |given| {
        given.attacks = vec![ReasonId(2)];
        given.assumptions = vec!["The horizon is a decade.".into()];
    });
    let lines = lines(&debate);
    let [line] = lines.as_slice() else { panic!("one line: {lines:?}") };
    assert_eq!((line.dispute, &line.cruxes), (Some(DisputeId(1)), &vec![CruxKey::Dispute(DisputeId(1))]));
    assert_eq!((line.one.personas[0].as_str(), line.other.personas[0].as_str()), ("ada", "ben"));
    assert_eq!((&line.one.reasons, &line.other.reasons), (&vec![ReasonId(2), ReasonId(1)], &vec![ReasonId(3)]));
    assert_eq!((&line.one.turns, &line.other.turns), (&vec![TurnId(1), first, second], &vec![TurnId(2), third]));
    // Nobody said "horizon" or "decade": a clerk did.
    assert_eq!((line.category, line.words.join(" ")), (Some(FaultCategory::TimeHorizon), "years month".to_owned()));
    debate.add_claim("ada", "The ferry pays");
    assert_eq!(self::lines(&debate), [], "arguments show what conflicts, if there are any");
}

#[test]
fn a_fault_line_has_no_category_unless_both_sides_gave_a_reason_in_its_words() {
    let mut debate = VerdictDebate::new(TWO);
    debate.ask_topic("ada yes, ben no");
    let missing = |debate: &VerdictDebate| {
        let lines = lines(debate);
        assert_eq!((lines[0].category, lines[0].words.len()), (None, 0));
        lines[0].category_missing.clone().expect("a reason")
    };
    assert_eq!(missing(&debate), "Neither side gave a reason.");
    give_reason(&mut debate, "ada", "The cost is small and the risk too.", |_| {});
    assert_eq!(missing(&debate), "Only one side gave a reason.");
    give_reason(&mut debate, "ben", "The crew is tired.", |given| given.polarity = Polarity::Attacks);
    assert_eq!(missing(&debate), "Only one side gave a reason.", "a reason against the own side is none for it");
    give_reason(&mut debate, "ben", "The crew sleeps.", |given| {
        given.claim = "The price is high and lives are lost.".into();
        given.paraphrased = true;
    });
    let found = &lines(&debate)[0];
    assert_eq!((found.category, found.words.join(" ")), (Some(FaultCategory::Stakes), "cost risk".to_owned()));
    let mut debate = VerdictDebate::new(TWO);
    debate.ask_topic("ada yes, ben no");
    give_reason(&mut debate, "ada", "The harbour is lit.", |given| {
        given.claim = "The cost and the risk are small.".into()
    });
    give_reason(&mut debate, "ben", "The crew is tired.", |_| {});
    assert_eq!(missing(&debate), "What the two sides say first contains no two words of a category.");
}

/// Stances without words of their own, and those of one side alone, divide nobody.
#[test]
fn only_stances_in_words_of_their_holders_make_a_fault_line() {
    let mut debate = VerdictDebate::new(TWO);
    let dispute = debate.raise_dispute_with_stances("Does it pay?", "ada yes, ben nuanced");
    assert_eq!(lines(&debate), []);
    debate.take_side("ben", dispute, Side::No);
    assert_eq!(lines(&debate).len(), 1);
    let Some(Event::StanceTaken(taken)) = debate.events.last_mut() else { panic!("a stance") };
    taken.quote = None;
    assert_eq!(lines(&debate), []);
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
