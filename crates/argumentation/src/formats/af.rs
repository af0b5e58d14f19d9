//! Format `af`, used by the ICCMA competition since 2023.
//!
//! ```text
//! # two arguments
//! p af 2
//! 1 2
//! ```
//!
//! Arguments are the numbers from 1 to the one on the line `p af`, which comes first; every other line is an attack. A
//! line that begins with `#` is a comment; blank lines are ignored. Anything else on a line is an error.
//!
//! The format has no names. Names that are not just numbers are written as comments, `# 1 a`, for people; when such a
//! file is read, each argument is its number.

use crate::formats::cursor::{ByteCursor, excerpt, is_break};
use crate::formats::file_limits::{FileLimits, check_argument_limit};
use crate::formats::named_framework::{AttackCollector, NamedFramework};
use crate::formats::names::ArgumentNames;
use crate::formats::parse_error::{ParseProblem, ProblemAt};
use crate::framework::Framework;

/// Approximate number of bytes per line.
const LINE_BYTES: usize = 8;

/// Parses the number of arguments and the attacks.
///
/// # Errors
/// [`ProblemAt`] at the first place that violates the format or exceeds a limit.
pub fn parse(cursor: &mut ByteCursor<'_>, limits: &FileLimits) -> Result<NamedFramework, ProblemAt> {
    let arguments = header(cursor, limits)?;
    let mut attacks = AttackCollector::new(cursor.bytes, LINE_BYTES, limits);
    while to_line(cursor) {
        let start = cursor.at;
        let attacker = argument(cursor, arguments)?;
        if !matches!(cursor.peek(), Some(b' ' | b'\t')) {
            return Err(cursor.unexpected("a space and the attacked argument"));
        }
        cursor.skip_blanks();
        let target = argument(cursor, arguments)?;
        line_end(cursor)?;
        attacks.push((attacker, target), start)?;
    }
    Ok(NamedFramework { names: ArgumentNames::numbers(arguments), framework: attacks.framework(arguments as usize) })
}

/// Parses the line `p af n`.
fn header(cursor: &mut ByteCursor<'_>, limits: &FileLimits) -> Result<u32, ProblemAt> {
    const EXPECTED: &str = "the line `p af n` with the number of arguments n";
    to_line(cursor);
    let start = cursor.at;
    let opens = cursor.take(b"p") && !cursor.skip_blanks().is_empty() && cursor.take(b"af");
    if !opens || cursor.skip_blanks().is_empty() {
        cursor.at = start;
        return Err(cursor.unexpected(EXPECTED));
    }
    let start = cursor.at;
    let number = number(cursor).ok_or_else(|| cursor.unexpected("the number of arguments"))?;
    check_argument_limit(usize::try_from(number).unwrap_or(usize::MAX), limits, start)?;
    line_end(cursor)?;
    Ok(u32::try_from(number).expect("the limit fits in 32 bits"))
}

/// Moves to the next line that is neither blank nor a comment; returns false at the end of the file.
#[inline]
fn to_line(cursor: &mut ByteCursor<'_>) -> bool {
    loop {
        cursor.take_while(|byte| is_break(byte) || matches!(byte, b' ' | b'\t'));
        match cursor.peek() {
            None => return false,
            Some(b'#') => cursor.skip_line(),
            Some(_) => return true,
        }
    }
}

#[inline]
fn line_end(cursor: &mut ByteCursor<'_>) -> Result<(), ProblemAt> {
    cursor.skip_blanks();
    if cursor.at_line_end() { Ok(()) } else { Err(cursor.unexpected("the end of the line")) }
}

/// Parses the number of an argument and returns its index.
#[inline]
fn argument(cursor: &mut ByteCursor<'_>, arguments: u32) -> Result<u32, ProblemAt> {
    let start = cursor.at;
    let number = number(cursor).ok_or_else(|| cursor.unexpected("the number of an argument"))?;
    match u32::try_from(number) {
        Ok(number) if (1..=arguments).contains(&number) => Ok(number - 1),
        _ => Err(out_of_range(cursor, start, arguments)),
    }
}

#[cold]
fn out_of_range(cursor: &ByteCursor<'_>, at: usize, arguments: u32) -> ProblemAt {
    let found = excerpt(&String::from_utf8_lossy(&cursor.bytes[at..cursor.at]));
    ProblemAt { at, flaw: ParseProblem::OutOfRange { found, arguments } }
}

/// Parses an unsigned number; the maximum value if it is too large, `None` if there is none.
#[inline]
fn number(cursor: &mut ByteCursor<'_>) -> Option<u64> {
    let digits = cursor.take_while(|byte| byte.is_ascii_digit());
    let with = |number: u64, digit: &u8| number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    (!digits.is_empty()).then(|| digits.iter().fold(0, with))
}

/// Writes a framework as lines, and names other than the numbers as comments.
pub fn write(names: &ArgumentNames, framework: &Framework, text: &mut String) {
    text.extend(["p af ", &framework.len().to_string(), "\n"]);
    let numbers: Vec<String> = (1..=framework.len()).map(|number| number.to_string()).collect();
    for (number, name) in numbers.iter().zip(names.iter()).filter(|(number, name)| *number != name) {
        text.extend(["# ", number, " ", name.as_ref(), "\n"]);
    }
    for (attacker, target) in framework.attacks() {
        text.extend([&numbers[attacker as usize], " ", &numbers[target as usize], "\n"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::format::Format;
    use crate::formats::read::read;

    #[test]
    fn numbers_are_parsed() {
        fn check(text: &str, arguments: usize, attacks: &[(u32, u32)]) {
            let read = read(text.as_bytes(), Format::Af, &FileLimits::default());
            let read = read.unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!((read.names.len(), read.framework.len()), (arguments, arguments), "{text:?}");
            assert_eq!(read.framework.attacks().collect::<Vec<_>>(), attacks, "{text:?}");
        }
        check("p af 0", 0, &[]);
        check("p af 2\n1 2\n2 2\n1 2", 2, &[(0, 1), (1, 1)]);
        check("\u{feff}# from\r\n\r\np\taf  3 \r\n 3\t1 \r\n#\r\n\r\n2 3\r\n", 3, &[(1, 2), (2, 0)]);
        check("p af 02\r01 002", 2, &[(0, 1)]);
    }

    #[test]
    fn invalid_lines_are_reported_with_their_position() {
        fn check(text: impl AsRef<[u8]>, told: &str) {
            let read = read(text.as_ref(), Format::Af, &FileLimits { bytes: 100, arguments: 30, attacks: 3 });
            let text = String::from_utf8_lossy(text.as_ref());
            assert_eq!(read.map_err(|error| error.to_string()), Err(told.to_owned()), "{text:?}");
        }
        let no_header = "expected the line `p af n` with the number of arguments n, found";
        check("", &format!("line 1, column 1 of af: {no_header} the end of the file"));
        check("# c\n1 2", &format!("line 2, column 1 of af: {no_header} `1`"));
        check("p aff 2", &format!("line 1, column 1 of af: {no_header} `p`"));
        check("paf 2", &format!("line 1, column 1 of af: {no_header} `paf`"));
        check("p cnf 2 2", &format!("line 1, column 1 of af: {no_header} `p`"));
        check("p af", &format!("line 1, column 1 of af: {no_header} `p`"));
        check("p af \n", "line 1, column 6 of af: expected the number of arguments, found the end of the line");
        check("p af -1", "line 1, column 6 of af: expected the number of arguments, found `-1`");
        check("p af 2 1", "line 1, column 8 of af: expected the end of the line, found `1`");
        check("p af 31", "line 1, column 6 of af: more arguments than the limit of 30");
        check("p af 99999999999999999999999", "line 1, column 6 of af: more arguments than the limit of 30");
        check(
            "p af 2\n1",
            "line 2, column 2 of af: expected a space and the attacked argument, found the end of the file",
        );
        check("p af 2\n1,2", "line 2, column 2 of af: expected a space and the attacked argument, found `,`");
        check("p af 2\n1 \n2", "line 2, column 3 of af: expected the number of an argument, found the end of the line");
        check("p af 2\n1 2 0", "line 2, column 5 of af: expected the end of the line, found `0`");
        check("p af 2\n1 2x", "line 2, column 4 of af: expected the end of the line, found `x`");
        check("p af 2\n\n1 3", "line 3, column 3 of af: expected an argument number from 1 to 2, found `3`");
        check("p af 2\n0 1", "line 2, column 1 of af: expected an argument number from 1 to 2, found `0`");
        check("p af 0\n1 1", "line 2, column 1 of af: expected no attack, because there are no arguments, found `1`");
        check(
            "p af 2\n18446744073709551617 1",
            "line 2, column 1 of af: expected an argument number from 1 to 2, found `18446744073709551617`",
        );
        check("p af 2\np af 2", "line 2, column 1 of af: expected the number of an argument, found `p`");
        check("p af 1\n1 1\n1 1\n1 1\n1 1", "line 5, column 1 of af: more attacks than the limit of 3");
    }
}
