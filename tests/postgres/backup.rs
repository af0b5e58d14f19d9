//! A copy of the database is a whole service: by a dump, and by a base backup with the log since.

use std::fs;
use std::path::PathBuf;

use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::error::StoreError;
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::Cursor;
use faultline_store::log::append::{Append, AppendError, NewEvent};
use faultline_store::log::log::{Log, PAGE};
use faultline_store::views::views::Views;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::client::{Home, Service, Socket, ended, history, input, run_json, script, until};
use crate::servers::{DATABASE, Server};
use crate::support::{below_manifest, said};

/// One thing that somebody wrote, so that the library is not empty.
fn furnish(home: &Home) {
    let folder = PathBuf::from(home.path("corpus")).join("edda-tolvane");
    fs::create_dir(&folder).expect("a folder");
    let name = "evidence-to-scrutiny.md";
    fs::copy(below_manifest("corpus/edda-tolvane").join(name), folder.join(name)).expect("a document");
}

/// So many debates, all under way.
async fn under_way(service: &Service, n_debates: usize) -> Vec<DebateId> {
    let mut debates = Vec::new();
    for n in 0..n_debates {
        let engine = ["graph", "dialectic"][n % 2];
        debates.push(service.client.start(&input(engine, json!({ "rounds": 3 }))).await);
    }
    debates
}

/// Waits until every one of these has come so far, and none to its end.
async fn grown(log: &Log, debates: &[DebateId], to: i64) {
    for debate in debates {
        until("the debate goes on", async || (log.head(*debate).await.expect("head") >= to).then_some(())).await;
    }
}

/// Everything is there, in order, and what is stored of it is what it adds up to.
async fn is_whole(variables: &[(&'static str, String)]) -> Value {
    let verified = run_json(variables, &["verify", "--json"]).await.remove(0);
    assert_eq!(verified["faults"], json!([]), "{verified}");
    verified
}

async fn caught_up(pool: &PgPool, log: &Log) {
    let views = Views::new(pool.clone());
    until("the list catches up", async || {
        let served = views.served_generation("debates").await.expect("served")?;
        let heads = log.heads().await.expect("heads");
        (views.behind(served, &heads).await.expect("behind") == 0).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dump_made_while_debates_run_is_restored_and_they_go_on() {
    let home = Home::new();
    furnish(&home);
    let server = Server::primary(&home, "server").await;
    let pool = server.pool(DATABASE).await;
    let log = Log::start(pool.clone()).await.expect("the log");
    let mut variables = home.variables(&server.options(DATABASE), &script(60));
    variables.push(("FAULTLINE_LEASE_SECONDS", "1".to_owned()));
    let service = Service::start(&variables).await;
    until("the library is filled", async || {
        let told = run_json(&variables, &["corpus", "stats", "--json"]).await.remove(0);
        told["passages"].as_i64().filter(|it| *it > 0)
    })
    .await;
    let debates = under_way(&service, 4).await;
    grown(&log, &debates, 8).await;
    // What clients hold on to: a cursor of the whole log, and events that they would record again.
    let cursor: Cursor = Cursor::from_heads(log.heads().await.expect("heads")).to_string().parse().expect("a cursor");
    let before = history(&log, debates[0]).await;

    let dump = home.path("faultline.dump");
    let made = server.tool("pg_dump", &["-Fc", "-d", DATABASE]);
    fs::write(&dump, made.stdout).expect("write the dump");
    service.kill().await;
    server.run("postgres", "create database restored").await;
    server.tool("pg_restore", &["--exit-on-error", "--no-owner", "-j", "2", "-d", "restored", &dump]);

    let pool = server.pool("restored").await;
    let restored = Log::start(pool.clone()).await.expect("the log");
    let mut variables = home.variables(&server.options("restored"), &script(5));
    variables.push(("FAULTLINE_LEASE_SECONDS", "1".to_owned()));
    is_whole(&variables).await;
    let kept = history(&restored, debates[0]).await;
    assert_eq!(&kept[..before.len()], &before[..], "what was acknowledged before the dump is in it");
    let (since, _) = restored.read_all(&cursor, PAGE).await.expect("the cursor is one of this log");
    let heads: i64 = restored.heads().await.expect("heads").iter().sum();
    let behind: i64 = (0..16).map(|lane| cursor.position(lane)).sum();
    assert_eq!(since.len() as i64, heads - behind);
    // The same events once more are the same success, and an id never stands for something else.
    let again = |event| NewEvent { id: before[1].id, event, caused_by: before[1].caused_by };
    let append =
        |event| Append { debate: debates[0], expected: 1, events: vec![again(event)], fence: None, actor: None };
    let repeated = restored.append(append(before[1].event.clone())).await.expect("recorded before");
    assert_eq!(repeated[0].version, before[1].version);
    let other = restored.append(append(said("something else"))).await;
    assert!(matches!(other, Err(AppendError::Reused { .. })), "{other:?}");

    let service = Service::start(&variables).await;
    let tail = Tail::start(&restored);
    let mut socket = Socket::open(&service.client).await;
    socket.follow(debates[0], before.len() as i64).await;
    for debate in &debates {
        ended(&restored, &tail, *debate).await;
    }
    let mut versions = Vec::new();
    while let Some(event) = socket.event().await {
        versions.push(event["version"].as_i64().expect("a version"));
    }
    let last = restored.head(debates[0]).await.expect("head");
    assert_eq!(versions, (before.len() as i64 + 1..=last).collect::<Vec<_>>(), "a subscriber goes on where it was");
    let fresh = under_way(&service, 1).await;
    ended(&restored, &tail, fresh[0]).await;
    caught_up(&pool, &restored).await;
    let verified = is_whole(&variables).await;
    assert_eq!(verified["debates"], 5);
    let found = run_json(&variables, &["corpus", "search", "the Kettle", "--json"]).await.remove(0);
    assert!(found.as_array().is_some_and(|it| !it.is_empty()), "what personas wrote is found");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_base_backup_is_brought_to_a_point_in_time_and_goes_on_from_there() {
    let home = Home::new();
    let primary = Server::primary(&home, "primary").await;
    let pool = primary.pool(DATABASE).await;
    let log = Log::start(pool.clone()).await.expect("the log");
    let mut variables = home.variables(&primary.options(DATABASE), &script(30));
    variables.push(("FAULTLINE_LEASE_SECONDS", "1".to_owned()));
    let service = Service::start(&variables).await;
    let debates = under_way(&service, 2).await;
    grown(&log, &debates, 5).await;
    let mut copy = primary.copied(&home, "copy", &[]).await;
    let more = under_way(&service, 2).await;
    grown(&log, &more, 5).await;
    let before = history(&log, more[0]).await;
    let cursor = Cursor::from_heads(log.heads().await.expect("heads"));
    primary.run(DATABASE, "select pg_create_restore_point('before_the_mishap')").await;
    // What is recorded after the point is not brought back.
    let lost = under_way(&service, 1).await;
    grown(&log, &lost, 3).await;
    let beyond = Cursor::from_heads(log.heads().await.expect("heads"));
    service.kill().await;
    primary.run(DATABASE, "select pg_switch_wal()").await;
    until("the archive has it", async || {
        let pending: Option<bool> = sqlx::query_scalar(
            "select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) from pg_stat_archiver",
        )
        .fetch_one(&pool)
        .await
        .expect("look at the archiver");
        pending.filter(|it| *it)
    })
    .await;
    let archive = primary.archive();
    pool.close().await;
    let mut primary = primary;
    primary.crash();

    copy.recover_to(&archive, "before_the_mishap");
    copy.start().await;
    let options = copy.options(DATABASE);
    until("it takes writes", async || {
        use sqlx::ConnectOptions;
        let mut connection = options.connect().await.ok()?;
        let is_standby: bool =
            sqlx::query_scalar("select pg_is_in_recovery()").fetch_one(&mut connection).await.ok()?;
        (!is_standby).then_some(())
    })
    .await;
    let pool = copy.pool(DATABASE).await;
    let restored = Log::start(pool.clone()).await.expect("the log");
    let mut variables = home.variables(&options, &script(5));
    variables.push(("FAULTLINE_LEASE_SECONDS", "1".to_owned()));
    is_whole(&variables).await;
    assert_eq!(&history(&restored, more[0]).await[..before.len()], &before[..]);
    assert_eq!(restored.head(lost[0]).await.expect("head"), 0, "what came after the point is not there");
    restored.read_all(&cursor, PAGE).await.expect("a cursor of before is good");
    let refused = restored.read_all(&beyond, PAGE).await.expect_err("a cursor of what is lost");
    assert!(matches!(refused, StoreError::Ahead { .. }), "{refused}");

    let service = Service::start(&variables).await;
    let tail = Tail::start(&restored);
    for debate in debates.iter().chain(&more) {
        ended(&restored, &tail, *debate).await;
    }
    let fresh = under_way(&service, 1).await;
    ended(&restored, &tail, fresh[0]).await;
    caught_up(&pool, &restored).await;
    let verified = is_whole(&variables).await;
    assert_eq!(verified["debates"], 5);
    let projections = run_json(&variables, &["projections", "--json"]).await.remove(0);
    assert_eq!(projections["revision"], REVISION);
    service.kill().await;
}
