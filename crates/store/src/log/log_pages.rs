//! Pages of the whole log, optionally filtered by event kinds.

use sqlx::{AssertSqlSafe, PgPool};

use crate::error::StoreError;
use crate::lanes::{Cursor, Heads, LaneRange};
use crate::log::lane_reads::columns;
use crate::log::log::Log;
use crate::log::moved_lane::may_have_moved;
use crate::log::row::{EVENT_COLUMNS, KEY_JOIN, group_by_part, stored_event_or_empty};
use crate::log::stored_event::StoredEvent;

/// Maximum number of events scanned by one statement when filtering by kinds.
const MAX_LOOKED_AT: i64 = 10_000;
/// Maximum number of statements per page. If the wanted kinds are rare, a page may be short; it says where to continue.
const MAX_ROUNDS: usize = 4;

/// A page of the log.
#[derive(Clone, Debug, Default)]
pub struct LogPage {
    /// Events of the page, each with the cursor behind it.
    pub events: Vec<(Cursor, StoredEvent)>,
    /// Cursor behind everything that was scanned. No matching event lies between the last event of the page and this
    /// cursor.
    pub end: Cursor,
    /// True if the log has events behind `end`.
    pub more: bool,
}

impl Log {
    /// Returns at most `size` events after a cursor; with `kinds`, only events of these kinds. Events of one debate are
    /// in order. An event whose body cannot be decrypted is returned with an empty body, and the page continues behind
    /// it. A reader that continues from the cursor of any event, or from the end of the page, neither misses nor
    /// repeats an event.
    ///
    /// Cost: two statements; up to four more if the wanted kinds are rare.
    ///
    /// # Errors
    /// [`StoreError::Ahead`] if the cursor belongs to another log; [`StoreError::LaneGap`] if a lane has a gap; any
    /// other [`StoreError`] if the database cannot be reached or refuses a statement.
    pub async fn read_page(&self, from: &Cursor, size: usize, kinds: Option<&[String]>) -> Result<LogPage, StoreError> {
        match self.try_read_page(from, size, kinds).await {
            Err(fault) if may_have_moved(&fault, self.shards()).await => self.try_read_page(from, size, kinds).await,
            page => page,
        }
    }

    async fn try_read_page(&self, from: &Cursor, size: usize, kinds: Option<&[String]>) -> Result<LogPage, StoreError> {
        let heads = self.heads().await?;
        let ahead = heads.iter().zip(0..).find(|(head, lane)| from.position(*lane) > **head);
        if let Some((head, lane)) = ahead {
            return Err(StoreError::Ahead { lane, at: from.position(lane), head: *head });
        }
        let mut page = LogPage { end: from.clone(), ..LogPage::default() };
        for _ in 0..MAX_ROUNDS {
            let wanted = if kinds.is_some() { MAX_LOOKED_AT } else { (size - page.events.len()) as i64 };
            let stretches = page.end.next_ranges(&heads, wanted);
            if stretches.is_empty() || page.events.len() == size {
                break;
            }
            let found = self.stretched(&stretches, kinds).await?;
            page.take(&stretches, found, size, kinds.is_none())?;
        }
        page.more = page.end.lag(&heads) > 0;
        Ok(page)
    }

    /// Reads the events of each range, in order.
    async fn stretched(
        &self,
        stretches: &[LaneRange],
        kinds: Option<&[String]>,
    ) -> Result<Vec<Vec<StoredEvent>>, StoreError> {
        let mut found = vec![Vec::new(); stretches.len()];
        for group in self.shards().grouped(stretches, |stretch| stretch.lane) {
            let events = self.stretched_on(group.pool, &group.of(stretches), kinds).await?;
            group.place(events, &mut found);
        }
        Ok(found)
    }

    /// Reads the events of each range, in order, from the server that holds their lanes.
    async fn stretched_on(
        &self,
        pool: &PgPool,
        stretches: &[LaneRange],
        kinds: Option<&[String]>,
    ) -> Result<Vec<Vec<StoredEvent>>, StoreError> {
        let (lanes, after, upto) = columns(stretches);
        let rows = sqlx::query(AssertSqlSafe(format!(
            "select {EVENT_COLUMNS}, stretch.place
            from unnest($1::smallint[], $2::bigint[], $3::bigint[])
                with ordinality as stretch (lane, after, upto, place)
            cross join lateral (
                select *
                from events
                where events.lane = stretch.lane
                and events.position > stretch.after
                and events.position <= stretch.upto
                and ($4::text[] is null or events.kind = any ($4))
                order by events.position
            ) as e
            {KEY_JOIN}",
        )))
        .bind(lanes)
        .bind(after)
        .bind(upto)
        .bind(kinds)
        .fetch_all(pool)
        .await
        .map_err(StoreError::database("read a page of the log"))?;
        let keys = self.keys().decryptors();
        group_by_part(&rows, stretches.len(), |row| stored_event_or_empty(row, &keys))
    }

    /// Returns the number of events in the log.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn count_events(&self) -> Result<i64, StoreError> {
        let heads: Heads = self.heads().await?;
        Ok(heads.iter().sum())
    }
}

impl LogPage {
    /// Takes events, range by range, until the page is full. With `whole`, every position of a range must be present.
    fn take(
        &mut self,
        stretches: &[LaneRange],
        found: Vec<Vec<StoredEvent>>,
        size: usize,
        whole: bool,
    ) -> Result<(), StoreError> {
        for (stretch, events) in stretches.iter().zip(found) {
            if whole && events.len() as i64 != stretch.upto - stretch.after {
                let mut wanted = stretch.after + 1;
                wanted +=
                    events.iter().zip(wanted..).take_while(|(event, place)| event.position == *place).count() as i64;
                return Err(StoreError::LaneGap { lane: stretch.lane, wanted, found: None });
            }
            for event in events {
                if self.events.len() == size {
                    return Ok(());
                }
                self.end.set(event.lane, event.position);
                self.events.push((self.end.clone(), event));
            }
            if self.events.len() < size {
                self.end.set(stretch.lane, stretch.upto);
            }
        }
        Ok(())
    }
}
