//! Reads from the library: sentences, passages by id, writings, and amounts per persona and shared corpus.

use pgvector::HalfVector;
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use crate::error::StoreError;
use crate::library::open::{Library, LibraryError, whole};
use crate::library::recall::{IS_SHARED, StoredPassage, passage, persona_id};
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;

/// A sentence of a persona's corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSentence {
    /// Chunk that contains the sentence.
    pub chunk: Uuid,
    /// Index of the sentence in the chunk, from 0.
    pub ordinal: u16,
    /// The sentence, byte for byte as in the chunk.
    pub text: String,
    /// Vector of the sentence.
    pub vector: Vec<f32>,
}

/// Amount of material of a persona or a shared corpus in the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// The persona or the shared corpus.
    pub persona: PersonaId,
    /// True if `persona` is the id of a shared corpus.
    pub is_shared: bool,
    /// Display name.
    pub name: String,
    /// Number of documents.
    pub n_documents: i64,
    /// Number of passages.
    pub n_passages: i64,
    /// Number of sentences.
    pub n_sentences: i64,
}

impl Library {
    /// Returns all sentences of a persona with their vectors, ordered by title, document, chunk and index.
    ///
    /// # Errors
    /// [`LibraryError::OtherEmbedder`] if there are none and another embedder is in use; [`LibraryError::Fault`] if the
    /// database cannot be reached or refuses a statement.
    pub async fn sentences(
        &self,
        by: &StoredEmbedder,
        persona: &PersonaId,
    ) -> Result<Vec<StoredSentence>, LibraryError> {
        let sql = r#"
            select sentences.chunk, sentences.ordinal, sentences.body, vector
            from sentences
            join sentence_vectors using (persona, chunk, ordinal)
            join chunks on chunks.persona = sentences.persona and chunks.id = sentences.chunk
            join documents on documents.persona = chunks.persona and documents.name = chunks.document
            where sentences.persona = $1 and embedder = $2
            order by title collate "C", documents.name collate "C", chunks.ordinal, sentences.ordinal"#;
        let rows: Vec<(Uuid, i16, String, HalfVector)> = sqlx::query_as(sql)
            .bind(persona.as_str())
            .bind(by.id)
            .fetch_all(&self.pool)
            .await
            .map_err(StoreError::database("read a persona's sentences"))?;
        if rows.is_empty() {
            self.check_in_use(by).await?;
        }
        let sentence = |(chunk, ordinal, text, vector): (Uuid, i16, String, HalfVector)| StoredSentence {
            chunk,
            ordinal: ordinal.unsigned_abs(),
            text,
            vector: whole(&vector),
        };
        Ok(rows.into_iter().map(sentence).collect())
    }

    /// Returns the passages of a persona with these ids, ordered by document. Omits ids that no longer exist. Scores
    /// are 0.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn passages(&self, persona: &PersonaId, chunks: &[Uuid]) -> Result<Vec<StoredPassage>, LibraryError> {
        let sql = format!(
            r#"
            select
                chunks.persona, chunks.id, document, ordinal, body, title, source, dated, kind, 0::float8 as score,
                {IS_SHARED}
            from chunks
            join documents on documents.persona = chunks.persona and documents.name = chunks.document
            where chunks.persona = $1 and chunks.id = any($2)
            order by document collate "C", ordinal"#
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(persona.as_str()).bind(chunks).fetch_all(&self.pool).await;
        let rows = rows.map_err(StoreError::database("read passages"))?;
        Ok(rows.iter().map(passage).collect::<Result<_, _>>()?)
    }

    /// Returns the passages with these ids, of any persona or shared corpus, in no particular order. Omits ids that no longer
    /// exist. Scores are 0.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn cited(&self, chunks: &[Uuid]) -> Result<Vec<StoredPassage>, StoreError> {
        let sql = format!(
            "
            select
                chunks.persona, chunks.id, document, ordinal, body, title, source, dated, kind, 0::float8 as score,
                {IS_SHARED}
            from chunks
            join documents on documents.persona = chunks.persona and documents.name = chunks.document
            where chunks.id = any($1)"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(chunks).fetch_all(&self.pool).await;
        let rows = rows.map_err(StoreError::database("read cited passages"))?;
        rows.iter().map(passage).collect()
    }

    /// Returns the owner and the document of each of these passages, in no particular order; passages that are not stored
    /// are omitted.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn passage_documents(&self, chunks: &[Uuid]) -> Result<Vec<(Uuid, PersonaId, String)>, StoreError> {
        let rows: Vec<(Uuid, String, String)> = sqlx::query_as(
            "select id, persona, document
            from chunks
            where id = any ($1)",
        )
        .bind(chunks)
        .fetch_all(&self.pool)
        .await
        .map_err(StoreError::database("read the documents of cited passages"))?;
        let named = |(chunk, owner, document): (Uuid, String, String)| Some((chunk, owner.parse().ok()?, document));
        Ok(rows.into_iter().filter_map(named).collect())
    }

    /// Returns the writings of a persona, one text per document, ordered by name, with blank lines between the
    /// passages. Stops after `most_bytes` bytes of passages, so the last document may be incomplete.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn writings(&self, persona: &PersonaId, most_bytes: usize) -> Result<Vec<String>, StoreError> {
        let sql = r#"
            select string_agg(body, E'\n\n' order by ordinal)
            from (
                select
                    document, ordinal, body,
                    sum(octet_length(body)) over (order by document collate "C", ordinal) as bytes
                from chunks
                where persona = $1
            ) as passages
            where bytes <= $2
            group by document
            order by document collate "C""#;
        let most = i64::try_from(most_bytes).unwrap_or(i64::MAX);
        let texts = sqlx::query_scalar(sql).bind(persona.as_str()).bind(most).fetch_all(&self.pool).await;
        texts.map_err(StoreError::database("read a persona's writings"))
    }

    /// Returns the amount of material of each persona and each shared corpus, ordered by id.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn holdings(&self) -> Result<Vec<Holdings>, LibraryError> {
        let sql = r#"
            select
                id,
                name,
                is_shared,
                (select count(*) from documents where documents.persona = owners.id) as n_documents,
                (select count(*) from chunks where chunks.persona = owners.id) as n_passages,
                (select count(*) from sentences where sentences.persona = owners.id) as n_sentences
            from (
                select id, name, false as is_shared
                from personas
                union all
                select id, name, true
                from shared_corpora
            ) as owners
            order by id collate "C""#;
        let rows = sqlx::query(sql).fetch_all(&self.pool).await.map_err(StoreError::database("count the library"))?;
        let read = |row: &sqlx::postgres::PgRow| -> Result<Holdings, sqlx::Error> {
            Ok(Holdings {
                persona: persona_id(row.try_get("id")?)?,
                is_shared: row.try_get("is_shared")?,
                name: row.try_get("name")?,
                n_documents: row.try_get("n_documents")?,
                n_passages: row.try_get("n_passages")?,
                n_sentences: row.try_get("n_sentences")?,
            })
        };
        Ok(rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database("count the library"))?)
    }
}
