//! Hostile clients of every kind at once: memory stays bounded, an innocent client is served, and the service is idle
//! soon after the last attacker has left.
//!
//! With `FAULTLINE_ATTACKED=path/to/faultline` another build is attacked, and with `FAULTLINE_MEASURED=1` the figures
//! are compared with the goals for a release build on a quiet machine; without it, only with bounds that a debug build
//! on a busy machine also meets.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::attacks::clients::{
    InnocentClient, large_debate, percentile, pings_without_reading, sends_a_huge_frame, subscribes_without_reading,
    wait_until_idle,
};
use crate::attacks::documents::operator_bomb;
use crate::support::client::Client;
use crate::support::database::migrated_database;
use crate::support::process_stats::PeakMemory;
use crate::support::service_process::{ServiceProcess, command};
use crate::support::test_home::{TestHome, scripted_replies};

/// Hostile sockets of each kind.
const N_SOCKETS: usize = 100;
/// Heavy requests of each kind that are sent and abandoned.
const N_ABANDONED: usize = 5;
/// Time for which the sockets stay open.
const ATTACK: Duration = Duration::from_secs(12);

/// Memory that the service and its children may hold together, in KiB.
const MAX_KIB: u64 = 512 * 1024;
/// Maximum 99th percentile of the innocent client's latency, in multiples of its quiet value.
const MAX_SLOWER: f64 = 5.0;
/// Maximum time until the service is idle after the last attacker has left.
const MAX_BUSY: Duration = Duration::from_secs(2);
/// Bounds for a debug build on a busy machine: they detect work that never ends.
const LOOSE_BUSY: Duration = Duration::from_secs(30);
const LOOSE_LATENCY: Duration = Duration::from_secs(10);

fn is_measured() -> bool {
    std::env::var_os("FAULTLINE_MEASURED").is_some()
}

/// Sends a heavy request and hangs up after a second.
async fn request_and_hang_up(client: Client, query: String) {
    let _abandoned = timeout(Duration::from_secs(1), client.try_query(&query, json!({}))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_clients_of_every_kind_at_once_do_not_starve_others() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let (debate, version) = large_debate(&database).await;
    let variables = home.environment(&database.options, &scripted_replies(0));
    let log = PathBuf::from(home.path("log"));
    let service = ServiceProcess::start_logging(&variables, &log).await;
    let (client, pid) = (service.client.clone(), service.pid());

    let innocent = InnocentClient::of(&client);
    sleep(Duration::from_secs(4)).await;
    let quiet = innocent.latencies().await;

    let (memory, innocent) = (PeakMemory::of(pid), InnocentClient::of(&client));
    let mut sockets = JoinSet::new();
    for _ in 0..N_SOCKETS {
        sockets.spawn(sends_a_huge_frame(client.address.clone()));
        sockets.spawn(pings_without_reading(client.address.clone(), ATTACK));
        sockets.spawn(subscribes_without_reading(client.address.clone()));
    }
    let semantics = ["PREFERRED", "SEMI_STABLE", "STAGE"];
    let extensions: String = (0..17)
        .map(|n| format!("e{n}: extensions(semantics: {}, limit: {}) {{ count }} ", semantics[n % 3], 20 + n))
        .collect();
    let judging = format!("{{ debate(id: \"{debate}\") {{ {extensions} }} }}");
    let versions: String = (0..99)
        .map(|n| format!("a{n}: debate(id: \"{debate}\", at: {}) {{ regime {{ kind }} }} ", version - n))
        .collect();
    let folding = format!("{{ {versions} }}");
    let abandoned = (0..2 * N_ABANDONED).map(|n| {
        let query = if n % 2 == 0 { judging.clone() } else { folding.clone() };
        tokio::spawn(request_and_hang_up(client.clone(), query))
    });
    let abandoned = join_all(abandoned);
    let pdf = home.path("operators.pdf");
    fs::write(&pdf, operator_bomb()).expect("write a file");
    let mut ingest = command(&variables, &["corpus", "ingest", "--persona", "edda-tolvane", &pdf]);
    let ingest = ingest.spawn().expect("start an ingest");
    let ingest_memory = PeakMemory::of(ingest.id().expect("it runs"));
    let ingested = tokio::spawn(ingest.wait_with_output());

    sleep(ATTACK).await;
    abandoned.await;
    let attack = innocent.latencies().await;
    let (service_kib, ingest_kib) = (memory.kib(), ingest_memory.kib());
    sockets.abort_all();
    while sockets.join_next().await.is_some() {}
    let busy = wait_until_idle(pid).await;
    ingested.abort();

    let (quiet_p99, attack_p99) = (percentile(&quiet, 99), percentile(&attack, 99));
    let slower = attack_p99.as_secs_f64() / quiet_p99.as_secs_f64();
    println!(
        "peak memory: service {} MiB, ingest {} MiB; innocent client p50/p99: quiet {:.1?}/{quiet_p99:.1?}, attacked \
         {:.1?}/{attack_p99:.1?} ({slower:.1} x, {} requests); idle after {busy:.1?}",
        service_kib / 1024,
        ingest_kib / 1024,
        percentile(&quiet, 50),
        percentile(&attack, 50),
        attack.len(),
    );
    assert!(service_kib + ingest_kib <= MAX_KIB, "{service_kib} + {ingest_kib} KiB");
    assert!(attack_p99 <= LOOSE_LATENCY && busy <= LOOSE_BUSY, "p99 {attack_p99:?}, busy for {busy:?}");
    if is_measured() {
        assert!(slower <= MAX_SLOWER, "{slower:.1} times slower than {quiet_p99:?}");
        assert!(busy <= MAX_BUSY, "busy for {busy:?} after the last attacker had left");
    }
    let text = fs::read_to_string(&log).expect("a log");
    assert!(!text.contains("panicked"), "{text}");
}
