//! Who owns a cluster: the process that holds the lock of its lock file. The system gives it up when the process dies.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};

use crate::store::embedded::error::EmbeddedError;
use crate::store::embedded::place::Place;

/// Becomes the owner, if nobody is. Ownership lasts until the file is dropped.
///
/// # Errors
/// `Io` if the file cannot be made or locked.
pub fn take(place: &Place) -> Result<Option<File>, EmbeddedError> {
    let path = place.lock();
    let doing = |doing| EmbeddedError::io(doing, &path);
    let opened = File::options().create(true).truncate(false).write(true).open(&path);
    let mut file = opened.map_err(doing("open"))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(why)) => Err(doing("lock")(why)),
        Ok(()) => {
            // Only for a person to read, and for errors: what counts is the lock.
            let written = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
            written.map_err(doing("write"))?;
            Ok(Some(file))
        }
    }
}

/// Whether somebody owns the cluster.
///
/// # Errors
/// `Io` if the file is there and cannot be opened.
pub fn is_taken(place: &Place) -> Result<bool, EmbeddedError> {
    let path = place.lock();
    match File::open(&path) {
        // A shared lock, so that two who look at once do not take each other for the owner.
        Ok(file) => Ok(matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(why) => Err(EmbeddedError::io("open", &path)(why)),
    }
}

/// What stands behind the owner's number once its server is told to end.
const LEAVING: &str = " (leaving)";

/// The owner says that its server is about to end, before it ends it: nobody is to attach to that server any more.
pub fn leave(place: &Place) {
    // Whoever cannot read it attaches to a server that ends, and is told so by the server.
    let _ = fs::write(place.lock(), format!("{}{LEAVING}\n", std::process::id()));
}

/// Whether the owner's server is about to end.
pub fn is_leaving(place: &Place) -> bool {
    fs::read_to_string(place.lock()).is_ok_and(|it| it.trim_end().ends_with(LEAVING))
}

/// Who owns the cluster, for an error.
pub fn owner(place: &Place) -> String {
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
        let place = Place::under(home.path());
        assert!(!is_taken(&place).unwrap());
        fs::create_dir_all(&place.state).unwrap();
        let first = take(&place).unwrap();
        assert!(first.is_some() && is_taken(&place).unwrap() && take(&place).unwrap().is_none());
        assert_eq!(owner(&place), format!("process {}", std::process::id()));
        assert!(!is_leaving(&place));
        leave(&place);
        assert!(is_leaving(&place) && is_taken(&place).unwrap());
        drop(first);
        // A child that another test forks at this moment holds our files until it becomes another program.
        let next = (0..1_000).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            take(&place).unwrap()
        });
        assert!(next.is_some() && !is_leaving(&place), "whoever comes next stays");
    }
}
