//! The macro with which a table lists its columns.

#![macro_use]

/// Defines the columns of a table and the row of an item: `COLUMNS`, and `push_row(rows, item)`. A line gives the type of
/// a column (a variant of `ColumnType`), `or null` if values may be missing, its name, its documentation, and its value.
macro_rules! table_row {
    (@nullable) => { false };
    (@nullable $null:ident) => { true };
    ($item:ident: $of:ty { $($kind:ident $(or $null:ident)? $name:literal $doc:literal => $value:expr;)+ }) => {
        /// Columns, in order.
        const COLUMNS: &[$crate::export::tables::export_table::TableColumn] = &[
            $($crate::export::tables::export_table::TableColumn {
                name: $name,
                kind: $crate::export::tables::export_table::ColumnType::$kind,
                nullable: table_row!(@nullable $($null)?),
                doc: $doc,
            }),+
        ];

        fn push_row(rows: &mut $crate::export::tables::cell::TableRows, $item: &$of) {
            rows.push([$($crate::export::tables::cell::Cell::from($value)),+]);
        }
    };
}
