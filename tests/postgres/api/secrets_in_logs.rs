//! Logs contain no secrets: no tokens and no keys, at any log level.

use faultline::api::admission::token_file::new_token;
use faultline::api::role::Role;
use serde_json::{Value, json};

use crate::support::client::{Client, start_debate_input};
use crate::support::database::migrated_database;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, with_timeout};
use crate::support::websocket_client::WebSocketClient;

const KEY: &str = "sk-never-to-be-read-7c1f0a";
const PASSWORD: &str = "hunter-of-logs";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_contain_no_token_and_no_key_at_any_level() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let token = new_token("page", Role::Admin, None).expect("a token");
    std::fs::write(home.path("tokens"), &token.line).expect("written");
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    for (name, value) in [
        // The most verbose level.
        ("FAULTLINE_LOG", "trace,tungstenite::protocol=trace"),
        ("FAULTLINE_LOG_FORMAT", "json"),
        ("FAULTLINE_TOKENS", &*home.path("tokens")),
        ("OPENAI_API_KEY", KEY),
        // Nothing listens at this address: the provider is called, fails, and is traced.
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
    ] {
        variables.push((name, value.to_owned()));
    }
    let log = std::path::PathBuf::from(home.path("log"));
    let service = ServiceProcess::start_logging(&variables, &log).await;
    let client = &service.client;
    let secret = token.token.split_once('.').expect("a secret").1;
    let guess = format!("page.{PASSWORD}");
    ask(client, &token.token, "{ engines { name } }", json!({})).await;
    ask(client, &guess, "{ engines { name } }", json!({})).await;
    ask(client, &token.token, "{ debates { edges { cursor } } }", json!({})).await;
    let mut asked = start_debate_input("dialectic", json!({ "rounds": 1 }));
    asked["provider"] = json!("openai");
    let start = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    let started = ask(client, &token.token, start, json!({ "input": asked })).await;
    assert_eq!(started["errors"], Value::Null, "{started}");
    for hello in [json!({ "token": token.token }), json!({ "authorization": format!("Bearer {guess}") })] {
        let mut socket = WebSocketClient::connect(client).await;
        socket.send(&json!({ "type": "connection_init", "payload": hello })).await;
        socket.receive().await;
    }
    let events = client.http.get(client.url("/debates/x/events")).bearer_auth(&token.token);
    with_timeout("an answer", events.send()).await.expect("an answer");
    // The failed provider call is the last thing that is traced.
    poll_until("the provider call has failed", async || {
        let failed: i64 = sqlx::query_scalar("select count(*) from events where kind = 'effect_failed'")
            .fetch_one(&database.pool)
            .await
            .expect("count");
        (failed > 0).then_some(())
    })
    .await;
    service.kill().await;
    let actual = std::fs::read(&log).expect("a log");
    let text = String::from_utf8_lossy(&actual);
    assert!(text.lines().count() > 100, "tracing is on: {} lines", text.lines().count());
    for (what, word) in [("the token", secret), ("a guess", PASSWORD), ("the key", KEY)] {
        let line = text.lines().find(|line| line.contains(word));
        assert_eq!(line.map(|line| line.chars().take(300).collect::<String>()), None, "{what}");
    }
    assert!(text.contains(r#""id":"secrets-1""#), "the lines of a request carry its id");
}

async fn ask(client: &Client, token: &str, query: &str, variables: Value) -> Value {
    let request = client.http.post(client.url("/graphql")).bearer_auth(token).header("x-request-id", "secrets-1");
    let body = json!({ "query": query, "variables": variables });
    with_timeout("an answer", request.json(&body).send()).await.expect("an answer").json().await.expect("JSON")
}
