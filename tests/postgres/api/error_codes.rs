//! Error codes: each code once, from a real service.

use faultline::api::admission::tokens::AccessControl;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::client::start_debate_input;
use crate::support::phase_events::new_debate_id;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_refusal_returns_its_error_code() {
    let server = TestServer::start_with_access(&scripted_replies(0), AccessControl::default()).await;
    let asked = start_debate_input("graph", json!({ "rounds": 1 }));
    let known = server.client.start(&asked).await;
    server.wait_for_end(known).await;
    let ask = async |query: &str, variables: Value| {
        let mut response = server.client.query(query, variables).await;
        assert!(
            response["errors"][0]["message"].as_str().is_some_and(|message| !message.is_empty()),
            "{query}: {response}"
        );
        let mut actual = response["errors"][0]["extensions"].take();
        // The request id finds the request in the process log; its value has its own test.
        let named = actual.as_object_mut().and_then(|fields| fields.remove("requestId"));
        assert!(named.is_some_and(|id| id.is_string()), "{query}: {actual}");
        // The classification marks a refusal for clients that do not know the codes; a fault has none.
        let is_fault = actual["code"] == "INTERNAL";
        let class = actual.as_object_mut().and_then(|fields| fields.remove("classification"));
        assert_eq!(class, (!is_fault).then(|| json!("BAD_REQUEST")), "{query}: {actual}");
        actual
    };
    const PAUSE: &str = "mutation ($id: ID!) { pauseDebate(input: { debateId: $id }) { debate { id } } }";
    const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }";
    assert_eq!(ask(PAUSE, json!({ "id": new_debate_id() })).await, json!({ "code": "NOT_FOUND" }));
    assert_eq!(ask(PAUSE, json!({ "id": "x" })).await, json!({ "code": "INVALID" }));
    assert_eq!(ask(PAUSE, json!({ "id": known })).await["code"], "CONFLICT", "the debate has ended");
    let head = server.log.head(known).await.expect("the log");
    assert_eq!(ask(START, json!({ "input": asked })).await, json!({ "code": "CONFLICT", "actualVersion": head }));
    assert_eq!(ask("{ debates(first: 101) { nodes { id } } }", json!({})).await, json!({ "code": "INVALID" }));
    let ids: Vec<Uuid> = (0..101).map(|_| Uuid::now_v7()).collect();
    const NODES: &str = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    let expected = json!({ "code": "LIMIT", "limit": "node_ids", "max": 100, "actual": 101 });
    assert_eq!(ask(NODES, json!({ "ids": ids })).await, expected);
    assert_eq!(ask("{ nonsense }", json!({})).await, json!({ "code": "INVALID" }));
    for (query, expected) in [
        ("{ debates { id } }", "Did you mean `debates { nodes { id } }`?"),
        ("{ debates { nodes { topik } } }", "Did you mean \"topic\"?"),
    ] {
        let response = server.client.query(query, json!({})).await;
        let message = response["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.ends_with(expected), "{query}: {message}");
    }
    // An internal error returns its code and an id, and nothing else.
    server.database.run("alter table debates rename to elsewhere").await;
    let fault = ask("{ debates { nodes { id } } }", json!({})).await;
    assert_eq!((&fault["code"], fault.as_object().map(|fields| fields.len())), (&json!("INTERNAL"), Some(2)));
    assert!(fault["id"].as_str().is_some_and(|id| id.parse::<Uuid>().is_ok()), "{fault}");
    server.database.run("alter table elsewhere rename to debates").await;
    server.stop().await;
}
