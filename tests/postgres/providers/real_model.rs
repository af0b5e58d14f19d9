//! Debates with a real model, played if the address of its server is known.
//!
//! `FAULTLINE_TEST_MODEL_URL` is the base URL of a server with `OpenAI`'s interface, `FAULTLINE_TEST_MODEL` the name of its
//! model. Whatever the model writes, a debate ends, its log verifies, and its verdict claims no more than was audited.

use serde_json::{Value, json};

use crate::support::client::SPEAKERS;
use crate::support::database::migrated_database;
use crate::support::environment::report_skipped;
use crate::support::service_process::{command, run_json_command};
use crate::support::test_home::TestHome;

/// Engines that a model plays.
const ENGINES: [&str; 4] = ["graph", "dialectic", "dialogue", "disputes"];
/// Calls granted to each debate: openings, and some turns after them.
const CALLS: u64 = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_engine_is_played_by_a_real_model() {
    let Ok(url) = std::env::var("FAULTLINE_TEST_MODEL_URL") else {
        report_skipped("debates with a real model, because FAULTLINE_TEST_MODEL_URL names no server");
        return;
    };
    let model = std::env::var("FAULTLINE_TEST_MODEL").unwrap_or_else(|_| "local".to_owned());
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut variables = home.environment(&database.options, &json!({}));
    variables.extend([
        ("OPENAI_BASE_URL", url),
        ("FAULTLINE_OPENAI_DEEP", model.clone()),
        ("FAULTLINE_OPENAI_QUICK", model),
        ("FAULTLINE_OPENAI_LIMITS", "calls=1".to_owned()),
        ("FAULTLINE_CALL_SECONDS", "1200".to_owned()),
    ]);
    for engine in ENGINES {
        let lines = play(&variables, engine).await;
        let (verdict, events) = lines.split_last().expect("events, and a verdict");
        let versions: Vec<i64> = events.iter().filter_map(|event| event["version"].as_i64()).collect();
        assert_eq!(versions, (1..=events.len() as i64).collect::<Vec<_>>(), "{engine}");
        assert_eq!(events.last().map(|event| &event["kind"]), Some(&json!("debate_concluded")), "{engine}");
        let turns = events.iter().filter(|event| event["kind"] == "turn_taken").count();
        assert!(turns > 0, "{engine}: nobody spoke");
        let verdict = &verdict["debate"];
        assert_ne!(verdict["regime"]["kind"], "CONSENSUS", "{engine}: within a limit of calls, {}", verdict["regime"]);
        report(engine, turns, events, verdict);
    }
    let verified = run_json_command(&variables, &["verify", "--json"]).await;
    assert_eq!(verified[0]["faults"], json!([]));
}

/// Plays a debate; a model may take minutes for each call, so there is no other time limit.
async fn play(variables: &[(&'static str, String)], engine: &str) -> Vec<Value> {
    let (speakers, calls) = (SPEAKERS.join(","), format!("limits.calls={CALLS}"));
    let asked = ["debate", "Should the city close its centre to private cars?", "--engine", engine];
    let cast = ["--personas", &speakers, "--provider", "openai", "--seed", "1", "--json"];
    let set = ["--set", "passages=0", "--set", "max_tokens=500", "--set", &calls];
    let output = command(variables, &[&asked[..], &cast[..], &set[..]].concat()).output().await.expect("run");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!printed.is_empty(), "{engine}: {said}");
    printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{engine}: {why}: {line}")))
        .collect()
}

fn report(engine: &str, turns: usize, events: &[Value], verdict: &Value) {
    let count = |kind: &str| events.iter().filter(|event| event["kind"] == kind).count();
    println!(
        "{engine}: {turns} turns, {} failed calls, {} abandoned, {}",
        count("effect_failed"),
        count("effect_abandoned"),
        verdict["regime"]["reason"]
    );
}
