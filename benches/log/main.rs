//! Throughput of the log, next to bare inserts of the same rows in the same run.
//!
//! `cargo bench --bench log -- [SECONDS] [DEBATES...]`: the seconds per figure (4), and the numbers of debates at which
//! growth is measured (2,000 and 100,000; 0 for none). It uses the server in `DATABASE_URL`, or else a private one
//! under `.faultline/bench-postgres`, and creates and deletes a database of its own. Absolute figures depend on the
//! disk and on other load; ratios do not.

mod appends;
mod encrypted;
mod growth;
mod live;
mod measure;
mod reads;
mod stream;
#[path = "../shared/bench_database.rs"]
mod bench_database;
#[path = "../shared/cpu_time.rs"]
mod cpu_time;

use std::time::Duration;

use faultline_store::cipher::EncryptionSettings;
use faultline_store::database::pool;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::log::log::Log;
use sqlx::Executor;

use crate::bench_database::BenchDatabase;

const REFERENCE: &str = "
goals: 1 caller within 10 % of the bare insert; 64 callers >= 10,000 events/s (1 event each) and >= 35,000 (10 each) at
<= 25 us of the server's CPU an event; read back >= 150,000 events/s; live p50 <= 1.0 ms and p99 <= 3 ms within a process,
2.5 and 5 ms across processes, on a quiet machine";

#[tokio::main]
async fn main() {
    if let Ok(url) = std::env::var(live::FOLLOWS) {
        return live::follow(&url).await;
    }
    let numbers: Vec<f64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let lasting = Duration::from_secs_f64(numbers.first().copied().unwrap_or(4.0));
    let sizes: Vec<usize> = numbers.iter().skip(1).map(|number| *number as usize).filter(|size| *size > 0).collect();
    let sizes = if numbers.len() > 1 { sizes } else { vec![2_000, 100_000] };
    let database = BenchDatabase::create("faultline_bench_log").await;
    let pool = pool::connect(database.options.clone(), &ConnectionSettings::default()).await.expect("migrate");
    pool.execute(appends::BARE).await.expect("create the bare table");
    let log = Log::start(pool.clone()).await.expect("start");

    appends::appends(&log, &database.options, lasting).await;
    reads::reads(&log).await;
    let plain =
        Log::start_encrypted(pool.clone(), EncryptionSettings { encrypts_new: false, ..EncryptionSettings::default() })
            .await
            .expect("start");
    encrypted::encryption_cost(&log, &plain, lasting).await;
    live::live(&log, &database.options).await;
    growth::growth(&log, &database.options, &sizes, lasting / 2).await;
    println!("{REFERENCE}");

    drop((log, plain));
    pool.close().await;
    database.delete().await;
}
