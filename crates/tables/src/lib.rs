//! Encoders of export tables: rows in, bytes of a file out.
//!
//! | format | file |
//! |--------|------|
//! | CSV as in RFC 4180 | [`csv_encoder`] |
//! | JSON Lines | [`jsonl_encoder`] |
//! | Parquet | [`parquet_encoder`] |
//!
//! An encoder is pushed rows and drained of bytes ([`encoder`]), so that its memory does not depend on the length of the
//! table: CSV and JSON Lines keep nothing, Parquet the rows of one row group.

pub mod csv_encoder;
pub mod encoder;
pub mod error;
pub mod format;
pub mod jsonl_encoder;
pub mod parquet_encoder;

mod time_text;
