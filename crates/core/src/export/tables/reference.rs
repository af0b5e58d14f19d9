//! Reference of the export tables: the section on columns of docs/tables.md.

use std::fmt::Write as _;

use crate::export::tables::registry::TABLES;

/// Heading of the generated section, which reaches to the end of the page.
pub const HEADING: &str = "## Columns\n";

/// Returns the section: every table with its columns.
pub fn column_reference() -> String {
    let mut text = format!(
        "{HEADING}\nGenerated from the code: `UPDATE=1 cargo test --test pure tables` rewrites this section. A type with `?` may \
         have missing values.\n"
    );
    for table in TABLES {
        // Writing to a string does not fail.
        let _written =
            write!(text, "\n### {}\n\n{}\n\n| column | type | meaning |\n|---|---|---|\n", table.name, table.about);
        for column in table.columns {
            let optional = if column.nullable { "?" } else { "" };
            let _written = writeln!(text, "| `{}` | {}{optional} | {} |", column.name, column.kind.name(), column.doc);
        }
    }
    text
}
