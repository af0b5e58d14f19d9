//! Outages: a killed service, a cut network and an erased debate are told on the page, which is complete afterwards.

use faultline_store::erasure::erasure::ErasureOrder;
use serde_json::json;

use crate::studio::scene::{close, offline_debate, scene};
use crate::support::browser::Tab;
use crate::support::client::Client;
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::ServiceProcess;

/// Turns of the transcript, in order.
const TURNS: &str = "[...document.querySelectorAll('.transcript .turn')].map(it => it.id)";

/// The page of a killed service says so, and after a restart shows what happened meanwhile, each turn once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_service_is_told_and_then_every_turn_is_there_once() {
    let Some((server, first)) = scene(0).await else { return };
    first.close().await;
    let variables = server.environment();
    let process = ServiceProcess::start(&variables).await;
    let address = process.client.address.clone();
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.add_argument("ada", "Yes", "Crews are rested.");
    builder.append_new(&server.log).await;
    let mut tab = Tab::open(&Client::new(&address)).await.expect("there was a browser a moment ago");
    tab.go(&format!("/debates/{}", builder.id)).await;
    tab.wait(&format!("{TURNS}.join() === 't1'")).await;
    process.kill().await;
    tab.wait("document.querySelector('.link-state').innerText.includes('connection lost')").await;
    for n in 0..7 {
        builder.add_argument(["ben", "ada"][n % 2], &format!("Point {n}"), "Fuel is dear.");
    }
    builder.append_new(&server.log).await;
    let process = ServiceProcess::start_at(&address, &variables).await;
    tab.wait(&format!("{TURNS}.join() === 't1,t2,t3,t4,t5,t6,t7,t8'")).await;
    tab.wait("document.querySelector('.link-state').innerText.startsWith('live')").await;
    // The network of the tab alone is cut.
    let cut =
        |offline: bool| json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    tab.send("Network.emulateNetworkConditions", cut(true)).await;
    builder.add_argument("ben", "Another", "Fuel is dear.");
    builder.append_new(&server.log).await;
    tab.send("Network.emulateNetworkConditions", cut(false)).await;
    tab.wait(&format!("{TURNS}.join() === 't1,t2,t3,t4,t5,t6,t7,t8,t9'")).await;
    tab.forget_faults().await; // connections that were refused
    tab.close().await;
    process.kill().await;
    server.stop().await;
}

/// An erased debate is called so, on an open page and on a new one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erased_debate_is_called_erased() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    tab.go(&format!("/debates/{debate}")).await;
    tab.wait("document.querySelector('.verdict')").await;
    let order = ErasureOrder { asked_by: "the test".into(), reason: "to be forgotten".into() };
    server.log.erase(debate, &order).await.expect("erased");
    tab.go(&format!("/debates/{debate}")).await;
    tab.wait_for_text("was erased").await;
    assert_eq!(tab.eval("document.querySelectorAll('.turn').length").await, json!(0));
    tab.forget_faults().await;
    close((server, tab)).await;
}
