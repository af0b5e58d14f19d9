//! Rust source text without comments, literals and tests, so that rules look at code only.

/// Returns a source with comments blanked and literals struck out. Lines and columns stay where they were.
#[must_use]
pub fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (len, filling) = match (comment(rest), literal(rest, &bare)) {
            (Some(len), _) => (len, ' '),
            (None, Some(len)) => (len, '"'),
            (None, None) => (first.len_utf8(), first),
        };
        bare.extend(rest[..len].chars().map(|letter| if letter == '\n' { letter } else { filling }));
        rest = &rest[len..];
    }
    bare
}

/// Returns bare code without the items that only tests compile. Lines stay where they were.
#[must_use]
pub fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let Some((before, after)) = code.split_once(MARK) else {
        return code.to_owned();
    };
    let tests = item(after);
    let lines = "\n".repeat(tests.matches('\n').count());
    format!("{before}{lines}{}", without_tests(&after[tests.len()..]))
}

/// Returns the item at the start of bare code: up to its semicolon, or to the end of its braces.
#[must_use]
pub fn item(code: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in code.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth -= 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return &code[..=at];
                }
            }
            ';' if depth == 0 => return &code[..=at],
            _ => {}
        }
    }
    code
}

/// Returns each line of a text, trimmed, with its number from 1.
pub fn numbered(code: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(code.lines().map(str::trim))
}

/// Returns the number, from 1, of the line that contains a byte offset.
#[must_use]
pub fn line_of(code: &str, at: usize) -> usize {
    1 + code[..at].matches('\n').count()
}

/// Whether a word starts at a byte offset.
#[must_use]
pub fn starts_word(code: &str, at: usize) -> bool {
    !code[..at].ends_with(is_of_word)
}

/// Whether a character may be part of an identifier.
#[must_use]
pub fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Length of the comment at the start of a text.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let mut inside = text.strip_prefix("/*")?;
    let mut depth = 1;
    while depth > 0 && !inside.is_empty() {
        let (step, len) = if inside.starts_with("/*") {
            (1, 2)
        } else if inside.starts_with("*/") {
            (-1, 2)
        } else {
            (0, inside.chars().next().map_or(1, char::len_utf8))
        };
        depth += step;
        inside = &inside[len..];
    }
    Some(text.len() - inside.len())
}

/// Length of the string or character at the start of a text. The text before it shows whether the string is raw.
fn literal(text: &str, before: &str) -> Option<usize> {
    let to_end = |mark: char| {
        let mut escaped = false;
        let end = text.char_indices().skip(1).find(|(_, letter)| {
            let ends = *letter == mark && !escaped;
            escaped = *letter == '\\' && !escaped;
            ends
        });
        end.map_or(text.len(), |(at, _)| at + 1)
    };
    if let Some(inside) = text.strip_prefix('"') {
        let opened = before.trim_end_matches('#');
        let close = format!("\"{}", &before[opened.len()..]);
        let raw_end = || inside.find(&close).map_or(text.len(), |at| 1 + at + close.len());
        return Some(if opened.ends_with('r') { raw_end() } else { to_end('"') });
    }
    let mut inside = text.strip_prefix('\'')?.chars();
    match (inside.next()?, inside.next()?) {
        ('\\', _) => Some(to_end('\'')),
        (letter, '\'') => Some(letter.len_utf8() + 2),
        _ => None, // a lifetime
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_struck_out_and_lines_stay() {
        assert_eq!(bare("a // b\nc"), "a     \nc");
        assert_eq!(bare("/* /* x */ */ y"), format!("{} y", " ".repeat(13)));
        assert_eq!(bare("f(\"x\\\"y\", 'q', b'\\'')"), "f(\"\"\"\"\"\", \"\"\", b\"\"\"\")");
        assert_eq!(bare("r#\"a\"b\"# <'a>"), "r#\"\"\"\"\"\" <'a>");
    }

    #[test]
    fn code_of_tests_is_removed() {
        let code = "fn a() {}\n#[cfg(test)]\nmod tests {\n    x;\n}\nfn b() {}";
        assert_eq!(without_tests(code), "fn a() {}\n\n\n\n\nfn b() {}");
        assert_eq!(without_tests("#[cfg(test)]\nuse a;\nuse b;"), "\n\nuse b;");
    }
}
