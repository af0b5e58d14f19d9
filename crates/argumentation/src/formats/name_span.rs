//! Names within the bytes of a file, checked.

use crate::formats::cursor::ByteCursor;
use crate::formats::interner::NameSpan;
use crate::formats::names::{MAX_NAME_BYTES, is_valid_name};
use crate::formats::parse_error::{ParseProblem, ProblemAt};

/// Returns the name from byte `start` to the cursor, if it is valid.
///
/// # Errors
/// [`ProblemAt`] at the beginning of an invalid name.
#[inline]
pub fn name_span(cursor: &ByteCursor<'_>, start: usize) -> Result<NameSpan, ProblemAt> {
    let name = &cursor.bytes[start..cursor.at];
    // Parsers stop at the control characters of ASCII, but there are others.
    if !cursor.is_ascii || name.len() > MAX_NAME_BYTES {
        check_name(name, start)?;
    }
    Ok(NameSpan::new(start, name.len()))
}

/// Checks that the name written at byte `at` is not too long and has no control characters.
///
/// # Errors
/// [`ProblemAt`] at this byte if the name is invalid.
pub fn check_name(name: &[u8], at: usize) -> Result<(), ProblemAt> {
    if str::from_utf8(name).is_ok_and(is_valid_name) { Ok(()) } else { Err(unfit(name, at)) }
}

#[cold]
fn unfit(name: &[u8], at: usize) -> ProblemAt {
    if name.len() > MAX_NAME_BYTES {
        return ProblemAt { at, flaw: ParseProblem::Beyond { what: "bytes in a name", most: MAX_NAME_BYTES } };
    }
    let text = String::from_utf8_lossy(name);
    let found = text.chars().find(|letter| letter.is_control()).map_or(0, u32::from);
    let found = format!("one with the character U+{found:04X}");
    ProblemAt { at, flaw: ParseProblem::Unexpected { expected: "a name without control characters", found } }
}
