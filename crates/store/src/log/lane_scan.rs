//! Reads all streams of a lane, one after another: for work on every debate, such as a rebuild.

use sqlx::AssertSqlSafe;

use crate::error::StoreError;
use crate::log::log::{Log, MAX_PAGE};
use crate::log::row::{EVENT_COLUMNS, KEY_JOIN, decode_or_erased};
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;

/// An event, or the position of one that cannot be read.
pub type ReadEvent = Result<Recorded, UnreadableEvent>;

/// An event that cannot be read.
#[derive(Clone, Debug)]
pub struct UnreadableEvent {
    /// Debate of the event.
    pub debate: DebateId,
    /// Version of the event in its debate.
    pub version: i64,
    /// The fault: [`StoreError::Damaged`].
    pub fault: StoreError,
}

impl Log {
    /// Returns events of a lane's debates, debate by debate and each in order, after a version of a debate; from the
    /// start of the lane if `after` is `None`. At most `limit`; fewer only at the end. Excludes what a fork shares with
    /// its origin. Events of erased debates are returned as
    /// [`Event::Erased`](faultline_core::events::event::Event::Erased). An event that cannot be read is returned as
    /// [`UnreadableEvent`] in its place.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn scan_lane(
        &self,
        lane: i16,
        after: Option<(DebateId, i64)>,
        limit: i64,
    ) -> Result<Vec<ReadEvent>, StoreError> {
        let (debate, version) = after.map_or((None, 0), |(debate, version)| (Some(debate.0), version));
        let rows = sqlx::query(AssertSqlSafe(format!(
            "select {EVENT_COLUMNS}
            from (
                select *
                from events
                where lane = $1
                and (debate_id, version) > (coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid), $3)
                order by debate_id, version
                limit $4
            ) as e
            {KEY_JOIN}
            order by e.debate_id, e.version",
        )))
        .bind(lane)
        .bind(debate)
        .bind(version)
        .bind(limit.clamp(1, MAX_PAGE))
        .fetch_all(self.pool_of_lane(lane))
        .await
        .map_err(StoreError::database("read a lane's streams"))?;
        let keys = self.keys().decryptors();
        rows.iter()
            .map(|row| match decode_or_erased(row, &keys) {
                Ok(recorded) => Ok(Ok(recorded)),
                Err(fault) => match fault {
                    StoreError::Damaged { debate, version, .. } => Ok(Err(UnreadableEvent { debate, version, fault })),
                    fault => Err(fault),
                },
            })
            .collect()
    }
}
