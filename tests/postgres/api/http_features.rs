//! HTTP features around GraphQL: `ETag`s, compression, persisted queries, request ids, rate limits, costs, and disabled
//! features.

use faultline_core::engines::registry::ENGINES;
use std::io::Read;

use faultline::api::admission::persisted::hex;
use faultline::api::admission::token_file::new_token;
use faultline::api::role::Role;
use flate2::read::GzDecoder;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use crate::support::client::{Client, start_debate_input};
use crate::support::database::{Database, migrated_database};
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::with_timeout;
use crate::support::websocket_client::WebSocketClient;

async fn sent(request: RequestBuilder) -> Response {
    with_timeout("a response", request.send()).await.expect("a response")
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn by_get(client: &Client, query: &str, variables: &Value) -> RequestBuilder {
    client.http.get(client.url("/graphql")).query(&[("query", query), ("variables", &variables.to_string())])
}

fn by_post(client: &Client, body: &Value) -> RequestBuilder {
    client.http.post(client.url("/graphql")).json(body)
}

/// Resources of a process, released on drop.
type ProcessResources = (Database, TestHome);

/// Starts a process with these additional variables, and a token for each name and role.
async fn start_service(
    more: &[(&'static str, &str)],
    tokens: &[(&str, Role)],
) -> (ServiceProcess, ProcessResources, Vec<String>) {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    variables.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let made: Vec<_> = tokens.iter().map(|(name, role)| new_token(name, *role, None).expect("a token")).collect();
    if !made.is_empty() {
        let lines: Vec<&str> = made.iter().map(|token| token.line.as_str()).collect();
        std::fs::write(home.path("tokens"), lines.join("\n")).expect("written");
        variables.push(("FAULTLINE_TOKENS", home.path("tokens")));
    }
    (ServiceProcess::start(&variables).await, (database, home), made.into_iter().map(|token| token.token).collect())
}

const READ: &str =
    "query ($id: ID!, $at: Int) { debate(id: $id, at: $at) { topic version turns { nodes { id text } } } }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unchanged_debate_is_answered_with_not_modified() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let client = &server.client;
    let debate = client.start(&start_debate_input("graph", json!({ "rounds": 1 }))).await;
    let opened = sent(by_get(client, READ, &json!({ "id": debate, "at": 1 }))).await;
    let first = header(&opened, "etag").to_owned();
    assert!(first.starts_with('"') && header(&opened, "cache-control") == "private, no-cache", "{first}");
    server.wait_for_end(debate).await;

    let (now, early) = (json!({ "id": debate }), json!({ "id": debate, "at": 1 }));
    let ended = sent(by_get(client, READ, &now)).await;
    let last = header(&ended, "etag").to_owned();
    assert_ne!(first, last);
    let known = |variables: &Value, tag: &str| sent(by_get(client, READ, variables).header("if-none-match", tag));
    for (variables, tag) in [
        (&early, first.clone()),
        (&now, last.clone()),
        (&now, format!("\"a\", W/{last}")),
        (&now, compressed_tag(&last)),
    ] {
        let response = known(variables, &tag).await;
        assert_eq!((response.status().as_u16(), header(&response, "etag").is_empty()), (304, false), "{tag}");
        assert_eq!(response.bytes().await.expect("a body").len(), 0);
    }
    for (variables, tag) in [(&now, &first), (&early, &last)] {
        assert_eq!(known(variables, tag).await.status().as_u16(), 200, "another version");
    }
    // Responses that can change without a new event have no ETag, and neither have responses to POST.
    let cited = "query ($id: ID!) { debate(id: $id) { turns { nodes { citations { passage { text } } } } } }";
    for response in [
        sent(by_get(client, cited, &now)).await,
        sent(by_get(client, "{ engines { name } }", &json!({}))).await,
        sent(by_get(client, READ, &json!({ "id": uuid::Uuid::now_v7() }))).await,
        sent(by_post(client, &json!({ "query": READ, "variables": now }))).await,
    ] {
        assert_eq!((header(&response, "etag"), header(&response, "cache-control")), ("", "no-store"));
    }
    server.stop().await;
}

/// Returns the `ETag` of the same response, compressed.
fn compressed_tag(tag: &str) -> String {
    format!("{}-gzip\"", tag.trim_end_matches('"'))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_responses_are_compressed_on_request() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let ask = async |query: &str, accepted: &str| {
        sent(by_post(&server.client, &json!({ "query": query })).header("accept-encoding", accepted)).await
    };
    let long = "{ personas { id name about } engines { name about options { name about default } } }";
    let (plain, gzip) = (ask(long, "identity").await, ask(long, "gzip, br").await);
    assert_eq!((header(&plain, "content-encoding"), header(&gzip, "content-encoding")), ("", "gzip"));
    assert!(header(&gzip, "vary").contains("accept-encoding"));
    let (plain, gzip) = (plain.bytes().await.expect("a body"), gzip.bytes().await.expect("a body"));
    let mut unpacked = Vec::new();
    GzDecoder::new(&*gzip).read_to_end(&mut unpacked).expect("gzip");
    assert!(unpacked == plain && gzip.len() < plain.len(), "{} of {} bytes", gzip.len(), plain.len());
    assert_eq!(
        header(&ask("{ __typename }", "gzip").await, "content-encoding"),
        "",
        "a short response is not compressed"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_persisted_query_is_answered_by_its_hash_on_every_transport() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let client = &server.client;
    let text = "{ engines { name } }";
    let named = |hash: &str| json!({ "persistedQuery": { "version": 1, "sha256Hash": hash } });
    let ask = async |body: Value| -> Value { sent(by_post(client, &body)).await.json().await.expect("JSON") };
    let (hash, other) = (hex(text), hex("{ personas { id } }"));
    let actual = ask(json!({ "extensions": named(&hash) })).await;
    let error = &actual["errors"][0];
    assert_eq!(
        (&error["message"], &error["extensions"]["code"]),
        (&json!("PersistedQueryNotFound"), &json!("PERSISTED_QUERY_NOT_FOUND"))
    );
    let actual = ask(json!({ "query": text, "extensions": named(&other) })).await;
    assert_eq!(actual["errors"][0]["extensions"]["code"], "INVALID", "another's hash");
    let whole = ask(json!({ "query": text, "extensions": named(&hash) })).await;
    assert_eq!(whole["data"]["engines"].as_array().map(Vec::len), Some(ENGINES.len()));
    assert_eq!(ask(json!({ "extensions": named(&hash) })).await, whole);
    let by_get = client.http.get(client.url("/graphql")).query(&[("extensions", named(&hash).to_string())]);
    assert_eq!(sent(by_get).await.json::<Value>().await.expect("JSON"), whole);
    let mut socket = WebSocketClient::open(client).await;
    let payload = json!({ "query": null, "extensions": named(&hash) });
    socket.send(&json!({ "id": "1", "type": "subscribe", "payload": payload })).await;
    assert_eq!(socket.receive().await.expect("an answer")["payload"], whole);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_operations_on_the_allow_list_are_answered() {
    let file = TestHome::new();
    std::fs::write(file.path("operations"), r#"{ "engines": "{ engines { name } }" }"#).expect("written");
    let variables = [("FAULTLINE_OPERATIONS", &*file.path("operations"))];
    let (service, _home, tokens) = start_service(&variables, &[("page", Role::Writer), ("keeper", Role::Admin)]).await;
    let client = &service.client;
    let ask = async |token: &str, body: Value| {
        let response = sent(by_post(client, &body).bearer_auth(token)).await;
        (response.status().as_u16(), response.json::<Value>().await.expect("JSON"))
    };
    for body in [json!({ "documentId": "engines" }), json!({ "query": "{ engines { name } }" })] {
        let (status, actual) = ask(&tokens[0], body).await;
        assert_eq!((status, actual["data"]["engines"].is_array()), (200, true), "{actual}");
    }
    let other = json!({ "query": "{ personas { id } }" });
    for body in
        [other.clone(), json!({ "documentId": "personas" }), json!({ "query": "{ __schema { types { name } } }" })]
    {
        let (status, actual) = ask(&tokens[0], body).await;
        assert_eq!(
            (status, &actual["errors"][0]["extensions"]["code"]),
            (403, &json!("OPERATION_NOT_ALLOWED")),
            "{actual}"
        );
    }
    assert_eq!(ask(&tokens[1], other).await.0, 200, "the allow-list does not bind an admin");
    let start = json!({ "topic": "x", "personaIds": ["nobody", "no-one"] });
    let started = |token: &str| client.http.post(client.url("/debates")).json(&start).bearer_auth(token);
    assert_eq!(sent(started(&tokens[0])).await.status().as_u16(), 403, "a request that starts a debate is on no list");
    assert_eq!(sent(started(&tokens[1])).await.status().as_u16(), 400, "an admin's request is read");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_has_one_rate_on_every_transport() {
    let (service, _home, tokens) =
        start_service(&[("FAULTLINE_LIMITS", "rate_token=1")], &[("page", Role::Reader), ("other", Role::Reader)])
            .await;
    let client = &service.client;
    let body = json!({ "query": "{ __typename }" });
    let ask = async |token: &str| sent(by_post(client, &body).bearer_auth(token)).await;
    let mut refused = None;
    for _ in 0..100 {
        let response = ask(&tokens[0]).await;
        if response.status().as_u16() == 429 {
            refused = Some(response);
            break;
        }
    }
    let refused = refused.expect("a hundred requests at once exceed one a second");
    assert_eq!(header(&refused, "retry-after"), "1");
    let error = refused.json::<Value>().await.expect("JSON")["errors"][0].take();
    assert_eq!((&error["extensions"]["code"], &error["extensions"]["retryAfter"]), (&json!("LIMIT"), &json!(1)));
    assert_eq!(ask(&tokens[1]).await.status().as_u16(), 200, "another token has its own");
    let mut socket = WebSocketClient::connect(client).await;
    socket.send(&json!({ "type": "connection_init", "payload": { "token": tokens[0] } })).await;
    assert_eq!(socket.receive().await.expect("a message")["type"], "connection_ack");
    let mut actual = Value::Null;
    for id in 0..100 {
        socket.send(&json!({ "id": id.to_string(), "type": "subscribe", "payload": body })).await;
        actual = socket.receive().await.expect("a message");
        if actual["type"] == "error" {
            break;
        }
    }
    assert_eq!(actual["payload"][0]["extensions"]["code"], "LIMIT", "{actual}");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn event_streams_count_against_the_rate() {
    let readers = ["page", "other", "third"].map(|name| (name, Role::Reader));
    let (service, _home, tokens) = start_service(&[("FAULTLINE_LIMITS", "rate_token=1")], &readers).await;
    let client = &service.client;
    let path = format!("/debates/{}/events", uuid::Uuid::now_v7());
    let events = async |token: &str| sent(client.http.get(client.url(&path)).bearer_auth(token)).await;
    let mut actual = Vec::new();
    for _ in 0..100 {
        let response = events(&tokens[0]).await;
        actual.push(response.status().as_u16());
        if actual.last() == Some(&429) {
            assert_eq!(header(&response, "retry-after"), "1");
            assert_eq!(
                response.text().await.expect("a text"),
                "too many operations per second; retry in 1 s\n",
                "plain text, like all responses of this endpoint"
            );
            break;
        }
    }
    assert_eq!(
        (actual[0], actual.last()),
        (404, Some(&429)),
        "a hundred requests at once exceed one a second: {actual:?}"
    );
    assert_eq!(events(&tokens[1]).await.status().as_u16(), 404, "another token has its own");
    let reserve = async |token: &str| sent(client.http.put(client.url("/graphql/stream")).bearer_auth(token)).await;
    let mut reserved = Vec::new();
    while reserved.len() < 100 && reserved.last() != Some(&429) {
        reserved.push(reserve(&tokens[2]).await.status().as_u16());
    }
    assert_eq!(
        (reserved[0], reserved.last()),
        (201, Some(&429)),
        "reservations count against the same rate: {reserved:?}"
    );
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_a_trusted_proxy_each_caller_has_its_own_rate() {
    let trusting = [("FAULTLINE_LIMITS", "rate_address=1"), ("FAULTLINE_TRUSTED_PROXIES", "127.0.0.0/8, 10.0.0.7")];
    let (trusting, _one, _) = start_service(&trusting, &[]).await;
    let (doubting, _two, _) = start_service(&[("FAULTLINE_LIMITS", "rate_address=1")], &[]).await;
    let body = json!({ "query": "{ __typename }" });
    let ask = async |service: &ServiceProcess, name: &'static str, hops: &str| {
        let request = by_post(&service.client, &body).header("accept", "application/graphql-response+json");
        sent(request.header(name, hops)).await.status().as_u16()
    };
    // More requests in a row than one bucket admits.
    let spent = async |service: &ServiceProcess, name: &'static str, hops: &dyn Fn(u32) -> String| {
        for n in 0..100 {
            if ask(service, name, &hops(n)).await == 429 {
                return true;
            }
        }
        false
    };
    let (list, pairs) = ("x-forwarded-for", "forwarded");
    assert!(!spent(&trusting, list, &|n| format!("192.0.2.{n}")).await, "each address has its own rate");
    assert!(!spent(&trusting, pairs, &|n| format!("for=198.51.100.{n};proto=https")).await);
    assert!(spent(&trusting, list, &|_| "203.0.113.1".to_owned()).await);
    let made_up = |n| format!("192.0.2.{n}, 203.0.113.2, 10.0.0.7");
    assert!(spent(&trusting, list, &made_up).await, "addresses supplied by the caller itself are ignored");
    assert!(spent(&doubting, list, &|n| format!("192.0.2.{n}")).await, "no proxy is trusted by default");
    for service in [trusting, doubting] {
        service.kill().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn costs_are_reported_and_limited_and_introspection_can_be_disabled() {
    let limits = "cost=60, depth=3, variable_bytes=40, introspection=0, rate_address=100000";
    let (service, _home, tokens) =
        start_service(&[("FAULTLINE_LIMITS", limits)], &[("page", Role::Reader), ("keeper", Role::Admin)]).await;
    let client = &service.client;
    let ask = async |token: &str, body: Value| -> Value {
        sent(by_post(client, &body).bearer_auth(token)).await.json().await.expect("JSON")
    };
    let costed = |query: &str| json!({ "query": query, "extensions": { "cost": true } });
    let actual = ask(&tokens[0], costed("{ engines { name about } }")).await;
    let expected = json!({ "requested": 3, "limit": 60, "depth": 2, "depthLimit": 3, "fields": 1 + 2 * ENGINES.len() });
    assert_eq!(actual["extensions"]["cost"], expected, "{actual}");
    let actual = ask(&tokens[0], json!({ "query": "{ engines { name } }" })).await;
    assert_eq!(actual.get("extensions"), None, "only on request");
    let code = async |body: Value| ask(&tokens[0], body).await["errors"][0]["extensions"]["code"].take();
    let deep = "{ debates(first: 1) { edges { node { outcome { kind } } } } }";
    let variables = |n: usize| json!({ "query": "query ($search: String) { engines { name } }", "variables": { "search": "x".repeat(n) } });
    assert_eq!(code(json!({ "query": "{ debates(first: 30) { edges { cursor } } }" })).await, "LIMIT");
    assert_eq!(code(json!({ "query": deep })).await, "LIMIT");
    assert_eq!(code(variables(40)).await, "LIMIT");
    let schema = json!({ "query": "{ ...F } fragment F on Query { __schema { types { name } } }" });
    assert_eq!(code(schema.clone()).await, "FORBIDDEN");
    let actual = ask(&tokens[1], schema).await;
    assert!(actual["data"]["__schema"].is_object(), "an admin may introspect: {actual}");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_response_and_error_carries_the_request_id() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let client = &server.client;
    let paths =
        ["/healthz", "/readyz", "/metrics", "/graphql", "/graphiql", "/debates/x/events", "/log.jsonl", "/nowhere"];
    for path in paths {
        let response = sent(client.http.get(client.url(path)).header("x-request-id", "edge-7")).await;
        assert_eq!(header(&response, "x-request-id"), "edge-7", "{path}");
    }
    let ask = |query: &str| by_post(client, &json!({ "query": query }));
    for wrong in [
        "{ two }",
        "{ debate(id: \"x\") { id } }",
        "{ a(",
        "mutation { pauseDebate(input: { debateId: \"x\" }) { debate { id } } }",
    ] {
        let response = sent(ask(wrong).header("x-request-id", "not one of ours!")).await;
        let id = header(&response, "x-request-id").to_owned();
        assert!(uuid::Uuid::parse_str(&id).is_ok(), "{id}");
        let actual: Value = response.json().await.expect("JSON");
        assert_eq!(actual["errors"][0]["extensions"]["requestId"], json!(id), "{actual}");
    }
    server.stop().await;
}
