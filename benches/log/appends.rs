//! Appends by concurrent callers, beside bare inserts of the same rows by as many callers: one statement and one
//! transaction per append. The bare insert has no lanes, no order, no hash chain and no idempotency, and each caller
//! has a connection of its own.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use faultline_core::events::wire;
use faultline_store::follow::follower::MAX_LOG_PAGE;
use faultline_store::lanes::Cursor;
use faultline_store::log::append::Append;
use faultline_store::log::log::Log;
use futures_util::future::join_all;
use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgConnection};

use crate::measure::{Measured, measure};
use crate::stream::AppendSource;

/// Numbers of callers, and of events per append.
const LOADS: &[(usize, usize)] = &[(1, 1), (8, 1), (1, 10), (8, 10), (64, 1), (64, 10), (256, 1), (256, 10)];
/// Greatest number of connections of the bare insert, within the default limit of a server.
const CONNECTIONS: usize = 64;

/// Table of the bare insert.
pub const BARE: &str = "
    create table bare (
        id uuid not null,
        debate_id uuid not null,
        version bigint not null,
        kind text not null,
        schema smallint not null,
        body bytea not null,
        recorded_at timestamptz not null default clock_timestamp(),
        constraint bare_pkey primary key (debate_id, version)
    )";

/// Measures all loads, one after another.
pub async fn appends(log: &Log, options: &PgConnectOptions, lasting: Duration) {
    println!(
        "appends, events/s          callers  events each       bare        log   log/bare   events a commit   server CPU an event, us: bare   log
(the bare insert of 256 callers has {CONNECTIONS} connections)"
    );
    for (callers, size) in LOADS {
        // Alternating, so that other load on the machine affects both.
        let before = log.heads().await.expect("heads");
        let (mut bare, mut ours) = (Measured::default(), Measured::default());
        for _ in 0..2 {
            bare.add(bare_inserts(options, (*callers).min(CONNECTIONS), *size, lasting / 2).await);
            ours.add(log_appends(log, *callers, *size, lasting / 2).await);
        }
        let commit = events_a_commit(log, Cursor::from_heads(before)).await;
        println!(
            "{:>34} {:>12} {:>10.0} {:>10.0} {:>10.2} {:>17.1} {:>36.0} {:>5.0}",
            callers,
            size,
            bare.rate(),
            ours.rate(),
            ours.rate() / bare.rate(),
            commit,
            bare.cpu_micros(),
            ours.cpu_micros()
        );
    }
}

/// Returns the mean number of events per commit.
async fn events_a_commit(log: &Log, mut cursor: Cursor) -> f64 {
    let (mut commits, mut n_events) = (HashSet::new(), 0);
    loop {
        let (events, reached) = log.read_all(&cursor, MAX_LOG_PAGE).await.expect("read");
        if events.is_empty() {
            return n_events as f64 / commits.len() as f64;
        }
        n_events += events.len();
        commits.extend(events.iter().map(|recorded| recorded.at));
        cursor = reached;
    }
}

/// Measures appends to the log by concurrent callers.
pub async fn log_appends(log: &Log, callers: usize, size: usize, lasting: Duration) -> Measured {
    let pids = backends(log).await;
    let work = (0..callers).map(|_| {
        let log = log.clone();
        move |n_events: Arc<AtomicU64>, deadline: Instant| {
            tokio::spawn(async move {
                let mut stream = AppendSource::default();
                while Instant::now() < deadline {
                    let append = stream.append(size);
                    n_events.fetch_add(append.events.len() as u64, Ordering::Relaxed);
                    log.append(append).await.expect("append");
                }
            })
        }
    });
    measure(work, pids, lasting).await
}

/// Measures bare inserts by concurrent callers.
pub async fn bare_inserts(options: &PgConnectOptions, callers: usize, size: usize, lasting: Duration) -> Measured {
    let mut connections: Vec<PgConnection> = join_all((0..callers).map(|_| options.connect()))
        .await
        .into_iter()
        .map(|connection| connection.expect("connect"))
        .collect();
    let mut pids = Vec::new();
    for connection in &mut connections {
        pids.push(sqlx::query_scalar("select pg_backend_pid()").fetch_one(connection).await.expect("pid"));
    }
    let work = connections.into_iter().map(|mut connection| {
        move |n_events: Arc<AtomicU64>, deadline: Instant| {
            tokio::spawn(async move {
                let mut stream = AppendSource::default();
                while Instant::now() < deadline {
                    let append = stream.append(size);
                    n_events.fetch_add(append.events.len() as u64, Ordering::Relaxed);
                    insert(&mut connection, &append).await;
                }
            })
        }
    });
    measure(work, pids, lasting).await
}

async fn insert(connection: &mut PgConnection, append: &Append) {
    let stored: Vec<wire::EncodedEvent> = append.events.iter().map(|entry| wire::encode(&entry.event)).collect();
    sqlx::query(
        "insert into bare (id, debate_id, version, kind, schema, body)
        select id, $2, $3 + place, kind, schema, body
        from unnest($1::uuid[], $4::text[], $5::smallint[], $6::bytea[])
            with ordinality as new (id, kind, schema, body, place)",
    )
    .bind(append.events.iter().map(|entry| entry.id).collect::<Vec<_>>())
    .bind(append.debate.0)
    .bind(append.expected)
    .bind(stored.iter().map(|encoded| encoded.kind.as_str()).collect::<Vec<_>>())
    .bind(stored.iter().map(|encoded| encoded.schema).collect::<Vec<_>>())
    .bind(stored.iter().map(|encoded| encoded.body.as_slice()).collect::<Vec<_>>())
    .execute(connection)
    .await
    .expect("insert");
}

/// Returns the process ids of the backends that write to this database.
async fn backends(log: &Log) -> Vec<i32> {
    for _ in 0..64 {
        // After this append, every writer has its connection.
        log.append(AppendSource::default().append(1)).await.expect("append");
    }
    sqlx::query_scalar(
        "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    )
    .fetch_all(log.pool())
    .await
    .expect("list backends")
}
