//! Rows of running debates that were saved last, so that the next save leaves out those that have not changed.
//!
//! Most of the cruxes and disputes of a debate stay as they are from one turn to the next, and to save a row again costs the
//! database as much as to save it first: it computes the words and the digest of the text before it finds the row.

use std::collections::HashMap;

use faultline_core::events::ids::DebateId;
use faultline_store::generations::save::ViewChanges;

/// Maximum number of debates whose rows are known; beyond it, all are saved once more.
const MAX_DEBATES: usize = 20_000;

/// Digests of the rows of debates. They hold for as long as nobody else saves rows of these debates, and no save fails.
#[derive(Debug, Default)]
pub struct SavedRows {
    debates: HashMap<DebateId, RowDigests>,
}

/// Digests of the rows of one debate, by their keys.
#[derive(Debug, Default)]
struct RowDigests {
    cruxes: HashMap<String, u64>,
    disputes: HashMap<String, u64>,
}

impl SavedRows {
    /// Removes rows that are saved already from these changes, and remembers the others, which are saved next. Rows of a
    /// debate that has ended are not remembered.
    pub fn leave_out_unchanged(&mut self, changes: &mut ViewChanges) {
        if self.debates.len() > MAX_DEBATES {
            self.debates.clear();
        }
        for cruxes in &mut changes.cruxes {
            let known = &mut self.debates.entry(cruxes.debate).or_default().cruxes;
            let mut digests = HashMap::with_capacity(cruxes.rows.len());
            for row in std::mem::take(&mut cruxes.rows) {
                let digest = row.digest();
                match known.get(&row.key) == Some(&digest) {
                    true => cruxes.unchanged.push(row.key.clone()),
                    false => cruxes.rows.push(row.clone()),
                }
                digests.insert(row.key, digest);
            }
            *known = digests;
        }
        for disputes in &mut changes.disputes {
            let known = &mut self.debates.entry(disputes.debate).or_default().disputes;
            disputes.rows.retain(|row| {
                let digest = row.digest();
                known.insert(row.key.to_string(), digest) != Some(digest)
            });
        }
        for row in changes.debates.iter().filter(|row| row.ended_at.is_some()) {
            self.debates.remove(&row.debate);
        }
    }

    /// Forgets the rows of a debate.
    pub fn remove(&mut self, debate: DebateId) {
        self.debates.remove(&debate);
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.debates.clear();
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use faultline_core::events::ids::DisputeId;
    use faultline_store::views::crux_writes::{CruxRow, DebateCruxes};
    use faultline_store::views::dispute_writes::{DebateDisputes, DisputeRow};
    use serde_json::value::RawValue;
    use uuid::Uuid;

    use super::*;

    const DEBATE: DebateId = DebateId(Uuid::from_u128(1));

    fn crux(key: &str, place: i32, statement: &str) -> CruxRow {
        let at: DateTime<Utc> = DateTime::UNIX_EPOCH;
        CruxRow {
            key: key.to_owned(),
            place,
            kind: "premise".to_owned(),
            open: true,
            statement: statement.to_owned(),
            pivotality: Some(0.5),
            order: None,
            n_dependents: 1,
            personas: Vec::new(),
            regime: "partial".to_owned(),
            opened_at: at,
            changed_at: at,
            body: RawValue::from_string("{}".to_owned()).expect("JSON"),
        }
    }

    fn dispute(key: u32, status: &str) -> DisputeRow {
        let at: DateTime<Utc> = DateTime::UNIX_EPOCH;
        DisputeRow {
            key: DisputeId(key),
            statement: "Is winter rough?".to_owned(),
            status: status.to_owned(),
            is_topic: false,
            personas: Vec::new(),
            opened_at: at,
            changed_at: at,
            body: RawValue::from_string("{}".to_owned()).expect("JSON"),
        }
    }

    fn changes(version: i64, cruxes: Vec<CruxRow>, disputes: Vec<DisputeRow>) -> ViewChanges {
        let (generation, debate) = (1, DEBATE);
        ViewChanges {
            cruxes: vec![DebateCruxes { generation, debate, version, rows: cruxes, unchanged: Vec::new() }],
            disputes: vec![DebateDisputes { generation, debate, version, rows: disputes }],
            ..ViewChanges::default()
        }
    }

    /// Keys of the cruxes that are saved, of those that are left out, and of the disputes that are saved.
    fn keys(saved: &mut SavedRows, mut changes: ViewChanges) -> (Vec<String>, Vec<String>, Vec<String>) {
        saved.leave_out_unchanged(&mut changes);
        let cruxes = &changes.cruxes[0];
        let rows = cruxes.rows.iter().map(|row| row.key.clone()).collect();
        let disputes = changes.disputes[0].rows.iter().map(|row| row.key.to_string()).collect();
        (rows, cruxes.unchanged.clone(), disputes)
    }

    fn texts(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    #[test]
    fn only_rows_that_changed_are_saved_again() {
        let mut saved = SavedRows::default();
        let first =
            || changes(1, vec![crux("a", 1, "A"), crux("b", 2, "B")], vec![dispute(1, "open"), dispute(2, "open")]);
        assert_eq!(keys(&mut saved, first()), (texts(&["a", "b"]), texts(&[]), texts(&["d1", "d2"])));
        assert_eq!(keys(&mut saved, first()), (texts(&[]), texts(&["a", "b"]), texts(&[])));
        let next =
            changes(2, vec![crux("b", 1, "B"), crux("a", 2, "A")], vec![dispute(1, "settled"), dispute(2, "open")]);
        assert_eq!(keys(&mut saved, next), (texts(&["b", "a"]), texts(&[]), texts(&["d1"])), "their places changed");
        let gone = changes(3, vec![crux("b", 1, "B")], vec![]);
        assert_eq!(keys(&mut saved, gone), (texts(&[]), texts(&["b"]), texts(&[])));
        let again = changes(4, vec![crux("b", 1, "B"), crux("a", 2, "A")], vec![]);
        assert_eq!(
            keys(&mut saved, again),
            (texts(&["a"]), texts(&["b"]), texts(&[])),
            "its row was deleted meanwhile"
        );
        saved.remove(DEBATE);
        assert_eq!(keys(&mut saved, first()).0, texts(&["a", "b"]), "what is forgotten is saved once more");
        assert_eq!(keys(&mut saved, first()).0, texts(&[]));
        saved.clear();
        assert_eq!(keys(&mut saved, first()).0, texts(&["a", "b"]));
    }
}
