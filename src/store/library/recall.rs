//! Finding passages: by meaning and by words at once.
//!
//! Three rankings are fused by weighted reciprocal rank (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion
//! outperforms Condorcet and individual Rank Learning Methods", 2009; k = 60): nearness of the vectors, passages with
//! any of the words, and passages with all of them. The third is empty for most questions and decides for look-ups of
//! rare words, where vectors are poor. Over 8,000 passages, with the weights below, questions lost 0.025 of their mean
//! reciprocal rank to the better ranking alone and look-ups 0.004; with equal weights it was 0.07 and 0.33.
//!
//! The scan of vectors is exact, along the primary key: about 1 ms of processor time a thousand passages of the persona.

use chrono::NaiveDate;
use sqlx::Row;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::events::ids::PersonaId;
use crate::store::fault::Fault;
use crate::store::library::open::{Library, LibraryError, StoredEmbedder, halved};

/// The most passages of one search, and how deep each ranking is read.
pub const PASSAGES: usize = 50;

/// The most bytes of a search text.
pub const SEARCH_BYTES: usize = 32 * 1024;

/// What each ranking weighs: vectors, any word, all words.
type Weights = [f64; 3];
const FOR_MEANING: Weights = [1.0, 0.3, 1.0];
/// A stand-in's vectors only break ties.
const FOR_SPELLING: Weights = [0.3, 1.0, 1.0];

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// In whose corpora.
    pub personas: &'a [PersonaId],
    /// As words. Words in double quotes must stand together; a word after a minus must not stand there at all.
    pub text: &'a str,
    /// As a vector, by the embedder in use.
    pub vector: &'a [f32],
    /// How many passages at the most; [`PASSAGES`] at most.
    pub limit: usize,
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

impl Library {
    /// The passages that fit best, the best first; of two that fit alike, that of the lesser id.
    ///
    /// # Errors
    /// [`LibraryError::Limit`], [`LibraryError::Width`], [`LibraryError::OtherEmbedder`], or the database's fault.
    pub async fn recall(&self, by: &StoredEmbedder, search: Search<'_>) -> Result<Vec<Passage>, LibraryError> {
        check_limits(&search)?;
        let rows = self.fused(Some(by), search).await?;
        let nearest = rows.iter().map(|row| row.try_get("near")).collect::<Result<Vec<bool>, _>>();
        if !nearest.map_err(Fault::database("read a passage"))?.contains(&true) {
            // Nothing near at all: no corpus, or vectors of another embedder.
            self.check_in_use(by).await?;
        }
        Ok(rows.iter().map(passage).collect::<Result<_, _>>()?)
    }

    /// The passages that fit best by their words alone: for whoever has no vector by the embedder in use.
    ///
    /// # Errors
    /// [`LibraryError::Limit`], or the database's fault.
    pub async fn recall_by_words(&self, search: Search<'_>) -> Result<Vec<Passage>, LibraryError> {
        check_limits(&search)?;
        let rows = self.fused(None, search).await?;
        Ok(rows.iter().map(passage).collect::<Result<_, _>>()?)
    }

    async fn fused(&self, by: Option<&StoredEmbedder>, search: Search<'_>) -> Result<Vec<PgRow>, LibraryError> {
        let vector = by.map(|it| halved(it, search.vector)).transpose()?;
        let personas: Vec<&str> = search.personas.iter().map(PersonaId::as_str).collect();
        let [vectors, any_word, all_words] = if by.is_some_and(|it| it.stand_in) { FOR_SPELLING } else { FOR_MEANING };
        let sql = "
            with asked as materialized (
                select
                    $1::halfvec as vector,
                    (
                        select string_agg(quote_literal(word), ' | ')::tsquery
                        from unnest(tsvector_to_array(to_tsvector('english', $2))) as word
                    ) as any_word,
                    websearch_to_tsquery('english', $2) as all_words
            ),
            near as (
                select persona, chunk, row_number() over (order by distance, chunk) as place
                from (
                    select persona, chunk, vector <=> (select vector from asked) as distance
                    from chunk_vectors
                    where persona = any($3) and embedder = $4
                    order by distance, chunk
                    limit $5
                ) as nearest
            ),
            any_word as (
                select persona, id as chunk, row_number() over (order by rank desc, id) as place
                from (
                    select persona, id, ts_rank(words, any_word, 1) as rank
                    from chunks, asked
                    where persona = any($3) and words @@ any_word
                    order by rank desc, id
                    limit $5
                ) as ranked
            ),
            all_words as (
                select persona, id as chunk, row_number() over (order by rank desc, id) as place
                from (
                    select persona, id, ts_rank_cd(words, all_words, 1) as rank
                    from chunks, asked
                    where persona = any($3) and words @@ all_words
                    order by rank desc, id
                    limit $5
                ) as ranked
            ),
            fused as (
                select persona, chunk, sum(weight / (60 + place)) as score, bool_or(is_near) as near
                from (
                    select persona, chunk, place, $6::float8 as weight, true as is_near from near
                    union all
                    select persona, chunk, place, $7::float8, false from any_word
                    union all
                    select persona, chunk, place, $8::float8, false from all_words
                ) as ranked
                group by persona, chunk
                order by score desc, chunk
                limit $9
            )
            select
                chunks.persona, chunks.id, document, ordinal, body, title, source, dated, kind, score, near
            from fused
            join chunks on chunks.persona = fused.persona and chunks.id = fused.chunk
            join documents on documents.persona = chunks.persona and documents.name = chunks.document
            order by score desc, chunks.id";
        // A NUL can stand in no text of Postgres.
        let query =
            sqlx::query(sql).bind(vector).bind(search.text.replace('\0', " ")).bind(personas).bind(by.map(|it| it.id));
        let query = query.bind(PASSAGES as i64).bind(vectors).bind(any_word).bind(all_words);
        let rows = query.bind(search.limit as i64).fetch_all(&self.pool).await;
        Ok(rows.map_err(Fault::database("search the library"))?)
    }
}

fn check_limits(search: &Search<'_>) -> Result<(), LibraryError> {
    for (what, most, given) in [
        ("the passages of one search", PASSAGES, search.limit),
        ("the bytes of a search text", SEARCH_BYTES, search.text.len()),
    ] {
        if given > most {
            return Err(LibraryError::Limit { what, most, given });
        }
    }
    Ok(())
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

/// A stored id, read back.
pub(super) fn persona_id(text: &str) -> Result<PersonaId, sqlx::Error> {
    text.parse().map_err(|it| sqlx::Error::Decode(Box::new(it)))
}
