//! Error of an encoder.

/// Error of an encoder.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// A row could not be written as CSV.
    #[error("cannot write the table as CSV: {0}")]
    Csv(#[from] csv::Error),
    /// A row could not be written as JSON.
    #[error("cannot write the table as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A row group could not be written.
    #[error("cannot write the table as Parquet: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// A cell has another type than its column, or is missing where values are required.
    #[error(
        "the column {column} of the table {table} is {expected}, and a row has another value there; please report this"
    )]
    WrongCell {
        /// Name of the table.
        table: &'static str,
        /// Name of the column.
        column: &'static str,
        /// Type of the column.
        expected: &'static str,
    },
}
