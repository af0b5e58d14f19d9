//! All stored views made anew: events in a second, beside a bare read of the same log in the same run.
//!
//! `cargo bench --bench rebuild`, optionally with the number of debates, 2,000 where none is given; each has 50 events:
//! turns, arguments, attacks, disputes and stances. Then the same while lists are read over HTTP and debates go on. It uses
//! the server that `DATABASE_URL` names, else a private one under `.faultline/bench-postgres`, makes a database of its own
//! and deletes it. Absolute figures depend on the machine and on who else is busy; the ratio holds.

mod load;
#[path = "../shared/debates.rs"]
mod debates;
#[path = "../log/server.rs"]
mod server;

use std::time::{Duration, Instant};

use faultline::runtime::builder::Builder;
use faultline::runtime::rows::NAMES;
use faultline::store::generations::{Reason, Wanted};
use faultline::store::lanes::{Cursor, LANES};
use faultline::store::open::Store;
use faultline::store::pool::Settings;
use faultline::verdicts::board::REVISION;

use crate::debates::{EVENTS, fill};
use crate::server::Server;

const REFERENCE: &str = "
goal: >= 60,000 events/s, time linear in debates, memory flat";
/// Events read at once in the bare read.
const PAGE: i64 = 5_000;

#[tokio::main]
async fn main() {
    let n_debates: usize = std::env::args().skip(1).find_map(|it| it.parse().ok()).unwrap_or(2_000);
    let server = Server::with_database("faultline_bench_rebuild").await;
    let store = Store::over(server.options.clone(), &Settings::default()).await.expect("a store");

    let debates = fill(&store, n_debates).await;
    sqlx::query("analyze").execute(store.log.pool()).await.expect("analyze");
    println!("{n_debates} debates of {EVENTS} events, {} in all", n_debates * EVENTS);
    println!("                            events/s   seconds   MB at most");
    for _ in 0..2 {
        let begun = Instant::now();
        tell("read by position", read(&store).await, begun.elapsed());
        let begun = Instant::now();
        tell("read by debate", read_streams(&store).await, begun.elapsed());
    }
    for workers in [1, 2] {
        let begun = Instant::now();
        let n_events = rebuild(&store, workers).await;
        tell(&format!("rebuild, {workers} workers"), n_events, begun.elapsed());
    }
    let files = tempfile::tempdir().expect("a folder");
    load::load(&store, &server.options, files.path(), &debates, 1).await;
    println!("{REFERENCE}");

    store.close().await;
    drop(store);
    server.close().await;
}

fn tell(what: &str, n_events: i64, lasted: Duration) {
    let rate = n_events as f64 / lasted.as_secs_f64();
    println!("{what:>24} {rate:>11.0} {:>9.2} {:>12}", lasted.as_secs_f64(), peak_megabytes());
}

/// The most memory that this process has had at once.
fn peak_megabytes() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or("-".to_owned(), |it| (it / 1024).to_string())
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
            let events = store.log.streams(lane, after, PAGE).await.expect("read");
            n_events += events.len() as i64;
            let last = events.last().map(|it| it.as_ref().expect("no damage"));
            after = last.map(|it| (it.debate, it.version));
            if (events.len() as i64) < PAGE {
                break;
            }
        }
    }
    n_events
}

/// Makes a whole generation and lets it take over.
async fn rebuild(store: &Store, workers: i32) -> i64 {
    let generations = store.views.generations();
    let wanted = Wanted {
        revision: REVISION,
        reason: Reason::Asked,
        workers: Some(workers),
        holds: false,
        allows_letters: false,
    };
    let generation = generations.want(wanted).await.expect("want");
    let builder = Builder::new(store.log.clone(), store.views.clone(), &generation);
    builder.clone().build().await.expect("build");
    let cursor = builder.catch_up().await.expect("catch up");
    assert!(generations.serve(generation.id, &NAMES, &cursor).await.expect("serve"));
    let progress = generations.progress(&generation).await.expect("progress");
    progress.total
}
