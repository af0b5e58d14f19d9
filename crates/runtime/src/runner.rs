//! Drives one session: appends its events, starts its effects, settles their results.
//!
//! An answer of a model has cost money, so it is recorded as soon as it arrives. The answers of a reproducible provider
//! cost nothing and can be repeated: they are recorded in the order of the engine's plan, so that the same seed yields
//! the same events whatever the machine does meanwhile. The order depends on the log alone, not on the order of the
//! requests, so it is the same after a crash.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::budget::{Admission, Budget, Reservation};
use crate::effect_executor::EffectExecutor;
use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::DebatePaused;
use faultline_core::events::receipt::{EffectKey, Failure, FailureKind, ProviderAnswer, Usage};
use faultline_core::kernel::effect::{Effect, EffectAttempt, Recalled};
use faultline_core::kernel::session::{Session, SessionStep, Unknown};
use faultline_service::drafts::draft::DraftEnd;
use faultline_service::drafts::draft_board::{DebateDrafts, DraftBoard};
use faultline_store::error::StoreError;
use faultline_store::follow::log_tail::Tail;
use faultline_store::leases::Fence;
use faultline_store::log::append::{Append, AppendError, NewEvent};
use faultline_store::log::log::Log;
use faultline_store::wake::watermarks::DebateWatch;

/// Number of events read at once when a stream is folded.
const PAGE: i64 = 1_000;
/// Pause after a transient fault of the database.
const PAUSE: Duration = Duration::from_millis(250);

/// Dependencies shared by all runners.
pub struct RunnerContext {
    /// The event log.
    pub log: Log,
    /// The listener that wakes followers of the log.
    pub tail: Tail,
    /// The executor of effects.
    pub executor: EffectExecutor,
    /// Board that shows replies while they are generated.
    pub drafts: DraftBoard,
    /// Budget over all debates; `None` if there is none.
    pub budget: Option<Arc<Budget>>,
}

/// Reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The debate has ended.
    Done,
    /// The debate is paused: there is nothing to do until it is resumed.
    Rested,
    /// The lease was lost: another runner holds the debate, or the debate was erased.
    Fenced,
}

/// Result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// Reason why it ended.
    pub end: RunEnd,
    /// Version of the last event seen.
    pub version: i64,
    /// Provider that the debate uses.
    pub provider: String,
}

/// Error that interrupts a run.
#[derive(Debug, thiserror::Error)]
pub enum RunFault {
    /// A fault of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stream cannot be run: it has no opening event, or its engine is unknown.
    #[error("debate {debate} cannot be run: {reason}")]
    Unrunnable {
        /// The debate.
        debate: DebateId,
        /// Reason why it cannot be run.
        reason: String,
    },
    /// The debate contains an event that this program does not know.
    #[error(
        "debate {debate} cannot be driven by this version of Faultline: event {} has the unknown kind {}. A newer \
         version can drive it",
        unknown.version,
        unknown.kind
    )]
    Unknown {
        /// The debate.
        debate: DebateId,
        /// The unknown event.
        unknown: Unknown,
    },
    /// The log refused the session's events.
    #[error("cannot append to debate {debate}: {reason}")]
    Unwritable {
        /// The debate.
        debate: DebateId,
        /// Reason of the refusal.
        reason: String,
    },
}

/// Drives a debate until it ends, is paused, or is lost to another runner or to an erasure.
///
/// # Errors
/// [`RunFault::Unrunnable`] if the stream has no opening event or its engine is unknown, [`RunFault::Unknown`] if it
/// contains an event of a newer version, [`RunFault::Unwritable`] if the log refuses an event, and [`RunFault::Store`] if
/// the database fails. The lease then expires, and the process that claims it next tries again.
pub async fn run(context: Arc<RunnerContext>, fence: Fence) -> Result<RunOutcome, RunFault> {
    match drive(context, fence).await {
        // An erasure also closes the lease.
        Err(RunFault::Store(StoreError::Erased { .. })) => {
            Ok(RunOutcome { end: RunEnd::Fenced, version: 0, provider: String::new() })
        }
        ended => ended,
    }
}

async fn drive(context: Arc<RunnerContext>, fence: Fence) -> Result<RunOutcome, RunFault> {
    let mut run = Run::load(context, fence).await?;
    let end = run.drive().await?;
    Ok(RunOutcome { end, version: run.session.version(), provider: run.provider })
}

type Outcome = (EffectAttempt, Result<ProviderAnswer, Failure>);

struct Run {
    context: Arc<RunnerContext>,
    fence: Fence,
    provider: String,
    /// True if the provider's answers are recorded in the order of the plan.
    is_reproducible: bool,
    session: Session,
    /// Watch that wakes when another writer appends; this run's own appends are known already.
    watch: DebateWatch,
    tasks: JoinSet<Outcome>,
    /// Effects in progress, each with the id of the event that requested it.
    under_way: BTreeMap<EffectKey, Uuid>,
    /// Drafts of the effects in progress; those that are left at the end of the run are discarded.
    drafts: DebateDrafts,
    /// Outcomes of a reproducible provider that have arrived before their turn.
    early: BTreeMap<EffectKey, Outcome>,
    /// Id of the debate's last event, recorded as the cause of the next append.
    latest: Option<Uuid>,
}

/// Tokens and cost of an outcome, also of one that failed.
fn usage_of(outcome: &Result<ProviderAnswer, Failure>) -> Usage {
    let answer = outcome.as_ref().map_or_else(|failure| failure.answer.as_deref(), Some);
    answer.map(|answer| answer.usage).unwrap_or_default()
}

/// Result of an append.
enum Appended {
    Written,
    /// Another writer appended first; the session has applied its events.
    Overtaken,
    Fenced,
}

impl Run {
    async fn load(context: Arc<RunnerContext>, fence: Fence) -> Result<Run, RunFault> {
        let debate = fence.debate;
        // The watch starts before the first read, so that no append is missed in between.
        let watch = context.tail.wakes().watch_debate(debate);
        let unrunnable = |reason: String| RunFault::Unrunnable { debate, reason };
        let beginning = context.log.first_own_event(debate).await?;
        let Some(opened) = beginning.as_ref().and_then(|recorded| recorded.event.opening()) else {
            return Err(unrunnable("its first event does not open it".to_owned()));
        };
        let (provider, opened) = (opened.provider.clone(), opened.clone());
        let mut session = Session::open(ENGINES, &opened).map_err(|error| unrunnable(error.to_string()))?;
        let mut log = context.log.read(debate, 0, PAGE).await?;
        let mut is_full = log.len() as i64 == PAGE;
        while is_full {
            let after = log.last().map_or(0, |recorded| recorded.version);
            let page = context.log.read(debate, after, PAGE).await?;
            is_full = page.len() as i64 == PAGE;
            log.extend(page);
        }
        session.resume(&log);
        let latest = log.last().map(|recorded| recorded.id);
        let is_reproducible = context.executor.is_reproducible(&provider);
        if !session.is_ended() {
            context.executor.prepare(&opened).await;
        }
        let drafts = context.drafts.open(debate);
        let (tasks, under_way, early) = (JoinSet::new(), BTreeMap::new(), BTreeMap::new());
        Ok(Run { context, fence, provider, is_reproducible, session, watch, tasks, under_way, drafts, early, latest })
    }

    async fn drive(&mut self) -> Result<RunEnd, RunFault> {
        loop {
            let under_way = self.keys_under_way();
            let appended = match self.session.step(&under_way) {
                SessionStep::Done => return Ok(RunEnd::Done),
                SessionStep::Rest => return Ok(RunEnd::Rested),
                SessionStep::Leave(unknown) => return Err(RunFault::Unknown { debate: self.fence.debate, unknown }),
                SessionStep::Append(events) => self.append(following(events, self.latest)).await,
                SessionStep::Start(effects) => self.start(effects).await,
                SessionStep::Await => self.wait().await,
            };
            match appended {
                Ok(Appended::Fenced) => return Ok(RunEnd::Fenced),
                Ok(_) => {}
                Err(RunFault::Store(fault)) if fault.is_transient() => {
                    tracing::warn!(debate = %self.fence.debate, %fault, "waiting for the database");
                    tokio::time::sleep(PAUSE).await;
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Starts as many of the effects as the budget over all debates allows; pauses the debate if that is spent. A debate
    /// that has ended cannot be paused: its effects, which are audits and probes, are refused.
    async fn start(&mut self, mut effects: Vec<Effect>) -> Result<Appended, RunFault> {
        let Some(budget) = self.context.budget.clone().filter(|_| effects.iter().any(|effect| self.is_remote(effect)))
        else {
            return self.request(effects, Vec::new(), None).await;
        };
        let tokens: Vec<u64> = effects.iter().map(|effect| self.session.most_tokens(effect)).collect();
        match budget.admit(&tokens).await? {
            Admission::Granted(reservations) => {
                effects.truncate(reservations.len());
                self.request(effects, reservations, None).await
            }
            Admission::Spent(reason) if self.session.is_ended() => {
                self.request(effects, Vec::new(), Some(reason)).await
            }
            Admission::Spent(reason) => {
                let paused = Event::DebatePaused(DebatePaused { reason: Some(reason) });
                self.append(following(vec![paused], self.latest)).await
            }
        }
    }

    /// Returns true if the provider that answers an effect is called outside this process.
    fn is_remote(&self, effect: &Effect) -> bool {
        let executor = &self.context.executor;
        let default = executor.provider_of(&effect.key, &self.provider);
        executor.is_remote(self.session.late_provider().unwrap_or(default))
    }

    /// Recalls passages and records the requests; only then calls the providers, unless the calls are refused or their
    /// evidence could not be searched.
    async fn request(
        &mut self,
        effects: Vec<Effect>,
        reservations: Vec<Reservation>,
        refused: Option<String>,
    ) -> Result<Appended, RunFault> {
        let recalls = join_all(effects.iter().map(|effect| self.context.executor.recall(&self.provider, effect))).await;
        let refused = refused.map(|reason| Failure::new(FailureKind::Hopeless, reason));
        let (mut attempts, mut failures) = (Vec::new(), Vec::new());
        for (effect, recalled) in effects.iter().zip(recalls) {
            let (passages, failure) = match recalled {
                Ok(passages) => (passages, None),
                Err(failure) => (Recalled::default(), Some(failure)),
            };
            attempts.push(self.session.attempt(effect, passages));
            failures.push(refused.clone().or(failure));
        }
        let requested = attempts.iter().map(|attempt| self.session.requested(attempt));
        let suspected = attempts.iter().filter_map(|attempt| self.session.suspected(attempt));
        let requests = following(requested.chain(suspected).collect(), self.latest);
        let ids: Vec<Uuid> = requests.iter().map(|request| request.id).collect();
        let appended = self.insist(requests).await;
        if !matches!(appended, Ok(Appended::Written)) {
            if let Some(budget) = &self.context.budget {
                budget.give_back(reservations).await;
            }
            return appended;
        }
        let mut reservations = reservations.into_iter();
        for ((attempt, failure), request) in attempts.into_iter().zip(failures).zip(ids) {
            self.call(attempt, request, reservations.next(), failure);
        }
        appended
    }

    /// Calls the provider of a recorded request, unless the effect has failed already; the task ends with the outcome.
    fn call(
        &mut self,
        mut attempt: EffectAttempt,
        request: Uuid,
        reservation: Option<Reservation>,
        failure: Option<Failure>,
    ) {
        self.under_way.insert(attempt.key.clone(), request);
        let context = self.context.clone();
        let default = context.executor.provider_of(&attempt.key, &self.provider);
        let provider = self.session.late_provider().unwrap_or(default).to_owned();
        let draft = self.drafts.begin(&attempt);
        self.tasks.spawn(async move {
            let outcome = match failure {
                Some(failure) => Err(failure),
                None => context.executor.ask(&provider, &attempt, &draft).await,
            };
            if let Some(reservation) = reservation {
                reservation.settle(&usage_of(&outcome)).await;
            }
            context.executor.add_cited_passages(&mut attempt, &outcome).await;
            context.executor.add_auditor(&provider, &mut attempt, &outcome).await;
            (attempt, outcome)
        });
    }

    fn keys_under_way(&self) -> BTreeSet<EffectKey> {
        self.under_way.keys().cloned().collect()
    }

    /// Waits for an answer, or for an append by another writer.
    async fn wait(&mut self) -> Result<Appended, RunFault> {
        if let Some((ask, outcome)) = self.take_next_early() {
            return self.settle(ask, outcome).await;
        }
        tokio::select! {
            Some(joined) = self.tasks.join_next() => match joined {
                Ok((ask, outcome)) if self.is_reproducible => {
                    self.early.insert(ask.key.clone(), (ask, outcome));
                    Ok(Appended::Written)
                }
                Ok((ask, outcome)) => self.settle(ask, outcome).await,
                Err(error) => {
                    // The executor catches panics of providers, so this task was cancelled by the runtime.
                    let (debate, reason) = (self.fence.debate, error.to_string());
                    Err(RunFault::Unwritable { debate, reason })
                }
            },
            () = self.watch.beyond(self.session.version()) => {
                let before = self.session.version();
                self.catch_up().await?;
                if self.session.version() == before {
                    // Woken for an event that cannot be read yet.
                    tokio::time::sleep(PAUSE).await;
                }
                Ok(Appended::Overtaken)
            }
        }
    }

    /// Takes the outcome whose turn it is from those that arrived early.
    fn take_next_early(&mut self) -> Option<Outcome> {
        let under_way = self.keys_under_way();
        self.early.remove(self.session.next_outcome(&under_way)?)
    }

    /// Settles an outcome against the current state, and again if the state changed in the meantime. An answer has cost
    /// money, so it is kept through faults of the database.
    async fn settle(
        &mut self,
        ask: EffectAttempt,
        outcome: Result<ProviderAnswer, Failure>,
    ) -> Result<Appended, RunFault> {
        loop {
            if self.session.unknown().is_some() {
                // A newer program will ask again: this one cannot interpret the answer in the current state.
                return Ok(Appended::Overtaken);
            }
            let similarity = self.context.executor.similarity(self.session.similarity_inputs(&ask, &outcome)).await;
            let events = self.session.record_outcome(&ask, outcome.clone(), similarity.as_ref());
            let request = self.under_way.get(&ask.key).copied();
            let end = DraftEnd::of(&events);
            let appended =
                if events.is_empty() { Ok(Appended::Written) } else { self.append(drawn(events, request)).await };
            match appended {
                Ok(Appended::Overtaken) => {}
                Err(RunFault::Store(fault)) if fault.is_transient() => {
                    tracing::warn!(debate = %self.fence.debate, %fault, "an answer is waiting for the database");
                    tokio::time::sleep(PAUSE).await;
                    // Reads from the log whether the failed append was recorded after all.
                    let _ = self.catch_up().await;
                }
                done => {
                    self.under_way.remove(&ask.key);
                    if matches!(done, Ok(Appended::Written)) {
                        self.drafts.settle(&ask.key, &end);
                    }
                    return done;
                }
            }
        }
    }

    /// Appends, and retries the same events while the database is away. Requests that were recorded after all are then
    /// recognized as these, and not mistaken for interrupted calls of another process.
    async fn insist(&mut self, events: Vec<NewEvent>) -> Result<Appended, RunFault> {
        loop {
            match self.append(events.clone()).await {
                Err(RunFault::Store(fault)) if fault.is_transient() => {
                    tracing::warn!(debate = %self.fence.debate, %fault, "requests are waiting for the database");
                    tokio::time::sleep(PAUSE).await;
                }
                done => return done,
            }
        }
    }

    async fn append(&mut self, events: Vec<NewEvent>) -> Result<Appended, RunFault> {
        let debate = self.fence.debate;
        let expected = self.session.version();
        let append = Append { debate, expected, events, fence: Some(self.fence), actor: None };
        match self.context.log.append(append).await {
            Ok(recorded) => {
                self.apply_new(&recorded);
                Ok(Appended::Written)
            }
            Err(AppendError::Conflict { .. }) => {
                self.catch_up().await?;
                Ok(Appended::Overtaken)
            }
            Err(AppendError::Fenced) => Ok(Appended::Fenced),
            Err(AppendError::Fault(fault)) => Err(fault.into()),
            Err(other) => Err(RunFault::Unwritable { debate, reason: other.to_string() }),
        }
    }

    async fn catch_up(&mut self) -> Result<(), RunFault> {
        loop {
            let page = self.context.log.read(self.fence.debate, self.session.version(), PAGE).await?;
            self.apply_new(&page);
            if (page.len() as i64) < PAGE {
                return Ok(());
            }
        }
    }

    /// Applies events that the session has not seen yet.
    fn apply_new(&mut self, events: &[Recorded]) {
        for recorded in events {
            if recorded.version > self.session.version() {
                self.session.evolve(recorded);
                self.latest = Some(recorded.id);
            }
        }
    }
}

/// Creates new events with a common cause.
fn following(events: Vec<Event>, cause: Option<Uuid>) -> Vec<NewEvent> {
    events.into_iter().map(|event| NewEvent { id: Uuid::now_v7(), event, caused_by: cause }).collect()
}

/// Creates the events of an outcome: the request causes the receipt, and the receipt causes the facts drawn from it.
fn drawn(events: Vec<Event>, request: Option<Uuid>) -> Vec<NewEvent> {
    let mut drawn = following(events, request);
    if let Some((receipt, facts)) = drawn.split_first_mut() {
        facts.iter_mut().for_each(|fact| fact.caused_by = Some(receipt.id));
    }
    drawn
}
