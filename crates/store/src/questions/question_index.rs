//! Index of the vectors of questions: keeps the time to compare a text with all others from growing with their number.
//!
//! Few vectors are compared one with each, which is exact and takes half a microsecond a pair. From [`INDEXED_FROM`] on
//! they have an index, and a text is compared with the nearest ones that it finds: almost all pairs, but not surely all.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::database::pool::{close_unlocked, dedicated};
use crate::database::vector_index::{IndexState, MAX_INDEXED_COMPONENTS, VectorIndex, drop_index, indexes};
use crate::error::StoreError;
use crate::questions::vector_table::{VectorTable, vector_tables};
use crate::stored_embedder::StoredEmbedder;
use crate::views::views::Views;

/// Number of vectors from which they have an index: comparing a text with that many takes ten milliseconds.
pub const INDEXED_FROM: i64 = 20_000;

/// Prefix of the names of the indexes, before the id of an embedder.
const PREFIX: &str = "question_vectors_near_";

/// Key of the advisory lock of the process that builds an index.
const ALONE: i64 = 0x7175_6573_7469_6f6e;

impl Views {
    /// Builds the index of an embedder's vectors if there are at least `from` and it is missing or outdated, and drops those of
    /// embedders that are no longer in use. Returns whether it built one. Does nothing while another process builds one, or moves the
    /// vectors.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses a statement.
    pub async fn maintain_question_index(&self, by: &StoredEmbedder, from: i64) -> Result<bool, StoreError> {
        let placement = self.shards.question_placement();
        // Vectors are stored faster without an index, which the move builds when all are there.
        if placement.former.is_some() {
            return Ok(false);
        }
        VectorTable::at(&self.shards, placement.current).maintain_index(by, from).await
    }

    /// Returns whether every text was compared with all others, and not only with those that an index finds. False if a shard
    /// with vectors cannot be reached.
    ///
    /// # Errors
    /// [`StoreError`] if the home cannot be reached or refuses the statement.
    pub async fn is_pairing_exact(&self, by: &StoredEmbedder) -> Result<bool, StoreError> {
        for table in vector_tables(&self.shards, self.shards.question_placement()) {
            match table.indexes().await {
                Ok(there) if is_usable(&there, by) => return Ok(false),
                Ok(_) => {}
                Err(fault) if table.is_home => return Err(fault),
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl VectorTable<'_> {
    /// Builds and drops indexes as [`Views::maintain_question_index`], on this server.
    pub(super) async fn maintain_index(self, by: &StoredEmbedder, from: i64) -> Result<bool, StoreError> {
        let attempt = StoreError::database("maintain the index of questions");
        let (name, there) = (index_name(by), self.indexes().await?);
        let is_due = there.get(&name) != Some(&IndexState::Current) && self.has_vectors(by, from).await?;
        if !is_due && there.keys().all(|other| *other == name) {
            return Ok(false);
        }
        let mut connection = dedicated(self.pool, "indexing").await?;
        // Building an index takes longer than the statement timeout of clients.
        connection.execute("set statement_timeout = 0").await.map_err(&attempt)?;
        let alone = sqlx::query_scalar("select pg_try_advisory_lock($1)").bind(ALONE).fetch_one(&mut connection);
        let built =
            alone.await.map_err(&attempt)? && self.build_index(&mut connection, by, is_due).await.map_err(&attempt)?;
        close_unlocked(connection).await.map_err(attempt)?;
        Ok(built)
    }

    /// Drops all indexes of vectors on this server.
    pub(super) async fn drop_indexes(self) -> Result<(), StoreError> {
        let attempt = StoreError::database("drop the index of questions");
        let there = self.indexes().await?;
        if there.is_empty() {
            return Ok(());
        }
        let mut connection = dedicated(self.pool, "indexing").await?;
        connection.execute("set statement_timeout = 0").await.map_err(&attempt)?;
        for name in there.into_keys() {
            drop_index(&mut connection, &name).await.map_err(&attempt)?;
        }
        connection.close().await.map_err(attempt)
    }

    /// Returns whether the vectors of an embedder have an index here.
    pub(super) async fn is_indexed(self, on: &mut PgConnection, by: &StoredEmbedder) -> Result<bool, sqlx::Error> {
        Ok(is_usable(&indexes(on, self.name(), PREFIX).await?, by))
    }

    async fn indexes(self) -> Result<BTreeMap<String, IndexState>, StoreError> {
        let attempt = StoreError::database("look for an index of questions");
        let mut connection = self.reach().await.map_err(&attempt)?;
        indexes(&mut connection, self.name(), PREFIX).await.map_err(attempt)
    }

    async fn has_vectors(self, by: &StoredEmbedder, n: i64) -> Result<bool, StoreError> {
        let sql = format!(
            "select count(*) >= $2
            from (select from {} where embedder = $1 and vector is not null limit $2) as found",
            self.name()
        );
        let found = sqlx::query_scalar(AssertSqlSafe(sql)).bind(by.id).bind(n).fetch_one(self.pool).await;
        found.map_err(StoreError::database("count the vectors of questions"))
    }

    /// Drops invalid indexes and those of other embedders, and builds or replaces that of this one if it `is_due` and was not
    /// built meanwhile.
    async fn build_index(
        self,
        connection: &mut PgConnection,
        by: &StoredEmbedder,
        is_due: bool,
    ) -> Result<bool, sqlx::Error> {
        let (name, table) = (index_name(by), self.name());
        let mut usable = None;
        for (other, state) in indexes(connection, table, PREFIX).await? {
            if state.is_usable() && other == name {
                usable = Some(state);
            } else {
                drop_index(connection, &other).await?;
            }
        }
        let width = i32::try_from(by.width).ok().filter(|width| *width <= MAX_INDEXED_COMPONENTS);
        let Some(width) = width.filter(|_| is_due) else { return Ok(false) };
        let n_vectors =
            sqlx::query_scalar(AssertSqlSafe(format!("select count(vector) from {table} where embedder = $1")))
                .bind(by.id)
                .fetch_one(&mut *connection)
                .await?;
        let condition = format!("embedder = {}", by.id);
        let index = VectorIndex { name: &name, table, width, n_vectors, condition: &condition };
        if !index.provide(connection, usable).await? {
            return Ok(false);
        }
        // Without statistics, the planner may still prefer to read all vectors.
        connection.execute(sqlx::raw_sql(AssertSqlSafe(format!("analyze {table}")))).await?;
        Ok(true)
    }
}

/// Returns whether searches use the index of an embedder's vectors.
fn is_usable(there: &BTreeMap<String, IndexState>, by: &StoredEmbedder) -> bool {
    there.get(&index_name(by)).is_some_and(|state| state.is_usable())
}

fn index_name(by: &StoredEmbedder) -> String {
    format!("{PREFIX}{}", by.id)
}
