//! Runs docs/recipes.md from top to bottom against a service: sends every block, and compares the shape of the response
//! with the one shown.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::Client;
use crate::support::environment::project_path;
use crate::support::service_process::run_command;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

/// Fenced block: its line, the words after its fence, and its content.
struct Block {
    line: usize,
    kind: String,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut open) = (Vec::new(), None::<Block>);
    for (number, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(kind), None) => open = Some(Block { line: number + 1, kind: kind.to_owned(), text: String::new() }),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "the last block is not closed");
    blocks
}

/// Replaces the placeholders for ids that a client generates (`$DEBATE`, `$ID1` and so on) by new ids.
fn fill_placeholders(page: &str) -> String {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut text = String::new();
    for (at, piece) in page.split('$').enumerate() {
        let name: String =
            piece.chars().take_while(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit()).collect();
        if at > 0 && (name == "DEBATE" || name.starts_with("ID")) {
            text.push_str(names.entry(name.clone()).or_insert_with(|| Uuid::now_v7().to_string()));
            text.push_str(&piece[name.len()..]);
        } else {
            text.push_str(if at > 0 { "$" } else { "" });
            text.push_str(piece);
        }
    }
    text
}

/// Compares a value with the shape shown. Returns the first difference: other fields, another type, or an empty list
/// where one is filled. A `null` on the page matches anything.
fn first_difference(shown: &Value, got: &Value, place: &str) -> Option<String> {
    match (shown, got) {
        (Value::Null, _) => None,
        (Value::Object(shown), Value::Object(_)) if shown.is_empty() => None,
        (Value::Object(shown), Value::Object(got)) => {
            if shown.keys().ne(got.keys()) {
                let names =
                    |object: &serde_json::Map<String, Value>| object.keys().cloned().collect::<Vec<_>>().join(", ");
                return Some(format!("{place} has {}; shown are {}", names(got), names(shown)));
            }
            shown.iter().find_map(|(name, value)| first_difference(value, &got[name], &format!("{place}.{name}")))
        }
        (Value::Array(shown), Value::Array(got)) => {
            let one = shown.first()?;
            if got.is_empty() {
                return Some(format!("{place} is empty"));
            }
            got.iter().enumerate().find_map(|(at, element)| first_difference(one, element, &format!("{place}[{at}]")))
        }
        (Value::String(_), Value::String(_)) | (Value::Number(_), Value::Number(_)) => None,
        (Value::Bool(shown), Value::Bool(got)) if shown == got => None,
        _ => Some(format!("{place} is {got}; shown is {shown}")),
    }
}

/// Returns the first response of a subscription.
async fn first(client: &Client, query: &str, variables: &Value) -> Value {
    let mut socket = WebSocketClient::open(client).await;
    let payload = json!({ "query": query, "variables": variables });
    socket.send(&json!({ "id": "1", "type": "subscribe", "payload": payload })).await;
    loop {
        let mut heard = socket.receive().await.expect("an answer");
        match heard["type"].as_str() {
            Some("next") => return heard["payload"].take(),
            Some("ping") => {}
            _ => panic!("{query}: {heard}"),
        }
    }
}

async fn caught_up(server: &TestServer) {
    poll_until("the stored views have caught up", async || {
        let actual =
            server.client.http.get(server.client.url("/metrics")).send().await.expect("sent").text().await.ok()?;
        let lag = actual.lines().find_map(|line| line.strip_prefix("faultline_projection_lag_events "))?;
        (lag == "0").then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_recipe_of_the_documentation_works() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let page = fs::read_to_string(project_path("docs/recipes.md")).expect("the page");
    let blocks = blocks(&fill_placeholders(&page));
    let (mut n_asked, mut n_run) = (0, 0);
    for (at, block) in blocks.iter().enumerate() {
        let place = format!("docs/recipes.md:{}", block.line);
        match block.kind.as_str() {
            "graphql" => {
                let after = &blocks[at + 1..];
                let read = |block: &Block| -> Value {
                    serde_json::from_str(&block.text).unwrap_or_else(|why| panic!("{place}: {why}"))
                };
                let variables =
                    after.first().filter(|block| block.kind == "json variables").map_or_else(|| json!({}), read);
                let shown = read(
                    after
                        .iter()
                        .find(|block| block.kind == "json")
                        .unwrap_or_else(|| panic!("{place}: no answer is shown")),
                );
                if block.text.contains("cruxes(") {
                    caught_up(&server).await;
                }
                let got = if block.text.starts_with("subscription") {
                    first(&server.client, &block.text, &variables).await
                } else {
                    server.client.query(&block.text, variables.clone()).await
                };
                assert_eq!(first_difference(&shown, &got, "the answer"), None, "{place}: {got}");
                if let Some(after) = variables["after"].as_i64() {
                    assert_eq!(got["data"]["debateEvents"]["version"], after + 1, "{place}: a gap, or a repeat");
                }
                n_asked += 1;
            }
            "sh" => {
                for command in block.text.lines().filter(|line| line.starts_with("faultline ")) {
                    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
                    let output = run_command(&server.environment(), &words).await;
                    assert_eq!(output.code, Some(0), "{place}: {command}: {}", output.stderr);
                    n_run += 1;
                }
            }
            "json" | "json variables" => {}
            other => panic!("{place}: there is no check for a block of {other:?}"),
        }
    }
    assert_eq!((n_asked, n_run), (11, 5), "blocks that were sent");
    server.stop().await;
}
