//! Replies: valid ones are read, and no reply breaks a debate.

use faultline_core::events::event::Event;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::events::receipt::{EffectAbandoned, EffectKey, Failure, FailureKind};
use serde_json::{Value, json};

use crate::laws::inspection::{Inspection, assert_sound};
use crate::laws::invalid_replies::{hopeless, noisy, places, twisted};
use crate::laws::replay::{Replay, asked};
use crate::laws::support::{all_questions, answer, script, short};
use crate::rehearsal::{Log, perform};
use crate::support::random::Random;

/// Limits every request to two attempts.
fn twice() -> DebateLimits {
    DebateLimits { attempts: 2, ..DebateLimits::default() }
}

#[test]
fn valid_replies_are_read() {
    for (engine, questions) in all_questions() {
        let log = perform(script(engine, DebateLimits::default(), &[]), None);
        assert_sound(engine, &log);
        for (purpose, _) in &questions {
            let answered =
                |event: &Event| matches!(event, Event::EffectAnswered(event) if event.key.purpose == *purpose);
            assert!(log.0.iter().any(|recorded| answered(&recorded.event)), "{purpose}:\n{}", log.lines());
        }
    }
}

/// Nothing is read from any of them. What follows does not depend on which it was: each request gets two in whole debates.
#[test]
fn an_unreadable_reply_abandons_its_request_and_the_debate_ends() {
    let hopeless = hopeless();
    let mut in_turn = hopeless.iter().cycle();
    for (engine, questions) in all_questions() {
        let whole = perform(script(engine, DebateLimits::default(), &[]), None);
        for (purpose, _) in &questions {
            let asked = asked(&whole, purpose);
            for (what, reply) in &hopeless {
                let events = outcome(&asked, purpose, reply);
                let told = format!("{what} as a reply to {purpose}");
                assert!(matches!(&events[..], [Event::EffectFailed(_)]), "{told}: {events:?}");
            }
            for (what, reply) in in_turn.by_ref().take(2) {
                let log = perform(script(engine, twice(), &[(purpose, reply)]), None);
                let told = format!("{what} as a reply to {purpose}");
                assert_sound(&told, &log);
                let of_it = |key: &EffectKey| key.purpose == *purpose;
                let read = log.0.iter().find(
                    |recorded| matches!(&recorded.event, Event::EffectAnswered(recorded) if of_it(&recorded.key)),
                );
                assert!(read.is_none(), "{told} was read:\n{}", log.lines());
                let given_up = |event: &Event| matches!(event, Event::EffectAbandoned(EffectAbandoned { key, attempts: 2, .. }) if of_it(key));
                assert!(log.0.iter().any(|recorded| given_up(&recorded.event)), "{told}:\n{}", log.lines());
            }
        }
    }
}

/// Returns what a reply to the first request of a purpose records.
fn outcome(asked: &Replay, purpose: &str, reply: &str) -> Vec<Event> {
    let ask = asked.asks.values().find(|ask| ask.key.purpose == *purpose).expect("it was asked");
    asked.session.record_outcome(ask, Ok(answer(reply)), None)
}

/// Whole debates in which every request of a purpose gets a reply of which something is read: the others are like those
/// above.
#[test]
fn no_reply_breaks_a_debate() {
    for (engine, questions) in all_questions() {
        let whole = perform(script(engine, DebateLimits::default(), &[]), None);
        for (purpose, good) in &questions {
            let asked = asked(&whole, purpose);
            let read_as_given = outcome(&asked, purpose, good);
            for (what, reply) in twisted(good) {
                let events = outcome(&asked, purpose, &reply);
                let is_unread = matches!(&events[..], [Event::EffectFailed(_)]);
                if is_unread || events[1..] == read_as_given[1..] {
                    continue;
                }
                let log = perform(script(engine, twice(), &[(purpose, &reply)]), None);
                assert_sound(&format!("{what} as a reply to {purpose}"), &log);
            }
        }
    }
}

/// Tries odd values at every place of every valid reply, replies cut off at regular intervals, and noise.
#[test]
fn no_variation_of_a_reply_breaks_a_debate() {
    let odd = [
        json!(null),
        json!(true),
        json!(""),
        json!(-1),
        json!(1e308),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!("a1"),
        json!("\u{0}\u{202e}"),
        json!("x".repeat(5_000)),
        json!([[[[{ "a": [null] }]]]]),
    ];
    let mut random = Random(0x5eed_0001);
    for (engine, questions) in all_questions() {
        let whole = perform(script(engine, DebateLimits::default(), &[]), None);
        for (purpose, good) in &questions {
            let asked = asked(&whole, purpose);
            let ask = asked.asks.values().find(|ask| ask.key.purpose == *purpose).expect("it was asked");
            let log = Log(whole.0[..asked.at].to_vec(), whole.1.clone());
            let mut before = Inspection::default();
            log.0.iter().for_each(|recorded| before.see(recorded));

            let value: Value = serde_json::from_str(good).expect("a good reply is JSON");
            let mut replies: Vec<String> = Vec::new();
            for place in places(&value, String::new()) {
                for twist in &odd {
                    let mut reply = value.clone();
                    *reply.pointer_mut(&place).expect("a place of the reply") = twist.clone();
                    replies.push(reply.to_string());
                }
            }
            replies.extend((0..good.len()).step_by(5).map(|end| good[..end].to_owned()));
            replies.extend((0..60).map(|_| noisy(good, &mut random)));
            for reply in &replies {
                let events = asked.session.record_outcome(ask, Ok(answer(reply)), None);
                let mut after = before.clone();
                log.clone().append(events).iter().for_each(|recorded| after.see(recorded));
                assert_eq!(after.faults, [""; 0], "{purpose} answered by {}", short(reply));
            }
        }
    }
}

/// A truncated reply has been paid for: it is read if possible, and otherwise its cost is reported with the failure.
#[test]
fn a_reply_truncated_by_the_provider_is_read_if_possible() {
    for (engine, questions) in all_questions() {
        let whole = perform(script(engine, DebateLimits::default(), &[]), None);
        for (purpose, good) in &questions {
            let asked = asked(&whole, purpose);
            let ask = asked.asks.values().find(|ask| ask.key.purpose == *purpose).expect("it was asked");
            let settled = |text: &str| {
                let message = "max_tokens".to_owned();
                let cut = Some(Box::new(answer(text)));
                asked.session.record_outcome(
                    ask,
                    Err(Failure { answer: cut, ..Failure::new(FailureKind::Truncated, message) }),
                    None,
                )
            };
            let read = settled(good.trim_end_matches('}'));
            let repaired = matches!(&read[0], Event::EffectAnswered(it) if it.repaired && !it.ignored);
            assert!(repaired && read.len() > 1, "{purpose}: {read:?}");
            let lost = settled("{");
            let told = matches!(&lost[..], [Event::EffectFailed(it)]
                if it.failure.kind == FailureKind::Truncated && it.answer == Some(answer("{")));
            assert!(told, "{purpose}: {lost:?}");
        }
    }
}
