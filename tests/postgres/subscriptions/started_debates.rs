//! Debates that one request starts and streams, in their own event names and in those of the predecessor systems.

use faultline::api::admission::token_file::new_token;
use faultline::api::admission::tokens::AccessControl;
use faultline::api::role::Role;
use faultline_core::events::ids::DebateId;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::{Client, SPEAKERS};
use crate::support::log_reads::wait_for_end;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::with_timeout;

const TOPIC: &str = "Should the city close its centre to private cars?";

/// Body of a request, with these fields besides the topic and the personas.
fn body(fields: Value) -> Value {
    let mut body = json!({ "topic": TOPIC, "personaIds": SPEAKERS, "provider": "scripted", "seed": 7 });
    for (name, value) in fields.as_object().into_iter().flatten() {
        body[name.as_str()] = value.clone();
    }
    body
}

fn post(client: &Client, path: &str, body: &Value) -> RequestBuilder {
    client.http.post(client.url(path)).json(body)
}

async fn send(request: RequestBuilder) -> Response {
    with_timeout("a response", request.send()).await.expect("a response")
}

fn location(response: &Response) -> String {
    response.headers()["location"].to_str().expect("text").to_owned()
}

/// Debate of an address `/debates/{id}/events`.
fn debate_of(location: &str) -> DebateId {
    location.split('/').nth(2).and_then(|id| id.parse().ok()).expect("an address with a debate's id")
}

async fn text(response: Response) -> String {
    with_timeout("a stream that ends", response.text()).await.expect("text")
}

/// Data of a stream's events.
fn data(stream: &str) -> Vec<Value> {
    let lines = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["type"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_starts_a_debate_and_is_answered_with_its_stream() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let client = &server.client;
    let asked = body(json!({ "options": { "rounds": 2, "passages": 0 } }));
    let response = send(post(client, "/debates", &asked)).await;
    let kind = response.headers()["content-type"].to_str().expect("text").to_owned();
    assert_eq!((response.status().as_u16(), kind.as_str()), (200, "text/event-stream"));
    let path = location(&response);
    let own = text(response).await;
    assert_eq!(own, text(send(client.http.get(client.url(&path))).await).await, "the stream of the debate itself");
    let events = wait_for_end(&server.log, &server.tail, debate_of(&path)).await;
    assert_eq!(data(&own).len(), events.len());

    let response = send(post(client, "/debates?format=legacy", &asked)).await;
    let path = location(&response);
    assert!(path.ends_with("/events?format=legacy"), "{path}");
    let legacy = text(response).await;
    let events = data(&legacy);
    let seen = types(&events);
    assert_eq!((seen.first(), seen.last()), (Some(&"status"), Some(&"debate_complete")), "{seen:?}");
    assert_eq!(events[1]["debateId"], json!(debate_of(&path)), "the client learns the id from the stream as well");
    for kind in ["arguments_submitted", "initial_stance", "attacks_generated", "validation_complete", "agent_turn"] {
        assert!(seen.contains(&kind), "{kind}: {seen:?}");
    }
    let versions: Vec<&str> = legacy.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    for after in [versions[1], versions[versions.len() / 2], versions[versions.len() - 2]] {
        let rest = send(client.http.get(client.url(&path)).header("last-event-id", after)).await;
        let rest = text(rest).await;
        assert!(legacy.ends_with(&rest) && !rest.is_empty(), "after {after}: {rest}");
    }
    let over = send(client.http.get(client.url(&path)).header("last-event-id", versions[versions.len() - 1])).await;
    assert_eq!(over.status().as_u16(), 204);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_addresses_of_the_predecessors_speak_their_names() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let named = |mode: &str, options: Value| {
        let names = ["Edda Tolvane", "gus ormerand"];
        body(json!({ "personaIds": names, "mode": mode, "options": options, "maxTurns": 30 }))
    };
    for (path, asked, first, last) in [
        ("/api/debate", named("graph", json!({ "rounds": 1, "passages": 0 })), "status", "debate_complete"),
        ("/api/debate-v2", named("dialectic", json!({ "passages": 0 })), "engine_start", "engine_complete"),
    ] {
        let stream = text(send(post(&server.client, path, &asked)).await).await;
        let events = data(&stream);
        let seen = types(&events);
        assert_eq!((seen.first(), seen.last()), (Some(&first), Some(&last)), "{path}: {stream}");
        assert_eq!(events.iter().any(|event| event["type"] == "dialogue_turn"), path == "/api/debate-v2");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_goes_on_without_the_client_that_started_it() {
    let server = TestServer::start(&scripted_replies(50)).await;
    let asked = body(json!({ "options": { "rounds": 2, "passages": 0 } }));
    let mut response = send(post(&server.client, "/debates?format=legacy", &asked)).await;
    let path = location(&response);
    let begun = with_timeout("a chunk", response.chunk()).await.expect("read").expect("a chunk");
    drop(response);
    let events = wait_for_end(&server.log, &server.tail, debate_of(&path)).await;
    assert_eq!(events.last().map(|event| event.event.kind()), Some("debate_concluded"));
    let whole = text(send(server.client.http.get(server.client.url(&path))).await).await;
    let begun = std::str::from_utf8(&begun).expect("UTF-8");
    assert!(whole.starts_with(begun) && whole.contains("debate_complete"), "{begun}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_refused_starts_nothing() {
    let made = |name: &str, role: Role| new_token(name, role, None).expect("a token");
    let (reader, writer) = (made("page", Role::Reader), made("engine", Role::Writer));
    let access = AccessControl::by_tokens(&format!("{}\n{}\n", reader.line, writer.line)).expect("a file");
    let server = TestServer::start_with_access(&scripted_replies(0), access).await;
    let client = &server.client;
    let check = async |what: &str, request: RequestBuilder, status: u16, reason: &str| {
        let response = send(request).await;
        let found = response.status().as_u16();
        let said = text(response).await;
        assert!(found == status && said.contains(reason), "{what}: {found} {said}");
    };
    let asked = |fields: Value| post(client, "/debates?format=legacy", &body(fields)).bearer_auth(&writer.token);
    let raw = |text: &'static str, kind: &'static str| {
        let request = client.http.post(client.url("/debates")).bearer_auth(&writer.token);
        request.header("content-type", kind).body(text)
    };
    check("no token", post(client, "/debates", &body(json!({}))), 401, "").await;
    check("a reader", post(client, "/debates", &body(json!({}))).bearer_auth(&reader.token), 403, "role writer").await;
    check("no JSON", raw("{\"topic\":", "application/json"), 400, "EOF while parsing").await;
    check("another type", raw("[]", "application/json"), 400, "invalid").await;
    check("plain text", raw("{}", "text/plain"), 415, "send application/json").await;
    check("an unknown field", asked(json!({ "maxturns": 3 })), 400, "unknown field `maxturns`").await;
    check("an unknown persona", asked(json!({ "personaIds": ["nobody"] })), 400, "unknown persona \"nobody\"").await;
    check("no personas", asked(json!({ "personaIds": [] })), 400, "takes 2 to 12 personas").await;
    check("an unknown engine", asked(json!({ "mode": "parliament" })), 400, "unknown engine \"parliament\"").await;
    check("an unknown option", asked(json!({ "options": { "laps": 3 } })), 400, "laps").await;
    check("an unknown provider", asked(json!({ "provider": "oracle" })), 400, "unknown provider \"oracle\"").await;
    check("no topic", asked(json!({ "topic": " " })), 400, "topic").await;
    check("a long topic", asked(json!({ "topic": "x".repeat(3_000) })), 400, "topic").await;
    check("a large body", asked(json!({ "topic": "x".repeat(300_000) })), 413, "larger than 262144 bytes").await;
    check("no stream", asked(json!({})).header("accept", "application/json"), 406, "accept text/event-stream").await;
    let foreign = asked(json!({})).header("origin", "https://evil.example");
    check("a foreign page", foreign, 403, "FAULTLINE_ORIGINS").await;
    let odd = post(client, "/debates?format=new", &body(json!({}))).bearer_auth(&writer.token);
    check("an unknown format", odd, 400, "?format=legacy").await;
    let get = client.http.get(client.url("/debates")).bearer_auth(&writer.token);
    check("a GET", get, 405, "").await;
    let count = async || {
        let request = post(client, "/graphql", &json!({ "query": "{ log { nodes { version } } }" }));
        let answer: Value = send(request.bearer_auth(&writer.token)).await.json().await.expect("JSON");
        answer["data"]["log"]["nodes"].as_array().map(Vec::len)
    };
    assert_eq!(count().await, Some(0), "nothing was recorded");

    let id = Uuid::now_v7();
    let named = json!({ "id": id, "options": { "rounds": 0, "passages": 0 } });
    let first = send(asked(named.clone())).await;
    assert_eq!((first.status().as_u16(), debate_of(&location(&first)).0), (200, id));
    text(first).await;
    let again = send(asked(named)).await;
    assert_eq!((again.status().as_u16(), debate_of(&location(&again)).0), (409, id), "an id opens one debate");
    server.stop().await;
}
