//! Changes to a framework, in the syntax of `apx`.
//!
//! ```text
//! +arg(c).
//! +att(c,a).
//! -att(a,b).
//! -arg(b).
//! ```
//!
//! The dynamic track of ICCMA 2019 has the changes of attacks; those of arguments are written alike. Names, white space
//! and comments are as in [`apx`](crate::formats::apx). The parser does not know the framework: whether a change is
//! possible is decided when it is applied.

use crate::formats::apx::{expect, name, opens, skip, unescaped};
use crate::formats::cursor::ByteCursor;
use crate::formats::file_limits::{FileLimits, MAX_FILE_BYTES};
use crate::formats::format::{BOM, Format};
use crate::formats::interner::NameSpan;
use crate::formats::parse_error::{ParseError, ParseProblem, ProblemAt};

/// Maximum number of changes in a file.
pub const MAX_CHANGES: usize = 1 << 20;

/// Change to a framework; arguments are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameworkChange {
    /// Adds an argument without attacks.
    AddArgument(String),
    /// Removes an argument, its attacks and the attacks on it.
    RemoveArgument(String),
    /// Adds an attack of the first argument on the second.
    AddAttack(String, String),
    /// Removes the attack of the first argument on the second.
    RemoveAttack(String, String),
}

/// Change, and the line on which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeLine {
    /// Line, from 1.
    pub line: usize,
    /// The change.
    pub change: FrameworkChange,
}

/// Parses a file of changes. Linear in its bytes.
///
/// # Errors
/// [`ParseError`] at the first place that violates the format or exceeds a limit: [`FileLimits::bytes`] or
/// [`MAX_CHANGES`].
pub fn read_changes(content: &[u8], limits: &FileLimits) -> Result<Vec<ChangeLine>, ParseError> {
    parse(content, limits).map_err(|problem| problem.into_parse_error(Format::Apx, content))
}

fn parse(content: &[u8], limits: &FileLimits) -> Result<Vec<ChangeLine>, ProblemAt> {
    let most = limits.bytes.min(MAX_FILE_BYTES);
    if content.len() > most {
        return Err(ProblemAt { at: 0, flaw: ParseProblem::Beyond { what: "bytes", most } });
    }
    if let Err(error) = str::from_utf8(content) {
        let at = error.valid_up_to();
        return Err(ProblemAt { at, flaw: ParseProblem::NotText(content[at]) });
    }
    let mut cursor = ByteCursor::new(content);
    cursor.take(BOM);
    let (mut changes, mut line, mut counted) = (Vec::new(), 1, 0);
    loop {
        skip(&mut cursor);
        if cursor.peek().is_none() {
            return Ok(changes);
        }
        if changes.len() == MAX_CHANGES {
            return Err(ProblemAt { at: cursor.at, flaw: ParseProblem::Beyond { what: "changes", most: MAX_CHANGES } });
        }
        line += breaks(&content[counted..cursor.at]);
        counted = cursor.at;
        changes.push(ChangeLine { line, change: change(&mut cursor)? });
    }
}

/// Parses one change, up to its full stop.
fn change(cursor: &mut ByteCursor<'_>) -> Result<FrameworkChange, ProblemAt> {
    const EXPECTED: &str = "a change, +arg(...), -arg(...), +att(...,...) or -att(...,...)";
    let start = cursor.at;
    let adds = cursor.take(b"+");
    if !adds && !cursor.take(b"-") {
        return Err(cursor.unexpected(EXPECTED));
    }
    let change = if opens(cursor, b"arg") {
        let argument = owned_name(cursor)?;
        if adds { FrameworkChange::AddArgument(argument) } else { FrameworkChange::RemoveArgument(argument) }
    } else if opens(cursor, b"att") {
        let attacker = owned_name(cursor)?;
        expect(cursor, b',', "`,`")?;
        let target = owned_name(cursor)?;
        match adds {
            true => FrameworkChange::AddAttack(attacker, target),
            false => FrameworkChange::RemoveAttack(attacker, target),
        }
    } else {
        cursor.at = start;
        return Err(cursor.unexpected(EXPECTED));
    };
    expect(cursor, b')', "`)`")?;
    expect(cursor, b'.', "`.`")?;
    Ok(change)
}

fn owned_name(cursor: &mut ByteCursor<'_>) -> Result<String, ProblemAt> {
    let span: NameSpan = name(cursor)?;
    let written = str::from_utf8(span.of(cursor.bytes)).expect("the file is valid UTF-8");
    Ok(unescaped(written).into_owned())
}

/// Counts the line breaks of a stretch that does not end between the two bytes of one.
fn breaks(bytes: &[u8]) -> usize {
    let ends = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(|at| ends(*at)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_parsed_with_their_lines() {
        let text = "% changes\r\n+arg(c). +att( c ,\"a b\").\r\n\r\n-att(a,b) .\n-arg(\"a\\\"\").";
        let changes = read_changes(text.as_bytes(), &FileLimits::default()).unwrap();
        let expected = [
            (2, FrameworkChange::AddArgument("c".to_owned())),
            (2, FrameworkChange::AddAttack("c".to_owned(), "a b".to_owned())),
            (4, FrameworkChange::RemoveAttack("a".to_owned(), "b".to_owned())),
            (5, FrameworkChange::RemoveArgument("a\"".to_owned())),
        ];
        assert_eq!(changes, expected.map(|(line, change)| ChangeLine { line, change }));
        assert_eq!(read_changes(b" % nothing", &FileLimits::default()), Ok(Vec::new()));
    }

    #[test]
    fn malformed_changes_are_refused_with_their_place() {
        let check = |text: &[u8], expected: &str| {
            let limits = FileLimits { bytes: 40, ..FileLimits::default() };
            assert_eq!(read_changes(text, &limits).map_err(|error| error.to_string()), Err(expected.to_owned()));
        };
        let wanted = "expected a change, +arg(...), -arg(...), +att(...,...) or -att(...,...)";
        check(b"arg(a).", &format!("line 1, column 1 of apx: {wanted}, found `arg`"));
        check(b"+arg(a).\n*att(a,b).", &format!("line 2, column 1 of apx: {wanted}, found `*`"));
        check(b"+arg(a)\n-arg(b).", "line 2, column 1 of apx: expected `.`, found `-arg`");
        check(b"+att(a).", "line 1, column 7 of apx: expected `,`, found `)`");
        check(b"-arg().", "line 1, column 6 of apx: expected a name, found `)`");
        check(b"\xFF", "line 1, column 1 of apx: expected text in UTF-8, found the byte 0xff");
        check(&[b' '; 41], "line 1, column 1 of apx: more bytes than the limit of 40");
    }
}
