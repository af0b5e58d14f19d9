//! A field has the same value if it is selected alone, which may use the brief read and the direct encoder, or with all
//! others.

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::example_debates::append_debates;
use crate::support::schema_fields::{field_selections, schema_types};
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

/// Returns the data as async-graphql encodes it: the cost is counted in its response tree, so the direct encoder is not
/// used.
async fn library_response(client: &Client, query: &str) -> Value {
    let body = json!({ "query": query, "extensions": { "cost": true } });
    let response = client.http.post(client.url("/graphql")).json(&body).send().await.expect("an answer");
    let mut response: Value = response.json().await.expect("JSON");
    assert!(response.get("errors").is_none(), "{query}: {response}");
    assert!(response["extensions"]["cost"]["fields"].as_u64() > Some(1), "{response}");
    response["data"].take()
}

/// Keeps only one field of the objects at a path.
fn select_field(value: &Value, path: &[&str], field: &str) -> Value {
    match (value, path) {
        (Value::Array(items), _) => items.iter().map(|item| select_field(item, path, field)).collect(),
        (_, [step, rest @ ..]) => json!({ *step: select_field(&value[*step], rest, field) }),
        (_, []) => json!({ field: value[field] }),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_field_has_the_same_value_alone_and_with_other_fields() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates = append_debates(&server, 3).await;
    let (client, types, id) = (&server.client, schema_types(), debates[0].id);
    // The second entry of each is a field that neither the brief read nor the direct encoder supports.
    let debate = |of: &str| format!("{{ debate(id: \"{id}\") {{ {of} }} }}");
    let lists: [(&str, &str, &[&str], String); 7] = [
        ("Debate", "seed", &["debates", "nodes"], "{ debates(first: 2) { nodes { @ } } }".to_owned()),
        ("Debate", "seed", &["debates", "edges", "node"], "{ debates(first: 2) { edges { node { @ } } } }".to_owned()),
        ("Crux", "positions { words }", &["cruxes", "nodes"], "{ cruxes(first: 5) { nodes { @ } } }".to_owned()),
        (
            "Crux",
            "positions { words }",
            &["debates", "nodes", "cruxes"],
            "{ debates(first: 2) { nodes { cruxes { @ } } } }".to_owned(),
        ),
        ("Crux", "positions { words }", &["debate", "cruxes"], debate("cruxes(resolved: true) { @ }")),
        ("Event", "summary", &["debate", "events", "nodes"], debate("events(first: 9) { nodes { @ } }")),
        ("Event", "summary", &["log", "nodes"], "{ log(first: 9) { nodes { @ } } }".to_owned()),
    ];
    for (of, beside, path, query) in &lists {
        for field in field_selections(&types, of) {
            let name = field.split(' ').next().expect("a name");
            let expected = select_field(
                &library_response(client, &query.replace('@', &format!("{field} {beside}"))).await,
                path,
                name,
            );
            let spread = query.replace('@', &format!("... on {of} {{ ...F }}"));
            let spread = format!("{spread} fragment F on {of} {{ {field} }}");
            for query in [query.replace('@', &field), query.replace('@', &format!("{field} {field}")), spread] {
                assert_eq!(client.data(&query, json!({})).await, expected, "{query}");
            }
            let renamed = format!("x: {field}");
            let expected = library_response(client, &query.replace('@', &format!("{renamed} {beside}"))).await;
            let actual = client.data(&query.replace('@', &renamed), json!({})).await;
            assert_eq!(actual, select_field(&expected, path, "x"), "{query}: {renamed}");
        }
    }
    server.stop().await;
}

/// Selections of one field in several parts are merged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_field_selected_in_parts_is_returned_merged() {
    let server = TestServer::start(&scripted_replies(0)).await;
    append_debates(&server, 2).await;
    let whole = "{ debates { nodes { id cruxes { id explanation question debate { topic seed } } } } }";
    let whole = library_response(&server.client, whole).await;
    for parts in [
        "{ debates { nodes { id cruxes { id } } nodes { cruxes { explanation question debate { topic seed } } } } }",
        "{ debates { nodes { id cruxes { id question } } } ...F }
        fragment F on Query { debates { nodes { cruxes { explanation debate { topic seed } } } } }",
        "{ debates { nodes { id cruxes { id explanation debate { seed } } cruxes { question debate { topic } } } } }",
    ] {
        assert_eq!(server.client.data(parts, json!({})).await, whole, "{parts}");
    }
    let two = "{ debates { nodes { brief: cruxes { id } whole: cruxes { id positions { words } } } } }";
    assert_eq!(server.client.data(two, json!({})).await, library_response(&server.client, two).await);
    server.stop().await;
}
