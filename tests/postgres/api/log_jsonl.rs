//! The whole log as JSON lines: complete, in order, resumed from any cursor.

use faultline_core::events::dispute::Side;
use faultline_core::events::event::Recorded;
use faultline_core::export::jsonl::ExportedEvent;
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::lanes::Cursor;
use reqwest::Response;
use serde_json::{Value, json};

use crate::support::debate_builder::DebateBuilder;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::with_timeout;

async fn ask(server: &TestServer, query: &str) -> Response {
    let request = server.client.http.get(server.client.url(&format!("/log.jsonl{query}")));
    with_timeout("a response", request.send()).await.expect("a response")
}

/// Lines of a response, and the end cursor of its last line.
async fn lines(server: &TestServer, query: &str) -> (Vec<Value>, String) {
    let response = ask(server, query).await;
    assert_eq!(response.status().as_u16(), 200);
    assert_eq!(response.headers()["content-type"], "application/x-ndjson; charset=utf-8");
    let text = with_timeout("the lines", response.text()).await.expect("text");
    assert!(text.ends_with('\n'));
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let end =
        lines.pop().expect("a last line")["end"].as_str().unwrap_or_else(|| panic!("no end cursor: {text}")).to_owned();
    (lines, end)
}

/// Expected line of an event, without its cursor.
fn line(recorded: &Recorded) -> Value {
    serde_json::to_value(ExportedEvent::of(recorded)).expect("JSON")
}

fn without_cursor(line: &Value) -> Value {
    let mut line = line.clone();
    line.as_object_mut().expect("an object").remove("cursor");
    line
}

async fn open_with_debates(n_debates: usize) -> (TestServer, Vec<DebateBuilder>) {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut debates = Vec::new();
    for at in 0..n_debates {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        let own = builder.add_argument("ada", "Yes", &format!("Crews are rested, {at}."));
        let theirs = builder.add_argument("ben", "No", "Fuel is dear:\n\u{2028}\"so\" it is.");
        builder.add_mutual_attack("ben", theirs, own);
        builder.raise_dispute(&format!("Is winter {at} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.append_new(&server.log).await;
        debates.push(builder);
    }
    (server, debates)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_returned_once_and_resumed_after_any_cursor() {
    let (server, debates) = open_with_debates(60).await;
    let (all, end) = lines(&server, "").await;
    assert!(all.len() > 600, "several pages");
    assert_eq!(end, Cursor::from_heads(server.log.heads().await.expect("heads")).to_string());
    for debate in &debates {
        let of_it = |line: &&Value| line["debateId"] == json!(debate.id);
        let found: Vec<Value> = all.iter().filter(of_it).map(without_cursor).collect();
        let kept = server.log.read(debate.id, 0, 100).await.expect("the debate");
        assert_eq!(found, kept.iter().map(line).collect::<Vec<_>>());
    }
    for at in (0..all.len()).step_by(97) {
        let (rest, its_end) =
            lines(&server, &format!("?after={}", all[at]["cursor"].as_str().expect("a cursor"))).await;
        assert_eq!((rest.as_slice().len(), &its_end), (all.len() - at - 1, &end));
        let ids = |lines: &[Value]| {
            let mut ids: Vec<String> = lines.iter().map(|line| line["id"].to_string()).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(ids(&rest), ids(&all[at + 1..]), "after line {at}");
    }
    assert_eq!(lines(&server, &format!("?after={end}")).await, (vec![], end.clone()));
    // Only some kinds; the end cursor is after all events that were examined.
    let (some, its_end) = lines(&server, "?kinds=attack_raised,debate_opened").await;
    let wanted =
        |line: &&Value| ["attack_raised", "debate_opened"].contains(&line["kind"].as_str().unwrap_or_default());
    assert_eq!((some.len(), its_end), (all.iter().filter(wanted).count(), end));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_cut_off_resumes_without_gaps() {
    let (server, _debates) = open_with_debates(60).await;
    let (all, _) = lines(&server, "").await;
    let (mut seen, mut after, mut n_cuts) = (Vec::new(), String::new(), 0);
    loop {
        let mut response = ask(&server, &after).await;
        let mut text = Vec::new();
        // The connection is dropped after the first chunks, which may end within a line.
        while text.len() < 20_000
            && let Some(chunk) = with_timeout("a chunk", response.chunk()).await.expect("read")
        {
            text.extend(chunk);
        }
        drop(response);
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1);
        let actual = std::str::from_utf8(&text[..whole]).expect("whole lines").lines();
        let actual: Vec<Value> = actual.map(|line| serde_json::from_str(line).expect("JSON")).collect();
        seen.extend(actual.iter().filter(|line| line["end"].is_null()).map(without_cursor));
        if actual.last().is_some_and(|line| !line["end"].is_null()) {
            break;
        }
        n_cuts += 1;
        let last = actual.last().and_then(|line| line["cursor"].as_str()).expect("at least one line");
        after = format!("?after={last}");
    }
    assert!(n_cuts > 2, "cut off {n_cuts} times");
    let by_id = |lines: Vec<Value>| {
        let mut lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(by_id(seen), by_id(all.iter().map(without_cursor).collect()));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_requests_and_missing_events_are_explained() {
    let (server, debates) = open_with_debates(3).await;
    let ahead = format!("?after=v1{}", ".ffffff".repeat(16));
    for query in ["?after=x", "?after=", "?kinds=nothing", "?kinds=", "?first=3", "?after", &ahead] {
        let response = ask(&server, query).await;
        assert_eq!(response.status().as_u16(), 400, "{query}");
        assert!(response.text().await.expect("text").len() > 20, "{query}: the response names the valid parameters");
    }
    let order = ErasureOrder { asked_by: "the test".into(), reason: "to be forgotten".into() };
    server.log.erase(debates[0].id, &order).await.expect("erased");
    let damage = format!(
        "alter table events disable trigger all; update events set body = '{{\"a\":' where version = 2 and debate_id = '{}'",
        debates[1].id
    );
    server.database.run(&damage).await;
    // A body encrypted for another event cannot be decrypted; the events after it are returned.
    let swap = format!(
        "update events set body = (select body from events where version = 3 and debate_id = '{0}')
        where version = 4 and debate_id = '{0}'",
        debates[2].id
    );
    server.database.run(&swap).await;
    let (all, _) = lines(&server, "").await;
    assert_eq!(all.iter().filter(|line| line["missing"] == "DAMAGED").count(), 2);
    for line in &all {
        let why = match (&line["debateId"], &line["version"]) {
            (id, _) if *id == json!(debates[0].id) => json!("ERASED"),
            (id, version) if *id == json!(debates[1].id) && *version == 2 => json!("DAMAGED"),
            (id, version) if *id == json!(debates[2].id) && *version == 4 => json!("DAMAGED"),
            _ => Value::Null,
        };
        assert_eq!((line["missing"].clone(), line["body"].is_null()), (why.clone(), !why.is_null()), "{line}");
    }
    server.stop().await;
}
