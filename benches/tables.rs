//! Export of tables: rows per second and additional memory, beside bare reads of the same events in the same run.
//!
//! Run `cargo bench --bench tables`, optionally with the number of debates (10,000 by default), each of 50 turns. Each
//! measurement runs in a process of its own, whose memory is compared with that before the export. First rows are encoded
//! that are in memory, then whole tables are exported. It uses the server in `DATABASE_URL`, or else a private one under
//! `.faultline/bench-postgres`, and creates and deletes a database of its own. Absolute figures depend on the machine and on
//! other load.

#[path = "shared/bench_database.rs"]
mod bench_database;
#[path = "shared/rebuild.rs"]
mod rebuild;

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::{DebateId, TurnId};
use faultline_core::events::lifecycle::{DebateLimits, DebateOpened};
use faultline_core::events::persona::{Contract, Persona, Voice};
use faultline_core::events::turn::{Move, TurnTaken};
use faultline_core::export::tables::cell::TableRows;
use faultline_core::export::tables::export_table::{ExportTable, TableSource};
use faultline_core::export::tables::registry::find_table;
use faultline_service::catalog::Catalog;
use faultline_service::cross_debate_search::CrossDebateSearch;
use faultline_service::read_routing::ReadServices;
use faultline_service::scans::table_export::TableExport;
use faultline_service::scans::table_scan::TableSelection;
use faultline_service::service::DebateService;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::log::append::{Append, NewEvent};
use faultline_store::open::Store;
use faultline_store::views::debates::{DebateQuery, MAX_PAGE, PageDirection};
use faultline_tables::encoder::TableEncoder;
use faultline_tables::format::TableFormat;
use futures_util::{StreamExt, stream};
use mimalloc::MiMalloc;
use serde_json::Value;
use sqlx::ConnectOptions;
use uuid::Uuid;

use crate::bench_database::BenchDatabase;
use crate::rebuild::rebuild;

const REFERENCE: &str = "goal: >= 100,000 rows/s for 500,000 rows as Parquet, in <= 64 MiB more memory";
/// Turns of a debate.
const TURNS: u32 = 50;
/// Variable with which a process of its own is told the address of the database.
const ADDRESS: &str = "FAULTLINE_BENCH_TABLES";

/// Allocator of the service.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let Ok(address) = std::env::var(ADDRESS) {
        return measure(&address, &arguments).await;
    }
    let n_debates: usize = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    let database = BenchDatabase::create("faultline_bench_tables").await;
    let store = Store::open(database.options.clone(), &ConnectionSettings::default()).await.expect("a store");
    let begun = Instant::now();
    stream::iter((0..n_debates).map(|n| append(&store, n))).buffer_unordered(64).collect::<()>().await;
    rebuild(&store, None).await;
    sqlx::query("analyze").execute(store.log.pool()).await.expect("analyze");
    println!("{n_debates} debates of {TURNS} turns, made in {:.0} s", begun.elapsed().as_secs_f64());
    println!("                                rows     rows/s   seconds   MB/s   MiB more");
    store.close().await;
    drop(store);
    let address = database.options.to_url_lossy().to_string();
    for measurement in [
        ["encode", "turns", "parquet"],
        ["encode", "turns", "csv"],
        ["encode", "turns", "jsonl"],
        ["read", "turns", "-"],
        ["export", "turns", "parquet"],
        ["export", "turns", "csv"],
        ["export", "turns", "jsonl"],
        ["export", "debates", "parquet"],
    ] {
        let mut run = Command::new(std::env::current_exe().expect("this program"));
        run.args(measurement).arg(n_debates.to_string()).env(ADDRESS, &address);
        assert!(run.status().expect("run").success(), "{measurement:?}");
    }
    println!("{REFERENCE}");
    database.delete().await;
}

/// Runs one measurement, and prints its line.
async fn measure(address: &str, arguments: &[String]) {
    let [what, table, format, n_debates] = arguments else { panic!("{arguments:?}") };
    let table = find_table(table).expect("a table");
    let format = TableFormat::named(format);
    let memory = MemoryWatch::start();
    let (n_rows, n_bytes, lasted) = match (what.as_str(), format) {
        ("encode", Some(format)) => encode(table, format, n_debates.parse().expect("a number")),
        ("export", Some(format)) => export(&open(address).await, table, format, &memory).await,
        _ => read(&open(address).await, table, &memory).await,
    };
    let more = memory.more_kib() as f64 / 1024.0;
    let (rate, name) = (n_rows as f64 / lasted.as_secs_f64(), format.map_or("-", TableFormat::name));
    let label = format!("{what} {} {name}", table.name);
    let megabytes = n_bytes as f64 / lasted.as_secs_f64() / 1e6;
    println!("{label:>25} {n_rows:>10} {rate:>10.0} {:>9.2} {megabytes:>6.1} {more:>10.1}", lasted.as_secs_f64());
}

/// Returns the memory that this process has allocated and touched, in KiB: its code does not count.
fn allocated_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.split_whitespace().next()?.parse().ok());
    line.unwrap_or_default()
}

/// Highest memory of this process after a moment, compared with that moment.
struct MemoryWatch(&'static Watched);

struct Watched {
    before: AtomicUsize,
    highest: AtomicUsize,
    is_over: AtomicBool,
}

impl MemoryWatch {
    fn start() -> MemoryWatch {
        let (before, highest) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let watched: &'static Watched =
            Box::leak(Box::new(Watched { before, highest, is_over: AtomicBool::new(false) }));
        std::thread::spawn(|| {
            while !watched.is_over.load(Ordering::Relaxed) {
                watched.highest.fetch_max(allocated_kib(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let watch = MemoryWatch(watched);
        watch.begin();
        watch
    }

    /// Compares with the present memory from here on.
    fn begin(&self) {
        let now = allocated_kib();
        self.0.before.store(now, Ordering::Relaxed);
        self.0.highest.store(now, Ordering::Relaxed);
    }

    fn more_kib(&self) -> usize {
        self.0.is_over.store(true, Ordering::Relaxed);
        self.0.highest.load(Ordering::Relaxed) - self.0.before.load(Ordering::Relaxed)
    }
}

async fn open(address: &str) -> ReadServices {
    let options = address.parse().expect("an address");
    let store = Store::open(options, &ConnectionSettings::default()).await.expect("a store");
    let service = DebateService::new(store.log.clone(), Catalog::default().into());
    let search = CrossDebateSearch::new(store.views.clone(), store.library.clone(), None);
    ReadServices { service, views: store.views, search }
}

/// Encodes rows of debates that are in memory.
fn encode(table: &'static ExportTable, format: TableFormat, n_debates: usize) -> (usize, usize, Duration) {
    let TableSource::Events { fold, .. } = table.source else { panic!("{} is stored", table.name) };
    let mut encoder = TableEncoder::new(table, format).expect("an encoder");
    let (mut n_rows, mut n_bytes, mut lasted) = (0, 0, Duration::ZERO);
    for n in 0..n_debates {
        let debate = DebateId(Uuid::from_u128(n as u128));
        let recorded = (1..).zip(events(n)).map(|(version, event)| Recorded {
            id: Uuid::now_v7(),
            debate,
            version,
            lane: 0,
            position: version,
            at: chrono::Utc::now(),
            caused_by: None,
            event,
        });
        let recorded: Vec<Recorded> = recorded.collect();
        let begun = Instant::now();
        let (mut fold, mut rows) = (fold(), TableRows::default());
        recorded.iter().for_each(|event| fold.apply(event));
        fold.push_rows(debate, &mut rows);
        n_rows += rows.len();
        n_bytes += encoder.push(rows).expect("rows").len();
        lasted += begun.elapsed();
    }
    let begun = Instant::now();
    n_bytes += encoder.finish().expect("the end").len();
    (n_rows, n_bytes, lasted + begun.elapsed())
}

/// Exports a whole table.
async fn export(
    reads: &ReadServices,
    table: &'static ExportTable,
    format: TableFormat,
    memory: &MemoryWatch,
) -> (usize, usize, Duration) {
    memory.begin();
    let begun = Instant::now();
    let selection = TableSelection::Filter(DebateQuery::default());
    let mut export = TableExport::open(reads, table, format, selection).await.expect("an export");
    let mut n_bytes = 0;
    while let Some(piece) = export.next().await.expect("a piece") {
        n_bytes += piece.len();
    }
    let lasted = begun.elapsed();
    let counted: i64 = sqlx::query_scalar("select sum(n_turns)::bigint from analyst.debates")
        .fetch_one(reads.service.log().pool())
        .await
        .expect("a count");
    let n_debates = counted / i64::from(TURNS);
    let n_rows = if table.name == "debates" { n_debates } else { counted };
    (usize::try_from(n_rows).expect("a count"), n_bytes, lasted)
}

/// Reads the events that a table folds, debate by debate, and does nothing with them.
async fn read(reads: &ReadServices, table: &'static ExportTable, memory: &MemoryWatch) -> (usize, usize, Duration) {
    let TableSource::Events { kinds, .. } = table.source else { panic!("{} is stored", table.name) };
    memory.begin();
    let begun = Instant::now();
    let (mut n_rows, mut n_bytes, mut from) = (0, 0, None);
    let generation = reads.views.generation_to_read().await.expect("a generation");
    loop {
        let filter = DebateQuery::default();
        let page = reads.views.list(generation, &filter, from, PageDirection::Newer, MAX_PAGE).await.expect("a page");
        let debates: Vec<(DebateId, i64)> = page.rows.iter().rev().map(|row| (row.debate, row.version)).collect();
        for debates in debates.chunks(100) {
            for event in reads.service.log().read_kinds(debates, kinds).await.expect("events").iter().flatten() {
                n_rows += usize::from(event.stored.kind == "turn_taken");
                n_bytes += event.stored.body.len();
            }
        }
        from = page.rows.first().map(|row| faultline_store::views::debates::DebateSort::Newest.place(row));
        if !page.more {
            return (n_rows, n_bytes, begun.elapsed());
        }
    }
}

async fn append(store: &Store, n: usize) {
    let events = events(n).into_iter().map(|event| NewEvent { id: Uuid::now_v7(), event, caused_by: None });
    let debate = DebateId(Uuid::now_v7());
    let append = Append { debate, expected: 0, events: events.collect(), fence: None, actor: None };
    store.log.append(append).await.expect("append");
}

/// Debate of two speakers who take turns.
fn events(n: usize) -> Vec<Event> {
    let persona = |id: &str| Persona {
        id: id.parse().expect("a persona id"),
        name: id.to_uppercase(),
        about: format!("{id} of the bench"),
        version: 1,
        contract: Contract::default(),
        voice: Voice::default(),
    };
    let opened = DebateOpened {
        topic: format!("Should ferry {n} run at night?"),
        engine: "graph".to_owned(),
        engine_revision: 1,
        options: Value::Null,
        participants: ["ada", "ben"].map(persona).into(),
        limits: DebateLimits::default(),
        models: std::collections::BTreeMap::new(),
        seed: n as u64,
        provider: "elsewhere".to_owned(),
        sentence_revision: None,
    };
    let turn = |k: u32| {
        Event::TurnTaken(TurnTaken {
            preparation: None,
            turn: TurnId(k),
            speaker: ["ada", "ben"][k as usize % 2].parse().expect("a persona id"),
            round: Some(k / 2),
            room: None,
            moves: vec![Move::Claim],
            move_quotes: Vec::new(),
            answers: (k > 1).then(|| TurnId(k - 1)),
            text: format!(
                "Turn {k} of debate {n}: crews rest too little, ferries are late, nobody pays for the night. "
            )
            .repeat(3),
            citations: vec![],
            dangling: 0,
            refused: vec![],
        })
    };
    std::iter::once(Event::DebateOpened(Box::new(opened))).chain((1..=TURNS).map(turn)).collect()
}
