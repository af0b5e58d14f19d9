//! Rebuild of all stored views: events per second, beside bare reads of the same log in the same run.
//!
//! Run `cargo bench --bench rebuild`, optionally with the number of debates (2,000 by default), each of 50 events:
//! turns, arguments, attacks, disputes and stances. Then the projector is measured while debates are appended, at a
//! steady rate and as fast as possible, by 64 tasks in this process with 512 debates in motion, and the rebuild while
//! lists are read over HTTP and debates continue.
//!
//! `cargo bench --bench rebuild -- live [PROCESSES] [SECONDS]` measures the projector alone, shared by several processes
//! (3 by default) that append as well, for some time (60 s by default).
//!
//! It uses the server in `DATABASE_URL`, or else a private one under `.faultline/bench-postgres`, and creates and
//! deletes a database of its own. Absolute figures depend on the machine and on other load; the ratio does not.

mod live;
mod load;
#[path = "../shared/bench_database.rs"]
mod bench_database;
#[path = "../shared/debates.rs"]
mod debates;
#[path = "../shared/rebuild.rs"]
mod rebuild;

use std::time::{Duration, Instant};

use faultline_store::database::pool::ConnectionSettings;
use faultline_store::lanes::{Cursor, LANES};
use faultline_store::open::Store;
use mimalloc::MiMalloc;

use crate::bench_database::BenchDatabase;
use crate::debates::{EVENTS, fill};
use crate::live::LiveLoad;
use crate::rebuild::rebuild;

const REFERENCE: &str = "
goal: >= 60,000 events/s a worker, time linear in debates, memory flat; projector >= 15,000 events/s, p99 age <= 1 s";
/// Events per page of the bare reads.
const PAGE: i64 = 5_000;

/// Allocator of the service.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let numbers: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    match arguments.first().map(String::as_str) {
        Some(live::MEMBER) => live::member(&arguments[1..]).await,
        Some("live") => measure_live(&numbers).await,
        _ => measure(numbers.first().copied().unwrap_or(2_000)).await,
    }
}

/// Measures the projector of several processes.
async fn measure_live(numbers: &[usize]) {
    let n_processes = numbers.first().copied().unwrap_or(3).max(1);
    let lasting = Duration::from_secs(numbers.get(1).map_or(60, |seconds| *seconds as u64));
    let database = BenchDatabase::create("faultline_bench_rebuild").await;
    let store = Store::open(database.options.clone(), &ConnectionSettings::default()).await.expect("a store");
    live::heading();
    for rate in [Some(5_000), None] {
        live::live(&store, &database.options, LiveLoad { n_processes, rate, lasting }).await;
    }
    println!("{REFERENCE}");
    store.close().await;
    drop(store);
    database.delete().await;
}

/// Measures rebuilds and the projector of one process, over this many debates.
async fn measure(n_debates: usize) {
    let database = BenchDatabase::create("faultline_bench_rebuild").await;
    let store = Store::open(database.options.clone(), &ConnectionSettings::default()).await.expect("a store");

    let debates = fill(&store, n_debates).await;
    sqlx::query("analyze").execute(store.log.pool()).await.expect("analyze");
    println!("{n_debates} debates of {EVENTS} events, {} in all", n_debates * EVENTS);
    println!("                            events/s   seconds   MB at most");
    for _ in 0..2 {
        let begun = Instant::now();
        print_rate("read by position", read(&store).await, begun.elapsed());
        let begun = Instant::now();
        print_rate("read by debate", read_streams(&store).await, begun.elapsed());
    }
    for workers in [1, 2] {
        let begun = Instant::now();
        let n_events = rebuild(&store, Some(workers)).await;
        print_rate(&format!("rebuild, {workers} workers"), n_events, begun.elapsed());
    }
    live::heading();
    for rate in [Some(5_000), None] {
        let load = LiveLoad { n_processes: 1, rate, lasting: Duration::from_secs(20) };
        live::live(&store, &database.options, load).await;
    }
    let files = tempfile::tempdir().expect("a folder");
    load::load(&store, &database.options, files.path(), &debates, 1).await;
    println!("{REFERENCE}");

    store.close().await;
    drop(store);
    database.delete().await;
}

fn print_rate(what: &str, n_events: i64, lasted: Duration) {
    let rate = n_events as f64 / lasted.as_secs_f64();
    println!("{what:>24} {rate:>11.0} {:>9.2} {:>12}", lasted.as_secs_f64(), peak_megabytes());
}

/// Returns the peak memory of this process.
fn peak_megabytes() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or("-".to_owned(), |kilobytes| (kilobytes / 1024).to_string())
}

async fn read(store: &Store) -> i64 {
    let (mut cursor, heads) = (Cursor::default(), store.log.heads().await.expect("heads"));
    let mut n_events = 0;
    loop {
        let (events, reached) = store.log.read_to(&cursor, &heads, PAGE).await.expect("read");
        if events.is_empty() {
            return n_events;
        }
        n_events += events.len() as i64;
        cursor = reached;
    }
}

async fn read_streams(store: &Store) -> i64 {
    let mut n_events = 0;
    for lane in 0..LANES {
        let mut after = None;
        loop {
            let events = store.log.scan_lane(lane, after, PAGE).await.expect("read");
            n_events += events.len() as i64;
            let last = events.last().map(|event| event.as_ref().expect("no damage"));
            after = last.map(|recorded| (recorded.debate, recorded.version));
            if (events.len() as i64) < PAGE {
                break;
            }
        }
    }
    n_events
}
