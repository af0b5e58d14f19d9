//! Threads, attention and agendas in a debate driven from outside. Which events are accepted, and how they are shown.

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{DisputeId, RoomId, TurnId};
use faultline_core::events::receipt::{EffectAbandoned, EffectKey};
use faultline_core::export::json::views;
use faultline_core::export::legacy::legacy::LegacyTranslator;
use faultline_core::export::report::html::html;
use faultline_core::export::report::markdown::markdown;
use faultline_core::export::report::missed_calls::{missed_call, missed_calls};
use faultline_core::verdicts::crux_card::crux_places::CruxMarks;
use faultline_core::verdicts::crux_id::CruxKey;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_terminal::live::live::DebateRenderer;
use faultline_terminal::tables::history::line;
use faultline_terminal::text::style::TerminalStyle;
use faultline_terminal::verdict::report::report;
use serde_json::{Value, json};

use crate::debates::rooms::{Given, before, close, log, recorded, room, said, with};

fn thread(id: &str, change: Value) -> Given {
    room(id, with(change, json!({ "kind": "thread" })))
}

fn floor(who: &str, change: Value) -> Given {
    ("floor_given", with(json!({ "speaker": who, "reason": "takes part in it" }), change))
}

fn score(who: &str, change: Value) -> Value {
    with(json!({ "participant": who, "score": 0.5, "similarity": 0.25 }), change)
}

fn scored(turn: &str, scores: &[Value]) -> Given {
    ("attention_scored", json!({ "turn": turn, "scores": scores, "by": "minilm" }))
}

fn agenda(disputes: &[&str], reason: &str) -> Given {
    ("agenda_set", json!({ "disputes": disputes, "reason": reason }))
}

fn stance(who: &str, side: &str, turn: &str, quote: &str) -> Given {
    ("stance_taken", json!({ "dispute": "d1", "speaker": who, "side": side, "turn": turn, "quote": quote }))
}

/// Returns the events of a debate with a thread that somebody joined, and a thread that was split from it.
fn whole() -> Vec<Given> {
    let split = json!({
        "parent": "m1", "question": "Do papers count?", "dispute": null, "participants": ["ada", "cora"],
        "turns": ["t3", "t4"], "reason": null,
    });
    let mut events = before();
    events.extend([
        agenda(&["d1"], "d1 has 1 for yes and 1 for no"),
        thread("m1", json!({})),
        floor("ada", json!({ "room": "m1", "reason": "it is about a disagreement of theirs" })),
        said(3, "ada", Some("m1"), "Six, and I can name them."),
        scored("t3", &[score("ben", json!({ "is_member": true })), score("cora", json!({ "is_in_focus": true }))]),
        floor("cora", json!({ "room": "m1", "reason": "attention 0.50", "attention": 0.5 })),
        said(4, "cora", Some("m1"), "No, the papers count, not the hands."),
        stance("cora", "no", "t4", "No, the papers count"),
        thread("m2", split),
        said(5, "ben", Some("m2"), "There are four hands, so no."),
        stance("ben", "no", "t5", "There are four hands, so no."),
        said(6, "cora", None, "Shall we go on?"),
        agenda(&[], "no question has both a yes and a no"),
        close("m1", json!({ "outcome": "exhausted", "reason": "nothing new was said" })),
        ("debate_concluded", json!({ "outcome": { "kind": "exhausted", "reason": "all was said" } })),
    ]);
    events
}

/// Returns a debate driven from outside, with threads, attention and agendas.
pub fn threads_debate() -> Vec<Recorded> {
    log(&whole())
}

#[test]
fn a_participant_who_speaks_in_a_thread_joins_it() {
    let read_model = DebateReadModel::of(&threads_debate());
    let room = &read_model.rooms.rooms[&RoomId(1)];
    let members: Vec<&str> = room.members().map(|member| member.as_str()).collect();
    let joined: Vec<&str> = room.joined().map(|member| member.as_str()).collect();
    assert_eq!((members, joined), (vec!["ada", "ben", "cora"], vec!["cora"]));
    assert_eq!(read_model.rooms.named(RoomId(1)), "thread m1");
    let entries = &read_model.floor.given;
    assert_eq!((entries[0].turn, entries[1].turn), (Some(TurnId(3)), Some(TurnId(4))));
    assert!(read_model.agenda.in_focus().is_empty());
    assert_eq!(read_model.agenda.set.len(), 2);
}

/// Attention, floors and agendas decide nothing.
#[test]
fn no_verdict_depends_on_attention_or_the_agenda() {
    let events = threads_debate();
    let decides_nothing =
        |event: &Event| matches!(event, Event::FloorGiven(_) | Event::AttentionScored(_) | Event::AgendaSet(_));
    let bare: Vec<Recorded> = events.iter().filter(|recorded| !decides_nothing(&recorded.event)).cloned().collect();
    assert_eq!(bare.len() + 5, events.len());
    assert_eq!(DebateReadModel::of(&bare).verdict(), DebateReadModel::of(&events).verdict());
}

#[test]
fn a_crux_is_worked_out_in_the_threads_of_its_dispute_and_of_its_turns() {
    let read_model = DebateReadModel::of(&threads_debate());
    let verdict = read_model.verdict();
    let crux = verdict.cruxes.iter().find(|crux| crux.key == CruxKey::Dispute(DisputeId(1))).expect("a crux");
    assert_eq!(CruxMarks::from(crux).rooms(&read_model.rooms), [RoomId(1), RoomId(2)]);
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
fn invalid_events_of_threads_are_refused_with_a_reason() {
    let base = before();
    let private = [&base[..], &[room("m1", json!({}))]].concat();
    let opened = [&base[..], &[thread("m1", json!({}))]].concat();
    let closed = [&opened[..], &[close("m1", json!({ "card": null }))]].concat();
    let joined = [
        &opened[..],
        &[said(3, "cora", Some("m1"), "No, four."), stance("cora", "no", "t3", "No, four.")],
        &[said(4, "ben", Some("m1"), "Yes, six."), stance("ben", "yes", "t4", "Yes, six.")],
    ]
    .concat();
    let in_room = |who: &str| floor(who, json!({ "room": "m1" }));
    let by_cora = json!({ "card": { "diagnosis": "d", "falsifiers": [{ "speaker": "cora", "text": "A list." }] } });
    let only = "only a thread is split from a room, and only from a thread";
    assert_refused(vec![
        (&base, thread("m1", json!({})), ""),
        (&base, room("m1", json!({ "kind": "hall" })), "the body is not a valid room_opened: "),
        (&base, thread("m1", json!({ "parent": "m9" })), "there is no room m9"),
        (&opened, thread("m2", json!({ "parent": "m1" })), ""),
        (&closed, thread("m2", json!({ "parent": "m1" })), ""),
        (&opened, room("m2", json!({ "parent": "m1" })), only),
        (&private, thread("m2", json!({ "parent": "m1" })), only),
        (&opened, said(3, "cora", Some("m1"), "Let me in."), ""),
        (&private, said(3, "cora", Some("m1"), "Let me in."), "cora is not a participant of the room m1"),
        (&closed, said(3, "cora", Some("m1"), "Let me in."), "the room m1 was closed"),
        (&opened, in_room("cora"), ""),
        (&private, in_room("cora"), "cora is not a participant of the room m1; participants: ada, ben"),
        (&opened, in_room("dora"), "dora is not a participant"),
        (&closed, in_room("ada"), "the room m1 was closed"),
        (&base, in_room("ada"), "there is no room m1"),
        (&base, floor("ada", json!({ "attention": 1.2 })), "the attention is 1.2; it must be between 0 and 1"),
        (&joined, close("m1", json!({ "outcome": "resolved", "card": null })), "yes to d1 and cora says no"),
        (&joined, close("m1", by_cora), ""),
    ]);
}

#[test]
fn invalid_attention_and_agendas_are_refused_with_a_reason() {
    let base = before();
    let of = |change: Value| scored("t1", &[score("cora", change)]);
    assert_refused(vec![
        (&base, of(json!({})), ""),
        (&base, scored("t1", &[]), ""),
        (&base, scored("t9", &[]), "there is no turn t9"),
        (&base, scored("t1", &[score("dora", json!({}))]), "dora is not a participant"),
        (&base, scored("t1", &[score("ada", json!({}))]), "ada is the speaker of t1; score the others"),
        (&base, scored("t1", &[score("ben", json!({})), score("ben", json!({}))]), "ben is scored twice"),
        (&base, of(json!({ "score": 1.5 })), "the score is 1.5; it must be between 0 and 1"),
        (&base, of(json!({ "similarity": -0.5 })), "the similarity is -0.5; it must be between 0 and 1"),
        (&base, of(json!({ "mood": "calm" })), "the body is not a valid attention_scored: "),
        (&base, agenda(&["d1"], "it divides most"), ""),
        (&base, agenda(&[], "nothing divides"), ""),
        (&base, agenda(&["d9"], "it divides most"), "there is no dispute d9"),
        (&base, agenda(&["d1"], " "), "the reason is empty"),
        (&base, agenda(&["m1"], "it divides most"), "the body is not a valid agenda_set: "),
    ]);
}

#[test]
fn reports_tell_threads_agendas_and_the_places_of_cruxes() {
    let events = threads_debate();
    let read_model = DebateReadModel::of(&events);
    let (page, text) = (html(&read_model, &events, None), markdown(&read_model, &events));
    for wanted in [
        "\n## Threads\n",
        "- **thread m1** Can the port man a second crew? (ADA, BEN; joined: CORA): exhausted\n",
        "  - split from: the main channel\n",
        "- **thread m2** Do papers count? (ADA, CORA; joined: BEN): left open\n  - split from: thread m1\n",
        "### Debate, thread m1\n",
        "\n## Agenda\n",
        ", 00:00:07 UTC: d1 has 1 for yes and 1 for no\n  - d1 Can the port man a second crew?\n",
        ", 00:00:19 UTC: no question has both a yes and a no\n  - nothing in focus\n",
        "\nCruxes by thread:\n\n- Can the port man a second crew?: across thread m1 and thread m2, and in the main channel\n",
        "(card of thread m1)",
        "The card of thread m1 names it.",
    ] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
    for wanted in [
        "<h2 id=rooms>Threads</h2>",
        "<a href=#rooms>Threads</a>",
        "<b>thread m1</b>",
        "<span class=tag>joined</span>",
        "<dt>split from</dt><dd dir=auto>thread m1</dd>",
        "<h2 id=agenda>Agenda</h2>",
        "d1 has 1 for yes and 1 for no",
        "<h3>Cruxes by thread</h3>",
        "across thread m1 and thread m2, and in the main channel",
    ] {
        assert!(page.contains(wanted), "{wanted}:\n{page}");
    }
    assert!(!text.contains("room m") && !page.contains("room m"), "a thread is no room:\n{text}");
    let mut mixed = whole();
    mixed.insert(mixed.len() - 1, room("m3", json!({})));
    let events = log(&mixed);
    assert!(markdown(&DebateReadModel::of(&events), &events).contains("\n## Rooms and threads\n"));
}

#[test]
fn exports_contain_attention_and_agendas() {
    let view = views(&DebateReadModel::of(&threads_debate()));
    assert_eq!(view["attention"]["t3"]["scores"][1]["participant"], "cora");
    assert_eq!(json!([view["agendas"][0]["disputes"], view["agendas"][1]["disputes"]]), json!([["d1"], []]));
    assert_eq!((&view["rooms"]["m2"]["opened"]["parent"], &view["floor"][1]["room"]), (&json!("m1"), &json!("m1")));
}

fn shown(events: &[Recorded], width: usize) -> String {
    let mut renderer = DebateRenderer::new(TerminalStyle { width, colour: false, unicode: true });
    events.iter().map(|recorded| renderer.render(recorded)).collect()
}

#[test]
fn a_terminal_shows_threads_and_agendas() {
    let events = threads_debate();
    let text = shown(&events, 100);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "· thread m1 opened, split from the main channel, for ADA and BEN: Can the port man a second crew?",
        "· thread m2 opened, split from thread m1, for ADA and CORA: Do papers count?",
        "· in focus now: d1: d1 has 1 for yes and 1 for no",
        "· in focus now: nothing: no question has both a yes and a no",
        "thread m1 · Can the port man a second crew?",
        "· thread m1 closed, exhausted: nothing new was said",
        "Card of thread m1",
        "Joined CORA",
        "CORA NO in t4: “No, the papers count”",
        "BEN took no side in the thread",
    ] {
        assert!(words.contains(wanted), "{wanted}:\n{text}");
    }
    assert!(!words.contains("attention") && !words.contains("a disagreement of theirs"), "{text}");
    for width in [100, 120] {
        let look = TerminalStyle { width, colour: false, unicode: true };
        let whole = report(&DebateReadModel::of(&events), &[], look);
        let words = whole.split_whitespace().collect::<Vec<_>>().join(" ");
        for wanted in [
            "Threads ─",
            "thread m2, split from thread m1",
            "Agenda ─",
            "after t2: d1 has 1 for yes and 1 for no",
            "d1 Can the port man a second crew?",
            "Worked out across thread m1 and thread m2, and in the main channel",
        ] {
            assert!(words.contains(wanted), "{wanted}:\n{whole}");
        }
        assert!(!whole.contains("room m") && !shown(&events, width).contains("room m"), "{whole}");
    }
}

#[test]
fn a_terminal_shows_threads_without_control_sequences() {
    let mut events = threads_debate();
    for it in &mut events {
        let harm = || "\u{1b}[2J\u{9b}5A\u{202e}turned\r".to_owned();
        match &mut it.event {
            Event::FloorGiven(it) => it.reason = harm(),
            Event::AgendaSet(it) => it.reason = harm(),
            Event::AttentionScored(it) => it.by = Some(harm()),
            Event::RoomOpened(it) => it.question = harm(),
            Event::DisputeRaised(it) => it.question = harm(),
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

#[test]
fn a_missed_call_names_its_thread() {
    let mut read_model = DebateReadModel::of(&threads_debate());
    let key = EffectKey { purpose: "room_turn".to_owned(), subject: "ada".to_owned(), ordinal: 102 };
    assert_eq!(key.room(), Some(RoomId(1)));
    let mut abandoned = threads_debate().pop().expect("an event");
    abandoned.version += 1;
    abandoned.event = Event::EffectAbandoned(EffectAbandoned { key, attempts: 2, reason: "it timed out".to_owned() });
    read_model.apply(&abandoned);
    let told: Vec<String> = missed_calls(&read_model).map(|call| missed_call(&read_model, call)).collect();
    assert_eq!(told, ["ADA's turn in thread m1 was abandoned after 2 attempts: it timed out"]);
    let words = shown(&[threads_debate(), vec![abandoned]].concat(), 100);
    assert!(words.contains("ADA's turn in thread m1 was abandoned"), "{words}");
}

/// The old systems have rooms only.
#[test]
fn a_legacy_export_tells_threads_of_a_forum_as_rooms() {
    let mut events = threads_debate();
    for it in &mut events {
        if let Event::DebateOpened(opened) = &mut it.event {
            opened.engine = "forum".to_owned();
        }
    }
    let mut legacy = LegacyTranslator::default();
    let told: Vec<Value> = events.iter().flat_map(|recorded| legacy.translate(recorded)).collect();
    let of = |kind: &str| told.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
    let ids: Vec<&Value> = of("crux_room_spawning").into_iter().map(|event| &event["roomId"]).collect();
    assert_eq!(ids, ["crux-1", "crux-2"]);
    assert_eq!((of("crux_message").iter().filter(|event| event["message"]["type"] == "persona")).count(), 3);
    assert_eq!(of("crux_card_posted")[0]["card"]["personas"]["CORA"]["position"], "NO");
}
