//! Replaces the embedder, while the one in use continues to serve.
//!
//! The new embedder's vectors are added beside the others, a few passages at a time; an interrupted run continues where
//! it stopped. When no passage lacks a vector, the new embedder is put into use in one short transaction, and all
//! others are retired. Vectors of retired embedders are deleted in small batches, so that no reader or writer waits for
//! it.

use std::collections::HashMap;

use sqlx::{PgPool, Postgres, Transaction};
use uuid::Uuid;

use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::library::columns::Columns;
use crate::library::new_document::Embedded;
use crate::library::open::{Library, LibraryError};
use crate::library::recall::persona_id;
use crate::shards::corpus_servers::CorpusServers;
use crate::stored_embedder::StoredEmbedder;
use faultline_core::events::ids::PersonaId;

/// A passage that has no vector by an embedder.
#[derive(Clone, Debug, PartialEq)]
pub struct UnembeddedPassage {
    /// Persona that wrote it.
    pub persona: PersonaId,
    /// Id of the stored chunk.
    pub chunk: Uuid,
    /// Text of the passage.
    pub text: String,
    /// Sentences of the passage, in order.
    pub sentences: Vec<String>,
}

impl Library {
    /// Returns the number of passages without a vector by an embedder.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn count_unembedded(&self, by: &StoredEmbedder) -> Result<i64, LibraryError> {
        let (mut all, corpora) = (0, self.servers.corpora());
        for (place, server) in corpora.all() {
            all += count_unembedded(server, by, &elsewhere(&corpora, place, server).await?).await?;
        }
        Ok(all)
    }

    /// Returns the next passages after `after` without a vector by an embedder, from the first if it is `None`; server by
    /// server. Passages that are stored before that point in the meantime are found when the scan starts again.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement, or if a persona's id cannot
    /// be parsed.
    pub async fn unembedded(
        &self,
        by: &StoredEmbedder,
        after: Option<&UnembeddedPassage>,
        limit: u32,
    ) -> Result<Vec<UnembeddedPassage>, LibraryError> {
        let sql = "
            select
                chunks.persona,
                chunks.id,
                chunks.body,
                array(
                    select sentences.body
                    from sentences
                    where sentences.persona = chunks.persona and sentences.chunk = chunks.id
                    order by sentences.ordinal
                )
            from chunks
            left join chunk_vectors on
                chunk_vectors.persona = chunks.persona
                and chunk_vectors.embedder = $1
                and chunk_vectors.chunk = chunks.id
            where
                chunk_vectors.chunk is null
                and (chunks.persona, chunks.id) > ($2, $3)
                and chunks.persona <> all($5)
            order by chunks.persona, chunks.id
            limit $4";
        let mut rows: Vec<(String, Uuid, String, Vec<String>)> = Vec::new();
        let (mut after, corpora) = (after, self.servers.corpora());
        let is_reached = |place: usize| after.is_none_or(|last| corpora.holds(place, &last.persona));
        let servers: Vec<_> = corpora.all().into_iter().skip_while(|(place, _)| !is_reached(*place)).collect();
        for (place, server) in servers {
            // No persona's id is empty, so this sorts before all of them.
            let (persona, chunk) =
                after.take().map_or(("", Uuid::nil()), |place| (place.persona.as_str(), place.chunk));
            rows = sqlx::query_as(sql)
                .bind(by.id)
                .bind(persona)
                .bind(chunk)
                .bind(i64::from(limit))
                .bind(elsewhere(&corpora, place, server).await?)
                .fetch_all(server)
                .await
                .map_err(StoreError::database("look for passages without vectors"))?;
            if !rows.is_empty() {
                break;
            }
        }
        let unseen = |(persona, chunk, text, sentences): (String, Uuid, String, Vec<String>)| {
            Ok(UnembeddedPassage { persona: persona_id(&persona)?, chunk, text, sentences })
        };
        let unseen = rows.into_iter().map(unseen).collect::<Result<_, sqlx::Error>>();
        Ok(unseen.map_err(StoreError::database("read a persona's id"))?)
    }

    /// Stores an embedder's vectors of some passages, of each persona all or none. Skips passages that were removed or split
    /// into other sentences in the meantime; those that still exist are returned by [`Library::unembedded`] again.
    ///
    /// # Errors
    /// [`LibraryError::Width`] if a vector has another length; [`LibraryError::Retired`] if the embedder was retired;
    /// [`LibraryError::BeingMoved`] if a corpus is being moved; [`LibraryError::Fault`] if a database cannot be reached or
    /// refuses a statement.
    pub async fn put_vectors(
        &self,
        by: &StoredEmbedder,
        seen: &[(UnembeddedPassage, Embedded)],
    ) -> Result<(), LibraryError> {
        let attempt = StoreError::database("store vectors");
        for of_one in seen.chunk_by(|(a, _), (b, _)| a.persona == b.persona) {
            let persona = &of_one[0].0.persona;
            let mut tx = self.begin_change(persona, "store vectors").await?;
            let sql = "
                select id
                from embedders
                where id = $1 and not retired
                for share";
            let row = sqlx::query(sql).bind(by.id).fetch_optional(&mut *tx).await.map_err(&attempt)?;
            if row.is_none() {
                return Err(LibraryError::Retired { name: by.name.clone() });
            }
            let ids: Vec<Uuid> = of_one.iter().map(|(unseen, _)| unseen.chunk).collect();
            let there = held(&mut tx, persona, &ids).await?;
            let mut fresh = Columns::default();
            for (unseen, embedded) in of_one {
                if there.get(&unseen.chunk) == Some(&unseen.sentences) {
                    fresh.add(by, unseen.chunk, embedded)?;
                }
            }
            fresh.write_vectors(&mut tx, by, persona).await?;
            tx.commit().await.map_err(&attempt)?;
        }
        Ok(())
    }

    /// Puts an embedder into use and retires all others. The home comes last: searches use the former one until then, whose
    /// vectors are still there. If this process dies in between, no document can be stored on the other servers until the
    /// embedder is put into use again.
    ///
    /// # Errors
    /// [`LibraryError::Incomplete`] if passages lack vectors by it; [`LibraryError::Retired`] if it was retired in the
    /// meantime; [`LibraryError::Fault`] if the database cannot be reached or refuses a statement.
    pub async fn activate(&self, to: &StoredEmbedder) -> Result<(), LibraryError> {
        let corpora = self.servers.corpora();
        for (place, server) in corpora.all().into_iter().rev() {
            activate(server, to, &elsewhere(&corpora, place, server).await?).await?;
        }
        Ok(())
    }

    /// Deletes the vectors by retired embedders of some passages, and retired embedders without vectors. Returns the
    /// number of passages; 0 when nothing is left to delete.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses a statement.
    pub async fn delete_retired_vectors(&self, limit: u32) -> Result<u64, LibraryError> {
        // Another server may have retired it already, and searches use it until the home does.
        let in_use = self.embedder_in_use().await?;
        for (_, server) in self.servers.corpora().all() {
            let n = delete_retired_vectors(server, in_use.as_ref(), limit).await?;
            if n > 0 {
                return Ok(n);
            }
        }
        Ok(0)
    }

    /// Returns the number of passages with vectors by retired embedders.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses the statement.
    pub async fn count_retired_vectors(&self) -> Result<i64, LibraryError> {
        let sql = "
            select count(*)
            from chunk_vectors
            join embedders on embedders.id = chunk_vectors.embedder
            where retired";
        let mut all = 0;
        for (_, server) in self.servers.corpora().all() {
            let n: Result<i64, _> = sqlx::query_scalar(sql).fetch_one(server).await;
            all += n.map_err(StoreError::database("count vectors of retired embedders"))?;
        }
        Ok(all)
    }
}

/// Returns the ids of owners that a server, by its number, knows and whose documents are elsewhere: it may have a former copy of
/// these.
async fn elsewhere(corpora: &CorpusServers<'_>, place: usize, server: &PgPool) -> Result<Vec<String>, StoreError> {
    if corpora.all().len() == 1 {
        return Ok(Vec::new());
    }
    let owners: Vec<String> = sqlx::query_scalar("select id from corpus_owners")
        .fetch_all(server)
        .await
        .map_err(StoreError::database("list the owners of corpora"))?;
    let is_elsewhere = |owner: &String| !persona_id(owner).is_ok_and(|owner| corpora.holds(place, &owner));
    Ok(owners.into_iter().filter(is_elsewhere).collect())
}

/// Puts an embedder into use on one server, and retires all others there. Passages of the owners `elsewhere` need no vectors.
async fn activate(server: &PgPool, to: &StoredEmbedder, elsewhere: &[String]) -> Result<(), LibraryError> {
    let attempt = StoreError::database("put an embedder into use");
    let mut tx = begin(server).await.map_err(&attempt)?;
    // Waits for transactions that store documents by the old embedder, and blocks later ones until this one ends.
    let sql = "
        lock table embedders
        in share row exclusive mode";
    sqlx::query(sql).execute(&mut *tx).await.map_err(&attempt)?;
    let sql = "
        update embedders
        set in_use = false, retired = true
        where id <> $1 and not retired";
    sqlx::query(sql).bind(to.id).execute(&mut *tx).await.map_err(&attempt)?;
    let n_chunks = count_unembedded(&mut *tx, to, elsewhere).await?;
    if n_chunks > 0 {
        return Err(LibraryError::Incomplete { name: to.name.clone(), n_chunks });
    }
    let sql = "
        update embedders
        set in_use = true
        where id = $1 and not retired";
    let put = sqlx::query(sql).bind(to.id).execute(&mut *tx).await.map_err(&attempt)?;
    if put.rows_affected() == 0 {
        return Err(LibraryError::Retired { name: to.name.clone() });
    }
    Ok(tx.commit().await.map_err(attempt)?)
}

/// Deletes the vectors by retired embedders of some passages on one server, and its retired embedders without vectors; not those
/// by the embedder in use. Returns the number of passages.
async fn delete_retired_vectors(
    server: &PgPool,
    in_use: Option<&StoredEmbedder>,
    limit: u32,
) -> Result<u64, LibraryError> {
    let attempt = StoreError::database("remove vectors of retired embedders");
    let mut tx = begin(server).await.map_err(&attempt)?;
    // A transaction that registers one of them again waits for this one, and finds its passages with all vectors or
    // none.
    let sql = "
        select id
        from embedders
        where retired and id is distinct from $1
        order by id
        for update";
    let query = sqlx::query_scalar(sql).bind(in_use.map(|embedder| embedder.id));
    let retired: Vec<i16> = query.fetch_all(&mut *tx).await.map_err(&attempt)?;
    if retired.is_empty() {
        return Ok(0);
    }
    let sql = "
        with few as (
            select found.persona, found.embedder, found.chunk
            from corpus_owners
            cross join lateral (
                select persona, embedder, chunk
                from chunk_vectors
                where chunk_vectors.persona = corpus_owners.id and embedder = any($1)
                limit $2
            ) as found
            limit $2
        ),
        of_sentences as (
            delete from sentence_vectors
            using few
            where sentence_vectors.persona = few.persona
                and sentence_vectors.embedder = few.embedder
                and sentence_vectors.chunk = few.chunk
        )
        delete from chunk_vectors
        using few
        where chunk_vectors.persona = few.persona
            and chunk_vectors.embedder = few.embedder
            and chunk_vectors.chunk = few.chunk";
    let gone = sqlx::query(sql).bind(&retired).bind(i64::from(limit)).execute(&mut *tx).await;
    let n = gone.map_err(&attempt)?.rows_affected();
    if n == 0 {
        let sql = "
            delete from embedders
            where id = any($1)";
        sqlx::query(sql).bind(&retired).execute(&mut *tx).await.map_err(&attempt)?;
    }
    tx.commit().await.map_err(attempt)?;
    Ok(n)
}

/// Returns the sentences of those chunks that exist, and locks the chunks until the end of the transaction.
async fn held(
    tx: &mut Transaction<'_, Postgres>,
    persona: &PersonaId,
    chunks: &[Uuid],
) -> Result<HashMap<Uuid, Vec<String>>, StoreError> {
    let sql = "
        select
            id,
            array(
                select sentences.body
                from sentences
                where sentences.persona = chunks.persona and sentences.chunk = chunks.id
                order by sentences.ordinal
            )
        from chunks
        where persona = $1 and id = any($2)
        order by id
        for share";
    let rows = sqlx::query_as(sql).bind(persona.as_str()).bind(chunks).fetch_all(&mut **tx).await;
    Ok(rows.map_err(StoreError::database("lock passages"))?.into_iter().collect())
}

/// Counts the passages on a server without a vector by an embedder, but for those of the owners `elsewhere`.
async fn count_unembedded<'a>(
    on: impl sqlx::PgExecutor<'a>,
    by: &StoredEmbedder,
    elsewhere: &[String],
) -> Result<i64, StoreError> {
    let sql = "
        select count(*)
        from chunks
        left join chunk_vectors on
            chunk_vectors.persona = chunks.persona
            and chunk_vectors.embedder = $1
            and chunk_vectors.chunk = chunks.id
        where chunk_vectors.chunk is null and chunks.persona <> all($2)";
    let n = sqlx::query_scalar(sql).bind(by.id).bind(elsewhere).fetch_one(on).await;
    n.map_err(StoreError::database("count passages without vectors"))
}
