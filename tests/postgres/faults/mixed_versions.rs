//! Several processes of older and newer versions on one database, and rolling restarts.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use faultline_core::events::dispute::Side;
use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_service::views::view_rows::NAMES;
use faultline_store::follow::log_tail::Tail;
use faultline_store::generations::generations::{GenerationRequest, GenerationState, RebuildReason};
use faultline_store::projector::projector_member::ProjectorMember;
use faultline_store::views::views::Views;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::client::{Client, start_debate_input};
use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::log_reads::{read_all_events, wait_for_end};
use crate::support::service_process::{ServiceProcess, run_command, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::test_server::versions;
use crate::support::waiting::{poll_until, with_timeout};
use crate::support::websocket_client::WebSocketClient;

/// Ends the connections on which processes listen for growth of the log. Returns their number.
async fn cut_listeners(database: &Database) -> usize {
    let cut: Vec<bool> = sqlx::query_scalar(
        "select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database()
        and application_name = 'faultline tail'",
    )
    .fetch_all(&database.pool)
    .await
    .expect("end the connections");
    cut.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subscribers_receive_events_of_another_process_without_notifications() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(25));
    let (one, two) = (ServiceProcess::start(&variables).await, ServiceProcess::start(&variables).await);
    let (log, tail) = (database.log().await, Tail::start(&database.log().await));
    let mut followed = Vec::new();
    for (writer, reader) in [(&one, &two), (&two, &one)] {
        let debate = writer.client.start(&start_debate_input("graph", json!({ "rounds": 3 }))).await;
        // On both services, so that whichever drives the debate, the other one depends on notifications.
        for service in [writer, reader] {
            let mut socket = WebSocketClient::open(&service.client).await;
            socket.subscribe_to_debate(debate, 0).await;
            followed.push((debate, socket));
        }
    }
    let mut n_cut = 0;
    for _ in 0..8 {
        n_cut += cut_listeners(&database).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(n_cut >= 4, "{n_cut} listeners cut");
    for (debate, mut socket) in followed {
        let mut seen = Vec::new();
        while let Some(event) = socket.next_event().await {
            seen.push(event["version"].as_i64().expect("a version"));
        }
        assert_eq!(seen, versions(&wait_for_end(&log, &tail, debate).await), "no gap and no repeat");
    }
    for service in [one, two] {
        service.kill().await;
    }
}

/// Records a migration as a newer program would, after its statements.
async fn record_migration(database: &Database, version: i64, name: &str, what: &str) {
    let note = format!(
        "{what};
        insert into _sqlx_migrations (version, description, success, checksum, execution_time)
        values ({version}, '{name}', true, 'of the future', 0)"
    );
    database.run(&note).await;
}

/// Opens a debate and waits for its end.
async fn run_debate(service: &ServiceProcess, database: &Database) -> DebateId {
    let debate = service.client.start(&start_debate_input("dialectic", json!({ "rounds": 2 }))).await;
    let log = database.log().await;
    wait_for_end(&log, &Tail::start(&log), debate).await;
    debate
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_program_accepts_additive_migrations_and_refuses_others() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut variables = home.environment(&database.options, &scripted_replies(5));
    let running = ServiceProcess::start(&variables).await;
    run_debate(&running, &database).await;
    record_migration(
        &database,
        9_001,
        "adds moods",
        "create table moods (debate_id uuid primary key, mood text not null);
        alter table debates add column mood text;
        alter table leases add column hint text",
    )
    .await;
    run_debate(&running, &database).await;
    // An older program that starts now, as after a crash in the middle of a rollout.
    let started = ServiceProcess::start(&variables).await;
    running.kill().await;
    run_debate(&started, &database).await;
    let output = run_command(&variables, &["list"]).await;
    assert!(output.stderr.contains("a newer Faultline has added to these tables"), "it warns: {output:?}");
    variables.push(("FAULTLINE_LOG", "error".to_owned()));
    let listed = poll_until("the list has all debates", async || {
        let listed = run_json_command(&variables, &["list", "--json"]).await.remove(0);
        (listed.as_array().map(Vec::len) == Some(3)).then_some(listed)
    })
    .await;
    assert!(listed.as_array().into_iter().flatten().all(|debate| debate["status"] == "CONCLUDED"), "{listed}");
    assert_eq!(run_json_command(&variables, &["verify", "--json"]).await[0]["faults"], json!([]));

    // A migration that is not named as additive may change anything.
    record_migration(&database, 9_002, "renames moods", "alter table moods rename to tempers").await;
    run_debate(&started, &database).await;
    let refused = run_command(&variables, &["list"]).await;
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains("A newer Faultline made these tables; run that version"), "{refused:?}");
    started.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_program_serves_views_of_a_newer_one_and_a_rollback_is_possible() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(5));
    let (log, views) = (database.log().await, Views::new(database.pool.clone()));
    let generations = views.generations();
    let mut debates = Vec::new();
    for n in 0..6 {
        let mut builder = DebateBuilder::new(&["ada", "ben"]);
        builder.raise_dispute(&format!("Is winter {n} rough?"), &[("ada", Side::Yes), ("ben", Side::No)]);
        builder.append_new(&log).await;
        debates.push(builder.id);
    }
    let service = ServiceProcess::start(&variables).await;
    let lag = async || {
        let served = views.served_generation("debates").await.expect("served")?;
        let heads = log.heads().await.expect("heads");
        (views.behind(served, &heads).await.expect("behind") == 0).then_some(served)
    };
    assert_eq!(poll_until("the list has caught up", lag).await, 1);
    let list = async || {
        const LIST: &str =
            "{ debates(first: 50) { nodes { id topic status } } cruxes(first: 50) { nodes { id question } } }";
        service.client.data(LIST, json!({})).await
    };
    let before = list().await;

    // A newer program requests rows of its own: it becomes the coordinator, and the older one keeps serving.
    let wanted = GenerationRequest {
        revision: REVISION + 1,
        reason: RebuildReason::Revision,
        workers: None,
        holds: false,
        allows_letters: false,
    };
    let newer = generations.request(wanted).await.expect("want");
    let member = ProjectorMember::join(&database.pool, REVISION + 1).await.expect("join").expect("a member");
    poll_until("it coordinates", async || member.assignment().borrow().coordinator).await;
    assert_eq!((newer.id, list().await), (2, before.clone()));
    assert!(generations.change_state(2, &[GenerationState::Wanted], GenerationState::Building).await.expect("build"));
    // Its rows contain fields that the older one does not know.
    database
        .run(
            "insert into views (projection, generation, debate_id, version, body)
                select projection, 2, debate_id, version, body || '{\"mood\": {\"of\": \"the future\"}}' from views;
            insert into debates
                select (jsonb_populate_record(d, '{\"generation\": 2}')).* from debates d;
            insert into cruxes (generation, debate_id, key, place, kind, open, statement, pivotality, crux_order,
                    n_dependents, personas, regime, opened_at, changed_at, body)
                select 2, debate_id, key, place, kind, open, statement, pivotality, crux_order, n_dependents, personas,
                    regime, opened_at, changed_at, body || '{\"mood\": 7}' from cruxes;",
        )
        .await;
    generations.begin(2, &log.heads().await.expect("heads")).await.expect("lanes");
    let cut_over = generations.begin_cut_over().await.expect("begin");
    assert!(cut_over.finish(2, &NAMES).await.expect("cut over"));
    generations.drop_rows(1).await.expect("drop");
    assert_eq!(list().await, before, "the newer rows are read");

    // Only the older one is left, started again: it deletes nothing.
    member.leave().await;
    let again = ServiceProcess::start(&variables).await;
    run_debate(&again, &database).await;
    let states = async || {
        let all = generations.all().await.expect("all");
        all.iter()
            .map(|generation| (generation.id, generation.revision - REVISION, generation.state.name()))
            .collect::<Vec<_>>()
    };
    assert_eq!(states().await, [(1, 0, "dropped"), (2, 1, "served")]);

    // An explicit rollback: the older program rebuilds the views.
    let rebuilt = run_command(&variables, &["rebuild"]).await;
    assert_eq!(rebuilt.code, Some(0), "{rebuilt:?}");
    assert_eq!(states().await, [(1, 0, "dropped"), (2, 1, "retired"), (3, 0, "served")]);
    assert_eq!(poll_until("the list has caught up", lag).await, 3);
    assert_eq!(run_json_command(&variables, &["verify", "--json"]).await[0]["faults"], json!([]));
    for service in [service, again] {
        service.kill().await;
    }
}

/// Follows a debate over whichever process is available, resuming from the last version. Returns all versions in order
/// of arrival.
pub async fn followed(addresses: Arc<Mutex<Vec<Client>>>, debate: DebateId) -> Vec<i64> {
    let mut seen: Vec<i64> = Vec::new();
    for turn in 0.. {
        let client = {
            let clients = addresses.lock().expect("clients");
            clients[turn % clients.len()].clone()
        };
        let after = seen.last().copied().unwrap_or(0);
        let body: Value = json!({ "query": format!("{{ debate(id: \"{debate}\") {{ version }} }}") });
        // A process that is shutting down no longer answers.
        if client.http.post(client.url("/graphql")).json(&body).send().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        }
        let Ok(mut events) = client
            .http
            .get(client.url(&format!("/debates/{debate}/events")))
            .header("last-event-id", after.to_string())
            .header("accept", "text/event-stream")
            .send()
            .await
        else {
            continue;
        };
        let mut text = String::new();
        while let Ok(Some(chunk)) = events.chunk().await {
            text.push_str(&String::from_utf8_lossy(&chunk));
            while let Some((message, rest)) = text.split_once("\n\n").map(|(a, b)| (a.to_owned(), b.to_owned())) {
                text = rest;
                let field = |name: &str| message.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                if let Some(version) = field("id:").and_then(|id| id.parse().ok()) {
                    seen.push(version);
                }
                if ["debate_concluded", "debate_aborted"].iter().any(|kind| message.contains(kind)) {
                    return seen;
                }
            }
        }
    }
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_loses_and_repeats_no_event() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let mut variables = home.environment(&database.options, &scripted_replies(120));
    // Leases that cannot expire within the test: they must be handed over.
    variables.push(("FAULTLINE_LEASE_SECONDS", "600".to_owned()));
    let log = database.log().await;
    let mut services = vec![ServiceProcess::start(&variables).await, ServiceProcess::start(&variables).await];
    let clients =
        |services: &[ServiceProcess]| services.iter().map(|service| service.client.clone()).collect::<Vec<_>>();
    let addresses = Arc::new(Mutex::new(clients(&services)));
    let mut debates = Vec::new();
    let mut following = Vec::new();
    for round in 0..4 {
        for service in &services {
            let debate = service.client.start(&start_debate_input("graph", json!({ "rounds": 3 }))).await;
            following.push(tokio::spawn(followed(Arc::clone(&addresses), debate)));
            debates.push(debate);
        }
        // The older process is told to stop when the newer one serves.
        services.push(ServiceProcess::start(&variables).await);
        *addresses.lock().expect("clients") = clients(&services[1..]);
        let older = services.remove(0);
        older.signal(Signal::TERM);
        assert_eq!(older.wait().await.code(), Some(0), "round {round}: a clean exit");
    }
    for (debate, following) in debates.iter().zip(following) {
        let seen = with_timeout("followed to the end", following).await.expect("followed");
        assert_eq!(seen, versions(&read_all_events(&log, *debate).await), "no gap and no repeat");
    }
    let fences: Vec<i64> =
        sqlx::query_scalar("select fence from leases").fetch_all(&database.pool).await.expect("leases");
    println!("4 restarts, {} debates: leases moved {} times", debates.len(), fences.iter().sum::<i64>() - 8);
    assert_eq!(run_json_command(&variables, &["verify", "--json"]).await[0]["faults"], json!([]));
    for service in services {
        service.kill().await;
    }
}
