//! Indexes of vectors (HNSW), built without a lock on their table.
//!
//! An interrupted build leaves an invalid index, which no search uses. Whoever builds one drops it first.

use sqlx::{AssertSqlSafe, Executor, PgConnection};

/// Maximum number of components of an indexed vector; wider vectors are scanned.
pub(crate) const MAX_INDEXED_COMPONENTS: i32 = 4_000;

/// Neighbours that an index stores per vector (`m`), and candidates that it considers for them (`ef_construction`). With 64
/// candidates, the default of pgvector, an index of 100,000 passages was built in 18 s instead of 28, and a search had to keep 300
/// candidates instead of 200 to find as many of the nearest (`docs/corpora.md`).
const NEIGHBOURS: i32 = 16;
const CANDIDATES: i32 = 128;

/// Suffix of the name of an index that is built to take the place of another.
const SUCCESSOR: &str = "_successor";

/// Memory in which an index is built, in bytes: the size of its graph, within these bounds. A graph that outgrows its
/// memory is finished on disk, which takes many times as long. With vectors of 384 components the upper bound is enough
/// for 1,300,000 of them.
const BUILT_IN_LEAST: i64 = 64 << 20;
const BUILT_IN_MOST: i64 = 2 << 30;

/// Memory of a vector in the graph in addition to its components, in bytes: its neighbours on every level, and pointers to
/// them. 43,382 vectors of 384 components took 61 MiB, which is 707 bytes each in addition to the components.
const BESIDE_VECTOR: i64 = 800;

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
    /// Builds the index. The connection must have no statement timeout, and be the caller's own, because settings of it change.
    ///
    /// The processes of a build share its graph in memory, of which a container has 64 MB by default. If that is not enough,
    /// one process builds the index alone, in memory of its own.
    ///
    /// # Errors
    /// An error of the driver if the server cannot be reached or refuses.
    pub(crate) async fn create(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        match self.build(connection).await {
            Err(error) if lacks_memory(&error) => {
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

    /// Builds the index anew beside the one of this name, and puts it in its place. Searches use the former one meanwhile. An
    /// interruption leaves an index under another name, which begins with this one.
    ///
    /// # Errors
    /// As [`VectorIndex::create`].
    pub(crate) async fn replace(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let successor = format!("{}{SUCCESSOR}", self.name);
        VectorIndex { name: &successor, ..*self }.create(connection).await?;
        drop_index(connection, self.name).await?;
        let sql = format!("alter index {successor} rename to {}", self.name);
        connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map(drop)
    }
}

/// Tells whether the server lacked a resource, or its system failed. Shared memory that cannot be had is told as a full disk
/// (53100) or as too little memory (53200), or, if it is files, as a missing file (58P01).
fn lacks_memory(error: &sqlx::Error) -> bool {
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

/// Returns the indexes of a table whose names begin with a prefix, and whether each is valid.
///
/// # Errors
/// An error of the driver if the server cannot be reached or refuses.
pub(crate) async fn indexes(
    connection: &mut PgConnection,
    table: &str,
    prefix: &str,
) -> Result<Vec<(String, bool)>, sqlx::Error> {
    let sql = "
        select relname::text, indisvalid
        from pg_index
        join pg_class on pg_class.oid = indexrelid
        where indrelid = $1::regclass and starts_with(relname, $2)";
    sqlx::query_as(sql).bind(table).bind(prefix).fetch_all(connection).await
}

/// Returns those indexes of a table whose names begin with a prefix that were built with other parameters than those of today.
///
/// # Errors
/// An error of the driver if the server cannot be reached or refuses.
pub(crate) async fn outdated_indexes(
    connection: &mut PgConnection,
    table: &str,
    prefix: &str,
) -> Result<Vec<String>, sqlx::Error> {
    let sql = "
        select relname::text
        from pg_index
        join pg_class on pg_class.oid = indexrelid
        where
            indrelid = $1::regclass
            and starts_with(relname, $2)
            and not coalesce(reloptions, '{}') @> $3::text[]";
    let parameters = [format!("m={NEIGHBOURS}"), format!("ef_construction={CANDIDATES}")];
    sqlx::query_scalar(sql).bind(table).bind(prefix).bind(parameters).fetch_all(connection).await
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
