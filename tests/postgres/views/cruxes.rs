//! Cruxes across debates: pages, filters, searches, and lookups by id while debates grow.

use std::collections::BTreeSet;

use faultline_core::events::dispute::Side;
use faultline_core::events::ids::DebateId;
use faultline_store::generations::save::ViewChanges;
use faultline_store::views::crux_writes::{CruxRow, DebateCruxes};
use faultline_store::views::cruxes::{CruxPageRequest, CruxQuery, CruxSort};
use faultline_store::views::debates::{DebateRow, PageDirection};
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::database::migrated_database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::phase_events::new_debate_id;
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::view_waits::wait_for_views;

const LIST: &str =
    "query ($first: Int, $after: String, $last: Int, $before: String, $filter: CruxFilter, $search: String,
    $by: CruxOrder! = NEWEST) {
    cruxes(first: $first, after: $after, last: $last, before: $before, filter: $filter, search: $search, orderBy: $by) {
        edges { cursor node { id } }
        nodes { id debateId rank origin open statement pivotality dependentIds openedAt changedAt debate { topic } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        totalCount
    }
}";

async fn list_cruxes(server: &TestServer, variables: Value) -> Value {
    server.client.data(LIST, variables).await["cruxes"].take()
}

fn ids(page: &Value) -> Vec<String> {
    let nodes = page["nodes"].as_array().expect("nodes");
    nodes.iter().map(|node| node["id"].as_str().expect("an id").to_owned()).collect()
}

fn statements(page: &Value) -> BTreeSet<String> {
    let nodes = page["nodes"].as_array().expect("nodes");
    nodes.iter().map(|node| node["statement"].as_str().expect("a text").to_owned()).collect()
}

/// Starts a service with four debates: three with cruxes of each kind, one without cruxes.
async fn open_with_cruxes() -> (TestServer, Vec<DebateBuilder>) {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut debates = Vec::new();
    for (n, speakers) in [["ada", "ben"], ["ada", "cleo"], ["ben", "cleo"], ["ada", "dora"]].into_iter().enumerate() {
        let mut builder = DebateBuilder::new(&speakers);
        let [one, other] = speakers;
        if n < 3 {
            for k in 0..=n {
                let own = builder.add_argument(one, &format!("Yes {k}"), &format!("Crews are rested, case {n} {k}."));
                let theirs = builder.add_argument(
                    other,
                    &format!("No {k}"),
                    &format!("The fuel's price doubled, case {n} {k}."),
                );
                builder.undermine_each_other((one, own), (other, theirs));
            }
            builder.raise_dispute(&format!("Is winter {n} rough?"), &[(one, Side::Yes), (other, Side::No)]);
            builder.raise_dispute(
                &format!("Is summer {n} calm?"),
                &[(one, Side::Yes), (other, Side::No), (other, Side::Yes)],
            );
        }
        debates.push(builder);
    }
    let mut versions = Vec::new();
    for actual in &mut debates {
        versions.push(actual.append_new(&server.log).await);
    }
    wait_for_views(&server, &debates.iter().zip(versions).collect::<Vec<_>>()).await;
    (server, debates)
}

/// Number of all cruxes: 2, 4 and 6 assumptions, 3 open disputes, 3 resolved disputes.
const N_CRUXES: usize = 18;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cruxes_are_paged_both_ways_without_gaps_or_repeats() {
    let (server, _debates) = open_with_cruxes().await;
    for by in ["NEWEST", "CHANGED", "PIVOTALITY", "DEPENDENTS"] {
        let all = list_cruxes(&server, json!({ "first": 100, "by": by })).await;
        let expected = ids(&all);
        assert_eq!((expected.len(), expected.iter().collect::<BTreeSet<_>>().len()), (N_CRUXES, N_CRUXES), "{by}");
        assert_eq!(all["totalCount"], N_CRUXES);
        assert_order(by, &all);
        for size in [1, 4, 17, 18, 19] {
            for forward in [true, false] {
                let (mut walked, mut cursor) = (Vec::new(), Value::Null);
                loop {
                    let asked = if forward {
                        json!({ "first": size, "after": cursor, "by": by })
                    } else {
                        json!({ "last": size, "before": cursor, "by": by })
                    };
                    let page = list_cruxes(&server, asked).await;
                    let info = &page["pageInfo"];
                    let (more, back, next) = if forward {
                        walked.extend(ids(&page));
                        (&info["hasNextPage"], &info["hasPreviousPage"], &info["endCursor"])
                    } else {
                        walked.splice(0..0, ids(&page));
                        (&info["hasPreviousPage"], &info["hasNextPage"], &info["startCursor"])
                    };
                    assert_eq!(*back, !cursor.is_null());
                    assert_eq!(*more, walked.len() < N_CRUXES);
                    assert_eq!(page["totalCount"], N_CRUXES);
                    cursor = next.clone();
                    if *more == false {
                        break;
                    }
                }
                assert_eq!(walked, expected, "{by} by {size}, forward: {forward}");
            }
        }
        let beyond = list_cruxes(&server, json!({ "first": 5, "after": all["pageInfo"]["endCursor"], "by": by })).await;
        assert_eq!((ids(&beyond).len(), &beyond["totalCount"]), (0, &json!(N_CRUXES)));
    }
    server.stop().await;
}

fn assert_order(by: &str, page: &Value) {
    let nodes = page["nodes"].as_array().expect("nodes");
    let descending = |measure: &dyn Fn(&Value) -> String| {
        let measures: Vec<String> = nodes.iter().map(measure).collect();
        assert!(measures.is_sorted_by(|one, other| one >= other), "{by}: {measures:?}");
    };
    match by {
        "NEWEST" => descending(&|crux| crux["openedAt"].to_string()),
        "CHANGED" => descending(&|crux| crux["changedAt"].to_string()),
        "PIVOTALITY" => descending(&|crux| {
            crux["pivotality"].as_f64().map_or("-".to_owned(), |pivotality| format!("{pivotality:.9}"))
        }),
        _ => descending(&|crux| crux["dependentIds"].as_array().map(Vec::len).unwrap_or_default().to_string()),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cruxes_are_filtered_and_searched() {
    let (server, debates) = open_with_cruxes().await;
    let count = async |filter: Value, search: Value| {
        let page = list_cruxes(&server, json!({ "first": 100, "filter": filter, "search": search })).await;
        assert_eq!(page["totalCount"], ids(&page).len());
        for node in page["nodes"].as_array().expect("nodes") {
            assert_eq!(node["debate"]["topic"], "Should the ferry run at night?");
        }
        ids(&page).len()
    };
    for (filter, n) in [
        (json!({}), 18),
        (json!({ "debateId": debates[0].id }), 4),
        (json!({ "debateId": debates[3].id }), 0),
        (json!({ "debateId": new_debate_id() }), 0),
        (json!({ "personaId": "ada" }), 10),
        (json!({ "personaId": "ben" }), 12),
        (json!({ "personaId": "dora" }), 0),
        (json!({ "personaId": "nobody" }), 0),
        (json!({ "origin": "DISPUTE" }), 6),
        (json!({ "origin": "ASSUMPTION" }), 12),
        (json!({ "origin": "PREMISE" }), 0),
        (json!({ "open": true }), 15),
        (json!({ "open": false }), 3),
        (json!({ "minPivotality": 0.0 }), 12),
        (json!({ "minPivotality": 0.5 }), 2),
        (json!({ "minPivotality": 1 }), 2),
        (json!({ "origin": "DISPUTE", "open": true, "personaId": "ada", "debateId": debates[1].id }), 1),
    ] {
        assert_eq!(count(filter.clone(), Value::Null).await, n, "{filter}");
    }
    for (search, n) in [
        ("crews", 6),
        ("CREW rest", 6),
        ("\"crews are rested\"", 6),
        ("\"rested crews\"", 0),
        ("crews or fuel", 12),
        ("case -fuel", 6),
        ("fuel's", 6),
        ("winter", 3),
        ("   ", 18),
        ("", 18),
        ("the", 0),
        ("' \" ) ( & | ! <-> :* \\ % _", 0),
        ("\"\"\"\"", 0),
        ("'; drop table cruxes; --", 0),
        ("winter\u{0}", 3),
        (&"\"".repeat(200), 0),
    ] {
        assert_eq!(count(json!({}), json!(search)).await, n, "{search:?}");
    }
    assert_eq!(count(json!({ "open": true, "origin": "DISPUTE" }), json!("winter")).await, 3);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_crux_queries_are_refused() {
    let (server, _debates) = open_with_cruxes().await;
    let newest = list_cruxes(&server, json!({ "first": 1 })).await["pageInfo"]["endCursor"].clone();
    for (variables, code) in [
        (json!({ "first": 0 }), "INVALID"),
        (json!({ "first": -1 }), "INVALID"),
        (json!({ "first": 1_000_000_000 }), "INVALID"),
        (json!({ "first": i64::MAX }), "INVALID"),
        (json!({ "last": 0 }), "INVALID"),
        (json!({ "first": 101 }), "INVALID"),
        (json!({ "first": 1, "last": 1 }), "INVALID"),
        (json!({ "first": 1, "before": newest }), "INVALID"),
        (json!({ "last": 1, "after": newest }), "INVALID"),
        (json!({ "after": "" }), "INVALID"),
        (json!({ "after": "n.0.0.0" }), "INVALID"),
        (json!({ "after": format!("n.{}.{}.d1", i64::MAX, Uuid::now_v7()) }), "INVALID"),
        (
            json!({ "after": format!("p.{:016x}.{}.d1", f64::NAN.to_bits(), Uuid::now_v7()), "by": "PIVOTALITY" }),
            "INVALID",
        ),
        (json!({ "after": newest, "by": "CHANGED" }), "INVALID"),
        (json!({ "search": "x".repeat(201) }), "LIMIT"),
        (json!({ "filter": { "debateId": "x" } }), "INVALID"),
        (json!({ "filter": { "personaId": "Not A Name" } }), "INVALID"),
        (json!({ "filter": { "minPivotality": 1.5 } }), "INVALID"),
        (json!({ "filter": { "minPivotality": -1 } }), "INVALID"),
        (json!({ "filter": { "origin": "MOOD" } }), "INVALID"),
        (json!({ "by": "LENGTH" }), "INVALID"),
    ] {
        assert_eq!(server.client.error_code(LIST, variables.clone()).await, code, "{variables}");
    }
    const CRUX: &str = "query ($id: ID!) { crux(id: $id) { id } }";
    for id in ["", "x", "a:d1", &format!("{}:s1", Uuid::now_v7()), &format!("{}:1", Uuid::now_v7())] {
        assert_eq!(server.client.error_code(CRUX, json!({ "id": id })).await, "INVALID", "{id}");
    }
    for key in ["d1", "s000000000000"] {
        let none = server.client.data(CRUX, json!({ "id": format!("{}:{key}", new_debate_id()) })).await;
        assert_eq!(none, json!({ "crux": null }), "no such debate");
    }
    // Cruxes and debates refer to each other; the depth limit ends such a query.
    let deep = "cruxes { debate { ".repeat(4) + "id" + &" } }".repeat(4);
    let query = format!("{{ debates {{ nodes {{ {deep} }} }} }}");
    assert_eq!(server.client.error_code(&query, json!({})).await, "LIMIT");
    server.stop().await;
}

const WHOLE: &str = "query ($id: ID!) { crux(id: $id) {
    id shortId rank origin open statement otherStatements question explanation pivotality
    consequence { changedCount thesisCount order searchedOrder responsibility }
    dependentIds assumptions attackDegree
    positions { personaId side turnId argumentId words }
    turns { id: shortId speakerId text } debate { id cruxes { id } }
} }";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crux_keeps_its_id_while_its_debate_grows() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    let own = builder.add_argument("ada", "The ferry pays", "The crews are rested.");
    let theirs = builder.add_argument("ben", "The ferry loses", "Nobody travels");
    builder.undermine_each_other(("ada", own), ("ben", theirs));
    builder.append_new(&server.log).await;
    const OF: &str = "query ($id: ID!, $resolved: Boolean = false) { debate(id: $id) { cruxes(resolved: $resolved) { id statement } } }";
    let data = server.client.data(OF, json!({ "id": builder.id })).await;
    let cruxes = data["debate"]["cruxes"].as_array().expect("cruxes").clone();
    let id = cruxes.iter().find(|crux| crux["statement"] == "The crews are rested.").expect("it")["id"].clone();
    let crux = server.client.data(WHOLE, json!({ "id": id })).await["crux"].take();
    assert_eq!(
        crux,
        json!({
            "id": id,
            "shortId": id.as_str().expect("an id").rsplit(':').next(),
            "rank": 1,
            "origin": "ASSUMPTION",
            "open": true,
            "statement": "The crews are rested.",
            "otherStatements": [],
            "question": "Are the crews rested?",
            "explanation": "settling it can change the status of the only claim in conflict that does not rest on it; 1 disputed argument rests on it",
            "pivotality": 1.0,
            "consequence": {
                "changedCount": 1, "thesisCount": 1, "order": 1, "searchedOrder": 2, "responsibility": 1.0,
            },
            "dependentIds": ["a1"],
            "assumptions": [],
            "attackDegree": 2,
            "positions": [
                { "personaId": "ada", "side": "RESTS_ON", "turnId": "t1", "argumentId": "a1", "words": "The ferry pays" },
                { "personaId": "ben", "side": "ATTACKS", "turnId": "t3", "argumentId": "a2", "words": "The ferry loses" },
            ],
            "turns": [
                { "id": "t1", "speakerId": "ada", "text": "The ferry pays" },
                { "id": "t3", "speakerId": "ben", "text": "But no." },
            ],
            "debate": { "id": builder.id, "cruxes": cruxes.iter().map(|crux| json!({ "id": crux["id"] })).collect::<Vec<_>>() },
        })
    );

    // A dispute now ranks before it, and more depends on the other's assumption: the rank changes, the id does not.
    let dispute = builder.raise_dispute("Is winter rough?", &[("ada", Side::Yes), ("ben", Side::No)]);
    let more = builder.add_argument("ben", "Trains are faster", "nobody  TRAVELS.");
    builder.undermine_each_other(("ada", own), ("ben", more));
    let version = builder.append_new(&server.log).await;
    let later = server.client.data(WHOLE, json!({ "id": id })).await["crux"].take();
    assert_eq!((&later["id"], &later["statement"]), (&id, &json!("The crews are rested.")));
    assert!(later["rank"].as_u64() > Some(1), "{later}");
    assert_eq!(later["attackDegree"], 4);

    // The dispute is settled: it is resolved in the debate and in the list.
    let asked = json!({ "id": format!("{}:{dispute}", builder.id) });
    assert_eq!(server.client.data(WHOLE, asked.clone()).await["crux"]["open"], true);
    wait_for_views(&server, &[(&builder, version)]).await;
    builder.take_side("ben", dispute, Side::Yes);
    let version = builder.append_new(&server.log).await;
    let settled = server.client.data(WHOLE, asked).await["crux"].take();
    assert_eq!(
        (&settled["open"], &settled["explanation"]),
        (&json!(false), &json!("all took the same side: 2 say yes"))
    );
    wait_for_views(&server, &[(&builder, version)]).await;
    let open = list_cruxes(&server, json!({ "filter": { "open": false } })).await;
    assert_eq!(statements(&open), BTreeSet::from(["Is winter rough?".to_owned()]));
    for (resolved, n) in [(false, 2), (true, 3)] {
        let data = server.client.data(OF, json!({ "id": builder.id, "resolved": resolved })).await;
        assert_eq!(data["debate"]["cruxes"].as_array().map(Vec::len), Some(n));
    }

    // Statements that are no longer contested leave the list and do not count as resolved.
    let third = builder.add_argument("ada", "Both objections are about summer", "Ben spoke of summer.");
    builder.add_attack("ada", third, theirs);
    builder.add_attack("ada", third, more);
    let version = builder.append_new(&server.log).await;
    wait_for_views(&server, &[(&builder, version)]).await;
    let left = list_cruxes(&server, json!({ "filter": { "debateId": builder.id, "open": true } })).await;
    let data = server.client.data(OF, json!({ "id": builder.id })).await;
    let folded: BTreeSet<String> = data["debate"]["cruxes"]
        .as_array()
        .expect("cruxes")
        .iter()
        .map(|crux| crux["statement"].as_str().expect("a text").to_owned())
        .collect();
    assert_eq!(statements(&left), folded, "the list agrees with the debate");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_lists_and_filters_cruxes() {
    let (server, _debates) = open_with_cruxes().await;
    let variables = server.environment();
    let all = run_json_command(&variables, &["cruxes", "--json"]).await;
    assert_eq!(all[0].as_array().map(Vec::len), Some(18));
    let page = list_cruxes(&server, json!({})).await;
    let actual: Vec<&str> = all[0].as_array().expect("a list").iter().filter_map(|crux| crux["id"].as_str()).collect();
    assert_eq!(actual, ids(&page));
    for (arguments, n) in [
        (vec!["--open"], 15),
        (vec!["--resolved"], 3),
        (vec!["--kind", "assumption"], 12),
        (vec!["--persona", "ada"], 10),
        (vec!["--search", "crews -case"], 0),
        (vec!["--search", "-fuel", "--kind", "assumption"], 6),
        (vec!["--first", "4"], 4),
    ] {
        let asked = [&["cruxes", "--json"][..], &arguments].concat();
        assert_eq!(run_json_command(&variables, &asked).await[0].as_array().map(Vec::len), Some(n), "{arguments:?}");
    }
    let output = run_command(&variables, &["cruxes", "--first", "3"]).await;
    assert!(output.code == Some(0) && output.stderr.contains("there are more"), "{output:?}");
    let records: Vec<Vec<&str>> = output.stdout.lines().map(|line| line.split('\t').collect()).collect();
    assert!(records.len() == 3 && records.iter().all(|record| record.len() == 6), "one line each: {}", output.stdout);
    assert_eq!(records[0][0], actual[0]);
    for name in ["origin", "statement", "dependentIds", "rank"] {
        assert_eq!(all[0][0][name], page["nodes"][0][name], "{name} as in GraphQL");
    }
    for arguments in
        [&["--open", "--resolved"][..], &["--kind", "mood"], &["--persona", "Not A Name"], &["--first", "0"]]
    {
        let output = run_command(&variables, &[&["cruxes"], arguments].concat()).await;
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", output.stderr);
    }
    server.stop().await;
}

#[tokio::test]
async fn older_cruxes_never_replace_newer_ones() {
    let database = migrated_database().await;
    let views = Views::new(database.pool.clone());
    let (debate, other) = (new_debate_id(), new_debate_id());
    let at = "2026-01-01T00:00:00Z".parse().expect("a time");
    let line = |debate: DebateId, version: i64| DebateRow {
        generation: 1,
        debate,
        version,
        topic: "Topic".to_owned(),
        engine: "graph".to_owned(),
        provider: "elsewhere".to_owned(),
        status: "running".to_owned(),
        phase: None,
        regime: None,
        opened_at: at,
        changed_at: at,
        ended_at: None,
        n_turns: 0,
        tokens: 0,
        cost_micros: 0,
        participants: vec![],
        outcome: None,
        models: Vec::new(),
        measures: None,
        speaker_figures: Vec::new(),
        n_arguments: None,
        n_attacks: None,
        n_concessions: None,
    };
    let row = |(place, key): (i32, &str)| CruxRow {
        key: key.to_owned(),
        place,
        kind: "claim".to_owned(),
        open: true,
        statement: format!("zero \0 byte in {key}"),
        pivotality: Some(0.1 + 0.2),
        order: Some(1),
        n_dependents: 1,
        personas: vec!["ada".parse().expect("a persona")],
        regime: "polarized".to_owned(),
        opened_at: at,
        changed_at: at,
        body: serde_json::value::to_raw_value(&json!({ "said": "a\0b" })).expect("JSON"),
    };
    let save = async |debate: DebateId, version: i64, keys: &[&str]| {
        let rows = (1..).zip(keys).map(|(place, key)| row((place, key))).collect();
        let cruxes = vec![DebateCruxes { generation: 1, debate, version, rows, unchanged: Vec::new() }];
        let changes = ViewChanges { debates: vec![line(debate, version)], cruxes, ..ViewChanges::default() };
        views.save(&changes).await.expect("save");
    };
    let keys = async |debate: DebateId| {
        let filter = CruxQuery { debate: Some(debate), ..CruxQuery::default() };
        let part =
            CruxPageRequest { from: None, toward: PageDirection::Older, limit: 10, counted: false, brief: false };
        let found = views.cruxes(Some(1), &filter, CruxSort::Newest, &part).await.expect("the views");
        assert!(found.rows.iter().all(|row| row.pivotality == Some(0.1 + 0.2) && row.body.contains('\u{fffd}')));
        let mut places: Vec<(i32, String)> = found.rows.into_iter().map(|row| (row.place, row.key)).collect();
        places.sort();
        places.into_iter().map(|place| place.1).collect::<Vec<_>>()
    };
    save(other, 1, &["d9"]).await;
    save(debate, 5, &["d1", "d2", "d3"]).await;
    assert_eq!(keys(debate).await, ["d1", "d2", "d3"]);
    save(debate, 4, &["d7"]).await;
    assert_eq!(keys(debate).await, ["d1", "d2", "d3"], "an older version is ignored");
    save(debate, 6, &["d3", "d4", "d1"]).await;
    assert_eq!(keys(debate).await, ["d3", "d4", "d1"], "replaced, in the new order");
    save(debate, 7, &[]).await;
    assert_eq!((keys(debate).await.len(), keys(other).await.len()), (0, 1));
    views.generations().drop_rows(1).await.expect("drop");
    assert_eq!(keys(other).await.len(), 0);
}
