//! Server-Sent Events of a debate: complete, in order, resumed where the connection was cut.

use reqwest::Response;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::{Client, start_debate_input};
use crate::support::log_reads::read_all_events;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::with_timeout;

/// One event of a stream.
#[derive(Debug, PartialEq)]
struct StreamEvent {
    version: i64,
    kind: String,
    told: Value,
}

async fn ask(client: &Client, path: &str, last: Option<&str>) -> Response {
    let request = client.http.get(client.url(path));
    let request = last.into_iter().fold(request, |request, last| request.header("last-event-id", last));
    with_timeout("a response", request.send()).await.expect("a response")
}

/// Reads at most `most` events of a stream, or fewer if it ends.
async fn read_events(mut response: Response, most: usize) -> Vec<StreamEvent> {
    let (mut text, mut seen) = (String::new(), Vec::new());
    while seen.len() < most
        && let Some(chunk) = with_timeout("a chunk", response.chunk()).await.expect("read")
    {
        text.push_str(std::str::from_utf8(&chunk).expect("UTF-8, cut between events"));
        while let Some((block, rest)) = text.split_once("\n\n") {
            seen.extend(event(block));
            text = rest.to_owned();
        }
    }
    seen.truncate(most);
    seen
}

fn event(block: &str) -> Option<StreamEvent> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let actual = serde_json::from_str(field("data")?).expect("JSON");
    Some(StreamEvent { version: field("id")?.parse().ok()?, kind: field("event")?.to_owned(), told: actual })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_streamed_and_resumed_without_gaps_or_repeats() {
    let server = TestServer::start(&scripted_replies(20)).await;
    let debate = server.client.start(&start_debate_input("graph", json!({ "rounds": 2 }))).await;
    let path = format!("/debates/{debate}/events");
    let first = ask(&server.client, &path, None).await;
    assert_eq!(
        (first.status().as_u16(), &first.headers()["content-type"]),
        (200, &"text/event-stream".parse().unwrap())
    );
    let mut all = read_events(first, 5).await;
    let mut n_cuts = 0;
    while all.last().is_none_or(|event| event.kind != "debate_concluded") {
        let last = all.last().map(|event| event.version.to_string());
        all.extend(read_events(ask(&server.client, &path, last.as_deref()).await, 1 + n_cuts % 4).await);
        n_cuts += 1;
    }
    let events = read_all_events(&server.log, debate).await;
    let expected = events.iter().map(|event| {
        let actual = serde_json::to_value(faultline_core::events::wire::to_event_json(event)).expect("JSON");
        StreamEvent { version: event.version, kind: event.event.kind().to_owned(), told: actual }
    });
    assert_eq!(all, expected.collect::<Vec<_>>(), "history, then live, over {n_cuts} cuts");
    let whole = read_events(ask(&server.client, &path, None).await, usize::MAX).await;
    assert_eq!(whole, all, "the stream ends with the debate");
    let tail =
        read_events(ask(&server.client, &format!("{path}?after={}", events.len() - 3), None).await, usize::MAX).await;
    assert_eq!(tail, all[events.len() - 3..]);
    let over = ask(&server.client, &path, Some(&events.len().to_string())).await;
    assert_eq!(over.status().as_u16(), 204, "the debate has no more events");
    for (path, last, status) in [
        (path.clone(), Some("x"), 400),
        (path.clone(), Some("-1"), 400),
        (format!("{path}?after=1000"), None, 400),
        (format!("{path}?after=x"), None, 400),
        (format!("{path}?before=1"), None, 400),
        ("/debates/x/events".to_owned(), None, 400),
        (format!("/debates/{}/events", Uuid::now_v7()), None, 404),
    ] {
        assert_eq!(ask(&server.client, &path, last).await.status().as_u16(), status, "{path} {last:?}");
    }
    let foreign = server.client.http.get(server.client.url(&path)).header("origin", "https://evil.example");
    assert_eq!(foreign.send().await.expect("a response").status().as_u16(), 403, "a foreign origin");
    server.stop().await;
}
