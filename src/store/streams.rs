//! All streams of a lane, one after another: for work on every debate, such as a rebuild.

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::store::fault::Fault;
use crate::store::log::{Log, PAGE};
use crate::store::row::recorded_or_erased;

/// An event, or the place of one that cannot be read.
pub type Read = Result<Recorded, Unread>;

/// An event that cannot be read.
#[derive(Clone, Debug)]
pub struct Unread {
    /// Its debate.
    pub debate: DebateId,
    /// Its place in it.
    pub version: i64,
    /// Why: [`Fault::Damaged`].
    pub fault: Fault,
}

impl Log {
    /// Events of a lane's debates, debate by debate and each in its order, behind a debate's version; from the first where
    /// none is given. At most `limit`; fewer only where there are no more. A fork's shared past is not among them;
    /// those of debates that were erased come as [`Event::Erased`](crate::events::event::Event::Erased). One that cannot be
    /// read stands among the others, in its place.
    ///
    /// # Errors
    /// The database's.
    pub async fn streams(&self, lane: i16, after: Option<(DebateId, i64)>, limit: i64) -> Result<Vec<Read>, Fault> {
        let (debate, version) = after.map_or((None, 0), |(debate, version)| (Some(debate.0), version));
        let rows = sqlx::query(
            "select e.lane, e.position, e.debate_id, e.version, e.id, e.kind, e.schema, e.body, e.caused_by, e.recorded_at,
                k.debate_id is not null, k.key, k.master
            from (
                select *
                from events
                where lane = $1
                and (debate_id, version) > (coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid), $3)
                order by debate_id, version
                limit $4
            ) as e
            left join lateral (
                select debate_id, key, master
                from debate_keys
                where debate_keys.debate_id = e.debate_id
                limit 1
            ) as k on true
            order by e.debate_id, e.version",
        )
        .bind(lane)
        .bind(debate)
        .bind(version)
        .bind(limit.clamp(1, PAGE))
        .fetch_all(self.pool())
        .await
        .map_err(Fault::database("read a lane's streams"))?;
        let keys = self.keys().openers();
        rows.iter()
            .map(|it| match recorded_or_erased(it, &keys) {
                Ok(recorded) => Ok(Ok(recorded)),
                Err(fault) => match fault {
                    Fault::Damaged { debate, version, .. } => Ok(Err(Unread { debate, version, fault })),
                    fault => Err(fault),
                },
            })
            .collect()
    }
}
