//! Adding sources to a persona's folder and removing them. The folder stays authoritative.

use std::fs;
use std::path::{Path, PathBuf};

use crate::file_error::FileError;
use crate::links;
use crate::readers::form::Form;
use crate::sources::documents;
use faultline_shipped::built_in::is_built_in;

/// Maximum size of an archive that is copied, in bytes. Extract the file of posts from a larger one.
const MAX_ARCHIVE_BYTES: u64 = 8 << 30;

/// Adds a file or a URL to a folder, replacing a source of the same name. Returns the name of the source. Blocks.
///
/// # Errors
/// [`FileError`] if the file or the URL is not accepted, or cannot be copied or recorded; or if the folder is built into the
/// program.
pub fn place(folder: &Path, given: &str) -> Result<String, FileError> {
    check_editable(folder)?;
    fs::create_dir_all(folder).map_err(|why| FileError::of(folder, format!("cannot be created: {why}")))?;
    if is_address(given) { links::add(folder, given) } else { copy(folder, Path::new(given)) }
}

/// Refuses a folder that is built into the program.
fn check_editable(folder: &Path) -> Result<(), FileError> {
    let what = "is built into the program and cannot be changed; write its files to folders with `faultline init` and run \
                this command there, or create a folder `corpus` for writings of your own";
    if is_built_in(folder) { Err(FileError::of(folder, what)) } else { Ok(()) }
}

/// Returns true if the argument is a URL rather than a file.
fn is_address(given: &str) -> bool {
    given.split_once("://").is_some_and(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn copy(folder: &Path, file: &Path) -> Result<String, FileError> {
    let fault = |what: String| FileError::of(file, what);
    let kind = fs::metadata(file).map_err(|why| fault(format!("cannot be read: {why}")))?;
    if !kind.is_file() {
        return Err(fault("is not a regular file; give files one by one".to_owned()));
    }
    let no_form =
        || fault("has an unsupported type; use .md, .txt, .html, .pdf, .xml, .rss, .atom or an X archive".to_owned());
    let form = Form::of_file(file).ok_or_else(no_form)?;
    let most = if form == Form::Posts { MAX_ARCHIVE_BYTES } else { form.most_bytes() };
    if kind.len() > most {
        return Err(fault(format!("is larger than {} KiB", most / 1024)));
    }
    let name = file.file_name().unwrap_or_default();
    if name.as_encoded_bytes().starts_with(b".") {
        return Err(fault("begins with a dot, and such files are ignored; rename it".to_owned()));
    }
    let target = folder.join(name);
    let known = if form == Form::Markdown { file.file_stem() } else { Some(name) };
    let known = known.unwrap_or_default().to_string_lossy().into_owned();
    if target.canonicalize().is_ok_and(|target| file.canonicalize().is_ok_and(|file| file == target)) {
        return Ok(known);
    }
    // Copy under a temporary name first, so that nobody reads a partial file.
    let beside = folder.join(format!(".{}.new", name.to_string_lossy()));
    let copied = fs::copy(file, &beside).and_then(|_| fs::rename(&beside, &target));
    copied.map_err(|why| {
        // Best effort: remove the partial copy.
        let _gone = fs::remove_file(&beside);
        fault(format!("cannot be copied to {}: {why}", target.display()))
    })?;
    Ok(known)
}

/// Source removed from a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenOut {
    /// Removed file.
    File(PathBuf),
    /// Removed web source.
    Link(String),
}

/// Removes a source from a folder, by its name or its file name; `None` if there is none. Blocks.
///
/// # Errors
/// [`FileError`] if the folder cannot be read or is built into the program, or the file cannot be removed or edited safely.
pub fn remove_source(folder: &Path, name: &str) -> Result<Option<TakenOut>, FileError> {
    check_editable(folder)?;
    if links::links(folder)?.iter().any(|link| link.name == name) {
        return Ok(links::remove(folder, name)?.then(|| TakenOut::Link(name.to_owned())));
    }
    let (sources, _) = documents(folder).map_err(|why| FileError::of(folder, why))?;
    let is_it = |file: &Path| file.file_name().is_some_and(|file_name| file_name == name);
    let Some(found) = sources.into_iter().find(|source| source.name == name || is_it(&source.file)) else {
        return Ok(None);
    };
    fs::remove_file(&found.file).map_err(|why| FileError::of(&found.file, format!("cannot be removed: {why}")))?;
    Ok(Some(TakenOut::File(found.file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_added_replaced_and_removed() {
        let root = tempfile::tempdir().unwrap();
        let (folder, outside) = (root.path().join("ada"), root.path().join("notes.txt"));
        fs::write(&outside, "one").unwrap();
        let given = outside.to_str().unwrap();
        assert_eq!(place(&folder, given).unwrap(), "notes.txt");
        fs::write(&outside, "two").unwrap();
        assert_eq!(place(&folder, given).unwrap(), "notes.txt");
        assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "two");
        assert_eq!(place(&folder, folder.join("notes.txt").to_str().unwrap()).unwrap(), "notes.txt");
        assert_eq!(place(&folder, "https://a.example/feed").unwrap(), "a-example-feed");
        fs::write(folder.join("walls.md"), "x").unwrap();

        assert_eq!(remove_source(&folder, "nothing").unwrap(), None);
        assert_eq!(remove_source(&folder, "sources.toml").unwrap(), None);
        assert_eq!(remove_source(&folder, "../notes.txt").unwrap(), None);
        assert_eq!(remove_source(&folder, "a-example-feed").unwrap(), Some(TakenOut::Link("a-example-feed".into())));
        assert_eq!(remove_source(&folder, "walls").unwrap(), Some(TakenOut::File(folder.join("walls.md"))));
        assert_eq!(remove_source(&folder, "notes.txt").unwrap(), Some(TakenOut::File(folder.join("notes.txt"))));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "only the list of links is left");
    }

    #[test]
    fn folders_of_the_program_are_not_changed() {
        let folder = Path::new("built-in:corpus/edda-tolvane");
        let refusals =
            [place(folder, "https://a.example/feed").unwrap_err(), remove_source(folder, "walls").unwrap_err()];
        for refusal in refusals {
            let why = refusal.to_string();
            assert!(why.starts_with("built-in:corpus/edda-tolvane: is built into") && why.contains("faultline init"));
        }
    }

    #[test]
    fn unsupported_files_are_not_copied() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("ada");
        for (name, wanted) in [("letter.docx", "has an unsupported type"), (".hidden.md", "begins with a dot")] {
            let file = root.path().join(name);
            fs::write(&file, "x").unwrap();
            let why = place(&folder, file.to_str().unwrap()).unwrap_err().to_string();
            assert!(why.contains(wanted), "{why}");
        }
        assert!(place(&folder, root.path().to_str().unwrap()).unwrap_err().to_string().contains("not a regular file"));
        assert!(place(&folder, "file:///etc/passwd").unwrap_err().to_string().contains("begins with `file:`"));
        assert!(place(&folder, "absent.md").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }
}
