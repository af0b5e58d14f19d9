//! Cleaning behind an erasure: what deleted rows leave in pages, in the planner's statistics and in the write-ahead log.
//!
//! An erasure holds from its commit on. This is about who reads the server's files: the table of keys is rewritten, rows are
//! vacuumed, statistics are made anew or dropped, and the write-ahead log goes on in new segments until those that carried the
//! key are removed. It can be broken off at any point, and be done again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::{Executor, PgConnection};
use tokio::sync::Mutex;
use tokio::time::sleep;

use crate::store::fault::Fault;
use crate::store::log::Log;
use crate::store::pool::dedicated;

/// The tables from which an erasure deletes rows.
const EMPTIED: &[&str] = &[
    "views",
    "debates",
    "cruxes",
    "disputes",
    "casts",
    "questions",
    "question_vectors",
    "question_pairs",
    "dead_letters",
    "generation_letters",
    "personas",
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
/// Requests to the server to go on in a new segment of its write-ahead log, at most.
const SWITCHES: u32 = 20;
/// Pause between two of these.
const PAUSE: Duration = Duration::from_millis(250);
/// `insufficient_privilege`.
const NOT_ALLOWED: &str = "42501";
/// The first version whose statistics can be dropped by themselves.
const CLEARS_STATISTICS: i32 = 180_000;

/// Remains in the server's files, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Left {
    /// Statistics of a table that has become empty.
    #[error(
        "the planner's statistics of {0} may hold words of what was erased until rows are written there again: the server \
         is older than PostgreSQL 18"
    )]
    Statistics(String),
    /// Segments of the write-ahead log that the server keeps.
    #[error(
        "the write-ahead log up to segment {0} holds the key still: the server keeps it for an archive, a replica or a \
         setting (wal_keep_size, replication slots)"
    )]
    Kept(String),
    /// Segments of the write-ahead log that the server writes over, in its own time.
    #[error("segments of the write-ahead log that hold the key are written over in time: wal_recycle is on")]
    Recycled,
    /// The role may not have the write-ahead log go on.
    #[error(
        "the write-ahead log holds the key until its segments are removed or written over: the database's role may not run \
         pg_switch_wal, checkpoint and pg_ls_waldir (grant it pg_checkpoint and pg_monitor, and execute on pg_switch_wal)"
    )]
    NotAllowed,
}

/// The turns of cleaning: one at a time, and one for all who asked before it began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scrubs {
    turn: Arc<Mutex<()>>,
    n_begun: Arc<AtomicU64>,
    /// The number of the last one that was done whole.
    done: Arc<AtomicU64>,
}

impl Log {
    /// Cleans the space that deleted rows took, what the planner noted of them, the table of keys and the write-ahead log;
    /// readers wait for some of it, for a moment. Who asks while it is done shares the next one. Returns what is left.
    ///
    /// # Errors
    /// The database's. What was erased is erased all the same.
    pub async fn scrub(&self) -> Result<Vec<Left>, Fault> {
        let scrubs = self.scrubs();
        let n_before = scrubs.n_begun.load(Ordering::Acquire);
        let _turn = scrubs.turn.lock().await;
        // One that began after this was asked for, and was done: it told what is left.
        if scrubs.done.load(Ordering::Acquire) > n_before {
            return Ok(Vec::new());
        }
        let number = scrubs.n_begun.fetch_add(1, Ordering::AcqRel) + 1;
        let attempt = Fault::database("clean the space of what was erased");
        let mut connection = dedicated(self.pool(), "scrubbing").await?;
        connection.execute("set lock_timeout = '5s'; set statement_timeout = 0").await.map_err(&attempt)?;
        let keys = self.scrub_keys().await;
        let rows = clean_rows(&mut connection).await;
        // Whatever became of those: what the log has carried until now leaves with its segments.
        let segments = leave_log_behind(&mut connection).await;
        keys?;
        let left = rows.map_err(&attempt)?.into_iter().chain(segments.map_err(&attempt)?).collect();
        scrubs.done.store(number, Ordering::Release);
        Ok(left)
    }
}

/// Cleans the pages of deleted rows and what the planner noted of them.
async fn clean_rows(connection: &mut PgConnection) -> Result<Option<Left>, sqlx::Error> {
    let vacuum = format!("vacuum (analyze) {}", EMPTIED.join(", "));
    connection.execute(sqlx::AssertSqlSafe(vacuum)).await?;
    let left = drop_statistics(connection).await?;
    // Where the role may not, the server says so and leaves it.
    connection.execute("vacuum (full) pg_statistic").await?;
    Ok(left)
}

/// Drops the statistics of tables that are empty: analysing them would leave those of before.
async fn drop_statistics(connection: &mut PgConnection) -> Result<Option<Left>, sqlx::Error> {
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
        return Ok(Some(Left::Statistics(empty.join(", "))));
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

/// Has the server go on in new segments of its write-ahead log until all of now are removed.
async fn leave_log_behind(connection: &mut PgConnection) -> Result<Option<Left>, sqlx::Error> {
    match switch_log(connection).await {
        Err(sqlx::Error::Database(why)) if why.code().as_deref() == Some(NOT_ALLOWED) => Ok(Some(Left::NotAllowed)),
        other => other,
    }
}

async fn switch_log(connection: &mut PgConnection) -> Result<Option<Left>, sqlx::Error> {
    let last: String =
        sqlx::query_scalar("select pg_walfile_name(pg_current_wal_insert_lsn())").fetch_one(&mut *connection).await?;
    for _ in 0..SWITCHES {
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
            return Ok(recycles.then_some(Left::Recycled));
        }
        sleep(PAUSE).await;
    }
    Ok(Some(Left::Kept(last)))
}
