//! Encoder of a table in any format.

use crate::csv_encoder::CsvEncoder;
use crate::error::EncodeError;
use crate::format::TableFormat;
use crate::jsonl_encoder::JsonlEncoder;
use crate::parquet_encoder::ParquetEncoder;
use faultline_core::export::tables::cell::TableRows;
use faultline_core::export::tables::export_table::ExportTable;

/// Encoder of one table.
pub struct TableEncoder(Format);

enum Format {
    Csv(CsvEncoder),
    Jsonl(JsonlEncoder),
    Parquet(Box<ParquetEncoder>),
}

impl TableEncoder {
    /// Creates an encoder for a table.
    ///
    /// # Errors
    /// [`EncodeError`] if the head of the file cannot be written.
    pub fn new(table: &'static ExportTable, format: TableFormat) -> Result<TableEncoder, EncodeError> {
        Ok(TableEncoder(match format {
            TableFormat::Csv => Format::Csv(CsvEncoder::new(table)?),
            TableFormat::Jsonl => Format::Jsonl(JsonlEncoder::new(table)),
            TableFormat::Parquet => Format::Parquet(Box::new(ParquetEncoder::new(table)?)),
        }))
    }

    /// Encodes rows, and returns the bytes that are ready; none while Parquet gathers a row group.
    ///
    /// # Errors
    /// [`EncodeError`] if a cell does not fit its column.
    pub fn push(&mut self, rows: TableRows) -> Result<Vec<u8>, EncodeError> {
        match &mut self.0 {
            Format::Csv(encoder) => encoder.push(&rows),
            Format::Jsonl(encoder) => encoder.push(&rows),
            Format::Parquet(encoder) => encoder.push(rows),
        }
    }

    /// Ends the file, and returns its last bytes.
    ///
    /// # Errors
    /// [`EncodeError`] if they cannot be written.
    pub fn finish(self) -> Result<Vec<u8>, EncodeError> {
        match self.0 {
            Format::Csv(mut encoder) => encoder.push(&TableRows::default()),
            Format::Jsonl(_) => Ok(Vec::new()),
            Format::Parquet(encoder) => encoder.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use chrono::{DateTime, Utc};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use uuid::Uuid;

    use super::*;
    use faultline_core::export::tables::cell::Cell;
    use faultline_core::export::tables::export_table::{ColumnType, ListedDebate, TableColumn, TableSource};

    const fn column(name: &'static str, kind: ColumnType, nullable: bool) -> TableColumn {
        TableColumn { name, kind, nullable, doc: "" }
    }

    static TABLE: ExportTable = ExportTable {
        name: "things",
        about: "",
        columns: &[
            column("id", ColumnType::Uuid, false),
            column("text", ColumnType::Text, true),
            column("number", ColumnType::Integer, true),
            column("share", ColumnType::Float, true),
            column("is_so", ColumnType::Boolean, true),
            column("at", ColumnType::Timestamp, true),
        ],
        source: TableSource::List(|_: &ListedDebate, _| {}),
    };

    /// Texts that are hard to write: quotes, separators, line ends, formulas, and characters that act on a terminal.
    const TEXTS: &[&str] = &[
        "plain",
        "a \"quoted\" word, and a comma",
        "two\nlines\r\nand a third",
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        " spaces around ",
        "\u{202e}right to left\u{0}",
        "東京 🦀",
    ];

    fn time(micros: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(micros).expect("a time")
    }

    fn rows() -> TableRows {
        let mut rows = TableRows::default();
        for (n, text) in (0_u32..).zip(TEXTS) {
            let (id, share) = (Uuid::from_u128(n.into()), f64::from(n) / 3.0);
            let at = time(1_700_000_000_123_456 + i64::from(n));
            rows.push([
                id.into(),
                (*text).into(),
                (i64::from(n) - 3).into(),
                share.into(),
                (n % 2 == 0).into(),
                at.into(),
            ]);
        }
        rows.push([Uuid::nil().into(), Cell::Null, Cell::Null, Cell::Null, Cell::Null, Cell::Null]);
        rows
    }

    /// Encodes the same rows several times, in pieces of any size.
    fn encoded(format: TableFormat, times: usize) -> Vec<u8> {
        let mut encoder = TableEncoder::new(&TABLE, format).expect("an encoder");
        let pieces: Vec<Vec<u8>> = (0..times).map(|_| encoder.push(rows()).expect("rows")).collect();
        [pieces.concat(), encoder.finish().expect("the end")].concat()
    }

    #[test]
    fn csv_reads_back_exactly_and_alters_no_formula() {
        let text = encoded(TableFormat::Csv, 2);
        let mut reader = csv::Reader::from_reader(text.as_slice());
        let header = reader.headers().expect("a header").iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(header, ["id", "text", "number", "share", "is_so", "at"]);
        let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("a record")).collect();
        assert_eq!(records.len(), 2 * (TEXTS.len() + 1));
        for (record, text) in records.iter().zip(TEXTS) {
            assert_eq!(&record[1], *text);
        }
        let second = ["00000000-0000-0000-0000-000000000001", TEXTS[1], "-2", "0.3333333333333333", "false"];
        assert_eq!(records[1].iter().take(5).collect::<Vec<_>>(), second);
        assert_eq!(&records[1][5], "2023-11-14T22:13:20.123457Z");
        assert_eq!(records[TEXTS.len()].iter().skip(1).collect::<Vec<_>>(), ["", "", "", "", ""]);
    }

    #[test]
    fn json_lines_have_all_columns_and_null_for_missing_values() {
        let text = String::from_utf8(encoded(TableFormat::Jsonl, 1)).expect("UTF-8");
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines.len(), TEXTS.len() + 1);
        for (line, text) in lines.iter().zip(TEXTS) {
            assert_eq!(line["text"], *text);
        }
        let expected = r#"{"id":"00000000-0000-0000-0000-000000000001","text":"a \"quoted\" word, and a comma","number":-2,"share":0.3333333333333333,"is_so":false,"at":"2023-11-14T22:13:20.123457Z"}"#;
        assert_eq!(text.lines().nth(1), Some(expected));
        let last = lines[TEXTS.len()].as_object().expect("an object");
        assert!(last.iter().all(|(name, value)| name == "id" || value.is_null()), "{last:?}");
    }

    #[test]
    fn parquet_reads_back_exactly_over_several_row_groups() {
        let times = 9_000;
        let reader = SerializedFileReader::new(file(encoded(TableFormat::Parquet, times))).expect("a file");
        assert!(reader.num_row_groups() > 1, "{}", reader.num_row_groups());
        let rows = reader.get_row_iter(None).expect("rows");
        let mut count = 0;
        for (n, row) in rows.enumerate() {
            let row = row.expect("a row");
            let fields: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
            let place = n % (TEXTS.len() + 1);
            if place == TEXTS.len() {
                assert!(fields[1..].iter().all(|field| **field == Field::Null));
            } else {
                assert_eq!(*fields[0], Field::Str(Uuid::from_u128(place as u128).to_string()));
                assert_eq!(*fields[1], Field::Str(TEXTS[place].to_owned()));
                assert_eq!(*fields[2], Field::Long(place as i64 - 3));
                assert_eq!(*fields[3], Field::Double(place as f64 / 3.0));
                assert_eq!(*fields[4], Field::Bool(place.is_multiple_of(2)));
                assert_eq!(*fields[5], Field::TimestampMicros(1_700_000_000_123_456 + place as i64));
            }
            count += 1;
        }
        assert_eq!(count, times * (TEXTS.len() + 1));
    }

    #[test]
    fn a_table_without_rows_is_a_file_without_rows() {
        let empty = |format| TableEncoder::new(&TABLE, format).expect("an encoder").finish().expect("the end");
        assert_eq!(empty(TableFormat::Csv), b"id,text,number,share,is_so,at\n");
        assert_eq!(empty(TableFormat::Jsonl), b"");
        let reader = SerializedFileReader::new(file(empty(TableFormat::Parquet))).expect("a file");
        assert_eq!((reader.metadata().file_metadata().num_rows(), reader.num_row_groups()), (0, 0));
    }

    #[test]
    fn a_file_that_was_cut_off_is_no_parquet_file() {
        let whole = encoded(TableFormat::Parquet, 9_000);
        let part = whole[..whole.len() - 100].to_vec();
        assert!(SerializedFileReader::new(file(part)).is_err());
    }

    #[test]
    fn a_cell_of_another_type_is_refused_by_name() {
        let mut encoder = TableEncoder::new(&TABLE, TableFormat::Parquet).expect("an encoder");
        let mut rows = TableRows::default();
        rows.push([Cell::Null, Cell::Null, Cell::Null, Cell::Null, Cell::Null, Cell::Null]);
        let refused = encoder.push(rows).expect_err("an id is required").to_string();
        assert!(refused.contains("the column id of the table things is uuid"), "{refused}");
    }

    fn file(bytes: Vec<u8>) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&bytes).expect("written");
        file
    }
}
