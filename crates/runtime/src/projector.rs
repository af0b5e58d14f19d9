//! Projector: keeps the stored views up to date with the log.
//!
//! One projector works for all processes on a database, under a lease. It follows the log, folds the debates that
//! changed, and saves their rows and its own position in one transaction. The rows serve queries across debates; a
//! single debate is folded from its stream when it is read.
//!
//! Rows belong to a generation. If another is needed (there is none, the code's revision is newer, or an operator
//! requested one), it is built beside the served one, which is kept up to date meanwhile. When it has caught up, the
//! cut-over happens in one transaction. The rows of the previous generation stay for a while, for requests that began
//! with them.
//!
//! An event that cannot be read affects only its own debate: it becomes a dead letter in the transaction that moves
//! past it, and is retried on request. A generation that would skip more debates than the served one is not cut over
//! unless an operator allows it.

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::generation_plan::{GenerationStep, next_step};
use crate::read_model_cache::{ReadModelCache, build_rows, fold_stream, unwrap_join_error};
use crate::rebuilder::Builder;
use faultline_core::events::event::Recorded;
use faultline_core::verdicts::read_model::REVISION;
use faultline_service::views::view_rows::NAMES;
use faultline_store::error::StoreError;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::generations::generations::{Generation, GenerationRequest, GenerationState, Generations};
use faultline_store::generations::projector_lease::ProjectorLease;
use faultline_store::generations::save::ViewChanges;
use faultline_store::lanes::Cursor;
use faultline_store::log::log::Log;
use faultline_store::views::dead_letters::{LetterOwner, NewDeadLetter};
use faultline_store::views::views::DEBATES;
use faultline_store::views::views::{Checkpoint, Views};

/// Time for which rows are held back, so that several events of a debate are saved once.
const GATHER: Duration = Duration::from_millis(100);
/// Pause before the next attempt to take the lease, and after a fault.
const PAUSE: Duration = Duration::from_secs(1);
/// Pause before a generation whose cut-over was refused because of skipped debates is checked again.
const REFUSAL_PAUSE: Duration = Duration::from_secs(3);
/// Maximum number of debates named in a problem.
const MAX_NAMED: usize = 20;
/// Interval at which the state of the generations is checked.
const LOOK: Duration = Duration::from_millis(250);
/// Time for which the rows of a generation stay after the cut-over to another: longer than any request may take.
pub const GRACE: Duration = Duration::from_secs(60);

/// Worker that keeps the stored views up to date.
pub struct Projector {
    log: Log,
    tail: Tail,
    views: Views,
    generations: Generations,
    read_models: ReadModelCache,
    live: Option<Live>,
    building: Option<Building>,
    dropping: JoinSet<Result<(), StoreError>>,
    /// Earliest time of the next attempt to build.
    rests_until: Option<Instant>,
    /// True if it builds only requested generations.
    only_requested: bool,
}

/// The served generation, being kept up to date.
struct Live {
    generation: i32,
    follower: Follower,
}

/// A generation being built. The build stops when this is dropped.
struct Building {
    generation: Generation,
    work: JoinSet<Result<(), StoreError>>,
}

impl Projector {
    /// Creates a projector over a log.
    pub fn new(log: Log, tail: Tail, views: Views) -> Projector {
        let (generations, read_models) = (views.generations(), ReadModelCache::new(log.clone()));
        let (live, building, dropping) = (None, None, JoinSet::new());
        let (rests_until, only_requested) = (None, false);
        Projector { log, tail, views, generations, read_models, live, building, dropping, rests_until, only_requested }
    }

    /// Restricts the projector to generations that were requested: a newer revision of the code is no reason to build.
    pub fn only_requested(self) -> Projector {
        Projector { only_requested: true, ..self }
    }

    /// Projects until told to stop; waits while another process does.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            let outcome = tokio::select! {
                _ = stop.changed() => break,
                outcome = self.turn() => outcome,
            };
            if let Err(fault) = outcome {
                tracing::warn!(%fault, "the projector failed, restarting");
            }
            self.rest().await;
            tokio::select! {
                _ = stop.changed() => break,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
        self.rest().await;
    }

    /// Releases all resources.
    async fn rest(&mut self) {
        self.read_models.clear();
        self.live = None;
        if let Some(mut building) = self.building.take() {
            building.work.shutdown().await;
        }
        self.dropping.shutdown().await;
    }

    /// Projects while the lease is held. Returns at once if another process holds the lease or should take it over.
    async fn turn(&mut self) -> Result<(), StoreError> {
        let Some(lease) = ProjectorLease::try_take(self.log.pool()).await? else { return Ok(()) };
        self.views = self.views.fenced(lease.fence());
        self.generations = self.views.generations();
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let news = tokio::select! {
                _ = looks.tick() => News::Look,
                events = next(&mut self.live) => News::Events(events),
                built = built(&mut self.building) => News::Built(built),
            };
            if !lease.is_held() {
                return Ok(());
            }
            match news {
                News::Look => {}
                News::Events(Ok(events)) => {
                    self.project(events).await?;
                    continue;
                }
                News::Events(Err(fault)) => {
                    self.record_dead_letter(&fault).await?;
                    continue;
                }
                News::Built(built) => self.built(built).await?,
            }
            if !self.check_generations().await? {
                self.rest().await;
                lease.release().await;
                return Ok(());
            }
        }
    }

    /// Checks the generations and takes the next actions. Returns false if a newer program should be the projector.
    async fn check_generations(&mut self) -> Result<bool, StoreError> {
        self.generations.reject_unanswered().await?;
        loop {
            let existing = self.generations.existing().await?;
            match next_step(&existing, REVISION) {
                GenerationStep::StandDown => return Ok(false),
                GenerationStep::Create(_) if self.only_requested => {
                    self.keep_up(None).await?;
                    self.build(None).await;
                    self.drop_due().await?;
                    return Ok(true);
                }
                GenerationStep::Create(reason) => {
                    let wanted = GenerationRequest {
                        revision: REVISION,
                        reason,
                        workers: None,
                        holds: false,
                        allows_letters: false,
                    };
                    self.generations.request(wanted).await?;
                }
                GenerationStep::Reject(id) => {
                    const UNDER_WAY: [GenerationState; 4] = [
                        GenerationState::Wanted,
                        GenerationState::Building,
                        GenerationState::Held,
                        GenerationState::Approved,
                    ];
                    self.generations.change_state(id, &UNDER_WAY, GenerationState::Rejected).await?;
                }
                GenerationStep::Run { keep, build } => {
                    self.keep_up(keep).await?;
                    self.retry().await?;
                    self.build(existing.into_iter().find(|generation| Some(generation.id) == build)).await;
                    self.drop_due().await?;
                    return Ok(true);
                }
            }
        }
    }

    async fn keep_up(&mut self, generation: Option<i32>) -> Result<(), StoreError> {
        if self.live.as_ref().map(|live| live.generation) == generation {
            return Ok(());
        }
        self.read_models.clear();
        self.live = None;
        if let Some(generation) = generation {
            let cursor = self.views.checkpoint(DEBATES, generation).await?.unwrap_or_default();
            self.live = Some(Live { generation, follower: Follower::of_log(&self.log, &self.tail, cursor) });
        }
        Ok(())
    }

    async fn build(&mut self, wanted: Option<Generation>) {
        if let Some(building) = &mut self.building
            && wanted.as_ref().map(|generation| generation.id) != Some(building.generation.id)
        {
            // Stops the build before its rows are dropped.
            building.work.shutdown().await;
            self.building = None;
        }
        let rests = self.rests_until.is_some_and(|instant| instant > Instant::now());
        if let (None, Some(generation), false) = (&self.building, wanted, rests) {
            tracing::info!(generation = generation.id, reason = generation.reason.name(), "building the stored views");
            let mut work = JoinSet::new();
            work.spawn(Builder::new(self.log.clone(), self.views.clone(), &generation).build());
            self.building = Some(Building { generation, work });
        }
    }

    /// Handles the end of a build, successful or failed.
    async fn built(&mut self, built: Result<(), StoreError>) -> Result<(), StoreError> {
        let Some(Building { generation, .. }) = self.building.take() else { return Ok(()) };
        match built {
            Ok(()) => self.switch(&generation).await,
            Err(fault) => {
                tracing::warn!(generation = generation.id, %fault, "cannot build the stored views, retrying");
                self.rests_until = Some(Instant::now() + PAUSE);
                self.generations.record_problem(generation.id, &fault.to_string()).await
            }
        }
    }

    /// Cuts over to a generation if that is still allowed. Nothing is projected meanwhile, so it is not behind the
    /// served one.
    async fn switch(&mut self, generation: &Generation) -> Result<(), StoreError> {
        let cursor = Builder::new(self.log.clone(), self.views.clone(), generation).catch_up().await?;
        if !self.may_take_over(generation.id).await? {
            self.rests_until = Some(Instant::now() + REFUSAL_PAUSE);
            return Ok(());
        }
        if self.generations.cut_over(generation.id, &NAMES, &cursor).await? {
            tracing::info!(generation = generation.id, "the stored views are served from this generation");
        }
        Ok(())
    }

    /// Returns whether the cut-over is allowed: the generation skips no debate that is served now, or skipping was
    /// allowed. If not, records the skipped debates as the generation's problem.
    async fn may_take_over(&self, id: i32) -> Result<bool, StoreError> {
        let loss = self.generations.skipped_totals(id).await?;
        let generation = self.generations.one(id).await?;
        if loss.newly == 0 || generation.as_ref().is_some_and(|generation| generation.allows_letters) {
            return Ok(true);
        }
        let left_out = self.generations.skipped_events(id).await?;
        let mut named: Vec<String> =
            left_out.iter().filter(|skipped| skipped.newly).map(|skipped| skipped.debate.to_string()).collect();
        named.dedup();
        let more = if named.len() > MAX_NAMED { ", and others" } else { "" };
        named.truncate(MAX_NAMED);
        let problem = format!(
            "{} debates that are served now would be missing, because some of their events cannot be read: {}{more}. \
             Repair them, or cut over without them: faultline rebuild --allow-letters",
            loss.newly,
            named.join(", "),
        );
        if generation.and_then(|generation| generation.problem).as_ref() != Some(&problem) {
            tracing::error!(generation = id, %problem, "the cut-over to a generation of the stored views is refused");
            self.generations.record_problem(id, &problem).await?;
        }
        Ok(false)
    }

    async fn drop_due(&mut self) -> Result<(), StoreError> {
        while let Some(dropped) = self.dropping.try_join_next() {
            dropped.unwrap_or_else(unwrap_join_error)?;
        }
        if self.dropping.is_empty()
            && let Some(due) = self.generations.due(GRACE).await?.first().copied()
        {
            let generations = self.generations.clone();
            self.dropping.spawn(async move { generations.drop_rows(due).await });
        }
        Ok(())
    }

    async fn project(&mut self, mut events: Vec<Recorded>) -> Result<(), StoreError> {
        let Some(Live { generation, follower }) = &mut self.live else { return Ok(()) };
        // Events that arrive in the meantime are saved in the same transaction.
        match tokio::time::timeout(GATHER, follower.next()).await {
            Ok(Ok(more)) => {
                events.extend(more);
                tokio::time::sleep(GATHER).await;
            }
            // The fault is met again once everything before it is saved.
            Ok(Err(StoreError::Damaged { .. })) | Err(_) => {}
            Ok(Err(fault)) => return Err(fault),
        }
        let changed = self.read_models.apply(&events).await?;
        let mut changes = build_rows(*generation, changed.read_models).await?;
        changes.letters =
            changed.damaged.iter().filter_map(|(debate, fault)| NewDeadLetter::of(DEBATES, *debate, fault)).collect();
        if let Some(cursor) = follower.cursor() {
            changes.checkpoints.push(Checkpoint { name: DEBATES, revision: *generation, cursor: cursor.clone() });
        }
        // Runs as a separate task, so that a save that has begun is completed even if the projector is stopped.
        let views = self.views.clone();
        let saving = tokio::spawn(async move { views.save(&changes).await });
        saving.await.unwrap_or_else(unwrap_join_error)
    }

    /// Skips an event that cannot be read and records a dead letter; returns any other fault.
    async fn record_dead_letter(&mut self, fault: &StoreError) -> Result<(), StoreError> {
        let StoreError::Damaged { debate, .. } = fault else { return Err(fault.clone()) };
        let (Some(Live { generation, follower }), Some(letter)) =
            (&mut self.live, NewDeadLetter::of(DEBATES, *debate, fault))
        else {
            return Err(fault.clone());
        };
        if !follower.skip(fault) {
            return Err(fault.clone());
        }
        tracing::error!(%fault, "cannot read an event; the stored views of its debate keep the state before it");
        let place = |cursor: &Cursor| Checkpoint { name: DEBATES, revision: *generation, cursor: cursor.clone() };
        let checkpoints = follower.cursor().map(place).into_iter().collect();
        self.views.save(&ViewChanges { checkpoints, letters: vec![letter], ..ViewChanges::default() }).await
    }

    /// Retries debates with unreadable events, if requested.
    async fn retry(&mut self) -> Result<(), StoreError> {
        let Some(generation) = self.live.as_ref().map(|live| live.generation) else { return Ok(()) };
        while let Some(debate) = self.views.next_retry(DEBATES).await? {
            let changes = match fold_stream(&self.log, debate, i64::MAX).await {
                Ok(read_model) => {
                    tracing::info!(%debate, "a debate can be read again");
                    ViewChanges {
                        resolved: vec![(LetterOwner::Projection(DEBATES), debate)],
                        ..build_rows(generation, vec![(debate, read_model)]).await?
                    }
                }
                Err(fault) => {
                    let letter = NewDeadLetter::of(DEBATES, debate, &fault).ok_or(fault)?;
                    ViewChanges { letters: vec![letter], ..ViewChanges::default() }
                }
            };
            self.views.save(&changes).await?;
        }
        Ok(())
    }
}

/// Events that wake the projector.
enum News {
    Look,
    Events(Result<Vec<Recorded>, StoreError>),
    Built(Result<(), StoreError>),
}

/// Returns the next events of the served generation; never returns without one. Cancel-safe.
async fn next(live: &mut Option<Live>) -> Result<Vec<Recorded>, StoreError> {
    match live {
        Some(it) => it.follower.next().await,
        None => std::future::pending().await,
    }
}

/// Returns the result of the current build; never returns without one.
async fn built(building: &mut Option<Building>) -> Result<(), StoreError> {
    let Some(building) = building else { return std::future::pending().await };
    match building.work.join_next().await {
        Some(built) => built.unwrap_or_else(unwrap_join_error),
        None => std::future::pending().await,
    }
}
