//! Number of SQL statements per request: the same for a page of two as for one of six, whatever fields are selected.

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::example_debates::append_debates;
use crate::support::schema_fields::{all, is_connection, leaves, named, needs_arguments, schema_types};
use crate::support::statement_counter::StatementLog;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

/// Returns the statements of a request: the smallest of several runs, because background work of the service adds some
/// now and then.
async fn statements(client: &Client, sent: &StatementLog, query: &str, variables: Value) -> Vec<String> {
    let mut least: Option<Vec<String>> = None;
    for _ in 0..TRIES {
        sent.take();
        client.data(query, variables.clone()).await;
        let sent = sent.take();
        if least.as_ref().is_none_or(|statements| sent.len() < statements.len()) {
            least = Some(sent);
        }
    }
    least.unwrap_or_default()
}

/// Runs per request: on a busy machine, most of them include background work of the service.
const TRIES: usize = 6;
const FEW: usize = 2;
const MANY: usize = 6;
/// Greatest number of statements for a field of an item: its list, stored views, streams, and two rounds of nested
/// fields.
const MOST: usize = 8;
/// List of the schema: its field, its item type, and a query for `n` items with the given fields.
type Root<'a> = (&'a str, &'a str, Box<dyn Fn(usize, &str) -> String + 'a>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_statements_is_independent_of_the_number_of_items() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates = append_debates(&server, 2 * MANY).await;
    let (client, sent) = server.start_second().await;
    let types = schema_types();
    let ids =
        |n: usize| debates.iter().take(n).map(|debate| format!("\"{}\"", debate.id)).collect::<Vec<_>>().join(", ");
    let one = debates[0].id;
    let roots: Vec<Root> = vec![
        ("debates", "Debate", Box::new(|n, of| format!("{{ debates(first: {n}) {{ nodes {{ {of} }} }} }}"))),
        ("cruxes", "Crux", Box::new(|n, of| format!("{{ cruxes(first: {n}) {{ nodes {{ {of} }} }} }}"))),
        (
            "found",
            "Crux",
            Box::new(|n, of| format!("{{ cruxes(first: {n}, search: \"winter\") {{ nodes {{ {of} }} }} }}")),
        ),
        ("disputes", "ListedDispute", Box::new(|n, of| format!("{{ disputes(first: {n}) {{ nodes {{ {of} }} }} }}"))),
        ("log", "Event", Box::new(|n, of| format!("{{ log(first: {n}) {{ nodes {{ {of} }} }} }}"))),
        (
            "nodes",
            "Debate",
            Box::new(move |n, of| format!("{{ nodes(ids: [{}]) {{ ... on Debate {{ {of} }} }} }}", ids(n))),
        ),
        (
            "turns",
            "Turn",
            Box::new(move |n, of| {
                format!("{{ debate(id: \"{one}\") {{ turns(first: {n}) {{ nodes {{ {of} }} }} }} }}")
            }),
        ),
        (
            "events",
            "Event",
            Box::new(move |n, of| {
                format!("{{ debate(id: \"{one}\") {{ events(first: {n}) {{ nodes {{ {of} }} }} }} }}")
            }),
        ),
        ("clusters", "CruxCluster", Box::new(|n, of| format!("{{ recurringCruxes(first: {n}) {{ {of} }} }}"))),
    ];
    let (mut n_queries, mut faults) = (0, Vec::new());
    for (name, of, query) in &roots {
        let mut asked: Vec<String> = vec![leaves(&types, of)];
        for field in
            types[*of].iter().filter(|field| types.contains_key(named(&field.ty.node)) && !needs_arguments(field))
        {
            let size = if is_connection(field) { "(first: 3)" } else { "" };
            // As deep as the limits of the service allow.
            for steps in [2, 1, 0] {
                let of = format!("{}{size} {{ {} }}", field.name.node, all(&types, named(&field.ty.node), steps));
                let response = client.query(&query(MANY, &of), json!({})).await;
                if response["errors"][0]["extensions"]["code"] != "LIMIT" {
                    asked.push(of);
                    break;
                }
            }
        }
        for of in asked {
            n_queries += 1;
            let few = statements(&client, &sent, &query(FEW, &of), json!({})).await;
            let many = statements(&client, &sent, &query(MANY, &of), json!({})).await;
            if few.len() != many.len() || many.len() > MOST {
                faults.push(format!(
                    "{name} {of}: {} statements for {FEW}, {} for {MANY}: {many:#?}",
                    few.len(),
                    many.len()
                ));
            }
        }
    }
    assert!(n_queries > 60, "{n_queries} queries");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    server.stop().await;
}

/// The most frequent queries need no more statements than necessary.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frequent_queries_take_one_to_three_statements() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates = append_debates(&server, 12).await;
    let (client, sent) = server.start_second().await;
    for (query, n) in [
        ("query ($n: Int!) { debates(first: $n) { nodes { id topic } } }", 1),
        ("query ($n: Int!) { debates(first: $n) { totalCount edges { cursor node { id usage { calls } } } } }", 1),
        ("query ($n: Int!) { debates(first: $n) { nodes { id topic cruxes { id question origin open } } } }", 2),
        ("query ($n: Int!) { debates(first: $n) { nodes { regime { kind } camps { personaIds } } } }", 2),
        ("query ($n: Int!) { debates(first: $n) { nodes { turns { nodes { text } } arguments { claim } } } }", 3),
        ("query ($n: Int!) { debates(first: $n) { nodes { events(last: 3) { nodes { body } } } } }", 2),
        ("query ($n: Int!) { debates(first: $n) { nodes { rooms { question turnIds stances { side } } } } }", 2),
        (
            "query ($n: Int!) { debates(first: $n) { nodes { factChecks { verdict } rooms { dispute { status } } } } }",
            2,
        ),
        ("query ($n: Int!) { cruxes(first: $n, filter: { origin: ASSUMPTION }) { nodes { id question } } }", 1),
        ("query ($n: Int!) { cruxes(first: $n) { totalCount nodes { id debate { topic cruxes { id } } } } }", 3),
        ("query ($n: Int!) { cruxes(first: $n) { nodes { id statement positions { words } } } }", 1),
        ("query ($n: Int!) { cruxes(first: $n) { edges { node { debate { topic participants { name } } } } } }", 2),
        ("query ($n: Int!) { cruxes(first: $n) { totalCount nodes { id debate { id } } } }", 2),
        ("query ($n: Int!) { a: debates(first: $n) { nodes { id } } b: cruxes(first: $n) { nodes { id } } }", 2),
    ] {
        for size in [1, 5, 12, 100] {
            let sent = statements(&client, &sent, query, json!({ "n": size })).await;
            assert_eq!(sent.len(), n, "{query} of {size}: {sent:#?}");
        }
    }
    let query = "query ($id: ID!) { debate(id: $id) { id topic events(first: 50) { nodes { version kind body } } } }";
    assert_eq!(statements(&client, &sent, query, json!({ "id": debates[0].id })).await.len(), 2);
    server.stop().await;
}
