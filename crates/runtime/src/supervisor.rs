//! Supervisor: runs every debate that no other process drives.
//!
//! It follows the events that open, pause and end debates, and records in the leases which debates are open. It claims those whose lease is free or has
//! expired, drives each, and renews the leases that it holds. Any number of processes do this on one database: a lease
//! has a fencing token, and the log refuses an append under an older one.
//!
//! A process may stall for longer than its leases last (a machine under load, a disk that stalls). It still holds the
//! debates that no other process claimed meanwhile, with all their calls in progress: it renews these leases and
//! continues without repeating a call. Debates that another process claimed are lost.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, gauge};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};
use uuid::Uuid;

use crate::runner::{RunEnd, RunFault, RunOutcome, RunnerContext, run};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_store::error::StoreError;
use faultline_store::follow::follower::Follower;
use faultline_store::generations::save::ViewChanges;
use faultline_store::leases::{ClaimedDebate, DriveRequest, DriveState, Fence, Leases};
use faultline_store::views::views::{Checkpoint, Views};

/// Name of the checkpoint that the supervisors of all processes share.
const CHECKPOINT: &str = "leases";
/// Revision of the checkpoint. Increment it when the rules of [`Supervisor::record_requests`] change.
const REVISION: i32 = 3;
/// Interval at which expired and released leases are looked for, since no event announces them.
const LOOK: Duration = Duration::from_millis(500);
/// Maximum number of remembered debates that are left to newer programs; beyond it, all are tried again.
const MAX_LEFT: usize = 10_000;
/// Pause after a transient fault of the database.
const PAUSE: Duration = Duration::from_millis(250);
/// Counter of leases that expired while they were held, by outcome.
const LAPSED: &str = "faultline_leases_lapsed_total";

/// Configuration of a supervisor.
#[derive(Clone, Copy, Debug)]
pub struct SupervisorConfig {
    /// Duration of a lease. The debates of a dead process are taken over within this time.
    pub lease: Duration,
    /// Maximum number of debates that one process drives at once.
    pub runners: usize,
}

/// Worker that claims and drives debates.
pub struct Supervisor {
    context: Arc<RunnerContext>,
    leases: Leases,
    views: Views,
    settings: SupervisorConfig,
    holder: Uuid,
    held: HashMap<DebateId, (Fence, AbortHandle)>,
    /// Time at which the held leases were last renewed.
    renewed: Instant,
    runs: JoinSet<(Fence, Result<RunOutcome, RunFault>)>,
    /// Providers of the debates that were opened while this supervisor ran.
    providers: HashMap<DebateId, String>,
    /// Debates that contain an event which only a newer program knows.
    left: HashSet<DebateId>,
}

impl Supervisor {
    /// Creates a supervisor that drives no debate yet.
    pub fn new(context: Arc<RunnerContext>, leases: Leases, views: Views, settings: SupervisorConfig) -> Supervisor {
        Supervisor {
            context,
            leases,
            views,
            settings,
            holder: Uuid::new_v4(),
            held: HashMap::new(),
            renewed: Instant::now(),
            runs: JoinSet::new(),
            providers: HashMap::new(),
            left: HashSet::new(),
        }
    }

    /// Supervises until told to stop, then releases every lease. Calls in progress are dropped: the next process to
    /// drive the debate sees the recorded requests and repeats the calls.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let (mut beat, mut look) = (every(self.settings.lease / 3), every(LOOK.min(self.settings.lease / 3)));
        let mut follower = self.follower(&mut stop).await;
        while !*stop.borrow() {
            let Some(followed) = &mut follower else { break };
            let outcome = tokio::select! {
                _ = stop.changed() => break,
                news = followed.next() => self.handle_events(news, followed).await,
                _ = beat.tick() => self.renew().await,
                _ = look.tick() => self.claim().await,
                Some(ended) = self.runs.join_next() => {
                    self.ended(ended).await;
                    self.claim().await
                }
            };
            gauge!("faultline_debates_driven").set(self.held.len() as f64);
            if let Err(fault) = outcome {
                tracing::warn!(%fault, "the supervisor is waiting for the database");
                tokio::time::sleep(PAUSE).await;
                // Events that were read and could not be recorded are read again.
                follower = self.follower(&mut stop).await;
            }
        }
        self.release_all().await;
    }

    /// Opens a follower at the supervisors' checkpoint; `None` if told to stop before that succeeds.
    async fn follower(&self, stop: &mut watch::Receiver<bool>) -> Option<Follower> {
        let mut is_reported = false;
        loop {
            match self.views.checkpoint(CHECKPOINT, REVISION).await {
                Ok(cursor) => {
                    let cursor = cursor.unwrap_or_default();
                    return Some(Follower::of_lifecycle(&self.context.log, &self.context.tail, cursor));
                }
                // Once for an outage, however often it is tried.
                Err(fault) if !std::mem::replace(&mut is_reported, true) => {
                    tracing::warn!(%fault, "cannot load the supervisor's checkpoint, retrying");
                }
                Err(_) => {}
            }
            tokio::select! {
                _ = stop.changed() => return None,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Records new events, and claims debates that now need a runner.
    async fn handle_events(
        &mut self,
        news: Result<Vec<Recorded>, StoreError>,
        follower: &mut Follower,
    ) -> Result<(), StoreError> {
        match news {
            Ok(events) => {
                if self.record_requests(&events, follower).await? {
                    self.claim().await
                } else {
                    Ok(())
                }
            }
            Err(fault) if follower.skip(&fault) => {
                // A debate with an unreadable event cannot be driven; the others continue.
                tracing::error!(%fault, "cannot read an event; its debate is not driven");
                Ok(())
            }
            Err(fault) => Err(fault),
        }
    }

    /// Records which debates need a runner, and then the position in the log. Returns whether any debate needs one that this
    /// process prefers; the others are left to their processes until the next look.
    async fn record_requests(&mut self, events: &[Recorded], follower: &Follower) -> Result<bool, StoreError> {
        let mut wants = Vec::new();
        for recorded in events {
            let state = match &recorded.event {
                Event::DebateOpened(opened) => {
                    self.providers.insert(recorded.debate, opened.provider.clone());
                    DriveState::Open
                }
                Event::DebateForked(forked) => {
                    self.providers.insert(recorded.debate, forked.opened.provider.clone());
                    DriveState::Open
                }
                Event::AuditRequested(requested) => {
                    self.providers.insert(recorded.debate, requested.provider.clone());
                    DriveState::Open
                }
                Event::ProbesRequested(requested) => {
                    self.providers.insert(recorded.debate, requested.provider.clone());
                    DriveState::Open
                }
                Event::DebateResumed(_) => DriveState::Open,
                Event::DebatePaused(_) => DriveState::Paused,
                event if event.is_last() => DriveState::Closed,
                _ => continue,
            };
            let (debate, version) = (recorded.debate, recorded.version);
            let provider = self.provider_of(debate).await?;
            if state == DriveState::Closed {
                self.providers.remove(&debate);
            }
            wants.push(DriveRequest { debate, version, state, provider });
        }
        if wants.is_empty() {
            return Ok(false);
        }
        self.leases.record_requests(&wants).await?;
        if let Some(cursor) = follower.cursor() {
            let checkpoint = Checkpoint { name: CHECKPOINT, revision: REVISION, cursor: cursor.clone() };
            self.views.save(&ViewChanges { checkpoints: vec![checkpoint], ..ViewChanges::default() }).await?;
        }
        let log = &self.context.log;
        Ok(wants.iter().any(|want| want.state == DriveState::Open && log.prefers(want.debate)))
    }

    /// Returns the provider of a debate: remembered from its opening event, or read from the log.
    async fn provider_of(&mut self, debate: DebateId) -> Result<String, StoreError> {
        if let Some(provider) = self.providers.get(&debate) {
            return Ok(provider.clone());
        }
        let beginning = self.context.log.first_own_event(debate).await?;
        Ok(beginning
            .as_ref()
            .and_then(|recorded| recorded.event.opening())
            .map(|opened| opened.provider.clone())
            .unwrap_or_default())
    }

    async fn claim(&mut self) -> Result<(), StoreError> {
        if self.renewed.elapsed() >= self.settings.lease {
            // After a stall, leases that are held are renewed before new ones are claimed, because others may claim
            // them by now.
            self.renew().await?;
        }
        let free = self.settings.runners.saturating_sub(self.held.len());
        if free == 0 {
            return Ok(());
        }
        let providers = self.context.executor.providers();
        // A debate that is driven here is never claimed again, even if its lease expired: that would drop the calls in
        // progress.
        let except: Vec<DebateId> = self.left.iter().chain(self.held.keys()).copied().collect();
        let claimed =
            self.leases.claim(self.holder, self.settings.lease, free as i64, Some(&providers), &except).await?;
        for ClaimedDebate { fence, previous_holder } in claimed {
            self.report_lapse(fence, previous_holder);
            let context = self.context.clone();
            let task = self.runs.spawn(async move { (fence, run(context, fence).await) });
            tracing::debug!(debate = %fence.debate, token = fence.token, "driving");
            if let Some((_, older)) = self.held.insert(fence.debate, (fence, task)) {
                older.abort();
            }
        }
        Ok(())
    }

    /// Reports a debate whose former holder let its lease expire.
    fn report_lapse(&self, fence: Fence, previous_holder: Option<Uuid>) {
        let (Some(former), Fence { debate, token }) = (previous_holder, fence) else { return };
        if former == self.holder {
            tracing::warn!(%debate, token, "claimed a debate again after its lease of this process had expired");
            counter!(LAPSED, "outcome" => "claimed again").increment(1);
        } else {
            tracing::info!(%debate, token, %former, "took over a debate whose lease of another process had expired");
            counter!(LAPSED, "outcome" => "taken over").increment(1);
        }
    }

    async fn renew(&mut self) -> Result<(), StoreError> {
        let held: Vec<DebateId> = self.held.keys().copied().collect();
        if held.is_empty() {
            self.renewed = Instant::now();
            return Ok(());
        }
        let asked = Instant::now();
        let kept = self.leases.renew(self.holder, self.settings.lease, &held).await?;
        self.renewed = asked;
        if !kept.lapsed.is_empty() {
            let (debates, lease) = (kept.lapsed.len(), self.settings.lease.as_secs());
            tracing::warn!(
                debates,
                "this process stalled for longer than its leases of {lease} s; no other process claimed these debates, \
                 and they continue with their calls in progress"
            );
            counter!(LAPSED, "outcome" => "kept").increment(debates as u64);
        }
        let still: HashSet<DebateId> = kept.held.into_iter().collect();
        for debate in held {
            if !still.contains(&debate)
                && let Some((_, task)) = self.held.remove(&debate)
            {
                tracing::warn!(%debate, "the lease was lost to another process; no longer driving the debate");
                counter!(LAPSED, "outcome" => "lost").increment(1);
                task.abort();
            }
        }
        Ok(())
    }

    async fn ended(&mut self, ended: Result<(Fence, Result<RunOutcome, RunFault>), JoinError>) {
        let (fence, ended) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                // Aborted on purpose, or panicked. After a panic the lease is left to expire, as after any fault.
                if error.is_panic() {
                    tracing::error!(%error, "a run panicked");
                }
                self.held.retain(|_, (_, task)| task.id() != error.id());
                return;
            }
        };
        if self.held.get(&fence.debate).is_some_and(|(held, _)| *held == fence) {
            self.held.remove(&fence.debate);
        }
        match ended {
            Ok(RunOutcome { end: RunEnd::Done, version, provider }) => {
                self.release_lease(fence, version, DriveState::Closed, provider).await
            }
            Ok(RunOutcome { end: RunEnd::Rested, version, provider }) => {
                self.release_lease(fence, version, DriveState::Paused, provider).await
            }
            Ok(RunOutcome { end: RunEnd::Fenced, .. }) => {}
            Err(fault @ RunFault::Unknown { .. }) => {
                tracing::warn!(%fault, "leaving a debate to a newer version");
                if self.left.len() >= MAX_LEFT {
                    self.left.clear();
                }
                self.left.insert(fence.debate);
                if let Err(fault) = self.leases.release(fence).await {
                    tracing::warn!(debate = %fence.debate, %fault, "cannot release a lease; it will expire");
                }
            }
            // The lease is left to expire, which delays the next attempt by its duration.
            Err(fault) => tracing::error!(debate = %fence.debate, %fault, "a run failed"),
        }
    }

    /// Releases a lease. The debate's state is recorded first, so that no process claims the debate before it has read
    /// the state from the log.
    async fn release_lease(&self, fence: Fence, version: i64, state: DriveState, provider: String) {
        let noted =
            self.leases.record_requests(&[DriveRequest { debate: fence.debate, version, state, provider }]).await;
        let released = match noted {
            Ok(()) => self.leases.release(fence).await.map(drop),
            failed => failed,
        };
        if let Err(fault) = released {
            tracing::warn!(debate = %fence.debate, %fault, "cannot release a lease; it will expire");
        }
    }

    async fn release_all(mut self) {
        self.runs.abort_all();
        while self.runs.join_next().await.is_some() {}
        if let Err(fault) = self.leases.release_all(self.holder).await {
            tracing::warn!(%fault, "cannot release the leases; they will expire");
        }
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = interval(period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
