//! Embedding queue: finds texts without a vector, and vectors that have not been compared with the others.
//!
//! Triggers add the ids of new texts to a table, and those of all texts when another embedder comes into use, so that to
//! look for work costs the same however many texts there are. A text that is added while the embedder is exchanged may be
//! missed; [`Views::fill_question_queue`] finds it later.
//!
//! Several processes may work on it at once: each claims rows that no other has locked, by the row locks of its
//! transaction, so the rows of a dead process are free again at once. A claim also locks the texts themselves against
//! deletion, and skips those that are being deleted: an erasure deletes a text first and its row of the queue next, and would
//! otherwise wait for a process that waits for it.
//!
//! The queue is at home. The vectors are there or on a shard.

use pgvector::HalfVector;
use sqlx::{Postgres, Transaction};

use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::questions::deletions::delete_leftover_vectors;
use crate::questions::vector_table::{PlacedVector, VectorTable};
use crate::shards::shards::Shards;
use crate::stored_embedder::StoredEmbedder;
use crate::views::views::Views;

/// Number of characters of a text that are embedded; embedders read less of it.
const CHARS: i32 = 4_000;

/// Texts that are being embedded, locked until their vectors are stored or the claim is dropped.
pub struct EmbeddingBatch {
    held: Transaction<'static, Postgres>,
    shards: Shards,
    ids: Vec<i64>,
    last: Option<i64>,
    /// The texts. May be empty although there are more: another process may have embedded all that were found.
    pub texts: Vec<String>,
}

impl Views {
    /// Adds all texts to the queue that lack a compared vector by this embedder, and removes those that have one. Reads
    /// every text. Also deletes vectors on a shard that belong to nothing any more, and queues texts whose vectors the shard
    /// has lost.
    ///
    /// # Errors
    /// [`StoreError`] if a database cannot be reached or refuses a statement.
    pub async fn fill_question_queue(&self, by: &StoredEmbedder) -> Result<(), StoreError> {
        let filled = sqlx::query("select fill_question_queue($1)").bind(by.id).execute(&self.pool).await;
        filled.map_err(StoreError::database("look for questions without vectors"))?;
        delete_leftover_vectors(&self.shards).await?;
        self.queue_lost_vectors(by).await
    }

    /// Claims the oldest queued texts with an id greater than `behind` that have no vector by this embedder and are not
    /// locked by another process; at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn claim_questions(
        &self,
        by: &StoredEmbedder,
        behind: i64,
        limit: u32,
    ) -> Result<EmbeddingBatch, StoreError> {
        let attempt = StoreError::database("look for questions without vectors");
        let mut held = begin(&self.pool).await.map_err(&attempt)?;
        // Subqueries and no joins: the table of a queue that is empty most of the time has no useful statistics, and
        // the planner would read all texts for a join.
        let sql = "
            select question
            from question_queue as queue
            where embedder = $1
            and question > $3
            and (
                select question_vectors.question
                from question_vectors
                where question_vectors.embedder = $1
                and question_vectors.question = queue.question
            ) is null
            order by question
            limit $2
            for no key update skip locked";
        let query = sqlx::query_scalar(sql).bind(by.id).bind(i64::from(limit)).bind(behind);
        let due: Vec<i64> = query.fetch_all(&mut *held).await.map_err(&attempt)?;
        // Looks once more, now that they are locked: another process may have stored a vector since the first look began.
        let sql = "
            select id, left(text, $3)
            from questions
            where id = any ($2)
            and not exists (
                select
                from question_vectors
                where embedder = $1
                and question = questions.id
            )
            order by id
            for key share skip locked";
        let last = due.last().copied();
        let query = sqlx::query_as(sql).bind(by.id).bind(due).bind(CHARS);
        let rows: Vec<(i64, String)> = query.fetch_all(&mut *held).await.map_err(&attempt)?;
        let (ids, texts) = rows.into_iter().unzip();
        Ok(EmbeddingBatch { held, shards: self.shards.clone(), ids, last, texts })
    }

    /// Removes texts from the queue that have a compared vector by this embedder: an earlier version of this program leaves
    /// them there, and a look through all texts may add what is compared meanwhile. Costs a lookup per queued text.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn remove_paired_questions(&self, by: &StoredEmbedder) -> Result<(), StoreError> {
        let sql = "
            with paired as (
                select question
                from question_queue as queue
                where embedder = $1
                and (
                    select paired
                    from question_vectors
                    where question_vectors.embedder = $1
                    and question_vectors.question = queue.question
                )
                for update skip locked
            )
            delete from question_queue
            where embedder = $1
            and question in (select question from paired)";
        let removed = sqlx::query(sql).bind(by.id).execute(&self.pool).await;
        removed.map(|_| ()).map_err(StoreError::database("remove questions from the queue"))
    }

    /// Returns the number of texts that have no vector by the embedder in use, or one that is not paired yet; of all
    /// texts if no embedder is in use.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn questions_due(&self) -> Result<i64, StoreError> {
        let sql = "
            select case
                when exists (select from embedders where in_use) then (
                    select count(*)
                    from question_queue
                    join embedders on embedders.id = question_queue.embedder
                    where in_use
                )
                else (select count(*) from questions)
            end";
        let due = sqlx::query_scalar(sql).fetch_one(&self.pool).await;
        due.map_err(StoreError::database("count questions without vectors"))
    }
}

impl EmbeddingBatch {
    /// Returns the id behind which the next claim continues; `None` if there are no more texts.
    pub fn last(&self) -> Option<i64> {
        self.last
    }

    /// Releases the texts before it returns, so that the next claim finds them again.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn release(self) -> Result<(), StoreError> {
        self.held.rollback().await.map_err(StoreError::database("release claimed questions"))
    }

    /// Stores the vectors, one per text in the same order, and releases the texts.
    ///
    /// # Errors
    /// [`StoreError`] if a database cannot be reached or refuses a statement, as it does for vectors of another width. Then
    /// nothing was stored, or vectors on a shard, which are stored again.
    pub async fn store(mut self, by: &StoredEmbedder, vectors: &[Vec<f32>]) -> Result<(), StoreError> {
        let attempt = StoreError::database("store vectors of questions");
        let placement = self.shards.hold_question_placement(&mut *self.held).await?;
        let table = VectorTable::at(&self.shards, placement.current);
        let vectors: Vec<HalfVector> = vectors.iter().map(|vector| HalfVector::from_f32_slice(vector)).collect();
        let mut at_home: Vec<Option<HalfVector>> = Vec::new();
        if table.is_home {
            at_home.extend(vectors.into_iter().map(Some));
        } else {
            let placed = |(question, vector): (&i64, HalfVector)| (by.id, *question, vector);
            let placed: Vec<PlacedVector> = self.ids.iter().zip(vectors).map(placed).collect();
            let mut shard = table.connect(&mut self.held).await.map_err(&attempt)?;
            table.put(shard.get(), &placed).await.map_err(&attempt)?;
            shard.commit().await.map_err(&attempt)?;
            at_home.resize(self.ids.len(), None);
        }
        let sql = "
            insert into question_vectors (embedder, question, width, vector)
            select embedders.id, given.question, embedders.width, given.vector
            from unnest($2::bigint[], $3::halfvec[]) as given (question, vector)
            cross join embedders
            where embedders.id = $1
            on conflict (embedder, question) do nothing";
        let query = sqlx::query(sql).bind(by.id).bind(&self.ids).bind(at_home);
        query.execute(&mut *self.held).await.map_err(&attempt)?;
        self.held.commit().await.map_err(attempt)
    }
}
