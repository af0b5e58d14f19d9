//! Reads of the events that decide whether a debate needs a runner, through a small index of their own, so that every
//! process can follow them without reading the whole log.

use crate::error::StoreError;
use crate::lanes::{Cursor, Heads};
use crate::log::log::Log;
use crate::log::row::decode_or_erased;
use faultline_core::events::event::Recorded;

/// Kinds of these events: the condition of the index `events_lifecycle`.
pub const LIFECYCLE_KINDS: [&str; 10] = [
    "audit_concluded",
    "audit_requested",
    "debate_aborted",
    "debate_concluded",
    "debate_forked",
    "debate_opened",
    "debate_paused",
    "debate_resumed",
    "probes_concluded",
    "probes_requested",
];
/// Number of positions that one read passes at most.
const MAX_POSITIONS: i64 = 20_000;

/// Events of these kinds, as far as they can be read.
#[derive(Debug)]
pub struct LifecyclePage {
    /// The events, in order within each lane.
    pub events: Vec<Recorded>,
    /// Cursor behind everything that was passed: the end of each range, or the position before an event that cannot be read.
    pub reached: Cursor,
    /// Fault of the first event that cannot be read, [`StoreError::Damaged`].
    pub damage: Option<StoreError>,
}

impl Log {
    /// Returns the events of [`LIFECYCLE_KINDS`] after a cursor and up to these heads. There may be none in what was passed.
    ///
    /// Cost: one statement, which reads rows of these kinds only; with several servers two for each.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn read_lifecycle(&self, cursor: &Cursor, heads: &Heads) -> Result<LifecyclePage, StoreError> {
        let heads = self.held_heads(heads).await?;
        let stretches = cursor.next_ranges(&heads, MAX_POSITIONS);
        // As literals, so that the planner can tell that the index applies.
        let kinds = LIFECYCLE_KINDS.map(|kind| format!("'{kind}'")).join(", ");
        let rows = self.rows_of(&stretches, &format!("events.kind in ({kinds})")).await?;
        let (mut events, mut reached, mut damage) = (Vec::new(), cursor.clone(), None);
        stretches.iter().for_each(|stretch| reached.set(stretch.lane, stretch.upto));
        let keys = self.keys().decryptors();
        for row in &rows {
            match decode_or_erased(row, &keys) {
                Ok(event) if event.position <= reached.position(event.lane) => events.push(event),
                // Behind an event of its lane that cannot be read.
                Ok(_) => {}
                Err(fault) => {
                    let StoreError::Damaged { lane, position, .. } = fault else { return Err(fault) };
                    if position <= reached.position(lane) {
                        reached.set(lane, position - 1);
                        damage.get_or_insert(fault);
                    }
                }
            }
        }
        Ok(LifecyclePage { events, reached, damage })
    }

    /// Returns these heads, but none beyond what the server of a lane holds: until this process knows that a lane has moved, it
    /// hears of events that are not where it reads, and would pass them.
    async fn held_heads(&self, heads: &Heads) -> Result<Heads, StoreError> {
        if self.shards().others().is_empty() {
            return Ok(*heads);
        }
        let mut held = self.heads().await?;
        held.iter_mut().zip(heads).for_each(|(held, head)| *held = (*held).min(*head));
        Ok(held)
    }
}
