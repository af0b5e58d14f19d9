//! List of all export tables.

use crate::export::tables::arguments::ARGUMENTS;
use crate::export::tables::attacks::ATTACKS;
use crate::export::tables::calls::CALLS;
use crate::export::tables::checks::CHECKS;
use crate::export::tables::citations::CITATIONS;
use crate::export::tables::concessions::CONCESSIONS;
use crate::export::tables::cruxes::CRUXES;
use crate::export::tables::debates::DEBATES;
use crate::export::tables::export_table::ExportTable;
use crate::export::tables::measures::MEASURES_TABLE;
use crate::export::tables::stances::STANCES;
use crate::export::tables::turns::TURNS;

/// All tables.
pub const TABLES: &[&ExportTable] = &[
    &DEBATES,
    &TURNS,
    &ARGUMENTS,
    &ATTACKS,
    &STANCES,
    &CRUXES,
    &CONCESSIONS,
    &CITATIONS,
    &CHECKS,
    &CALLS,
    &MEASURES_TABLE,
];

/// Finds the table with this name.
pub fn find_table(name: &str) -> Option<&'static ExportTable> {
    TABLES.iter().copied().find(|table| table.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::events::event::Event;
    use crate::export::tables::export_table::{ColumnType, TableSource};

    #[test]
    fn tables_have_distinct_columns_in_snake_case_and_begin_with_the_debate() {
        for table in TABLES {
            let names: BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}: a name occurs twice", table.name);
            let fits = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(names.iter().all(|name| fits(name)), "{}: {names:?}", table.name);
            let first = table.columns.first().expect("a column");
            assert_eq!((first.name, first.kind, first.nullable), ("debate_id", ColumnType::Uuid, false));
            assert_eq!(table.columns[1].name, "version", "{}", table.name);
            assert!(table.columns.iter().all(|column| column.doc.ends_with('.')), "{}", table.name);
        }
    }

    #[test]
    fn tables_fold_known_kinds_of_events_and_the_opening() {
        for table in TABLES {
            let TableSource::Events { kinds, .. } = table.source else { continue };
            kinds.iter().for_each(|kind| assert!(Event::find_kind(kind).is_ok(), "{}: {kind}", table.name));
            assert!(kinds.contains(&"debate_opened") && kinds.contains(&"debate_forked"), "{}", table.name);
        }
    }
}
