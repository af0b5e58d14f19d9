//! A runner for every debate that nobody drives.
//!
//! The supervisor follows the log and notes in the leases which debates are open; it claims those whose lease is free or
//! has run out, drives each, and renews what it holds. Any number of processes do this on one database: a lease has a
//! fencing token, and the log refuses an append under an older one.
//!
//! A process may stand still for longer than its leases hold (a machine under load, a disk that stalls). What nobody else
//! claimed meanwhile it still holds, with all that is under way in it: it renews these leases and goes on, and asks nothing
//! twice. What somebody else claimed is lost.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, gauge};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};
use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::ids::DebateId;
use crate::runtime::runner::{End, Ended, RunFault, Works, run};
use crate::store::fault::Fault;
use crate::store::follower::Follower;
use crate::store::leases::{Claim, Fence, Leases, State, Want};
use crate::store::views::{Changes, Checkpoint, Views};

/// The checkpoint under which the supervisors of all processes keep their common place in the log.
const CHECKPOINT: &str = "leases";
/// Raise it when [`Supervisor::note`] changes its mind.
const REVISION: i32 = 1;
/// How often it is looked for leases that ran out or were given back, which nobody announces.
const LOOK: Duration = Duration::from_millis(500);
/// Debates left to newer programs that are remembered at most; beyond that, all are tried once more.
const LEFT: usize = 10_000;
/// How long a supervisor waits after a fault of the database that may pass.
const PAUSE: Duration = Duration::from_millis(250);
/// Leases that ran out while somebody held them, by what became of them.
const LAPSED: &str = "faultline_leases_lapsed_total";

/// How debates are supervised.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// How long a lease holds without being renewed. A dead process's debates are taken over within this time.
    pub lease: Duration,
    /// How many debates one process drives at once.
    pub runners: usize,
}

/// Whoever finds and drives debates.
pub struct Supervisor {
    works: Arc<Works>,
    leases: Leases,
    views: Views,
    terms: Terms,
    holder: Uuid,
    held: HashMap<DebateId, (Fence, AbortHandle)>,
    /// When the leases of what is held were last renewed.
    renewed: Instant,
    runs: JoinSet<(Fence, Result<Ended, RunFault>)>,
    /// Who answers in the debates that were opened while this supervisor looked on.
    providers: HashMap<DebateId, String>,
    /// Debates in which something happened that only a newer program knows.
    left: HashSet<DebateId>,
}

impl Supervisor {
    /// A supervisor with no debate yet.
    pub fn new(works: Arc<Works>, leases: Leases, views: Views, terms: Terms) -> Supervisor {
        Supervisor {
            works,
            leases,
            views,
            terms,
            holder: Uuid::new_v4(),
            held: HashMap::new(),
            renewed: Instant::now(),
            runs: JoinSet::new(),
            providers: HashMap::new(),
            left: HashSet::new(),
        }
    }

    /// Supervises until told to stop; then gives every lease back. Calls under way are dropped: whoever drives the
    /// debate next sees that they were asked, and asks again.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let (mut beat, mut look) = (every(self.terms.lease / 3), every(LOOK.min(self.terms.lease / 3)));
        let mut follower = self.follower(&mut stop).await;
        while !*stop.borrow() {
            let Some(followed) = &mut follower else { break };
            let outcome = tokio::select! {
                _ = stop.changed() => break,
                news = followed.next() => self.hear(news, followed).await,
                _ = beat.tick() => self.renew().await,
                _ = look.tick() => self.claim().await,
                Some(ended) = self.runs.join_next() => {
                    self.ended(ended).await;
                    self.claim().await
                }
            };
            gauge!("faultline_debates_driven").set(self.held.len() as f64);
            if let Err(fault) = outcome {
                tracing::warn!(%fault, "supervising waits for the database");
                tokio::time::sleep(PAUSE).await;
                // What was read and could not be noted is read again.
                follower = self.follower(&mut stop).await;
            }
        }
        self.give_back().await;
    }

    /// A follower from where supervisors left off; `None` when told to stop before it could be had.
    async fn follower(&self, stop: &mut watch::Receiver<bool>) -> Option<Follower> {
        loop {
            match self.views.checkpoint(CHECKPOINT, REVISION).await {
                Ok(cursor) => {
                    let cursor = cursor.unwrap_or_default();
                    return Some(Follower::of_log(&self.works.log, &self.works.tail, cursor));
                }
                Err(fault) => tracing::warn!(%fault, "the supervisor cannot find its place yet"),
            }
            tokio::select! {
                _ = stop.changed() => return None,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Takes note of what was recorded, and claims what may now be wanted.
    async fn hear(&mut self, news: Result<Vec<Recorded>, Fault>, follower: &mut Follower) -> Result<(), Fault> {
        match news {
            Ok(events) => {
                if self.take_note(&events, follower).await? {
                    self.claim().await
                } else {
                    Ok(())
                }
            }
            Err(fault) if follower.step_over(&fault) => {
                // Its debate cannot be folded, so nobody drives it; the others go on.
                tracing::error!(%fault, "an event cannot be read; its debate is not driven");
                Ok(())
            }
            Err(fault) => Err(fault),
        }
    }

    /// Notes what the debates want of runners, and only then how far the log was read; answers whether any wants one.
    async fn take_note(&mut self, events: &[Recorded], follower: &Follower) -> Result<bool, Fault> {
        let mut wants = Vec::new();
        for recorded in events {
            let state = match &recorded.event {
                Event::DebateOpened(opened) => {
                    self.providers.insert(recorded.debate, opened.provider.clone());
                    State::Open
                }
                Event::DebateForked(forked) => {
                    self.providers.insert(recorded.debate, forked.opened.provider.clone());
                    State::Open
                }
                Event::DebateResumed(_) => State::Open,
                Event::DebatePaused(_) => State::Resting,
                Event::DebateConcluded(_) | Event::DebateAborted(_) => State::Closed,
                _ => continue,
            };
            let (debate, version) = (recorded.debate, recorded.version);
            let provider = self.provider_of(debate).await?;
            if state == State::Closed {
                self.providers.remove(&debate);
            }
            wants.push(Want { debate, version, state, provider });
        }
        if wants.is_empty() {
            return Ok(false);
        }
        self.leases.note(&wants).await?;
        if let Some(cursor) = follower.cursor() {
            let checkpoint = Checkpoint { name: CHECKPOINT, revision: REVISION, cursor: cursor.clone() };
            self.views.save(&Changes { checkpoints: vec![checkpoint], ..Changes::default() }).await?;
        }
        Ok(wants.iter().any(|it| it.state == State::Open))
    }

    /// Who answers in a debate: remembered from its opening event, or read from there.
    async fn provider_of(&mut self, debate: DebateId) -> Result<String, Fault> {
        if let Some(provider) = self.providers.get(&debate) {
            return Ok(provider.clone());
        }
        let beginning = self.works.log.beginning(debate).await?;
        Ok(beginning.as_ref().and_then(|it| it.event.opening()).map(|it| it.provider.clone()).unwrap_or_default())
    }

    async fn claim(&mut self) -> Result<(), Fault> {
        if self.renewed.elapsed() >= self.terms.lease {
            // Stood still: what is held comes before what is new, for others may claim it by now.
            self.renew().await?;
        }
        let free = self.terms.runners.saturating_sub(self.held.len());
        if free == 0 {
            return Ok(());
        }
        let providers = self.works.performer.providers();
        // What is driven here is never claimed again, whatever its lease says: that would drop the answers under way.
        let except: Vec<DebateId> = self.left.iter().chain(self.held.keys()).copied().collect();
        let claimed = self.leases.claim(self.holder, self.terms.lease, free as i64, Some(&providers), &except).await?;
        for Claim { fence, former } in claimed {
            self.tell_of_lapse(fence, former);
            let works = self.works.clone();
            let task = self.runs.spawn(async move { (fence, run(works, fence).await) });
            tracing::debug!(debate = %fence.debate, token = fence.token, "driving");
            if let Some((_, older)) = self.held.insert(fence.debate, (fence, task)) {
                older.abort();
            }
        }
        Ok(())
    }

    /// A debate that was claimed from one who let its lease run out.
    fn tell_of_lapse(&self, fence: Fence, former: Option<Uuid>) {
        let (Some(former), Fence { debate, token }) = (former, fence) else { return };
        if former == self.holder {
            tracing::warn!(%debate, token, "claiming a debate again whose lease this process let run out");
            counter!(LAPSED, "outcome" => "claimed again").increment(1);
        } else {
            tracing::info!(%debate, token, %former, "taking a debate over whose lease another process let run out");
            counter!(LAPSED, "outcome" => "taken over").increment(1);
        }
    }

    async fn renew(&mut self) -> Result<(), Fault> {
        let held: Vec<DebateId> = self.held.keys().copied().collect();
        if held.is_empty() {
            self.renewed = Instant::now();
            return Ok(());
        }
        let asked = Instant::now();
        let kept = self.leases.renew(self.holder, self.terms.lease, &held).await?;
        self.renewed = asked;
        if !kept.lapsed.is_empty() {
            let (debates, lease) = (kept.lapsed.len(), self.terms.lease.as_secs());
            tracing::warn!(
                debates,
                "this process stood still for longer than its leases of {lease} s hold; nobody has claimed these debates, \
                 and they go on with what was asked in them"
            );
            counter!(LAPSED, "outcome" => "kept").increment(debates as u64);
        }
        let still: HashSet<DebateId> = kept.held.into_iter().collect();
        for debate in held {
            if !still.contains(&debate)
                && let Some((_, task)) = self.held.remove(&debate)
            {
                tracing::warn!(%debate, "the lease was lost; letting go");
                counter!(LAPSED, "outcome" => "lost").increment(1);
                task.abort();
            }
        }
        Ok(())
    }

    async fn ended(&mut self, ended: Result<(Fence, Result<Ended, RunFault>), JoinError>) {
        let (fence, ended) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                // Taken down on purpose; or a panic, whose lease is left to run out, as after any fault.
                if error.is_panic() {
                    tracing::error!(%error, "a run broke down");
                }
                self.held.retain(|_, (_, task)| task.id() != error.id());
                return;
            }
        };
        if self.held.get(&fence.debate).is_some_and(|(held, _)| *held == fence) {
            self.held.remove(&fence.debate);
        }
        match ended {
            Ok(Ended { end: End::Done, version, provider }) => {
                self.let_go(fence, version, State::Closed, provider).await
            }
            Ok(Ended { end: End::Rested, version, provider }) => {
                self.let_go(fence, version, State::Resting, provider).await
            }
            Ok(Ended { end: End::Fenced, .. }) => {}
            Err(fault @ RunFault::Unknown { .. }) => {
                tracing::warn!(%fault, "leaving a debate to whoever knows");
                if self.left.len() >= LEFT {
                    self.left.clear();
                }
                self.left.insert(fence.debate);
                if let Err(fault) = self.leases.release(fence).await {
                    tracing::warn!(debate = %fence.debate, %fault, "a lease could not be released; it will run out");
                }
            }
            // The lease is left to run out: the next try waits that long.
            Err(fault) => tracing::error!(debate = %fence.debate, %fault, "a run broke off"),
        }
    }

    /// Releases a lease. The log says what the debate wants now; noted here too, nobody claims it before that is heard.
    async fn let_go(&self, fence: Fence, version: i64, state: State, provider: String) {
        let noted = self.leases.note(&[Want { debate: fence.debate, version, state, provider }]).await;
        let released = match noted {
            Ok(()) => self.leases.release(fence).await.map(drop),
            failed => failed,
        };
        if let Err(fault) = released {
            tracing::warn!(debate = %fence.debate, %fault, "a lease could not be released; it will run out");
        }
    }

    async fn give_back(mut self) {
        self.runs.abort_all();
        while self.runs.join_next().await.is_some() {}
        if let Err(fault) = self.leases.release_all(self.holder).await {
            tracing::warn!(%fault, "the leases could not be given back; they will run out");
        }
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = interval(period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
