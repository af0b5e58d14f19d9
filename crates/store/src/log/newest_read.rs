//! Reads of the newest events of the log, once for all readers of this process.
//!
//! Events that other processes wrote are kept in memory for a moment once one reader has read them, beside those that
//! this process wrote ([`recent_events`](crate::log::recent_events)). Readers that are woken together read one after
//! another, so that all but the first find them there.

use std::sync::Arc;
use std::time::Instant;

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::error::StoreError;
use crate::lanes::{Cursor, Heads, LaneRange};
use crate::log::lane_reads::{ALL, columns, dense, events_of_ranges};
use crate::log::log::Log;
use crate::log::moved_lane::may_have_moved;
use crate::log::row::stored_event_or_erased;
use crate::log::stored_event::StoredEvent;
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;

/// Maximum number of events that are read for all readers at once. A reader that is further behind reads for itself.
const MAX_SHARED: i64 = 2_000;

impl Log {
    /// Reads like [`Log::read_to`]. Events near the heads are read once for all callers.
    ///
    /// # Errors
    /// As [`Log::read_to`].
    pub(crate) async fn read_newest(
        &self,
        cursor: &Cursor,
        heads: &Heads,
        limit: i64,
    ) -> Result<(Vec<Recorded>, Cursor), StoreError> {
        if cursor.lag(heads) > MAX_SHARED {
            return self.read_to(cursor, heads, limit).await;
        }
        match self.try_read_newest(cursor, heads, limit).await {
            Err(fault) if may_have_moved(&fault, self.shards()).await => {
                self.try_read_newest(cursor, heads, limit).await
            }
            found => found,
        }
    }

    async fn try_read_newest(
        &self,
        cursor: &Cursor,
        heads: &Heads,
        limit: i64,
    ) -> Result<(Vec<Recorded>, Cursor), StoreError> {
        let stretches = cursor.next_ranges(heads, limit);
        let events = self.shared(&stretches).await?;
        let events = events.iter().map(|event| event.read()).collect::<Result<Vec<_>, _>>()?;
        let reached = dense(cursor, &stretches, &events)?;
        Ok((events, reached))
    }

    /// Returns the debates that have grown in these ranges, with versions that they have there, the latest among them.
    ///
    /// # Errors
    /// [`StoreError::LaneGap`] if events are missing on the server of a lane, which has moved to another one; any other
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub(crate) async fn grown(&self, stretches: &[LaneRange]) -> Result<Vec<(DebateId, i64)>, StoreError> {
        let n_events: i64 = stretches.iter().map(|stretch| stretch.upto - stretch.after).sum();
        if n_events <= MAX_SHARED
            && let Ok(events) = self.shared(stretches).await
            && events.len() as i64 == n_events
        {
            return Ok(events.iter().map(|event| (event.debate, event.version)).collect());
        }
        // Far behind, or an event cannot be decrypted, which does not matter here.
        let sql = format!(
            "select e.debate_id, max(e.version), count(*)
            from {}
            group by e.debate_id",
            events_of_ranges(ALL)
        );
        let (mut grown, mut n_found) = (Vec::new(), 0);
        for group in self.shards().grouped(stretches, |stretch| stretch.lane) {
            let (lanes, after, upto) = columns(&group.of(stretches));
            let found: Vec<(Uuid, i64, i64)> = sqlx::query_as(AssertSqlSafe(sql.clone()))
                .bind(lanes)
                .bind(after)
                .bind(upto)
                .fetch_all(group.pool)
                .await
                .map_err(StoreError::database("look up which debates have grown"))?;
            n_found += found.iter().map(|(_, _, n)| n).sum::<i64>();
            grown.extend(found.into_iter().map(|(debate, version, _)| (DebateId(debate), version)));
        }
        match stretches.first() {
            Some(first) if n_found < n_events && !self.shards().others().is_empty() => {
                Err(StoreError::LaneGap { lane: first.lane, wanted: first.after + 1, found: None })
            }
            _ => Ok(grown),
        }
    }

    /// Returns the events of these ranges from memory, or reads them and keeps them there.
    async fn shared(&self, stretches: &[LaneRange]) -> Result<Vec<Arc<StoredEvent>>, StoreError> {
        let fresh = self.fresh();
        let _alone = fresh.reading().lock().await;
        if let Some(events) = fresh.of_lanes(Instant::now(), stretches) {
            return Ok(events);
        }
        let (now, began, keys) = (Instant::now(), fresh.n_forgotten(), self.keys().decryptors());
        let missing = fresh.missing(now, stretches);
        // Before the others can expire.
        let known = without(stretches, &missing);
        let mut events = fresh.of_lanes(now, &known).unwrap_or_default();
        let missing = if events.is_empty() { stretches.to_vec() } else { missing };
        let rows = self.rows_of(&missing, ALL).await?;
        let read = rows.iter().map(|row| stored_event_or_erased(row, &keys).map(Arc::new));
        let read = read.collect::<Result<Vec<_>, _>>()?;
        fresh.record_read(now, began, &read);
        events.extend(read);
        events.sort_by_key(|event| (event.lane, event.position));
        Ok(events)
    }
}

/// Returns the parts of these ranges outside of others, which lie within them, in order.
fn without(stretches: &[LaneRange], others: &[LaneRange]) -> Vec<LaneRange> {
    let mut rest = Vec::new();
    for LaneRange { lane, mut after, upto } in stretches.iter().copied() {
        let within = |other: &&LaneRange| other.lane == lane && other.after >= after && other.upto <= upto;
        let inner: Vec<&LaneRange> = others.iter().filter(within).collect();
        for other in inner {
            rest.push(LaneRange { lane, after, upto: other.after });
            after = other.upto;
        }
        rest.push(LaneRange { lane, after, upto });
    }
    rest.retain(|range| range.after < range.upto);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_cut_out_of_ranges() {
        let range = |lane, after, upto| LaneRange { lane, after, upto };
        let all = [range(1, 0, 10), range(2, 5, 9)];
        assert_eq!(without(&all, &[]), all);
        assert_eq!(without(&all, &all), []);
        assert_eq!(
            without(&all, &[range(1, 0, 2), range(1, 4, 5), range(2, 8, 9)]),
            [range(1, 2, 4), range(1, 5, 10), range(2, 5, 8)]
        );
    }
}
