//! What the log does in a second, next to a bare insert of the same rows in the same run.
//!
//! `DATABASE_URL=postgres://... cargo bench --bench log`, optionally with the seconds that each figure is measured for.
//! It makes a database of its own and deletes it. Events of about 600 bytes, 20 a stream. The bare insert knows no lane,
//! no order, no chain and no repeated ids: one statement, one transaction an append, each caller on a connection of its
//! own. Absolute figures depend on the disk; ratios hold.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use faultline::events::event::Event;
use faultline::events::ids::DebateId;
use faultline::events::lifecycle::DebateAborted;
use faultline::events::wire;
use faultline::store::append::{Append, NewEvent};
use faultline::store::follower::{Follower, LOG_PAGE};
use faultline::store::keys::Sealing;
use faultline::store::lanes::Cursor;
use faultline::store::log::Log;
use faultline::store::pool::{self, Settings};
use faultline::store::tail::Tail;
use futures_util::future::join_all;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection, Executor};
use uuid::Uuid;

const BODY_BYTES: usize = 600;
const STREAM_EVENTS: i64 = 20;
/// Callers, and events an append.
const LOADS: &[(usize, usize)] = &[(1, 1), (8, 1), (1, 10), (8, 10), (64, 1), (64, 10)];
const LIVE_EVENTS: u64 = 500;
/// Debates that are read, events in each, and how often.
const READ_DEBATES: usize = 100;
const READ_EVENTS: usize = 200;
const READ_TURNS: usize = 5;
const LIVE_PAUSE: Duration = Duration::from_millis(10);

#[tokio::main]
async fn main() {
    let seconds = std::env::args().skip(1).find_map(|it| it.parse().ok()).unwrap_or(4.0);
    let Ok(url) = std::env::var("DATABASE_URL") else {
        println!("set DATABASE_URL to a server on which a database may be made");
        return;
    };
    let server: PgConnectOptions = url.parse().expect("DATABASE_URL");
    let mut connection = server.connect().await.expect("connect");
    connection.execute("drop database if exists faultline_bench with (force)").await.expect("drop");
    connection.execute("create database faultline_bench").await.expect("create");
    let options = server.clone().database("faultline_bench");
    let pool = pool::connect(options.clone(), &Settings::default()).await.expect("migrate");
    pool.execute(BARE).await.expect("create the bare table");
    let log = Log::start(pool.clone()).await.expect("start");

    let lasting = Duration::from_secs_f64(seconds);
    appends(&log, &options, lasting).await;
    reads(&log).await;
    let plain = Log::sealing(pool.clone(), Sealing { seals: false, master: None }).await.expect("start");
    seals(&log, &plain, lasting).await;
    live(&log, &options).await;

    pool.close().await;
    connection.execute("drop database if exists faultline_bench with (force)").await.expect("drop");
    connection.close().await.expect("close");
}

const BARE: &str = "
    create table bare (
        id uuid not null,
        debate_id uuid not null,
        version bigint not null,
        kind text not null,
        schema smallint not null,
        body bytea not null,
        recorded_at timestamptz not null default clock_timestamp(),
        constraint bare_pkey primary key (debate_id, version)
    )";

async fn appends(log: &Log, options: &PgConnectOptions, lasting: Duration) {
    println!(
        "appends, events/s          callers  events each       bare        log   log/bare   events a commit   server CPU an event, us: bare   log"
    );
    for (callers, size) in LOADS {
        // Turn by turn, so that a neighbour's noise falls on both.
        let before = log.heads().await.expect("heads");
        let (mut bare, mut ours) = (Measured::default(), Measured::default());
        for _ in 0..2 {
            bare.add(bare_inserts(options, *callers, *size, lasting / 2).await);
            ours.add(log_appends(log, *callers, *size, lasting / 2).await);
        }
        let commit = events_a_commit(log, Cursor::at(before)).await;
        println!(
            "{:>34} {:>12} {:>10.0} {:>10.0} {:>10.2} {:>17.1} {:>36.0} {:>5.0}",
            callers,
            size,
            bare.rate(),
            ours.rate(),
            ours.rate() / bare.rate(),
            commit,
            bare.cpu_micros(),
            ours.cpu_micros()
        );
    }
}

/// How many events shared a commit.
async fn events_a_commit(log: &Log, mut cursor: Cursor) -> f64 {
    let (mut commits, mut n_events) = (HashSet::new(), 0);
    loop {
        let (events, reached) = log.read_all(&cursor, LOG_PAGE).await.expect("read");
        if events.is_empty() {
            return n_events as f64 / commits.len() as f64;
        }
        n_events += events.len();
        commits.extend(events.iter().map(|it| it.at));
        cursor = reached;
    }
}

#[derive(Default)]
struct Measured {
    events: u64,
    elapsed: Duration,
    cpu: Duration,
}

impl Measured {
    fn add(&mut self, other: Measured) {
        self.events += other.events;
        self.elapsed += other.elapsed;
        self.cpu += other.cpu;
    }

    fn rate(&self) -> f64 {
        self.events as f64 / self.elapsed.as_secs_f64()
    }

    fn cpu_micros(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.events as f64
    }
}

async fn log_appends(log: &Log, callers: usize, size: usize, lasting: Duration) -> Measured {
    let pids = backends(log).await;
    let work = (0..callers).map(|_| {
        let log = log.clone();
        move |n_events: Arc<AtomicU64>, deadline: Instant| {
            tokio::spawn(async move {
                let mut stream = Stream::default();
                while Instant::now() < deadline {
                    let append = stream.append(size);
                    n_events.fetch_add(append.events.len() as u64, Ordering::Relaxed);
                    log.append(append).await.expect("append");
                }
            })
        }
    });
    measure(work, pids, lasting).await
}

async fn bare_inserts(options: &PgConnectOptions, callers: usize, size: usize, lasting: Duration) -> Measured {
    let mut connections: Vec<PgConnection> =
        join_all((0..callers).map(|_| options.connect())).await.into_iter().map(|it| it.expect("connect")).collect();
    let mut pids = Vec::new();
    for connection in &mut connections {
        pids.push(sqlx::query_scalar("select pg_backend_pid()").fetch_one(connection).await.expect("pid"));
    }
    let work = connections.into_iter().map(|mut connection| {
        move |n_events: Arc<AtomicU64>, deadline: Instant| {
            tokio::spawn(async move {
                let mut stream = Stream::default();
                while Instant::now() < deadline {
                    let append = stream.append(size);
                    n_events.fetch_add(append.events.len() as u64, Ordering::Relaxed);
                    insert(&mut connection, &append).await;
                }
            })
        }
    });
    measure(work, pids, lasting).await
}

async fn insert(connection: &mut PgConnection, append: &Append) {
    let stored: Vec<wire::Stored> = append.events.iter().map(|it| wire::encode(&it.event)).collect();
    sqlx::query(
        "insert into bare (id, debate_id, version, kind, schema, body)
        select id, $2, $3 + place, kind, schema, body
        from unnest($1::uuid[], $4::text[], $5::smallint[], $6::bytea[])
            with ordinality as new (id, kind, schema, body, place)",
    )
    .bind(append.events.iter().map(|it| it.id).collect::<Vec<_>>())
    .bind(append.debate.0)
    .bind(append.expected)
    .bind(stored.iter().map(|it| it.kind.as_str()).collect::<Vec<_>>())
    .bind(stored.iter().map(|it| it.schema).collect::<Vec<_>>())
    .bind(stored.iter().map(|it| it.body.as_slice()).collect::<Vec<_>>())
    .execute(connection)
    .await
    .expect("insert");
}

async fn measure<W>(work: impl Iterator<Item = W>, pids: Vec<i32>, lasting: Duration) -> Measured
where
    W: FnOnce(Arc<AtomicU64>, Instant) -> tokio::task::JoinHandle<()>,
{
    let n_events = Arc::new(AtomicU64::new(0));
    let (begun, cpu) = (Instant::now(), cpu_of(&pids));
    let tasks: Vec<_> = work.map(|start| start(Arc::clone(&n_events), begun + lasting)).collect();
    let watch = tokio::spawn(async move {
        // The backends end with the callers; the last look at them counts.
        let mut spent = Duration::ZERO;
        loop {
            spent = spent.max(cpu_of(&pids).saturating_sub(cpu));
            tokio::time::sleep(Duration::from_millis(50)).await;
            if begun.elapsed() > lasting {
                return spent;
            }
        }
    });
    join_all(tasks).await.into_iter().for_each(|it| it.expect("a caller"));
    let elapsed = begun.elapsed();
    let cpu = watch.await.expect("the watch");
    Measured { events: n_events.load(Ordering::Relaxed), elapsed, cpu }
}

/// One debate after the other, each appended to until it is long enough.
struct Stream {
    debate: DebateId,
    version: i64,
    event: Event,
}

impl Default for Stream {
    fn default() -> Self {
        let frame = r#"{"reason":""}"#.len();
        let event =
            Event::DebateAborted(DebateAborted { reason: "lorem ipsum ".repeat(60)[..BODY_BYTES - frame].to_owned() });
        Stream { debate: DebateId(Uuid::now_v7()), version: 0, event }
    }
}

impl Stream {
    fn append(&mut self, size: usize) -> Append {
        if self.version >= STREAM_EVENTS {
            self.debate = DebateId(Uuid::now_v7());
            self.version = 0;
        }
        let expected = self.version;
        self.version += size as i64;
        let new = |_| NewEvent { id: Uuid::now_v7(), event: self.event.clone(), caused_by: None };
        Append { debate: self.debate, expected, events: (0..size).map(new).collect(), fence: None, actor: None }
    }
}

/// The writers' backends in this database.
async fn backends(log: &Log) -> Vec<i32> {
    for _ in 0..64 {
        // Every writer has its connection then.
        log.append(Stream::default().append(1)).await.expect("append");
    }
    sqlx::query_scalar(
        "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    )
    .fetch_all(log.pool())
    .await
    .expect("list backends")
}

/// CPU that these processes have used; nothing where they are not on this machine.
fn cpu_of(pids: &[i32]) -> Duration {
    let ticks = |pid: &i32| -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
    };
    Duration::from_millis(pids.iter().filter_map(ticks).sum::<u64>() * 10)
}

async fn reads(log: &Log) {
    let (mut cursor, mut n_events, begun) = (Cursor::default(), 0, Instant::now());
    loop {
        let (events, reached) = log.read_all(&cursor, LOG_PAGE).await.expect("read");
        if events.is_empty() {
            break;
        }
        n_events += events.len();
        cursor = reached;
    }
    println!(
        "\nread back, decoded, one reader: {n_events} events, {:.0} events/s",
        n_events as f64 / begun.elapsed().as_secs_f64()
    );
}

/// What it costs that bodies are sealed: the same loads on a log that seals nothing, turn by turn.
async fn seals(log: &Log, plain: &Log, lasting: Duration) {
    println!(
        "\nsealed beside plain              callers  events each  plain/s   sealed/s   ratio   CPU here an event, us: plain  sealed"
    );
    for (callers, size) in [(1, 1), (8, 10), (64, 1), (64, 10)] {
        let mut measured = [(Measured::default(), Duration::ZERO), (Measured::default(), Duration::ZERO)];
        for _ in 0..2 {
            for (log, (sum, cpu)) in [plain, log].into_iter().zip(&mut measured) {
                let own = own_cpu();
                sum.add(log_appends(log, callers, size, lasting / 2).await);
                *cpu += own_cpu().saturating_sub(own);
            }
        }
        let micros = |(sum, cpu): &(Measured, Duration)| cpu.as_secs_f64() * 1e6 / sum.events as f64;
        let [one, other] = [&measured[0], &measured[1]];
        println!(
            "{:>27} {:>12} {:>12} {:>8.0} {:>10.0} {:>7.2} {:>33.1} {:>7.1}",
            "appends",
            callers,
            size,
            one.0.rate(),
            other.0.rate(),
            other.0.rate() / one.0.rate(),
            micros(one),
            micros(other)
        );
    }
    let mut debates = [Vec::new(), Vec::new()];
    for (log, debates) in [plain, log].into_iter().zip(&mut debates) {
        for _ in 0..READ_DEBATES {
            let mut stream = Stream::default();
            log.append(stream.append(READ_EVENTS)).await.expect("append");
            debates.push(stream.debate);
        }
    }
    let mut took = [Duration::ZERO; 2];
    for _ in 0..READ_TURNS {
        for (debates, took) in debates.iter().zip(&mut took) {
            let begun = Instant::now();
            for debate in debates {
                let events = log.read(*debate, 0, READ_EVENTS as i64).await.expect("read");
                assert_eq!(events.len(), READ_EVENTS, "all of them");
            }
            *took += begun.elapsed();
        }
    }
    let rate = |took: Duration| (READ_DEBATES * READ_EVENTS * READ_TURNS) as f64 / took.as_secs_f64();
    println!(
        "{:>27} {:>12} {:>12} {:>8.0} {:>10.0} {:>7.2}",
        "a debate read",
        1,
        READ_EVENTS,
        rate(took[0]),
        rate(took[1]),
        rate(took[1]) / rate(took[0])
    );
}

/// CPU that this process has used.
fn own_cpu() -> Duration {
    cpu_of(&[std::process::id().cast_signed()])
}

async fn live(log: &Log, options: &PgConnectOptions) {
    println!("\nlive, 100 events/s, from before the append to the follower      p50 ms     p99 ms");
    let tail = Tail::start(log);
    let pool = pool::connect(options.clone(), &Settings::default()).await.expect("connect");
    let other = Log::start(pool).await.expect("start");
    let other_tail = Tail::start(&other);
    tokio::time::sleep(Duration::from_millis(300)).await;
    for (name, reader, tail) in [("in the same process", log, &tail), ("in another process", &other, &other_tail)] {
        let heads = log.heads().await.expect("heads");
        let follower = Follower::of_log(reader, tail, Cursor::at(heads));
        report(&format!("the whole log, {name}"), delays(log, follower, Stream::default()).await);
        let stream = Stream::default();
        let follower = Follower::of_debate(reader, tail, stream.debate, 0);
        report(&format!("one debate, {name}"), delays(log, follower, stream).await);
    }
}

async fn delays(log: &Log, mut follower: Follower, mut stream: Stream) -> Vec<Duration> {
    let begun = Instant::now();
    let read = tokio::spawn(async move {
        let mut arrivals = Vec::new();
        while (arrivals.len() as u64) < LIVE_EVENTS {
            let events = follower.next().await.expect("follow");
            arrivals.extend(events.iter().map(|_| begun.elapsed()));
        }
        arrivals
    });
    let mut departures = Vec::new();
    for _ in 0..LIVE_EVENTS {
        tokio::time::sleep(LIVE_PAUSE).await;
        departures.push(begun.elapsed());
        let mut append = stream.append(1);
        // One debate for all of it.
        append.debate = DebateId(append.debate.0);
        stream.version = stream.version.min(STREAM_EVENTS - 1);
        append.expected = departures.len() as i64 - 1;
        log.append(append).await.expect("append");
    }
    let arrivals = read.await.expect("the follower");
    arrivals.iter().zip(&departures).map(|(arrival, departure)| arrival.saturating_sub(*departure)).collect()
}

fn report(name: &str, mut delays: Vec<Duration>) {
    delays.sort();
    let at = |share: usize| delays[delays.len() * share / 100].as_secs_f64() * 1e3;
    println!("{name:>60} {:>10.2} {:>10.2}", at(50), at(99));
}
