//! Errors of provisioning.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

/// Reason why a wheel could not be fetched, checked or unpacked. Each message states what was attempted, why it failed,
/// and how to fix it.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// No pip was found on this machine.
    #[error(
        "could not fetch {wanted}: no pip was found (tried {tried}); install Python's pip, or put the wheel into {into}"
    )]
    NoPip {
        /// Requirement, `name==version`.
        wanted: String,
        /// Commands that were tried, each with the reason why it was skipped.
        tried: String,
        /// Directory in which a manually added wheel is found.
        into: PathBuf,
    },
    /// Pip ran but did not deliver the wheel.
    #[error(
        "could not fetch {wanted}: `{command}` {how}; make pip able to download it (an index, a mirror or a find-links \
         folder in pip's own configuration), or put the wheel into {into}{said}"
    )]
    Pip {
        /// Requirement, `name==version`.
        wanted: String,
        /// Command that was run.
        command: String,
        /// Ending of the command, as a verb: "ended with exit status: 1".
        how: String,
        /// Directory in which a manually added wheel is found.
        into: PathBuf,
        /// Last lines of its output, possibly none.
        said: OutputTail,
    },
    /// A file does not match the pinned hash.
    #[error("{path} does not match the pinned content: its sha256 is {found}; delete it and try again")]
    Hash {
        /// File or directory to delete.
        path: PathBuf,
        /// Hash of its content.
        found: String,
    },
    /// A directory belongs to another user, who could have replaced the programs in it.
    #[error(
        "{path} belongs to uid {owner}, but this process runs as uid {uid}, so no program in it is run; set \
         FAULTLINE_HOME to a directory of your own, or, if you trust its content, take ownership of it (chown -R)"
    )]
    Foreign {
        /// Directory, or a file in it.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// User of this process.
        uid: u32,
    },
    /// Other users than the owner may change a directory, and so replace the programs in it.
    #[error(
        "{path} is writable by other users, so no program in it is run; remove that permission (chmod -R go-w), or set \
         FAULTLINE_HOME to a directory of your own"
    )]
    Writable {
        /// Directory, or a file in it.
        path: PathBuf,
    },
    /// A wheel could not be unpacked.
    #[error("could not unpack {wheel}: {why}; delete it and try again")]
    Unpack {
        /// Path of the wheel.
        wheel: PathBuf,
        /// Fault in the wheel.
        why: String,
    },
    /// Another process held a lock for too long.
    #[error(
        "timed out after {seconds} s waiting for another process that is fetching or unpacking (it holds {lock}); \
         stop it and try again"
    )]
    Busy {
        /// Path of the lock file.
        lock: PathBuf,
        /// Time waited, in seconds.
        seconds: u64,
    },
    /// A file system operation failed.
    #[error("could not {doing} {path}: {why}; check the free space and the permissions there")]
    Io {
        /// Operation, as a verb: "create", "read", "rename".
        doing: &'static str,
        /// Path of the operation.
        path: PathBuf,
        /// Error of the system.
        why: io::Error,
    },
}

impl ProvisionError {
    /// Error mapper for `map_err` that adds the operation and its path.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |why| Self::Io { doing, path, why }
    }
}

/// Last lines of a program's output, printed below the error message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputTail(pub Vec<String>);

impl OutputTail {
    /// Maximum number of lines that are quoted.
    pub const MAX_LINES: usize = 10;
    /// Maximum number of characters per line.
    pub const MAX_WIDTH: usize = 400;

    /// Takes the last non-blank lines of a text.
    pub fn last_of(text: &str) -> Self {
        let said: Vec<String> = text
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
            .map(|line| line.chars().take(Self::MAX_WIDTH).collect())
            .collect();
        Self(said[said.len().saturating_sub(Self::MAX_LINES)..].to_vec())
    }
}

impl Display for OutputTail {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        f.write_str(". Output:")?;
        for line in &self.0 {
            write!(f, "\n    {line}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_non_blank_lines_are_quoted() {
        let text: String = (0..50).map(|number| format!("line {number}  \n\n")).collect();
        let quoted = OutputTail::last_of(&text);
        assert_eq!(quoted.0.len(), OutputTail::MAX_LINES);
        assert_eq!(quoted.0.last().map(String::as_str), Some("line 49"));
        assert_eq!(OutputTail::last_of("\n \n").to_string(), "");
        assert_eq!(OutputTail::last_of("no space\n").to_string(), ". Output:\n    no space");
        assert_eq!(OutputTail::last_of(&"x".repeat(9_000)).0[0].len(), OutputTail::MAX_WIDTH);
    }
}
