//! Definition of an export table: its name, its columns, and the source of its rows.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::events::event::Recorded;
use crate::events::ids::{DebateId, PersonaId};
use crate::export::tables::cell::TableRows;
use crate::projections::projection::Projection;
use crate::verdicts::crux::Crux;

/// Table that can be exported.
#[derive(Clone, Copy, Debug)]
pub struct ExportTable {
    /// Name, as in commands and addresses.
    pub name: &'static str,
    /// Description in one sentence: the meaning of a row, and the order of the rows of a debate.
    pub about: &'static str,
    /// Columns, in order. The first one is always `debate_id`.
    pub columns: &'static [TableColumn],
    /// Source of the rows.
    pub source: TableSource,
}

impl ExportTable {
    /// Index of a column; `None` if the table has none of this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

/// Column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Name in `snake_case`.
    pub name: &'static str,
    /// Type of its values.
    pub kind: ColumnType,
    /// True if values may be missing.
    pub nullable: bool,
    /// Meaning of a value, with its unit.
    pub doc: &'static str,
}

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Text in UTF-8.
    Text,
    /// Integer of 64 bits.
    Integer,
    /// Number of 64 bits.
    Float,
    /// Truth value.
    Boolean,
    /// Time in UTC, with microseconds.
    Timestamp,
    /// UUID, written as text.
    Uuid,
}

impl ColumnType {
    /// Name of the type in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Text => "text",
            ColumnType::Integer => "integer",
            ColumnType::Float => "float",
            ColumnType::Boolean => "boolean",
            ColumnType::Timestamp => "timestamp",
            ColumnType::Uuid => "uuid",
        }
    }
}

/// Source of the rows of a table.
#[derive(Clone, Copy, Debug)]
pub enum TableSource {
    /// The stored list of debates.
    List(fn(&ListedDebate, &mut TableRows)),
    /// The stored cruxes of a debate.
    Cruxes(fn(&ListedCrux, &mut TableRows)),
    /// A fold of the events of these kinds, in order.
    Events {
        /// Kinds of events that the fold applies. Other events change nothing, so that they are not read.
        kinds: &'static [&'static str],
        /// Creates an empty fold.
        fold: fn() -> Box<dyn TableFold>,
    },
}

/// Fold of one debate's events into rows.
pub trait TableFold: Send {
    /// Applies the next event. Ignores events of other kinds.
    fn apply(&mut self, recorded: &Recorded);

    /// Adds the rows of the debate.
    fn push_rows(&self, debate: DebateId, rows: &mut TableRows);
}

/// Fold of a projection, whose rows a function gives.
pub(crate) struct ProjectionFold<P> {
    view: P,
    rows: fn(DebateId, &P, &mut TableRows),
}

impl<P: Projection> ProjectionFold<P> {
    /// Creates an empty fold.
    pub(crate) fn boxed(rows: fn(DebateId, &P, &mut TableRows)) -> Box<dyn TableFold> {
        Box::new(ProjectionFold { view: P::default(), rows })
    }
}

impl<P: Projection> TableFold for ProjectionFold<P> {
    fn apply(&mut self, recorded: &Recorded) {
        self.view.apply(recorded);
    }

    fn push_rows(&self, debate: DebateId, rows: &mut TableRows) {
        (self.rows)(debate, &self.view, rows);
    }
}

/// Debate as the stored list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedDebate {
    /// Id of the debate.
    pub debate: DebateId,
    /// Version of the debate's newest event in the list.
    pub version: i64,
    /// Topic.
    pub topic: String,
    /// Name of the engine.
    pub engine: String,
    /// Name of the provider.
    pub provider: String,
    /// Status, as in JSON exports.
    pub status: String,
    /// Current phase, if the engine has phases.
    pub phase: Option<String>,
    /// Kind of the outcome, if the debate ended by itself.
    pub outcome: Option<String>,
    /// Regime, as in JSON exports.
    pub regime: Option<String>,
    /// Seed of the random choices, as a decimal number.
    pub seed: Option<String>,
    /// Participants in speaking order.
    pub participants: Vec<PersonaId>,
    /// Time of the opening.
    pub opened_at: DateTime<Utc>,
    /// Time of the newest event.
    pub changed_at: DateTime<Utc>,
    /// Time of the end.
    pub ended_at: Option<DateTime<Utc>>,
    /// Number of tokens read and written.
    pub tokens: i64,
    /// Cost in millionths of a US dollar.
    pub cost_micros: i64,
    /// Numbers of what the debate contains.
    pub counts: ListedCounts,
    /// Measures that have a value, by key; none until the debate ends.
    pub measures: BTreeMap<String, f64>,
}

/// Numbers of what a debate contains; `None` for a debate that an earlier version of the program listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListedCounts {
    /// Turns taken, without interjections.
    pub turns: i64,
    /// Arguments ever advanced.
    pub arguments: Option<i64>,
    /// Attacks ever raised.
    pub attacks: Option<i64>,
    /// Concessions recorded.
    pub concessions: Option<i64>,
    /// Disputes raised.
    pub disputes: i64,
    /// Disputes on which participants are opposed.
    pub open_disputes: i64,
    /// Cruxes, open or resolved.
    pub cruxes: i64,
    /// Open cruxes.
    pub open_cruxes: i64,
}

/// Crux as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedCrux {
    /// Id of the debate.
    pub debate: DebateId,
    /// Version of the debate's newest event in the stored row.
    pub version: i64,
    /// Place in the debate's list, from 1.
    pub rank: i32,
    /// Time at which it became a crux.
    pub opened_at: DateTime<Utc>,
    /// Time of the newest turn behind it.
    pub changed_at: DateTime<Utc>,
    /// The crux.
    pub crux: Crux,
}
