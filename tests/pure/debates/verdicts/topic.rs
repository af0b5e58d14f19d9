//! Rule 17: the topic stands apart.

use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::ids::TurnId;
use faultline_core::events::lifecycle::Interjected;
use faultline_core::verdicts::regime::RegimeKind;
use faultline_core::verdicts::topic::TopicVerdict;

use crate::debates::verdicts::verdict_debate::{THREE, TOPIC, TWO, VerdictDebate};
use crate::support::personas::persona_id;

/// Positions as `ada yes no t3`: name, first and current side, and turn.
fn told(topic: &TopicVerdict) -> Vec<String> {
    let positions = topic.positions.iter().map(|position| {
        let turn = position.turn.map_or("never".to_owned(), |turn| turn.to_string());
        format!("{} {:?} {:?} {turn}", position.persona, position.first, position.side)
    });
    positions.collect()
}

#[test]
fn a_verdict_has_the_first_and_the_current_side_of_everybody() {
    let mut debate = VerdictDebate::new(THREE);
    assert_eq!(debate.verdict().topic, None, "nobody was asked");
    let topic = debate.ask_topic("ben no, ada yes, ada nuanced");
    debate.take_side("ada", topic, Side::No);
    let verdict = debate.verdict().topic.expect("the topic was asked");
    assert_eq!((verdict.dispute, verdict.question.as_str()), (topic, TOPIC));
    assert_eq!(told(&verdict), ["ada Yes No t4", "ben No No t1", "cleo Undecided Undecided never"]);
    let moved: Vec<&str> = verdict.moved().map(|position| position.persona.as_str()).collect();
    assert_eq!((moved, verdict.is_split(), verdict.agreed_side()), (vec!["ada"], false, None));
    debate.take_side("cleo", topic, Side::No);
    assert_eq!(debate.verdict().topic.and_then(|topic| topic.agreed_side()), Some(Side::No));
}

/// Rules 1 and 17: a side on the topic needs a turn of its own speaker as well.
#[test]
fn a_borrowed_turn_is_no_side_on_the_topic() {
    let mut debate = VerdictDebate::new(TWO);
    let topic = debate.ask_topic("ada yes");
    debate.take_side_in_turn("ben", topic, Side::No, TurnId(1));
    let thesis = |debate: &mut VerdictDebate, speaker: &str| {
        debate.add_argument(speaker, speaker, |argument| argument.answers_topic = true)
    };
    let pair = (thesis(&mut debate, "ada"), thesis(&mut debate, "ben"));
    let opposed = |debate: &VerdictDebate| debate.read_model().arguments.opposed_theses();
    assert_eq!(told(&debate.verdict().topic.expect("asked")), ["ada Yes Yes t1", "ben Undecided Undecided never"]);
    assert_eq!(opposed(&debate), []);
    let (turn, speaker) = (TurnId(9), Some(persona_id("ben")));
    debate.events.push(Event::Interjected(Interjected { turn, text: "No.".into(), speaker, room: None }));
    debate.take_side_in_turn("ben", topic, Side::No, turn);
    assert_eq!(opposed(&debate), [pair], "an interjection in a participant's name is a turn of theirs");
}

#[test]
fn opposite_sides_on_the_topic_are_a_split_and_no_crux() {
    let mut debate = VerdictDebate::new(TWO);
    debate.ask_topic("ada yes, ben no");
    let verdict = debate.verdict();
    assert_eq!((verdict.regime.kind, verdict.cruxes.len()), (RegimeKind::Polarized, 0));
    assert_eq!(verdict.regime.reason, "opposite sides on the topic; no answer is agreed upon");
    debate.raise_dispute_with_stances("Is winter rough?", "ada yes, ben no");
    let verdict = debate.verdict();
    assert_eq!(verdict.cruxes.len(), 1);
    assert_eq!(verdict.regime.reason, "opposite sides on the topic and 1 open dispute; no answer is agreed upon");
}

/// Rule 16: words that only ask the question take no side of it.
#[test]
fn a_question_is_no_answer_to_itself() {
    let mut debate = VerdictDebate::new(TWO);
    debate.ask_topic("ada yes, ben no");
    for event in &mut debate.events {
        if let Event::StanceTaken(taken) = event {
            let words = if taken.side == Side::Yes { "So it should." } else { TOPIC };
            taken.quote = Some(words.to_owned());
        }
    }
    for speaker in ["ada", "ben"] {
        debate.add_argument(speaker, speaker, |argument| argument.answers_topic = true);
    }
    assert!(TOPIC.ends_with('?'), "{TOPIC}");
    let topic = debate.verdict().topic.expect("the topic was asked");
    assert_eq!(told(&topic), ["ada Yes Yes t1", "ben Undecided Undecided never"]);
    assert_eq!(debate.read_model().arguments.opposed_theses(), []);
}
