//! Comparison of the stored views of a debate: those of two generations, or stored ones and those that a fold of the
//! same events gives.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::views::view_rows::{SUMMARY, VERDICT, project};
use faultline_core::events::ids::DebateId;
use faultline_core::projections::summary::Summary;
use faultline_core::verdicts::diff::list_match::match_items;
use faultline_core::verdicts::diff::stored_change::{
    StoredChange, StoredView, changes_of_crux_rows, changes_of_json, changes_of_verdicts,
};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_core::verdicts::verdict::Verdict;
use faultline_store::error::StoreError;
use faultline_store::generations::save::ViewChanges;
use faultline_store::views::crux_writes::DebateCruxes;
use faultline_store::views::views::{View, Views};

/// All stored views, in the order in which they are compared.
pub const ALL_VIEWS: [StoredView; 5] =
    [StoredView::Listing, StoredView::Summary, StoredView::Verdict, StoredView::Cruxes, StoredView::Disputes];

/// Stored views of one debate, each with its version; views that are not stored are absent.
#[derive(Clone, Debug, Default)]
pub struct DebateViews(BTreeMap<StoredView, (i64, ViewContent)>);

/// Content of a stored view.
#[derive(Clone, Debug)]
enum ViewContent {
    /// Object with a key per column or field.
    Object(Value),
    /// Verdict.
    Verdict(Box<Verdict>),
    /// Content that cannot be read as what it should be, with the error.
    Unreadable(String),
    /// Rows with their keys, in order.
    Rows(Vec<(String, Value)>),
}

impl DebateViews {
    /// Reads the stored views of debates in a generation: one statement per view. Debates without any view are absent.
    ///
    /// # Errors
    /// [`StoreError::Json`] if a stored row of a crux or a dispute is not valid JSON; another [`StoreError`] if the
    /// database cannot be reached or refuses the statement.
    pub async fn stored(
        views: &Views,
        generation: i32,
        debates: &[DebateId],
    ) -> Result<BTreeMap<DebateId, DebateViews>, StoreError> {
        let mut found: BTreeMap<DebateId, DebateViews> = BTreeMap::new();
        let mut add = |debate: DebateId, view: StoredView, version: i64, content: ViewContent| {
            found.entry(debate).or_default().0.insert(view, (version, content));
        };
        for row in views.lines(generation, debates).await? {
            add(row.debate, StoredView::Listing, row.version, ViewContent::Object(row.normalized()));
        }
        for (debate, View { version, value }) in views.load_many::<Value>(SUMMARY, generation, debates).await? {
            add(debate, StoredView::Summary, version, summary(value));
        }
        for (debate, View { version, value }) in views.load_many::<Value>(VERDICT, generation, debates).await? {
            add(debate, StoredView::Verdict, version, verdict(value));
        }
        for (debate, cruxes) in views.cruxes_of(generation, debates).await? {
            add(debate, StoredView::Cruxes, cruxes.version, crux_rows(&cruxes)?);
        }
        for (debate, (version, rows)) in views.stored_disputes(generation, debates).await? {
            add(debate, StoredView::Disputes, version, ViewContent::Rows(rows.into_iter().collect()));
        }
        Ok(found)
    }

    /// Computes the views that should be stored of a debate at the version of the read model.
    ///
    /// # Errors
    /// [`StoreError::Json`] if a view cannot be encoded.
    pub fn computed(generation: i32, debate: DebateId, read_model: &DebateReadModel) -> Result<Self, StoreError> {
        let mut rows = ViewChanges::default();
        project(&mut rows, generation, debate, read_model)?;
        let mut found = DebateViews::default();
        let mut add = |view: StoredView, version: i64, content: ViewContent| found.0.insert(view, (version, content));
        for row in &rows.debates {
            add(StoredView::Listing, row.version, ViewContent::Object(row.normalized()));
        }
        for row in &rows.views {
            let body = serde_json::from_str(&row.body.json()?).map_err(StoreError::json("read a fresh view"))?;
            match row.projection {
                SUMMARY => add(StoredView::Summary, row.version, summary(body)),
                _ => add(StoredView::Verdict, row.version, verdict(body)),
            };
        }
        for cruxes in &rows.cruxes {
            add(StoredView::Cruxes, cruxes.version, crux_rows(cruxes)?);
        }
        for disputes in &rows.disputes {
            let rows = disputes.normalized()?.into_iter().collect();
            add(StoredView::Disputes, disputes.version, ViewContent::Rows(rows));
        }
        Ok(found)
    }

    /// Version of a view; `None` if it is not stored.
    pub fn version(&self, view: StoredView) -> Option<i64> {
        self.0.get(&view).map(|(version, _)| *version)
    }

    /// Error of the stored verdict, if it cannot be read as one; it has an older or a newer form, or was altered.
    pub fn unreadable_verdict(&self) -> Option<&str> {
        match self.0.get(&StoredView::Verdict) {
            Some((_, ViewContent::Unreadable(error))) => Some(error),
            _ => None,
        }
    }

    /// True if every view of these has the same version here and there. Views that only one side has are ignored.
    pub fn has_versions_of(&self, other: &DebateViews) -> bool {
        self.0.iter().all(|(view, (version, _))| other.version(*view).is_none_or(|theirs| theirs == *version))
    }

    /// Lists the differences of one view; none exactly if both have it with the same content, or both lack it.
    pub fn changes(&self, view: StoredView, other: &DebateViews) -> Vec<StoredChange> {
        let content = |views: &DebateViews| views.0.get(&view).map(|(_, content)| content.clone());
        match (content(self), content(other)) {
            (None, None) => Vec::new(),
            (Some(before), Some(after)) => before.changes(view, &after),
            (before, after) => {
                let there = |content: Option<ViewContent>| content.map(|_| "stored".to_owned());
                vec![StoredChange::row(view, "", there(before), there(after))]
            }
        }
    }
}

impl ViewContent {
    fn changes(&self, view: StoredView, other: &ViewContent) -> Vec<StoredChange> {
        match (self, other) {
            (ViewContent::Object(before), ViewContent::Object(after)) => changes_of_json(view, "", before, after),
            (ViewContent::Verdict(before), ViewContent::Verdict(after)) => changes_of_verdicts(before, after),
            (ViewContent::Rows(before), ViewContent::Rows(after)) => row_changes(view, before, after),
            (before, after) => {
                let state = |content: &ViewContent| match content {
                    ViewContent::Unreadable(error) => Some(format!("unreadable: {error}")),
                    _ => Some("readable".to_owned()),
                };
                vec![StoredChange::row(view, "", state(before), state(after))]
            }
        }
    }
}

/// Compares rows by their keys: rows that only one side has, differences within rows, and the order.
fn row_changes(view: StoredView, before: &[(String, Value)], after: &[(String, Value)]) -> Vec<StoredChange> {
    let name = |key: &str| format!("{} {key}", if view == StoredView::Cruxes { "crux" } else { "dispute" });
    let text = |row: &Value| Some(row["statement"].as_str().unwrap_or_default().to_owned());
    let matched = match_items(before, after, |(key, _)| key);
    let mut found = Vec::new();
    for ((key, before), (_, after)) in &matched.both {
        found.extend(match view {
            StoredView::Cruxes => changes_of_crux_rows(key, before, after),
            _ => changes_of_json(view, &name(key), before, after),
        });
    }
    found.extend(matched.lost.iter().map(|(key, row)| StoredChange::row(view, &name(key), text(row), None)));
    found.extend(matched.gained.iter().map(|(key, row)| StoredChange::row(view, &name(key), None, text(row))));
    if matched.is_reordered {
        let keys = |rows: &'_ [(String, Value)]| rows.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        found.push(StoredChange::row_order(view, &keys(before), &keys(after)));
    }
    found
}

fn crux_rows(of: &DebateCruxes) -> Result<ViewContent, StoreError> {
    let rows = of.rows.iter().map(|row| Ok((row.key.clone(), row.normalized()?)));
    Ok(ViewContent::Rows(rows.collect::<Result<_, StoreError>>()?))
}

fn verdict(body: Value) -> ViewContent {
    match serde_json::from_value(body) {
        Ok(verdict) => ViewContent::Verdict(Box::new(verdict)),
        Err(error) => ViewContent::Unreadable(error.to_string()),
    }
}

/// A summary in the form in which this version writes it.
fn summary(body: Value) -> ViewContent {
    match rewritten::<Summary>(body) {
        Ok(body) => ViewContent::Object(body),
        Err(error) => ViewContent::Unreadable(error.to_string()),
    }
}

fn rewritten<T: Serialize + DeserializeOwned>(body: Value) -> Result<Value, serde_json::Error> {
    Ok(json!(serde_json::from_value::<T>(body)?))
}
