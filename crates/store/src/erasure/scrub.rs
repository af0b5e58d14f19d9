//! Cleans up after an erasure: traces of deleted rows in pages, in planner statistics and in the write-ahead log.
//!
//! An erasure takes effect at its commit. The clean-up protects against readers of the server's files: it rewrites the
//! table of keys, vacuums the tables, renews or drops statistics, and switches write-ahead log segments until those
//! that contained the key are removed. It can be interrupted at any point and repeated.

use std::time::Duration;

use sqlx::{Executor, PgConnection};
use tokio::time::sleep;

use crate::database::pool::dedicated;
use crate::error::StoreError;
use crate::log::log::Log;

/// Tables from which an erasure deletes rows.
const EMPTIED: &[&str] = &[
    "views",
    "debates",
    "cruxes",
    "disputes",
    "casts",
    "questions",
    "question_vectors",
    "shard_question_vectors",
    "deleted_questions",
    "question_pairs",
    "dead_letters",
    "generation_letters",
    "personas",
    "corpus_owners",
    "persona_versions",
    "documents",
    "chunks",
    "chunk_vectors",
    "sentences",
    "sentence_vectors",
    "sources",
    "shelves",
    "word_counts",
];
/// Maximum number of switches to a new segment of the write-ahead log.
const MAX_SWITCHES: u32 = 20;
/// Pause between two switches.
const PAUSE: Duration = Duration::from_millis(250);
/// SQLSTATE of `insufficient_privilege`.
const NOT_ALLOWED: &str = "42501";
/// First server version that can clear the statistics of a column.
const CLEARS_STATISTICS: i32 = 180_000;

/// Traces that remain in the server's files, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Residue {
    /// Statistics of a table that has become empty.
    #[error(
        "the planner statistics of {0} may contain erased words until rows are written there again: the server is \
         older than PostgreSQL 18"
    )]
    Statistics(String),
    /// Segments of the write-ahead log that the server retains.
    #[error(
        "the write-ahead log up to segment {0} still contains the key: the server retains it for an archive, a replica \
         or a setting (wal_keep_size, replication slots)"
    )]
    WalRetained(String),
    /// Segments of the write-ahead log that the server will overwrite later.
    #[error("write-ahead log segments that contain the key remain until the server overwrites them: wal_recycle is on")]
    WalRecycled,
    /// The database role may not switch write-ahead log segments.
    #[error(
        "the write-ahead log contains the key until its segments are removed or overwritten, because the database role \
         may not run pg_switch_wal, checkpoint and pg_ls_waldir (grant it pg_checkpoint and pg_monitor, and execute on \
         pg_switch_wal)"
    )]
    NotAllowed,
}

impl Log {
    /// Cleans the space of deleted rows, their planner statistics, the table of keys and the write-ahead log. Readers
    /// may wait for a moment while a table is locked. Callers that arrive during a run share the next one. Returns the
    /// traces that remain.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached, refuses a statement or does not grant a lock within 5 s. The
    /// erasure itself stays in effect.
    pub async fn scrub(&self) -> Result<Vec<Residue>, StoreError> {
        // A run that began after this call may have completed; it reported the remaining traces.
        let Some(run) = self.scrubs().start().await else { return Ok(Vec::new()) };
        let attempt = StoreError::database("clean up after an erasure");
        let keys = self.scrub_keys().await;
        let mut left = Vec::new();
        for pool in self.shards().pools() {
            let mut connection = dedicated(pool, "scrubbing").await?;
            connection.execute("set lock_timeout = '5s'; set statement_timeout = 0").await.map_err(&attempt)?;
            let rows = clean_rows(&mut connection).await;
            // Runs even if the steps before failed, so that the log written so far goes away with its segments.
            let segments = leave_log_behind(&mut connection).await;
            left.extend(rows.map_err(&attempt)?.into_iter().chain(segments.map_err(&attempt)?));
        }
        keys?;
        run.complete();
        Ok(left)
    }
}

/// Cleans the pages of deleted rows and their planner statistics.
async fn clean_rows(connection: &mut PgConnection) -> Result<Option<Residue>, sqlx::Error> {
    let vacuum = format!("vacuum (analyze) {}", EMPTIED.join(", "));
    connection.execute(sqlx::AssertSqlSafe(vacuum)).await?;
    let left = drop_statistics(connection).await?;
    // Without the privilege the server warns and skips the table.
    connection.execute("vacuum (full) pg_statistic").await?;
    Ok(left)
}

/// Drops the statistics of empty tables, which `analyze` would leave as they were.
async fn drop_statistics(connection: &mut PgConnection) -> Result<Option<Residue>, sqlx::Error> {
    let version: i32 =
        sqlx::query_scalar("select current_setting('server_version_num')::int").fetch_one(&mut *connection).await?;
    let empty: Vec<String> = sqlx::query_scalar(
        "select distinct s.tablename::text
        from pg_stats s
        join pg_class c on c.oid = format('%I.%I', s.schemaname, s.tablename)::regclass
        where s.schemaname = current_schema()
        and s.tablename = any ($1)
        and c.reltuples = 0
        order by 1",
    )
    .bind(EMPTIED)
    .fetch_all(&mut *connection)
    .await?;
    if empty.is_empty() {
        return Ok(None);
    }
    if version < CLEARS_STATISTICS {
        return Ok(Some(Residue::Statistics(empty.join(", "))));
    }
    sqlx::query(
        "select pg_clear_attribute_stats(schemaname, tablename, attname, inherited)
        from pg_stats
        where schemaname = current_schema()
        and tablename = any ($1)",
    )
    .bind(empty)
    .execute(connection)
    .await?;
    Ok(None)
}

/// Switches segments of the write-ahead log until all segments in use now are removed.
async fn leave_log_behind(connection: &mut PgConnection) -> Result<Option<Residue>, sqlx::Error> {
    match switch_log(connection).await {
        Err(sqlx::Error::Database(why)) if why.code().as_deref() == Some(NOT_ALLOWED) => Ok(Some(Residue::NotAllowed)),
        other => other,
    }
}

async fn switch_log(connection: &mut PgConnection) -> Result<Option<Residue>, sqlx::Error> {
    let last: String =
        sqlx::query_scalar("select pg_walfile_name(pg_current_wal_insert_lsn())").fetch_one(&mut *connection).await?;
    for _ in 0..MAX_SWITCHES {
        connection.execute("select pg_switch_wal()").await?;
        connection.execute("checkpoint").await?;
        let is_there: bool = sqlx::query_scalar(
            "select exists (select from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$' and name <= $1)",
        )
        .bind(&last)
        .fetch_one(&mut *connection)
        .await?;
        if !is_there {
            let recycles: bool =
                sqlx::query_scalar("select current_setting('wal_recycle')::boolean").fetch_one(connection).await?;
            return Ok(recycles.then_some(Residue::WalRecycled));
        }
        sleep(PAUSE).await;
    }
    Ok(Some(Residue::WalRetained(last)))
}
