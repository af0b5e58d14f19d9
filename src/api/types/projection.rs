//! GraphQL types of projections, their generations and their progress.

use std::time::Duration;

use async_graphql::futures_util::Stream;
use async_graphql::futures_util::stream;
use async_graphql::{Enum, ID, Result, SimpleObject};
use chrono::{DateTime, Utc};

use crate::api::error::{error_with_code, from_fault, invalid};
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::error::StoreError;
use faultline_store::generations::generation_progress::GenerationProgress;
use faultline_store::generations::generations;
use faultline_store::generations::generations::{GenerationRequest, RebuildReason, STORED_PROJECTIONS};
use faultline_store::lanes::LANES;
use faultline_store::views::dead_letters::DeadLetter as StoredDeadLetter;
use faultline_store::views::views::DEBATES;
use faultline_store::views::views::Views;

/// Name of the only projection: the list of debates, their summaries, verdicts and cruxes, which are built together so
/// that they are always consistent with each other.
pub const NAME: &str = DEBATES;
/// Maximum time for which a generation waits for approval, in seconds: a day.
const MAX_HOLD_SECONDS: i32 = 86_400;
/// Polling interval of a subscription.
const LOOK: Duration = Duration::from_millis(500);

/// Stored views that are built together; lists are read from them.
#[derive(Clone, PartialEq, SimpleObject)]
pub struct Projection {
    /// Unique id, also accepted by `node`.
    pub(crate) id: ID,
    /// Name: `debates` contains the list of debates, their summaries, verdicts and cruxes.
    name: String,
    /// Revision of the fold that this service uses.
    revision: i32,
    /// Generation that reads are served from; null while the first one is being built.
    served: Option<Generation>,
    /// Generation that is being built or waits for cut-over.
    in_progress: Option<Generation>,
    /// All generations that have rows, and the most recent ones that had some, by number.
    pub(crate) generations: Vec<Generation>,
    /// Events that could not be processed, oldest first; at most 500. The rows of their debates keep the state before
    /// these events.
    pub(crate) dead_letters: Vec<DeadLetter>,
}

/// An event that a projection could not process.
#[derive(Clone, PartialEq, SimpleObject)]
pub struct DeadLetter {
    /// Unique id, also accepted by `node`: that of the projection, the debate, and the version of the event.
    pub(crate) id: ID,
    /// Id of the debate.
    debate_id: ID,
    /// Version of the event.
    version: i64,
    /// Position of the event in the log: lane and sequence number.
    position: String,
    /// Wire name of the event kind.
    kind: String,
    /// Reason why it could not be processed.
    reason: String,
    /// Number of attempts.
    attempts: i32,
    /// Time of the first attempt.
    first_tried_at: DateTime<Utc>,
    /// Time of the latest attempt.
    last_tried_at: DateTime<Utc>,
    /// True if a retry was requested and is pending.
    retry_requested: bool,
}

/// Rows that one revision of the fold built from the whole log.
#[derive(Clone, PartialEq, SimpleObject)]
pub struct Generation {
    /// Unique id, also accepted by `node`: that of the projection, and the number.
    pub(crate) id: ID,
    /// Number, from 1.
    number: i32,
    /// Revision of the fold that built it.
    revision: i32,
    /// State.
    state: GenerationState,
    /// Reason for building it.
    reason: GenerationReason,
    /// Number of parallel workers; null for one per core.
    workers: Option<i32>,
    /// Number of processed events.
    events_done: i64,
    /// Number of events in the log; 0 if its rows are deleted.
    events_total: i64,
    /// Number of events that are not processed yet.
    behind: i64,
    /// Number of debates processed while it was built.
    debate_count: i64,
    /// Events processed per second while it was built.
    events_per_second: Option<f64>,
    /// Reason why it makes no progress, if so.
    problem: Option<String>,
    /// Time at which it was requested.
    requested_at: DateTime<Utc>,
    /// Time at which building started.
    started_at: Option<DateTime<Utc>>,
    /// Time at which it first caught up with the log.
    caught_up_at: Option<DateTime<Utc>>,
    /// Time until which it waits for approval, if it does.
    held_until: Option<DateTime<Utc>>,
    /// Time at which reads were switched to it.
    served_at: Option<DateTime<Utc>>,
    /// Time at which reads were switched to another one.
    retired_at: Option<DateTime<Utc>>,
    /// Time at which its rows were deleted.
    dropped_at: Option<DateTime<Utc>>,
}

/// States of a generation.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "generations::GenerationState")]
pub enum GenerationState {
    /// Requested.
    #[graphql(name = "REQUESTED")]
    Wanted,
    /// Being built.
    Building,
    /// Built and kept up to date, waiting for approval.
    Held,
    /// Approved: reads may be switched to it.
    Approved,
    /// Rejected: its rows are being deleted.
    Rejected,
    /// Serving reads.
    Served,
    /// Replaced by another one: its rows will be deleted after a while.
    Retired,
    /// Its rows are deleted.
    Dropped,
}

/// Reasons for building a generation.
#[derive(Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(remote = "generations::RebuildReason")]
pub enum GenerationReason {
    /// There was none.
    First,
    /// The revision of the service's fold differs from that of the previous generation.
    Revision,
    /// A rebuild was requested.
    #[graphql(name = "REQUESTED")]
    Asked,
}

impl Projection {
    /// Returns the projection with this name.
    ///
    /// # Errors
    /// The codes of [`from_fault`]: `UNAVAILABLE` if the database does not respond.
    pub async fn of(views: &Views, name: &'static str) -> Result<Projection> {
        Projection::read(views, name).await.map_err(|error| from_fault(&error))
    }

    async fn read(views: &Views, name: &'static str) -> Result<Projection, StoreError> {
        let table = views.generations();
        let mut generations = Vec::new();
        for it in table.all().await? {
            let is_there = it.state != generations::GenerationState::Dropped;
            let progress = if is_there { table.progress(&it).await? } else { GenerationProgress::default() };
            generations.push(Generation {
                id: ID(format!("projection:{name}:{}", it.id)),
                number: it.id,
                revision: it.revision,
                state: it.state.into(),
                reason: it.reason.into(),
                workers: it.workers,
                events_done: progress.done,
                events_total: progress.total,
                behind: progress.total - progress.done,
                debate_count: progress.n_debates,
                events_per_second: progress.rate,
                problem: it.problem,
                requested_at: it.wanted_at,
                started_at: it.started_at,
                caught_up_at: it.caught_up_at,
                held_until: it.held_until,
                served_at: it.served_at,
                retired_at: it.retired_at,
                dropped_at: it.dropped_at,
            });
        }
        let is_under_way =
            |generation: &&Generation| generations::GenerationState::from(generation.state).is_under_way();
        let letters = views.letters(name).await?.into_iter();
        Ok(Projection {
            id: ID(format!("projection:{name}")),
            name: name.to_owned(),
            revision: REVISION,
            served: generations.iter().find(|generation| generation.state == GenerationState::Served).cloned(),
            in_progress: generations.iter().find(is_under_way).cloned(),
            generations,
            dead_letters: letters.map(|letter| DeadLetter::new(letter, name)).collect(),
        })
    }
}

impl DeadLetter {
    fn new(it: StoredDeadLetter, projection: &str) -> Self {
        DeadLetter {
            id: ID(format!("projection:{projection}:{}:{}", it.debate, it.version)),
            debate_id: it.debate.to_string().into(),
            version: it.version,
            position: format!("{}.{}", it.lane, it.position),
            kind: it.kind,
            reason: it.reason,
            attempts: it.attempts,
            first_tried_at: it.found_at,
            last_tried_at: it.tried_at,
            retry_requested: it.retry_requested,
        }
    }
}

/// Returns the name of the projection that contains the named views.
///
/// # Errors
/// `NOT_FOUND` if there is no such projection.
pub fn projection_name(name: &str) -> Result<&'static str> {
    if STORED_PROJECTIONS.contains(&name) {
        return Ok(NAME);
    }
    let there = STORED_PROJECTIONS.join(", ");
    Err(error_with_code(&format!("unknown projection {name:?}; available, all built together: {there}"), "NOT_FOUND"))
}

/// Requests a retry of all events that a projection could not process.
///
/// # Errors
/// `NOT_FOUND` if there is no such projection; the codes of [`from_fault`] if the database fails.
pub async fn retry(views: &Views, name: &str) -> Result<Projection> {
    let name = projection_name(name)?;
    views.retry_letters(name).await.map_err(|error| from_fault(&error))?;
    Projection::of(views, name).await
}

/// Options of a rebuild, as a client gives them.
#[derive(Clone, Copy, Debug)]
pub struct Rebuild {
    /// Number of parallel workers.
    pub workers: Option<i32>,
    /// True if the new generation may lack debates.
    pub allow_dead_letters: bool,
    /// True if it waits for approval.
    pub await_approval: bool,
    /// Time for which it waits, in seconds.
    pub hold_seconds: Option<i32>,
}

/// Requests a rebuild of a projection, unless one is running.
///
/// # Errors
/// `NOT_FOUND` if there is no such projection, `INVALID` if the number of workers or the time is out of range, `CONFLICT`
/// if this rebuild is to wait for approval and the running one will not; the codes of [`from_fault`] if the database
/// fails.
pub async fn rebuild(views: &Views, name: &str, wanted: Rebuild) -> Result<Projection> {
    let name = projection_name(name)?;
    let Rebuild { workers, allow_dead_letters, await_approval: holds, hold_seconds } = wanted;
    let hold = hold_seconds.map(|seconds| hold_time("holdSeconds", seconds)).transpose()?;
    if hold.is_some() && !holds {
        return Err(invalid("`holdSeconds` requires `awaitApproval`: true"));
    }
    if workers.is_some_and(|workers| !(1..=i32::from(LANES)).contains(&workers)) {
        return Err(invalid(&format!("`workers` must be between 1 and {LANES}")));
    }
    let (reason, generations) = (RebuildReason::Asked, views.generations());
    let request = GenerationRequest { revision: REVISION, reason, workers, holds, allows_letters: allow_dead_letters };
    let generation = generations.request(request).await.map_err(|error| from_fault(&error))?;
    if holds && !generation.holds {
        let reason = format!("generation {} is already being built, and will not wait for approval", generation.id);
        return Err(error_with_code(&reason, "CONFLICT"));
    }
    if let Some(hold) = hold {
        generations.hold(generation.id, hold).await.map_err(|error| from_fault(&error))?;
    }
    if allow_dead_letters && !generation.allows_letters {
        generations.allow_skipped(generation.id).await.map_err(|error| from_fault(&error))?;
    }
    Projection::of(views, name).await
}

/// Parses the id of a generation, and returns its number.
///
/// # Errors
/// `NOT_FOUND` if it is not the id of a generation.
pub fn generation_number(id: &ID) -> Result<i32> {
    let number =
        id.strip_prefix("projection:").and_then(|rest| rest.strip_prefix(NAME)?.strip_prefix(':')?.parse().ok());
    number.ok_or_else(|| error_with_code(&format!("there is no generation {:?}", id.as_str()), "NOT_FOUND"))
}

/// Approves or rejects a generation that waits for approval. A rejected one may also be in an earlier or later state, as
/// long as it is not served.
///
/// # Errors
/// `NOT_FOUND` if there is no such generation, `CONFLICT` if its state does not allow the change; the codes of
/// [`from_fault`] if the database fails.
pub async fn answer(views: &Views, id: &ID, approves: bool) -> Result<Projection> {
    use generations::GenerationState::{Approved, Building, Held, Rejected, Wanted};
    let (from, to): (&[generations::GenerationState], _) =
        if approves { (&[Held], Approved) } else { (&[Wanted, Building, Held, Approved], Rejected) };
    let number = generation_number(id)?;
    let changed = views.generations().change_state(number, from, to).await.map_err(|error| from_fault(&error))?;
    if changed { Projection::of(views, NAME).await } else { Err(not_possible(views, number, to.name()).await?) }
}

/// Sets the time for which a generation waits for approval.
///
/// # Errors
/// `INVALID` if the time is out of range; `NOT_FOUND` and `CONFLICT` as [`answer`].
pub async fn hold(views: &Views, id: &ID, seconds: i32) -> Result<Projection> {
    let time = hold_time("seconds", seconds)?;
    let number = generation_number(id)?;
    let held = views.generations().hold(number, time).await.map_err(|error| from_fault(&error))?;
    if held { Projection::of(views, NAME).await } else { Err(not_possible(views, number, "held").await?) }
}

/// Checks the time for which a generation is to wait.
fn hold_time(field: &str, seconds: i32) -> Result<Duration> {
    if !(1..=MAX_HOLD_SECONDS).contains(&seconds) {
        return Err(invalid(&format!("`{field}` ({seconds}) must be between 1 and {MAX_HOLD_SECONDS}")));
    }
    Ok(Duration::from_secs(seconds.unsigned_abs().into()))
}

/// Returns the error that a generation cannot get into a state.
async fn not_possible(views: &Views, number: i32, wanted: &str) -> Result<async_graphql::Error> {
    let found = views.generations().one(number).await.map_err(|error| from_fault(&error))?;
    Ok(match found {
        None => error_with_code(&format!("there is no generation {number}"), "NOT_FOUND"),
        Some(found) => {
            let reason = format!("generation {number} is {} and cannot be {wanted}", found.state.name());
            error_with_code(&reason, "CONFLICT")
        }
    })
}

/// Returns a stream of the projection: its current state, then every change.
pub fn progress(views: Views, name: &'static str) -> impl Stream<Item = Result<Projection>> {
    stream::unfold((views, None::<Projection>, Duration::ZERO), move |(views, last, mut pause)| async move {
        loop {
            tokio::time::sleep(pause).await;
            pause = LOOK;
            match Projection::of(&views, name).await {
                Ok(now) if last.as_ref() == Some(&now) => {}
                Ok(now) => return Some((Ok(now.clone()), (views, Some(now), pause))),
                Err(error) => return Some((Err(error), (views, last, pause))),
            }
        }
    })
}
