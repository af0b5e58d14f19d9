//! Parser of `postmaster.pid`, the status file of a running server.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Contents of the file; each line has a fixed meaning (`miscadmin.h`, `LOCK_FILE_LINE_`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PidFile {
    /// Process id of the postmaster.
    pub pid: i32,
    /// Directory of the socket; empty until the server has created it.
    pub socket: PathBuf,
    /// True if the server accepts connections.
    pub is_ready: bool,
    /// Modification time of the file. A start changes it even if it writes the same bytes again, as in a restarted
    /// container.
    pub written: Option<SystemTime>,
}

/// Returns the path of the file in a data directory.
pub fn path(pgdata: &Path) -> PathBuf {
    pgdata.join("postmaster.pid")
}

/// Reads the file; `None` if it is missing or does not contain a process id.
pub fn read(pgdata: &Path) -> Option<PidFile> {
    let path = path(pgdata);
    let written = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
    let text = fs::read_to_string(path).ok()?;
    let line = |number: usize| text.lines().nth(number - 1).unwrap_or_default().trim();
    // A single-user server writes its process id as a negative number.
    let pid = line(1).parse::<i32>().ok()?.checked_abs().filter(|pid| *pid > 0)?;
    Some(PidFile { pid, socket: PathBuf::from(line(5)), is_ready: line(8) == "ready", written })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_short_and_malformed_files_are_parsed() {
        let pgdata = tempfile::tempdir().unwrap();
        let read_as = |text: &str| {
            fs::write(path(pgdata.path()), text).unwrap();
            read(pgdata.path()).map(|file| (file.pid, file.socket, file.is_ready))
        };
        assert_eq!(read(pgdata.path()), None);
        let whole = "4711\n/x/data\n1700000000\n5432\n/x/socket\n\n  123  45\nready   \n";
        assert_eq!(read_as(whole), Some((4711, "/x/socket".into(), true)));
        assert_eq!(read_as(&whole.replace("ready", "starting")), Some((4711, "/x/socket".into(), false)));
        assert_eq!(read_as("-12\n"), Some((12, "".into(), false)));
        for broken in ["", "0\n", "x\n", "-2147483648\n"] {
            assert_eq!(read_as(broken), None, "{broken:?}");
        }
    }
}
