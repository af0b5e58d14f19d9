//! Reads of the log, and waits for events in it.

use std::time::Duration;

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::log::log::Log;
use sqlx::PgPool;

use crate::support::statement_counter::StatementLog;
use crate::support::waiting::{with_timeout, within_limit};

/// Follows until at least `n` events have arrived.
pub async fn follow(follower: &mut Follower, n: usize) -> Vec<Recorded> {
    let mut seen = Vec::new();
    while seen.len() < n {
        let page = within_limit(follower.next()).await.expect("the log");
        assert!(!page.is_empty());
        seen.extend(page);
    }
    seen
}

/// Returns the versions of events.
pub fn versions(events: &[Recorded]) -> Vec<i64> {
    events.iter().map(|event| event.version).collect()
}

/// Returns the number of reads of events that the thread has sent since the last call.
pub fn count_reads(sent: &StatementLog) -> usize {
    let is_read =
        |statement: &&String| statement.contains("with k as materialized") || statement.contains("select e.lane");
    sent.take().iter().filter(is_read).count()
}

/// Returns the number of rows of events that statements have read so far, by any index or without.
pub async fn rows_read(pool: &PgPool) -> i64 {
    // Sessions report their counts after a second.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    sqlx::query_scalar(
        "select (coalesce(sum(seq_tup_read), 0) + coalesce(sum(idx_tup_fetch), 0))::bigint
        from pg_stat_user_tables where relname like 'events%'",
    )
    .fetch_one(pool)
    .await
    .expect("the statistics")
}

/// Reads all events of a debate.
pub async fn read_all_events(log: &Log, debate: DebateId) -> Vec<Recorded> {
    log.read(debate, 0, faultline_store::log::log::MAX_PAGE).await.expect("read")
}

/// Waits for an event of a debate that satisfies `is_such`; returns all events up to it.
pub async fn wait_for_event(
    log: &Log,
    tail: &Tail,
    debate: DebateId,
    is_such: impl Fn(&Event) -> bool,
) -> Vec<Recorded> {
    let mut follower = Follower::of_debate(log, tail, debate, 0);
    let mut events = Vec::new();
    with_timeout(&format!("debate {debate}"), async {
        loop {
            for recorded in follower.next().await.expect("read") {
                let found = is_such(&recorded.event);
                events.push(recorded);
                if found {
                    return;
                }
            }
        }
    })
    .await;
    events
}

/// Waits until a debate has ended; returns all its events.
pub async fn wait_for_end(log: &Log, tail: &Tail, debate: DebateId) -> Vec<Recorded> {
    wait_for_event(log, tail, debate, |event| matches!(event, Event::DebateConcluded(_) | Event::DebateAborted(_)))
        .await
}
