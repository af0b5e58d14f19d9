//! Builds a member's lanes of a generation from the whole log.
//!
//! The first phase goes debate by debate: several workers read each lane's streams one after another, and write a
//! debate's rows once, when it has been read to its end. The second phase goes event by event, from each lane's head at
//! the start of the first. Progress is saved with the rows, so whoever holds a lane next continues where it was. Memory is
//! bounded by a page and one debate per worker.
//!
//! An event that cannot be read affects only its own debate, as in the projector: the debate's rows keep the state
//! before it, and the generation gets a dead letter.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use tokio::sync::watch;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::projector_worker::{LOOK, WakeUp, pause_after};
use crate::read_model_cache::{ReadModelCache, build_rows, fold_readable, fold_stream, unwrap_join_error};
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::{DebateReadModel, REVISION};
use faultline_service::views::view_rows::project;
use faultline_store::error::StoreError;
use faultline_store::generations::generation_progress::{LanePosition, LaneProgress, cursor};
use faultline_store::generations::generations::{Generation, GenerationState, Generations};
use faultline_store::generations::save::ViewChanges;
use faultline_store::lanes::{Cursor, Heads, LANES, LaneSet};
use faultline_store::log::lane_scan::ReadEvent;
use faultline_store::log::log::Log;
use faultline_store::projector::lane_leases::HeldLanes;
use faultline_store::projector::projector_member::Assignment;
use faultline_store::projector::save_fence::SaveFence;
use faultline_store::views::dead_letters::{LetterOwner, NewDeadLetter};
use faultline_store::views::views::DEBATES;
use faultline_store::views::views::Views;

/// Number of events read at once.
const PAGE: i64 = 4_000;

/// Worker that builds the lanes of its process.
pub struct LaneBuilder {
    log: Log,
    views: Views,
    assignment: watch::Receiver<Assignment>,
    wake_up: WakeUp,
}

/// A generation being built. The build stops when this is dropped.
struct Building {
    generation: i32,
    lanes: HeldLanes,
    work: JoinSet<Result<(), StoreError>>,
}

/// Builder of some lanes of one generation.
#[derive(Clone)]
pub struct Builder {
    log: Log,
    views: Views,
    generations: Generations,
    generation: i32,
    workers: Option<i32>,
    lanes: LaneSet,
}

/// A debate that has been read in part.
struct Part {
    debate: DebateId,
    read_model: DebateReadModel,
    n_events: i64,
    /// Fault because of which it cannot be read any further.
    damage: Option<StoreError>,
}

/// A page of a lane's streams, with the state before it.
struct Page {
    place: LaneProgress,
    part: Option<Part>,
    /// Read models of the parts that forks share with their origins, with the faults that cut them short.
    shared: HashMap<DebateId, (DebateReadModel, Option<StoreError>)>,
    events: Vec<ReadEvent>,
    is_last: bool,
}

impl LaneBuilder {
    /// Creates a worker for the lanes of this assignment.
    pub fn new(log: Log, views: Views, assignment: watch::Receiver<Assignment>, wake_up: WakeUp) -> LaneBuilder {
        LaneBuilder { log, views, assignment, wake_up }
    }

    /// Builds every generation of this program's revision that is under way, without end.
    pub async fn run(mut self) {
        loop {
            if let Err(fault) = self.turn().await {
                pause_after(fault, "building the stored views").await;
            }
        }
    }

    /// Waits for a generation to build, and builds it for as long as it is under way and the same lanes are held.
    async fn turn(&mut self) -> Result<(), StoreError> {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut building: Option<Building> = None;
        loop {
            tokio::select! {
                _ = looks.tick() => {}
                () = self.wake_up.received() => {}
                ended = ended(&mut building) => return ended,
            }
            let lanes = self.assignment.borrow().lanes.clone();
            let existing = self.views.generations().existing().await?;
            let is_built = |it: &&Generation| {
                use GenerationState::{Approved, Building, Held};
                it.revision == REVISION && matches!(it.state, Building | Held | Approved) && !lanes.is_empty()
            };
            let Some(generation) = existing.iter().find(is_built) else {
                building = None;
                continue;
            };
            if building.as_ref().is_none_or(|it| it.generation != generation.id || it.lanes != lanes) {
                let views = self.views.fenced(SaveFence::Lanes(lanes.clone()));
                let builder = Builder::new(self.log.clone(), views, generation).of_lanes(lanes.set());
                // Of lanes that were held before, the work continues from what was saved.
                let mut work = JoinSet::new();
                work.spawn(builder.keep_building(self.wake_up.clone()));
                building = Some(Building { generation: generation.id, lanes, work });
            }
        }
    }
}

/// Returns the result of a build, which ends only by a fault; never returns without one.
async fn ended(building: &mut Option<Building>) -> Result<(), StoreError> {
    let Some(Building { work, .. }) = building else { return std::future::pending().await };
    match work.join_next().await {
        Some(ended) => ended.unwrap_or_else(unwrap_join_error),
        None => std::future::pending().await,
    }
}

impl Builder {
    /// Creates a builder of all lanes of this generation.
    pub fn new(log: Log, views: Views, generation: &Generation) -> Builder {
        let (generations, lanes) = (views.generations(), LaneSet::ALL);
        Builder { log, views, generations, generation: generation.id, workers: generation.workers, lanes }
    }

    /// Restricts the builder to these lanes.
    pub fn of_lanes(self, lanes: LaneSet) -> Builder {
        Builder { lanes, ..self }
    }

    /// Builds the lanes of a generation that has begun, up to everything recorded so far.
    ///
    /// # Errors
    /// [`StoreError::LaneGap`] or [`StoreError::StreamGap`] if the log has a gap; [`StoreError::Superseded`] if another
    /// member holds one of the lanes; any other [`StoreError`] if the database cannot be reached or refuses a statement.
    pub async fn build(&self) -> Result<(), StoreError> {
        self.go_through().await?;
        self.catch_up().await
    }

    /// Builds the lanes and keeps them up to date until a fault, which is recorded as the problem of the generation
    /// unless another member has taken over.
    async fn keep_building(self, wake_up: WakeUp) -> Result<(), StoreError> {
        let work = async || -> Result<(), StoreError> {
            self.go_through().await?;
            let mut read_models = ReadModelCache::new(self.log.clone());
            self.follow(&mut read_models).await?;
            wake_up.send();
            loop {
                sleep(LOOK).await;
                self.follow(&mut read_models).await?;
            }
        };
        let Err(fault) = work().await else { return Ok(()) };
        if !matches!(fault, StoreError::Superseded) {
            self.generations.record_problem(self.generation, &fault.to_string()).await?;
        }
        Err(fault)
    }

    /// Brings the lanes up to date with everything recorded before the call.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub async fn catch_up(&self) -> Result<(), StoreError> {
        self.follow(&mut ReadModelCache::new(self.log.clone())).await
    }

    /// Follows the log from the positions of the lanes to the heads at the time of the call.
    async fn follow(&self, read_models: &mut ReadModelCache) -> Result<(), StoreError> {
        let heads = self.lanes.mask(&self.log.heads().await?);
        let mut at = cursor(&self.own_lanes().await?);
        while at.lag(&heads) > 0 {
            let (events, reached, damage) = self.next(&at, &heads).await?;
            let changed = read_models.apply(&events).await?;
            let mut changes = build_rows(self.generation, changed.read_models).await?;
            let damage = damage.map(|(debate, fault)| self.letter(debate, &fault));
            let damaged = changed.damaged.iter().map(|(debate, fault)| self.letter(*debate, fault));
            changes.letters = damaged.chain(damage).flatten().collect();
            let moved = (0..LANES).filter(|lane| at.position(*lane) != reached.position(*lane));
            changes.positions = moved
                .map(|lane| LanePosition { generation: self.generation, lane, position: reached.position(lane) })
                .collect();
            self.views.save(&changes).await?;
            at = reached;
        }
        Ok(())
    }

    /// Returns the progress of these lanes.
    async fn own_lanes(&self) -> Result<Vec<LaneProgress>, StoreError> {
        let mut lanes = self.generations.lanes(self.generation).await?;
        lanes.retain(|progress| self.lanes.contains(progress.lane));
        Ok(lanes)
    }

    /// Reads the next events up to these heads. Returns them, the position behind them, and the debate and the fault of
    /// an unreadable event that was skipped behind them.
    async fn next(
        &self,
        at: &Cursor,
        heads: &Heads,
    ) -> Result<(Vec<Recorded>, Cursor, Option<(DebateId, StoreError)>), StoreError> {
        let (mut upto, mut damage) = (*heads, None::<(i16, i64, DebateId, StoreError)>);
        loop {
            match self.log.read_to(at, &upto, PAGE).await {
                Ok((events, mut reached)) => {
                    // Of several unreadable events only this one is skipped; the others are met again.
                    let passed = damage.filter(|(lane, position, ..)| reached.position(*lane) + 1 == *position);
                    if let Some((lane, position, ..)) = &passed {
                        reached.set(*lane, *position);
                    }
                    return Ok((events, reached, passed.map(|(_, _, debate, fault)| (debate, fault))));
                }
                Err(fault) => match fault {
                    StoreError::Damaged { lane, position, debate, .. } => {
                        upto[lane as usize] = position - 1;
                        damage = Some((lane, position, debate, fault));
                    }
                    fault => return Err(fault),
                },
            }
        }
    }

    fn letter(&self, debate: DebateId, fault: &StoreError) -> Option<NewDeadLetter> {
        NewDeadLetter::of(DEBATES, debate, fault).map(|letter| letter.for_generation(self.generation))
    }

    /// Retries debates that could not be read, in case they have been repaired.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub async fn try_again(&self) -> Result<(), StoreError> {
        let mut debates: Vec<DebateId> =
            self.generations.skipped_events(self.generation).await?.iter().map(|skipped| skipped.debate).collect();
        debates.sort_unstable();
        debates.dedup();
        for debate in debates {
            let changes = match fold_stream(&self.log, debate, i64::MAX).await {
                Ok(read_model) => {
                    let build_rows = build_rows(self.generation, vec![(debate, Arc::new(read_model))]).await?;
                    ViewChanges { resolved: vec![(LetterOwner::Generation(self.generation), debate)], ..build_rows }
                }
                Err(StoreError::Damaged { .. }) => continue,
                Err(fault) => return Err(fault),
            };
            self.views.save(&changes).await?;
        }
        Ok(())
    }

    /// Reads all debates, several lanes at once.
    async fn go_through(&self) -> Result<(), StoreError> {
        let mut lanes = self.own_lanes().await?;
        lanes.retain(|lane| !lane.is_through);
        // The longest lanes first, so that none is left over when the others are done.
        lanes.sort_by_key(|lane| std::cmp::Reverse(lane.position));
        let queue = Arc::new(Mutex::new(VecDeque::from(lanes)));
        let mut workers = JoinSet::new();
        for _ in 0..self.n_workers() {
            let (own, queue) = (self.clone(), Arc::clone(&queue));
            workers.spawn(async move {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    match next {
                        Some(place) => own.lane(place).await?,
                        None => return Ok(()),
                    }
                }
            });
        }
        while let Some(worked) = workers.join_next().await {
            worked.unwrap_or_else(unwrap_join_error)?;
        }
        Ok(())
    }

    fn n_workers(&self) -> usize {
        let asked = self.workers.and_then(|count| usize::try_from(count).ok());
        let wanted = asked.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
        wanted.clamp(1, LANES as usize)
    }

    async fn lane(&self, mut place: LaneProgress) -> Result<(), StoreError> {
        let mut after = place.debate.map(|debate| (debate, i64::MAX));
        let mut part: Option<Part> = None;
        while !place.is_through {
            let events = self.log.scan_lane(place.lane, after, PAGE).await?;
            let is_last = (events.len() as i64) < PAGE;
            after = events.last().map(place_of).or(after);
            let shared = self.shared(&events, part.as_ref()).await?;
            let page = Page { place, part, shared, events, is_last };
            let (changes, reached, rest) =
                spawn_blocking(move || fold(page)).await.unwrap_or_else(unwrap_join_error)?;
            self.views.save(&changes).await?;
            (place, part) = (reached, rest);
        }
        Ok(())
    }

    /// Returns the read models of the parts that the forks beginning on this page share with their origins.
    async fn shared(
        &self,
        events: &[ReadEvent],
        part: Option<&Part>,
    ) -> Result<HashMap<DebateId, (DebateReadModel, Option<StoreError>)>, StoreError> {
        let mut known = part.map(|part| part.debate);
        let mut shared = HashMap::new();
        for (debate, version) in events.iter().map(place_of) {
            if known.replace(debate) != Some(debate) && version > 1 {
                shared.insert(debate, fold_readable(&self.log, debate, version - 1).await?);
            }
        }
        Ok(shared)
    }
}

/// Returns the debate and the version of an event, whether or not it can be read.
fn place_of(read: &ReadEvent) -> (DebateId, i64) {
    match read {
        Ok(it) => (it.debate, it.version),
        Err(it) => (it.debate, it.version),
    }
}

/// Returns the rows of the debates that end on this page, the position behind them, and the debate that continues.
fn fold(page: Page) -> Result<(ViewChanges, LaneProgress, Option<Part>), StoreError> {
    let Page { mut place, mut part, mut shared, events, is_last } = page;
    let mut changes = ViewChanges::default();
    let mut finish = |part: Part| {
        place.debate = Some(part.debate);
        place.n_debates += 1;
        place.n_events += part.n_events;
        let letter = part.damage.as_ref().and_then(|fault| NewDeadLetter::of(DEBATES, part.debate, fault));
        changes.letters.extend(letter.map(|letter| letter.for_generation(place.generation)));
        project(&mut changes, place.generation, part.debate, &part.read_model)
    };
    for read in &events {
        let (debate, _) = place_of(read);
        if part.as_ref().is_none_or(|part| part.debate != debate)
            && let Some(whole) = part.take()
        {
            finish(whole)?;
        }
        let part = part.get_or_insert_with(|| {
            let (read_model, damage) = shared.remove(&debate).unwrap_or_default();
            Part { debate, read_model, n_events: 0, damage }
        });
        part.n_events += 1;
        match read {
            // The debate's rows keep the state before the unreadable event.
            _ if part.damage.is_some() => {}
            Err(it) => part.damage = Some(it.fault.clone()),
            // The shared part may have been folded beyond the fork's beginning; skip events it already includes.
            Ok(recorded) if recorded.version > part.read_model.summary.version => part.read_model.apply(recorded),
            Ok(_) => {}
        }
    }
    if is_last {
        part.take().map_or(Ok(()), finish)?;
        place.is_through = true;
    }
    changes.lanes.push(place);
    Ok((changes, place, part))
}
