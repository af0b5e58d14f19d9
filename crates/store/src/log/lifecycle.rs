//! Reads of the events that decide whether a debate needs a runner, through a small index of their own, so that every
//! process can follow them without reading the whole log.

use sqlx::AssertSqlSafe;

use crate::error::StoreError;
use crate::lanes::{Cursor, Heads};
use crate::log::log::Log;
use crate::log::row::{EVENT_COLUMNS, KEY_JOIN, decode_or_erased};
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

impl Log {
    /// Returns the events of [`LIFECYCLE_KINDS`] after a cursor and up to these heads, and the cursor behind everything
    /// that was passed, which may contain none of them.
    ///
    /// Cost: one statement, which reads rows of these kinds only.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if an event cannot be read; any other [`StoreError`] if the database cannot be reached or
    /// refuses the statement.
    pub async fn read_lifecycle(&self, cursor: &Cursor, heads: &Heads) -> Result<(Vec<Recorded>, Cursor), StoreError> {
        let stretches = cursor.next_ranges(heads, MAX_POSITIONS);
        // As literals, so that the planner can tell that the index applies.
        let kinds = LIFECYCLE_KINDS.map(|kind| format!("'{kind}'")).join(", ");
        let rows = sqlx::query(AssertSqlSafe(format!(
            "select {EVENT_COLUMNS}
            from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as stretch (lane, after, upto)
            cross join lateral (
                select *
                from events
                where events.lane = stretch.lane
                and events.position > stretch.after
                and events.position <= stretch.upto
                and events.kind in ({kinds})
                order by events.position
            ) as e
            {KEY_JOIN}",
        )))
        .bind(stretches.iter().map(|stretch| stretch.lane).collect::<Vec<_>>())
        .bind(stretches.iter().map(|stretch| stretch.after).collect::<Vec<_>>())
        .bind(stretches.iter().map(|stretch| stretch.upto).collect::<Vec<_>>())
        .fetch_all(self.pool())
        .await
        .map_err(StoreError::database("read the log"))?;
        let keys = self.keys().decryptors();
        let events = rows.iter().map(|row| decode_or_erased(row, &keys)).collect::<Result<Vec<_>, _>>()?;
        let mut reached = cursor.clone();
        stretches.iter().for_each(|stretch| reached.set(stretch.lane, stretch.upto));
        Ok((events, reached))
    }
}
