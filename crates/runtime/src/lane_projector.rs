//! Keeps the served rows of a member's lanes up to date with the log.
//!
//! An event that cannot be read affects only its own debate: it becomes a dead letter in the transaction that moves past
//! it, and is retried on request.

use std::time::Duration;

use metrics::gauge;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use crate::projector_worker::{LOOK, WakeUp, pause_after};
use crate::read_model_cache::{ReadModelCache, build_rows, unwrap_join_error};
use crate::saved_rows::SavedRows;
use faultline_core::events::event::Recorded;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::error::StoreError;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::generations::generation_progress::LanePosition;
use faultline_store::generations::generations::GenerationState;
use faultline_store::generations::save::ViewChanges;
use faultline_store::lanes::{Cursor, LANES};
use faultline_store::log::log::Log;
use faultline_store::projector::lane_leases::HeldLanes;
use faultline_store::projector::projector_member::Assignment;
use faultline_store::projector::save_fence::SaveFence;
use faultline_store::views::dead_letters::NewDeadLetter;
use faultline_store::views::views::{DEBATES, Views};

/// Time for which rows are held back, so that several events of a debate are saved once.
const GATHER: Duration = Duration::from_millis(100);
/// Number of events after which rows are saved without waiting for more: some tens of megabytes in memory.
const MAX_EVENTS: usize = 16_000;
/// Gauge of the lanes that this process keeps up to date.
const HELD: &str = "faultline_projector_lanes";

/// Worker that keeps the rows of some lanes up to date.
pub struct LaneProjector {
    log: Log,
    tail: Tail,
    views: Views,
    assignment: watch::Receiver<Assignment>,
    wake_up: WakeUp,
    read_models: ReadModelCache,
    saved: SavedRows,
    live: Option<Live>,
}

/// Lanes of the served generation, being kept up to date.
struct Live {
    generation: i32,
    lanes: HeldLanes,
    /// Views that are saved only while the lanes are held.
    views: Views,
    follower: Follower,
    /// The save that is under way while the next rows are computed. A task of its own, so that a save that has begun is
    /// completed even if the projector is stopped.
    saving: Option<JoinHandle<Result<(), StoreError>>>,
}

/// Reasons for which the projector wakes.
enum News {
    Look,
    Events(Result<Vec<Recorded>, StoreError>),
    Saved(Result<(), StoreError>),
}

impl LaneProjector {
    /// Creates a worker for the lanes of this assignment.
    pub fn new(
        log: Log,
        tail: Tail,
        views: Views,
        assignment: watch::Receiver<Assignment>,
        wake_up: WakeUp,
    ) -> LaneProjector {
        let read_models = ReadModelCache::new(log.clone());
        LaneProjector { log, tail, views, assignment, wake_up, read_models, saved: SavedRows::default(), live: None }
    }

    /// Keeps the rows up to date, without end.
    pub async fn run(mut self) {
        loop {
            if let Err(fault) = self.turn().await {
                self.close();
                pause_after(fault, "following the log").await;
            }
        }
    }

    /// Follows the lanes until a fault.
    async fn turn(&mut self) -> Result<(), StoreError> {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let news = tokio::select! {
                biased;
                _ = looks.tick() => News::Look,
                () = self.wake_up.received() => News::Look,
                news = next(&mut self.live) => news,
            };
            match news {
                News::Look => self.look().await?,
                News::Events(Ok(events)) => self.project(events).await?,
                News::Events(Err(fault)) => self.record_dead_letter(&fault).await?,
                News::Saved(saved) => saved?,
            }
        }
    }

    /// Begins to follow if another generation is served, or other lanes are held.
    async fn look(&mut self) -> Result<(), StoreError> {
        let lanes = self.assignment.borrow().lanes.clone();
        gauge!(HELD).set(lanes.len() as f64);
        self.log.prefer_lanes(lanes.set());
        let existing = self.views.generations().existing().await?;
        let served = existing
            .iter()
            .find(|generation| generation.state == GenerationState::Served && generation.revision == REVISION)
            .map(|generation| generation.id)
            .filter(|_| !lanes.is_empty());
        if self.live.as_ref().is_some_and(|live| Some(live.generation) == served && live.lanes == lanes) {
            return Ok(());
        }
        if let Some(live) = &mut self.live {
            live.settle().await?;
        }
        let Some(generation) = served else {
            self.close();
            return Ok(());
        };
        // Debates of other lanes change, and may be erased, without notice.
        self.read_models.keep_lanes(lanes.set());
        // Another member may have saved rows since, also of lanes that are held again.
        self.saved.clear();
        let views = self.views.fenced(SaveFence::Lanes(lanes.clone()));
        let cursor = views.reached(generation).await?;
        let follower = Follower::of_lanes(&self.log, &self.tail, cursor, lanes.set());
        self.live = Some(Live { generation, lanes, views, follower, saving: None });
        Ok(())
    }

    fn close(&mut self) {
        self.read_models.clear();
        self.saved.clear();
        self.live = None;
    }

    async fn project(&mut self, mut events: Vec<Recorded>) -> Result<(), StoreError> {
        let Some(live) = &mut self.live else { return Ok(()) };
        // Events that arrive in the meantime are saved in the same transaction. A projector that is behind reads much at
        // once, so that the rows of a debate are computed once for many of its events.
        let begun = Instant::now();
        let mut until = begun + GATHER;
        while events.len() < MAX_EVENTS {
            match timeout_at(until, live.follower.next()).await {
                Ok(Ok(more)) => {
                    events.extend(more);
                    until = begun + 2 * GATHER;
                }
                // The fault is met again once everything before it is saved.
                Ok(Err(StoreError::Damaged { .. })) | Err(_) => break,
                Ok(Err(fault)) => return Err(fault),
            }
        }
        let changed = self.read_models.apply(&events).await?;
        // The rows of a debate that cannot be read are saved by the coordinator once it can.
        let others = changed.erased.iter().chain(changed.damaged.iter().map(|(debate, _)| debate));
        others.for_each(|debate| self.saved.remove(*debate));
        let mut changes = build_rows(live.generation, changed.read_models).await?;
        self.saved.leave_out_unchanged(&mut changes);
        changes.letters =
            changed.damaged.iter().filter_map(|(debate, fault)| NewDeadLetter::of(DEBATES, *debate, fault)).collect();
        changes.positions = live.positions(|lane| events.iter().any(|event| event.lane == lane));
        live.settle().await?;
        let views = live.views.clone();
        live.saving = Some(tokio::spawn(async move { views.save(&changes).await }));
        Ok(())
    }

    /// Skips an event that cannot be read and records a dead letter; returns any other fault.
    async fn record_dead_letter(&mut self, fault: &StoreError) -> Result<(), StoreError> {
        let StoreError::Damaged { debate, lane: damaged, .. } = fault else { return Err(fault.clone()) };
        let (Some(live), Some(letter)) = (&mut self.live, NewDeadLetter::of(DEBATES, *debate, fault)) else {
            return Err(fault.clone());
        };
        if !live.follower.skip(fault) {
            return Err(fault.clone());
        }
        self.saved.remove(*debate);
        tracing::error!(%fault, "cannot read an event; the stored views of its debate keep the state before it");
        live.settle().await?;
        let positions = live.positions(|lane| lane == *damaged);
        live.views.save(&ViewChanges { positions, letters: vec![letter], ..ViewChanges::default() }).await
    }
}

impl Live {
    /// Waits for the save that is under way.
    async fn settle(&mut self) -> Result<(), StoreError> {
        match self.saving.take() {
            Some(saving) => saving.await.unwrap_or_else(unwrap_join_error),
            None => Ok(()),
        }
    }

    /// Returns the positions of the follower in the lanes that were read.
    fn positions(&self, is_read: impl Fn(i16) -> bool) -> Vec<LanePosition> {
        let at = |cursor: &Cursor| {
            let lane = |lane| LanePosition { generation: self.generation, lane, position: cursor.position(lane) };
            (0..LANES).filter(|lane| is_read(*lane)).map(lane).collect()
        };
        self.follower.cursor().map(at).unwrap_or_default()
    }
}

/// Returns the next events of the lanes, or the result of the save that is under way; never returns without either.
/// Cancel-safe.
async fn next(live: &mut Option<Live>) -> News {
    let Some(Live { follower, saving, .. }) = live else { return std::future::pending().await };
    let Some(save) = saving else { return News::Events(follower.next().await) };
    tokio::select! {
        saved = save => {
            *saving = None;
            News::Saved(saved.unwrap_or_else(unwrap_join_error))
        }
        events = follower.next() => News::Events(events),
    }
}
