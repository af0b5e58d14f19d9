//! Searches passages by meaning and by words at once.
//!
//! `ranked_search.rs` runs a search.
//!
//! A search scans up to [`MAX_SCAN_LIMIT`] passages, which is exact. If there are more, it uses indexes
//! (`index_maintenance.rs` creates them). `benches/retrieval.rs` has the figures.

use chrono::NaiveDate;
use sqlx::Row;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::error::StoreError;
use crate::library::open::{Library, LibraryError};
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;
use faultline_core::retrieval::fusion::DEPTH;

/// Maximum number of passages of one search.
pub const MAX_PASSAGES: usize = DEPTH;

/// Maximum size of a search text in bytes.
pub const MAX_SEARCH_BYTES: usize = 32 * 1024;

/// Maximum number of passages that are scanned. Beyond it, indexes return the nearest passages, approximately, and
/// those with rare words.
pub const MAX_SCAN_LIMIT: i64 = 2_000;

/// Maximum number of passages looked up by their words if there are more: as many of the rarest words are used as occur
/// in no more passages together. The other words only rank the passages found. Each passage costs a page of the table,
/// which is most of the cost of the ranking by words.
pub const MAX_WORD_LOOKUP_LIMIT: i64 = 300;

/// The rarest word is looked up even if it occurs in more passages, up to this number.
pub const ONE_WORD_LOOKUP_LIMIT: i64 = 1_000;

/// Number of candidates that a vector index keeps while it searches (`hnsw.ef_search`), by the number of its passages. The more
/// passages, the fewer of the nearest are found with as many candidates; more candidates take longer. `docs/corpora.md` has the
/// figures.
const CANDIDATES: [(i64, i32); 2] = [(10_000, 100), (100_000, 200)];

/// The same for more passages.
const MAX_CANDIDATES: i32 = 400;

/// Returns the number of candidates that an index over so many passages keeps while it searches.
pub fn n_candidates(n_passages: i64) -> i32 {
    let fitting = CANDIDATES.iter().find(|(most, _)| n_passages <= *most);
    fitting.map_or(MAX_CANDIDATES, |(_, n_candidates)| *n_candidates)
}

/// A search of the library.
#[derive(Clone, Copy, Debug)]
pub struct LibrarySearch<'a> {
    /// Corpora to search.
    pub whose: CorpusScope<'a>,
    /// Search text. Words in double quotes must be adjacent; a word after a minus must not occur.
    pub text: &'a str,
    /// Vector of the search text by the embedder in use.
    pub vector: &'a [f32],
    /// Maximum number of passages to return, up to [`MAX_PASSAGES`].
    pub limit: usize,
}

/// Personas and shared corpora that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorpusScope<'a> {
    /// All personas and all shared corpora.
    All,
    /// These personas and shared corpora.
    Of(&'a [PersonaId]),
}

/// A passage with its source.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPassage {
    /// Persona that wrote it, or the shared corpus that contains it.
    pub persona: PersonaId,
    /// True if `persona` is the id of a shared corpus.
    pub is_shared: bool,
    /// Id of the stored chunk.
    pub chunk: Uuid,
    /// Name of the document, unique for the persona.
    pub document: String,
    /// Index of the passage in the document, from 0.
    pub ordinal: i32,
    /// Text of the passage.
    pub text: String,
    /// Title of the document.
    pub title: String,
    /// Publication in which the document appeared.
    pub source: String,
    /// Date of publication.
    pub date: NaiveDate,
    /// Kind of document: an essay, a letter.
    pub kind: String,
    /// Relevance score; comparable within one search only.
    pub score: f64,
}

/// A passage that was found, with the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPassage {
    /// The passage.
    pub passage: StoredPassage,
    /// Reasons for which it was found.
    pub why: MatchReasons,
}

/// Reasons for which a passage was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchReasons {
    /// Cosine of its vector and that of the search, -1 to 1.
    pub cosine: Option<f64>,
    /// Cosine of its nearest sentence's vector and that of the search, -1 to 1.
    pub sentence_cosine: Option<f64>,
    /// Rank by meaning, from 1.
    pub by_meaning: Option<i64>,
    /// Rank by words, from 1; `None` if the passage contains no word of the search.
    pub by_words: Option<i64>,
    /// Share of the weight of the search's words that the passage contains, 0 to 1.
    pub share: f64,
    /// True if the passage matches the search as it is written.
    pub as_written: bool,
}

impl Library {
    /// Returns the best passages, best first; equal scores are ordered by id.
    ///
    /// # Errors
    /// Those of [`Library::search`].
    pub async fn recall(
        &self,
        by: &StoredEmbedder,
        search: LibrarySearch<'_>,
    ) -> Result<Vec<StoredPassage>, LibraryError> {
        Ok(self.search(by, search).await?.into_iter().map(|hit| hit.passage).collect())
    }

    /// Returns the best passages with the reasons, best first; equal scores are ordered by id. A passage that is removed during
    /// the search is left out.
    ///
    /// # Errors
    /// [`LibraryError::Limit`] if the limit or the text is too large; [`LibraryError::Width`] if the vector has another
    /// length; [`LibraryError::OtherEmbedder`] if nothing was near and another embedder is in use;
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses a statement.
    pub async fn search(
        &self,
        by: &StoredEmbedder,
        search: LibrarySearch<'_>,
    ) -> Result<Vec<FoundPassage>, LibraryError> {
        let found = self.found(Some(by), search).await?;
        if found.iter().all(|hit| hit.why.by_meaning.is_none()) {
            // Nothing near at all: there is no corpus, or its vectors were made by another embedder.
            self.check_in_use(by).await?;
        }
        Ok(found)
    }

    /// Returns the best passages by words alone, for callers without a vector by the embedder in use.
    ///
    /// # Errors
    /// [`LibraryError::Limit`] if the limit or the text is too large; [`LibraryError::Fault`] if the database cannot be
    /// reached or refuses a statement.
    pub async fn search_by_words(&self, search: LibrarySearch<'_>) -> Result<Vec<FoundPassage>, LibraryError> {
        self.found(None, search).await
    }
}

/// Columns of a passage, of its chunk and its document.
pub(super) const PASSAGE_COLUMNS: &str = "
    chunks.persona, chunks.id, document, ordinal, body, title, source, dated, kind,
    (select is_shared from corpus_owners where id = chunks.persona) as is_shared";

/// Decodes a passage from a row that has its columns. Its score is 0.
pub(super) fn passage(row: &PgRow) -> Result<StoredPassage, StoreError> {
    let read = || -> Result<StoredPassage, sqlx::Error> {
        Ok(StoredPassage {
            persona: persona_id(row.try_get("persona")?)?,
            is_shared: row.try_get("is_shared")?,
            chunk: row.try_get("id")?,
            document: row.try_get("document")?,
            ordinal: row.try_get("ordinal")?,
            text: row.try_get("body")?,
            title: row.try_get("title")?,
            source: row.try_get("source")?,
            date: row.try_get("dated")?,
            kind: row.try_get("kind")?,
            score: 0.0,
        })
    };
    read().map_err(StoreError::database("read a passage"))
}

/// Parses a stored persona id.
pub(super) fn persona_id(text: &str) -> Result<PersonaId, sqlx::Error> {
    text.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
