//! Relay connections: lists are paged from any cursor, in both directions, without gaps or repeats.

use std::collections::{BTreeMap, BTreeSet};

use faultline_core::events::dispute::Side;
use faultline_store::views::cruxes::{CruxPageRequest, CruxQuery, CruxSort};
use faultline_store::views::debates::{DebatePageRequest, DebateQuery, DebateSort, PageDirection};
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use sqlx::postgres::PgPoolOptions;

use crate::support::database::migrated_database;
use crate::support::debate_builder::DebateBuilder;
use crate::support::phase_events::new_debate_id;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;
use crate::support::view_waits::wait_for_views;

/// Pages through a connection from one end to the other; returns the cursors of all items in list order.
async fn all_cursors(
    server: &TestServer,
    query: &str,
    path: &[&str],
    asked: &Value,
    size: usize,
    forward: bool,
) -> Vec<String> {
    let (mut walked, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut variables = asked.clone();
        let (count, place) = if forward { ("first", "after") } else { ("last", "before") };
        variables[count] = json!(size);
        variables[place] = cursor.clone();
        let data = server.client.data(query, variables).await;
        let page = path.iter().fold(&data, |value, name| &value[*name]);
        let edges = page["edges"].as_array().expect("edges").iter();
        let edges: Vec<String> = edges.map(|edge| edge["cursor"].as_str().expect("a cursor").to_owned()).collect();
        let info = &page["pageInfo"];
        assert!(edges.len() <= size, "{query}");
        assert_eq!(page["nodes"].as_array().map(Vec::len), Some(edges.len()));
        assert_eq!(
            (info["startCursor"].as_str(), info["endCursor"].as_str()),
            (edges.first().map(String::as_str), edges.last().map(String::as_str))
        );
        let more = if forward {
            walked.extend(edges);
            (&info["hasNextPage"], &info["hasPreviousPage"])
        } else {
            walked.splice(0..0, edges);
            (&info["hasPreviousPage"], &info["hasNextPage"])
        };
        assert_eq!(*more.1, !cursor.is_null(), "{query}");
        assert_eq!(*more.0, page["totalCount"].as_u64().expect("a count") > walked.len() as u64, "{query}: {page}");
        cursor = if forward { info["endCursor"].clone() } else { info["startCursor"].clone() };
        if *more.0 == false {
            return walked;
        }
    }
}

const PAGE: &str = "totalCount edges { cursor node { id } } nodes { id }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";
const ARGUMENTS: &str = "first: $first, after: $after, last: $last, before: $before";
const DECLARED: &str = "$first: Int, $after: String, $last: Int, $before: String";

async fn record_debates(server: &TestServer, n: usize) -> Vec<DebateBuilder> {
    let mut debates = Vec::new();
    let mut versions = Vec::new();
    for at in 0..n {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        for k in 0..3 {
            let own = builder.add_argument("ada", &format!("Yes {k}"), &format!("Crews are rested, {at} {k}."));
            let theirs = builder.add_argument("ben", &format!("No {k}"), &format!("Fuel is dear, {at} {k}."));
            builder.add_mutual_attack("ben", theirs, own);
        }
        builder.raise_dispute(&format!("Is winter {at} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        versions.push(builder.append_new(&server.log).await);
        debates.push(builder);
    }
    wait_for_views(server, &debates.iter().zip(versions).collect::<Vec<_>>()).await;
    debates
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_connection_is_paged_both_ways_without_gaps_or_repeats() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates = record_debates(&server, 7).await;
    let id = debates[3].id;
    let lists = [
        (format!("query ({DECLARED}) {{ debates({ARGUMENTS}) {{ {PAGE} }} }}"), vec!["debates"], 7),
        (format!("query ({DECLARED}) {{ debates({ARGUMENTS}, orderBy: CHANGED) {{ {PAGE} }} }}"), vec!["debates"], 7),
        (format!("query ({DECLARED}) {{ cruxes({ARGUMENTS}) {{ {PAGE} }} }}"), vec!["cruxes"], 28),
        (
            format!(
                "query ({DECLARED}) {{ disputes({ARGUMENTS}) {{ {} }} }}",
                PAGE.replace("{ id }", "{ id: disputeId }")
            ),
            vec!["disputes"],
            7,
        ),
        (
            format!(
                "query ({DECLARED}) {{ disputes({ARGUMENTS}, search: \"winter\") {{ {} }} }}",
                PAGE.replace("{ id }", "{ id: disputeId }")
            ),
            vec!["disputes"],
            7,
        ),
        (
            format!("query ({DECLARED}) {{ debate(id: \"{id}\") {{ turns({ARGUMENTS}) {{ {PAGE} }} }} }}"),
            vec!["debate", "turns"],
            11,
        ),
        (
            format!("query ({DECLARED}) {{ debate(id: \"{id}\") {{ events({ARGUMENTS}) {{ {PAGE} }} }} }}"),
            vec!["debate", "events"],
            27,
        ),
        (
            format!(
                "query ({DECLARED}) {{ debate(id: \"{id}\") {{ events({ARGUMENTS}, kinds: [\"turn_taken\", \"stance_taken\"]) {{ {PAGE} }} }} }}"
            ),
            vec!["debate", "events"],
            13,
        ),
    ];
    for (query, path, n) in &lists {
        let whole = all_cursors(&server, query, path, &json!({}), 100, true).await;
        assert_eq!((whole.len(), whole.iter().collect::<BTreeSet<_>>().len()), (*n, *n), "{query}");
        for size in [1, 4, *n] {
            for forward in [true, false] {
                let again = all_cursors(&server, query, path, &json!({}), size, forward).await;
                assert_eq!(again, whole, "{query} by {size}, forward: {forward}");
            }
        }
        for wrong in [
            json!({ "first": 0 }),
            json!({ "first": 101 }),
            json!({ "last": 0 }),
            json!({ "last": 101 }),
            json!({ "first": 1, "last": 1 }),
            json!({ "first": 1, "before": whole[0] }),
            json!({ "last": 1, "after": whole[0] }),
            json!({ "after": "" }),
            json!({ "after": "v.-1" }),
            json!({ "after": "v.99999999999999999999" }),
            json!({ "before": "x", "last": 1 }),
        ] {
            assert_eq!(server.client.error_code(query, wrong.clone()).await, "INVALID", "{query} {wrong}");
        }
    }
    server.stop().await;
}

/// The total count of the log is null if events are filtered by kind.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_paged_from_any_cursor() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates = record_debates(&server, 5).await;
    const LOG: &str = "query ($first: Int, $after: String, $kinds: [String!]) {
        log(first: $first, after: $after, kinds: $kinds) {
            totalCount edges { cursor node { debateId version kind position } } nodes { id }
            pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
    }";
    let n_events = server.log.count_events().await.expect("the log") as usize;
    let from = async |mut cursor: Value, size: usize, kinds: &Value| {
        let mut seen: Vec<(String, i64, String)> = Vec::new();
        loop {
            let variables = json!({ "first": size, "after": cursor, "kinds": kinds });
            let page = server.client.data(LOG, variables).await["log"].take();
            for edge in page["edges"].as_array().expect("edges") {
                let node = &edge["node"];
                let debate = node["debateId"].as_str().expect("an id").to_owned();
                seen.push((
                    debate,
                    node["version"].as_i64().expect("a version"),
                    edge["cursor"].as_str().expect("a cursor").to_owned(),
                ));
            }
            assert_eq!(page["totalCount"].as_u64(), kinds.is_null().then_some(n_events as u64));
            cursor = page["pageInfo"]["endCursor"].clone();
            if page["pageInfo"]["hasNextPage"] == false {
                return (seen, cursor);
            }
        }
    };
    let whole = |seen: &[(String, i64, String)]| {
        let mut versions: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        seen.iter().for_each(|pair| versions.entry(pair.0.clone()).or_default().push(pair.1));
        versions
    };
    let (all, end) = from(Value::Null, 100, &Value::Null).await;
    assert_eq!((all.len(), whole(&all).len()), (n_events, debates.len()));
    assert!(
        whole(&all).values().all(|versions| versions.iter().copied().eq(1..=versions.len() as i64)),
        "the events of each debate are in order"
    );
    for size in [1, 3, 16, 17] {
        assert_eq!(whole(&from(Value::Null, size, &Value::Null).await.0), whole(&all), "by {size}");
    }
    // Paging from the cursor of any event returns exactly the rest.
    for at in (0..all.len()).step_by(7) {
        let (rest, _) = from(json!(all[at].2), 5, &Value::Null).await;
        let mut together = all[..=at].to_vec();
        together.extend(rest);
        assert_eq!(whole(&together), whole(&all), "after event {at}");
        assert_eq!(together.len(), n_events);
    }
    let kinds = json!(["attack_judged"]);
    for size in [1, 2, 100] {
        let (some, _) = from(Value::Null, size, &kinds).await;
        assert_eq!((some.len(), whole(&some).len()), (15, 5), "three per debate");
    }
    // Events recorded later follow the end cursor.
    let mut more = DebateBuilder::new(&["ada", "ben"]);
    let n_more = more.append_new(&server.log).await;
    let page = server.client.data(LOG, json!({ "after": end })).await["log"].take();
    assert_eq!(page["nodes"].as_array().map(Vec::len), Some(n_more as usize));
    let code = async |variables: Value| server.client.error_code(LOG, variables).await;
    let ahead = format!("v1{}", ".ffffff".repeat(16));
    assert_eq!(code(json!({ "after": ahead })).await, "FUTURE_CURSOR");
    assert_eq!(code(json!({ "after": "v1.0" })).await, "INVALID");
    assert_eq!(code(json!({ "kinds": ["moon_landed"] })).await, "INVALID");
    assert_eq!(code(json!({ "first": 101 })).await, "INVALID");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_and_nodes_find_objects_by_id() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let debates = record_debates(&server, 3).await;
    let crux = format!("{}:d1", debates[1].id);
    const NODE: &str = "query ($id: ID!) { node(id: $id) {
        __typename id ... on Debate { topic cruxes { id } } ... on Crux { question debate { id } } ... on Persona { name }
    } }";
    const NODES: &str = "query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }";
    let node = async |id: &str| server.client.data(NODE, json!({ "id": id })).await["node"].take();
    let debate_id = debates[0].id.to_string();
    let found = node(&debate_id).await;
    assert_eq!(
        (&found["__typename"], &found["id"], &found["topic"]),
        (&json!("Debate"), &json!(debate_id), &json!("Should the ferry run at night?"))
    );
    let found = node(&crux).await;
    assert_eq!((&found["__typename"], &found["debate"]["id"]), (&json!("Crux"), &json!(debates[1].id)));
    assert_eq!(found["question"], "Is winter 1 rough?");
    let found = node("edda-tolvane").await;
    assert_eq!((&found["__typename"], &found["id"]), (&json!("Persona"), &json!("edda-tolvane")));
    let nobody = new_debate_id().to_string();
    for id in
        [nobody.as_str(), &format!("{nobody}:d1"), &format!("{debate_id}:d9"), "nobody-here", "", "no name at all"]
    {
        assert_eq!(node(id).await, Value::Null, "{id}");
    }
    let ids = json!([crux, debate_id, nobody, "edda-tolvane", debate_id, "?"]);
    let found = server.client.data(NODES, json!({ "ids": ids })).await["nodes"].take();
    let kinds: Vec<&Value> = found.as_array().expect("a list").iter().map(|node| &node["__typename"]).collect();
    assert_eq!(json!(kinds), json!(["Crux", "Debate", null, "Persona", "Debate", null]));
    assert_eq!((&found[0]["id"], &found[1]["id"]), (&json!(crux), &json!(debate_id)));
    server.stop().await;
}

/// All fields of a listed debate belong to the version that the list returns, even while the debate grows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_fields_of_a_debate_belong_to_one_version() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let mut debates = record_debates(&server, 2).await;
    const WHOLE: &str = "version events(last: 1) { totalCount nodes { version } } turns { totalCount } cruxes { id }
        regime { kind } arguments { id }";
    let query = format!(
        "query ($id: ID!, $at: Int) {{ debate(id: $id, at: $at) {{ {WHOLE} }} debates(first: 5) {{ nodes {{ id {WHOLE} }} }} }}"
    );
    let id = debates[0].id;
    for _ in 0..5 {
        debates[0].raise_dispute("Is summer calm?", &[("ada", Side::Yes), ("ben", Side::No)]);
        let version = debates[0].append_new(&server.log).await;
        let now = server.client.data(&query, json!({ "id": id })).await;
        assert_eq!(now["debate"]["version"], version, "a read includes the last append");
        for actual in now["debates"]["nodes"].as_array().expect("a list").iter().chain([&now["debate"]]) {
            let version = &actual["version"];
            assert_eq!((&actual["events"]["totalCount"], &actual["events"]["nodes"][0]["version"]), (version, version));
            let id = actual["id"].as_str().map_or(id.to_string(), str::to_owned);
            let folded = server.client.data(&query, json!({ "id": id, "at": version })).await["debate"].to_string();
            // Objects at a version have ids of their own.
            let folded: Value = serde_json::from_str(&folded.replace(&format!("{id}@{version}"), &id)).expect("JSON");
            for name in ["turns", "cruxes", "regime", "arguments"] {
                assert_eq!(actual[name], folded[name], "{name}");
            }
        }
    }
    server.stop().await;
}

/// Checks the index behind every order and filter over 100,000 debates and as many cruxes: no table is scanned whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_order_and_filter_uses_its_index() {
    let database = migrated_database().await;
    database
        .run(
            "insert into served (name, generation) values ('debates', 1);
            insert into debates
            select 1, gen_random_uuid(), 9, 'Topic ' || n, (array['graph', 'dialogue'])[1 + n % 2], 'scripted',
                (array['running', 'paused', 'concluded', 'cancelled'])[1 + n % 4], null, 'partial',
                '2026-01-01'::timestamptz + n * interval '1 minute',
                '2026-01-01'::timestamptz + (n * 7919 % 100000) * interval '1 minute', null, 5, 100, 100,
                array['p' || n % 500, 'q' || n % 700]
            from generate_series(1, 100000) n;
            insert into cruxes (generation, debate_id, key, place, kind, open, statement, pivotality, n_dependents, personas,
                regime, opened_at, changed_at, body)
            select 1, debate_id, 'd1', 1, (array['dispute', 'assumption', 'premise', 'claim'])[1 + n % 4], n % 3 > 0,
                'Is it so that ' || n || ' is odd?', (n % 100) / 100.0, n % 50, array['p' || n % 5000], 'partial', opened_at,
                changed_at, '{}'
            from (select *, row_number() over () as n from debates) as debates;
            analyze debates; analyze cruxes;",
        )
        .await;
    // One connection, so that its own statistics cover all reads.
    let pool = PgPoolOptions::new().max_connections(1).connect_with(database.options.clone()).await.expect("connect");
    let views = Views::new(pool.clone());
    let used = async || -> BTreeSet<String> {
        sqlx::query("select pg_stat_force_next_flush()").execute(&pool).await.expect("flush");
        sqlx::query_scalar(
            "select relname || ' read whole' from pg_stat_user_tables where seq_scan > 0 and relname in ('debates', 'cruxes')
            union all select indexrelname from pg_stat_user_indexes where idx_scan > 0 and relname in ('debates', 'cruxes')",
        )
        .fetch_all(&pool)
        .await
        .expect("the statistics")
        .into_iter()
        .collect()
    };
    let reset = async || {
        sqlx::query("select pg_stat_force_next_flush()").execute(&pool).await.expect("flush");
        sqlx::query("select pg_stat_reset()").execute(&pool).await.expect("reset");
    };
    let persona = || Some("p7".parse().expect("a persona"));
    let filters = [
        (DebateQuery::default(), DebateSort::Newest, "debates_newest"),
        (DebateQuery::default(), DebateSort::Changed, "debates_changed"),
        (DebateQuery { status: Some("paused".into()), ..DebateQuery::default() }, DebateSort::Newest, "debates_status"),
        (
            DebateQuery { status: Some("paused".into()), ..DebateQuery::default() },
            DebateSort::Changed,
            "debates_changed",
        ),
        (DebateQuery { engine: Some("graph".into()), ..DebateQuery::default() }, DebateSort::Newest, "debates_engine"),
        (DebateQuery { persona: persona(), ..DebateQuery::default() }, DebateSort::Newest, "debates_participants"),
        (DebateQuery { persona: persona(), ..DebateQuery::default() }, DebateSort::Changed, "debates_participants"),
        (DebateQuery { topic: Some("Topic 9".into()), ..DebateQuery::default() }, DebateSort::Newest, "debates_newest"),
    ];
    for (filter, order, index) in filters {
        reset().await;
        let mut from = None;
        for toward in [PageDirection::Older, PageDirection::Newer] {
            let part = DebatePageRequest { order, from, toward, limit: 20, counted: false, brief: false };
            let found = views.list_debates(None, &filter, &part).await.expect("the views");
            assert_eq!(found.lines.len(), if from.is_none() { 20 } else { found.lines.len() });
            from = found.lines.last().map(|line| order.place(&line.row));
        }
        assert_index_used(index, &used().await, &format!("{filter:?} by {order:?}"));
    }
    let orders = [
        (CruxQuery::default(), CruxSort::Newest, "cruxes_newest"),
        (CruxQuery::default(), CruxSort::Changed, "cruxes_changed"),
        (CruxQuery::default(), CruxSort::Pivotality, "cruxes_pivotality"),
        (CruxQuery::default(), CruxSort::Dependents, "cruxes_dependents"),
        (CruxQuery { min_pivotality: Some(0.9), ..CruxQuery::default() }, CruxSort::Pivotality, "cruxes_pivotality"),
        (CruxQuery { kind: Some("claim".into()), ..CruxQuery::default() }, CruxSort::Newest, "cruxes_kind"),
        (CruxQuery { open: Some(false), ..CruxQuery::default() }, CruxSort::Newest, "cruxes_open"),
        (CruxQuery { persona: persona(), ..CruxQuery::default() }, CruxSort::Newest, "cruxes_personas"),
        (CruxQuery { debate: Some(new_debate_id()), ..CruxQuery::default() }, CruxSort::Newest, "cruxes_pkey"),
        (CruxQuery { search: Some("777".into()), ..CruxQuery::default() }, CruxSort::Newest, "cruxes_newest"),
    ];
    for (filter, order, index) in orders {
        reset().await;
        let part =
            CruxPageRequest { from: None, toward: PageDirection::Older, limit: 20, counted: false, brief: false };
        views.cruxes(None, &filter, order, &part).await.expect("the views");
        assert_index_used(index, &used().await, &format!("{filter:?} by {order:?}"));
    }
}

fn assert_index_used(index: &str, used: &BTreeSet<String>, what: &str) {
    assert!(used.contains(index) && !used.iter().any(|name| name.ends_with("read whole")), "{what}: {used:?}");
}
