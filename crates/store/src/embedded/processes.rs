//! Finds, signals and awaits the processes that serve a cluster. Postgres and its backends have the data directory as
//! their working directory, so `/proc/*/cwd` identifies them, no matter which process started them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::embedded::pid_file;
use crate::embedded::user::User;

const PAUSE: Duration = Duration::from_millis(20);

/// Script run as the server's user: that user may inspect its own processes everywhere, while root may not in a default
/// container, which lacks `CAP_SYS_PTRACE`.
const SERVING: &str = include_str!("serving.sh");

/// Returns the ids of all processes that serve the cluster. Without `/proc`, at most the server itself.
pub fn pids_of_cluster(pgdata: &Path, user: &User) -> Vec<i32> {
    if !Path::new("/proc/self/cwd").exists() {
        let server = pid_file::read(pgdata).map(|file| file.pid);
        return server.into_iter().filter(|pid| is_called_postgres(*pid)).collect();
    }
    let asked = user.command(Path::new("/bin/sh")).args(["-c", SERVING, "sh"]).arg(pgdata).output();
    let said = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    said.lines().filter_map(|line| line.parse().ok()).filter(|pid| is_running(*pid)).collect()
}

/// Returns true if a process with this id exists, of any user, including a zombie. Postgres uses the same test.
pub fn is_there(pid: i32) -> bool {
    named(pid).is_some_and(|process| !matches!(test_kill_process(process), Err(Errno::SRCH)))
}

/// Returns true if a process with this id exists and is not a zombie. In containers, zombies often stay forever.
pub fn is_running(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Format: "123 (name) S ..."; the name may contain any character.
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    is_there(pid) && !matches!(state, Some('Z' | 'X'))
}

/// Sends a signal to each process; processes that have ended are ignored.
pub fn signal(pids: &[i32], signal: Signal) {
    for pid in pids.iter().filter_map(|pid| named(*pid)) {
        if let Err(why) = kill_process(pid, signal) {
            tracing::debug!(?pid, ?signal, %why, "cannot signal a process");
        }
    }
}

/// Waits until none of the processes is running. Returns false if the time limit is reached first.
pub fn wait_for_end(pids: &[i32], limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while pids.iter().any(|pid| is_running(*pid)) {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(PAUSE);
    }
    true
}

/// Converts a process id; zero and negative numbers denote groups and are rejected.
fn named(pid: i32) -> Option<Pid> {
    (pid > 0).then_some(pid).and_then(Pid::from_raw)
}

/// Checks the name of a process. It does not identify the cluster, but is sufficient for a process id that the cluster
/// has written.
fn is_called_postgres(pid: i32) -> bool {
    let asked = Command::new("ps").args(["-o", "comm=", "-p", &pid.to_string()]).output();
    asked.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("postgres"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::layout::ClusterLayout;

    #[test]
    fn an_unrelated_process_in_the_directory_does_not_serve_the_cluster() {
        let pgdata = tempfile::tempdir().unwrap();
        let user = User::of(&ClusterLayout::under(pgdata.path())).unwrap();
        let mut stranger = Command::new("sleep").arg("60").current_dir(pgdata.path()).spawn().unwrap();
        let pid = i32::try_from(stranger.id()).unwrap();
        assert!(is_running(pid) && pids_of_cluster(pgdata.path(), &user).is_empty());
        assert!(!wait_for_end(&[pid], PAUSE));
        signal(&[pid], Signal::KILL);
        assert!(wait_for_end(&[pid], Duration::from_secs(10)));
        assert!(is_there(pid), "a zombie still exists");
        stranger.wait().unwrap();
        assert!(!is_there(pid) && !is_there(-1) && !is_there(0));
    }
}
