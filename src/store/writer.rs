//! The tasks that write: each gathers what callers wait to append to its lanes and records it in one transaction.
//!
//! ```text
//! append() ──request──▶ queue ──▶ gather ──▶ append_events(...) ──▶ outcome to each caller
//!                                   ▲                        └────▶ hand over to followers, announce
//!                                   └── what came while the last commit was under way
//! ```
//!
//! A caller alone waits for one commit, and so do sixty-four at once: they share it. There are two writers, each with
//! half of the lanes, so that one works while the other waits for the disk; more would only make the batches smaller.
//!
//! A caller that stops waiting changes nothing: what was handed over is recorded. A connection lost in mid-commit leaves
//! open whether it was; the same batch is then sent again, and the ids of its events see to it that everything is
//! recorded once.

use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, histogram};
use sqlx::postgres::PgConnection;
use sqlx::{Executor, PgPool};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use tracing::Instrument;

use crate::store::announce::Announcer;
use crate::store::append::{Outcome, Request};
use crate::store::backoff::Backoff;
use crate::store::batch::{self, Batch, KEY_TAKEN};
use crate::store::fault::{Fault, passes};
use crate::store::fresh::Fresh;
use crate::store::keys::Keys;
use crate::store::lanes::lane_of;
use crate::store::pool;
use crate::store::wakes::{Growth, Wakes};

/// Writers of a process; a lane belongs to one of them.
pub(crate) const WRITERS: usize = 2;
/// Appends that may wait for a writer; whoever comes then waits to hand over.
pub(crate) const QUEUE: usize = 1_024;
/// How long a batch is tried again while the database is away.
pub(crate) const WRITE_PATIENCE: Duration = Duration::from_secs(20);
/// How long one attempt may take; longer than the server lets a statement run.
const ATTEMPT_PATIENCE: Duration = Duration::from_secs(45);
/// How often the writer gives way to the callers of its last batch while they are not back yet; microseconds in all.
const TURNS: u32 = 64;

const ATTEMPT: &str = "record events";

/// What a writer's session is set to beside what all are. A statement is planned once, not for each append; and
/// everything is looked up by index, whatever the planner believes of a table that has just begun to grow.
const SESSION: &str = "
    set plan_cache_mode = force_generic_plan;
    set enable_seqscan = off;
    set enable_hashjoin = off;
    set enable_mergejoin = off
";

/// The writer's half of the queue, and its own connection: an append never waits for one of the pool's.
#[derive(Debug)]
pub(crate) struct Writer {
    pool: PgPool,
    queue: mpsc::Receiver<Request>,
    /// Came up while the last batch was gathered, and did not fit.
    next: Option<Request>,
    /// Appends in the last batch.
    company: usize,
    connection: Option<PgConnection>,
    keys: Keys,
    fresh: Arc<Fresh>,
    wakes: Arc<Wakes>,
    announcer: Arc<Announcer>,
}

impl Writer {
    /// A writer for what comes out of the queue.
    pub(crate) fn new(
        pool: PgPool,
        queue: mpsc::Receiver<Request>,
        keys: Keys,
        fresh: Arc<Fresh>,
        wakes: Arc<Wakes>,
        announcer: Arc<Announcer>,
    ) -> Self {
        Writer { pool, queue, next: None, company: 0, connection: None, keys, fresh, wakes, announcer }
    }

    /// Writes until nobody can append any more and the queue is empty.
    pub(crate) async fn run(mut self) {
        while let Some(batch) = self.gather().await {
            match self.write(batch.requests()).await {
                Ok(outcomes) => self.settle(batch.into_requests(), outcomes),
                Err(fault) if fault.is_transient() || batch.requests().len() == 1 => {
                    refuse(batch.into_requests(), &fault)
                }
                Err(fault) => self.one_by_one(batch.into_requests(), &fault).await,
            }
        }
    }

    /// Waits for a first request and takes all that others have ready by now.
    async fn gather(&mut self) -> Option<Batch> {
        let mut batch = Batch::default();
        let first = match self.next.take() {
            Some(request) => request,
            None => self.queue.recv().await?,
        };
        self.next = batch.take(first);
        for _ in 0..TURNS {
            while self.next.is_none() {
                let Ok(request) = self.queue.try_recv() else { break };
                self.next = batch.take(request);
            }
            if self.next.is_some() || batch.requests().len() >= self.company {
                break;
            }
            // Callers just answered are about to come back. Without their turn each commit would find only the fastest
            // of them; a caller alone is not waited for.
            tokio::task::yield_now().await;
        }
        self.company = batch.requests().len();
        Some(batch)
    }

    /// Records the requests in one transaction, and tries again while that may help.
    async fn write(&mut self, requests: &[Request]) -> Result<Vec<Outcome>, Fault> {
        let deadline = Instant::now() + WRITE_PATIENCE;
        let mut backoff = Backoff::default();
        loop {
            let fault = match self.attempt(requests).await {
                Ok(outcomes) => {
                    if backoff.reset() {
                        tracing::info!("events are being recorded again");
                    }
                    return Ok(outcomes);
                }
                Err(fault) => fault,
            };
            let wait = backoff.next();
            if !fault.is_transient() || Instant::now() + wait > deadline {
                return Err(fault);
            }
            if backoff.has_just_begun() {
                tracing::warn!(%fault, appends = requests.len(), "events not recorded yet, trying again");
            }
            sleep(wait).await;
        }
    }

    async fn attempt(&mut self, requests: &[Request]) -> Result<Vec<Outcome>, Fault> {
        // Taken out, so that a connection on which anything went wrong is never used again.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        let began = Instant::now();
        let span = tracing::info_span!("commit", otel.name = "append to the log", appends = requests.len());
        let writing = batch::write(&mut connection, requests).instrument(span);
        let written = timeout(ATTEMPT_PATIENCE, writing).await;
        histogram!("faultline_log_commit_duration_seconds").record(began.elapsed());
        if written.as_ref().is_ok_and(|it| !it.as_ref().is_err_and(passes)) {
            self.connection = Some(connection);
        } else {
            self.keys.forget_all();
        }
        let written = written.map_err(|_| Fault::Silent { attempt: ATTEMPT, patience: ATTEMPT_PATIENCE })?;
        written.map_err(|error| refused(requests, error))
    }

    async fn connect(&self) -> Result<PgConnection, Fault> {
        let mut connection = pool::dedicated(&self.pool, "writer").await?;
        connection.execute(SESSION).await.map_err(Fault::database(ATTEMPT))?;
        Ok(connection)
    }

    /// One append of the batch is such that the database refuses it by surprise; the others must not suffer for it.
    async fn one_by_one(&mut self, requests: Vec<Request>, fault: &Fault) {
        tracing::warn!(%fault, appends = requests.len(), "a batch was refused, writing its appends one by one");
        for request in requests {
            match self.write(std::slice::from_ref(&request)).await {
                Ok(outcomes) => self.settle(vec![request], outcomes),
                Err(fault) => refuse(vec![request], &fault),
            }
        }
    }

    /// After the commit: followers first, then the callers, then the other processes.
    fn settle(&self, mut requests: Vec<Request>, outcomes: Vec<Outcome>) {
        requests.iter().zip(&outcomes).for_each(|(request, outcome)| count(request, outcome));
        let growths: Vec<Growth> = requests.iter().zip(&outcomes).filter_map(growth).collect();
        let now = std::time::Instant::now();
        requests.iter_mut().zip(&outcomes).for_each(|(request, outcome)| self.fresh.wrote(now, request, outcome));
        self.wakes.wrote(&growths);
        for (request, outcome) in requests.into_iter().zip(outcomes) {
            // Whoever stopped waiting finds it in the log.
            let _gone = request.reply.send(Ok(outcome));
        }
        if !growths.is_empty() {
            self.announcer.tell(growths.iter().map(|it| (lane_of(it.debate), it.positions.1)));
        }
    }
}

/// An append that was sealed under another key than the recorded one is no fault of the database.
fn refused(requests: &[Request], error: sqlx::Error) -> Fault {
    let code = error.as_database_error().and_then(|it| it.code());
    match requests {
        [request] if code.as_deref() == Some(KEY_TAKEN) => Fault::KeyTaken { debate: request.debate },
        _ => Fault::database(ATTEMPT)(error),
    }
}

fn count(request: &Request, outcome: &Outcome) {
    let (what, n_events) = match outcome {
        Outcome::Appended { .. } => ("appended", request.events.len() as u64),
        Outcome::Repeated => ("repeated", 0),
        Outcome::Conflict { .. } => ("conflict", 0),
        Outcome::Reused { .. } => ("reused", 0),
        Outcome::Fenced => ("fenced", 0),
    };
    counter!("faultline_log_appends_total", "outcome" => what).increment(1);
    counter!("faultline_log_events_total").increment(n_events);
}

fn growth((request, outcome): (&Request, &Outcome)) -> Option<Growth> {
    let Outcome::Appended { version, position, .. } = outcome else { return None };
    let more = request.events.len() as i64 - 1;
    Some(Growth { debate: request.debate, version: version + more, positions: (*position, position + more) })
}

fn refuse(requests: Vec<Request>, fault: &Fault) {
    for request in requests {
        let _gone = request.reply.send(Err(fault.clone()));
    }
}
