//! Limits on nesting depth and number of elements of markup, checked before parsing.
//!
//! An HTML parser keeps open elements on a stack and reopens formatting elements in every block, so a page of a few
//! megabytes can expand to gigabytes. The count is an upper bound of that expansion, computed in one pass without a
//! parser.

/// Maximum nesting depth of elements.
pub const MAX_DEPTH: usize = 500;

/// Maximum number of elements after expansion.
pub const MAX_ELEMENTS: usize = 2_000_000;

/// Elements that need no end tag.
#[rustfmt::skip]
const ENDLESS: &[&str] = &[
    "area", "base", "br", "col", "colgroup", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "optgroup",
    "option", "p", "param", "rp", "rt", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];

/// Formatting elements, which the parser reopens in each block that is opened within them.
#[rustfmt::skip]
const FORMATTING: &[&str] = &[
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Checks that markup is safe to parse.
///
/// # Errors
/// A message that names the exceeded limit.
pub fn measured(markup: &str) -> Result<(), String> {
    let (mut depth, mut formatting, mut unfolded) = (0_usize, 0_usize, 0_usize);
    for (at, _) in markup.match_indices('<') {
        let rest = &markup[at + 1..];
        let closes = rest.starts_with('/');
        let name = name(rest.trim_start_matches('/'));
        if name.is_empty() {
            continue;
        }
        let is = |any: &[&str]| any.iter().any(|element| element.eq_ignore_ascii_case(name));
        if closes {
            depth = depth.saturating_sub(usize::from(!is(ENDLESS)));
            formatting = formatting.saturating_sub(usize::from(is(FORMATTING)));
            continue;
        }
        unfolded += 1 + formatting;
        depth += usize::from(!is(ENDLESS) && !is_empty(rest));
        formatting += usize::from(is(FORMATTING));
        if depth > MAX_DEPTH {
            return Err(format!("nests elements more than {MAX_DEPTH} deep"));
        }
        if unfolded > MAX_ELEMENTS {
            return Err(format!("expands to more than {MAX_ELEMENTS} elements"));
        }
    }
    Ok(())
}

fn name(rest: &str) -> &str {
    let end =
        rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || ":-_".contains(letter))).unwrap_or(rest.len());
    let name = &rest[..end];
    if name.starts_with(|letter: char| letter.is_ascii_alphabetic()) { name } else { "" }
}

/// Returns true for a self-closing tag such as `<a/>`, searched within the bytes in which attributes usually end.
fn is_empty(rest: &str) -> bool {
    let near = rest.bytes().take(1_000).position(|byte| byte == b'>');
    near.is_some_and(|end| rest.as_bytes()[..end].ends_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_pages_pass() {
        let page = "<p>one<br>two<li>three<img src='a'/><b>four</b> 3 < 4 <!-- x -->".repeat(20_000);
        assert_eq!(measured(&page), Ok(()));
        let deep = format!("{}{}", "<div>".repeat(MAX_DEPTH), "</div>".repeat(MAX_DEPTH));
        assert_eq!(measured(&deep), Ok(()));
    }

    #[test]
    fn deep_nesting_and_element_bombs_are_refused() {
        assert_eq!(measured(&"<div>".repeat(MAX_DEPTH + 1)), Err("nests elements more than 500 deep".to_owned()));
        assert_eq!(measured(&"<a><b/>".repeat(MAX_DEPTH + 1)), Err("nests elements more than 500 deep".to_owned()));
        let bomb = format!("{}{}", "<b x=1>".repeat(400), "<p>".repeat(10_000));
        assert_eq!(measured(&bomb), Err("expands to more than 2000000 elements".to_owned()));
    }
}
