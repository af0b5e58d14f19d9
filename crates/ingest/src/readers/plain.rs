//! Reader of Markdown and plain text, with front matter or without.
//!
//! | value | found in, in this order |
//! |---|---|
//! | title | the front matter, in plain text a short first line, a heading, the file name |
//! | source | the front matter, the file name |
//! | date | the front matter, the start of the file name (`2024-05-06-weather.md`), the date of the file |
//! | kind | the front matter, `article` |

use std::path::Path;

use chrono::NaiveDate;

use crate::headings::title;
use crate::readers::document::{DocumentDraft, ReadDocuments, SourceMetadata};
use crate::readers::form::Form;
use crate::readers::front_matter::front_matter;
use crate::readers::markdown::prose;

/// Maximum number of characters of a first line that counts as a title.
const MAX_TITLE_CHARS: usize = 100;

/// Reads a Markdown document or a plain text.
///
/// # Errors
/// A message if the front matter is not closed, or there is no text, or too much.
pub fn plain(text: &str, form: Form, origin: &SourceMetadata) -> Result<ReadDocuments, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (front, lines) = front_matter(text)?;
    let body = body(text, form, lines);
    let (named, date) = of_name(&origin.name);
    let heading = title(&body);
    let first = if form == Form::Text && front.title.is_none() { titled(&body) } else { None };
    let (first, body) = first.map_or((None, body.as_str()), |(title, rest)| (Some(title), rest));
    let draft = DocumentDraft {
        title: front.title.as_deref().or(first).or(heading.as_deref()).unwrap_or(named),
        source: front.source.as_deref().unwrap_or(&origin.place),
        date: front.date.or(date).unwrap_or(origin.date),
        kind: front.kind.unwrap_or("article"),
        text: body,
    };
    let mut reading = draft.reading()?;
    reading.remarks.splice(..0, front.remarks);
    Ok(reading)
}

/// Returns the words of a Markdown document or a plain text on the lines where they are in the file.
///
/// # Errors
/// A message if the front matter is not closed.
pub fn words_by_line(text: &str, form: Form) -> Result<String, String> {
    let (_, lines) = front_matter(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    Ok("\n".repeat(lines) + &body(text, form, lines))
}

/// Returns the words after the front matter, of which the number of lines is given.
fn body(text: &str, form: Form, lines: usize) -> String {
    let body: String = text.split_inclusive('\n').skip(lines).collect();
    if form == Form::Markdown { prose(&body) } else { body }
}

/// Returns the title in a file name, and the date at its start.
pub fn of_name(name: &str) -> (&str, Option<NaiveDate>) {
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
    let date = stem.get(..10).and_then(|prefix| prefix.parse().ok());
    let rest = if date.is_some() { stem[10..].trim_start_matches(['-', '_', ' ']) } else { stem };
    (if rest.is_empty() { stem } else { rest }, date)
}

/// Returns a first line that is short and followed by a blank line, and the text after it.
fn titled(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (title, rest) = text.split_once('\n')?;
    let alone = rest.lines().next().is_some_and(|line| line.trim().is_empty()) && !rest.trim().is_empty();
    let title = title.trim().trim_start_matches('#').trim_start();
    let is_title = !title.is_empty() && title.chars().count() <= MAX_TITLE_CHARS && !title.ends_with(['.', ',', ';']);
    (alone && is_title).then_some((title, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<ReadDocuments, String> {
        let date = "2020-01-01".parse().unwrap();
        let origin = SourceMetadata { name: name.to_owned(), place: "a drawer".to_owned(), date, url: None };
        plain(text, Form::of_file(Path::new(name)).unwrap(), &origin)
    }

    #[track_caller]
    fn check(name: &str, text: &str, title: &str, date: &str, first: &str) {
        let read = read(name, text).unwrap().documents.remove(0).1;
        let told = (read.title.as_str(), read.date.to_string(), read.passages[0].as_str(), read.source.as_str());
        assert_eq!(told, (title, date.to_owned(), first, "a drawer"));
    }

    #[test]
    fn title_and_date_come_from_the_text_the_name_or_the_file() {
        check("wind.txt", "Of wind\n\nIt blows.", "Of wind", "2020-01-01", "It blows.");
        check("wind.txt", "It blows.\n\nAnd blows.", "wind", "2020-01-01", "It blows.\n\nAnd blows.");
        check("2024-05-06-wind.txt", "It blows\nall day.", "wind", "2024-05-06", "It blows all day.");
        check("2024-05-06.txt", "\u{feff}It blows.", "2024-05-06", "2024-05-06", "It blows.");
        check("2024-05-66 x.txt", "Title only", "2024-05-66 x", "2020-01-01", "Title only");
    }

    #[test]
    fn markdown_needs_no_front_matter() {
        let readme = "[![ci](b.svg)](c)\n\n# `Of` wind\n\nIt [blows](x).\n\n```sh\nmake wind\n```\n";
        check("README.md", readme, "Of wind", "2020-01-01", "It blows.");
        check("2024-05-06-wind.md", "It blows\nall day.", "wind", "2024-05-06", "It blows all day.");
        check("wind.md", "---\ntags: [a]\ndate: 2024-05-06\n---\nIt blows.", "wind", "2024-05-06", "It blows.");
        check("wind.md", "It blows\n\nAnd blows.", "wind", "2020-01-01", "It blows\n\nAnd blows.");
        assert_eq!(read("wind.md", "# Only\n").map(drop), Err("there is no text in it".to_owned()));
    }

    #[test]
    fn front_matter_is_used_if_present() {
        for name in ["a.txt", "a.md"] {
            let text =
                "\u{feff}---\r\ntitle: T\r\nsource: S\r\ndate: 2025-02-20\r\nkind: letter\r\n---\r\n# Other\r\nText.";
            let read = read(name, text).unwrap().documents.remove(0).1;
            assert_eq!((read.title.as_str(), read.source.as_str(), read.kind.as_str()), ("T", "S", "letter"));
            assert_eq!((read.date.to_string().as_str(), read.passages), ("2025-02-20", vec!["Text.".to_owned()]));
        }
        assert!(read("a.md", "---\ntitle: T\n").unwrap_err().starts_with("line 1: the front matter is not closed"));
        assert!(read("a.txt", " \n").unwrap_err().contains("no text"));
        assert_eq!(read("a.md", "---\nkind: sermon\n---\nText.").unwrap().remarks.len(), 1);
    }

    #[test]
    fn words_stay_on_their_lines() {
        let text = "---\ntitle: T\n---\n\n[Of](x)\nwind";
        assert_eq!(words_by_line(text, Form::Markdown).unwrap().lines().nth(4), Some("Of"));
        assert_eq!(words_by_line("a\n[b](c)", Form::Text).unwrap(), "a\n[b](c)");
    }
}
