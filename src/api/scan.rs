//! What is refused before the parser sees it.
//!
//! The parser of the GraphQL library recurses over nested values without a limit: a few kilobytes of brackets would end
//! the process. So a request is scanned first, byte by byte: its size, its tokens, and how deep its brackets go.

/// The longest query, in bytes.
pub const MAX_QUERY_BYTES: usize = 128 * 1024;
/// The most names, numbers, strings and marks in a query.
pub const MAX_TOKENS: usize = 5_000;
/// How deep brackets of any kind may go.
pub const MAX_BRACKETS: usize = 64;
/// The most aliases in a query; a field asked for under a hundred names costs a hundred fields.
pub const MAX_ALIASES: usize = 100;

/// Why a query was refused unparsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// Too long.
    #[error("the query has more than {MAX_QUERY_BYTES} bytes")]
    Bytes,
    /// Too many tokens.
    #[error("the query has more than {MAX_TOKENS} tokens")]
    Tokens,
    /// Too deep.
    #[error("the query nests brackets more than {MAX_BRACKETS} deep")]
    Brackets,
    /// Too many aliases.
    #[error("the query has more than {MAX_ALIASES} colons outside of its arguments: give fewer aliases")]
    Aliases,
}

/// Scans a query. Linear, without allocation.
///
/// # Errors
/// The first [`Excess`].
pub fn scan(query: &str) -> Result<(), Excess> {
    if query.len() > MAX_QUERY_BYTES {
        return Err(Excess::Bytes);
    }
    let mut bytes = query.as_bytes();
    let (mut tokens, mut brackets, mut parens, mut aliases) = (0_usize, 0_usize, 0_usize, 0_usize);
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
            it if is_word(*it) => {
                let end = bytes.iter().position(|it| !is_word(*it)).unwrap_or(bytes.len());
                bytes = &bytes[end..];
            }
            _ => {}
        }
        tokens += 1;
        match () {
            () if tokens > MAX_TOKENS => return Err(Excess::Tokens),
            () if brackets > MAX_BRACKETS => return Err(Excess::Brackets),
            () if aliases > MAX_ALIASES => return Err(Excess::Aliases),
            () => {}
        }
    }
    Ok(())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// What follows a string whose first quote has been read. A string that never ends takes the rest.
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
        assert_eq!(scan(query), expected, "{}", query.chars().take(60).collect::<String>());
    }

    #[test]
    fn what_people_ask_passes() {
        check("", Ok(()));
        check("{ debates(first: 5) { nodes { id topic } } }", Ok(()));
        check("query Q($id: ID!) { debate(id: $id) { id } } # { [ ( {", Ok(()));
        check(r#"{ a(b: "[[[[ \" {{{{") c(d: """ " [[[ \""" {{{ """) }"#, Ok(()));
        check("query(\u{0}\u{fffd}é{", Ok(()));
    }

    #[test]
    fn what_would_harm_does_not() {
        check(&format!("{{a(b: {})}}", "[".repeat(2_000)), Err(Excess::Brackets));
        check(&"{a".repeat(MAX_BRACKETS + 1), Err(Excess::Brackets));
        check(&"{a:".repeat(1_500), Err(Excess::Brackets));
        check(&format!("{{{}}}", "a ".repeat(MAX_TOKENS)), Err(Excess::Tokens));
        check(&" ".repeat(MAX_QUERY_BYTES + 1), Err(Excess::Bytes));
        check(&format!("{{{}}}", "a: b ".repeat(MAX_ALIASES + 1)), Err(Excess::Aliases));
    }

    #[test]
    fn brackets_that_close_do_not_count() {
        check(&format!("{{{}}}", "a { b }".repeat(500)), Ok(()));
        check(&format!("{{a(b: {}{})}}", "[".repeat(60), "]".repeat(60)), Ok(()));
    }
}
