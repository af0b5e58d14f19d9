//! Decisions for the runner of a debate.

use std::collections::BTreeSet;

use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::{DebateConcluded, DebateLimits, DebateOpened, DebateOutcome};
use crate::events::receipt::{
    EffectAbandoned, EffectAnswered, EffectFailed, EffectKey, EffectRequested, Failure, FailureKind,
    InjectionSuspected, PassageRef, ProviderAnswer,
};
use crate::kernel::degenerate;
use crate::kernel::effect::{Effect, EffectAttempt, SuppliedPassage};
use crate::kernel::engine::{Engine, EngineRegistration, EngineReply, Plan, Refusal};
use crate::kernel::ledger::{FailedReply, Ledger};
use crate::kernel::prompt_assembly;
use crate::kernel::quotations::citation_check;
use crate::kernel::reply;
use crate::kernel::reservation;
use crate::kernel::retry_reason;
use crate::kernel::similarity::{MAX_LIKENED, TextSimilarity};

/// Maximum length of a failure message in the log, in characters: a message may quote a reply of any length.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// State of a running debate.
pub struct Session {
    engine: Box<dyn Engine>,
    ledger: Ledger,
    limits: DebateLimits,
    seed: u64,
    version: i64,
    paused: bool,
    ended: bool,
    unknown: Option<Unknown>,
}

/// Event of a kind unknown to this program version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Version of the event.
    pub version: i64,
    /// Wire name of the event.
    pub kind: String,
}

/// Next step of a runner.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionStep {
    /// Append these events, then ask for the next step.
    Append(Vec<Event>),
    /// Start these effects.
    Start(Vec<Effect>),
    /// Wait for effects under way.
    Await,
    /// Nothing to do until the debate is resumed.
    Rest,
    /// The debate has ended.
    Done,
    /// The debate contains an event unknown to this program version; leave it to a newer one.
    Leave(Unknown),
}

impl Session {
    /// Creates the session of an opened debate. All events, the opening one included, must then be passed to
    /// [`Session::evolve`].
    ///
    /// # Errors
    /// [`Refusal`] if the engine is not registered, or refuses the options.
    pub fn open(engines: &[EngineRegistration], opened: &DebateOpened) -> Result<Session, Refusal> {
        let engine = crate::kernel::command::find(engines, &opened.engine)?;
        Ok(Session::new((engine.start)(opened)?, opened.limits.clone(), opened.seed))
    }

    /// Creates a session with the given engine.
    pub fn new(engine: Box<dyn Engine>, limits: DebateLimits, seed: u64) -> Session {
        Session {
            engine,
            ledger: Ledger::default(),
            limits,
            seed,
            version: 0,
            paused: false,
            ended: false,
            unknown: None,
        }
    }

    /// Returns the version of the last event applied.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// Returns the first event that this program version does not know.
    pub fn unknown(&self) -> Option<&Unknown> {
        self.unknown.as_ref()
    }

    /// Applies an event.
    pub fn evolve(&mut self, recorded: &Recorded) {
        self.version = recorded.version;
        self.ledger.apply(recorded);
        match &recorded.event {
            Event::DebateForked(_) => (self.paused, self.ended) = (false, false),
            Event::DebatePaused(_) => self.paused = true,
            Event::DebateResumed(_) => self.paused = false,
            Event::DebateConcluded(_) | Event::DebateAborted(_) => self.ended = true,
            Event::Opaque(it) if self.unknown.is_none() => {
                self.unknown = Some(Unknown { version: recorded.version, kind: it.kind.clone() });
            }
            _ => {}
        }
        self.engine.evolve(recorded);
    }

    /// Returns the next step, given the keys of the effects under way.
    pub fn step(&self, under_way: &BTreeSet<EffectKey>) -> SessionStep {
        let idle = if under_way.is_empty() { SessionStep::Rest } else { SessionStep::Await };
        if self.ended {
            return SessionStep::Done;
        }
        if let Some(unknown) = &self.unknown {
            return SessionStep::Leave(unknown.clone());
        }
        if self.paused {
            return idle;
        }
        match self.engine.plan() {
            Plan::Record(events) => SessionStep::Append(events),
            Plan::Conclude(outcome) => conclude(outcome),
            Plan::Ask(wanted) => self.ask(wanted, under_way),
        }
    }

    fn ask(&self, wanted: Vec<Effect>, under_way: &BTreeSet<EffectKey>) -> SessionStep {
        let (running, missing): (Vec<Effect>, Vec<Effect>) =
            wanted.into_iter().partition(|effect| under_way.contains(&effect.key));
        let lost: Vec<Event> = missing.iter().filter_map(|effect| self.lost_too_often(&effect.key)).collect();
        if !lost.is_empty() {
            return SessionStep::Append(lost);
        }
        if let Some((limit, reason)) = self.ledger.reached_limit(&self.limits) {
            // Effects under way have been paid for: their answers are accepted before the debate ends.
            let outcome = DebateOutcome::Limit { limit: limit.to_owned(), reason };
            return if under_way.is_empty() { conclude(outcome) } else { SessionStep::Await };
        }
        let affordable = self.ledger.calls_left(&self.limits) as usize;
        let missing: Vec<Effect> = missing.into_iter().take(affordable).collect();
        let started = reservation::affordable(missing, &running, &self.ledger, &self.limits);
        if started.is_empty() { SessionStep::Await } else { SessionStep::Start(started) }
    }

    fn lost_too_often(&self, key: &EffectKey) -> Option<Event> {
        let entry = self.ledger.of(key);
        (entry.open() >= self.limits.losses.max(1)).then(|| {
            let reason = format!("requested {} times without an answer: every request was interrupted", entry.requests);
            Event::EffectAbandoned(EffectAbandoned { key: key.clone(), attempts: entry.requests, reason })
        })
    }

    /// Prepares one attempt at an effect, with passages and the reason why the last reply was not used. If replies were cut
    /// off, the token limit is larger.
    pub fn attempt(&self, effect: &Effect, passages: Vec<SuppliedPassage>) -> EffectAttempt {
        let entry = self.ledger.of(&effect.key);
        let mut effect = effect.clone();
        effect.prompt.max_tokens = retry_reason::token_limit(effect.prompt.max_tokens, entry.truncations);
        let reason = retry_reason::reason(&entry, &effect.prompt);
        prompt_assembly::assemble(&effect, entry.requests + 1, passages, reason.as_deref(), self.seed)
    }

    /// Creates the event to append before the call.
    pub fn requested(&self, ask: &EffectAttempt) -> Event {
        Event::EffectRequested(EffectRequested {
            key: ask.key.clone(),
            attempt: ask.attempt,
            tier: ask.tier,
            system: ask.prompt.system.clone(),
            prompt: ask.prompt.joined(),
            grounds: ask.grounds.iter().map(|passage| passage.ground.clone()).collect(),
        })
    }

    /// Returns the texts whose similarity [`Session::record_outcome`] would use for an outcome, each once.
    pub fn similarity_inputs(
        &self,
        ask: &EffectAttempt,
        outcome: &Result<ProviderAnswer, Failure>,
    ) -> BTreeSet<String> {
        match outcome {
            Ok(answer) if !self.ended && self.is_wanted(&ask.key) => {
                self.engine.similarity_inputs(&ask.key, &answer.text).into_iter().take(MAX_LIKENED).collect()
            }
            _ => BTreeSet::new(),
        }
    }

    /// Creates the event that reports suspicious passages, if there are any. It follows the request.
    pub fn suspected(&self, ask: &EffectAttempt) -> Option<Event> {
        let (key, attempt, passages) = (ask.key.clone(), ask.attempt, prompt_assembly::suspected(ask));
        (!passages.is_empty()).then_some(Event::InjectionSuspected(InjectionSuspected { key, attempt, passages }))
    }

    /// Returns the events that an outcome adds to the log, for one append: the receipt, then the events drawn from the
    /// answer.
    ///
    /// Empty if the debate has ended, since nothing may follow its last event, or if this attempt already has a
    /// receipt; settling twice therefore changes nothing.
    pub fn record_outcome(
        &self,
        ask: &EffectAttempt,
        outcome: Result<ProviderAnswer, Failure>,
        likeness: Option<&TextSimilarity>,
    ) -> Vec<Event> {
        if self.ended || self.ledger.of(&ask.key).settled.contains(&ask.attempt) {
            return Vec::new();
        }
        let wanted = self.is_wanted(&ask.key);
        match outcome {
            Ok(answer) if !wanted => vec![answered(ask, answer, true, false)],
            Ok(answer) => {
                self.read(ask, &answer, likeness).unwrap_or_else(|failure| self.failed(ask, failure, Some(answer)))
            }
            Err(mut failure) => {
                let answer = failure.answer.take().map(|answer| *answer);
                // A truncated reply has been paid for and may contain everything requested.
                match answer {
                    Some(answer) if wanted && failure.kind == FailureKind::Truncated => {
                        self.read(ask, &answer, likeness).unwrap_or_else(|_| self.failed(ask, failure, Some(answer)))
                    }
                    answer => self.failed(ask, failure, answer),
                }
            }
        }
    }

    /// Returns the receipt of an answer and the events drawn from it.
    ///
    /// # Errors
    /// [`Failure`] of the kind [`FailureKind::Unreadable`] if the engine cannot read the answer.
    fn read(
        &self,
        ask: &EffectAttempt,
        answer: &ProviderAnswer,
        likeness: Option<&TextSimilarity>,
    ) -> Result<Vec<Event>, Failure> {
        let mut grounds: Vec<PassageRef> = ask.grounds.iter().map(|passage| passage.ground.clone()).collect();
        let known = |passage: &&PassageRef| !ask.grounds.iter().any(|given| given.ground.alias == passage.alias);
        grounds.extend(answer.grounds.iter().filter(known).cloned());
        match self.engine.decide(&ask.key, &EngineReply { text: &answer.text, grounds, likeness }) {
            Ok(facts) => {
                let wanted = self.wanted(&ask.key);
                if let Some(unusable) = wanted.and_then(|effect| degenerate::fault(&effect.prompt, &answer.text)) {
                    return Err(unusable.failure());
                }
                let facts = citation_check::verify_quotations(facts, &ask.grounds);
                let repaired = reply::is_cut_off(&answer.text);
                Ok(std::iter::once(answered(ask, answer.clone(), false, repaired)).chain(facts).collect())
            }
            Err(unreadable) => Err(unreadable.failure()),
        }
    }

    fn is_wanted(&self, key: &EffectKey) -> bool {
        self.wanted(key).is_some()
    }

    fn wanted(&self, key: &EffectKey) -> Option<Effect> {
        let Plan::Ask(wanted) = self.engine.plan() else { return None };
        wanted.into_iter().find(|effect| effect.key == *key)
    }

    fn failed(&self, ask: &EffectAttempt, mut failure: Failure, answer: Option<ProviderAnswer>) -> Vec<Event> {
        if let Some((end, _)) = failure.message.char_indices().nth(MAX_MESSAGE_CHARS) {
            failure.message.truncate(end);
        }
        let entry = self.ledger.of(&ask.key);
        let is_repeated = is_same_reply(&failure, entry.last_reply.as_ref(), answer.as_ref());
        let is_last = failure.kind == FailureKind::Hopeless || entry.failures + 1 >= self.limits.attempts;
        let hopeless = is_last || is_repeated;
        let again = if is_repeated && !is_last { "; the same reply came twice" } else { "" };
        let reason = format!("{}{again}", failure.message);
        let key = ask.key.clone();
        let mut events =
            vec![Event::EffectFailed(EffectFailed { key: key.clone(), attempt: ask.attempt, failure, answer })];
        if hopeless && self.is_wanted(&ask.key) {
            events.push(Event::EffectAbandoned(EffectAbandoned { key, attempts: ask.attempt, reason }));
        }
        events
    }
}

/// Returns true if a reply that cannot be used is the one that came before: asking a third time is useless.
fn is_same_reply(failure: &Failure, last: Option<&FailedReply>, answer: Option<&ProviderAnswer>) -> bool {
    let is_about_reply =
        matches!(failure.kind, FailureKind::Unreadable | FailureKind::Repeated | FailureKind::Truncated);
    is_about_reply && last.zip(answer).is_some_and(|(last, answer)| last.text == answer.text)
}

fn conclude(outcome: DebateOutcome) -> SessionStep {
    SessionStep::Append(vec![Event::DebateConcluded(DebateConcluded { outcome })])
}

fn answered(ask: &EffectAttempt, answer: ProviderAnswer, ignored: bool, repaired: bool) -> Event {
    Event::EffectAnswered(EffectAnswered { key: ask.key.clone(), attempt: ask.attempt, answer, ignored, repaired })
}
