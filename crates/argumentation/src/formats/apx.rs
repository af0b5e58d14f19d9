//! Format `apx`: facts of answer set programming, as read by ASPARTIX.
//!
//! ```text
//! % who attacks whom
//! arg(a). arg(b).
//! att(a,b).
//! ```
//!
//! Facts are a set: their order does not matter, an attack may come before its arguments, and duplicates count once.
//! White space is allowed between tokens, and so are comments from `%` to the end of the line. An attack on an argument
//! that is not declared is an error: an answer set program would ignore it silently and answer another question.
//! Arguments are numbered in the order of their declaration.
//!
//! A name is any text without white space, parentheses, comma, `"`, `\` and `%`; or any text between quotes, in which
//! `\"` and `\\` represent `"` and `\`. The quotes are not part of the name: `"a"` is `a`. Names that are a constant or
//! a number in answer set programming are written without quotes, all others with quotes.

use std::borrow::Cow;

use crate::formats::cursor::{ByteCursor, excerpt};
use crate::formats::file_limits::{FileLimits, check_argument_limit};
use crate::formats::interner::{Interner, NameSpan};
use crate::formats::name_span::{check_name, name_span};
use crate::formats::named_framework::{AttackCollector, NamedFramework};
use crate::formats::names::ArgumentNames;
use crate::formats::parse_error::{ParseProblem, ProblemAt};
use crate::framework::Framework;

/// Approximate number of bytes per fact.
const FACT_BYTES: usize = 12;

/// Parses the facts.
///
/// # Errors
/// [`ProblemAt`] at the first place that violates the format or exceeds a limit.
pub fn parse(cursor: &mut ByteCursor<'_>, limits: &FileLimits) -> Result<NamedFramework, ProblemAt> {
    let content = cursor.bytes;
    let mut mentioned = Interner::new(content);
    let mut declared: Vec<u32> = Vec::new();
    let mut attacks = AttackCollector::new(content, FACT_BYTES, limits);
    // Index of each mentioned name as an argument; `ABSENT` until the argument is declared.
    let mut numbers: Vec<u32> = Vec::new();
    loop {
        skip(cursor);
        let start = cursor.at;
        if opens(cursor, b"arg") {
            let name = mentioned.intern(name(cursor)?);
            expect(cursor, b')', "`)`")?;
            numbers.resize(mentioned.len(), ABSENT);
            if numbers[name as usize] == ABSENT {
                numbers[name as usize] = u32::try_from(declared.len()).expect("names are counted in 32 bits");
                declared.push(name);
                check_argument_limit(declared.len(), limits, start)?;
            }
        } else if opens(cursor, b"att") {
            let attacker = mentioned.intern(name(cursor)?);
            expect(cursor, b',', "`,`")?;
            let target = mentioned.intern(name(cursor)?);
            expect(cursor, b')', "`)`")?;
            attacks.push((attacker, target), start)?;
        } else if cursor.peek().is_none() {
            break;
        } else {
            return Err(cursor.unexpected("a fact, arg(...) or att(...,...)"));
        }
        expect(cursor, b'.', "`.`")?;
    }
    numbers.resize(mentioned.len(), ABSENT);
    named(content, &mentioned.into_spans(), &declared, &numbers, attacks)
}

const ABSENT: u32 = u32::MAX;

/// Builds the result, with the arguments in the order of their declaration.
fn named(
    content: &[u8],
    spans: &[NameSpan],
    declared: &[u32],
    numbers: &[u32],
    attacks: AttackCollector,
) -> Result<NamedFramework, ProblemAt> {
    if let Some(stranger) = numbers.iter().position(|number| *number == ABSENT) {
        let span = spans[stranger];
        let name = excerpt(&String::from_utf8_lossy(span.of(content)));
        return Err(ProblemAt { at: span.start as usize, flaw: ParseProblem::Unknown(name) });
    }
    let is_in_order = declared.iter().zip(0..).all(|(name, number)| *name == number);
    let attacks = if is_in_order { attacks } else { attacks.renumbered(numbers) };
    let bytes = spans.iter().map(|span| span.len as usize).sum();
    let mut names = ArgumentNames::with_capacity(declared.len(), bytes);
    for name in declared {
        let text = str::from_utf8(spans[*name as usize].of(content)).expect("the file is valid UTF-8");
        names.push(&unescaped(text));
    }
    Ok(NamedFramework { names, framework: attacks.framework(declared.len()) })
}

/// Moves past the beginning of a fact to its first name. Returns false, without moving, if this is another fact.
#[inline]
pub fn opens<const N: usize>(cursor: &mut ByteCursor<'_>, predicate: &[u8; N]) -> bool {
    let start = cursor.at;
    let opens = cursor.take(predicate) && expect(cursor, b'(', "`(`").is_ok();
    cursor.at = if opens { cursor.at } else { start };
    opens
}

/// Skips white space and comments.
#[inline]
pub fn skip(cursor: &mut ByteCursor<'_>) {
    loop {
        cursor.take_while(is_space);
        if cursor.peek() != Some(b'%') {
            return;
        }
        cursor.skip_line();
    }
}

/// Moves past a character, and white space before it.
///
/// # Errors
/// [`ProblemAt`] at the cursor if another character comes next.
#[inline]
pub fn expect(cursor: &mut ByteCursor<'_>, sign: u8, expected: &'static str) -> Result<(), ProblemAt> {
    if cursor.peek() != Some(sign) {
        skip(cursor);
        if cursor.peek() != Some(sign) {
            return Err(cursor.unexpected(expected));
        }
    }
    cursor.at += 1;
    Ok(())
}

/// Parses a name, and skips white space before it. A quoted name is returned with its escapes, which are unique.
///
/// # Errors
/// [`ProblemAt`] at the first place that is not part of a valid name.
#[inline]
pub fn name(cursor: &mut ByteCursor<'_>) -> Result<NameSpan, ProblemAt> {
    let mut start = cursor.at;
    cursor.take_while(is_of_name);
    if cursor.at == start {
        skip(cursor);
        if cursor.peek() == Some(b'"') {
            return quoted(cursor);
        }
        start = cursor.at;
        cursor.take_while(is_of_name);
        if cursor.at == start {
            return Err(cursor.unexpected("a name"));
        }
    }
    name_span(cursor, start)
}

fn quoted(cursor: &mut ByteCursor<'_>) -> Result<NameSpan, ProblemAt> {
    cursor.at += 1;
    let start = cursor.at;
    loop {
        cursor.take_while(|byte| !byte.is_ascii_control() && !matches!(byte, b'"' | b'\\'));
        match cursor.peek() {
            Some(b'"') if cursor.at == start => return Err(cursor.unexpected("a name between the quotes")),
            Some(b'"') => break,
            Some(b'\\') if cursor.take(b"\\\"") || cursor.take(b"\\\\") => {}
            Some(b'\\') => return Err(cursor.unexpected("`\\\"` or `\\\\`, the only escapes in a name")),
            _ => return Err(cursor.unexpected("`\"` at the end of the name")),
        }
    }
    let written = &cursor.bytes[start..cursor.at];
    let name = unescaped(str::from_utf8(written).expect("the file is valid UTF-8"));
    check_name(name.as_bytes(), start)?;
    cursor.at += 1;
    Ok(NameSpan::new(start, written.len()))
}

/// Returns a written name without its escapes.
pub fn unescaped(name: &str) -> Cow<'_, str> {
    if !name.contains('\\') {
        return Cow::Borrowed(name);
    }
    // The character after a backslash is taken as it is; the parser allows no others there.
    let mut plain = String::with_capacity(name.len());
    let mut signs = name.chars();
    while let Some(sign) = signs.next() {
        plain.push(if sign == '\\' { signs.next().unwrap_or(sign) } else { sign });
    }
    Cow::Owned(plain)
}

#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[inline]
fn is_of_name(byte: u8) -> bool {
    byte > b' ' && !matches!(byte, b'(' | b')' | b',' | b'"' | b'\\' | b'%' | 0x7F)
}

/// Writes the facts of a framework: arguments first, one fact per line.
pub fn write(names: &ArgumentNames, framework: &Framework, text: &mut String) {
    let written: Vec<String> = names.iter().map(|name| term(&name)).collect();
    for name in &written {
        text.extend(["arg(", name, ").\n"]);
    }
    for (attacker, target) in framework.attacks() {
        text.extend(["att(", &written[attacker as usize], ",", &written[target as usize], ").\n"]);
    }
}

/// Returns a name as a constant, a number or a string of answer set programming.
pub fn term(name: &str) -> String {
    let is_number = name == "0" || !name.starts_with('0') && name.bytes().all(|byte| byte.is_ascii_digit());
    let is_constant = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_number || is_constant && name != "not" {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::format::Format;
    use crate::formats::names::MAX_NAME_BYTES;
    use crate::formats::read::read;

    #[test]
    fn facts_are_parsed() {
        fn check(text: &str, names: &[&str], attacks: &[(u32, u32)]) {
            let read = read(text.as_bytes(), Format::Apx, &FileLimits::default());
            let read = read.unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(read.names.iter().collect::<Vec<_>>(), names, "{text:?}");
            assert_eq!(read.framework.attacks().collect::<Vec<_>>(), attacks, "{text:?}");
            assert_eq!(read.framework.len(), names.len());
        }
        check("", &[], &[]);
        check("% nothing", &[], &[]);
        check("arg(a).", &["a"], &[]);
        check("arg(a). arg(b).att(a,b).\natt(b,b).", &["a", "b"], &[(0, 1), (1, 1)]);
        check(" arg (\ta )\r\n.% of\n att\n(a % from\n, a)\r.", &["a"], &[(0, 0)]);
        check("\u{feff}arg(a).\r\narg(b).\r\natt(a,b).\r\n", &["a", "b"], &[(0, 1)]);
        // Facts are a set: order and duplicates do not matter.
        check("att(b,a).arg(a).att(b,a).arg(b).arg(a).", &["a", "b"], &[(1, 0)]);
        check("att(c,a).att(a,b).arg(b).arg(a).arg(c).", &["b", "a", "c"], &[(1, 0), (2, 1)]);
        check(
            "arg(arg). arg(att). arg(1). arg(A.b-c'd). arg(ä). arg(not).",
            &["arg", "att", "1", "A.b-c'd", "ä", "not"],
            &[],
        );
        check(r#"arg("a b").arg( "(,).%" ).arg("\"\\").att("a b" , "\"\\")."#, &["a b", "(,).%", "\"\\"], &[(0, 2)]);
        check(r#"arg("a"). att(a,"a")."#, &["a"], &[(0, 0)]);
        check(
            "arg(a10). arg(a1). arg(a01). arg(a). att(a1,a01). att(a10,a).",
            &["a10", "a1", "a01", "a"],
            &[(0, 3), (1, 2)],
        );
    }

    #[test]
    fn invalid_facts_are_reported_with_their_position() {
        fn check(text: impl AsRef<[u8]>, told: &str) {
            let read = read(text.as_ref(), Format::Apx, &FileLimits { bytes: 3_000, arguments: 3, attacks: 3 });
            let text = String::from_utf8_lossy(text.as_ref());
            assert_eq!(read.map_err(|error| error.to_string()), Err(told.to_owned()), "{text:?}");
        }
        check("arg(a)", "line 1, column 7 of apx: expected `.`, found the end of the file");
        check("arg(a).\r\narg b.", "line 2, column 1 of apx: expected a fact, arg(...) or att(...,...), found `arg`");
        check("arguments.", "line 1, column 1 of apx: expected a fact, arg(...) or att(...,...), found `arguments`");
        check(
            "arg(a).\nä support(a,b).",
            "line 2, column 1 of apx: expected a fact, arg(...) or att(...,...), found `ä`",
        );
        check("arg(a b).", "line 1, column 7 of apx: expected `)`, found `b`");
        check("arg(\n\n).", "line 3, column 1 of apx: expected a name, found `)`");
        check("att(a).", "line 1, column 6 of apx: expected `,`, found `)`");
        check("att(a,b,c).", "line 1, column 8 of apx: expected `)`, found `,`");
        check("arg(ä(b)).", "line 1, column 6 of apx: expected `)`, found `(`");
        check("arg(a\0).", "line 1, column 6 of apx: expected `)`, found the character U+0000");
        check(
            "arg(\u{9b}).",
            "line 1, column 5 of apx: expected a name without control characters, found one with the character U+009B",
        );
        check(
            r#"arg("a)."#,
            "line 1, column 9 of apx: expected `\"` at the end of the name, found the end of the file",
        );
        check(
            "arg(\"a\nb\").",
            "line 1, column 7 of apx: expected `\"` at the end of the name, found the end of the line",
        );
        check(r#"arg("")."#, "line 1, column 6 of apx: expected a name between the quotes, found `\"`");
        check(
            r#"arg("\n")."#,
            r#"line 1, column 6 of apx: expected `\"` or `\\`, the only escapes in a name, found `\`"#,
        );
        check(
            "arg(b).\natt(b,a).arg(c).",
            "line 2, column 7 of apx: an attack names `a`, which is not declared as an argument",
        );
        check(b"arg(a).\n% \xE4", "line 2, column 3 of apx: expected text in UTF-8, found the byte 0xe4");
        check(b"\xFF\xFEa\0", "line 1, column 1 of apx: expected text in UTF-8, found the byte 0xff");
        check("arg(a).arg(b).arg(c).arg(a).arg(d).", "line 1, column 29 of apx: more arguments than the limit of 3");
        check(
            "arg(a).".to_owned() + &"\natt(a,a).".repeat(4),
            "line 5, column 1 of apx: more attacks than the limit of 3",
        );
        check(" ".repeat(3_001), "line 1, column 1 of apx: more bytes than the limit of 3000");
        let long = "x".repeat(MAX_NAME_BYTES);
        check(
            format!("arg({long}).arg(x{long})."),
            "line 1, column 1035 of apx: more bytes in a name than the limit of 1024",
        );
        check(format!("arg(\"x{long}\")."), "line 1, column 6 of apx: more bytes in a name than the limit of 1024");
    }

    #[test]
    fn names_are_written_as_terms_of_answer_set_programming() {
        let check = |name: &str, written: &str| assert_eq!(term(name), written);
        check("a", "a");
        check("aB_1", "aB_1");
        check("10", "10");
        check("0", "0");
        check("01", "\"01\"");
        check("A", "\"A\"");
        check("_a", "\"_a\"");
        check("not", "\"not\"");
        check("a b", "\"a b\"");
        check("ä", "\"ä\"");
        check(r#"\"#, r#""\\""#);
        check(r#"""#, r#""\"""#);
    }
}
