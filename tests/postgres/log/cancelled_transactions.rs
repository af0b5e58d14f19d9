//! Transactions whose start is cancelled: nothing stays open on the connection that goes back to the pool.

use std::time::Duration;

use faultline_store::database::transaction::begin;
use sqlx::Executor;
use sqlx::postgres::PgPoolOptions;
use tokio::time::timeout;

use crate::support::database::migrated_database;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_after_a_cancelled_start_is_committed() {
    const STARTS: i64 = 40;
    let database = migrated_database().await;
    let pool = PgPoolOptions::new().max_connections(1).connect_with(database.options.clone()).await.expect("a pool");
    pool.execute("create table kept (n bigint)").await.expect("a table");
    for n in 0..STARTS {
        // Dropped before, while and after the server answers.
        let limit = Duration::from_micros(u64::try_from(n).unwrap_or_default() * 25);
        drop(timeout(limit, begin(&pool)).await);
        sqlx::query("insert into kept values ($1)").bind(n).execute(&pool).await.expect("a row");
    }
    // Only another connection shows what was committed.
    let kept: i64 = sqlx::query_scalar("select count(*) from kept").fetch_one(&database.pool).await.expect("a count");
    assert_eq!(kept, STARTS);
    pool.close().await;
}
