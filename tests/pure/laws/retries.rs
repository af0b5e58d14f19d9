//! Retries: a reply that cannot be used is requested again with words that help, and not more often than that helps.

use std::collections::BTreeSet;

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::Event;
use faultline_core::events::lifecycle::DebateLimits;
use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};
use faultline_core::kernel::command;
use faultline_core::kernel::effect::{Effect, EffectAttempt};
use faultline_core::kernel::session::SessionStep;
use serde_json::json;

use crate::laws::replay::session_over;
use crate::laws::support::opening;
use crate::rehearsal::Log;

const BY: &str = "openai/some-model-20260301";

/// Opens a debate; returns its log up to its first requests, and the first of them.
fn opened() -> (Log, Effect) {
    let mut log = Log::default();
    log.append(command::open(ENGINES, opening("graph", DebateLimits::default())).expect("it opens"));
    loop {
        match session_over(&log.0).step(&BTreeSet::new()) {
            SessionStep::Append(events) => drop(log.append(events).len()),
            SessionStep::Start(effects) => return (log, effects.into_iter().next().expect("an effect")),
            other => panic!("{other:?}"),
        }
    }
}

fn reply(text: &str) -> ProviderAnswer {
    let usage = Usage { input_tokens: 100, output_tokens: 400, ..Usage::default() };
    ProviderAnswer {
        by: BY.into(),
        text: text.into(),
        usage,
        millis: 1,
        request_id: Some("req_1".into()),
        tries: 1,
        grounds: Vec::new(),
    }
}

fn cut_off(text: &str) -> Result<ProviderAnswer, Failure> {
    let message = format!("{BY} was cut off (length) after 400 tokens; request req_1");
    Err(Failure { answer: Some(Box::new(reply(text))), ..Failure::new(FailureKind::Truncated, message) })
}

/// Makes the next attempt at an effect and records its outcome; returns the attempt, and whether the effect was
/// abandoned.
fn attempt(log: &mut Log, effect: &Effect, outcome: Result<ProviderAnswer, Failure>) -> (EffectAttempt, bool) {
    let session = session_over(&log.0);
    let ask = session.attempt(effect, Vec::new());
    log.append(vec![session.requested(&ask)]);
    let events = session_over(&log.0).record_outcome(&ask, outcome, None);
    let abandoned = events.iter().any(|event| matches!(event, Event::EffectAbandoned(_)));
    log.append(events);
    (ask, abandoned)
}

#[test]
fn a_reply_that_was_cut_off_gets_a_larger_limit_and_advice() {
    let (mut log, effect) = opened();
    let outcomes =
        [cut_off("{\"speech\": \"I"), cut_off("{\"speech\": \"I begin"), cut_off("{\"speech\": \"I begin again")];
    let asks = outcomes.map(|outcome| attempt(&mut log, &effect, outcome).0);
    let limits = asks.each_ref().map(|ask| ask.prompt.max_tokens);
    assert_eq!(limits, [4_096, 8_192, 16_384]);
    let first = asks[0].prompt.joined();
    assert!(!first.contains("could not be used"), "{first}");
    for (ask, limit) in asks[1..].iter().zip([8_192, 16_384]) {
        let text = ask.prompt.joined();
        let told = "could not be used: it was too long: it was cut off after 400 tokens. Write less: at most two arguments, \
                    and shorter texts. The limit is";
        assert!(text.contains(&format!("{told} {limit} tokens.")), "{text}");
        for word in ["openai", "some-model", "req_1", "length"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
    }
}

#[test]
fn the_same_reply_is_not_requested_a_third_time() {
    let (mut log, effect) = opened();
    assert!(!attempt(&mut log, &effect, Ok(reply("I cannot do that."))).1);
    assert!(attempt(&mut log, &effect, Ok(reply("I cannot do that."))).1);
    let Some(Event::EffectAbandoned(abandoned)) = log.0.last().map(|recorded| &recorded.event) else { panic!() };
    assert_eq!(abandoned.reason, "the reply contains no JSON object; the same reply came twice");

    let (mut log, effect) = opened();
    assert!(!attempt(&mut log, &effect, Ok(reply("I cannot do that."))).1);
    assert!(!attempt(&mut log, &effect, Ok(reply("I cannot do this either."))).1);
    assert!(attempt(&mut log, &effect, Ok(reply("Nor this."))).1, "after the last attempt");
}

#[test]
fn a_degenerate_reply_is_refused_with_the_reason_and_its_speaker_passed_over() {
    let opening = |speech: String| {
        let argument = json!({ "claim": "So it is.", "premises": ["It was so."], "assumptions": [], "evidence": [] });
        json!({ "speech": speech, "stance": "yes", "stance_words": "yes", "arguments": [argument.clone(), argument], "passages": [] })
            .to_string()
    };
    let degenerate = [
        (opening("a rule, ".repeat(100)), "repeats the same words over and over"),
        (opening("... !".to_owned()), "the text has no words"),
        (
            opening("What you say aloud, one to three sentences in your own voice, with where you stand.".to_owned()),
            "the text repeats the instructions",
        ),
    ];
    let (mut log, effect) = opened();
    let mut reasons = Vec::new();
    for (number, (text, reason)) in (1..).zip(&degenerate) {
        let (_, abandoned) = attempt(&mut log, &effect, Ok(reply(text)));
        assert_eq!(abandoned, number == degenerate.len(), "{reason}");
        let failed = log.0.iter().rev().find_map(|recorded| match &recorded.event {
            Event::EffectFailed(failed) => Some(failed.failure.message.clone()),
            _ => None,
        });
        let failed = failed.expect("a failure");
        assert!(failed.contains(reason), "{failed}");
        reasons.push(failed);
    }
    let next = session_over(&log.0).attempt(&effect, Vec::new()).prompt.joined();
    assert!(next.contains(&reasons[2]), "{next}");
    assert!(!log.0.iter().any(|recorded| matches!(recorded.event, Event::TurnTaken(_))), "{}", log.lines());
}
