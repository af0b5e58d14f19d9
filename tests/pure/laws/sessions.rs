//! Sessions: replays are identical, forks continue, ended debates stay ended, and late answers change nothing.

use std::collections::{BTreeMap, BTreeSet};

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::PersonaId;
use faultline_core::events::lifecycle::{DebateLimits, DebateOutcome};
use faultline_core::events::receipt::{EffectAnswered, EffectFailed, Failure, FailureKind};
use faultline_core::kernel::command;
use faultline_core::kernel::effect::EffectAttempt;
use faultline_core::kernel::forking;
use faultline_core::kernel::forking::ForkChanges;
use faultline_core::kernel::session::SessionStep;
use faultline_core::verdicts::read_model::DebateReadModel;

use crate::laws::replay::{Replay, session_over};
use crate::laws::support::{answer, opening};
use crate::rehearsal::Log;
use crate::rehearsals::rehearsals;
use crate::support::personas::persona_id;

/// An engine is a function of its events: the same answers produce literally the same log.
#[test]
fn a_replayed_log_is_identical() {
    for (_, log) in rehearsals() {
        let mut replay = Replay::of(log);
        while replay.next() {}
        assert_eq!(replay.session.version() as usize, log.0.len());
    }
}

/// A fork continues from any moment, whatever was in flight, paused or spent there. Apart from its own settings it is
/// the debate that it was, and it spends from a budget of its own.
#[test]
fn a_fork_continues_from_any_moment() {
    for (name, log) in rehearsals() {
        let Event::DebateOpened(opened) = &log.0[0].event else { panic!("{name} is not opened") };
        for at in 1..log.0.len() {
            let mut forked = Log(log.0[..at].to_vec(), log.1.clone());
            let before = DebateReadModel::of(&forked.0);
            let origin = before.summary.debate.expect("it was opened");
            let changes = ForkChanges { seed: Some(99), ..ForkChanges::default() };
            let event = forking::fork(ENGINES, origin, at as i64, opened, changes).expect("a fork");
            forked.append(vec![Event::DebateForked(event)]);
            let after = DebateReadModel::of(&forked.0);
            let told = format!("{name} forked at {at}");
            assert_eq!((&after.arguments, &after.disputes), (&before.arguments, &before.disputes), "{told}");
            assert_eq!((after.summary.seed, after.summary.usage.total.calls), (99, 0), "{told}");
            let step = session_over(&forked.0).step(&BTreeSet::new());
            assert!(!matches!(step, SessionStep::Done | SessionStep::Rest | SessionStep::Await), "{told}: {step:?}");
            let limited = |event: &Event| {
                matches!(event, Event::DebateConcluded(event) if matches!(&event.outcome, DebateOutcome::Limit { limit, .. }
                    if ["calls", "tokens", "cost_micros", "turns", "seconds"].contains(&limit.as_str())))
            };
            assert!(!matches!(&step, SessionStep::Append(events) if events.iter().any(limited)), "{told}: {step:?}");
        }
    }
}

/// The model chosen for a participant answers their requests and nobody else's; a fork with another provider forgets it.
#[test]
fn a_chosen_model_answers_for_its_participant_alone() {
    let ada = persona_id("ada");
    let mut config = opening("graph", DebateLimits::default());
    config.models.insert(ada.clone(), "ada-model".to_owned());
    let mut log = Log::default();
    log.append(command::open(ENGINES, config.clone()).expect("it opens"));
    let models = |log: &Log| -> Vec<(Option<PersonaId>, Option<String>)> {
        let session = session_over(&log.0);
        let SessionStep::Start(effects) = session.step(&BTreeSet::new()) else { panic!("requests") };
        let asks = effects.iter().map(|effect| session.attempt(effect, Vec::new()));
        asks.map(|ask| (ask.prompt.task.speaker.clone(), ask.model)).collect()
    };
    while let SessionStep::Append(events) = session_over(&log.0).step(&BTreeSet::new()) {
        log.append(events);
    }
    let expected = [(Some(ada), Some("ada-model".to_owned())), (Some(persona_id("ben")), None)];
    assert_eq!(models(&log), expected);

    let Event::DebateOpened(before) = &log.0[0].event else { panic!("the first event opens the debate") };
    let forked = |provider: Option<&str>| {
        let changes = ForkChanges { provider: provider.map(str::to_owned), ..ForkChanges::default() };
        let origin = log.0[0].debate;
        forking::fork(ENGINES, origin, 1, before, changes).expect("a fork").opened.models
    };
    assert_eq!(forked(None), config.models);
    assert_eq!(forked(Some("other")), BTreeMap::new());

    config.models.insert(persona_id("cleo"), "any".to_owned());
    let refused = command::open(ENGINES, config).expect_err("cleo is not there").to_string();
    assert!(refused.contains("a model is chosen for cleo, who does not take part"), "{refused}");
}

#[test]
fn no_event_follows_the_end() {
    for (name, log) in rehearsals() {
        let mut replay = Replay::of(log);
        while replay.next() {}
        assert!(DebateReadModel::of(&log.0).summary.status.is_final(), "{name}");
        for ask in replay.asks.values() {
            let key = BTreeSet::from([ask.key.clone()]);
            assert_eq!(replay.session.step(&BTreeSet::new()), SessionStep::Done, "{name}");
            assert_eq!(replay.session.step(&key), SessionStep::Done, "{name} with {} under way", ask.key);
            assert_eq!(replay.session.record_outcome(ask, Ok(answer("{}")), None), [], "{name}: {}", ask.key);
            let failure = Failure::new(FailureKind::Hopeless, "no such model");
            assert_eq!(replay.session.record_outcome(ask, Err(failure), None), [], "{name}: {}", ask.key);
        }
    }
}

#[test]
fn a_late_answer_is_recorded_and_ignored() {
    let mut n_late = 0;
    for (name, log) in rehearsals() {
        let mut replay = Replay::of(log);
        while replay.next() && replay.at < log.0.len() {
            let before = &log.0[..replay.at];
            let mut after = Log(before.to_vec(), log.1.clone());
            for ask in replay.late() {
                let told = format!("{name} after {}: {}", replay.at, ask.key);
                let again = |attempt| EffectAttempt { attempt, ..ask.clone() };
                assert_eq!(replay.session.record_outcome(ask, Ok(answer("{}")), None), [], "{told} has its receipt");

                let late = answer("{\"cut\": \"off");
                let receipt = Event::EffectAnswered(EffectAnswered {
                    key: ask.key.clone(),
                    attempt: 90,
                    answer: late.clone(),
                    ignored: true,
                    repaired: false,
                });
                let answered = replay.session.record_outcome(&again(90), Ok(late), None);
                assert_eq!(answered, [receipt], "{told} answered late");

                let failure = Failure::new(FailureKind::Hopeless, "too late");
                let receipt = Event::EffectFailed(EffectFailed {
                    key: ask.key.clone(),
                    attempt: 91,
                    failure: failure.clone(),
                    answer: None,
                });
                let failed = replay.session.record_outcome(&again(91), Err(failure), None);
                assert_eq!(failed, [receipt], "{told} failed late");

                after.append(answered);
                after.append(failed);
                n_late += 1;
            }
            // They arrive at once, because time alone may end a debate.
            after.0[before.len()..].iter_mut().for_each(|recorded| recorded.at = before[before.len() - 1].at);
            let step = |log: &[Recorded]| session_over(log).step(&replay.under_way);
            assert_eq!(step(&after.0), step(before), "{name} after {}", replay.at);
            let (before, after) = (DebateReadModel::of(before), DebateReadModel::of(&after.0));
            assert_eq!(
                (after.transcript, after.arguments, after.disputes, after.proposals),
                (before.transcript, before.arguments, before.disputes, before.proposals),
                "{name} after {}",
                replay.at
            );
        }
    }
    assert!(n_late > 100, "only {n_late} answers came late");
}
