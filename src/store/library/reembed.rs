//! Exchanging the embedder, while the one in use goes on serving.
//!
//! The newcomer's vectors are filled in beside the others, some passages at a time; whoever is interrupted goes on where
//! they stopped. When nothing is missing the newcomer is put to use in one short transaction, and all others retire.
//! Vectors of retired embedders go a few at a time, so that no reader and no writer waits for it.

use std::collections::HashMap;

use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use crate::events::ids::PersonaId;
use crate::store::fault::Fault;
use crate::store::library::columns::Columns;
use crate::store::library::intake::Embedded;
use crate::store::library::open::{Library, LibraryError, StoredEmbedder};
use crate::store::library::recall::persona_id;

/// A passage that an embedder has not seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Unseen {
    /// Whose it is.
    pub persona: PersonaId,
    /// The stored chunk.
    pub chunk: Uuid,
    /// The passage.
    pub text: String,
    /// Its sentences, in order.
    pub sentences: Vec<String>,
}

impl Library {
    /// How many passages an embedder has not seen.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn count_unseen(&self, by: &StoredEmbedder) -> Result<i64, LibraryError> {
        let n = count_unseen(&self.pool, by).await;
        Ok(n?)
    }

    /// Some passages that an embedder has not seen: the next behind one, or the first. What was stored before that one
    /// meanwhile is found by whoever begins again.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn unseen(
        &self,
        by: &StoredEmbedder,
        after: Option<&Unseen>,
        limit: u32,
    ) -> Result<Vec<Unseen>, LibraryError> {
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
            where chunk_vectors.chunk is null and (chunks.persona, chunks.id) > ($2, $3)
            order by chunks.persona, chunks.id
            limit $4";
        // No persona's id is empty, so this stands before all.
        let (persona, chunk) = after.map_or(("", Uuid::nil()), |it| (it.persona.as_str(), it.chunk));
        let rows: Vec<(String, Uuid, String, Vec<String>)> = sqlx::query_as(sql)
            .bind(by.id)
            .bind(persona)
            .bind(chunk)
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await
            .map_err(Fault::database("look for passages without vectors"))?;
        let unseen = |(persona, chunk, text, sentences): (String, Uuid, String, Vec<String>)| {
            Ok(Unseen { persona: persona_id(&persona)?, chunk, text, sentences })
        };
        let unseen = rows.into_iter().map(unseen).collect::<Result<_, sqlx::Error>>();
        Ok(unseen.map_err(Fault::database("read a persona's id"))?)
    }

    /// Stores an embedder's vectors of some passages, all or none. Passages that are gone or were cut into other
    /// sentences meanwhile are left alone; those that are still there turn up as unseen again.
    ///
    /// # Errors
    /// [`LibraryError::Width`], [`LibraryError::Retired`], or the database's fault.
    pub async fn put_vectors(&self, by: &StoredEmbedder, seen: &[(Unseen, Embedded)]) -> Result<(), LibraryError> {
        let attempt = Fault::database("store vectors");
        let mut tx = self.pool.begin().await.map_err(&attempt)?;
        let sql = "
            select id
            from embedders
            where id = $1 and not retired
            for share";
        let row = sqlx::query(sql).bind(by.id).fetch_optional(&mut *tx).await.map_err(&attempt)?;
        if row.is_none() {
            return Err(LibraryError::Retired { name: by.name.clone() });
        }
        for of_one in seen.chunk_by(|(a, _), (b, _)| a.persona == b.persona) {
            let persona = &of_one[0].0.persona;
            let ids: Vec<Uuid> = of_one.iter().map(|(unseen, _)| unseen.chunk).collect();
            let there = held(&mut tx, persona, &ids).await?;
            let mut fresh = Columns::default();
            for (unseen, embedded) in of_one {
                if there.get(&unseen.chunk) == Some(&unseen.sentences) {
                    fresh.add(by, unseen.chunk, embedded)?;
                }
            }
            fresh.write_vectors(&mut tx, by, persona).await?;
        }
        Ok(tx.commit().await.map_err(attempt)?)
    }

    /// Puts an embedder to use and retires all others.
    ///
    /// # Errors
    /// [`LibraryError::Incomplete`] where it has not seen all passages, [`LibraryError::Retired`], or the database's
    /// fault.
    pub async fn switch(&self, to: &StoredEmbedder) -> Result<(), LibraryError> {
        let attempt = Fault::database("put an embedder to use");
        let mut tx = self.pool.begin().await.map_err(&attempt)?;
        // Waits for whoever is storing a document by the old one, and whoever comes next waits for us.
        let sql = "
            lock table embedders
            in share row exclusive mode";
        sqlx::query(sql).execute(&mut *tx).await.map_err(&attempt)?;
        let sql = "
            update embedders
            set in_use = false, retired = true
            where id <> $1 and not retired";
        sqlx::query(sql).bind(to.id).execute(&mut *tx).await.map_err(&attempt)?;
        let n_chunks = count_unseen(&mut *tx, to).await?;
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

    /// Removes some passages' vectors by retired embedders, and retired embedders that have none. Says how many passages
    /// it was: none when nothing is left to remove.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn forget(&self, limit: u32) -> Result<u64, LibraryError> {
        let attempt = Fault::database("remove vectors of retired embedders");
        let mut tx = self.pool.begin().await.map_err(&attempt)?;
        // Whoever wants one of them back waits for the end of this, and finds its passages with all vectors or none.
        let sql = "
            select id
            from embedders
            where retired
            order by id
            for update";
        let retired: Vec<i16> = sqlx::query_scalar(sql).fetch_all(&mut *tx).await.map_err(&attempt)?;
        if retired.is_empty() {
            return Ok(0);
        }
        let sql = "
            with few as (
                select found.persona, found.embedder, found.chunk
                from personas
                cross join lateral (
                    select persona, embedder, chunk
                    from chunk_vectors
                    where chunk_vectors.persona = personas.id and embedder = any($1)
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

    /// Of how many passages there are vectors by retired embedders.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn count_forgotten(&self) -> Result<i64, LibraryError> {
        let sql = "
            select count(*)
            from chunk_vectors
            join embedders on embedders.id = chunk_vectors.embedder
            where retired";
        let n = sqlx::query_scalar(sql).fetch_one(&self.pool).await;
        Ok(n.map_err(Fault::database("count vectors of retired embedders"))?)
    }
}

/// The sentences of those chunks that are there, which stay as they are to the end of the transaction.
async fn held(
    tx: &mut Transaction<'_, Postgres>,
    persona: &PersonaId,
    chunks: &[Uuid],
) -> Result<HashMap<Uuid, Vec<String>>, Fault> {
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
    Ok(rows.map_err(Fault::database("hold passages"))?.into_iter().collect())
}

async fn count_unseen<'a>(on: impl sqlx::PgExecutor<'a>, by: &StoredEmbedder) -> Result<i64, Fault> {
    let sql = "
        select count(*)
        from chunks
        left join chunk_vectors on
            chunk_vectors.persona = chunks.persona
            and chunk_vectors.embedder = $1
            and chunk_vectors.chunk = chunks.id
        where chunk_vectors.chunk is null";
    let n = sqlx::query_scalar(sql).bind(by.id).fetch_one(on).await;
    n.map_err(Fault::database("count passages without vectors"))
}
