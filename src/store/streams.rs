//! All streams of a lane, one after another: for work on every debate, such as a rebuild.

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::store::fault::Fault;
use crate::store::log::{Log, PAGE};
use crate::store::row::recorded_or_erased;

impl Log {
    /// Events of a lane's debates, debate by debate and each in its order, behind a debate's version; from the first where
    /// none is given. At most `limit`; fewer only where there are no more. A fork's shared past is not among them;
    /// those of debates that were erased come as [`Event::Erased`](crate::events::event::Event::Erased).
    ///
    /// # Errors
    /// [`Fault::Damaged`] for an event that cannot be read; else the database's.
    pub async fn streams(&self, lane: i16, after: Option<(DebateId, i64)>, limit: i64) -> Result<Vec<Recorded>, Fault> {
        let (debate, version) = after.map_or((None, 0), |(debate, version)| (Some(debate.0), version));
        let rows = sqlx::query(
            "select lane, position, events.debate_id, version, id, kind, schema, body, caused_by, recorded_at,
                k.debate_id is not null, k.key, k.master
            from events
            left join debate_keys k on k.debate_id = events.debate_id
            where lane = $1
            and (events.debate_id, version) > (coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid), $3)
            order by events.debate_id, version
            limit $4",
        )
        .bind(lane)
        .bind(debate)
        .bind(version)
        .bind(limit.clamp(1, PAGE))
        .fetch_all(self.pool())
        .await
        .map_err(Fault::database("read a lane's streams"))?;
        rows.iter().map(|it| recorded_or_erased(it, self.keys())).collect()
    }
}
