//! Vectors that should be on a shard and are on no server, as after the shard was restored from an older backup.

use std::collections::HashSet;

use sqlx::PgConnection;

use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::questions::vector_table::vector_tables;
use crate::stored_embedder::StoredEmbedder;
use crate::views::views::Views;

/// Number of questions that are looked for at once.
const PAGE: i64 = 10_000;

impl Views {
    /// Queues the questions whose vectors by this embedder are on no server. Reads the id of every vector that is not at home,
    /// there and on its shard.
    ///
    /// # Errors
    /// [`StoreError`] if a database cannot be reached or refuses a statement.
    pub(super) async fn queue_lost_vectors(&self, by: &StoredEmbedder) -> Result<(), StoreError> {
        let attempt = StoreError::database("look for lost vectors of questions");
        let mut behind = i64::MIN;
        loop {
            let mut held = begin(&self.pool).await.map_err(&attempt)?;
            let placement = self.shards.hold_question_placement(&mut *held).await?;
            if placement.is_home() {
                return Ok(());
            }
            let elsewhere = elsewhere(&mut held, by, behind).await.map_err(&attempt)?;
            let Some(last) = elsewhere.last() else { return Ok(()) };
            behind = *last;
            let mut found: HashSet<i64> = HashSet::new();
            for table in vector_tables(&self.shards, placement) {
                let mut server = table.connect(&mut held).await.map_err(&attempt)?;
                found.extend(table.present(server.get(), by, &elsewhere).await.map_err(&attempt)?);
            }
            let lost: Vec<i64> = elsewhere.into_iter().filter(|question| !found.contains(question)).collect();
            if !lost.is_empty() {
                tracing::warn!(n_lost = lost.len(), "vectors of questions are on no server; they are embedded again");
            }
            embed_again(&mut held, by, &lost).await.map_err(&attempt)?;
            held.commit().await.map_err(&attempt)?;
        }
    }
}

/// Returns the next questions whose vectors are not at home.
async fn elsewhere(held: &mut PgConnection, by: &StoredEmbedder, behind: i64) -> Result<Vec<i64>, sqlx::Error> {
    let sql = "
        select question
        from question_vectors
        where embedder = $1
        and question > $2
        and vector is null
        order by question
        limit $3";
    sqlx::query_scalar(sql).bind(by.id).bind(behind).bind(PAGE).fetch_all(held).await
}

/// Queues questions whose vectors are on no server, and forgets these.
pub(super) async fn embed_again(held: &mut PgConnection, by: &StoredEmbedder, lost: &[i64]) -> Result<(), sqlx::Error> {
    if lost.is_empty() {
        return Ok(());
    }
    let sql = "
        with gone as (
            delete from question_vectors
            where embedder = $1 and question = any ($2)
        )
        insert into question_queue (embedder, question)
        select $1, id
        from questions
        where id = any ($2)
        on conflict do nothing";
    sqlx::query(sql).bind(by.id).bind(lost).execute(held).await.map(drop)
}
