//! A provider that sends the key back in its answers: the key is recorded nowhere.

use std::path::PathBuf;

use axum::Router;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::client::{Home, Service, in_time, input, script, until};
use crate::support::fresh;

const KEY: &str = "sk-to-be-kept-9b1d4c77";

/// A model's reply that says the key wherever it can: once as it is, once escaped.
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

/// A refusal that does, with the key across the place where messages are cut.
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
        let (database, home) = (fresh().await, Home::new());
        let mut variables = home.variables(&database.options, &script(0));
        for (name, value) in [
            ("OPENAI_API_KEY", KEY.to_owned()),
            ("OPENAI_BASE_URL", format!("{base}/{manner}")),
            ("FAULTLINE_LOG", "debug,faultline=trace".to_owned()),
            // In plain, so that the database can be searched.
            ("FAULTLINE_SEALED", "0".to_owned()),
        ] {
            variables.push((name, value));
        }
        let log = PathBuf::from(home.path("log"));
        let service = Service::start_logging(&variables, &log).await;
        let client = &service.client;
        let mut asked = input("dialectic", json!({ "rounds": 1 }));
        asked["provider"] = json!("openai");
        let debate = client.start(&asked).await;
        let ended = "query ($id: ID!) { debate(id: $id) { status } }";
        until("the debate ends", async || {
            let told = client.data(ended, json!({ "id": debate })).await;
            (told["debate"]["status"] != "RUNNING").then_some(())
        })
        .await;

        let stored: Vec<String> = sqlx::query_scalar("select convert_from(body, 'utf8') from events order by version")
            .fetch_all(&database.pool)
            .await
            .expect("the events");
        let feed = client.http.get(client.at(&format!("/debates/{debate}/events"))).send();
        let feed = in_time("the events", async { feed.await?.text().await }).await.expect("the events");
        let traced = std::fs::read_to_string(&log).expect("the log of the process");
        for (place, text) in [("stored", stored.join("\n")), ("answered", feed), ("traced", traced)] {
            // The last characters are enough: nothing else ends so.
            assert!(!text.contains(KEY) && !text.contains(&KEY[..12]), "{manner}, {place}");
        }
        let redacted = stored.iter().filter(|it| it.contains("[redacted]")).count();
        assert!(redacted > 0, "{manner}");
        let parsed: Vec<Value> = stored.iter().filter_map(|it| serde_json::from_str(it).ok()).collect();
        assert_eq!(parsed.len(), stored.len(), "bodies are JSON");
        service.kill().await;
    }
}
