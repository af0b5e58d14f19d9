//! How much the library holds, and what of it can be searched how.

use crate::store::fault::Fault;
use crate::store::library::open::{Library, LibraryError};

/// The library in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Personas that are entered.
    pub n_personas: i64,
    /// Documents.
    pub n_documents: i64,
    /// Passages.
    pub n_passages: i64,
    /// Sentences.
    pub n_sentences: i64,
    /// Distinct words, as of the last tending.
    pub n_words: i64,
    /// Bytes on disk of texts with their indexes.
    pub text_bytes: i64,
    /// Bytes on disk of vectors with their indexes.
    pub vector_bytes: i64,
    /// Whoever made vectors, the one in use first.
    pub embedders: Vec<EmbedderStats>,
    /// Indexes over nearness; none where every search looks at each passage.
    pub indexes: Vec<IndexStats>,
}

/// An embedder's vectors.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct EmbedderStats {
    /// Its name, which names its weights too.
    pub name: String,
    /// Components of a vector.
    pub width: i32,
    /// Whether its vectors are searched.
    pub in_use: bool,
    /// Vectors of passages.
    pub n_passages: i64,
    /// Vectors of sentences.
    pub n_sentences: i64,
}

/// An index over nearness.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct IndexStats {
    /// Its name.
    pub name: String,
    /// What it holds, as SQL.
    pub holds: String,
    /// Whether searches use it; it is not while it is being built.
    pub ready: bool,
    /// Bytes on disk.
    pub bytes: i64,
}

impl Library {
    /// Counts everything. Reads every index once: a second or two for a million passages.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn stats(&self) -> Result<Stats, LibraryError> {
        let attempt = Fault::database("count the library");
        let sql = "
            select array[
                (select count(*) from personas),
                (select count(*) from documents),
                (select count(*) from chunks),
                (select count(*) from sentences),
                (select count(*) from word_counts),
                pg_total_relation_size('documents') + pg_total_relation_size('chunks')
                    + pg_total_relation_size('sentences'),
                pg_total_relation_size('chunk_vectors') + pg_total_relation_size('sentence_vectors')
            ]";
        let counts: Vec<i64> = sqlx::query_scalar(sql).fetch_one(&self.pool).await.map_err(&attempt)?;
        let sql = r#"
            select
                name,
                width,
                in_use,
                (select count(*) from chunk_vectors where embedder = embedders.id) as n_passages,
                (select count(*) from sentence_vectors where embedder = embedders.id) as n_sentences
            from embedders
            order by in_use desc, name collate "C""#;
        let embedders = sqlx::query_as(sql).fetch_all(&self.pool).await.map_err(&attempt)?;
        let sql = r#"
            select
                relname::text as name,
                pg_get_expr(indpred, indrelid) as holds,
                indisvalid as ready,
                pg_relation_size(indexrelid) as bytes
            from pg_index
            join pg_class on pg_class.oid = indexrelid
            where indrelid = 'chunk_vectors'::regclass and indpred is not null
            order by relname collate "C""#;
        let indexes = sqlx::query_as(sql).fetch_all(&self.pool).await.map_err(&attempt)?;
        let [n_personas, n_documents, n_passages, n_sentences, n_words, text_bytes, vector_bytes] = counts[..] else {
            return Ok(Stats::default());
        };
        Ok(Stats {
            n_personas,
            n_documents,
            n_passages,
            n_sentences,
            n_words,
            text_bytes,
            vector_bytes,
            embedders,
            indexes,
        })
    }
}
