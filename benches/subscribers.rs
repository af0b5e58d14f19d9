//! Subscribers: the time until all of them have an event, and its cost.
//!
//! `cargo bench --bench subscribers -- 1 100 1000`: for each number of subscribers, one writer appends 50 events a
//! second for 15 s; as many WebSocket clients, in another process, follow the debate; the service is a third process. A
//! latency is measured from before the append until the client has the message. Processor time and memory are those of
//! the service, as the system counts them. It uses the server in `DATABASE_URL`, or else a private one under
//! `.faultline/bench-postgres`, and creates and deletes a database of its own. Absolute latencies depend on other load;
//! the reference was measured on a machine of two cores under load.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use faultline_core::events::event::Event;
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::PhaseEntered;
use faultline_store::database::pool::{ConnectionSettings, connect};
use faultline_store::log::append::{Append, NewEvent};
use faultline_store::log::log::Log;
use futures_util::future::join_all;
use futures_util::{SinkExt, StreamExt};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{interval, sleep, timeout};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use uuid::Uuid;

#[path = "shared/bench_database.rs"]
mod bench_database;
#[path = "shared/bench_service.rs"]
mod bench_service;
#[path = "shared/cpu_time.rs"]
mod cpu_time;
#[path = "shared/memory.rs"]
mod memory;

use bench_database::BenchDatabase;
use bench_service::start_service;
use cpu_time::cpu_time;
use memory::resident_kib;

const REFERENCE: &str = "
reference                          100: p50 / p99 ms   1,000: p50 / p99 ms   us CPU a delivery   not there 20 s later
prototype, written once a shape             6.7 / 49              97 / 714                 4.6                      0
async-graphql 8, a stream each            15.6 / 155         2,046 / 3,857                 8.2                      0
yoga                                        23 / 369       10,333 / 25,849                29.9                   43 %
PostGraphile                          7,991 / 20,478       16,814 / 33,563                 330                   93 %
goal                                          5 / 25              20 / 100                <= 5                      0
";

const RATE: u64 = 50;
const SECONDS: u64 = 15;
const QUERY: &str = "subscription ($id: ID!, $after: Int) { debateEvents(debateId: $id, after: $after) {
    id debateId version position kind at body causedBy } }";

#[tokio::main]
async fn main() {
    let limit = getrlimit(Resource::Nofile);
    let _as_it_is = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [mode, address, debate, n] = &arguments[..]
        && mode == "clients"
    {
        return clients(address, debate, n.parse().expect("a number")).await;
    }
    let mut numbers: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if numbers.is_empty() {
        numbers = vec![1, 100, 1_000];
    }
    println!(
        "subscribers   p50 ms   p99 ms   max ms   lost   repeated   us CPU a delivery   KB idle each   KB more at the end   load"
    );
    for n in numbers {
        let database = BenchDatabase::create("faultline_bench_subscribers").await;
        measure(&database.options, n).await;
        database.delete().await;
    }
    println!("{REFERENCE}");
}

fn below_manifest(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

async fn measure(database: &PgConnectOptions, n: usize) {
    let files = tempfile::tempdir().expect("a folder");
    let (mut service, address) = serve(database, files.path()).await;
    let pid = service.id().expect("it runs");
    let log = Log::start(connect(database.clone(), &ConnectionSettings::default()).await.expect("connect"))
        .await
        .expect("a log");
    let debate = DebateId(Uuid::now_v7());
    append(&log, debate, 0).await;
    // The work of the service at its start must be over before its memory is measured.
    sleep(Duration::from_secs(2)).await;
    let before = resident_kib(pid) as f64;
    let me = std::env::current_exe().expect("a path");
    let mut clients = Command::new(me)
        .args(["clients", &address, &debate.to_string(), &n.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("clients");
    let mut said = BufReader::new(clients.stdout.take().expect("a pipe")).lines();
    assert_eq!(said.next_line().await.expect("read").as_deref(), Some("ready"));
    sleep(Duration::from_secs(1)).await;
    let (idle, spent) = (resident_kib(pid) as f64, cpu_time(pid));
    let mut beat = interval(Duration::from_micros(1_000_000 / RATE));
    for at in 0..RATE * SECONDS {
        beat.tick().await;
        append(&log, debate, 1 + at as i64).await;
    }
    let figures: Value = serde_json::from_str(&said.next_line().await.expect("read").expect("a line")).expect("JSON");
    let (spent, end) = ((cpu_time(pid) - spent).as_secs_f64(), resident_kib(pid) as f64);
    let deliveries = figures["received"].as_f64().expect("a number").max(1.0);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "{n:>11} {:>8.1} {:>8.1} {:>8.1} {:>6} {:>10} {:>19.1} {:>14.1} {:>20.1}   {}",
        figures["p50"].as_f64().expect("a number"),
        figures["p99"].as_f64().expect("a number"),
        figures["max"].as_f64().expect("a number"),
        figures["lost"],
        figures["repeated"],
        spent * 1e6 / deliveries,
        (idle - before) / n as f64,
        (end - idle) / n as f64,
        load.split(' ').next().unwrap_or_default(),
    );
    service.kill().await.expect("kill");
}

/// Starts the service with personas, an empty corpus and a home below `files`. Returns it with its address.
async fn serve(database: &PgConnectOptions, files: &Path) -> (Child, String) {
    std::fs::create_dir(files.join("corpus")).expect("a folder");
    let variables = [
        ("FAULTLINE_HOME", files.join("home")),
        ("FAULTLINE_PERSONAS", below_manifest("personas")),
        ("FAULTLINE_CORPUS", files.join("corpus")),
    ];
    start_service(database, &variables).await
}

/// Appends an event of about 600 bytes that contains the time.
async fn append(log: &Log, debate: DebateId, expected: i64) {
    let phase = format!("{} {}", micros(), "argument text 123 ".repeat(12));
    let event = Event::PhaseEntered(PhaseEntered::new(phase, None, Some("x".repeat(200))));
    let events = vec![NewEvent { id: Uuid::now_v7(), event, caused_by: None }];
    log.append(Append { debate, expected, events, fence: None, actor: None }).await.expect("append");
}

fn micros() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock past 1970").as_micros() as u64
}

/// Observations of one client.
struct Seen {
    latencies: Vec<u64>,
    repeated: usize,
}

/// Runs this many subscribers. Prints `ready` once all have received the first event, and their observations at the
/// end.
async fn clients(address: &str, debate: &str, n: usize) {
    const TOTAL: usize = (RATE * SECONDS) as usize;
    let mut sockets = Vec::new();
    for _ in 0..n {
        let mut request = format!("ws://{address}/graphql/ws").into_client_request().expect("a request");
        request.headers_mut().insert("sec-websocket-protocol", "graphql-transport-ws".parse().expect("a header"));
        let (mut socket, _) = connect_async(request).await.expect("a socket");
        let payload = json!({ "query": QUERY, "variables": { "id": debate, "after": 0 } });
        for said in
            [json!({ "type": "connection_init" }), json!({ "id": "1", "type": "subscribe", "payload": payload })]
        {
            socket.send(Message::text(said.to_string())).await.expect("sent");
        }
        let mut n_heard = 0;
        while n_heard < 2 {
            n_heard += usize::from(socket.next().await.expect("open").expect("a message").is_text());
        }
        sockets.push(socket);
    }
    let reading = sockets.into_iter().map(|mut socket| {
        tokio::spawn(async move {
            let mut seen = Seen { latencies: Vec::with_capacity(TOTAL), repeated: 0 };
            let mut before = 1;
            while seen.latencies.len() < TOTAL
                && let Ok(Some(Ok(message))) = timeout(Duration::from_secs(20), socket.next()).await
            {
                let Message::Text(text) = message else { continue };
                let (now, version) = (micros(), number(&text, "\"version\":"));
                if version <= before {
                    seen.repeated += 1;
                    continue;
                }
                before = version;
                seen.latencies.push(now.saturating_sub(number(&text, "\"phase\":\"")));
            }
            seen
        })
    });
    let reading: Vec<_> = reading.collect();
    println!("ready");
    let all: Vec<Seen> = join_all(reading).await.into_iter().map(|reading| reading.expect("read")).collect();
    let mut latencies: Vec<u64> = all.iter().flat_map(|seen| seen.latencies.iter().copied()).collect();
    latencies.sort_unstable();
    let at = |share: f64| {
        let ix = ((latencies.len() as f64 * share) as usize).min(latencies.len().saturating_sub(1));
        latencies.get(ix).map_or(f64::NAN, |latency| *latency as f64 / 1_000.0)
    };
    let figures = json!({
        "received": latencies.len(),
        "lost": n * TOTAL - latencies.len(),
        "repeated": all.iter().map(|seen| seen.repeated).sum::<usize>(),
        "p50": at(0.5),
        "p99": at(0.99),
        "max": at(1.0),
    });
    println!("{figures}");
}

/// Returns the number after a mark.
fn number(text: &str, mark: &str) -> u64 {
    let digits =
        text.split_once(mark).map_or("", |(_, rest)| rest).split(|letter: char| !letter.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}
