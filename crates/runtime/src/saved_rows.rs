//! Rows of running debates that were saved last, so that the next save leaves out those that have not changed.
//!
//! Most of the cruxes and disputes of a debate stay as they are from one turn to the next, and to save a row again costs the
//! database as much as to save it first: it computes the words and the digest of the text before it finds the row.

use std::collections::HashMap;

use faultline_core::events::ids::DebateId;
use faultline_store::generations::save::ViewChanges;
use faultline_store::lanes::{LaneSet, lane_of};

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

    /// Forgets the rows of debates in other lanes than these.
    pub fn keep_lanes(&mut self, lanes: LaneSet) {
        self.debates.retain(|debate, _| lanes.contains(lane_of(*debate)));
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.debates.clear();
    }
}
