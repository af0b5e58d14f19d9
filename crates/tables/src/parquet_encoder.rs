//! Parquet: row groups of bounded size, compressed with Snappy, with statistics per column chunk.
//!
//! Text and UUIDs are strings, times are microseconds in UTC. Rows are gathered in columns until a row group is full; its
//! bytes are then ready, and the memory of its rows is free. The footer with the places of all row groups is written last, so
//! that a file that was cut off cannot be read as a shorter table.

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::error::EncodeError;
use faultline_core::export::tables::cell::{Cell, TableRows};
use faultline_core::export::tables::export_table::{ColumnType, ExportTable, TableColumn};

/// Maximum number of rows of a row group, but for the last rows pushed.
const GROUP_ROWS: usize = 50_000;
/// Approximate memory of the rows of a row group, in bytes (4 MiB).
const GROUP_BYTES: usize = 4 << 20;
/// Number of values written to a column at a time.
const WRITE_BATCH: usize = 4_096;

/// Encoder of Parquet.
pub struct ParquetEncoder {
    table: &'static ExportTable,
    writer: SerializedFileWriter<Vec<u8>>,
    columns: Vec<ColumnBuffer>,
    rows: usize,
    bytes: usize,
}

/// Values of one column in the present row group.
struct ColumnBuffer {
    column: &'static TableColumn,
    /// One for each row, 1 if it has a value; empty if the column requires values.
    levels: Vec<i16>,
    values: Values,
}

enum Values {
    Text(Vec<ByteArray>),
    Integer(Vec<i64>),
    Float(Vec<f64>),
    Boolean(Vec<bool>),
}

impl ParquetEncoder {
    /// Creates an encoder.
    ///
    /// # Errors
    /// [`EncodeError::Parquet`] if the schema is not valid.
    pub fn new(table: &'static ExportTable) -> Result<ParquetEncoder, EncodeError> {
        let schema = Arc::new(parse_message_type(&schema_text(table))?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_created_by(format!("faultline {}", env!("CARGO_PKG_VERSION")))
            .build();
        let writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
        let columns = table.columns.iter().map(ColumnBuffer::new).collect();
        Ok(ParquetEncoder { table, writer, columns, rows: 0, bytes: 0 })
    }

    /// Adds rows, and returns the bytes of the row groups that are complete.
    ///
    /// # Errors
    /// [`EncodeError::WrongCell`] if a cell does not fit its column; [`EncodeError::Parquet`] if a row group cannot be
    /// written.
    pub fn push(&mut self, rows: TableRows) -> Result<Vec<u8>, EncodeError> {
        self.rows += rows.len();
        self.bytes += rows.bytes();
        let width = self.columns.len();
        for (place, cell) in rows.into_cells().into_iter().enumerate() {
            let buffer = &mut self.columns[place % width];
            if !buffer.push(cell) {
                let (table, column) = (self.table.name, buffer.column.name);
                return Err(EncodeError::WrongCell { table, column, expected: buffer.column.kind.name() });
            }
        }
        if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.end_group()?;
        }
        self.take()
    }

    /// Ends the file, and returns its last bytes.
    ///
    /// # Errors
    /// [`EncodeError::Parquet`] if they cannot be written.
    pub fn finish(mut self) -> Result<Vec<u8>, EncodeError> {
        if self.rows > 0 {
            self.end_group()?;
        }
        Ok(self.writer.into_inner()?)
    }

    fn end_group(&mut self) -> Result<(), EncodeError> {
        let mut group = self.writer.next_row_group()?;
        for buffer in &mut self.columns {
            buffer.write(&mut group)?;
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    /// Takes the bytes that were written.
    fn take(&mut self) -> Result<Vec<u8>, EncodeError> {
        self.writer.flush().map_err(ParquetError::from)?;
        Ok(std::mem::take(self.writer.inner_mut()))
    }
}

impl ColumnBuffer {
    fn new(column: &'static TableColumn) -> ColumnBuffer {
        let values = match column.kind {
            ColumnType::Text | ColumnType::Uuid => Values::Text(Vec::new()),
            ColumnType::Integer | ColumnType::Timestamp => Values::Integer(Vec::new()),
            ColumnType::Float => Values::Float(Vec::new()),
            ColumnType::Boolean => Values::Boolean(Vec::new()),
        };
        ColumnBuffer { column, levels: Vec::new(), values }
    }

    /// Adds the value of a row. Returns false if it does not fit the column.
    fn push(&mut self, cell: Cell) -> bool {
        if self.column.nullable {
            self.levels.push(i16::from(cell != Cell::Null));
        }
        match (self.column.kind, &mut self.values, cell) {
            (_, _, Cell::Null) => return self.column.nullable,
            (ColumnType::Text, Values::Text(values), Cell::Text(text)) => values.push(text.into_bytes().into()),
            (ColumnType::Uuid, Values::Text(values), Cell::Uuid(id)) => values.push(id.to_string().into_bytes().into()),
            (ColumnType::Integer, Values::Integer(values), Cell::Integer(number)) => values.push(number),
            (ColumnType::Timestamp, Values::Integer(values), Cell::Timestamp(time)) => {
                values.push(time.timestamp_micros());
            }
            (ColumnType::Float, Values::Float(values), Cell::Float(number)) => values.push(number),
            (ColumnType::Boolean, Values::Boolean(values), Cell::Boolean(value)) => values.push(value),
            _ => return false,
        }
        true
    }

    /// Writes the values to the next column of a row group, and forgets them.
    fn write(&mut self, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) -> Result<(), EncodeError> {
        let levels = std::mem::take(&mut self.levels);
        match &mut self.values {
            Values::Text(values) => write_column::<ByteArrayType>(group, &std::mem::take(values), &levels),
            Values::Integer(values) => write_column::<Int64Type>(group, &std::mem::take(values), &levels),
            Values::Float(values) => write_column::<DoubleType>(group, &std::mem::take(values), &levels),
            Values::Boolean(values) => write_column::<BoolType>(group, &std::mem::take(values), &levels),
        }
    }
}

/// Writes a column a batch at a time: the writer checks the sizes of its pages between batches.
fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
    levels: &[i16],
) -> Result<(), EncodeError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    let writer = column.typed::<T>();
    if levels.is_empty() {
        for batch in values.chunks(WRITE_BATCH) {
            writer.write_batch(batch, None, None)?;
        }
    } else {
        let mut rest = values;
        for levels in levels.chunks(WRITE_BATCH) {
            let (batch, later) = rest.split_at(levels.iter().filter(|level| **level == 1).count());
            writer.write_batch(batch, Some(levels), None)?;
            rest = later;
        }
    }
    Ok(column.close()?)
}

/// Schema in the text form of Parquet.
fn schema_text(table: &ExportTable) -> String {
    let field = |column: &TableColumn| {
        let kind = match column.kind {
            ColumnType::Text | ColumnType::Uuid => ("binary", " (STRING)"),
            ColumnType::Integer => ("int64", ""),
            ColumnType::Timestamp => ("int64", " (TIMESTAMP(MICROS,true))"),
            ColumnType::Float => ("double", ""),
            ColumnType::Boolean => ("boolean", ""),
        };
        let repetition = if column.nullable { "optional" } else { "required" };
        format!("{repetition} {} {}{};", kind.0, column.name, kind.1)
    };
    let fields: Vec<String> = table.columns.iter().map(field).collect();
    format!("message {} {{ {} }}", table.name, fields.join(" "))
}
