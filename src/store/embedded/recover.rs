//! What earlier runs have left behind, before a start.
//!
//! | found | done |
//! |-------|------|
//! | a server (its owner is gone; perhaps it is being stopped already) | fast shutdown, and waited for |
//! | backends without a server (it was killed) | 5 s to end by themselves, then SIGQUIT, then SIGKILL |
//! | a pid file that names a living stranger | removed: Postgres would refuse to start for as long as it lives |
//! | a pid file that names no living process | left: Postgres sees to it, and checks for shared memory still in use |

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use crate::store::embedded::error::EmbeddedError;
use crate::store::embedded::pid_file;
use crate::store::embedded::processes::{is_running, is_there, serving, signal, wait_for_end};
use crate::store::embedded::user::User;

/// How long a fast shutdown may take: it writes a checkpoint.
pub const SHUTDOWN: Duration = Duration::from_secs(30);

/// How long a backend whose server is gone may take to notice, before it is told.
pub const NOTICE: Duration = Duration::from_secs(5);

/// How long a process may take to end after a signal that does not ask.
pub const END: Duration = Duration::from_secs(10);

/// Clears the way for a server. Only for the owner of the cluster.
///
/// # Errors
/// `Stuck` if processes of the cluster survive everything, `Io` if a stale pid file cannot be removed.
pub fn settle(pgdata: &Path, user: &User, tell: &dyn Fn(&str)) -> Result<(), EmbeddedError> {
    let named = pid_file::read(pgdata).map(|it| it.pid);
    let mut left = serving(pgdata, user);
    if let Some(server) = named.filter(|it| left.contains(it)) {
        tell("recovering: stopping the server that an earlier run left behind");
        tracing::warn!(server, pgdata = %pgdata.display(), "stopping an orphaned server");
        shut_down(server);
        left = serving(pgdata, user);
    }
    if !left.is_empty() {
        tell("recovering: waiting for the backends of a server that was killed");
        tracing::warn!(?left, pgdata = %pgdata.display(), "ending stray backends");
        end_all(pgdata, user, left)?;
    }
    // Nobody serves the cluster now. Its own shutdown has removed the file, but a stranger may have its number.
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

/// The server of a cluster that is owned: then its pid file is true, or the server is dead.
pub fn server(pgdata: &Path) -> Option<i32> {
    pid_file::read(pgdata).map(|it| it.pid).filter(|pid| is_running(*pid))
}

/// Fast, then immediate. To a server that is stopping already the signal says nothing new.
fn shut_down(server: i32) {
    for (how, limit) in [(Signal::INT, SHUTDOWN), (Signal::QUIT, END)] {
        signal(&[server], how);
        if wait_for_end(&[server], limit) {
            return;
        }
    }
}

/// A backend notices that its server is gone when it next waits for something; one that computes does not.
fn end_all(pgdata: &Path, user: &User, mut left: Vec<i32>) -> Result<(), EmbeddedError> {
    if wait_for_end(&left, NOTICE) {
        return Ok(());
    }
    for how in [Signal::QUIT, Signal::KILL] {
        // Asked again: a number that is free may be given to another process.
        left = serving(pgdata, user);
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
    use crate::store::embedded::place::Place;

    #[test]
    fn a_pid_file_that_names_a_stranger_goes_and_one_that_names_nobody_stays() {
        let pgdata = tempfile::tempdir().unwrap();
        let user = User::of(&Place::under(pgdata.path())).unwrap();
        let path = pid_file::path(pgdata.path());
        fs::write(&path, format!("{}\n", std::process::id())).unwrap();
        settle(pgdata.path(), &user, &|_| ()).unwrap();
        assert!(!path.exists());

        let mut gone = Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        fs::write(&path, format!("{}\n", gone.id())).unwrap();
        settle(pgdata.path(), &user, &|_| ()).unwrap();
        assert!(path.exists());
    }
}
