//! Forks: streams that begin where another leaves off, and share what came before it.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::events::event::{Event, Recorded};
use crate::events::fork::DebateForked;
use crate::events::ids::DebateId;
use crate::events::lifecycle::DebateOpened;
use crate::events::wire;
use crate::store::append::AppendError;
use crate::store::erasure::erased_among;
use crate::store::fault::Fault;
use crate::store::lanes::lane_of;
use crate::store::log::Log;
use crate::store::sealing::Place;
use crate::store::wakes::Growth;

type Begun = (String, i64, Option<i64>, DateTime<Utc>);

impl Log {
    /// Begins the stream of a fork behind the last event that it shares. Asked again with the same id and content, it is
    /// the same success.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] where the fork is there and began otherwise, and where the origin has no such version
    /// (`actual` is then where the origin stands); [`AppendError::Reused`]; [`Fault::Erased`] where the origin was erased;
    /// else a fault.
    pub async fn fork(&self, fork: DebateId, id: Uuid, forked: DebateForked) -> Result<Recorded, AppendError> {
        self.has_room()?;
        let (origin, at) = (forked.origin, forked.at);
        let keeper = self.keeper(origin, at).await?;
        let event = Event::DebateForked(forked);
        let mut stored = wire::encode(&event);
        let attempt = Fault::database("begin a fork");
        let mut transaction = self.pool().begin().await.map_err(&attempt)?;
        if let Some(key) = self.keys().to_begin(&mut transaction, fork).await? {
            stored.body = key.seal(Place { id, kind: &stored.kind, schema: stored.schema }, &stored.body);
        }
        // From here on nobody erases what is shared, so that no fork of it is overlooked.
        if let Some(debate) = erased_among(&mut transaction, &[origin, keeper]).await?.first() {
            return Err(Fault::Erased { debate: *debate }.into());
        }
        let (outcome, version, position, recorded_at): Begun =
            sqlx::query_as("select * from fork_stream($1, $2, $3, $4, $5, $6, $7, $8, $9)")
                .bind(fork.0)
                .bind(lane_of(fork))
                .bind(keeper.0)
                .bind(lane_of(keeper))
                .bind(at)
                .bind(id)
                .bind(&stored.kind)
                .bind(stored.schema)
                .bind(&stored.body)
                .fetch_one(&mut *transaction)
                .await
                .map(|(outcome, version, position, time): (String, Option<i64>, Option<i64>, _)| {
                    (outcome, version.unwrap_or_default(), position, time)
                })
                .map_err(&attempt)?;
        if outcome == "appended" {
            note_origin(&mut transaction, fork, origin, at).await?;
        }
        transaction.commit().await.map_err(attempt)?;
        let lane = lane_of(fork);
        match (outcome.as_str(), position) {
            ("appended", Some(position)) => {
                self.grown(&Growth { debate: fork, version, positions: (position, position) });
                Ok(Recorded { id, debate: fork, version, lane, position, at: recorded_at, caused_by: None, event })
            }
            ("repeated", Some(position)) => {
                Ok(Recorded { id, debate: fork, version, lane, position, at: recorded_at, caused_by: None, event })
            }
            ("reused", _) => Err(AppendError::Reused { id }),
            ("missing", _) => Err(AppendError::Conflict { actual: self.head(origin).await? }),
            _ => Err(AppendError::Conflict { actual: version }),
        }
    }

    /// The first event of a debate's own: what opened it, or how it was forked. `None` where there is no such debate.
    ///
    /// # Errors
    /// [`Fault::Damaged`] where it cannot be read; else the database's.
    pub async fn beginning(&self, debate: DebateId) -> Result<Option<Recorded>, Fault> {
        Ok(self.read_own(debate, 0, 1).await?.pop())
    }

    /// What a debate depended on when it stood at this version: its opening, or how it was forked.
    ///
    /// # Errors
    /// As [`Log::beginning`].
    pub async fn opening_at(&self, debate: DebateId, version: i64) -> Result<Option<DebateOpened>, Fault> {
        let keeper = self.keeper(debate, version).await?;
        let beginning = self.beginning(keeper).await?.filter(|it| it.version <= version);
        Ok(beginning.and_then(|it| it.event.opening().cloned()))
    }

    /// The debate whose own stream keeps the event that a debate has at this version.
    pub(crate) async fn keeper(&self, debate: DebateId, version: i64) -> Result<DebateId, Fault> {
        let mut keeper = debate;
        while let Some((origin, at)) = self.origin(keeper).await?
            && version <= at
        {
            keeper = origin;
        }
        Ok(keeper)
    }

    /// The debate that a fork comes from, and the last version that both share; `None` where it is no fork. Of one that was
    /// erased as it was noted beside the log.
    pub(crate) async fn origin(&self, fork: DebateId) -> Result<Option<(DebateId, i64)>, Fault> {
        match self.beginning(fork).await {
            Ok(beginning) => Ok(beginning.as_ref().and_then(shares).map(|it| (it.origin, it.at))),
            Err(Fault::Erased { .. }) => {
                let noted: Option<(Uuid, i64)> = sqlx::query_as(
                    "select origin, at
                    from fork_origins
                    where fork = $1",
                )
                .bind(fork.0)
                .fetch_optional(self.pool())
                .await
                .map_err(Fault::database("look up where a fork comes from"))?;
                Ok(noted.map(|(origin, at)| (DebateId(origin), at)))
            }
            Err(fault) => Err(fault),
        }
    }

    /// What a debate shares with the one it was forked from, after a version; at most `limit`.
    pub(crate) async fn read_shared(
        &self,
        forked: &DebateForked,
        after: i64,
        limit: i64,
    ) -> Result<Vec<Recorded>, Fault> {
        let shared = forked.at - after.max(0);
        // One origin may be the fork of another, and so on.
        Box::pin(self.read(forked.origin, after, shared.min(limit))).await
    }
}

/// Notes what a fork shares with which debate.
pub(crate) async fn note_origin(
    connection: &mut PgConnection,
    fork: DebateId,
    origin: DebateId,
    at: i64,
) -> Result<(), Fault> {
    sqlx::query(
        "insert into fork_origins (fork, origin, at)
        values ($1, $2, $3)
        on conflict (fork) do nothing",
    )
    .bind(fork.0)
    .bind(origin.0)
    .bind(at)
    .execute(connection)
    .await
    .map_err(Fault::database("note where a fork comes from"))?;
    Ok(())
}

/// How a stream was forked, if this event begins one that was: nothing of it can then come before.
pub(crate) fn shares(recorded: &Recorded) -> Option<&DebateForked> {
    match &recorded.event {
        Event::DebateForked(forked) if forked.at + 1 == recorded.version => Some(forked),
        _ => None,
    }
}
