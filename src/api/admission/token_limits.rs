//! Limits checked before a query is parsed.
//!
//! The library's parser recurses over nested values without a limit, so a few kilobytes of brackets would overflow the
//! stack and abort the process. The text is therefore scanned first, byte by byte: its size, the number of its tokens,
//! and the depth of its brackets.

use crate::limits::ApiLimits;

/// The limit that a query exceeds before parsing, with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitExceeded {
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

impl LimitExceeded {
    /// Returns the name and the value of the limit.
    pub fn limit(self) -> (&'static str, usize) {
        match self {
            LimitExceeded::Bytes(limit) => ("query_bytes", limit),
            LimitExceeded::Tokens(limit) => ("tokens", limit),
            LimitExceeded::Brackets(limit) => ("brackets", limit),
            LimitExceeded::Aliases(limit) => ("aliases", limit),
            LimitExceeded::Directives(limit) => ("directives", limit),
        }
    }
}

/// Scans a query in linear time, without allocation.
///
/// # Errors
/// The first [`LimitExceeded`].
pub fn scan(query: &str, limits: &ApiLimits) -> Result<(), LimitExceeded> {
    if query.len() > limits.query_bytes {
        return Err(LimitExceeded::Bytes(limits.query_bytes));
    }
    let mut bytes = query.as_bytes();
    let (mut tokens, mut brackets, mut parens) = (0_usize, 0_usize, 0_usize);
    let (mut aliases, mut directives) = (0_usize, 0_usize);
    while let Some((first, rest)) = bytes.split_first() {
        bytes = rest;
        match first {
            b' ' | b'\t' | b'\r' | b'\n' | b',' => continue,
            b'#' => {
                let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(bytes.len());
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
                let end = bytes.iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len());
                bytes = &bytes[end..];
            }
            _ => {}
        }
        tokens += 1;
        match () {
            () if tokens > limits.tokens => return Err(LimitExceeded::Tokens(limits.tokens)),
            () if brackets > limits.brackets => return Err(LimitExceeded::Brackets(limits.brackets)),
            () if aliases > limits.aliases => return Err(LimitExceeded::Aliases(limits.aliases)),
            () if directives > limits.directives => return Err(LimitExceeded::Directives(limits.directives)),
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

    fn check(query: &str, expected: Result<(), LimitExceeded>) {
        assert_eq!(scan(query, &ApiLimits::default()), expected, "{}", query.chars().take(60).collect::<String>());
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
        let limits = ApiLimits::default();
        check(&format!("{{a(b: {})}}", "[".repeat(2_000)), Err(LimitExceeded::Brackets(limits.brackets)));
        check(&"{a:".repeat(1_500), Err(LimitExceeded::Brackets(limits.brackets)));
    }

    #[test]
    fn every_limit_is_exact() {
        let limits = ApiLimits::default();
        type Edge = (usize, fn(usize) -> String, LimitExceeded);
        let edges: [Edge; 5] = [
            (limits.query_bytes, |n| " ".repeat(n), LimitExceeded::Bytes(limits.query_bytes)),
            (limits.tokens, |n| "a ".repeat(n), LimitExceeded::Tokens(limits.tokens)),
            (limits.brackets, |n| "{a".repeat(n), LimitExceeded::Brackets(limits.brackets)),
            (limits.aliases, |n| "a: b ".repeat(n), LimitExceeded::Aliases(limits.aliases)),
            (limits.directives, |n| "a @b ".repeat(n), LimitExceeded::Directives(limits.directives)),
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
