//! Starts a server and waits until it accepts connections.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::embedded::error::EmbeddedError;
use crate::embedded::find::Binaries;
use crate::embedded::layout::ClusterLayout;
use crate::embedded::log;
use crate::embedded::memory;
use crate::embedded::pid_file;
use crate::embedded::pid_file::PidFile;
use crate::embedded::recover;
use crate::embedded::socket;
use crate::embedded::socket::PORT;
use crate::embedded::user::User;

/// Maximum time without a new log line before the server is ready. During recovery it logs its progress every ten
/// seconds.
pub const MAX_SILENCE: Duration = Duration::from_secs(60);

/// Maximum total time of a start.
pub const MAX_START: Duration = Duration::from_secs(15 * 60);

const PAUSE: Duration = Duration::from_millis(10);

/// Number of attempts while another server of the same cluster is in the way.
const ATTEMPTS: u32 = 10;

/// Wait for such a server to end.
const OTHER_SERVER: Duration = Duration::from_secs(1);

/// Part of the server's message if another server holds the lock of the data directory or of the socket.
const LOCKED: &str = "lock file \"";

/// Script that runs the server while a pipe is open; the reasons are in the file itself.
const WATCHER: &str = include_str!("watcher.sh");

/// Settings that override `postgresql.conf`, besides those of durability and memory.
const SETTINGS: &[&str] = &[
    // No connections from the network.
    "listen_addresses=",
    "unix_socket_permissions=0700",
    // Enough for a few processes with a pool each.
    "max_connections=200",
    // The statements are short: compiling them costs more than it saves.
    "jit=off",
    // No replicas, and a short recovery after a kill.
    "wal_level=minimal",
    "max_wal_senders=0",
    "min_wal_size=64MB",
    "max_wal_size=512MB",
    // Removes segments that are no longer needed, which may contain the keys of erased debates.
    "wal_recycle=off",
    // Times do not depend on the machine.
    "timezone=UTC",
    "log_timezone=UTC",
    // Standard error is redirected to the log file.
    "log_destination=stderr",
    "logging_collector=off",
    "log_startup_progress_interval=10s",
];

/// Parameters for starting and restarting the server of one cluster.
#[derive(Debug, Clone)]
pub struct Server {
    /// Directories of the cluster.
    pub place: ClusterLayout,
    /// Binaries to run.
    pub binaries: Binaries,
    /// System user to run as.
    pub user: User,
}

/// A server that accepts connections.
#[derive(Debug)]
pub struct Started {
    /// Watcher process, which ends when the server has ended.
    pub watcher: Child,
    /// Pipe to the watcher; dropping it shuts the server down.
    pub pipe: ChildStdin,
    /// Directory of the socket.
    pub socket: PathBuf,
}

impl Server {
    /// Cleans up after earlier runs and starts the server. Only the owner of the cluster may call this.
    ///
    /// # Errors
    /// `Stuck` if processes of the cluster do not end; `Socket` if no directory is suitable for the socket; `Start` if
    /// the server ends, or is not ready in time; `Unreachable` or `NoUser` if its user cannot reach the files; `Io`.
    pub fn start(&self, tell: &dyn Fn(&str)) -> Result<Started, EmbeddedError> {
        let pgdata = self.place.pgdata();
        self.user.own_directory(&pgdata)?;
        let mut attempts = 1;
        loop {
            recover::clean_up(&pgdata, &self.user, tell)?;
            let socket = socket::prepare(&self.place, &self.user)?;
            self.user.check_reach(&pgdata)?;
            let before = pid_file::read(&pgdata);
            let (started, log_start) = self.spawn(socket)?;
            match self.wait(started, before.as_ref(), log_start) {
                // Another server is still starting, whose owner was killed: the next attempt finds it and ends it.
                Err(EmbeddedError::Start { said, .. })
                    if attempts < ATTEMPTS && said.0.iter().any(|line| line.contains(LOCKED)) =>
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
        // Acknowledged events are on disk.
        let durability = if self.place.is_durable { "on" } else { "off" };
        for setting in ["fsync", "full_page_writes"] {
            command.args(["-c", &format!("{setting}={durability}")]);
        }
        command.args(["-c", &format!("shared_buffers={}MB", memory::shared_buffers())]);
        // In its own process group, so that Ctrl-C in a terminal does not reach the server.
        command.process_group(0).stdin(Stdio::piped()).stdout(log).stderr(error_log);
        let mut watcher = command.spawn().map_err(EmbeddedError::io("run", shell))?;
        let pipe = watcher.stdin.take().expect("standard input is configured as a pipe");
        Ok((Started { watcher, pipe, socket }, log_start))
    }

    /// Waits until the pid file reports readiness; a file that existed before the start is ignored.
    fn wait(&self, mut started: Started, before: Option<&PidFile>, start: u64) -> Result<Started, EmbeddedError> {
        let (pgdata, log) = (self.place.pgdata(), self.place.log());
        let begun = Instant::now();
        let (mut heard, mut heard_at) = (start, begun);
        let how = loop {
            if let Some(status) = started.watcher.try_wait().map_err(EmbeddedError::io("wait for", &pgdata))? {
                break format!("ended with {status}");
            }
            let now = pid_file::read(&pgdata).filter(|file| Some(file) != before);
            if now.is_some_and(|file| file.is_ready) {
                return Ok(started);
            }
            let length = log::length(&log);
            if length != heard {
                (heard, heard_at) = (length, Instant::now());
            }
            if heard_at.elapsed() > MAX_SILENCE || begun.elapsed() > MAX_START {
                break format!("was not ready after {} s", begun.elapsed().as_secs());
            }
            sleep(PAUSE);
        };
        let Started { mut watcher, pipe, .. } = started;
        drop(pipe);
        // The server ends by itself; if it hangs, the next start ends it.
        std::thread::spawn(move || watcher.wait());
        Err(EmbeddedError::Start { pgdata, how, said: log::quote_after(&log, start), log })
    }
}
