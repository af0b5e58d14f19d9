//! Cross-site requests, forged hosts and versions that do not exist are refused; a frontend reaches no rate limit.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::client::{Client, start_debate_input};
use crate::support::database::{Database, migrated_database};
use crate::support::event_inputs::{APPEND, opening_input};
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, with_timeout};

/// Starts a service; returns it with its database and folder.
async fn service() -> (ServiceProcess, (Database, TestHome)) {
    service_within("").await
}

/// Starts a service with these limits; returns it with its database and folder.
async fn service_within(limits: &str) -> (ServiceProcess, (Database, TestHome)) {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut environment = home.environment(&database.options, &scripted_replies(0));
    environment.push(("FAULTLINE_LIMITS", limits.to_owned()));
    (ServiceProcess::start(&environment).await, (database, home))
}

/// Sends a raw request over a new connection; returns the status of the response.
async fn raw_status(client: &Client, request: &str) -> u16 {
    let mut stream = TcpStream::connect(&client.address).await.expect("a connection");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = [0; 64];
    let n = with_timeout("an answer", stream.read(&mut answer)).await.expect("an answer");
    let line = String::from_utf8_lossy(&answer[..n]).into_owned();
    line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{line:?}"))
}

/// Sends a GET with these headers and a valid `Host`; returns the status of the response.
async fn get(client: &Client, path: &str, headers: &[(&str, &str)]) -> u16 {
    let request = client.http.get(client.url(path)).header("accept", "*/*");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    with_timeout("an answer", request.send()).await.expect("an answer").status().as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cross_site_requests_are_refused() {
    let (service, _place) = service().await;
    let client = &service.client;
    let query = "/graphql?query=%7B__typename%7D";
    let (foreign, link) = (("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"));
    for path in [query, "/debates/x/events", "/log.jsonl", "/readyz", "/metrics", "/graphql/stream"] {
        assert_eq!(get(client, path, &[foreign]).await, 403, "{path}");
    }
    assert_eq!(get(client, query, &[foreign, link]).await, 403, "a link to a query");
    assert_eq!(get(client, "/graphiql", &[foreign, link]).await, 200, "a link to the page");
    for site in ["same-origin", "none"] {
        assert_eq!(get(client, query, &[("sec-fetch-site", site)]).await, 200, "{site}");
    }
    let post = client.http.post(client.url("/graphql")).header("sec-fetch-site", "cross-site");
    let post =
        with_timeout("an answer", post.json(&json!({ "query": "{ __typename }" })).send()).await.expect("an answer");
    assert_eq!(post.status().as_u16(), 403);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_hosts_are_refused_and_two_hosts_are_a_bad_request() {
    let (service, _place) = service().await;
    let client = &service.client;
    let own = &client.address;
    for path in ["/metrics", "/readyz", "/graphiql", "/log.jsonl"] {
        let rebound = format!("GET {path} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n");
        assert_eq!(raw_status(client, &rebound).await, 403, "{path}");
        let doubled = format!("GET {path} HTTP/1.1\r\nhost: {own}\r\nhost: evil.example\r\nconnection: close\r\n\r\n");
        assert_eq!(raw_status(client, &doubled).await, 400, "{path}");
        let absolute = format!("GET http://evil.example{path} HTTP/1.1\r\nhost: {own}\r\nconnection: close\r\n\r\n");
        assert_eq!(raw_status(client, &absolute).await, 400, "{path}");
        let honest = format!("GET http://{own}{path} HTTP/1.1\r\nhost: {own}\r\nconnection: close\r\n\r\n");
        assert_eq!(raw_status(client, &honest).await, 200, "{path}");
    }
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_version_beyond_the_end_is_refused() {
    let (service, _place) = service().await;
    let client = &service.client;
    let debate = client.start(&start_debate_input("graph", json!({ "rounds": 1 }))).await;
    poll_until("the debate ends", async || {
        let actual = client.data("query ($id: ID!) { debate(id: $id) { status } }", json!({ "id": debate })).await;
        (actual["debate"]["status"] == "CONCLUDED").then_some(())
    })
    .await;
    for at in [i64::from(i32::MAX), 100_000] {
        let query = "query ($id: ID!, $at: Int) { debate(id: $id, at: $at) { version } }";
        let actual = client.query(query, json!({ "id": debate, "at": at })).await;
        assert_eq!(actual["errors"][0]["extensions"]["code"], "INVALID", "{actual}");
    }
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_but_one_of_many_identical_appends_return_repeated() {
    let (service, _place) = service().await;
    let client = &service.client;
    let event = opening_input();
    let asked = json!({ "id": uuid::Uuid::now_v7(), "at": 0, "events": [event] });
    let answers = join_all((0..100).map(|_| client.data(APPEND, asked.clone()))).await;
    let first = answers.iter().filter(|answer| answer["appendEvents"]["repeated"] == false).count();
    assert_eq!((first, answers.len()), (1, 100));
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frontend_is_not_rate_limited() {
    let (service, _place) = service().await;
    // Three bursts of 30 requests, as from a page that loads its data.
    for _ in 0..3 {
        let requests = (0..30).map(|_| service.client.query("{ debates(first: 5) { nodes { id } } }", json!({})));
        let burst = join_all(requests).await;
        assert!(burst.iter().all(|answer| answer["errors"].is_null()), "{burst:?}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_is_rate_limited() {
    let rate = 50;
    let (service, _place) = service_within(&format!("rate_address={rate}")).await;
    let begun = Instant::now();
    let floods = join_all((0..4).map(|_| flood(&service.client, 600))).await;
    let (n_refused, n_sent) = (floods.iter().sum::<usize>(), 4 * 600);
    // However slow the machine is: two seconds' worth at once, then the rate.
    let most = 2 * rate + (rate as f64 * begun.elapsed().as_secs_f64()).ceil() as usize;
    println!("{n_refused} of {n_sent} requests at once were refused, and at most {most} may be accepted");
    assert!(n_refused > 0 && n_sent - n_refused <= most, "{n_refused} of {n_sent}");
    service.kill().await;
}

/// Sends `n_requests` cheap requests without waiting for responses; returns the number of rate-limited ones.
async fn flood(client: &Client, n_requests: usize) -> usize {
    let stream = TcpStream::connect(&client.address).await.expect("a connection");
    let (mut from, mut to) = stream.into_split();
    let request = |more: &str| format!("GET /debates/x/events HTTP/1.1\r\nhost: {}\r\n{more}\r\n", client.address);
    let requests = request("").repeat(n_requests - 1) + &request("connection: close\r\n");
    let sending = tokio::spawn(async move { to.write_all(requests.as_bytes()).await });
    let mut answers = Vec::new();
    with_timeout("the answers", from.read_to_end(&mut answers)).await.expect("the answers");
    sending.await.expect("no panic").expect("sent");
    String::from_utf8_lossy(&answers).matches("HTTP/1.1 429 ").count()
}
