//! Generations of stored rows: which are there, what is to become of them, and the moment in which one takes over.
//!
//! Whoever changes a state says which state it was in: of two who would change it, one does. Only the holder of the
//! projector's lock builds, serves and drops; anybody may want one, and answer one that is held.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgPool};

use crate::store::debates::DEBATES;
use crate::store::fault::Fault;
use crate::store::generation_switch;
use crate::store::lanes::Cursor;
use crate::store::views::{self, Checkpoint, Views};

/// Generations that are told of beside those that are there, at most.
const PAST: i64 = 10;
/// Characters of a problem that are kept.
const PROBLEM_CHARS: usize = 2_000;

/// The projections whose rows are stored. One generation holds the rows of all of them, so that no answer contradicts
/// another: they are made anew together, and any of their names stands for all.
pub const MADE_TOGETHER: [&str; 5] = [DEBATES, "summary", "verdict", "cruxes", "disputes"];

/// A set of stored rows that is made from the whole log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Its number, from 1.
    pub id: i32,
    /// Which fold its rows are from.
    pub revision: i32,
    /// What has become of it.
    pub state: GenerationState,
    /// Why it was wanted.
    pub reason: Reason,
    /// How many work on it; `None` for one a core.
    pub workers: Option<i32>,
    /// Whether it waits for an answer before it takes over.
    pub holds: bool,
    /// Until then it waits, if it does.
    pub held_until: Option<DateTime<Utc>>,
    /// Whether it may take over although it leaves out debates that are shown now.
    pub allows_letters: bool,
    /// Why it makes no progress, where it makes none.
    pub problem: Option<String>,
    /// When it was wanted, by the database's clock, as all times here.
    pub wanted_at: DateTime<Utc>,
    /// When it was begun.
    pub started_at: Option<DateTime<Utc>>,
    /// When it first held all that the log did.
    pub caught_up_at: Option<DateTime<Utc>>,
    /// When it took over.
    pub served_at: Option<DateTime<Utc>>,
    /// When another took over.
    pub retired_at: Option<DateTime<Utc>>,
    /// When the last of its rows was deleted.
    pub dropped_at: Option<DateTime<Utc>>,
}

/// What has become of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerationState {
    /// Somebody wants it.
    Wanted,
    /// It is being made.
    Building,
    /// It is made and kept up, and waits for an answer.
    Held,
    /// It may take over.
    Approved,
    /// It may not: its rows are to be deleted.
    Rejected,
    /// The world sees it.
    Served,
    /// Another took over: its rows are to be deleted after a while.
    Retired,
    /// Its rows are deleted.
    Dropped,
}

/// Why a generation was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There was none.
    First,
    /// The code folds otherwise than the code that made the one served.
    Revision,
    /// Somebody asked.
    Asked,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Which fold.
    pub revision: i32,
    /// Why.
    pub reason: Reason,
    /// How many are to work on it; `None` for one a core.
    pub workers: Option<i32>,
    /// Whether it is to wait for an answer before it takes over.
    pub holds: bool,
    /// Whether it may take over although it leaves out debates that are shown now.
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

    /// Its name: `wanted`, `building`, `held`, `approved`, `rejected`, `served`, `retired`, `dropped`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(it, _)| *it == self).map_or("", |(_, name)| name)
    }

    /// Whether it is on its way to be served.
    pub fn is_under_way(self) -> bool {
        matches!(
            self,
            GenerationState::Wanted | GenerationState::Building | GenerationState::Held | GenerationState::Approved
        )
    }
}

impl Reason {
    const ALL: [(Reason, &'static str); 3] =
        [(Reason::First, "first"), (Reason::Revision, "revision"), (Reason::Asked, "asked")];

    /// Its name: `first`, `revision`, `asked`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(it, _)| *it == self).map_or("", |(_, name)| name)
    }
}

/// The table of generations.
#[derive(Clone, Debug)]
pub struct Generations {
    pub(crate) pool: PgPool,
}

#[derive(FromRow)]
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

impl Views {
    /// The generations of these views.
    pub fn generations(&self) -> Generations {
        Generations { pool: self.pool.clone() }
    }
}

impl Generations {
    /// All that are there, by number: those with rows, or on their way to have some.
    ///
    /// # Errors
    /// The database's.
    pub async fn standing(&self) -> Result<Vec<Generation>, Fault> {
        let rows: Vec<Stored> = sqlx::query_as(
            "select *
            from generations
            where state <> 'dropped'
            order by generation",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("look at the generations"))?;
        Ok(rows.into_iter().map(generation).collect())
    }

    /// All that are there and the last of those that were, by number.
    ///
    /// # Errors
    /// The database's.
    pub async fn all(&self) -> Result<Vec<Generation>, Fault> {
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
        .map_err(Fault::database("look at the generations"))?;
        Ok(rows.into_iter().map(generation).collect())
    }

    /// One of them.
    ///
    /// # Errors
    /// The database's.
    pub async fn one(&self, id: i32) -> Result<Option<Generation>, Fault> {
        let row: Option<Stored> = sqlx::query_as(
            "select *
            from generations
            where generation = $1",
        )
        .bind(id)
        .fetch_optional(&self.pool)
        .await
        .map_err(Fault::database("look at a generation"))?;
        Ok(row.map(generation))
    }

    /// Wants one, and answers which: that under way, where there is one already.
    ///
    /// # Errors
    /// The database's.
    pub async fn want(&self, wanted: Wanted) -> Result<Generation, Fault> {
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
            .map_err(Fault::database("want another generation"))?;
            if let Some(made) = made {
                return Ok(generation(made));
            }
            // Another was quicker. Where that is through already, there is room for this one.
            let under_way = self.standing().await?.into_iter().find(|it| it.state.is_under_way());
            if let Some(it) = under_way {
                return Ok(it);
            }
        }
    }

    /// Changes a state, if it is one of these; answers whether it was. Notes the time of it.
    ///
    /// # Errors
    /// The database's.
    pub async fn turn(&self, id: i32, from: &[GenerationState], to: GenerationState) -> Result<bool, Fault> {
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
        .bind(from.iter().map(|it| it.name()).collect::<Vec<_>>())
        .bind(to.name())
        .execute(&self.pool)
        .await
        .map_err(Fault::database("change a generation's state"))?;
        Ok(turned.rows_affected() == 1)
    }

    /// Takes note that a generation holds all that the log does; one that waits for an answer waits from now on, for so
    /// long.
    ///
    /// # Errors
    /// The database's.
    pub async fn caught_up(&self, id: i32, hold: Duration) -> Result<(), Fault> {
        sqlx::query(
            "update generations
            set
                caught_up_at = coalesce(caught_up_at, clock_timestamp()),
                state = case when holds then 'held' else state end,
                held_until = case when holds then clock_timestamp() + make_interval(secs => $2) end
            where generation = $1
            and state = 'building'",
        )
        .bind(id)
        .bind(hold.as_secs_f64())
        .execute(&self.pool)
        .await
        .map_err(Fault::database("note that a generation has caught up"))?;
        Ok(())
    }

    /// Lets one that is held wait for so long from now on; answers whether it is held.
    ///
    /// # Errors
    /// The database's.
    pub async fn hold(&self, id: i32, hold: Duration) -> Result<bool, Fault> {
        let held = sqlx::query(
            "update generations
            set held_until = clock_timestamp() + make_interval(secs => $2)
            where generation = $1
            and state = 'held'",
        )
        .bind(id)
        .bind(hold.as_secs_f64())
        .execute(&self.pool)
        .await
        .map_err(Fault::database("hold a generation"))?;
        Ok(held.rows_affected() == 1)
    }

    /// Rejects those whose hold has run out; nobody has answered for them.
    ///
    /// # Errors
    /// The database's.
    pub async fn reject_unanswered(&self) -> Result<u64, Fault> {
        let rejected = sqlx::query(
            "update generations
            set state = 'rejected', problem = 'nobody said whether it is to take over'
            where state = 'held'
            and held_until < clock_timestamp()",
        )
        .execute(&self.pool)
        .await
        .map_err(Fault::database("look for generations that nobody answered for"))?;
        Ok(rejected.rows_affected())
    }

    /// Notes why a generation makes no progress.
    ///
    /// # Errors
    /// The database's.
    pub async fn trouble(&self, id: i32, problem: &str) -> Result<(), Fault> {
        let problem: String = problem.replace('\0', "\u{fffd}").chars().take(PROBLEM_CHARS).collect();
        sqlx::query(
            "update generations
            set problem = $2
            where generation = $1",
        )
        .bind(id)
        .bind(problem)
        .execute(&self.pool)
        .await
        .map_err(Fault::database("note what troubles a generation"))?;
        Ok(())
    }

    /// Shows a generation to the world from now on, in place of the one before, with how far the log was read for it and
    /// what it leaves out: in one transaction. Answers whether that was still wanted.
    ///
    /// # Errors
    /// The database's. Then nothing has changed, or everything.
    pub async fn serve(&self, id: i32, names: &[&str], cursor: &Cursor) -> Result<bool, Fault> {
        let attempt = Fault::database("switch to another generation");
        let mut transaction = self.pool.begin().await.map_err(&attempt)?;
        // Not yet known to be wanted still: rolled back if it is not.
        sqlx::query(
            "update generations
            set state = 'retired', retired_at = clock_timestamp()
            where state = 'served'",
        )
        .execute(&mut *transaction)
        .await
        .map_err(&attempt)?;
        let served = sqlx::query(
            "update generations
            set state = 'served', served_at = clock_timestamp(), problem = null
            where generation = $1
            and state in ('building', 'approved')",
        )
        .bind(id)
        .execute(&mut *transaction)
        .await
        .map_err(&attempt)?;
        if served.rows_affected() == 0 {
            return Ok(false);
        }
        generation_switch::adopt(&mut transaction, id).await?;
        views::save_checkpoints(
            &mut transaction,
            &[Checkpoint { name: DEBATES, revision: id, cursor: cursor.clone() }],
        )
        .await?;
        sqlx::query(
            "insert into served (name, generation)
            select name, $2
            from unnest($1::text[]) as name
            on conflict (name) do update
            set generation = excluded.generation, since = clock_timestamp()",
        )
        .bind(names)
        .bind(id)
        .execute(&mut *transaction)
        .await
        .map_err(&attempt)?;
        transaction.commit().await.map_err(attempt)?;
        Ok(true)
    }
}

fn generation(row: Stored) -> Generation {
    // The table admits no other names.
    let state = GenerationState::ALL.iter().find(|(_, name)| *name == row.state);
    let reason = Reason::ALL.iter().find(|(_, name)| *name == row.reason);
    Generation {
        id: row.generation,
        revision: row.revision,
        state: state.map_or(GenerationState::Dropped, |it| it.0),
        reason: reason.map_or(Reason::Asked, |it| it.0),
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
