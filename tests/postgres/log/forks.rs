//! Forks: debates that continue from a version of another one; the shared events are not copied.

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::DebateForked;
use faultline_store::log::append::AppendError;
use faultline_store::log::verify::ChainBreak;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::start_debate_input;
use crate::support::log_reads::read_all_events;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::{TestServer, count_by_kind, versions};
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

const FORK: &str = "mutation ($input: ForkDebateInput!) { forkDebate(input: $input) { debate {
    id version status forkedFrom { debateId at } participants { personaId left } outcome { kind } turnCount
    usage { calls }
} } }";

async fn fork_debate(server: &TestServer, of: DebateId, at: Option<i64>, mut input: Value) -> (DebateId, Value) {
    input["debateId"] = json!(of);
    input["at"] = json!(at);
    let data = server.client.data(FORK, json!({ "input": input })).await;
    let fork = &data["forkDebate"]["debate"];
    (fork["id"].as_str().expect("an id").parse().expect("a debate's id"), fork.clone())
}

fn ids(events: &[Recorded]) -> Vec<Uuid> {
    events.iter().map(|event| event.id).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_continues_from_its_version_of_the_origin() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let origin = server.client.start(&start_debate_input("dialectic", json!({ "rounds": 2 }))).await;
    let before = server.wait_for_end(origin).await;
    let at = before.iter().position(|event| matches!(event.event, Event::TurnTaken(_))).expect("a turn") as i64 + 1;
    let (fork, actual) =
        fork_debate(&server, origin, Some(at), json!({ "options": { "rounds": 1 }, "seed": "9" })).await;
    assert_eq!(
        json!([actual["version"], actual["status"], actual["forkedFrom"], actual["usage"]["calls"]]),
        json!([at + 1, "RUNNING", { "debateId": origin, "at": at }, 0])
    );
    let events = server.wait_for_end(fork).await;
    assert_eq!(versions(&events), (1..=events.len() as i64).collect::<Vec<_>>());
    let shared = at as usize;
    assert_eq!(events[..shared], before[..shared], "the shared events are those of the origin");
    let Event::DebateForked(it) = &events[shared].event else { panic!("{:?}", events[shared]) };
    assert_eq!((it.origin, it.at, &it.opened.options["rounds"], it.opened.seed), (origin, at, &json!(1), 9));
    assert!(events[shared..].iter().all(|event| event.debate == fork));
    assert!(!count_by_kind(&events[shared..]).contains_key("debate_opened"));
    assert_eq!(ids(&read_all_events(&server.log, origin).await), ids(&before), "the origin is unchanged");

    // A subscriber receives the shared events, then the new ones.
    let mut socket = WebSocketClient::open(&server.client).await;
    socket.subscribe_to_debate(fork, 0).await;
    let mut watched = Vec::new();
    while let Some(event) = socket.next_event().await {
        watched.push(event["id"].as_str().expect("an id").parse::<Uuid>().expect("a uuid"));
    }
    assert_eq!(watched, ids(&events));
    for debate in [origin, fork] {
        assert_eq!(server.log.verify(debate).await.expect("the log").breaks, []);
    }
    assert_compared(&server, origin, fork, at, events.len()).await;
    let n_stored: i64 = sqlx::query_scalar("select count(*) from events where debate_id = $1")
        .bind(fork.0)
        .fetch_one(&server.database.pool)
        .await
        .expect("count");
    assert_eq!(n_stored, events.len() as i64 - at, "shared by reference");
    wait_for_list(&server, fork, events.len()).await;
    server.stop().await;
}

/// Checks `compare` between two versions and across the fork; nothing differs where the fork begins.
async fn assert_compared(server: &TestServer, origin: DebateId, fork: DebateId, at: i64, end: usize) {
    const COMPARE: &str = "query ($id: ID!, $from: Int!, $to: Int!, $with: ID) {
        compare(debateId: $id, from: $from, to: $to, withDebateId: $with) {
            from { version } to { id version }
            labelChanges { argumentId from to } stanceChanges { disputeId personaId from to turnId }
            cruxesGained { statement } cruxesLost { statement } commonGroundGained { question }
            before { regime { kind } cruxCount } after { regime { kind } cruxCount } exact
        }
    }";
    let asked = |with: DebateId, from: i64, to: i64| json!({ "id": origin, "with": with, "from": from, "to": to });
    let same = server.client.data(COMPARE, asked(fork, at, at + 1)).await["compare"].take();
    assert_eq!(
        json!([same["labelChanges"], same["stanceChanges"], same["cruxesGained"], same["exact"]]),
        json!([[], [], [], true])
    );
    let grown = server.client.data(COMPARE, asked(fork, 1, end as i64)).await["compare"].take();
    assert_eq!(json!([grown["from"]["version"], grown["to"]["id"]]), json!([1, format!("{fork}@{end}")]));
    let changes = grown["stanceChanges"].as_array().expect("a list");
    assert!(changes.iter().all(|change| change["from"].is_null() && change["turnId"].is_string()), "{grown}");
    let gained = grown["cruxesGained"].as_array().map(Vec::len);
    assert_eq!(gained, grown["after"]["cruxCount"].as_u64().map(|count| count as usize), "version 1 has no cruxes");
    for (from, code) in [(0, "INVALID"), (-1, "INVALID")] {
        assert_eq!(server.client.error_code(COMPARE, asked(fork, from, 5)).await, code);
    }
}

/// Waits until the list contains the fork, folded from its whole history.
async fn wait_for_list(server: &TestServer, fork: DebateId, n_events: usize) {
    const LIST: &str = "{ debates(first: 5) { edges { node { id version turnCount forkedFrom { at } } } } }";
    let line = poll_until("the list catches up", async || {
        let data = server.client.data(LIST, json!({})).await;
        let edges = data["debates"]["edges"].as_array().expect("a list").clone();
        let found = edges.into_iter().map(|edge| edge["node"].clone()).find(|node| node["id"] == fork.to_string());
        found.filter(|node| node["version"] == n_events)
    })
    .await;
    assert!(line["turnCount"].as_i64() > Some(0) && line["forkedFrom"]["at"].is_i64(), "{line}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_does_not_share_the_end_of_its_origin_and_can_be_forked() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let origin = server.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    let ended = server.wait_for_end(origin).await;
    let all_but_the_end = ended.len() as i64 - 1;
    let others = json!({ "personaIds": ["gus-ormerand", "dara-velloway"], "options": { "rounds": 2 } });
    let (second, actual) = fork_debate(&server, origin, None, others).await;
    assert_eq!(actual["forkedFrom"]["at"], all_but_the_end);
    let wanted = json!([
        { "personaId": "gus-ormerand", "left": false },
        { "personaId": "dara-velloway", "left": false },
        { "personaId": "edda-tolvane", "left": true }
    ]);
    assert_eq!(actual["participants"], wanted, "turns of a participant who left are kept");
    server.wait_for_end(second).await;
    // A fork of the fork, at a version that the fork shares with its origin.
    let (third, _) = fork_debate(&server, second, Some(3), json!({})).await;
    let events = server.wait_for_end(third).await;
    assert_eq!(ids(&events[..3]), ids(&ended[..3]));
    assert_eq!(events[3].debate, third);
    for debate in [second, third] {
        assert_eq!(server.log.verify(debate).await.expect("the log").breaks, []);
    }
    // A change of the shared events breaks the chains of all debates that share them.
    server
        .database
        .run(&format!(
            "alter table events disable trigger all;
            update events set hash = sha256('forged') where debate_id = '{origin}' and version = 3;
            alter table events enable trigger all"
        ))
        .await;
    assert_eq!(server.log.verify(third).await.expect("the log").breaks, [ChainBreak::Altered { version: 4 }]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_forks_are_refused() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let origin = server.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    let events = server.wait_for_end(origin).await;
    for (id, at, mut input, code) in [
        (json!("x"), json!(null), json!({}), "INVALID"),
        (json!(Uuid::now_v7()), json!(null), json!({}), "NOT_FOUND"),
        (json!(origin), json!(0), json!({}), "INVALID"),
        (json!(origin), json!(-3), json!({}), "INVALID"),
        (json!(origin), json!(events.len() + 1), json!({}), "INVALID"),
        (json!(origin), json!(3), json!({ "options": { "speed": 1 } }), "INVALID"),
        (json!(origin), json!(3), json!({ "options": [1] }), "INVALID"),
        (json!(origin), json!(3), json!({ "personaIds": ["edda-tolvane"] }), "INVALID"),
        (json!(origin), json!(3), json!({ "personaIds": ["edda-tolvane", "nobody-here"] }), "NOT_FOUND"),
        (json!(origin), json!(3), json!({ "provider": "oracle" }), "NOT_FOUND"),
        (json!(origin), json!(3), json!({ "limits": { "calls": 0 } }), "LIMIT"),
        (json!(origin), json!(3), json!({ "id": origin }), "CONFLICT"),
    ] {
        input["debateId"] = id;
        input["at"] = at;
        assert_eq!(server.client.error_code(FORK, json!({ "input": input })).await, code, "{input}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_request_makes_one_fork() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let origin = server.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    let events = server.wait_for_end(origin).await;
    let opened = Box::new(events[0].event.opening().expect("an opening").clone());
    let (fork, id) = (DebateId(Uuid::now_v7()), Uuid::now_v7());
    let wanted = |at| DebateForked { origin, at, opened: opened.clone() };
    let first = server.log.fork(fork, id, wanted(3)).await.expect("a fork");
    let again = server.log.fork(fork, id, wanted(3)).await.expect("the same fork");
    assert_eq!((first.version, &first), (4, &again));
    let reused = server.log.fork(fork, id, wanted(2)).await;
    assert!(matches!(reused, Err(AppendError::Reused { .. })), "{reused:?}");
    let other = server.log.fork(fork, Uuid::now_v7(), wanted(3)).await;
    assert!(matches!(other, Err(AppendError::Conflict { .. })), "{other:?}");
    let beyond = server.log.fork(DebateId(Uuid::now_v7()), Uuid::now_v7(), wanted(999)).await;
    assert!(matches!(beyond, Err(AppendError::Conflict { actual }) if actual == events.len() as i64), "{beyond:?}");
    server.stop().await;
}
