//! Format `tgf`: Trivial Graph Format.
//!
//! ```text
//! a
//! b
//! #
//! a b
//! ```
//!
//! One line per argument, a line `#`, and one line per attack. Blank lines are ignored, and so is any text after the
//! first word of an argument line and after the second word of an attack line, where the format allows labels. There
//! are no comments. A name is a word that does not begin with `#`. An argument that is declared twice is an error,
//! because a missing `#` would go unnoticed otherwise. Numbers are names like any other.

use crate::formats::cursor::{ByteCursor, excerpt, is_break};
use crate::formats::file_limits::{FileLimits, check_argument_limit};
use crate::formats::interner::{Interner, NameSpan};
use crate::formats::name_span::name_span;
use crate::formats::named_framework::{AttackCollector, NamedFramework};
use crate::formats::names::ArgumentNames;
use crate::formats::parse_error::{ParseProblem, ProblemAt};
use crate::framework::Framework;

/// Approximate number of bytes per line.
const LINE_BYTES: usize = 8;

/// Parses arguments and attacks.
///
/// # Errors
/// [`ProblemAt`] at the first place that violates the format or exceeds a limit.
pub fn parse(cursor: &mut ByteCursor<'_>, limits: &FileLimits) -> Result<NamedFramework, ProblemAt> {
    let content = cursor.bytes;
    let known = arguments(cursor, limits)?;
    let mut attacks = AttackCollector::new(content, LINE_BYTES, limits);
    while to_line(cursor) {
        let start = cursor.at;
        let attacker = known_name(cursor, &known, "the name of an argument")?;
        cursor.skip_blanks();
        let target = known_name(cursor, &known, "the name of the attacked argument")?;
        attacks.push((attacker, target), start)?;
        cursor.skip_line();
    }
    let spans = known.into_spans();
    let mut names = ArgumentNames::with_capacity(spans.len(), spans.iter().map(|span| span.len as usize).sum());
    for span in &spans {
        names.push(str::from_utf8(span.of(content)).expect("the file is valid UTF-8"));
    }
    Ok(NamedFramework { names, framework: attacks.framework(spans.len()) })
}

/// Parses the arguments, up to the line `#`.
fn arguments<'a>(cursor: &mut ByteCursor<'a>, limits: &FileLimits) -> Result<Interner<'a>, ProblemAt> {
    let mut known = Interner::new(cursor.bytes);
    while to_line(cursor) {
        let start = cursor.at;
        if cursor.take(b"#") {
            cursor.skip_blanks();
            if cursor.at_line_end() {
                return Ok(known);
            }
            cursor.at = start;
            return Err(cursor.unexpected("a name that does not begin with #, or # alone on its line"));
        }
        let (met, name) = (known.len(), word(cursor, "a name")?);
        known.intern(name);
        if known.len() == met {
            return Err(ProblemAt { at: start, flaw: ParseProblem::Repeated(told(cursor, name)) });
        }
        check_argument_limit(known.len(), limits, start)?;
        cursor.skip_line();
    }
    Err(cursor.unexpected("a line with # alone between arguments and attacks"))
}

/// Moves to the next line that is not blank; returns false at the end of the file.
#[inline]
fn to_line(cursor: &mut ByteCursor<'_>) -> bool {
    cursor.take_while(|byte| is_break(byte) || matches!(byte, b' ' | b'\t'));
    cursor.peek().is_some()
}

#[inline]
fn word(cursor: &mut ByteCursor<'_>, expected: &'static str) -> Result<NameSpan, ProblemAt> {
    let start = cursor.at;
    cursor.take_while(|byte| byte > b' ' && byte != 0x7F);
    if cursor.at == start || !cursor.peek().is_none_or(|byte| byte == b' ' || byte == b'\t' || is_break(byte)) {
        return Err(cursor.unexpected(expected));
    }
    name_span(cursor, start)
}

#[inline]
fn known_name(cursor: &mut ByteCursor<'_>, known: &Interner<'_>, expected: &'static str) -> Result<u32, ProblemAt> {
    let start = cursor.at;
    let name = word(cursor, expected)?;
    known.find(name).ok_or_else(|| ProblemAt { at: start, flaw: ParseProblem::Unknown(told(cursor, name)) })
}

fn told(cursor: &ByteCursor<'_>, name: NameSpan) -> String {
    excerpt(&String::from_utf8_lossy(name.of(cursor.bytes)))
}

/// Writes a framework as lines.
///
/// # Errors
/// The first name that the format cannot represent, because it has no quotes, and the reason.
pub fn write(names: &ArgumentNames, framework: &Framework, text: &mut String) -> Result<(), (String, &'static str)> {
    for name in names.iter() {
        if name.starts_with('#') {
            return Err((name.into_owned(), "begins with #"));
        }
        if name.contains(' ') {
            return Err((name.into_owned(), "contains a space"));
        }
        text.extend([name.as_ref(), "\n"]);
    }
    text.push_str("#\n");
    for (attacker, target) in framework.attacks() {
        text.extend([names.name(attacker).as_ref(), " ", names.name(target).as_ref(), "\n"]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::format::Format;
    use crate::formats::names::MAX_NAME_BYTES;
    use crate::formats::read::read;

    #[test]
    fn lines_are_parsed() {
        fn check(text: &str, names: &[&str], attacks: &[(u32, u32)]) {
            let read = read(text.as_bytes(), Format::Tgf, &FileLimits::default());
            let read = read.unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(read.names.iter().collect::<Vec<_>>(), names, "{text:?}");
            assert_eq!(read.framework.attacks().collect::<Vec<_>>(), attacks, "{text:?}");
        }
        check("#", &[], &[]);
        check("\n # \n\n", &[], &[]);
        check("1\n2\n#\n1 2\n1 2", &["1", "2"], &[(0, 1)]);
        check("\u{feff}b\r\na\r\n#\r\na b\r\nb\tb\r\n", &["b", "a"], &[(0, 0), (1, 0)]);
        check("b\ra\r#\ra b\r", &["b", "a"], &[(1, 0)]);
        check("a the first\nb\tthe #2\n#\n a  b the label", &["a", "b"], &[(0, 1)]);
        check("arg(a).\np#\n\"ä\n#\np# \"ä", &["arg(a).", "p#", "\"ä"], &[(1, 2)]);
    }

    #[test]
    fn invalid_lines_are_reported_with_their_position() {
        fn check(text: impl AsRef<[u8]>, told: &str) {
            let read = read(text.as_ref(), Format::Tgf, &FileLimits { bytes: 3_000, arguments: 3, attacks: 3 });
            let text = String::from_utf8_lossy(text.as_ref());
            assert_eq!(read.map_err(|error| error.to_string()), Err(told.to_owned()), "{text:?}");
        }
        let no_mark = "expected a line with # alone between arguments and attacks, found the end of the file";
        check("", &format!("line 1, column 1 of tgf: {no_mark}"));
        check("a\nb\n", &format!("line 3, column 1 of tgf: {no_mark}"));
        check("1\n2\n1 2\n", "line 3, column 1 of tgf: the argument `1` is declared twice");
        check(
            "a\n#b\n",
            "line 2, column 1 of tgf: expected a name that does not begin with #, or # alone on its line, found `#b`",
        );
        check(
            "a\n# b\n",
            "line 2, column 1 of tgf: expected a name that does not begin with #, or # alone on its line, found `#`",
        );
        check(
            "a\n#\na",
            "line 3, column 2 of tgf: expected the name of the attacked argument, found the end of the file",
        );
        check(
            "a\n#\na \na a",
            "line 3, column 3 of tgf: expected the name of the attacked argument, found the end of the line",
        );
        check(
            "a\n#\na a\r\r\na b c",
            "line 5, column 3 of tgf: an attack names `b`, which is not declared as an argument",
        );
        check("a\n#\n#\n", "line 3, column 1 of tgf: an attack names `#`, which is not declared as an argument");
        check("a\n\u{1}", "line 2, column 1 of tgf: expected a name, found the character U+0001");
        check("a\u{1b}[2J\n#", "line 1, column 2 of tgf: expected a name, found the character U+001B");
        check(
            "ä\u{85}\n#",
            "line 1, column 1 of tgf: expected a name without control characters, found one with the character U+0085",
        );
        check("a\nb\nc\nd\n#", "line 4, column 1 of tgf: more arguments than the limit of 3");
        check("a\n#\na a\na a\na a\na a", "line 6, column 1 of tgf: more attacks than the limit of 3");
        check("y".repeat(MAX_NAME_BYTES + 1), "line 1, column 1 of tgf: more bytes in a name than the limit of 1024");
        check(
            format!("a\n#\na {}", "z".repeat(50)),
            "line 3, column 3 of tgf: an attack names `zzzzzzzzzzzzzzzzzzzz...`, which is not declared as an argument",
        );
    }
}
