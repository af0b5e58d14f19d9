//! Access to files and folders of personas and corpora, on disk or built into the program ([`crate::built_in`]). All
//! functions block on the file system. Symbolic links are not followed, except by [`is_folder`].

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::built_in::{below, built_in, content, is_built_in, name_of};

/// Kind of an entry of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Regular file.
    File,
    /// Folder.
    Folder,
    /// Symbolic link.
    Link,
    /// Anything else: a device, a socket, a pipe.
    Other,
}

/// Returns the folder if there is anything at its path, and the built-in folder of this name otherwise.
pub fn folder_or_built_in(folder: PathBuf) -> PathBuf {
    match folder.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => built_in(&folder),
        _ => folder,
    }
}

/// Returns the kind of what is at a path.
///
/// # Errors
/// [`io::Error`] if nothing is there, or it cannot be inspected.
pub fn kind(path: &Path) -> io::Result<EntryKind> {
    if let Some(name) = name_of(path) {
        return match (content(name), below(name).next()) {
            (Some(_), _) => Ok(EntryKind::File),
            (None, Some(_)) => Ok(EntryKind::Folder),
            (None, None) => Err(absent()),
        };
    }
    let kind = path.symlink_metadata()?.file_type();
    Ok(match (kind.is_symlink(), kind.is_dir(), kind.is_file()) {
        (true, ..) => EntryKind::Link,
        (_, true, _) => EntryKind::Folder,
        (_, _, true) => EntryKind::File,
        _ => EntryKind::Other,
    })
}

/// Returns true if anything is at a path, and can be inspected.
pub fn exists(path: &Path) -> bool {
    kind(path).is_ok()
}

/// Returns true if a path, or what it links to, is a folder.
pub fn is_folder(path: &Path) -> bool {
    if is_built_in(path) { matches!(kind(path), Ok(EntryKind::Folder)) } else { path.is_dir() }
}

/// Lists the entries of a folder, in no particular order.
///
/// # Errors
/// [`io::Error`] if the folder does not exist or cannot be read.
pub fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(name) = name_of(folder) else {
        return fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect();
    };
    let first = |file: &'static str| file.split('/').next();
    let names: BTreeSet<&str> = below(name).filter_map(first).collect();
    if names.is_empty() { Err(absent()) } else { Ok(names.into_iter().map(|name| folder.join(name)).collect()) }
}

/// Reads a file up to a number of bytes; a longer file is cut there.
///
/// # Errors
/// [`io::Error`] if the file does not exist or cannot be read.
pub fn read_up_to(file: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let Some(name) = name_of(file) else {
        let mut bytes = Vec::new();
        File::open(file)?.take(most_bytes).read_to_end(&mut bytes)?;
        return Ok(bytes);
    };
    let content = content(name).ok_or_else(absent)?;
    Ok(content[..content.len().min(usize::try_from(most_bytes).unwrap_or(usize::MAX))].to_vec())
}

/// Returns when a file was changed; `None` if that is unknown, as it is of built-in files.
pub fn changed_at(file: &Path) -> Option<SystemTime> {
    if is_built_in(file) {
        return None;
    }
    file.symlink_metadata().and_then(|metadata| metadata.modified()).ok()
}

/// Folder as people read it: its path, or that it is built into the program.
pub struct Shown<'a>(pub &'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_built_in(self.0) { f.write_str("built into the program") } else { write!(f, "in {}", self.0.display()) }
    }
}

fn absent() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "no such file or folder is built into the program")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_files_are_read_like_those_on_disk() {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for folder in ["personas", "corpus", "corpus/edda-tolvane"] {
            let names = |folder: &Path| -> BTreeSet<_> {
                entries(folder).unwrap().iter().map(|entry| entry.file_name().unwrap().to_owned()).collect()
            };
            assert_eq!(names(&built_in(Path::new(folder))), names(&checkout.join(folder)), "{folder}");
        }
        let file = built_in(Path::new("personas")).join("edda-tolvane.toml");
        let text = fs::read(checkout.join("personas/edda-tolvane.toml")).unwrap();
        assert_eq!(read_up_to(&file, 1 << 20).unwrap(), text);
        assert_eq!(read_up_to(&file, 10).unwrap(), text[..10]);
        assert_eq!(read_up_to(&checkout.join("personas/edda-tolvane.toml"), 10).unwrap(), text[..10]);
        assert_eq!((kind(&file).unwrap(), is_folder(&file), changed_at(&file)), (EntryKind::File, false, None));
        assert!(is_folder(&built_in(Path::new("corpus"))) && is_folder(&checkout.join("corpus")));
    }

    #[test]
    fn nothing_beyond_the_built_in_files_exists() {
        for name in ["personas/nobody.toml", "person", "corpus/edda-tolvane/../gus-ormerand", "", "/etc", "Cargo.toml"]
        {
            let path = built_in(Path::new(name));
            assert!(!exists(&path) && !is_folder(&path), "{name}");
            assert_eq!(entries(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
            assert_eq!(read_up_to(&path, 9).unwrap_err().kind(), io::ErrorKind::NotFound);
        }
    }

    #[test]
    fn a_folder_on_disk_goes_before_the_built_in_one() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("personas");
        assert_eq!(folder_or_built_in(folder.clone()), built_in(&folder));
        fs::create_dir(&folder).unwrap();
        assert_eq!(folder_or_built_in(folder.clone()), folder);
        assert_eq!(Shown(&built_in(Path::new("personas"))).to_string(), "built into the program");
        assert_eq!(Shown(Path::new("personas")).to_string(), "in personas");
    }
}
