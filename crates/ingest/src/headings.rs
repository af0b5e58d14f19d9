//! Headings and rules of a text: lines that structure it and state no opinion of its author.
//!
//! | line | example |
//! |------|---------|
//! | heading | `## Part one` |
//! | underlined heading | `Part one` above `--------` |
//! | rule | `* * *` |

/// Maximum number of characters of a title or source.
pub const MAX_HEADING_CHARS: usize = 200;

/// Marks of rules and underlines.
const RULES: [char; 6] = ['-', '*', '_', '=', '~', '^'];

/// Role of a line in the structure of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure<'a> {
    /// Heading with its level, from 1, and its text.
    Heading(usize, &'a str),
    /// Rule between sections, or underline of a heading.
    Rule,
    /// Empty line.
    Blank,
    /// Part of a paragraph.
    Words,
}

/// Returns the role of line `at` among its neighbours.
pub fn structure<'a>(lines: &[&'a str], at: usize) -> Structure<'a> {
    let line = lines[at].trim();
    if line.is_empty() {
        return Structure::Blank;
    }
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &line[level..];
    if (1..=6).contains(&level) && rest.chars().next().is_none_or(char::is_whitespace) {
        return Structure::Heading(level, rest.trim().trim_end_matches('#').trim_end());
    }
    if rule(line).is_some() {
        return Structure::Rule;
    }
    let alone = at == 0 || lines[at - 1].trim().is_empty() || rule(lines[at - 1].trim()).is_some();
    let underline = lines.get(at + 1).and_then(|next| rule(next.trim()).filter(|_| !next.trim().contains(' ')));
    match underline {
        Some(mark) if alone && line.chars().count() <= MAX_HEADING_CHARS => {
            Structure::Heading(if mark == '=' { 1 } else { 2 }, line)
        }
        _ => Structure::Words,
    }
}

/// Returns the mark of which a rule consists: at least three times the same, perhaps with spaces in between.
fn rule(line: &str) -> Option<char> {
    let mark = line.chars().next().filter(|mark| RULES.contains(mark))?;
    let count = line.chars().filter(|letter| *letter == mark).count();
    (count >= 3 && line.chars().all(|letter| letter == mark || letter.is_whitespace())).then_some(mark)
}

/// Returns the title of a text: the first heading of level 1, or any heading before all words.
pub fn title(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut before_words = true;
    for at in 0..lines.len() {
        match structure(&lines, at) {
            Structure::Heading(level, words) if level == 1 || before_words => {
                let words = words.replace(['*', '`'], "");
                let words = words.trim_matches(['_', ' ']);
                if !words.is_empty() {
                    return Some(words.to_owned());
                }
            }
            Structure::Words => before_words = false,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_rules_are_told_from_words() {
        for line in ["---", "===", "* * *", "~~~"] {
            assert_eq!(structure(&[line], 0), Structure::Rule, "{line:?}");
        }
        for line in ["#1 in town", "#######", "- an item", "--", "*Note* that", "-1", "**bold**"] {
            assert_eq!(structure(&[line], 0), Structure::Words, "{line:?}");
        }
        assert_eq!(structure(&["## Part #2 ##"], 0), Structure::Heading(2, "Part #2"));
        assert_eq!(structure(&["", "1.1. Scope", "=========="], 1), Structure::Heading(1, "1.1. Scope"));
        assert_eq!(structure(&["It blows", "all day.", "---"], 1), Structure::Words, "the last line of a paragraph");
    }

    #[test]
    fn titles_are_headings_of_level_1_or_before_all_words() {
        assert_eq!(title("\n## **Of lime**\n\nIt takes time.").as_deref(), Some("Of lime"));
        assert_eq!(title("By a mason.\n\n# Of lime\n").as_deref(), Some("Of lime"));
        assert_eq!(title("Of lime\n=======\n").as_deref(), Some("Of lime"));
        assert_eq!(title("It takes time.\n\n## Of frost\n"), None);
    }
}
