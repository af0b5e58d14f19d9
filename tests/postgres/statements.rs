//! How many statements a request takes: as many for a page of two as for one of six, whatever is asked of its items.

use std::collections::BTreeMap;

use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{BaseType, FieldDefinition, Type, TypeKind, TypeSystemDefinition};
use faultline::api::schema::sdl;
use faultline::events::dispute::Side;
use serde_json::{Value, json};

use crate::client::{Client, script};
use crate::counted::Sent;
use crate::cruxes::caught_up;
use crate::house::House;
use crate::told::Told;

/// The types of a schema and their fields.
pub type Types = BTreeMap<String, Vec<FieldDefinition>>;

/// The types of the schema.
pub fn types() -> Types {
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

/// The fields of a type as they are asked for: where one leads further, with what leads nowhere from there.
pub fn fields(types: &Types, of: &str) -> Vec<String> {
    let asked = types[of].iter().filter(|it| !needs_arguments(it) && !LEFT_OUT.contains(&it.name.node.as_str()));
    let told = asked.map(|it| match named(&it.ty.node) {
        below if types.contains_key(below) => format!("{} {{ __typename {} }}", it.name.node, leaves(types, below)),
        _ => it.name.node.to_string(),
    });
    told.collect()
}

/// The fields of a type that lead nowhere further.
fn leaves(types: &Types, of: &str) -> String {
    let leaves = types[of].iter().filter(|it| !types.contains_key(named(&it.ty.node)) && !needs_arguments(it));
    leaves.map(|it| it.name.node.to_string()).collect::<Vec<_>>().join(" ")
}

/// All of a type but what leads further than these many steps.
fn all(types: &Types, of: &str, steps: usize) -> String {
    let further = types[of].iter().filter(|it| steps > 0 && types.contains_key(named(&it.ty.node)));
    let further = further.filter(|it| !needs_arguments(it) && !LEFT_OUT.contains(&it.name.node.as_str()));
    let further = further.map(|it| {
        let size = if is_connection(it) { "(first: 2)" } else { "" };
        format!(" {}{size} {{ {} }}", it.name.node, all(types, named(&it.ty.node), steps - 1))
    });
    let told = leaves(types, of) + &further.collect::<String>();
    // Where nothing but steps further is left.
    if told.trim().is_empty() { "__typename".to_owned() } else { told }
}

fn is_connection(field: &FieldDefinition) -> bool {
    named(&field.ty.node).ends_with("Connection")
}

/// What is read for each speaker from the library: as often as there are speakers.
const LEFT_OUT: &[&str] = &["sound"];

/// Debates with cruxes and disputes of their own.
pub async fn debates(house: &House, n: usize) -> Vec<Told> {
    let mut debates = Vec::new();
    for at in 0..n {
        let mut told = Told::between(&["ada", "ben"]);
        let own = told.assumes("ada", "It pays", &format!("The crews of {at} are rested."));
        let theirs = told.assumes("ben", "It loses", &format!("Nobody travels on {at}."));
        told.rebuts("ben", theirs, own);
        told.asks(&format!("Is winter {at} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        let late = told.asks("Is the ferry late?", &[("ada", Side::Yes), ("ben", Side::No)]);
        told.talks_out(late, "Is the ferry late?", &["ada", "ben"]);
        told.talks_out(late, "Is it late on Sundays?", &["ben", "ada"]);
        told.is_checked("It was late on forty days.");
        debates.push(told);
    }
    let mut versions = Vec::new();
    for told in &mut debates {
        versions.push(told.record(&house.log).await);
    }
    caught_up(house, &debates.iter().zip(versions).collect::<Vec<_>>()).await;
    debates
}

/// The statements that a request takes: the least of several times, for now and then the service looks after itself.
async fn statements(client: &Client, sent: &Sent, query: &str, variables: Value) -> Vec<String> {
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

/// A request is asked so often: on a busy machine the service looks after itself more often than not.
const TRIES: usize = 6;
const FEW: usize = 2;
const MANY: usize = 6;
/// The most that any field of an item takes: its list, what is stored, streams, and two rounds of what they lead to.
const MOST: usize = 8;

/// A list: its name, what it lists, and how so many of it are asked for with these fields.
type Root<'a> = (&'a str, &'a str, Box<dyn Fn(usize, &str) -> String + 'a>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_list_takes_a_statement_more_for_more_items() {
    let house = House::open(&script(0)).await;
    let told = debates(&house, 2 * MANY).await;
    let (client, sent) = house.beside().await;
    let types = types();
    let ids = |n: usize| told.iter().take(n).map(|it| format!("\"{}\"", it.id)).collect::<Vec<_>>().join(", ");
    let one = told[0].id;
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
            // As far as the service lets a request go.
            for steps in [2, 1, 0] {
                let of = format!("{}{size} {{ {} }}", field.name.node, all(&types, named(&field.ty.node), steps));
                let response = client.ask(&query(MANY, &of), json!({})).await;
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
    house.close().await;
}

/// What is asked most costs no more than it has to.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_most_takes_one_or_two() {
    let house = House::open(&script(0)).await;
    let told = debates(&house, 12).await;
    let (client, sent) = house.beside().await;
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
    assert_eq!(statements(&client, &sent, query, json!({ "id": told[0].id })).await.len(), 2);
    house.close().await;
}
