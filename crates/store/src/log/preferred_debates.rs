//! Debates that this process prefers: those of lanes whose stored views it keeps up to date.
//!
//! It opens debates in these lanes, and is the first to drive them. So it need not read back what was written there, however
//! many processes there are.

use std::sync::atomic::Ordering;

use uuid::Uuid;

use crate::lanes::{LaneSet, lane_of};
use crate::log::log::Log;
use faultline_core::events::ids::DebateId;

/// Maximum number of ids drawn: with 16 processes, one of 60 debates is then of another lane, which does no harm.
const MAX_DRAWS: usize = 64;

impl Log {
    /// Prefers debates of these lanes from now on, to open and to drive. None are preferred if the set is empty, as at the start.
    pub fn prefer_lanes(&self, lanes: LaneSet) {
        self.preferred_lanes().store(lanes.bits(), Ordering::Relaxed);
    }

    /// Returns whether a debate belongs to a preferred lane; always true if none are preferred.
    pub fn prefers(&self, debate: DebateId) -> bool {
        let preferred = LaneSet::from_bits(self.preferred_lanes().load(Ordering::Relaxed));
        preferred.is_empty() || preferred.contains(lane_of(debate))
    }

    /// Returns the id of a new debate, a UUID of version 7, in one of the preferred lanes.
    pub fn new_debate_id(&self) -> DebateId {
        let draw = || DebateId(Uuid::now_v7());
        (1..MAX_DRAWS).map(|_| draw()).find(|id| self.prefers(*id)).unwrap_or_else(draw)
    }
}
