//! Reads from the library: sentences, passages by id, writings, and amounts per persona and shared corpus.

use pgvector::HalfVector;
use sqlx::{AssertSqlSafe, PgPool, Row};
use uuid::Uuid;

use crate::error::StoreError;
use crate::library::open::{Library, LibraryError, whole};
use crate::library::recall::{PASSAGE_COLUMNS, StoredPassage, passage, persona_id};
use crate::reads_row;
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
    /// Name of the shard that holds them.
    pub shard: String,
}

/// Amount of material of a corpus.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Amounts {
    pub(super) n_documents: i64,
    pub(super) n_passages: i64,
    pub(super) n_sentences: i64,
}

reads_row!(Amounts { n_documents, n_passages, n_sentences });

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
            .fetch_all(self.servers.corpora().of(persona))
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
            select {PASSAGE_COLUMNS}
            from chunks
            join documents on documents.persona = chunks.persona and documents.name = chunks.document
            where chunks.persona = $1 and chunks.id = any($2)
            order by document collate "C", ordinal"#
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(persona.as_str()).bind(chunks);
        let rows = query.fetch_all(self.servers.corpora().of(persona)).await;
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
            select {PASSAGE_COLUMNS}
            from chunks
            join documents on documents.persona = chunks.persona and documents.name = chunks.document
            where chunks.id = any($1)"
        );
        let (mut found, corpora) = (Vec::with_capacity(chunks.len()), self.servers.corpora());
        for (place, server) in corpora.all() {
            let rows = sqlx::query(AssertSqlSafe(sql.as_str())).bind(chunks).fetch_all(server).await;
            for row in &rows.map_err(StoreError::database("read cited passages"))? {
                let passage = passage(row)?;
                if corpora.holds(place, &passage.persona) {
                    found.push(passage);
                }
            }
        }
        Ok(found)
    }

    /// Returns the owner and the document of each of these passages, in no particular order; passages that are not stored
    /// are omitted.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn passage_documents(&self, chunks: &[Uuid]) -> Result<Vec<(Uuid, PersonaId, String)>, StoreError> {
        let (mut found, corpora) = (Vec::with_capacity(chunks.len()), self.servers.corpora());
        for (place, server) in corpora.all() {
            let rows: Vec<(Uuid, String, String)> = sqlx::query_as(
                "select id, persona, document
                from chunks
                where id = any ($1)",
            )
            .bind(chunks)
            .fetch_all(server)
            .await
            .map_err(StoreError::database("read the documents of cited passages"))?;
            let named = |(chunk, owner, document): (Uuid, String, String)| Some((chunk, owner.parse().ok()?, document));
            let is_here = |(_, owner, _): &(Uuid, PersonaId, String)| corpora.holds(place, owner);
            found.extend(rows.into_iter().filter_map(named).filter(is_here));
        }
        Ok(found)
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
        let query = sqlx::query_scalar(sql).bind(persona.as_str()).bind(most);
        let texts = query.fetch_all(self.servers.corpora().of(persona)).await;
        texts.map_err(StoreError::database("read a persona's writings"))
    }

    /// Returns the amount of material of each persona and each shared corpus, ordered by id.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if a database cannot be reached or refuses a statement.
    pub async fn holdings(&self) -> Result<Vec<Holdings>, LibraryError> {
        let attempt = StoreError::database("count the library");
        let sql = r#"
            select id, name, is_shared
            from (
                select id, name, false as is_shared
                from personas
                union all
                select id, name, true
                from shared_corpora
            ) as owners
            order by id collate "C""#;
        let rows: Vec<(String, String, bool)> = sqlx::query_as(sql).fetch_all(self.home()).await.map_err(&attempt)?;
        let owners: Result<Vec<PersonaId>, sqlx::Error> = rows.iter().map(|(id, ..)| persona_id(id)).collect();
        let owners = owners.map_err(attempt)?;
        let (amounts, servers) = (self.amounts(&owners).await?, self.servers.corpora());
        let holdings = owners.into_iter().zip(rows).zip(amounts);
        Ok(holdings
            .map(|((persona, (_, name, is_shared)), amounts)| Holdings {
                shard: servers.name_of(&persona).to_owned(),
                persona,
                is_shared,
                name,
                n_documents: amounts.n_documents,
                n_passages: amounts.n_passages,
                n_sentences: amounts.n_sentences,
            })
            .collect())
    }

    /// Returns the amounts of material of these personas and shared corpora, in their order.
    pub(super) async fn amounts(&self, owners: &[PersonaId]) -> Result<Vec<Amounts>, StoreError> {
        let sql = "
            select
                (select count(*) from documents where persona = owner) as n_documents,
                (select count(*) from chunks where persona = owner) as n_passages,
                (select count(*) from sentences where persona = owner) as n_sentences
            from unnest($1::text[]) with ordinality as wanted (owner, place)
            order by place";
        let mut all = vec![Amounts::default(); owners.len()];
        for group in self.servers.corpora().grouped(owners, |owner| owner) {
            let owners = group.of(owners);
            let owners: Vec<&str> = owners.iter().map(PersonaId::as_str).collect();
            let amounts = sqlx::query_as(sql).bind(owners).fetch_all(group.pool).await;
            group.place(amounts.map_err(StoreError::database("count the library"))?, &mut all);
        }
        Ok(all)
    }
}

/// Returns the passages with these owners and ids on one server, in their order, with a score of 0; `None` for one that does not
/// exist.
pub(super) async fn passages_of(
    pool: &PgPool,
    wanted: &[(&PersonaId, Uuid)],
) -> Result<Vec<Option<StoredPassage>>, StoreError> {
    let attempt = StoreError::database("read the passages of a search");
    let sql = format!(
        "
        select place, {PASSAGE_COLUMNS}
        from unnest($1::text[], $2::uuid[]) with ordinality as wanted (owner, chunk, place)
        join chunks on chunks.persona = owner and chunks.id = chunk
        join documents on documents.persona = owner and documents.name = document"
    );
    let (owners, chunks): (Vec<&str>, Vec<Uuid>) = wanted.iter().map(|(owner, chunk)| (owner.as_str(), *chunk)).unzip();
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(owners).bind(chunks).fetch_all(pool).await.map_err(&attempt)?;
    let mut passages = vec![None; wanted.len()];
    for row in &rows {
        let place: i64 = row.try_get("place").map_err(&attempt)?;
        let slot = usize::try_from(place - 1).ok().and_then(|ix| passages.get_mut(ix));
        if let Some(slot) = slot {
            *slot = Some(passage(row)?);
        }
    }
    Ok(passages)
}
