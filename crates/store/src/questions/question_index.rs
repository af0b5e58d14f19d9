//! Index of the vectors of questions: keeps the time to compare a text with all others from growing with their number.
//!
//! Few vectors are compared one with each, which is exact and takes half a microsecond a pair. From [`INDEXED_FROM`] on
//! they have an index, and a text is compared with the nearest ones that it finds: almost all pairs, but not surely all.

use sqlx::{Connection, Executor, PgConnection};

use crate::database::pool::dedicated;
use crate::database::vector_index::{MAX_INDEXED_COMPONENTS, VectorIndex, drop_index, indexes};
use crate::error::StoreError;
use crate::stored_embedder::StoredEmbedder;
use crate::views::views::Views;

/// Number of vectors from which they have an index: comparing a text with that many takes ten milliseconds.
pub const INDEXED_FROM: i64 = 20_000;

/// Prefix of the names of the indexes, before the id of an embedder.
const PREFIX: &str = "question_vectors_near_";

/// Key of the advisory lock of the process that builds an index.
const ALONE: i64 = 0x7175_6573_7469_6f6e;

impl Views {
    /// Builds the index of an embedder's vectors if there are at least `from` and it has none, and drops those of embedders
    /// that are no longer in use. Returns whether it built one. Does nothing while another process builds one.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses a statement.
    pub async fn maintain_question_index(&self, by: &StoredEmbedder, from: i64) -> Result<bool, StoreError> {
        let attempt = StoreError::database("maintain the index of questions");
        let name = index_name(by);
        let there = self.question_indexes().await?;
        let is_due = !there.contains(&(name.clone(), true)) && self.has_vectors(by, from).await?;
        if !is_due && there.iter().all(|(other, _)| *other == name) {
            return Ok(false);
        }
        let mut connection = dedicated(&self.pool, "indexing").await?;
        // Building an index takes longer than the statement timeout of clients.
        connection.execute("set statement_timeout = 0").await.map_err(&attempt)?;
        let alone = sqlx::query_scalar("select pg_try_advisory_lock($1)").bind(ALONE).fetch_one(&mut connection);
        let built = alone.await.map_err(&attempt)? && build(&mut connection, by, is_due).await.map_err(&attempt)?;
        // Closing the connection releases the lock.
        connection.close().await.map_err(attempt)?;
        Ok(built)
    }

    /// Returns whether every text was compared with all others, and not only with those that an index finds.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn is_pairing_exact(&self, by: &StoredEmbedder) -> Result<bool, StoreError> {
        let name = index_name(by);
        Ok(self.question_indexes().await?.iter().all(|(other, is_valid)| *other != name || !is_valid))
    }

    async fn question_indexes(&self) -> Result<Vec<(String, bool)>, StoreError> {
        let attempt = StoreError::database("look for an index of questions");
        let mut connection = self.pool.acquire().await.map_err(&attempt)?;
        indexes(&mut connection, "question_vectors", PREFIX).await.map_err(attempt)
    }

    async fn has_vectors(&self, by: &StoredEmbedder, n: i64) -> Result<bool, StoreError> {
        let sql = "
            select count(*) >= $2
            from (select from question_vectors where embedder = $1 limit $2) as found";
        let found = sqlx::query_scalar(sql).bind(by.id).bind(n).fetch_one(&self.pool).await;
        found.map_err(StoreError::database("count the vectors of questions"))
    }
}

/// Drops invalid indexes and those of other embedders, and builds that of this one if it `is_due` and was not built
/// meanwhile.
async fn build(connection: &mut PgConnection, by: &StoredEmbedder, is_due: bool) -> Result<bool, sqlx::Error> {
    let name = index_name(by);
    let mut is_there = false;
    for (other, is_valid) in indexes(connection, "question_vectors", PREFIX).await? {
        if is_valid && other == name {
            is_there = true;
        } else {
            drop_index(connection, &other).await?;
        }
    }
    let width = i32::try_from(by.width).ok().filter(|width| *width <= MAX_INDEXED_COMPONENTS);
    let Some(width) = width.filter(|_| is_due && !is_there) else { return Ok(false) };
    let n_vectors = sqlx::query_scalar("select count(*) from question_vectors where embedder = $1")
        .bind(by.id)
        .fetch_one(&mut *connection)
        .await?;
    let condition = format!("embedder = {}", by.id);
    let index = VectorIndex { name: &name, table: "question_vectors", width, n_vectors, condition: &condition };
    index.create(connection).await?;
    // Without statistics, the planner may still prefer to read all vectors.
    connection.execute("analyze question_vectors").await?;
    Ok(true)
}

fn index_name(by: &StoredEmbedder) -> String {
    format!("{PREFIX}{}", by.id)
}
