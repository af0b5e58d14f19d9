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
//! (`store::replica_watch`) checks the replica at an interval, and at once when a reader waits.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::error::StoreError;
use crate::lanes::{Cursor, Heads, ParseCursorError};
use crate::library::open::Library;
use crate::log::log::Log;
use crate::pool;
use crate::pool::ConnectionSettings;
use crate::replica::replica_watch;
use crate::replica::replica_watch::flushed;
use crate::views::views::Views;

/// Maximum time a reader waits for a replica that is not current enough yet.
pub const WAIT: Duration = Duration::from_millis(100);
/// Maximum time a reader waits for a replica that was never checked and may have to be connected to.
pub const FIRST_WAIT: Duration = Duration::from_secs(2);
/// Marks that the primary's flushed position could not be read.
const UNKNOWN: i64 = i64::MAX;

/// A standby of the primary. Clones are cheap; dropping the last one ends the checks.
#[derive(Clone, Debug)]
pub struct Replica {
    shared: Arc<Shared>,
    primary: PgPool,
    log: Log,
    _watching: Arc<Watching>,
}

/// State shared by the readers and the checking task.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) pool: PgPool,
    pub(crate) standing: watch::Sender<ReplicaState>,
    /// Notified when the replica should be checked now.
    pub(crate) look: Notify,
    /// Number of readers that wait for the replica to catch up.
    n_waiting: AtomicUsize,
    /// Flushed position of the primary after the last change of a client, or after the last read from the primary.
    wrote: AtomicI64,
}

#[derive(Debug)]
struct Watching(JoinHandle<()>);

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// State of the replica, as of the last check.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplicaState {
    /// It has not been checked yet.
    Unchecked,
    /// It may be read.
    Following {
        /// Position that it has reached.
        reached: ReplicaPosition,
        /// Upper bound of its delay behind the primary.
        lag: Duration,
    },
    /// It lags behind the primary by more than the limit.
    Behind {
        /// Lower bound of its delay behind the primary.
        lag: Duration,
        /// Bytes of the primary's write-ahead log that it has not replayed.
        bytes: i64,
    },
    /// It cannot be read, or must not be; the text is the reason.
    Unavailable(String),
}

/// Position that a server has reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplicaPosition {
    /// Heads of the lanes.
    pub heads: Heads,
    /// Position in the server's write-ahead log, in bytes.
    pub place: i64,
}

impl ReplicaPosition {
    /// Returns whether this position includes everything that the other does.
    fn covers(&self, other: &ReplicaPosition) -> bool {
        self.place >= other.place && self.heads.iter().zip(&other.heads).all(|(own, other)| own >= other)
    }
}

impl ReplicaPosition {
    /// Returns the smallest position that includes both.
    fn and(mut self, other: &ReplicaPosition) -> ReplicaPosition {
        self.heads.iter_mut().zip(&other.heads).for_each(|(own, other)| *own = (*own).max(*other));
        self.place = self.place.max(other.place);
        self
    }
}

/// Formats the position for a header: a cursor of the log, and the write-ahead log position in hexadecimal digits.
impl fmt::Display for ReplicaPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:x}", Cursor::from_heads(self.heads), self.place)
    }
}

impl FromStr for ReplicaPosition {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<ReplicaPosition, ParseCursorError> {
        let (cursor, place) = text.split_once('-').ok_or(ParseCursorError)?;
        let cursor: Cursor = cursor.parse()?;
        let is_hex = !place.is_empty() && place.bytes().all(|it| it.is_ascii_hexdigit());
        let place = is_hex.then(|| i64::from_str_radix(place, 16).ok()).flatten().ok_or(ParseCursorError)?;
        let mut heads = Heads::default();
        (0..).zip(&mut heads).for_each(|(lane, head)| *head = cursor.position(lane));
        Ok(ReplicaPosition { heads, place })
    }
}

impl fmt::Display for ReplicaState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplicaState::Unchecked => f.write_str("reads go to the primary: the replica has not been checked yet"),
            ReplicaState::Following { lag, .. } => {
                write!(f, "reads go to the replica, at most {:.1} s behind", lag.as_secs_f64())
            }
            ReplicaState::Behind { lag, bytes } => write!(
                f,
                "reads go to the primary: the replica is {:.0} s and {bytes} bytes of log behind",
                lag.as_secs_f64()
            ),
            ReplicaState::Unavailable(why) => write!(f, "reads go to the primary: {why}"),
        }
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
            PgConnectOptions::from_str(url).map_err(|it| StoreError::ReadAddress { reason: it.to_string() })?;
        let application = format!("{} reads", settings.application);
        let pool = pool::lazy(options.application_name(&application), settings);
        let shared = Arc::new(Shared {
            pool,
            standing: watch::Sender::new(ReplicaState::Unchecked),
            look: Notify::new(),
            n_waiting: AtomicUsize::new(0),
            wrote: AtomicI64::new(0),
        });
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
        Views::new(self.shared.pool.clone())
    }

    /// Returns the library as the replica has it.
    pub fn library(&self) -> Library {
        Library::new(self.shared.pool.clone())
    }

    /// Returns everything that this process knows of: the position that the replica has to reach.
    pub fn required_position(&self) -> ReplicaPosition {
        ReplicaPosition { heads: self.log.wakes().visible(), place: self.shared.wrote.load(Ordering::Acquire) }
    }

    /// Returns whether the replica may be read and has reached `checked_state` and everything that this process knows of; waits
    /// briefly for that.
    pub async fn is_new_enough(&self, seen: ReplicaPosition) -> bool {
        let wanted = self.required_position().and(&seen);
        let mut standing = self.shared.standing.subscribe();
        let decided = |it: &ReplicaState| match it {
            ReplicaState::Unchecked => None,
            ReplicaState::Following { reached, .. } => reached.covers(&wanted).then_some(true),
            ReplicaState::Behind { .. } | ReplicaState::Unavailable(_) => Some(false),
        };
        let (now, unseen) = {
            let standing = standing.borrow();
            (decided(&standing), *standing == ReplicaState::Unchecked)
        };
        if let Some(decided) = now {
            return decided;
        }
        let _waiting = Waiting::new(&self.shared);
        let patience = if unseen { FIRST_WAIT } else { WAIT };
        match timeout(patience, standing.wait_for(|it| decided(it).is_some())).await {
            Ok(Ok(standing)) => decided(&standing) == Some(true),
            _ => false,
        }
    }

    /// Records that a client changed something, which the replica has to include from now on. If the primary's position
    /// cannot be read, the replica does not count as current until the primary has been asked again.
    pub async fn record_write(&self) {
        let place = flushed(&self.primary).await.unwrap_or(UNKNOWN);
        self.shared.wrote.fetch_max(place, Ordering::AcqRel);
    }

    /// Records that a client was answered from the primary, so that later reads from the replica do not go back in
    /// time. Does nothing if the primary's position cannot be read.
    pub async fn record_primary_read(&self) {
        if let Ok(place) = flushed(&self.primary).await {
            self.shared.wrote.fetch_max(place, Ordering::AcqRel);
        }
    }

    /// Requests an immediate check, after a read from the replica failed.
    pub fn request_check(&self) {
        self.shared.look.notify_one();
    }

    /// Returns the state as of the last check.
    pub fn standing(&self) -> ReplicaState {
        self.shared.standing.borrow().clone()
    }

    /// Returns the state once the replica has been checked.
    pub async fn checked_state(&self) -> ReplicaState {
        let mut standing = self.shared.standing.subscribe();
        self.request_check();
        // After a timeout the state is returned as it is.
        let _seen = timeout(FIRST_WAIT, standing.wait_for(|it| *it != ReplicaState::Unchecked)).await.map(drop);
        self.standing()
    }

    /// Closes the connections.
    pub async fn close(&self) {
        self.shared.pool.close().await;
    }
}

impl Shared {
    /// Returns whether a reader waits for the replica to catch up.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.n_waiting.load(Ordering::Acquire) > 0
    }

    /// Replaces an unknown position by a flushed position of the primary that was read after the change in question.
    pub(crate) fn learn(&self, place: i64) {
        // A position recorded in the meantime is as good.
        let _known = self.wrote.compare_exchange(UNKNOWN, place, Ordering::AcqRel, Ordering::Acquire);
    }
}

/// Counts a waiting reader for as long as the value exists.
struct Waiting<'a>(&'a Shared);

impl<'a> Waiting<'a> {
    fn new(shared: &'a Shared) -> Waiting<'a> {
        shared.n_waiting.fetch_add(1, Ordering::AcqRel);
        shared.look.notify_one();
        Waiting(shared)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.n_waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_covers_another_only_if_it_is_as_far_in_every_lane() {
        let at = |first: i64, last: i64, place: i64| {
            let mut heads = Heads::default();
            (heads[0], heads[15]) = (first, last);
            ReplicaPosition { heads, place }
        };
        let own = at(3, 5, 100);
        for (other, covered) in [
            (at(0, 0, 0), true),
            (at(3, 5, 100), true),
            (at(4, 0, 0), false),
            (at(0, 6, 0), false),
            (at(0, 0, 101), false),
            (at(0, 0, UNKNOWN), false),
        ] {
            assert_eq!(own.covers(&other), covered, "{other:?}");
            assert_eq!(own.and(&other) == own, covered, "{other:?}");
            assert_eq!(other.to_string().parse(), Ok(other));
        }
        let cursor = Cursor::default().to_string();
        for text in ["", "-", "1-1", &cursor, &format!("{cursor}-"), &format!("{cursor}-+1"), &format!("{cursor}-x")] {
            assert_eq!(text.parse::<ReplicaPosition>(), Err(ParseCursorError), "{text:?}");
        }
        assert_eq!(format!("{cursor}-{}", "f".repeat(17)).parse::<ReplicaPosition>(), Err(ParseCursorError));
    }
}
