//! Deletes the rows of generations that are no longer needed.

use std::time::Duration;

use crate::error::StoreError;
use crate::generations::generations::Generations;
use crate::views::views::DEBATES;

/// Number of rows deleted by one statement.
const DROPPED_AT_ONCE: i64 = 5_000;

impl Generations {
    /// Returns the generations whose rows are due for deletion: rejected ones, and those retired at least `grace` ago.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn due(&self, grace: Duration) -> Result<Vec<i32>, StoreError> {
        sqlx::query_scalar(
            "select generation
            from generations
            where state = 'rejected'
            or state = 'retired' and retired_at + make_interval(secs => $1) <= clock_timestamp()
            order by generation",
        )
        .bind(grace.as_secs_f64())
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("list the generations to drop"))
    }

    /// Deletes all rows of a generation and its progress, a few thousand rows per statement, and marks the generation
    /// as dropped. Can be repeated after a crash.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn drop_rows(&self, id: i32) -> Result<(), StoreError> {
        const CRUXES: &str = "
            delete from cruxes
            where generation = $1
            and (debate_id, key) in (select debate_id, key from cruxes where generation = $1 limit $2)";
        const DISPUTES: &str = "
            delete from disputes
            where generation = $1
            and (debate_id, key) in (select debate_id, key from disputes where generation = $1 limit $2)";
        const LINES: &str = "
            delete from debates
            where generation = $1
            and debate_id in (select debate_id from debates where generation = $1 limit $2)";
        const VIEWS: &str = "
            delete from views
            where generation = $1
            and (projection, debate_id) in (
                select projection, debate_id from views where projection = $3 and generation = $1 limit $2
            )
            and projection = $3";
        let attempt = StoreError::database("drop a generation");
        // First, so that saves that are under way end before their rows are deleted, and later ones are refused.
        sqlx::query("delete from generation_lanes where generation = $1")
            .bind(id)
            .execute(&self.pool)
            .await
            .map_err(&attempt)?;
        for statement in [CRUXES, DISPUTES, LINES] {
            let some = || sqlx::query(statement).bind(id).bind(DROPPED_AT_ONCE).execute(&self.pool);
            while some().await.map_err(&attempt)?.rows_affected() > 0 {}
        }
        let names: Vec<String> = sqlx::query_scalar("select distinct projection from views where generation = $1")
            .bind(id)
            .fetch_all(&self.pool)
            .await
            .map_err(&attempt)?;
        for name in &names {
            let some = || sqlx::query(VIEWS).bind(id).bind(DROPPED_AT_ONCE).bind(name).execute(&self.pool);
            while some().await.map_err(&attempt)?.rows_affected() > 0 {}
        }
        sqlx::query(
            "with checkpoint_of_an_earlier_version as (
                delete from checkpoints
                where name = $2
                and revision = $1
            ),
            letters as (
                delete from generation_letters
                where generation = $1
            )
            update generations
            set state = 'dropped', dropped_at = clock_timestamp()
            where generation = $1
            and state in ('rejected', 'retired')",
        )
        .bind(id)
        .bind(DEBATES)
        .execute(&self.pool)
        .await
        .map_err(attempt)?;
        Ok(())
    }
}
