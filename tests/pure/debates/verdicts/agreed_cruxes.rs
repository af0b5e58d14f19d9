//! Rule 13 with rule 21: agreeing that a question is the crux answers it neither way, and a question asked twice is one crux.

use faultline_core::events::crux::{CruxAcknowledged, CruxProposed};
use faultline_core::events::dispute::{DisputeLinked, Side};
use faultline_core::events::event::Event;
use faultline_core::events::ids::{CruxId, DisputeId};
use faultline_core::events::lifecycle::DebateOutcome;
use faultline_core::export::report::endings::{ending_reason, outcome_in_words};
use faultline_core::export::report::missed_calls::nobody_agreed;
use faultline_core::verdicts::crux::{Crux, CruxOrigin};

use crate::debates::verdicts::verdict_debate::{THREE, TWO, VerdictDebate, exhausted};
use crate::support::personas::persona_id;

/// Ada proposes the question as the crux, and Ben agrees.
fn agree_on(debate: &mut VerdictDebate, question: &str) {
    let crux = CruxId(1);
    let proposed = debate.say("ada", &format!("It comes down to this. {question}"));
    let (speaker, statement) = (persona_id("ada"), question.to_owned());
    debate.events.push(Event::CruxProposed(CruxProposed { crux, speaker, turn: proposed, statement, quote: None }));
    let turn = debate.say("ben", "Yes, that is it.");
    let (speaker, quote) = (persona_id("ben"), Some("Yes, that is it.".to_owned()));
    debate.events.push(Event::CruxAcknowledged(CruxAcknowledged { crux, speaker, turn, cites: proposed, quote }));
}

fn sides(crux: &Crux) -> Vec<String> {
    crux.positions.iter().map(|position| format!("{} {}", position.persona, position.side.name())).collect()
}

#[test]
fn agreeing_on_the_crux_answers_it_neither_way() {
    let mut debate = VerdictDebate::new(TWO);
    agree_on(&mut debate, "Can the crews refuse?");
    let verdict = debate.verdict();
    assert_eq!(sides(&verdict.cruxes[0]), ["ada proposes_crux", "ben agrees_on_crux"]);
    let positions = &verdict.cruxes[0].positions;
    assert!(positions.iter().all(|position| !position.side.affirms() && !position.side.denies()));
}

#[test]
fn a_dispute_that_participants_agree_on_as_the_crux_is_one_crux() {
    let mut debate = VerdictDebate::new(TWO);
    let dispute = debate.raise_dispute_with_stances("Can the crews refuse?", "ada yes, ben no");
    agree_on(&mut debate, "Can the crews refuse");
    let verdict = debate.verdict();
    let [crux] = verdict.cruxes.as_slice() else { panic!("{:?}", verdict.cruxes) };
    assert_eq!((crux.origin, crux.agreed), (CruxOrigin::Dispute { dispute }, Some(CruxId(1))));
    assert_eq!(sides(crux), ["ada yes", "ben no"]);
    assert_eq!(crux.why, "1 says yes and 1 says no; Ada proposed it as the crux in t3; agreed: Ben in t4");
    let turns: Vec<String> = crux.turns.iter().map(ToString::to_string).collect();
    assert_eq!(turns, ["t1", "t2", "t3", "t4"]);
}

#[test]
fn a_stance_on_the_same_question_is_the_side_of_whoever_agrees_on_it() {
    let mut debate = VerdictDebate::new(TWO);
    debate.raise_dispute_with_stances("Can the crews refuse?", "ben no");
    agree_on(&mut debate, "Can the crews refuse?");
    assert_eq!(sides(&debate.verdict().cruxes[0]), ["ada proposes_crux", "ben no"]);
}

/// Last words are asked for at the same moment: participants who name the same crux there have agreed with nobody.
#[test]
fn the_same_crux_named_by_two_is_not_agreed_on() {
    let mut debate = VerdictDebate::new(TWO);
    let dispute = debate.raise_dispute_with_stances("Can the crews refuse?", "ada yes, ben no");
    for (crux, speaker) in [(CruxId(1), "ada"), (CruxId(2), "ben")] {
        let turn = debate.say(speaker, &format!("For {speaker}, it comes down to this. Can the crews refuse?"));
        let (speaker, statement) = (persona_id(speaker), "Can the crews refuse?".to_owned());
        debate.events.push(Event::CruxProposed(CruxProposed { crux, speaker, turn, statement, quote: None }));
    }
    let verdict = debate.verdict();
    let [crux] = verdict.cruxes.as_slice() else { panic!("{:?}", verdict.cruxes) };
    assert_eq!((crux.origin, crux.agreed), (CruxOrigin::Dispute { dispute }, None));
    assert_eq!(crux.why, "1 says yes and 1 says no; named as the crux by Ada in t3 and Ben in t4");
    let read_model = debate.read_model();
    let proposals = &read_model.crux_proposals;
    let shared: Vec<String> = proposals.shared().map(|(crux, turn)| format!("{} {turn}", crux.proposed.crux)).collect();
    assert_eq!((shared, proposals.acknowledged().count()), (vec!["c1 t4".to_owned()], 0));
    let told = nobody_agreed(&read_model, &proposals.cruxes[&CruxId(2)]);
    assert_eq!(told, "nobody else spoke after it; also named by Ada in t3");
    let told = nobody_agreed(&read_model, &proposals.cruxes[&CruxId(1)]);
    assert_eq!(told, "nobody agreed; also named by Ben in t4");
}

/// The number counts those whom the reason names, the proposer among them, crux by crux, and whatever the outcome.
#[test]
fn an_ending_names_the_group_that_agreed_on_each_crux() {
    let ending = |speakers: &[&str], outcome: &DebateOutcome| {
        let mut debate = VerdictDebate::new(speakers);
        debate.raise_dispute_with_stances("Can the crews refuse?", "ada yes, ben no");
        agree_on(&mut debate, "Can the crews refuse?");
        let (model, verdict) = (debate.read_model(), debate.verdict());
        (outcome_in_words(&model, &verdict, outcome), ending_reason(&model, &verdict, outcome))
    };
    let named = "Ben agreed in t4 that c1, proposed by Ada, is the crux";
    let settled = DebateOutcome::Settled { reason: named.to_owned() };
    let limit = DebateOutcome::Limit { limit: "rounds".to_owned(), reason: "3 of 3 rounds held".to_owned() };
    let group = "2 of 3 participants agreed that the crux is c1 (its proposer included), and not on the answer to it";
    assert_eq!(ending(THREE, &settled), (group.to_owned(), named.to_owned()));
    let (words, reason) = ending(THREE, &limit);
    assert_eq!(words, "a limit was reached (rounds)");
    assert_eq!(reason, format!("3 of 3 rounds held; {group}: {named}"));
    let all = "all participants agreed on what the crux is, and not on the answer to it";
    assert_eq!(ending(TWO, &limit).1, format!("3 of 3 rounds held; {all}: {named}"));
}

/// A crux that nobody has answered divides nobody yet, and the verdict says so.
#[test]
fn an_agreed_crux_that_nobody_answered_says_so() {
    let mut debate = VerdictDebate::new(TWO);
    agree_on(&mut debate, "Can the crews refuse?");
    let asked = |debate: &VerdictDebate| {
        let crux = debate.verdict().cruxes.remove(0);
        (crux.why, crux.card.diagnosis, crux.card.criteria_missing.unwrap_or_default())
    };
    let (why, diagnosis, criteria) = asked(&debate);
    assert_eq!(why, "Ada proposed it as the crux in t1; agreed: Ben in t2; no side on it is recorded");
    assert!(diagnosis.ends_with("No side on it is recorded."), "{diagnosis}");
    assert_eq!(criteria, "No criterion is recorded.");
    let dispute = debate.raise_dispute("Can the crews refuse?");
    assert_eq!(asked(&debate).2, "No criterion is recorded.");
    debate.take_side("ada", dispute, Side::Yes);
    let (why, diagnosis, _) = asked(&debate);
    assert!(!why.contains("nobody") && !diagnosis.contains("Nobody"), "{why} {diagnosis}");
}

/// The question that is made of a statement asks it, and so does another wording that was linked to a dispute.
#[test]
fn a_dispute_asks_an_agreed_statement_in_the_words_of_a_question_or_by_a_link() {
    for (question, link, sides) in [
        ("Can the crews refuse?", None, ["ada yes", "ben no"]),
        ("May crews say no?", Some(false), ["ada yes", "ben no"]),
        ("Must crews obey?", Some(true), ["ada yes", "ben no"]),
    ] {
        let mut debate = VerdictDebate::new(TWO);
        let dispute = debate.raise_dispute_with_stances(question, "ada yes, ben no");
        agree_on(&mut debate, "Whether the crews can refuse.");
        debate.events.extend(link.map(|negates| {
            let (question, turns, likeness) = ("Can the crews refuse?".to_owned(), Vec::new(), None);
            Event::DisputeLinked(DisputeLinked { dispute, question, negates, turns, likeness })
        }));
        let verdict = debate.verdict();
        let [crux] = verdict.cruxes.as_slice() else { panic!("{question}: {:?}", verdict.cruxes) };
        assert_eq!((crux.origin, crux.agreed), (CruxOrigin::Dispute { dispute }, Some(CruxId(1))), "{question}");
        assert_eq!(self::sides(crux), sides, "{question}");
    }
}

/// Rule 21: a crux divides. Once all are on one side of it, it is no open crux.
#[test]
fn an_agreed_crux_on_which_all_take_one_side_is_common_ground() {
    for stances in ["ada yes, ben yes", "ada no, ben yes, ada yes"] {
        let mut debate = VerdictDebate::new(TWO);
        agree_on(&mut debate, "Can the crews refuse?");
        debate.raise_dispute_with_stances("Can the crews refuse?", stances);
        let verdict = debate.verdict();
        assert_eq!((verdict.cruxes.len(), verdict.common_ground.len()), (0, 1), "{stances}");
        let [crux] = verdict.resolved.as_slice() else { panic!("{stances}: {:?}", verdict.resolved) };
        let resolution = crux.card.resolution.as_deref().unwrap_or_default();
        assert!(resolution.contains("Ada and Ben say yes"), "{resolution}");
    }
}

/// A yes to a question is no yes to its negation.
#[test]
fn the_negation_of_a_question_takes_no_sides_from_it() {
    let mut debate = VerdictDebate::new(TWO);
    debate.raise_dispute_with_stances("Can the crews refuse?", "ada no");
    agree_on(&mut debate, "The crews can not refuse.");
    assert_eq!(sides(&debate.verdict().cruxes[0]), ["ada proposes_crux", "ben agrees_on_crux"]);
}

/// Rule 17: not even when participants agree on it, or somebody asks it again.
#[test]
fn the_topic_is_no_crux() {
    let mut debate = VerdictDebate::new(TWO);
    let topic = debate.read_model().summary.topic;
    debate.ask_topic("ada yes, ben no");
    let again = debate.raise_dispute_with_stances(&topic, "ada yes, ben no");
    for asked in [topic.clone(), format!("whether {topic}"), statement_of(&topic)] {
        let mut debate = debate.clone();
        agree_on(&mut debate, &asked);
        debate.conclude(exhausted());
        assert_eq!((again, debate.verdict().cruxes), (DisputeId(2), vec![]), "{asked}");
    }
}

/// "Should the ferry run?" as a statement: "the Should ferry run" has the same words, and so asks the same.
fn statement_of(topic: &str) -> String {
    let mut words: Vec<&str> = topic.trim_end_matches('?').split(' ').collect();
    words.swap(0, 1);
    words.join(" ")
}
