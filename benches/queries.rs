//! GraphQL queries per second, and their cost: processor time of the server and of Postgres, as the kernel counts it.
//!
//! Run `cargo bench --bench queries`, optionally with the number of debates (10,000 by default), each of 50 events. The
//! program serves them as a process of its own. Beside it, in the same run and over the same database, `PostGraphile`
//! is measured, if node is installed and `npm install` was run in `benches/peers/postgraphile`. It uses the server in
//! `DATABASE_URL`, or else a private one under `.faultline/bench-postgres`, and creates and deletes a database of its
//! own. Requests per second depend on the machine and on other load; processor time depends on them much less.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use faultline_core::events::wire;
use faultline_core::events::wire::EncodedEvent;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::follow::follower::MAX_LOG_PAGE;
use faultline_store::lanes::Cursor;
use faultline_store::open::Store;
use serde_json::{Value, json};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Executor};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

#[path = "shared/bench_database.rs"]
mod bench_database;
#[path = "shared/bench_service.rs"]
mod bench_service;
#[path = "shared/debates.rs"]
mod debates;
#[path = "shared/lines.rs"]
mod lines;
#[path = "shared/memory.rs"]
mod memory;
#[path = "shared/rebuild.rs"]
mod rebuild;

use bench_database::BenchDatabase;
use bench_service::start_service;
use debates::{EVENTS, fill};
use rebuild::rebuild;

const REFERENCE: &str = "
goal, ms of processor time for a request, server + Postgres:  a 0.20 + 0.23   b 0.28 + 0.26   c 0.13 + 0.13";
/// Concurrent connections.
const CLIENTS: usize = 16;
const LASTS: Duration = Duration::from_secs(8);
const WARMS_UP: Duration = Duration::from_secs(2);
/// Different variables per query.
const VARIANTS: usize = 500;
/// Kinds of cruxes among these debates.
const KINDS: [&str; 2] = ["CLAIM", "DISPUTE"];

/// A server under test.
struct ServerUnderTest {
    name: &'static str,
    url: String,
    child: Child,
    /// Queries a, b and c, each with its variables.
    queries: [(&'static str, Vec<Value>); 3],
}

#[tokio::main]
async fn main() {
    let n_debates: usize = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    let database = BenchDatabase::create("faultline_bench_queries").await;
    let options = database.options.clone();
    let store = Store::open(options.clone(), &ConnectionSettings::default()).await.expect("a store");
    fill(&store, n_debates).await;
    rebuild(&store, None).await;
    fill_peer(&store).await;
    sqlx::query("vacuum analyze").execute(store.log.pool()).await.expect("analyze");
    let known = QueryFacts::read(&store).await;
    let postmaster = postmaster(&store).await;
    store.close().await;
    drop(store);

    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("{n_debates} debates of {EVENTS} events; {CLIENTS} connections; load {}", load.trim());
    println!("a: a debate with its {EVENTS} events; b: 20 debates, each with its cruxes; c: 50 cruxes of a kind");
    println!("                     requests/s   ms server   ms Postgres   bytes");
    let mut all = vec![ours(&options, &known).await];
    all.extend(peer(&options, &known).await);
    for tested in &mut all {
        for (at, (query, variables)) in tested.queries.iter().enumerate() {
            let letter = char::from(b'a' + at as u8);
            ask(&tested.url, query, variables, WARMS_UP).await;
            let pid = tested.child.id().expect("it runs");
            let (before, before_postgres) = (processor_time(pid), postmaster.map(tree_time));
            let (n, bytes, lasted) = ask(&tested.url, query, variables, LASTS).await;
            let own = (processor_time(pid) - before) * 1_000.0 / n as f64;
            let postgres =
                postmaster.map(tree_time).zip(before_postgres).map(|(now, then)| (now - then) * 1_000.0 / n as f64);
            let postgres = postgres.map_or("-".to_owned(), |milliseconds| format!("{milliseconds:.3}"));
            let rate = n as f64 / lasted.as_secs_f64();
            println!("{:>14} {letter} {rate:>14.0} {own:>11.3} {postgres:>13} {:>7}", tested.name, bytes / n.max(1));
        }
    }
    println!("{REFERENCE}");
    let served = &all[0];
    lines::whole_log(served.url.trim_end_matches("/graphql"), served.child.id().expect("it runs")).await;
    for mut tested in all {
        tested.child.kill().await.expect("stop a server");
    }
    database.delete().await;
}

/// Writes the same facts into tables for the peer. It cannot read encrypted bodies, so its events are stored
/// unencrypted.
async fn fill_peer(store: &Store) {
    let pool = store.log.pool();
    pool.execute(sqlx::raw_sql(PEER_TABLES)).await.expect("tables for the peer");
    let mut cursor = Cursor::default();
    loop {
        let (events, reached) = store.log.read_all(&cursor, MAX_LOG_PAGE).await.expect("read the log");
        if events.is_empty() {
            break;
        }
        cursor = reached;
        let stored: Vec<EncodedEvent> = events.iter().map(|recorded| wire::encode(&recorded.event)).collect();
        sqlx::query(
            "insert into peer.event (debate_id, version, type, payload, recorded_at)
            select debate_id, version, kind, convert_from(body, 'UTF8')::jsonb, recorded_at
            from unnest($1::uuid[], $2::int[], $3::text[], $4::bytea[], $5::timestamptz[])
                as event (debate_id, version, kind, body, recorded_at)",
        )
        .bind(events.iter().map(|recorded| recorded.debate.0).collect::<Vec<_>>())
        .bind(events.iter().map(|recorded| recorded.version as i32).collect::<Vec<_>>())
        .bind(stored.iter().map(|encoded| encoded.kind.as_str()).collect::<Vec<_>>())
        .bind(stored.iter().map(|encoded| encoded.body.as_slice()).collect::<Vec<_>>())
        .bind(events.iter().map(|recorded| recorded.at).collect::<Vec<_>>())
        .execute(pool)
        .await
        .expect("events for the peer");
    }
    pool.execute(sqlx::raw_sql(PEER_CRUXES)).await.expect("cruxes for the peer");
}

/// The same facts in plain tables, as somebody would create them to have a server generated from them.
const PEER_TABLES: &str = "
    create schema peer;
    create table peer.debate (id uuid primary key, topic text not null, created_at timestamptz not null);
    create table peer.event (
        position bigint generated always as identity primary key,
        debate_id uuid not null references peer.debate (id),
        version int not null,
        type text not null,
        payload jsonb not null,
        recorded_at timestamptz not null,
        unique (debate_id, version)
    );
    create table peer.crux (
        id bigint generated always as identity primary key,
        debate_id uuid not null references peer.debate (id),
        question text not null,
        kind text not null,
        resolved boolean not null
    );
    insert into peer.debate select debate_id, topic, opened_at from public.debates;
";

const PEER_CRUXES: &str = "
    insert into peer.crux (debate_id, question, kind, resolved)
    select debate_id, body ->> 'question', upper(kind), not open from public.cruxes;
    create index on peer.debate (created_at desc, id desc);
    create index on peer.crux (debate_id);
    create index on peer.crux (kind, id);";

/// Facts from which the variables of queries are made.
struct QueryFacts {
    ids: Vec<String>,
    /// Cursors, each after a different row of the list: the time of its opening, in microseconds, and its debate.
    places: Vec<(i64, String)>,
}

impl QueryFacts {
    async fn read(store: &Store) -> QueryFacts {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "select debate_id::text, (extract(epoch from opened_at) * 1000000)::bigint
            from debates
            order by opened_at desc, debate_id desc",
        )
        .fetch_all(store.log.pool())
        .await
        .expect("the debates");
        let step = (rows.len() / VARIANTS).max(1);
        let some: Vec<(String, i64)> = rows[..rows.len().saturating_sub(20)].iter().step_by(step).cloned().collect();
        QueryFacts {
            ids: some.iter().map(|entry| entry.0.clone()).collect(),
            places: some.into_iter().map(|(id, at)| (at, id)).collect(),
        }
    }
}

async fn ours(options: &PgConnectOptions, known: &QueryFacts) -> ServerUnderTest {
    let (child, address) = start_service(options, &[]).await;
    let url = format!("http://{address}/graphql");
    let behind = known.places.iter().map(|(at, id)| json!({ "after": format!("n.{at}.{id}") }));
    let queries = [
        (
            "query A($id: ID!) { debate(id: $id) { id topic openedAt events(first: 50) {
                nodes { position version kind body } } } }",
            known.ids.iter().map(|id| json!({ "id": id })).collect(),
        ),
        (
            "query B($after: String) { debates(first: 20, after: $after) { nodes {
                id topic cruxes { id question origin open } } } }",
            behind.collect(),
        ),
        (
            "query C($origin: CruxOrigin!) { cruxes(first: 50, filter: { origin: $origin }) { nodes {
                id question origin open } } }",
            KINDS.iter().map(|kind| json!({ "origin": kind })).collect(),
        ),
    ];
    ServerUnderTest { name: "faultline", url, child, queries }
}

async fn peer(options: &PgConnectOptions, known: &QueryFacts) -> Option<ServerUnderTest> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/postgraphile");
    if !folder.join("node_modules").is_dir() {
        println!("PostGraphile is left out: run npm install in benches/peers/postgraphile");
        return None;
    }
    let mut command = Command::new(folder.join("node_modules/node/bin/node"));
    command
        .arg("server.mjs")
        .arg(options.to_url_lossy().to_string())
        .current_dir(&folder)
        .env("NODE_ENV", "production");
    let Ok(mut child) = command.stdout(Stdio::piped()).kill_on_drop(true).spawn() else {
        println!("PostGraphile is left out: its node does not start");
        return None;
    };
    let mut lines = BufReader::new(child.stdout.take().expect("it was asked to be a pipe")).lines();
    let port = lines.next_line().await.expect("read").expect("a port");
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    let offsets = (0..known.places.len()).map(|at| json!({ "offset": at % 500 * 20 % known.places.len().max(1) }));
    let queries = [
        (
            "query A($id: UUID!) { debateByRowId(rowId: $id) { rowId topic createdAt
                eventsByDebateId(orderBy: [VERSION_ASC]) { nodes { position version type payload } } } }",
            known.ids.iter().map(|id| json!({ "id": id })).collect(),
        ),
        (
            "query B($offset: Int!) { allDebates(first: 20, offset: $offset, orderBy: [CREATED_AT_DESC]) { nodes {
                rowId topic cruxesByDebateId { nodes { rowId question kind resolved } } } } }",
            offsets.collect(),
        ),
        (
            "query C($kind: String!) { allCruxes(condition: { kind: $kind }, first: 50, orderBy: [PRIMARY_KEY_ASC]) {
                nodes { rowId question kind resolved } } }",
            KINDS.iter().map(|kind| json!({ "kind": kind })).collect(),
        ),
    ];
    Some(ServerUnderTest { name: "PostGraphile", url: format!("http://127.0.0.1:{port}/graphql"), child, queries })
}

/// Sends requests for the given time. Returns the number of answers, their bytes, and the time taken.
async fn ask(url: &str, query: &str, variables: &[Value], lasts: Duration) -> (usize, usize, Duration) {
    let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(CLIENTS).build().expect("a client");
    let bodies: Arc<Vec<String>> =
        Arc::new(variables.iter().map(|values| json!({ "query": query, "variables": values }).to_string()).collect());
    let next = Arc::new(AtomicUsize::new(0));
    let begun = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (client, url, bodies, next) = (client.clone(), url.to_owned(), Arc::clone(&bodies), Arc::clone(&next));
        clients.spawn(async move {
            let (mut n, mut n_bytes) = (0, 0);
            while begun.elapsed() < lasts {
                let body = bodies[next.fetch_add(1, Ordering::Relaxed) % bodies.len()].clone();
                let request = client.post(&url).header("content-type", "application/json").body(body);
                let answer = request.send().await.expect("an answer").bytes().await.expect("a body");
                assert!(
                    !answer.windows(9).any(|window| window == b"\"errors\":"),
                    "{}",
                    String::from_utf8_lossy(&answer)
                );
                n += 1;
                n_bytes += answer.len();
            }
            (n, n_bytes)
        });
    }
    let answered = clients.join_all().await;
    let (n, bytes) = answered.into_iter().fold((0, 0), |sum, answer| (sum.0 + answer.0, sum.1 + answer.1));
    (n, bytes, begun.elapsed())
}

/// Returns the process id of the postmaster, if it runs on this machine.
async fn postmaster(store: &Store) -> Option<u32> {
    let backend: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(store.log.pool()).await.ok()?;
    stat(u32::try_from(backend).ok()?).map(|process| process.parent)
}

/// Figures of the kernel about a process.
struct Stat {
    parent: u32,
    /// Processor time in ticks: its own, and that of its children that have ended.
    own: u64,
    ended: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
    let parent = u32::try_from(number(1)?).ok()?;
    Some(Stat { parent, own: number(11)? + number(12)?, ended: number(13)? + number(14)? })
}

/// Returns processor time in seconds. The kernel reports a hundred ticks a second to programs, whatever its own clock.
fn processor_time(pid: u32) -> f64 {
    stat(pid).map_or(0.0, |process| process.own as f64 / 100.0)
}

/// Returns the processor time of a process and its children, including those that have ended.
fn tree_time(pid: u32) -> f64 {
    let pids = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let children = pids
        .filter_map(stat)
        .filter(|process| process.parent == pid)
        .map(|process| process.own + process.ended)
        .sum::<u64>();
    let own = stat(pid).map_or(0, |process| process.own + process.ended);
    (children + own) as f64 / 100.0
}
