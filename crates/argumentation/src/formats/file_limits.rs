//! Limits on the size of a file.

use crate::formats::parse_error::{ParseProblem, ProblemAt};
use crate::framework::MAX_ARGUMENTS;

/// Maximum size of a file: 1 GiB.
pub const MAX_FILE_BYTES: usize = 1 << 30;

/// Maximum number of attacks in a file, duplicates included.
pub const MAX_FILE_ATTACKS: usize = 1 << 26;

/// Limits on the size of a file. Names have their own limit: [`MAX_NAME_BYTES`](crate::formats::names::MAX_NAME_BYTES).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// Bytes. Default and maximum: [`MAX_FILE_BYTES`].
    pub bytes: usize,
    /// Arguments. Default and maximum: [`MAX_ARGUMENTS`].
    pub arguments: usize,
    /// Attacks, duplicates included. Default: [`MAX_FILE_ATTACKS`].
    pub attacks: usize,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self { bytes: MAX_FILE_BYTES, arguments: MAX_ARGUMENTS, attacks: MAX_FILE_ATTACKS }
    }
}

/// Checks that the number of arguments at byte `at` does not exceed the limit.
///
/// # Errors
/// [`ParseProblem::Beyond`] at this byte if it does.
#[inline]
pub fn check_argument_limit(arguments: usize, limits: &FileLimits, at: usize) -> Result<(), ProblemAt> {
    let most = limits.arguments.min(MAX_ARGUMENTS);
    if arguments > most {
        return Err(ProblemAt { at, flaw: ParseProblem::Beyond { what: "arguments", most } });
    }
    Ok(())
}
