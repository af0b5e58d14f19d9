//! Generations of stored rows: their states and state changes.
//!
//! A state change names the states that it starts from, so that only one of two concurrent changes succeeds. Only the
//! coordinator of the projector builds, serves and drops generations; any process may request one, or approve or
//! reject one that is held.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use crate::error::StoreError;
use crate::projector::save_fence::SaveFence;
use crate::reads_row;
use crate::shards::shards::Shards;
use crate::views::views::DEBATES;
use crate::views::views::Views;

/// Number of dropped generations listed besides the existing ones.
const PAST: i64 = 10;
/// Maximum number of characters kept of a problem.
const MAX_PROBLEM_CHARS: usize = 2_000;

/// Projections whose rows are stored. One generation contains the rows of all of them, so that results never contradict
/// each other: they are rebuilt together, and each of these names stands for all.
pub const STORED_PROJECTIONS: [&str; 5] = [DEBATES, "summary", "verdict", "cruxes", "disputes"];

/// A set of stored rows derived from the whole log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Number of the generation, from 1.
    pub id: i32,
    /// Revision of the projection code that the rows are derived by.
    pub revision: i32,
    /// Current state.
    pub state: GenerationState,
    /// Reason for which the generation was requested.
    pub reason: RebuildReason,
    /// Number of worker tasks that build it; `None` for one per core.
    pub workers: Option<i32>,
    /// True if it waits for approval before the cut-over.
    pub holds: bool,
    /// End of the wait for approval.
    pub held_until: Option<DateTime<Utc>>,
    /// True if cut-over is allowed although the generation skips debates that the served one contains.
    pub allows_letters: bool,
    /// Reason for which it makes no progress.
    pub problem: Option<String>,
    /// Time of the request, by the database's clock like all times here.
    pub wanted_at: DateTime<Utc>,
    /// Time at which the build started.
    pub started_at: Option<DateTime<Utc>>,
    /// Time at which it first contained the whole log.
    pub caught_up_at: Option<DateTime<Utc>>,
    /// Time of the cut-over to this generation.
    pub served_at: Option<DateTime<Utc>>,
    /// Time of the cut-over to the next generation.
    pub retired_at: Option<DateTime<Utc>>,
    /// Time at which its last rows were deleted.
    pub dropped_at: Option<DateTime<Utc>>,
}

/// State of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerationState {
    /// Requested; the build has not started.
    Wanted,
    /// Being built.
    Building,
    /// Built, kept up to date, and waiting for approval.
    Held,
    /// Approved for cut-over.
    Approved,
    /// Rejected; its rows are to be deleted.
    Rejected,
    /// Served to clients.
    Served,
    /// Replaced by another generation; its rows are to be deleted after a grace period.
    Retired,
    /// All rows deleted.
    Dropped,
}

/// Reason for which a generation was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RebuildReason {
    /// No generation existed.
    First,
    /// The projection code differs from the code that built the served generation.
    Revision,
    /// A user requested it.
    Asked,
}

/// Request for a new generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerationRequest {
    /// Revision of the projection code.
    pub revision: i32,
    /// Reason for the request.
    pub reason: RebuildReason,
    /// Number of worker tasks; `None` for one per core.
    pub workers: Option<i32>,
    /// True to wait for approval before the cut-over.
    pub holds: bool,
    /// True to allow the cut-over although the generation skips debates that the served one contains.
    pub allows_letters: bool,
}

impl GenerationState {
    const ALL: [(GenerationState, &'static str); 8] = [
        (GenerationState::Wanted, "wanted"),
        (GenerationState::Building, "building"),
        (GenerationState::Held, "held"),
        (GenerationState::Approved, "approved"),
        (GenerationState::Rejected, "rejected"),
        (GenerationState::Served, "served"),
        (GenerationState::Retired, "retired"),
        (GenerationState::Dropped, "dropped"),
    ];

    /// Returns the name of the state: `wanted`, `building`, `held`, `approved`, `rejected`, `served`, `retired`,
    /// `dropped`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).map_or("", |(_, name)| name)
    }

    /// Returns true if the generation may still be served for the first time.
    pub fn is_under_way(self) -> bool {
        matches!(
            self,
            GenerationState::Wanted | GenerationState::Building | GenerationState::Held | GenerationState::Approved
        )
    }
}

impl RebuildReason {
    const ALL: [(RebuildReason, &'static str); 3] =
        [(RebuildReason::First, "first"), (RebuildReason::Revision, "revision"), (RebuildReason::Asked, "asked")];

    /// Returns the name of the reason: `first`, `revision`, `asked`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(reason, _)| *reason == self).map_or("", |(_, name)| name)
    }
}

/// The table of generations.
#[derive(Clone, Debug)]
pub struct Generations {
    pub(crate) pool: PgPool,
    /// Servers of the log.
    pub(crate) shards: Shards,
    /// Fence under which a generation is cut over to, as of [`Views::fenced`].
    pub(crate) fence: Option<SaveFence>,
}

struct Stored {
    generation: i32,
    revision: i32,
    state: String,
    reason: String,
    workers: Option<i32>,
    holds: bool,
    held_until: Option<DateTime<Utc>>,
    allows_letters: Option<bool>,
    problem: Option<String>,
    wanted_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    caught_up_at: Option<DateTime<Utc>>,
    served_at: Option<DateTime<Utc>>,
    retired_at: Option<DateTime<Utc>>,
    dropped_at: Option<DateTime<Utc>>,
}

reads_row!(Stored {
    generation,
    revision,
    state,
    reason,
    workers,
    holds,
    held_until,
    allows_letters,
    problem,
    wanted_at,
    started_at,
    caught_up_at,
    served_at,
    retired_at,
    dropped_at
});

impl Views {
    /// Returns access to the generations of these views.
    pub fn generations(&self) -> Generations {
        Generations { pool: self.pool.clone(), shards: self.shards.clone(), fence: self.fence.clone() }
    }
}

impl Generations {
    /// Returns all generations that have rows or are to have some, by number.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn existing(&self) -> Result<Vec<Generation>, StoreError> {
        let rows: Vec<Stored> = sqlx::query_as(
            "select *
            from generations
            where state <> 'dropped'
            order by generation",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("list the generations"))?;
        Ok(rows.into_iter().map(generation).collect())
    }

    /// Returns all existing generations and the most recently dropped ones, by number.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn all(&self) -> Result<Vec<Generation>, StoreError> {
        let rows: Vec<Stored> = sqlx::query_as(
            "select *
            from generations
            where state <> 'dropped'
            or generation > (select coalesce(max(generation), 0) from generations) - $1
            order by generation",
        )
        .bind(PAST)
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("list the generations"))?;
        Ok(rows.into_iter().map(generation).collect())
    }

    /// Returns a generation by its number; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn one(&self, id: i32) -> Result<Option<Generation>, StoreError> {
        let row: Option<Stored> = sqlx::query_as(
            "select *
            from generations
            where generation = $1",
        )
        .bind(id)
        .fetch_optional(&self.pool)
        .await
        .map_err(StoreError::database("read a generation"))?;
        Ok(row.map(generation))
    }

    /// Requests a new generation and returns it; returns the unfinished one if there already is one.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn request(&self, wanted: GenerationRequest) -> Result<Generation, StoreError> {
        loop {
            let made: Option<Stored> = sqlx::query_as(
                "insert into generations (generation, revision, state, reason, workers, holds, allows_letters)
                select coalesce(max(generation), 0) + 1, $1, 'wanted', $2, $3, $4, $5
                from generations
                on conflict do nothing
                returning *",
            )
            .bind(wanted.revision)
            .bind(wanted.reason.name())
            .bind(wanted.workers)
            .bind(wanted.holds)
            .bind(wanted.allows_letters)
            .fetch_optional(&self.pool)
            .await
            .map_err(StoreError::database("request a generation"))?;
            if let Some(made) = made {
                return Ok(generation(made));
            }
            // Another request came first. If its generation is finished by now, a new one can be inserted.
            let under_way = self.existing().await?.into_iter().find(|generation| generation.state.is_under_way());
            if let Some(it) = under_way {
                return Ok(it);
            }
        }
    }

    /// Changes the state of a generation if it is in one of the `from` states, and records the time. Returns false if
    /// it is not.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn change_state(
        &self,
        id: i32,
        from: &[GenerationState],
        to: GenerationState,
    ) -> Result<bool, StoreError> {
        let turned = sqlx::query(
            "update generations
            set
                state = $3,
                problem = null,
                started_at = case when $3 = 'building' then clock_timestamp() else started_at end,
                dropped_at = case when $3 = 'dropped' then clock_timestamp() else dropped_at end
            where generation = $1
            and state = any ($2)",
        )
        .bind(id)
        .bind(from.iter().map(|state| state.name()).collect::<Vec<_>>())
        .bind(to.name())
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("change a generation's state"))?;
        Ok(turned.rows_affected() == 1)
    }

    /// Records that a generation contains the whole log. If it requires approval, it is held from now on, for the time that
    /// [`Generations::hold`] set, or else for `hold`.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn caught_up(&self, id: i32, hold: Duration) -> Result<(), StoreError> {
        sqlx::query(
            "update generations
            set
                caught_up_at = coalesce(caught_up_at, clock_timestamp()),
                state = case when holds then 'held' else state end,
                held_until = case
                    when holds then clock_timestamp() + make_interval(secs => coalesce(hold_seconds, $2))
                end
            where generation = $1
            and state = 'building'",
        )
        .bind(id)
        .bind(hold.as_secs_f64())
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("record that a generation has caught up"))?;
        Ok(())
    }

    /// Sets the time for which a generation waits for approval, in whole seconds. If it is held already, the wait restarts.
    /// Returns false if the generation does not wait for approval, or no longer.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn hold(&self, id: i32, hold: Duration) -> Result<bool, StoreError> {
        let held = sqlx::query(
            "update generations
            set
                hold_seconds = $2::integer,
                held_until = case when state = 'held' then clock_timestamp() + make_interval(secs => $2) end
            where generation = $1
            and holds
            and state in ('wanted', 'building', 'held')",
        )
        .bind(id)
        .bind(hold.as_secs_f64())
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("extend the hold of a generation"))?;
        Ok(held.rows_affected() == 1)
    }

    /// Rejects the held generations whose wait for approval has ended, and returns their number.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn reject_unanswered(&self) -> Result<u64, StoreError> {
        let rejected = sqlx::query(
            "update generations
            set state = 'rejected', problem = 'nobody said whether it is to take over'
            where state = 'held'
            and held_until < clock_timestamp()",
        )
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("reject the generations without approval"))?;
        Ok(rejected.rows_affected())
    }

    /// Records the reason for which a generation makes no progress.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn record_problem(&self, id: i32, problem: &str) -> Result<(), StoreError> {
        let problem: String = problem.replace('\0', "\u{fffd}").chars().take(MAX_PROBLEM_CHARS).collect();
        sqlx::query(
            "update generations
            set problem = $2
            where generation = $1",
        )
        .bind(id)
        .bind(problem)
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("record the problem of a generation"))?;
        Ok(())
    }
}

fn generation(row: Stored) -> Generation {
    // A constraint of the table admits no other names.
    let state = GenerationState::ALL.iter().find(|(_, name)| *name == row.state);
    let reason = RebuildReason::ALL.iter().find(|(_, name)| *name == row.reason);
    Generation {
        id: row.generation,
        revision: row.revision,
        state: state.map_or(GenerationState::Dropped, |pair| pair.0),
        reason: reason.map_or(RebuildReason::Asked, |pair| pair.0),
        workers: row.workers,
        holds: row.holds,
        held_until: row.held_until,
        allows_letters: row.allows_letters.unwrap_or_default(),
        problem: row.problem,
        wanted_at: row.wanted_at,
        started_at: row.started_at,
        caught_up_at: row.caught_up_at,
        served_at: row.served_at,
        retired_at: row.retired_at,
        dropped_at: row.dropped_at,
    }
}
