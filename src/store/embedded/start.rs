//! Starting a server, and waiting until it takes connections.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::store::embedded::error::EmbeddedError;
use crate::store::embedded::find::Binaries;
use crate::store::embedded::log;
use crate::store::embedded::pid_file::{self, PidFile};
use crate::store::embedded::place::Place;
use crate::store::embedded::recover;
use crate::store::embedded::socket::{self, PORT};
use crate::store::embedded::user::User;

/// How long a server may say nothing in its log before it is ready. While it recovers it says every ten seconds how far
/// it has come.
pub const SILENCE: Duration = Duration::from_secs(60);

/// How long it may take in all.
pub const LONGEST: Duration = Duration::from_secs(15 * 60);

const PAUSE: Duration = Duration::from_millis(10);

/// Attempts to start while another server of the same cluster is in the way.
const ATTEMPTS: u32 = 10;

/// How long such a server is given to end.
const OTHER_SERVER: Duration = Duration::from_secs(1);

/// What a server says that finds another one's lock, of the data directory or of the socket.
const LOCKED: &str = "lock file \"";

/// Runs the server while a pipe is open. It is told why in the file itself.
const WATCHER: &str = include_str!("watcher.sh");

/// In force whatever `postgresql.conf` says.
const SETTINGS: &[&str] = &[
    // Nobody comes in from the network.
    "listen_addresses=",
    "unix_socket_permissions=0700",
    // A few processes with a pool each.
    "max_connections=200",
    "shared_buffers=128MB",
    // Our statements are short: compiling them costs more than it saves.
    "jit=off",
    // An event that was acknowledged is on the disk.
    "fsync=on",
    "full_page_writes=on",
    // There are no replicas; recovery after a kill stays short.
    "wal_level=minimal",
    "max_wal_senders=0",
    "min_wal_size=64MB",
    "max_wal_size=512MB",
    // A segment that is not needed any more is removed, with the keys of debates in it that are erased.
    "wal_recycle=off",
    // Times are the same wherever the program runs.
    "timezone=UTC",
    "log_timezone=UTC",
    // To standard error, which is our log file.
    "log_destination=stderr",
    "logging_collector=off",
    "log_startup_progress_interval=10s",
];

/// All that is needed to start the server of one cluster, and start it again.
#[derive(Debug, Clone)]
pub struct Server {
    /// Where the cluster lives.
    pub place: Place,
    /// What to run.
    pub binaries: Binaries,
    /// As whom.
    pub user: User,
}

/// A server that takes connections.
#[derive(Debug)]
pub struct Started {
    /// The watcher. It ends when the server has ended.
    pub watcher: Child,
    /// The server shuts down when this is dropped.
    pub pipe: ChildStdin,
    /// The directory of its socket.
    pub socket: PathBuf,
}

impl Server {
    /// Clears away what earlier runs have left, and starts. Only for the owner of the cluster.
    ///
    /// # Errors
    /// `Stuck` if processes of the cluster do not end; `Socket` if there is no place for a socket; `Start` if the server
    /// ends, or does not get ready in time; `Io` if the system refuses.
    pub fn start(&self, tell: &dyn Fn(&str)) -> Result<Started, EmbeddedError> {
        let pgdata = self.place.pgdata();
        self.user.own_directory(&pgdata)?;
        let mut attempts = 1;
        loop {
            recover::settle(&pgdata, &self.user, tell)?;
            let socket = socket::prepare(&self.place, &self.user)?;
            self.user.check_reach(&pgdata)?;
            let before = pid_file::read(&pgdata);
            let (started, log_start) = self.spawn(socket)?;
            match self.wait(started, before.as_ref(), log_start) {
                // A server whose owner was killed while it started: nobody saw it yet, and by now it ends or can be ended.
                Err(EmbeddedError::Start { said, .. })
                    if attempts < ATTEMPTS && said.0.iter().any(|it| it.contains(LOCKED)) =>
                {
                    tell("recovering: waiting for a server that an earlier run was starting");
                    attempts += 1;
                    sleep(OTHER_SERVER);
                }
                outcome => return outcome,
            }
        }
    }

    fn spawn(&self, socket: PathBuf) -> Result<(Started, u64), EmbeddedError> {
        let shell = Path::new("/bin/sh");
        let (log, log_start) = log::open(&self.place.log())?;
        let error_log = log.try_clone().map_err(EmbeddedError::io("open", &self.place.log()))?;
        let pgdata = self.place.pgdata();
        let mut command = self.user.command(shell);
        command.args(["-c", WATCHER, "sh"]).arg(pid_file::path(&pgdata)).arg(self.binaries.bin.join("postgres"));
        command.arg("-D").arg(&pgdata).arg("-k").arg(&socket).args(["-p", &PORT.to_string()]);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        // Its own group, so that Ctrl-C in a terminal reaches us and not the server.
        command.process_group(0).stdin(Stdio::piped()).stdout(log).stderr(error_log);
        let mut watcher = command.spawn().map_err(EmbeddedError::io("run", shell))?;
        let pipe = watcher.stdin.take().expect("standard input was asked to be a pipe");
        Ok((Started { watcher, pipe, socket }, log_start))
    }

    /// Ready is what the pid file says, once it is not the one that was there before.
    fn wait(&self, mut started: Started, before: Option<&PidFile>, start: u64) -> Result<Started, EmbeddedError> {
        let (pgdata, log) = (self.place.pgdata(), self.place.log());
        let begun = Instant::now();
        let (mut heard, mut heard_at) = (start, begun);
        let how = loop {
            if let Some(status) = started.watcher.try_wait().map_err(EmbeddedError::io("wait for", &pgdata))? {
                break format!("ended with {status}");
            }
            let now = pid_file::read(&pgdata).filter(|it| Some(it) != before);
            if now.is_some_and(|it| it.is_ready) {
                return Ok(started);
            }
            let length = log::length(&log);
            if length != heard {
                (heard, heard_at) = (length, Instant::now());
            }
            if heard_at.elapsed() > SILENCE || begun.elapsed() > LONGEST {
                break format!("was not ready after {} s", begun.elapsed().as_secs());
            }
            sleep(PAUSE);
        };
        let Started { mut watcher, pipe, .. } = started;
        drop(pipe);
        // It ends by itself; if it hangs, the next start sees to it.
        std::thread::spawn(move || watcher.wait());
        Err(EmbeddedError::Start { pgdata, how, said: log::quote_after(&log, start), log })
    }
}
