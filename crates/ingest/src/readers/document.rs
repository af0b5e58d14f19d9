//! Result of reading a source, and conversion of an extracted text to a document.

use std::path::Path;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use crate::chunks::{MAX_WORD_BYTES, ParsedDocument, cut};
use crate::headings::MAX_HEADING_CHARS;
use faultline_shipped::files::changed_at;

/// Metadata of a source.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SourceMetadata {
    /// Name of its file or link: the fallback title of its documents.
    pub name: String,
    /// Fallback for the publication, if the source does not state one.
    pub place: String,
    /// Fallback for the date, if the source does not state one.
    pub date: NaiveDate,
    /// URL of the source, if it has one.
    pub url: Option<String>,
}

impl SourceMetadata {
    /// Returns the metadata of a file. Its date is that of its last change, or today. Reads the file's metadata.
    pub fn of_file(file: &Path) -> SourceMetadata {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let date = changed_at(file).map_or_else(Utc::now, DateTime::<Utc>::from).date_naive();
        SourceMetadata { place: name.clone(), name, date, url: None }
    }
}

/// Result of reading a source.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct ReadDocuments {
    /// Documents, each with its name within the source; the name is empty if the source is one document.
    pub documents: Vec<(String, ParsedDocument)>,
    /// Skipped parts, with the reasons.
    pub passed_over: Vec<String>,
    /// Remarks that deserve a second look.
    pub remarks: Vec<String>,
}

impl ReadDocuments {
    /// Creates the result of a source that is one document.
    pub fn one(document: ParsedDocument) -> ReadDocuments {
        ReadDocuments { documents: vec![(String::new(), document)], ..ReadDocuments::default() }
    }

    /// Adds a part of a source, or records why it was skipped.
    pub fn part(&mut self, part: String, read: Result<(ParsedDocument, Option<String>), String>) {
        match read {
            Ok((document, remark)) => {
                self.remarks.extend(remark.map(|remark| format!("{part}: {remark}")));
                self.documents.push((part, document));
            }
            Err(why) => self.passed_over.push(format!("{part}: {why}")),
        }
    }
}

/// Text with its metadata, not yet cut into passages.
#[derive(Clone, Debug)]
pub struct DocumentDraft<'a> {
    /// Title of the text.
    pub title: &'a str,
    /// Publication in which it appeared.
    pub source: &'a str,
    /// Date of publication.
    pub date: NaiveDate,
    /// Kind of document: one of [`crate::chunks::KINDS`].
    pub kind: &'static str,
    /// Paragraphs, separated by blank lines.
    pub text: &'a str,
}

impl DocumentDraft<'_> {
    /// Converts the draft to a document. The remark counts the overlong words that were left out, mostly URLs and
    /// encoded data. Title and source are cut to their limit.
    ///
    /// # Errors
    /// A message if no text is left, or too much.
    pub fn document(&self) -> Result<(ParsedDocument, Option<String>), String> {
        let is_word = |word: &&str| word.len() <= MAX_WORD_BYTES;
        // Postgres cannot store NUL.
        let text = self.text.replace('\0', " ");
        let n_long = text.split_whitespace().filter(|word| !is_word(word)).count();
        let line = |raw_line: &str| raw_line.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ");
        let text: String = text.lines().map(|raw_line| line(raw_line) + "\n").collect();
        let remark = format!("{n_long} words of more than {MAX_WORD_BYTES} bytes are not prose and were left out");
        let document = ParsedDocument {
            title: heading(self.title),
            source: heading(self.source),
            date: self.date,
            kind: self.kind.to_owned(),
            passages: cut(&text)?,
        };
        Ok((document, (n_long > 0).then_some(remark)))
    }

    /// Converts the draft to the result of a source that is this document alone.
    ///
    /// # Errors
    /// The errors of [`DocumentDraft::document`].
    pub fn reading(&self) -> Result<ReadDocuments, String> {
        let (document, remark) = self.document()?;
        Ok(ReadDocuments { remarks: remark.into_iter().collect(), ..ReadDocuments::one(document) })
    }
}

/// Returns one line of at most [`MAX_HEADING_CHARS`] characters without control characters.
pub fn heading(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_HEADING_CHARS {
        return line;
    }
    line.chars().take(MAX_HEADING_CHARS - 1).chain(['…']).collect()
}

/// Converts a text to a part of a name: lower-case letters and digits of any script, separated by single hyphens, at
/// most `most_bytes` bytes.
pub fn slug(text: &str, most_bytes: usize) -> String {
    let mut slug = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        let letter = if letter.is_alphanumeric() { letter } else { '-' };
        if slug.len() + letter.len_utf8() > most_bytes {
            break;
        }
        if letter != '-' || !(slug.is_empty() || slug.ends_with('-')) {
            slug.push(letter);
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_becomes_a_document_within_the_limits() {
        let title = format!("A\tlong\u{0} {}", "x".repeat(300));
        let long = "y".repeat(MAX_WORD_BYTES + 1);
        let text = format!("One two.\0\n\n# Heading\n{long} three. {long}");
        let date = NaiveDate::default();
        let draft = DocumentDraft { title: &title, source: "b\nc", date, kind: "post", text: &text };
        let (document, remark) = draft.document().unwrap();
        assert_eq!(remark.unwrap(), "2 words of more than 1000 bytes are not prose and were left out");
        assert_eq!(document.title.chars().count(), MAX_HEADING_CHARS);
        assert!(document.title.starts_with("A long xxx") && document.title.ends_with('…'));
        assert_eq!(
            (document.source.as_str(), document.passages.as_slice()),
            ("b c", &["One two.\n\nthree.".to_owned()][..])
        );
        assert_eq!(DocumentDraft { text: " \n# x", ..draft }.document(), Err("there is no text in it".to_owned()));
    }

    #[test]
    fn slugs_are_short_and_plain() {
        assert_eq!(slug("  What the Needle wants!? (2)", 40), "what-the-needle-wants-2");
        assert_eq!(slug("Été à l'île", 40), "été-à-l-île");
        assert_eq!(slug("abc-def", 4), "abc");
        assert_eq!(slug("../..", 9), "");
    }
}
