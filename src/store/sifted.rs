//! The whole log page by page, events of some kinds only where that is wanted.

use crate::store::fault::Fault;
use crate::store::kept::Kept;
use crate::store::lanes::{Cursor, Heads, Stretch};
use crate::store::log::Log;
use crate::store::row::{kept_or_damaged, placed};

/// Events looked at by one statement at most where only some kinds are wanted.
const LOOKED_AT: i64 = 10_000;
/// Statements that one page takes at most: where kinds are rare, a page may come back short, and says where to go on.
const ROUNDS: usize = 4;

/// A page of the log.
#[derive(Clone, Debug, Default)]
pub struct LogPage {
    /// The events, each with the cursor behind it.
    pub events: Vec<(Cursor, Kept)>,
    /// Behind everything that was looked at. Nothing that was wanted lies between the last event and here.
    pub reached: Cursor,
    /// Whether the log goes on behind it.
    pub more: bool,
}

impl Log {
    /// At most `size` events of the log behind a cursor, those of some kinds only where kinds are given. Events of one debate
    /// come in their order; a body that cannot be opened is nothing at all, and hides nothing behind it. Whoever goes on from the cursor of any of them, or from where the page ends, misses nothing and
    /// sees nothing twice.
    ///
    /// Cost: two statements; up to four more where kinds are rare.
    ///
    /// # Errors
    /// [`Fault::Ahead`] for a cursor of another log, [`Fault::LaneGap`] where a lane is not whole; else the database's.
    pub async fn page(&self, from: &Cursor, size: usize, kinds: Option<&[String]>) -> Result<LogPage, Fault> {
        let heads = self.heads().await?;
        let ahead = heads.iter().zip(0..).find(|(head, lane)| from.position(*lane) > **head);
        if let Some((head, lane)) = ahead {
            return Err(Fault::Ahead { lane, at: from.position(lane), head: *head });
        }
        let mut page = LogPage { reached: from.clone(), ..LogPage::default() };
        for _ in 0..ROUNDS {
            let wanted = if kinds.is_some() { LOOKED_AT } else { (size - page.events.len()) as i64 };
            let stretches = page.reached.share(&heads, wanted);
            if stretches.is_empty() || page.events.len() == size {
                break;
            }
            let found = self.stretched(&stretches, kinds).await?;
            page.take(&stretches, found, size, kinds.is_none())?;
        }
        page.more = page.reached.behind(&heads) > 0;
        Ok(page)
    }

    /// The events of each stretch, in order.
    async fn stretched(&self, stretches: &[Stretch], kinds: Option<&[String]>) -> Result<Vec<Vec<Kept>>, Fault> {
        let rows = sqlx::query(
            "select
                e.lane, e.position, e.debate_id, e.version, e.id, e.kind, e.schema, e.body, e.caused_by, e.recorded_at,
                k.debate_id is not null, k.key, k.master, stretch.place
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
            left join lateral (
                select debate_id, key, master
                from debate_keys
                where debate_keys.debate_id = e.debate_id
                limit 1
            ) as k on true",
        )
        .bind(stretches.iter().map(|it| it.lane).collect::<Vec<_>>())
        .bind(stretches.iter().map(|it| it.after).collect::<Vec<_>>())
        .bind(stretches.iter().map(|it| it.upto).collect::<Vec<_>>())
        .bind(kinds)
        .fetch_all(self.pool())
        .await
        .map_err(Fault::database("read a page of the log"))?;
        let keys = self.keys().openers();
        placed(&rows, stretches.len(), |it| kept_or_damaged(it, &keys))
    }

    /// How many events the log holds.
    ///
    /// # Errors
    /// The database's.
    pub async fn length(&self) -> Result<i64, Fault> {
        let heads: Heads = self.heads().await?;
        Ok(heads.iter().sum())
    }
}

impl LogPage {
    /// Takes what still has room, stretch by stretch. `whole`: every event of a stretch has to be there.
    fn take(&mut self, stretches: &[Stretch], found: Vec<Vec<Kept>>, size: usize, whole: bool) -> Result<(), Fault> {
        for (stretch, events) in stretches.iter().zip(found) {
            if whole && events.len() as i64 != stretch.upto - stretch.after {
                let mut wanted = stretch.after + 1;
                wanted += events.iter().zip(wanted..).take_while(|(it, place)| it.position == *place).count() as i64;
                return Err(Fault::LaneGap { lane: stretch.lane, wanted, found: None });
            }
            for event in events {
                if self.events.len() == size {
                    return Ok(());
                }
                self.reached.set(event.lane, event.position);
                self.events.push((self.reached.clone(), event));
            }
            if self.events.len() < size {
                self.reached.set(stretch.lane, stretch.upto);
            }
        }
        Ok(())
    }
}
