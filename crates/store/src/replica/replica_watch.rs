//! Checks the replica: its position, its lag, and whether it is a standby of the primary.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::time::{Instant, sleep, timeout};

use crate::error::StoreError;
use crate::lanes::Heads;
use crate::replica::replica_state::{ReplicaPosition, ReplicaState, SharedState};

/// Interval of checks while no reader waits.
const EVERY: Duration = Duration::from_millis(500);
/// Interval of checks while a reader waits.
const NEAR: Duration = Duration::from_millis(2);
/// Timeout of one check.
const TIMEOUT: Duration = Duration::from_secs(2);

/// A position of the primary, and the time at which it was read.
#[derive(Clone, Copy, Debug)]
struct Mark {
    place: i64,
    at: Instant,
}

/// Checks the replica until the task is aborted.
pub(crate) async fn run(shared: Arc<SharedState>, primary: PgPool, limit: Duration) {
    let mut watcher =
        Watcher { shared, primary, limit, mark: None, marked_at: None, is_fit: false, lag: Duration::ZERO };
    loop {
        let state = watcher.look().await;
        watcher.publish(state);
        let pause = if watcher.shared.is_waited_for() { NEAR } else { EVERY };
        tokio::select! {
            () = sleep(pause) => {}
            () = watcher.shared.look.notified() => {}
        }
    }
}

/// Returns the primary's flushed position in its write-ahead log; everything committed earlier is behind it.
///
/// # Errors
/// [`StoreError`] if the database cannot be reached or refuses the statement.
pub(crate) async fn flushed(primary: &PgPool) -> Result<i64, StoreError> {
    sqlx::query_scalar("select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint")
        .fetch_one(primary)
        .await
        .map_err(StoreError::database("read the primary's write-ahead log position"))
}

struct Watcher {
    shared: Arc<SharedState>,
    primary: PgPool,
    /// Maximum lag with which the replica may be read.
    limit: Duration,
    /// Position of the primary that the replica had not reached at the last check.
    mark: Option<Mark>,
    /// Time at which the primary was last asked.
    marked_at: Option<Instant>,
    /// True if the replica was found to be a standby of this primary.
    is_fit: bool,
    /// Time that it took to reach the last mark.
    lag: Duration,
}

impl Watcher {
    async fn look(&mut self) -> ReplicaState {
        self.set_mark().await;
        let looked = timeout(TIMEOUT, self.reached()).await;
        let silent = |_| Err(format!("the replica did not answer within {} s", TIMEOUT.as_secs()));
        match looked.unwrap_or_else(silent) {
            Ok(reached) => self.judge(reached),
            Err(why) => {
                self.is_fit = false;
                ReplicaState::Unavailable(why)
            }
        }
    }

    /// Reads the primary's position, unless the replica has not reached the last one yet. A primary that does not
    /// answer does not make the replica unreadable.
    async fn set_mark(&mut self) {
        let is_due = self.marked_at.is_none_or(|time| time.elapsed() >= EVERY);
        if self.mark.is_some() || !is_due {
            return;
        }
        let at = Instant::now();
        self.marked_at = Some(at);
        if let Ok(Ok(place)) = timeout(TIMEOUT, flushed(&self.primary)).await {
            self.shared.learn(place);
            self.mark = Some(Mark { place, at });
        }
    }

    async fn reached(&mut self) -> Result<ReplicaPosition, String> {
        const ASK: &str = "
            select
                pg_is_in_recovery(),
                coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0),
                array(select head from lanes order by lane)";
        let asked = sqlx::query_as(ASK).fetch_one(&self.shared.pool).await;
        let (is_standby, place, heads): (bool, i64, Vec<i64>) =
            asked.map_err(|error| format!("the replica does not answer ({error})"))?;
        if !is_standby {
            return Err("the server at FAULTLINE_READ_URL is not a standby: it accepts writes. \
                        Point DATABASE_URL at it if it was promoted, or FAULTLINE_READ_URL at a standby"
                .to_owned());
        }
        if !self.is_fit {
            self.is_fit = self.is_own().await?;
        }
        let heads = Heads::try_from(heads).map_err(|heads| format!("the replica has {} lanes", heads.len()))?;
        Ok(ReplicaPosition { heads, wal_position: place })
    }

    /// Returns whether both servers belong to one cluster. Checked once per connection to the replica, not at every
    /// check.
    async fn is_own(&self) -> Result<bool, String> {
        const WHOSE: &str = "select system_identifier::text || ' ' || current_database() from pg_control_system()";
        let ask = async |pool| sqlx::query_scalar::<_, String>(WHOSE).fetch_one(pool).await;
        // While the primary is away the two cannot be compared; a later check compares them.
        let Ok(Ok(own)) = timeout(TIMEOUT, ask(&self.primary)).await else { return Ok(false) };
        let theirs = ask(&self.shared.pool).await.map_err(|error| format!("the replica does not answer ({error})"))?;
        if own == theirs {
            return Ok(true);
        }
        Err("FAULTLINE_READ_URL points at a standby of another server or another database than DATABASE_URL".into())
    }

    /// Decides whether the replica keeps up: it has to reach the primary's marked position within the limit.
    fn judge(&mut self, reached: ReplicaPosition) -> ReplicaState {
        if let Some(mark) = self.mark {
            let age = mark.at.elapsed();
            if reached.wal_position >= mark.place {
                self.mark = None;
                self.lag = age;
            } else if age > self.limit {
                self.lag = age;
            }
            if self.lag > self.limit {
                return ReplicaState::Behind { lag: self.lag, bytes: (mark.place - reached.wal_position).max(0) };
            }
        } else if self.lag > self.limit {
            // It has reached a position that the primary passed long ago; whether it keeps up from there is not known
            // yet.
            return ReplicaState::Behind { lag: self.lag, bytes: 0 };
        }
        ReplicaState::Following { reached, lag: self.lag }
    }

    /// Publishes the state, and logs if it changes whether the replica is read.
    fn publish(&self, state: ReplicaState) {
        let may_be_read = |state: &ReplicaState| matches!(state, ReplicaState::Following { .. });
        self.shared.state.send_modify(|known| {
            match (may_be_read(known), may_be_read(&state)) {
                (false, true) => tracing::info!("{state}"),
                (true, false) => tracing::warn!("{state}"),
                (false, false) if *known == ReplicaState::Unchecked => tracing::warn!("{state}"),
                _ => {}
            }
            *known = state;
        });
    }
}
