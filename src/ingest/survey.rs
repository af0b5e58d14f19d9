//! What is in a persona's folder, held against what is stored.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::events::ids::PersonaId;
use crate::ingest::chunks::{self, Document, document};
use crate::ingest::fault::Fault;
use crate::ingest::sentences::sentences;
use crate::ingest::sources::{DOCUMENT_BYTES, Skipped, Source, documents, listed, text_of};
use crate::store::library::intake::{StoredDocument, chunk_id};

/// What is in a persona's folder, beside what is stored.
#[derive(Debug, Default)]
pub struct Survey {
    /// Documents that are new, or not stored as they are.
    pub changed: Vec<Changed>,
    /// Documents that stay as they are stored.
    pub unchanged: Vec<StoredDocument>,
    /// Stored documents whose files are gone.
    pub gone: Vec<StoredDocument>,
    /// What was passed over.
    pub skipped: Vec<Skipped>,
    /// What deserves a second look.
    pub remark: Option<Fault>,
}

/// A document that is not stored as it is.
#[derive(Debug)]
pub struct Changed {
    /// Its name among the persona's documents.
    pub name: String,
    /// Of its file and of the rules by which it is cut.
    pub hash: [u8; 32],
    /// What it is called.
    pub title: String,
    /// Where it appeared.
    pub source: String,
    /// When.
    pub date: NaiveDate,
    /// What it is.
    pub kind: String,
    /// Its passages, in order.
    pub passages: Vec<Cut>,
}

impl Changed {
    /// How many texts there are to embed at the most.
    pub fn n_texts(&self) -> usize {
        self.passages.iter().map(Cut::n_texts).sum()
    }
}

/// A passage, cut into sentences.
#[derive(Debug)]
pub struct Cut {
    /// The id it is stored under.
    pub id: Uuid,
    /// The passage.
    pub text: String,
    /// Its sentences, in order.
    pub sentences: Vec<String>,
}

impl Cut {
    /// How many texts there are to embed: itself, and its sentences.
    pub fn n_texts(&self) -> usize {
        1 + self.sentences.len()
    }
}

/// Looks through a persona's folder. Blocks on the file system.
pub fn survey(persona: &PersonaId, folder: &Path, stored: Vec<StoredDocument>) -> Survey {
    let mut seen = Survey::default();
    let (sources, skipped) = match documents(folder) {
        Ok(found) => found,
        Err(why) => {
            // Nothing can be said about what is in there, so nothing is taken out.
            seen.unchanged = stored;
            seen.skipped.push(Skipped { file: folder.to_owned(), why });
            return seen;
        }
    };
    seen.skipped = skipped;
    if sources.is_empty() {
        let what = "there is no document in the persona's folder, so it has no passages to stand on";
        seen.remark = Some(Fault::of(folder, what));
    }
    let mut stored: HashMap<String, StoredDocument> = stored.into_iter().map(|it| (it.name.clone(), it)).collect();
    for source in sources {
        let before = stored.remove(&source.name);
        match changed(persona, &source, before.as_ref()) {
            Ok(Some(changed)) => seen.changed.push(changed),
            Ok(None) => seen.unchanged.extend(before),
            Err(skipped) => {
                seen.unchanged.extend(before);
                seen.skipped.push(skipped);
            }
        }
    }
    seen.gone = stored.into_values().collect();
    seen
}

/// A document, read and cut; `None` where it is stored as it is.
fn changed(persona: &PersonaId, source: &Source, before: Option<&StoredDocument>) -> Result<Option<Changed>, Skipped> {
    let skipped = |why: String| Skipped { file: source.file.clone(), why };
    let text = text_of(&source.file, DOCUMENT_BYTES).map_err(skipped)?;
    let hash: [u8; 32] = Sha256::new().chain_update([chunks::REVISION]).chain_update(&text).finalize().into();
    if before.is_some_and(|it| it.hash == hash) {
        return Ok(None);
    }
    let document = document(&source.file, &text).map_err(|it| skipped(it.within()))?;
    let Document { title, source: published, date, kind, passages } = document;
    let mut before: HashMap<String, usize> = HashMap::new();
    let cut = |text: String| {
        let before = before.entry(text.clone()).or_default();
        let id = chunk_id(persona, &source.name, *before, &text);
        *before += 1;
        let sentences = sentences(&text).into_iter().map(str::to_owned).collect();
        Cut { id, text, sentences }
    };
    let passages = passages.into_iter().map(cut).collect();
    let name = source.name.clone();
    Ok(Some(Changed { name, hash, title, source: published, date, kind, passages }))
}

/// What lies in the corpus beside the folders of the personas. Blocks on the file system.
pub fn strays(corpus: &Path, known: &HashSet<String>) -> Vec<Skipped> {
    let entries = listed(corpus).unwrap_or_default();
    let is_known = |it: &PathBuf| it.file_name().and_then(|it| it.to_str()).is_some_and(|it| known.contains(it));
    let why = "belongs to no persona; there is no persona file of this name";
    entries.into_iter().filter(|it| !is_known(it)).map(|file| Skipped { file, why: why.to_owned() }).collect()
}
