//! A standby that may be read instead of the primary: checks whether it may be read and how current it is.
//!
//! Reads are monotonic and include a client's own writes. A reader therefore says how current its answer has to be. The
//! replica waits briefly until it is that current, or reports that it is not; the primary is then read.
//!
//! | known to this process | condition that the replica has it |
//! |---|---|
//! | events that it wrote, returned or was notified of | its lanes' heads have reached the known ones |
//! | changes of its clients, and state of the primary that it returned | it has replayed what was flushed then |
//!
//! Comparing heads costs no statement: the process knows them anyway ([`crate::wake::watermarks`]). A task
//! (`replica_watch`) checks the replica at an interval, and at once when a reader waits.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::database::pool;
use crate::database::pool::ConnectionSettings;
use crate::error::StoreError;
use crate::library::open::Library;
use crate::log::log::Log;
use crate::replica::replica_state::{ReplicaPosition, ReplicaState, SharedState, WaitingReader};
use crate::replica::replica_watch;
use crate::replica::replica_watch::flushed;
use crate::views::views::Views;

/// Maximum time a reader waits for a replica that is not current enough yet.
pub const MAX_WAIT: Duration = Duration::from_millis(100);
/// Maximum time a reader waits for a replica that was never checked and may have to be connected to.
pub const MAX_FIRST_WAIT: Duration = Duration::from_secs(2);

/// A standby of the primary. Clones are cheap; dropping the last one ends the checks.
#[derive(Clone, Debug)]
pub struct Replica {
    shared: Arc<SharedState>,
    primary: PgPool,
    log: Log,
    _watching: Arc<Watching>,
}

#[derive(Debug)]
struct Watching(JoinHandle<()>);

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Replica {
    /// Starts a replica at a URL. It need not be reachable: the task keeps trying. `lag` is the maximum delay with
    /// which it may be read.
    ///
    /// # Errors
    /// [`StoreError::ReadAddress`] if the URL cannot be parsed.
    pub fn start(url: &str, log: &Log, settings: &ConnectionSettings, lag: Duration) -> Result<Replica, StoreError> {
        let options =
            PgConnectOptions::from_str(url).map_err(|error| StoreError::ReadAddress { reason: error.to_string() })?;
        let application = format!("{} reads", settings.application);
        let pool = pool::lazy(options.application_name(&application), settings);
        let shared = Arc::new(SharedState::new(pool));
        let primary = log.pool().clone();
        let watching = tokio::spawn(replica_watch::run(Arc::clone(&shared), primary.clone(), lag));
        Ok(Replica { shared, primary, log: log.clone(), _watching: Arc::new(Watching(watching)) })
    }

    /// Returns the log as the replica has it. Appends go to the primary.
    pub fn log(&self) -> Log {
        self.log.on_replica(self.shared.pool.clone())
    }

    /// Returns the stored views as the replica has them.
    pub fn views(&self) -> Views {
        Views::on(self.log.shards().with_home(self.shared.pool.clone()))
    }

    /// Returns the library as the replica has it.
    pub fn library(&self) -> Library {
        Library::on(self.log.shards().with_home(self.shared.pool.clone()))
    }

    /// Returns everything that this process knows of: the position that the replica has to reach.
    pub fn required_position(&self) -> ReplicaPosition {
        // Lanes on other servers are read there.
        let heads = self.log.shards().lanes_at_home().mask(&self.log.wakes().visible());
        ReplicaPosition { heads, wal_position: self.shared.flushed() }
    }

    /// Returns whether the replica may be read and has reached `seen` and everything that this process knows of; waits
    /// briefly for that.
    pub async fn is_new_enough(&self, seen: ReplicaPosition) -> bool {
        let mut wanted = self.required_position().and(&seen);
        wanted.heads = self.log.shards().lanes_at_home().mask(&wanted.heads);
        let mut state = self.shared.state.subscribe();
        let decided = |state: &ReplicaState| match state {
            ReplicaState::Unchecked => None,
            ReplicaState::Following { reached, .. } => reached.covers(&wanted).then_some(true),
            ReplicaState::Behind { .. } | ReplicaState::Unavailable(_) => Some(false),
        };
        let (now, unchecked) = {
            let state = state.borrow();
            (decided(&state), *state == ReplicaState::Unchecked)
        };
        if let Some(decided) = now {
            return decided;
        }
        let _waiting = WaitingReader::new(&self.shared);
        let limit = if unchecked { MAX_FIRST_WAIT } else { MAX_WAIT };
        match timeout(limit, state.wait_for(|state| decided(state).is_some())).await {
            Ok(Ok(state)) => decided(&state) == Some(true),
            _ => false,
        }
    }

    /// Records that a client changed something, which the replica has to include from now on. If the primary's position
    /// cannot be read, the replica does not count as current until the primary has been asked again.
    pub async fn record_write(&self) {
        match flushed(&self.primary).await {
            Ok(position) => self.shared.record_flushed(position),
            Err(_) => self.shared.record_unknown(),
        }
    }

    /// Records that a client was answered from the primary, so that later reads from the replica do not go back in
    /// time. Does nothing if the primary's position cannot be read.
    pub async fn record_primary_read(&self) {
        if let Ok(position) = flushed(&self.primary).await {
            self.shared.record_flushed(position);
        }
    }

    /// Requests an immediate check, after a read from the replica failed.
    pub fn request_check(&self) {
        self.shared.look.notify_one();
    }

    /// Returns the state as of the last check.
    pub fn state(&self) -> ReplicaState {
        self.shared.state.borrow().clone()
    }

    /// Returns the state once the replica has been checked.
    pub async fn checked_state(&self) -> ReplicaState {
        let mut state = self.shared.state.subscribe();
        self.request_check();
        // After a timeout the state is returned as it is.
        let _seen = timeout(MAX_FIRST_WAIT, state.wait_for(|state| *state != ReplicaState::Unchecked)).await.map(drop);
        self.state()
    }

    /// Closes the connections.
    pub async fn close(&self) {
        self.shared.pool.close().await;
    }
}
