//! Outages: a killed service, a cut network, a revoked token, a sleeping tab, a restored backup and an erased debate are told
//! on the page, which is complete afterwards.

use std::time::Duration;

use faultline::api::admission::token_file::new_token;
use faultline::api::admission::tokens::AccessControl;
use faultline::api::role::Role;
use faultline_store::erasure::erasure::ErasureOrder;
use serde_json::json;

use crate::studio::browser::Tab;
use crate::studio::scene::{close, offline_debate, scene};
use crate::support::client::Client;
use crate::support::debate_builder::DebateBuilder;
use crate::support::environment::project_path;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

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

/// A token that is no longer valid is told, another one is asked for, and with it the page goes on where it was.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_token_is_told_and_another_one_goes_on() {
    let [first, next] = ["page", "desk"].map(|name| new_token(name, Role::Reader, None).expect("a token"));
    let access = AccessControl::by_tokens(&format!("{}\n", first.line)).expect("a file");
    let corpus = project_path("corpus");
    let server = TestServer::start_with_pages(&scripted_replies(0), &corpus, access.clone()).await;
    let Some(mut tab) = Tab::open(&server.client).await else { return server.stop().await };
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.add_argument("ada", "Yes", "Crews are rested.");
    builder.append_new(&server.log).await;
    tab.go(&format!("/debates/{}", builder.id)).await;
    tab.fill("dialog input", &first.token).await;
    tab.click("dialog button", "Use this token").await;
    tab.wait(&format!("{TURNS}.join() === 't1'")).await;
    tab.wait("document.querySelector('.link-state').innerText.startsWith('live')").await;
    access.reload(&format!("{}\n", next.line)).expect("a file");
    tab.wait("document.querySelector('dialog')?.innerText.includes('does not accept this token')").await;
    builder.add_argument("ben", "No", "Fuel is dear.");
    builder.append_new(&server.log).await;
    tab.fill("dialog input", &next.token).await;
    tab.click("dialog button", "Use this token").await;
    tab.wait(&format!("{TURNS}.join() === 't1,t2'")).await;
    tab.forget_faults().await; // what was refused
    close((server, tab)).await;
}

/// A tab that the browser froze hears afterwards what was said meanwhile, each turn once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tab_that_slept_hears_what_was_said_meanwhile() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.add_argument("ada", "Yes", "Crews are rested.");
    builder.append_new(&server.log).await;
    tab.go(&format!("/debates/{}", builder.id)).await;
    tab.wait(&format!("{TURNS}.join() === 't1'")).await;
    tab.wait("document.querySelector('.link-state').innerText.startsWith('live')").await;
    tab.send("Page.setWebLifecycleState", json!({ "state": "frozen" })).await;
    for n in 0..5 {
        builder.add_argument(["ben", "ada"][n % 2], &format!("Point {n}"), "Fuel is dear.");
        builder.append_new(&server.log).await;
    }
    tokio::time::sleep(Duration::from_secs(n_seconds_of_sleep())).await;
    tab.send("Page.setWebLifecycleState", json!({ "state": "active" })).await;
    tab.wait(&format!("{TURNS}.join() === 't1,t2,t3,t4,t5,t6'")).await;
    tab.forget_faults().await; // a socket that the service closed
    close((server, tab)).await;
}

/// Time that a tab sleeps: two seconds, or what `FAULTLINE_SLEEP` says. The service closes the socket of a client that does
/// not answer after 20 s.
fn n_seconds_of_sleep() -> u64 {
    std::env::var("FAULTLINE_SLEEP").ok().and_then(|value| value.parse().ok()).unwrap_or(2)
}

/// A log that was restored from a backup ends before what the page has shown: the page starts over and shows what is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_backup_is_shown_from_its_beginning() {
    let (Some((server, first)), Some((restored, second))) = (scene(0).await, scene(0).await) else { return };
    first.close().await;
    second.close().await;
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    // The database that was restored has the beginning of the same debate only.
    let mut beginning = DebateBuilder::new(&["ada", "ben"]);
    beginning.id = builder.id;
    for (debate, log) in [(&mut builder, &server.log), (&mut beginning, &restored.log)] {
        debate.add_argument("ada", "Yes", "Crews are rested.");
        debate.append_new(log).await;
    }
    builder.add_argument("ben", "No", "Fuel is dear.");
    builder.add_argument("ada", "Still yes", "Fuel is cheap.");
    builder.append_new(&server.log).await;
    let process = ServiceProcess::start(&server.environment()).await;
    let address = process.client.address.clone();
    let mut tab = Tab::open(&Client::new(&address)).await.expect("there was a browser a moment ago");
    tab.go(&format!("/debates/{}", builder.id)).await;
    tab.wait(&format!("{TURNS}.join() === 't1,t2,t3'")).await;
    process.kill().await;
    let process = ServiceProcess::start_at(&address, &restored.environment()).await;
    tab.wait(&format!("{TURNS}.join() === 't1'")).await;
    tab.forget_faults().await; // connections that were refused
    tab.close().await;
    process.kill().await;
    server.stop().await;
    restored.stop().await;
}
