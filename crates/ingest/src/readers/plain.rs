//! Reader of plain text, with Markdown's front matter or without.
//!
//! Without front matter, the title is the first line if it is short and followed by a blank line, or else the file
//! name; the date is the one at the start of the name (`2024-05-06-weather.txt`), or else that of the file.

use std::path::Path;

use chrono::NaiveDate;

use crate::chunks::document;
use crate::readers::document::{DocumentDraft, ReadDocuments, SourceMetadata};

/// Maximum number of characters of a first line that counts as a title.
const TITLE_CHARS: usize = 100;

/// Reads a plain text.
///
/// # Errors
/// A message if the front matter or the text is invalid, with the line if there is one.
pub fn plain(text: &str, origin: &SourceMetadata) -> Result<ReadDocuments, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.lines().next().is_some_and(|line| line.trim_end() == "---") {
        return document(Path::new(&origin.name), text).map(ReadDocuments::one).map_err(|error| error.within());
    }
    let (named, date) = of_name(&origin.name);
    let (title, text) = titled(text).unwrap_or((named, text));
    let date = date.unwrap_or(origin.date);
    DocumentDraft { title, source: &origin.place, date, kind: "article", text }.reading()
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
    let is_title = !title.is_empty() && title.chars().count() <= TITLE_CHARS && !title.ends_with(['.', ',', ';']);
    (alone && is_title).then_some((title, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, title: &str, date: &str, first: &str) {
        let date_of_file = "2020-01-01".parse().unwrap();
        let origin =
            SourceMetadata { name: name.to_owned(), place: "a drawer".to_owned(), date: date_of_file, url: None };
        let read = plain(text, &origin).unwrap().documents.remove(0).1;
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
    fn front_matter_is_used_if_present() {
        let origin = SourceMetadata { name: "a.txt".into(), place: "b".into(), date: NaiveDate::default(), url: None };
        let text = "---\ntitle: T\nsource: S\ndate: 2025-02-20\nkind: letter\n---\nText.";
        let read = plain(text, &origin).unwrap().documents.remove(0).1;
        assert_eq!((read.title.as_str(), read.source.as_str(), read.kind.as_str()), ("T", "S", "letter"));
        assert!(plain("---\ntitle: T\n", &origin).unwrap_err().starts_with("line 1: the front matter is not closed"));
        assert!(plain(" \n", &origin).unwrap_err().contains("no text"));
    }
}
