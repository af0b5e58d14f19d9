//! State of the replica, shared by its readers and the task that checks it.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::{Notify, watch};

use crate::lanes::{Cursor, Heads, ParseCursorError};

/// Marks that the primary's flushed position could not be read.
const UNKNOWN: i64 = i64::MAX;

/// State shared by the readers and the checking task.
#[derive(Debug)]
pub(crate) struct SharedState {
    pub(crate) pool: PgPool,
    pub(crate) state: watch::Sender<ReplicaState>,
    /// Notified when the replica should be checked now.
    pub(crate) look: Notify,
    /// Number of readers that wait for the replica to catch up.
    n_waiting: AtomicUsize,
    /// Flushed position of the primary after the last change of a client, or after the last read from the primary.
    wrote: AtomicI64,
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
    pub wal_position: i64,
}

impl ReplicaPosition {
    /// Returns whether this position includes everything that the other does.
    pub(crate) fn covers(&self, other: &ReplicaPosition) -> bool {
        self.wal_position >= other.wal_position && self.heads.iter().zip(&other.heads).all(|(own, other)| own >= other)
    }

    /// Returns the smallest position that includes both.
    pub(crate) fn and(mut self, other: &ReplicaPosition) -> ReplicaPosition {
        self.heads.iter_mut().zip(&other.heads).for_each(|(own, other)| *own = (*own).max(*other));
        self.wal_position = self.wal_position.max(other.wal_position);
        self
    }
}

/// Formats the position for a header: a cursor of the log, and the write-ahead log position in hexadecimal digits.
impl fmt::Display for ReplicaPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:x}", Cursor::from_heads(self.heads), self.wal_position)
    }
}

impl FromStr for ReplicaPosition {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<ReplicaPosition, ParseCursorError> {
        let (cursor, place) = text.split_once('-').ok_or(ParseCursorError)?;
        let cursor: Cursor = cursor.parse()?;
        let is_hex = !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_hexdigit());
        let wal_position = is_hex.then(|| i64::from_str_radix(place, 16).ok()).flatten().ok_or(ParseCursorError)?;
        let mut heads = Heads::default();
        (0..).zip(&mut heads).for_each(|(lane, head)| *head = cursor.position(lane));
        Ok(ReplicaPosition { heads, wal_position })
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

impl SharedState {
    /// Returns the state of a replica that has not been checked yet.
    pub(crate) fn new(pool: PgPool) -> SharedState {
        SharedState {
            pool,
            state: watch::Sender::new(ReplicaState::Unchecked),
            look: Notify::new(),
            n_waiting: AtomicUsize::new(0),
            wrote: AtomicI64::new(0),
        }
    }

    /// Returns the position of the primary that the replica has to reach; the greatest value if it is unknown.
    pub(crate) fn flushed(&self) -> i64 {
        self.wrote.load(Ordering::Acquire)
    }

    /// Records a flushed position of the primary, which the replica has to reach from now on.
    pub(crate) fn record_flushed(&self, position: i64) {
        self.wrote.fetch_max(position, Ordering::AcqRel);
    }

    /// Records that the replica has to reach a position of the primary that could not be read.
    pub(crate) fn record_unknown(&self) {
        self.record_flushed(UNKNOWN);
    }

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
pub(crate) struct WaitingReader<'a>(&'a SharedState);

impl<'a> WaitingReader<'a> {
    /// Counts a reader, and requests an immediate check.
    pub(crate) fn new(shared: &'a SharedState) -> WaitingReader<'a> {
        shared.n_waiting.fetch_add(1, Ordering::AcqRel);
        shared.look.notify_one();
        WaitingReader(shared)
    }
}

impl Drop for WaitingReader<'_> {
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
            ReplicaPosition { heads, wal_position: place }
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
