//! What drives a debate: visible over GraphQL and in `watch`; `run` drives a debate that no service drives.

use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::client::{Client, start_debate_input};
use crate::support::database::migrated_database;
use crate::support::service_process::{ServiceProcess, command, run_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, with_timeout};

const DRIVER: &str =
    "query ($id: ID!) { debate(id: $id) { driver { kind } } before: debate(id: $id, at: 1) { driver { kind } } }";

/// Waits until a debate has this driver.
async fn wait_for_driver(client: &Client, id: &str, kind: &str) {
    poll_until(kind, async || {
        let data = client.data(DRIVER, json!({ "id": id })).await;
        assert_eq!(data["before"]["driver"], Value::Null, "a past version is driven by nothing");
        (data["debate"]["driver"]["kind"] == kind).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_without_a_runner_is_visible_and_can_be_run() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let slow = home.environment(&database.options, &scripted_replies(600));
    let fast = home.environment(&database.options, &scripted_replies(0));
    let service = ServiceProcess::start(&slow).await;
    let input = start_debate_input("graph", json!({ "rounds": 1 }));
    let id = service.client.start(&input).await.to_string();
    wait_for_driver(&service.client, &id, "RUNNER").await;
    service.signal(Signal::TERM);
    service.wait().await;

    // A service without the provider cannot drive it.
    let mut without = fast.clone();
    without.retain(|(name, _)| *name != "FAULTLINE_SCRIPT");
    let service = ServiceProcess::start(&without).await;
    wait_for_driver(&service.client, &id, "NONE").await;
    let mut watching = command(&fast, &["watch", &id, "--json"]).stderr(Stdio::piped()).spawn().expect("a command");
    let mut lines = BufReader::new(watching.stderr.take().expect("it is piped")).lines();
    let remark = with_timeout("a remark", lines.next_line()).await.expect("a line").expect("a line");
    assert!(
        remark.contains("no runner drives this debate") && remark.contains(&format!("faultline run {id}")),
        "{remark}"
    );
    watching.kill().await.expect("kill");
    let refused = run_command(&without, &["run", &id]).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("provider scripted"), "{refused:?}");
    service.kill().await;

    let driven = run_command(&fast, &["run", &id, "--json"]).await;
    assert_eq!(driven.code, Some(0), "{driven:?}");
    let last: Value = driven.stdout.lines().last().and_then(|line| serde_json::from_str(line).ok()).expect("JSON");
    assert_eq!((&last["debate"]["id"], &last["debate"]["status"]), (&json!(id), &json!("CONCLUDED")), "{driven:?}");
    let again = run_command(&fast, &["run", &id]).await;
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("has ended"), "{again:?}");

    let service = ServiceProcess::start(&fast).await;
    let data = service.client.data(DRIVER, json!({ "id": id })).await;
    assert_eq!(data["debate"]["driver"], Value::Null, "a debate that has ended is driven by nothing");
    let mut external = start_debate_input("external", json!({}));
    external
        .as_object_mut()
        .expect("an object")
        .retain(|name, _| !["provider", "options", "seed"].contains(&name.as_str()));
    let external = service.client.start(&external).await.to_string();
    wait_for_driver(&service.client, &external, "EXTERNAL").await;
    service.kill().await;
}
