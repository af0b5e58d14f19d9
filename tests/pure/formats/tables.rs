//! Export tables: rows of rehearsed debates, their agreement with the read model, and their documentation.
//! `UPDATE=1 cargo test --test pure tables` rewrites the expected rows and the columns in docs/tables.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;
use faultline_core::export::tables::cell::{Cell, TableRows};
use faultline_core::export::tables::export_table::{
    ColumnType, ExportTable, ListedCounts, ListedCrux, ListedDebate, TableSource,
};
use faultline_core::export::tables::reference::{HEADING, column_reference};
use faultline_core::export::tables::registry::{TABLES, find_table};
use faultline_core::measures::registry::measures;
use faultline_core::projections::disputes::dispute_state::DisputeStatus;
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_tables::encoder::TableEncoder;
use faultline_tables::format::TableFormat;
use uuid::Uuid;

use crate::rehearsals::{rehearsals, rehearsed};

const DEBATE: DebateId = DebateId(Uuid::from_u128(7));

fn in_checkout(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Rows of a table, made of the events that it names or, if `all`, of all events.
fn rows(table: &ExportTable, events: &[Recorded], all: bool) -> TableRows {
    let mut rows = TableRows::default();
    match table.source {
        TableSource::Events { kinds, fold } => {
            let mut fold = fold();
            let events = events.iter().filter(|event| all || kinds.contains(&event.event.kind()));
            events.for_each(|event| fold.apply(event));
            fold.push_rows(DEBATE, &mut rows);
        }
        TableSource::List(push) => push(&listed(&DebateReadModel::of(events)), &mut rows),
        TableSource::Cruxes(push) => {
            let read_model = DebateReadModel::of(events);
            for (rank, crux) in (1..).zip(read_model.verdict().all_cruxes()) {
                let (debate, version, crux) = (DEBATE, read_model.summary.version, crux.clone());
                let (opened_at, changed_at) = crux.times(&read_model.transcript, DateTime::<Utc>::UNIX_EPOCH);
                push(&ListedCrux { debate, version, rank, opened_at, changed_at, crux }, &mut rows);
            }
        }
    }
    rows
}

fn listed(read_model: &DebateReadModel) -> ListedDebate {
    let (summary, verdict) = (&read_model.summary, read_model.verdict());
    let count = |n: usize| i64::try_from(n).expect("a small number");
    let disputes = &read_model.disputes.disputes;
    let open = disputes.values().filter(|dispute| dispute.status() == DisputeStatus::Open);
    ListedDebate {
        debate: DEBATE,
        version: summary.version,
        topic: summary.topic.clone(),
        engine: summary.engine.clone(),
        provider: summary.provider.clone(),
        status: summary.status.name().to_owned(),
        phase: summary.phase.clone(),
        outcome: summary.outcome.as_ref().map(|outcome| outcome.kind().to_owned()),
        regime: Some(verdict.regime.kind.name().to_owned()),
        seed: Some(summary.seed.to_string()),
        participants: summary.participants.iter().map(|participant| participant.persona.clone()).collect(),
        opened_at: summary.opened_at.expect("an opening"),
        changed_at: summary.updated_at.expect("an event"),
        ended_at: summary.ended_at,
        tokens: count((summary.usage.total.input_tokens + summary.usage.total.output_tokens) as usize),
        cost_micros: count(summary.usage.total.cost_micros as usize),
        counts: ListedCounts {
            turns: summary.n_turns.into(),
            arguments: Some(count(read_model.arguments.arguments.len())),
            attacks: Some(count(read_model.arguments.attacks.len())),
            concessions: Some(count(read_model.concessions.concessions.len())),
            disputes: count(disputes.len()),
            open_disputes: count(open.count()),
            cruxes: count(verdict.all_cruxes().count()),
            open_cruxes: count(verdict.all_cruxes().filter(|crux| crux.open).count()),
        },
        measures: measures(read_model, &verdict)
            .into_iter()
            .filter_map(|it| Some((it.definition.key.to_owned(), it.measurement.value?)))
            .collect(),
    }
}

fn csv(table: &'static ExportTable, rows: TableRows) -> String {
    let mut encoder = TableEncoder::new(table, TableFormat::Csv).expect("an encoder");
    let mut text = encoder.push(rows).expect("rows");
    text.extend(encoder.finish().expect("the end"));
    String::from_utf8(text).expect("UTF-8")
}

#[test]
fn tables_of_rehearsed_debates_have_the_expected_rows() {
    for (name, tables) in [
        ("dialogue_concedes", &["turns", "arguments", "attacks", "concessions"] as &[&str]),
        ("disputes_polarized", &["cruxes"]),
        ("disputes_settles", &["debates", "stances", "calls"]),
        ("graph_grounded", &["citations"]),
        ("pro_con_standard", &["checks"]),
    ] {
        let mut text = String::new();
        for table in tables {
            let table = find_table(table).expect("a table");
            let rows = rows(table, &rehearsed(name).0, false);
            assert!(!rows.is_empty(), "{name} has no {}", table.name);
            text += &format!("= {}\n{}", table.name, csv(table, rows));
        }
        let path = in_checkout(&format!("tests/fixtures/tables/{name}.txt"));
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
            fs::write(&path, &text).expect("the fixture is rewritten");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(text == expected, "{} is not what the code makes:\n{text}", path.display());
    }
}

/// Only the events of the kinds that a table names are read for it.
#[test]
fn events_of_other_kinds_change_no_row() {
    for (name, log) in rehearsals() {
        for table in TABLES {
            let some = rows(table, &log.0, false);
            assert!(some == rows(table, &log.0, true), "{name}: {} lacks a kind of events", table.name);
        }
    }
}

#[test]
fn cells_fit_their_columns() {
    let mut filled = BTreeSet::new();
    for (name, log) in rehearsals() {
        for table in TABLES {
            for row in rows(table, &log.0, false).iter() {
                assert_eq!(row.len(), table.columns.len(), "{}", table.name);
                for (column, cell) in table.columns.iter().zip(row) {
                    let fits = match (column.kind, cell) {
                        (_, Cell::Null) => column.nullable,
                        (ColumnType::Text, Cell::Text(_))
                        | (ColumnType::Integer, Cell::Integer(_))
                        | (ColumnType::Float, Cell::Float(_))
                        | (ColumnType::Boolean, Cell::Boolean(_))
                        | (ColumnType::Timestamp, Cell::Timestamp(_))
                        | (ColumnType::Uuid, Cell::Uuid(_)) => true,
                        _ => false,
                    };
                    assert!(fits, "{name}: {}.{} is {cell:?}", table.name, column.name);
                    filled.extend((*cell != Cell::Null).then_some((table.name, column.name)));
                }
            }
        }
    }
    // The library knows documents; receipts are named by runners; and no rehearsal has the others.
    let known = [
        ("citations", "owner_id"),
        ("citations", "document"),
        ("turns", "receipt_id"),
        ("attacks", "quote"),
        ("stances", "statement"),
        ("citations", "reason_id"),
    ];
    let columns = TABLES.iter().flat_map(|table| table.columns.iter().map(|column| (table.name, column.name)));
    let empty: Vec<_> = columns.filter(|column| !filled.contains(column) && !known.contains(column)).collect();
    assert!(empty.is_empty(), "no rehearsal has a value in {empty:?}");
}

#[test]
fn tables_agree_with_the_read_model() {
    for (name, log) in rehearsals() {
        let read_model = DebateReadModel::of(&log.0);
        let of = |table: &str| rows(find_table(table).expect("a table"), &log.0, false);
        let column = |table: &str, column: &str| -> Vec<Cell> {
            let place = find_table(table).and_then(|table| table.column(column)).expect("a column");
            of(table).iter().map(|row| row[place].clone()).collect()
        };
        let sum = |table: &str, name: &str| -> i64 {
            let cells = column(table, name);
            cells.iter().map(|cell| if let Cell::Integer(number) = cell { *number } else { panic!("{cell:?}") }).sum()
        };
        assert_eq!(of("turns").len(), read_model.transcript.turns.len(), "{name}");
        for (table, counted) in [
            ("arguments", "n_arguments"),
            ("attacks", "n_attacks"),
            ("concessions", "n_concessions"),
            ("cruxes", "n_cruxes"),
        ] {
            assert_eq!(of(table).len() as i64, sum("debates", counted), "{name}: {table}");
        }
        let labels: Vec<Cell> = column("arguments", "label").into_iter().filter(|cell| *cell != Cell::Null).collect();
        let expected: Vec<String> =
            read_model.verdict().labels.values().map(|label| format!("{label:?}").to_uppercase()).collect();
        assert_eq!(labels, expected.into_iter().map(Cell::Text).collect::<Vec<_>>(), "{name}");
        let active = column("attacks", "is_active").iter().filter(|cell| **cell == Cell::Boolean(true)).count();
        assert_eq!(active, read_model.arguments.active().count(), "{name}");
        let tokens = ["input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"];
        assert_eq!(tokens.map(|tokens| sum("calls", tokens)).iter().sum::<i64>(), sum("debates", "tokens"), "{name}");
        assert_eq!(sum("calls", "cost_micros"), sum("debates", "cost_micros"), "{name}");
        assert_eq!(sum("calls", "n_attempts"), i64::from(read_model.summary.usage.total.calls), "{name}");
        assert_eq!(sum("calls", "n_failed"), i64::from(read_model.summary.usage.total.failed), "{name}");
        let current = column("stances", "is_current").iter().filter(|cell| **cell == Cell::Boolean(true)).count();
        let stances: usize = read_model.disputes.disputes.values().map(|dispute| dispute.stances.len()).sum();
        assert_eq!(current, stances, "{name}");
    }
}

#[test]
fn the_documented_columns_are_those_of_the_code() {
    let path = in_checkout("docs/tables.md");
    let page = fs::read_to_string(&path).expect("docs/tables.md");
    let start = page.find(&format!("\n{HEADING}")).expect("the section on columns") + 1;
    if page[start..] == column_reference() {
        return;
    }
    assert!(
        std::env::var_os("UPDATE").is_some(),
        "the columns in docs/tables.md are not those of the code; if the change is intended: UPDATE=1 cargo test --test pure tables"
    );
    fs::write(&path, format!("{}{}", &page[..start], column_reference())).expect("docs is writable");
}
