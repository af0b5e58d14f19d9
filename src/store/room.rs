//! Room on the disk of a private cluster: some is kept free, so that the server never ends for want of it.
//!
//! A `PostgreSQL` that cannot write its log stops, and cannot start either. So events are refused while there is still room for
//! the server itself and for erasing, and a reserve file is given up when even that is short.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate, statvfs};

use crate::store::fault::Fault;

/// Bytes of the reserve file: a segment of the server's write-ahead log, and half as much again for everything else.
const RESERVE_BYTES: u64 = 24 << 20;

/// What is kept free on one disk. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Room {
    directory: PathBuf,
    kept: u64,
}

impl Room {
    /// Keeps so many bytes free on the disk of a directory, which holds the reserve file too.
    pub fn new(directory: &Path, kept: u64) -> Room {
        Room { directory: directory.to_owned(), kept }
    }

    /// Refuses to record more while there is too little room. One question to the file system, of a few microseconds.
    ///
    /// # Errors
    /// [`Fault::NoRoom`].
    pub fn check(&self) -> Result<(), Fault> {
        match free(&self.directory) {
            Some(free) if free < self.kept => Err(Fault::NoRoom { free, kept: self.kept }),
            _ => Ok(()),
        }
    }

    /// Sees to it that an erasure has room, by giving up the reserve file where there is too little without.
    pub fn make_for_erasure(&self) {
        if free(&self.directory).is_some_and(|it| it < RESERVE_BYTES) {
            release(&self.directory);
        }
    }
}

/// Makes the reserve file, where it is missing and there is plenty of room.
pub fn reserve(directory: &Path) {
    let path = path(directory);
    if path.exists() || free(directory).is_none_or(|it| it < 4 * RESERVE_BYTES) {
        return;
    }
    let made = File::create(&path).and_then(|file| {
        fallocate(&file, FallocateFlags::empty(), 0, RESERVE_BYTES).map_err(io::Error::from)?;
        Ok(())
    });
    if let Err(error) = made {
        tracing::debug!(path = %path.display(), %error, "no room is reserved");
        let _removed = fs::remove_file(&path);
    }
}

/// Gives up the reserve file. Whether there was one.
pub fn release(directory: &Path) -> bool {
    let released = fs::remove_file(path(directory)).is_ok();
    if released {
        tracing::warn!(directory = %directory.display(), "the disk is full: the reserve file is given up");
    }
    released
}

/// Whether the server may have ended for want of room.
pub fn is_short(directory: &Path) -> bool {
    free(directory).is_some_and(|it| it < RESERVE_BYTES)
}

fn path(directory: &Path) -> PathBuf {
    directory.join("reserve")
}

/// Bytes that are free for a user without privileges; none where the system does not say.
fn free(directory: &Path) -> Option<u64> {
    let told = statvfs(directory).ok()?;
    Some(told.f_bavail.saturating_mul(told.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_room_is_told_with_both_figures() {
        let directory = tempfile::tempdir().expect("a directory");
        assert!(Room::new(directory.path(), 0).check().is_ok());
        let fault = Room::new(directory.path(), u64::MAX).check().expect_err("nobody has so much");
        assert!(fault.is_transient() && fault.to_string().contains("MiB are kept free"), "{fault}");
    }

    #[test]
    fn the_reserve_is_made_once_and_given_up_once() {
        let directory = tempfile::tempdir().expect("a directory");
        reserve(directory.path());
        reserve(directory.path());
        assert_eq!(fs::metadata(path(directory.path())).map(|it| it.len()).ok(), Some(RESERVE_BYTES));
        assert!(release(directory.path()) && !release(directory.path()));
    }
}
