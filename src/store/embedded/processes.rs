//! Which processes serve a cluster. Postgres and its backends live in the cluster's directory, so `/proc/*/cwd` tells,
//! whoever started them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::store::embedded::pid_file;
use crate::store::embedded::user::User;

const PAUSE: Duration = Duration::from_millis(20);

/// Asked of a shell that runs as the server's user: that user may look at its own processes anywhere, and root may not
/// in a container of the usual kind (it lacks `CAP_SYS_PTRACE`).
const SERVING: &str = include_str!("serving.sh");

/// Every process that serves the cluster. Where there is no `/proc`, at most the server itself.
pub fn serving(pgdata: &Path, user: &User) -> Vec<i32> {
    if !Path::new("/proc/self/cwd").exists() {
        let server = pid_file::read(pgdata).map(|it| it.pid);
        return server.into_iter().filter(|pid| is_called_postgres(*pid)).collect();
    }
    let asked = user.command(Path::new("/bin/sh")).args(["-c", SERVING, "sh"]).arg(pgdata).output();
    let said = asked.map(|it| String::from_utf8_lossy(&it.stdout).into_owned()).unwrap_or_default();
    said.lines().filter_map(|it| it.parse().ok()).filter(|pid| is_running(*pid)).collect()
}

/// Whether there is such a process, of whatever user, dead and not yet waited for included. So Postgres sees it, too.
pub fn is_there(pid: i32) -> bool {
    named(pid).is_some_and(|it| !matches!(test_kill_process(it), Err(Errno::SRCH)))
}

/// Whether there is such a process, and it is not dead. In a container the dead often wait for ever to be waited for.
pub fn is_running(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // "123 (name) S ..."; the name may hold anything.
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    is_there(pid) && !matches!(state, Some('Z' | 'X'))
}

/// Sends a signal to each of them. One that is gone meanwhile needs none.
pub fn signal(pids: &[i32], signal: Signal) {
    for pid in pids.iter().filter_map(|it| named(*it)) {
        if let Err(why) = kill_process(pid, signal) {
            tracing::debug!(?pid, ?signal, %why, "could not signal");
        }
    }
}

/// Waits until none of them runs, and tells whether it came to that.
pub fn wait_for_end(pids: &[i32], limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while pids.iter().any(|it| is_running(*it)) {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(PAUSE);
    }
    true
}

/// Zero and below name groups.
fn named(pid: i32) -> Option<Pid> {
    (pid > 0).then_some(pid).and_then(Pid::from_raw)
}

/// Which cluster it serves cannot be told so; that it is Postgres is much, for a pid that the cluster has written.
fn is_called_postgres(pid: i32) -> bool {
    let asked = Command::new("ps").args(["-o", "comm=", "-p", &pid.to_string()]).output();
    asked.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("postgres"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::embedded::place::Place;

    #[test]
    fn a_stranger_in_the_directory_does_not_serve_the_cluster() {
        let pgdata = tempfile::tempdir().unwrap();
        let user = User::of(&Place::under(pgdata.path())).unwrap();
        let mut stranger = Command::new("sleep").arg("60").current_dir(pgdata.path()).spawn().unwrap();
        let pid = i32::try_from(stranger.id()).unwrap();
        assert!(is_running(pid) && serving(pgdata.path(), &user).is_empty());
        assert!(!wait_for_end(&[pid], PAUSE));
        signal(&[pid], Signal::KILL);
        assert!(wait_for_end(&[pid], Duration::from_secs(10)));
        assert!(is_there(pid), "dead, and not yet waited for");
        stranger.wait().unwrap();
        assert!(!is_there(pid) && !is_there(-1) && !is_there(0));
    }
}
