//! Copies rows from one database to another, as they are stored.

use futures_util::TryStreamExt;
use sqlx::{AssertSqlSafe, Executor, PgConnection, PgPool};

use crate::database::pool::dedicated;
use crate::error::StoreError;

/// Copies the rows of a query into columns of a table. Returns their number.
///
/// # Errors
/// An error of the driver if a server cannot be reached or refuses.
pub(crate) async fn copy_rows(
    source: &mut PgConnection,
    target: &mut PgConnection,
    query: &str,
    (table, columns): (&str, &str),
) -> Result<u64, sqlx::Error> {
    let mut rows = source.copy_out_raw(&format!("copy ({query}) to stdout (format binary)")).await?;
    let mut sink = target.copy_in_raw(&format!("copy {table} ({columns}) from stdin (format binary)")).await?;
    while let Some(bytes) = rows.try_next().await? {
        sink.send(bytes).await?;
    }
    sink.finish().await
}

/// Opens a connection outside the pool without a timeout of statements.
///
/// # Errors
/// As [`dedicated`].
pub(crate) async fn copying_connection(pool: &PgPool, role: &str) -> Result<PgConnection, StoreError> {
    let mut connection = dedicated(pool, role).await?;
    let settings = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0";
    connection
        .execute(sqlx::raw_sql(AssertSqlSafe(settings)))
        .await
        .map_err(StoreError::database("prepare a connection to copy rows"))?;
    Ok(connection)
}
