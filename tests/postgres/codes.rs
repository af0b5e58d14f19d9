//! What a request is refused with: each code once, from a real service.

use faultline::api::admission::tokens::AccessControl;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::{input, script};
use crate::house::House;
use crate::support::debate;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_refusal_has_its_code() {
    let house = House::open_to(&script(0), AccessControl::default()).await;
    let asked = input("graph", json!({ "rounds": 1 }));
    let known = house.client.start(&asked).await;
    house.ended(known).await;
    let ask = async |query: &str, variables: Value| {
        let mut response = house.client.ask(query, variables).await;
        assert!(response["errors"][0]["message"].as_str().is_some_and(|it| !it.is_empty()), "{query}: {response}");
        let mut told = response["errors"][0]["extensions"].take();
        // By which the answer is found in the log; what it is has a test of its own.
        let named = told.as_object_mut().and_then(|it| it.remove("requestId"));
        assert!(named.is_some_and(|it| it.is_string()), "{query}: {told}");
        // That it is a refusal, for those who know none of our codes; a fault bears no such word.
        let is_fault = told["code"] == "INTERNAL";
        let class = told.as_object_mut().and_then(|it| it.remove("classification"));
        assert_eq!(class, (!is_fault).then(|| json!("BAD_REQUEST")), "{query}: {told}");
        told
    };
    const PAUSE: &str = "mutation ($id: ID!) { pauseDebate(id: $id) { id } }";
    const START: &str = "mutation ($input: StartDebateInput!) { startDebate(input: $input) { id } }";
    assert_eq!(ask(PAUSE, json!({ "id": debate() })).await, json!({ "code": "NOT_FOUND" }));
    assert_eq!(ask(PAUSE, json!({ "id": "x" })).await, json!({ "code": "INVALID" }));
    assert_eq!(ask(PAUSE, json!({ "id": known })).await["code"], "CONFLICT", "it has ended");
    let head = house.log.head(known).await.expect("the log");
    assert_eq!(ask(START, json!({ "input": asked })).await, json!({ "code": "CONFLICT", "actualVersion": head }));
    assert_eq!(ask("{ debates(first: 101) { nodes { id } } }", json!({})).await, json!({ "code": "INVALID" }));
    let ids: Vec<Uuid> = (0..101).map(|_| Uuid::now_v7()).collect();
    const NODES: &str = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    assert_eq!(ask(NODES, json!({ "ids": ids })).await, json!({ "code": "LIMIT" }));
    assert_eq!(ask("{ nonsense }", json!({})).await, json!({ "code": "INVALID" }));
    // Our own fault: an id, and nothing else.
    house.database.run("alter table debates rename to elsewhere").await;
    let fault = ask("{ debates { nodes { id } } }", json!({})).await;
    assert_eq!((&fault["code"], fault.as_object().map(|it| it.len())), (&json!("INTERNAL"), Some(2)));
    assert!(fault["id"].as_str().is_some_and(|it| it.parse::<Uuid>().is_ok()), "{fault}");
    house.database.run("alter table elsewhere rename to debates").await;
    house.close().await;
}
