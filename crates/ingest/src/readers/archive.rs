//! Reader of the post files in a zip archive, without unpacking the rest.
//!
//! Decompressed sizes are counted while reading, not trusted; the size of the central directory is checked before it is
//! read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use zip::ZipArchive;

use crate::readers::form::{Form, is_posts};

/// Maximum size of the archive's central directory, in bytes.
const MAX_CONTENTS_BYTES: u64 = 32 << 20;

/// Maximum size of the archive's account file, in bytes.
const MAX_ACCOUNT_BYTES: u64 = 1 << 20;

/// Post files of an archive.
#[derive(Debug, Default)]
pub struct Posted {
    /// Contents of the post files, in order.
    pub files: Vec<String>,
    /// Contents of the account file.
    pub account: Option<String>,
}

/// Reads the post files of an archive, or a single post file extracted from one. Blocks.
///
/// # Errors
/// A message if the file is not an archive, contains no posts, cannot be read, or exceeds a limit.
pub fn posted(path: &Path) -> Result<Posted, String> {
    posted_within(path, Form::Posts.most_bytes())
}

fn posted_within(path: &Path, mut most: u64) -> Result<Posted, String> {
    let unread = |error: std::io::Error| format!("cannot be read: {error}");
    let mut file = File::open(path).map_err(unread)?;
    let mut magic = [0; 2];
    let n_read = file.read(&mut magic).map_err(unread)?;
    file.seek(SeekFrom::Start(0)).map_err(unread)?;
    if &magic[..n_read] != b"PK" {
        let text = text(file, most, &path.display().to_string())?;
        return Ok(Posted { files: vec![text], account: None });
    }
    contents(&mut file)?;
    let damaged = |error: zip::result::ZipError| format!("is a damaged archive: {error}");
    let mut archive = ZipArchive::new(file).map_err(damaged)?;
    let names = archive.file_names().filter_map(Result::ok).map(std::borrow::Cow::into_owned);
    let mut names: Vec<String> = names.filter(|name| is_wanted(name)).collect();
    names.sort_by_key(|name| (name.len(), name.clone()));
    let mut posted = Posted::default();
    for name in names {
        let entry = archive.by_name(&name).map_err(damaged)?;
        if name.ends_with("account.js") {
            posted.account = text(entry, MAX_ACCOUNT_BYTES, &name).ok();
            continue;
        }
        let file = text(entry, most, &name)?;
        most -= file.len() as u64;
        posted.files.push(file);
    }
    if posted.files.is_empty() {
        return Err("is an archive without posts (data/tweets.js); only those of X are read".to_owned());
    }
    Ok(posted)
}

fn is_wanted(name: &str) -> bool {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("data", name));
    let stem = file.strip_suffix(".js").unwrap_or_default();
    (folder == "data" || folder.ends_with("/data")) && (is_posts(stem) || stem == "account")
}

/// Checks the size of the central directory in the record at the end of the archive.
fn contents(file: &mut File) -> Result<(), String> {
    let unread = |error: std::io::Error| format!("cannot be read: {error}");
    let length = file.seek(SeekFrom::End(0)).map_err(unread)?;
    let tail = length.min(66_000);
    file.seek(SeekFrom::Start(length - tail)).map_err(unread)?;
    let mut bytes = Vec::new();
    Read::by_ref(file).take(tail).read_to_end(&mut bytes).map_err(unread)?;
    file.seek(SeekFrom::Start(0)).map_err(unread)?;
    let record = bytes.windows(4).rposition(|window| window == b"PK\x05\x06").map(|at| &bytes[at..]);
    let size = record.and_then(|record| record.get(12..16)).ok_or("is a damaged archive: the end record is missing")?;
    let size = u64::from(u32::from_le_bytes([size[0], size[1], size[2], size[3]]));
    let zip64 = bytes.windows(4).any(|window| window == b"PK\x06\x07");
    if zip64 || size > MAX_CONTENTS_BYTES {
        return Err("contains too many files; extract data/tweets.js from it, and add that instead".to_owned());
    }
    Ok(())
}

/// Reads a text of at most `most` bytes, whatever size it declares.
fn text(file: impl Read, most: u64, name: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| format!("{name} cannot be read: {error}"))?;
    if bytes.len() as u64 > most {
        return Err(format!("{name} decompresses to more than {} MiB", most >> 20));
    }
    String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn zipped(folder: &Path, files: &[(&str, &[u8])]) -> std::path::PathBuf {
        let path = folder.join("a.zip");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (name, bytes) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        path
    }

    #[test]
    fn posts_are_read_from_an_archive_or_a_single_file() {
        let root = tempfile::tempdir().unwrap();
        let files: [(&str, &[u8]); 4] = [
            ("data/tweets-part1.js", b"two"),
            ("data/tweets.js", b"one"),
            ("data/account.js", b"me"),
            ("assets/tweets.js", b"x"),
        ];
        let found = posted(&zipped(root.path(), &files)).unwrap();
        assert_eq!((found.files, found.account.as_deref()), (vec!["one".to_owned(), "two".to_owned()], Some("me")));
        std::fs::write(root.path().join("tweets.js"), "[]").unwrap();
        assert_eq!(posted(&root.path().join("tweets.js")).unwrap().files, ["[]"]);
    }

    #[test]
    fn decompression_bombs_and_damaged_archives_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let zeros = vec![b' '; (1 << 20) + 1];
        let bomb = zipped(root.path(), &[("data/tweets.js", &zeros)]);
        assert!(bomb.metadata().unwrap().len() < 1 << 14);
        assert_eq!(posted_within(&bomb, 1 << 20).unwrap_err(), "data/tweets.js decompresses to more than 1 MiB");
        let bytes = std::fs::read(&bomb).unwrap();
        for end in [2, 40, bytes.len() / 2, bytes.len() - 5] {
            std::fs::write(root.path().join("b.zip"), &bytes[..end]).unwrap();
            assert!(posted(&root.path().join("b.zip")).unwrap_err().contains("damaged"), "{end}");
        }
        let other = zipped(root.path(), &[("letter.docx", b"x")]);
        assert!(posted(&other).unwrap_err().contains("without posts"));
    }
}
