//! `faultline compare` and `faultline what-if`: as text and as JSON, which says the same as the API.

use serde_json::{Value, json};

use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::{ServiceProcess, run_command, run_json_command};
use crate::support::test_home::TestHome;
use faultline_core::events::dispute::Side;

type Variables = Vec<(&'static str, String)>;

/// Debate in which two arguments attack each other, and a third, that nobody attacks, one of them.
struct Attacked {
    id: String,
    /// Version before the last argument and its attack.
    before: i64,
    after: i64,
}

async fn attacked(database: &Database, last_question: &str) -> Attacked {
    let log = database.log().await;
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.raise_topic(&[("ada", Side::Yes), ("ben", Side::No)]);
    let own = builder.add_argument("ada", "The ferry pays for itself at night.", "Enough people travel at night.");
    let theirs = builder.add_argument("ben", "The ferry loses money at night.", "Nobody travels at night.");
    builder.add_mutual_attack("ben", own, theirs);
    builder.raise_dispute("Is the harbour lit at night?", &[("ada", Side::Yes), ("ben", Side::No)]);
    let before = builder.append_new(&log).await;
    let answer = builder.add_argument("ada", "The buses that meet it are full.", "The counts are right.");
    builder.add_attack("ada", answer, theirs);
    builder.raise_dispute(last_question, &[("ada", Side::Yes), ("ben", Side::No)]);
    let after = builder.append_new(&log).await;
    Attacked { id: builder.id.to_string(), before, after }
}

async fn database() -> (Database, TestHome, Variables) {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &json!({}));
    (database, home, variables)
}

fn questions(cruxes: &Value) -> Vec<&str> {
    cruxes.as_array().expect("a list").iter().filter_map(|crux| crux["question"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn versions_are_compared_as_by_the_api() {
    let (database, _home, variables) = database().await;
    let debate = attacked(&database, "Do crews want the night shift?").await;
    let (from, to) = (debate.before.to_string(), debate.after.to_string());
    let arguments = ["compare", &debate.id, "--from", &from, "--to", &to];
    let compared = run_json_command(&variables, &[&arguments[..], &["--json"]].concat()).await.remove(0);
    let service = ServiceProcess::start(&variables).await;
    let query = "query ($id: ID!, $from: Int!, $to: Int!) { compare(debateId: $id, from: $from, to: $to) {
        exact labelChanges { argumentId from to } stanceChanges { disputeId personaId from to turnId }
        from { regime { kind } } to { turnCount } cruxesGained { id }
    } }";
    let asked = json!({ "id": debate.id, "from": debate.before, "to": debate.after });
    let expected = service.client.data(query, asked).await["compare"].take();
    service.kill().await;
    for name in ["exact", "labelChanges", "stanceChanges"] {
        assert_eq!(compared[name], expected[name], "{name}");
    }
    assert_eq!(compared["from"]["regime"]["kind"], expected["from"]["regime"]["kind"]);
    assert_eq!(compared["to"]["turnCount"], expected["to"]["turnCount"]);
    let ids = |cruxes: &Value| cruxes.as_array().expect("a list").iter().map(|it| it["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&compared["cruxesGained"]), ids(&expected["cruxesGained"]));
    assert!(questions(&compared["cruxesShared"]).contains(&"Is the harbour lit at night?"), "{compared}");

    let text = run_command(&variables, &arguments).await;
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    for expected in [
        format!("version {from}").as_str(),
        format!("version {to}").as_str(),
        "YES | YES",
        "Shared cruxes",
        "Labels that differ",
        "a3    absent →",
        "The buses that meet it are full.",
        "Do crews want the night shift?",
    ] {
        assert!(text.stdout.contains(expected), "{expected}: {}", text.stdout);
    }
    let latest = run_command(&variables, &arguments[..4]).await;
    assert_eq!(latest.stdout, text.stdout, "--to is the latest by default");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_share_the_cruxes_that_ask_the_same() {
    let (database, _home, variables) = database().await;
    let one = attacked(&database, "Do crews want the night shift?").await;
    let other = attacked(&database, "Are there enough crews?").await;
    let arguments = ["compare", &one.id, "--with", &other.id];
    let compared = run_json_command(&variables, &[&arguments[..], &["--json"]].concat()).await.remove(0);
    assert_eq!(json!([compared["from"]["id"].is_string(), compared["to"]["status"]]), json!([true, "RUNNING"]));
    assert!(questions(&compared["cruxesShared"]).contains(&"Is the harbour lit at night?"), "{compared}");
    assert_eq!(questions(&compared["cruxesLost"]), ["Do crews want the night shift?"]);
    assert_eq!(questions(&compared["cruxesGained"]), ["Are there enough crews?"]);
    assert!(compared["labelChanges"].is_null(), "the ids of two debates are independent: {compared}");
    let text = run_command(&variables, &arguments).await;
    for expected in [&one.id[28..], &other.id[28..], "Cruxes only in", "Are there enough crews?"] {
        assert!(text.stdout.contains(expected), "{expected}: {}", text.stdout);
    }
    assert!(!text.stdout.contains("Labels that differ"), "{}", text.stdout);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn withdrawn_arguments_change_labels_as_in_the_api() {
    let (database, _home, variables) = database().await;
    let debate = attacked(&database, "Do crews want the night shift?").await;
    let arguments = ["what-if", &debate.id, "--remove", "a3,a1"];
    let found = run_json_command(&variables, &[&arguments[..], &["--json"]].concat()).await.remove(0);
    let service = ServiceProcess::start(&variables).await;
    let query = "query ($id: ID!) { debate(id: $id) { whatIf(remove: [\"a3\", \"a1\"]) {
        labelChanges { argumentId from to } after { regime { kind } cruxCount } } } }";
    let expected = service.client.data(query, json!({ "id": debate.id })).await["debate"]["whatIf"].take();
    service.kill().await;
    assert_eq!(found["whatIf"]["labelChanges"], expected["labelChanges"]);
    assert_eq!(found["whatIf"]["after"]["regime"]["kind"], expected["after"]["regime"]["kind"]);
    let text = run_command(&variables, &arguments).await;
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    for expected in ["If a3 and a1 were withdrawn", "a2    ✗ OUT → ✓ IN", "a3    ✓ IN → absent", "verdict"] {
        assert!(text.stdout.contains(expected), "{expected}: {}", text.stdout);
    }
    let refused = run_command(&variables, &["what-if", &debate.id, "--remove", "a9"]).await;
    assert!(refused.code == Some(1) && refused.stderr.contains("the last is a3"), "{refused:?}");
}
