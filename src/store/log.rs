//! The log: append with an expected version, read one debate, read everything in order.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use sqlx::PgPool;
use tokio::sync::{Semaphore, mpsc};
use uuid::Uuid;

use crate::events::event::Recorded;
use crate::events::ids::DebateId;
use crate::store::announce::Announcer;
use crate::store::append::{Append, AppendError, AppendedOnce, NewEvent, Outcome, Request};
use crate::store::fault::Fault;
use crate::store::forks::shares;
use crate::store::fresh::Fresh;
use crate::store::kept::Kept;
use crate::store::keys::{Keys, Sealing, WriteKey};
use crate::store::lanes::{Cursor, Heads, LANES, lane_of};
use crate::store::library::open::Library;
use crate::store::room::Room;
use crate::store::row::{recorded, recorded_or_erased};
use crate::store::scrub::Scrubs;
use crate::store::wakes::{Growth, Wakes};
use crate::store::writer::{QUEUE, WRITERS, Writer};

/// Events or debates in one answer at most; a greater limit counts as this one.
pub const PAGE: i64 = 10_000;
/// How often an append is sealed, if its debate begins under other keys meanwhile: each time somebody else began it.
const KEY_ATTEMPTS: u32 = 3;

/// The log of all debates. Clones are cheap and share the writers, which end with the last of them.
#[derive(Clone, Debug)]
pub struct Log {
    pool: PgPool,
    keys: Keys,
    /// Each lane has one writer, so an append to a debate never overtakes another.
    queues: Arc<[mpsc::Sender<Request>]>,
    fresh: Arc<Fresh>,
    wakes: Arc<Wakes>,
    announcer: Arc<Announcer>,
    /// The share of the pool that streams read with.
    stream_share: Arc<Semaphore>,
    /// Where the server's disk is at hand.
    room: Option<Room>,
    scrubs: Scrubs,
}

impl Log {
    /// The log, sealing debates that begin under keys that are not wrapped. As [`Log::sealing`].
    ///
    /// # Errors
    /// As there.
    pub async fn start(pool: PgPool) -> Result<Log, Fault> {
        Log::sealing(pool, Sealing::default()).await
    }

    /// Starts the writers. One log a process, so that its callers share their commits.
    ///
    /// # Errors
    /// [`Fault::Lanes`] where the store was made with another number of lanes; [`Fault::OtherMaster`] where it cannot be
    /// read with this master key; else the database's.
    pub async fn sealing(pool: PgPool, sealing: Sealing) -> Result<Log, Fault> {
        let keys = Keys::new(pool.clone(), sealing);
        keys.open().await?;
        let wakes = Wakes::new(heads(&pool).await?);
        let announcer = Arc::new(Announcer::start(pool.clone()));
        let fresh = Arc::<Fresh>::default();
        let writer = |_| {
            let (requests, queue) = mpsc::channel(QUEUE);
            let (fresh, wakes, announcer) = (Arc::clone(&fresh), Arc::clone(&wakes), Arc::clone(&announcer));
            tokio::spawn(Writer::new(pool.clone(), queue, keys.clone(), fresh, wakes, announcer).run());
            requests
        };
        let queues = (0..WRITERS).map(writer).collect();
        let stream_share = stream_share(&pool);
        Ok(Log { pool, keys, queues, fresh, wakes, announcer, stream_share, room: None, scrubs: Scrubs::default() })
    }

    /// The same log, which records nothing more while there is too little room on the server's disk.
    #[must_use]
    pub(crate) fn within(self, room: Option<Room>) -> Log {
        Log { room, ..self }
    }

    /// The server's disk, where it is at hand.
    pub(crate) fn room(&self) -> Option<&Room> {
        self.room.as_ref()
    }

    /// The cleaning behind erasures.
    pub(crate) fn scrubs(&self) -> &Scrubs {
        &self.scrubs
    }

    /// Refuses to record more while there is too little room.
    pub(crate) fn has_room(&self) -> Result<(), Fault> {
        self.room.as_ref().map_or(Ok(()), Room::check)
    }

    /// The library that lies beside the log, in the same database.
    pub fn library(&self) -> Library {
        Library::new(self.pool.clone())
    }

    /// Records events at the end of a debate's stream, if that stands at the expected version: all of them or none.
    ///
    /// Events recorded before, under the same ids and with the same content, are the same success: they come back as
    /// they were recorded, at whatever version, whether or not the stream has grown since. No events at all are recorded
    /// without asking. Dropping the future does not call back what was handed over.
    ///
    /// # Errors
    /// See [`AppendError`]. Only after a fault it is unknown whether the events were recorded; ask again with their ids.
    pub async fn append(&self, append: Append) -> Result<Vec<Recorded>, AppendError> {
        Ok(self.append_once(append).await?.events)
    }

    /// As [`Log::append`]; also returns whether the database had recorded the events before.
    ///
    /// # Errors
    /// As there.
    pub async fn append_once(&self, append: Append) -> Result<AppendedOnce, AppendError> {
        if append.events.is_empty() {
            return Ok(AppendedOnce { events: Vec::new(), repeated: true });
        }
        // What ends a debate is recorded in any case: an erasure ends what still runs.
        if !append.events.iter().all(|it| it.event.is_last()) {
            self.has_room()?;
        }
        let lane = lane_of(append.debate);
        match self.decided(&append).await? {
            Outcome::Appended { version, position, at } => {
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
            Outcome::Repeated => Ok(AppendedOnce { events: self.repeated(&append).await?, repeated: true }),
            Outcome::Conflict { actual } => Err(AppendError::Conflict { actual }),
            Outcome::Reused { id } => Err(AppendError::Reused { id }),
            Outcome::Fenced => Err(AppendError::Fenced),
        }
    }

    /// Hands an append to its writer, and again if its debate began under another key meanwhile.
    async fn decided(&self, append: &Append) -> Result<Outcome, AppendError> {
        let debate = append.debate;
        let queue = &self.queues[lane_of(debate) as usize % self.queues.len()];
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (mut request, answer) = append.request()?;
            let key = self.keys.to_write(debate, append.expected == 0).await?;
            request.seal_under(&key);
            queue.send(request).await.map_err(|_| Fault::Stopped)?;
            match answer.await.map_err(|_| Fault::Stopped)? {
                Ok(outcome) => {
                    if let (WriteKey::New(key, _), Outcome::Appended { .. }) = (key, &outcome) {
                        self.keys.recorded(debate, key);
                    }
                    return Ok(outcome);
                }
                Err(Fault::KeyTaken { .. }) if attempts < KEY_ATTEMPTS => self.keys.forget(debate),
                Err(fault) => {
                    self.keys.forget(debate);
                    return Err(fault.into());
                }
            }
        }
    }

    /// The events of an append that had been recorded before, in the append's order.
    async fn repeated(&self, append: &Append) -> Result<Vec<Recorded>, Fault> {
        let ids: Vec<Uuid> = append.events.iter().map(|new| new.id).collect();
        let events = self.by_ids(append.debate, &ids).await?;
        let mut events: HashMap<Uuid, Recorded> = events.into_iter().map(|it| (it.id, it)).collect();
        Ok(ids.iter().filter_map(|id| events.remove(id)).collect())
    }

    /// The events of a debate's own stream that have one of these ids, in no order.
    ///
    /// # Errors
    /// [`Fault::Damaged`] where one cannot be read; else the database's.
    pub async fn by_ids(&self, debate: DebateId, ids: &[Uuid]) -> Result<Vec<Recorded>, Fault> {
        let rows = sqlx::query(
            "select lane, position, events.debate_id, version, id, kind, schema, body, caused_by, recorded_at,
                k.debate_id is not null, k.key, k.master
            from events
            left join debate_keys k on k.debate_id = events.debate_id
            where events.debate_id = $1
            and id = any ($2)",
        )
        .bind(debate.0)
        .bind(ids)
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("read events recorded before"))?;
        let keys = self.keys.openers();
        rows.iter().map(|it| recorded(it, &keys)).collect()
    }

    /// A debate's events after a version, in order; at most `limit`, and empty where there are no more. What a fork
    /// shares with its origin comes as the origin's events.
    ///
    /// # Errors
    /// [`Fault::StreamGap`] and [`Fault::Damaged`] where the stream is not whole; [`Fault::Erased`]; else the database's.
    pub async fn read(&self, debate: DebateId, after: i64, limit: i64) -> Result<Vec<Recorded>, Fault> {
        let limit = limit.clamp(1, PAGE);
        let mut events = self.read_own(debate, after, limit).await?;
        if let Some(first) = events.first()
            && first.version > after.max(0) + 1
            && let Some(forked) = shares(first)
        {
            let mut shared = self.read_shared(forked, after, limit).await?;
            shared.append(&mut events);
            shared.truncate(limit as usize);
            events = shared;
        }
        let gap = events.iter().zip(after.max(0) + 1..).find(|(it, wanted)| it.version != *wanted);
        match gap {
            Some((it, wanted)) => Err(Fault::StreamGap { debate, wanted, found: it.version }),
            None => Ok(events),
        }
    }

    /// The same, without what a fork shares with its origin, and whether or not there is a gap.
    pub(crate) async fn read_own(&self, debate: DebateId, after: i64, limit: i64) -> Result<Vec<Recorded>, Fault> {
        let rows = self.own_rows(debate, after, limit).await?;
        let keys = self.keys.openers();
        let events: Vec<Recorded> = rows.iter().map(|it| recorded(it, &keys)).collect::<Result<_, _>>()?;
        if let Some(last) = events.last() {
            self.wakes.showed(last.lane, last.position);
        }
        Ok(events)
    }

    /// A debate's newest event; `None` where there is no such debate.
    ///
    /// # Errors
    /// [`Fault::Damaged`] where it cannot be read; else the database's.
    pub async fn newest(&self, debate: DebateId) -> Result<Option<Recorded>, Fault> {
        let row = sqlx::query(
            "select lane, position, events.debate_id, version, id, kind, schema, body, caused_by, recorded_at,
                k.debate_id is not null, k.key, k.master
            from events
            left join debate_keys k on k.debate_id = events.debate_id
            where lane = $1
            and events.debate_id = $2
            order by version desc
            limit 1",
        )
        .bind(lane_of(debate))
        .bind(debate.0)
        .fetch_optional(&self.pool)
        .await
        .map_err(Fault::database("read a debate's newest event"))?;
        row.as_ref().map(|it| recorded(it, &self.keys.openers())).transpose()
    }

    /// The version at which a debate stands; 0 where there is no such debate.
    ///
    /// # Errors
    /// The database's.
    pub async fn head(&self, debate: DebateId) -> Result<i64, Fault> {
        sqlx::query_scalar(
            "select coalesce(max(version), 0)
            from events
            where lane = $1
            and debate_id = $2",
        )
        .bind(lane_of(debate))
        .bind(debate.0)
        .fetch_one(&self.pool)
        .await
        .map_err(Fault::database("read a debate's version"))
    }

    /// The position of each lane's newest event.
    ///
    /// # Errors
    /// [`Fault::Lanes`] where a lane is missing; else the database's.
    pub async fn heads(&self) -> Result<Heads, Fault> {
        heads(&self.pool).await
    }

    /// Events of all debates behind a cursor, and the cursor behind them. In order inside each lane, so inside each
    /// debate; at most `limit` or one a lane, whichever is more; empty where there are no more. Those of debates that were
    /// erased come as [`Event::Erased`](crate::events::event::Event::Erased).
    ///
    /// Never passes an event whose transaction is still under way: a lane's positions have no gaps and become visible
    /// in their order, and that is checked here.
    ///
    /// # Errors
    /// [`Fault::LaneGap`] and [`Fault::Damaged`] where a lane is not whole, [`Fault::Ahead`] for a cursor of another
    /// log; else the database's.
    pub async fn read_all(&self, cursor: &Cursor, limit: i64) -> Result<(Vec<Recorded>, Cursor), Fault> {
        let heads = self.heads().await?;
        self.wakes.hear((0..).zip(heads));
        if let Some(lane) = (0..LANES).find(|lane| cursor.position(*lane) > heads[*lane as usize]) {
            return Err(Fault::Ahead { lane, at: cursor.position(lane), head: heads[lane as usize] });
        }
        self.read_to(cursor, &heads, limit).await
    }

    /// As [`Log::read_all`], but no further than to heads known already: one statement. Where a head lies behind the
    /// cursor, nothing is read from that lane.
    ///
    /// # Errors
    /// As there, but for [`Fault::Ahead`].
    pub async fn read_to(&self, cursor: &Cursor, heads: &Heads, limit: i64) -> Result<(Vec<Recorded>, Cursor), Fault> {
        let stretches = cursor.share(heads, limit.clamp(1, PAGE));
        if stretches.is_empty() {
            return Ok((Vec::new(), cursor.clone()));
        }
        // The limit of one key: looked up event by event, never by a scan of all keys.
        let rows = sqlx::query(
            "select e.lane, e.position, e.debate_id, e.version, e.id, e.kind, e.schema, e.body, e.caused_by, e.recorded_at,
                k.debate_id is not null, k.key, k.master
            from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as stretch (lane, after, upto)
            cross join lateral (
                select *
                from events
                where events.lane = stretch.lane
                and events.position > stretch.after
                and events.position <= stretch.upto
                order by events.position
                limit stretch.upto - stretch.after
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
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("read the log"))?;
        let mut events = Vec::with_capacity(rows.len());
        let (mut reached, keys) = (cursor.clone(), self.keys.openers());
        for row in &rows {
            let event = recorded_or_erased(row, &keys)?;
            let wanted = reached.position(event.lane) + 1;
            if event.position != wanted {
                return Err(Fault::LaneGap { lane: event.lane, wanted, found: Some(event.position) });
            }
            reached.pass(&event);
            events.push(event);
        }
        match stretches.iter().find(|it| reached.position(it.lane) != it.upto) {
            Some(it) => Err(Fault::LaneGap { lane: it.lane, wanted: reached.position(it.lane) + 1, found: None }),
            None => Ok((events, reached)),
        }
    }

    /// Debates of a lane, by id, after one of them: for work on every debate, such as a rebuild or a verification.
    /// At most `limit`; empty where there are no more.
    ///
    /// # Errors
    /// The database's.
    pub async fn debates(&self, lane: i16, after: Option<DebateId>, limit: i64) -> Result<Vec<DebateId>, Fault> {
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
        .bind(after.map(|it| it.0))
        .bind(limit.clamp(1, PAGE))
        .fetch_all(&self.pool)
        .await
        .map_err(Fault::database("list a lane's debates"))?;
        Ok(ids.into_iter().map(DebateId).collect())
    }

    /// Tells followers and other processes of what was written past the writers.
    pub(crate) fn grown(&self, growth: &Growth) {
        self.wakes.wrote(std::slice::from_ref(growth));
        self.announcer.tell([(lane_of(growth.debate), growth.positions.1)]);
    }

    /// The same log, read from another server that follows this one's. Appends go where they went before; nothing is handed
    /// over, for that server need not have it yet.
    pub(crate) fn read_from(&self, pool: PgPool) -> Log {
        Log { fresh: Arc::default(), stream_share: stream_share(&pool), pool, ..self.clone() }
    }

    /// What follows in a debate, where this process has just written it: what [`Log::read`] would read.
    pub(crate) fn handed(&self, debate: DebateId, after: i64, limit: i64) -> Option<Vec<Recorded>> {
        let events = read(self.fresh.of_debate(Instant::now(), debate, after.max(0), limit.min(PAGE))?)?;
        if let Some(last) = events.last() {
            self.wakes.showed(last.lane, last.position);
        }
        Some(events)
    }

    /// What follows in the log up to these heads, where this process has just written all of it: what [`Log::read_to`]
    /// would read.
    pub(crate) fn handed_to(&self, cursor: &Cursor, heads: &Heads, limit: i64) -> Option<Vec<Recorded>> {
        read(self.fresh.of_lanes(Instant::now(), &cursor.share(heads, limit.clamp(1, PAGE)))?)
    }

    /// What this process has just written.
    pub(crate) fn fresh(&self) -> &Fresh {
        &self.fresh
    }

    /// What this process has heard of the log's growth.
    pub fn wakes(&self) -> &Arc<Wakes> {
        &self.wakes
    }

    /// Permits for the reads of streams: as many as half of the pool's connections, so that the other half always serves
    /// requests.
    pub fn stream_share(&self) -> &Arc<Semaphore> {
        &self.stream_share
    }

    /// The keys of its debates.
    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The pool through which this log reads.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }
}

fn stream_share(pool: &PgPool) -> Arc<Semaphore> {
    Arc::new(Semaphore::new((pool.options().get_max_connections() as usize / 2).max(1)))
}

/// The events, read; what cannot be read is left to whoever reads the log, and can say where it stands.
fn read(kept: Vec<Arc<Kept>>) -> Option<Vec<Recorded>> {
    kept.iter().map(|it| it.read().ok()).collect()
}

/// The position of each lane's newest event.
pub(crate) async fn heads(pool: &PgPool) -> Result<Heads, Fault> {
    let found: Vec<i64> = sqlx::query_scalar("select head from lanes order by lane")
        .fetch_all(pool)
        .await
        .map_err(Fault::database("read the lanes' heads"))?;
    Heads::try_from(found).map_err(|found| Fault::Lanes { found: found.len(), wanted: LANES as usize })
}
