//! The whole log as lines: what is in it, in its order, from wherever somebody was cut off.

use faultline_core::events::dispute::Side;
use faultline_core::events::event::Recorded;
use faultline_core::export::jsonl::ExportedEvent;
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::lanes::Cursor;
use reqwest::Response;
use serde_json::{Value, json};

use crate::client::{in_time, script};
use crate::house::House;
use crate::told::Told;

async fn ask(house: &House, query: &str) -> Response {
    let request = house.client.http.get(house.client.at(&format!("/log.jsonl{query}")));
    in_time("a response", request.send()).await.expect("a response")
}

/// The lines of an answer, and the cursor that its last line says is the end.
async fn lines(house: &House, query: &str) -> (Vec<Value>, String) {
    let response = ask(house, query).await;
    assert_eq!(response.status().as_u16(), 200);
    assert_eq!(response.headers()["content-type"], "application/x-ndjson; charset=utf-8");
    let text = in_time("the lines", response.text()).await.expect("text");
    assert!(text.ends_with('\n'));
    let mut lines: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    let end = lines.pop().expect("a last line")["end"].as_str().unwrap_or_else(|| panic!("no end: {text}")).to_owned();
    (lines, end)
}

/// An event as a line should have it, but for its cursor.
fn line(recorded: &Recorded) -> Value {
    serde_json::to_value(ExportedEvent::of(recorded)).expect("JSON")
}

fn without_cursor(line: &Value) -> Value {
    let mut line = line.clone();
    line.as_object_mut().expect("an object").remove("cursor");
    line
}

async fn house_with(n_debates: usize) -> (House, Vec<Told>) {
    let house = House::open(&script(0)).await;
    let mut debates = Vec::new();
    for at in 0..n_debates {
        let mut told = Told::between(&["ada", "ben"]);
        let own = told.assumes("ada", "Yes", &format!("Crews are rested, {at}."));
        let theirs = told.assumes("ben", "No", "Fuel is dear:\n\u{2028}\"so\" it is.");
        told.rebuts("ben", theirs, own);
        told.asks(&format!("Is winter {at} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        told.record(&house.log).await;
        debates.push(told);
    }
    (house, debates)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_of_the_log_comes_once_and_goes_on_behind_any_cursor() {
    let (house, debates) = house_with(60).await;
    let (all, end) = lines(&house, "").await;
    assert!(all.len() > 600, "several pages");
    assert_eq!(end, Cursor::from_heads(house.log.heads().await.expect("heads")).to_string());
    for told in &debates {
        let of_it = |it: &&Value| it["debateId"] == json!(told.id);
        let found: Vec<Value> = all.iter().filter(of_it).map(without_cursor).collect();
        let kept = house.log.read(told.id, 0, 100).await.expect("the debate");
        assert_eq!(found, kept.iter().map(line).collect::<Vec<_>>());
    }
    for at in (0..all.len()).step_by(97) {
        let (rest, its_end) = lines(&house, &format!("?after={}", all[at]["cursor"].as_str().expect("a cursor"))).await;
        assert_eq!((rest.as_slice().len(), &its_end), (all.len() - at - 1, &end));
        let ids = |lines: &[Value]| {
            let mut ids: Vec<String> = lines.iter().map(|it| it["id"].to_string()).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(ids(&rest), ids(&all[at + 1..]), "behind line {at}");
    }
    assert_eq!(lines(&house, &format!("?after={end}")).await, (vec![], end.clone()));
    // Only some kinds; where to go on is behind all that was looked at.
    let (some, its_end) = lines(&house, "?kinds=attack_raised,debate_opened").await;
    let wanted = |it: &&Value| ["attack_raised", "debate_opened"].contains(&it["kind"].as_str().unwrap_or_default());
    assert_eq!((some.len(), its_end), (all.iter().filter(wanted).count(), end));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_cut_off_goes_on_and_misses_nothing() {
    let (house, _debates) = house_with(60).await;
    let (all, _) = lines(&house, "").await;
    let (mut seen, mut after, mut n_cuts) = (Vec::new(), String::new(), 0);
    loop {
        let mut response = ask(&house, &after).await;
        let mut text = Vec::new();
        // The connection is dropped behind what was read first, which ends anywhere.
        while text.len() < 20_000
            && let Some(chunk) = in_time("a chunk", response.chunk()).await.expect("read")
        {
            text.extend(chunk);
        }
        drop(response);
        let whole = text.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        let told = std::str::from_utf8(&text[..whole]).expect("whole lines").lines();
        let told: Vec<Value> = told.map(|it| serde_json::from_str(it).expect("JSON")).collect();
        seen.extend(told.iter().filter(|it| it["end"].is_null()).map(without_cursor));
        if told.last().is_some_and(|it| !it["end"].is_null()) {
            break;
        }
        n_cuts += 1;
        let last = told.last().and_then(|it| it["cursor"].as_str()).expect("at least one line");
        after = format!("?after={last}");
    }
    assert!(n_cuts > 2, "cut off {n_cuts} times");
    let by_id = |lines: Vec<Value>| {
        let mut lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(by_id(seen), by_id(all.iter().map(without_cursor).collect()));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_told_says_why() {
    let (house, debates) = house_with(3).await;
    let ahead = format!("?after=v1{}", ".ffffff".repeat(16));
    for query in ["?after=x", "?after=", "?kinds=nothing", "?kinds=", "?first=3", "?after", &ahead] {
        let response = ask(&house, query).await;
        assert_eq!(response.status().as_u16(), 400, "{query}");
        assert!(response.text().await.expect("text").len() > 20, "{query}: it says what can be asked for");
    }
    let order = ErasureOrder { asked_by: "the test".into(), reason: "to be forgotten".into() };
    house.log.erase(debates[0].id, &order).await.expect("erased");
    let damage = format!(
        "alter table events disable trigger all; update events set body = '{{\"a\":' where version = 2 and debate_id = '{}'",
        debates[1].id
    );
    house.database.run(&damage).await;
    // Another's seal cannot be opened here, and hides nothing that lies behind it.
    let swap = format!(
        "update events set body = (select body from events where version = 3 and debate_id = '{0}')
        where version = 4 and debate_id = '{0}'",
        debates[2].id
    );
    house.database.run(&swap).await;
    let (all, _) = lines(&house, "").await;
    assert_eq!(all.iter().filter(|it| it["missing"] == "DAMAGED").count(), 2);
    for line in &all {
        let why = match (&line["debateId"], &line["version"]) {
            (id, _) if *id == json!(debates[0].id) => json!("ERASED"),
            (id, version) if *id == json!(debates[1].id) && *version == 2 => json!("DAMAGED"),
            (id, version) if *id == json!(debates[2].id) && *version == 4 => json!("DAMAGED"),
            _ => Value::Null,
        };
        assert_eq!((line["missing"].clone(), line["body"].is_null()), (why.clone(), !why.is_null()), "{line}");
    }
    house.close().await;
}
