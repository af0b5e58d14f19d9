//! Subscribers that never read hold no database connection.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;
use uuid::Uuid;

use crate::attacks::clients::{InnocentClient, percentile, subscribes_without_reading};
use crate::support::database::migrated_database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::event_inputs::{APPEND, opening_input, turn_input};
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};

/// Number of connections of the service's pool.
const POOL: &str = "4";
/// Number of sockets, each with 64 subscriptions to the whole log that are never read.
const N_SOCKETS: usize = 6;
/// Maximum time of an innocent request. It used to wait ten seconds for a connection and fail.
const TIMEOUT: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subscribers_that_never_read_do_not_block_the_database() {
    let (database, home) = (migrated_database().await, TestHome::new());
    // More history than fits into the buffers of a socket.
    let log = database.log().await;
    for _ in 0..4 {
        let mut debate = DebateBuilder::new(&["anna", "basil"]);
        for n in 0..300 {
            debate.add_argument("anna", &format!("claim {n} {}", "x".repeat(2_000)), "an assumption");
        }
        debate.append_new(&log).await;
    }
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    variables.push(("FAULTLINE_POOL", POOL.to_owned()));
    let service = ServiceProcess::start(&variables).await;
    let client = service.client.clone();

    let mut stalled = Vec::new();
    for _ in 0..N_SOCKETS {
        stalled.push(subscribes_without_reading(client.address.clone()).await.expect("a socket"));
    }
    sleep(Duration::from_millis(500)).await;
    let innocent = InnocentClient::of(&client);
    for _ in 0..20 {
        let events = json!([opening_input(), turn_input(1, "anna", "It should.")]);
        let variables = json!({ "id": Uuid::now_v7(), "at": 0, "events": events });
        let appended = tokio::time::timeout(TIMEOUT, client.data(APPEND, variables)).await;
        assert!(appended.is_ok(), "an append waits while sockets do not read");
        sleep(Duration::from_millis(200)).await;
    }
    let latencies = innocent.latencies().await;
    let slowest = percentile(&latencies, 100);
    println!("{} innocent requests, slowest {slowest:.1?}", latencies.len());
    assert!(slowest < TIMEOUT, "{slowest:?}");
    drop(stalled);
}
