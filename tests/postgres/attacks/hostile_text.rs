//! Texts that would act upon a terminal or a page are shown as texts, and files that are none are refused.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::{Home, Service, in_time, run, script};
use crate::outside::{APPEND, event, opening, turn};
use crate::support::{Database, fresh};

/// Turns the direction of what follows; the API refuses it in topics and names, not in what is said.
const TURN: char = '\u{202e}';

/// A service, what finds its database, and where it lives.
struct House {
    service: Service,
    variables: Vec<(&'static str, String)>,
    _place: (Database, Home),
}

impl House {
    async fn open() -> House {
        let (database, home) = (fresh().await, Home::new());
        let variables = home.variables(&database.options, &script(0));
        House { service: Service::start(&variables).await, variables, _place: (database, home) }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_for_terminals_turns_no_direction_and_says_the_same() {
    let house = House::open().await;
    let id = Uuid::now_v7();
    let said = format!("It is {TURN}desrever.");
    let events = json!([opening(), turn(1, "anna", &said)]);
    house.service.client.data(APPEND, json!({ "id": id, "at": 0, "events": events })).await;
    let variables = house.variables.clone();
    for command in ["history", "show"] {
        let told = run(&variables, &[command, &id.to_string(), "--json"]).await;
        assert!(!told.stdout.contains(TURN) && told.stdout.contains("\\u202e"), "{command}: {told:?}");
        let values: Vec<Value> = told.stdout.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
        assert!(json!(values).to_string().contains(&said), "{command} says what was said");
    }
    house.service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_topic_is_no_markup_of_a_map() {
    let house = House::open().await;
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
    house.service.client.data(APPEND, json!({ "id": id, "at": 0, "events": events })).await;
    for format in ["mermaid", "argdown"] {
        let told = run(&house.variables, &["export", &id.to_string(), "--format", format]).await;
        assert_eq!(told.code, Some(0), "{told:?}");
        assert!(!told.stdout.contains("<script") && !told.stdout.contains("```"), "{format}: {}", told.stdout);
    }
    house.service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pipe_is_not_imported() {
    let house = House::open().await;
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("debate.json");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let arguments = ["import", pipe.to_str().expect("text")];
    let variables = house.variables.clone();
    let told = in_time("a refusal", run(&variables, &arguments)).await;
    assert!(told.code == Some(1) && told.stdout.contains("a pipe or a device"), "{told:?}");
    house.service.kill().await;
}
