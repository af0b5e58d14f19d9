//! Table of measures.

use crate::events::ids::DebateId;
use crate::export::tables::cell::TableRows;
use crate::export::tables::export_table::{ExportTable, ListedDebate, TableSource};
use crate::measures::measure::MeasureDefinition;
use crate::measures::registry::MEASURES;

/// Measures of debates that have ended, from the stored list.
pub const MEASURES_TABLE: ExportTable = ExportTable {
    name: "measures",
    about: "One row per measure that has a value, of debates that have ended.",
    columns: COLUMNS,
    source: TableSource::List(push),
};

/// Measure of a debate with its value.
struct ListedMeasure<'a> {
    debate: DebateId,
    listed: &'a ListedDebate,
    definition: &'static MeasureDefinition,
    value: f64,
}

table_row!(it: ListedMeasure<'_> {
    Uuid "debate_id" "Id of the debate." => it.debate;
    Integer "version" "Version of the debate's newest event in the row." => it.listed.version;
    Text "measure_key" "Key of the measure; docs/measures.md has its formula." => it.definition.key;
    Text "subject" "Subject of the measure: `cruxes`, `stances`, `talk`, `grounding`, `facts`, `voice`, `judgement` or `cost`."
        => it.definition.group.name();
    Text "unit" "`share`, `count`, `turns`, `us_dollars`, `tokens`, `seconds` or `number`." => it.definition.unit.name();
    Float "value" "The value." => it.value;
    Text "engine" "Name of the debate's engine." => it.listed.engine.as_str();
    Text "topic" "Topic of the debate." => it.listed.topic.as_str();
});

fn push(listed: &ListedDebate, rows: &mut TableRows) {
    for definition in MEASURES {
        if let Some(value) = listed.measures.get(definition.key) {
            push_row(rows, &ListedMeasure { debate: listed.debate, listed, definition, value: *value });
        }
    }
}
