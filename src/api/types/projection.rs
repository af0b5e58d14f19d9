//! Stored views, their generations, and how far they are.

use std::time::Duration;

use async_graphql::futures_util::Stream;
use async_graphql::futures_util::stream;
use async_graphql::{Enum, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::error::{coded, from_fault, invalid};
use crate::store::debates::DEBATES;
use crate::store::fault::Fault;
use crate::store::generation_lanes::Progress;
use crate::store::generations::{self, MADE_TOGETHER, Reason, Wanted};
use crate::store::lanes::LANES;
use crate::store::letters::Letter;
use crate::store::views::Views;
use crate::verdicts::board::REVISION;

/// The name of the one projection: the list of debates, their summaries, verdicts and cruxes, which are made together so
/// that they never contradict each other.
pub const NAME: &str = DEBATES;
/// How often a subscription looks.
const LOOK: Duration = Duration::from_millis(500);

/// Stored views that are made together: lists are read from them.
#[derive(Clone, PartialEq, SimpleObject)]
pub struct Projection {
    /// The same as its name.
    id: ID,
    /// Its name: `debates` holds the list of debates, their summaries, verdicts and cruxes.
    name: String,
    /// Which fold this service makes it by.
    revision: i32,
    /// The generation that is read from; none where the first is still being made.
    served: Option<Generation>,
    /// The generation that is on its way to take over.
    under_way: Option<Generation>,
    /// All generations that have rows, and the last of those that had some, by number.
    generations: Vec<Generation>,
    /// Events that could not be read, the oldest first; at most 500. The rows of their debates stay as they were before them.
    dead_letters: Vec<DeadLetter>,
}

/// An event that a projection could not read.
#[derive(Clone, PartialEq, SimpleObject)]
pub struct DeadLetter {
    /// The debate and the event's place in it.
    id: ID,
    /// The debate.
    debate_id: ID,
    /// The event's place in it.
    version: i64,
    /// Its place in the log: lane and position.
    position: String,
    /// Its wire name.
    kind: String,
    /// Why it cannot be read.
    reason: String,
    /// How often it was tried.
    attempts: i32,
    /// When it was found.
    found_at: DateTime<Utc>,
    /// When it was last tried.
    tried_at: DateTime<Utc>,
    /// Whether another attempt was asked for and not made yet.
    wanted: bool,
}

/// Rows made from the whole log by one fold.
#[derive(Clone, PartialEq, SimpleObject)]
pub struct Generation {
    /// The projection and the number.
    id: ID,
    /// Its number, from 1.
    number: i32,
    /// Which fold it was made by.
    revision: i32,
    /// What has become of it.
    state: GenerationState,
    /// Why it was wanted.
    reason: GenerationReason,
    /// How many work on it; none for one a core.
    workers: Option<i32>,
    /// Events of the log that are in it.
    events_done: i64,
    /// Events of the log; 0 where its rows are deleted.
    events_total: i64,
    /// Events of the log that are not in it yet.
    behind: i64,
    /// Debates gone through when it was made.
    debates: i64,
    /// Events gone through in a second while it was made.
    events_per_second: Option<f64>,
    /// Why it makes no progress, where it makes none.
    problem: Option<String>,
    /// When it was wanted.
    wanted_at: DateTime<Utc>,
    /// When it was begun.
    started_at: Option<DateTime<Utc>>,
    /// When it first held all that the log did.
    caught_up_at: Option<DateTime<Utc>>,
    /// Until then it waits for an answer, if it does.
    held_until: Option<DateTime<Utc>>,
    /// When it took over.
    served_at: Option<DateTime<Utc>>,
    /// When another took over.
    retired_at: Option<DateTime<Utc>>,
    /// When its rows were deleted.
    dropped_at: Option<DateTime<Utc>>,
}

/// What has become of a generation.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "generations::GenerationState")]
pub enum GenerationState {
    /// Somebody wants it.
    Wanted,
    /// It is being made.
    Building,
    /// It is made and kept up, and waits for an answer.
    Held,
    /// It may take over.
    Approved,
    /// It may not: its rows are being deleted.
    Rejected,
    /// It is read from.
    Served,
    /// Another took over: its rows are deleted after a while.
    Retired,
    /// Its rows are deleted.
    Dropped,
}

/// Why a generation was wanted.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "generations::Reason")]
pub enum GenerationReason {
    /// There was none.
    First,
    /// The service folds otherwise than the one that made the generation before.
    Revision,
    /// Somebody asked.
    Asked,
}

impl Projection {
    /// How the projection of this name stands.
    ///
    /// # Errors
    /// `UNAVAILABLE` where the database does not answer.
    pub async fn of(views: &Views, name: &'static str) -> Result<Projection> {
        Projection::read(views, name).await.map_err(|it| from_fault(&it))
    }

    async fn read(views: &Views, name: &'static str) -> Result<Projection, Fault> {
        let table = views.generations();
        let mut generations = Vec::new();
        for it in table.all().await? {
            let is_there = it.state != generations::GenerationState::Dropped;
            let progress = if is_there { table.progress(&it).await? } else { Progress::default() };
            generations.push(Generation {
                id: ID(format!("{name}:{}", it.id)),
                number: it.id,
                revision: it.revision,
                state: it.state.into(),
                reason: it.reason.into(),
                workers: it.workers,
                events_done: progress.done,
                events_total: progress.total,
                behind: progress.total - progress.done,
                debates: progress.n_debates,
                events_per_second: progress.rate,
                problem: it.problem,
                wanted_at: it.wanted_at,
                started_at: it.started_at,
                caught_up_at: it.caught_up_at,
                held_until: it.held_until,
                served_at: it.served_at,
                retired_at: it.retired_at,
                dropped_at: it.dropped_at,
            });
        }
        let is_under_way = |it: &&Generation| generations::GenerationState::from(it.state).is_under_way();
        Ok(Projection {
            id: ID(name.to_owned()),
            name: name.to_owned(),
            revision: REVISION,
            served: generations.iter().find(|it| it.state == GenerationState::Served).cloned(),
            under_way: generations.iter().find(is_under_way).cloned(),
            generations,
            dead_letters: views.letters(name).await?.into_iter().map(DeadLetter::from).collect(),
        })
    }
}

impl From<Letter> for DeadLetter {
    fn from(it: Letter) -> Self {
        DeadLetter {
            id: ID(format!("{}:{}", it.debate, it.version)),
            debate_id: it.debate.to_string().into(),
            version: it.version,
            position: format!("{}.{}", it.lane, it.position),
            kind: it.kind,
            reason: it.reason,
            attempts: it.attempts,
            found_at: it.found_at,
            tried_at: it.tried_at,
            wanted: it.wanted,
        }
    }
}

/// The name of a projection, if there is such a one.
///
/// # Errors
/// `NOT_FOUND` where there is none.
pub fn known(name: &str) -> Result<&'static str> {
    if MADE_TOGETHER.contains(&name) {
        return Ok(NAME);
    }
    let there = MADE_TOGETHER.join(", ");
    Err(coded(&format!("there is no such projection; there are {there}, which are made together"), "NOT_FOUND"))
}

/// Has all events of a projection tried again that could not be read.
///
/// # Errors
/// `NOT_FOUND`; `UNAVAILABLE` where the database does not answer.
pub async fn retry(views: &Views, name: &str) -> Result<Projection> {
    let name = known(name)?;
    views.retry_letters(name).await.map_err(|it| from_fault(&it))?;
    Projection::of(views, name).await
}

/// Has a projection made anew, unless that is under way.
///
/// # Errors
/// `NOT_FOUND`, `INVALID` for a number of workers that cannot be; `UNAVAILABLE` where the database does not answer.
pub async fn rebuild(views: &Views, name: &str, workers: Option<i32>, allow_letters: bool) -> Result<Projection> {
    let name = known(name)?;
    if workers.is_some_and(|it| !(1..=i32::from(LANES)).contains(&it)) {
        return Err(invalid(&format!("workers are 1 to {LANES}")));
    }
    let (reason, generations) = (Reason::Asked, views.generations());
    let wanted = Wanted { revision: REVISION, reason, workers, holds: false, allows_letters: allow_letters };
    let generation = generations.want(wanted).await.map_err(|it| from_fault(&it))?;
    if allow_letters && !generation.allows_letters {
        generations.allow_letters(generation.id).await.map_err(|it| from_fault(&it))?;
    }
    Projection::of(views, name).await
}

/// How a projection stands, and how it stands whenever that has changed.
pub fn progress(views: Views, name: &'static str) -> impl Stream<Item = Result<Projection>> {
    stream::unfold((views, None::<Projection>, Duration::ZERO), move |(views, told, mut pause)| async move {
        loop {
            tokio::time::sleep(pause).await;
            pause = LOOK;
            match Projection::of(&views, name).await {
                Ok(now) if told.as_ref() == Some(&now) => {}
                Ok(now) => return Some((Ok(now.clone()), (views, Some(now), pause))),
                Err(error) => return Some((Err(error), (views, told, pause))),
            }
        }
    })
}
