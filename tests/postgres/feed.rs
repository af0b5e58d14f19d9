//! A debate's events as Server-Sent Events: whole, in order, resumed where they were cut off.

use reqwest::Response;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::{Client, history, in_time, input, script};
use crate::house::House;

/// One event of a stream.
#[derive(Debug, PartialEq)]
struct Seen {
    version: i64,
    kind: String,
    told: Value,
}

async fn ask(client: &Client, path: &str, last: Option<&str>) -> Response {
    let request = client.http.get(client.at(path));
    let request = last.into_iter().fold(request, |it, last| it.header("last-event-id", last));
    in_time("a response", request.send()).await.expect("a response")
}

/// The events of a stream; so many of them, or all, until it ends.
async fn seen(mut response: Response, most: usize) -> Vec<Seen> {
    let (mut text, mut seen) = (String::new(), Vec::new());
    while seen.len() < most
        && let Some(chunk) = in_time("a chunk", response.chunk()).await.expect("read")
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

fn event(block: &str) -> Option<Seen> {
    let field = |name: &str| block.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
    let told = serde_json::from_str(field("data")?).expect("JSON");
    Some(Seen { version: field("id")?.parse().ok()?, kind: field("event")?.to_owned(), told })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_streamed_and_resumed_without_gap_or_repeat() {
    let house = House::open(&script(20)).await;
    let debate = house.client.start(&input("graph", json!({ "rounds": 2 }))).await;
    let path = format!("/debates/{debate}/events");
    let first = ask(&house.client, &path, None).await;
    assert_eq!(
        (first.status().as_u16(), &first.headers()["content-type"]),
        (200, &"text/event-stream".parse().unwrap())
    );
    let mut all = seen(first, 5).await;
    let mut n_cuts = 0;
    while all.last().is_none_or(|it| it.kind != "debate_concluded") {
        let last = all.last().map(|it| it.version.to_string());
        all.extend(seen(ask(&house.client, &path, last.as_deref()).await, 1 + n_cuts % 4).await);
        n_cuts += 1;
    }
    let events = history(&house.log, debate).await;
    let expected = events.iter().map(|it| {
        let told = serde_json::to_value(faultline_core::events::wire::to_event_json(it)).expect("JSON");
        Seen { version: it.version, kind: it.event.kind().to_owned(), told }
    });
    assert_eq!(all, expected.collect::<Vec<_>>(), "history, then live, over {n_cuts} cuts");
    let whole = seen(ask(&house.client, &path, None).await, usize::MAX).await;
    assert_eq!(whole, all, "and it ends by itself");
    let tail = seen(ask(&house.client, &format!("{path}?after={}", events.len() - 3), None).await, usize::MAX).await;
    assert_eq!(tail, all[events.len() - 3..]);
    let over = ask(&house.client, &path, Some(&events.len().to_string())).await;
    assert_eq!(over.status().as_u16(), 204, "nothing more will come");
    for (path, last, status) in [
        (path.clone(), Some("x"), 400),
        (path.clone(), Some("-1"), 400),
        (format!("{path}?after=1000"), None, 400),
        (format!("{path}?after=x"), None, 400),
        (format!("{path}?before=1"), None, 400),
        ("/debates/x/events".to_owned(), None, 400),
        (format!("/debates/{}/events", Uuid::now_v7()), None, 404),
    ] {
        assert_eq!(ask(&house.client, &path, last).await.status().as_u16(), status, "{path} {last:?}");
    }
    let foreign = house.client.http.get(house.client.at(&path)).header("origin", "https://evil.example");
    assert_eq!(foreign.send().await.expect("a response").status().as_u16(), 403, "a stranger's page");
    house.close().await;
}
