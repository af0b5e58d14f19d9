//! Reads all streams of a lane, one after another: for work on every debate, such as a rebuild.

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::store::fault::Fault;
use crate::store::log::{Log, PAGE};
use crate::store::row::recorded_or_erased;

/// An event, or the position of one that cannot be read.
pub type Read = Result<Recorded, Unread>;

/// An event that cannot be read.
#[derive(Clone, Debug)]
pub struct Unread {
    /// Debate of the event.
    pub debate: DebateId,
    /// Version of the event in its debate.
    pub version: i64,
    /// The fault: [`Fault::Damaged`].
    pub fault: Fault,
}

impl Log {
    /// Returns events of a lane's debates, debate by debate and each in order, after a version of a debate; from the
    /// start of the lane if `after` is `None`. At most `limit`; fewer only at the end. Excludes what a fork shares with
    /// its origin. Events of erased debates are returned as [`Event::Erased`](crate::events::event::Event::Erased). An
    /// event that cannot be read is returned as [`Unread`] in its place.
    ///
    /// # Errors
    /// [`Fault`] if the database cannot be reached or refuses the statement.
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
