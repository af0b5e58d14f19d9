//! Error type of the store, with a classification of transient errors.

use std::sync::Arc;
use std::time::Duration;

use crate::cipher::DecryptError;
use crate::shard::ShardError;
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire::DecodeError;

/// Error of the service, never of a client: the database is unavailable, misconfigured or damaged.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// A statement failed.
    #[error("cannot {attempt}: {source}")]
    Database {
        /// Attempted action, phrased to follow "cannot".
        attempt: &'static str,
        /// Error of the driver or the server.
        source: Arc<sqlx::Error>,
    },
    /// The database did not respond within the time limit.
    #[error("cannot {attempt}: the database did not answer within {} s", limit.as_secs())]
    Timeout {
        /// Attempted action, phrased to follow "cannot".
        attempt: &'static str,
        /// Time limit that was exceeded.
        limit: Duration,
    },
    /// `DATABASE_URL` is not a valid address.
    #[error("DATABASE_URL is not a valid address ({reason}); expected postgres://user:password@host:5432/database")]
    Address {
        /// Error of the parser.
        reason: String,
    },
    /// `FAULTLINE_READ_URL`, the address of the replica, is not valid.
    #[error(
        "FAULTLINE_READ_URL is not a valid address ({reason}); expected postgres://user:password@host:5432/database"
    )]
    ReadAddress {
        /// Error of the parser.
        reason: String,
    },
    /// No connection could be made within the time limit.
    #[error(
        "cannot connect to PostgreSQL at {place} after {} s of attempts ({source}). Is it running, and is DATABASE_URL \
         correct?",
        limit.as_secs()
    )]
    Unreachable {
        /// Host and port or socket, and database.
        place: String,
        /// Time spent on attempts.
        limit: Duration,
        /// Last error of the driver.
        source: Arc<sqlx::Error>,
    },
    /// The server rejected the credentials, or has no such database.
    #[error(
        "PostgreSQL at {place} refused the connection ({source}). Correct the user, password or database name in \
         DATABASE_URL"
    )]
    Refused {
        /// Host and port or socket, and database.
        place: String,
        /// Error of the server.
        source: Arc<sqlx::Error>,
    },
    /// The encrypted connection could not be established: the server offers none, or its certificate is not accepted.
    #[error(
        "the TLS connection to PostgreSQL at {place} failed ({source}). Check the server's certificate, and sslmode and \
         sslrootcert in DATABASE_URL"
    )]
    TlsFailed {
        /// Host and port or socket, and database.
        place: String,
        /// Error of the driver.
        source: Arc<sqlx::Error>,
    },
    /// The connection goes through a pooler that gives each transaction another session.
    #[error(
        "cannot {attempt}: DATABASE_URL addresses a connection pooler that does not keep sessions ({source}). Set its \
         pool_mode to session, or address the server itself"
    )]
    NoSession {
        /// Attempted action, phrased to follow "cannot".
        attempt: &'static str,
        /// Error of the server.
        source: Arc<sqlx::Error>,
    },
    /// The server version is too old.
    #[error(
        "PostgreSQL at {place} is version {found}; {wanted} or newer is required. Set DATABASE_URL to such a server"
    )]
    OldServer {
        /// Host and port or socket, and database.
        place: String,
        /// Major version of the server.
        found: i32,
        /// Oldest supported major version.
        wanted: i32,
    },
    /// The extension `vector` is missing, too old, or may not be created.
    #[error("the extension vector (pgvector {wanted} or newer) is not usable in {place}: {found}. {remedy}")]
    NoVector {
        /// Host and port or socket, and database.
        place: String,
        /// State of the extension in this database.
        found: String,
        /// Oldest supported version of pgvector.
        wanted: &'static str,
        /// Instruction for fixing the problem.
        remedy: &'static str,
    },
    /// The schema could not be migrated.
    #[error("cannot migrate the tables in {place}: {reason}. {remedy}")]
    Migration {
        /// Host and port or socket, and database.
        place: String,
        /// Error of the migrator.
        reason: String,
        /// Instruction for fixing the problem.
        remedy: &'static str,
    },
    /// The store was created with another number of lanes.
    #[error("this store has {found} lanes, but this program expects {wanted}; use the build that created the store")]
    Lanes {
        /// Number of lanes in the store.
        found: usize,
        /// Number of lanes that this build expects.
        wanted: usize,
    },
    /// A stored body cannot be decoded as an event of its kind.
    #[error("damage in debate {debate} at version {version} (kind {kind}): {source}. Run `faultline verify`")]
    Damaged {
        /// Debate of the event.
        debate: DebateId,
        /// Version of the event.
        version: i64,
        /// Lane of the debate.
        lane: i16,
        /// Position of the event in the lane.
        position: i64,
        /// Wire kind of the event.
        kind: String,
        /// Error of the decoder.
        source: Arc<DecodeError>,
    },
    /// The debate was erased: its events can no longer be read.
    #[error("debate {debate} was erased")]
    Erased {
        /// Id of the debate.
        debate: DebateId,
    },
    /// The debate's key exists and cannot be used.
    #[error("cannot append to debate {debate}: {why}")]
    Locked {
        /// Id of the debate.
        debate: DebateId,
        /// Error of the decryption of the key.
        why: DecryptError,
    },
    /// The debate's events are encrypted, and its key is missing from the table.
    #[error(
        "debate {debate} is damaged: its encryption key is missing, so its events cannot be read and \
         none can be appended. A build without key checks lost it in a crash of the database server, or debate_keys \
         was restored from an older backup; run `faultline verify` to list all such debates"
    )]
    KeyMissing {
        /// Id of the debate.
        debate: DebateId,
    },
    /// The debate's first events were encrypted with another key than the recorded one. Nothing was recorded; encrypt
    /// them again with the recorded key.
    #[error("debate {debate} was created with another key at the same time; append its events again")]
    KeyConflict {
        /// Id of the debate.
        debate: DebateId,
    },
    /// Keys are wrapped with a master key that is not configured.
    #[error(
        "the keys of {n_debates} debates are wrapped with a master key, but {}. Set FAULTLINE_MASTER_KEY to its file, \
         or FAULTLINE_MASTER_KEY_ALSO if other keys are already wrapped with another one",
        if *given { "a different one is configured" } else { "none is configured" }
    )]
    MasterKeyMismatch {
        /// Number of debates that cannot be read.
        n_debates: i64,
        /// True if another master key is configured.
        given: bool,
    },
    /// A lane lacks an event that its head counts.
    #[error(
        "damage in lane {lane}: position {wanted} is missing (found {} instead). Run `faultline verify`",
        or_nothing(*found)
    )]
    LaneGap {
        /// Lane with the gap.
        lane: i16,
        /// Expected position.
        wanted: i64,
        /// Position found instead; `None` if the lane ended.
        found: Option<i64>,
    },
    /// A stream lacks an event.
    #[error(
        "damage in debate {debate}: version {wanted} is missing (found version {found} instead). Run `faultline verify`"
    )]
    StreamGap {
        /// Debate with the gap.
        debate: DebateId,
        /// Expected version.
        wanted: i64,
        /// Version found instead.
        found: i64,
    },
    /// A cursor is beyond the end of the log: it belongs to another store, or the log lost its newest events.
    #[error(
        "the cursor is at position {at} of lane {lane}, but the newest position is {head}: it belongs to another log"
    )]
    Ahead {
        /// Lane of the position.
        lane: i16,
        /// Position of the cursor.
        at: i64,
        /// Newest position in the lane.
        head: i64,
    },
    /// A value could not be encoded as JSON, or stored JSON could not be decoded.
    #[error("cannot {attempt}: {source}")]
    Json {
        /// Attempted action, phrased to follow "cannot".
        attempt: &'static str,
        /// Error of the JSON encoder or decoder.
        source: Arc<serde_json::Error>,
    },
    /// The disk of the private `PostgreSQL` has less free space than the reserve.
    #[error(
        "no events can be recorded: the disk of the database has {} MiB free, and {} MiB are kept free so that the \
         database keeps running. Free disk space or erase debates, then retry",
        free >> 20,
        kept >> 20
    )]
    NoRoom {
        /// Free bytes.
        free: u64,
        /// Bytes that must stay free.
        kept: u64,
    },
    /// Another process has taken the lease of the projector.
    #[error("cannot save the stored views: another process keeps them up to date now")]
    Superseded,
    /// A server of the log cannot be used, or a lane is on another one.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The task that writes the log has ended because the program is shutting down.
    #[error("cannot append: the service is shutting down")]
    Stopped,
}

impl StoreError {
    /// Returns a converter for `map_err`; `attempt` is phrased to follow "cannot".
    pub fn database(attempt: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
        move |source| {
            let source = Arc::new(source);
            if has_lost_session(&source) {
                StoreError::NoSession { attempt, source }
            } else {
                StoreError::Database { attempt, source }
            }
        }
    }

    /// Returns a converter for `map_err`; `attempt` is phrased to follow "cannot".
    pub fn json(attempt: &'static str) -> impl Fn(serde_json::Error) -> StoreError {
        move |source| StoreError::Json { attempt, source: Arc::new(source) }
    }

    /// Returns true if the same attempt may succeed later without intervention.
    pub fn is_transient(&self) -> bool {
        match self {
            StoreError::Database { source, .. } => is_transient_error(source) || is_database_missing(source),
            StoreError::Timeout { .. } | StoreError::Unreachable { .. } | StoreError::NoRoom { .. } => true,
            StoreError::Shard(fault) => matches!(fault, ShardError::LaneMoved { .. }),
            _ => false,
        }
    }

    /// Returns true if the server has no database of this name any more. A retry succeeds once it is restored.
    pub fn is_database_missing(&self) -> bool {
        self.has_code(MISSING_DATABASE)
    }

    /// Returns true if the server ended the transaction because it and others waited for one another. Nothing of it is stored,
    /// and a retry succeeds.
    pub(crate) fn is_deadlock(&self) -> bool {
        self.has_code(DEADLOCK)
    }

    fn has_code(&self, code: &str) -> bool {
        let StoreError::Database { source, .. } = self else { return false };
        source.as_database_error().and_then(|error| error.code()).as_deref() == Some(code)
    }
}

/// SQLSTATE of a transaction that was ended so that others which it waited for, and which waited for it, can go on.
const DEADLOCK: &str = "40P01";

/// SQLSTATE of a statement that is prepared under a name in use.
const DUPLICATE_PREPARED_STATEMENT: &str = "42P05";

/// SQLSTATE of a prepared statement that does not exist.
const UNKNOWN_PREPARED_STATEMENT: &str = "26000";

/// SQLSTATE of a connection to a database that does not exist.
const MISSING_DATABASE: &str = "3D000";

/// Returns true if an error comes from the connection or a temporary condition, not from the statement.
pub(crate) fn is_transient_error(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => true,
        // A truncated response: the server closed the connection while it was sending.
        sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(it) => it.code().is_some_and(|code| passing_code(&code)),
        _ => false,
    }
}

/// Returns true if the encrypted connection could not be established. Another attempt would fail in the same way.
pub(crate) fn is_tls_error(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Tls(_) => true,
        // The handshake reports an invalid certificate as invalid data.
        sqlx::Error::Io(it) => it.kind() == std::io::ErrorKind::InvalidData,
        // A pooler that accepts encrypted connections only; a server says so by a code of its own.
        sqlx::Error::Database(it) => it.message() == "SSL required",
        _ => false,
    }
}

/// Returns true if a statement prepared in this session is unknown, or a new one is already there: the session changed.
fn has_lost_session(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| matches!(code.as_ref(), DUPLICATE_PREPARED_STATEMENT | UNKNOWN_PREPARED_STATEMENT))
}

/// Returns true if the database does not exist. At the first connection this is a wrong address, which is not retried;
/// later the database was lost, and may be restored.
fn is_database_missing(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "3D000")
}

fn passing_code(code: &str) -> bool {
    // Connection exceptions and insufficient resources by class; then serialization failure, deadlock, lock not
    // available, query canceled (a timeout), read-only transaction (a standby during promotion), shutdown, crash,
    // starting up.
    code.starts_with("08")
        || code.starts_with("53")
        || matches!(code, "40001" | "40P01" | "55P03" | "57014" | "25006" | "57P01" | "57P02" | "57P03" | "57P05")
}

fn or_nothing(position: Option<i64>) -> String {
    position.map_or_else(|| "nothing".to_owned(), |position| position.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_conditions_are_transient_and_statement_errors_are_not() {
        for code in ["08006", "53300", "57P01", "57P03", "40001", "40P01", "57014"] {
            assert!(passing_code(code), "{code}");
        }
        for code in ["23505", "22021", "42P01", "FL001", "28P01", "3D000"] {
            assert!(!passing_code(code), "{code}");
        }
        let lost = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        assert!(StoreError::database("read")(sqlx::Error::Io(lost)).is_transient());
        assert!(!StoreError::database("read")(sqlx::Error::RowNotFound).is_transient());
        assert!(!StoreError::Stopped.is_transient());
    }

    #[test]
    fn rejected_certificates_and_missing_encryption_are_tls_errors() {
        let io = |kind| sqlx::Error::Io(std::io::Error::from(kind));
        assert!(is_tls_error(&io(std::io::ErrorKind::InvalidData)));
        assert!(is_tls_error(&sqlx::Error::Tls("the server does not support TLS".into())));
        assert!(!is_tls_error(&io(std::io::ErrorKind::ConnectionRefused)));
    }

    #[test]
    fn a_fault_names_the_attempted_action() {
        let fault = StoreError::database("read a debate's events")(sqlx::Error::PoolTimedOut);
        assert!(fault.to_string().starts_with("cannot read a debate's events: "), "{fault}");
        let fault = StoreError::LaneGap { lane: 3, wanted: 8, found: None };
        assert_eq!(
            fault.to_string(),
            "damage in lane 3: position 8 is missing (found nothing instead). Run `faultline verify`"
        );
    }
}
