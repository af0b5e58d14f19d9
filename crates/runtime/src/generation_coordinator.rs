//! Coordinator of generations: creates them, cuts over to them when they have caught up, and deletes their rows.
//!
//! The rows of the previous generation stay for a while, for requests that began with them. A generation that would skip
//! more debates than the served one is not cut over unless an operator allows it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::generation_plan::{GenerationStep, next_step};
use crate::projector_worker::{LOOK, WakeUp, pause_after};
use crate::read_model_cache::{build_rows, fold_stream, unwrap_join_error};
use crate::rebuilder::Builder;
use faultline_core::verdicts::read_model::REVISION;
use faultline_service::views::view_rows::NAMES;
use faultline_store::error::StoreError;
use faultline_store::generations::generation_progress::cursor;
use faultline_store::generations::generations::{Generation, GenerationRequest, GenerationState, Generations};
use faultline_store::generations::save::ViewChanges;
use faultline_store::lanes::LANES;
use faultline_store::log::log::Log;
use faultline_store::projector::projector_member::Assignment;
use faultline_store::projector::save_fence::SaveFence;
use faultline_store::views::dead_letters::{LetterOwner, NewDeadLetter};
use faultline_store::views::views::{DEBATES, Views};

/// Pause before a generation whose cut-over was refused because of skipped debates is checked again.
const REFUSAL_PAUSE: Duration = Duration::from_secs(3);
/// Maximum number of debates named in a problem.
const MAX_NAMED: usize = 20;
/// Lag behind the log, in events, at which a generation can be cut over to: the rest takes a tenth of a second.
const NEAR: i64 = 2_000;
/// Time for which a held generation waits for a decision; every extension is as long.
pub const HOLD: Duration = Duration::from_secs(60);
/// Time for which the rows of a generation stay after the cut-over to another: longer than any request may take.
pub const GRACE: Duration = Duration::from_secs(60);

/// Worker that decides about generations while its process is the coordinator.
pub struct GenerationCoordinator {
    log: Log,
    views: Views,
    generations: Generations,
    assignment: watch::Receiver<Assignment>,
    wake_up: WakeUp,
    /// Lease under which it works; `None` while another process is the coordinator.
    lease: Option<i64>,
    dropping: JoinSet<Result<(), StoreError>>,
    /// Earliest time of the next attempt to cut over.
    rests_until: Option<Instant>,
    /// True if it builds only requested generations.
    only_requested: bool,
}

impl GenerationCoordinator {
    /// Creates a worker that acts while this assignment is the coordinator's. With `only_requested`, a newer revision of
    /// the code is no reason to build.
    pub fn new(
        log: Log,
        views: Views,
        assignment: watch::Receiver<Assignment>,
        wake_up: WakeUp,
        only_requested: bool,
    ) -> GenerationCoordinator {
        let generations = views.generations();
        GenerationCoordinator {
            log,
            views,
            generations,
            assignment,
            wake_up,
            lease: None,
            dropping: JoinSet::new(),
            rests_until: None,
            only_requested,
        }
    }

    /// Coordinates, without end.
    pub async fn run(mut self) {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = looks.tick() => {}
                () = self.wake_up.received() => {}
            }
            if let Err(fault) = self.look().await {
                self.lease = None;
                pause_after(fault, "coordinating the generations").await;
            }
        }
    }

    /// Checks the generations and takes the next actions.
    async fn look(&mut self) -> Result<(), StoreError> {
        let Some(lease) = self.assignment.borrow().coordinator else {
            self.lease = None;
            self.dropping.shutdown().await;
            return Ok(());
        };
        if self.lease != Some(lease) {
            self.views = self.views.fenced(SaveFence::Coordinator(lease));
            self.generations = self.views.generations();
            self.generations.adopt_checkpoints().await?;
            self.lease = Some(lease);
        }
        self.generations.reject_unanswered().await?;
        loop {
            let existing = self.generations.existing().await?;
            match next_step(&existing, REVISION) {
                GenerationStep::LeaveToNewer => return Ok(()),
                GenerationStep::Create(_) if self.only_requested => return self.drop_due().await,
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
                    if let Some(served) = keep {
                        self.retry(served).await?;
                    }
                    if let Some(generation) = existing.iter().find(|generation| Some(generation.id) == build) {
                        self.advance(generation).await?;
                    }
                    return self.drop_due().await;
                }
            }
        }
    }

    /// Starts a generation, or cuts over to it if the members have built all of its lanes.
    async fn advance(&mut self, generation: &Generation) -> Result<(), StoreError> {
        let id = generation.id;
        match generation.state {
            GenerationState::Wanted => {
                tracing::info!(generation = id, reason = generation.reason.name(), "building the stored views");
                self.generations.begin(id, &self.log.heads().await?).await?;
                self.generations.change_state(id, &[GenerationState::Wanted], GenerationState::Building).await?;
                self.wake_up.send();
                return Ok(());
            }
            GenerationState::Building | GenerationState::Approved => {}
            _ => return Ok(()),
        }
        let rests = self.rests_until.is_some_and(|instant| instant > Instant::now());
        let lanes = self.generations.lanes(id).await?;
        let is_built = lanes.len() == LANES as usize && lanes.iter().all(|lane| lane.is_through);
        if rests || !is_built || cursor(&lanes).lag(&self.log.heads().await?) > NEAR {
            return Ok(());
        }
        self.builder(generation).try_again().await?;
        self.generations.caught_up(id, HOLD).await?;
        match self.generations.one(id).await? {
            Some(it) if matches!(it.state, GenerationState::Building | GenerationState::Approved) => {
                self.switch(generation).await
            }
            _ => Ok(()),
        }
    }

    fn builder(&self, generation: &Generation) -> Builder {
        Builder::new(self.log.clone(), self.views.clone(), generation)
    }

    /// Cuts over to a generation if that is still allowed. No rows are saved by members meanwhile, so it is not behind
    /// the served one.
    async fn switch(&mut self, generation: &Generation) -> Result<(), StoreError> {
        let cut_over = self.generations.begin_cut_over().await?;
        self.builder(generation).catch_up().await?;
        if !self.may_take_over(generation.id).await? {
            self.rests_until = Some(Instant::now() + REFUSAL_PAUSE);
            return Ok(());
        }
        if cut_over.finish(generation.id, &NAMES).await? {
            tracing::info!(generation = generation.id, "the stored views are served from this generation");
            self.wake_up.send();
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

    /// Deletes rows that are no longer needed, beside other work.
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

    /// Retries debates with unreadable events, if requested.
    async fn retry(&self, served: i32) -> Result<(), StoreError> {
        while let Some(debate) = self.views.next_retry(DEBATES).await? {
            let changes = match fold_stream(&self.log, debate, i64::MAX).await {
                Ok(read_model) => {
                    tracing::info!(%debate, "a debate can be read again");
                    ViewChanges {
                        resolved: vec![(LetterOwner::Projection(DEBATES), debate)],
                        ..build_rows(served, vec![(debate, Arc::new(read_model))]).await?
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
