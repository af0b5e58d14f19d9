//! The event log: appends with an expected version, reads of one debate's stream, and reads of the whole log in order.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU16;
use std::time::Instant;

use sqlx::{AssertSqlSafe, PgPool};
use tokio::sync::{Semaphore, mpsc};
use uuid::Uuid;

use crate::cipher::EncryptionSettings;
use crate::database::disk_guard::DiskGuard;
use crate::database::scrub_queue::ScrubQueue;
use crate::error::StoreError;
use crate::keys::{KeyStore, WriteKey};
use crate::lanes::{Cursor, Heads, LANES, lane_of};
use crate::log::append::{Append, AppendError, AppendOutcome, AppendedOnce, NewEvent, Request};
use crate::log::fork_event::fork_event;
use crate::log::moved_lane::MovedLane;
use crate::log::recent_events::RecentEvents;
use crate::log::row::{EVENT_COLUMNS, decode};
use crate::log::stored_event::StoredEvent;
use crate::log::writer::{QUEUE, Readers, WRITERS, Writer};
use crate::shards::placement_watch::PlacementWatch;
use crate::shards::shards::Shards;
use crate::wake::bus::BusLink;
use crate::wake::bus_message::AppendMessage;
use crate::wake::notify::Announcer;
use crate::wake::watermarks::{Growth, Watermarks};
use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;

/// Maximum number of events or debates per read; a greater limit is lowered to this one.
pub const MAX_PAGE: i64 = 10_000;
/// Maximum number of times an append is encrypted: once more each time another process began the debate under another
/// key.
const MAX_KEY_ATTEMPTS: u32 = 3;

/// The log of all debates. Clones are cheap and share the writers, which end when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Log {
    shards: Shards,
    keys: KeyStore,
    /// Queues of the writers, those of one server after those of another. Each lane has one writer, so appends to a debate
    /// keep their order.
    queues: Arc<[mpsc::Sender<Request>]>,
    fresh: Arc<RecentEvents>,
    preferred_lanes: Arc<AtomicU16>,
    wakes: Arc<Watermarks>,
    /// Announces growth of the log on each server.
    announcers: Arc<[Arc<Announcer>]>,
    bus: Arc<BusLink>,
    /// Permits for stream reads, a share of the pool's connections.
    stream_permits: Arc<Semaphore>,
    /// Free-space check of the database's disk, if the disk is local.
    disk_guard: Option<DiskGuard>,
    scrubs: ScrubQueue,
    /// Keeps the placement of lanes up to date.
    _placement: Arc<Option<PlacementWatch>>,
}

impl Log {
    /// Starts the log; the keys of new debates are stored without a master key. See [`Log::start_encrypted`].
    ///
    /// # Errors
    /// As [`Log::start_encrypted`].
    pub async fn start(pool: PgPool) -> Result<Log, StoreError> {
        Log::start_encrypted(pool, EncryptionSettings::default()).await
    }

    /// Starts the writers. Use one log per process, so that its callers share commits.
    ///
    /// # Errors
    /// [`StoreError::Lanes`] if the store was created with another number of lanes; [`StoreError::MasterKeyMismatch`]
    /// if keys are wrapped with a master key that was not given; any other [`StoreError`] if the database cannot be
    /// reached or refuses a statement.
    pub async fn start_encrypted(pool: PgPool, sealing: EncryptionSettings) -> Result<Log, StoreError> {
        Log::start_on_shards(Shards::single(pool), sealing).await
    }

    /// Starts the writers like [`Log::start_encrypted`], for a log whose lanes may be on several servers.
    ///
    /// # Errors
    /// As [`Log::start_encrypted`].
    pub async fn start_on_shards(shards: Shards, sealing: EncryptionSettings) -> Result<Log, StoreError> {
        let keys = KeyStore::new(shards.clone(), sealing);
        keys.open().await?;
        let wakes = Watermarks::new(heads(&shards).await?);
        let announcers: Arc<[_]> = shards.pools().map(|pool| Arc::new(Announcer::start(pool.clone()))).collect();
        let fresh = Arc::<RecentEvents>::default();
        let bus = Arc::<BusLink>::default();
        let writer = |(pool, announcer): (&PgPool, &Arc<Announcer>)| {
            let (requests, queue) = mpsc::channel(QUEUE);
            let (wakes, announcer) = (Arc::clone(&wakes), Arc::clone(announcer));
            let readers = Readers { fresh: Arc::clone(&fresh), wakes, announcer, bus: Arc::clone(&bus) };
            tokio::spawn(Writer::new(pool.clone(), queue, keys.clone(), readers).run());
            requests
        };
        let servers = shards.pools().zip(announcers.iter());
        let queues = servers.flat_map(|server| [server; WRITERS]).map(writer).collect();
        let stream_permits = stream_permits(shards.home());
        let placement = Arc::new(PlacementWatch::start(&shards));
        Ok(Log {
            shards,
            keys,
            queues,
            fresh,
            preferred_lanes: Arc::default(),
            wakes,
            announcers,
            bus,
            stream_permits,
            disk_guard: None,
            scrubs: ScrubQueue::default(),
            _placement: placement,
        })
    }

    /// Returns the same log with a check that refuses appends while the database's disk has too little free space.
    #[must_use]
    pub(crate) fn with_disk_guard(self, disk_guard: Option<DiskGuard>) -> Log {
        Log { disk_guard, ..self }
    }

    /// Returns the free-space check of the database's disk, if the disk is local.
    pub(crate) fn disk_guard(&self) -> Option<&DiskGuard> {
        self.disk_guard.as_ref()
    }

    /// Returns the clean-up of data that erasures leave on disk.
    pub(crate) fn scrubs(&self) -> &ScrubQueue {
        &self.scrubs
    }

    /// Returns an error if the disk has too little free space for more events.
    pub(crate) fn check_disk_space(&self) -> Result<(), StoreError> {
        self.disk_guard.as_ref().map_or(Ok(()), DiskGuard::check)
    }

    /// Appends events to a debate's stream if the stream is at the expected version: all of them or none.
    ///
    /// Idempotent: events that were already recorded under the same ids and with the same content are returned as they
    /// were recorded, at their versions, even if the stream has grown since. An empty append succeeds without a
    /// statement. Dropping the future does not cancel an append that was handed to the writer.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] if the stream is at another version, [`AppendError::Reused`] if an id belongs to another
    /// event, [`AppendError::Fenced`] if the lease was lost, [`AppendError::TooLarge`] if a limit is exceeded, and
    /// [`AppendError::Fault`] if the database fails: only then is it unknown whether the events were recorded; retry with
    /// the same ids.
    pub async fn append(&self, append: Append) -> Result<Vec<Recorded>, AppendError> {
        Ok(self.append_once(append).await?.events)
    }

    /// Appends like [`Log::append`], and also returns whether the events had already been recorded.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub async fn append_once(&self, append: Append) -> Result<AppendedOnce, AppendError> {
        if append.events.is_empty() {
            return Ok(AppendedOnce { events: Vec::new(), repeated: true });
        }
        // Closing events are recorded in any case, because an erasure first ends a running debate.
        if !append.events.iter().all(|new_event| new_event.event.is_last()) {
            self.check_disk_space()?;
        }
        let lane = lane_of(append.debate);
        match self.submit(&append).await? {
            AppendOutcome::Appended { version, position, at } => {
                let place = |(new, ix): (NewEvent, i64)| Recorded {
                    id: new.id,
                    debate: append.debate,
                    version: version + ix,
                    lane,
                    position: position + ix,
                    at,
                    caused_by: new.caused_by,
                    event: new.event,
                };
                let events = append.events.into_iter().zip(0..).map(place).collect();
                Ok(AppendedOnce { events, repeated: false })
            }
            AppendOutcome::Repeated => Ok(AppendedOnce { events: self.repeated(&append).await?, repeated: true }),
            AppendOutcome::Conflict { actual } => Err(AppendError::Conflict { actual }),
            AppendOutcome::Reused { id } => Err(AppendError::Reused { id }),
            AppendOutcome::Fenced => Err(AppendError::Fenced),
        }
    }

    /// Sends an append to its writer, and retries if another process began the debate under another key.
    async fn submit(&self, append: &Append) -> Result<AppendOutcome, AppendError> {
        let (debate, lane) = (append.debate, lane_of(append.debate));
        let (mut attempts, mut moved) = (0, MovedLane::default());
        loop {
            attempts += 1;
            let (mut request, answer) = append.request()?;
            // Before the key is read: from the server of a lane that has moved meanwhile it may be gone, and the append must then
            // be refused.
            let place = self.shards.place(lane);
            let key = self.keys.write_key(debate, append.expected == 0).await?;
            request.seal_under(&key);
            let queue = self.queues.get(place * WRITERS + lane as usize % WRITERS);
            queue.ok_or(StoreError::Stopped)?.send(request).await.map_err(|_| StoreError::Stopped)?;
            match answer.await.map_err(|_| StoreError::Stopped)? {
                Ok(outcome) => {
                    if let (WriteKey::New(key, _), AppendOutcome::Appended { .. }) = (key, &outcome) {
                        self.keys.recorded(debate, key);
                    }
                    return Ok(outcome);
                }
                Err(StoreError::KeyConflict { .. }) if attempts < MAX_KEY_ATTEMPTS => self.keys.forget(debate),
                Err(fault) => {
                    self.keys.forget(debate);
                    moved.wait(fault, &self.shards).await?;
                    attempts = 0;
                }
            }
        }
    }

    /// Returns the events of a repeated append as they were recorded, in the append's order.
    async fn repeated(&self, append: &Append) -> Result<Vec<Recorded>, StoreError> {
        let ids: Vec<Uuid> = append.events.iter().map(|new| new.id).collect();
        let events = self.by_ids(append.debate, &ids).await?;
        let mut events: HashMap<Uuid, Recorded> = events.into_iter().map(|event| (event.id, event)).collect();
        Ok(ids.iter().filter_map(|id| events.remove(id)).collect())
    }

    /// Returns the events of a debate's own stream that have one of these ids, in no particular order.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if one cannot be read; any other [`StoreError`] if the database cannot be reached or
    /// refuses the statement.
    pub async fn by_ids(&self, debate: DebateId, ids: &[Uuid]) -> Result<Vec<Recorded>, StoreError> {
        let rows = sqlx::query(AssertSqlSafe(format!(
            "select {EVENT_COLUMNS}
            from events e
            left join debate_keys k on k.debate_id = e.debate_id
            where e.debate_id = $1
            and e.id = any ($2)",
        )))
        .bind(debate.0)
        .bind(ids)
        .fetch_all(self.pool_of(debate))
        .await
        .map_err(StoreError::database("read events that were recorded earlier"))?;
        let keys = self.keys.decryptors();
        rows.iter().map(|row| decode(row, &keys)).collect()
    }

    /// Returns a debate's events after a version, in order; at most `limit`, empty at the end. The part that a fork
    /// shares with its origin is returned as the origin's events.
    ///
    /// # Errors
    /// [`StoreError::StreamGap`] if a version is missing; [`StoreError::Damaged`] if an event cannot be read;
    /// [`StoreError::Erased`] if the debate was erased; any other [`StoreError`] if the database cannot be reached or
    /// refuses a statement.
    pub async fn read(&self, debate: DebateId, after: i64, limit: i64) -> Result<Vec<Recorded>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE);
        let mut events = self.read_own(debate, after, limit).await?;
        if let Some(first) = events.first()
            && first.version > after.max(0) + 1
            && let Some(forked) = fork_event(first)
        {
            let mut shared = self.read_shared(forked, after, limit).await?;
            shared.append(&mut events);
            shared.truncate(limit as usize);
            events = shared;
        }
        let gap = events.iter().zip(after.max(0) + 1..).find(|(event, wanted)| event.version != *wanted);
        match gap {
            Some((it, wanted)) => Err(StoreError::StreamGap { debate, wanted, found: it.version }),
            None => Ok(events),
        }
    }

    /// Reads like [`Log::read`], without the part shared with the fork origin and without the check for gaps.
    pub(crate) async fn read_own(&self, debate: DebateId, after: i64, limit: i64) -> Result<Vec<Recorded>, StoreError> {
        let rows = self.own_rows(debate, after, limit).await?;
        let keys = self.keys.decryptors();
        let events: Vec<Recorded> = rows.iter().map(|row| decode(row, &keys)).collect::<Result<_, _>>()?;
        if let Some(last) = events.last() {
            self.wakes.mark_visible(last.lane, last.position);
        }
        Ok(events)
    }

    /// Returns a debate's newest event; `None` if there is no such debate.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read; any other [`StoreError`] if the database cannot be reached or
    /// refuses the statement.
    pub async fn newest(&self, debate: DebateId) -> Result<Option<Recorded>, StoreError> {
        let row = sqlx::query(AssertSqlSafe(format!(
            "select {EVENT_COLUMNS}
            from events e
            left join debate_keys k on k.debate_id = e.debate_id
            where e.lane = $1
            and e.debate_id = $2
            order by e.version desc
            limit 1",
        )))
        .bind(lane_of(debate))
        .bind(debate.0)
        .fetch_optional(self.pool_of(debate))
        .await
        .map_err(StoreError::database("read a debate's newest event"))?;
        row.as_ref().map(|row| decode(row, &self.keys.decryptors())).transpose()
    }

    /// Returns a debate's latest version; 0 if there is no such debate.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn head(&self, debate: DebateId) -> Result<i64, StoreError> {
        head(&self.shards, debate).await
    }

    /// Returns the position of the newest event of each lane.
    ///
    /// # Errors
    /// [`StoreError::Lanes`] if the number of lanes is wrong; any other [`StoreError`] if the database cannot be
    /// reached or refuses the statement.
    pub async fn heads(&self) -> Result<Heads, StoreError> {
        heads(&self.shards).await
    }

    /// Returns the debates of a lane in the order of their ids, after `after`: for work on every debate, such as a
    /// rebuild or a verification. At most `limit`; empty at the end.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be reached or refuses the statement.
    pub async fn debates(&self, lane: i16, after: Option<DebateId>, limit: i64) -> Result<Vec<DebateId>, StoreError> {
        let ids: Vec<Uuid> = sqlx::query_scalar(
            "with recursive found as (
                (
                    select debate_id, 1 as n
                    from events
                    where lane = $1
                    and ($2::uuid is null or debate_id > $2)
                    order by debate_id
                    limit 1
                )
                union all
                select following.debate_id, found.n + 1
                from found
                cross join lateral (
                    select debate_id
                    from events
                    where lane = $1
                    and debate_id > found.debate_id
                    order by debate_id
                    limit 1
                ) as following
                where found.n < $3
            )
            select debate_id
            from found
            order by n",
        )
        .bind(lane)
        .bind(after.map(|debate| debate.0))
        .bind(limit.clamp(1, MAX_PAGE))
        .fetch_all(self.pool_of_lane(lane))
        .await
        .map_err(StoreError::database("list a lane's debates"))?;
        Ok(ids.into_iter().map(DebateId).collect())
    }

    /// Notifies followers and other processes of events that were written without the writers.
    pub(crate) fn publish_growth(&self, growth: &Growth) {
        self.wakes.wrote(std::slice::from_ref(growth));
        if let Some(announcer) = self.announcers.get(self.shards.place(lane_of(growth.debate))) {
            announcer.notify(std::slice::from_ref(growth));
        }
        self.bus.publish(&AppendMessage::of_growth(growth));
    }

    /// Returns the same log, read from a replica of the home. Appends still go to the primary. The recently written events
    /// of this process are not used, because the replica may not have them yet.
    pub(crate) fn on_replica(&self, pool: PgPool) -> Log {
        let shards = self.shards.with_home(pool);
        Log { fresh: Arc::default(), stream_permits: stream_permits(shards.home()), shards, ..self.clone() }
    }

    /// Returns the events that [`Log::read`] would return, if this process has just written them and still has them in
    /// memory.
    pub(crate) fn recent_of_debate(&self, debate: DebateId, after: i64, limit: i64) -> Option<Vec<Recorded>> {
        let events = read(self.fresh.of_debate(Instant::now(), debate, after.max(0), limit.min(MAX_PAGE))?)?;
        if let Some(last) = events.last() {
            self.wakes.mark_visible(last.lane, last.position);
        }
        Some(events)
    }

    /// Returns the events that [`Log::read_to`] would return, if this process has just written all of them and still
    /// has them in memory.
    pub(crate) fn recent_of_log(&self, cursor: &Cursor, heads: &Heads, limit: i64) -> Option<Vec<Recorded>> {
        read(self.fresh.of_lanes(Instant::now(), &cursor.next_ranges(heads, limit.clamp(1, MAX_PAGE)))?)
    }

    /// Returns the cache of events that this process has just written.
    pub(crate) fn fresh(&self) -> &RecentEvents {
        &self.fresh
    }

    /// Returns the message bus, which may not be connected.
    pub(crate) fn bus(&self) -> &BusLink {
        &self.bus
    }

    /// Returns the lanes whose debates this process prefers, as bits.
    pub(crate) fn preferred_lanes(&self) -> &AtomicU16 {
        &self.preferred_lanes
    }

    /// Returns the watermarks: the growth of the log that this process knows of.
    pub fn wakes(&self) -> &Arc<Watermarks> {
        &self.wakes
    }

    /// Returns the permits for stream reads: half as many as the pool has connections, so that the other half always
    /// serves requests.
    pub fn stream_permits(&self) -> &Arc<Semaphore> {
        &self.stream_permits
    }

    /// Returns the keys of the debates.
    pub(crate) fn keys(&self) -> &KeyStore {
        &self.keys
    }

    /// Returns the servers that hold the lanes.
    pub fn shards(&self) -> &Shards {
        &self.shards
    }

    /// Returns the connections to the server that holds the events of a debate.
    pub(crate) fn pool_of(&self, debate: DebateId) -> &PgPool {
        self.shards.of(debate)
    }

    /// Returns the connections to the server that holds a lane.
    pub(crate) fn pool_of_lane(&self, lane: i16) -> &PgPool {
        self.shards.of_lane(lane)
    }

    /// Returns the connections to the home, which holds everything but the lanes that were moved elsewhere.
    pub fn pool(&self) -> &PgPool {
        self.shards.home()
    }
}

fn stream_permits(pool: &PgPool) -> Arc<Semaphore> {
    Arc::new(Semaphore::new((pool.options().get_max_connections() as usize / 2).max(1)))
}

/// Decodes the events; `None` if one cannot be read, so that the caller reads the log, which reports the error.
fn read(kept: Vec<Arc<StoredEvent>>) -> Option<Vec<Recorded>> {
    kept.iter().map(|event| event.read().ok()).collect()
}

/// Returns the position of the newest event of each lane, with one statement for each server.
pub(crate) async fn heads(shards: &Shards) -> Result<Heads, StoreError> {
    let lanes: Vec<i16> = (0..LANES).collect();
    let mut heads = Heads::default();
    for group in shards.grouped(&lanes, |lane| *lane) {
        let found: Vec<i64> = sqlx::query_scalar("select head from lanes order by lane")
            .fetch_all(group.pool)
            .await
            .map_err(StoreError::database("read the lanes' heads"))?;
        let found =
            Heads::try_from(found).map_err(|found| StoreError::Lanes { found: found.len(), wanted: LANES as usize })?;
        group.indexes.into_iter().for_each(|lane| heads[lane] = found[lane]);
    }
    Ok(heads)
}

/// Returns a debate's latest version; 0 if there is no such debate.
pub(crate) async fn head(shards: &Shards, debate: DebateId) -> Result<i64, StoreError> {
    sqlx::query_scalar(
        "select coalesce(max(version), 0)
        from events
        where lane = $1
        and debate_id = $2",
    )
    .bind(lane_of(debate))
    .bind(debate.0)
    .fetch_one(shards.of(debate))
    .await
    .map_err(StoreError::database("read a debate's version"))
}
