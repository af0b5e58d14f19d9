//! A typed client in Rust, made from the schema and the operations with which other client libraries are tested.

use graphql_client::{GraphQLQuery, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::support::debate_builder::DebateBuilder;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::view_waits::wait_for_views;

/// Scalar of variables, under the name that the client makes of `ID`.
type Id = String;

/// Four debates with their arguments, turns, disputes and cruxes.
#[derive(GraphQLQuery)]
#[graphql(
    schema_path = "schema.graphql",
    query_path = "tests/conformance/clients/operations.graphql",
    response_derives = "Debug, Serialize",
    normalization = "rust"
)]
struct ClientsFourQuery;

/// One debate at two versions.
#[derive(GraphQLQuery)]
#[graphql(
    schema_path = "schema.graphql",
    query_path = "tests/conformance/clients/operations.graphql",
    response_derives = "Debug, Serialize",
    normalization = "rust"
)]
struct ClientsVersionsQuery;

/// Sends a typed request; returns the data as the client decoded it, and as the service sent it.
async fn read<Query: GraphQLQuery>(server: &TestServer, variables: Query::Variables) -> (Query::ResponseData, Value)
where
    Query::ResponseData: DeserializeOwned,
{
    let body = Query::build_query(variables);
    let sent = server.client.http.post(server.client.url("/graphql")).json(&body).send().await.expect("a response");
    let text = sent.text().await.expect("a body");
    let response: Response<Query::ResponseData> =
        serde_json::from_str(&text).expect("a response of the schema's types");
    assert!(response.errors.is_none(), "{text}");
    let raw: Value = serde_json::from_str(&text).expect("JSON");
    (response.data.expect("data"), raw["data"].clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_typed_rust_client_reads_debates_and_versions() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut debates: Vec<DebateBuilder> = (0..4)
        .map(|n| {
            let mut debate = DebateBuilder::new(&["ada", "ben"]);
            let one = debate.add_argument("ada", &format!("Yes {n}"), "Crews are rested.");
            let other = debate.add_argument("ben", &format!("No {n}"), "The fuel's price doubled.");
            debate.undermine_each_other(("ada", one), ("ben", other));
            debate
        })
        .collect();
    let mut versions = Vec::new();
    for debate in &mut debates {
        versions.push(debate.append_new(&server.log).await);
    }
    wait_for_views(&server, &debates.iter().zip(versions.iter().copied()).collect::<Vec<_>>()).await;

    let (four, sent) = read::<ClientsFourQuery>(&server, clients_four_query::Variables {}).await;
    assert_eq!(serde_json::to_value(&four).expect("JSON"), sent);
    assert_eq!(four.debates.nodes.len(), 4);
    assert!(four.debates.nodes.iter().all(|debate| debate.arguments.len() == 2), "{four:?}");

    let id = four.debates.nodes[0].id.clone();
    let (two, sent) = read::<ClientsVersionsQuery>(&server, clients_versions_query::Variables { id, at: 2 }).await;
    assert_eq!(serde_json::to_value(&two).expect("JSON"), sent);
    let (before, now) = (two.before.expect("the debate"), two.now.expect("the debate"));
    assert_eq!((before.version, now.arguments.len()), (2, 2));
    assert_ne!(before.id, now.id, "a debate at a version has an id of its own");
    server.stop().await;
}
