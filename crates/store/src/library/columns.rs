//! Bulk writes of the sentences and vectors of many passages: one statement per table.

use pgvector::HalfVector;
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use crate::error::StoreError;
use crate::library::new_document::{Embedded, NewDocument};
use crate::library::open::{LibraryError, halved};
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;

/// Columns of one persona's passages.
#[derive(Default)]
pub(super) struct Columns {
    chunks: Vec<Uuid>,
    vectors: Vec<HalfVector>,
    sentence_chunks: Vec<Uuid>,
    ordinals: Vec<i16>,
    sentences: Vec<String>,
    sentence_vectors: Vec<HalfVector>,
}

impl Columns {
    /// Collects the passages of a document that have vectors.
    pub(super) fn of(by: &StoredEmbedder, document: &NewDocument) -> Result<Self, LibraryError> {
        let mut columns = Columns::default();
        for chunk in &document.chunks {
            if let Some(embedded) = &chunk.embedded {
                columns.add(by, chunk.id, embedded)?;
            }
        }
        Ok(columns)
    }

    /// Returns the number of passages.
    pub(super) fn n_chunks(&self) -> usize {
        self.chunks.len()
    }

    pub(super) fn add(&mut self, by: &StoredEmbedder, chunk: Uuid, embedded: &Embedded) -> Result<(), LibraryError> {
        self.chunks.push(chunk);
        self.vectors.push(halved(by, &embedded.vector)?);
        for (ordinal, (sentence, vector)) in (0..).zip(&embedded.sentences) {
            self.sentence_chunks.push(chunk);
            self.ordinals.push(ordinal);
            self.sentences.push(sentence.clone());
            self.sentence_vectors.push(halved(by, vector)?);
        }
        Ok(())
    }

    /// Replaces the sentences and vectors of stored passages.
    pub(super) async fn write(
        &self,
        tx: &mut Transaction<'_, Postgres>,
        by: &StoredEmbedder,
        persona: &PersonaId,
    ) -> Result<(), LibraryError> {
        // Deletes the vectors of every embedder, so that an embedder that is being filled embeds the passage again.
        let sql = "
            delete from chunk_vectors
            where persona = $1 and chunk = any($2)";
        let gone = sqlx::query(sql).bind(persona.as_str()).bind(&self.chunks).execute(&mut **tx).await;
        gone.map_err(StoreError::database("remove vectors"))?;
        let sql = "
            delete from sentences
            where persona = $1 and chunk = any($2)";
        let gone = sqlx::query(sql).bind(persona.as_str()).bind(&self.chunks).execute(&mut **tx).await;
        gone.map_err(StoreError::database("remove sentences"))?;
        let sql = "
            insert into sentences (persona, chunk, ordinal, body)
            select $1, chunk, ordinal, body
            from unnest($2::uuid[], $3::smallint[], $4::text[]) as given (chunk, ordinal, body)";
        let query = sqlx::query(sql).bind(persona.as_str()).bind(&self.sentence_chunks).bind(&self.ordinals);
        query.bind(&self.sentences).execute(&mut **tx).await.map_err(StoreError::database("store sentences"))?;
        self.write_vectors(tx, by, persona).await
    }

    /// Adds vectors of passages whose sentences are stored; keeps existing ones.
    pub(super) async fn write_vectors(
        &self,
        tx: &mut Transaction<'_, Postgres>,
        by: &StoredEmbedder,
        persona: &PersonaId,
    ) -> Result<(), LibraryError> {
        let sql = "
            insert into chunk_vectors (persona, embedder, chunk, vector)
            select $1, $2, chunk, vector
            from unnest($3::uuid[], $4::halfvec[]) as given (chunk, vector)
            on conflict (persona, embedder, chunk) do nothing";
        let query = sqlx::query(sql).bind(persona.as_str()).bind(by.id).bind(&self.chunks).bind(&self.vectors);
        query.execute(&mut **tx).await.map_err(StoreError::database("store vectors of passages"))?;
        let sql = "
            insert into sentence_vectors (persona, embedder, chunk, ordinal, vector)
            select $1, $2, chunk, ordinal, vector
            from unnest($3::uuid[], $4::smallint[], $5::halfvec[]) as given (chunk, ordinal, vector)
            on conflict (persona, embedder, chunk, ordinal) do nothing";
        let query = sqlx::query(sql).bind(persona.as_str()).bind(by.id).bind(&self.sentence_chunks);
        let query = query.bind(&self.ordinals).bind(&self.sentence_vectors);
        query.execute(&mut **tx).await.map_err(StoreError::database("store vectors of sentences"))?;
        Ok(())
    }
}
