//! Finding passages: by meaning and by words at once.
//!
//! Two rankings are fused by weighted reciprocal rank (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms
//! Condorcet and individual Rank Learning Methods", 2009), in one statement (`fusion.rs`):
//!
//! - **By meaning.** The passages whose vectors are nearest, and those that the words found, in the order of a mean of
//!   two cosines: the passage's and, for less, that of its nearest sentence. A sentence answers, a passage says of what.
//! - **By words.** What a word tells is its rarity (the idf of BM25). A passage's *share* is how much of what all words of
//!   the search tell is told by those that stand in it. Passages that match the search as it is written, quotes and minus
//!   included, come first, then the larger share.
//!
//! How much the second ranking weighs is decided by the search: with the square of the best share that any passage has.
//! For a look-up of rare words that is 1, for a question in other words about a third. So nobody has to say which it is.
//!
//! A search looks at up to [`ONE_BY_ONE`] passages one by one, which is exact; where there are more, indexes say which
//! (`tend.rs` makes them). `benches/retrieval.rs` has the figures.

use chrono::NaiveDate;
use sqlx::Row;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::events::ids::PersonaId;
use crate::store::fault::Fault;
use crate::store::library::open::{Library, LibraryError, StoredEmbedder};

/// The most passages of one search, and how deep each ranking is read.
pub const PASSAGES: usize = 50;

/// The most bytes of a search text.
pub const SEARCH_BYTES: usize = 32 * 1024;

/// So many passages are looked at one by one. Of more, indexes name the nearest, without a promise to have missed none,
/// and those with rare words.
pub const ONE_BY_ONE: i64 = 2_000;

/// Where there are more, so many are looked up by their words: as many of the rarest words as stand in no more passages
/// together. The others count for those that were found. Each costs a page of the table, which is most of what words cost.
pub const LOOKED_UP: i64 = 300;

/// The rarest word is looked up also where it stands in more passages than that, up to so many.
pub const LOOKED_UP_FOR_ONE: i64 = 1_000;

/// How many passages an index over nearness holds in view while it looks for the nearest. More finds more and takes
/// longer; `docs/corpora.md` has the figures.
pub const IN_VIEW: i32 = 100;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// In whose corpora.
    pub whose: Whose<'a>,
    /// As words. Words in double quotes must stand together; a word after a minus must not stand there at all.
    pub text: &'a str,
    /// As a vector, by the embedder in use.
    pub vector: &'a [f32],
    /// How many passages at the most; [`PASSAGES`] at most.
    pub limit: usize,
}

/// Whose corpora are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose<'a> {
    /// Everybody's.
    All,
    /// Those of these personas.
    Of(&'a [PersonaId]),
}

/// A passage with where it is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Whose it is.
    pub persona: PersonaId,
    /// The stored chunk.
    pub chunk: Uuid,
    /// The document's name among the persona's documents.
    pub document: String,
    /// Its place in the document, from 0.
    pub ordinal: i32,
    /// The passage itself.
    pub text: String,
    /// The document's title.
    pub title: String,
    /// Where the document appeared.
    pub source: String,
    /// When.
    pub date: NaiveDate,
    /// What it is: an essay, a letter.
    pub kind: String,
    /// How well it fits; comparable within one search only.
    pub score: f64,
}

/// A passage that was found, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The passage.
    pub passage: Passage,
    /// Why it was found.
    pub why: Why,
}

/// Why a passage was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Why {
    /// How near its vector is to that of the search: the cosine, -1 to 1.
    pub cosine: Option<f64>,
    /// The same of its nearest sentence.
    pub sentence_cosine: Option<f64>,
    /// Its place in the ranking by meaning, from 1.
    pub by_meaning: Option<i64>,
    /// Its place in the ranking by words, from 1; none where no word of the search stands in it.
    pub by_words: Option<i64>,
    /// How much of what the words of the search tell is told by those in it: 0 to 1.
    pub share: f64,
    /// Whether it matches the search as it is written.
    pub as_written: bool,
}

impl Library {
    /// The passages that fit best, the best first; of two that fit alike, that of the lesser id.
    ///
    /// # Errors
    /// Those of [`Library::search`].
    pub async fn recall(&self, by: &StoredEmbedder, search: Search<'_>) -> Result<Vec<Passage>, LibraryError> {
        Ok(self.search(by, search).await?.into_iter().map(|it| it.passage).collect())
    }

    /// The passages that fit best, each with why, the best first; of two that fit alike, that of the lesser id.
    ///
    /// # Errors
    /// [`LibraryError::Limit`], [`LibraryError::Width`], [`LibraryError::OtherEmbedder`], or the database's fault.
    pub async fn search(&self, by: &StoredEmbedder, search: Search<'_>) -> Result<Vec<Found>, LibraryError> {
        let found = self.found(Some(by), search).await?;
        if found.iter().all(|it| it.why.by_meaning.is_none()) {
            // Nothing near at all: no corpus, or vectors of another embedder.
            self.check_in_use(by).await?;
        }
        Ok(found)
    }

    /// The passages that fit best by their words alone: for whoever has no vector by the embedder in use.
    ///
    /// # Errors
    /// [`LibraryError::Limit`], or the database's fault.
    pub async fn search_by_words(&self, search: Search<'_>) -> Result<Vec<Found>, LibraryError> {
        self.found(None, search).await
    }

    async fn found(&self, by: Option<&StoredEmbedder>, search: Search<'_>) -> Result<Vec<Found>, LibraryError> {
        for (what, most, given) in [
            ("the passages of one search", PASSAGES, search.limit),
            ("the bytes of a search text", SEARCH_BYTES, search.text.len()),
        ] {
            if given > most {
                return Err(LibraryError::Limit { what, most, given });
            }
        }
        let rows = self.fused(by, search).await?;
        let read = |row: &PgRow| Ok(Found { passage: passage(row)?, why: why(row)? });
        Ok(rows.iter().map(read).collect::<Result<Vec<_>, Fault>>()?)
    }
}

/// The passage in a row that has its columns, and a score.
pub(super) fn passage(row: &PgRow) -> Result<Passage, Fault> {
    let read = || -> Result<Passage, sqlx::Error> {
        Ok(Passage {
            persona: persona_id(row.try_get("persona")?)?,
            chunk: row.try_get("id")?,
            document: row.try_get("document")?,
            ordinal: row.try_get("ordinal")?,
            text: row.try_get("body")?,
            title: row.try_get("title")?,
            source: row.try_get("source")?,
            date: row.try_get("dated")?,
            kind: row.try_get("kind")?,
            score: row.try_get("score")?,
        })
    };
    read().map_err(Fault::database("read a passage"))
}

fn why(row: &PgRow) -> Result<Why, Fault> {
    let read = || -> Result<Why, sqlx::Error> {
        let cosine = |name: &str| -> Result<Option<f64>, sqlx::Error> {
            Ok(row.try_get::<Option<f64>, _>(name)?.filter(|it| it.is_finite()))
        };
        Ok(Why {
            cosine: cosine("cosine")?,
            sentence_cosine: cosine("sentence_cosine")?,
            by_meaning: row.try_get("by_meaning")?,
            by_words: row.try_get("by_words")?,
            share: row.try_get("share")?,
            as_written: row.try_get("as_written")?,
        })
    };
    read().map_err(Fault::database("read why a passage was found"))
}

/// A stored id, read back.
pub(super) fn persona_id(text: &str) -> Result<PersonaId, sqlx::Error> {
    text.parse().map_err(|it| sqlx::Error::Decode(Box::new(it)))
}
