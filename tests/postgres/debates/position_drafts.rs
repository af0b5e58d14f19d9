//! `faultline persona build --topic`: a draft of positions, from a model behind a real socket.

use serde_json::{Value, json};

use crate::support::environment::project_path;
use crate::support::model_servers::provider_server::{Reply, Server, completion};
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::TestHome;

const NOTES: &str = "---
title: Notes
source: a drawer
date: 2025-02-20
kind: notebook
---

The centre should stay open to cars. A nurse on the early shift has no bus. I counted the buses at five, and there were none. \
If a bus ran at five for a year, I would change my mind. The air in Lantern Street is better, and I grant that. The meter on \
the wall says so. I say that as one who has stood at the stop at five for eleven years.
";

/// Returns a pointing, with the fields that it sets.
fn point(sentence: &str, role: &str, fields: Value) -> Value {
    let mut pointing = json!({
        "sentence": sentence, "role": role, "refers_to": null, "answers": null, "dispute": null, "side": null,
    });
    for (name, value) in fields.as_object().expect("fields") {
        pointing[name] = value.clone();
    }
    pointing
}

fn replied(pointings: &[Value]) -> Reply {
    let content = json!({ "side": "no", "pointings": pointings }).to_string();
    Reply::json(200, &completion("stop", json!(content)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_drafts_positions_by_pointing_at_sentences() {
    let home = TestHome::new();
    for (from, to) in [
        ("corpus/edda-tolvane/positions.toml", "corpus/edda-tolvane/positions.toml"),
        ("personas/edda-tolvane.toml", "personas/edda-tolvane.toml"),
        ("personas/gus-ormerand.toml", "personas/ada-quill.toml"),
    ] {
        let to = std::path::PathBuf::from(home.path(to));
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(project_path(from), to).expect("a copy");
    }
    std::fs::create_dir_all(home.path("corpus/ada-quill")).expect("a folder");
    std::fs::write(home.path("corpus/ada-quill/notes.md"), NOTES).expect("a document");
    let air = "edda-tolvane/air";
    let pointings = [
        point("s1", "statement", json!({})),
        point("s1", "thesis", json!({})),
        point("s7", "opening", json!({})),
        point("s1", "closing", json!({})),
        point("s4", "falsifier", json!({})),
        point("s2", "claim", json!({})),
        point("s3", "premise", json!({ "refers_to": "s2" })),
        point("s5", "grant", json!({ "answers": air })),
        point("s6", "reason", json!({ "refers_to": "s5" })),
        point("s2", "rebut", json!({ "answers": "edda-tolvane/no-such-claim" })),
        point("s99", "claim", json!({})),
    ];
    let server = Server::start([replied(&pointings[1..]), replied(&pointings)]).await;
    let variables = vec![
        ("FAULTLINE_HOME", home.path("home")),
        ("FAULTLINE_PERSONAS", home.path("personas")),
        ("FAULTLINE_CORPUS", home.path("corpus")),
        ("OPENAI_BASE_URL", server.base.clone()),
    ];
    let topic = "Should private cars be banned from the city centre?";
    let build = ["persona", "build", "ada-quill", "--topic", topic];
    let drafted = run_json_command(&variables, &[&build[..], &["--json"]].concat()).await.remove(0);
    // The first reply had no statement. The question is that of the other persona, of which another wording was given.
    assert_eq!(
        json!([drafted["attempts"], drafted["topic"], drafted["side"], drafted["claims"], drafted["replies"]]),
        json!([2, "closure", "no", 2, 1]),
        "{drafted:#}"
    );
    assert_eq!(
        drafted["dropped"],
        json!(["claim s99: there is no such sentence", "rebut s2: it answers no claim of somebody else"])
    );
    let text = std::fs::read_to_string(home.path("corpus/ada-quill/positions.toml")).expect("the draft");
    assert!(text.starts_with("# DRAFT by openai/deep-model-20261101, read by nobody"), "{text}");
    assert!(text.contains("question = \"Should the city close its centre to private cars?\""), "{text}");
    assert!(text.contains("to = \"edda-tolvane/air\"\nkind = \"grant\""), "{text}");

    // The model can refer to nothing but what was shown.
    let bodies = server.bodies();
    let schema =
        &bodies[0]["response_format"]["json_schema"]["schema"]["properties"]["pointings"]["items"]["properties"];
    assert_eq!(schema["sentence"]["enum"], json!(["s1", "s2", "s3", "s4", "s5", "s6", "s7"]), "{}", bodies[0]);
    assert!(schema["answers"]["enum"].as_array().is_some_and(|names| names.contains(&json!(air))), "{schema}");
    assert!(bodies[1].to_string().contains("no sentence has the role statement"), "{}", bodies[1]);

    // A draft is checked like any file, and not played before somebody has read it.
    let check = ["persona", "check", "ada-quill", "--files-only"];
    let checked = run_command(&variables, &check).await;
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(checked.stdout.contains("positions.toml:1: the file is a draft"), "{checked:?}");
    assert!(checked.stdout.contains("2 claims are fewer than 8"), "{checked:?}");
    assert!(!checked.stdout.contains("byte for byte"), "{checked:?}");

    let again = run_command(&variables, &build).await;
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stderr.contains("already exists") && again.stderr.contains("--force"), "{again:?}");
    let offline = run_command(&variables, &[&build[..], &["--provider", "offline", "--out", "-"]].concat()).await;
    assert_eq!(offline.code, Some(1), "{offline:?}");
    assert!(offline.stderr.contains("the offline provider has no model"), "{offline:?}");
    assert_eq!(server.calls().len(), 2);
}
