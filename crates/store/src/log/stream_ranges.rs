//! Reads ranges of several debates' streams at once, for pages that show many debates.

use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgPool};

use crate::error::StoreError;
use crate::lanes::lane_of;
use crate::log::fork_event::fork_event;
use crate::log::log::Log;
use crate::log::row::{EVENT_COLUMNS, group_by_part, stored_event};
use crate::log::stored_event::StoredEvent;
use faultline_core::events::ids::DebateId;

/// Maximum number of events read by one statement, unless a single range is longer.
const MAX_AT_ONCE: i64 = 50_000;

/// A range of a debate's stream: `after` is exclusive, `upto` inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamRange {
    /// The debate.
    pub debate: DebateId,
    /// Version before the first event of the range.
    pub after: i64,
    /// Version of the last event of the range.
    pub upto: i64,
}

impl Log {
    /// Returns the events of each range, in order. The part that a fork shares with its origin is returned as the
    /// origin's events.
    ///
    /// Cost: one statement per server and 50,000 events, whatever the number of ranges; as many more per level of fork
    /// origins.
    ///
    /// # Errors
    /// [`StoreError::StreamGap`] if a version is missing; [`StoreError::Damaged`] if an event that is needed to follow
    /// a fork cannot be read; any other [`StoreError`] if the database cannot be reached or refuses a statement.
    pub async fn read_ranges(&self, wanted: &[StreamRange]) -> Result<Vec<Vec<StoredEvent>>, StoreError> {
        let mut found = vec![Vec::new(); wanted.len()];
        let mut pending: Vec<(usize, StreamRange)> = wanted.iter().copied().enumerate().collect();
        while !pending.is_empty() {
            let mut shared = Vec::new();
            let mut rest = pending.as_slice();
            while !rest.is_empty() {
                let (now, later) = rest.split_at(fitting(rest));
                for ((place, part), mut events) in now.iter().zip(self.own_parts(now).await?) {
                    shared.extend(before(part, &events)?.map(|range| (*place, range)));
                    events.retain(|event| event.version <= part.upto);
                    events.append(&mut found[*place]);
                    found[*place] = events;
                }
                rest = later;
            }
            pending = shared;
        }
        for (part, events) in wanted.iter().zip(&found) {
            if let Some((it, wanted)) =
                events.iter().zip(part.after + 1..).find(|(event, wanted)| event.version != *wanted)
            {
                return Err(StoreError::StreamGap { debate: part.debate, wanted, found: it.version });
            }
        }
        Ok(found)
    }

    /// Reads as many events of each stream as the range is long, from the start of the range. If a fork's own events
    /// begin behind the range, returns those.
    async fn own_parts(&self, parts: &[(usize, StreamRange)]) -> Result<Vec<Vec<StoredEvent>>, StoreError> {
        // A statement over arrays is planned each time, which costs more than reading one debate's events.
        if let [(_, it)] = parts {
            let rows = self.own_rows(it.debate, it.after, (it.upto - it.after).max(0)).await?;
            let keys = self.keys().decryptors();
            return Ok(vec![rows.iter().map(|row| stored_event(row, &keys)).collect::<Result<_, _>>()?]);
        }
        let parts: Vec<StreamRange> = parts.iter().map(|(_, part)| *part).collect();
        let mut found = vec![Vec::new(); parts.len()];
        for group in self.shards().grouped(&parts, |part| lane_of(part.debate)) {
            let events = self.own_parts_on(group.pool, &group.of(&parts)).await?;
            group.place(events, &mut found);
        }
        Ok(found)
    }

    /// Reads like [`Log::own_parts`] from the server that holds the streams.
    async fn own_parts_on(&self, pool: &PgPool, parts: &[StreamRange]) -> Result<Vec<Vec<StoredEvent>>, StoreError> {
        let rows = sqlx::query(AssertSqlSafe(format!(
            "select {EVENT_COLUMNS}, part.place
            from unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::bigint[])
                with ordinality as part (lane, debate_id, after, upto, place)
            left join lateral (
                select debate_id, key, master
                from debate_keys
                where debate_keys.debate_id = part.debate_id
                limit 1
            ) as k on true
            cross join lateral (
                select *
                from events
                where events.lane = part.lane
                and events.debate_id = part.debate_id
                and events.version > part.after
                order by events.version
                limit part.upto - part.after
            ) as e",
        )))
        .bind(parts.iter().map(|part| lane_of(part.debate)).collect::<Vec<_>>())
        .bind(parts.iter().map(|part| part.debate.0).collect::<Vec<_>>())
        .bind(parts.iter().map(|part| part.after).collect::<Vec<_>>())
        .bind(parts.iter().map(|part| part.upto.max(part.after)).collect::<Vec<_>>())
        .fetch_all(pool)
        .await
        .map_err(StoreError::database("read the events of several debates"))?;
        let keys = self.keys().decryptors();
        group_by_part(&rows, parts.len(), |row| stored_event(row, &keys))
    }

    /// Reads the events of a debate's own stream after a version, in order, each with the debate's key, which is looked
    /// up once.
    pub(crate) async fn own_rows(&self, debate: DebateId, after: i64, limit: i64) -> Result<Vec<PgRow>, StoreError> {
        sqlx::query(AssertSqlSafe(format!(
            "with k as materialized (
                select debate_id, key, master
                from debate_keys
                where debate_id = $2
            )
            select {EVENT_COLUMNS}
            from events e
            left join k on true
            where e.lane = $1
            and e.debate_id = $2
            and e.version > $3
            order by e.version
            limit $4",
        )))
        .bind(lane_of(debate))
        .bind(debate.0)
        .bind(after)
        .bind(limit)
        .fetch_all(self.pool_of(debate))
        .await
        .map_err(StoreError::database("read a debate's events"))
    }
}

/// Returns the number of ranges that one statement reads, at least one.
fn fitting(parts: &[(usize, StreamRange)]) -> usize {
    let mut left = MAX_AT_ONCE;
    let fits = parts.iter().take_while(|(_, part)| {
        left -= (part.upto - part.after).max(0);
        left >= 0
    });
    fits.count().max(1)
}

/// Returns the part of a range that lies in the origin of a fork.
fn before(part: &StreamRange, events: &[StoredEvent]) -> Result<Option<StreamRange>, StoreError> {
    let Some(first) = events.first().filter(|event| event.version > part.after + 1) else { return Ok(None) };
    let first = first.read()?;
    Ok(fork_event(&first).map(|forked| StreamRange {
        debate: forked.origin,
        after: part.after,
        upto: part.upto.min(forked.at),
    }))
}
