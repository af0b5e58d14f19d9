//! What can go wrong with the store, and whether waiting helps.

use std::sync::Arc;
use std::time::Duration;

use crate::events::ids::DebateId;
use crate::events::wire::Damaged;
use crate::store::sealing::Unopened;

/// Our own error, never a client's: the database is away, or what is stored is not what was written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// A statement did not come back with an answer.
    #[error("cannot {attempt}: {source}")]
    Database {
        /// What was attempted, as it reads after "cannot".
        attempt: &'static str,
        /// What the driver or the server said.
        source: Arc<sqlx::Error>,
    },
    /// No answer at all within the time allowed.
    #[error("cannot {attempt}: the database did not answer within {} s", patience.as_secs())]
    Silent {
        /// What was attempted, as it reads after "cannot".
        attempt: &'static str,
        /// How long it was waited for.
        patience: Duration,
    },
    /// The address is none.
    #[error("DATABASE_URL cannot be read ({reason}); it looks like postgres://user:password@host:5432/database")]
    Address {
        /// What the reader said.
        reason: String,
    },
    /// The address of the replica is none.
    #[error("FAULTLINE_READ_URL cannot be read ({reason}); it looks like postgres://user:password@host:5432/database")]
    ReadAddress {
        /// What the reader said.
        reason: String,
    },
    /// No connection within the time allowed.
    #[error(
        "no PostgreSQL answers at {place}, after {} s of trying ({source}). Is it running, and does DATABASE_URL name it?",
        patience.as_secs()
    )]
    Unreachable {
        /// Host and port or socket, and database.
        place: String,
        /// How long it was tried.
        patience: Duration,
        /// The last thing the driver said.
        source: Arc<sqlx::Error>,
    },
    /// The server let us not in, or knows no such database.
    #[error(
        "PostgreSQL at {place} refuses the connection ({source}). Mend user, password or database name in DATABASE_URL"
    )]
    Refused {
        /// Host and port or socket, and database.
        place: String,
        /// What the server said.
        source: Arc<sqlx::Error>,
    },
    /// The server is too old.
    #[error(
        "PostgreSQL at {place} is version {found}; {wanted} or newer is needed. Point DATABASE_URL at such a server"
    )]
    OldServer {
        /// Host and port or socket, and database.
        place: String,
        /// The server's major version.
        found: i32,
        /// The oldest that will do.
        wanted: i32,
    },
    /// The extension `vector` is missing, too old, or may not be created.
    #[error("the extension vector (pgvector {wanted} or newer) cannot be used in {place}: {found}. {remedy}")]
    NoVector {
        /// Host and port or socket, and database.
        place: String,
        /// What was found instead.
        found: String,
        /// The oldest that will do.
        wanted: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The schema could not be brought up to date.
    #[error("the tables in {place} cannot be brought up to date: {reason}. {remedy}")]
    Migration {
        /// Host and port or socket, and database.
        place: String,
        /// What the migrator said.
        reason: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The store was made with another number of lanes.
    #[error("this store has {found} lanes, and this program counts on {wanted}; it belongs to another build")]
    Lanes {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// A stored body is not what its kind promises.
    #[error("damage in debate {debate} at version {version} (kind {kind}): {source}. Run verify")]
    Damaged {
        /// The debate.
        debate: DebateId,
        /// The event's place in it.
        version: i64,
        /// The lane.
        lane: i16,
        /// The event's place in the lane.
        position: i64,
        /// The event's wire name.
        kind: String,
        /// What the reader said.
        source: Arc<Damaged>,
    },
    /// The debate was erased: that it was there is known, what was said is not.
    #[error("debate {debate} was erased")]
    Erased {
        /// The debate.
        debate: DebateId,
    },
    /// The debate's key is there and cannot be used.
    #[error("debate {debate} cannot be written to: {why}")]
    Locked {
        /// The debate.
        debate: DebateId,
        /// Why its key cannot be used.
        why: Unopened,
    },
    /// The debate's events are sealed, and its key is not in the table.
    #[error(
        "debate {debate} is damaged: its encryption key is missing, so its events cannot be read or continued. A build \
         before key checks lost it in a crash of the database server, or debate_keys was restored from an older backup; \
         `faultline verify` lists every such debate"
    )]
    KeyMissing {
        /// The debate.
        debate: DebateId,
    },
    /// A debate began under another key than its first events were sealed with. Nothing was recorded; seal them again.
    #[error("debate {debate} began under another key meanwhile; append its events again")]
    KeyTaken {
        /// The debate.
        debate: DebateId,
    },
    /// Keys are wrapped with a master key that is not at hand.
    #[error(
        "the keys of {n_debates} debates are wrapped with a master key, and {}. Name its file in FAULTLINE_MASTER_KEY, or in \
         FAULTLINE_MASTER_KEY_ALSO where keys are wrapped with another one by now",
        if *given { "the one given is another" } else { "none is given" }
    )]
    OtherMaster {
        /// How many debates cannot be read.
        n_debates: i64,
        /// Whether another one was given.
        given: bool,
    },
    /// A lane lacks an event that its head counts.
    #[error("damage in lane {lane}: position {wanted} is missing ({} came instead). Run verify", or_nothing(*found))]
    LaneGap {
        /// The lane.
        lane: i16,
        /// The position that should have come.
        wanted: i64,
        /// The position that came, where one did.
        found: Option<i64>,
    },
    /// A stream lacks an event.
    #[error("damage in debate {debate}: version {wanted} is missing (version {found} came instead). Run verify")]
    StreamGap {
        /// The debate.
        debate: DebateId,
        /// The version that should have come.
        wanted: i64,
        /// The version that came.
        found: i64,
    },
    /// A cursor stands beyond the end of the log: it comes from another store, or the log lost its newest events.
    #[error(
        "the cursor stands at position {at} of lane {lane}, whose newest event is {head}: it is not a cursor of this log"
    )]
    Ahead {
        /// The lane.
        lane: i16,
        /// Where the cursor stands.
        at: i64,
        /// The newest position there is.
        head: i64,
    },
    /// A value could not be written as JSON, or a stored one not be read.
    #[error("cannot {attempt}: {source}")]
    Json {
        /// What was attempted, as it reads after "cannot".
        attempt: &'static str,
        /// What the reader or writer said.
        source: Arc<serde_json::Error>,
    },
    /// The disk of the private `PostgreSQL` has less room than is kept free.
    #[error(
        "nothing is recorded at the moment: the disk of the database has {} MiB free, and {} MiB are kept free so that it \
         keeps running. Free some space or erase debates, then ask again",
        free >> 20,
        kept >> 20
    )]
    NoRoom {
        /// Bytes that are free.
        free: u64,
        /// Bytes that are kept free.
        kept: u64,
    },
    /// The task that writes the log has ended: the program is shutting down.
    #[error("the log takes no more events: the service is stopping")]
    Stopped,
}

impl Fault {
    /// For `map_err`: what was attempted, as it reads after "cannot".
    pub fn database(attempt: &'static str) -> impl Fn(sqlx::Error) -> Fault {
        move |source| Fault::Database { attempt, source: Arc::new(source) }
    }

    /// For `map_err`: what was attempted, as it reads after "cannot".
    pub fn json(attempt: &'static str) -> impl Fn(serde_json::Error) -> Fault {
        move |source| Fault::Json { attempt, source: Arc::new(source) }
    }

    /// Whether the same attempt may succeed later without anybody mending anything.
    pub fn is_transient(&self) -> bool {
        match self {
            Fault::Database { source, .. } => passes(source),
            Fault::Silent { .. } | Fault::Unreachable { .. } | Fault::NoRoom { .. } => true,
            _ => false,
        }
    }
}

/// Whether an error is of the connection or of the moment, not of the statement.
pub(crate) fn passes(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => true,
        // Half an answer: the server went away while it spoke.
        sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(it) => it.code().is_some_and(|code| passing_code(&code)),
        _ => false,
    }
}

fn passing_code(code: &str) -> bool {
    // Connection exceptions, insufficient resources; then serialization failure, deadlock, lock not available, query
    // cancelled (a timeout), read-only (a standby that is being promoted), shutdown, crash, starting up.
    code.starts_with("08")
        || code.starts_with("53")
        || matches!(code, "40001" | "40P01" | "55P03" | "57014" | "25006" | "57P01" | "57P02" | "57P03" | "57P05")
}

fn or_nothing(position: Option<i64>) -> String {
    position.map_or_else(|| "nothing".to_owned(), |it| it.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_helps_where_the_moment_is_at_fault() {
        for code in ["08006", "53300", "57P01", "57P03", "40001", "40P01", "57014"] {
            assert!(passing_code(code), "{code}");
        }
        for code in ["23505", "22021", "42P01", "FL001", "28P01", "3D000"] {
            assert!(!passing_code(code), "{code}");
        }
        let lost = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        assert!(Fault::database("read")(sqlx::Error::Io(lost)).is_transient());
        assert!(!Fault::database("read")(sqlx::Error::RowNotFound).is_transient());
        assert!(!Fault::Stopped.is_transient());
    }

    #[test]
    fn a_fault_says_what_was_attempted() {
        let fault = Fault::database("read a debate's events")(sqlx::Error::PoolTimedOut);
        assert!(fault.to_string().starts_with("cannot read a debate's events: "), "{fault}");
        let fault = Fault::LaneGap { lane: 3, wanted: 8, found: None };
        assert_eq!(fault.to_string(), "damage in lane 3: position 8 is missing (nothing came instead). Run verify");
    }
}
