//! Reader of a persona's texts from files: passages with their sentences, and pages for looking up quotations.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::chunks::document;
use crate::file_error::FileError;
use crate::sentences::sentences;
use crate::sources::{DOCUMENT_BYTES, documents, text_of};
use faultline_core::drafting::material::SourcePassage;
use faultline_core::drafting::quotes::QuotableText;

/// Front matter for a text that has none, so that it is cut like any other.
const FRONT: &str = "---\ntitle: untitled\nsource: a file\ndate: 2000-01-01\nkind: article\n---\n\n";

/// Texts of a persona.
#[derive(Clone, Debug, Default)]
pub struct CorpusTexts {
    /// Passages, in the order of documents.
    pub passages: Vec<SourcePassage>,
    /// Unmodified files, by document name.
    pub pages: BTreeMap<String, QuotableText>,
    /// Skipped files, with the reasons.
    pub skipped: Vec<FileError>,
}

impl CorpusTexts {
    /// Reads the documents of a folder; empty if there is no such folder. Blocks on the file system.
    ///
    /// # Errors
    /// [`FileError`] if the folder cannot be read. An unreadable document is skipped and recorded.
    pub fn of_folder(folder: &Path) -> Result<CorpusTexts, FileError> {
        let (sources, skipped) = documents(folder).map_err(|why| FileError::of(folder, why))?;
        let mut shelf = CorpusTexts::default();
        shelf.skipped.extend(skipped.into_iter().map(|entry| FileError::of(entry.file, entry.why)));
        sources.into_iter().for_each(|source| shelf.add(source.name, &source.file));
        Ok(shelf)
    }

    /// Reads folders and files. Texts need no front matter. Blocks on the file system.
    ///
    /// # Errors
    /// [`FileError`] if a folder cannot be read, a file does not exist, or two documents have the same name.
    pub fn of(paths: &[PathBuf]) -> Result<CorpusTexts, FileError> {
        let mut shelf = CorpusTexts::default();
        for path in paths {
            if path.is_dir() {
                let more = CorpusTexts::of_folder(path)?;
                shelf.skipped.extend(more.skipped);
                shelf.passages.extend(more.passages);
                shelf.pages.extend(more.pages);
                continue;
            }
            if path.symlink_metadata().is_err() {
                return Err(FileError::of(path, "no such file or folder"));
            }
            let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("untitled").to_owned();
            if shelf.pages.contains_key(&name) {
                return Err(FileError::of(path, format!("another document has the name {name} already; rename one")));
            }
            shelf.add(name, path);
        }
        Ok(shelf)
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

    fn add(&mut self, name: String, file: &Path) {
        let read = text_of(file, DOCUMENT_BYTES).map_err(|why| FileError::of(file, why)).and_then(|text| {
            let bare = !text.trim_start_matches('\u{feff}').starts_with("---");
            let whole = if bare { format!("{FRONT}{text}") } else { text.clone() };
            Ok((document(file, &whole)?, QuotableText::of(&text)))
        });
        match read {
            Ok((document, page)) => {
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
            Err(fault) => self.skipped.push(fault),
        }
    }
}
