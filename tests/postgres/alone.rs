//! A field is told the same whether it is asked for alone, which may be read and written in brief, or with all others.

use serde_json::{Value, json};

use crate::client::{Client, script};
use crate::house::House;
use crate::statements::{debates, fields, types};

/// The answer as the library makes it: what it costs is counted in its tree.
async fn made(client: &Client, query: &str) -> Value {
    let body = json!({ "query": query, "extensions": { "cost": true } });
    let response = client.http.post(client.at("/graphql")).json(&body).send().await.expect("an answer");
    let mut response: Value = response.json().await.expect("JSON");
    assert!(response.get("errors").is_none(), "{query}: {response}");
    assert!(response["extensions"]["cost"]["fields"].as_u64() > Some(1), "{response}");
    response["data"].take()
}

/// Takes away whatever is not asked for.
fn only(value: &Value, path: &[&str], field: &str) -> Value {
    match (value, path) {
        (Value::Array(items), _) => items.iter().map(|it| only(it, path, field)).collect(),
        (_, [step, rest @ ..]) => json!({ *step: only(&value[*step], rest, field) }),
        (_, []) => json!({ field: value[field] }),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_told_alone_is_what_is_told_with_all() {
    let house = House::open(&script(0)).await;
    let told = debates(&house, 3).await;
    let (client, types, id) = (&house.client, types(), told[0].id);
    // With each what is not at hand in brief, nor without the library.
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
        ("Event", "line", &["debate", "events", "nodes"], debate("events(first: 9) { nodes { @ } }")),
        ("Event", "line", &["log", "nodes"], "{ log(first: 9) { nodes { @ } } }".to_owned()),
    ];
    for (of, beside, path, query) in &lists {
        for field in fields(&types, of) {
            let name = field.split(' ').next().expect("a name");
            let expected = only(&made(client, &query.replace('@', &format!("{field} {beside}"))).await, path, name);
            let spread = query.replace('@', &format!("... on {of} {{ ...F }}"));
            let spread = format!("{spread} fragment F on {of} {{ {field} }}");
            for query in [query.replace('@', &field), query.replace('@', &format!("{field} {field}")), spread] {
                assert_eq!(client.data(&query, json!({})).await, expected, "{query}");
            }
            let renamed = format!("x: {field}");
            let expected = made(client, &query.replace('@', &format!("{renamed} {beside}"))).await;
            let told = client.data(&query.replace('@', &renamed), json!({})).await;
            assert_eq!(told, only(&expected, path, "x"), "{query}: {renamed}");
        }
    }
    house.close().await;
}

/// What is asked for in parts is told as one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_for_twice_is_told_whole() {
    let house = House::open(&script(0)).await;
    debates(&house, 2).await;
    let whole = "{ debates { nodes { id cruxes { id why question debate { topic seed } } } } }";
    let whole = made(&house.client, whole).await;
    for parts in [
        "{ debates { nodes { id cruxes { id } } nodes { cruxes { why question debate { topic seed } } } } }",
        "{ debates { nodes { id cruxes { id question } } } ...F }
        fragment F on Query { debates { nodes { cruxes { why debate { topic seed } } } } }",
        "{ debates { nodes { id cruxes { id why debate { seed } } cruxes { question debate { topic } } } } }",
    ] {
        assert_eq!(house.client.data(parts, json!({})).await, whole, "{parts}");
    }
    let two = "{ debates { nodes { brief: cruxes { id } whole: cruxes { id positions { words } } } } }";
    assert_eq!(house.client.data(two, json!({})).await, made(&house.client, two).await);
    house.close().await;
}
