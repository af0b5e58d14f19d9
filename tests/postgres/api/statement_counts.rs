//! Number of SQL statements per request: the same for a page of two as for one of six, whatever fields are selected.

use std::collections::BTreeMap;

use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{BaseType, FieldDefinition, Type, TypeKind, TypeSystemDefinition};
use faultline::api::schema::schema::sdl;
use faultline_core::events::dispute::Side;
use serde_json::{Value, json};

use crate::support::client::{Client, scripted_replies};
use crate::support::debate_builder::DebateBuilder;
use crate::support::statement_counter::StatementLog;
use crate::support::test_server::TestServer;
use crate::views::cruxes::wait_for_views;

/// Types of a schema with their fields.
pub type Types = BTreeMap<String, Vec<FieldDefinition>>;

/// Parses the types of the schema.
pub fn schema_types() -> Types {
    let document = parse_schema(sdl()).expect("the schema's own text");
    let types = document.definitions.into_iter().filter_map(|it| match it {
        TypeSystemDefinition::Type(it) => match it.node.kind {
            TypeKind::Object(object) => {
                Some((it.node.name.node.to_string(), object.fields.into_iter().map(|it| it.node).collect()))
            }
            _ => None,
        },
        _ => None,
    });
    types.collect()
}

fn named(of: &Type) -> &str {
    match &of.base {
        BaseType::Named(name) => name,
        BaseType::List(of) => named(of),
    }
}

fn needs_arguments(field: &FieldDefinition) -> bool {
    field.arguments.iter().any(|it| !it.node.ty.node.nullable && it.node.default_value.is_none())
}

/// Returns the fields of a type as selections; a field of an object type is selected with its leaf fields.
pub fn field_selections(types: &Types, of: &str) -> Vec<String> {
    let asked = types[of].iter().filter(|it| !needs_arguments(it) && !LEFT_OUT.contains(&it.name.node.as_str()));
    let actual = asked.map(|it| match named(&it.ty.node) {
        below if types.contains_key(below) => format!("{} {{ __typename {} }}", it.name.node, leaves(types, below)),
        _ => it.name.node.to_string(),
    });
    actual.collect()
}

/// Returns the leaf fields of a type.
fn leaves(types: &Types, of: &str) -> String {
    let leaves = types[of].iter().filter(|it| !types.contains_key(named(&it.ty.node)) && !needs_arguments(it));
    leaves.map(|it| it.name.node.to_string()).collect::<Vec<_>>().join(" ")
}

/// Returns a selection of all fields of a type, down to `steps` levels.
fn all(types: &Types, of: &str, steps: usize) -> String {
    let further = types[of].iter().filter(|it| steps > 0 && types.contains_key(named(&it.ty.node)));
    let further = further.filter(|it| !needs_arguments(it) && !LEFT_OUT.contains(&it.name.node.as_str()));
    let further = further.map(|it| {
        let size = if is_connection(it) { "(first: 2)" } else { "" };
        format!(" {}{size} {{ {} }}", it.name.node, all(types, named(&it.ty.node), steps - 1))
    });
    let actual = leaves(types, of) + &further.collect::<String>();
    // All fields lead to deeper levels.
    if actual.trim().is_empty() { "__typename".to_owned() } else { actual }
}

fn is_connection(field: &FieldDefinition) -> bool {
    named(&field.ty.node).ends_with("Connection")
}

/// Fields that are read from the library once per speaker, and are therefore left out.
const LEFT_OUT: &[&str] = &["sound"];

/// Appends debates with cruxes and disputes of their own.
pub async fn append_debates(server: &TestServer, n: usize) -> Vec<DebateBuilder> {
    let mut debates = Vec::new();
    for at in 0..n {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        let own = builder.add_argument("ada", "It pays", &format!("The crews of {at} are rested."));
        let theirs = builder.add_argument("ben", "It loses", &format!("Nobody travels on {at}."));
        builder.add_mutual_attack("ben", theirs, own);
        builder.raise_dispute(&format!("Is winter {at} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        let late = builder.raise_dispute("Is the ferry late?", &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.discuss_in_room(late, "Is the ferry late?", &["ada", "ben"]);
        builder.discuss_in_room(late, "Is it late on Sundays?", &["ben", "ada"]);
        builder.add_check("It was late on forty days.");
        debates.push(builder);
    }
    let mut versions = Vec::new();
    for debate in &mut debates {
        versions.push(debate.append_new(&server.log).await);
    }
    wait_for_views(server, &debates.iter().zip(versions).collect::<Vec<_>>()).await;
    debates
}

/// Returns the statements of a request: the smallest of several runs, because background work of the service adds some
/// now and then.
async fn statements(client: &Client, sent: &StatementLog, query: &str, variables: Value) -> Vec<String> {
    let mut least: Option<Vec<String>> = None;
    for _ in 0..TRIES {
        sent.take();
        client.data(query, variables.clone()).await;
        let sent = sent.take();
        if least.as_ref().is_none_or(|it| sent.len() < it.len()) {
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
    let ids = |n: usize| debates.iter().take(n).map(|it| format!("\"{}\"", it.id)).collect::<Vec<_>>().join(", ");
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
        for field in types[*of].iter().filter(|it| types.contains_key(named(&it.ty.node)) && !needs_arguments(it)) {
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
        ("query ($n: Int!) { cruxes(first: $n, filter: { kind: ASSUMPTION }) { nodes { id question } } }", 1),
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
