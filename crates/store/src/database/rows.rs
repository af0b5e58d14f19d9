//! Reading of rows into structs.
//!
//! A small macro instead of the derive of the database library: that one compiles the library, its TLS and its runtime a
//! second time for the compiler, which lengthens a first build.

use sqlx::Error;

/// Implements `FromRow` for a struct: each field is read from the column of its name, each field after `flatten` from the
/// columns of its own struct, and each one after `optional` as well, or is its default where these columns are missing.
///
/// # Errors
/// The implementation returns [`sqlx::Error`] if a column is missing or has another type than the field.
#[macro_export]
macro_rules! reads_row {
    (
        $name:ident { $($field:ident),* $(,)? }
        $(flatten { $($part:ident),* $(,)? })?
        $(optional { $($absent:ident),* $(,)? })?
    ) => {
        impl<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow> for $name {
            fn from_row(row: &'r sqlx::postgres::PgRow) -> Result<Self, sqlx::Error> {
                Ok($name {
                    $($field: sqlx::Row::try_get(row, stringify!($field))?,)*
                    $($($part: sqlx::FromRow::from_row(row)?,)*)?
                    $($($absent: $crate::database::rows::or_default(sqlx::FromRow::from_row(row))?,)*)?
                })
            }
        }
    };
}

/// Returns the default of a part whose columns were not selected.
///
/// # Errors
/// Any other error.
pub fn or_default<T: Default>(read: Result<T, Error>) -> Result<T, Error> {
    match read {
        Err(Error::ColumnNotFound(_)) => Ok(T::default()),
        read => read,
    }
}
