//! Limits checked before a query is parsed.
//!
//! The library's parser recurses over nested values without a limit, so a few kilobytes of brackets would overflow the
//! stack and abort the process. The text is therefore scanned first, byte by byte: its size, the number of its tokens,
//! and the depth of its brackets.

use crate::limits::Limits;

/// The limit that a query exceeds before parsing, with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// Maximum size, in bytes.
    #[error("the query has more than {0} bytes")]
    Bytes(usize),
    /// Maximum number of tokens.
    #[error("the query has more than {0} tokens")]
    Tokens(usize),
    /// Maximum depth of brackets.
    #[error("the query nests brackets more than {0} levels deep")]
    Brackets(usize),
    /// Maximum number of aliases.
    #[error("the query has more than {0} colons outside of arguments; use fewer aliases")]
    Aliases(usize),
    /// Maximum number of directives.
    #[error("the query has more than {0} directives")]
    Directives(usize),
}

impl Excess {
    /// Returns the name and the value of the limit.
    pub fn limit(self) -> (&'static str, usize) {
        match self {
            Excess::Bytes(limit) => ("query_bytes", limit),
            Excess::Tokens(limit) => ("tokens", limit),
            Excess::Brackets(limit) => ("brackets", limit),
            Excess::Aliases(limit) => ("aliases", limit),
            Excess::Directives(limit) => ("directives", limit),
        }
    }
}

/// Scans a query in linear time, without allocation.
///
/// # Errors
/// The first [`Excess`].
pub fn scan(query: &str, limits: &Limits) -> Result<(), Excess> {
    if query.len() > limits.query_bytes {
        return Err(Excess::Bytes(limits.query_bytes));
    }
    let mut bytes = query.as_bytes();
    let (mut tokens, mut brackets, mut parens) = (0_usize, 0_usize, 0_usize);
    let (mut aliases, mut directives) = (0_usize, 0_usize);
    while let Some((first, rest)) = bytes.split_first() {
        bytes = rest;
        match first {
            b' ' | b'\t' | b'\r' | b'\n' | b',' => continue,
            b'#' => {
                let end = bytes.iter().position(|it| matches!(it, b'\n' | b'\r')).unwrap_or(bytes.len());
                bytes = &bytes[end..];
                continue;
            }
            b'"' => bytes = after_string(bytes),
            b'{' | b'[' | b'(' => {
                brackets += 1;
                parens += usize::from(*first == b'(');
            }
            b'}' | b']' | b')' => {
                brackets = brackets.saturating_sub(1);
                parens = parens.saturating_sub(usize::from(*first == b')'));
            }
            b':' => aliases += usize::from(parens == 0),
            b'@' => directives += 1,
            it if is_word(*it) => {
                let end = bytes.iter().position(|it| !is_word(*it)).unwrap_or(bytes.len());
                bytes = &bytes[end..];
            }
            _ => {}
        }
        tokens += 1;
        match () {
            () if tokens > limits.tokens => return Err(Excess::Tokens(limits.tokens)),
            () if brackets > limits.brackets => return Err(Excess::Brackets(limits.brackets)),
            () if aliases > limits.aliases => return Err(Excess::Aliases(limits.aliases)),
            () if directives > limits.directives => return Err(Excess::Directives(limits.directives)),
            () => {}
        }
    }
    Ok(())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the bytes after a string whose first quote has been read. An unterminated string extends to the end.
fn after_string(bytes: &[u8]) -> &[u8] {
    if let Some(block) = bytes.strip_prefix(b"\"\"") {
        let mut at = 0;
        while at < block.len() {
            if block[at..].starts_with(b"\\\"\"\"") {
                at += 4;
            } else if block[at..].starts_with(b"\"\"\"") {
                return &block[at + 3..];
            } else {
                at += 1;
            }
        }
        return &[];
    }
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' | b'\n' | b'\r' => return &bytes[at + 1..],
            _ => at += 1,
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, expected: Result<(), Excess>) {
        assert_eq!(scan(query, &Limits::default()), expected, "{}", query.chars().take(60).collect::<String>());
    }

    #[test]
    fn ordinary_queries_pass() {
        check("", Ok(()));
        check("{ debates(first: 5) { nodes { id topic } } }", Ok(()));
        check("query Q($id: ID!) { debate(id: $id) { id } } # { [ ( {", Ok(()));
        check(r#"{ a(b: "[[[[ \" {{{{") c(d: """ " [[[ \""" {{{ """) }"#, Ok(()));
        check("query(\u{0}\u{fffd}é{", Ok(()));
    }

    #[test]
    fn deeply_nested_queries_are_refused() {
        let limits = Limits::default();
        check(&format!("{{a(b: {})}}", "[".repeat(2_000)), Err(Excess::Brackets(limits.brackets)));
        check(&"{a:".repeat(1_500), Err(Excess::Brackets(limits.brackets)));
    }

    #[test]
    fn every_limit_is_exact() {
        let limits = Limits::default();
        type Edge = (usize, fn(usize) -> String, Excess);
        let edges: [Edge; 5] = [
            (limits.query_bytes, |n| " ".repeat(n), Excess::Bytes(limits.query_bytes)),
            (limits.tokens, |n| "a ".repeat(n), Excess::Tokens(limits.tokens)),
            (limits.brackets, |n| "{a".repeat(n), Excess::Brackets(limits.brackets)),
            (limits.aliases, |n| "a: b ".repeat(n), Excess::Aliases(limits.aliases)),
            (limits.directives, |n| "a @b ".repeat(n), Excess::Directives(limits.directives)),
        ];
        for (most, query, excess) in edges {
            check(&query(most), Ok(()));
            check(&query(most + 1), Err(excess));
        }
    }

    #[test]
    fn brackets_that_close_do_not_count() {
        check(&format!("{{{}}}", "a { b }".repeat(500)), Ok(()));
        check(&format!("{{a(b: {}{})}}", "[".repeat(60), "]".repeat(60)), Ok(()));
    }
}
