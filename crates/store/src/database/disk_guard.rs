//! Keeps disk space of a private cluster free, so that the server never stops because the disk is full.
//!
//! A `PostgreSQL` that cannot write its write-ahead log stops, and cannot start again either. Appends are therefore
//! refused while there is still room for the server itself and for erasures. A reserve file is deleted if even that
//! runs short.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate, statvfs};

use crate::error::StoreError;

/// Size of the reserve file in bytes: one segment of the server's write-ahead log, and half as much again for the rest.
const RESERVE_BYTES: u64 = 24 << 20;

/// Free-space requirement of one disk. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct DiskGuard {
    directory: PathBuf,
    kept: u64,
}

impl DiskGuard {
    /// Requires `kept` free bytes on the disk of a directory, which also contains the reserve file.
    pub fn new(directory: &Path, kept: u64) -> DiskGuard {
        DiskGuard { directory: directory.to_owned(), kept }
    }

    /// Returns an error while the disk has too little free space. Costs one system call of a few microseconds.
    ///
    /// # Errors
    /// [`StoreError::NoRoom`] with the free and the required bytes.
    pub fn check(&self) -> Result<(), StoreError> {
        match free(&self.directory) {
            Some(free) if free < self.kept => Err(StoreError::NoRoom { free, kept: self.kept }),
            _ => Ok(()),
        }
    }

    /// Deletes the reserve file if an erasure would otherwise have too little disk space.
    pub fn make_for_erasure(&self) {
        if free(&self.directory).is_some_and(|bytes| bytes < RESERVE_BYTES) {
            delete_reserve(&self.directory);
        }
    }
}

/// Creates the reserve file if it is missing and the disk has plenty of free space.
pub fn create_reserve(directory: &Path) {
    let path = path(directory);
    if path.exists() || free(directory).is_none_or(|bytes| bytes < 4 * RESERVE_BYTES) {
        return;
    }
    let made = File::create(&path).and_then(|file| {
        fallocate(&file, FallocateFlags::empty(), 0, RESERVE_BYTES).map_err(io::Error::from)?;
        Ok(())
    });
    if let Err(error) = made {
        tracing::debug!(path = %path.display(), %error, "cannot create the reserve file");
        let _removed = fs::remove_file(&path);
    }
}

/// Deletes the reserve file. Returns whether there was one.
pub fn delete_reserve(directory: &Path) -> bool {
    let released = fs::remove_file(path(directory)).is_ok();
    if released {
        tracing::warn!(directory = %directory.display(), "the disk is full: deleted the reserve file");
    }
    released
}

/// Returns whether the server may have stopped because the disk is full.
pub fn is_short(directory: &Path) -> bool {
    free(directory).is_some_and(|bytes| bytes < RESERVE_BYTES)
}

fn path(directory: &Path) -> PathBuf {
    directory.join("reserve")
}

/// Returns the bytes available to an unprivileged user; `None` if the system does not say.
fn free(directory: &Path) -> Option<u64> {
    let told = statvfs(directory).ok()?;
    Some(told.f_bavail.saturating_mul(told.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_about_free_space_names_both_figures() {
        let directory = tempfile::tempdir().expect("a directory");
        assert!(DiskGuard::new(directory.path(), 0).check().is_ok());
        let fault = DiskGuard::new(directory.path(), u64::MAX).check().expect_err("no disk has so much free space");
        assert!(fault.is_transient() && fault.to_string().contains("MiB are kept free"), "{fault}");
    }

    #[test]
    fn the_reserve_file_is_created_once_and_deleted_once() {
        let directory = tempfile::tempdir().expect("a directory");
        create_reserve(directory.path());
        create_reserve(directory.path());
        assert_eq!(fs::metadata(path(directory.path())).map(|metadata| metadata.len()).ok(), Some(RESERVE_BYTES));
        assert!(delete_reserve(directory.path()) && !delete_reserve(directory.path()));
    }
}
