//! Imports a whole stream from elsewhere with its ids, its versions and, if known, its times.
//!
//! Runs as one transaction under the lock of the debate's lane, so that all of the stream becomes visible or nothing. A
//! stream that already exists is compared and never changed.

use chrono::{DateTime, Utc};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use crate::cipher::{DebateKey, EventIdentity};
use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::lanes::lane_of;
use crate::log::append::MAX_BODY_BYTES;
use crate::log::fork_event::fork_event;
use crate::log::forks::note_origin;
use crate::log::log::{Log, MAX_PAGE};
use crate::log::moved_lane::{MovedLane, moved};
use crate::log::verify::{Chain, ChainLink};
use crate::wake::watermarks::Growth;
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;
use faultline_core::events::wire;
use faultline_core::events::wire::EncodedEvent;

/// Result of importing a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreOutcome {
    /// It was recorded.
    Recorded,
    /// It already existed with identical events.
    AlreadyPresent {
        /// Number of events that the existing debate has beyond the imported ones.
        n_newer: i64,
    },
}

/// Reason why a stream was not imported. Nothing of it was recorded.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RestoreError {
    /// The debate exists and differs from this version on.
    #[error("debate {debate} already exists here and differs from version {version} on; nothing was changed")]
    Differs {
        /// The debate.
        debate: DebateId,
        /// The first version that differs.
        version: i64,
    },
    /// The stream is a fork, and its origin is missing or too short.
    #[error(
        "debate {debate} is a fork of debate {origin}, which is not here up to version {at}; import that debate first"
    )]
    NoOrigin {
        /// The fork.
        debate: DebateId,
        /// The origin of the fork.
        origin: DebateId,
        /// The last version that both share.
        at: i64,
    },
    /// An event exceeds the maximum size.
    #[error("the event at version {version} has {actual} bytes; the maximum is {MAX_BODY_BYTES}")]
    TooLarge {
        /// Version of the event.
        version: i64,
        /// Size of the event's body in bytes.
        actual: usize,
    },
    /// A fault of the store. It is unknown whether the stream was recorded; a retry records it once.
    #[error(transparent)]
    Fault(#[from] StoreError),
}

impl Log {
    /// Imports a debate's events, starting with its first. Events of other debates at the beginning are the part that a
    /// fork shares with its origin; they have to exist already. With `timed` false, all events get the time of the
    /// transaction.
    ///
    /// Cost: one statement for all events; one more read of the stream if it already exists.
    ///
    /// # Errors
    /// [`RestoreError::Differs`] if another debate has the same id, [`RestoreError::NoOrigin`] if the origin of a fork is
    /// missing, [`RestoreError::TooLarge`] if an event exceeds the maximum size, and [`RestoreError::Fault`] if the
    /// database fails.
    pub async fn restore(&self, events: &[Recorded], timed: bool) -> Result<RestoreOutcome, RestoreError> {
        let mut moved = MovedLane::default();
        loop {
            match self.try_restore(events, timed).await {
                Err(RestoreError::Fault(fault)) => moved.wait(fault, self.shards()).await?,
                outcome => return outcome,
            }
        }
    }

    async fn try_restore(&self, events: &[Recorded], timed: bool) -> Result<RestoreOutcome, RestoreError> {
        let Some(debate) = events.last().map(|event| event.debate) else {
            return Ok(RestoreOutcome::AlreadyPresent { n_newer: 0 });
        };
        self.check_disk_space()?;
        let own: Vec<&Recorded> = events.iter().filter(|event| event.debate == debate).collect();
        let stored = own.iter().map(|event| encoded(event)).collect::<Result<Vec<EncodedEvent>, _>>()?;
        let start = self.start_of(debate, events, &own, timed).await?;
        let lane = lane_of(debate);
        let mut transaction = begin(self.pool_of(debate)).await.map_err(StoreError::database("begin an import"))?;
        let key = self.keys().record_new_key(&mut transaction, debate).await?;
        let stored = sealed(key.as_ref(), &own, stored);
        let (head, now): (i64, DateTime<Utc>) =
            sqlx::query_as("select head, clock_timestamp() from lanes where lane = $1 for update")
                .bind(lane)
                .fetch_one(&mut *transaction)
                .await
                .map_err(StoreError::database("lock a lane for an import"))?;
        let is_there: bool =
            sqlx::query_scalar("select exists (select from events where lane = $1 and debate_id = $2)")
                .bind(lane)
                .bind(debate.0)
                .fetch_one(&mut *transaction)
                .await
                .map_err(StoreError::database("check whether the imported debate exists"))?;
        if is_there {
            drop(transaction);
            return self.compare(debate, events, timed).await;
        }
        let lines = Lines::of(start, head, &own, stored, |event| if timed { event.at } else { now });
        let last = lines.positions.last().copied().unwrap_or(head);
        lines.write(&mut transaction, debate, lane, last).await?;
        if let Some(forked) = own.first().and_then(|event| fork_event(event)) {
            note_origin(&mut transaction, debate, forked.origin, forked.at).await?;
        }
        transaction.commit().await.map_err(StoreError::database("commit an import"))?;
        let version = own.last().map_or(0, |event| event.version);
        self.publish_growth(&Growth { debate, version, positions: (head + 1, last) });
        Ok(RestoreOutcome::Recorded)
    }

    /// Returns what [`Log::restore`] would do with the events, without writing. Another process may change the answer
    /// at any time.
    ///
    /// # Errors
    /// [`RestoreError::Differs`] if another debate has the same id, [`RestoreError::NoOrigin`] if the origin of a fork is
    /// missing, [`RestoreError::TooLarge`] if an event exceeds the maximum size, and [`RestoreError::Fault`] if the
    /// database fails.
    pub async fn foretell_restore(&self, events: &[Recorded], timed: bool) -> Result<RestoreOutcome, RestoreError> {
        let Some(debate) = events.last().map(|event| event.debate) else {
            return Ok(RestoreOutcome::AlreadyPresent { n_newer: 0 });
        };
        let own: Vec<&Recorded> = events.iter().filter(|event| event.debate == debate).collect();
        own.iter().try_for_each(|event| encoded(event).map(drop))?;
        self.start_of(debate, events, &own, timed).await?;
        match self.head(debate).await? {
            0 => Ok(RestoreOutcome::Recorded),
            _ => self.compare(debate, events, timed).await,
        }
    }

    /// Returns the hash chain before the debate's own first event; for a fork, checks the shared part first.
    async fn start_of(
        &self,
        debate: DebateId,
        events: &[Recorded],
        own: &[&Recorded],
        timed: bool,
    ) -> Result<Chain, RestoreError> {
        let Some(forked) = own.first().and_then(|event| fork_event(event)) else { return Ok(Chain::start(debate)) };
        let (origin, at) = (forked.origin, forked.at);
        let missing = RestoreError::NoOrigin { debate, origin, at };
        if self.head(origin).await? < at {
            return Err(missing);
        }
        let shared = events.iter().take_while(|event| event.debate != debate);
        self.same(origin, &shared.cloned().collect::<Vec<_>>(), timed).await?;
        Ok(self.chain_before_fork(debate, origin, at).await?)
    }

    async fn compare(
        &self,
        debate: DebateId,
        events: &[Recorded],
        timed: bool,
    ) -> Result<RestoreOutcome, RestoreError> {
        self.same(debate, events, timed).await?;
        let n_newer = self.head(debate).await? - events.last().map_or(0, |event| event.version);
        Ok(RestoreOutcome::AlreadyPresent { n_newer })
    }

    /// Checks that a debate begins with these events.
    async fn same(&self, debate: DebateId, events: &[Recorded], timed: bool) -> Result<(), RestoreError> {
        for page in events.chunks(MAX_PAGE as usize) {
            let first = page.first().map_or(1, |event| event.version);
            let here = self.read(debate, first - 1, page.len() as i64).await?;
            let alike = |(one, other): (&Recorded, &Recorded)| {
                let event = (one.id, one.debate, one.version, one.caused_by)
                    == (other.id, other.debate, other.version, other.caused_by);
                event && one.event == other.event && (!timed || one.at == other.at)
            };
            let n_alike = page.iter().zip(&here).take_while(|pair| alike(*pair)).count();
            if n_alike < page.len() {
                return Err(RestoreError::Differs { debate, version: first + n_alike as i64 });
            }
        }
        Ok(())
    }
}

/// Encrypts the bodies if the debate has a key.
fn sealed(key: Option<&DebateKey>, own: &[&Recorded], mut stored: Vec<EncodedEvent>) -> Vec<EncodedEvent> {
    for (key, (recorded, EncodedEvent { kind, schema, body })) in
        key.into_iter().cycle().zip(own.iter().zip(&mut stored))
    {
        *body = key.encrypt(EventIdentity { id: recorded.id, kind, schema: *schema }, body);
    }
    stored
}

fn encoded(recorded: &Recorded) -> Result<EncodedEvent, RestoreError> {
    let stored = wire::encode(&recorded.event);
    let actual = stored.body.len();
    if actual > MAX_BODY_BYTES {
        return Err(RestoreError::TooLarge { version: recorded.version, actual });
    }
    Ok(stored)
}

/// Columns of the rows to be inserted.
#[derive(Debug, Default)]
struct Lines {
    positions: Vec<i64>,
    versions: Vec<i64>,
    times: Vec<DateTime<Utc>>,
    ids: Vec<Uuid>,
    causes: Vec<Option<Uuid>>,
    schemas: Vec<i16>,
    kinds: Vec<String>,
    bodies: Vec<Vec<u8>>,
    hashes: Vec<Vec<u8>>,
}

impl Lines {
    fn of(
        mut chain: Chain,
        head: i64,
        own: &[&Recorded],
        stored: Vec<EncodedEvent>,
        time: impl Fn(&Recorded) -> DateTime<Utc>,
    ) -> Lines {
        let mut lines = Lines::default();
        for ((recorded, EncodedEvent { kind, schema, body }), position) in own.iter().zip(stored).zip(head + 1..) {
            let link = ChainLink {
                version: recorded.version,
                position,
                recorded_at: time(recorded),
                id: recorded.id,
                caused_by: recorded.caused_by.filter(|cause| !cause.is_nil()),
                schema,
                kind,
                actor: None,
                body,
                hash: Vec::new(),
            };
            chain.hash = link.hash_after(&chain.hash);
            lines.positions.push(position);
            lines.versions.push(link.version);
            lines.times.push(link.recorded_at);
            lines.ids.push(link.id);
            lines.causes.push(link.caused_by);
            lines.schemas.push(link.schema);
            lines.kinds.push(link.kind);
            lines.bodies.push(link.body);
            lines.hashes.push(chain.hash.clone());
        }
        lines
    }

    async fn write(
        &self,
        connection: &mut PgConnection,
        debate: DebateId,
        lane: i16,
        last: i64,
    ) -> Result<(), StoreError> {
        sqlx::query(
            "insert into events (
                position, version, recorded_at, debate_id, id, caused_by, lane, schema, kind, body, hash
            )
            select n.position, n.version, n.recorded_at, $1, n.id, n.caused_by, $2, n.schema, n.kind, n.body, n.hash
            from unnest(
                $3::bigint[], $4::bigint[], $5::timestamptz[], $6::uuid[], $7::uuid[], $8::smallint[], $9::text[],
                $10::bytea[], $11::bytea[]
            ) as n (position, version, recorded_at, id, caused_by, schema, kind, body, hash)",
        )
        .bind(debate.0)
        .bind(lane)
        .bind(&self.positions)
        .bind(&self.versions)
        .bind(&self.times)
        .bind(&self.ids)
        .bind(&self.causes)
        .bind(&self.schemas)
        .bind(&self.kinds)
        .bind(&self.bodies)
        .bind(&self.hashes)
        .execute(&mut *connection)
        .await
        .map_err(StoreError::database("record imported events"))?;
        sqlx::query("update lanes set head = $2 where lane = $1")
            .bind(lane)
            .bind(last)
            .execute(connection)
            .await
            .map_err(|error| {
                moved(&error, lane).unwrap_or_else(|| StoreError::database("update a lane's head")(error))
            })?;
        Ok(())
    }
}
