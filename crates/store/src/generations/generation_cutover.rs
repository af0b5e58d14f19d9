//! Dead letters of a generation that is being built, and its cut-over despite them.
//!
//! Cut-over is refused while the new generation lacks a debate that the served generation contains completely. The new
//! generation is then kept up to date beside the served one and reports the problem, until the damaged events are
//! repaired or an operator allows the cut-over.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, Postgres, Transaction};
use uuid::Uuid;

use crate::error::StoreError;
use crate::generations::generations::Generations;
use crate::projector::lane_leases;
use crate::projector::save_fence::{SaveFence, begin_fenced};
use crate::reads_row;
use crate::views::dead_letters::MAX_LETTERS;
use crate::views::views::DEBATES;
use faultline_core::events::ids::DebateId;

/// Attempt that a failed cut-over reports.
const ATTEMPT: &str = "cut over to another generation";

/// Event that a generation had to skip. The rows of its debate are as they were before the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedEvent {
    /// Debate of the event.
    pub debate: DebateId,
    /// Version of the event.
    pub version: i64,
    /// Wire kind of the event.
    pub kind: String,
    /// Reason for which the event cannot be read.
    pub reason: String,
    /// Time at which the problem was found, by the database's clock.
    pub found_at: DateTime<Utc>,
    /// True if the served generation contains the debate completely.
    pub newly: bool,
}

/// Number of debates that a generation skips, compared with the served one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedTotals {
    /// Number of debates with unreadable events.
    pub debates: i64,
    /// Number of those debates that the served generation contains completely.
    pub newly: i64,
    /// Number of debates that the served generation skips.
    pub before: i64,
}

struct Stored {
    debate_id: Uuid,
    version: i64,
    kind: String,
    reason: String,
    found_at: DateTime<Utc>,
    newly: bool,
}

reads_row!(Stored { debate_id, version, kind, reason, found_at, newly });

impl Generations {
    /// Returns the events that an unfinished generation skips; those of debates that the served generation contains
    /// come first. At most [`MAX_LETTERS`].
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn skipped_events(&self, id: i32) -> Result<Vec<SkippedEvent>, StoreError> {
        let rows: Vec<Stored> = sqlx::query_as(
            "select debate_id, version, kind, reason, found_at,
                exists (select from generations where state = 'served')
                and not exists (
                    select
                    from dead_letters d
                    where d.projection = $2
                    and d.debate_id = l.debate_id
                ) as newly
            from generation_letters l
            where generation = $1
            order by newly desc, debate_id, version
            limit $3",
        )
        .bind(id)
        .bind(DEBATES)
        .bind(MAX_LETTERS)
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("list the events that a generation skips"))?;
        Ok(rows.into_iter().map(left_out).collect())
    }

    /// Counts the debates that an unfinished generation skips, and those that the served generation skips.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn skipped_totals(&self, id: i32) -> Result<SkippedTotals, StoreError> {
        let (debates, newly, before): (i64, i64, i64) = sqlx::query_as(
            "with before as (
                select distinct debate_id
                from dead_letters
                where projection = $2
            ),
            after as (
                select distinct debate_id
                from generation_letters
                where generation = $1
            )
            select
                (select count(*) from after),
                (
                    select count(*)
                    from after
                    where debate_id not in (select debate_id from before)
                    and exists (select from generations where state = 'served')
                ),
                (select count(*) from before)",
        )
        .bind(id)
        .bind(DEBATES)
        .fetch_one(&self.pool)
        .await
        .map_err(StoreError::database("count the debates that a generation skips"))?;
        Ok(SkippedTotals { debates, newly, before })
    }

    /// Allows the cut-over of an unfinished generation whatever it skips. Returns false if it is not unfinished.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn allow_skipped(&self, id: i32) -> Result<bool, StoreError> {
        let allowed = sqlx::query(
            "update generations
            set allows_letters = true
            where generation = $1
            and state in ('wanted', 'building', 'held', 'approved')",
        )
        .bind(id)
        .execute(&self.pool)
        .await
        .map_err(StoreError::database("allow the cut-over of a generation with skipped events"))?;
        Ok(allowed.rows_affected() == 1)
    }

    /// Waits until no member of the projector saves rows, and prevents it until the returned cut-over is finished or
    /// dropped. The generation can be brought up to date meanwhile, so that it is never behind the served one.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn begin_cut_over(&self) -> Result<CutOver, StoreError> {
        let mut transaction = begin_fenced(&self.pool, StoreError::database(ATTEMPT)).await?;
        lane_leases::stop_saves(&mut transaction).await?;
        Ok(CutOver { transaction, fence: self.fence.clone() })
    }
}

/// Cut-over that has begun: saves of stored rows wait for its end.
#[derive(Debug)]
pub struct CutOver {
    transaction: Transaction<'static, Postgres>,
    fence: Option<SaveFence>,
}

impl CutOver {
    /// Cuts over to a generation, together with its dead letters. Returns false if the generation is no longer waiting
    /// for the cut-over.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] if there is another coordinator; any other [`StoreError`] if the database cannot be
    /// reached or refuses the statement. Then either nothing or everything has changed.
    pub async fn finish(self, id: i32, names: &[&str]) -> Result<bool, StoreError> {
        let attempt = StoreError::database(ATTEMPT);
        let CutOver { mut transaction, fence } = self;
        // Retires the served generation before it is known that the new one can be served; rolled back if it cannot.
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
        adopt(&mut transaction, id).await?;
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
        if let Some(fence) = &fence {
            fence.confirm(&mut transaction, &[]).await?;
        }
        transaction.commit().await.map_err(attempt)?;
        Ok(true)
    }
}

/// Replaces the dead letters of the served generation by those of the generation that takes over. A letter present in
/// both keeps its time of discovery and its request for a retry.
async fn adopt(connection: &mut PgConnection, id: i32) -> Result<(), StoreError> {
    const STATEMENTS: [&str; 2] = [
        "delete from dead_letters d
        where projection = $2
        and not exists (
            select
            from generation_letters l
            where l.generation = $1
            and l.debate_id = d.debate_id
            and l.version = d.version
        )",
        "insert into dead_letters (projection, debate_id, version, lane, position, kind, reason, found_at, tried_at)
        select $2, debate_id, version, lane, position, kind, reason, found_at, found_at
        from generation_letters
        where generation = $1
        on conflict (projection, debate_id, version) do update
        set reason = excluded.reason",
    ];
    let attempt = StoreError::database("adopt the dead letters of a generation");
    for statement in STATEMENTS {
        sqlx::query(statement).bind(id).bind(DEBATES).execute(&mut *connection).await.map_err(&attempt)?;
    }
    let taken = sqlx::query("delete from generation_letters where generation = $1").bind(id).execute(connection);
    taken.await.map_err(attempt)?;
    Ok(())
}

fn left_out(row: Stored) -> SkippedEvent {
    SkippedEvent {
        debate: DebateId(row.debate_id),
        version: row.version,
        kind: row.kind,
        reason: row.reason,
        found_at: row.found_at,
        newly: row.newly,
    }
}
