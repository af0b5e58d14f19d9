//! Limits: each limit ends a debate and is named in the outcome, and time spent paused does not count.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::Event;
use faultline_core::events::lifecycle::{DebateLimits, DebateOutcome};
use faultline_core::kernel::command;
use faultline_core::kernel::command::Command;
use faultline_core::kernel::effect::Effect;
use faultline_core::kernel::session::SessionStep;
use faultline_core::verdicts::read_model::DebateReadModel;
use serde_json::json;

use crate::laws::inspection::assert_sound;
use crate::laws::replay::session_over;
use crate::laws::support::{interject, opening, questions, script};
use crate::rehearsal::{Log, perform};

#[test]
fn every_limit_ends_a_debate_and_is_named() {
    for (engine, _) in questions() {
        // A limit that is reached while words are audited leaves the outcome as it was.
        let script = |limits: DebateLimits| {
            let mut script = script(engine, limits, &[]);
            script.options["audit"] = json!("off");
            script
        };
        let whole = perform(script(DebateLimits::default()), None);
        let spent = DebateReadModel::of(&whole.0).summary;
        let seconds = whole.0.len() as u64 - 1;
        let tokens = spent.usage.total.input_tokens + spent.usage.total.output_tokens;
        let free = DebateLimits::default;
        type Set = fn(DebateLimits, u64) -> DebateLimits;
        let limits: [(&str, u64, Set); 5] = [
            ("calls", spent.usage.total.calls.into(), |free, n| DebateLimits { calls: n as u32, ..free }),
            ("tokens", tokens, |free, n| DebateLimits { tokens: n, ..free }),
            ("cost_micros", spent.usage.total.cost_micros, |free, n| DebateLimits { cost_micros: n, ..free }),
            ("turns", spent.n_turns.into(), |free, n| DebateLimits { turns: n as u32, ..free }),
            ("seconds", seconds, |free, n| DebateLimits { seconds: n as u32, ..free }),
        ];
        for (name, total, set) in limits {
            for limit in [1, 2, total / 3, total / 2, total * 2 / 3] {
                let log = perform(script(set(free(), limit)), None);
                let told = format!("{engine} with {limit} of {total} {name}:\n{}", log.lines());
                let read_model = DebateReadModel::of(&log.0);
                let Some(DebateOutcome::Limit { limit: named, reason }) = &read_model.summary.outcome else {
                    panic!("{told}");
                };
                assert_eq!(named, name, "{told}");
                assert!(reason.contains(&format!("of {limit} ")), "{told}");
                assert_eq!(read_model.verdict().limit.as_deref(), Some(name), "{told}");
                assert!(name != "calls" || u64::from(read_model.summary.usage.total.calls) == limit, "{told}");
                assert_sound(&told, &log);
            }
            let log = perform(script(set(free(), total + 1)), None);
            // Calls reserve tokens and money, so that they may run one after the other, but they are the same.
            let lines = |log: &Log| {
                let mut lines: Vec<String> =
                    log.lines().lines().map(|line| line.split_once(' ').expect("a number").1.to_owned()).collect();
                if name == "tokens" || name == "cost_micros" {
                    lines.sort();
                }
                lines
            };
            // Where a room runs beside the channel, calls one after the other let the two take other turns.
            if ["crux_rooms", "forum"].contains(&engine) && (name == "tokens" || name == "cost_micros") {
                continue;
            }
            assert_eq!(lines(&log), lines(&whole), "{engine} with more {name} than it needs");
        }
    }
}

#[test]
fn the_rounds_of_an_engine_are_a_limit_too() {
    let fresh = r#"{"proposal": "something else", "reasoning": "", "changes": [], "confidence": 1, "passages": []}"#;
    for (engine, rounds, otherwise) in [
        ("graph", 0, &[][..]),
        ("graph", 1, &[][..]),
        ("blitz", 0, &[][..]),
        ("blitz", 1, &[][..]),
        ("classical", 1, &[][..]),
        ("pro_con", 1, &[][..]),
        ("dialectic", 0, &[][..]),
        ("dialectic", 1, &[("synthesize", fresh)][..]),
    ] {
        let mut script = script(engine, DebateLimits::default(), otherwise);
        script.options["rounds"] = json!(rounds);
        let log = perform(script, None);
        let limit = DebateReadModel::of(&log.0).verdict().limit;
        assert_eq!(limit.as_deref(), Some("rounds"), "{engine} with {rounds} rounds:\n{}", log.lines());
    }
}

#[test]
fn a_request_that_is_lost_repeatedly_is_abandoned() {
    for losses in [1, 2, 8] {
        let limits = DebateLimits { losses, ..DebateLimits::default() };
        let mut log = Log::default();
        log.append(command::open(ENGINES, opening("graph", limits)).expect("it opens"));
        let mut n_lost = 0;
        loop {
            let session = session_over(&log.0);
            match session.step(&BTreeSet::new()) {
                SessionStep::Start(effects) => {
                    let requested = |effect: &Effect| session.requested(&session.attempt(effect, Vec::new()));
                    log.append(effects.iter().map(requested).collect());
                    n_lost += 1; // the runner is killed here
                }
                SessionStep::Append(events) => drop(log.append(events).len()),
                other => {
                    assert_eq!(other, SessionStep::Done);
                    break;
                }
            }
        }
        assert_eq!(n_lost, losses, "{}", log.lines());
        let abandoned = log.0.iter().filter(|recorded| matches!(recorded.event, Event::EffectAbandoned(_))).count();
        assert_eq!(abandoned, 2, "{}", log.lines());
        assert!(
            matches!(DebateReadModel::of(&log.0).summary.outcome, Some(DebateOutcome::Stalled { .. })),
            "{}",
            log.lines()
        );
    }
}

#[test]
fn time_spent_paused_does_not_count() {
    let limits = DebateLimits { seconds: 100, ..DebateLimits::default() };
    let append = |log: &mut Log, after: i64, events: Vec<Event>| {
        let n_before = log.0.len();
        let at = log.0.last().map(|recorded| recorded.at + TimeDelta::seconds(after));
        log.append(events);
        log.0[n_before..].iter_mut().for_each(|recorded| recorded.at = at.unwrap_or(recorded.at));
    };
    let ends = |paused_for: i64, running_for: i64| {
        let mut log = Log::default();
        append(&mut log, 0, command::open(ENGINES, opening("graph", limits.clone())).expect("it opens"));
        for (after, command) in [(0, Command::Pause), (paused_for, Command::Resume), (running_for, interject("Well?"))]
        {
            let summary = DebateReadModel::of(&log.0).summary;
            append(&mut log, after, command::decide(&summary, command).expect("it is granted"));
        }
        while let SessionStep::Append(events) = session_over(&log.0).step(&BTreeSet::new()) {
            append(&mut log, 0, events);
        }
        DebateReadModel::of(&log.0).verdict().limit.is_some()
    };
    assert!(!ends(10_000, 90), "a pause was counted");
    assert!(ends(10_000, 110), "time under way was not counted");
    assert!(ends(0, 110), "time under way was not counted");
}
