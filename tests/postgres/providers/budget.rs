//! Budget over all debates, with a provider on a real socket; plain sides and short ids on the way.

use std::time::Duration;

use faultline_runtime::budget::{Admission, Budget, BudgetLimits};
use faultline_store::providers::spending::{Spending, StartedCalls};
use serde_json::{Value, json};
use sqlx::Executor;

use crate::support::client::SPEAKERS;
use crate::support::database::migrated_database;
use crate::support::model_servers::provider_server::{Reply, Server};
use crate::support::service_process::{ServiceProcess, run_command, run_json_command};
use crate::support::test_home::{TestHome, replies_with_stated_sides, scripted_replies};
use crate::support::waiting::poll_until;

type Variables = Vec<(&'static str, String)>;

const STATE: &str = "query ($id: ID!) { debate(id: $id) {
    id status participants { personaId name }
    events(kinds: [\"debate_paused\"]) { nodes { content { ... on DebatePaused { reason } } } }
} }";

/// Variables with a provider at this server, and a budget of so many calls.
fn with_budget(variables: Variables, server: &Server, calls: usize) -> Variables {
    let set = [
        ("OPENAI_API_KEY", "sk-test-0123456789".to_owned()),
        ("OPENAI_BASE_URL", server.base.clone()),
        ("FAULTLINE_OPENAI_DEEP", "deep-model".to_owned()),
        ("FAULTLINE_OPENAI_QUICK", "deep-model".to_owned()),
        ("FAULTLINE_BUDGET", format!("calls={calls}")),
    ];
    variables.into_iter().chain(set).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spent_budget_pauses_the_debates_of_remote_providers() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let server = Server::start([Reply::ok()]).await;
    let mut variables = with_budget(home.environment(&database.options, &scripted_replies(0)), &server, 3);
    variables.push(("FAULTLINE_OPENAI_MODELS", "other-model".to_owned()));
    let service = ServiceProcess::start(&variables).await;
    let client = &service.client;
    let input = json!({
        "topic": "Should the ferry run in winter?", "engine": "graph", "personaIds": ["pro", "con"], "provider": "openai",
        "options": { "brevity": "short", "combativeness": "high" },
    });
    let mut dear = input.clone();
    dear["models"] = json!([{ "personaId": "con", "model": "dear-model" }]);
    let start = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    let refused = client.query(start, json!({ "input": dear })).await;
    let reason = refused["errors"][0]["message"].as_str().expect("a reason");
    assert!(
        reason.contains("\"dear-model\" cannot be chosen") && reason.contains("deep-model, other-model"),
        "{reason}"
    );

    let id = client.start(&input).await.to_string();
    // Every reply is `{}`, which no engine can use, so that calls are repeated until the budget is spent.
    let paused = poll_until("the debate is paused", async || {
        let found = client.data(STATE, json!({ "id": id })).await["debate"].take();
        (found["status"] == "PAUSED").then_some(found)
    })
    .await;
    assert_eq!(paused["participants"][1], json!({ "personaId": "con", "name": "Con" }));
    let reason = "the budget of all debates is spent for today: 3 of 3 calls (FAULTLINE_BUDGET)";
    let nodes = paused["events"]["nodes"].as_array().expect("events");
    assert_eq!(nodes.last().map(|node| &node["content"]["reason"]), Some(&json!(reason)));

    let bodies = server.bodies();
    assert_eq!(bodies.len(), 3, "no call beyond the budget");
    let asked = bodies[0]["messages"].to_string();
    assert!(asked.contains("one sentence in your own voice") && asked.contains("Go for the weakest step"), "{asked}");
    assert!(asked.contains("The side that answers the topic with"), "{asked}");
    let spent: (i64, i64) =
        sqlx::query_as("select calls, tokens from spending").fetch_one(&database.pool).await.expect("what was spent");
    assert!(spent.0 == 3 && spent.1 > 0, "{spent:?}");

    let short = poll_until("the list contains the debate", async || {
        let found = client.query(STATE, json!({ "id": &id[28..] })).await;
        (found["data"]["debate"]["id"] != Value::Null).then_some(found["data"]["debate"]["id"].clone())
    })
    .await;
    assert_eq!(short, json!(id));
    assert_eq!(client.error_code(STATE, json!({ "id": "ffffffff0" })).await, "NOT_FOUND");
    let lines = client.http.get(client.url(&format!("/debates/{}/events?after=1", &id[28..]))).send().await;
    assert_eq!(lines.expect("an answer").status(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_share_a_budget_of_calls_and_never_exceed_it() {
    const CALLS: usize = 6;
    let (database, home) = (migrated_database().await, TestHome::new());
    let slow = Reply { after: Duration::from_millis(100), ..Reply::ok() };
    let server = Server::start([slow]).await;
    let variables = with_budget(home.environment(&database.options, &scripted_replies(0)), &server, CALLS);
    let services = [ServiceProcess::start(&variables).await, ServiceProcess::start(&variables).await];
    let mut debates = Vec::new();
    for service in services.iter().chain(&services) {
        let input = json!({
            "topic": "Should the ferry run in winter?", "engine": "graph", "personaIds": ["pro", "con"],
            "provider": "openai",
        });
        debates.push(service.client.start(&input).await);
    }
    // A debate whose calls all failed before the budget was spent has ended.
    let mut n_paused = 0;
    for id in &debates {
        let status = poll_until("the debate is paused, or has ended", async || {
            let found = services[0].client.data(STATE, json!({ "id": id })).await["debate"]["status"].take();
            (found != "RUNNING").then_some(found)
        })
        .await;
        n_paused += usize::from(status == "PAUSED");
    }
    assert!(n_paused > 0, "the budget pauses those that could not be called");
    let made = server.calls().len();
    assert_eq!(made, CALLS);
    let counted: i64 =
        sqlx::query_scalar("select calls from spending").fetch_one(&database.pool).await.expect("what was spent");
    assert_eq!(counted, made as i64);
}

#[tokio::test]
async fn calls_that_were_not_made_are_given_back() {
    let database = migrated_database().await;
    let budget = Budget::new(BudgetLimits::named([("calls", 2)]), Spending::new(database.pool.clone()));
    let granted = async || match budget.admit(&[10, 10, 10]).await.expect("an answer") {
        Admission::Granted(reservations) => reservations,
        Admission::Spent(reason) => panic!("{reason}"),
    };
    let first = granted().await;
    assert_eq!(first.len(), 2);
    budget.give_back(first).await;
    let again = granted().await;
    assert_eq!(again.len(), 2, "they can be made after all");
    drop(again);
    assert!(matches!(budget.admit(&[10]).await.expect("an answer"), Admission::Spent(_)), "calls that were made count");
}

#[tokio::test]
async fn calls_are_given_back_to_the_day_on_which_they_were_counted() {
    let database = migrated_database().await;
    let spending = Spending::new(database.pool.clone());
    let before = spending.start(2, Some(5)).await.expect("count").expect("a day");
    // Midnight passes: what was counted is yesterday's now.
    database.pool.execute("update spending set day = day - 1").await.expect("a day passes");
    let yesterday = StartedCalls { day: before.day.pred_opt().expect("a day"), ..before };
    assert_eq!(spending.start(2, Some(5)).await.expect("count").map(|started| started.n), Some(2));
    spending.give_back(yesterday).await.expect("give back");
    let counted: Vec<i64> =
        sqlx::query_scalar("select calls from spending order by day").fetch_all(&database.pool).await.expect("days");
    assert_eq!(counted, [0, 2], "nothing is taken from the calls of today");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_audit_beyond_the_budget_is_refused_with_the_reason() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let server = Server::start([Reply::ok()]).await;
    let variables = with_budget(home.environment(&database.options, &replies_with_stated_sides()), &server, 2);
    let speakers = SPEAKERS.join(",");
    let topic = "Should the city close its centre to private cars?";
    let asked = ["debate", topic, "--engine", "graph", "--personas", &speakers, "--provider", "scripted"];
    let set = ["--set", "rounds=1", "--set", "passages=0", "--seed", "7", "--json"];
    let lines = run_json_command(&variables, &[&asked[..], &set[..]].concat()).await;
    let id = lines[0]["debateId"].as_str().expect("an id").to_owned();
    sqlx::query(
        "insert into spending (day, calls, tokens, cost_micros) values ((now() at time zone 'utc')::date, 2, 9, 0)",
    )
    .execute(&database.pool)
    .await
    .expect("calls of other debates");

    let audited = run_json_command(&variables, &["audit", &id, "--provider", "openai", "--json"]).await;
    let (verdict, events) = audited.split_last().expect("events, and a verdict");
    let failed = events.iter().find(|event| event["kind"] == "effect_failed").expect("a refusal");
    let reason = "the budget of all debates is spent for today: 2 of 2 calls (FAULTLINE_BUDGET)";
    assert_eq!(failed["body"]["failure"]["message"], reason, "{failed}");
    assert_eq!(events.last().map(|event| &event["kind"]), Some(&json!("audit_concluded")));
    let read = verdict["debate"]["audit"]["words"].as_array().expect("words").iter();
    assert_eq!(read.filter(|words| !words["reading"].is_null()).count(), 0, "{verdict}");
    assert!(server.calls().is_empty());
    // People are told the reason as well, in one line.
    let shown = run_command(&variables, &["audit", &id, "--provider", "openai"]).await;
    assert!(shown.stdout.contains("the budget of all debates is spent for today"), "{shown:?}");
}
