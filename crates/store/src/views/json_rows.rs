//! Rows written as a JSON array, which a statement reads with `jsonb_to_recordset`.
//!
//! Arrays per column would not work: some columns are lists of different lengths.

use serde_json::Value;
use sqlx::PgConnection;

use crate::error::StoreError;
use crate::views::views::{MAX_ROWS, replace_nul};

/// Runs a statement with the rows as `$1`, as often as needed: at most [`MAX_ROWS`] at once. `attempt` says in errors what
/// failed.
pub(crate) async fn write_rows<T>(
    connection: &mut PgConnection,
    statement: &'static str,
    rows: &[T],
    encode: impl Fn(&T) -> Value,
    attempt: &'static str,
) -> Result<(), StoreError> {
    for rows in rows.chunks(MAX_ROWS) {
        let rows = Value::Array(rows.iter().map(&encode).collect()).to_string();
        let query = sqlx::query(statement).bind(replace_nul(&rows).into_owned());
        query.execute(&mut *connection).await.map_err(StoreError::database(attempt))?;
    }
    Ok(())
}

/// Returns the facts of a row together with its body, normalized as in the database, for comparison. `attempt` says in
/// errors what failed.
pub(crate) fn normalized_row(mut facts: Value, body: &str, attempt: &'static str) -> Result<Value, StoreError> {
    let read = |text: &str| serde_json::from_str::<Value>(&replace_nul(text)).map_err(StoreError::json(attempt));
    facts["body"] = read(body)?;
    read(&facts.to_string())
}
