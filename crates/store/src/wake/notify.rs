//! Announces growth of the log to other processes through Postgres `NOTIFY`, with one notification for many commits.
//!
//! Notifications are sent after the commit, never inside it: Postgres lets only one notifying transaction commit at a
//! time, which would halve the write throughput. One task sends the heads that have accumulated while it sent the
//! previous ones; appends never wait for it. A notification contains lanes, positions, and the debates that have grown,
//! and no event data. It may be lost, so readers also poll.

use std::collections::BTreeMap;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::error::StoreError;
use crate::lanes::{LANES, lane_of};
use crate::wake::watermarks::Growth;
use faultline_core::events::ids::DebateId;

/// Name of the notification channel.
pub(crate) const CHANNEL: &str = "faultline_log";

/// Minimum time between two notifications. The first one after an idle period goes out at once.
const MIN_REST: Duration = Duration::from_millis(1);

/// Maximum number of appends that a notification names, whose payload is limited to 8,000 bytes.
const MAX_GROWTHS: usize = 60;

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
    news: Mutex<News>,
    bell: Notify,
}

/// Growth of the log, as a notification tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// Newest positions of lanes.
    pub(crate) heads: BTreeMap<i16, i64>,
    /// Appends to debates, as far as they fit. Readers look up the others.
    pub(crate) growths: Vec<Growth>,
}

impl Announcer {
    /// Starts the background task.
    pub(crate) fn start(pool: PgPool) -> Self {
        let told = Arc::new(Told::default());
        let task = tokio::spawn(announce(pool, Arc::clone(&told)));
        Announcer { told, task }
    }

    /// Queues these appends to be announced soon.
    pub(crate) fn notify(&self, growths: &[Growth]) {
        self.told.news().extend(growths);
        self.told.bell.notify_one();
    }
}

impl Drop for Announcer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Told {
    fn news(&self) -> MutexGuard<'_, News> {
        // No operation under the lock can leave the news inconsistent.
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl News {
    fn merge(&mut self, other: &News) {
        self.extend(&other.growths);
        for (lane, head) in &other.heads {
            let known = self.heads.entry(*lane).or_default();
            *known = (*known).max(*head);
        }
    }

    fn extend(&mut self, growths: &[Growth]) {
        for growth in growths {
            let head = self.heads.entry(lane_of(growth.debate)).or_default();
            *head = growth.positions.1.max(*head);
            if self.growths.len() < MAX_GROWTHS {
                self.growths.push(*growth);
            }
        }
    }
}

async fn announce(pool: PgPool, told: Arc<Told>) {
    loop {
        told.bell.notified().await;
        let news = take(&mut *told.news());
        if news.heads.is_empty() {
            continue;
        }
        if let Err(fault) = send(&pool, &spell(&news)).await {
            tracing::debug!(%fault, "cannot notify other processes of new events, trying again");
            told.news().merge(&news);
            tokio::time::sleep(PAUSE).await;
            told.bell.notify_one();
        }
        tokio::time::sleep(MIN_REST).await;
    }
}

async fn send(pool: &PgPool, payload: &str) -> Result<(), StoreError> {
    // The commit of a notification need not be durable: after a crash no session is listening any more.
    sqlx::query("select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)")
        .bind(CHANNEL)
        .bind(payload)
        .execute(pool)
        .await
        .map_err(StoreError::database("notify other processes of new events"))?;
    Ok(())
}

/// Encodes news as the payload of a notification: `3:1841,7:22` for heads, and for every append a field of lane, last and
/// first position, version and debate, which an earlier version of this program takes as a request to poll.
fn spell(news: &News) -> String {
    let mut fields: Vec<String> = news.heads.iter().map(|(lane, head)| format!("{lane}:{head}")).collect();
    fields.extend(news.growths.iter().map(|Growth { debate, version, positions: (first, last) }| {
        format!("{}:{last}:{first}:{version}:{}", lane_of(*debate), debate.0.simple())
    }));
    fields.join(",")
}

/// Parses the payload of a notification; `None` if it is malformed or names an unknown lane.
pub(crate) fn parse_payload(payload: &str) -> Option<News> {
    let mut news = News::default();
    for field in payload.split(',') {
        let parts: Vec<&str> = field.split(':').collect();
        match parts[..] {
            [lane, head] => {
                let lane = lane.parse().ok().filter(|lane| (0..LANES).contains(lane))?;
                news.heads.insert(lane, head.parse().ok()?);
            }
            [_, last, first, version, debate] => {
                let debate = DebateId(Uuid::try_parse(debate).ok()?);
                let positions = (first.parse().ok()?, last.parse().ok()?);
                news.growths.push(Growth { debate, version: version.parse().ok()?, positions });
            }
            _ => return None,
        }
    }
    Some(news)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debate(n: u128) -> DebateId {
        DebateId(Uuid::from_u128(n))
    }

    #[test]
    fn a_notification_payload_round_trips() {
        let heads = BTreeMap::from([(0, 1), (15, i64::MAX)]);
        let news = News { heads, growths: vec![] };
        assert_eq!(spell(&news), "0:1,15:9223372036854775807");
        assert_eq!(parse_payload(&spell(&news)), Some(news));
        let mut news = News::default();
        news.extend(&[Growth { debate: debate(1), version: 7, positions: (20, 22) }]);
        assert_eq!(spell(&news), "9:22,9:22:20:7:00000000000000000000000000000001");
        assert_eq!(parse_payload(&spell(&news)), Some(news));
    }

    #[test]
    fn a_payload_fits_whatever_was_appended() {
        let mut news = News::default();
        for n in 0..5_000 {
            news.extend(&[Growth { debate: debate(n), version: i64::MAX, positions: (i64::MAX, i64::MAX) }]);
        }
        assert_eq!((news.heads.len(), news.growths.len()), (16, MAX_GROWTHS));
        assert!(spell(&news).len() < 8_000, "{} bytes", spell(&news).len());
    }

    #[test]
    fn malformed_payloads_are_rejected() {
        for payload in ["", "hello", "1", "1:", "16:1", "-1:1", "1:2,", "1:2;3:4", "9:2:1:1:x", "9:2:1:1", "9:2:x:1:01"]
        {
            assert_eq!(parse_payload(payload), None, "{payload:?}");
        }
    }
}
