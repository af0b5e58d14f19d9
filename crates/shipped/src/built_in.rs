//! Files that are built into the program: the shipped personas, their writings and their positions.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Beginning of the paths of built-in files: `built-in:personas`, `built-in:corpus/edda-tolvane/positions.toml`.
pub const MARK: &str = "built-in:";

/// Built-in files in the order of their paths below the checkout: `personas/edda-tolvane.toml`.
pub const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Returns the path of a built-in folder or file.
pub fn built_in(path: &Path) -> PathBuf {
    PathBuf::from(format!("{MARK}{}", path.display()))
}

/// Returns true if a path names a built-in folder or file, whether it exists or not.
pub fn is_built_in(path: &Path) -> bool {
    name_of(path).is_some()
}

/// Returns the name in [`FILES`] that a path stands for; `None` if it is a path on disk.
pub(crate) fn name_of(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(MARK).map(|name| name.trim_end_matches('/'))
}

/// Returns the content of a built-in file.
pub(crate) fn content(name: &str) -> Option<&'static [u8]> {
    FILES.binary_search_by_key(&name, |(file, _)| file).ok().map(|at| FILES[at].1)
}

/// Returns the files below a built-in folder, with their paths in it; none if there is no such folder.
pub(crate) fn below(folder: &str) -> impl Iterator<Item = &'static str> {
    FILES.iter().filter_map(move |(file, _)| file.strip_prefix(folder)?.strip_prefix('/'))
}

/// Returns the paths at which [`write_to`] would write and something exists already.
pub fn existing_in(folder: &Path) -> Vec<PathBuf> {
    let paths = FILES.iter().map(|(name, _)| folder.join(name));
    paths.filter(|path| path.symlink_metadata().is_ok()).collect()
}

/// Writes all built-in files into a folder, which is created if necessary. Files that exist are replaced if `replaces`,
/// and an error otherwise. Blocks.
///
/// # Errors
/// The path that could not be written, and the reason. Files written before remain.
pub fn write_to(folder: &Path, replaces: bool) -> Result<(), (PathBuf, io::Error)> {
    for (name, content) in FILES {
        let path = folder.join(name);
        write(&path, content, replaces).map_err(|error| (path, error))?;
    }
    Ok(())
}

fn write(path: &Path, content: &[u8], replaces: bool) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    let mut options = OpenOptions::new();
    options.write(true).create(replaces).truncate(replaces).create_new(!replaces);
    options.open(path)?.write_all(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkout() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    #[test]
    fn the_files_are_those_of_the_checkout_in_order() {
        assert!(FILES.is_sorted_by_key(|(name, _)| name));
        for (name, content) in FILES {
            assert_eq!(fs::read(checkout().join(name)).unwrap(), *content, "{name}");
        }
        let on_disk = fs::read_dir(checkout().join("personas")).unwrap().count();
        assert_eq!(below("personas").count(), on_disk);
    }

    #[test]
    fn written_files_are_never_replaced_unasked() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("new");
        write_to(&folder, false).unwrap();
        let (name, content) = FILES[0];
        assert_eq!(fs::read(folder.join(name)).unwrap(), content);
        assert_eq!(existing_in(&folder).len(), FILES.len());
        fs::write(folder.join(name), "mine").unwrap();
        let (path, error) = write_to(&folder, false).unwrap_err();
        assert_eq!((path, error.kind()), (folder.join(name), io::ErrorKind::AlreadyExists));
        assert_eq!(fs::read(folder.join(name)).unwrap(), b"mine");
        write_to(&folder, true).unwrap();
        assert_eq!(fs::read(folder.join(name)).unwrap(), content);
    }
}
