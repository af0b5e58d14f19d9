//! Embedding queue: finds texts without a vector, and vectors that have not been compared with the others.
//!
//! Triggers add the ids of new texts to a table, and those of all texts when another embedder comes into use, so that to
//! look for work costs the same however many texts there are. A text that is added while the embedder is exchanged may be
//! missed; [`Views::fill_question_queue`] finds it later.
//!
//! Several processes may work on it at once: each claims rows that no other has locked, by the row locks of its
//! transaction, so the rows of a dead process are free again at once.
//!
//! No pair is missed: a vector is paired in a statement that begins after its own commit, so of two vectors the one
//! committed last sees the other.

use pgvector::HalfVector;
use sqlx::{AssertSqlSafe, Postgres, Transaction};

use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::stored_embedder::StoredEmbedder;
use crate::views::views::Views;

/// Number of characters of a text that are embedded; embedders read less of it.
const CHARS: i32 = 4_000;

/// Maximum number of pairs stored when a question is paired, with the nearest existing ones. Later questions add their
/// own.
pub const MAX_PAIRS: i64 = 64;

/// Number of candidates that the index keeps while it searches for them.
const EF_SEARCH: i64 = 200;

/// Texts that are being embedded, locked until their vectors are stored or the claim is dropped.
pub struct EmbeddingBatch {
    held: Transaction<'static, Postgres>,
    ids: Vec<i64>,
    /// The texts.
    pub texts: Vec<String>,
}

impl Views {
    /// Adds all texts to the queue that lack a compared vector by this embedder, and removes those that have one. Reads
    /// every text.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn fill_question_queue(&self, by: &StoredEmbedder) -> Result<(), StoreError> {
        let filled = sqlx::query("select fill_question_queue($1)").bind(by.id).execute(&self.pool).await;
        filled.map(|_| ()).map_err(StoreError::database("look for questions without vectors"))
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
            with due as materialized (
                select question
                from question_queue as queue
                where embedder = $1
                and question > $4
                and (
                    select question_vectors.question
                    from question_vectors
                    where question_vectors.embedder = $1
                    and question_vectors.question = queue.question
                ) is null
                order by question
                limit $3
                for no key update skip locked
            )
            select question, (select left(text, $2) from questions where id = due.question)
            from due
            order by question";
        let query = sqlx::query_as(sql).bind(by.id).bind(CHARS).bind(i64::from(limit)).bind(behind);
        let rows: Vec<(i64, String)> = query.fetch_all(&mut *held).await.map_err(&attempt)?;
        let (ids, texts) = rows.into_iter().unzip();
        Ok(EmbeddingBatch { held, ids, texts })
    }

    /// Compares some unpaired vectors with all others of their embedder, and stores the pairs with a cosine of at least
    /// `least`. Returns the number of vectors compared. Skips vectors locked by another process. Costs 0.5 ms per
    /// vector and thousand vectors it is compared with, unless there is an index, which finds the nearest ones.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement. Then nothing was stored.
    pub async fn pair_questions(&self, by: &StoredEmbedder, least: f32, limit: u32) -> Result<u64, StoreError> {
        let attempt = StoreError::database("pair questions");
        // Before the transaction, which would wait for a second connection otherwise.
        let is_exact = self.is_pairing_exact(by).await?;
        let mut transaction = begin(&self.pool).await.map_err(&attempt)?;
        let (nearest, tie) = match is_exact {
            true => ("others.vector <=> due.vector".to_owned(), ", question"),
            false => {
                // An index serves this order alone, of vectors cast to its width, of an embedder that is no parameter.
                let setting = "select set_config('hnsw.ef_search', $1::text, true)";
                let set = sqlx::query(setting).bind(EF_SEARCH).execute(&mut *transaction);
                set.await.map_err(&attempt)?;
                let width = by.width;
                (format!("(others.vector::halfvec({width})) <=> due.vector::halfvec({width})"), "")
            }
        };
        let sql = format!(
            "
            with due as materialized (
                select question, vector
                from question_vectors
                where embedder = $1 and not paired
                order by question
                limit $2
                for update skip locked
            ),
            found as (
                select least(due.question, near.question) as one, greatest(due.question, near.question) as other, cosine
                from due
                cross join lateral (
                    select question, 1 - ({nearest}) as cosine
                    from question_vectors as others
                    where others.embedder = {embedder} and others.question <> due.question
                    order by {nearest}{tie}
                    limit $3
                ) as near
                where cosine >= $4
            ),
            kept as (
                insert into question_pairs (embedder, one, other, cosine)
                select distinct on (one, other) $1, one, other, cosine
                from found
                order by one, other
                on conflict (embedder, one, other) do nothing
            ),
            done as (
                delete from question_queue
                using due
                where question_queue.embedder = $1 and question_queue.question = due.question
            )
            update question_vectors
            set paired = true
            from due
            where question_vectors.embedder = $1 and question_vectors.question = due.question",
            embedder = by.id,
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(by.id).bind(i64::from(limit)).bind(MAX_PAIRS);
        let done = query.bind(f64::from(least)).execute(&mut *transaction).await.map_err(&attempt)?;
        transaction.commit().await.map_err(attempt)?;
        Ok(done.rows_affected())
    }

    /// Removes texts from the queue that have a compared vector by this embedder: an earlier version of this program leaves
    /// them there, and a look through all texts may add what is compared meanwhile. Costs a lookup per queued text.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn remove_paired_questions(&self, by: &StoredEmbedder) -> Result<(), StoreError> {
        let sql = "
            delete from question_queue as queue
            where embedder = $1
            and (
                select paired
                from question_vectors
                where question_vectors.embedder = $1
                and question_vectors.question = queue.question
            )";
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
    /// Returns the id of the last text; `None` if the claim is empty.
    pub fn last(&self) -> Option<i64> {
        self.ids.last().copied()
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
    /// [`StoreError`] if the database cannot be reached or refuses the statement, as it does for vectors of another
    /// width. Then nothing was stored.
    pub async fn store(mut self, by: &StoredEmbedder, vectors: &[Vec<f32>]) -> Result<(), StoreError> {
        let attempt = StoreError::database("store vectors of questions");
        let sql = "
            insert into question_vectors (embedder, question, width, vector)
            select embedders.id, given.question, embedders.width, given.vector
            from unnest($2::bigint[], $3::halfvec[]) as given (question, vector)
            cross join embedders
            where embedders.id = $1
            on conflict (embedder, question) do nothing";
        let vectors: Vec<HalfVector> = vectors.iter().map(|vector| HalfVector::from_f32_slice(vector)).collect();
        let query = sqlx::query(sql).bind(by.id).bind(&self.ids).bind(vectors);
        query.execute(&mut *self.held).await.map_err(&attempt)?;
        self.held.commit().await.map_err(attempt)
    }
}
