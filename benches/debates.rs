//! Whole debates per second, with a model that answers at once: the speed of the service itself, and how much it
//! writes.
//!
//! Run `cargo bench --bench debates`, optionally with the number of debates per figure. It uses the server in
//! `DATABASE_URL`, or else a private one under `.faultline/bench-postgres`, and creates and deletes a database of its
//! own. Everything is durable: every request is on disk before the call, and every receipt with its facts after it.
//! Absolute figures depend on the disk and on other load; the reference was measured on a machine of two cores under
//! load.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use faultline::app::equipped_app::EquippedApp;
use faultline::config::Config;
use faultline_core::events::event::Event;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_service::service::OpenDebate;
use futures_util::future::join_all;
use serde_json::json;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Executor, PgPool};

#[path = "shared/bench_database.rs"]
mod bench_database;
#[path = "shared/cpu_time.rs"]
mod cpu_time;

use bench_database::BenchDatabase;
use cpu_time::cpu_time;

const REFERENCE: &str = "
reference, dialectic                        1 at a time   16 at once   KB a debate   history, ms
LangGraph 1.2.22, Postgres saver, sync          3.1-5.1      3.3-6.6       191-200         12-28
DBOS 3.4 (Python)                               2.5-7.1         8-25            76       2.3-3.9
DBOS 0.5 (Rust)                                  8-15.6        59-94          25.6             -
plain log in Rust, 32 events                       5-15       66-125            28          0.36
goal                                                  -       >= 100         <= 30          <= 1
";

/// Numbers of concurrent debates.
const AT_ONCE: [usize; 2] = [1, 16];
/// Least number of events in a debate of this script.
const EVENTS: i64 = 47;

#[tokio::main]
async fn main() {
    let n_debates = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(320);
    let database = BenchDatabase::create("faultline_bench_debates").await;

    println!(
        "                 at once   debates   debates/s   events   KB events   KB in all   history, ms   CPU ms a debate: own   server"
    );
    for engine in ["dialectic", "graph", "crux_rooms", "forum", "blitz", "classical", "pro_con", "baseline"] {
        measure(&database.options, engine, n_debates).await;
    }
    println!("{REFERENCE}");

    database.delete().await;
}

async fn measure(options: &PgConnectOptions, engine: &'static str, n_debates: usize) {
    let files = tempfile::tempdir().expect("a folder");
    let app = Arc::new(service(options, files.path(), engine).await);
    let pool = app.store().log.pool().clone();
    debates(&app, engine, 16, 16).await;
    for at_once in AT_ONCE {
        let n_debates = if at_once == 1 { (n_debates / 8).max(8) } else { n_debates };
        caught_up(&app).await;
        let (before, cpu) = (sizes(&pool).await, cpu(&pool).await);
        let begun = Instant::now();
        let held = debates(&app, engine, n_debates, at_once).await;
        let elapsed = begun.elapsed();
        let after_cpu = self::cpu(&pool).await;
        caught_up(&app).await;
        let after = sizes(&pool).await;
        let per_debate = |after: i64, before: i64| (after - before) as f64 / 1024.0 / n_debates as f64;
        let cpu_millis =
            |after: Duration, before: Duration| after.saturating_sub(before).as_secs_f64() * 1e3 / n_debates as f64;
        let (n_events, history) = history(&app, &held).await;
        println!(
            "{engine:>15} {at_once:>9} {n_debates:>9} {:>11.1} {n_events:>8} {:>11.1} {:>11.1} {:>13.2} {:>22.1} {:>8.1}",
            n_debates as f64 / elapsed.as_secs_f64(),
            per_debate(after.0, before.0),
            per_debate(after.1, before.1),
            history.as_secs_f64() * 1e3,
            cpu_millis(after_cpu.0, cpu.0),
            cpu_millis(after_cpu.1, cpu.1),
        );
    }
    let app = Arc::into_inner(app).expect("the only reference");
    app.close().await;
}

async fn service(options: &PgConnectOptions, files: &Path, engine: &str) -> EquippedApp {
    let path = below_manifest(&format!("tests/fixtures/scripts/{engine}.json"));
    let text = |path: &Path| path.display().to_string();
    let config = Config::from_pairs(&[
        ("DATABASE_URL", options.to_url_lossy().as_str()),
        ("FAULTLINE_HOME", &text(files)),
        ("FAULTLINE_PERSONAS", &text(&below_manifest("personas"))),
        ("FAULTLINE_CORPUS", &text(files)),
        ("FAULTLINE_EMBEDDER", "hashing"),
        ("FAULTLINE_SCRIPT", &text(&path)),
    ]);
    let config = config.expect("a configuration");
    let mut app = EquippedApp::open(&config, &|_| {}).await.expect("the service");
    app.start_workers(&config);
    app
}

/// Opens `n_debates` debates, at most `at_once` at a time.
async fn debates(app: &Arc<EquippedApp>, engine: &'static str, n_debates: usize, at_once: usize) -> Vec<DebateId> {
    let n_opened = Arc::new(AtomicUsize::new(0));
    let callers = (0..at_once).map(|_| {
        let (app, n_opened) = (app.clone(), n_opened.clone());
        tokio::spawn(async move {
            let mut held = Vec::new();
            while n_opened.fetch_add(1, Ordering::Relaxed) < n_debates {
                held.push(debate(&app, engine).await);
            }
            held
        })
    });
    join_all(callers).await.into_iter().flat_map(|it| it.expect("a caller")).collect()
}

/// Opens a debate and waits for its end.
async fn debate(app: &EquippedApp, engine: &'static str) -> DebateId {
    let personas = ["edda-tolvane", "gus-ormerand", "dara-velloway", "hester-gannick"];
    let (n_personas, options) = match engine {
        // The script plays one room, beside a channel of twelve turns.
        "crux_rooms" => {
            (3, json!({ "turn_budget": 12, "windows": 2, "fewest_detected": 3, "detect_every": 1, "passages": 0 }))
        }
        // The script plays two threads, beside a channel of twelve turns.
        "forum" => {
            let threads = json!({
                "turn_budget": 12, "windows": 1, "fewest_detected": 4, "detect_every": 2, "thread_turns": 6, "passages": 0,
            });
            (4, threads)
        }
        // Three at one table, and three rounds or six turns.
        "blitz" => (3, json!({ "rounds": 3, "passages": 0 })),
        "classical" => (3, json!({ "rounds": 6, "passages": 0 })),
        "baseline" => (2, json!({ "method": "free_talk", "passages": 0 })),
        _ => (2, json!({ "rounds": 3, "passages": 0 })),
    };
    let personas = personas.into_iter().take(n_personas);
    let asked = OpenDebate {
        topic: "Should the city close its centre to private cars?".to_owned(),
        engine: engine.to_owned(),
        personas: personas.map(str::to_owned).collect(),
        options,
        models: Vec::new(),
        seed: Some(7),
        provider: Some("scripted".to_owned()),
        ..OpenDebate::default()
    };
    let (log, tail) = (&app.store().log, &app.store().tail);
    let debate = app.service().open(asked).await.expect("open").summary.debate.expect("an id");
    let (mut watch, mut version) = (tail.wakes().watch_debate(debate), 1);
    loop {
        // A debate with fewer events cannot have ended.
        if version >= EVENTS {
            let last = log.read(debate, version - 1, 1).await.expect("read");
            if let Some(Event::DebateConcluded(concluded)) = last.first().map(|recorded| &recorded.event) {
                assert_eq!(concluded.outcome.kind(), "limit", "the script lets all rounds be held");
                return debate;
            }
        }
        watch.beyond(version).await;
        version = watch.version();
    }
}

async fn caught_up(app: &EquippedApp) {
    while app.store().lag(REVISION).await.expect("lag") > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns the bytes of the log with its indexes, and of all tables.
async fn sizes(pool: &PgPool) -> (i64, i64) {
    pool.execute("checkpoint").await.expect("checkpoint");
    sqlx::query_as(
        "select pg_total_relation_size('events'), sum(pg_total_relation_size(oid))::bigint
        from pg_class
        where relkind = 'r'
        and relnamespace = current_schema()::regnamespace",
    )
    .fetch_one(pool)
    .await
    .expect("sizes")
}

/// Returns the processor time used by this process and by its sessions on the server; the latter is zero on another
/// machine.
async fn cpu(pool: &PgPool) -> (Duration, Duration) {
    let sessions: Vec<i32> = sqlx::query_scalar("select pid from pg_stat_activity where datname = current_database()")
        .fetch_all(pool)
        .await
        .expect("sessions");
    (cpu_time(std::process::id()), sessions.iter().map(|pid| cpu_time(pid.cast_unsigned())).sum())
}

/// Returns the number of events of a debate, and the median time to read all of them.
async fn history(app: &EquippedApp, debates: &[DebateId]) -> (usize, Duration) {
    let (mut n_events, mut times) = (0, Vec::new());
    for debate in debates.iter().cycle().take(300) {
        let begun = Instant::now();
        let events = app.service().events(*debate, 0, 1_000).await.expect("read");
        times.push(begun.elapsed());
        n_events = events.len();
    }
    times.sort();
    (n_events, times[times.len() / 2])
}

fn below_manifest(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
