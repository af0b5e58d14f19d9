//! Ownership of a cluster: the owner is the process that holds the lock on its lock file. The system releases the lock
//! when the process ends.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};

use crate::embedded::error::EmbeddedError;
use crate::embedded::layout::ClusterLayout;

/// Takes ownership; `None` if another process is the owner. Ownership lasts until the file is dropped.
///
/// # Errors
/// `Io` if the file cannot be created, locked or written.
pub fn take(place: &ClusterLayout) -> Result<Option<File>, EmbeddedError> {
    let path = place.lock();
    let doing = |doing| EmbeddedError::io(doing, &path);
    let opened = File::options().create(true).truncate(false).write(true).open(&path);
    let mut file = opened.map_err(doing("open"))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(doing("lock")(why)),
        Ok(()) => {
            // The content is informative, for readers and error messages; only the lock counts.
            let written = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
            written.map_err(doing("write"))?;
            Ok(Some(file))
        }
    }
}

/// Returns true if a process owns the cluster.
///
/// # Errors
/// `Io` if the file exists and cannot be opened.
pub fn is_taken(place: &ClusterLayout) -> Result<bool, EmbeddedError> {
    let path = place.lock();
    match File::open(&path) {
        // A shared lock, so that two processes that check at once do not mistake each other for the owner.
        Ok(file) => Ok(matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(why) => Err(EmbeddedError::io("open", &path)(why)),
    }
}

/// Suffix of the owner's process id once its server is being shut down.
const LEAVING: &str = " (leaving)";

/// Marks the server as shutting down, before its shutdown begins, so that no process attaches to it any more.
pub fn mark_leaving(place: &ClusterLayout) {
    // On failure, another process may attach to the ending server; the server then reports the shutdown.
    let _ = fs::write(place.lock(), format!("{}{LEAVING}\n", std::process::id()));
}

/// Returns true if the owner's server is shutting down.
pub fn is_leaving(place: &ClusterLayout) -> bool {
    fs::read_to_string(place.lock()).is_ok_and(|text| text.trim_end().ends_with(LEAVING))
}

/// Describes the owner of the cluster for an error message.
pub fn owner(place: &ClusterLayout) -> String {
    match fs::read_to_string(place.lock()).unwrap_or_default().trim() {
        "" => "another process".to_owned(),
        pid => format!("process {pid}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_owner_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let place = ClusterLayout::under(home.path());
        assert!(!is_taken(&place).unwrap());
        fs::create_dir_all(&place.state).unwrap();
        let first = take(&place).unwrap();
        assert!(first.is_some() && is_taken(&place).unwrap() && take(&place).unwrap().is_none());
        assert_eq!(owner(&place), format!("process {}", std::process::id()));
        assert!(!is_leaving(&place));
        mark_leaving(&place);
        assert!(is_leaving(&place) && is_taken(&place).unwrap());
        drop(first);
        // A child that another test forks at this moment holds the file open until it executes another program.
        let next = (0..1_000).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            take(&place).unwrap()
        });
        assert!(next.is_some() && !is_leaving(&place), "the next owner is not marked as leaving");
    }
}
