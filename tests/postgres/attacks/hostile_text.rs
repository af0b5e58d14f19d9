//! Text that would control a terminal or a page is escaped, and special files are refused.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::database::{Database, migrated_database};
use crate::support::event_inputs::{APPEND, event_input, opening_input, turn_input};
use crate::support::service_process::{ServiceProcess, run_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::with_timeout;

/// Right-to-left override; the API refuses it in topics and names, but not in turns.
const TURN: char = '\u{202e}';

/// Service with its environment, its database and its folder.
struct Running {
    service: ServiceProcess,
    variables: Vec<(&'static str, String)>,
    _place: (Database, TestHome),
}

impl Running {
    async fn open() -> Running {
        let (database, home) = (migrated_database().await, TestHome::new());
        let variables = home.environment(&database.options, &scripted_replies(0));
        Running { service: ServiceProcess::start(&variables).await, variables, _place: (database, home) }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_output_escapes_direction_overrides_and_keeps_the_text() {
    let server = Running::open().await;
    let id = Uuid::now_v7();
    let said = format!("It is {TURN}desrever.");
    let events = json!([opening_input(), turn_input(1, "anna", &said)]);
    server.service.client.data(APPEND, json!({ "id": id, "at": 0, "events": events })).await;
    let variables = server.variables.clone();
    for command in ["history", "show"] {
        let output = run_command(&variables, &[command, &id.to_string(), "--json"]).await;
        assert!(!output.stdout.contains(TURN) && output.stdout.contains("\\u202e"), "{command}: {output:?}");
        let values: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(json!(values).to_string().contains(&said), "{command} keeps the text");
    }
    server.service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn topics_cannot_inject_markup_into_maps() {
    let server = Running::open().await;
    let id = Uuid::now_v7();
    let mut first = opening_input();
    first["body"]["topic"] = json!("Is \"</pre><script>alert(1)</script>```\" a: topic?");
    let argued = event_input(
        "argument_advanced",
        json!({
            "argument": "a1", "speaker": "anna", "turn": "t1", "claim": "It is.", "premises": ["it was so elsewhere"],
            "answers_topic": true,
        }),
    );
    let events = json!([first, turn_input(1, "anna", "It is."), argued]);
    server.service.client.data(APPEND, json!({ "id": id, "at": 0, "events": events })).await;
    for format in ["mermaid", "argdown"] {
        let output = run_command(&server.variables, &["export", &id.to_string(), "--format", format]).await;
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(!output.stdout.contains("<script") && !output.stdout.contains("```"), "{format}: {}", output.stdout);
    }
    server.service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pipe_is_not_imported() {
    let server = Running::open().await;
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("debate.json");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let arguments = ["import", pipe.to_str().expect("text")];
    let variables = server.variables.clone();
    let actual = with_timeout("a refusal", run_command(&variables, &arguments)).await;
    assert!(actual.code == Some(1) && actual.stdout.contains("a pipe or a device"), "{actual:?}");
    server.service.kill().await;
}
