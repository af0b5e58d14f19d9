//! Helpers for files and directories: accessible directories, self-removing scratch directories, file hashes.

use std::fmt::Write;
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Creates a directory and its parents. New directories get mode 0755 whatever the umask is, because a server started
/// by root runs as another user; existing ones keep their mode.
///
/// # Errors
/// [`io::Error`] if the directory cannot be created: no permission, no space, or a file of the same name.
pub fn make_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_directory(parent)?;
    }
    match fs::create_dir(path) {
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(0o755)),
        // Another process created it first.
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(why) => Err(why),
    }
}

/// SHA-256 of a file, in lower-case hexadecimal digits.
///
/// # Errors
/// [`io::Error`] if the file cannot be read.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match file.read(&mut block)? {
            0 => break,
            n => hasher.update(&block[..n]),
        }
    }
    Ok(hex(hasher))
}

/// Digest of a hasher, in lower-case hexadecimal digits.
pub(super) fn hex(hasher: Sha256) -> String {
    let mut hex = String::with_capacity(64);
    for byte in hasher.finalize() {
        write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
    }
    hex
}

/// New, empty directory that is removed when this value is dropped. The caller must hold a lock that covers its name.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates the directory, and removes one that a killed process left under the same name.
    ///
    /// # Errors
    /// [`io::Error`] if the old directory cannot be removed or the new one cannot be created.
    pub fn new(path: PathBuf) -> io::Result<Self> {
        match fs::remove_dir_all(&path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => make_directory(&path)?,
        }
        Ok(Self(path))
    }

    /// Path of the directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Renames the directory to its final path, which must not exist, after flushing its contents to disk. After a
    /// power failure it exists either completely or not at all.
    ///
    /// # Errors
    /// [`io::Error`] if flushing or renaming fails.
    pub fn keep_as(self, path: &Path) -> io::Result<()> {
        flush(&self.0)?;
        fs::rename(&self.0, path)?;
        path.parent().map_or(Ok(()), flush)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Remaining files are removed when the next scratch directory is created here.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Flushes everything below a directory to disk. Uses one call for the whole file system, since flushing a thousand
/// files one by one takes seconds.
///
/// # Errors
/// [`io::Error`] if the directory cannot be opened or flushed.
#[cfg(target_os = "linux")]
pub fn flush(directory: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(directory)?)?)
}

/// Flushes a directory's own entries to disk; this system has no call for everything below it.
///
/// # Errors
/// [`io::Error`] if the directory cannot be opened or flushed.
#[cfg(not(target_os = "linux"))]
pub fn flush(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_matches_a_known_hash() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("abc");
        fs::write(&file, "abc").unwrap();
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&file).unwrap(), known);
    }

    #[test]
    fn new_directories_are_accessible_and_existing_ones_keep_their_mode() {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), Permissions::from_mode(0o700)).unwrap();
        let deep = place.path().join("a/b");
        make_directory(&deep).unwrap();
        make_directory(&deep).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&deep), mode(place.path())), (0o755, 0o700));
    }

    #[test]
    fn scratch_replaces_leftovers_and_is_removed_unless_kept() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.new");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("left"), "").unwrap();
        let scratch = Scratch::new(path.clone()).unwrap();
        assert!(!path.join("left").exists());
        drop(scratch);
        assert!(!path.exists());
        let kept = place.path().join("x");
        Scratch::new(path.clone()).unwrap().keep_as(&kept).unwrap();
        assert!(kept.is_dir() && !path.exists());
    }
}
