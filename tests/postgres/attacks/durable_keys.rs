//! A debate's key is as durable as its first event.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::database::migrated_database;
use crate::support::database_servers::{DATABASE, DatabaseServer};
use crate::support::event_inputs::{APPEND, opening_input, turn_input};
use crate::support::service_process::{ServiceProcess, run_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, with_timeout};

const READ: &str = "query ($id: ID!) { debate(id: $id) { topic turns { totalCount } } }";

/// Connects to the server without changing the tables of the service.
async fn pool(server: &DatabaseServer) -> PgPool {
    with_timeout("the server answers", PgPool::connect_with(server.options(DATABASE))).await.expect("connect")
}

/// Stops the process that writes the write-ahead log in the background: commits that do not wait for the disk stay in
/// memory, and a crash loses them.
async fn stop_wal_writer(pool: &PgPool) {
    let pid: i32 = sqlx::query_scalar("select pid from pg_stat_activity where backend_type = 'walwriter'")
        .fetch_one(pool)
        .await
        .expect("the process");
    kill_process(Pid::from_raw(pid).expect("a process"), Signal::STOP).expect("a signal");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_before_the_first_event_loses_no_key() {
    let home = TestHome::new();
    let mut server = DatabaseServer::primary(&home, "primary").await;
    let service = ServiceProcess::start(&home.environment(&server.options(DATABASE), &scripted_replies(0))).await;
    let watching = pool(&server).await;
    stop_wal_writer(&watching).await;

    // The first event waits for its lane until the server crashes.
    let mut lanes = watching.begin().await.expect("a transaction");
    sqlx::query("select from lanes for update").execute(&mut *lanes).await.expect("lock the lanes");
    let debate = Uuid::now_v7();
    let events = vec![opening_input(), turn_input(1, "anna", "It should.")];
    let appending = tokio::spawn({
        let client = service.client.clone();
        async move { client.data(APPEND, json!({ "id": debate, "at": 0, "events": events })).await }
    });
    poll_until("the append waits for its lane", async || {
        let waits = "select count(*) > 0 from pg_stat_activity where wait_event_type = 'Lock'
            and application_name like '%writer%'";
        sqlx::query_scalar::<_, bool>(waits).fetch_one(&watching).await.ok()?.then_some(())
    })
    .await;
    server.crash();
    drop(lanes);
    server.start().await;

    let appended = with_timeout("the append is recorded after the crash", appending).await.expect("no panic");
    assert_eq!(appended["appendEvents"]["version"], 2, "{appended}");
    let read = service.client.data(READ, json!({ "id": debate })).await;
    assert_eq!(read["debate"]["turns"]["totalCount"], 1, "{read}");
    let variables = home.environment(&server.options(DATABASE), &scripted_replies(0));
    let verified = run_command(&variables, &["verify"]).await;
    assert_eq!(verified.code, Some(0), "{verified:?}");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_whose_key_was_lost_is_reported_as_damaged() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let service = ServiceProcess::start(&variables).await;
    let debate = Uuid::now_v7();
    service.client.data(APPEND, json!({ "id": debate, "at": 0, "events": [opening_input()] })).await;
    // State that builds without this protection left after a crash.
    service.kill().await;
    database.run(&format!("delete from debate_keys where debate_id = '{debate}'")).await;

    let service = ServiceProcess::start(&variables).await;
    let client = &service.client;
    for (query, arguments) in [
        (READ, json!({ "id": debate })),
        (APPEND, json!({ "id": debate, "at": 1, "events": [turn_input(1, "anna", "It should.")] })),
        ("mutation ($id: ID!) { pauseDebate(input: { debateId: $id }) { debate { id } } }", json!({ "id": debate })),
    ] {
        let answer = client.query(query, arguments).await;
        let error = &answer["errors"][0];
        assert_eq!(error["extensions"]["code"], "DAMAGED", "{query}: {answer}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(&debate.to_string()) && message.contains("key"), "{message}");
    }
    let streamed = client.http.get(client.url(&format!("/debates/{debate}/events"))).send().await.expect("an answer");
    assert_eq!(streamed.status(), 500);
    assert!(streamed.text().await.expect("a text").contains("key"), "the response names the cause");
    let verified = run_command(&variables, &["verify"]).await;
    assert_eq!(verified.code, Some(1), "{verified:?}");
    assert!(verified.stdout.contains(&debate.to_string()) && verified.stdout.contains("key"), "{verified:?}");
    service.kill().await;
}

#[tokio::test]
async fn the_log_refuses_an_encrypted_first_event_without_its_key() {
    let database = migrated_database().await;
    let insert = "insert into events (position, version, recorded_at, debate_id, id, lane, schema, kind, body, hash)
        values (1, $1, now(), $2, $3, 0, 1, 'debate_opened', $4, '\\x00')";
    let refused = |version: i64, body: &'static [u8]| {
        let query = sqlx::query(insert).bind(version).bind(Uuid::now_v7()).bind(Uuid::now_v7()).bind(body);
        query.execute(&database.pool)
    };
    for packed in [1_u8, 2] {
        let body: &[u8] = if packed == 1 { &[1, 7] } else { &[2, 7] };
        let error = refused(1, body).await.expect_err("no key is recorded");
        let code = error.as_database_error().and_then(|error| error.code()).map(|code| code.into_owned());
        assert_eq!(code.as_deref(), Some("FL002"), "{error}");
    }
    refused(1, b"{}").await.expect("a plain body needs no key");
}

/// Clients that begin the same debate at once agree on one key, and all but one of them receive `repeated`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_begin_a_debate_at_once_use_one_key() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(0));
    let services = [ServiceProcess::start(&variables).await, ServiceProcess::start(&variables).await];
    for _ in 0..5 {
        let debate = Uuid::now_v7();
        let events: Value = json!([opening_input(), turn_input(1, "anna", "It should.")]);
        let asked = (0..20).map(|n| {
            let client = services[n % 2].client.clone();
            let variables = json!({ "id": debate, "at": 0, "events": events });
            async move { client.data(APPEND, variables).await["appendEvents"].take() }
        });
        let answers = futures_util::future::join_all(asked).await;
        let recorded = answers.iter().filter(|answer| answer["repeated"] == false).count();
        assert_eq!(recorded, 1, "one of twenty recorded the events: {answers:?}");
        for service in &services {
            let read = service.client.data(READ, json!({ "id": debate })).await;
            assert_eq!(read["debate"]["turns"]["totalCount"], 1, "{read}");
        }
    }
}
