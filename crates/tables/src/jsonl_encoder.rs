//! JSON Lines: an object per row, with all columns in order; a missing value is `null`.

use std::io::Write;

use crate::error::EncodeError;
use crate::time_text::time_text;
use faultline_core::export::tables::cell::{Cell, TableRows};
use faultline_core::export::tables::export_table::ExportTable;

/// Encoder of JSON Lines.
pub struct JsonlEncoder {
    /// Text before the value of each column: its name, and the bracket or comma before it.
    names: Vec<String>,
}

impl JsonlEncoder {
    /// Creates an encoder. Names of columns need no escaping.
    pub fn new(table: &ExportTable) -> JsonlEncoder {
        let before = std::iter::once('{').chain(std::iter::repeat(','));
        let names = before.zip(table.columns).map(|(before, column)| format!("{before}\"{}\":", column.name));
        JsonlEncoder { names: names.collect() }
    }

    /// Encodes rows.
    ///
    /// # Errors
    /// [`EncodeError::Json`] if a value cannot be written.
    pub fn push(&mut self, rows: &TableRows) -> Result<Vec<u8>, EncodeError> {
        let mut text =
            Vec::with_capacity(rows.bytes() + rows.len() * self.names.iter().map(String::len).sum::<usize>());
        for row in rows.iter() {
            for (name, cell) in self.names.iter().zip(row) {
                text.extend_from_slice(name.as_bytes());
                write_value(&mut text, cell)?;
            }
            text.extend_from_slice(b"}\n");
        }
        Ok(text)
    }
}

fn write_value(text: &mut Vec<u8>, cell: &Cell) -> Result<(), serde_json::Error> {
    match cell {
        Cell::Null => serde_json::to_writer(text, &()),
        Cell::Text(value) => serde_json::to_writer(text, value),
        Cell::Integer(number) => serde_json::to_writer(text, number),
        Cell::Float(number) => serde_json::to_writer(text, number),
        Cell::Boolean(value) => serde_json::to_writer(text, value),
        Cell::Timestamp(time) => quoted(text, &time_text(*time)),
        Cell::Uuid(id) => quoted(text, id),
    }
}

/// Writes a text that needs no escaping.
fn quoted(text: &mut Vec<u8>, value: &impl std::fmt::Display) -> Result<(), serde_json::Error> {
    write!(text, "\"{value}\"").map_err(serde_json::Error::io)
}
