//! Events of the main channel beside rooms: the floor, skipped turns, detected disagreements and exit checks. Which of
//! them are accepted, and how they are shown.

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{CandidateId, RoomId};
use faultline_core::export::json::views;
use faultline_core::export::report::html::html;
use faultline_core::export::report::markdown::markdown;
use faultline_core::kernel::external::channel::MAX_CANDIDATES;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_terminal::live::live::DebateRenderer;
use faultline_terminal::tables::history::line;
use faultline_terminal::text::style::TerminalStyle;
use faultline_terminal::verdict::report::report;
use serde_json::{Value, json};

use crate::debates::rooms::{Given, before, close, log, recorded, room, said, with};

const QUESTION: &str = "Can the port man a second crew?";

fn floor(who: &str, change: Value) -> Given {
    ("floor_given", with(json!({ "speaker": who, "reason": "was addressed in t1" }), change))
}

fn skip(who: &str, change: Value) -> Given {
    ("turn_skipped", with(json!({ "speaker": who, "reason": "All is said." }), change))
}

fn words(who: &str, turn: &str, quote: &str) -> Value {
    json!({ "speaker": who, "turn": turn, "quote": quote })
}

/// Returns a disagreement of ada and ben, with some fields changed.
fn seen(candidate: &str, change: Value) -> Value {
    let body = json!({
        "candidate": candidate, "question": QUESTION, "yes": words("ada", "t1", "six hands"),
        "no": words("ben", "t2", "There are four."), "confidence": 0.86,
    });
    with(body, change)
}

fn detected(turns: &[&str], found: &[Value]) -> Given {
    ("disagreements_detected", json!({ "turns": turns, "found": found }))
}

fn exit(change: Value) -> Given {
    let body = json!({ "room": "m1", "turn": "t5", "surfaced": false, "reason": "Only one names the papers." });
    ("exit_checked", with(body, change))
}

/// Returns the events of a debate in which a room opens for a disagreement that was seen twice.
fn whole() -> Vec<Given> {
    let weather = |candidate: &str| {
        let change = json!({
            "question": "Does the weather matter more?", "yes": words("cora", "t3", "The weather matters more."),
            "confidence": 0.4,
        });
        seen(candidate, change)
    };
    let stated = [words("ada", "t4", "It comes down to the papers."), words("ben", "t5", "Show me six papers")];
    let mut events = before();
    events.extend([
        floor("cora", json!({ "reason": "has not spoken" })),
        said(3, "cora", None, "The weather matters more."),
        floor("ada", json!({})),
        skip("ada", json!({})),
        detected(&["t1", "t2", "t3"], &[seen("n1", json!({ "confidence": 0.7 })), weather("n2")]),
        detected(&["t2", "t3"], &[seen("n1", json!({}))]),
        room("m1", json!({ "candidate": "n1" })),
        said(4, "ada", Some("m1"), "It comes down to the papers."),
        said(5, "ben", Some("m1"), "Show me six papers, and I sign."),
        exit(json!({})),
        skip("ben", json!({ "room": "m1", "reason": "I wait for the papers." })),
        said(6, "cora", None, "Shall we go on?"),
        said(7, "ada", Some("m1"), "Six papers decide it."),
        (
            "stance_taken",
            json!({
            "dispute": "d1", "speaker": "ada", "side": "yes", "turn": "t7", "quote": "Six papers decide it." }),
        ),
        exit(json!({ "turn": "t7", "surfaced": true, "words": stated, "reason": "Both name the papers." })),
        close("m1", json!({})),
        detected(&["t3", "t6"], &[]),
        detected(&["t6"], &[]),
        detected(&["t6"], &[weather("n3")]),
        ("debate_concluded", json!({ "outcome": { "kind": "exhausted", "reason": "all was said" } })),
    ]);
    events
}

/// Returns a debate driven from outside, with a detector, a room for a candidate, and exit checks.
pub fn channel_debate() -> Vec<Recorded> {
    log(&whole())
}

#[test]
fn candidates_lead_to_rooms_or_expire() {
    let read_model = DebateReadModel::of(&channel_debate());
    let all = &read_model.candidates.candidates;
    let state = |n: u32| {
        let candidate = &all[&CandidateId(n)];
        (candidate.sightings.len(), candidate.unseen, candidate.room, candidate.is_expired)
    };
    assert_eq!(state(1), (2, 3, Some(RoomId(1)), false));
    assert_eq!((state(2), state(3)), ((1, 4, None, true), (1, 0, None, false)));
    assert_eq!(read_model.rooms.rooms[&RoomId(1)].exit_checks.len(), 2);
    let taken: Vec<bool> = read_model.floor.given.iter().map(|entry| entry.turn.is_some()).collect();
    assert_eq!((taken, read_model.floor.skips.len()), (vec![true, false], 2));
}

/// A detector decides nothing.
#[test]
fn no_verdict_depends_on_the_channel() {
    let events = channel_debate();
    let beside = |recorded: &&Recorded| {
        let event = &recorded.event;
        !matches!(event, Event::FloorGiven(_) | Event::TurnSkipped(_) | Event::DisagreementsDetected(_))
            && !matches!(event, Event::ExitChecked(_))
    };
    let bare: Vec<Recorded> = events.iter().filter(beside).cloned().collect();
    assert_eq!(bare.len() + 11, events.len());
    assert_eq!(DebateReadModel::of(&bare).verdict(), DebateReadModel::of(&events).verdict());
}

fn assert_refused(cases: Vec<(&[Given], Given, &str)>) {
    for (there, given, wanted) in cases {
        match recorded(&[there, std::slice::from_ref(&given)].concat()) {
            Ok(_) => assert_eq!(wanted, "", "{given:?} was accepted"),
            Err(refused) => assert!(!wanted.is_empty() && refused.contains(wanted), "{given:?}: {refused}"),
        }
    }
}

#[test]
fn invalid_floor_and_skip_events_are_refused_with_a_reason() {
    let base = before();
    let opened = [&base[..], &[room("m1", json!({}))]].concat();
    let closed = [&opened[..], &[close("m1", json!({ "card": null }))]].concat();
    assert_refused(vec![
        (&base, floor("cora", json!({})), ""),
        (&base, floor("dora", json!({})), "dora is not a participant; participants: ada, ben, cora"),
        (&base, floor("ada", json!({ "reason": " " })), "the reason is empty"),
        (&base, floor("ada", json!({ "turn": "t1" })), "the body is not a valid floor_given: unknown field turn"),
        (&base, skip("cora", json!({})), ""),
        (&base, skip("dora", json!({})), "dora is not a participant"),
        (&base, skip("ada", json!({ "reason": "" })), "the reason is empty"),
        (&base, skip("ada", json!({ "room": "m1" })), "there is no room m1"),
        (&opened, skip("ada", json!({ "room": "m1" })), ""),
        (
            &opened,
            skip("cora", json!({ "room": "m1" })),
            "cora is not a participant of the room m1; participants: ada, ben",
        ),
        (&closed, skip("ada", json!({ "room": "m1" })), "the room m1 was closed"),
        (&closed, skip("ada", json!({})), ""),
    ]);
}

#[test]
fn invalid_aspects_and_stages_are_refused_with_a_reason() {
    let raised = |n: u32, question: &str| -> Given {
        ("dispute_raised", json!({ "dispute": format!("d{n}"), "question": question, "is_topic": false }))
    };
    let aspect = |dispute: &str| json!({ "dispute": dispute, "label": "papers" });
    let named = |aspects: &[Value]| -> Given { ("room_aspects_named", json!({ "room": "m1", "aspects": aspects })) };
    let stage = |stage: &str, aspect: Option<&str>| -> Given {
        let mut body = json!({ "room": "m1", "stage": stage });
        aspect.into_iter().for_each(|aspect| body["aspect"] = aspect.into());
        ("room_stage_entered", body)
    };
    let base = [&before()[..], &[raised(2, "Are there six papers?")]].concat();
    let opened = [&base[..], &[room("m1", json!({}))]].concat();
    let then = |there: &[Given], more: &[Given]| [there, more].concat();
    let panel = then(&opened, &[named(&[aspect("d2")])]);
    let staged = then(&opened, &[stage("steelman", None)]);
    let taken = then(&panel, &[stage("takes", Some("d2"))]);
    let clash = then(&taken, &[stage("clash", None)]);
    assert_refused(vec![
        (&base, named(&[]), "there is no room m1"),
        (&opened, named(&[]), ""),
        (&opened, named(&[aspect("d2")]), ""),
        (&opened, named(&[aspect("d1")]), "an aspect is a narrower question"),
        (&opened, named(&[aspect("d9")]), "there is no dispute d9"),
        (&opened, named(&[aspect("d2"), aspect("d2")]), "d2 is listed twice"),
        (&opened, named(&vec![aspect("d2"); 13]), "a room can have at most 12 aspects; 13 were given"),
        (&opened, named(&[json!({ "dispute": "d2", "label": " " })]), "the label is empty"),
        (&panel, named(&[]), "the aspects of the room m1 are named once, before its first stage"),
        (&staged, named(&[]), "the aspects of the room m1 are named once, before its first stage"),
        (&opened, stage("takes", Some("d2")), "takes on d2 is not the next stage of the room m1; it is steelman"),
        (&staged, stage("confirmation", None), ""),
        (&staged, stage("diagnosis", None), "diagnosis is not the next stage of the room m1; it is confirmation"),
        (&panel, stage("steelman", None), "steelman is not the next stage of the room m1; it is takes on d2"),
        (&panel, stage("takes", None), "takes is not the next stage of the room m1; it is takes on d2"),
        (&taken, stage("replies", Some("d2")), ""),
        (&taken, stage("clash", None), ""),
        (&taken, stage("closing", None), "it is replies on d2 or rejoinders on d2 or clash"),
        (&clash, stage("closing", None), ""),
        (&clash, stage("clash", None), "clash is not the next stage of the room m1; it is closing"),
    ]);
}

#[test]
fn invalid_disagreements_are_refused_with_a_reason() {
    let base = before();
    let one = |change: Value| detected(&["t1", "t2"], &[seen("n1", change)]);
    let known = [&base[..], &[one(json!({}))]].concat();
    let none = detected(&["t1"], &[]);
    let expired = [&known[..], &[none.clone(), none.clone(), none.clone()]].concat();
    let swapped = json!({ "yes": words("ben", "t2", "There are four."), "no": words("ada", "t1", "six hands") });
    let others = [&known[..], &[said(3, "cora", None, "The weather.")]].concat();
    let another = json!({ "no": words("cora", "t3", "The weather.") });
    let two = |one: &str, other: &str| detected(&["t1"], &[seen(one, json!({})), seen(other, json!({}))]);
    assert_refused(vec![
        (&base, one(json!({})), ""),
        (&base, none, ""),
        (&base, detected(&[], &[]), "the window has no turns"),
        (&base, detected(&["t1", "t9"], &[]), "there is no turn t9"),
        (&base, one(json!({ "question": "\n" })), "the question is empty"),
        (&base, one(json!({ "confidence": 1.2 })), "the confidence is 1.2; it must be between 0 and 1"),
        (&base, one(json!({ "yes": words("dora", "t1", "six hands") })), "dora is not a participant"),
        (&base, one(json!({ "yes": words("ada", "t9", "six hands") })), "there is no turn t9"),
        (&base, one(json!({ "yes": words("ada", "t2", "four") })), "the turn t2 belongs to ben, not to ada"),
        (
            &base,
            one(json!({ "yes": words("ada", "t1", "nine hands") })),
            "t1 does not contain the quote of the words for yes",
        ),
        (
            &base,
            one(json!({ "no": words("ben", "t2", "there are four") })),
            "t2 does not contain the quote of the words for no",
        ),
        (&base, one(json!({ "no": words("ada", "t1", "six hands") })), "the words for yes and for no are both ada's"),
        (&base, detected(&["t1"], &[seen("n2", json!({}))]), "the next candidate is n1, not n2"),
        (&known, one(json!({})), ""),
        (&known, one(swapped), ""),
        (&known, detected(&["t1"], &[seen("n3", json!({}))]), "the next candidate is n2, not n3"),
        (
            &others,
            one(another.clone()),
            "the candidate n1 is a disagreement of ada and ben; another pair is another candidate",
        ),
        (&others, detected(&["t3"], &[seen("n2", another.clone())]), ""),
        (&expired, one(json!({})), "the candidate n1 expired after 3 windows without it; the next candidate is n2"),
        (&base, two("n1", "n2"), ""),
        (&base, two("n1", "n1"), ""),
        (&base, two("n1", "n3"), "the next candidate is n2, not n3"),
        (
            &others,
            detected(&["t3"], &[seen("n2", json!({})), seen("n2", another)]),
            "the candidate n2 is a disagreement of ada and ben",
        ),
    ]);
}

#[test]
fn invalid_rooms_for_candidates_are_refused_with_a_reason() {
    let base = before();
    let known = [&base[..], &[detected(&["t1", "t2"], &[seen("n1", json!({}))])]].concat();
    let opened = [&known[..], &[room("m1", json!({ "candidate": "n1" }))]].concat();
    let of = |change: Value| room("m1", with(json!({ "candidate": "n1" }), change));
    let pair = "the candidate n1 is a disagreement of ada and ben; a room for it has these two participants";
    assert_refused(vec![
        (&base, of(json!({})), "there is no candidate n1"),
        (&known, of(json!({})), ""),
        (&known, of(json!({ "participants": ["ben", "ada"] })), ""),
        (&known, of(json!({ "candidate": "n2" })), "there is no candidate n2"),
        (&known, of(json!({ "candidate": "c1" })), "the body is not a valid room_opened: "),
        (&known, of(json!({ "participants": ["ada", "cora"] })), pair),
        (&known, of(json!({ "participants": ["ada", "ben", "cora"] })), pair),
        (&opened, of(json!({ "room": "m2" })), "the room m1 was opened for the candidate n1"),
    ]);
}

#[test]
fn invalid_exit_checks_are_refused_with_a_reason() {
    let base = before();
    let opened = [
        &base[..],
        &[
            room("m1", json!({})),
            said(3, "ada", Some("m1"), "It is the papers."),
            said(4, "ben", Some("m1"), "Papers it is."),
            said(5, "cora", None, "The weather."),
        ],
    ]
    .concat();
    let closed = [&opened[..], &[close("m1", json!({ "card": null }))]].concat();
    let check = |change: Value| exit(with(json!({ "turn": "t4" }), change));
    let stated = |all: Value| check(json!({ "surfaced": true, "words": all }));
    let (ada, ben) = (words("ada", "t3", "the papers"), words("ben", "t4", "Papers"));
    let two = "only if at least two of them state it";
    assert_refused(vec![
        (&base, check(json!({})), "there is no room m1"),
        (&closed, check(json!({})), "the room m1 was closed"),
        (&opened, check(json!({})), ""),
        (&opened, check(json!({ "turn": "t9" })), "there is no turn t9"),
        (&opened, check(json!({ "turn": "t5" })), "the turn t5 was not taken in the room m1"),
        (&opened, check(json!({ "reason": "" })), "the reason is empty"),
        (&opened, stated(json!([ada, ben])), ""),
        (&opened, stated(json!([])), two),
        (&opened, stated(json!([ada])), two),
        (&opened, stated(json!([ada, words("ada", "t3", "It is")])), two),
        (
            &opened,
            stated(json!([ada, words("cora", "t5", "The weather.")])),
            "cora is not a participant of the room m1",
        ),
        (
            &opened,
            stated(json!([ada, words("ben", "t4", "papers")])),
            "t4 does not contain the quote of the exit check",
        ),
        (&opened, stated(json!([ada, words("ben", "t3", "the papers")])), "the turn t3 belongs to ada, not to ben"),
        (
            &opened,
            stated(json!([ada, words("ben", "t2", "There are four.")])),
            "the turn t2 was not taken in the room m1",
        ),
        (&opened, check(json!({ "words": [ada] })), "an exit check that is not `surfaced` has no `words`"),
    ]);
}

#[test]
fn the_number_of_candidates_is_limited() {
    let mut given = before();
    let found: Vec<Value> = (1..=MAX_CANDIDATES).map(|n| seen(&format!("n{n}"), json!({}))).collect();
    given.push(detected(&["t1"], &found));
    assert!(recorded(&given).is_ok());
    given.push(detected(&["t1"], &[seen(&format!("n{}", MAX_CANDIDATES + 1), json!({}))]));
    let refused = recorded(&given).expect_err("one too many");
    assert!(refused.ends_with("an external debate can have at most 1000 candidates"), "{refused}");
}

#[test]
fn reports_tell_what_led_to_a_room_and_what_got_none() {
    let events = channel_debate();
    let read_model = DebateReadModel::of(&events);
    let (page, text) = (html(&read_model, &events, None), markdown(&read_model, &events));
    for wanted in [
        "seen in windows 1 and 2, with a confidence of 0.70 and 0.86",
        "Disagreements that the detector saw, and that got no room",
        "seen in window 1, with a confidence of 0.40, and not in the 4 windows after",
        "the room goes on: Only one names the papers.",
        "passed: Both name the papers.",
        "Show me six papers",
        "ADA skipped a turn: All is said.",
        "BEN skipped a turn: I wait for the papers.",
    ] {
        assert!(page.contains(wanted) && text.contains(wanted), "{wanted}:\n{text}");
    }
    assert!(text.contains("  - before the room: seen in"), "{text}");
    assert!(
        text.contains("    - ADA, yes, [t1](#t1): \"six hands\"\n    - BEN, no, [t2](#t2): \"There are four.\""),
        "{text}"
    );
    assert!(text.contains("### Debate, room m1"), "{text}");
    let view = views(&read_model);
    assert_eq!(view["roomCandidates"]["n1"]["room"], "m1");
    assert_eq!(json!([view["floor"][0]["turn"], view["skippedTurns"][1]["room"]]), json!(["t3", "m1"]));
}

fn shown(events: &[Recorded], width: usize) -> String {
    let mut renderer = DebateRenderer::new(TerminalStyle { width, colour: false, unicode: true });
    events.iter().map(|recorded| renderer.render(recorded)).collect()
}

/// Returns the columns at which the lines that contain a text start.
fn starts(text: &str, wanted: &str) -> Vec<usize> {
    let lines = text.lines().filter(|line| line.contains(wanted));
    lines.map(|line| line.chars().take_while(|letter| *letter == ' ').count()).collect()
}

#[test]
fn a_terminal_tells_rooms_from_the_channel() {
    let events = channel_debate();
    for (width, inside) in [(100, 8), (119, 8), (120, 62)] {
        let text = shown(&events, width);
        assert_eq!(starts(&text, "t4 in m1"), [inside], "{text}");
        assert_eq!(starts(&text, "t6"), [2], "{text}");
        // The place changes three times: into the room, out of it, and into it again.
        assert_eq!(starts(&text, "room m1 · Can the port man"), [inside, inside], "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= width.min(120)), "{text}");
        let read_model = DebateReadModel::of(&events);
        let look = TerminalStyle { width, colour: false, unicode: true };
        let whole = report(&read_model, &[], look);
        assert_eq!((starts(&whole, "t4 in m1"), starts(&whole, "t7 in m1")), (vec![inside], vec![inside]), "{whole}");
        assert_eq!(starts(&whole, "room m1 · Can the port man"), [inside, inside], "{whole}");
        assert!(starts(&whole, "BEN skipped a turn: I wait").contains(&inside), "{whole}");
    }
}

#[test]
fn a_terminal_shows_the_channel_in_notices() {
    let text = shown(&channel_debate(), 100);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "· ADA passes: All is said.",
        "· ADA and BEN disagree about: Can the port man a second crew? (seen in 1 window, confidence 0.70)",
        "· ADA and BEN disagree about: Can the port man a second crew? (seen 2 windows in a row, confidence 0.86)",
        "· CORA and BEN disagree about: Does the weather matter more?",
        "· room m1: goes on: Only one names the papers.",
        "· BEN passes in m1: I wait for the papers.",
        "· room m1: passed the exit check: Both name the papers.",
        "· room m1 closed, surfaced: it turns on the papers",
        "Card of room m1",
        "ADA YES in t7: “Six papers decide it.”",
        "BEN took no side in the room",
        "Diagnosis One counts hands, the other papers.",
        "ADA's mind: A list of four.",
    ] {
        assert!(line.contains(wanted), "{wanted}:\n{text}");
    }
    assert!(!text.contains("has not spoken"), "nobody is told who has the floor:\n{text}");
    assert_eq!(text.matches("Card of room m1").count(), 1, "{text}");
}

#[test]
fn a_terminal_shows_the_channel_without_control_sequences() {
    let mut events = channel_debate();
    for it in &mut events {
        let harm = || "\u{1b}[2J\u{9b}5A\u{202e}turned\r".to_owned();
        match &mut it.event {
            Event::FloorGiven(it) => it.reason = harm(),
            Event::TurnSkipped(it) => it.reason = harm(),
            Event::ExitChecked(it) => it.reason = harm(),
            Event::RoomOpened(it) => it.question = harm(),
            Event::DisagreementsDetected(it) => it.found.iter_mut().for_each(|seen| seen.question = harm()),
            Event::RoomClosed(it) => {
                it.reason = harm();
                let card = it.card.as_mut().expect("a card");
                (card.diagnosis, card.resolution) = (harm(), Some(harm()));
                card.falsifiers.iter_mut().for_each(|falsifier| falsifier.text = harm());
            }
            _ => {}
        }
    }
    let acts = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
    for width in [80, 120] {
        let look = TerminalStyle { width, colour: false, unicode: true };
        let lines: String = events.iter().map(|recorded| line(recorded, look)).collect();
        let whole = report(&DebateReadModel::of(&events), &[], look);
        let text = shown(&events, width);
        assert!(!text.contains(acts) && !lines.contains(acts) && !whole.contains(acts), "{text:?} {lines:?} {whole:?}");
    }
}
