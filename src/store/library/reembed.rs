//! Exchanging the embedder, while the one in use goes on serving.
//!
//! The newcomer's vectors are filled in beside the others, some passages at a time; whoever is interrupted goes on where
//! they stopped. When nothing is missing the newcomer is put to use and the old vectors go, in one transaction.

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

    /// Some passages that an embedder has not seen.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn unseen(&self, by: &StoredEmbedder, limit: u32) -> Result<Vec<Unseen>, LibraryError> {
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
            where chunk_vectors.chunk is null
            order by chunks.persona, chunks.id
            limit $2";
        let rows: Vec<(String, Uuid, String, Vec<String>)> = sqlx::query_as(sql)
            .bind(by.id)
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
    /// [`LibraryError::Width`], or the database's fault.
    pub async fn put_vectors(&self, by: &StoredEmbedder, seen: &[(Unseen, Embedded)]) -> Result<(), LibraryError> {
        let attempt = Fault::database("store vectors");
        let mut tx = self.pool.begin().await.map_err(&attempt)?;
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

    /// Puts an embedder to use and forgets all others.
    ///
    /// # Errors
    /// [`LibraryError::Incomplete`] where it has not seen all passages, or the database's fault.
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
            set in_use = false
            where in_use and id <> $1";
        sqlx::query(sql).bind(to.id).execute(&mut *tx).await.map_err(&attempt)?;
        let n_chunks = count_unseen(&mut *tx, to).await?;
        if n_chunks > 0 {
            return Err(LibraryError::Incomplete { name: to.name.clone(), n_chunks });
        }
        let sql = "
            update embedders
            set in_use = true
            where id = $1";
        let put = sqlx::query(sql).bind(to.id).execute(&mut *tx).await.map_err(&attempt)?;
        if put.rows_affected() == 0 {
            // Somebody else put theirs to use, and forgot this one.
            return Err(LibraryError::OtherEmbedder { stored: "another embedder".to_owned(), given: to.name.clone() });
        }
        for sql in [
            "delete from sentence_vectors
            where embedder <> $1",
            "delete from chunk_vectors
            where embedder <> $1",
            "delete from embedders
            where id <> $1",
        ] {
            sqlx::query(sql).bind(to.id).execute(&mut *tx).await.map_err(&attempt)?;
        }
        Ok(tx.commit().await.map_err(attempt)?)
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
