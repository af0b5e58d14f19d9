//! Texts that would act upon a terminal or a page are shown as texts, and files that are none are refused.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::{in_time, run, script};
use crate::house::House;
use crate::outside::{APPEND, event, opening, turn};

/// Turns the direction of what follows; the API refuses it in topics and names, not in what is said.
const TURN: char = '\u{202e}';

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_for_terminals_turns_no_direction_and_says_the_same() {
    let house = House::open(&script(0)).await;
    let id = Uuid::now_v7();
    let said = format!("It is {TURN}desrever.");
    let events = json!([opening(), turn(1, "anna", &said)]);
    house.client.data(APPEND, json!({ "id": id, "at": 0, "events": events })).await;
    let variables = house.variables();
    for command in ["history", "show"] {
        let told = run(&variables, &[command, &id.to_string(), "--json"]).await;
        assert!(!told.stdout.contains(TURN) && told.stdout.contains("\\u202e"), "{command}: {told:?}");
        let values: Vec<Value> = told.stdout.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
        assert!(json!(values).to_string().contains(&said), "{command} says what was said");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_topic_is_no_markup_of_a_map() {
    let house = House::open(&script(0)).await;
    let id = Uuid::now_v7();
    let mut first = opening();
    first["body"]["topic"] = json!("Is \"</pre><script>alert(1)</script>```\" a: topic?");
    let argued = event(
        "argument_advanced",
        json!({
            "argument": "a1", "speaker": "anna", "turn": "t1", "claim": "It is.", "premises": ["it was so elsewhere"],
            "answers_topic": true,
        }),
    );
    let events = json!([first, turn(1, "anna", "It is."), argued]);
    house.client.data(APPEND, json!({ "id": id, "at": 0, "events": events })).await;
    for format in ["mermaid", "argdown"] {
        let told = run(&house.variables(), &["export", &id.to_string(), "--format", format]).await;
        assert_eq!(told.code, Some(0), "{told:?}");
        assert!(!told.stdout.contains("<script") && !told.stdout.contains("```"), "{format}: {}", told.stdout);
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pipe_is_not_imported() {
    let house = House::open(&script(0)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("debate.json");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let arguments = ["import", pipe.to_str().expect("text")];
    let variables = house.variables();
    let told = in_time("a refusal", run(&variables, &arguments)).await;
    assert!(told.code == Some(1) && told.stdout.contains("a pipe or a device"), "{told:?}");
    house.close().await;
}
