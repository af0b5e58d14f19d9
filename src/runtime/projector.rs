//! Keeps every stored view up with the log.
//!
//! One projector works for all processes on a database, by a lock. It follows the log, folds the debates that moved, and
//! saves their rows and its own place in one transaction. Rows are made for questions across debates; a single debate is
//! folded from its stream when somebody asks for it.
//!
//! Rows belong to a generation. Where another is wanted (there is none, the code folds otherwise by now, somebody asked),
//! it is built beside the one being served, which is kept up all the while; when it has caught up, it takes over in one
//! transaction. The rows of the one before stay for a while, for whoever began to read them.
//!
//! An event that cannot be read stops its own debate and no other: it is noted as a dead letter, in the transaction that
//! goes beyond it, and tried again when somebody asks. A generation that would leave out more debates than the one that is
//! served does not take over unless somebody lets it.

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::events::event::Recorded;
use crate::runtime::boards::{Boards, ended, folded, judged};
use crate::runtime::builder::Builder;
use crate::runtime::next_step::{Step, next_step};
use crate::runtime::rows::NAMES;
use crate::store::debates::DEBATES;
use crate::store::fault::Fault;
use crate::store::follower::Follower;
use crate::store::generations::{Generation, GenerationState, Generations, Wanted};
use crate::store::lanes::Cursor;
use crate::store::letters::NewLetter;
use crate::store::log::Log;
use crate::store::projector_lock::ProjectorLock;
use crate::store::tail::Tail;
use crate::store::views::{Changes, Checkpoint, Views};
use crate::verdicts::board::REVISION;

/// How long rows are held back so that several events of a debate are saved once.
const GATHER: Duration = Duration::from_millis(100);
/// How long the projector waits before it tries for the lock again, and after a fault.
const PAUSE: Duration = Duration::from_secs(1);
/// How long until a generation that may not take over with what it leaves out is looked at again.
const RELUCTANCE: Duration = Duration::from_secs(3);
/// Debates that are named in a problem at most.
const NAMED: usize = 20;
/// How often is looked what is to become of generations.
const LOOK: Duration = Duration::from_millis(250);
/// How long the rows of a generation stay after another took over: longer than any request may take.
pub const GRACE: Duration = Duration::from_secs(60);

/// Whoever keeps the views up.
pub struct Projector {
    log: Log,
    tail: Tail,
    views: Views,
    generations: Generations,
    boards: Boards,
    live: Option<Live>,
    building: Option<Building>,
    dropping: JoinSet<Result<(), Fault>>,
    /// Not before then is building tried again.
    rests_until: Option<Instant>,
    /// Whether it builds only what somebody asked for.
    is_asked: bool,
}

/// The generation that is served, being kept up.
struct Live {
    generation: i32,
    follower: Follower,
}

/// A generation under way. It stops where it is when this is dropped.
struct Building {
    generation: Generation,
    work: JoinSet<Result<(), Fault>>,
}

impl Projector {
    /// A projector over a log.
    pub fn new(log: Log, tail: Tail, views: Views) -> Projector {
        let (generations, boards) = (views.generations(), Boards::new(log.clone()));
        let (live, building, dropping) = (None, None, JoinSet::new());
        let (rests_until, is_asked) = (None, false);
        Projector { log, tail, views, generations, boards, live, building, dropping, rests_until, is_asked }
    }

    /// Builds only what somebody asked for: that the code folds otherwise by now is no reason.
    pub fn when_asked(self) -> Projector {
        Projector { is_asked: true, ..self }
    }

    /// Projects until told to stop; waits while another process does.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            let outcome = tokio::select! {
                _ = stop.changed() => break,
                outcome = self.turn() => outcome,
            };
            if let Err(fault) = outcome {
                tracing::warn!(%fault, "the projector starts over");
            }
            self.rest().await;
            tokio::select! {
                _ = stop.changed() => break,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
        self.rest().await;
    }

    /// Lets go of everything.
    async fn rest(&mut self) {
        self.boards.clear();
        self.live = None;
        if let Some(mut building) = self.building.take() {
            building.work.shutdown().await;
        }
        self.dropping.shutdown().await;
    }

    /// Projects for as long as the lock is held; comes back at once where another process holds it, or should.
    async fn turn(&mut self) -> Result<(), Fault> {
        let Some(mut lock) = ProjectorLock::try_take(self.log.pool()).await? else { return Ok(()) };
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let news = tokio::select! {
                _ = looks.tick() => News::Look,
                events = next(&mut self.live) => News::Events(events),
                built = built(&mut self.building) => News::Built(built),
            };
            if !lock.is_held().await {
                return Ok(());
            }
            match news {
                News::Look => {}
                News::Events(Ok(events)) => {
                    self.project(events).await?;
                    continue;
                }
                News::Events(Err(fault)) => {
                    self.bury(&fault).await?;
                    continue;
                }
                News::Built(built) => self.built(built).await?,
            }
            if !self.look().await? {
                self.rest().await;
                lock.release().await;
                return Ok(());
            }
        }
    }

    /// Looks what is to become of generations, and sees to it; false where a newer program should.
    async fn look(&mut self) -> Result<bool, Fault> {
        self.generations.reject_unanswered().await?;
        loop {
            let standing = self.generations.standing().await?;
            match next_step(&standing, REVISION) {
                Step::Leave => return Ok(false),
                Step::Want(_) if self.is_asked => {
                    self.keep_up(None).await?;
                    self.build(None).await;
                    self.drop_due().await?;
                    return Ok(true);
                }
                Step::Want(reason) => {
                    let wanted =
                        Wanted { revision: REVISION, reason, workers: None, holds: false, allows_letters: false };
                    self.generations.want(wanted).await?;
                }
                Step::Reject(id) => {
                    const UNDER_WAY: [GenerationState; 4] = [
                        GenerationState::Wanted,
                        GenerationState::Building,
                        GenerationState::Held,
                        GenerationState::Approved,
                    ];
                    self.generations.turn(id, &UNDER_WAY, GenerationState::Rejected).await?;
                }
                Step::Work { keep, build } => {
                    self.keep_up(keep).await?;
                    self.retry().await?;
                    self.build(standing.into_iter().find(|it| Some(it.id) == build)).await;
                    self.drop_due().await?;
                    return Ok(true);
                }
            }
        }
    }

    async fn keep_up(&mut self, generation: Option<i32>) -> Result<(), Fault> {
        if self.live.as_ref().map(|it| it.generation) == generation {
            return Ok(());
        }
        self.boards.clear();
        self.live = None;
        if let Some(generation) = generation {
            let cursor = self.views.checkpoint(DEBATES, generation).await?.unwrap_or_default();
            self.live = Some(Live { generation, follower: Follower::of_log(&self.log, &self.tail, cursor) });
        }
        Ok(())
    }

    async fn build(&mut self, wanted: Option<Generation>) {
        if let Some(building) = &mut self.building
            && wanted.as_ref().map(|it| it.id) != Some(building.generation.id)
        {
            // Stopped before its rows are dropped.
            building.work.shutdown().await;
            self.building = None;
        }
        let rests = self.rests_until.is_some_and(|it| it > Instant::now());
        if let (None, Some(generation), false) = (&self.building, wanted, rests) {
            tracing::info!(generation = generation.id, reason = generation.reason.name(), "building the stored views");
            let mut work = JoinSet::new();
            work.spawn(Builder::new(self.log.clone(), self.views.clone(), &generation).build());
            self.building = Some(Building { generation, work });
        }
    }

    /// A generation has caught up, or come to nothing.
    async fn built(&mut self, built: Result<(), Fault>) -> Result<(), Fault> {
        let Some(Building { generation, .. }) = self.building.take() else { return Ok(()) };
        match built {
            Ok(()) => self.switch(&generation).await,
            Err(fault) => {
                tracing::warn!(generation = generation.id, %fault, "the stored views cannot be built, trying again");
                self.rests_until = Some(Instant::now() + PAUSE);
                self.generations.trouble(generation.id, &fault.to_string()).await
            }
        }
    }

    /// Lets a generation take over, if it still may. Nothing is projected meanwhile, so it is not behind what was served.
    async fn switch(&mut self, generation: &Generation) -> Result<(), Fault> {
        let cursor = Builder::new(self.log.clone(), self.views.clone(), generation).catch_up().await?;
        if !self.may_take_over(generation.id).await? {
            self.rests_until = Some(Instant::now() + RELUCTANCE);
            return Ok(());
        }
        if self.generations.serve(generation.id, &NAMES, &cursor).await? {
            tracing::info!(generation = generation.id, "the stored views are served from this generation");
        }
        Ok(())
    }

    /// Whether a generation leaves out no debate that is shown now, or was let to all the same; if not, its problem says which.
    async fn may_take_over(&self, id: i32) -> Result<bool, Fault> {
        let loss = self.generations.loss(id).await?;
        let generation = self.generations.one(id).await?;
        if loss.newly == 0 || generation.as_ref().is_some_and(|it| it.allows_letters) {
            return Ok(true);
        }
        let left_out = self.generations.left_out(id).await?;
        let mut named: Vec<String> = left_out.iter().filter(|it| it.newly).map(|it| it.debate.to_string()).collect();
        named.dedup();
        let more = if named.len() > NAMED { ", and others" } else { "" };
        named.truncate(NAMED);
        let problem = format!(
            "{} debates that are shown now would be left out, since events of theirs cannot be read: {}{more}. Mend them, \
             or let it take over all the same: faultline rebuild --allow-letters",
            loss.newly,
            named.join(", "),
        );
        if generation.and_then(|it| it.problem).as_ref() != Some(&problem) {
            tracing::error!(generation = id, %problem, "a generation of the stored views does not take over");
            self.generations.trouble(id, &problem).await?;
        }
        Ok(false)
    }

    async fn drop_due(&mut self) -> Result<(), Fault> {
        while let Some(dropped) = self.dropping.try_join_next() {
            dropped.unwrap_or_else(ended)?;
        }
        if self.dropping.is_empty()
            && let Some(due) = self.generations.due(GRACE).await?.first().copied()
        {
            let generations = self.generations.clone();
            self.dropping.spawn(async move { generations.drop_rows(due).await });
        }
        Ok(())
    }

    async fn project(&mut self, mut events: Vec<Recorded>) -> Result<(), Fault> {
        let Some(Live { generation, follower }) = &mut self.live else { return Ok(()) };
        // What comes in the meantime is saved in the same transaction.
        match tokio::time::timeout(GATHER, follower.next()).await {
            Ok(Ok(more)) => {
                events.extend(more);
                tokio::time::sleep(GATHER).await;
            }
            // It comes again, once what lies before it is saved.
            Ok(Err(Fault::Damaged { .. })) | Err(_) => {}
            Ok(Err(fault)) => return Err(fault),
        }
        let moved = self.boards.moved(&events).await?;
        let mut changes = judged(*generation, moved.boards).await?;
        changes.letters = moved.damaged.iter().filter_map(|(debate, it)| NewLetter::of(DEBATES, *debate, it)).collect();
        if let Some(cursor) = follower.cursor() {
            changes.checkpoints.push(Checkpoint { name: DEBATES, revision: *generation, cursor: cursor.clone() });
        }
        // A task of its own: what has begun to be saved is saved to its end, also when the projector is stopped.
        let views = self.views.clone();
        let saving = tokio::spawn(async move { views.save(&changes).await });
        saving.await.unwrap_or_else(ended)
    }

    /// Goes on behind an event that cannot be read, and notes that; any other fault comes back.
    async fn bury(&mut self, fault: &Fault) -> Result<(), Fault> {
        let Fault::Damaged { debate, .. } = fault else { return Err(fault.clone()) };
        let (Some(Live { generation, follower }), Some(letter)) =
            (&mut self.live, NewLetter::of(DEBATES, *debate, fault))
        else {
            return Err(fault.clone());
        };
        if !follower.step_over(fault) {
            return Err(fault.clone());
        }
        tracing::error!(%fault, "an event cannot be read; the stored views of its debate stay as they were before it");
        let place = |cursor: &Cursor| Checkpoint { name: DEBATES, revision: *generation, cursor: cursor.clone() };
        let checkpoints = follower.cursor().map(place).into_iter().collect();
        self.views.save(&Changes { checkpoints, letters: vec![letter], ..Changes::default() }).await
    }

    /// Tries debates again whose events could not be read, where somebody asked for it.
    async fn retry(&mut self) -> Result<(), Fault> {
        let Some(generation) = self.live.as_ref().map(|it| it.generation) else { return Ok(()) };
        while let Some(debate) = self.views.wanted_letter(DEBATES).await? {
            let changes = match folded(&self.log, debate, i64::MAX).await {
                Ok(board) => {
                    tracing::info!(%debate, "a debate can be read again");
                    Changes { raised: vec![(DEBATES, debate)], ..judged(generation, vec![(debate, board)]).await? }
                }
                Err(fault) => {
                    let letter = NewLetter::of(DEBATES, debate, &fault).ok_or(fault)?;
                    Changes { letters: vec![letter], ..Changes::default() }
                }
            };
            self.views.save(&changes).await?;
        }
        Ok(())
    }
}

/// What the projector waits for.
enum News {
    Look,
    Events(Result<Vec<Recorded>, Fault>),
    Built(Result<(), Fault>),
}

/// The next events of what is kept up; never, where nothing is. What is dropped unfinished loses nothing.
async fn next(live: &mut Option<Live>) -> Result<Vec<Recorded>, Fault> {
    match live {
        Some(it) => it.follower.next().await,
        None => std::future::pending().await,
    }
}

/// The end of what is being built; never, where nothing is.
async fn built(building: &mut Option<Building>) -> Result<(), Fault> {
    let Some(building) = building else { return std::future::pending().await };
    match building.work.join_next().await {
        Some(built) => built.unwrap_or_else(ended),
        None => std::future::pending().await,
    }
}
