//! Rebuilds of stored views while they are read and the log grows: readers see old or new rows, never a mixture,
//! whatever is killed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use faultline_core::events::dispute::Side;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::generations::generations::{GenerationState, RebuildReason};
use faultline_store::projector::projector_member::ProjectorMember;
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection};

use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::environment::n_trials;
use crate::support::service_process::{ServiceProcess, run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::TestServer;
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;
use crate::views::rebuild_steps::{
    assert_complete, count, debates, disputes_of, n_rows, rebuild_request, wait_for_projector, wait_for_state,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_during_a_rebuild_see_old_or_new_rows_and_no_mixture() {
    const READ: &str = "{
        debates(first: 100) { nodes { id topic } }
        cruxes(first: 100) { nodes { debateId debate { topic } } }
        again: debates(last: 100) { nodes { id topic } }
    }";
    let server = TestServer::start(&scripted_replies(0)).await;
    let views = Views::new(server.database.pool.clone());
    let marked: BTreeSet<String> = debates(&server.log, 12).await.iter().map(|debate| debate.id.to_string()).collect();
    wait_for_projector(&views, &server.log).await;
    // Marks the old rows, to show which rows a response was made of: the row of the list, and the stored summary.
    let mark = "update views set body = jsonb_set(body, '{topic}', '\"old\"') where projection = 'summary';
        update debates set topic = 'old'";
    server.database.run(mark).await;
    let stop = Arc::new(AtomicBool::new(false));
    let growing = tokio::spawn({
        let (log, stop) = (server.log.clone(), Arc::clone(&stop));
        async move {
            let mut builder = DebateBuilder::new(&["ada", "ben"]);
            for n in 0.. {
                builder.raise_dispute(&format!("Is it {n}?"), &[("ada", Side::Yes), ("ben", Side::No)]);
                builder.append_new(&log).await;
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    });
    let makes = async || {
        let data = server.client.data(READ, json!({})).await;
        let mut found = BTreeSet::new();
        for nodes in [&data["debates"]["nodes"], &data["again"]["nodes"], &data["cruxes"]["nodes"]] {
            for node in nodes.as_array().expect("nodes") {
                let (id, topic) = match node.get("debateId") {
                    Some(id) => (id, &node["debate"]["topic"]),
                    None => (&node["id"], &node["topic"]),
                };
                if marked.contains(id.as_str().expect("an id")) {
                    found.insert(topic.as_str().expect("a topic").to_owned());
                }
            }
        }
        assert_eq!(found.len(), 1, "a mixture: {found:?}");
        found.pop_first().expect("one")
    };
    assert_eq!(makes().await, "old");
    let rebuild = "mutation {
        rebuildProjection(input: { name: \"debates\", workers: 2 }) { projection { inProgress { number reason } } }
    }";
    let wanted = server.client.data(rebuild, json!({})).await;
    let in_progress = &wanted["rebuildProjection"]["projection"]["inProgress"];
    assert_eq!(*in_progress, json!({ "number": 2, "reason": "REQUESTED" }));
    poll_until("the new rows are served", async || (makes().await != "old").then_some(())).await;
    for _ in 0..20 {
        assert_ne!(makes().await, "old", "new rows were served before");
    }
    stop.store(true, Ordering::Relaxed);
    growing.await.expect("appends");
    assert_eq!(wait_for_projector(&views, &server.log).await, 2);
    assert_complete(&server.environment(), 14).await;
    server.stop().await;
}

/// Moments at which a service is killed: there it waits for a lock that the test holds.
const MOMENTS: [(&str, &str); 5] = [
    ("in the middle of the build", "before update on generation_lanes for each row when (new.lane > 7)"),
    ("at the first row", "before insert on debates for each row"),
    ("held", ""),
    ("in the switch", "before update on served for each row"),
    ("in the drop", "before delete on views for each row"),
];

const WAITER: &str = "
    create function wait_for_the_test() returns trigger language plpgsql as $$
    begin
        perform pg_advisory_xact_lock_shared(42);
        return coalesce(new, old);
    end
    $$";

/// Makes every process that reaches `place` wait, for as long as the returned connection lasts.
async fn block_at(database: &Database, place: &str) -> PgConnection {
    let mut connection = database.options.connect().await.expect("connect");
    connection.execute("select pg_advisory_lock(42)").await.expect("lock");
    let trigger = format!("create trigger wait_for_the_test {place} execute function wait_for_the_test()");
    database.run(&trigger).await;
    connection
}

/// Waits until a process waits there.
async fn wait_until_blocked(database: &Database) {
    poll_until("a process waits in the trigger", async || {
        let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted and objid = 42
            and database = (select oid from pg_database where datname = current_database())";
        (count(database, waiting).await > 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rebuild_killed_in_any_phase_continues_where_it_was() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let (log, views) = (database.log().await, Views::new(database.pool.clone()));
    let generations = views.generations();
    let n_debates = debates(&log, 25).await.len() + 1;
    database.run(WAITER).await;
    let mut service = ServiceProcess::start(&variables).await;
    wait_for_projector(&views, &log).await;
    let n_kills = n_trials(MOMENTS.len());
    for (round, (name, place)) in MOMENTS.iter().cycle().take(n_kills).enumerate() {
        let before = views.generation_to_read().await.expect("served");
        let (holds, drops) = (place.is_empty(), *name == "in the drop");
        let blocker = if holds { None } else { Some(block_at(&database, place).await) };
        let id = if drops {
            let those_before =
                "update generations set retired_at = retired_at - interval '1 hour' where state = 'retired'";
            database.run(those_before).await;
            count(&database, "select min(generation)::bigint from generations where state = 'retired'").await as i32
        } else {
            generations.request(rebuild_request(holds)).await.expect("want").id
        };
        if holds {
            wait_for_state(&generations, id, GenerationState::Held).await;
        } else {
            wait_until_blocked(&database).await;
        }
        assert_eq!(views.generation_to_read().await.expect("served"), before, "{name}");
        // In every second round, the successor runs before the other service is killed.
        let heir = if round % 2 == 0 { Some(ServiceProcess::start(&variables).await) } else { None };
        service.kill().await;
        if let Some(blocker) = blocker {
            blocker.close().await.expect("release the lock");
            let table = place.split_whitespace().nth(3).expect("a table");
            database.run(&format!("drop trigger wait_for_the_test on {table}")).await;
        }
        service = match heir {
            Some(heir) => heir,
            None => ServiceProcess::start(&variables).await,
        };
        if drops {
            wait_for_state(&generations, id, GenerationState::Dropped).await;
            assert_eq!(n_rows(&database, id).await, 0, "{name}");
            continue;
        }
        if holds {
            assert!(
                generations
                    .change_state(id, &[GenerationState::Held], GenerationState::Approved)
                    .await
                    .expect("approve")
            );
        }
        wait_for_state(&generations, id, GenerationState::Served).await;
        assert_eq!(wait_for_projector(&views, &log).await, id, "{name}");
        let disputes = disputes_of(&database, id).await;
        assert!(disputes.0 > 0 && disputes == disputes_of(&database, before).await, "{name}");
        assert_complete(&variables, n_debates).await;
    }
    assert_complete(&variables, n_debates).await;
    println!("{n_kills} kills of the projector, in each phase of a rebuild: every view equals a fresh fold");
    service.kill().await;
}

/// Returns a digest of all rows of a generation.
async fn rows_of(database: &Database, generation: i32) -> String {
    let query = format!(
        "select md5(string_agg(t::text, '' order by t::text)) from (
            select v::text as t from views v where generation = {generation}
            union all select d::text from debates d where generation = {generation}
            union all select c::text from cruxes c where generation = {generation}
            union all select q::text from disputes q where generation = {generation}
        ) as rows"
    );
    sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&database.pool).await.expect("rows")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_reports_the_changes_before_they_are_made() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (variables, views) = (server.environment(), Views::new(server.database.pool.clone()));
    let actual = debates(&server.log, 12).await;
    assert_eq!(wait_for_projector(&views, &server.log).await, 1);
    // Simulates rows of an older fold with other results.
    server.database.store_plain_verdicts().await;
    let edit = |n: usize, change: &str| {
        format!("update views set body = {change} where projection = 'verdict' and debate_id = '{}';", actual[n].id)
    };
    let edits = [
        edit(0, "jsonb_set(body, '{regime,kind}', '\"consensus\"')"),
        edit(1, "jsonb_set(body, '{regime,kind}', '\"consensus\"')"),
        edit(2, "jsonb_set(body, '{cruxes}', '[]')"),
        edit(3, "jsonb_set(body, '{camps}', '[]')"),
        edit(4, "jsonb_set(body, '{labels,a1}', '\"OUT\"')"),
        edit(5, "'{\"of\": \"another time\"}'"),
        format!("delete from views where projection = 'verdict' and debate_id = '{}'", actual[6].id),
    ];
    server.database.run(&edits.concat()).await;
    let before = rows_of(&server.database, 1).await;
    let dry = run_json_command(&variables, &["rebuild", "--diff", "--dry-run", "--json"]).await.remove(0);
    let diff = &dry["diff"];
    assert_eq!(json!([dry["served"], dry["generation"], dry["debates"]]), json!([false, 2, 13]));
    let counts =
        ["compared", "unchanged", "onlyBefore", "onlyAfter", "moved", "unreadable"].map(|name| diff[name].clone());
    assert_eq!(counts, [11, 6, 0, 1, 0, 1].map(Value::from), "{diff}");
    let changes = &diff["changes"];
    let of = |field: &str| {
        json!([
            changes[field]["debates"],
            changes[field]["changes"],
            changes[field]["examples"].as_array().map(Vec::len)
        ])
    };
    let fields: Vec<&String> = changes.as_object().expect("an object").keys().collect();
    assert_eq!(fields, ["verdict.camp", "verdict.crux", "verdict.label", "verdict.regime_kind"]);
    assert_eq!([of("verdict.regime_kind"), of("verdict.label")], [json!([2, 2, 2]), json!([1, 1, 1])]);
    assert_eq!(json!([of("verdict.camp")[0], of("verdict.crux")[0]]), json!([1, 1]));
    assert_eq!(changes["verdict.crux"]["kinds"].as_object().expect("kinds").keys().collect::<Vec<_>>(), ["added"]);
    let example = &changes["verdict.regime_kind"]["examples"][0];
    assert_eq!(example["topic"], "Should the ferry run at night?");
    assert_eq!(example["before"], "consensus");

    let generations = views.generations();
    wait_for_state(&generations, 2, GenerationState::Dropped).await;
    let after = (views.generation_to_read().await.expect("served"), rows_of(&server.database, 1).await);
    assert_eq!(after, (1, before), "a dry run changes nothing");
    assert_eq!(n_rows(&server.database, 2).await, 0);

    let words = run_command(&variables, &["rebuild", "--diff"]).await;
    assert_eq!(words.code, Some(0), "{}", words.stderr);
    for expected in ["11 debates compared, 6 unchanged", "verdict.regime_kind: 2 changes in 2 debates", "is now served"]
    {
        assert!(words.stdout.contains(expected), "{expected} in {}", words.stdout);
    }
    assert_eq!(views.generation_to_read().await.expect("served"), 3);
    assert_complete(&variables, 13).await;
    let again = run_json_command(&variables, &["rebuild", "--diff", "--json"]).await.remove(0);
    assert_eq!(json!([again["diff"]["compared"], again["diff"]["unchanged"], again["served"]]), json!([13, 13, true]));

    let listed = run_json_command(&variables, &["projections", "--json"]).await.remove(0);
    let states: Vec<&Value> =
        listed["generations"].as_array().expect("a list").iter().map(|generation| &generation["state"]).collect();
    assert_eq!(json!(states), json!(["retired", "dropped", "retired", "served"]));
    assert!(run_command(&variables, &["projections"]).await.stdout.contains("served"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unanswered_hold_expires_and_an_outdated_fold_is_rebuilt_automatically() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let views = Views::new(server.database.pool.clone());
    let generations = views.generations();
    debates(&server.log, 3).await;
    assert_eq!(wait_for_projector(&views, &server.log).await, 1);
    generations.request(rebuild_request(true)).await.expect("want");
    let mut more = DebateBuilder::new(&["ada", "ben"]);
    more.raise_dispute("Is it kept up?", &[("ada", Side::Yes), ("ben", Side::No)]);
    wait_for_state(&generations, 2, GenerationState::Held).await;
    more.append_new(&server.log).await;
    assert_eq!(wait_for_projector(&views, &server.log).await, 1, "the served rows stay up to date meanwhile");
    let kept_up = "select count(*) from debates where generation = 2";
    poll_until("the held rows stay up to date", async || (count(&server.database, kept_up).await == 5).then_some(()))
        .await;
    server.database.run("update generations set held_until = clock_timestamp() where state = 'held'").await;
    wait_for_state(&generations, 2, GenerationState::Dropped).await;
    assert_eq!((views.generation_to_read().await.expect("served"), n_rows(&server.database, 2).await), (1, 0));

    // Simulates rows made by an older program.
    server.database.run(&format!("update generations set revision = {} where state = 'served'", REVISION - 1)).await;
    let made = wait_for_state(&generations, 3, GenerationState::Served).await;
    assert_eq!((made.revision, made.reason, made.workers), (REVISION, RebuildReason::Revision, None));
    assert_complete(&server.environment(), 5).await;

    // Simulates rows made by a newer program: this one releases the views.
    server.database.run(&format!("update generations set revision = {} where state = 'served'", REVISION + 1)).await;
    let newer = ProjectorMember::join(&server.database.pool, REVISION + 1).await.expect("join").expect("a member");
    poll_until("the newer one coordinates", async || newer.assignment().borrow().coordinator).await;
    assert_eq!(views.generation_to_read().await.expect("served"), 3);
    newer.leave().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_can_be_queried_subscribed_to_and_scraped() {
    const SEEN: &str =
        "name revision served { number state behind eventsDone eventsTotal debateCount } inProgress { number }";
    let server = TestServer::start(&scripted_replies(0)).await;
    let views = Views::new(server.database.pool.clone());
    debates(&server.log, 4).await;
    wait_for_projector(&views, &server.log).await;
    let total: i64 = server.log.heads().await.expect("heads").iter().sum();
    let data = server.client.data(&format!("{{ projections {{ {SEEN} }} }}"), json!({})).await;
    let served = &data["projections"][0]["served"];
    assert_eq!(
        json!([data["projections"][0]["name"], data["projections"][0]["revision"]]),
        json!(["debates", REVISION])
    );
    assert_eq!(json!([served["number"], served["state"], served["behind"]]), json!([1, "SERVED", 0]));
    assert_eq!(json!([served["eventsDone"], served["eventsTotal"]]), json!([total, total]));

    let mut socket = WebSocketClient::open(&server.client).await;
    let query = format!("subscription {{ projectionProgress(name: \"debates\") {{ {SEEN} }} }}");
    socket.send(&json!({ "id": "1", "type": "subscribe", "payload": { "query": query } })).await;
    let mut numbers = Vec::new();
    while numbers.last() != Some(&json!(2)) {
        let heard = socket.receive().await.expect("a message");
        assert!(heard["payload"].get("errors").is_none(), "{heard}");
        numbers.push(heard["payload"]["data"]["projectionProgress"]["served"]["number"].clone());
        if numbers.len() == 1 {
            let rebuild = "mutation { rebuildProjection(input: { name: \"debates\" }) { projection { name } } }";
            server.client.data(rebuild, json!({})).await;
        }
    }
    assert_eq!(numbers.first(), Some(&json!(1)));
    for (input, code) in [("name: \"moods\"", "NOT_FOUND"), ("name: \"debates\", workers: 0", "INVALID")] {
        let asked = format!("mutation {{ rebuildProjection(input: {{ {input} }}) {{ projection {{ name }} }} }}");
        assert_eq!(server.client.error_code(&asked, json!({})).await, code);
    }
    let metrics = server.client.http.get(server.client.url("/metrics")).send().await.expect("metrics");
    let metrics = metrics.text().await.expect("text");
    for line in
        ["faultline_projection_generation 2", "faultline_rebuild_events_total 0", "faultline_projection_lag_events 0"]
    {
        assert!(metrics.lines().any(|metric| metric == line), "{line} in {metrics}");
    }
    server.stop().await;
}
