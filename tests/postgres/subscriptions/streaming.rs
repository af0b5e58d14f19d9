//! Long-lived transports: sockets and event streams, their misuse, slow clients, and shutdown.

use std::time::{Duration, Instant};

use faultline_core::events::ids::DebateId;
use futures_util::future::join_all;
use reqwest::{RequestBuilder, Response};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::client::{Client, start_debate_input};
use crate::support::database::migrated_database;
use crate::support::phase_events::{append_phases, new_debate_id};
use crate::support::process_stats::resident_kib;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::{poll_until, with_timeout};
use crate::support::websocket_client::WebSocketClient;

const EVENTS: &str =
    "subscription ($id: ID!, $after: Int) { debateEvents(debateId: $id, after: $after) { version body } }";

/// Event of a stream: its name, its id, its data.
type StreamEvent = (String, Option<String>, Value);

/// Reads at most `most` events of a response, and the comments among them.
async fn read_events(mut response: Response, most: usize) -> (Vec<StreamEvent>, String) {
    let (mut text, mut seen, mut comments) = (String::new(), Vec::new(), String::new());
    while seen.len() < most
        && let Some(chunk) = with_timeout("a chunk", response.chunk()).await.expect("read")
    {
        text.push_str(std::str::from_utf8(&chunk).expect("UTF-8, cut between events"));
        while let Some((block, rest)) = text.split_once("\n\n") {
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            match field("event") {
                Some(name) => {
                    let data =
                        field("data").map(|text| serde_json::from_str(text).unwrap_or_default()).unwrap_or_default();
                    seen.push((name.to_owned(), field("id").map(str::to_owned), data));
                }
                None => comments.push_str(block),
            }
            text = rest.to_owned();
        }
    }
    (seen, comments)
}

fn stream(client: &Client) -> RequestBuilder {
    client.http.post(client.url("/graphql/stream")).header("accept", "text/event-stream")
}

/// Returns the text of `/metrics`.
async fn metrics(client: &Client) -> String {
    client.http.get(client.url("/metrics")).send().await.expect("a response").text().await.expect("a text")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operations_are_streamed_as_events_and_resumed_after_a_cut() {
    let server = TestServer::start(&scripted_replies(5)).await;
    let client = &server.client;
    let query = json!({ "query": "{ engines { name } }" });
    let (actual, _) = read_events(stream(client).json(&query).send().await.expect("a response"), usize::MAX).await;
    assert_eq!(actual.iter().map(|event| &*event.0).collect::<Vec<_>>(), ["next", "complete"]);
    assert!(actual[0].2["data"]["engines"].is_array(), "{actual:?}");
    let get = client.http.get(client.url("/graphql/stream?query=%7B%20engines%20%7B%20name%20%7D%20%7D"));
    let (by_get, _) =
        read_events(get.header("accept", "text/event-stream").send().await.expect("a response"), usize::MAX).await;
    assert_eq!(by_get, actual);
    for wrong in ["{ nothing }", "{ engines("] {
        let response = stream(client).json(&json!({ "query": wrong })).send().await.expect("a response");
        assert_eq!(
            (response.status().as_u16(), &response.headers()["cache-control"]),
            (200, &"no-store".parse().unwrap())
        );
        let (actual, _) = read_events(response, usize::MAX).await;
        assert!(
            actual[0].2["errors"][0]["extensions"]["code"] == "INVALID" && actual.len() == 2,
            "{wrong}: {actual:?}"
        );
    }

    let debate = client.start(&start_debate_input("graph", json!({ "rounds": 2 }))).await;
    let body = json!({ "query": EVENTS, "variables": { "id": debate } });
    let (mut all, mut n_cuts) = (Vec::<StreamEvent>::new(), 0);
    while all.last().is_none_or(|event| event.0 != "complete") {
        let request = stream(client).json(&body);
        let request = match all.last().and_then(|event| event.1.clone()) {
            Some(last) => request.header("last-event-id", last),
            None => request,
        };
        all.extend(read_events(request.send().await.expect("a response"), 1 + n_cuts % 4).await.0);
        n_cuts += 1;
    }
    let events = server.wait_for_end(debate).await;
    let versions: Vec<i64> =
        all.iter().filter_map(|event| event.2["data"]["debateEvents"]["version"].as_i64()).collect();
    assert_eq!(versions, (1..=events.len() as i64).collect::<Vec<_>>(), "over {n_cuts} cuts");
    let ids: Vec<i64> = all.iter().filter_map(|event| event.1.as_deref()?.parse().ok()).collect();
    assert_eq!(ids, versions, "the id is the version");
    let beyond = stream(client).json(&body).header("last-event-id", "1000").send().await.expect("a response");
    assert_eq!(read_events(beyond, usize::MAX).await.0[0].2["errors"][0]["extensions"]["code"], "FUTURE_CURSOR");
    let none = stream(client).json(&body).header("last-event-id", "x").send().await.expect("a response");
    assert_eq!(read_events(none, usize::MAX).await.0[0].2["errors"][0]["extensions"]["code"], "INVALID");

    let mutation = "query=mutation%20%7B%20pauseDebate(input%3A%7BdebateId%3A%221%22%7D)%20%7B%20debate%20%7B%20id%20%7D%20%7D%20%7D";
    let get = |query: &str| client.http.get(client.url(&format!("/graphql/stream?{query}")));
    for (name, request, status) in [
        ("a change by GET", get(mutation).header("accept", "text/event-stream"), 405),
        ("no query", get("").header("accept", "text/event-stream"), 400),
        ("another media type wanted", stream(client).header("accept", "text/html").json(&query), 200),
        (
            "no events wanted",
            client.http.post(client.url("/graphql/stream")).header("accept", "text/html").json(&query),
            406,
        ),
        ("plain text", stream(client).body(query.to_string()).header("content-type", "text/plain"), 415),
        ("no JSON", stream(client).body("{").header("content-type", "application/json"), 400),
        ("a stranger's page", stream(client).json(&query).header("origin", "https://evil.example"), 403),
    ] {
        assert_eq!(request.send().await.expect("a response").status().as_u16(), status, "{name}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_operations_share_one_stream() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, at) = (&server.client, server.client.url("/graphql/stream"));
    let reserved = client.http.put(&at).send().await.expect("a response");
    assert_eq!(reserved.status(), 201);
    let token = reserved.text().await.expect("a token");
    let with = |request: RequestBuilder, token: &str| request.header("x-graphql-event-stream-token", token);
    let begin = async |token: &str, id: Value, query: &str| {
        let body = json!({ "query": query, "extensions": { "operationId": id } });
        with(client.http.post(&at), token).json(&body).send().await.expect("a response").status().as_u16()
    };
    let end = async |id: &str| {
        let at = format!("{at}?operationId={id}&token={token}");
        client.http.delete(at).send().await.expect("a response").status().as_u16()
    };
    let open = async |token: &str| {
        with(client.http.get(&at), token).header("accept", "text/event-stream").send().await.expect("a response")
    };
    const ENGINES: &str = "{ engines { name } }";
    const PROGRESS: &str = "subscription { projectionProgress { name } }";
    for (id, query, status) in [
        (json!("q"), ENGINES, 202),
        (json!("ended"), PROGRESS, 202),
        (json!("ended"), PROGRESS, 409),
        (json!(1), ENGINES, 400),
        (json!(""), ENGINES, 400),
    ] {
        assert_eq!(begin(&token, id.clone(), query).await, status, "{id}");
    }
    assert_eq!((begin("nobody", json!("q"), ENGINES).await, open("nobody").await.status().as_u16()), (404, 404));
    assert_eq!((end("ended").await, end("never begun").await), (200, 200));

    let stream = open(&token).await;
    assert_eq!((stream.status().as_u16(), open(&token).await.status().as_u16()), (200, 409));
    assert_eq!(begin(&token, json!("live"), PROGRESS).await, 202);
    // The ended operation sends nothing; the live one sends one event, and its id is in use meanwhile.
    let (mut actual, _) = read_events(stream, 3).await;
    actual.sort_by_key(|event| (event.2["id"].to_string(), event.0 == "complete"));
    let actual: Vec<(&str, &Value)> = actual.iter().map(|event| (&*event.0, &event.2["id"])).collect();
    assert_eq!(actual, [("next", &json!("live")), ("next", &json!("q")), ("complete", &json!("q"))]);
    // A disconnect drops the stream and all operations on it.
    poll_until("the stream is forgotten", async || (end("live").await == 404).then_some(())).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_is_closed_with_its_position_and_others_are_unaffected() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let one = new_debate_id();
    append_phases(&server.log, one, &["first"]).await;
    let (mut slow, mut well) =
        (WebSocketClient::open(&server.client).await, WebSocketClient::open(&server.client).await);
    for socket in [&mut slow, &mut well] {
        socket.subscribe("s", EVENTS, json!({ "id": one })).await;
    }
    // Far more than the buffers of both systems hold, followed by time for the service to notice.
    let long = "x".repeat(100_000);
    let mut last = 0;
    for n in 0..100 {
        if n > 0 {
            append_phases(&server.log, one, &[&long]).await;
        }
        let message = well.receive().await.expect("a message");
        let version = message["payload"]["data"]["debateEvents"]["version"].as_i64().expect("a version");
        assert_eq!(version, last + 1, "a client that reads receives everything meanwhile");
        last = version;
    }
    poll_until("the slow client is closed", async || {
        tokio::time::sleep(Duration::from_millis(200)).await;
        // A client that keeps reading answers pings and stays connected.
        well.send(&json!({ "type": "ping" })).await;
        assert_eq!(well.receive().await.expect("an answer")["type"], "pong");
        let counted = metrics(&server.client).await;
        counted.contains("faultline_connections_closed_total{reason=\"too_slow\"}").then_some(())
    })
    .await;
    let (heard, code) = slow.receive_until_close().await;
    assert_eq!(code, Some(4410), "{} messages", heard.len());
    let goodbye = heard.last().expect("a goodbye");
    let got = heard.iter().filter_map(|message| message["payload"]["data"]["debateEvents"]["version"].as_i64()).max();
    assert_eq!((&goodbye["type"], &goodbye["payload"][0]["extensions"]["code"]), (&json!("error"), &json!("LAGGED")));
    assert_eq!(
        goodbye["payload"][0]["extensions"]["after"],
        got.expect("an event").to_string(),
        "the last position received"
    );
    assert!(got < Some(last), "the slow client had not read everything");
    server.stop().await;
}

/// Sends a request, reads the start of the answer, and then stops reading.
async fn open_stalled(client: &Client, request: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    // The reader's own system buffers little.
    socket.set_recv_buffer_size(4_096).expect("a small buffer");
    let mut socket = socket.connect(client.address.parse().expect("an address")).await.expect("a connection");
    socket.write_all(request.as_bytes()).await.expect("sent");
    let mut head = [0; 256];
    let n = with_timeout("an answer", socket.read(&mut head)).await.expect("an answer");
    assert!(head[..n].starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&head[..n]));
    socket
}

/// Client that reads everything it receives.
struct HealthyReader {
    response: Response,
    /// Tail of the received text.
    text: String,
}

impl HealthyReader {
    async fn open(request: RequestBuilder) -> HealthyReader {
        HealthyReader { response: request.send().await.expect("a response"), text: String::new() }
    }

    /// Reads until `said` has been received.
    async fn receive(&mut self, said: &str) {
        while !self.text.contains(said) {
            let chunk =
                with_timeout("a chunk", self.response.chunk()).await.expect("read").expect("the stream is still open");
            // The text may be split between two chunks.
            self.text.drain(..self.text.len().saturating_sub(said.len()));
            self.text.push_str(std::str::from_utf8(&chunk).expect("ASCII"));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_streams_are_cut_with_bounded_memory_and_others_are_unaffected() {
    const STALLED: usize = 20;
    let (database, home) = (migrated_database().await, TestHome::new());
    let service = ServiceProcess::start(&home.environment(&database.options, &scripted_replies(0))).await;
    let (client, log, one) = (&service.client, database.log().await, new_debate_id());
    // Far more than the buffers of both systems hold, and more than a stream may hold here.
    let long = "x".repeat(30_000);
    for _ in 0..10 {
        append_phases(&log, one, &[&*long; 10]).await;
    }
    let body = json!({ "query": EVENTS, "variables": { "id": one } });
    let path = format!("/debates/{one}/events");
    // Without the usual request timeout, so that these streams can stay open.
    let patient = Client { http: reqwest::Client::builder().no_proxy().build().expect("a client"), ..client.clone() };
    let requests = [stream(&patient).json(&body), patient.http.get(client.url(&path))];
    let mut well = join_all(requests.map(HealthyReader::open)).await;
    append_phases(&log, one, &["all of it"]).await;
    join_all(well.iter_mut().map(|reader| reader.receive("all of it"))).await;
    let before = resident_kib(service.pid()) * 1024;

    let body = body.to_string();
    let (get, post) = (
        format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", client.address),
        format!(
            "POST /graphql/stream HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            client.address,
            body.len()
        ),
    );
    let mut slow = Vec::new();
    for _ in 0..STALLED {
        slow.push(open_stalled(client, &get).await);
        slow.push(open_stalled(client, &post).await);
    }
    let began = Instant::now();
    let mut held = 0;
    let mut n = 0;
    poll_until("the unread streams are cut", async || {
        n += 1;
        append_phases(&log, one, &[&format!("still {n}.")]).await;
        let said = format!("still {n}.");
        join_all(well.iter_mut().map(|reader| reader.receive(&said))).await;
        held = held.max((resident_kib(service.pid()) * 1024).saturating_sub(before));
        tokio::time::sleep(Duration::from_millis(200)).await;
        let counted = metrics(client).await;
        let left = |it: &str| counted.contains(&format!("faultline_connections{{transport=\"{it}\"}} 1\n"));
        (left("events") && left("stream")).then_some(())
    })
    .await;
    let each = held / (2 * STALLED as u64);
    println!(
        "cut {:.1} s after the last stream opened; {} KiB held by each",
        began.elapsed().as_secs_f64(),
        each / 1024
    );
    assert!(each <= 1024 * 1024, "{each} bytes are held by each of {} streams", 2 * STALLED);
    append_phases(&log, one, &["and on"]).await;
    join_all(well.iter_mut().map(|reader| reader.receive("and on"))).await;
    drop(slow);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_service_notifies_all_open_connections() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    variables.push(("FAULTLINE_DRAIN_SECONDS", "1".to_owned()));
    let service = ServiceProcess::start(&variables).await;
    let log = database.log().await;
    let one = new_debate_id();
    append_phases(&log, one, &["first"]).await;
    let mut sockets = Vec::new();
    for _ in 0..20 {
        let mut socket = WebSocketClient::open(&service.client).await;
        socket.subscribe("s", EVENTS, json!({ "id": one })).await;
        assert_eq!(socket.receive().await.expect("an event")["type"], "next");
        sockets.push(socket);
    }
    let body = json!({ "query": EVENTS, "variables": { "id": one } });
    let streamed = stream(&service.client).json(&body).send().await.expect("a response");
    let followed = service.client.http.get(service.client.url(&format!("/debates/{one}/events"))).send();
    let followed = followed.await.expect("a response");
    service.signal(Signal::TERM);
    let codes = join_all(sockets.iter_mut().map(async |socket| socket.receive_until_close().await.1)).await;
    assert_eq!(codes, vec![Some(1001); 20]);
    let (actual, comments) = read_events(streamed, usize::MAX).await;
    assert!(actual.iter().all(|event| event.0 == "next"), "it is not complete: {actual:?}");
    assert!(comments.contains("retry: 1000"), "{comments}");
    assert!(read_events(followed, usize::MAX).await.0.len() <= 1, "it ends");
    assert!(service.wait().await.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_and_operations_per_connection_are_limited() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    variables.push(("FAULTLINE_CONNECTIONS", "2".to_owned()));
    variables.push(("FAULTLINE_SUBSCRIPTIONS", "3".to_owned()));
    let service = ServiceProcess::start(&variables).await;
    let client = &service.client;
    let query = json!({ "query": "subscription { projectionProgress { name } }" });
    let mut socket = WebSocketClient::open(client).await;
    let streamed = stream(client).json(&query).send().await.expect("a response");
    let actual = metrics(client).await;
    for line in [
        "faultline_connections{transport=\"websocket\"} 1",
        "faultline_connections{transport=\"stream\"} 1",
        "faultline_streams{operation=\"projectionProgress\"} 1",
    ] {
        assert!(actual.contains(line), "{line} in {actual}");
    }
    let refused = stream(client).json(&query).send().await.expect("a response");
    assert_eq!(refused.status().as_u16(), 503);
    assert!(metrics(client).await.contains("faultline_connections_refused_total{transport=\"stream\"} 1"));
    for id in ["a", "b", "c", "d"] {
        socket.subscribe(id, "subscription { projectionProgress { name } }", json!({})).await;
        let actual = socket.receive().await.expect("a message");
        let expected = if id == "d" { "error" } else { "next" };
        assert_eq!((&actual["id"], &actual["type"]), (&json!(id), &json!(expected)), "{actual}");
    }
    socket.send(&json!({ "id": "a", "type": "complete" })).await;
    socket.subscribe("d", "subscription { projectionProgress { name } }", json!({})).await;
    assert_eq!(socket.receive().await.expect("a message")["type"], "next", "an operation has ended and made room");
    drop((socket, streamed));
    service.kill().await;
}

/// Opens a raw WebSocket, to send bytes that no client library would.
async fn upgraded(client: &Client) -> TcpStream {
    let mut socket = TcpStream::connect(&client.address).await.expect("a connection");
    let hello = format!(
        "GET /graphql/ws HTTP/1.1\r\nhost: {}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         sec-websocket-protocol: graphql-transport-ws\r\n\r\n",
        client.address
    );
    socket.write_all(hello.as_bytes()).await.expect("sent");
    let mut head = [0; 512];
    let n = socket.read(&mut head).await.expect("an answer");
    assert!(head[..n].starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head[..n]));
    socket
}

/// Encodes a frame as a client would, with a mask of zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        n @ 0..126 => frame.push(0x80 | n as u8),
        n @ 126..65_536 => {
            frame.push(0x80 | 126);
            frame.extend((n as u16).to_be_bytes());
        }
        n => {
            frame.push(0x80 | 127);
            frame.extend((n as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_frames_affect_only_their_sender() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let client = &server.client;
    let one = new_debate_id();
    append_phases(&server.log, one, &["first"]).await;
    let mut well = WebSocketClient::open(client).await;
    well.subscribe("s", EVENTS, json!({ "id": one })).await;
    assert_eq!(well.receive().await.expect("an event")["type"], "next");
    let mut last = 1;

    let init = br#"{"type":"connection_init"}"#;
    let ping = br#"{"type":"ping"}"#;
    let mut thrown: Vec<(&str, Vec<u8>)> = vec![
        ("an unfinished frame", frame(0x81, init)[..9].to_vec()),
        ("text that is no UTF-8", frame(0x81, b"{\"type\":\"\xff\xfe\"}")),
        ("a continuation of nothing", frame(0x80, init)),
        ("a new text within a text", [frame(0x01, &init[..5]), frame(0x81, init)].concat()),
        ("a ping in parts", frame(0x09, b"x")),
        ("a long ping", frame(0x89, &[b'x'; 126])),
        ("reserved bits", frame(0xf1, init)),
        ("reserved opcodes", frame(0x83, init)),
        ("a text without a mask", [&[0x81, init.len() as u8], &init[..]].concat()),
        ("a length of two to the 63", [&[0x81, 0xff], &u64::MAX.to_be_bytes()[..], &[0; 4]].concat()),
        ("a length that never comes", [&[0x81, 0xff], &200_000_u64.to_be_bytes()[..], &[0; 4]].concat()),
        ("half a megabyte", frame(0x81, &vec![b'x'; 512 * 1024])),
        ("a hundred thousand parts", [frame(0x01, b"{"), frame(0x00, b"").repeat(100_000)].concat()),
        ("a close of one byte", frame(0x88, b"\x03")),
        ("a close of no code", frame(0x88, &[0, 0])),
        ("a close, then more", [frame(0x88, &1000_u16.to_be_bytes()), frame(0x81, init)].concat()),
        ("pings without end", [frame(0x81, init), frame(0x81, ping).repeat(5_000)].concat()),
    ];
    // Pseudo-random numbers, the same in every run.
    let mut rng = 0x9e37_79b9_7f4a_7c15_u64;
    let mut roll = move || {
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        rng.to_le_bytes()[3]
    };
    thrown.extend((0..60).map(|n| ("bytes by chance", (0..n * 7).map(|_| roll()).collect())));
    thrown
        .extend((0..40).map(|n| ("frames by chance", frame(roll(), &(0..n * 5).map(|_| roll()).collect::<Vec<u8>>()))));
    for (at, (name, bytes)) in thrown.iter().enumerate() {
        let mut socket = upgraded(client).await;
        // The service may have closed the connection before everything is sent.
        let _refused = socket.write_all(bytes).await;
        if at % 2 == 0 {
            let mut rest = vec![0; 4_096];
            let _answered = tokio::time::timeout(Duration::from_millis(20), socket.read(&mut rest)).await;
        }
        drop(socket);
        if at % 10 == 0 {
            last = assert_receives_next(&mut well, &server, one, last, name).await;
        }
    }
    for _ in 0..20 {
        join_all((0..50).map(async |n: usize| {
            let socket = upgraded(client).await;
            if n.is_multiple_of(2) {
                drop(socket);
            }
        }))
        .await;
        last = assert_receives_next(&mut well, &server, one, last, "a thousand short connections").await;
    }
    server.stop().await;
}

/// Appends an event and checks that the follower receives it next.
async fn assert_receives_next(
    well: &mut WebSocketClient,
    server: &TestServer,
    debate: DebateId,
    last: i64,
    name: &str,
) -> i64 {
    append_phases(&server.log, debate, &[name]).await;
    let actual = well.receive().await.unwrap_or_else(|| panic!("{name}: closed"));
    assert_eq!(actual["payload"]["data"]["debateEvents"]["version"], last + 1, "{name}: {actual}");
    last + 1
}

/// Python's `gql` looks for the header as it spelled it in the request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_response_to_a_socket_spells_header_names_like_the_request() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let address = &server.client.address;
    for name in ["Sec-WebSocket-Protocol", "sec-websocket-protocol"] {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let request = format!(
            "GET /graphql/ws HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{name}: graphql-transport-ws\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut head = vec![0; 4_096];
        let length = with_timeout("a response", stream.read(&mut head)).await.expect("read");
        let head = String::from_utf8_lossy(&head[..length]).into_owned();
        assert!(
            head.starts_with("HTTP/1.1 101 ") && head.contains(&format!("{name}: graphql-transport-ws\r\n")),
            "{head}"
        );
    }
    server.stop().await;
}
