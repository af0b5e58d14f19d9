//! Reads of the log by several processes: each event is read about once, whatever their number.

use faultline_store::log::lifecycle::LIFECYCLE_KINDS;
use faultline_store::views::views::Views;
use serde_json::json;

use crate::support::client::start_debate_input;
use crate::support::database::migrated_database;
use crate::support::log_reads::rows_read;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::poll_until;
use crate::views::rebuild_steps::{count, wait_for_projector};

/// Number of debates that are run with each number of processes.
const N_DEBATES: usize = 24;
/// Maximum number of rows read for each event.
const MOST: f64 = 1.5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_share_the_lanes_read_each_event_about_once() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let (variables, log) = (home.environment(&database.options, &scripted_replies(0)), database.log().await);
    let views = Views::new(database.pool.clone());
    let mut services = Vec::new();
    for n_processes in 1..=3 {
        services.push(ServiceProcess::start(&variables).await);
        let shared = "select count(distinct holder) from projection_lanes";
        poll_until("the lanes are shared", async || (count(&database, shared).await == n_processes).then_some(()))
            .await;
        wait_for_projector(&views, &log).await;
        let (rows, events) = (rows_read(&database.pool).await, log.count_events().await.expect("the heads"));
        for n in 0..N_DEBATES {
            let service = &services[n % services.len()];
            service.client.start(&start_debate_input("dialectic", json!({ "rounds": 2 }))).await;
        }
        // Not by reading the log, which would count as well.
        let ended = "select count(*) from debates where outcome is not null";
        let wanted = n_processes * N_DEBATES as i64;
        poll_until("the debates have ended", async || (count(&database, ended).await == wanted).then_some(())).await;
        let (rows, events) =
            (rows_read(&database.pool).await - rows, log.count_events().await.expect("the heads") - events);
        println!("{n_processes} processes: {rows} rows read for {events} events");
        assert!(rows as f64 <= MOST * events as f64, "{n_processes} processes: {rows} rows for {events} events");
    }
    for service in services {
        service.kill().await;
    }
}

#[tokio::test]
async fn the_index_of_the_lifecycle_has_the_kinds_that_are_followed() {
    let database = migrated_database().await;
    let condition: String = sqlx::query_scalar(
        "select pg_get_expr(indpred, indrelid) from pg_index where indexrelid = 'events_lifecycle'::regclass",
    )
    .fetch_one(&database.pool)
    .await
    .expect("the index");
    let mut kinds: Vec<&str> = condition.split('\'').skip(1).step_by(2).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, LIFECYCLE_KINDS);
}
