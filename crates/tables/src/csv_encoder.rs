//! CSV as in RFC 4180: a header, fields quoted where they have to be, lines that end in a line feed.
//!
//! Texts are written exactly as they are. A program that takes values which begin with `=`, `+`, `-` or `@` for formulas has
//! to be told that they are text: an apostrophe before them would alter the data for every other reader.

use crate::error::EncodeError;
use crate::time_text::time_text;
use faultline_core::export::tables::cell::{Cell, TableRows};
use faultline_core::export::tables::export_table::ExportTable;

/// Encoder of CSV.
pub struct CsvEncoder {
    /// Fields of the header, until it was written.
    header: Option<Vec<&'static str>>,
}

impl CsvEncoder {
    /// Creates an encoder.
    ///
    /// # Errors
    /// None at present.
    pub fn new(table: &ExportTable) -> Result<CsvEncoder, EncodeError> {
        Ok(CsvEncoder { header: Some(table.columns.iter().map(|column| column.name).collect()) })
    }

    /// Encodes rows, after the header if it was not written yet.
    ///
    /// # Errors
    /// [`EncodeError::Csv`] if a row cannot be written.
    pub fn push(&mut self, rows: &TableRows) -> Result<Vec<u8>, EncodeError> {
        let mut writer = csv::Writer::from_writer(Vec::with_capacity(rows.bytes()));
        if let Some(header) = self.header.take() {
            writer.write_record(header)?;
        }
        for row in rows.iter() {
            for cell in row {
                match cell {
                    Cell::Null => writer.write_field("")?,
                    Cell::Text(text) => writer.write_field(text)?,
                    Cell::Integer(number) => writer.write_field(number.to_string())?,
                    Cell::Float(number) => writer.write_field(number.to_string())?,
                    Cell::Boolean(value) => writer.write_field(if *value { "true" } else { "false" })?,
                    Cell::Timestamp(time) => writer.write_field(time_text(*time))?,
                    Cell::Uuid(id) => writer.write_field(id.to_string())?,
                }
            }
            writer.write_record(None::<&[u8]>)?;
        }
        writer.into_inner().map_err(|unwritten| EncodeError::Csv(unwritten.into_error().into()))
    }
}
