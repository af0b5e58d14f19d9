//! Decisions for the runner of a debate.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::events::event::{Event, Recorded};
use crate::events::ids::PersonaId;
use crate::events::lifecycle::{DebateConcluded, DebateLimits, DebateOpened, DebateOutcome};
use crate::events::receipt::{
    EffectAbandoned, EffectAnswered, EffectFailed, EffectKey, Failure, FailureKind, PassageRef, ProviderAnswer,
    SearchRequested,
};
use crate::kernel::closing::closing::{Closing, Occasion};
use crate::kernel::closing::late_request::LateRequest;
use crate::kernel::closing::tasks::tasks;
use crate::kernel::degenerate;
use crate::kernel::effect::{Effect, EffectAttempt, Recalled};
use crate::kernel::engine::{Engine, EngineRegistration, EngineReply, Plan, Refusal};
use crate::kernel::ledger::Ledger;
use crate::kernel::open_requests::OpenRequests;
use crate::kernel::passages::prompt_assembly;
use crate::kernel::passages::searching::{self, SharedSources};
use crate::kernel::phrase_check::PhraseCheck;
use crate::kernel::quotations::citation_check;
use crate::kernel::reply::{self, Unreadable};
use crate::kernel::reservation;
use crate::kernel::retry_reason;
use crate::kernel::similarity::{MAX_LIKENED, TextSimilarity};

/// Maximum length of a failure message in the log, in characters: a message may quote a reply of any length.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// State of a running debate.
pub struct Session {
    engine: Box<dyn Engine>,
    closing: Closing,
    ledger: Ledger,
    phrases: PhraseCheck,
    limits: DebateLimits,
    sources: SharedSources,
    seed: u64,
    /// Provider of the debate.
    provider: String,
    /// Models of the provider that were chosen for participants.
    models: BTreeMap<PersonaId, String>,
    version: i64,
    paused: bool,
    ended: bool,
    /// Audit or probes that were requested after the end and are under way.
    late: Option<LateRequest>,
    unknown: Option<Unknown>,
    /// Effects that were requested and have no receipt yet, as they were requested.
    open: OpenRequests,
    /// Next step of the engine; empty until it is asked for.
    planned: OnceLock<Plan>,
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
        let closing = Closing::new(tasks(opened));
        let session = Session::new((engine.start)(opened)?, closing, opened.limits.clone(), opened.seed);
        Ok(Session { sources: SharedSources::of(opened), ..session })
    }

    /// Creates a session with the given engine and closing tasks, without searches or a shared corpus.
    pub fn new(engine: Box<dyn Engine>, closing: Closing, limits: DebateLimits, seed: u64) -> Session {
        Session {
            engine,
            closing,
            ledger: Ledger::default(),
            phrases: PhraseCheck::default(),
            limits,
            sources: SharedSources::default(),
            seed,
            provider: String::new(),
            models: BTreeMap::new(),
            version: 0,
            paused: false,
            ended: false,
            late: None,
            unknown: None,
            open: OpenRequests::default(),
            planned: OnceLock::new(),
        }
    }

    /// Returns the version of the last event applied.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// Returns true if the debate has ended.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// Returns the first event that this program version does not know.
    pub fn unknown(&self) -> Option<&Unknown> {
        self.unknown.as_ref()
    }

    /// Applies the whole log of a debate that is resumed. Effects that were requested and have no receipt are planned again
    /// as they were requested, so that what was recorded since then does not change them. Cost: one fold, and one plan for
    /// each of these effects.
    pub fn resume(&mut self, log: &[Recorded]) {
        let open = OpenRequests::versions(log);
        for recorded in log {
            if open.contains(&recorded.version) {
                self.plan();
            }
            self.evolve(recorded);
        }
    }

    /// Applies an event.
    pub fn evolve(&mut self, recorded: &Recorded) {
        self.open.note(&recorded.event, self.planned.get());
        self.version = recorded.version;
        self.ledger.apply(recorded);
        self.phrases.evolve(recorded);
        match &recorded.event {
            Event::DebateOpened(it) => self.choose_models(it),
            Event::DebateForked(it) => {
                self.choose_models(&it.opened);
                self.sources = SharedSources::of(&it.opened);
                (self.paused, self.ended, self.late) = (false, false, None);
            }
            Event::AuditRequested(_) | Event::ProbesRequested(_) => self.late = LateRequest::of(&recorded.event),
            Event::AuditConcluded(_) | Event::ProbesConcluded(_) => self.late = None,
            Event::DebatePaused(_) => self.paused = true,
            Event::DebateResumed(_) => self.paused = false,
            Event::DebateConcluded(_) | Event::DebateAborted(_) => self.ended = true,
            Event::Opaque(it) if self.unknown.is_none() => {
                self.unknown = Some(Unknown { version: recorded.version, kind: it.kind.clone() });
            }
            _ => {}
        }
        self.closing.evolve(recorded);
        // Audits change what counts in the verdict, and never the course of the debate.
        if !matches!(recorded.event, Event::WordsAudited(_)) {
            self.engine.evolve(recorded);
            // A request changes no plan.
            if !matches!(recorded.event, Event::EffectRequested(_) | Event::InjectionSuspected(_)) {
                self.planned = OnceLock::new();
            }
        }
    }

    fn choose_models(&mut self, opened: &DebateOpened) {
        (self.provider, self.models) = (opened.provider.clone(), opened.models.clone());
    }

    /// Returns the next step, given the keys of the effects under way.
    pub fn step(&self, under_way: &BTreeSet<EffectKey>) -> SessionStep {
        let idle = if under_way.is_empty() { SessionStep::Rest } else { SessionStep::Await };
        if self.is_over() {
            return SessionStep::Done;
        }
        if let Some(unknown) = &self.unknown {
            return SessionStep::Leave(unknown.clone());
        }
        if let Some(late) = self.late.as_ref().filter(|_| self.ended) {
            return self.after_end(late, under_way);
        }
        if self.paused {
            return idle;
        }
        match self.plan() {
            Plan::Record(events) => SessionStep::Append(events.clone()),
            Plan::Ask(wanted) => self.ask(wanted.clone(), under_way, None),
            Plan::Conclude(outcome) => match self.closing_effects(outcome) {
                wanted if wanted.is_empty() => conclude(self.closing.revise(outcome.clone())),
                wanted => self.ask(wanted, under_way, Some(outcome.clone())),
            },
        }
    }

    /// Returns the engine's next step, with open effects as they were requested. It depends on the events alone, so it is
    /// made once for each.
    fn plan(&self) -> &Plan {
        self.planned.get_or_init(|| self.open.as_requested(self.engine.plan()))
    }

    /// Returns true if the debate has ended and neither an audit nor probes are under way.
    fn is_over(&self) -> bool {
        self.ended && self.late.is_none()
    }

    /// Returns the number of tokens that an effect can take at most.
    pub fn most_tokens(&self, effect: &Effect) -> u64 {
        reservation::most_tokens(effect, &self.ledger)
    }

    /// Returns the provider of an audit or of probes that were requested after the end and are under way.
    pub fn late_provider(&self) -> Option<&str> {
        self.late.as_ref().map(|late| late.provider.as_str())
    }

    /// Returns the next step of an audit or of probes that were requested after the end. The limits of the debate do not
    /// apply to them: a person asked for them, and their calls are bounded by the words of the debate.
    fn after_end(&self, late: &LateRequest, under_way: &BTreeSet<EffectKey>) -> SessionStep {
        let wanted = self.closing.missing(late.occasion);
        if wanted.is_empty() {
            let is_abandoned = |effect: &Effect| self.ledger.of(&effect.key).abandoned;
            return SessionStep::Append(vec![late.conclusion(self.closing.result(late.occasion, is_abandoned))]);
        }
        let missing: Vec<Effect> = wanted.into_iter().filter(|effect| !under_way.contains(&effect.key)).collect();
        let lost: Vec<Event> =
            missing.iter().filter_map(|effect| self.ledger.lost_too_often(&effect.key, &self.limits)).collect();
        match (lost.is_empty(), missing.is_empty()) {
            (false, _) => SessionStep::Append(lost),
            (true, true) => SessionStep::Await,
            (true, false) => SessionStep::Start(missing),
        }
    }

    /// Returns the effects to ask before the engine's end with this outcome is recorded.
    fn closing_effects(&self, outcome: &DebateOutcome) -> Vec<Effect> {
        if Closing::follows(outcome) { self.closing.missing(Occasion::End) } else { Vec::new() }
    }

    /// Starts what is missing. If a limit is reached, the debate ends with it, or with the outcome that the engine
    /// reached before.
    fn ask(&self, wanted: Vec<Effect>, under_way: &BTreeSet<EffectKey>, reached: Option<DebateOutcome>) -> SessionStep {
        let with_queries = wanted.into_iter().map(|effect| self.sources.add_queries(effect, &self.ledger));
        let (running, missing): (Vec<Effect>, Vec<Effect>) =
            with_queries.partition(|effect| under_way.contains(&effect.key));
        let lost: Vec<Event> =
            missing.iter().filter_map(|effect| self.ledger.lost_too_often(&effect.key, &self.limits)).collect();
        if !lost.is_empty() {
            return SessionStep::Append(lost);
        }
        if let Some((limit, reason)) = self.ledger.reached_limit(&self.limits) {
            // Effects under way have been paid for: their answers are accepted before the debate ends.
            let outcome = match reached {
                Some(reached) => self.closing.revise(reached),
                None => DebateOutcome::Limit { limit: limit.to_owned(), reason },
            };
            return if under_way.is_empty() { conclude(outcome) } else { SessionStep::Await };
        }
        let affordable = self.ledger.calls_left(&self.limits) as usize;
        let missing: Vec<Effect> = missing.into_iter().take(affordable).collect();
        let started = reservation::affordable(missing, &running, &self.ledger, &self.limits);
        if started.is_empty() { SessionStep::Await } else { SessionStep::Start(started) }
    }

    /// Returns the effect under way whose outcome is next, if outcomes are recorded in an order that depends on the log
    /// alone: the first one in the engine's plan, or else the first one by key. `None` if none is under way.
    pub fn next_outcome<'a>(&self, under_way: &'a BTreeSet<EffectKey>) -> Option<&'a EffectKey> {
        let planned = match self.plan() {
            Plan::Ask(wanted) => wanted.iter().find_map(|effect| under_way.get(&effect.key)),
            Plan::Record(_) | Plan::Conclude(_) => None,
        };
        planned.or_else(|| under_way.first())
    }

    /// Prepares one attempt at an effect, with passages and the reason why the last reply was not used. If replies were cut
    /// off, the token limit is larger. A speaker who may ask for a search is told so.
    pub fn attempt(&self, effect: &Effect, recalled: impl Into<Recalled>) -> EffectAttempt {
        let entry = self.ledger.of(&effect.key);
        let mut effect = effect.clone();
        match self.sources.left(&effect, &self.ledger) {
            0 => {}
            left => searching::offer(&mut effect.prompt, left),
        }
        effect.prompt.max_tokens = retry_reason::token_limit(effect.prompt.max_tokens, entry.truncations);
        let reason = retry_reason::reason(&entry, &effect.prompt);
        // The chosen models are those of the debate's own provider.
        let is_own = self.late.as_ref().is_none_or(|late| late.provider == self.provider);
        let speaker = effect.prompt.task.speaker.as_ref().filter(|_| is_own);
        let model = speaker.and_then(|speaker| self.models.get(speaker)).cloned();
        let ask = prompt_assembly::assemble(&effect, entry.requests + 1, recalled, reason.as_deref(), self.seed);
        let last = entry.last_failure.as_ref();
        let is_after_repetition = last.is_some_and(|failure| failure.kind == FailureKind::Repeated);
        EffectAttempt { model, is_after_repetition, ..ask }
    }

    /// Creates the event to append before the call.
    pub fn requested(&self, ask: &EffectAttempt) -> Event {
        prompt_assembly::requested(ask)
    }

    /// Returns the texts whose similarity [`Session::record_outcome`] would use for an outcome, each once.
    pub fn similarity_inputs(
        &self,
        ask: &EffectAttempt,
        outcome: &Result<ProviderAnswer, Failure>,
    ) -> BTreeSet<String> {
        match outcome {
            Ok(answer) if !self.is_over() && self.is_wanted(&ask.key) => {
                self.engine.similarity_inputs(&ask.key, &answer.text).into_iter().take(MAX_LIKENED).collect()
            }
            _ => BTreeSet::new(),
        }
    }

    /// Creates the event that reports suspicious passages, if there are any. It follows the request.
    pub fn suspected(&self, ask: &EffectAttempt) -> Option<Event> {
        prompt_assembly::suspected(ask)
    }

    /// Returns the events that an outcome adds to the log, for one append: the receipt, then the events drawn from the
    /// answer.
    ///
    /// Empty if the debate has ended and neither an audit nor probes are under way, since nothing may follow its last event,
    /// or if this attempt already has a receipt; settling twice therefore changes nothing.
    pub fn record_outcome(
        &self,
        ask: &EffectAttempt,
        outcome: Result<ProviderAnswer, Failure>,
        likeness: Option<&TextSimilarity>,
    ) -> Vec<Event> {
        if self.is_over() || self.ledger.of(&ask.key).settled.contains(&ask.attempt) {
            return Vec::new();
        }
        let wanted = self.is_wanted(&ask.key);
        match outcome {
            Ok(answer) if !wanted => vec![answered(ask, answer, true, false)],
            Ok(answer) => match self.search_asked_for(ask, &answer) {
                Some(query) => vec![search_requested(ask, query, answer)],
                None => {
                    self.read(ask, &answer, likeness).unwrap_or_else(|failure| self.failed(ask, failure, Some(answer)))
                }
            },
            Err(mut failure) => {
                let answer = failure.answer.take().map(|answer| *answer);
                // A truncated reply has been paid for and may contain everything requested.
                match answer {
                    Some(answer) if wanted && failure.kind == FailureKind::Truncated => {
                        if let Some(query) = self.search_asked_for(ask, &answer) {
                            return vec![search_requested(ask, query, answer)];
                        }
                        self.read(ask, &answer, likeness).unwrap_or_else(|_| self.failed(ask, failure, Some(answer)))
                    }
                    answer => self.failed(ask, failure, answer),
                }
            }
        }
    }

    /// Returns the words that a reply asks to have searched for; `None` if no search was offered, or none is left by now.
    fn search_asked_for(&self, ask: &EffectAttempt, answer: &ProviderAnswer) -> Option<String> {
        let is_left = || self.wanted(&ask.key).is_some_and(|effect| self.sources.left(&effect, &self.ledger) > 0);
        searching::query_of(&answer.text).filter(|_| searching::is_offered(&ask.prompt.schema) && is_left())
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
        let reply =
            EngineReply { text: &answer.text, by: &answer.by, grounds, likeness, auditor: ask.auditor.as_ref() };
        match self.closing.decide(&ask.key, &reply).unwrap_or_else(|| self.engine.decide(&ask.key, &reply)) {
            Ok(facts) => {
                if let Some(unusable) = self.unusable(&ask.key, &answer.text) {
                    return Err(unusable.failure());
                }
                let facts = citation_check::verify_facts(facts, &ask.grounds);
                let repaired = reply::is_cut_off(&answer.text);
                Ok(std::iter::once(answered(ask, answer.clone(), false, repaired)).chain(facts).collect())
            }
            Err(unreadable) => Err(unreadable.failure()),
        }
    }

    /// Returns why the spoken text of a reply cannot be a turn, or should be said otherwise.
    fn unusable(&self, key: &EffectKey, reply: &str) -> Option<Unreadable> {
        let prompt = self.wanted(key)?.prompt;
        let entry = self.ledger.of(key);
        let may_ask_again = entry.failures + 1 < self.limits.attempts;
        let phrase = || self.phrases.fault(&prompt, reply, entry.last_failure.as_ref()).filter(|_| may_ask_again);
        degenerate::fault(&prompt, reply).or_else(phrase)
    }

    fn is_wanted(&self, key: &EffectKey) -> bool {
        self.wanted(key).is_some()
    }

    fn wanted(&self, key: &EffectKey) -> Option<Effect> {
        let wanted: Vec<Effect> = match self.plan() {
            _ if self.ended => self.late.iter().flat_map(|late| self.closing.missing(late.occasion)).collect(),
            Plan::Ask(wanted) => return wanted.iter().find(|effect| effect.key == *key).cloned(),
            Plan::Conclude(outcome) => self.closing_effects(outcome),
            Plan::Record(_) => Vec::new(),
        };
        wanted.into_iter().find(|effect| effect.key == *key)
    }

    fn failed(&self, ask: &EffectAttempt, mut failure: Failure, answer: Option<ProviderAnswer>) -> Vec<Event> {
        if let Some((end, _)) = failure.message.char_indices().nth(MAX_MESSAGE_CHARS) {
            failure.message.truncate(end);
        }
        let entry = self.ledger.of(&ask.key);
        let is_repeated = entry.is_same_reply(&failure, answer.as_ref());
        // A provider that itself reports that it could only repeat something has nothing else to say.
        let nothing_new = failure.kind == FailureKind::Repeated && answer.is_none();
        let is_last =
            failure.kind == FailureKind::Hopeless || nothing_new || entry.failures + 1 >= self.limits.attempts;
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

fn search_requested(ask: &EffectAttempt, query: String, answer: ProviderAnswer) -> Event {
    Event::SearchRequested(SearchRequested { key: ask.key.clone(), attempt: ask.attempt, query, answer })
}

fn conclude(outcome: DebateOutcome) -> SessionStep {
    SessionStep::Append(vec![Event::DebateConcluded(DebateConcluded { outcome })])
}

fn answered(ask: &EffectAttempt, answer: ProviderAnswer, ignored: bool, repaired: bool) -> Event {
    Event::EffectAnswered(EffectAnswered { key: ask.key.clone(), attempt: ask.attempt, answer, ignored, repaired })
}
