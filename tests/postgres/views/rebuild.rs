//! Rebuilds of stored views while they are read and the log grows: readers see old or new rows, never a mixture,
//! whatever is killed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use faultline_core::events::dispute::Side;
use faultline_core::events::event::Event;
use faultline_core::events::fork::DebateForked;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::generations::generations::{
    Generation, GenerationRequest, GenerationState, Generations, RebuildReason,
};
use faultline_store::generations::projector_lock::ProjectorLock;
use faultline_store::log::log::Log;
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection};
use uuid::Uuid;

use crate::support::client::{
    ServiceProcess, TestHome, WebSocketClient, poll_until, run_command, run_json_command, scripted_replies,
};
use crate::support::database::{Database, migrated_database, n_trials, new_debate_id};
use crate::support::debate_builder::DebateBuilder;
use crate::support::test_server::TestServer;

/// Appends debates between two speakers, each with cruxes of several kinds, and a fork of the first.
async fn debates(log: &Log, n_debates: usize) -> Vec<DebateBuilder> {
    let mut debates = Vec::new();
    for n in 0..n_debates {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        let own = builder.add_argument("ada", "Yes", &format!("Crews are rested, case {n}."));
        let theirs = builder.add_argument("ben", "No", &format!("The fuel's price doubled, case {n}."));
        builder.add_mutual_attack("ben", theirs, own);
        builder.raise_dispute(&format!("Is winter {n} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.append_new(log).await;
        debates.push(builder);
    }
    let shared = log.read(debates[0].id, 0, 10).await.expect("the log");
    let Event::DebateOpened(opened) = &shared[0].event else { panic!("not opened: {:?}", shared[0]) };
    let forked = DebateForked { origin: debates[0].id, at: 6, opened: opened.clone() };
    log.fork(new_debate_id(), Uuid::now_v7(), forked).await.expect("a fork");
    debates
}

fn rebuild_request(holds: bool) -> GenerationRequest {
    GenerationRequest {
        revision: REVISION,
        reason: RebuildReason::Asked,
        workers: Some(2),
        holds,
        allows_letters: false,
    }
}

async fn wait_for_state(generations: &Generations, id: i32, state: GenerationState) -> Generation {
    poll_until(&format!("generation {id} is {}", state.name()), async || {
        generations.one(id).await.expect("the table").filter(|it| it.state == state)
    })
    .await
}

/// Waits until the served views are as new as the log. Returns the served generation.
async fn wait_for_projector(views: &Views, log: &Log) -> i32 {
    poll_until("the views catch up", async || {
        let served = views.served_generation("debates").await.expect("served")?;
        let heads = log.heads().await.expect("heads");
        (views.behind(served, &heads).await.expect("behind") == 0).then_some(served)
    })
    .await
}

async fn count(database: &Database, query: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_one(&database.pool).await.expect(query)
}

async fn n_rows(database: &Database, generation: i32) -> i64 {
    let of = |table| format!("(select count(*) from {table} where generation = {generation})");
    count(database, &format!("select {} + {} + {} + {}", of("views"), of("debates"), of("cruxes"), of("disputes")))
        .await
}

/// Returns the number of disputes of a generation, and a digest of their content.
async fn disputes_of(database: &Database, generation: i32) -> (i64, Option<String>) {
    let query = format!(
        "select count(*), md5(string_agg((to_jsonb(d) - 'generation')::text, '' order by debate_id, key))
        from disputes d
        where generation = {generation}"
    );
    sqlx::query_as(AssertSqlSafe(query)).fetch_one(&database.pool).await.expect("disputes")
}

/// Checks that every stored row equals a fresh fold and that no row is missing.
async fn assert_complete(variables: &[(&'static str, String)], n_debates: usize) {
    let verified = run_json_command(variables, &["verify", "--json"]).await;
    let found = json!([verified[0]["debates"], verified[0]["views"], verified[0]["faults"]]);
    assert_eq!(found, json!([n_debates, 4 * n_debates, []]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_during_a_rebuild_see_old_or_new_rows_and_no_mixture() {
    const READ: &str = "{
        debates(first: 100) { nodes { id topic } }
        cruxes(first: 100) { nodes { debateId debate { topic } } }
        again: debates(last: 100) { nodes { id topic } }
    }";
    let server = TestServer::start(&scripted_replies(0)).await;
    let views = Views::new(server.database.pool.clone());
    let marked: BTreeSet<String> = debates(&server.log, 12).await.iter().map(|it| it.id.to_string()).collect();
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
    let rebuild = "mutation { rebuildProjection(name: \"debates\", workers: 2) { underWay { number reason } } }";
    let wanted = server.client.data(rebuild, json!({})).await;
    assert_eq!(wanted["rebuildProjection"]["underWay"], json!({ "number": 2, "reason": "ASKED" }));
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
    let counts = ["compared", "unchanged", "onlyBefore", "onlyAfter", "moved", "unreadable"].map(|it| diff[it].clone());
    assert_eq!(counts, [11, 6, 0, 1, 0, 1].map(Value::from), "{diff}");
    let of = |what: &str| {
        json!([diff[what]["debates"], diff[what]["changes"], diff[what]["examples"].as_array().map(Vec::len)])
    };
    assert_eq!([of("regimes"), of("camps"), of("cruxesLost")], [json!([2, 2, 2]), json!([1, 1, 1]), json!([0, 0, 0])]);
    assert_eq!(of("cruxesGained")[0], 1);
    assert_eq!(of("labels"), json!([1, 1, 1]));
    assert_eq!(diff["regimes"]["examples"][0]["topic"], "Should the ferry run at night?");
    assert_eq!(diff["regimes"]["examples"][0]["before"], "consensus");

    let generations = views.generations();
    wait_for_state(&generations, 2, GenerationState::Dropped).await;
    let after = (views.generation_to_read().await.expect("served"), rows_of(&server.database, 1).await);
    assert_eq!(after, (1, before), "a dry run changes nothing");
    assert_eq!(n_rows(&server.database, 2).await, 0);

    let words = run_command(&variables, &["rebuild", "--diff"]).await;
    assert_eq!(words.code, Some(0), "{}", words.stderr);
    for expected in ["11 debates compared, 6 of them unchanged", "regimes that change: 2 in 2 debates", "is now served"]
    {
        assert!(words.stdout.contains(expected), "{expected} in {}", words.stdout);
    }
    assert_eq!(views.generation_to_read().await.expect("served"), 3);
    assert_complete(&variables, 13).await;
    let again = run_json_command(&variables, &["rebuild", "--diff", "--json"]).await.remove(0);
    assert_eq!(json!([again["diff"]["compared"], again["diff"]["unchanged"], again["served"]]), json!([13, 13, true]));

    let listed = run_json_command(&variables, &["projections", "--json"]).await.remove(0);
    let states: Vec<&Value> = listed["generations"].as_array().expect("a list").iter().map(|it| &it["state"]).collect();
    assert_eq!(json!(states), json!(["retired", "dropped", "retired", "served"]));
    assert!(run_command(&variables, &["projections"]).await.stdout.contains("served"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_rebuilds_without_a_service_and_verify_finds_altered_rows() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let (log, views) = (database.log().await, Views::new(database.pool.clone()));
    debates(&log, 5).await;
    let made = run_json_command(&variables, &["rebuild", "--workers", "1", "--json"]).await.remove(0);
    assert_eq!(json!([made["served"], made["debates"], made["diff"]]), json!([true, 6, null]));
    assert_eq!(wait_for_projector(&views, &log).await, made["generation"]);
    assert_complete(&variables, 6).await;
    for altered in ["statement = 'Something else'", "place = place + 1", "opened_at = opened_at - interval '1 s'"] {
        database
            .run(&format!(
                "update cruxes set {altered} where debate_id = (select max(debate_id::text)::uuid from cruxes)"
            ))
            .await;
        let output = run_command(&variables, &["verify", "--json"]).await;
        let found: Value = serde_json::from_str(&output.stdout).expect("JSON");
        let is_crux = found["faults"][0].as_str().is_some_and(|it| it.contains("list of cruxes"));
        if altered.starts_with("place") {
            assert_eq!(
                (output.code, found["faults"].as_array().map(Vec::len)),
                (Some(1), Some(1)),
                "the place is not compared, and the statement is still altered"
            );
        }
        assert!(output.code == Some(1) && is_crux, "{altered}: {found}");
    }
    assert_eq!(run_command(&variables, &["rebuild", "--workers", "17"]).await.code, Some(2));
    let moods = run_command(&variables, &["rebuild", "moods"]).await;
    assert!(moods.code == Some(1) && moods.stderr.contains("available: debates, summary, verdict"), "{}", moods.stderr);
    // A dry run changes nothing even if the code is newer than the served rows.
    database.run(&format!("update generations set revision = {}", REVISION - 1)).await;
    let dry = run_json_command(&variables, &["rebuild", "--dry-run", "--json"]).await.remove(0);
    assert_eq!(json!([dry["served"], dry["diff"]["compared"], dry["diff"]["unchanged"]]), json!([false, 6, 6]));
    let states: Vec<&str> = views.generations().all().await.expect("all").iter().map(|it| it.state.name()).collect();
    assert_eq!(states, ["served", "dropped"]);
    let together = run_command(&variables, &["rebuild", "cruxes", "verdict"]).await;
    assert!(together.code == Some(0) && together.stderr.contains("are always rebuilt together"), "{}", together.stderr);
    assert_complete(&variables, 6).await;
    altered_disputes(&database, &variables).await;
}

/// Checks that altered, deleted and added rows of disputes are found, and a missing view as well.
async fn altered_disputes(database: &Database, variables: &[(&'static str, String)]) {
    let of = "debate_id = (select min(debate_id::text)::uuid from disputes)";
    for (altered, wanted) in [
        (format!("update disputes set statement = 'Something else' where {of}"), "list of disputes differs from"),
        (format!("delete from disputes where {of}"), "list of disputes differs from"),
        (format!("delete from views where projection = 'verdict' and {of}"), "verdict is missing"),
    ] {
        database.run(&altered).await;
        let after = faults(variables).await;
        assert!(after.iter().any(|it| it.contains(wanted)), "{altered}: {after:?}");
    }
}

/// Returns the faults that `faultline verify` finds.
async fn faults(variables: &[(&'static str, String)]) -> Vec<String> {
    let output = run_command(variables, &["verify", "--json"]).await;
    let found: Value = serde_json::from_str(&output.stdout).expect("JSON");
    serde_json::from_value(found["faults"].clone()).expect("a list")
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
    let lock = poll_until("the lock is free", async || {
        ProjectorLock::try_take(&server.database.pool).await.expect("the lock")
    })
    .await;
    assert_eq!(views.generation_to_read().await.expect("served"), 3);
    lock.release().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_can_be_queried_subscribed_to_and_scraped() {
    const SEEN: &str =
        "name revision served { number state behind eventsDone eventsTotal debates } underWay { number }";
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
            server.client.data("mutation { rebuildProjection(name: \"debates\") { name } }", json!({})).await;
        }
    }
    assert_eq!(numbers.first(), Some(&json!(1)));
    for (arguments, code) in [("name: \"moods\"", "NOT_FOUND"), ("name: \"debates\", workers: 0", "INVALID")] {
        let asked = format!("mutation {{ rebuildProjection({arguments}) {{ name }} }}");
        assert_eq!(server.client.error_code(&asked, json!({})).await, code);
    }
    let metrics = server.client.http.get(server.client.url("/metrics")).send().await.expect("metrics");
    let metrics = metrics.text().await.expect("text");
    for line in
        ["faultline_projection_generation 2", "faultline_rebuild_events_total 0", "faultline_projection_lag_events 0"]
    {
        assert!(metrics.lines().any(|it| it == line), "{line} in {metrics}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_events_are_reported_and_the_old_views_stay_served() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let views = Views::new(server.database.pool.clone());
    let generations = views.generations();
    let actual = debates(&server.log, 2).await;
    assert_eq!(wait_for_projector(&views, &server.log).await, 1);
    damage(&server.database, actual[1].id, 2).await;
    generations.request(rebuild_request(false)).await.expect("want");
    let troubled = poll_until("the problem is recorded", async || {
        generations.one(2).await.expect("the table").filter(|it| it.problem.is_some())
    })
    .await;
    assert_eq!((troubled.state, views.generation_to_read().await.expect("served")), (GenerationState::Building, 1));
    assert!(troubled.problem.is_some_and(|it| it.contains(&actual[1].id.to_string())));
    // A command that requests the same rebuild does not wait forever, and withdraws the request.
    let refused = run_command(&server.environment(), &["rebuild"]).await;
    assert!(refused.code == Some(1) && refused.stderr.contains("--allow-letters"), "{refused:?}");
    wait_for_state(&generations, 2, GenerationState::Dropped).await;
    assert_eq!(
        (views.generation_to_read().await.expect("served"), views.count_dead_letters().await.expect("letters")),
        (1, 0)
    );

    // A request that waits because of a damaged event is completed after the event is restored.
    generations.request(rebuild_request(false)).await.expect("want");
    poll_until("the problem is recorded", async || {
        generations.one(3).await.expect("the table").filter(|it| it.problem.is_some())
    })
    .await;
    restore(&server.database, actual[1].id, 2).await;
    wait_for_state(&generations, 3, GenerationState::Served).await;
    assert_eq!(views.count_dead_letters().await.expect("letters"), 0);
    assert_complete(&server.environment(), 3).await;
    server.stop().await;
}

/// Makes an event unreadable, as a superuser could, and saves the original.
async fn damage(database: &Database, debate: DebateId, version: i64) {
    let statements = format!(
        "create table if not exists whole (debate_id uuid, version bigint, body bytea);
        insert into whole select debate_id, version, body from events
        where debate_id = '{debate}' and version = {version};
        alter table events disable trigger all;
        update events set body = 'not json' where debate_id = '{debate}' and version = {version};
        alter table events enable trigger all"
    );
    database.run(&statements).await;
}

/// Restores a damaged event.
async fn restore(database: &Database, debate: DebateId, version: i64) {
    let statements = format!(
        "alter table events disable trigger all;
        update events set body = whole.body from whole
        where events.debate_id = whole.debate_id and events.version = whole.version
        and whole.debate_id = '{debate}' and whole.version = {version};
        alter table events enable trigger all"
    );
    database.run(&statements).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_debates_are_skipped_by_name_and_cut_over_needs_permission() {
    let server = TestServer::start(&scripted_replies(0)).await;
    let (variables, views) = (server.environment(), Views::new(server.database.pool.clone()));
    let actual = debates(&server.log, 8).await;
    assert_eq!(wait_for_projector(&views, &server.log).await, 1);
    let fork: Uuid =
        sqlx::query_scalar("select fork from fork_origins").fetch_one(&server.database.pool).await.expect("the fork");
    // Damages an event in the shared past of a fork and one in the middle of a debate, and deletes the key of a third
    // debate.
    damage(&server.database, actual[0].id, 3).await;
    damage(&server.database, actual[1].id, 2).await;
    let lost = format!("delete from debate_keys where debate_id = '{}'", actual[2].id);
    server.database.run(&lost).await;
    let mut wanted = [(actual[0].id, 3), (actual[1].id, 2), (actual[2].id, 1), (DebateId(fork), 3)];
    wanted.sort_unstable();
    let wanted: Vec<Value> = wanted.iter().map(|(debate, version)| json!([debate, version])).collect();
    let named = |letters: &Value| {
        let first = |it: &Value| json!([it["debateId"], it["version"]]);
        let mut named: Vec<Value> = letters.as_array().expect("a list").iter().map(first).collect();
        named.sort_unstable_by_key(Value::to_string);
        // In a debate whose key is gone, every event is unreadable; only the first is compared.
        named.dedup_by_key(|it| it[0].to_string());
        named
    };

    let refused = run_command(&variables, &["rebuild", "--json"]).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    for part in ["would leave out 4 served debates", "--allow-letters"] {
        assert!(refused.stderr.contains(part), "{part} in {}", refused.stderr);
    }
    let report: Value = serde_json::from_str(&refused.stdout).expect("JSON");
    let left_out = &report["leftOut"];
    assert_eq!(json!([report["served"], left_out["debates"], left_out["newly"]]), json!([false, 4, 4]));
    assert_eq!(named(&left_out["events"]), wanted);
    let dry = run_json_command(&variables, &["rebuild", "--diff", "--dry-run", "--json"]).await.remove(0);
    assert_eq!(json!([dry["served"], dry["leftOut"]["newly"], dry["diff"]["compared"]]), json!([false, 4, 5]));
    let refused = run_command(&variables, &["rebuild", "--diff"]).await;
    assert!(refused.code == Some(1) && refused.stdout.contains("complete until now"), "{refused:?}");
    let generations = views.generations();
    for id in [2, 3, 4] {
        wait_for_state(&generations, id, GenerationState::Dropped).await;
        assert_eq!(n_rows(&server.database, id).await, 0);
    }
    assert_eq!(
        (views.generation_to_read().await.expect("served"), views.count_dead_letters().await.expect("letters")),
        (1, 0)
    );
    assert_eq!(count(&server.database, "select count(*) from generation_letters").await, 0);

    let allowed = run_json_command(&variables, &["rebuild", "--allow-letters", "--json"]).await.remove(0);
    assert_eq!(
        json!([allowed["served"], allowed["leftOut"]["debates"], allowed["leftOut"]["newly"]]),
        json!([true, 4, 4])
    );
    assert_eq!(views.generation_to_read().await.expect("served"), 5);
    let letters = server.client.data("{ projections { deadLetters { debateId version reason } } }", json!({})).await;
    let letters = &letters["projections"][0]["deadLetters"];
    assert_eq!(named(letters), wanted);
    let of_fork = letters
        .as_array()
        .into_iter()
        .flatten()
        .find(|it| it["debateId"] == json!(fork))
        .expect("the fork's dead letter");
    assert!(of_fork["reason"].as_str().is_some_and(|it| it.contains(&actual[0].id.to_string())), "{of_fork}");
    let at = async |debate: Uuid| {
        let query =
            format!("select coalesce(max(version), 0) from debates where generation = 5 and debate_id = '{debate}'");
        count(&server.database, &query).await
    };
    let stand =
        [at(actual[0].id.0).await, at(actual[1].id.0).await, at(actual[2].id.0).await, at(actual[3].id.0).await];
    let whole = server.log.head(actual[3].id).await.expect("head");
    assert_eq!(stand, [2, 1, 0, whole], "rows reach up to the last readable event");

    // Debates that are skipped already do not prevent the cut-over, and restored ones come back.
    let again = run_json_command(&variables, &["rebuild", "--json"]).await.remove(0);
    assert_eq!(json!([again["served"], again["leftOut"]["debates"], again["leftOut"]["newly"]]), json!([true, 4, 0]));
    restore(&server.database, actual[0].id, 3).await;
    restore(&server.database, actual[1].id, 2).await;
    assert_eq!(run_command(&variables, &["projections", "--retry"]).await.code, Some(1), "one key is still gone");
    let left: Vec<Uuid> = sqlx::query_scalar("select distinct debate_id from dead_letters")
        .fetch_all(&server.database.pool)
        .await
        .expect("letters");
    assert_eq!(left, [actual[2].id.0]);
    server.stop().await;
}
