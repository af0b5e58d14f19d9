//! Log file of the server: opened for appending by every start, limited in size, quoted in errors.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::embedded::error::EmbeddedError;
use crate::embedded::layout::ClusterLayout;
use crate::provision::error::OutputTail;

/// Size above which the next start renames the log to `.old`, replacing the previous one.
pub const MAX_BYTES: u64 = 8 << 20;

/// Number of bytes read from the end of a log to quote from it.
const TAIL_BYTES: u64 = 1 << 16;

/// Returns the last lines of the server's log, at most `lines`; empty if there is no log.
pub fn log_tail(place: &ClusterLayout, lines: usize) -> String {
    let text = read_after(&place.log(), 0);
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// Opens the log for a server to append to, and returns its current length.
///
/// # Errors
/// `Io` if the file cannot be opened or renamed.
pub fn open(path: &Path) -> Result<(File, u64), EmbeddedError> {
    if length(path) > MAX_BYTES {
        fs::rename(path, path.with_extension("log.old")).map_err(EmbeddedError::io("rename", path))?;
    }
    // Readable by its owner only, because failed statements are logged with their values.
    let opened = File::options().create(true).append(true).mode(0o600).open(path);
    Ok((opened.map_err(EmbeddedError::io("open", path))?, length(path)))
}

/// Returns the length of a log; 0 if there is none.
pub fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Returns the lines to quote in an error from the text written after a position in the log.
pub fn quote_after(path: &Path, start: u64) -> OutputTail {
    OutputTail::last_of(&read_after(path, start))
}

fn read_after(path: &Path, start: u64) -> String {
    let mut tail = Vec::new();
    let start = start.max(length(path).saturating_sub(TAIL_BYTES));
    if let Ok(mut file) = File::open(path) {
        // A log that cannot be read is quoted as empty.
        let _ = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_to_end(&mut tail));
    }
    String::from_utf8_lossy(&tail).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_quotes_its_own_lines_and_a_long_log_is_renamed() {
        let home = tempfile::tempdir().unwrap();
        let place = ClusterLayout::under(home.path());
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
