//! The service end to end, with scripted replies: GraphQL over HTTP and a socket, and refusals of invalid or hostile
//! requests.

use std::sync::Arc;

use faultline_core::engines::registry::ENGINES;
use faultline_core::events::event::Event;
use faultline_core::events::ids::DebateId;
use futures_util::future::join_all;
use serde_json::{Value, json};
use sqlx::{Connection, Executor};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use uuid::Uuid;

use crate::support::client::{Client, start_debate_input};
use crate::support::database::migrated_database;
use crate::support::environment::fixture_path;
use crate::support::log_reads::read_all_events;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::{TestServer, count_by_kind, versions};
use crate::support::waiting::{poll_until, with_timeout};
use crate::support::websocket_client::WebSocketClient;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_is_started_streamed_and_read() {
    let test_server = TestServer::start(&scripted_replies(5)).await;
    for (engine, n_calls, n_turns) in [("dialectic", 9, 9), ("graph", 14, 10)] {
        let debate = test_server.client.start(&start_debate_input(engine, json!({ "rounds": 3 }))).await;
        let mut socket = WebSocketClient::open(&test_server.client).await;
        socket.subscribe_to_debate(debate, 0).await;
        let mut watched = Vec::new();
        while let Some(event) = socket.next_event().await {
            watched.push(event);
        }
        let events = read_all_events(&test_server.log, debate).await;
        let numbers: Vec<i64> = watched.iter().map(|event| event["version"].as_i64().expect("a version")).collect();
        assert_eq!(numbers, (1..=events.len() as i64).collect::<Vec<_>>(), "{engine}: history, then live, to the end");
        let ids: Vec<String> = events.iter().map(|event| event.id.to_string()).collect();
        assert!(watched.iter().zip(&ids).all(|(event, id)| event["id"] == id.as_str()), "{engine}: what was recorded");
        assert_eq!(count_by_kind(&events)["effect_requested"], n_calls, "{engine}");

        let query = "query ($id: ID!) { debate(id: $id) {
            id engine status version turnCount outcome { kind } usage { calls failed } regime { kind }
            turns(first: 100) { nodes { id } } arguments { id } proposals { id } disputes { id }
        } }";
        let read = test_server.client.data(query, json!({ "id": debate })).await["debate"].take();
        assert_eq!(
            json!([read["status"], read["version"], read["turnCount"], read["outcome"]["kind"], read["usage"]]),
            json!(["CONCLUDED", events.len(), n_turns, "LIMIT", { "calls": n_calls, "failed": 0 }]),
            "{engine}"
        );
        assert_eq!(read["turns"]["nodes"].as_array().map(Vec::len), Some(n_turns), "{engine}");
        assert_readable_at_every_version(&test_server, debate, &watched).await;
        assert_listed(&test_server, debate, &read).await;
    }
    test_server.stop().await;
}

/// Checks that a debate at a version is the fold of its events up to that version.
async fn assert_readable_at_every_version(test_server: &TestServer, debate: DebateId, events: &[Value]) {
    const AT: &str =
        "query ($id: ID!, $at: Int) { debate(id: $id, at: $at) { version status turns(first: 100) { nodes { id } } } }";
    for at in (1..=events.len()).step_by(5).chain([events.len()]) {
        let read = test_server.client.data(AT, json!({ "id": debate, "at": at })).await["debate"].take();
        let before = &events[..at];
        let n_turns = before.iter().filter(|event| event["kind"] == "turn_taken").count();
        let status = if before.len() == events.len() { "CONCLUDED" } else { "RUNNING" };
        let turns = read["turns"]["nodes"].as_array().map(Vec::len);
        assert_eq!((json!([read["version"], read["status"]]), turns), (json!([before.len(), status]), Some(n_turns)));
    }
    for at in [0, events.len() + 1] {
        assert_eq!(test_server.client.error_code(AT, json!({ "id": debate, "at": at })).await, "INVALID", "{at}");
    }
}

/// Checks that the list follows the log: once it has caught up, a debate's row in it equals the debate.
async fn assert_listed(test_server: &TestServer, debate: DebateId, read: &Value) {
    const LIST: &str = "query ($search: String) { debates(first: 5, filter: { status: CONCLUDED, search: $search }) {
        edges { cursor node { id engine status version turnCount regime { kind } } } pageInfo { hasNextPage }
    } }";
    let line = poll_until("the list catches up", async || {
        let mut data = test_server.client.data(LIST, json!({ "search": "PRIVATE cars" })).await;
        let edges = data["debates"]["edges"].as_array_mut().expect("a list");
        edges.iter_mut().find(|edge| edge["node"]["id"] == debate.to_string()).map(|edge| edge["node"].take())
    })
    .await;
    for name in ["engine", "status", "version", "turnCount", "regime"] {
        assert_eq!(line[name], read[name], "{name}");
    }
    let none = test_server.client.data(LIST, json!({ "search": "100%_" })).await;
    assert_eq!(none["debates"]["edges"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reconnected_socket_resumes_without_gap_or_repeat() {
    let test_server = TestServer::start(&scripted_replies(20)).await;
    let debate = test_server.client.start(&start_debate_input("graph", json!({ "rounds": 3 }))).await;
    let (mut seen, mut n_cuts) = (Vec::new(), 0);
    'cut: loop {
        let mut socket = WebSocketClient::open(&test_server.client).await;
        socket.subscribe_to_debate(debate, seen.last().copied().unwrap_or(0)).await;
        for _ in 0..3 + n_cuts % 5 {
            match socket.next_event().await {
                Some(event) => seen.push(event["version"].as_i64().expect("a version")),
                None => break 'cut,
            }
        }
        n_cuts += 1;
        // Dropped without a close frame.
    }
    assert!(n_cuts > 5, "{n_cuts} cuts");
    assert_eq!(seen, versions(&read_all_events(&test_server.log, debate).await));

    let head = *seen.last().expect("events");
    let mut socket = WebSocketClient::open(&test_server.client).await;
    socket.subscribe_to_debate(debate, head + 1).await;
    let refused = socket.receive().await.expect("an error");
    assert!(refused.to_string().contains("FUTURE_CURSOR"), "{refused}");
    test_server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_can_be_paused_interjected_and_resumed() {
    let test_server = TestServer::start(&scripted_replies(100)).await;
    let client = &test_server.client;
    let debate = client.start(&start_debate_input("dialectic", json!({ "rounds": 2 }))).await;
    let id = json!({ "id": debate });
    test_server.wait_for_event(debate, |event| matches!(event, Event::EffectRequested(_))).await;

    const PAUSE: &str = "mutation ($id: ID!) { pauseDebate(input: { debateId: $id }) { debate { status version } } }";
    let paused = client.data(PAUSE, id.clone()).await["pauseDebate"]["debate"].take();
    assert_eq!(paused["status"], "PAUSED");
    // The call in progress is still recorded; then no process drives the debate any more.
    test_server.wait_for_release(debate, "resting").await;
    let resting = read_all_events(&test_server.log, debate).await;
    assert_eq!(
        count_by_kind(&resting)["effect_requested"],
        count_by_kind(&resting)["effect_answered"],
        "no paid answer is lost"
    );
    let from = paused["version"].as_u64().expect("a version") as usize;
    assert!(!count_by_kind(&resting[from - 1..]).contains_key("effect_requested"), "a paused debate requests nothing");
    let again = client.data(PAUSE, id.clone()).await["pauseDebate"]["debate"].take();
    assert_eq!(again["version"], resting.len(), "a second pause adds nothing");

    const SAY: &str = "mutation ($id: ID!, $text: String!, $persona: ID) {
        interject(input: { debateId: $id, text: $text, personaId: $persona }) { debate { version } }
    }";
    let word = "And who clears the snow?";
    for (text, speaker, code) in [
        ("", None, "INVALID"),
        (" \n\t", None, "INVALID"),
        (&*"x".repeat(8_001), None, "LIMIT"),
        (word, Some("hedda-vornish"), "NOT_FOUND"),
        (word, Some("Not A Name"), "INVALID"),
    ] {
        assert_eq!(
            client.error_code(SAY, json!({ "id": debate, "text": text, "persona": speaker })).await,
            code,
            "{text:.20}"
        );
    }
    client.data(SAY, json!({ "id": debate, "text": word, "persona": "gus-ormerand" })).await;

    const RESUME: &str = "mutation ($id: ID!) { resumeDebate(input: { debateId: $id }) { debate { status } } }";
    assert_eq!(client.data(RESUME, id.clone()).await["resumeDebate"]["debate"]["status"], "RUNNING");
    let events = test_server.wait_for_end(debate).await;
    let said = events.iter().position(|event| matches!(event.event, Event::Interjected(_))).expect("the interjection");
    for recorded in &events[said..] {
        if let Event::EffectRequested(request) = &recorded.event {
            assert!(request.prompt.contains(word), "the prompt of {} lacks the interjection", request.key);
        }
    }
    assert_eq!(count_by_kind(&events)["effect_requested"], 7, "each question once, despite the pause");
    assert_eq!(versions(&events), (1..=events.len() as i64).collect::<Vec<_>>());
    for change in [PAUSE, RESUME] {
        assert_eq!(client.error_code(change, id.clone()).await, "CONFLICT", "the debate has ended");
    }
    test_server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_debate_records_no_further_events() {
    let test_server = TestServer::start(&scripted_replies(200)).await;
    let debate = test_server.client.start(&start_debate_input("graph", json!({}))).await;
    let mut socket = WebSocketClient::open(&test_server.client).await;
    socket.subscribe_to_debate(debate, 0).await;
    test_server.wait_for_event(debate, |event| matches!(event, Event::EffectRequested(_))).await;
    const CANCEL: &str = "mutation ($id: ID!, $reason: String) {
        cancelDebate(input: { debateId: $id, reason: $reason }) { debate { status outcome { kind reason } } }
    }";
    let asked = json!({ "id": debate, "reason": "wrong city" });
    let data = test_server.client.data(CANCEL, asked.clone()).await;
    let wanted = json!({ "status": "CANCELLED", "outcome": { "kind": "CANCELLED", "reason": "wrong city" } });
    assert_eq!(data["cancelDebate"]["debate"], wanted);
    let mut last = None;
    while let Some(event) = socket.next_event().await {
        last = Some(event);
    }
    assert_eq!(last.expect("events")["kind"], "debate_aborted", "the stream completes with it");
    // No process drives the debate: no answer in flight can arrive any more.
    test_server.wait_for_release(debate, "closed").await;
    let events = read_all_events(&test_server.log, debate).await;
    assert_eq!(events.last().map(|event| event.event.kind()), Some("debate_aborted"));
    assert_eq!(test_server.client.error_code(CANCEL, asked).await, "CONFLICT");
    test_server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_requests_are_refused_with_their_code() {
    const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    const PAUSE: &str = "mutation ($id: ID!) { pauseDebate(input: { debateId: $id }) { debate { id } } }";
    const CANCEL: &str = "mutation ($id: ID!) { cancelDebate(input: { debateId: $id }) { debate { id } } }";
    let test_server = TestServer::start(&scripted_replies(0)).await;
    let with = |name: &str, value: Value| {
        let mut input = start_debate_input("graph", json!({}));
        input[name] = value;
        input
    };
    for (input, code) in [
        (with("topic", json!("")), "INVALID"),
        (with("topic", json!(" \u{0}\u{7}\n ")), "INVALID"),
        (with("topic", json!("x".repeat(100_000))), "LIMIT"),
        (with("engine", json!("parliament")), "NOT_FOUND"),
        (with("engine", json!("e".repeat(10_000))), "NOT_FOUND"),
        (with("provider", json!("oracle")), "NOT_FOUND"),
        (with("personaIds", json!(["edda-tolvane", "nobody-here"])), "NOT_FOUND"),
        (with("personaIds", json!(["edda-tolvane", "../../etc/passwd"])), "NOT_FOUND"),
        (with("personaIds", json!(["edda-tolvane"])), "INVALID"),
        (with("personaIds", json!([])), "INVALID"),
        (with("personaIds", json!(["edda-tolvane", "edda-tolvane"])), "INVALID"),
        (with("options", json!({ "speed": 3 })), "INVALID"),
        (with("options", json!({ "rounds": 11 })), "INVALID"),
        (with("options", json!({ "rounds": "three" })), "INVALID"),
        (with("options", json!([1, 2])), "INVALID"),
        (with("limits", json!({ "calls": 0 })), "LIMIT"),
        (with("limits", json!({ "calls": 1_000_000 })), "LIMIT"),
        (with("id", json!("7")), "INVALID"),
    ] {
        let shown = input.to_string().chars().take(200).collect::<String>();
        assert_eq!(test_server.client.error_code(START, json!({ "input": input })).await, code, "{shown}");
    }
    let nobody = json!({ "id": Uuid::now_v7() });
    let none = test_server.client.data("query ($id: ID!) { debate(id: $id) { id } }", nobody.clone()).await;
    assert_eq!(none, json!({ "debate": null }), "no such debate");
    for (query, variables, code) in [
        ("query ($id: ID!) { debate(id: $id) { id } }", json!({ "id": "x" }), "INVALID"),
        (PAUSE, nobody.clone(), "NOT_FOUND"),
        (CANCEL, nobody.clone(), "NOT_FOUND"),
        ("{ debates(first: 0) { edges { cursor } } }", json!({}), "INVALID"),
        ("{ debates(first: 101) { edges { cursor } } }", json!({}), "INVALID"),
        ("{ debates(first: 1, after: \"0.0\") { edges { cursor } } }", json!({}), "INVALID"),
    ] {
        assert_eq!(test_server.client.error_code(query, variables).await, code, "{query}");
    }
    let listed: i64 =
        sqlx::query_scalar("select count(*) from events").fetch_one(&test_server.database.pool).await.expect("count");
    assert_eq!(listed, 0, "refused requests record nothing");
    test_server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_starts_with_one_id_open_one_debate() {
    const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id version } } }";
    let test_server = TestServer::start(&scripted_replies(0)).await;
    let input = start_debate_input("dialectic", json!({ "rounds": 1 }));
    let responses = join_all((0..8).map(|_| test_server.client.query(START, json!({ "input": input })))).await;
    let opened =
        responses.iter().filter(|response| response["data"]["startDebate"]["debate"]["id"] == input["id"]).count();
    let refused = responses.iter().filter(|response| response["errors"][0]["extensions"]["code"] == "CONFLICT").count();
    assert_eq!((opened, refused), (1, 7), "{responses:?}");
    let debate: DebateId = input["id"].as_str().expect("an id").parse().expect("a debate's id");
    let events = test_server.wait_for_end(debate).await;
    assert_eq!((count_by_kind(&events)["debate_opened"], count_by_kind(&events)["debate_concluded"]), (1, 1));
    assert_eq!(
        test_server.client.error_code(START, json!({ "input": input })).await,
        "CONFLICT",
        "also after the debate has ended"
    );
    test_server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_without_a_valid_answer_is_called_a_bounded_number_of_times() {
    let text = std::fs::read_to_string(fixture_path("scripts/never.json")).expect("a script");
    let test_server = TestServer::start(&serde_json::from_str(&text).expect("JSON")).await;
    let failed = [("dialectic", 3, 3, "failed"), ("dialectic", 1, 1, "failed")];
    // Without any opening, nobody is left to debate.
    let stalled = [("graph", 3, 6, "stalled"), ("graph", 10, 20, "stalled")];
    for (engine, attempts, n_calls, outcome) in failed.into_iter().chain(stalled) {
        let mut input = start_debate_input(engine, json!({}));
        input["limits"] = json!({ "attempts": attempts });
        let debate = test_server.client.start(&input).await;
        let events = test_server.wait_for_end(debate).await;
        let kinds = count_by_kind(&events);
        assert_eq!((kinds["effect_requested"], kinds["effect_failed"]), (n_calls, n_calls), "{engine}");
        let Some(Event::DebateConcluded(it)) = events.last().map(|event| &event.event) else { panic!("{events:?}") };
        assert_eq!(it.outcome.kind(), outcome, "{engine}: an abandoned effect settles nothing");
    }
    test_server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_and_readiness_are_reported() {
    let test_server = TestServer::start(&scripted_replies(0)).await;
    let get = |path: &'static str| async {
        let response = test_server.client.http.get(test_server.client.url(path)).send().await.expect("a response");
        (response.status().as_u16(), response.text().await.expect("a text"))
    };
    assert_eq!(get("/healthz").await, (200, "ok\n".to_owned()));
    let (status, actual) = get("/readyz").await;
    let lines: Vec<&str> = actual.lines().collect();
    assert!(
        status == 200 && lines[0] == "ready" && lines[1].starts_with("ok database: PostgreSQL "),
        "{status} {actual}"
    );
    assert!(lines[2].starts_with("ok migrations: ") && lines[2].ends_with("none missing"), "{actual}");
    assert!(lines[3].starts_with("ok projection: the lists are 0 events behind"), "{actual}");
    let last = faultline_store::database::migrations::MIGRATOR
        .iter()
        .map(|migration| migration.version)
        .max()
        .expect("migrations");
    sqlx::query("delete from _sqlx_migrations where version = $1")
        .bind(last)
        .execute(&test_server.database.pool)
        .await
        .expect("delete a migration record");
    let (status, actual) = get("/readyz").await;
    assert!(
        status == 503 && actual.starts_with("not ready\n") && actual.contains(&format!("missing [{last}]")),
        "{actual}"
    );
    test_server.client.query("{ engines { name } }", json!({})).await;
    let (status, actual) = get("/metrics").await;
    assert_eq!(status, 200);
    for name in ["faultline_projection_lag_events 0", "# TYPE faultline_graphql_requests_total counter"] {
        assert!(actual.contains(name), "{name} in {actual}");
    }
    assert!(
        actual.lines().all(|line| line.starts_with('#')
            || line.is_empty()
            || line.starts_with("faultline_")
            || line.starts_with("process_")),
        "{actual}"
    );
    let name = test_server.database.options.get_database().expect("a name");
    let mut server = sqlx::PgConnection::connect_with(&test_server.database.options.clone().database("postgres"))
        .await
        .expect("connect");
    server.execute(sqlx::AssertSqlSafe(format!("drop database {name} with (force)"))).await.expect("drop");
    assert_eq!(get("/healthz").await, (200, "ok\n".to_owned()), "the process is alive");
    assert_eq!(get("/readyz").await, (503, "not ready\nno database: cannot be used at present\n".to_owned()));
    let (_, actual) = (0, test_server.client.query("{ debates { edges { cursor } } }", json!({})).await);
    let error = &actual["errors"][0];
    assert_eq!(
        (&error["extensions"]["code"], &error["message"]),
        (&json!("UNAVAILABLE"), &json!("the database is unavailable at the moment; try again"))
    );
    test_server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_origins_and_hosts_are_refused() {
    let test_server = TestServer::start(&scripted_replies(0)).await;
    let body = json!({ "query": "{ engines { name } }" });
    for (name, value, status) in [
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("origin", "http://127.0.0.1:1", 403),
        ("host", "evil.example", 403),
        ("host", "127.0.0.1.evil.example", 403),
        ("origin", &*format!("http://{}", test_server.client.address), 200),
        ("host", "localhost:7777", 200),
    ] {
        let request = test_server.client.http.post(test_server.client.url("/graphql")).json(&body).header(name, value);
        let response = request.send().await.expect("a response");
        assert_eq!(response.status().as_u16(), status, "{name}: {value}");
    }
    let hello = format!(
        "GET /graphql/ws HTTP/1.1\r\nhost: {}\r\norigin: https://evil.example\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        test_server.client.address
    );
    assert!(
        answer(&test_server.client, hello.as_bytes()).await.starts_with("HTTP/1.1 403"),
        "a socket opened by a page of another origin"
    );
    test_server.stop().await;
}

/// Sends raw bytes. Returns the start of the answer, or an empty text if the connection is closed without one.
async fn answer(client: &Client, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(&client.address).await.expect("connect");
    let _whatever = stream.write_all(bytes).await;
    let mut heard = vec![0; 512];
    let n_bytes = with_timeout("an answer", stream.read(&mut heard)).await.unwrap_or(0);
    String::from_utf8_lossy(&heard[..n_bytes]).into_owned()
}

/// Queries that could exhaust a parser: name, query, and the code with which each is refused.
fn bombs() -> Vec<(&'static str, String, &'static str)> {
    let fragments = |n: usize| {
        let bomb = (0..n)
            .map(|index| format!("fragment F{index} on Query {{ ...F{0} ...F{0} }} ", index + 1))
            .collect::<String>();
        format!("{{ ...F0 }} {bomb} fragment F{n} on Query {{ engines {{ name }} }}")
    };
    vec![
        ("brackets in an argument", format!("{{ debate(id: {}", "[".repeat(2_000)), "LIMIT"),
        (
            "objects in an argument",
            format!("{{ debate(id: {}1{}) {{ id }} }}", "{a:".repeat(1_500), "}".repeat(1_500)),
            "LIMIT",
        ),
        ("selections", format!("{}{}", "{ debates".repeat(1_500), "}".repeat(1_500)), "LIMIT"),
        ("doubled fields", format!("{{ {} }}", "engines { name } ".repeat(10_000)), "LIMIT"),
        (
            "aliases",
            format!("{{ {} }}", (0..300).map(|index| format!("a{index}: engines {{ name }} ")).collect::<String>()),
            "LIMIT",
        ),
        ("a long query", format!("{{ engines {{ name }} }} #{}", "x".repeat(140_000)), "LIMIT"),
        ("a recursive fragment", "{ ...A } fragment A on Query { ...A }".to_owned(), ""),
        (
            "fragments in a cycle",
            "{ ...A } fragment A on Query { ...B } fragment B on Query { ...C } fragment C on Query { ...A }"
                .to_owned(),
            "",
        ),
        ("a fragment bomb", fragments(40), ""),
        (
            "variables in a cycle",
            "query ($a: Int = $b, $b: Int = $a) { debates(first: $a) { edges { cursor } } }".to_owned(),
            "",
        ),
        ("directives", format!("{{ engines {} {{ name }} }}", "@skip(if: false) ".repeat(400)), ""),
        ("nothing", String::new(), ""),
        ("half a query", "{ engines { name ".to_owned(), ""),
        ("a string that never ends", "{ debate(id: \"\"\" ".to_owned(), ""),
        ("NUL and more", "{ engines\u{0} { name\u{feff} } \u{202e}}".to_owned(), ""),
    ]
}

/// Media type with which a request that is not executed is answered with an HTTP error status.
const PROPER: &str = "application/graphql-response+json";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_requests_are_refused_and_the_next_one_is_served() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let service = ServiceProcess::start(&home.environment(&database.options, &scripted_replies(0))).await;
    let client = &service.client;
    let well = async |after: &str| {
        let data = client.data("{ engines { name } }", json!({})).await;
        assert_eq!(data["engines"].as_array().map(Vec::len), Some(ENGINES.len()), "after {after}");
    };
    for (name, query, code) in bombs() {
        let response = client.query(&query, json!({})).await;
        let error = &response["errors"][0];
        assert!(error["message"].is_string() && response["data"].is_null(), "{name}: {response:.300}");
        if !code.is_empty() {
            assert_eq!(error["extensions"]["code"], code, "{name}: {error}");
        }
        well(name).await;
        let mut socket = WebSocketClient::open(client).await;
        socket.send(&json!({ "id": "b", "type": "subscribe", "payload": { "query": query } })).await;
        let actual = socket.receive().await.unwrap_or_default();
        let refused = actual["type"] == "error" || actual["payload"]["errors"][0]["message"].is_string();
        assert!(refused || actual.is_null(), "{name} over a socket: {actual}");
        well(name).await;
    }
    let deep = |open: &str, close: &str, n: usize| {
        format!("{{\"query\":\"{{ engines {{ name }} }}\",\"variables\":{}{}}}", open.repeat(n), close.repeat(n))
    };
    for (name, kind, body, status) in [
        ("a long body", "application/json", format!("{{\"query\":\"{}\"}}", "x".repeat(300_000)).into_bytes(), 413),
        ("a batch", "application/json", b"[{\"query\":\"{ engines { name } }\"}]".to_vec(), 400),
        ("no GraphQL", "application/json", b"{\"quarry\":1}".to_vec(), 400),
        ("no JSON", "application/json", b"{ engines { name } }".to_vec(), 400),
        ("an empty body", "application/json", Vec::new(), 400),
        ("no UTF-8", "application/json", b"{\"query\":\"{ engines { name } } # \xff\xfe\"}".to_vec(), 400),
        ("deep variables", "application/json", deep("[", "]", 100_000).into_bytes(), 400),
        ("deep objects", "application/json", deep("{\"a\":", "}", 1_500).into_bytes(), 400),
        ("plain text", "text/plain", b"{\"query\":\"{ engines { name } }\"}".to_vec(), 415),
        ("a form", "multipart/form-data; boundary=x", b"--x--".to_vec(), 415),
    ] {
        let request = client.http.post(client.url("/graphql")).header("content-type", kind).header("accept", PROPER);
        let response = request.body(body).send().await.expect("a response");
        assert_eq!(response.status().as_u16(), status, "{name}");
        // The unread body is in the way of the next request, so the client is told to use another connection.
        let closes = response.headers().get("connection").is_some_and(|value| value == "close");
        assert_eq!(closes, [413, 415].contains(&status), "{name}");
        well(name).await;
    }
    for (query, status) in [
        ("query=mutation%20%7B%20pauseDebate(input%3A%7BdebateId%3A%221%22%7D)%7Bdebate%7Bid%7D%7D%20%7D", 405),
        ("query=%7B%20engines%20%7B%20name%20%7D%20%7D", 200),
        ("query=%ff%fe", 400),
        ("variables=%7B", 400),
        ("", 400),
    ] {
        let response = client.http.get(client.url(&format!("/graphql?{query}"))).header("accept", PROPER);
        assert_eq!(response.send().await.expect("a response").status().as_u16(), status, "GET {query}");
        well(query).await;
    }
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /graphql HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
    ] {
        let actual = answer(client, bytes).await;
        assert!(actual.is_empty() || actual.starts_with("HTTP/1.1 4"), "{actual}");
        well("bytes that are no HTTP").await;
    }
    hostile_sockets(client).await;
    well("sockets").await;
    service.kill().await;
}

/// Sends frames that no regular client sends: the socket is closed, or the frame is answered with an error.
async fn hostile_sockets(client: &Client) {
    let init = json!({ "type": "connection_init" }).to_string();
    let asked = json!({ "id": "1", "type": "subscribe", "payload": { "query": "{ engines { name } }" } }).to_string();
    let text = |text: &str| Message::text(text.to_owned());
    let large = || Message::text(format!("{{\"type\":\"ping\",\"payload\":{{\"x\":\"{}\"}}}}", "x".repeat(2 << 20)));
    for (name, frames) in [
        ("no JSON", vec![text("hello")]),
        ("no type", vec![text("{}")]),
        ("bytes", vec![Message::Binary(Bytes::from_static(b"\x00\xff\xfe"))]),
        ("another type", vec![text("{\"type\":\"launch\"}")]),
        ("subscribe before connection_init", vec![text(&asked)]),
        ("connection_init twice", vec![text(&init), text(&init)]),
        ("the same id twice", vec![text(&init), text(&asked), text(&asked)]),
        ("2 MiB before connection_init", vec![large()]),
        ("2 MiB after connection_init", vec![text(&init), large()]),
        ("deep JSON", vec![text(&init), text(&"[".repeat(100_000))]),
        (
            "complete of an unknown operation",
            vec![text(&init), text("{\"type\":\"complete\",\"id\":\"77\"}"), Message::Close(None)],
        ),
    ] {
        let mut socket = WebSocketClient::connect(client).await;
        for frame in frames {
            socket.send_unchecked(frame).await;
        }
        socket.send_unchecked(Message::Close(None)).await;
        let mut n_heard = 0;
        while socket.receive().await.is_some() {
            n_heard += 1;
            assert!(n_heard < 100, "{name}: it does not end");
        }
    }
    // Many sockets at once, each cut off in the middle of an operation.
    let cut = Arc::new(client.clone());
    let opened = (0..50).map(|n| {
        let client = cut.clone();
        async move {
            let mut socket = WebSocketClient::open(&client).await;
            if n % 2 == 0 {
                socket
                    .send(&json!({ "id": "1", "type": "subscribe", "payload": { "query": "{ personas { id } }" } }))
                    .await;
            }
        }
    });
    join_all(opened).await;
}
