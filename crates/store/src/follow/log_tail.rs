//! Log tail: learns of growth of the log from all processes, and wakes the readers that wait for it.
//!
//! | source | latency | on failure |
//! |---|---|---|
//! | the writer of this process | at commit | cannot fail |
//! | notifications of other processes, on each server | a few milliseconds | reconnects, and polls at once for missed events |
//! | messages on a bus ([`Log::receive`]) | about a millisecond | the other sources remain |
//! | a poll of the lanes' heads | a second | retries |
//!
//! A notification is never a source of facts, and losing one costs a second. It names the debates that have grown; if it
//! did not name all, and readers wait for single debates, the tail looks up which debates grew, once for all readers.
//!
//! A process that learns of growth by a bus need not listen: Postgres wakes every listener for every notification, which
//! is most of its cost if many processes listen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::database::backoff::Backoff;
use crate::database::pool;
use crate::error::StoreError;
use crate::log::log::Log;
use crate::log::moved_lane::may_have_moved;
use crate::wake::notify::{CHANNEL, parse_payload};
use crate::wake::watermarks::Watermarks;

/// Interval at which the lanes' heads are polled even without a notification.
pub const POLL: Duration = Duration::from_secs(1);
/// Time for which a gap between notifications is left before the log is searched for the debates that grew in it.
const GAP: Duration = Duration::from_millis(20);
/// Number of polls that found events without any notification in between, after which the listener reconnects. Polls
/// that find nothing do not count either way: on a quiet log, most do.
const DEAF_AFTER: u32 = 3;
/// Timeout for connecting the listener.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(5);

/// Background tasks that keep [`Watermarks`] up to date with the log. One per process; clones are cheap, and dropping
/// the last one ends the tasks.
#[derive(Clone, Debug)]
pub struct Tail {
    wakes: Arc<Watermarks>,
    _tasks: Arc<Tasks>,
}

#[derive(Debug)]
struct Tasks(Vec<JoinHandle<()>>);

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

/// Signals between the listener on one server and the poll.
#[derive(Debug, Default)]
struct Talk {
    /// Number of notifications received so far.
    heard: AtomicU64,
    /// Notified by the listener when it may have missed a notification; the same for all servers.
    look: Arc<Notify>,
    /// Notified by the poll when the listener receives nothing although the lanes on its server grow.
    deaf: Notify,
}

impl Tail {
    /// Starts listening, and polling every [`POLL`].
    pub fn start(log: &Log) -> Tail {
        Tail::start_polling(log, POLL)
    }

    /// Starts listening, and polling at the given interval.
    pub fn start_polling(log: &Log, every: Duration) -> Tail {
        let talks = talks(log);
        let listener = |(pool, talk): (&PgPool, &Arc<Talk>)| {
            tokio::spawn(listen(pool.clone(), Arc::clone(log.wakes()), Arc::clone(talk)))
        };
        let listeners = log.shards().pools().zip(&talks).map(listener).collect();
        Tail::with(log, every, talks, listeners)
    }

    /// Starts polling at the given interval, without listening: for a process that learns of growth by a bus.
    pub fn start_without_listening(log: &Log, every: Duration) -> Tail {
        Tail::with(log, every, talks(log), Vec::new())
    }

    fn with(log: &Log, every: Duration, talks: Vec<Arc<Talk>>, mut tasks: Vec<JoinHandle<()>>) -> Tail {
        tasks.extend([tokio::spawn(poll(log.clone(), every, talks)), tokio::spawn(scout(log.clone()))]);
        Tail { wakes: Arc::clone(log.wakes()), _tasks: Arc::new(Tasks(tasks)) }
    }

    /// Returns the growth of the log that is known so far.
    pub fn wakes(&self) -> &Arc<Watermarks> {
        &self.wakes
    }
}

async fn listen(pool: PgPool, wakes: Arc<Watermarks>, talk: Arc<Talk>) {
    let mut backoff = Backoff::default();
    loop {
        let lost = match listener(&pool).await {
            Ok(mut listener) => {
                if backoff.reset() {
                    tracing::info!("listening for growth of the log resumed");
                }
                // Notifications sent before the listener was connected were missed.
                talk.look.notify_one();
                tokio::select! {
                    lost = hear(&mut listener, &wakes, &talk) => lost,
                    () = talk.deaf.notified() => "no notifications arrived although the log grew".to_owned(),
                }
            }
            Err(fault) => fault.to_string(),
        };
        let wait = backoff.next();
        if backoff.has_just_begun() {
            tracing::warn!(reason = %lost, "not listening for growth of the log, polling instead");
        }
        sleep(wait).await;
    }
}

/// Opens a listener on a dedicated connection, which closes with it.
async fn listener(pool: &PgPool) -> Result<PgListener, StoreError> {
    let attempt = StoreError::database("listen for growth of the log");
    let own =
        PgPoolOptions::new().max_connections(1).acquire_timeout(LISTEN_TIMEOUT).idle_timeout(None).max_lifetime(None);
    let own = own.connect_lazy_with(pool::options_for(pool, "tail"));
    let mut listener = PgListener::connect_with(&own).await.map_err(&attempt)?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await.map_err(&attempt)?;
    Ok(listener)
}

/// Receives notifications until the connection is lost; returns the reason.
async fn hear(listener: &mut PgListener, wakes: &Watermarks, talk: &Talk) -> String {
    loop {
        match listener.try_recv().await {
            Ok(Some(notification)) => {
                talk.heard.fetch_add(1, Ordering::Relaxed);
                match parse_payload(notification.payload()) {
                    Some(news) => {
                        wakes.wrote(&news.growths);
                        wakes.advance(news.heads);
                    }
                    None => talk.look.notify_one(),
                }
            }
            Ok(None) => return "the connection was lost".to_owned(),
            Err(error) => return error.to_string(),
        }
    }
}

/// Returns the signals for each server.
fn talks(log: &Log) -> Vec<Arc<Talk>> {
    let look = Arc::<Notify>::default();
    log.shards().pools().map(|_| Arc::new(Talk { look: Arc::clone(&look), ..Talk::default() })).collect()
}

async fn poll(log: Log, every: Duration, talks: Vec<Arc<Talk>>) {
    let Some(look) = talks.first().map(|talk| Arc::clone(&talk.look)) else { return };
    // Of each server: polls that found news without a notification, and notifications before.
    let mut misses = vec![(0, 0); talks.len()];
    loop {
        let asked = tokio::select! {
            () = sleep(every) => false,
            () = look.notified() => true,
        };
        log.fresh().expire(Instant::now());
        let heads = match log.heads().await {
            Ok(heads) => heads,
            Err(fault) => {
                tracing::debug!(%fault, "cannot poll the lanes' heads");
                continue;
            }
        };
        for (place, (talk, (misses, heard_before))) in talks.iter().zip(&mut misses).enumerate() {
            let lanes = (0..).zip(heads).filter(|(lane, _)| log.shards().place(*lane) == place);
            let news = log.wakes().advance(lanes) && !asked;
            let heard = talk.heard.load(Ordering::Relaxed);
            *misses = if heard == *heard_before { *misses + u32::from(news) } else { 0 };
            *heard_before = heard;
            if *misses >= DEAF_AFTER {
                *misses = 0;
                talk.deaf.notify_one();
            }
        }
    }
}

/// Looks up which debates have grown, while readers wait for single debates.
async fn scout(log: Log) {
    let wakes = Arc::clone(log.wakes());
    let mut heads = wakes.watch();
    let mut backoff = Backoff::default();
    loop {
        let stretches = wakes.ranges_to_look_up();
        if stretches.is_empty() {
            if heads.changed().await.is_err() {
                return;
            }
            continue;
        }
        // Most of the time the gap is closed by a notification that is under way.
        sleep(GAP).await;
        let stretches = wakes.ranges_to_look_up();
        if stretches.is_empty() {
            continue;
        }
        match log.grown(&stretches).await {
            Ok(found) => {
                backoff.reset();
                wakes.record_lookup(&stretches, &found);
            }
            Err(fault) => {
                tracing::debug!(%fault, "cannot look up which debates have grown; retrying");
                if !may_have_moved(&fault, log.shards()).await {
                    sleep(backoff.next()).await;
                }
            }
        }
    }
}
