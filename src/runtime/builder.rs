//! Makes a generation of rows from the whole log.
//!
//! First debate by debate: each lane's streams are read one after another, by several at once, and a debate's rows are
//! written once, when it has been read to its end. Then event by event, from where the lane's head stood when that began.
//! The place is saved with the rows, so after a crash it goes on where it was; memory is bounded by a page and one debate
//! a worker.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::task::{JoinSet, spawn_blocking};

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::runtime::boards::{Boards, ended, folded, judged};
use crate::runtime::rows::add_rows;
use crate::store::fault::Fault;
use crate::store::generation_lanes::{LanePlace, cursor};
use crate::store::generations::{Generation, GenerationState, Generations};
use crate::store::lanes::{Cursor, Heads, LANES};
use crate::store::log::Log;
use crate::store::views::{Changes, Views};
use crate::verdicts::board::Board;

/// Events read at once.
const PAGE: i64 = 4_000;
/// So many events behind the log it is time to switch: the rest takes milliseconds.
const NEAR: i64 = 200;
/// How long a generation that is held waits for an answer; whoever asks for more time has as long again.
pub const HOLD: Duration = Duration::from_secs(60);
/// How often one that is held is kept up and looked at.
const LOOK: Duration = Duration::from_millis(250);

/// Whoever makes a generation.
#[derive(Clone)]
pub struct Builder {
    log: Log,
    views: Views,
    generations: Generations,
    generation: i32,
    workers: Option<i32>,
}

/// A debate that has been read in part.
struct Part {
    debate: DebateId,
    board: Board,
    n_events: i64,
}

/// A page of a lane's streams, and what went before it.
struct Page {
    place: LanePlace,
    part: Option<Part>,
    /// What forks share with their origins.
    shared: HashMap<DebateId, Board>,
    events: Vec<Recorded>,
    is_last: bool,
}

impl Builder {
    /// A builder of this generation.
    pub fn new(log: Log, views: Views, generation: &Generation) -> Builder {
        let generations = views.generations();
        Builder { log, views, generations, generation: generation.id, workers: generation.workers }
    }

    /// Makes the generation, and comes back when it may take over, or may not: its state says which.
    ///
    /// # Errors
    /// Damage in the log; else the database's.
    pub async fn build(self) -> Result<(), Fault> {
        self.generations.begin(self.generation, &self.log.heads().await?).await?;
        self.generations.turn(self.generation, &[GenerationState::Wanted], GenerationState::Building).await?;
        self.go_through().await?;
        let mut boards = Boards::new(self.log.clone());
        loop {
            let (_, behind) = self.follow(&mut boards, &self.log.heads().await?).await?;
            if behind <= NEAR {
                break;
            }
        }
        self.generations.caught_up(self.generation, HOLD).await?;
        while self.generations.one(self.generation).await?.is_some_and(|it| it.state == GenerationState::Held) {
            self.follow(&mut boards, &self.log.heads().await?).await?;
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// Brings the generation up to everything that was recorded before now; how far that is.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub async fn catch_up(&self) -> Result<Cursor, Fault> {
        let heads = self.log.heads().await?;
        Ok(self.follow(&mut Boards::new(self.log.clone()), &heads).await?.0)
    }

    /// Brings the generation up to these heads; answers how far that is, and how much was recorded in the meantime.
    async fn follow(&self, boards: &mut Boards, heads: &Heads) -> Result<(Cursor, i64), Fault> {
        let mut lanes = self.generations.lanes(self.generation).await?;
        let mut at = cursor(&lanes);
        while at.behind(heads) > 0 {
            let (events, reached) = self.log.read_to(&at, heads, PAGE).await?;
            let moved = boards.moved(&events).await?;
            if let Some(fault) = moved.damaged.into_iter().next() {
                return Err(fault);
            }
            let mut changes = judged(self.generation, moved.boards).await?;
            for place in lanes.iter_mut().filter(|it| it.position != reached.position(it.lane)) {
                place.position = reached.position(place.lane);
                changes.lanes.push(*place);
            }
            self.views.save(&changes).await?;
            at = reached;
        }
        let behind = at.behind(&self.log.heads().await?);
        Ok((at, behind))
    }

    /// Goes through all debates, several lanes at once.
    async fn go_through(&self) -> Result<(), Fault> {
        let mut lanes = self.generations.lanes(self.generation).await?;
        lanes.retain(|it| !it.is_through);
        // The longest first, so that none is left when the others are through.
        lanes.sort_by_key(|it| std::cmp::Reverse(it.position));
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
            worked.unwrap_or_else(ended)?;
        }
        Ok(())
    }

    fn n_workers(&self) -> usize {
        let asked = self.workers.and_then(|it| usize::try_from(it).ok());
        let wanted = asked.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
        wanted.clamp(1, LANES as usize)
    }

    async fn lane(&self, mut place: LanePlace) -> Result<(), Fault> {
        let mut after = place.debate.map(|it| (it, i64::MAX));
        let mut part: Option<Part> = None;
        while !place.is_through {
            let events = self.log.streams(place.lane, after, PAGE).await?;
            let is_last = (events.len() as i64) < PAGE;
            after = events.last().map(|it| (it.debate, it.version)).or(after);
            let shared = self.shared(&events, part.as_ref()).await?;
            let page = Page { place, part, shared, events, is_last };
            let (changes, reached, rest) = spawn_blocking(move || fold(page)).await.unwrap_or_else(ended)?;
            self.views.save(&changes).await?;
            (place, part) = (reached, rest);
        }
        Ok(())
    }

    /// What those share with their origins that begin on this page and were forked.
    async fn shared(&self, events: &[Recorded], part: Option<&Part>) -> Result<HashMap<DebateId, Board>, Fault> {
        let mut known = part.map(|it| it.debate);
        let mut shared = HashMap::new();
        for recorded in events {
            if known.replace(recorded.debate) != Some(recorded.debate) && recorded.version > 1 {
                shared.insert(recorded.debate, folded(&self.log, recorded.debate, recorded.version - 1).await?);
            }
        }
        Ok(shared)
    }
}

/// The rows of the debates that end on this page, the place behind them, and the debate that goes on.
fn fold(page: Page) -> Result<(Changes, LanePlace, Option<Part>), Fault> {
    let Page { mut place, mut part, mut shared, events, is_last } = page;
    let mut changes = Changes::default();
    let mut finish = |part: Part| {
        place.debate = Some(part.debate);
        place.n_debates += 1;
        place.n_events += part.n_events;
        add_rows(&mut changes, place.generation, part.debate, &part.board)
    };
    for recorded in &events {
        if part.as_ref().is_none_or(|it| it.debate != recorded.debate)
            && let Some(whole) = part.take()
        {
            finish(whole)?;
        }
        let part = part.get_or_insert_with(|| Part {
            debate: recorded.debate,
            board: shared.remove(&recorded.debate).unwrap_or_default(),
            n_events: 0,
        });
        part.n_events += 1;
        // A page that was folded from the stream for what a fork shares may hold more than that.
        if recorded.version > part.board.summary.version {
            part.board.apply(recorded);
        }
    }
    if is_last {
        part.take().map_or(Ok(()), finish)?;
        place.is_through = true;
    }
    changes.lanes.push(place);
    Ok((changes, place, part))
}
