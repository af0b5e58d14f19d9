//! A host whose cable is pulled: the others have its lanes after ten seconds, and it has its share again afterwards.

use std::time::Instant;

use serde_json::json;

use crate::scale::network_namespace::NetworkNamespace;
use crate::support::database::{Database, migrated_database};
use crate::support::service_process::{ServiceProcess, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::view_waits::{record_listed, shares};
use crate::support::waiting::poll_until;

/// Waits until the processes hold these numbers of lanes.
async fn wait_for_shares(database: &Database, wanted: &[i64]) {
    poll_until(&format!("the shares are {wanted:?}"), async || (shares(database).await == wanted).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lanes_of_an_unplugged_host_are_taken_over() {
    let Some(network) = NetworkNamespace::create() else { return };
    let (database, home) = (migrated_database().await, TestHome::new());
    let (variables, log) = (home.environment(&database.options, &scripted_replies(0)), database.log().await);
    let near = ServiceProcess::start(&variables).await;
    let mut elsewhere = home.environment(&database.options, &scripted_replies(0));
    for (name, value) in &mut elsewhere {
        match *name {
            "DATABASE_URL" => *value = network.bring_database(&database.options).await,
            "FAULTLINE_HOME" => *value = home.path("elsewhere"),
            _ => {}
        }
    }
    let far = ServiceProcess::start_by(&network.program(), &elsewhere).await;
    wait_for_shares(&database, &[8, 8]).await;
    record_listed(&database, &log, 20).await;

    network.set_plugged(false);
    let pulled = Instant::now();
    wait_for_shares(&database, &[16]).await;
    println!("all lanes taken over {:.1} s after the cable was pulled", pulled.elapsed().as_secs_f64());
    record_listed(&database, &log, 20).await;

    network.set_plugged(true);
    let plugged = Instant::now();
    wait_for_shares(&database, &[8, 8]).await;
    println!("shared again {:.1} s after it was plugged in", plugged.elapsed().as_secs_f64());
    record_listed(&database, &log, 20).await;
    let faults = run_json_command(&variables, &["verify", "--json"]).await[0]["faults"].clone();
    assert_eq!(faults, json!([]), "every view equals a fresh fold");
    for service in [near, far] {
        service.kill().await;
    }
}
