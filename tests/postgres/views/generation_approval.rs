//! Approval of a rebuilt generation by GraphQL: differences to the served one, and the answer.

use faultline::api::admission::token_file::new_token;
use faultline::api::admission::tokens::AccessControl;
use faultline::api::role::Role;
use faultline_store::generations::generations::GenerationState;
use faultline_store::views::views::Views;
use serde_json::{Value, json};

use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::with_timeout;
use crate::views::rebuild_steps::{debates, n_rows, wait_for_projector, wait_for_state};

const REBUILD: &str = "mutation ($seconds: Int, $waits: Boolean! = true) {
    rebuildProjection(input: { name: \"debates\", awaitApproval: $waits, holdSeconds: $seconds }) {
        projection { inProgress { id number } }
    }
}";

const DIFF: &str = "query ($id: ID!, $after: ID, $compare: Int! = 1000, $first: Int! = 20) {
    generationDiff(id: $id, after: $after, compare: $compare, first: $first) {
        servedNumber number comparedCount unchangedCount onlyServedCount onlyNewCount movedCount unreadableCount
        fields { field debateCount changeCount kinds { kind changeCount } }
        changedDebates { debateId topic changeCount changes { view field item before after } }
        endCursor hasNextPage
    }
}";

fn answer(mutation: &str, extra: &str) -> String {
    format!(
        "mutation ($id: ID!) {{ {mutation}(input: {{ generationId: $id{extra} }}) {{
            projection {{ served {{ number }} generations {{ number state heldUntil }} }}
        }} }}"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn differences_are_shown_and_the_generation_is_approved_or_rejected() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (client, views) = (&server.client, Views::new(server.database.pool.clone()));
    let generations = views.generations();
    let listed = debates(&server.log, 130).await;
    wait_for_projector(&views, &server.log).await;
    // Alters two served verdicts, as if an earlier fold had computed them.
    server.database.store_plain_verdicts().await;
    let ids = [listed[3].id, listed[120].id];
    let edit = format!(
        "update views set body = jsonb_set(body, '{{regime,kind}}', '\"consensus\"')
        where projection = 'verdict' and debate_id in ('{}', '{}')",
        ids[0], ids[1]
    );
    server.database.run(&edit).await;

    let made = client.data(REBUILD, json!({})).await["rebuildProjection"]["projection"]["inProgress"].take();
    let id = made["id"].clone();
    assert_eq!(made, json!({ "id": "projection:debates:2", "number": 2 }));
    wait_for_state(&generations, 2, GenerationState::Held).await;
    let held = client.data(&answer("holdGeneration", ", seconds: 3600"), json!({ "id": id })).await;
    let of_two = &held["holdGeneration"]["projection"]["generations"][1];
    assert_eq!(json!([of_two["number"], of_two["state"]]), json!([2, "HELD"]));

    let diff = client.data(DIFF, json!({ "id": id })).await["generationDiff"].take();
    let numbers = ["servedNumber", "number", "comparedCount", "unchangedCount", "onlyServedCount", "onlyNewCount"];
    assert_eq!(numbers.map(|name| diff[name].clone()), [1, 2, 131, 129, 0, 0].map(Value::from), "{diff}");
    assert_eq!(json!([diff["movedCount"], diff["unreadableCount"], diff["hasNextPage"]]), json!([0, 0, false]));
    let field = &diff["fields"][0];
    assert_eq!(
        json!([field["field"], field["debateCount"], field["changeCount"]]),
        json!(["verdict.regime_kind", 2, 2]),
        "{diff}"
    );
    let changed = diff["changedDebates"].as_array().expect("debates");
    let mut found: Vec<String> =
        changed.iter().map(|debate| debate["debateId"].as_str().expect("an id").into()).collect();
    let mut expected = ids.map(|id| id.to_string());
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    let change = &changed[0]["changes"][0];
    assert_eq!(json!([change["view"], change["field"], change["item"]]), json!(["verdict", "regime_kind", "verdict"]));
    assert_eq!(change["before"], "consensus");
    assert_ne!(change["after"], "consensus");

    // In parts: each counts its own debates, and the next continues behind it.
    let part = client.data(DIFF, json!({ "id": id, "compare": 1, "first": 1 })).await["generationDiff"].take();
    assert_eq!(
        json!([part["comparedCount"], part["hasNextPage"]]),
        json!([100, true]),
        "a page is compared as a whole"
    );
    let rest = client.data(DIFF, json!({ "id": id, "after": part["endCursor"] })).await["generationDiff"].take();
    assert_eq!(json!([rest["comparedCount"], rest["hasNextPage"]]), json!([31, false]));

    client.data(&answer("rejectGeneration", ""), json!({ "id": id })).await;
    wait_for_state(&generations, 2, GenerationState::Dropped).await;
    assert_eq!(n_rows(&server.database, 2).await, 0);
    for mutation in ["approveGeneration", "rejectGeneration"] {
        assert_eq!(client.error_code(&answer(mutation, ""), json!({ "id": id })).await, "CONFLICT", "{mutation}");
    }
    assert_eq!(client.error_code(DIFF, json!({ "id": id })).await, "CONFLICT");

    for refused in [json!({ "seconds": 0 }), json!({ "seconds": 86_401 }), json!({ "seconds": 60, "waits": false })] {
        assert_eq!(client.error_code(REBUILD, refused).await, "INVALID");
    }
    let made = client.data(REBUILD, json!({ "seconds": 900 })).await;
    let made = made["rebuildProjection"]["projection"]["inProgress"].clone();
    wait_for_state(&generations, 3, GenerationState::Held).await;
    let held = generations.one(3).await.expect("the generations").expect("there");
    let waits = held.held_until.zip(held.caught_up_at).map(|(until, from)| (until - from).num_seconds());
    assert!(waits.is_some_and(|seconds| (890..=900).contains(&seconds)), "{held:?}");
    client.data(&answer("approveGeneration", ""), json!({ "id": made["id"] })).await;
    wait_for_state(&generations, 3, GenerationState::Served).await;
    for (id, code) in [("projection:debates:9", "NOT_FOUND"), ("projection:debates", "NOT_FOUND"), ("3", "NOT_FOUND")] {
        assert_eq!(client.error_code(&answer("approveGeneration", ""), json!({ "id": id })).await, code, "{id}");
        assert_eq!(client.error_code(DIFF, json!({ "id": id })).await, code, "{id}");
    }
    let served = json!({ "id": "projection:debates:3", "compare": 0 });
    assert_eq!(client.error_code(DIFF, served).await, "INVALID");
    assert_eq!(client.error_code(&answer("holdGeneration", ", seconds: 0"), json!({ "id": "x" })).await, "INVALID");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn approval_requires_the_role_admin() {
    let writer = new_token("engine", Role::Writer, None).expect("a token");
    let access = AccessControl::by_tokens(&format!("{}\n", writer.line)).expect("a file");
    let server = TestServer::start_with_access(&scripted_replies(0), access).await;
    let names = ["approveGeneration", "rejectGeneration"].map(|name| answer(name, ""));
    for query in names.into_iter().chain([answer("holdGeneration", ", seconds: 60"), DIFF.to_owned()]) {
        let body = json!({ "query": query, "variables": { "id": "projection:debates:1" } });
        let request = server.client.http.post(server.client.url("/graphql")).bearer_auth(&writer.token).json(&body);
        let response = with_timeout("a response", request.send()).await.expect("a response");
        let response: Value = response.json().await.expect("JSON");
        assert_eq!(response["errors"][0]["extensions"]["code"], "FORBIDDEN", "{query} {response}");
    }
    server.stop().await;
}
