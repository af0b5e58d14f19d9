//! Backups: a service continues on a restored dump, and on a base backup recovered to a point in time.

use std::fs;
use std::path::PathBuf;

use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::error::StoreError;
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::Cursor;
use faultline_store::log::append::{Append, AppendError, NewEvent};
use faultline_store::log::log::{Log, MAX_PAGE};
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::client::start_debate_input;
use crate::support::database_servers::{DATABASE, DatabaseServer};
use crate::support::environment::project_path;
use crate::support::log_reads::{read_all_events, wait_for_end};
use crate::support::phase_events::phase_event;
use crate::support::service_process::{ServiceProcess, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

/// Copies one document into the corpus, so that the library is not empty.
fn add_document(home: &TestHome) {
    let folder = PathBuf::from(home.path("corpus")).join("edda-tolvane");
    fs::create_dir(&folder).expect("a folder");
    let name = "evidence-to-scrutiny.md";
    fs::copy(project_path("corpus/edda-tolvane").join(name), folder.join(name)).expect("a document");
}

/// Starts `n_debates` debates.
async fn start_debates(service: &ServiceProcess, n_debates: usize) -> Vec<DebateId> {
    let mut debates = Vec::new();
    for n in 0..n_debates {
        let engine = ["graph", "dialectic"][n % 2];
        debates.push(service.client.start(&start_debate_input(engine, json!({ "rounds": 3 }))).await);
    }
    debates
}

/// Waits until each of these debates has at least `to` events.
async fn wait_for_events(log: &Log, debates: &[DebateId], to: i64) {
    for debate in debates {
        poll_until("the debate progresses", async || (log.head(*debate).await.expect("head") >= to).then_some(()))
            .await;
    }
}

/// Checks that `verify` finds no fault in the log and the read models; returns its report.
async fn verify_without_faults(variables: &[(&'static str, String)]) -> Value {
    let verified = run_json_command(variables, &["verify", "--json"]).await.remove(0);
    assert_eq!(verified["faults"], json!([]), "{verified}");
    verified
}

async fn wait_for_list(pool: &PgPool, log: &Log) {
    let views = Views::new(pool.clone());
    poll_until("the list catches up", async || {
        let served = views.served_generation("debates").await.expect("served")?;
        let heads = log.heads().await.expect("heads");
        (views.behind(served, &heads).await.expect("behind") == 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dump_taken_during_debates_restores_and_the_debates_continue() {
    let home = TestHome::new();
    add_document(&home);
    let server = DatabaseServer::primary(&home, "server").await;
    let pool = server.pool(DATABASE).await;
    let log = Log::start(pool.clone()).await.expect("the log");
    let mut variables = home.environment(&server.options(DATABASE), &scripted_replies(60));
    variables.push(("FAULTLINE_LEASE_SECONDS", "1".to_owned()));
    let service = ServiceProcess::start(&variables).await;
    poll_until("the library is filled", async || {
        let actual = run_json_command(&variables, &["corpus", "stats", "--json"]).await.remove(0);
        actual["passages"].as_i64().filter(|n| *n > 0)
    })
    .await;
    let debates = start_debates(&service, 4).await;
    wait_for_events(&log, &debates, 8).await;
    // State that clients keep: a cursor of the whole log, and events that they may append again.
    let cursor: Cursor = Cursor::from_heads(log.heads().await.expect("heads")).to_string().parse().expect("a cursor");
    let before = read_all_events(&log, debates[0]).await;

    let dump = home.path("faultline.dump");
    let made = server.run_tool("pg_dump", &["-Fc", "-d", DATABASE]);
    fs::write(&dump, made.stdout).expect("write the dump");
    service.kill().await;
    server.run("postgres", "create database restored").await;
    server.run_tool("pg_restore", &["--exit-on-error", "--no-owner", "-j", "2", "-d", "restored", &dump]);

    let pool = server.pool("restored").await;
    let restored = Log::start(pool.clone()).await.expect("the log");
    let mut variables = home.environment(&server.options("restored"), &scripted_replies(5));
    variables.push(("FAULTLINE_LEASE_SECONDS", "1".to_owned()));
    verify_without_faults(&variables).await;
    let kept = read_all_events(&restored, debates[0]).await;
    assert_eq!(&kept[..before.len()], &before[..], "the dump contains all events acknowledged before it");
    let (since, _) = restored.read_all(&cursor, MAX_PAGE).await.expect("the cursor belongs to this log");
    let heads: i64 = restored.heads().await.expect("heads").iter().sum();
    let behind: i64 = (0..16).map(|lane| cursor.position(lane)).sum();
    assert_eq!(since.len() as i64, heads - behind);
    // Appending the same events again succeeds; reusing an id for another event is refused.
    let again = |event| NewEvent { id: before[1].id, event, caused_by: before[1].caused_by };
    let append =
        |event| Append { debate: debates[0], expected: 1, events: vec![again(event)], fence: None, actor: None };
    let repeated = restored.append(append(before[1].event.clone())).await.expect("recorded before");
    assert_eq!(repeated[0].version, before[1].version);
    let other = restored.append(append(phase_event("something else"))).await;
    assert!(matches!(other, Err(AppendError::Reused { .. })), "{other:?}");

    let service = ServiceProcess::start(&variables).await;
    let tail = Tail::start(&restored);
    let mut socket = WebSocketClient::open(&service.client).await;
    socket.subscribe_to_debate(debates[0], before.len() as i64).await;
    for debate in &debates {
        wait_for_end(&restored, &tail, *debate).await;
    }
    let mut versions = Vec::new();
    while let Some(event) = socket.next_event().await {
        versions.push(event["version"].as_i64().expect("a version"));
    }
    let last = restored.head(debates[0]).await.expect("head");
    assert_eq!(versions, (before.len() as i64 + 1..=last).collect::<Vec<_>>(), "a subscriber resumes where it stopped");
    let fresh = start_debates(&service, 1).await;
    wait_for_end(&restored, &tail, fresh[0]).await;
    wait_for_list(&pool, &restored).await;
    let verified = verify_without_faults(&variables).await;
    assert_eq!(verified["debates"], 5);
    let found = run_json_command(&variables, &["corpus", "search", "the Kettle", "--json"]).await.remove(0);
    assert!(found.as_array().is_some_and(|passages| !passages.is_empty()), "the personas' documents are found");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_base_backup_recovers_to_a_restore_point_and_the_debates_continue() {
    let home = TestHome::new();
    let primary = DatabaseServer::primary(&home, "primary").await;
    let pool = primary.pool(DATABASE).await;
    let log = Log::start(pool.clone()).await.expect("the log");
    let mut variables = home.environment(&primary.options(DATABASE), &scripted_replies(30));
    variables.push(("FAULTLINE_LEASE_SECONDS", "1".to_owned()));
    let service = ServiceProcess::start(&variables).await;
    let debates = start_debates(&service, 2).await;
    wait_for_events(&log, &debates, 5).await;
    let mut copy = primary.base_backup(&home, "copy", &[]).await;
    let more = start_debates(&service, 2).await;
    wait_for_events(&log, &more, 5).await;
    let before = read_all_events(&log, more[0]).await;
    let cursor = Cursor::from_heads(log.heads().await.expect("heads"));
    primary.run(DATABASE, "select pg_create_restore_point('before_the_mishap')").await;
    // Events recorded after the restore point are not recovered.
    let lost = start_debates(&service, 1).await;
    wait_for_events(&log, &lost, 3).await;
    let beyond = Cursor::from_heads(log.heads().await.expect("heads"));
    service.kill().await;
    primary.run(DATABASE, "select pg_switch_wal()").await;
    poll_until("the segment is archived", async || {
        let pending: Option<bool> = sqlx::query_scalar(
            "select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) from pg_stat_archiver",
        )
        .fetch_one(&pool)
        .await
        .expect("look at the archiver");
        pending.filter(|is_pending| *is_pending)
    })
    .await;
    let archive = primary.archive_dir();
    pool.close().await;
    let mut primary = primary;
    primary.crash();

    copy.recover_to(&archive, "before_the_mishap");
    copy.start().await;
    let options = copy.options(DATABASE);
    poll_until("the server accepts writes", async || {
        use sqlx::ConnectOptions;
        let mut connection = options.connect().await.ok()?;
        let is_standby: bool =
            sqlx::query_scalar("select pg_is_in_recovery()").fetch_one(&mut connection).await.ok()?;
        (!is_standby).then_some(())
    })
    .await;
    let pool = copy.pool(DATABASE).await;
    let restored = Log::start(pool.clone()).await.expect("the log");
    let mut variables = home.environment(&options, &scripted_replies(5));
    variables.push(("FAULTLINE_LEASE_SECONDS", "1".to_owned()));
    verify_without_faults(&variables).await;
    assert_eq!(&read_all_events(&restored, more[0]).await[..before.len()], &before[..]);
    assert_eq!(restored.head(lost[0]).await.expect("head"), 0, "events after the restore point are absent");
    restored.read_all(&cursor, MAX_PAGE).await.expect("a cursor from before the restore point is valid");
    let refused = restored.read_all(&beyond, MAX_PAGE).await.expect_err("a cursor of lost events is refused");
    assert!(matches!(refused, StoreError::Ahead { .. }), "{refused}");

    let service = ServiceProcess::start(&variables).await;
    let tail = Tail::start(&restored);
    for debate in debates.iter().chain(&more) {
        wait_for_end(&restored, &tail, *debate).await;
    }
    let fresh = start_debates(&service, 1).await;
    wait_for_end(&restored, &tail, fresh[0]).await;
    wait_for_list(&pool, &restored).await;
    let verified = verify_without_faults(&variables).await;
    assert_eq!(verified["debates"], 5);
    let projections = run_json_command(&variables, &["projections", "--json"]).await.remove(0);
    assert_eq!(projections["revision"], REVISION);
    service.kill().await;
}
