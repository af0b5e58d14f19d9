//! Reader of a persona's texts from files: passages with their sentences, and pages for looking up quotations.
//!
//! The files are read by the readers of an ingest, so that a draft and a check see what the library would contain. Web
//! sources are not fetched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::chunks::ParsedDocument;
use crate::file_error::FileError;
use crate::readers::document::ReadDocuments;
use crate::readers::form::Form;
use crate::readers::plain::words_by_line;
use crate::readers::read::read_file;
use crate::sentences::sentences;
use crate::sources::{SourceFile, bytes_of_source, document_name, documents};
use faultline_core::drafting::material::SourcePassage;
use faultline_core::drafting::quotes::QuotableText;
use faultline_shipped::files::{exists, is_folder};

/// Texts of a persona.
#[derive(Clone, Debug, Default)]
pub struct CorpusTexts {
    /// Passages, in the order of documents.
    pub passages: Vec<SourcePassage>,
    /// Words of the documents, by document name.
    pub pages: BTreeMap<String, QuotableText>,
    /// Skipped files, with the reasons.
    pub skipped: Vec<FileError>,
}

impl CorpusTexts {
    /// Reads the documents of a folder; empty if there is no such folder. Blocks.
    ///
    /// # Errors
    /// [`FileError`] if the folder cannot be read. An unreadable document is skipped and recorded.
    pub fn of_folder(folder: &Path) -> Result<CorpusTexts, FileError> {
        let (sources, skipped) = documents(folder).map_err(|why| FileError::of(folder, why))?;
        let mut texts = CorpusTexts::default();
        texts.skipped.extend(skipped.into_iter().map(|entry| FileError::of(entry.file, entry.why)));
        sources.iter().for_each(|source| texts.add(source));
        Ok(texts)
    }

    /// Reads folders and files. A file with an unknown ending is read as plain text. Blocks.
    ///
    /// # Errors
    /// [`FileError`] if a folder cannot be read, a file does not exist, or two documents have the same name.
    pub fn of(paths: &[PathBuf]) -> Result<CorpusTexts, FileError> {
        let mut texts = CorpusTexts::default();
        for path in paths {
            if is_folder(path) {
                let more = CorpusTexts::of_folder(path)?;
                texts.skipped.extend(more.skipped);
                texts.passages.extend(more.passages);
                texts.pages.extend(more.pages);
                continue;
            }
            if !exists(path) {
                return Err(FileError::of(path, "no such file or folder"));
            }
            let form = Form::of_file(path).unwrap_or(Form::Text);
            let name = document_name(path, form).map_err(|why| FileError::of(path, why))?;
            if texts.pages.contains_key(&name) {
                return Err(FileError::of(path, format!("another document has the name {name} already; rename one")));
            }
            texts.add(&SourceFile { name, file: path.clone(), form });
        }
        Ok(texts)
    }

    /// Returns all passages as one text.
    pub fn text(&self) -> String {
        self.passages.iter().map(SourcePassage::text).collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the texts of the documents, in order.
    pub fn documents(&self) -> Vec<String> {
        let of = |name: &String| {
            let passages = self.passages.iter().filter(|passage| passage.document == *name);
            passages.map(SourcePassage::text).collect::<Vec<_>>().join("\n\n")
        };
        self.pages.keys().map(of).collect()
    }

    fn add(&mut self, source: &SourceFile) {
        match read(source) {
            Ok((reading, lines)) => {
                let skipped = reading.passed_over.into_iter().chain(reading.remarks);
                self.skipped.extend(skipped.map(|why| FileError::of(&source.file, why)));
                for (part, document) in reading.documents {
                    let name = if part.is_empty() { source.name.clone() } else { format!("{}/{part}", source.name) };
                    let page = lines.clone().unwrap_or_else(|| QuotableText::unnumbered(&document.passages));
                    self.add_document(name, document, page);
                }
            }
            Err(why) => self.skipped.push(FileError::of(&source.file, why)),
        }
    }

    fn add_document(&mut self, name: String, document: ParsedDocument, page: QuotableText) {
        let last = document.passages.len() - 1;
        let passage = |(ordinal, text): (usize, String)| SourcePassage {
            document: name.clone(),
            title: document.title.clone(),
            ordinal,
            is_last: ordinal == last,
            sentences: sentences(&text).into_iter().map(str::to_owned).collect(),
        };
        self.passages.extend(document.passages.into_iter().enumerate().map(passage));
        self.pages.insert(name, page);
    }
}

/// Reads a source, and its words with their lines if it has lines.
fn read(source: &SourceFile) -> Result<(ReadDocuments, Option<QuotableText>), String> {
    let (form, file) = (source.form, &source.file);
    let bytes = bytes_of_source(form, file)?;
    let lines = match form {
        Form::Markdown | Form::Text => Some(QuotableText::of(&words_by_line(&String::from_utf8_lossy(&bytes), form)?)),
        _ => None,
    };
    Ok((read_file(form, file, bytes)?, lines))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn notes_are_read_as_by_an_ingest() {
        let root = tempfile::tempdir().unwrap();
        let note = "---\ntags: [walls]\n---\n# Of walls\n\nThe [wall](x.md) leans on us all.\n";
        fs::write(root.path().join("walls.md"), note).unwrap();
        fs::write(root.path().join("lime.txt"), "Lime\n\nIt takes its time.").unwrap();
        fs::write(root.path().join("draft"), "Ask the dogs about it.").unwrap();
        let corpus = CorpusTexts::of_folder(root.path()).unwrap();
        let titles: Vec<&str> = corpus.passages.iter().map(|passage| passage.title.as_str()).collect();
        assert_eq!((titles, corpus.skipped.len()), (vec!["Lime", "Of walls"], 1));
        assert_eq!(corpus.pages["walls"].line_of("The wall leans on us"), Some(6));
        assert_eq!(CorpusTexts::of(&[root.path().join("draft")]).unwrap().text(), "Ask the dogs about it.");
    }
}
