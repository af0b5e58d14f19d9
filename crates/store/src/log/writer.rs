//! Writer tasks: each collects the pending appends to its lanes and records them in one transaction.
//!
//! ```text
//! append() ──request──▶ queue ──▶ gather ──▶ append_events(...) ──▶ outcome to each caller
//!                                   ▲                        └────▶ hand over to followers, announce, publish
//!                                   └── what came while the last commit was under way
//! ```
//!
//! A single caller waits for one commit, and so do sixty-four concurrent callers, which share it. There are two
//! writers, each with half of the lanes, so that one works while the other waits for the disk; more would only make the
//! batches smaller. A log on several servers has two writers for each.
//!
//! A caller that stops waiting changes nothing: an append that was handed over is recorded. If a connection is lost
//! during a commit, it is unknown whether the commit took effect. The batch is then sent again, and the ids of its
//! events ensure that everything is recorded once.

use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, histogram};
use sqlx::postgres::PgConnection;
use sqlx::{Executor, PgPool};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use tracing::Instrument;

use crate::database::backoff::{Backoff, WRITE_TIMEOUT};
use crate::database::pool;
use crate::error::{StoreError, is_transient_error};
use crate::keys::KeyStore;
use crate::lanes::lane_of;
use crate::log::append::{AppendOutcome, Request};
use crate::log::batch_append;
use crate::log::batch_append::{Batch, KEY_TAKEN};
use crate::log::moved_lane::moved;
use crate::log::recent_events::RecentEvents;
use crate::wake::bus::BusLink;
use crate::wake::bus_message::AppendMessage;
use crate::wake::notify::Announcer;
use crate::wake::watermarks::{Growth, Watermarks};

/// Number of writers of a process for each server; each lane belongs to one of them.
pub(crate) const WRITERS: usize = 2;
/// Number of appends that may wait for a writer; further callers wait until there is room in the queue.
pub(crate) const QUEUE: usize = 1_024;
/// Timeout of one attempt; longer than the server's statement timeout.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(45);
/// Maximum number of times the writer yields to the callers of its last batch; microseconds in total.
const MAX_TURNS: u32 = 64;

const ATTEMPT: &str = "record events";

/// Settings of a writer's session, in addition to those of all sessions. Statements are planned once and not for each
/// append, and every lookup uses an index, whatever the planner assumes of a table that has just begun to grow.
const SESSION: &str = "
    set plan_cache_mode = force_generic_plan;
    set enable_seqscan = off;
    set enable_hashjoin = off;
    set enable_mergejoin = off
";

/// A writer: the receiving end of a queue, and a connection of its own, so that an append never waits for the pool.
#[derive(Debug)]
pub(crate) struct Writer {
    pool: PgPool,
    queue: mpsc::Receiver<Request>,
    /// Request that was received for the last batch and did not fit.
    next: Option<Request>,
    /// Number of appends in the last batch.
    company: usize,
    connection: Option<PgConnection>,
    keys: KeyStore,
    readers: Readers,
}

/// Readers that learn of committed appends: the followers of this process, and other processes.
#[derive(Debug)]
pub(crate) struct Readers {
    pub(crate) fresh: Arc<RecentEvents>,
    pub(crate) wakes: Arc<Watermarks>,
    pub(crate) announcer: Arc<Announcer>,
    pub(crate) bus: Arc<BusLink>,
}

impl Writer {
    /// Creates a writer for the requests of a queue.
    pub(crate) fn new(pool: PgPool, queue: mpsc::Receiver<Request>, keys: KeyStore, readers: Readers) -> Self {
        Writer { pool, queue, next: None, company: 0, connection: None, keys, readers }
    }

    /// Writes until all senders are dropped and the queue is empty.
    pub(crate) async fn run(mut self) {
        while let Some(batch) = self.gather().await {
            match self.write(batch.requests()).await {
                Ok(outcomes) => self.settle(batch.into_requests(), outcomes),
                Err(fault) if is_retried(&fault) || batch.requests().len() == 1 => {
                    refuse(batch.into_requests(), &fault)
                }
                Err(fault) => self.one_by_one(batch.into_requests(), &fault).await,
            }
        }
    }

    /// Waits for a first request and takes all others that are ready.
    async fn gather(&mut self) -> Option<Batch> {
        let mut batch = Batch::default();
        let first = match self.next.take() {
            Some(request) => request,
            None => self.queue.recv().await?,
        };
        self.next = batch.take(first);
        for _ in 0..MAX_TURNS {
            while self.next.is_none() {
                let Ok(request) = self.queue.try_recv() else { break };
                self.next = batch.take(request);
            }
            if self.next.is_some() || batch.requests().len() >= self.company {
                break;
            }
            // Callers just answered are about to append again. Without yielding, each commit would include only the
            // fastest of them. A single caller is not waited for.
            tokio::task::yield_now().await;
        }
        self.company = batch.requests().len();
        Some(batch)
    }

    /// Records the requests in one transaction, and retries while the fault is transient.
    async fn write(&mut self, requests: &[Request]) -> Result<Vec<AppendOutcome>, StoreError> {
        let deadline = Instant::now() + WRITE_TIMEOUT;
        let mut backoff = Backoff::default();
        loop {
            let fault = match self.attempt(requests).await {
                Ok(outcomes) => {
                    if backoff.reset() {
                        tracing::info!("recording events resumed");
                    }
                    return Ok(outcomes);
                }
                Err(fault) => fault,
            };
            let wait = backoff.next();
            if !is_retried(&fault) || Instant::now() + wait > deadline {
                return Err(fault);
            }
            if backoff.has_just_begun() {
                tracing::warn!(%fault, appends = requests.len(), "cannot record events, retrying");
            }
            sleep(wait).await;
        }
    }

    async fn attempt(&mut self, requests: &[Request]) -> Result<Vec<AppendOutcome>, StoreError> {
        // Taken out, so that a connection on which anything failed is never used again.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        let began = Instant::now();
        let span = tracing::info_span!("commit", otel.name = "append to the log", appends = requests.len());
        let writing = batch_append::write(&mut connection, requests).instrument(span);
        let written = timeout(ATTEMPT_TIMEOUT, writing).await;
        histogram!("faultline_log_commit_duration_seconds").record(began.elapsed());
        if written.as_ref().is_ok_and(|outcome| !outcome.as_ref().is_err_and(is_transient_error)) {
            self.connection = Some(connection);
        } else {
            self.keys.forget_all();
        }
        let written = written.map_err(|_| StoreError::Timeout { attempt: ATTEMPT, limit: ATTEMPT_TIMEOUT })?;
        written.map_err(|error| refused(requests, error))
    }

    async fn connect(&self) -> Result<PgConnection, StoreError> {
        let mut connection = pool::dedicated(&self.pool, "writer").await?;
        connection.execute(SESSION).await.map_err(StoreError::database(ATTEMPT))?;
        Ok(connection)
    }

    /// Writes the appends of a refused batch one by one, so that a single refused append does not fail the others.
    async fn one_by_one(&mut self, requests: Vec<Request>, fault: &StoreError) {
        tracing::warn!(%fault, appends = requests.len(), "a batch was refused, writing its appends one by one");
        for request in requests {
            match self.write(std::slice::from_ref(&request)).await {
                Ok(outcomes) => self.settle(vec![request], outcomes),
                Err(fault) => refuse(vec![request], &fault),
            }
        }
    }

    /// Reports committed appends: to followers first, then to the callers, then to other processes.
    fn settle(&self, mut requests: Vec<Request>, outcomes: Vec<AppendOutcome>) {
        requests.iter().zip(&outcomes).for_each(|(request, outcome)| count(request, outcome));
        let growths: Vec<Growth> = requests.iter().zip(&outcomes).filter_map(growth).collect();
        let Readers { fresh, wakes, announcer, bus } = &self.readers;
        let messages: Vec<AppendMessage> = match bus.is_connected() {
            true => requests.iter().zip(&outcomes).filter_map(|(request, outcome)| request.message(outcome)).collect(),
            false => Vec::new(),
        };
        let now = std::time::Instant::now();
        requests.iter_mut().zip(&outcomes).for_each(|(request, outcome)| fresh.record(now, request, outcome));
        wakes.wrote(&growths);
        for (request, outcome) in requests.into_iter().zip(outcomes) {
            // A caller that has stopped waiting finds the events in the log.
            let _gone = request.reply.send(Ok(outcome));
        }
        messages.iter().for_each(|message| bus.publish(message));
        if !growths.is_empty() {
            announcer.notify(&growths);
        }
    }
}

/// Returns whether a batch is written again after a fault. One with a lane that has moved is written one by one, since it is
/// another writer that writes to that lane now.
fn is_retried(fault: &StoreError) -> bool {
    fault.is_transient() && !matches!(fault, StoreError::Shard(_))
}

/// Maps a database error to a fault. An append encrypted under another key than the recorded one is reported as such.
fn refused(requests: &[Request], error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(|error| error.code());
    if let Some(moved) = requests.first().and_then(|request| moved(&error, lane_of(request.debate))) {
        return moved;
    }
    match requests {
        [request] if code.as_deref() == Some(KEY_TAKEN) => StoreError::KeyConflict { debate: request.debate },
        _ => StoreError::database(ATTEMPT)(error),
    }
}

fn count(request: &Request, outcome: &AppendOutcome) {
    let (what, n_events) = match outcome {
        AppendOutcome::Appended { .. } => ("appended", request.events.len() as u64),
        AppendOutcome::Repeated => ("repeated", 0),
        AppendOutcome::Conflict { .. } => ("conflict", 0),
        AppendOutcome::Reused { .. } => ("reused", 0),
        AppendOutcome::Fenced => ("fenced", 0),
    };
    counter!("faultline_log_appends_total", "outcome" => what).increment(1);
    counter!("faultline_log_events_total").increment(n_events);
}

fn growth((request, outcome): (&Request, &AppendOutcome)) -> Option<Growth> {
    let AppendOutcome::Appended { version, position, .. } = outcome else { return None };
    let more = request.events.len() as i64 - 1;
    Some(Growth { debate: request.debate, version: version + more, positions: (*position, position + more) })
}

fn refuse(requests: Vec<Request>, fault: &StoreError) {
    for request in requests {
        let _gone = request.reply.send(Err(fault.clone()));
    }
}
