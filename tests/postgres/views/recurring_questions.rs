//! Questions across debates: search by meaning and by words, page by page, and recurring questions.

use std::collections::BTreeSet;

use faultline_core::events::dispute::Side;
use serde_json::{Value, json};

use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::{run_command, run_json_command};
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;

const SEARCH: &str = "query ($first: Int, $after: String, $last: Int, $before: String, $filter: CruxFilter,
    $search: String, $by: CruxOrder) {
    cruxes(first: $first, after: $after, last: $last, before: $before, filter: $filter, search: $search, orderBy: $by) {
        edges { cursor node { id statement debate { topic } } match { score cosine words } }
        nodes { statement }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        totalCount
    }
}";

const DISPUTES: &str = "query ($first: Int, $after: String, $last: Int, $before: String, $filter: DisputeFilter,
    $search: String) {
    disputes(first: $first, after: $after, last: $last, before: $before, filter: $filter, search: $search) {
        edges { cursor match { score cosine words } }
        nodes { disputeId debateId shortId question status isTopic stances { personaId side turnId } openedAt debate { topic } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
}";

const RECURRING: &str = "query ($first: Int, $filter: CruxFilter) {
    recurringCruxes(first: $first, filter: $filter) {
        question memberCount debateCount wordingCount origins firstSeen lastSeen exact
        cohesion { least mean }
        sidesByPersona { personaId changed sides { debateId cruxId side turnId at } }
        neighbours { question debateCount similarity relation }
        members(first: 2) { nodes { id statement debate { topic } } pageInfo { hasNextPage endCursor } totalCount }
    }
}";

/// Six debates, and the questions discussed in each by `ada` and `ben`; the flag is true if `ada` says yes.
const ASKED: &[&[(&str, bool)]] = &[
    &[("Should phones be forbidden at school?", true), ("Should rents be capped at 5 percent a year?", true)],
    &[("Should schools prohibit mobile phones?", true), ("Should rents be capped at 10 percent a year?", true)],
    &[("should phones be forbidden  at school", false), ("Should phones be allowed at school?", true)],
    &[("Should zoos be closed?", true), ("Do elephants suffer behind bars?", true)],
    &[("Should we shut down zoos?", false), ("Elephants in captivity suffer.", true)],
    &[("Is mining asteroids profitable?", true), ("Do phones make bullying worse?", false)],
];

async fn server_with_questions() -> (TestServer, Vec<DebateBuilder>) {
    let server = TestServer::start_with_embedder(&scripted_replies(0), true).await;
    let mut debates = Vec::new();
    for questions in ASKED {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        for (question, yes) in *questions {
            let (one, other) = if *yes { (Side::Yes, Side::No) } else { (Side::No, Side::Yes) };
            builder.raise_dispute(question, &[("ada", one), ("ben", other)]);
        }
        builder.append_new(&server.log).await;
        debates.push(builder);
    }
    wait_until_embedded(&server, 12).await;
    (server, debates)
}

/// Waits until `n` different questions are embedded and compared with each other.
async fn wait_until_embedded(server: &TestServer, n: i64) {
    poll_until("questions are embedded", async || {
        let sql = "select count(*) from question_vectors where paired";
        let kept: i64 = sqlx::query_scalar(sql).fetch_one(&server.database.pool).await.expect("count");
        (kept >= n).then_some(())
    })
    .await;
}

fn texts(page: &Value, name: &str) -> Vec<String> {
    let nodes = page["nodes"].as_array().expect("nodes");
    nodes.iter().map(|node| node[name].as_str().expect("a text").to_owned()).collect()
}

async fn found(server: &TestServer, variables: Value) -> Value {
    server.client.data(SEARCH, variables).await["cruxes"].take()
}

async fn disputes(server: &TestServer, variables: Value) -> Value {
    server.client.data(DISPUTES, variables).await["disputes"].take()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cruxes_are_found_by_meaning_and_by_words() {
    let (server, debates) = server_with_questions().await;
    // No word in common with the query.
    let page = found(&server, json!({ "search": "keep smartphones away from lessons" })).await;
    assert!(texts(&page, "statement")[..3].iter().all(|text| text.to_lowercase().contains("phones")), "{page}");
    let hit = &page["edges"][0]["match"];
    assert!(hit["cosine"].as_f64() > Some(0.4) && hit["words"] == json!([]), "{hit}");
    // A word in common, and the cosine.
    let page = found(&server, json!({ "search": "asteroids" })).await;
    let hit = &page["edges"][0];
    assert_eq!(hit["node"]["statement"], "Is mining asteroids profitable?");
    assert_eq!(hit["match"]["words"], json!(["asteroid"]));
    assert!(hit["match"]["cosine"].as_f64() > Some(0.3) && hit["match"]["score"].as_f64() > Some(0.0), "{hit}");
    assert_eq!(hit["node"]["debate"]["topic"], "Should the ferry run at night?");
    // A negated word excludes results, also those found by meaning.
    let page = found(&server, json!({ "search": "animals locked up -elephants" })).await;
    let actual = texts(&page, "statement");
    assert!(
        actual.iter().any(|text| text.contains("zoos")) && !actual.iter().any(|text| text.contains("lephants")),
        "{actual:?}"
    );
    // Every filter applies to a search.
    for (filter, n) in [
        (json!({ "debateId": debates[0].id }), 1),
        (json!({ "origin": "DISPUTE", "open": true, "personaId": "ada", "debateId": debates[2].id }), 2),
        (json!({ "origin": "ASSUMPTION" }), 0),
        (json!({ "open": false }), 0),
        (json!({ "personaId": "dora" }), 0),
        (json!({ "minPivotality": 0.1 }), 0),
    ] {
        let page = found(&server, json!({ "search": "phones at school", "filter": filter })).await;
        assert_eq!((page["totalCount"].as_u64(), texts(&page, "statement").len()), (Some(n), n as usize), "{filter}");
    }
    // In any other order, only words are searched.
    let page = found(&server, json!({ "search": "forbidden phones", "by": "NEWEST" })).await;
    assert_eq!(texts(&page, "statement").len(), 2);
    assert_eq!(page["edges"][0]["match"], Value::Null);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_a_search_have_no_gap_and_no_repeat_either_way() {
    let (server, _debates) = server_with_questions().await;
    let search = "Should phones be forbidden at school?";
    for (name, list) in [("cruxes", SEARCH), ("disputes", DISPUTES)] {
        let ask = async |mut asked: Value| {
            asked["search"] = json!(search);
            server.client.data(list, asked).await[name].take()
        };
        let cursors = |page: &Value| -> Vec<String> {
            let edges = page["edges"].as_array().expect("edges");
            edges.iter().map(|edge| edge["cursor"].as_str().expect("a cursor").to_owned()).collect()
        };
        let all = ask(json!({ "first": 100 })).await;
        let expected = cursors(&all);
        assert!(expected.len() >= 5 && expected.iter().collect::<BTreeSet<_>>().len() == expected.len(), "{all}");
        let scores: Vec<f64> =
            all["edges"].as_array().expect("edges").iter().filter_map(|edge| edge["match"]["score"].as_f64()).collect();
        assert!(scores.len() == expected.len() && scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
        for size in [1, 2, 5, 100] {
            let (mut walked, mut cursor) = (Vec::new(), Value::Null);
            while {
                let page = ask(json!({ "first": size, "after": cursor })).await;
                walked.extend(cursors(&page));
                cursor = page["pageInfo"]["endCursor"].clone();
                page["pageInfo"]["hasNextPage"] == true
            } {}
            assert_eq!(walked, expected, "{name} by {size}");
            let (mut walked, mut cursor) = (Vec::new(), Value::Null);
            while {
                let page = ask(json!({ "last": size, "before": cursor })).await;
                walked.splice(0..0, cursors(&page));
                cursor = page["pageInfo"]["startCursor"].clone();
                page["pageInfo"]["hasPreviousPage"] == true
            } {}
            assert_eq!(walked, expected, "{name} back by {size}");
        }
        // A cursor belongs to one search.
        for (asked, said) in [
            (json!({ "search": "zoos", "after": expected[0] }), "another search"),
            (json!({ "search": search, "after": expected[0], "filter": { "personaId": "ada" } }), "another search"),
            (json!({ "after": expected[0] }), "this cursor is malformed"),
            (json!({ "search": search, "after": "n.0.0.0" }), "this cursor is malformed"),
        ] {
            let answer = server.client.query(list, asked.clone()).await;
            let message = answer["errors"][0]["message"].as_str().expect("a refusal").to_owned();
            assert!(message.contains(said), "{asked}: {message}");
        }
    }
    let beyond = found(&server, json!({ "search": search, "first": 100 })).await;
    let after = json!({ "search": search, "first": 1, "after": beyond["pageInfo"]["endCursor"] });
    assert_eq!(found(&server, after).await["totalCount"], beyond["totalCount"]);
    for (asked, code) in [
        (json!({ "by": "RELEVANCE" }), "INVALID"),
        (json!({ "by": "RELEVANCE", "search": "  " }), "INVALID"),
        (json!({ "search": "x".repeat(201) }), "LIMIT"),
    ] {
        assert_eq!(server.client.error_code(SEARCH, asked).await, code);
    }
    for odd in ["the", "' \" ) ( & | ! <-> :* \\ % _", "\"\"\"\"", "'; drop table cruxes; --", "a\u{0}b", "-", "--x"] {
        found(&server, json!({ "search": odd })).await;
        disputes(&server, json!({ "search": odd })).await;
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disputes_of_all_debates_are_listed() {
    let (server, mut debates) = server_with_questions().await;
    let all = disputes(&server, json!({ "first": 100 })).await;
    assert_eq!(texts(&all, "question").len(), 12);
    let first = &all["nodes"][0];
    assert_eq!(
        (&first["status"], &first["debate"]["topic"]),
        (&json!("OPEN"), &json!("Should the ferry run at night?"))
    );
    assert_eq!(first["stances"].as_array().map(Vec::len), Some(2));
    let actual = &mut debates[3];
    actual.raise_dispute("Is hay cheap?", &[("ada", Side::Yes)]);
    actual.take_side("ben", faultline_core::events::ids::DisputeId(1), Side::Yes);
    actual.append_new(&server.log).await;
    poll_until("the list catches up", async || {
        let settled = disputes(&server, json!({ "filter": { "status": "SETTLED" } })).await;
        (texts(&settled, "question") == ["Should zoos be closed?"]).then_some(())
    })
    .await;
    for (filter, n) in [
        (json!({ "status": "PROPOSED" }), 1),
        (json!({ "status": "OPEN" }), 11),
        (json!({ "debateId": debates[3].id }), 3),
        (json!({ "personaId": "ben", "debateId": debates[3].id }), 2),
        (json!({ "isTopic": true }), 0),
        (json!({ "isTopic": false }), 13),
        (json!({ "status": "RETIRED" }), 0),
    ] {
        let page = disputes(&server, json!({ "first": 100, "filter": filter })).await;
        assert_eq!(texts(&page, "question").len(), n, "{filter}");
    }
    let walked = disputes(&server, json!({ "first": 5 })).await;
    let rest = disputes(&server, json!({ "first": 100, "after": walked["pageInfo"]["endCursor"] })).await;
    assert_eq!(texts(&rest, "question").len(), 8);
    let found = disputes(&server, json!({ "search": "hay prices", "filter": { "status": "PROPOSED" } })).await;
    assert_eq!(texts(&found, "question"), ["Is hay cheap?"]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recurring_questions_are_clustered_without_their_neighbours() {
    let (server, debates) = server_with_questions().await;
    let found = server.client.data(RECURRING, json!({})).await["recurringCruxes"].take();
    let clusters = found.as_array().expect("clusters");
    let counts = |cluster: &Value| json!([cluster["debateCount"], cluster["wordingCount"]]);
    let actual: Vec<Value> = clusters.iter().map(counts).collect();
    assert_eq!(actual, [json!([3, 3]), json!([2, 2]), json!([2, 2])], "{found}");
    assert!(clusters.iter().all(|cluster| cluster["exact"] == true && cluster["origins"] == json!(["DISPUTE"])));

    let phones = &clusters[0];
    assert_eq!((&phones["memberCount"], &phones["members"]["totalCount"]), (&json!(3), &json!(3)));
    assert!(phones["cohesion"]["least"].as_f64() > Some(0.77), "{phones}");
    // In the order of the debates: `ada` says yes twice, then no.
    let ada = &phones["sidesByPersona"][0];
    let sides: Vec<&str> =
        ada["sides"].as_array().expect("sides").iter().filter_map(|side| side["side"].as_str()).collect();
    assert_eq!((&ada["personaId"], &ada["changed"], sides), (&json!("ada"), &json!(true), vec!["YES", "YES", "NO"]));
    assert_eq!(ada["sides"][0]["debateId"], json!(debates[0].id));
    assert_eq!(ada["sides"][0]["cruxId"], json!(format!("{}:d1", debates[0].id)));
    // The opposite question is reported as such and is not put into the cluster.
    let near = phones["neighbours"].as_array().expect("neighbours");
    assert_eq!(near[0]["question"], "Should phones be allowed at school?", "{near:?}");
    assert_eq!(near[0]["relation"], "OPPOSITE");
    assert!(near[1..].iter().all(|neighbour| neighbour["relation"] == "NEIGHBOUR"), "{near:?}");

    // Questions that differ in a number are different questions.
    assert!(clusters.iter().all(|cluster| !cluster["question"].as_str().expect("a text").contains("rents")), "{found}");

    // Members are paged.
    let members = &phones["members"];
    assert_eq!((texts(members, "statement").len(), &members["pageInfo"]["hasNextPage"]), (2, &json!(true)));
    let more = "query ($after: String) { recurringCruxes(first: 1) { members(first: 2, after: $after) {
        nodes { statement } pageInfo { hasNextPage } } } }";
    let rest = server.client.data(more, json!({ "after": members["pageInfo"]["endCursor"] })).await;
    assert_eq!(rest["recurringCruxes"][0]["members"]["nodes"].as_array().map(Vec::len), Some(1));
    assert_eq!(server.client.error_code(more, json!({ "after": "x" })).await, "INVALID");
    let back = "query ($before: String) { recurringCruxes(first: 1) { members(last: 2, before: $before) {
        nodes { statement } pageInfo { hasPreviousPage hasNextPage startCursor } } } }";
    let asked = async |variables| server.client.data(back, variables).await["recurringCruxes"][0]["members"].take();
    let end = asked(json!({})).await;
    assert_eq!(texts(&end, "statement")[1..], texts(&rest["recurringCruxes"][0]["members"], "statement"));
    assert_eq!(json!([end["pageInfo"]["hasPreviousPage"], end["pageInfo"]["hasNextPage"]]), json!([true, false]));
    let before = asked(json!({ "before": end["pageInfo"]["startCursor"] })).await;
    assert_eq!(texts(&before, "statement"), texts(members, "statement")[..1]);
    assert_eq!(server.client.error_code(back, json!({ "before": "x" })).await, "INVALID");

    // Filters apply.
    for (asked, n) in [
        (json!({ "first": 1 }), 1),
        (json!({ "filter": { "personaId": "ben" } }), 3),
        (json!({ "filter": { "debateId": debates[0].id } }), 0),
        (json!({ "filter": { "origin": "CLAIM" } }), 0),
    ] {
        let found = server.client.data(RECURRING, asked.clone()).await;
        assert_eq!(found["recurringCruxes"].as_array().map(Vec::len), Some(n), "{asked}");
    }
    for first in [0, -1, 101] {
        assert_eq!(server.client.error_code(RECURRING, json!({ "first": first })).await, "INVALID");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cruxes_command_searches_and_lists_recurring_questions() {
    let (server, _debates) = server_with_questions().await;
    let variables = server.environment();
    let found =
        run_json_command(&variables, &["cruxes", "--json", "--search", "smartphone prohibition in class"]).await;
    let first = &found[0][0];
    assert!(first["statement"].as_str().expect("a text").to_lowercase().contains("phones"), "{first}");
    assert!(first["match"]["cosine"].as_f64() > Some(0.5), "{first}");
    let found = run_json_command(&variables, &["cruxes", "--recurring", "--json"]).await;
    let actual: Vec<(&Value, &Value)> = found[0]
        .as_array()
        .expect("a list")
        .iter()
        .map(|cluster| (&cluster["debateCount"], &cluster["exact"]))
        .collect();
    assert_eq!(actual, [(&json!(3), &json!(true)), (&json!(2), &json!(true)), (&json!(2), &json!(true))]);
    assert_eq!(found[0][0]["neighbours"][0]["relation"], "OPPOSITE");
    let output = run_command(&variables, &["cruxes", "--recurring"]).await;
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    let records: Vec<Vec<&str>> = output.stdout.lines().map(|line| line.split('\t').collect()).collect();
    assert!(records.len() == 3 && records.iter().all(|record| record.len() == 5), "{}", output.stdout);
    assert_eq!(records[0][1], "3", "{}", output.stdout);
    let output = run_command(&variables, &["cruxes", "--recurring", "--search", "x"]).await;
    assert_eq!(output.code, Some(2));
    server.stop().await;
}
