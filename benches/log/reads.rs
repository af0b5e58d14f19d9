//! Reads of the whole log in order, decoded into events, beside bare reads of the bytes of the same rows.

use std::time::Instant;

use faultline_store::lanes::{Cursor, Heads, LANES};
use faultline_store::log::log::Log;
use futures_util::TryStreamExt;
use futures_util::future::join_all;
use sqlx::Row;

/// Events per page.
const PAGE: i64 = 5_000;

/// Measures one reader, and two readers with half of the lanes each.
pub async fn reads(log: &Log) {
    println!("\nread back in order, events/s     readers      events       rate   rate/bare");
    let bare = bare(log).await;
    println!("{:>41} {:>11} {:>10.0}", "bytes only, 1", bare.0, bare.1);
    for readers in [1, 2] {
        let (n_events, rate) = scan(log, readers).await;
        println!("{readers:>41} {n_events:>11} {rate:>10.0} {:>11.2}", rate / bare.1);
    }
}

/// Reads the log with this many readers. Returns the number of events, and the events per second.
pub async fn scan(log: &Log, readers: i16) -> (usize, f64) {
    let heads = log.heads().await.expect("heads");
    let begun = Instant::now();
    let parts = (0..readers).map(|reader| {
        let mut own: Heads = heads;
        (0..LANES).filter(|lane| lane % readers != reader).for_each(|lane| own[lane as usize] = 0);
        tokio::spawn(part(log.clone(), own))
    });
    let n_events = join_all(parts).await.into_iter().map(|part| part.expect("a reader")).sum();
    (n_events, n_events as f64 / begun.elapsed().as_secs_f64())
}

async fn part(log: Log, heads: Heads) -> usize {
    let (mut cursor, mut n_events) = (Cursor::default(), 0);
    loop {
        let (events, reached) = log.read_to(&cursor, &heads, PAGE).await.expect("read");
        if events.is_empty() {
            return n_events;
        }
        n_events += events.len();
        cursor = reached;
    }
}

/// Reads the same columns of the same rows in one statement, without decoding: the limit of server and connection for
/// one reader.
async fn bare(log: &Log) -> (usize, f64) {
    let begun = Instant::now();
    let mut rows = sqlx::query(
        "select lane, position, debate_id, version, id, kind, schema, body, caused_by, recorded_at
        from events
        order by lane, position",
    )
    .fetch(log.pool());
    let (mut n_events, mut n_bytes) = (0, 0);
    while let Some(row) = rows.try_next().await.expect("read") {
        n_bytes += row.get::<&[u8], _>(7).len();
        n_events += 1;
    }
    assert!(n_bytes > n_events);
    (n_events, n_events as f64 / begun.elapsed().as_secs_f64())
}
