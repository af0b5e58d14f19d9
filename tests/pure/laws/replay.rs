//! Replay of recorded debates, and sessions that resume from a log.

use std::collections::{BTreeMap, BTreeSet};

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::receipt::{EffectKey, Failure, FailureKind, ProviderAnswer};
use faultline_core::kernel::effect::{Effect, EffectAttempt, SuppliedPassage};
use faultline_core::kernel::session::{Session, SessionStep};

use crate::rehearsal::{Log, beside};

/// Replay of a log: a fresh session receives the recorded answers, and must append what the log contains.
pub struct Replay<'a> {
    log: &'a [Recorded],
    passages: &'a [SuppliedPassage],
    pub at: usize,
    pub session: Session,
    pub under_way: BTreeSet<EffectKey>,
    pub asks: BTreeMap<(EffectKey, u32), EffectAttempt>,
    /// Requests that were answered or abandoned.
    closed: BTreeSet<EffectKey>,
}

impl<'a> Replay<'a> {
    /// Starts a replay after the first event of a log.
    pub fn of(log: &'a Log) -> Self {
        Replay {
            log: &log.0,
            passages: &log.1,
            at: 1,
            session: session_over(&log.0[..1]),
            under_way: BTreeSet::new(),
            asks: BTreeMap::new(),
            closed: BTreeSet::new(),
        }
    }

    /// Replays the next append. Returns false if there is none.
    pub fn next(&mut self) -> bool {
        let Some(next) = self.log.get(self.at) else {
            return false;
        };
        let events = match &next.event {
            by_person @ (Event::Interjected(_)
            | Event::DebatePaused(_)
            | Event::DebateResumed(_)
            | Event::DebateAborted(_)) => vec![by_person.clone()],
            Event::EffectAnswered(it) => self.settle(&it.key, it.attempt, Ok(it.answer.clone())),
            Event::SearchRequested(it) => self.settle(&it.key, it.attempt, Ok(it.answer.clone())),
            Event::EffectFailed(it) => {
                let outcome = match (&it.answer, it.failure.kind) {
                    (Some(answer), FailureKind::Unreadable) => Ok(answer.clone()),
                    (answer, _) => Err(Failure { answer: answer.clone().map(Box::new), ..it.failure.clone() }),
                };
                self.settle(&it.key, it.attempt, outcome)
            }
            _ => match self.session.step(&self.under_way) {
                SessionStep::Append(events) => events,
                SessionStep::Start(effects) => {
                    let asks: Vec<EffectAttempt> = effects.iter().map(|effect| self.start(effect)).collect();
                    let requested = asks.iter().map(|ask| self.session.requested(ask));
                    requested.chain(asks.iter().filter_map(|ask| self.session.suspected(ask))).collect()
                }
                other => panic!("the session returned {other:?}, but the log continues with {next:?}"),
            },
        };
        let recorded = &self.log[self.at..];
        let recorded = &recorded[..events.len().min(recorded.len())];
        assert_eq!(
            events,
            recorded.iter().map(|recorded| recorded.event.clone()).collect::<Vec<_>>(),
            "after {}",
            self.at
        );
        recorded.iter().for_each(|recorded| self.note(recorded));
        self.at += recorded.len();
        true
    }

    fn start(&mut self, effect: &Effect) -> EffectAttempt {
        let ask = self.session.attempt(effect, beside(effect, self.passages));
        self.under_way.insert(ask.key.clone());
        self.asks.insert((ask.key.clone(), ask.attempt), ask.clone());
        ask
    }

    fn settle(&mut self, key: &EffectKey, attempt: u32, outcome: Result<ProviderAnswer, Failure>) -> Vec<Event> {
        self.under_way.remove(key);
        let mut ask = self.asks[&(key.clone(), attempt)].clone();
        // The qualification of an auditor comes from outside, like its answer.
        ask.auditor = self.log[self.at..].iter().find_map(|recorded| match &recorded.event {
            Event::WordsAudited(audited) => Some(audited.auditor.clone()),
            _ => None,
        });
        self.session.record_outcome(&ask, outcome, None)
    }

    fn note(&mut self, recorded: &Recorded) {
        self.session.evolve(recorded);
        match &recorded.event {
            Event::EffectAnswered(it) => drop(self.closed.insert(it.key.clone())),
            Event::EffectAbandoned(it) => drop(self.closed.insert(it.key.clone())),
            _ => {}
        }
    }

    /// Returns the requests that are no longer waited for.
    pub fn late(&self) -> impl Iterator<Item = &EffectAttempt> {
        self.asks.values().filter(|ask| self.closed.contains(&ask.key))
    }
}

/// Replays a debate up to the point at which the first answer to this request arrives.
pub fn asked<'a>(log: &'a Log, purpose: &str) -> Replay<'a> {
    let mut replay = Replay::of(log);
    let answered = |event: &Event| matches!(event, Event::EffectAnswered(event) if event.key.purpose == purpose);
    while !answered(&log.0[replay.at].event) {
        replay.next();
    }
    replay
}

/// Returns a session that has seen this log.
pub fn session_over(log: &[Recorded]) -> Session {
    let Event::DebateOpened(opened) = &log[0].event else {
        panic!("the first event opens the debate");
    };
    let mut session = Session::open(ENGINES, opened).expect("the engine starts");
    log.iter().for_each(|recorded| session.evolve(recorded));
    session
}
