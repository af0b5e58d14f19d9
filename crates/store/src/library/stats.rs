//! Statistics of the library: amounts, sizes, embedders and indexes.

use sqlx::PgPool;

use crate::error::StoreError;
use crate::library::open::{Library, LibraryError};
use crate::reads_row;

/// Statistics of the library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryStats {
    /// Number of personas.
    pub n_personas: i64,
    /// Number of documents.
    pub n_documents: i64,
    /// Number of passages.
    pub n_passages: i64,
    /// Number of sentences.
    pub n_sentences: i64,
    /// Number of distinct words on each server, as of the last index maintenance.
    pub n_words: i64,
    /// Size on disk of texts and their indexes, in bytes.
    pub text_bytes: i64,
    /// Size on disk of vectors and their indexes, in bytes.
    pub vector_bytes: i64,
    /// Embedders with vectors, the one in use first.
    pub embedders: Vec<EmbedderStats>,
    /// Vector indexes; none if every search scans all passages.
    pub indexes: Vec<IndexStats>,
}

/// Statistics of an embedder's vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedderStats {
    /// Name of the embedder, which identifies its weights.
    pub name: String,
    /// Number of components of a vector.
    pub width: i32,
    /// True if searches use its vectors.
    pub in_use: bool,
    /// Number of vectors of passages.
    pub n_passages: i64,
    /// Number of vectors of sentences.
    pub n_sentences: i64,
}

reads_row!(EmbedderStats { name, width, in_use, n_passages, n_sentences });

/// Statistics of a vector index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexStats {
    /// Name of the index.
    pub name: String,
    /// Condition on the indexed rows, as SQL.
    pub holds: String,
    /// True if searches use it; false while it is being built.
    pub ready: bool,
    /// Size on disk in bytes.
    pub bytes: i64,
}

reads_row!(IndexStats { name, holds, ready, bytes });

impl Library {
    /// Counts everything. Reads every index once: a second or two for a million passages.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses a statement.
    pub async fn stats(&self) -> Result<LibraryStats, LibraryError> {
        let mut stats = LibraryStats::default();
        for (_, server) in self.servers.corpora().all() {
            stats.add(stats_of(server).await?);
        }
        Ok(stats)
    }
}

impl LibraryStats {
    /// Adds the statistics of another server.
    fn add(&mut self, other: LibraryStats) {
        self.n_personas += other.n_personas;
        self.n_documents += other.n_documents;
        self.n_passages += other.n_passages;
        self.n_sentences += other.n_sentences;
        self.n_words += other.n_words;
        self.text_bytes += other.text_bytes;
        self.vector_bytes += other.vector_bytes;
        for embedder in other.embedders {
            match self.embedders.iter_mut().find(|known| known.name == embedder.name) {
                Some(known) => {
                    known.n_passages += embedder.n_passages;
                    known.n_sentences += embedder.n_sentences;
                }
                None => self.embedders.push(embedder),
            }
        }
        self.indexes.extend(other.indexes);
    }
}

/// Counts everything on one server.
async fn stats_of(server: &PgPool) -> Result<LibraryStats, StoreError> {
    let attempt = StoreError::database("count the library");
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
    let counts: Vec<i64> = sqlx::query_scalar(sql).fetch_one(server).await.map_err(&attempt)?;
    let sql = r#"
        select
            name,
            width,
            in_use,
            (select count(*) from chunk_vectors where embedder = embedders.id) as n_passages,
            (select count(*) from sentence_vectors where embedder = embedders.id) as n_sentences
        from embedders
        order by in_use desc, name collate "C""#;
    let embedders = sqlx::query_as(sql).fetch_all(server).await.map_err(&attempt)?;
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
    let indexes = sqlx::query_as(sql).fetch_all(server).await.map_err(&attempt)?;
    let [n_personas, n_documents, n_passages, n_sentences, n_words, text_bytes, vector_bytes] = counts[..] else {
        return Ok(LibraryStats::default());
    };
    Ok(LibraryStats {
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
