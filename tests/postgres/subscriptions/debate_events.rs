//! GraphQL subscriptions over a socket: history, then live events, without gap or repeat, with many followers and under
//! failures.

use std::collections::BTreeSet;
use std::time::Duration;

use faultline_core::events::dispute::Side;
use faultline_core::events::ids::DebateId;
use faultline_store::lanes::Cursor;
use faultline_store::log::log::Log;
use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::{Client, start_debate_input};
use crate::support::database::migrated_database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::log_reads::read_all_events;
use crate::support::phase_events::{append_phases, new_debate_id};
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::with_timeout;
use crate::support::websocket_client::WebSocketClient;

const LOG: &str = "subscription ($after: String) { log(after: $after) { id: recordId debateId version cursor } }";
const EVENTS: &str =
    "subscription ($id: ID!, $after: Int) { debateEvents(debateId: $id, after: $after) { id: recordId version body } }";

/// Returns the next `n` responses of an operation.
async fn nexts(socket: &mut WebSocketClient, n: usize) -> Vec<Value> {
    let mut seen = Vec::new();
    while seen.len() < n {
        let message = socket.receive().await.expect("a message");
        assert_eq!(message["type"], "next", "{message}");
        seen.push(message["payload"]["data"].clone());
    }
    seen
}

/// Returns the code with which a subscription is refused.
async fn refusal(client: &Client, query: &str, variables: Value) -> Value {
    let mut socket = WebSocketClient::open(client).await;
    socket.subscribe("1", query, variables).await;
    let message = socket.receive().await.expect("a message");
    assert_eq!(message["type"], "error", "{message}");
    message["payload"][0]["extensions"]["code"].clone()
}

/// Appends `n` events to a debate, a few at a time.
async fn write(log: &Log, debate: DebateId, n: usize) {
    for at in 0..n {
        append_phases(log, debate, &[&format!("{at}")]).await;
        if at % 5 == 0 {
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_follower_receives_every_event_once_from_any_start() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let one = new_debate_id();
    write(&server.log, one, 40).await;
    const LAST: i64 = 400;
    let readers = (0..40).map(|n| {
        let client = &server.client;
        async move {
            tokio::time::sleep(Duration::from_millis(n * 7)).await;
            let mut after = n as i64;
            let mut seen = Vec::new();
            // Some followers disconnect now and then and resume from their last version.
            let stay = if n % 3 == 0 { 50 } else { usize::MAX };
            while after < LAST {
                let mut socket = WebSocketClient::open(client).await;
                socket.subscribe(&format!("s{n}"), EVENTS, json!({ "id": one, "after": after })).await;
                let there = stay.min((LAST - after) as usize);
                seen.extend(nexts(&mut socket, there).await.into_iter().map(|mut data| data["debateEvents"].take()));
                after = seen.last().and_then(|event| event["version"].as_i64()).expect("a version");
            }
            (n as i64, seen)
        }
    });
    let (all, ()) = tokio::join!(join_all(readers), write(&server.log, one, LAST as usize - 40));
    let written = read_all_events(&server.log, one).await;
    for (after, seen) in all {
        let got: Vec<(i64, &str)> = seen
            .iter()
            .map(|event| (event["version"].as_i64().expect("a version"), event["id"].as_str().expect("an id")))
            .collect();
        let ids: Vec<(i64, String)> = written.iter().map(|event| (event.version, event.id.to_string())).collect();
        let expected: Vec<(i64, &str)> =
            ids.iter().skip(after as usize).map(|(version, id)| (*version, &**id)).collect();
        assert_eq!(got, expected, "from {after}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_can_be_followed_from_any_cursor_it_issued() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates: Vec<DebateId> = (0..12).map(|_| new_debate_id()).collect();
    join_all(debates.iter().map(|debate| write(&server.log, *debate, 30))).await;
    const ALL: usize = 12 * 60;
    let follow = async |stay: usize| {
        let (mut seen, mut after) = (Vec::<Value>::new(), Value::Null);
        while seen.len() < ALL {
            let mut socket = WebSocketClient::open(&server.client).await;
            socket.subscribe("1", LOG, json!({ "after": after })).await;
            let n = stay.min(ALL - seen.len());
            seen.extend(nexts(&mut socket, n).await.into_iter().map(|mut data| data["log"].take()));
            after = seen.last().expect("events")["cursor"].clone();
        }
        seen
    };
    let writing = join_all(debates.iter().map(|debate| write(&server.log, *debate, 30)));
    let (whole, parts, small, _) = tokio::join!(follow(ALL), follow(101), follow(37), writing);
    let names = |seen: &[Value]| -> Vec<(String, i64)> {
        let name = |event: &Value| {
            (event["debateId"].as_str().expect("a debate").to_owned(), event["version"].as_i64().expect("a version"))
        };
        seen.iter().map(name).collect()
    };
    let expected: BTreeSet<(String, i64)> =
        debates.iter().flat_map(|debate| (1..=60).map(|version| (debate.to_string(), version))).collect();
    for seen in [&whole, &parts, &small] {
        let names = names(seen);
        assert_eq!(names.len(), expected.len(), "none twice");
        assert_eq!(names.iter().cloned().collect::<BTreeSet<_>>(), expected, "none missing");
        for debate in &debates {
            let versions: Vec<i64> =
                names.iter().filter(|name| name.0 == debate.to_string()).map(|name| name.1).collect();
            assert_eq!(versions, (1..=60).collect::<Vec<_>>(), "in the debate's order");
        }
    }
    let mut heads = [0; 16];
    heads[3] = 1_000_000;
    let beyond = Cursor::from_heads(heads).to_string();
    assert_eq!(refusal(&server.client, LOG, json!({ "after": beyond })).await, "FUTURE_CURSOR");
    assert_eq!(refusal(&server.client, LOG, json!({ "after": "v1.zz" })).await, "INVALID");
    assert_eq!(refusal(&server.client, EVENTS, json!({ "id": debates[0], "after": 61 })).await, "FUTURE_CURSOR");
    assert_eq!(refusal(&server.client, EVENTS, json!({ "id": debates[0], "after": -1 })).await, "INVALID");
    assert_eq!(refusal(&server.client, EVENTS, json!({ "id": Uuid::now_v7() })).await, "NOT_FOUND");
    assert_eq!(refusal(&server.client, EVENTS, json!({ "id": "x" })).await, "INVALID");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_view_is_sent_again_when_the_selected_fields_change() {
    const VIEW: &str = "subscription ($id: ID!) { debateView(debateId: $id) { version status turnCount } }";
    const STATUS: &str = "subscription ($id: ID!) { debateView(debateId: $id) { status } }";
    let server = TestServer::start(&scripted_replies(30)).await;
    let debate = server.client.start(&start_debate_input("graph", json!({ "rounds": 2 }))).await;
    let watch = async |query: &str| {
        let mut socket = WebSocketClient::open(&server.client).await;
        socket.subscribe("1", query, json!({ "id": debate })).await;
        let mut seen = Vec::new();
        loop {
            let message = socket.receive().await.expect("a message");
            match message["type"].as_str() {
                Some("next") => seen.push(message["payload"]["data"]["debateView"].clone()),
                _ => return (seen, message["type"].clone()),
            }
        }
    };
    let ((views, end), (again, _), (statuses, _)) = tokio::join!(watch(VIEW), watch(VIEW), watch(STATUS));
    assert_eq!(end, "complete", "completes with the debate");
    let events = read_all_events(&server.log, debate).await;
    for seen in [&views, &again] {
        let versions: Vec<i64> = seen.iter().map(|view| view["version"].as_i64().expect("a version")).collect();
        assert!(versions.is_sorted_by(|a, b| a < b), "{versions:?}");
        assert!(versions.len() < events.len(), "changes are coalesced: {versions:?}");
        assert_eq!(versions.last(), Some(&(events.len() as i64)), "the last is the debate as it ended");
        assert_eq!(seen.last().expect("a view")["status"], "CONCLUDED");
    }
    assert_eq!(
        statuses,
        [json!({ "status": "RUNNING" }), json!({ "status": "CONCLUDED" })],
        "unchanged results are not sent"
    );
    assert_eq!(refusal(&server.client, VIEW, json!({ "id": Uuid::now_v7() })).await, "NOT_FOUND");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cruxes_are_sent_when_they_are_found() {
    const FOUND: &str =
        "subscription ($filter: CruxFilter) { cruxFound(filter: $filter) { id debateId statement debate { id } } }";
    let server = TestServer::start(&scripted_replies(20)).await;
    let (mut all, mut none) =
        (WebSocketClient::open(&server.client).await, WebSocketClient::open(&server.client).await);
    all.subscribe("1", FOUND, json!({})).await;
    none.subscribe("1", FOUND, json!({ "filter": { "debateId": Uuid::now_v7() } })).await;
    // An answer to a later operation shows that the earlier subscription is active.
    for socket in [&mut all, &mut none] {
        socket.subscribe("2", "subscription { projectionProgress { name } }", json!({})).await;
        assert_eq!(socket.receive().await.expect("a message")["id"], "2");
        socket.send(&json!({ "id": "2", "type": "complete" })).await;
    }
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let own = builder.add_argument("ada", "The ferry pays", "The crews are rested.");
    let theirs = builder.add_argument("ben", "The ferry loses", "Nobody travels");
    builder.undermine_each_other(("ada", own), ("ben", theirs));
    builder.raise_dispute("Is winter rough?", &[("ada", Side::Yes), ("ben", Side::No)]);
    builder.append_new(&server.log).await;
    let debate = builder.id;
    const CRUXES: &str = "query ($id: ID!) { debate(id: $id) { cruxes(resolved: true) { id } } }";
    let data = server.client.data(CRUXES, json!({ "id": debate })).await;
    let wanted: BTreeSet<String> = data["debate"]["cruxes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|crux| crux["id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(wanted.len(), 3, "two assumptions and a dispute");
    let mut found = BTreeSet::new();
    while !wanted.is_subset(&found) {
        let message = all.receive().await.expect("a message");
        if message["id"] == "2" {
            continue;
        }
        let crux = &message["payload"]["data"]["cruxFound"];
        assert_eq!((&crux["debateId"], &crux["debate"]["id"]), (&json!(debate), &json!(debate)), "{message}");
        found.insert(crux["id"].as_str().expect("an id").to_owned());
    }
    none.send(&json!({ "type": "ping" })).await;
    let mut message = none.receive().await.expect("a message");
    while message["id"] == "2" {
        message = none.receive().await.expect("a message");
    }
    assert_eq!(message["type"], "pong", "the filter for another debate matches nothing");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_lose_no_event_when_the_service_is_killed() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let log = database.log().await;
    let one = new_debate_id();
    append_phases(&log, one, &["first"]).await;
    const LAST: i64 = 600;
    let mut service = ServiceProcess::start(&variables).await;
    let mut seen: Vec<Vec<i64>> = vec![Vec::new(); 8];
    let mut n_lives = 0;
    let writing = tokio::spawn({
        let log = log.clone();
        async move {
            for at in 1..LAST {
                append_phases(&log, one, &[&format!("{at}")]).await;
                tokio::time::sleep(Duration::from_millis(4)).await;
            }
        }
    });
    while seen.iter().any(|versions| versions.last() != Some(&LAST)) {
        n_lives += 1;
        let until = if n_lives < 3 { n_lives * 150 } else { LAST };
        let client = &service.client;
        let read = seen.iter_mut().filter(|versions| versions.last().is_none_or(|version| *version < until)).map(
            |seen| async move {
                let mut socket = WebSocketClient::open(client).await;
                let after = seen.last().copied().unwrap_or(0);
                socket.subscribe("1", EVENTS, json!({ "id": one, "after": after })).await;
                while seen.last().is_none_or(|version| *version < until) {
                    let data = nexts(&mut socket, 1).await;
                    seen.push(data[0]["debateEvents"]["version"].as_i64().expect("a version"));
                }
            },
        );
        with_timeout("events", join_all(read)).await;
        if n_lives < 3 {
            service.kill().await;
            service = ServiceProcess::start(&variables).await;
        }
    }
    writing.await.expect("written");
    for seen in seen {
        assert_eq!(seen, (1..=LAST).collect::<Vec<_>>(), "over {n_lives} lives");
    }
    service.kill().await;
}
