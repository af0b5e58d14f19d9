//! Cleanup of leftovers of earlier runs before a start.
//!
//! | leftover | action |
//! |-------|------|
//! | a server without an owner, possibly shutting down already | fast shutdown, then wait for its end |
//! | backends whose server was killed | 5 s to end by themselves, then SIGQUIT, then SIGKILL |
//! | a pid file that names a running unrelated process | removed, because it would prevent Postgres from starting |
//! | a pid file that names no running process | kept: Postgres handles it, and checks for shared memory still in use |

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use crate::embedded::error::EmbeddedError;
use crate::embedded::pid_file;
use crate::embedded::processes::{is_running, is_there, pids_of_cluster, signal, wait_for_end};
use crate::embedded::user::User;

/// Time limit of a fast shutdown, which writes a checkpoint.
pub const SHUTDOWN: Duration = Duration::from_secs(30);

/// Time for a backend whose server is gone to end by itself, before it is signaled.
pub const NOTICE: Duration = Duration::from_secs(5);

/// Time limit for a process to end after an immediate shutdown or a kill.
pub const END: Duration = Duration::from_secs(10);

/// Removes everything that prevents a server from starting. Only the owner of the cluster may call this.
///
/// # Errors
/// `Stuck` if processes of the cluster survive all signals; `Io` if a stale pid file cannot be removed.
pub fn clean_up(pgdata: &Path, user: &User, tell: &dyn Fn(&str)) -> Result<(), EmbeddedError> {
    let named = pid_file::read(pgdata).map(|file| file.pid);
    let mut left = pids_of_cluster(pgdata, user);
    if let Some(server) = named.filter(|pid| left.contains(pid)) {
        tell("recovering: stopping the server that an earlier run left behind");
        tracing::warn!(server, pgdata = %pgdata.display(), "stopping an orphaned server");
        shut_down(server);
        left = pids_of_cluster(pgdata, user);
    }
    if !left.is_empty() {
        tell("recovering: waiting for the backends of a server that was killed");
        tracing::warn!(?left, pgdata = %pgdata.display(), "ending stray backends");
        end_all(pgdata, user, left)?;
    }
    // No process serves the cluster now. A regular shutdown has removed the file, but its process id may have been
    // reused.
    match pid_file::read(pgdata) {
        Some(stale) if is_there(stale.pid) => {
            tell("recovering: removing a pid file that names another program");
            tracing::warn!(pid = stale.pid, pgdata = %pgdata.display(), "removing a stale postmaster.pid");
            let path = pid_file::path(pgdata);
            fs::remove_file(&path).map_err(EmbeddedError::io("remove", &path))
        }
        _ => Ok(()),
    }
}

/// Returns the process id of the server of an owned cluster, whose pid file is correct unless the server has died.
pub fn server(pgdata: &Path) -> Option<i32> {
    pid_file::read(pgdata).map(|file| file.pid).filter(|pid| is_running(*pid))
}

/// Requests a fast, then an immediate shutdown. A repeated signal does not disturb a server that is already shutting
/// down.
fn shut_down(server: i32) {
    for (how, limit) in [(Signal::INT, SHUTDOWN), (Signal::QUIT, END)] {
        signal(&[server], how);
        if wait_for_end(&[server], limit) {
            return;
        }
    }
}

/// Ends backends without a server. A backend notices that its server is gone when it next waits; one that is computing
/// does not.
fn end_all(pgdata: &Path, user: &User, mut left: Vec<i32>) -> Result<(), EmbeddedError> {
    if wait_for_end(&left, NOTICE) {
        return Ok(());
    }
    for how in [Signal::QUIT, Signal::KILL] {
        // Queried again, because a process id may have been reused.
        left = pids_of_cluster(pgdata, user);
        signal(&left, how);
        if wait_for_end(&left, END) {
            return Ok(());
        }
    }
    Err(EmbeddedError::Stuck { pgdata: pgdata.to_owned(), pids: left })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::embedded::layout::ClusterLayout;

    #[test]
    fn a_pid_file_is_removed_only_if_it_names_an_unrelated_running_process() {
        let pgdata = tempfile::tempdir().unwrap();
        let user = User::of(&ClusterLayout::under(pgdata.path())).unwrap();
        let path = pid_file::path(pgdata.path());
        fs::write(&path, format!("{}\n", std::process::id())).unwrap();
        clean_up(pgdata.path(), &user, &|_| ()).unwrap();
        assert!(!path.exists());

        let mut gone = Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        fs::write(&path, format!("{}\n", gone.id())).unwrap();
        clean_up(pgdata.path(), &user, &|_| ()).unwrap();
        assert!(path.exists());
    }
}
