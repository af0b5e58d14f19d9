//! Announces growth of the log to other processes through Postgres `NOTIFY`, with one notification for many commits.
//!
//! Notifications are sent after the commit, never inside it: Postgres lets only one notifying transaction commit at a
//! time, which would halve the write throughput. One task sends the heads that have accumulated while it sent the
//! previous ones; appends never wait for it. A notification contains lanes and positions and no event data. It may be
//! lost, so readers also poll.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::Notify;

use crate::error::StoreError;
use crate::lanes::LANES;

/// Name of the notification channel.
pub(crate) const CHANNEL: &str = "faultline_log";

/// Minimum time between two notifications. The first one after an idle period goes out at once.
const MIN_REST: Duration = Duration::from_millis(1);

/// Wait after a notification that could not be sent.
const PAUSE: Duration = Duration::from_millis(500);

/// Collects the heads of lanes that have grown and announces them from a background task, which ends with this value.
#[derive(Debug)]
pub(crate) struct Announcer {
    told: Arc<Told>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Told {
    heads: Mutex<BTreeMap<i16, i64>>,
    bell: Notify,
}

impl Announcer {
    /// Starts the background task.
    pub(crate) fn start(pool: PgPool) -> Self {
        let told = Arc::new(Told::default());
        let task = tokio::spawn(announce(pool, Arc::clone(&told)));
        Announcer { told, task }
    }

    /// Queues the heads of these lanes to be announced soon.
    pub(crate) fn notify(&self, heads: impl IntoIterator<Item = (i16, i64)>) {
        self.told.raise(heads);
        self.told.bell.notify_one();
    }
}

impl Drop for Announcer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Told {
    fn raise(&self, heads: impl IntoIterator<Item = (i16, i64)>) {
        let mut known = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        for (lane, head) in heads {
            let known = known.entry(lane).or_default();
            *known = head.max(*known);
        }
    }

    fn take(&self) -> BTreeMap<i16, i64> {
        std::mem::take(&mut *self.heads.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn announce(pool: PgPool, told: Arc<Told>) {
    loop {
        told.bell.notified().await;
        let heads = told.take();
        if heads.is_empty() {
            continue;
        }
        if let Err(fault) = send(&pool, &spell(&heads)).await {
            tracing::debug!(%fault, "cannot notify other processes of new events, trying again");
            told.raise(heads);
            tokio::time::sleep(PAUSE).await;
            told.bell.notify_one();
        }
        tokio::time::sleep(MIN_REST).await;
    }
}

async fn send(pool: &PgPool, heads: &str) -> Result<(), StoreError> {
    // The commit of a notification need not be durable: after a crash no session is listening any more.
    sqlx::query("select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)")
        .bind(CHANNEL)
        .bind(heads)
        .execute(pool)
        .await
        .map_err(StoreError::database("notify other processes of new events"))?;
    Ok(())
}

/// Encodes heads as the payload of a notification: `3:1841,7:22`.
fn spell(heads: &BTreeMap<i16, i64>) -> String {
    let mut text = String::new();
    for (lane, head) in heads {
        let comma = if text.is_empty() { "" } else { "," };
        write!(text, "{comma}{lane}:{head}").expect("writing to a string cannot fail");
    }
    text
}

/// Parses the payload of a notification; `None` if it is malformed or names an unknown lane.
pub(crate) fn parse_payload(payload: &str) -> Option<Vec<(i16, i64)>> {
    let head = |field: &str| {
        let (lane, head) = field.split_once(':')?;
        let lane = lane.parse().ok().filter(|lane| (0..LANES).contains(lane))?;
        Some((lane, head.parse().ok()?))
    };
    payload.split(',').map(head).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_payload_round_trips() {
        let heads = BTreeMap::from([(0, 1), (15, i64::MAX)]);
        assert_eq!(spell(&heads), "0:1,15:9223372036854775807");
        assert_eq!(parse_payload(&spell(&heads)), Some(heads.into_iter().collect()));
    }

    #[test]
    fn malformed_payloads_are_rejected() {
        for payload in ["", "hello", "1", "1:", "16:1", "-1:1", "1:2,", "1:2;3:4"] {
            assert_eq!(parse_payload(payload), None, "{payload:?}");
        }
    }
}
