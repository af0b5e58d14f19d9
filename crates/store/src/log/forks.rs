//! Forks: streams that start at an event of another stream and share the events before it.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::cipher::EventIdentity;
use crate::database::erased::erased_among;
use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::lanes::lane_of;
use crate::log::append::AppendError;
use crate::log::fork_event::fork_event;
use crate::log::log::Log;
use crate::log::moved_lane::{MovedLane, moved};
use crate::wake::watermarks::Growth;
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::DebateForked;
use faultline_core::events::lifecycle::DebateOpened;
use faultline_core::events::wire;

type Begun = (String, i64, Option<i64>, DateTime<Utc>);

impl Log {
    /// Creates the stream of a fork after the last shared event. A repeated call with the same id and content returns
    /// the event recorded before.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] if the fork exists with another beginning, or if the origin has no such version
    /// (`actual` is then the version of the origin); [`AppendError::Reused`] if the id belongs to another event;
    /// [`StoreError::Erased`] if the origin was erased; other faults as [`AppendError::Fault`].
    pub async fn fork(&self, fork: DebateId, id: Uuid, forked: DebateForked) -> Result<Recorded, AppendError> {
        self.check_disk_space()?;
        let mut moved = MovedLane::default();
        loop {
            match self.try_fork(fork, id, forked.clone()).await {
                Err(AppendError::Fault(fault)) => moved.wait(fault, self.shards()).await?,
                outcome => return outcome,
            }
        }
    }

    async fn try_fork(&self, fork: DebateId, id: Uuid, forked: DebateForked) -> Result<Recorded, AppendError> {
        let (origin, at) = (forked.origin, forked.at);
        let keeper = self.owner_of_version(origin, at).await?;
        let event = Event::DebateForked(forked);
        let mut stored = wire::encode(&event);
        let lane = lane_of(fork);
        let shared_hash = self.hash_at(keeper, at).await?;
        let attempt = StoreError::database("create a fork");
        // Until it ends, no shared event can be erased, so an erasure cannot miss this fork.
        let mut at_home = begin(self.pool()).await.map_err(&attempt)?;
        if let Some(debate) = erased_among(&mut at_home, &[origin, keeper]).await?.first() {
            return Err(StoreError::Erased { debate: *debate }.into());
        }
        let mut elsewhere = match self.shards().is_at_home(lane) {
            true => None,
            false => Some(begin(self.pool_of(fork)).await.map_err(&attempt)?),
        };
        let transaction = elsewhere.as_mut().unwrap_or(&mut at_home);
        if let Some(key) = self.keys().record_new_key(transaction, fork).await? {
            stored.body = key.encrypt(EventIdentity { id, kind: &stored.kind, schema: stored.schema }, &stored.body);
        }
        let (outcome, version, position, recorded_at): Begun =
            sqlx::query_as("select * from fork_stream_after($1, $2, $3, $4, $5, $6, $7, $8)")
                .bind(fork.0)
                .bind(lane)
                .bind(at)
                .bind(shared_hash)
                .bind(id)
                .bind(&stored.kind)
                .bind(stored.schema)
                .bind(&stored.body)
                .fetch_one(&mut **transaction)
                .await
                .map(|(outcome, version, position, time): (String, Option<i64>, Option<i64>, _)| {
                    (outcome, version.unwrap_or_default(), position, time)
                })
                .map_err(|error| moved(&error, lane).unwrap_or_else(|| attempt(error)))?;
        if outcome == "appended" {
            note_origin(transaction, fork, origin, at).await?;
        }
        if let Some(elsewhere) = elsewhere {
            elsewhere.commit().await.map_err(&attempt)?;
        }
        at_home.commit().await.map_err(attempt)?;
        match (outcome.as_str(), position) {
            ("appended", Some(position)) => {
                self.publish_growth(&Growth { debate: fork, version, positions: (position, position) });
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

    /// Returns the first event of a debate's own stream: its opening or its fork event. `None` if there is no such
    /// debate.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the event cannot be decoded; [`StoreError`] if the database cannot be reached or
    /// refuses the statement.
    pub async fn first_own_event(&self, debate: DebateId) -> Result<Option<Recorded>, StoreError> {
        Ok(self.read_own(debate, 0, 1).await?.pop())
    }

    /// Returns the opening that applied to a debate at this version: that of its own stream, or that of the origin
    /// which contains the version.
    ///
    /// # Errors
    /// Same as [`Log::first_own_event`].
    pub async fn opening_for_version(
        &self,
        debate: DebateId,
        version: i64,
    ) -> Result<Option<DebateOpened>, StoreError> {
        let keeper = self.owner_of_version(debate, version).await?;
        let beginning = self.first_own_event(keeper).await?.filter(|recorded| recorded.version <= version);
        Ok(beginning.and_then(|recorded| recorded.event.opening().cloned()))
    }

    /// Returns the debate whose own stream contains the event that a debate has at this version.
    pub(crate) async fn owner_of_version(&self, debate: DebateId, version: i64) -> Result<DebateId, StoreError> {
        let mut keeper = debate;
        while let Some((origin, at)) = self.origin(keeper).await?
            && version <= at
        {
            keeper = origin;
        }
        Ok(keeper)
    }

    /// Returns the debate that a fork originates from, and the last version that both share; `None` if it is not a
    /// fork. The origin of an erased fork is read from the table `fork_origins`.
    pub(crate) async fn origin(&self, fork: DebateId) -> Result<Option<(DebateId, i64)>, StoreError> {
        match self.first_own_event(fork).await {
            Ok(beginning) => Ok(beginning.as_ref().and_then(fork_event).map(|forked| (forked.origin, forked.at))),
            Err(StoreError::Erased { .. }) => {
                let noted: Option<(Uuid, i64)> = sqlx::query_as(
                    "select origin, at
                    from fork_origins
                    where fork = $1",
                )
                .bind(fork.0)
                .fetch_optional(self.pool_of(fork))
                .await
                .map_err(StoreError::database("look up the origin of a fork"))?;
                Ok(noted.map(|(origin, at)| (DebateId(origin), at)))
            }
            Err(fault) => Err(fault),
        }
    }

    /// Reads at most `limit` of the events that a fork shares with its origin, after a version.
    pub(crate) async fn read_shared(
        &self,
        forked: &DebateForked,
        after: i64,
        limit: i64,
    ) -> Result<Vec<Recorded>, StoreError> {
        let shared = forked.at - after.max(0);
        // Boxed, because the origin may itself be a fork, and so on.
        Box::pin(self.read(forked.origin, after, shared.min(limit))).await
    }
}

/// Records the origin of a fork and the last version that both share.
pub(crate) async fn note_origin(
    connection: &mut PgConnection,
    fork: DebateId,
    origin: DebateId,
    at: i64,
) -> Result<(), StoreError> {
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
    .map_err(StoreError::database("record the origin of a fork"))?;
    Ok(())
}
