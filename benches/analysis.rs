//! Questions of an analyst: the time of each command on docs/analysis.md, as a process of its own, and of statistics as
//! statements.
//!
//! Run `cargo bench --bench analysis`, optionally with the numbers of debates to measure at (60 and 10,000 by default), each
//! of 50 events. Commands that play or question debates are left out. It uses the server in `DATABASE_URL`, or else a
//! private one under `.faultline/bench-postgres`, and creates and deletes a database of its own. Absolute figures depend on
//! the machine and on other load.

#[path = "shared/bench_database.rs"]
mod bench_database;
#[path = "shared/debates.rs"]
mod debates;
#[path = "shared/rebuild.rs"]
mod rebuild;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use faultline_core::measures::registry::measure;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::open::Store;
use faultline_store::views::debate_stats::{DebateStatsQuery, GroupBy};
use faultline_store::views::debates::DebateQuery;
use faultline_store::views::persona_agreements::MAX_PAIRS;
use sqlx::ConnectOptions;

use crate::bench_database::BenchDatabase;
use crate::debates::{EVENTS, fill};
use crate::rebuild::rebuild;

const REFERENCE: &str = "goal: statistics over 10,000 debates at a p50 of 50 ms";
/// Number of times each command is run.
const RUNS: usize = 5;
/// Number of times each statement is run.
const STATEMENTS: usize = 21;

#[tokio::main]
async fn main() {
    let arguments = std::env::args().skip(1);
    let mut sizes: Vec<usize> = arguments.filter_map(|argument| argument.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![60, 10_000];
    }
    for n_debates in sizes {
        let database = BenchDatabase::create("faultline_bench_analysis").await;
        let store = Store::open(database.options.clone(), &ConnectionSettings::default()).await.expect("a store");
        let debates = fill(&store, n_debates).await;
        rebuild(&store, None).await;
        sqlx::query("vacuum analyze").execute(store.log.pool()).await.expect("analyze");
        println!("{n_debates} debates of {EVENTS} events\n   p50, ms   max, ms");
        statements(&store).await;
        store.close().await;
        drop(store);
        let address = database.options.to_url_lossy().to_string();
        commands(&address, &debates[0].to_string(), &debates[1].to_string());
        database.delete().await;
    }
    println!("{REFERENCE}");
}

/// Commands of the page that do not only read.
const WRITING: [&str; 3] = ["experiment", "probe", "redistill"];

/// Times statistics as statements, without a process and its connection.
async fn statements(store: &Store) {
    let generation = store.views.generation_to_read().await.expect("a generation");
    let filter = DebateQuery::default();
    for (name, by, keys) in [
        ("statement: verdicts and cruxes by engine", &[GroupBy::Engine, GroupBy::Regime][..], &["crux_quality"][..]),
        ("statement: figures by persona", &[GroupBy::Persona], &[]),
        ("statement: novelty and circling by month", &[GroupBy::Month], &["novelty", "circling"]),
        ("statement: cost by provider and model", &[GroupBy::Provider, GroupBy::Model], &[]),
    ] {
        let keys: Vec<_> = keys.iter().map(|key| measure(key).expect("a measure")).collect();
        for (with_medians, medians) in [(false, ""), (true, ", with medians")] {
            let request =
                DebateStatsQuery { with_medians, ..DebateStatsQuery::new(by.to_vec(), filter.clone(), &keys) };
            let mut times = Vec::new();
            for _ in 0..STATEMENTS {
                let begun = Instant::now();
                store.views.debate_stats(Some(generation), &request).await.expect("statistics");
                times.push(begun.elapsed());
            }
            print_times(&format!("{name}{medians}"), times);
        }
    }
    let mut times = Vec::new();
    for _ in 0..STATEMENTS {
        let begun = Instant::now();
        store.views.persona_agreements(generation, &filter, MAX_PAIRS).await.expect("pairs");
        times.push(begun.elapsed());
    }
    print_times("statement: agreement of pairs", times);
}

/// Times the commands of the page, with these ids for its placeholders.
fn commands(address: &str, debate: &str, other: &str) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/analysis.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let folder = tempfile::tempdir().expect("a folder");
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let only_reads = |command: &&str| !WRITING.iter().any(|name| command.starts_with(&format!("faultline {name} ")));
    for command in blocks.flat_map(str::lines).filter(only_reads) {
        let words = command.split_whitespace().skip(1);
        let words: Vec<&str> = words
            .map(|word| match word {
                "$DEBATE" => debate,
                "$OTHER" => other,
                other => other,
            })
            .collect();
        let mut times = Vec::new();
        for _ in 0..RUNS {
            let begun = Instant::now();
            let mut run = Command::new(env!("CARGO_BIN_EXE_faultline"));
            run.args(&words).env("DATABASE_URL", address).current_dir(folder.path()).stdout(Stdio::null());
            assert!(run.status().expect("run").success(), "{command}");
            times.push(begun.elapsed());
        }
        print_times(command, times);
    }
}

fn print_times(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let (median, greatest) = (milliseconds(times[times.len() / 2]), milliseconds(times[times.len() - 1]));
    println!("{median:>10.1} {greatest:>9.1}   {name}");
}
