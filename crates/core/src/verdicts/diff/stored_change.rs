//! Differences between two states of a stored view: stored and computed, or of two generations.

use std::fmt;

use serde_json::Value;

use crate::verdicts::crux::Crux;
use crate::verdicts::diff::crux_changes::crux_changes;
use crate::verdicts::diff::json_changes::{JsonChange, json_changes};
use crate::verdicts::diff::verdict_change::VerdictChange;
use crate::verdicts::diff::verdict_changes::verdict_changes;
use crate::verdicts::verdict::Verdict;

/// Maximum number of characters of a value in the text form of a change.
pub const MAX_SHOWN: usize = 100;

/// Stored view of a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoredView {
    /// Row in the list of debates.
    Listing,
    /// Summary.
    Summary,
    /// Verdict.
    Verdict,
    /// List of cruxes.
    Cruxes,
    /// List of disputes.
    Disputes,
}

impl StoredView {
    /// Name of the view in statistics: `listing`, `summary`, `verdict`, `cruxes`, `disputes`.
    pub fn name(self) -> &'static str {
        match self {
            StoredView::Listing => "listing",
            StoredView::Summary => "summary",
            StoredView::Verdict => "verdict",
            StoredView::Cruxes => "cruxes",
            StoredView::Disputes => "disputes",
        }
    }
}

/// Difference between two states of a stored view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChange {
    /// View that differs.
    pub view: StoredView,
    /// Name of what differs: the kind of a [`VerdictChange`], otherwise a column or a key of the view; `row` for a row
    /// that only one state has, and `row_order` for the order of the rows.
    pub field: String,
    /// Item to which it belongs, such as a crux and a participant; empty for the view as a whole.
    pub item: String,
    /// First value, as text; `None` if there is none.
    pub from: Option<String>,
    /// Second value, as text; `None` if there is none.
    pub to: Option<String>,
    /// True if the values come from a small set, so that equal changes can be counted.
    pub is_categorical: bool,
}

impl StoredChange {
    /// Returns the difference that only one state has a row: `from` and `to` tell which, by a text about it.
    pub fn row(view: StoredView, key: &str, from: Option<String>, to: Option<String>) -> StoredChange {
        StoredChange { view, field: "row".to_owned(), item: key.to_owned(), from, to, is_categorical: false }
    }

    /// Returns the difference in the order of the rows, given by their keys.
    pub fn row_order(view: StoredView, from: &[String], to: &[String]) -> StoredChange {
        let (from, to) = (Some(from.join(", ")), Some(to.join(", ")));
        let field = "row_order".to_owned();
        StoredChange { view, field, item: String::new(), from, to, is_categorical: false }
    }

    fn of_verdict(view: StoredView, change: VerdictChange) -> StoredChange {
        let VerdictChange { kind, item, from, to } = change;
        let (field, is_categorical) = (kind.name().to_owned(), kind.is_categorical());
        StoredChange { view, field, item: item.to_string(), from, to, is_categorical }
    }

    fn of_json(view: StoredView, row: &str, change: JsonChange) -> StoredChange {
        let JsonChange { path, from, to } = change;
        let field = path.first().cloned().unwrap_or_else(|| "body".to_owned());
        let rest = path.get(1..).unwrap_or_default().join(".");
        let item: Vec<&str> = [row, &*rest].into_iter().filter(|text| !text.is_empty()).collect();
        StoredChange { view, field, item: item.join(", "), from, to, is_categorical: false }
    }
}

/// One line: field, item, and both values, each shortened to [`MAX_SHOWN`] characters, with control characters escaped.
impl fmt::Display for StoredChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| match value {
            None => "nothing".to_owned(),
            Some(text) => match text.char_indices().nth(MAX_SHOWN) {
                Some((end, _)) => format!("{:?}...", &text[..end]),
                None => format!("{text:?}"),
            },
        };
        let item = if self.item.is_empty() { String::new() } else { format!(" of {}", self.item) };
        write!(f, "{}{item}: {} instead of {}", self.field, value(&self.from), value(&self.to))
    }
}

/// Compares two states of a view as JSON, by their keys. `row` names the row of a list; it is empty otherwise.
pub fn changes_of_json(view: StoredView, row: &str, before: &Value, after: &Value) -> Vec<StoredChange> {
    json_changes(before, after).into_iter().map(|change| StoredChange::of_json(view, row, change)).collect()
}

/// Compares two stored verdicts.
pub fn changes_of_verdicts(before: &Verdict, after: &Verdict) -> Vec<StoredChange> {
    let changes = verdict_changes(before, after).into_iter();
    changes.map(|change| StoredChange::of_verdict(StoredView::Verdict, change)).collect()
}

/// Compares two states of the row of a crux: its columns, and its body under the key `body`. A body that is no crux of
/// this version, or that differs in something that this version does not read, is compared as JSON.
pub fn changes_of_crux_rows(key: &str, before: &Value, after: &Value) -> Vec<StoredChange> {
    let columns = |row: &Value| {
        let mut row = row.clone();
        row.as_object_mut().and_then(|columns| columns.remove("body"));
        row
    };
    let row = format!("crux {key}");
    let mut found = changes_of_json(StoredView::Cruxes, &row, &columns(before), &columns(after));
    let (from, to) = (&before["body"], &after["body"]);
    if from == to {
        return found;
    }
    let read = |body: &Value| serde_json::from_value::<Crux>(body.clone()).ok();
    let typed = read(from).zip(read(to)).filter(|(from, to)| from.key == to.key);
    let typed = typed.map(|(from, to)| crux_changes(&from, &to)).unwrap_or_default();
    if typed.is_empty() {
        let bodies = (serde_json::json!({ "body": from }), serde_json::json!({ "body": to }));
        found.extend(changes_of_json(StoredView::Cruxes, &row, &bodies.0, &bodies.1));
    }
    found.extend(typed.into_iter().map(|change| StoredChange::of_verdict(StoredView::Cruxes, change)));
    found
}
