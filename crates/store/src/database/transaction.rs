//! Start of transactions that survives cancellation.

use sqlx::{PgPool, Postgres, Transaction};

/// Begins a transaction on a connection of the pool.
///
/// A future may be dropped while it waits, as when a client hangs up or a runner is stopped. The driver rolls back only
/// transactions whose start it has seen: one that is dropped between the two would leave its connection in the pool with
/// an open transaction, and statements on it that seem to succeed would never be committed. So the start runs in a task
/// of its own, which always comes to its end: a transaction that nobody waits for any more is rolled back.
///
/// # Errors
/// An error of the driver if no connection can be had or the server refuses to begin.
pub async fn begin(pool: &PgPool) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    let pool = pool.clone();
    // A task that panicked has begun nothing.
    let begun = tokio::spawn(async move { pool.begin().await });
    begun.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}
