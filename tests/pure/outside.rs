//! What may be appended from outside: whatever our own engines record may, and nothing that contradicts it.

use faultline::engines::registry::ENGINES;
use faultline::events::event::{Event, Recorded};
use faultline::events::wire;
use faultline::kernel::command::CEILING;
use faultline::kernel::outside::life::{ENGINE, PROVIDER};
use faultline::kernel::outside::outside::{Outside, Refused};
use faultline::kernel::outside::read;
use serde_json::Value;

use crate::rehearsal::{Script, perform};
use crate::rehearsals::fixtures;

/// A rehearsed debate as an orchestrator outside would have told it.
fn told_from_outside(events: &[Recorded]) -> Vec<Event> {
    let told = events.iter().map(|it| match &it.event {
        Event::DebateOpened(opened) => {
            let mut opened = opened.clone();
            (opened.engine, opened.provider) = (ENGINE.to_owned(), PROVIDER.to_owned());
            (opened.options, opened.limits) = (Value::Null, CEILING);
            Event::DebateOpened(opened)
        }
        other => other.clone(),
    });
    told.collect()
}

#[test]
fn every_rehearsed_debate_can_be_told_from_outside() {
    let mut n_events = 0;
    for path in fixtures() {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let log = perform(Script::parse(text.split_once("\n= log\n").map_or(text.as_str(), |(it, _)| it)), None);
        let events = told_from_outside(&log.0);
        for event in &events {
            let stored = wire::encode(event);
            let body: Value = serde_json::from_slice(&stored.body).expect("JSON");
            let read = read::event(&stored.kind, &body).map(|(it, _)| it);
            assert_eq!(read.as_ref(), Ok(event), "{}", path.display());
        }
        let admitted = Outside::default().admit(ENGINES, log.0[0].debate, events.clone());
        assert_eq!(admitted.map(|it| it.len()), Ok(events.len()), "{}", path.display());
        n_events += events.len();
    }
    assert!(n_events > 1_000, "{n_events} events");
}

/// Told twice, out of order or with a hole, a debate is refused at that very event.
#[test]
fn what_does_not_follow_is_refused_where_it_stands() {
    for path in fixtures() {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let log = perform(Script::parse(text.split_once("\n= log\n").map_or(text.as_str(), |(it, _)| it)), None);
        let events = told_from_outside(&log.0);
        let debate = log.0[0].debate;
        let refused = |events: Vec<Event>| match Outside::default().admit(ENGINES, debate, events) {
            Err(Refused { at: Some(at), .. }) => at,
            other => panic!("{}: {other:?}", path.display()),
        };
        assert_eq!(refused(events[1..].to_vec()), 0, "nothing goes before the opening");
        let last = events.len() - 1;
        assert_eq!(refused([&events[..], &events[last..]].concat()), last + 1, "nothing follows the end");
        for (at, event) in events.iter().enumerate() {
            let names = matches!(
                event,
                Event::DebateOpened(_)
                    | Event::TurnTaken(_)
                    | Event::ArgumentAdvanced(_)
                    | Event::AttackRaised(_)
                    | Event::AttackJudged(_)
                    | Event::DisputeRaised(_)
                    | Event::ReasonGiven(_)
                    | Event::CruxProposed(_)
                    | Event::ProposalDrafted(_)
                    | Event::ProposalSynthesized(_)
                    | Event::EffectRequested(_)
                    | Event::EffectAnswered(_)
            );
            if names {
                let twice = [&events[..=at], &events[at..=at]].concat();
                assert_eq!(refused(twice), at + 1, "{}: {} twice", path.display(), event.kind());
            }
        }
    }
}
