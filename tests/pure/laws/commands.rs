//! Commands: granted or refused by the state of the debate, and topics never treated as templates.

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::Event;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::kernel::command;
use faultline_core::kernel::command::{Command, DebateConfig, MAX_TEXT_BYTES, MAX_TOPIC_BYTES};
use faultline_core::kernel::engine::Refusal;
use faultline_core::projections::summary::Summary;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::json;

use crate::laws::inspection::assert_sound;
use crate::laws::support::{interject, opening, questions, script, short};
use crate::rehearsal::{Log, perform};
use crate::support::personas::persona;

/// Summarizes the result of a command in one line: the events that it adds, or the kind of its refusal.
fn decision_line(decided: Result<Vec<Event>, Refusal>) -> String {
    match decided {
        Ok(events) => {
            let lines: Vec<String> =
                events.iter().map(|event| format!("{} {}", event.kind(), event.summary())).collect();
            lines.join("; ").trim_end().to_owned()
        }
        Err(refusal) => {
            assert!(!refusal.reason.is_empty() && refusal.reason.len() < 1_000, "{}", refusal.reason.len());
            format!("{:?}", refusal.kind)
        }
    }
}

#[test]
fn commands_are_granted_or_refused() {
    let opened = || {
        let mut log = Log::default();
        log.append(command::open(ENGINES, opening("graph", DebateLimits::default())).expect("it opens"));
        log
    };
    let with = |commands: &[Command]| {
        let mut log = opened();
        for command in commands {
            let summary = DebateReadModel::of(&log.0).summary;
            log.append(command::decide(&summary, command.clone()).expect("it is granted"));
        }
        DebateReadModel::of(&log.0).summary
    };
    let absent = Summary::default();
    let running = with(&[]);
    let paused = with(&[Command::Pause]);
    let resumed = with(&[Command::Pause, Command::Resume, interject("Well?")]);
    let aborted = with(&[Command::Cancel("enough".into())]);
    let concluded = DebateReadModel::of(&perform(script("graph", DebateLimits::default(), &[]), None).0).summary;

    let as_ben = |id: &str| Command::Interject { text: "I am Ben.".into(), speaker: Some(persona(id).id) };
    let cancel = |reason: &str| Command::Cancel(reason.to_owned());
    let check = |debate: &Summary, command: Command, expected: &str| {
        let asked = format!("{command:?} of a debate that is {:?}", debate.status);
        assert_eq!(decision_line(command::decide(debate, command)), expected, "{}", short(&asked));
    };
    for command in [Command::Pause, Command::Resume, cancel("x"), interject("x"), as_ben("ben")] {
        check(&absent, command.clone(), "NotFound");
        check(&aborted, command.clone(), "Conflict");
        check(&concluded, command, "Conflict");
    }
    check(&running, Command::Pause, "debate_paused");
    check(&running, Command::Resume, "");
    check(&paused, Command::Pause, "");
    check(&paused, Command::Resume, "debate_resumed");
    check(&resumed, Command::Pause, "debate_paused");
    for debate in [&running, &paused, &resumed] {
        check(debate, cancel("enough"), "debate_aborted enough");
        check(debate, cancel(" \n"), "debate_aborted cancelled");
        check(debate, cancel(&"x".repeat(MAX_TEXT_BYTES + 1)), "Limit");
        check(debate, interject(""), "Invalid");
        check(debate, interject(" \u{0}\u{1b}\r\n\t"), "Invalid");
        check(debate, interject(&"x".repeat(MAX_TEXT_BYTES + 1)), "Limit");
        check(debate, as_ben("cleo"), "NotFound");
    }
    check(&running, interject("  Mind\u{0} the\u{7} winter. "), "interjected t1 moderator: Mind the winter.");
    check(&resumed, interject("And now?"), "interjected t2 moderator: And now?");
    check(&running, as_ben("ben"), "interjected t1 ben: I am Ben.");
    check(&running, interject("a\tb\r\nc"), "interjected t1 moderator: a b c");
    assert!(command::decide(&running, interject(&"é".repeat(MAX_TEXT_BYTES / 2))).is_ok());
}

#[test]
fn an_opening_is_granted_or_refused() {
    type Change<'a> = &'a dyn Fn(&mut DebateConfig);
    let check = |what: &str, change: Change, expected: &str| {
        let mut opening = opening("graph", DebateLimits::default());
        change(&mut opening);
        let told = decision_line(command::open(ENGINES, opening));
        let told = told.split_once(':').map_or(told.as_str(), |(kind, _)| kind);
        assert_eq!(told, expected, "{what}");
    };
    let granted = "debate_opened graph / script / ada, ben";
    let people = |ids: &[&str]| ids.iter().map(|id| persona(id)).collect::<Vec<_>>();
    let many: Vec<String> = (0..13).map(|number| format!("p{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();

    check("as it is", &|_| {}, granted);
    check("no topic", &|command| command.topic.clear(), "Invalid");
    check("a blank topic", &|command| command.topic = " \t\r\n ".into(), "Invalid");
    check("a topic of controls", &|command| command.topic = "\u{0}\u{1}\u{1b}\u{9b}".into(), "Invalid");
    check("controls in a topic", &|command| command.topic = "a\u{0}b\u{1b}".into(), granted);
    check("slots in a topic", &|command| command.topic = "{{persona}} {{".into(), granted);
    check("100 kB of topic", &|command| command.topic = "x".repeat(100_000), "Limit");
    check("the longest topic", &|command| command.topic = "x".repeat(MAX_TOPIC_BYTES), granted);
    check("a byte too many", &|command| command.topic = "x".repeat(MAX_TOPIC_BYTES + 1), "Limit");
    check("an unknown engine", &|command| command.engine = "phlogiston".into(), "NotFound");
    check("an engine of 100 kB", &|command| command.engine = "x".repeat(100_000), "NotFound");
    check("an engine in capitals", &|command| command.engine = "Graph".into(), "NotFound");
    check("nobody", &|command| command.participants.clear(), "Invalid");
    check("one", &|command| command.participants = people(&["ada"]), "Invalid");
    check("thirteen", &|command| command.participants = people(&many), "Invalid");
    check("one twice", &|command| command.participants = people(&["ada", "ada"]), "Invalid");
    check("one twice among three", &|command| command.participants = people(&["ada", "ben", "ada"]), "Invalid");
    check("no options", &|command| command.options = json!({}), granted);
    check("some options", &|command| command.options = json!({ "rounds": 10, "passages": 0 }), granted);
    check("an unknown option", &|command| command.options = json!({ "turns": 3 }), "Invalid");
    check("an option of a wrong type", &|command| command.options = json!({ "rounds": "3" }), "Invalid");
    check("an option below", &|command| command.options = json!({ "rounds": -1 }), "Invalid");
    check("an option beyond", &|command| command.options = json!({ "rounds": 11 }), "Invalid");
    check("options that are none", &|command| command.options = json!([1]), "Invalid");
    check(
        "a share beyond",
        &|command| (command.engine, command.options) = ("dialectic".into(), json!({ "alike": 1.1 })),
        "Invalid",
    );
    check(
        "four for three",
        &|command| (command.engine, command.participants) = ("dialectic".into(), people(&["a", "b", "c", "d"])),
        "Invalid",
    );
    for limit in ["attempts", "losses", "calls", "tokens", "cost_micros", "turns", "seconds"] {
        for (value, expected) in [(json!(0), "Limit"), (json!(1), granted), (json!(u32::MAX), "Limit")] {
            let value = if ["tokens", "cost_micros"].contains(&limit) && expected == "Limit" && value != json!(0) {
                json!(u64::MAX)
            } else {
                value
            };
            let set: Change =
                &|command| command.limits = serde_json::from_value(json!({ limit: value })).expect("limits");
            check(&format!("{limit} {value}"), set, expected);
        }
    }
}

/// Text inserted into a prompt is never scanned for slots, and no slot is left unfilled.
#[test]
fn slots_in_a_topic_are_left_as_they_are() {
    for (engine, _) in questions() {
        let mut script = script(engine, DebateLimits::default(), &[]);
        script.topic = "{{persona}} or {{arguments}}?".into();
        let log = perform(script, None);
        assert_sound(engine, &log);
        let asked = log.0.iter().filter_map(|recorded| match &recorded.event {
            Event::EffectRequested(recorded) => Some(recorded.prompt.as_str()),
            _ => None,
        });
        for prompt in asked {
            assert!(prompt.contains("{{persona}} or {{arguments}}?"), "{prompt}");
        }
    }
}
