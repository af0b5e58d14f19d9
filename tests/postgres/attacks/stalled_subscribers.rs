//! Subscribers that never read hold no database connection.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;
use uuid::Uuid;

use crate::attacks::clients::{Innocent, percentile, subscribes_without_reading};
use crate::client::{Home, Service, script};
use crate::outside::{APPEND, opening, turn};
use crate::support::fresh;
use crate::told::Told;

/// Connections of the service's pool.
const POOL: &str = "4";
/// Sockets, each with 64 subscriptions to the whole log, of which nothing is ever read.
const N_SOCKETS: usize = 6;
/// How long an innocent request may take. Before, it waited for a connection for ten seconds and failed.
const PATIENCE: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subscribers_that_never_read_leave_the_database_to_the_others() {
    let (database, home) = (fresh().await, Home::new());
    // More history than the buffers of a socket take.
    let log = database.log().await;
    for _ in 0..4 {
        let mut debate = Told::between(&["anna", "basil"]);
        for n in 0..300 {
            debate.assumes("anna", &format!("claim {n} {}", "x".repeat(2_000)), "an assumption");
        }
        debate.record(&log).await;
    }
    let mut variables = home.variables(&database.options, &script(0));
    variables.push(("FAULTLINE_POOL", POOL.to_owned()));
    let service = Service::start(&variables).await;
    let client = service.client.clone();

    let mut stalled = Vec::new();
    for _ in 0..N_SOCKETS {
        stalled.push(subscribes_without_reading(client.address.clone()).await.expect("a socket"));
    }
    sleep(Duration::from_millis(500)).await;
    let innocent = Innocent::of(&client);
    for _ in 0..20 {
        let events = json!([opening(), turn(1, "anna", "It should.")]);
        let variables = json!({ "id": Uuid::now_v7(), "at": 0, "events": events });
        let appended = tokio::time::timeout(PATIENCE, client.data(APPEND, variables)).await;
        assert!(appended.is_ok(), "an append waits while sockets do not read");
        sleep(Duration::from_millis(200)).await;
    }
    let latencies = innocent.latencies().await;
    let slowest = percentile(&latencies, 100);
    println!("{} innocent requests, slowest {slowest:.1?}", latencies.len());
    assert!(slowest < PATIENCE, "{slowest:?}");
    drop(stalled);
}
