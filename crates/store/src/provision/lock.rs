//! Locks by which only one process at a time fetches or unpacks a wheel.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::provision::error::ProvisionError;

/// Time to wait for another process. It is longer than a download may take, so that the second process finds the wheel.
pub const WAIT: Duration = Duration::from_secs(15 * 60);

const PAUSE: Duration = Duration::from_millis(50);

/// Waits for an exclusive lock on a file, which is created if necessary. The lock is released when the returned file is
/// dropped, and by the system when the process dies. The file itself is kept: if it were removed, two processes could
/// hold locks on two files of the same name.
///
/// # Errors
/// `Busy` after `wait`; `Io` if the file cannot be created or its file system does not support locks.
pub async fn hold(path: &Path, wait: Duration) -> Result<File, ProvisionError> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(ProvisionError::io("create", path))?;
    let deadline = Instant::now() + wait;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(why)) => return Err(ProvisionError::io("lock", path)(why)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(ProvisionError::Busy { lock: path.to_owned(), seconds: wait.as_secs() });
            }
            Err(TryLockError::WouldBlock) => sleep(PAUSE).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_second_holder_waits_and_then_gives_up() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lock");
        let first = hold(&path, WAIT).await.unwrap();
        let refused = hold(&path, Duration::from_millis(1)).await.unwrap_err();
        assert!(matches!(refused, ProvisionError::Busy { .. }), "{refused}");
        drop(first);
        hold(&path, WAIT).await.unwrap();
    }
}
