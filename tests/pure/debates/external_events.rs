//! Events appended from outside: everything that the service's engines record is accepted, and nothing that contradicts
//! it.

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::dispute::Side;
use faultline_core::events::distillation::ComparisonFinding;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::wire;
use faultline_core::kernel::command::MAX_LIMITS;
use faultline_core::kernel::engine::EXTERNAL_PROVIDER;
use faultline_core::kernel::external::decode;
use faultline_core::kernel::external::external_debate::{ExternalDebate, RefusedEvent};
use serde_json::Value;

use crate::rehearsals::rehearsals;

/// Returns a rehearsed debate as an external orchestrator would append it.
fn as_appended_externally(events: &[Recorded]) -> Vec<Event> {
    let external = ENGINES.iter().find(|engine| engine.is_external()).expect("an external engine");
    let actual = events.iter().map(|recorded| match &recorded.event {
        Event::DebateOpened(opened) => {
            let mut opened = opened.clone();
            (opened.engine, opened.provider) = (external.name.to_owned(), EXTERNAL_PROVIDER.to_owned());
            (opened.options, opened.limits) = (Value::Null, MAX_LIMITS);
            Event::DebateOpened(opened)
        }
        other => other.clone(),
    });
    actual.collect()
}

#[test]
fn every_rehearsed_debate_can_be_appended_externally() {
    let mut n_events = 0;
    for (name, log) in rehearsals() {
        let events = as_appended_externally(&log.0);
        for event in &events {
            let stored = wire::encode(event);
            let body: Value = serde_json::from_slice(&stored.body).expect("JSON");
            let read = decode::decode_event(&stored.kind, &body).map(|(event, _)| event);
            assert_eq!(read.as_ref(), Ok(event), "{}", name);
        }
        let admitted = ExternalDebate::default().validate(ENGINES, log.0[0].debate, events.clone());
        assert_eq!(admitted.map(|events| events.len()), Ok(events.len()), "{}", name);
        n_events += events.len();
    }
    assert!(n_events > 1_000, "{n_events} events");
}

/// Rule 16 of VERDICTS.md.
#[test]
fn a_stance_without_words_of_its_own_turn_is_refused() {
    let mut n_quoted = 0;
    for (_, log) in rehearsals() {
        let events = as_appended_externally(&log.0);
        for at in 0..events.len() {
            for (quote, reason) in [(None, "has no `quote`"), (Some("as nobody said"), "does not contain the quote")] {
                let mut changed = events[..=at].to_vec();
                match &mut changed[at] {
                    Event::StanceTaken(it) => it.quote = quote.map(str::to_owned),
                    Event::ConcessionMade(it) => it.quote = quote.map(str::to_owned),
                    Event::CruxAcknowledged(it) => it.quote = quote.map(str::to_owned),
                    _ => continue,
                }
                let refused = ExternalDebate::default().validate(ENGINES, log.0[0].debate, changed);
                let refused = refused.expect_err("a forged or missing quotation");
                assert!(refused.at == Some(at) && refused.refusal.reason.contains(reason), "{refused:?}");
                n_quoted += 1;
            }
        }
    }
    assert!(n_quoted > 100, "{n_quoted} quotations");
}

/// Words that repeat the topic as a statement of the other side take no side, although the turn contains them.
#[test]
fn a_stance_in_words_that_say_the_opposite_is_refused() {
    const TOPIC: &str = "Should the ferry run at night?";
    let mut n_stances = 0;
    for (_, log) in rehearsals() {
        let events = as_appended_externally(&log.0);
        let on_topic = events.iter().find_map(|event| match event {
            Event::DisputeRaised(it) if it.is_topic && it.question == TOPIC => Some(it.dispute),
            _ => None,
        });
        for at in 0..events.len() {
            let mut changed = events[..=at].to_vec();
            let Event::StanceTaken(it) = &mut changed[at] else { continue };
            let (Some(yes), true) = (it.side.answer(), Some(it.dispute) == on_topic) else { continue };
            // What is said from a draft cannot be changed alone.
            let is_drafted = |event: &Event| matches!(event, Event::TurnTaken(taken) if taken.turn == it.turn && taken.preparation.is_some());
            if events.iter().any(is_drafted) {
                continue;
            }
            let said = if yes { "The ferry should not run at night." } else { "The ferry should run at night." };
            it.quote = Some(said.to_owned());
            n_stances += 1;
            let (turn, name) = (it.turn, it.side.name());
            for event in &mut changed {
                if let Event::TurnTaken(taken) = event
                    && taken.turn == turn
                {
                    taken.text = format!("{} {said}", taken.text);
                }
            }
            let refused = ExternalDebate::default().validate(ENGINES, log.0[0].debate, changed);
            let refused = refused.expect_err("words of the other side");
            let expected = format!("the quote of the stance says the opposite of {name}");
            assert!(refused.at == Some(at) && refused.refusal.reason.contains(&expected), "{refused:?}");
        }
    }
    assert!(n_stances > 10, "{n_stances} stances");
}

/// A thesis is an answer to the topic, so it cannot say the opposite of the side that its speaker took before.
#[test]
fn a_thesis_that_says_the_opposite_of_its_speakers_side_is_refused() {
    const TOPIC: &str = "Should the ferry run at night?";
    let mut n_theses = 0;
    for (_, log) in rehearsals() {
        let events = as_appended_externally(&log.0);
        let on_topic = events.iter().find_map(|event| match event {
            Event::DisputeRaised(it) if it.is_topic && it.question == TOPIC => Some(it.dispute),
            _ => None,
        });
        for at in 0..events.len() {
            let mut changed = events[..=at].to_vec();
            let Event::ArgumentAdvanced(it) = &mut changed[at] else { continue };
            let side = events[..at].iter().rev().find_map(|event| match event {
                Event::StanceTaken(stance) if Some(stance.dispute) == on_topic && stance.speaker == it.speaker => {
                    Some(stance.side)
                }
                _ => None,
            });
            let (Some(side), Some(yes)) = (side, side.and_then(Side::answer)) else { continue };
            let said = if yes { "The ferry should not run at night." } else { "The ferry should run at night." };
            (it.claim, it.answers_topic, it.distilled, it.paraphrased) = (said.to_owned(), true, false, false);
            let expected = format!("the opposite of {}, the side of {}", side.name(), it.speaker);
            let refused = ExternalDebate::default().validate(ENGINES, log.0[0].debate, changed);
            let refused = refused.expect_err("a thesis of the other side");
            assert!(refused.at == Some(at) && refused.refusal.reason.contains(&expected), "{refused:?}");
            n_theses += 1;
        }
    }
    assert!(n_theses > 10, "{n_theses} theses");
}

/// Rule 29 of VERDICTS.md: what is distilled is said in the turn, or marked as a reading.
#[test]
fn a_distilled_claim_without_words_of_its_turn_is_refused_unless_it_is_marked() {
    let mut n_distilled = 0;
    for (_, log) in rehearsals() {
        let events = as_appended_externally(&log.0);
        for at in 0..events.len() {
            for is_marked in [false, true] {
                let mut changed = events[..=at].to_vec();
                match &mut changed[at] {
                    Event::ArgumentAdvanced(it) if it.distilled => {
                        (it.claim, it.paraphrased) = ("As nobody said.".to_owned(), is_marked);
                    }
                    Event::ReasonGiven(it) => {
                        (it.claim, it.paraphrased) = ("As nobody said.".to_owned(), is_marked);
                    }
                    _ => continue,
                }
                let validated = ExternalDebate::default().validate(ENGINES, log.0[0].debate, changed);
                let refused = validated.err().map(|refused| (refused.at, refused.refusal.reason));
                let is_refused = refused.as_ref().is_some_and(|(place, reason)| {
                    *place == Some(at) && reason.contains("does not contain the distilled claim")
                });
                assert_eq!(is_refused, !is_marked, "{refused:?}");
                assert_eq!(refused.is_none(), is_marked, "{refused:?}");
                n_distilled += 1;
            }
        }
    }
    assert!(n_distilled > 50, "{n_distilled} distilled claims");
}

/// Rule 18 of VERDICTS.md: a ruling is not counted if its reason says that one side supports the other.
#[test]
fn a_ruling_for_a_reason_that_says_the_opposite_is_refused() {
    let mut n_rulings = 0;
    for (_, log) in rehearsals() {
        let events = as_appended_externally(&log.0);
        for at in 0..events.len() {
            let mut changed = events[..=at].to_vec();
            let reason = "It agrees with the target.".to_owned();
            match &mut changed[at] {
                Event::AttackJudged(it) if it.valid => it.reason = reason,
                Event::ClaimsCompared(it) => {
                    let conflict = it.pairs.iter_mut().find(|pair| pair.finding == ComparisonFinding::Conflict);
                    let Some(conflict) = conflict else { continue };
                    conflict.reason = reason;
                }
                _ => continue,
            }
            let refused = ExternalDebate::default().validate(ENGINES, log.0[0].debate, changed);
            let refused = refused.expect_err("a ruling against its reason");
            assert!(
                refused.at == Some(at) && refused.refusal.reason.contains("supports or agrees with"),
                "{refused:?}"
            );
            n_rulings += 1;
        }
    }
    assert!(n_rulings > 30, "{n_rulings} rulings");
}

/// A debate with a repeated, misplaced or missing event is refused at exactly that event.
#[test]
fn repeated_or_misplaced_events_are_refused_at_their_place() {
    for (name, log) in rehearsals() {
        let events = as_appended_externally(&log.0);
        let debate = log.0[0].debate;
        let refused = |events: Vec<Event>| match ExternalDebate::default().validate(ENGINES, debate, events) {
            Err(RefusedEvent { at: Some(at), .. }) => at,
            other => panic!("{}: {other:?}", name),
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
                    | Event::ProposalAccepted(_)
                    | Event::ProposalSynthesized(_)
                    | Event::EffectRequested(_)
                    | Event::EffectAnswered(_)
            );
            if names {
                let twice = [&events[..=at], &events[at..=at]].concat();
                assert_eq!(refused(twice), at + 1, "{}: {} twice", name, event.kind());
            }
        }
    }
}
