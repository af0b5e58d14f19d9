//! A key that a provider sends back in its answers is recorded nowhere.

use std::path::PathBuf;

use axum::Router;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::client::start_debate_input;
use crate::support::database::migrated_database;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, with_timeout};

const KEY: &str = "sk-to-be-kept-9b1d4c77";

/// Completion that contains the key in every field it can, also in escaped form.
async fn echo(headers: HeaderMap) -> Response {
    let key = headers["authorization"].to_str().expect("text").trim_start_matches("Bearer ").to_owned();
    let said = format!("I know your key: {key}");
    let body = json!({
        "id": key, "object": "chat.completion", "model": format!("model-{key}"),
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": said }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 1 },
    });
    let escaped = body.to_string().replace("sk-to", "\\u0073k-to");
    ([("content-type", "application/json".to_owned()), ("x-request-id", key)], escaped).into_response()
}

/// Refusal that contains the key, also across the point where messages are truncated.
async fn refuse(headers: HeaderMap) -> Response {
    let key = headers["authorization"].to_str().expect("text").trim_start_matches("Bearer ").to_owned();
    let error = json!({ "error": { "message": format!("{}{key}", "x".repeat(190)), "type": key, "code": key } });
    let body = error.to_string().replace("sk-to", "\\u0073k-to");
    let headers = [("content-type", "application/json".to_owned()), ("x-request-id", key)];
    (axum::http::StatusCode::UNAUTHORIZED, headers, body).into_response()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_a_provider_sends_back_is_recorded_nowhere() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new()
        .route("/echo/chat/completions", axum::routing::post(echo))
        .route("/refuse/chat/completions", axum::routing::post(refuse));
    tokio::spawn(async move { axum::serve(listener, router).await });

    for manner in ["echo", "refuse"] {
        let (database, home) = (migrated_database().await, TestHome::new());
        let mut variables = home.environment(&database.options, &scripted_replies(0));
        for (name, value) in [
            ("OPENAI_API_KEY", KEY.to_owned()),
            ("OPENAI_BASE_URL", format!("{base}/{manner}")),
            ("FAULTLINE_LOG", "debug,faultline=trace".to_owned()),
            // Without encryption, so that the database can be searched.
            ("FAULTLINE_SEALED", "0".to_owned()),
        ] {
            variables.push((name, value));
        }
        let log = PathBuf::from(home.path("log"));
        let service = ServiceProcess::start_logging(&variables, &log).await;
        let client = &service.client;
        let mut asked = start_debate_input("dialectic", json!({ "rounds": 1 }));
        asked["provider"] = json!("openai");
        let debate = client.start(&asked).await;
        let ended = "query ($id: ID!) { debate(id: $id) { status } }";
        poll_until("the debate ends", async || {
            let actual = client.data(ended, json!({ "id": debate })).await;
            (actual["debate"]["status"] != "RUNNING").then_some(())
        })
        .await;

        let stored: Vec<String> = sqlx::query_scalar("select convert_from(body, 'utf8') from events order by version")
            .fetch_all(&database.pool)
            .await
            .expect("the events");
        let feed = client.http.get(client.url(&format!("/debates/{debate}/events"))).send();
        let feed = with_timeout("the events", async { feed.await?.text().await }).await.expect("the events");
        let traced = std::fs::read_to_string(&log).expect("the log of the process");
        for (place, text) in [("stored", stored.join("\n")), ("answered", feed), ("traced", traced)] {
            // The first characters are enough: nothing else begins with them.
            assert!(!text.contains(KEY) && !text.contains(&KEY[..12]), "{manner}, {place}");
        }
        let redacted = stored.iter().filter(|text| text.contains("[redacted]")).count();
        assert!(redacted > 0, "{manner}");
        let parsed: Vec<Value> = stored.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
        assert_eq!(parsed.len(), stored.len(), "bodies are JSON");
        service.kill().await;
    }
}
