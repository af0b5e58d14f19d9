//! Rooms and fact checks: the events that are accepted, the views of them, and the rule that no verdict depends on
//! them.

use chrono::{DateTime, TimeDelta, Utc};
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{CheckId, DebateId, RoomId, TurnId};
use faultline_core::export::json::views;
use faultline_core::export::jsonl::jsonl;
use faultline_core::export::report::html::html;
use faultline_core::export::report::markdown::markdown;
use faultline_core::imports::import::read as import;
use faultline_core::kernel::external::checks::MAX_SOURCES;
use faultline_core::kernel::external::decode;
use faultline_core::kernel::external::external_debate::ExternalDebate;
use faultline_core::kernel::external::rooms::MAX_ROOMS;
use faultline_core::projections::crux_rooms::{CruxRooms, RoomStatus};
use faultline_core::projections::fact_checks::{FactChecks, Factuality};
use faultline_core::projections::projection::fold;
use faultline_core::verdicts::card::CruxCard;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_terminal::live::live::DebateRenderer;
use faultline_terminal::tables::history::line;
use faultline_terminal::text::style::TerminalStyle;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::personas::persona_id;

/// Event as given by a client.
pub type Given = (&'static str, Value);

fn opening() -> Given {
    let persona = |id: &str| {
        json!({
            "id": id, "name": id.to_uppercase(), "about": "takes part", "version": 1,
            "contract": {
                "personality": "calm", "bias": "none", "stakes": "none", "epistemology": "trials",
                "time_horizon": "a year", "flip_conditions": ["a trial"], "evidence_policy": "trials",
            },
            "voice": { "speech_patterns": [], "vocabulary": [], "forbidden_phrases": [] },
        })
    };
    let participants = ["ada", "ben", "cora"].map(persona);
    (
        "debate_opened",
        json!({
            "topic": "Should the ferry run at night?", "engine": "external", "engine_revision": 1, "options": null,
            "participants": participants, "limits": {}, "seed": 7, "provider": "external",
        }),
    )
}

/// Returns a turn, in a room or in the main channel.
pub fn said(turn: u32, who: &str, room: Option<&str>, text: &str) -> Given {
    (
        "turn_taken",
        json!({ "turn": format!("t{turn}"), "speaker": who, "room": room, "moves": ["claim"], "text": text }),
    )
}

fn stance(who: &str, side: &str, turn: u32) -> Given {
    let quote = ["", "six hands", "There are four.", "Six it is.", "I can name them", "", "Name six with papers"]
        [turn as usize];
    (
        "stance_taken",
        json!({ "dispute": "d1", "speaker": who, "side": side, "turn": format!("t{turn}"), "quote": quote }),
    )
}

/// Returns the opening of a room of ada and ben, with some fields changed.
pub fn room(id: &str, change: Value) -> Given {
    let body = json!({
        "room": id, "question": "Can the port man a second crew?", "dispute": "d1", "participants": ["ada", "ben"],
        "turns": ["t1", "t2"], "reason": "opposed three times in a row",
    });
    ("room_opened", with(body, change))
}

/// Returns the closing of a room with a card, with some fields changed.
pub fn close(id: &str, change: Value) -> Given {
    let body = json!({ "room": id, "outcome": "surfaced", "reason": "it turns on the papers", "card": {
        "kind": "evidence", "diagnosis": "One counts hands, the other papers.",
        "falsifiers": [{ "speaker": "ada", "text": "A list of four." }],
    } });
    ("room_closed", with(body, change))
}

fn check(id: &str, change: Value) -> Given {
    let body = json!({
        "check": id, "turn": "t1", "claim": "The port has six hands with papers.", "quote": "six hands", "verdict": "false",
        "sources": [{ "title": "Register of March", "address": "https://example.org/register", "excerpt": "four" }],
        "by": "harbour-records", "explanation": "It counts four.", "confidence": 0.8,
    });
    ("claim_checked", with(body, change))
}

/// Returns a debate driven from outside, with a room and fact checks.
pub fn external_debate() -> Vec<Recorded> {
    log(&whole())
}

/// Sets some fields of a body; null removes a field.
pub fn with(mut body: Value, change: Value) -> Value {
    for (name, value) in change.as_object().into_iter().flatten() {
        match value {
            Value::Null => drop(body.as_object_mut().expect("an object").remove(name)),
            other => body[name] = other.clone(),
        }
    }
    body
}

/// Returns the events of a debate with one dispute, before any room: five events, two turns.
pub fn before() -> Vec<Given> {
    vec![
        opening(),
        said(1, "ada", None, "There are six hands, and they have papers."),
        said(2, "ben", None, "There are four."),
        ("dispute_raised", json!({ "dispute": "d1", "question": "Can the port man a second crew?", "turns": ["t1"] })),
        stance("ada", "yes", 1),
        stance("ben", "no", 2),
    ]
}

/// Returns the events of the same debate with a room that was used and closed, next to a main channel that continued.
fn whole() -> Vec<Given> {
    let mut events = before();
    events.extend([
        room("m1", json!({})),
        ("interjected", json!({ "turn": "t3", "text": "Can the port man a second crew?", "room": "m1" })),
        said(4, "ada", Some("m1"), "Six, and I can name them."),
        said(5, "cora", None, "Meanwhile, the weather."),
        said(6, "ben", Some("m1"), "Name six with papers, and I give in."),
        stance("ada", "nuanced", 4),
        stance("ben", "no", 6),
        check("f1", json!({})),
        check("f2", json!({ "turn": "t4", "claim": "She can name them.", "quote": null, "verdict": "true" })),
        check("f3", json!({ "turn": "t6", "quote": null, "verdict": "unverifiable", "sources": null })),
        close("m1", json!({})),
        stance("ada", "yes", 1),
        ("debate_concluded", json!({ "outcome": { "kind": "exhausted", "reason": "all was said" } })),
    ]);
    events
}

fn debate() -> DebateId {
    DebateId(Uuid::from_u128(7))
}

fn read_all(given: &[Given]) -> Result<Vec<Event>, String> {
    given
        .iter()
        .map(|(kind, body)| decode::decode_event(kind, body).map(|decoded| decoded.0).map_err(|error| error.reason))
        .collect()
}

/// Returns the events as they are recorded, or the reason for which they are refused.
pub fn recorded(given: &[Given]) -> Result<Vec<Recorded>, String> {
    let admitted = ExternalDebate::default().validate(ENGINES, debate(), read_all(given)?);
    let events = admitted.map_err(|error| format!("{}: {}", error.at.unwrap_or(usize::MAX), error.refusal.reason))?;
    let at = |version: i64| DateTime::<Utc>::UNIX_EPOCH + TimeDelta::seconds(version);
    let actual = (1..).zip(events).map(|(version, event)| Recorded {
        id: Uuid::from_u128(version as u128),
        debate: debate(),
        version,
        lane: 0,
        position: version,
        at: at(version),
        caused_by: None,
        event,
    });
    Ok(actual.collect())
}

/// Returns the events as they are recorded.
///
/// # Panics
/// If one is refused.
pub fn log(given: &[Given]) -> Vec<Recorded> {
    recorded(given).unwrap_or_else(|refused| panic!("{refused}"))
}

#[test]
fn a_room_contains_its_turns_and_stances() {
    let events = log(&whole());
    let rooms: CruxRooms = fold(&events);
    let room = &rooms.rooms[&RoomId(1)];
    assert_eq!(room.turns, [3, 4, 6].map(TurnId));
    assert_eq!((room.version, room.closed.as_ref().map(|closed| closed.version)), (7, Some(17)));
    // Stances taken in the room; those taken elsewhere or later belong to the dispute.
    let stood: Vec<_> =
        room.stances.iter().map(|(who, stance)| format!("{who} {} {}", stance.side.name(), stance.turn)).collect();
    assert_eq!(stood, ["ada nuanced t4", "ben no t6"]);
    let read_model = DebateReadModel::of(&events);
    let places: Vec<Option<RoomId>> = read_model.transcript.turns.iter().map(|turn| turn.room).collect();
    assert_eq!(places, [None, None, Some(RoomId(1)), Some(RoomId(1)), None, Some(RoomId(1))]);
    assert_eq!(read_model.rooms, rooms);
    assert_eq!((rooms.next_room(), read_model.fact_checks.next_check()), (RoomId(2), CheckId(4)));
}

#[test]
fn a_room_is_open_then_closed_or_left_open() {
    let events = log(&whole());
    let status = |n: usize| {
        let rooms: CruxRooms = fold(&events[..n]);
        rooms.rooms.get(&RoomId(1)).map(|room| rooms.status(room))
    };
    assert_eq!((status(6), status(7), status(16)), (None, Some(RoomStatus::Open), Some(RoomStatus::Open)));
    assert_eq!((status(17), status(19)), (Some(RoomStatus::Closed), Some(RoomStatus::Closed)));
    // The end of a debate does not close its rooms.
    let mut given = before();
    given.extend([room("m1", json!({})), ("debate_aborted", json!({ "reason": "the harbour burns" }))]);
    let rooms: CruxRooms = fold(&log(&given));
    assert_eq!(rooms.status(&rooms.rooms[&RoomId(1)]), RoomStatus::LeftOpen);
}

#[test]
fn checks_are_counted_per_claimant() {
    let checks: FactChecks = fold(&log(&whole()));
    let of = |who: &str| checks.of(&persona_id(who));
    assert_eq!(of("ada"), Factuality { n_true: 1, n_false: 1, n_unverifiable: 0, n_unchecked: 0, share: Some(0.5) });
    assert_eq!(of("ben"), Factuality { n_true: 0, n_false: 0, n_unverifiable: 1, n_unchecked: 0, share: None });
    assert_eq!(of("cora"), Factuality::default());
    assert_eq!(checks.checks[&CheckId(2)].speaker.as_ref().map(|speaker| speaker.as_str()), Some("ada"));
}

/// Views folded at once, in pieces, or stored in between are equal.
#[test]
fn stored_views_continue_where_they_were_stored() {
    let events = log(&whole());
    for n in 0..=events.len() {
        let write = |value: Value| serde_json::from_value::<CruxRooms>(value).expect("as written");
        let mut rooms = write(json!(fold::<CruxRooms>(&events[..n])));
        let mut checks: FactChecks =
            serde_json::from_value(json!(fold::<FactChecks>(&events[..n]))).expect("as written");
        for recorded in &events[n..] {
            use faultline_core::projections::projection::Projection;
            rooms.apply(recorded);
            checks.apply(recorded);
        }
        assert_eq!((rooms, checks), (fold(&events), fold(&events)), "at {n}");
    }
}

/// VERDICTS.md: a room is not a crux, and the verdict of a checker decides nothing.
#[test]
fn no_verdict_depends_on_a_room_or_a_check() {
    let events = log(&whole());
    let beside = |recorded: &&Recorded| {
        !matches!(recorded.event, Event::RoomOpened(_) | Event::RoomClosed(_) | Event::ClaimChecked(_))
    };
    let bare: Vec<Recorded> = events.iter().filter(beside).cloned().collect();
    let outcomes = ["resolved", "surfaced", "exhausted", "failed", "abandoned"];
    // The card of a crux shows what a room's card states about its dispute, and decides nothing.
    let decided = |events: &[Recorded]| {
        let mut verdict = DebateReadModel::of(events).verdict();
        verdict.cruxes.iter_mut().for_each(|crux| crux.card = CruxCard::default());
        verdict
    };
    let without = decided(&bare);
    for outcome in outcomes {
        let mut actual = events.clone();
        for it in &mut actual {
            if let Event::RoomClosed(closed) = &mut it.event {
                closed.outcome = serde_json::from_value(json!(outcome)).expect("an outcome");
            }
        }
        let verdict = decided(&actual);
        assert_eq!(verdict, without, "{outcome}");
        assert_eq!((verdict.common_ground.len(), verdict.cruxes.len()), (0, 1), "{outcome}");
    }
}

#[test]
fn invalid_events_are_refused_with_a_reason() {
    let base = before();
    let opened = [&base[..], &[room("m1", json!({}))]].concat();
    let closed = [&opened[..], &[close("m1", json!({ "card": null }))]].concat();
    let agreed = [&opened[..], &[said(3, "ben", Some("m1"), "Six it is."), stance("ben", "yes", 3)]].concat();
    let retired = [&base[..], &[("dispute_retired", json!({ "dispute": "d1", "reason": "it was two" }))]].concat();
    let paused = [&opened[..], &[("debate_paused", json!({}))]].concat();
    let long = "x".repeat(2_100);
    let source = |change: Value| json!({ "sources": [with(json!({ "title": "R" }), change)] });
    let many: Vec<Value> = (0..=MAX_SOURCES).map(|number| json!({ "title": format!("R{number}") })).collect();
    let cases: Vec<(&[Given], Given, &str)> = vec![
        (&base, room("m1", json!({})), ""),
        (&base, room("m1", json!({ "dispute": null, "reason": null, "turns": null })), ""),
        (&base, room("m2", json!({})), "the next room is m1, not m2"),
        (&opened, room("m1", json!({})), "the next room is m2, not m1"),
        (&base, room("x1", json!({})), "the body is not a valid room_opened: "),
        (&base, room("m1", json!({ "question": " \n" })), "the question is empty"),
        (&base, room("m1", json!({ "reason": "" })), "the reason is empty"),
        (&base, room("m1", json!({ "dispute": "d2" })), "there is no dispute d2"),
        (&retired, room("m1", json!({})), "the dispute d1 was retired"),
        (&base, room("m1", json!({ "participants": ["ada"] })), "a room needs at least two participants"),
        (&base, room("m1", json!({ "participants": [] })), "a room needs at least two participants"),
        (&base, room("m1", json!({ "participants": ["ada", "ben", "ada"] })), "ada is listed twice"),
        (
            &base,
            room("m1", json!({ "participants": ["ada", "dora"] })),
            "dora is not a participant; participants: ada, ben, cora",
        ),
        (&base, room("m1", json!({ "turns": ["t1", "t9"] })), "there is no turn t9"),
        (&base, room("m1", json!({ "mood": "calm" })), "the body is not a valid room_opened: unknown field mood"),
        (&paused, room("m2", json!({})), "the debate is paused; resume it first"),
        (&base, said(3, "ada", Some("m1"), "Hello?"), "there is no room m1"),
        (&opened, said(3, "ada", Some("m1"), "Hello."), ""),
        (
            &opened,
            said(3, "cora", Some("m1"), "Me too."),
            "cora is not a participant of the room m1; participants: ada, ben",
        ),
        (&closed, said(3, "ada", Some("m1"), "And another thing."), "the room m1 was closed"),
        (&closed, said(3, "ada", None, "And another thing."), ""),
        (&opened, ("interjected", json!({ "turn": "t3", "text": "Come on.", "room": "m1" })), ""),
        (
            &opened,
            ("interjected", json!({ "turn": "t3", "text": "I.", "room": "m1", "speaker": "cora" })),
            "is not a participant of",
        ),
        (&closed, ("interjected", json!({ "turn": "t3", "text": "Well?", "room": "m1" })), "the room m1 was closed"),
        (&base, ("interjected", json!({ "turn": "t3", "text": "Well?", "room": "m4" })), "there is no room m4"),
        (&base, close("m1", json!({})), "there is no room m1"),
        (&opened, close("m1", json!({})), ""),
        (&opened, close("m1", json!({ "card": null, "outcome": "failed" })), ""),
        (&closed, close("m1", json!({})), "the room m1 was closed"),
        (&opened, close("m1", json!({ "reason": "" })), "the reason is empty"),
        (&opened, close("m1", json!({ "outcome": "failed" })), "a room with the outcome failed cannot have a card"),
        (&opened, close("m1", json!({ "outcome": "agreed" })), "the body is not a valid room_closed: "),
        (&opened, close("m1", json!({ "outcome": "resolved" })), "ada says yes to d1 and ben says no"),
        (&agreed, close("m1", json!({ "outcome": "resolved" })), ""),
        (&opened, close("m1", json!({ "card": { "diagnosis": " " } })), "the diagnosis is empty"),
        (
            &opened,
            close("m1", json!({ "card": { "diagnosis": "d", "falsifiers": [{ "speaker": "cora", "text": "x" }] } })),
            "cora is not a participant of the room m1",
        ),
        (&base, check("f1", json!({})), ""),
        (&base, check("f2", json!({})), "the next check is f1, not f2"),
        (&base, check("f1", json!({ "turn": "t3" })), "there is no turn t3"),
        (&base, check("f1", json!({ "claim": "" })), "the claim is empty"),
        (&base, check("f1", json!({ "by": "\t" })), "the name of the checker is empty"),
        (&base, check("f1", json!({ "quote": "nine hands" })), "the quote does not occur in t1"),
        (&base, check("f1", json!({ "quote": "There are ... have papers" })), ""),
        (&base, check("f1", json!({ "quote": " " })), "the quote is empty"),
        (&base, check("f1", json!({ "confidence": 1.01 })), "the confidence is 1.01; it must be between 0 and 1"),
        (&base, check("f1", json!({ "verdict": "mostly" })), "the body is not a valid claim_checked: "),
        (&base, check("f1", json!({ "sources": [] })), "the verdict false requires a source"),
        (&base, check("f1", json!({ "sources": [], "verdict": "unverifiable" })), ""),
        (&base, check("f1", json!({ "sources": many })), "a check has 21 sources; at most 20 are allowed"),
        (&base, check("f1", source(json!({ "title": "" }))), "the title of a source is empty"),
        (&base, check("f1", source(json!({ "address": "javascript:alert(1)" }))), "is not a web address"),
        (&base, check("f1", source(json!({ "address": "https://a b" }))), "is not a web address"),
        (&base, check("f1", source(json!({ "address": format!("https://{long}") }))), "of at most 2048 bytes"),
        (&base, check("f1", source(json!({ "excerpt": "a\u{7}" }))), "the control character U+0007"),
    ];
    for (there, given, wanted) in cases {
        let actual = recorded(&[there, std::slice::from_ref(&given)].concat());
        match actual {
            Ok(_) => assert_eq!(wanted, "", "{given:?} was accepted"),
            Err(refused) => assert!(!wanted.is_empty() && refused.contains(wanted), "{given:?}: {refused}"),
        }
    }
}

#[test]
fn the_number_of_rooms_is_limited() {
    let mut given = before();
    given.extend((1..=MAX_ROOMS).map(|n| room(&format!("m{n}"), json!({ "reason": null }))));
    assert!(recorded(&given).is_ok());
    given.push(room(&format!("m{}", MAX_ROOMS + 1), json!({})));
    let refused = recorded(&given).expect_err("one too many");
    assert!(refused.ends_with("an external debate can have at most 1000 rooms"), "{refused}");
}

#[test]
fn rooms_and_checks_are_exported_and_imported() {
    let events = log(&whole());
    let read_model = DebateReadModel::of(&events);
    let actual = views(&read_model);
    assert_eq!(actual["rooms"]["m1"]["closed"]["outcome"], "surfaced");
    assert_eq!(actual["factChecks"]["f1"]["speaker"], "ada");
    let page = html(&read_model, &events, None);
    let text = markdown(&read_model, &events);
    for wanted in [
        "surfaced",
        "it turns on the papers",
        "One counts hands",
        "ADA: A list of four.",
        "https://example.org/register",
    ] {
        assert!(page.contains(wanted) && text.contains(wanted), "{wanted}:\n{text}");
    }
    assert!(!page.contains("href=\"https") && !page.contains("href=https"), "a page has no external links");
    assert!(text.contains("### Debate, room m1"), "{text}");
    let back = import(jsonl(&events).as_bytes()).expect("an export");
    assert_eq!(DebateReadModel::of(&back.events).rooms, read_model.rooms);
    assert_eq!((back.report.counts.rooms, back.report.counts.turns), (1, 6));
}

#[test]
fn a_terminal_shows_rooms_and_checks_without_control_sequences() {
    let look = TerminalStyle { width: 100, colour: false, unicode: true };
    let shown = |events: &[Recorded]| {
        let mut stage = DebateRenderer::new(look);
        events.iter().map(|recorded| stage.render(recorded)).collect::<String>()
    };
    let actual = shown(&log(&whole()));
    for wanted in [
        "· room m1 opened for ADA and BEN: Can the port man a second crew?",
        "t4 in m1",
        "t3 in m1 · interjected",
        "· f1 of t1 is false: The port has six hands",
        "· room m1 closed, surfaced: it turns on the papers",
    ] {
        assert!(actual.contains(wanted), "{wanted}:\n{actual}");
    }
    let mut events = log(&whole());
    for it in &mut events {
        let harm = "\u{1b}[2J\u{9b}5A\u{202e}turned\r";
        match &mut it.event {
            Event::RoomOpened(it) => it.question = harm.into(),
            Event::RoomClosed(it) => it.reason = harm.into(),
            Event::ClaimChecked(it) => (it.claim, it.by) = (harm.into(), harm.into()),
            _ => {}
        }
    }
    let acts = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
    let (actual, lines) = (shown(&events), events.iter().map(|recorded| line(recorded, look)).collect::<String>());
    assert!(!actual.contains(acts) && !lines.contains(acts), "{actual:?} {lines:?}");
}

// Rooms of the legacy systems.

fn import_lines(lines: &[Value]) -> DebateReadModel {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    DebateReadModel::of(&import(text.as_bytes()).expect("a stream").events)
}

fn message(who: Option<&str>, phase: &str, words: &str) -> Value {
    let kind = if who.is_some() { "persona" } else { "system" };
    json!({ "type": "crux_message", "roomId": "r-7", "message": {
        "id": format!("{words}"), "type": kind, "personaId": who, "content": words, "phase": phase } })
}

fn import_room(change: Value, card: Value) -> DebateReadModel {
    let position = |opinion: &str| json!({ "position": opinion, "reasoning": "so it is", "falsifier": "a list" });
    let personas = json!({ "Alma Voss": position("YES"), "Bram Keller": position("NO") });
    let card = with(
        json!({ "question": "Is it so?", "cruxRoomId": "r-7", "personas": personas, "disagreementType": "empirical",
            "diagnosis": "They count differently.", "resolved": false }),
        card,
    );
    let opened = with(
        json!({ "type": "crux_room_spawning", "roomId": "r-7", "question": "Is it so?", "label": "So",
            "personas": ["Alma Voss", "bram-keller"], "sourceMessages": ["msg-1", "msg-9"] }),
        change,
    );
    import_lines(&[
        json!({ "type": "dialogue_start", "topic": "T", "personas": ["Alma Voss", "Bram Keller", "Cora Lind"] }),
        json!({ "type": "message_posted", "message": { "id": "msg-1", "personaId": "Alma Voss", "content": "It is." } }),
        json!({ "type": "disagreement_detected", "candidate": { "topic": "Is it so?", "confidence": 0.9 } }),
        opened,
        message(None, "entry", "\"Is it so?\""),
        message(Some("Alma Voss"), "position", "It is so."),
        message(Some("Bram Keller"), "position", "It is not."),
        message(Some("Cora Lind"), "exchange", "Let me in."),
        message(None, "convergence", "Crux surfaced. Closing room."),
        json!({ "type": "crux_card_posted", "card": card }),
        message(Some("Alma Voss"), "exchange", "One word more."),
    ])
}

#[test]
fn a_room_of_a_legacy_system_is_imported_as_a_room() {
    let read_model = import_room(json!({}), json!({}));
    let room = &read_model.rooms.rooms[&RoomId(1)];
    let names: Vec<&str> = room.opened.participants.iter().map(|participant| participant.as_str()).collect();
    assert_eq!((names, &room.opened.turns[..]), (vec!["alma-voss", "bram-keller"], &[TurnId(1)][..]));
    let seen = "the imported file's detector reported a disagreement with confidence 0.9";
    assert_eq!(room.opened.reason.as_deref(), Some(seen));
    // Turns of outsiders, and turns after the close of the room, are in the main channel.
    assert_eq!(room.turns, [2, 3, 4].map(TurnId));
    assert_eq!(read_model.transcript.turns.len(), 6);
    assert!(room.stances.is_empty(), "the file's positions are not in the words of a turn");
    let reported: Vec<&str> = read_model
        .disputes
        .disputes
        .values()
        .flat_map(|dispute| &dispute.reported)
        .map(|(_, it)| it.side.name())
        .collect();
    assert_eq!(reported, ["yes", "no"]);
    let closed = &room.closed.as_ref().expect("closed").closed;
    assert_eq!(closed.outcome.name(), "surfaced");
    let card = closed.card.as_ref().expect("a card");
    assert_eq!((card.kind.map(|kind| kind.name()), card.falsifiers.len()), (Some("evidence"), 2));
}

/// A legacy file imported before rooms were supported has the same verdict.
#[test]
fn the_verdict_of_a_legacy_file_is_unchanged() {
    for name in ["dialogue-2p.events.jsonl", "dialogue-3p.events.jsonl"] {
        let path = format!("{}/tests/fixtures/legacy/{name}", env!("CARGO_MANIFEST_DIR"));
        let mut events = import(&std::fs::read(path).expect("a fixture")).expect("a debate").events;
        let verdict = DebateReadModel::of(&events).verdict();
        events.retain(|recorded| !matches!(recorded.event, Event::RoomOpened(_) | Event::RoomClosed(_)));
        for it in &mut events {
            match &mut it.event {
                Event::TurnTaken(taken) => taken.room = None,
                Event::Interjected(said) => said.room = None,
                _ => {}
            }
        }
        let before = DebateReadModel::of(&events);
        assert_eq!((before.rooms.rooms.len(), before.verdict()), (0, verdict), "{name}");
    }
}

#[test]
fn a_legacy_card_is_believed_only_if_the_participants_confirm_it() {
    let outcome = |card: Value| {
        let read_model = import_room(json!({}), card);
        let closed = read_model.rooms.rooms[&RoomId(1)].closed.clone().expect("closed").closed;
        (closed.outcome.name(), closed.card.is_some())
    };
    let both = |opinion: &str, words: &str| {
        let position = json!({ "position": opinion, "reasoning": words });
        json!({ "Alma Voss": position, "Bram Keller": position })
    };
    assert_eq!(outcome(json!({ "resolved": true })), ("surfaced", true), "one says yes, the other no");
    assert_eq!(outcome(json!({ "resolved": true, "personas": both("YES", "r") })), ("resolved", true));
    let placeholder = json!({ "personas": both("NUANCED", "See transcript."), "diagnosis": "see transcript" });
    assert_eq!(outcome(placeholder), ("failed", false), "a placeholder is not a card");
    assert_eq!(outcome(json!({ "diagnosis": null })), ("surfaced", false));
}

#[test]
fn a_room_without_an_opening_or_a_close_is_reported() {
    let unopened = import_room(json!({ "type": "moon_landed" }), json!({}));
    assert!(unopened.rooms.rooms.is_empty() && unopened.transcript.turns.iter().all(|turn| turn.room.is_none()));
    let unclosed = import_room(json!({}), json!({ "cruxRoomId": "r-8" }));
    let room = &unclosed.rooms.rooms[&RoomId(1)];
    assert_eq!(unclosed.rooms.status(room), RoomStatus::LeftOpen);
    let strangers = import_room(json!({ "personas": ["Alma Voss", "Nobody", 7, null] }), json!({}));
    assert_eq!(strangers.rooms.rooms[&RoomId(1)].opened.participants.len(), 1);
}
