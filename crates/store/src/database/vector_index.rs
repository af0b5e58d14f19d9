//! Indexes of vectors (HNSW), built without a lock on their table.
//!
//! An interrupted build leaves an invalid index, which no search uses, and which the next build replaces.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Executor, PgConnection};

/// Maximum number of components of an indexed vector; wider vectors are scanned.
pub(crate) const MAX_INDEXED_COMPONENTS: i32 = 4_000;

/// Neighbours that an index stores per vector (`m`), and candidates that it considers for them (`ef_construction`). With 64
/// candidates, the default of pgvector, an index of 100,000 passages was built in 18 s instead of 28, and a search had to keep 300
/// candidates instead of 200 to find as many of the nearest (`docs/corpora.md`).
const NEIGHBOURS: i32 = 16;
const CANDIDATES: i32 = 128;

/// Suffixes of the names of an index that is built to take the place of another, and of that other one.
const SUCCESSOR: &str = "_successor";
const FORMER: &str = "_former";

/// Memory in which an index is built, in bytes: the size of its graph, within these bounds. A graph that outgrows its
/// memory is finished on disk, which takes many times as long. With vectors of 384 components the upper bound is enough
/// for 1,300,000 of them.
const BUILT_IN_LEAST: i64 = 64 << 20;
const BUILT_IN_MOST: i64 = 2 << 30;

/// Memory of a vector in the graph in addition to its components, in bytes: its neighbours on every level, and pointers to
/// them. 43,382 vectors of 384 components took 61 MiB, which is 707 bytes each in addition to the components.
const BESIDE_VECTOR: i64 = 800;

/// State of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexState {
    /// Built with the parameters of this version.
    Current,
    /// Built with other parameters. Searches use it until it is replaced.
    Outdated,
    /// Left behind by an interrupted build. No search uses it.
    Invalid,
}

impl IndexState {
    /// Returns whether searches use the index.
    pub(crate) fn is_usable(self) -> bool {
        self != IndexState::Invalid
    }
}

/// Index of some vectors of a table, by cosine.
#[derive(Clone, Copy)]
pub(crate) struct VectorIndex<'a> {
    /// Name of the index.
    pub(crate) name: &'a str,
    /// Table with a column `vector` of the type `halfvec`.
    pub(crate) table: &'a str,
    /// Components of each vector.
    pub(crate) width: i32,
    /// Number of vectors, from which the memory follows.
    pub(crate) n_vectors: i64,
    /// Condition of the rows that are indexed, as SQL.
    pub(crate) condition: &'a str,
}

impl VectorIndex<'_> {
    /// Builds the index if it is missing, and replaces it if it is outdated or invalid. Returns whether it did. The connection
    /// must have no statement timeout, and be the caller's own, because settings of it change.
    ///
    /// The processes of a build share its graph in memory, of which a container has 64 MB by default. If that is not enough,
    /// one process builds the index alone, in memory of its own.
    ///
    /// # Errors
    /// An error of the driver if the server cannot be reached or refuses.
    pub(crate) async fn provide(
        &self,
        connection: &mut PgConnection,
        state: Option<IndexState>,
    ) -> Result<bool, sqlx::Error> {
        match state {
            Some(IndexState::Current) => return Ok(false),
            Some(IndexState::Outdated) => self.replace(connection).await?,
            Some(IndexState::Invalid) | None => {
                drop_index(connection, self.name).await?;
                self.create(connection).await?;
            }
        }
        Ok(true)
    }

    async fn create(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        match self.build(connection).await {
            Err(error) if lacks_resource(&error) => {
                tracing::warn!(index = self.name, %error, "shared memory is short: one process builds the index alone");
                drop_index(connection, self.name).await?;
                connection.execute("set max_parallel_maintenance_workers = 0").await?;
                self.build(connection).await
            }
            built => built,
        }
    }

    async fn build(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let VectorIndex { name, table, width, n_vectors, condition } = self;
        let setting = format!("set maintenance_work_mem = '{}kB'", build_bytes(*width, *n_vectors) >> 10);
        connection.execute(sqlx::raw_sql(AssertSqlSafe(setting))).await?;
        let sql = format!(
            "create index concurrently {name}
            on {table} using hnsw ((vector::halfvec({width})) halfvec_cosine_ops)
            with (m = {NEIGHBOURS}, ef_construction = {CANDIDATES})
            where {condition}"
        );
        connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map(drop)
    }

    /// Builds the index anew beside the one of this name, and exchanges their names at once, so that searches always find one. An
    /// interruption leaves an index with another name.
    async fn replace(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let name = self.name;
        let (successor, former) = (format!("{name}{SUCCESSOR}"), format!("{name}{FORMER}"));
        VectorIndex { name: &successor, ..*self }.create(connection).await?;
        // One message is one transaction.
        let exchange = format!("alter index {name} rename to {former}; alter index {successor} rename to {name}");
        connection.execute(sqlx::raw_sql(AssertSqlSafe(exchange))).await?;
        drop_index(connection, &former).await
    }
}

/// Tells whether the server lacked a resource, or its system failed. Shared memory that cannot be had is told as a full disk
/// (53100) or as too little memory (53200), or, if it is files, as a missing file (58P01).
fn lacks_resource(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code.starts_with("53") || code.starts_with("58"))
}

/// Drops an index, if it exists.
///
/// # Errors
/// An error of the driver if the server cannot be reached or refuses.
pub(crate) async fn drop_index(connection: &mut PgConnection, name: &str) -> Result<(), sqlx::Error> {
    let sql = format!("drop index concurrently if exists {name}");
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map(drop)
}

/// Returns the indexes of a table whose names begin with a prefix, and the state of each.
///
/// # Errors
/// An error of the driver if the server cannot be reached or refuses.
pub(crate) async fn indexes(
    connection: &mut PgConnection,
    table: &str,
    prefix: &str,
) -> Result<BTreeMap<String, IndexState>, sqlx::Error> {
    let sql = "
        select relname::text, indisvalid, coalesce(reloptions, '{}') @> $3::text[]
        from pg_index
        join pg_class on pg_class.oid = indexrelid
        where indrelid = $1::regclass and starts_with(relname, $2)";
    let parameters = [format!("m={NEIGHBOURS}"), format!("ef_construction={CANDIDATES}")];
    let query = sqlx::query_as(sql).bind(table).bind(prefix).bind(parameters);
    let rows: Vec<(String, bool, bool)> = query.fetch_all(connection).await?;
    let state = |(name, is_valid, is_current)| match (is_valid, is_current) {
        (false, _) => (name, IndexState::Invalid),
        (true, false) => (name, IndexState::Outdated),
        (true, true) => (name, IndexState::Current),
    };
    Ok(rows.into_iter().map(state).collect())
}

/// Returns the memory in bytes in which an index of `n` vectors is built.
fn build_bytes(width: i32, n: i64) -> i64 {
    n.saturating_mul(2 * i64::from(width) + BESIDE_VECTOR).clamp(BUILT_IN_LEAST, BUILT_IN_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_built_in_as_much_memory_as_its_graph_takes() {
        assert_eq!(build_bytes(384, 0), BUILT_IN_LEAST);
        assert_eq!(build_bytes(384, 100_000), 100_000 * (768 + 800));
        assert!(build_bytes(384, 1_300_000) < BUILT_IN_MOST);
        assert_eq!(build_bytes(384, 1_400_000), BUILT_IN_MOST);
        assert_eq!(build_bytes(MAX_INDEXED_COMPONENTS, i64::MAX), BUILT_IN_MOST);
    }
}
