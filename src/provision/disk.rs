//! The few things that the standard library leaves to its caller: directories others may enter, scratch that removes
//! itself, the hash of a file.

use std::fmt::Write;
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Makes a directory and its parents. Those that are new may be entered by everyone whatever the umask is, because a
/// server started by root runs as another user; those that were there stay as they are.
///
/// # Errors
/// What the file system says: no permission, no space, or a file in the way.
pub fn make_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_directory(parent)?;
    }
    match fs::create_dir(path) {
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(0o755)),
        // Another process was quicker.
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(why) => Err(why),
    }
}

/// The sha256 of a file, in lower-case hex.
///
/// # Errors
/// What the file system says.
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

/// The digest of a hasher, in lower-case hex.
pub(super) fn hex(hasher: Sha256) -> String {
    let mut hex = String::with_capacity(64);
    for byte in hasher.finalize() {
        write!(hex, "{byte:02x}").expect("a string takes every write");
    }
    hex
}

/// A directory that is new and empty, and is removed when this is dropped. Hold a lock that covers its name.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes it, in place of what a killed process may have left there.
    ///
    /// # Errors
    /// What the file system says.
    pub fn new(path: PathBuf) -> io::Result<Self> {
        match fs::remove_dir_all(&path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => make_directory(&path)?,
        }
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Gives it its final name, which must not be taken, once all of it has reached the disk: after a power cut it is
    /// there whole or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep_as(self, path: &Path) -> io::Result<()> {
        flush(&self.0)?;
        fs::rename(&self.0, path)?;
        path.parent().map_or(Ok(()), flush)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is removed by the next one that makes it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes all that is below a directory through to the disk: by one call for the whole file system, since a thousand
/// files one by one take seconds.
///
/// # Errors
/// What the file system says.
#[cfg(target_os = "linux")]
pub fn flush(directory: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(directory)?)?)
}

/// Writes a directory's own entries through to the disk: there is no call here for all that is below it.
///
/// # Errors
/// What the file system says.
#[cfg(not(target_os = "linux"))]
pub fn flush(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_the_known_one() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("abc");
        fs::write(&file, "abc").unwrap();
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&file).unwrap(), known);
    }

    #[test]
    fn new_directories_may_be_entered_by_everyone_and_old_ones_stay_as_they_are() {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), Permissions::from_mode(0o700)).unwrap();
        let deep = place.path().join("a/b");
        make_directory(&deep).unwrap();
        make_directory(&deep).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&deep), mode(place.path())), (0o755, 0o700));
    }

    #[test]
    fn scratch_replaces_what_was_left_and_goes_unless_kept() {
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
