//! Appends and reads as the log grows: at 2,000 and at 100,000 debates of 50 events, beside bare inserts into a table
//! of as many rows.

use std::time::{Duration, Instant};

use faultline_core::events::ids::DebateId;
use faultline_store::lanes::LANES;
use faultline_store::log::log::Log;
use futures_util::{StreamExt, stream};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Executor, Row};

use crate::appends::{bare_inserts, log_appends};
use crate::reads::scan;
use crate::stream::AppendSource;

/// Events per debate.
const EVENTS: usize = 50;
/// Debates that are appended concurrently while the log is filled.
const AT_ONCE: usize = 128;
/// Debates that are read, one after another, for one figure.
const READS: usize = 2_000;

/// Fills the log to each of these numbers of debates, and measures there.
pub async fn growth(log: &Log, options: &PgConnectOptions, sizes: &[usize], lasting: Duration) {
    println!(
        "\nas it grows         debates      events   MB log  1 caller x 1: bare  log   64 x 10: bare    log   \
        read a debate, us   scan/s   fill/s"
    );
    let mut debates: Vec<DebateId> = Vec::new();
    for size in sizes {
        let begun = Instant::now();
        let n_before = debates.len();
        debates.extend(fill(log, size.saturating_sub(debates.len())).await);
        let fill = ((debates.len() - n_before) * EVENTS) as f64 / begun.elapsed().as_secs_f64();
        fill_bare_table(log).await;
        log.pool().execute("vacuum analyze").await.expect("vacuum");
        let n_events: i64 = log.heads().await.expect("heads").iter().sum();
        let single = (bare_inserts(options, 1, 1, lasting).await, log_appends(log, 1, 1, lasting).await);
        let many = (bare_inserts(options, 64, 10, lasting).await, log_appends(log, 64, 10, lasting).await);
        let read = reads(log, &debates).await;
        let (_, scan) = scan(log, 1).await;
        println!(
            "{size:>27} {n_events:>11} {:>8} {:>19.0} {:>4.0} {:>15.0} {:>6.0} {:>19.0} {scan:>8.0} {fill:>8.0}",
            megabytes(log).await,
            single.0.rate(),
            single.1.rate(),
            many.0.rate(),
            many.1.rate(),
            read.as_secs_f64() * 1e6,
        );
    }
}

async fn fill(log: &Log, n_debates: usize) -> Vec<DebateId> {
    let appends = (0..n_debates).map(|_| {
        let append = AppendSource { length: EVENTS as i64, ..AppendSource::default() }.append(EVENTS);
        async move {
            let debate = append.debate;
            log.append(append).await.expect("append");
            debate
        }
    });
    stream::iter(appends).buffer_unordered(AT_ONCE).collect().await
}

/// Copies the rows of the log into the bare table.
async fn fill_bare_table(log: &Log) {
    for lane in 0..LANES {
        sqlx::query(
            "insert into bare (id, debate_id, version, kind, schema, body, recorded_at)
            select id, debate_id, version, kind, schema, body, recorded_at
            from events
            where lane = $1
            on conflict do nothing",
        )
        .bind(lane)
        .execute(log.pool())
        .await
        .expect("fill the bare table");
    }
}

/// Returns the mean time to read a whole debate, over debates from everywhere in the log.
async fn reads(log: &Log, debates: &[DebateId]) -> Duration {
    let begun = Instant::now();
    for n in 0..READS {
        // A stride that visits the debates in scattered order.
        let debate = debates[n * 7_919 % debates.len()];
        assert_eq!(log.read(debate, 0, 1_000).await.expect("read").len(), EVENTS);
    }
    begun.elapsed() / READS as u32
}

async fn megabytes(log: &Log) -> i64 {
    let row = sqlx::query("select pg_total_relation_size('events') / 1048576").fetch_one(log.pool()).await;
    row.expect("the table's size").get(0)
}
