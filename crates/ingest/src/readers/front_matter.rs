//! Front matter: the YAML between two lines `---` at the beginning of a text.
//!
//! Reads the title, source, date and kind of the document. Other keys are ignored, because note-taking programs write
//! many of them. A value that cannot be used is reported, and counts as absent.

use chrono::{DateTime, NaiveDate};

use crate::chunks::KINDS;
use crate::headings::MAX_HEADING_CHARS;

const FENCE: &str = "---";

/// Metadata that a front matter states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// Title of the document.
    pub title: Option<String>,
    /// Publication in which it appeared.
    pub source: Option<String>,
    /// Date of publication.
    pub date: Option<NaiveDate>,
    /// Kind of document: one of [`KINDS`].
    pub kind: Option<&'static str>,
    /// Values that cannot be used, with their lines.
    pub remarks: Vec<String>,
}

/// Reads the front matter of a text, and returns it with the number of its lines; 0 if there is none. A first line
/// `---` that is followed by prose is a rule, not front matter.
///
/// # Errors
/// A message if the front matter is not closed.
pub fn front_matter(text: &str) -> Result<(FrontMatter, usize), String> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let first = lines.iter().skip(1).find(|line| !line.is_empty());
    let begins = |line: &&str| ["---", "...", "#"].iter().any(|mark| line.starts_with(mark)) || entry(line).is_some();
    if lines.first() != Some(&FENCE) || !first.is_some_and(begins) {
        return Ok((FrontMatter::default(), 0));
    }
    let close = lines.iter().skip(1).position(|line| *line == FENCE || *line == "...");
    let close = close.ok_or("line 1: the front matter is not closed; end it with a line `---`")? + 1;
    Ok((FrontMatter::of(&values(&lines[..close])), close + 1))
}

/// Value of a key.
struct Value {
    /// Key in lower case.
    key: String,
    /// Line of the key, from 1.
    line: usize,
    text: String,
}

impl FrontMatter {
    fn of(values: &[Value]) -> FrontMatter {
        let mut remarks = Vec::new();
        // Several names of one value, the preferred name first.
        let find = |keys: &[&str]| {
            let mut found = keys.iter().filter_map(|key| values.iter().find(|value| value.key == *key));
            found.find(|value| !value.text.is_empty())
        };
        let mut heading = |value: &Value| {
            if value.text.chars().count() > MAX_HEADING_CHARS {
                let what = format!("the {} is longer than {MAX_HEADING_CHARS} characters and was cut", value.key);
                remarks.push(format!("line {}: {what}", value.line));
            }
            value.text.clone()
        };
        let title = find(&["title"]).map(&mut heading);
        let source = find(&["source", "publication"]).map(&mut heading);
        let date = find(&["date", "published", "created"]).and_then(|value| {
            let found = date(&value.text);
            if found.is_none() {
                let what = format!("{:?} is not a date and was ignored; write it as year-month-day", value.text);
                remarks.push(format!("line {}: {what}, such as 2025-02-20", value.line));
            }
            found
        });
        let kind = find(&["kind"]).and_then(|value| {
            let found = KINDS.iter().find(|kind| kind.eq_ignore_ascii_case(&value.text));
            if found.is_none() {
                let what = format!("{:?} is not a kind of document and was ignored", value.text);
                remarks.push(format!("line {}: {what}; use one of {}", value.line, KINDS.join(", ")));
            }
            found.copied()
        });
        FrontMatter { title, source, date, kind, remarks }
    }
}

/// Returns the values of the top-level keys. Lists, and texts of several lines, become one line.
fn values(lines: &[&str]) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(1) {
        if let Some((key, text)) = entry(line) {
            values.push(Value { key: key.to_lowercase(), line: at + 1, text: scalar(text) });
        } else if let Some(value) = values.last_mut() {
            let text = line.trim();
            let item = text.strip_prefix("- ");
            let text = scalar(item.unwrap_or(text));
            let between = if value.text.is_empty() || text.is_empty() { "" } else { " " };
            let between = if item.is_some() && !between.is_empty() { ", " } else { between };
            value.text.push_str(between);
            value.text.push_str(&text);
        }
    }
    values
}

/// Splits a line into a top-level key and its value.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let fits = !key.is_empty() && key.chars().all(is_key) && (value.is_empty() || value.starts_with([' ', '\t']));
    fits.then_some((key, value.trim()))
}

/// Returns the text of a value: without quotation marks, comment, or the marks of lists and blocks.
fn scalar(value: &str) -> String {
    let quoted = |mark: char| {
        let inner = value.strip_prefix(mark)?;
        Some(&inner[..inner.rfind(mark)?])
    };
    if let Some(text) = quoted('"') {
        return text.replace("\\\"", "\"").replace("\\\\", "\\");
    }
    if let Some(text) = quoted('\'') {
        return text.replace("''", "'");
    }
    if value.starts_with('#') || ["|", ">", "|-", ">-", "|+", ">+", "~", "null"].contains(&value) {
        return String::new();
    }
    let plain = value.split(" #").next().unwrap_or_default().trim();
    let list = plain.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
    list.map_or_else(
        || plain.to_owned(),
        |list| list.split(',').map(|item| scalar(item.trim())).collect::<Vec<_>>().join(", "),
    )
}

/// Parses a date: ISO 8601 or RFC 2822, with or without a time, or written with the name of the month.
pub fn date(text: &str) -> Option<NaiveDate> {
    const WRITTEN: [&str; 6] = ["%Y/%m/%d", "%Y.%m.%d", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y"];
    let text = text.trim();
    let whole = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
    let iso = || text.get(..10)?.parse().ok();
    let written = || WRITTEN.iter().find_map(|form| NaiveDate::parse_from_str(text, form).ok());
    whole.map(|time| time.date_naive()).ok().or_else(iso).or_else(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (FrontMatter, usize) {
        front_matter(text).unwrap()
    }

    #[test]
    fn common_front_matter_is_read() {
        let (found, lines) = read(
            "---\n# a comment\nlayout: post\nTitle: \"A: \\\"b\\\"\"\ndate: 2025-02-20T10:00:00+02:00 # morning\n\
             tags:\n  - one\n  - two\nauthors: [Ada, Ben]\nsource:\n  - The Wall\n  - 'The Post'\nkind: Essay\n---\nText.",
        );
        assert_eq!((found.title.as_deref(), found.source.as_deref()), (Some("A: \"b\""), Some("The Wall, The Post")));
        assert_eq!((found.date, found.kind, lines), ("2025-02-20".parse().ok(), Some("essay"), 14));
        assert_eq!(found.remarks, Vec::<String>::new());
        let (folded, _) = read("---\ntitle: >-\n  Of lime\n  and time\npublished: 3 May 2024\n...\n");
        assert_eq!((folded.title.as_deref(), folded.date), (Some("Of lime and time"), "2024-05-03".parse().ok()));
    }

    #[test]
    fn unusable_values_are_reported_with_their_line() {
        let (found, _) = read("---\ndate: 2025-02-30\nkind: sermon\nsource:\n---\n");
        assert_eq!((found.date, found.kind, found.source), (None, None, None));
        assert!(found.remarks[0].starts_with("line 2: \"2025-02-30\" is not a date and was ignored"));
        assert!(
            found.remarks[1].starts_with("line 3: \"sermon\" is not a kind of document and was ignored; use one of")
        );
        let long = format!("---\ntitle: {}\n---\n", "é".repeat(MAX_HEADING_CHARS + 1));
        assert_eq!(read(&long).0.remarks, ["line 2: the title is longer than 200 characters and was cut"]);
        assert_eq!(
            front_matter("---\ntitle: A\n"),
            Err("line 1: the front matter is not closed; end it with a line `---`".to_owned())
        );
    }

    #[test]
    fn a_rule_before_prose_is_not_front_matter() {
        for text in
            ["", "Text.", "---\n\nIt blows.\n\n---\n", "---\nMind you: it blows.\n", "# A\n---\ntitle: A\n---\n"]
        {
            assert_eq!(read(text), (FrontMatter::default(), 0), "{text:?}");
        }
        assert_eq!(read("---\n---\nText.").1, 2);
    }

    #[test]
    fn dates_are_read_in_common_forms() {
        for text in [
            "2024-05-06",
            "2024-05-06 10:11",
            "2024/05/06",
            "May 6, 2024",
            "6 May 2024",
            "Mon, 06 May 2024 10:11:12 GMT",
        ] {
            assert_eq!(date(text), "2024-05-06".parse().ok(), "{text}");
        }
        assert_eq!(date("yesterday"), None);
    }
}
