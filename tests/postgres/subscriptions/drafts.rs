//! Drafts: words of turns that a model is writing, over Server-Sent Events and GraphQL.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::client::{Client, start_debate_input};
use crate::support::log_reads::read_all_events;
use crate::support::test_home::{ENDS_EARLY, paced_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::with_timeout;
use crate::support::websocket_client::WebSocketClient;

const DRAFTS: &str = "subscription ($id: ID!) { turnDraft(debateId: $id) {
    draftId speakerId attempt offset text state turnId reason
} }";

/// Draft as a client puts it together from its pieces.
#[derive(Debug, Default, PartialEq)]
struct Draft {
    text: String,
    state: String,
    turn: Option<String>,
    reason: Option<String>,
}

/// Puts the pieces of drafts together; `turn` is the field with the turn.
fn assemble(pieces: &[Value], turn: &str) -> BTreeMap<String, Draft> {
    let mut drafts: BTreeMap<String, Draft> = BTreeMap::new();
    for piece in pieces {
        let draft = drafts.entry(piece["draftId"].as_str().expect("an id").to_owned()).or_default();
        assert!(draft.turn.is_none() && draft.reason.is_none(), "nothing follows the end: {piece}");
        assert_eq!(piece["offset"], draft.text.chars().count(), "without gaps or repeats: {piece}");
        draft.text.push_str(piece["text"].as_str().expect("a text"));
        piece["state"].as_str().expect("a state").to_lowercase().clone_into(&mut draft.state);
        let text = |name: &str| piece.get(name).and_then(Value::as_str).map(str::to_owned);
        (draft.turn, draft.reason) = (text(turn), text("reason"));
    }
    drafts
}

/// Blocks of an event stream: name, id, data.
async fn blocks(client: &Client, path: &str) -> Vec<(String, Option<String>, Value)> {
    let response = with_timeout("a response", client.http.get(client.url(path)).send()).await.expect("a response");
    assert_eq!(response.status().as_u16(), 200, "{path}");
    let text = with_timeout("the stream ends", response.text()).await.expect("a text");
    let block = |block: &str| {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let data = serde_json::from_str(field("data")?).expect("JSON");
        Some((field("event")?.to_owned(), field("id").map(str::to_owned), data))
    };
    text.split("\n\n").filter_map(block).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn drafts_are_streamed_on_request_and_end_as_said_or_discarded() {
    let server = TestServer::start(&paced_replies(1_000)).await;
    let debate = server.client.start(&start_debate_input("graph", json!({ "rounds": 1 }))).await;
    let (path, drafting) = (format!("/debates/{debate}/events"), format!("/debates/{debate}/events?drafts=1"));
    let by_socket = async {
        let mut socket = WebSocketClient::open(&server.client).await;
        socket.subscribe("1", DRAFTS, json!({ "id": debate })).await;
        let mut pieces = Vec::new();
        while let Some(mut message) = socket.receive().await {
            match message["type"].as_str() {
                Some("next") => pieces.push(message["payload"]["data"]["turnDraft"].take()),
                Some("ping") => socket.send(&json!({ "type": "pong" })).await,
                Some("complete") => break,
                _ => panic!("unexpected message: {message}"),
            }
        }
        pieces
    };
    let (with_drafts, plain, by_socket) =
        tokio::join!(blocks(&server.client, &drafting), blocks(&server.client, &path), by_socket);

    let (pieces, events): (Vec<_>, Vec<_>) = with_drafts.into_iter().partition(|(name, ..)| name == "draft");
    assert_eq!(events, plain, "the events are the same, with and without drafts");
    assert!(pieces.iter().all(|(_, id, _)| id.is_none()), "a draft does not move Last-Event-ID");
    let pieces: Vec<Value> = pieces.into_iter().map(|(.., data)| data).collect();
    let drafts = assemble(&pieces, "turn");
    assert!(pieces.len() > 2 * drafts.len(), "words arrive while they are written: {} pieces", pieces.len());

    let log = read_all_events(&server.log, debate).await;
    let turns: BTreeMap<String, String> = plain
        .iter()
        .filter(|(name, ..)| name == "turn_taken")
        .map(|(.., event)| {
            let text = event["body"]["text"].as_str().expect("a text");
            (
                event["body"]["turn"].as_str().map_or_else(|| event["body"]["turn"].to_string(), str::to_owned),
                text.to_owned(),
            )
        })
        .collect();
    let said: BTreeMap<String, String> = pieces
        .iter()
        .filter(|piece| piece["state"] == "said")
        .map(|piece| {
            let turn = piece["turn"].as_str().map_or_else(|| piece["turn"].to_string(), str::to_owned);
            (turn, drafts[piece["draftId"].as_str().expect("an id")].text.clone())
        })
        .collect();
    assert_eq!(said, turns, "what was said is what was drafted");
    let discarded: Vec<&Draft> = drafts.values().filter(|draft| draft.state == "discarded").collect();
    assert!(!discarded.is_empty());
    for draft in discarded {
        assert_eq!(draft.text, ENDS_EARLY);
        assert!(draft.reason.as_ref().is_some_and(|reason| reason.contains("JSON")), "{draft:?}");
    }
    let failures = log.iter().filter(|event| event.event.kind() == "effect_failed").count();
    assert!(failures > 0 && drafts.len() == said.len() + failures, "{drafts:?}");

    let by_socket = assemble(&by_socket, "turnId");
    let mut known = 0;
    for (id, draft) in &by_socket {
        known +=
            usize::from(drafts.get(id).is_some_and(|other| (&other.text, &other.state) == (&draft.text, &draft.state)));
    }
    assert_eq!((known, by_socket.len()), (drafts.len(), drafts.len()), "GraphQL shows the same drafts");

    let after = blocks(&server.client, &drafting).await;
    assert!(after.iter().all(|(name, ..)| name != "draft"), "drafts are not stored");
    let wrong =
        server.client.http.get(server.client.url(&format!("{path}?drafts=2"))).send().await.expect("a response");
    assert_eq!(wrong.status().as_u16(), 400);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_has_no_drafts() {
    let server = TestServer::start(&paced_replies(1_000)).await;
    let (other, _) = server.start_second().await;
    let debate = server.client.start(&start_debate_input("graph", json!({ "rounds": 0 }))).await;
    let seen = blocks(&other, &format!("/debates/{debate}/events?drafts=1")).await;
    assert!(seen.iter().any(|(name, ..)| name == "turn_taken"));
    assert!(seen.iter().all(|(name, ..)| name != "draft"));
    server.stop().await;
}
