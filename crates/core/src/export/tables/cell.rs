//! Cells and rows of export tables.

use std::fmt::Display;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::events::ids::{
    ArgumentId, AttackId, CheckId, CruxId, DebateId, DisputeId, DraftId, PersonaId, ReasonId, RoomId, TurnId,
};
use crate::events::receipt::EffectKey;
use crate::verdicts::crux_id::CruxKey;

/// Value of a column in one row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// Text.
    Text(String),
    /// Integer of 64 bits.
    Integer(i64),
    /// Finite number.
    Float(f64),
    /// Truth value.
    Boolean(bool),
    /// Time.
    Timestamp(DateTime<Utc>),
    /// UUID.
    Uuid(Uuid),
}

impl Cell {
    /// Approximate memory use, in bytes.
    pub fn bytes(&self) -> usize {
        let text = if let Cell::Text(text) = self { text.len() } else { 0 };
        size_of::<Cell>() + text
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Null, Into::into)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Cell {
        Cell::Integer(number)
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Cell {
        Cell::Integer(number.into())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Cell {
        Cell::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Cell {
    /// A number that is not finite is no value: no format but Parquet could write it.
    fn from(number: f64) -> Cell {
        if number.is_finite() { Cell::Float(number) } else { Cell::Null }
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Cell {
        Cell::Boolean(value)
    }
}

impl From<DateTime<Utc>> for Cell {
    fn from(time: DateTime<Utc>) -> Cell {
        Cell::Timestamp(time)
    }
}

impl From<Uuid> for Cell {
    fn from(id: Uuid) -> Cell {
        Cell::Uuid(id)
    }
}

impl From<DebateId> for Cell {
    fn from(id: DebateId) -> Cell {
        Cell::Uuid(id.0)
    }
}

/// Implements the conversion of ids that are shown as text.
macro_rules! shown_as_text {
    ($($id:ty),+ $(,)?) => {
        $(impl From<$id> for Cell {
            fn from(id: $id) -> Cell {
                Cell::Text(id.to_string())
            }
        })+
    };
}

shown_as_text!(
    ArgumentId, AttackId, CheckId, CruxId, DisputeId, DraftId, ReasonId, RoomId, TurnId, &PersonaId, &EffectKey,
    &CruxKey
);

/// Rows of one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRows {
    width: usize,
    cells: Vec<Cell>,
    bytes: usize,
}

impl TableRows {
    /// Adds a row. All rows of a table have the same number of cells.
    pub fn push<const N: usize>(&mut self, row: [Cell; N]) {
        debug_assert!(self.width == 0 || self.width == N, "rows of {} and of {N} cells", self.width);
        self.width = N;
        self.bytes += row.iter().map(Cell::bytes).sum::<usize>();
        self.cells.extend(row);
    }

    /// Iterates over the rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[Cell]> {
        self.cells.chunks_exact(self.width.max(1))
    }

    /// Iterates over the rows, in order, to fill in cells.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [Cell]> {
        self.cells.chunks_exact_mut(self.width.max(1))
    }

    /// Takes all cells, row by row.
    pub fn into_cells(self) -> Vec<Cell> {
        self.cells
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.width).unwrap_or(0)
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Approximate memory use, in bytes; cells that were filled in later are not counted.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Joins ids and words with commas; no id and no word of an enumeration contains one. Empty if there are none.
pub(crate) fn joined<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for item in items {
        if !text.is_empty() {
            text.push(',');
        }
        text += &item.to_string();
    }
    text
}

/// Encodes texts as a JSON array.
pub(crate) fn texts(items: &[String]) -> String {
    Value::from(items).to_string()
}

/// Word of an enumeration as JSON exports spell it.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_chunks_of_equal_width() {
        let mut rows = TableRows::default();
        assert!(rows.is_empty() && rows.iter().next().is_none());
        rows.push([Cell::from("a"), Cell::from(1_u32)]);
        rows.push([Cell::from(None::<&str>), Cell::from(f64::NAN)]);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows.iter().last(), Some([Cell::Null, Cell::Null].as_slice()));
    }

    #[test]
    fn lists_of_words_are_joined_and_lists_of_texts_are_json() {
        assert_eq!(joined(["a3", "a7"]), "a3,a7");
        assert_eq!(joined::<&str>([]), "");
        assert_eq!(texts(&["a \"b\"".to_owned(), "c,d".to_owned()]), r#"["a \"b\"","c,d"]"#);
    }
}
