//! Reads of lanes in the order of their positions, which have no gaps.

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgRow;

use crate::error::StoreError;
use crate::lanes::{Cursor, Heads, LANES, LaneRange, LaneSet};
use crate::log::log::{Log, MAX_PAGE};
use crate::log::moved_lane::may_have_moved;
use crate::log::row::{EVENT_COLUMNS, KEY_JOIN, decode_or_erased};
use faultline_core::events::event::Recorded;

/// Condition that every event meets.
pub(crate) const ALL: &str = "true";

impl Log {
    /// Returns events of all debates after a cursor, and the cursor behind them. The events are in order within each
    /// lane, so within each debate. Returns at most `limit` events, or one per lane if that is more; none at the end of
    /// the log. Events of erased debates are returned as
    /// [`Event::Erased`](faultline_core::events::event::Event::Erased).
    ///
    /// Never skips an event whose transaction is still in progress: the positions of a lane have no gaps and become
    /// visible in order, and this method checks that.
    ///
    /// # Errors
    /// [`StoreError::LaneGap`] if a position is missing; [`StoreError::Damaged`] if an event cannot be read;
    /// [`StoreError::Ahead`] if the cursor belongs to another log; any other [`StoreError`] if the database cannot be
    /// reached or refuses a statement.
    pub async fn read_all(&self, cursor: &Cursor, limit: i64) -> Result<(Vec<Recorded>, Cursor), StoreError> {
        self.read_lanes(cursor, LaneSet::ALL, limit).await
    }

    /// Reads like [`Log::read_all`], but only events of these lanes.
    ///
    /// # Errors
    /// As [`Log::read_all`].
    pub async fn read_lanes(
        &self,
        cursor: &Cursor,
        lanes: LaneSet,
        limit: i64,
    ) -> Result<(Vec<Recorded>, Cursor), StoreError> {
        let heads = self.heads_beyond(cursor, lanes).await?;
        self.read_to(cursor, &lanes.mask(&heads), limit).await
    }

    /// Queries the heads, and checks that they are not behind a cursor in these lanes.
    pub(crate) async fn heads_beyond(&self, cursor: &Cursor, lanes: LaneSet) -> Result<Heads, StoreError> {
        match self.try_heads_beyond(cursor, lanes).await {
            Err(fault) if may_have_moved(&fault, self.shards()).await => self.try_heads_beyond(cursor, lanes).await,
            found => found,
        }
    }

    async fn try_heads_beyond(&self, cursor: &Cursor, lanes: LaneSet) -> Result<Heads, StoreError> {
        let heads = self.heads().await?;
        self.wakes().advance((0..).zip(heads));
        let is_ahead = |lane: &i16| lanes.contains(*lane) && cursor.position(*lane) > heads[*lane as usize];
        if let Some(lane) = (0..LANES).find(is_ahead) {
            return Err(StoreError::Ahead { lane, at: cursor.position(lane), head: heads[lane as usize] });
        }
        Ok(heads)
    }

    /// Reads like [`Log::read_all`], but only up to heads that are already known, which takes one statement. Reads
    /// nothing from a lane whose head is behind the cursor.
    ///
    /// # Errors
    /// As [`Log::read_all`], except [`StoreError::Ahead`].
    pub async fn read_to(
        &self,
        cursor: &Cursor,
        heads: &Heads,
        limit: i64,
    ) -> Result<(Vec<Recorded>, Cursor), StoreError> {
        match self.try_read_to(cursor, heads, limit).await {
            Err(fault) if may_have_moved(&fault, self.shards()).await => self.try_read_to(cursor, heads, limit).await,
            found => found,
        }
    }

    async fn try_read_to(
        &self,
        cursor: &Cursor,
        heads: &Heads,
        limit: i64,
    ) -> Result<(Vec<Recorded>, Cursor), StoreError> {
        let stretches = cursor.next_ranges(heads, limit.clamp(1, MAX_PAGE));
        if stretches.is_empty() {
            return Ok((Vec::new(), cursor.clone()));
        }
        let (rows, keys) = (self.rows_of(&stretches, ALL).await?, self.keys().decryptors());
        let events = rows.iter().map(|row| decode_or_erased(row, &keys)).collect::<Result<Vec<_>, _>>()?;
        let reached = dense(cursor, &stretches, &events)?;
        Ok((events, reached))
    }

    /// Reads the rows of these ranges that meet a condition on `events`, in order within each lane, with the keys of their
    /// debates. One statement for each server that holds one of the lanes.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub(crate) async fn rows_of(&self, stretches: &[LaneRange], condition: &str) -> Result<Vec<PgRow>, StoreError> {
        let sql = format!(
            "select {EVENT_COLUMNS}
            from {}
            {KEY_JOIN}",
            events_of_ranges(condition)
        );
        let mut rows = Vec::new();
        for group in self.shards().grouped(stretches, |stretch| stretch.lane) {
            let (lanes, after, upto) = columns(&group.of(stretches));
            let found = sqlx::query(AssertSqlSafe(sql.clone()))
                .bind(lanes)
                .bind(after)
                .bind(upto)
                .fetch_all(group.pool)
                .await
                .map_err(StoreError::database("read the log"))?;
            rows.extend(found);
        }
        Ok(rows)
    }
}

/// Returns the events `e` of the ranges `$1` (lanes), `$2` (exclusive) and `$3` (inclusive) that meet a condition, for the
/// `from` of a statement. The limit makes Postgres read each range in the order of its index.
pub(crate) fn events_of_ranges(condition: &str) -> String {
    format!(
        "unnest($1::smallint[], $2::bigint[], $3::bigint[]) as stretch (lane, after, upto)
            cross join lateral (
                select *
                from events
                where events.lane = stretch.lane
                and events.position > stretch.after
                and events.position <= stretch.upto
                and {condition}
                order by events.position
                limit stretch.upto - stretch.after
            ) as e"
    )
}

/// Returns ranges as the parameters of a statement: lanes, and the positions that begin and end them.
pub(crate) fn columns(stretches: &[LaneRange]) -> (Vec<i16>, Vec<i64>, Vec<i64>) {
    let mut columns = (Vec::new(), Vec::new(), Vec::new());
    for stretch in stretches {
        columns.0.push(stretch.lane);
        columns.1.push(stretch.after);
        columns.2.push(stretch.upto);
    }
    columns
}

/// Returns the cursor behind the events of these ranges, whose positions must have no gap.
pub(crate) fn dense(cursor: &Cursor, stretches: &[LaneRange], events: &[Recorded]) -> Result<Cursor, StoreError> {
    let mut reached = cursor.clone();
    for event in events {
        let wanted = reached.position(event.lane) + 1;
        if event.position != wanted {
            return Err(StoreError::LaneGap { lane: event.lane, wanted, found: Some(event.position) });
        }
        reached.advance(event);
    }
    match stretches.iter().find(|stretch| reached.position(stretch.lane) != stretch.upto) {
        Some(it) => Err(StoreError::LaneGap { lane: it.lane, wanted: reached.position(it.lane) + 1, found: None }),
        None => Ok(reached),
    }
}
