//! Safe reading of files that people wrote.
//!
//! Reads only regular files directly in the given folder. Symbolic links are not followed, because they could lead
//! anywhere. Every file has a size limit, must be UTF-8, and must not contain NUL, which Postgres cannot store. All
//! functions block on the file system. Files that are built into the program are read in the same way.

use std::path::{Path, PathBuf};

use crate::readers::form::{Form, LINKS, POSITIONS, SHARED};
use faultline_shipped::files::{EntryKind, entries, kind, read_up_to};

/// Maximum size of a persona file, in bytes.
pub const MAX_PERSONA_BYTES: u64 = 256 * 1024;

/// Maximum number of documents of a persona.
pub const MAX_DOCUMENTS: usize = 10_000;

/// Maximum size of a document's name, in bytes.
pub const MAX_NAME_BYTES: usize = 120;

/// Skipped file, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Path of the file or folder.
    pub file: PathBuf,
    /// Reason, and how to fix it.
    pub why: String,
}

/// Readable document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Document name: the file stem for Markdown, the whole file name otherwise.
    pub name: String,
    /// Path of the file.
    pub file: PathBuf,
    /// Format of the file.
    pub form: Form,
}

/// Lists the documents in the folder of a persona or a shared corpus in the order of their names, and the skipped files. An
/// absent folder has no documents. Names that begin with a dot are ignored.
///
/// # Errors
/// A message if the folder is a link or not a folder, cannot be read, or contains more than [`MAX_DOCUMENTS`].
pub fn documents(folder: &Path) -> Result<(Vec<SourceFile>, Vec<Skipped>), String> {
    match kind(folder) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
        Err(why) => return Err(format!("cannot be inspected: {why}")),
        Ok(EntryKind::Folder) => {}
        Ok(_) => return Err("is not a folder (links are not followed); put the documents into a folder".to_owned()),
    }
    let (mut sources, mut skipped) = (Vec::new(), Vec::new());
    let is_setting = |name: &std::ffi::OsStr| [LINKS, POSITIONS, SHARED].iter().any(|setting| name == *setting);
    let is_text = |file: &PathBuf| file.file_name().is_none_or(|name| !is_setting(name));
    for file in listed(folder)?.into_iter().filter(is_text) {
        match source(&file) {
            Ok((name, form)) => sources.push(SourceFile { name, file, form }),
            Err(why) => skipped.push(Skipped { file, why: why.to_owned() }),
        }
    }
    if sources.len() > MAX_DOCUMENTS {
        return Err(format!("contains {} documents; at most {MAX_DOCUMENTS} are allowed", sources.len()));
    }
    Ok((sources, skipped))
}

/// Returns the document name and the format of a file if it can be a document.
fn source(file: &Path) -> Result<(String, Form), &'static str> {
    match kind(file).map_err(|_| "cannot be inspected; check its permissions")? {
        EntryKind::File => {}
        EntryKind::Link => return Err("is a symbolic link, and links are not followed; copy the file here"),
        EntryKind::Folder => return Err("is a folder; put documents directly into the folder that contains it"),
        EntryKind::Other => return Err("is not a regular file"),
    }
    let form = Form::of_file(file).ok_or(
        "is not a document; supported: .md, .txt, .html, .pdf, .xml, .rss, .atom, archives of X (.zip, tweets.js)",
    )?;
    Ok((document_name(file, form)?, form))
}

/// Returns the document name of a file: the file stem for Markdown, the whole file name otherwise.
///
/// # Errors
/// A message if the name is not UTF-8, longer than [`MAX_NAME_BYTES`], or contains control characters.
pub fn document_name(file: &Path, form: Form) -> Result<String, &'static str> {
    let name = if form == Form::Markdown { file.file_stem() } else { file.file_name() };
    let name = name.and_then(|name| name.to_str()).ok_or("has a name that is not UTF-8; rename it")?;
    if name.len() > MAX_NAME_BYTES || name.contains(char::is_control) {
        return Err("has a name longer than 120 bytes or with control characters; rename it");
    }
    Ok(name.to_owned())
}

/// Lists the entries of a folder in the order of their names, without those that begin with a dot.
///
/// # Errors
/// A message if the folder cannot be read.
pub fn listed(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = entries(folder).map_err(|why| format!("the folder cannot be read: {why}"))?;
    files.retain(|file| file.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b".")));
    files.sort();
    Ok(files)
}

/// Reads a regular file of at most `most_bytes` bytes.
///
/// # Errors
/// A message if the file is a link or not a regular file, unreadable, or too large.
pub fn bytes_of(file: &Path, most_bytes: u64) -> Result<Vec<u8>, String> {
    let unread = |why: std::io::Error| format!("cannot be read: {why}");
    if kind(file).map_err(unread)? != EntryKind::File {
        return Err("is not a regular file (links are not followed); copy the text here".to_owned());
    }
    let bytes = read_up_to(file, most_bytes + 1).map_err(unread)?;
    if bytes.len() as u64 > most_bytes {
        return Err(format!("is larger than {} KiB; split it into several files", most_bytes / 1024));
    }
    Ok(bytes)
}

/// Reads the bytes of a source; none of an archive of posts, which its reader opens.
///
/// # Errors
/// The errors of [`bytes_of`]; for Markdown and plain text those of [`text_of`], because their authors can save as
/// UTF-8.
pub fn bytes_of_source(form: Form, file: &Path) -> Result<Vec<u8>, String> {
    match form {
        Form::Posts => Ok(Vec::new()),
        Form::Markdown | Form::Text => Ok(text_of(file, form.most_bytes())?.into_bytes()),
        _ => bytes_of(file, form.most_bytes()),
    }
}

/// Reads the text of a regular file of at most `most_bytes` bytes.
///
/// # Errors
/// The errors of [`bytes_of`]; and a message with the line if the file is not UTF-8 or contains NUL.
pub fn text_of(file: &Path, most_bytes: u64) -> Result<String, String> {
    let bytes = bytes_of(file, most_bytes)?;
    let line = |at: usize| bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(format!("contains a NUL byte in line {}; it is not a text, or must be saved as UTF-8", line(at)));
    }
    if let Err(why) = std::str::from_utf8(&bytes) {
        return Err(format!("is not UTF-8 in line {}; save it as UTF-8", line(why.valid_up_to())));
    }
    String::from_utf8(bytes).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_regular_files_in_the_folder_are_documents() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("ada-quill");
        fs::create_dir_all(folder.join("more.md")).unwrap();
        for (name, text) in [("b.md", "b"), ("a.md", "a"), ("notes.rtf", ""), (".hidden.md", ""), ("two\nlines.md", "")]
        {
            fs::write(folder.join(name), text).unwrap();
        }
        fs::write(root.path().join("secret"), "outside").unwrap();
        std::os::unix::fs::symlink("../secret", folder.join("link.md")).unwrap();

        let (sources, skipped) = documents(&folder).unwrap();
        assert_eq!(sources.iter().map(|source| source.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let why = |name: &str| {
            skipped.iter().find(|entry| entry.file.ends_with(name)).map(|entry| entry.why.as_str()).unwrap()
        };
        assert!(why("link.md").starts_with("is a symbolic link"));
        assert!(why("more.md").starts_with("is a folder"));
        assert!(why("notes.rtf").starts_with("is not a document"));
        assert!(why("two\nlines.md").contains("control characters"));
        assert_eq!(skipped.len(), 4);
    }

    #[test]
    fn a_linked_folder_is_refused_and_an_absent_one_is_empty() {
        let root = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/", root.path().join("ada-quill")).unwrap();
        assert!(documents(&root.path().join("ada-quill")).unwrap_err().contains("links are not followed"));
        assert_eq!(documents(&root.path().join("absent")), Ok((Vec::new(), Vec::new())));
    }

    #[test]
    fn non_text_files_are_refused_with_the_line() {
        let root = tempfile::tempdir().unwrap();
        let check = |bytes: &[u8], wanted: &str| {
            let file = root.path().join("text");
            fs::write(&file, bytes).unwrap();
            let why = text_of(&file, 64).unwrap_err();
            assert!(why.contains(wanted), "{why:?} does not say {wanted:?}");
        };
        check(b"one\ntwo\0", "NUL byte in line 2");
        check(b"one\ntwo\nth\xffree", "not UTF-8 in line 3");
        check(&[b'x'; 65], "larger than 0 KiB");
        assert!(text_of(root.path(), 64).unwrap_err().contains("not a regular file"));
        assert!(text_of(&root.path().join("absent"), 64).unwrap_err().contains("cannot be read"));
        fs::write(root.path().join("text"), [b'x'; 64]).unwrap();
        assert_eq!(text_of(&root.path().join("text"), 64).unwrap().len(), 64);
    }
}
