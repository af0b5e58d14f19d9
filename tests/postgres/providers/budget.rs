//! Budget over all debates, with a provider on a real socket; plain sides and short ids on the way.

use serde_json::{Value, json};

use crate::support::database::migrated_database;
use crate::support::model_servers::provider_server::{Reply, Server};
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::poll_until;

const STATE: &str = "query ($id: ID!) { debate(id: $id) {
    id status participants { personaId name }
    events(kinds: [\"debate_paused\"]) { nodes { content { ... on DebatePaused { reason } } } }
} }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spent_budget_pauses_the_debates_of_remote_providers() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let server = Server::start([Reply::ok()]).await;
    let mut variables = home.environment(&database.options, &scripted_replies(0));
    for (name, value) in [
        ("OPENAI_API_KEY", "sk-test-0123456789"),
        ("OPENAI_BASE_URL", &*server.base),
        ("FAULTLINE_OPENAI_DEEP", "deep-model"),
        ("FAULTLINE_OPENAI_QUICK", "deep-model"),
        ("FAULTLINE_OPENAI_MODELS", "other-model"),
        ("FAULTLINE_BUDGET", "calls=3"),
    ] {
        variables.push((name, value.to_owned()));
    }
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
