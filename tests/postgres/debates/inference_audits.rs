//! Audits by an inference model: qualified by the calibration set, selected by a setting, recorded with its name.

use serde_json::{Value, json};

use crate::support::client::SPEAKERS;
use crate::support::database::migrated_database;
use crate::support::environment::project_path;
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::{TestHome, replies_with_stated_sides};

type Variables = Vec<(&'static str, String)>;

fn with_nli(variables: &Variables, labels: &str) -> Variables {
    let model = project_path("tests/fixtures/nli/three-classes").display().to_string();
    let set = [("FAULTLINE_AUDITOR", "nli".to_owned()), ("FAULTLINE_NLI_MODEL", model)];
    let labels = (!labels.is_empty()).then(|| ("FAULTLINE_NLI_LABELS", labels.to_owned()));
    variables.iter().cloned().chain(set).chain(labels).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_inference_model_audits_a_debate_once_it_is_qualified() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = with_nli(&home.environment(&database.options, &replies_with_stated_sides()), "");
    let speakers = SPEAKERS.join(",");
    let topic = "Should the city close its centre to private cars?";
    let asked = ["debate", topic, "--engine", "graph", "--personas", &speakers, "--provider", "scripted"];
    let set = ["--set", "rounds=1", "--set", "passages=0", "--seed", "7", "--json"];
    let lines = run_json_command(&variables, &[&asked[..], &set[..]].concat()).await;
    let id = lines[0]["debateId"].as_str().expect("an id").to_owned();

    // Before it has read the calibration set its readings are shown and not counted.
    let audited = run_json_command(&variables, &["audit", &id, "--json"]).await;
    let (verdict, events) = audited.split_last().expect("events, and a verdict");
    assert_eq!(events[0]["body"]["provider"], "nli", "{events:?}");
    let counted = |verdict: &Value| -> Vec<Value> {
        let words = verdict["debate"]["audit"]["words"].as_array().expect("words");
        let read = words.iter().filter(|words| !words["reading"].is_null());
        read.map(|words| json!([words["words"], words["reading"], words["audited"], words["contested"]])).collect()
    };
    let expected =
        |counts: bool| [json!(["I favour it.", "YES", counts, false]), json!(["I support it.", "YES", counts, counts])];
    assert_eq!(counted(verdict), expected(false), "{verdict:#}");

    let checked = run_command(&variables, &["provider", "check", "--audit"]).await;
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(checked.stdout.contains("nli/three-classes@"), "{checked:?}");
    assert!(checked.stdout.contains("auditor: qualified"), "{checked:?}");
    let audited = run_json_command(&variables, &["audit", &id, "--json"]).await;
    let (verdict, events) = audited.split_last().expect("events, and a verdict");
    assert_eq!(counted(verdict), expected(true), "{verdict:#}");
    let read = events.iter().find(|event| event["kind"] == "words_audited").expect("an audit");
    let auditor = &read["body"]["auditor"];
    assert_eq!(json!([auditor["provider"], auditor["qualified"], auditor["basis"]]), json!(["nli", true, "measured"]));
    assert!(auditor["model"].as_str().is_some_and(|name| name.starts_with("nli/three-classes@")), "{auditor}");

    // The measurement is that of this model with these labels.
    let exchanged = with_nli(
        &home.environment(&database.options, &replies_with_stated_sides()),
        "contradiction,neutral,entailment",
    );
    let checked = run_command(&exchanged, &["provider", "check", "--audit", "--provider", "nli"]).await;
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(checked.stdout.contains("not qualified"), "{checked:?}");
    let shown = run_command(&variables, &["provider", "check", "--provider", "nli"]).await;
    assert!(shown.stdout.contains("auditor: qualified"), "{shown:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_inference_model_takes_no_part_in_debates() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = with_nli(&home.environment(&database.options, &replies_with_stated_sides()), "");
    let speakers = SPEAKERS.join(",");
    let asked = ["debate", "Should the city close its centre to private cars?", "--personas", &speakers];
    let refused = run_command(&variables, &[&asked[..], &["--provider", "nli"]].concat()).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("nli reads words and cannot take part in a debate"), "{refused:?}");
    let looked = run_command(&variables, &["doctor"]).await;
    assert!(looked.stdout.contains("nli/three-classes@"), "{looked:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unusable_inference_model_is_reported_with_its_file() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let plain = home.environment(&database.options, &json!({}));
    let with =
        |name: &'static str, value: String| -> Variables { plain.iter().cloned().chain([(name, value)]).collect() };
    for (variables, expected) in [
        (with("FAULTLINE_AUDITOR", "nli".to_owned()), "FAULTLINE_NLI_MODEL"),
        (with("FAULTLINE_NLI_MODEL", home.path("absent")), "absent"),
        (with("FAULTLINE_AUDITOR", "oracle".to_owned()), "it must be provider or nli"),
    ] {
        let refused = run_command(&variables, &["provider", "check"]).await;
        assert!(refused.code.is_some_and(|code| code != 0), "{refused:?}");
        assert!(refused.stderr.contains(expected), "{refused:?}");
    }
}
