//! Writes documents to the library.
//!
//! A document is written in one transaction with its passages, their sentences and all vectors; passages that it no
//! longer has are removed. The documents written by an interrupted ingest are therefore complete; the next ingest finds
//! the others by their hashes.

use std::collections::HashMap;

use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use crate::error::StoreError;
use crate::library::columns::Columns;
use crate::library::new_document::NewDocument;
use crate::library::open::{Library, LibraryError};
use crate::reads_row;
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;

/// Namespace of the ids of chunks.
const CHUNKS: Uuid = Uuid::from_u128(0x3d0a_5a76_0f0c_5c8b_9a53_5d2b_6f4e_71c9);

/// A document in the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDocument {
    /// Name of the document, unique for the persona.
    pub name: String,
    /// Hash of the document's source.
    pub hash: Vec<u8>,
    /// Number of passages.
    pub n_passages: i64,
    /// Suspected prompt injections in the document.
    pub flags: Vec<String>,
}

reads_row!(StoredDocument { name, hash, n_passages, flags });

/// Result of writing a document: numbers of passages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentChanges {
    /// Passages written or replaced.
    pub new: u64,
    /// Passages left unchanged.
    pub unchanged: u64,
    /// Passages removed.
    pub removed: u64,
}

/// Returns the id of a passage: a UUID version 5 of persona, document, text, and the number of times the same text
/// occurred earlier in that document. The document is included so that the same passage in two documents has two ids.
pub fn chunk_id(persona: &PersonaId, document: &str, before: usize, text: &str) -> Uuid {
    let name = format!("{persona}\0{document}\0{before}\0{text}");
    Uuid::new_v5(&CHUNKS, name.as_bytes())
}

impl Library {
    /// Returns the documents of a persona, ordered by name.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn documents(&self, persona: &PersonaId) -> Result<Vec<StoredDocument>, LibraryError> {
        let sql = r#"
            select
                name,
                hash,
                flags,
                (
                    select count(*)
                    from chunks
                    where chunks.persona = documents.persona and chunks.document = documents.name
                ) as n_passages
            from documents
            where persona = $1
            order by name collate "C""#;
        let rows = sqlx::query_as(sql).bind(persona.as_str()).fetch_all(self.servers.corpora().of(persona)).await;
        Ok(rows.map_err(StoreError::database("list a persona's documents"))?)
    }

    /// Returns the stored chunks of a document, each with its sentences in order.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn chunks_of(
        &self,
        persona: &PersonaId,
        document: &str,
    ) -> Result<HashMap<Uuid, Vec<String>>, LibraryError> {
        let sql = "
            select chunks.id, array_agg(sentences.body order by sentences.ordinal)
            from chunks
            join sentences on sentences.persona = chunks.persona and sentences.chunk = chunks.id
            where chunks.persona = $1 and chunks.document = $2
            group by chunks.id";
        let query = sqlx::query_as(sql).bind(persona.as_str()).bind(document);
        let rows = query.fetch_all(self.servers.corpora().of(persona)).await;
        Ok(rows.map_err(StoreError::database("read a document's passages"))?.into_iter().collect())
    }

    /// Stores the current state of a document, all of it or nothing.
    ///
    /// # Errors
    /// [`LibraryError::OtherEmbedder`] if another embedder is in use; [`LibraryError::Width`] if a vector has another
    /// length; [`LibraryError::NoPersona`] if there is no such persona or shared corpus;
    /// [`LibraryError::ConcurrentChange`] if a passage without a new vector is not stored; [`LibraryError::BeingMoved`] if the
    /// corpus is being moved; [`LibraryError::Fault`] if a database cannot be reached or refuses a statement.
    pub async fn put(&self, by: &StoredEmbedder, document: &NewDocument) -> Result<DocumentChanges, LibraryError> {
        self.put_flagged(by, document, &[]).await
    }

    /// Stores the current state of a document, with its suspected prompt injections.
    ///
    /// # Errors
    /// As [`Library::put`].
    pub async fn put_flagged(
        &self,
        by: &StoredEmbedder,
        document: &NewDocument,
        flags: &[String],
    ) -> Result<DocumentChanges, LibraryError> {
        let fresh = Columns::of(by, document)?;
        let mut tx = self.begin_change(&document.persona, "store a document").await?;
        hold_embedder(&mut tx, by).await?;
        write_document(&mut tx, document, flags).await?;
        let (removed, stored) = write_chunks(&mut tx, document).await?;
        fresh.write(&mut tx, by, &document.persona).await?;
        check_vectors(&mut tx, by, document).await?;
        tx.commit().await.map_err(StoreError::database("store a document"))?;
        let new = fresh.n_chunks() as u64;
        Ok(DocumentChanges { new, unchanged: stored - new, removed })
    }

    /// Removes a document from the library. Returns the number of its passages.
    ///
    /// # Errors
    /// [`LibraryError::BeingMoved`] if the corpus is being moved; [`LibraryError::Fault`] if a database cannot be reached or
    /// refuses a statement.
    pub async fn remove_document(&self, persona: &PersonaId, name: &str) -> Result<u64, LibraryError> {
        let sql = "
            with gone as (
                delete from documents
                where persona = $1 and name = $2
                returning persona, name
            )
            select count(*)
            from chunks
            join gone on gone.persona = chunks.persona and gone.name = chunks.document";
        let attempt = StoreError::database("remove a document");
        let mut tx = self.begin_change(persona, "remove a document").await?;
        let n = sqlx::query_scalar(sql).bind(persona.as_str()).bind(name).fetch_one(&mut *tx).await;
        let n: i64 = n.map_err(&attempt)?;
        tx.commit().await.map_err(attempt)?;
        Ok(n.unsigned_abs())
    }
}

/// Checks that this embedder is in use, and locks it until the end of the transaction.
pub(super) async fn hold_embedder(tx: &mut Transaction<'_, Postgres>, by: &StoredEmbedder) -> Result<(), LibraryError> {
    let sql = "
        select id, name
        from embedders
        where in_use
        for share";
    let row: Option<(i16, String)> =
        sqlx::query_as(sql).fetch_optional(&mut **tx).await.map_err(StoreError::database("lock the embedder"))?;
    match row {
        Some((id, _)) if id == by.id => Ok(()),
        other => {
            let stored = other.map_or_else(|| "another embedder".to_owned(), |(_, name)| name);
            Err(LibraryError::OtherEmbedder { stored, given: by.name.clone() })
        }
    }
}

async fn write_document(
    tx: &mut Transaction<'_, Postgres>,
    document: &NewDocument,
    flags: &[String],
) -> Result<(), LibraryError> {
    let sql = "
        insert into documents (persona, name, title, source, dated, kind, hash, flags)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (persona, name) do update
        set title = excluded.title,
            source = excluded.source,
            dated = excluded.dated,
            kind = excluded.kind,
            hash = excluded.hash,
            flags = excluded.flags,
            stored_at = clock_timestamp()";
    let query = sqlx::query(sql).bind(document.persona.as_str()).bind(&document.name).bind(&document.title);
    let query = query.bind(&document.source).bind(document.date).bind(&document.kind).bind(&document.hash[..]);
    let query = query.bind(flags);
    match query.execute(&mut **tx).await {
        Ok(_) => Ok(()),
        Err(sqlx::Error::Database(it)) if it.constraint() == Some("documents_persona_fkey") => {
            Err(LibraryError::NoPersona { persona: document.persona.clone() })
        }
        Err(source) => Err(StoreError::database("store a document")(source).into()),
    }
}

/// Removes passages that the document no longer has, and writes the others. Returns the numbers of removed and
/// remaining ones.
async fn write_chunks(tx: &mut Transaction<'_, Postgres>, document: &NewDocument) -> Result<(u64, u64), LibraryError> {
    let persona = document.persona.as_str();
    let ids: Vec<Uuid> = document.chunks.iter().map(|chunk| chunk.id).collect();
    let sql = "
        delete from chunks
        where persona = $1 and document = $2 and id <> all($3)";
    let gone = sqlx::query(sql).bind(persona).bind(&document.name).bind(&ids).execute(&mut **tx).await;
    let gone = gone.map_err(StoreError::database("remove passages"))?.rows_affected();

    let ordinals: Vec<i32> = (0..).take(ids.len()).collect();
    let texts: Vec<&str> = document.chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    let sql = "
        insert into chunks (persona, document, id, ordinal, body)
        select $1, $2, id, ordinal, body
        from unnest($3::uuid[], $4::integer[], $5::text[]) as given (id, ordinal, body)
        on conflict (persona, id) do update
        set ordinal = excluded.ordinal
        where chunks.ordinal <> excluded.ordinal";
    let query = sqlx::query(sql).bind(persona).bind(&document.name).bind(&ids).bind(ordinals).bind(texts);
    query.execute(&mut **tx).await.map_err(StoreError::database("store passages"))?;
    Ok((gone, ids.len() as u64))
}

/// Checks that every passage has a vector: those that came without one have to be stored already.
async fn check_vectors(
    tx: &mut Transaction<'_, Postgres>,
    by: &StoredEmbedder,
    document: &NewDocument,
) -> Result<(), LibraryError> {
    let sql = "
        select exists (
            select
            from chunks
            left join chunk_vectors on
                chunk_vectors.persona = chunks.persona
                and chunk_vectors.embedder = $3
                and chunk_vectors.chunk = chunks.id
            where chunks.persona = $1 and chunks.document = $2 and chunk_vectors.chunk is null
        )";
    let query = sqlx::query_scalar(sql).bind(document.persona.as_str()).bind(&document.name).bind(by.id);
    let disturbed: bool =
        query.fetch_one(&mut **tx).await.map_err(StoreError::database("check a document's vectors"))?;
    let error =
        || LibraryError::ConcurrentChange { persona: document.persona.clone(), document: document.name.clone() };
    if disturbed { Err(error()) } else { Ok(()) }
}
