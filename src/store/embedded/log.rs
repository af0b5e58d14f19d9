//! The server's log: appended to by every start, kept small, quoted in errors.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::provision::error::Quoted;
use crate::store::embedded::error::EmbeddedError;
use crate::store::embedded::place::Place;

/// How large a log may be before the next start sets it aside, in place of the one set aside before.
pub const MAX_BYTES: u64 = 8 << 20;

/// How much of the end of a log is read to quote from it.
const TAIL_BYTES: u64 = 1 << 16;

/// The last lines of the server's log, at most `lines` of them; empty if there is none.
pub fn log_tail(place: &Place, lines: usize) -> String {
    let text = read_after(&place.log(), 0);
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// Opens the log for a server to write to, and tells how long it is so far.
///
/// # Errors
/// `Io` if the file cannot be made or set aside.
pub fn open(path: &Path) -> Result<(File, u64), EmbeddedError> {
    if length(path) > MAX_BYTES {
        fs::rename(path, path.with_extension("log.old")).map_err(EmbeddedError::io("rename", path))?;
    }
    // Failed statements are in it, with what they held.
    let opened = File::options().create(true).append(true).mode(0o600).open(path);
    Ok((opened.map_err(EmbeddedError::io("open", path))?, length(path)))
}

/// How long a log is; 0 if there is none.
pub fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |it| it.len())
}

/// What to quote in an error of what was written after a place in the log.
pub fn quote_after(path: &Path, start: u64) -> Quoted {
    Quoted::last_of(&read_after(path, start))
}

fn read_after(path: &Path, start: u64) -> String {
    let mut tail = Vec::new();
    let start = start.max(length(path).saturating_sub(TAIL_BYTES));
    if let Ok(mut file) = File::open(path) {
        // A log that cannot be read has nothing to say; the error that quotes it still stands.
        let _ = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_to_end(&mut tail));
    }
    String::from_utf8_lossy(&tail).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_quotes_its_own_lines_and_a_long_log_is_set_aside() {
        let home = tempfile::tempdir().unwrap();
        let place = Place::under(home.path());
        fs::create_dir_all(&place.state).unwrap();
        assert_eq!(log_tail(&place, 3), "");
        fs::write(place.log(), "old\n").unwrap();
        let (_, start) = open(&place.log()).unwrap();
        fs::write(place.log(), "old\nnew 1\nnew 2\n").unwrap();
        assert_eq!(quote_after(&place.log(), start).0, ["new 1", "new 2"]);
        assert_eq!(log_tail(&place, 2), "new 1\nnew 2");
        File::options().write(true).open(place.log()).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert_eq!(open(&place.log()).unwrap().1, 0);
        assert!(place.state.join("server.log.old").exists());
    }
}
