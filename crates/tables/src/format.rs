//! File formats of tables.

/// File format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Comma-separated values, with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
}

impl TableFormat {
    /// All formats.
    pub const ALL: [TableFormat; 3] = [TableFormat::Csv, TableFormat::Parquet, TableFormat::Jsonl];

    /// Finds the format with this name.
    pub fn named(name: &str) -> Option<TableFormat> {
        TableFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Name of the format, and extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            TableFormat::Csv => "csv",
            TableFormat::Jsonl => "jsonl",
            TableFormat::Parquet => "parquet",
        }
    }

    /// Media type.
    pub fn media_type(self) -> &'static str {
        match self {
            TableFormat::Csv => "text/csv; charset=utf-8; header=present",
            TableFormat::Jsonl => "application/x-ndjson; charset=utf-8",
            TableFormat::Parquet => "application/vnd.apache.parquet",
        }
    }

    /// True if a terminal can show it.
    pub fn is_text(self) -> bool {
        self != TableFormat::Parquet
    }
}
