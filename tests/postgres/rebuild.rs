//! Stored views made anew while they are read and the log grows: old or new, never a mixture, whatever is killed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use faultline::events::dispute::Side;
use faultline::events::event::Event;
use faultline::events::fork::DebateForked;
use faultline::events::ids::DebateId;
use faultline::store::generations::{Generation, GenerationState, Generations, Reason, Wanted};
use faultline::store::log::Log;
use faultline::store::projector_lock::ProjectorLock;
use faultline::store::views::Views;
use faultline::verdicts::board::REVISION;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection};
use uuid::Uuid;

use crate::client::{Home, Service, Socket, run, run_json, script, until};
use crate::house::House;
use crate::support::{Database, debate, fresh, trials};
use crate::told::Told;

/// Debates between two, each with cruxes of several kinds, and a fork of the first.
async fn debates(log: &Log, n_debates: usize) -> Vec<Told> {
    let mut debates = Vec::new();
    for n in 0..n_debates {
        let mut told = Told::between(&["ada", "ben"]);
        let own = told.assumes("ada", "Yes", &format!("Crews are rested, case {n}."));
        let theirs = told.assumes("ben", "No", &format!("The fuel's price doubled, case {n}."));
        told.rebuts("ben", theirs, own);
        told.asks(&format!("Is winter {n} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        told.record(log).await;
        debates.push(told);
    }
    let shared = log.read(debates[0].id, 0, 10).await.expect("the log");
    let Event::DebateOpened(opened) = &shared[0].event else { panic!("not opened: {:?}", shared[0]) };
    let forked = DebateForked { origin: debates[0].id, at: 6, opened: opened.clone() };
    log.fork(debate(), Uuid::now_v7(), forked).await.expect("a fork");
    debates
}

fn asked(holds: bool) -> Wanted {
    Wanted { revision: REVISION, reason: Reason::Asked, workers: Some(2), holds, allows_letters: false }
}

async fn is(generations: &Generations, id: i32, state: GenerationState) -> Generation {
    until(&format!("generation {id} is {}", state.name()), async || {
        generations.one(id).await.expect("the table").filter(|it| it.state == state)
    })
    .await
}

/// What is served, once it is as new as the log.
async fn caught_up(views: &Views, log: &Log) -> i32 {
    until("the views catch up", async || {
        let served = views.served("debates").await.expect("served")?;
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

/// The disputes of a generation: how many, and all they say as one number.
async fn disputes_of(database: &Database, generation: i32) -> (i64, Option<String>) {
    let query = format!(
        "select count(*), md5(string_agg((to_jsonb(d) - 'generation')::text, '' order by debate_id, key))
        from disputes d
        where generation = {generation}"
    );
    sqlx::query_as(AssertSqlSafe(query)).fetch_one(&database.pool).await.expect("disputes")
}

/// Every stored row is what a fresh fold says, and none is missing.
async fn is_whole(variables: &[(&'static str, String)], n_debates: usize) {
    let verified = run_json(variables, &["verify", "--json"]).await;
    let found = json!([verified[0]["debates"], verified[0]["views"], verified[0]["faults"]]);
    assert_eq!(found, json!([n_debates, 4 * n_debates, []]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_reads_meanwhile_sees_the_old_or_the_new_and_no_mixture() {
    const READ: &str = "{
        debates(first: 100) { nodes { id topic } }
        cruxes(first: 100) { nodes { debateId debate { topic } } }
        again: debates(last: 100) { nodes { id topic } }
    }";
    let house = House::open(&script(0)).await;
    let views = Views::new(house.database.pool.clone());
    let marked: BTreeSet<String> = debates(&house.log, 12).await.iter().map(|it| it.id.to_string()).collect();
    caught_up(&views, &house.log).await;
    // What the old rows say shows of which make an answer is: the list's line, and the summary that is saved with it.
    let mark = "update views set body = jsonb_set(body, '{topic}', '\"old\"') where projection = 'summary';
        update debates set topic = 'old'";
    house.database.run(mark).await;
    let stop = Arc::new(AtomicBool::new(false));
    let growing = tokio::spawn({
        let (log, stop) = (house.log.clone(), Arc::clone(&stop));
        async move {
            let mut told = Told::between(&["ada", "ben"]);
            for n in 0.. {
                told.asks(&format!("Is it {n}?"), &[("ada", Side::Yes), ("ben", Side::No)]);
                told.record(&log).await;
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    });
    let makes = async || {
        let data = house.client.data(READ, json!({})).await;
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
    let wanted = house.client.data(rebuild, json!({})).await;
    assert_eq!(wanted["rebuildProjection"]["underWay"], json!({ "number": 2, "reason": "ASKED" }));
    until("the new rows are seen", async || (makes().await != "old").then_some(())).await;
    for _ in 0..20 {
        assert_ne!(makes().await, "old", "once new, always new");
    }
    stop.store(true, Ordering::Relaxed);
    growing.await.expect("appends");
    assert_eq!(caught_up(&views, &house.log).await, 2);
    is_whole(&house.variables(), 14).await;
    house.close().await;
}

/// Where a service is killed: it waits there for somebody who does not let go.
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

/// Has whoever comes to a moment wait there; for as long as the connection lasts.
async fn waits_at(database: &Database, place: &str) -> PgConnection {
    let mut connection = database.options.connect().await.expect("connect");
    connection.execute("select pg_advisory_lock(42)").await.expect("lock");
    let trigger = format!("create trigger wait_for_the_test {place} execute function wait_for_the_test()");
    database.run(&trigger).await;
    connection
}

/// Waits until somebody waits there.
async fn has_come(database: &Database) {
    until("it comes there", async || {
        let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted and objid = 42
            and database = (select oid from pg_database where datname = current_database())";
        (count(database, waiting).await > 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_in_any_phase_it_goes_on_where_it_was() {
    let (database, home) = (fresh().await, Home::new());
    let variables = home.variables(&database.options, &script(0));
    let (log, views) = (database.log().await, Views::new(database.pool.clone()));
    let generations = views.generations();
    let n_debates = debates(&log, 25).await.len() + 1;
    database.run(WAITER).await;
    let mut service = Service::start(&variables).await;
    caught_up(&views, &log).await;
    let n_kills = trials(MOMENTS.len());
    for (round, (name, place)) in MOMENTS.iter().cycle().take(n_kills).enumerate() {
        let before = views.shown().await.expect("served");
        let (holds, drops) = (place.is_empty(), *name == "in the drop");
        let blocker = if holds { None } else { Some(waits_at(&database, place).await) };
        let id = if drops {
            let those_before =
                "update generations set retired_at = retired_at - interval '1 hour' where state = 'retired'";
            database.run(those_before).await;
            count(&database, "select min(generation)::bigint from generations where state = 'retired'").await as i32
        } else {
            generations.want(asked(holds)).await.expect("want").id
        };
        if holds {
            is(&generations, id, GenerationState::Held).await;
        } else {
            has_come(&database).await;
        }
        assert_eq!(views.shown().await.expect("served"), before, "{name}");
        // In every second round whoever takes over is there before the other is gone.
        let heir = if round % 2 == 0 { Some(Service::start(&variables).await) } else { None };
        service.kill().await;
        if let Some(blocker) = blocker {
            blocker.close().await.expect("let go");
            let table = place.split_whitespace().nth(3).expect("a table");
            database.run(&format!("drop trigger wait_for_the_test on {table}")).await;
        }
        service = match heir {
            Some(heir) => heir,
            None => Service::start(&variables).await,
        };
        if drops {
            is(&generations, id, GenerationState::Dropped).await;
            assert_eq!(n_rows(&database, id).await, 0, "{name}");
            continue;
        }
        if holds {
            assert!(generations.turn(id, &[GenerationState::Held], GenerationState::Approved).await.expect("approve"));
        }
        is(&generations, id, GenerationState::Served).await;
        assert_eq!(caught_up(&views, &log).await, id, "{name}");
        let disputes = disputes_of(&database, id).await;
        assert!(disputes.0 > 0 && disputes == disputes_of(&database, before).await, "{name}");
        is_whole(&variables, n_debates).await;
    }
    is_whole(&variables, n_debates).await;
    println!("{n_kills} kills of the projector, in each phase of a rebuild: every view equals a fresh fold");
    service.kill().await;
}

/// All rows of a generation, as one number.
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
async fn what_would_change_is_told_before_it_does() {
    let house = House::open(&script(0)).await;
    let (variables, views) = (house.variables(), Views::new(house.database.pool.clone()));
    let told = debates(&house.log, 12).await;
    assert_eq!(caught_up(&views, &house.log).await, 1);
    // As if an older fold had thought otherwise.
    let edit = |n: usize, change: &str| {
        format!("update views set body = {change} where projection = 'verdict' and debate_id = '{}';", told[n].id)
    };
    let edits = [
        edit(0, "jsonb_set(body, '{regime,kind}', '\"consensus\"')"),
        edit(1, "jsonb_set(body, '{regime,kind}', '\"consensus\"')"),
        edit(2, "jsonb_set(body, '{cruxes}', '[]')"),
        edit(3, "jsonb_set(body, '{camps}', '[]')"),
        edit(4, "jsonb_set(body, '{labels,a1}', '\"OUT\"')"),
        edit(5, "'{\"of\": \"another time\"}'"),
        format!("delete from views where projection = 'verdict' and debate_id = '{}'", told[6].id),
    ];
    house.database.run(&edits.concat()).await;
    let before = rows_of(&house.database, 1).await;
    let dry = run_json(&variables, &["rebuild", "--diff", "--dry-run", "--json"]).await.remove(0);
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
    is(&generations, 2, GenerationState::Dropped).await;
    let after = (views.shown().await.expect("served"), rows_of(&house.database, 1).await);
    assert_eq!(after, (1, before), "nothing was changed");
    assert_eq!(n_rows(&house.database, 2).await, 0);

    let words = run(&variables, &["rebuild", "--diff"]).await;
    assert_eq!(words.code, Some(0), "{}", words.stderr);
    for expected in ["11 debates compared, 6 of them unchanged", "regimes that change: 2 in 2 debates", "is served"] {
        assert!(words.stdout.contains(expected), "{expected} in {}", words.stdout);
    }
    assert_eq!(views.shown().await.expect("served"), 3);
    is_whole(&variables, 13).await;
    let again = run_json(&variables, &["rebuild", "--diff", "--json"]).await.remove(0);
    assert_eq!(json!([again["diff"]["compared"], again["diff"]["unchanged"], again["served"]]), json!([13, 13, true]));

    let listed = run_json(&variables, &["projections", "--json"]).await.remove(0);
    let states: Vec<&Value> = listed["generations"].as_array().expect("a list").iter().map(|it| &it["state"]).collect();
    assert_eq!(json!(states), json!(["retired", "dropped", "retired", "served"]));
    assert!(run(&variables, &["projections"]).await.stdout.contains("served"));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_service_the_command_does_it_and_an_altered_row_is_found() {
    let (database, home) = (fresh().await, Home::new());
    let variables = home.variables(&database.options, &script(0));
    let (log, views) = (database.log().await, Views::new(database.pool.clone()));
    debates(&log, 5).await;
    let made = run_json(&variables, &["rebuild", "--workers", "1", "--json"]).await.remove(0);
    assert_eq!(json!([made["served"], made["debates"], made["diff"]]), json!([true, 6, null]));
    assert_eq!(caught_up(&views, &log).await, made["generation"]);
    is_whole(&variables, 6).await;
    for altered in ["statement = 'Something else'", "place = place + 1", "opened_at = opened_at - interval '1 s'"] {
        database
            .run(&format!(
                "update cruxes set {altered} where debate_id = (select max(debate_id::text)::uuid from cruxes)"
            ))
            .await;
        let told = run(&variables, &["verify", "--json"]).await;
        let found: Value = serde_json::from_str(&told.stdout).expect("JSON");
        let is_crux = found["faults"][0].as_str().is_some_and(|it| it.contains("list of cruxes"));
        if altered.starts_with("place") {
            assert_eq!(
                (told.code, found["faults"].as_array().map(Vec::len)),
                (Some(1), Some(1)),
                "the statement still"
            );
        }
        assert!(told.code == Some(1) && is_crux, "{altered}: {found}");
    }
    assert_eq!(run(&variables, &["rebuild", "--workers", "17"]).await.code, Some(2));
    let moods = run(&variables, &["rebuild", "moods"]).await;
    assert!(moods.code == Some(1) && moods.stderr.contains("there are debates, summary, verdict"), "{}", moods.stderr);
    // Also where the code is newer than what is served, a dry run changes nothing.
    database.run(&format!("update generations set revision = {}", REVISION - 1)).await;
    let dry = run_json(&variables, &["rebuild", "--dry-run", "--json"]).await.remove(0);
    assert_eq!(json!([dry["served"], dry["diff"]["compared"], dry["diff"]["unchanged"]]), json!([false, 6, 6]));
    let states: Vec<&str> = views.generations().all().await.expect("all").iter().map(|it| it.state.name()).collect();
    assert_eq!(states, ["served", "dropped"]);
    let together = run(&variables, &["rebuild", "cruxes", "verdict"]).await;
    assert!(together.code == Some(0) && together.stderr.contains("are made together"), "{}", together.stderr);
    is_whole(&variables, 6).await;
    altered_disputes(&database, &variables).await;
}

/// Rows of disputes, altered, deleted and brought in, are found, and so is a view that is missing.
async fn altered_disputes(database: &Database, variables: &[(&'static str, String)]) {
    let of = "debate_id = (select min(debate_id::text)::uuid from disputes)";
    for (altered, wanted) in [
        (format!("update disputes set statement = 'Something else' where {of}"), "list of disputes is not what"),
        (format!("delete from disputes where {of}"), "list of disputes is not what"),
        (format!("delete from views where projection = 'verdict' and {of}"), "verdict is missing"),
    ] {
        database.run(&altered).await;
        let after = faults(variables).await;
        assert!(after.iter().any(|it| it.contains(wanted)), "{altered}: {after:?}");
    }
}

/// What `faultline verify` finds wrong.
async fn faults(variables: &[(&'static str, String)]) -> Vec<String> {
    let told = run(variables, &["verify", "--json"]).await;
    let found: Value = serde_json::from_str(&told.stdout).expect("JSON");
    serde_json::from_value(found["faults"].clone()).expect("a list")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hold_that_nobody_answers_runs_out_and_another_fold_is_made_by_itself() {
    let house = House::open(&script(0)).await;
    let views = Views::new(house.database.pool.clone());
    let generations = views.generations();
    debates(&house.log, 3).await;
    assert_eq!(caught_up(&views, &house.log).await, 1);
    generations.want(asked(true)).await.expect("want");
    let mut more = Told::between(&["ada", "ben"]);
    more.asks("Is it kept up?", &[("ada", Side::Yes), ("ben", Side::No)]);
    is(&generations, 2, GenerationState::Held).await;
    more.record(&house.log).await;
    assert_eq!(caught_up(&views, &house.log).await, 1, "what is served is kept up meanwhile");
    let kept_up = "select count(*) from debates where generation = 2";
    until("what is held is kept up", async || (count(&house.database, kept_up).await == 5).then_some(())).await;
    house.database.run("update generations set held_until = clock_timestamp() where state = 'held'").await;
    is(&generations, 2, GenerationState::Dropped).await;
    assert_eq!((views.shown().await.expect("served"), n_rows(&house.database, 2).await), (1, 0));

    // As if an older program had made it.
    house.database.run(&format!("update generations set revision = {} where state = 'served'", REVISION - 1)).await;
    let made = is(&generations, 3, GenerationState::Served).await;
    assert_eq!((made.revision, made.reason, made.workers), (REVISION, Reason::Revision, None));
    is_whole(&house.variables(), 5).await;

    // As if a newer program had made it: this one lets go of the views.
    house.database.run(&format!("update generations set revision = {} where state = 'served'", REVISION + 1)).await;
    let lock =
        until("the lock is free", async || ProjectorLock::try_take(&house.database.pool).await.expect("the lock"))
            .await;
    assert_eq!(views.shown().await.expect("served"), 3);
    lock.release().await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn how_far_it_is_is_told_and_watched() {
    const SEEN: &str =
        "name revision served { number state behind eventsDone eventsTotal debates } underWay { number }";
    let house = House::open(&script(0)).await;
    let views = Views::new(house.database.pool.clone());
    debates(&house.log, 4).await;
    caught_up(&views, &house.log).await;
    let total: i64 = house.log.heads().await.expect("heads").iter().sum();
    let data = house.client.data(&format!("{{ projections {{ {SEEN} }} }}"), json!({})).await;
    let served = &data["projections"][0]["served"];
    assert_eq!(
        json!([data["projections"][0]["name"], data["projections"][0]["revision"]]),
        json!(["debates", REVISION])
    );
    assert_eq!(json!([served["number"], served["state"], served["behind"]]), json!([1, "SERVED", 0]));
    assert_eq!(json!([served["eventsDone"], served["eventsTotal"]]), json!([total, total]));

    let mut socket = Socket::open(&house.client).await;
    let query = format!("subscription {{ projectionProgress(name: \"debates\") {{ {SEEN} }} }}");
    socket.say(&json!({ "id": "1", "type": "subscribe", "payload": { "query": query } })).await;
    let mut numbers = Vec::new();
    while numbers.last() != Some(&json!(2)) {
        let heard = socket.hear().await.expect("a message");
        assert!(heard["payload"].get("errors").is_none(), "{heard}");
        numbers.push(heard["payload"]["data"]["projectionProgress"]["served"]["number"].clone());
        if numbers.len() == 1 {
            house.client.data("mutation { rebuildProjection(name: \"debates\") { name } }", json!({})).await;
        }
    }
    assert_eq!(numbers.first(), Some(&json!(1)));
    for (arguments, code) in [("name: \"moods\"", "NOT_FOUND"), ("name: \"debates\", workers: 0", "INVALID")] {
        let asked = format!("mutation {{ rebuildProjection({arguments}) {{ name }} }}");
        assert_eq!(house.client.code(&asked, json!({})).await, code);
    }
    let metrics = house.client.http.get(house.client.at("/metrics")).send().await.expect("metrics");
    let metrics = metrics.text().await.expect("text");
    for line in
        ["faultline_projection_generation 2", "faultline_rebuild_events_total 0", "faultline_projection_lag_events 0"]
    {
        assert!(metrics.lines().any(|it| it == line), "{line} in {metrics}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_that_cannot_be_read_are_named_and_the_old_views_stay() {
    let house = House::open(&script(0)).await;
    let views = Views::new(house.database.pool.clone());
    let generations = views.generations();
    let told = debates(&house.log, 2).await;
    assert_eq!(caught_up(&views, &house.log).await, 1);
    damage(&house.database, told[1].id, 2).await;
    generations.want(asked(false)).await.expect("want");
    let troubled = until("the trouble is noted", async || {
        generations.one(2).await.expect("the table").filter(|it| it.problem.is_some())
    })
    .await;
    assert_eq!((troubled.state, views.shown().await.expect("served")), (GenerationState::Building, 1));
    assert!(troubled.problem.is_some_and(|it| it.contains(&told[1].id.to_string())));
    // A command that asks for the same does not wait for ever, and drops what was asked for.
    let refused = run(&house.variables(), &["rebuild"]).await;
    assert!(refused.code == Some(1) && refused.stderr.contains("--allow-letters"), "{refused:?}");
    is(&generations, 2, GenerationState::Dropped).await;
    assert_eq!((views.shown().await.expect("served"), views.n_letters().await.expect("letters")), (1, 0));

    // One that waits for want of it takes over once what was damaged is mended.
    generations.want(asked(false)).await.expect("want");
    until("the trouble is noted", async || {
        generations.one(3).await.expect("the table").filter(|it| it.problem.is_some())
    })
    .await;
    mend(&house.database, told[1].id, 2).await;
    is(&generations, 3, GenerationState::Served).await;
    assert_eq!(views.n_letters().await.expect("letters"), 0);
    is_whole(&house.variables(), 3).await;
    house.close().await;
}

/// Makes an event unreadable as a superuser could, and keeps what it was.
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

/// The event is what it was.
async fn mend(database: &Database, debate: DebateId, version: i64) {
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
async fn what_cannot_be_read_is_left_out_by_name_and_nothing_is_switched_unless_somebody_says_so() {
    let house = House::open(&script(0)).await;
    let (variables, views) = (house.variables(), Views::new(house.database.pool.clone()));
    let told = debates(&house.log, 8).await;
    assert_eq!(caught_up(&views, &house.log).await, 1);
    let fork: Uuid =
        sqlx::query_scalar("select fork from fork_origins").fetch_one(&house.database.pool).await.expect("it");
    // The past of a fork, an event in the middle, and a key that is gone.
    damage(&house.database, told[0].id, 3).await;
    damage(&house.database, told[1].id, 2).await;
    let lost = format!("delete from debate_keys where debate_id = '{}'", told[2].id);
    house.database.run(&lost).await;
    let mut wanted = [(told[0].id, 3), (told[1].id, 2), (told[2].id, 1), (DebateId(fork), 3)];
    wanted.sort_unstable();
    let wanted: Vec<Value> = wanted.iter().map(|(debate, version)| json!([debate, version])).collect();
    let named = |letters: &Value| {
        let first = |it: &Value| json!([it["debateId"], it["version"]]);
        let mut named: Vec<Value> = letters.as_array().expect("a list").iter().map(first).collect();
        named.sort_unstable_by_key(Value::to_string);
        // Of a debate whose key is gone each event is one, and the first counts.
        named.dedup_by_key(|it| it[0].to_string());
        named
    };

    let refused = run(&variables, &["rebuild", "--json"]).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    for part in ["leaves out 4 debates that are shown now", "--allow-letters"] {
        assert!(refused.stderr.contains(part), "{part} in {}", refused.stderr);
    }
    let report: Value = serde_json::from_str(&refused.stdout).expect("JSON");
    let left_out = &report["leftOut"];
    assert_eq!(json!([report["served"], left_out["debates"], left_out["newly"]]), json!([false, 4, 4]));
    assert_eq!(named(&left_out["events"]), wanted);
    let dry = run_json(&variables, &["rebuild", "--diff", "--dry-run", "--json"]).await.remove(0);
    assert_eq!(json!([dry["served"], dry["leftOut"]["newly"], dry["diff"]["compared"]]), json!([false, 4, 5]));
    let refused = run(&variables, &["rebuild", "--diff"]).await;
    assert!(refused.code == Some(1) && refused.stdout.contains("whole until now"), "{refused:?}");
    let generations = views.generations();
    for id in [2, 3, 4] {
        is(&generations, id, GenerationState::Dropped).await;
        assert_eq!(n_rows(&house.database, id).await, 0);
    }
    assert_eq!((views.shown().await.expect("served"), views.n_letters().await.expect("letters")), (1, 0));
    assert_eq!(count(&house.database, "select count(*) from generation_letters").await, 0);

    let allowed = run_json(&variables, &["rebuild", "--allow-letters", "--json"]).await.remove(0);
    assert_eq!(
        json!([allowed["served"], allowed["leftOut"]["debates"], allowed["leftOut"]["newly"]]),
        json!([true, 4, 4])
    );
    assert_eq!(views.shown().await.expect("served"), 5);
    let letters = house.client.data("{ projections { deadLetters { debateId version reason } } }", json!({})).await;
    let letters = &letters["projections"][0]["deadLetters"];
    assert_eq!(named(letters), wanted);
    let of_fork =
        letters.as_array().into_iter().flatten().find(|it| it["debateId"] == json!(fork)).expect("its letter");
    assert!(of_fork["reason"].as_str().is_some_and(|it| it.contains(&told[0].id.to_string())), "{of_fork}");
    let at = async |debate: Uuid| {
        let query =
            format!("select coalesce(max(version), 0) from debates where generation = 5 and debate_id = '{debate}'");
        count(&house.database, &query).await
    };
    let stand = [at(told[0].id.0).await, at(told[1].id.0).await, at(told[2].id.0).await, at(told[3].id.0).await];
    let whole = house.log.head(told[3].id).await.expect("head");
    assert_eq!(stand, [2, 1, 0, whole], "rows as they were before what cannot be read");

    // What is left out already is no reason not to switch; and what is mended comes back.
    let again = run_json(&variables, &["rebuild", "--json"]).await.remove(0);
    assert_eq!(json!([again["served"], again["leftOut"]["debates"], again["leftOut"]["newly"]]), json!([true, 4, 0]));
    mend(&house.database, told[0].id, 3).await;
    mend(&house.database, told[1].id, 2).await;
    assert_eq!(run(&variables, &["projections", "--retry"]).await.code, Some(1), "one key is still gone");
    let left: Vec<Uuid> = sqlx::query_scalar("select distinct debate_id from dead_letters")
        .fetch_all(&house.database.pool)
        .await
        .expect("letters");
    assert_eq!(left, [told[2].id.0]);
    house.close().await;
}
