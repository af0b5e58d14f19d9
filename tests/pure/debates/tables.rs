//! Tables in a debate driven from outside. Which events are accepted, and how they are shown.

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::TurnId;
use faultline_core::events::table::TableState;
use faultline_core::export::json::views;
use faultline_core::export::report::html::html;
use faultline_core::export::report::markdown::markdown;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_terminal::live::live::DebateRenderer;
use faultline_terminal::tables::history::line;
use faultline_terminal::text::style::TerminalStyle;
use faultline_terminal::verdict::report::report;
use serde_json::{Value, json};

use crate::debates::rooms::{Given, before, log, recorded, said, with};

fn table(number: u32, change: Value) -> Given {
    let body = json!({ "table": number, "participants": ["ada", "ben"], "reason": "drawn by the seed" });
    ("table_seated", with(body, change))
}

fn intent(who: &str, change: Value) -> Given {
    let body = json!({ "speaker": who, "round": 1, "action": "speak", "urgency": 0.5, "intent": "answer t1" });
    ("intent_stated", with(body, change))
}

/// Returns a measurement of table 1, at which ada says yes to d1 with confidence 0.8, and ben no without one.
fn measured(round: u32, change: Value) -> Given {
    let d1 = json!({
        "dispute": "d1", "yes": 0.4444, "no": 0.5556, "neither": 0.0, "entropy": 0.6253, "distance": 1.8, "without": 0,
    });
    let body = json!({
        "table": 1, "round": round, "disputes": [d1], "entropy": 0.6253, "distance": 1.8, "divided": 1, "new_points": 0,
        "state": "open", "reason": "1 question divides the table",
    });
    ("convergence_measured", with(body, change))
}

fn stance(who: &str, side: &str, (turn, quote): (u32, &str), confidence: f64) -> Given {
    (
        "stance_taken",
        json!({
            "dispute": "d1", "speaker": who, "side": side, "turn": format!("t{turn}"), "quote": quote,
            "confidence": confidence,
        }),
    )
}

/// Returns the events of a debate with a table of ada and ben.
fn seated() -> Vec<Given> {
    let mut events = before();
    events.extend([table(1, json!({})), stance("ada", "yes", (1, "There are six hands"), 0.8)]);
    events
}

fn whole() -> Vec<Given> {
    let both = json!({
        "disputes": [{
            "dispute": "d1", "yes": 0.8, "no": 0.2, "neither": 0.0, "entropy": 0.4555, "distance": 1.0, "without": 0,
        }],
        "entropy": 0.4555, "distance": 1.0, "divided": 1, "state": "silent", "reason": "nobody wanted to speak",
    });
    let mut events = seated();
    events.extend([
        measured(0, json!({})),
        intent("ada", json!({ "action": "listen", "urgency": 0.0, "intent": "" })),
        intent("ben", json!({ "action": "interrupt", "intent": "deny t1" })),
        ("floor_given", json!({ "speaker": "ben", "reason": "interrupts, with urgency 0.50: deny t1" })),
        said(3, "ben", None, "There are four hands, so no."),
        stance("ben", "no", (3, "There are four hands, so no."), 0.2),
        measured(1, both),
        table(2, json!({ "participants": ["ben", "cora"], "disputes": ["d1"], "is_final": true })),
        ("debate_concluded", json!({ "outcome": { "kind": "exhausted", "reason": "all was said" } })),
    ]);
    events
}

#[test]
fn a_table_has_its_turns_intents_and_measurements() {
    let read_model = DebateReadModel::of(&log(&whole()));
    let [one, two] = read_model.tables.tables.as_slice() else { panic!("two tables") };
    assert_eq!((one.turns.as_slice(), one.intents.len(), one.measured.len()), ([TurnId(3)].as_slice(), 2, 2));
    assert_eq!((one.state(), two.state()), (TableState::Silent, TableState::Open));
    // At a final table, only those who are seated there have a seat.
    let at = |who: &str| read_model.tables.of(&who.parse().expect("an id")).map(|table| table.seated.table);
    assert_eq!([at("ada"), at("ben"), at("cora")], [None, Some(2), Some(2)]);
    assert_eq!(read_model.tables.in_use().count(), 1);
}

/// Tables, intents and measures decide nothing.
#[test]
fn no_verdict_depends_on_tables() {
    let events = log(&whole());
    let decides_nothing =
        |event: &Event| matches!(event, Event::TableSeated(_) | Event::IntentStated(_) | Event::ConvergenceMeasured(_));
    let bare: Vec<Recorded> = events.iter().filter(|recorded| !decides_nothing(&recorded.event)).cloned().collect();
    assert_eq!(bare.len() + 6, events.len());
    assert_eq!(DebateReadModel::of(&bare).verdict(), DebateReadModel::of(&events).verdict());
}

#[test]
fn invalid_events_of_tables_are_refused_with_a_reason() {
    let (base, there) = (before(), seated());
    let measured_once = [&there[..], &[measured(1, json!({}))]].concat();
    let with_cora = [&base[..], &[table(1, json!({ "participants": ["ada", "cora"] }))]].concat();
    let alone = |change: Value| {
        let d1 = json!({ "dispute": "d1", "yes": 1.0, "no": 0.0, "neither": 0.0, "entropy": 0.0, "without": 1 });
        let of_one = json!({ "disputes": [d1], "entropy": 0.0, "distance": null, "divided": 0 });
        measured(1, with(of_one, change))
    };
    let shares = |yes: f64, no: f64, without: u32| {
        let d1 = json!({
            "dispute": "d1", "yes": yes, "no": no, "neither": 0.0, "entropy": 0.6253, "distance": 1.8, "without": without,
        });
        measured(1, json!({ "disputes": [d1] }))
    };
    for (there, given, wanted) in [
        (&base, table(1, json!({})), ""),
        (&base, table(2, json!({})), "the next table is 1, not 2"),
        (&base, table(1, json!({ "participants": ["ada"] })), "table 1 needs at least two participants"),
        (&base, table(1, json!({ "participants": ["ada", "ada"] })), "ada is seated twice at table 1"),
        (&base, table(1, json!({ "participants": ["ada", "dora"] })), "dora is not a participant"),
        (&base, table(1, json!({ "disputes": ["d1"] })), ""),
        (&base, table(1, json!({ "disputes": ["d9"] })), "there is no dispute d9"),
        (&base, table(1, json!({ "disputes": ["d1", "d1"] })), "d1 is listed twice"),
        (&base, table(1, json!({ "reason": " " })), "the reason is empty"),
        (&base, intent("ada", json!({})), "ada sits at no table; seat them first"),
        (&there, intent("ada", json!({})), ""),
        (&there, intent("cora", json!({})), "cora sits at no table"),
        (&there, intent("ada", json!({ "urgency": 1.5 })), "the urgency is 1.5; it must be between 0 and 1"),
        (&there, intent("ada", json!({ "round": 0 })), "the round is 0; rounds are counted from 1"),
        (&there, intent("ada", json!({ "intent": "" })), "the intent is empty"),
        (&there, intent("ada", json!({ "intent": "", "action": "listen" })), ""),
        (&there, intent("ada", json!({ "action": "shout" })), "the body is not a valid intent_stated: "),
        (&base, measured(1, json!({})), "there is no table 1"),
        (&there, measured(1, json!({})), ""),
        (&measured_once, measured(1, json!({})), "table 1 was measured in round 1 or a later one before"),
        (&measured_once, measured(2, json!({})), ""),
        (&there, shares(0.4444, 0.5556, 0), ""),
        (
            &there,
            shares(0.5, 0.5, 0),
            "the measures of d1 are not those of the stances at the table: yes 0.4444, no 0.5556",
        ),
        (&there, shares(0.4444, 0.5556, 1), "without a stance 0"),
        (
            &there,
            measured(1, json!({ "disputes": [] })),
            "the disputes under discussion at table 1 are d1, in this order; none",
        ),
        (&there, measured(1, json!({ "divided": 0 })), "`divided` is 0; table 1 is divided on 1"),
        (&there, measured(1, json!({ "entropy": 1.5 })), "the mean entropy is 0.6253; `entropy` is 1.5000"),
        (&there, measured(1, json!({ "distance": 2.5 })), "the mean distance is 1.8000; `distance` is 2.5000"),
        (&there, measured(1, json!({ "state": "converged" })), ""),
        (&with_cora, alone(json!({})), ""),
        (&with_cora, alone(json!({ "state": "converged" })), "table 1 cannot have converged: that needs"),
        (&with_cora, alone(json!({ "state": "diverged" })), "table 1 cannot have diverged: no question divides it"),
        (&there, measured(1, json!({ "state": "diverged" })), ""),
        (
            &there,
            measured(1, json!({ "state": "diverged", "moved": 1 })),
            "table 1 cannot have diverged: somebody changed sides since the measurement before",
        ),
        (&there, measured(1, json!({ "reason": "" })), "the reason is empty"),
    ] {
        match recorded(&[&there[..], std::slice::from_ref(&given)].concat()) {
            Ok(_) => assert_eq!(wanted, "", "{given:?} was accepted"),
            Err(refused) => assert!(!wanted.is_empty() && refused.contains(wanted), "{given:?}: {refused}"),
        }
    }
}

#[test]
fn reports_and_exports_tell_tables() {
    let events = log(&whole());
    let read_model = DebateReadModel::of(&events);
    let (page, text) = (html(&read_model, &events, None), markdown(&read_model, &events));
    for wanted in [
        "\n## Tables\n",
        "### Table 1\n\nADA, BEN. Drawn by the seed.\n\nSilent: nobody wanted to speak.\n",
        "- first stances\n  - d1: yes 0.44, no 0.56, neither 0.00; entropy 0.63, distance 1.80\n",
        "- round 1\n  - d1: yes 0.80, no 0.20, neither 0.00; entropy 0.46, distance 1.00\n",
        "### Final table 2\n\nBEN, CORA. Drawn by the seed.\n\nNot measured.\n",
    ] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
    for wanted in ["<a href=#tables>Tables</a>", "<h2 id=tables>Tables</h2>", "<h4>Final table 2</h4>"] {
        assert!(page.contains(wanted), "{wanted}:\n{page}");
    }
    let view = views(&read_model);
    assert_eq!(view["tables"][0]["intents"][1]["action"], "interrupt");
    assert_eq!(view["tables"][1]["is_final"], true);
}

fn shown(events: &[Recorded]) -> String {
    let mut renderer = DebateRenderer::new(TerminalStyle { width: 100, colour: false, unicode: true });
    events.iter().map(|recorded| renderer.render(recorded)).collect()
}

#[test]
fn a_terminal_shows_tables() {
    let events = log(&whole());
    let text = shown(&events);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "· table 1: ADA and BEN (drawn by the seed)",
        "· BEN has the floor: interrupts, with urgency 0.50: deny t1",
        "· table 1 fell silent: nobody wanted to speak; mean entropy 0.46; mean distance 1.00",
        "· final table 2: BEN and CORA (drawn by the seed)",
    ] {
        assert!(words.contains(wanted), "{wanted}:\n{text}");
    }
    let look = TerminalStyle { width: 100, colour: false, unicode: true };
    let whole = report(&DebateReadModel::of(&events), &[], look);
    let words = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in ["Tables ─", "Table 1: ADA, BEN", "Round 1 d1: yes 0.80, no 0.20", "Final table 2: BEN, CORA"] {
        assert!(words.contains(wanted), "{wanted}:\n{whole}");
    }
}

#[test]
fn a_terminal_shows_tables_without_control_sequences() {
    let mut events = log(&whole());
    for it in &mut events {
        let harm = || "\u{1b}[2J\u{9b}5A\u{202e}turned\r".to_owned();
        match &mut it.event {
            Event::FloorGiven(it) => it.reason = harm(),
            Event::TableSeated(it) => it.reason = harm(),
            Event::IntentStated(it) => it.intent = harm(),
            Event::ConvergenceMeasured(it) => it.reason = harm(),
            _ => {}
        }
    }
    let acts = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
    let look = TerminalStyle { width: 80, colour: false, unicode: true };
    let lines: String = events.iter().map(|recorded| line(recorded, look)).collect();
    let (text, whole) = (shown(&events), report(&DebateReadModel::of(&events), &[], look));
    assert!(!text.contains(acts) && !lines.contains(acts) && !whole.contains(acts), "{text:?} {lines:?} {whole:?}");
}
