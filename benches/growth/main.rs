//! Growth from a thousand to a thousand million events: measured up to a size, and computed from the costs per item
//! beyond it.
//!
//! `cargo bench --bench growth -- [DEBATES]`: the number of debates, of 50 events each, up to which it measures (20,000
//! by default, which are a million events). It uses the server in `DATABASE_URL`, or else a private one under
//! `.faultline/bench-postgres`, and creates and deletes a database of its own. Times depend on the machine and on other
//! load; sizes do not.

mod measure;
mod simulation;
#[path = "../shared/bench_database.rs"]
mod bench_database;
#[path = "../shared/debates.rs"]
mod debates;
#[path = "../shared/rebuild.rs"]
mod rebuild;

use faultline_store::database::pool::ConnectionSettings;
use faultline_store::open::Store;
use mimalloc::MiMalloc;

use crate::bench_database::BenchDatabase;
use crate::debates::EVENTS;
use crate::measure::measure;
use crate::simulation::{Costs, Size, simulate};

/// Allocator of the service.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Numbers of events in the table: powers of ten up to this one.
const LAST_POWER: u32 = 9;

#[tokio::main]
async fn main() {
    let most: usize = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(20_000);
    let database = BenchDatabase::create("faultline_bench_growth").await;
    let store = Store::open(database.options.clone(), &ConnectionSettings::default()).await.expect("a store");
    let mut measured: Vec<Size> = Vec::new();
    let mut n_debates = 0;
    for size in (3..).map(|power| 10_usize.pow(power) / EVENTS).take_while(|size| *size <= most) {
        debates::fill(&store, size - n_debates).await;
        n_debates = size;
        measured.push(measure(&store, n_debates).await);
        eprintln!("measured {n_debates} debates");
    }
    let costs = Costs::of(&measured);
    println!("{costs}\n\n{}", Size::HEADING);
    for n_events in (3..=LAST_POWER).map(|power| 10_i64.pow(power)) {
        match measured.iter().find(|size| size.n_events == n_events) {
            Some(size) => println!("{size}"),
            None => println!("{}", simulate(&costs, n_events)),
        }
    }
    println!("\n~ computed. A year has 31.6 million seconds: 10^9 events in a year are 32 a second on average.");
    store.close().await;
    drop(store);
    database.delete().await;
}
