//! Faults of the database under running debates: restarts, a full disk, and cut connections.

use std::collections::BTreeMap;

use faultline_store::database::pool::{ConnectionSettings, connect};
use faultline_store::embedded::cluster::{PrivatePostgres, attach, open};
use faultline_store::embedded::layout::ClusterLayout;
use faultline_store::embedded::log::log_tail;
use faultline_store::follow::log_tail::Tail;
use faultline_store::log::log::Log;
use faultline_store::provision::postgres::postgres_bin;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, Executor};

use crate::faults::crash_test::{CrashTest, Plays, UndisturbedFacts, undisturbed};
use crate::support::client::start_debate_input;
use crate::support::environment::{cache_dir, n_trials, report_skipped};
use crate::support::log_reads::read_all_events;
use crate::support::random::Random;
use crate::support::service_process::ServiceProcess;
use crate::support::small_disk::SmallDisk;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

/// Private Postgres server of one test, with a database for one service.
struct OwnServer {
    cluster: PrivatePostgres,
    options: PgConnectOptions,
    _home: TestHome,
}

impl OwnServer {
    async fn new() -> OwnServer {
        let home = TestHome::new();
        let place = ClusterLayout { cache: cache_dir(), ..ClusterLayout::under(home.path("pg").as_ref()) };
        let cluster = open(&place, &|_| ()).await.expect("a private server");
        let mut connection = sqlx::PgConnection::connect_with(&cluster.options("postgres")).await.expect("connect");
        connection.execute("create database chaos").await.expect("create");
        connection.close().await.expect("close");
        let options = cluster.options("chaos");
        OwnServer { cluster, options, _home: home }
    }

    /// Sends the postmaster a signal and waits until a new one serves.
    async fn restart(&self, how: Signal) {
        let before = self.cluster.pid().expect("it runs");
        kill_process(Pid::from_raw(before).expect("a process"), how).expect("a signal");
        poll_until("the server comes back", async || self.cluster.pid().filter(|pid| *pid != before)).await;
    }
}

/// Signals to the postmaster: SIGKILL ends it at once, SIGINT shuts it down and cuts off its sessions.
const SIGNALS: [Signal; 3] = [Signal::KILL, Signal::INT, Signal::KILL];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_and_subscribers_survive_restarts_of_the_database() {
    let (n_restarts, wanted) = (n_trials(SIGNALS.len()), undisturbed().await);
    let hows: Vec<Signal> = SIGNALS.into_iter().cycle().take(n_restarts).collect();
    let mut n_debates = 0;
    // A server that ends often in a row is restarted with pauses, so each server ends only a few times.
    for hows in hows.chunks(SIGNALS.len()) {
        n_debates += restart_server(hows, &wanted).await;
    }
    println!("{n_restarts} restarts of the database, {n_debates} debates: no request repeated");
}

/// Restarts one server with these signals while debates run and one is followed; returns the number of debates.
async fn restart_server(hows: &[Signal], wanted: &UndisturbedFacts) -> usize {
    let server = OwnServer::new().await;
    let settings = ConnectionSettings { application: "faultline test".to_owned(), ..ConnectionSettings::default() };
    let pool = connect(server.options.clone(), &settings).await.expect("connect");
    let log = Log::start(pool.clone()).await.expect("start");
    let mut crash_test = CrashTest::start_over(&server.options, pool, log, 40, 10);
    let service = ServiceProcess::start(&crash_test.variables).await;
    crash_test.open(&service, 6).await;
    let watched = crash_test.debates[0].0;
    let mut socket = WebSocketClient::open(&service.client).await;
    socket.subscribe_to_debate(watched, 0).await;
    let mut versions = Vec::new();
    for how in hows {
        for _ in 0..25 {
            versions.push(socket.next_event().await.expect("an event")["version"].as_i64().expect("a version"));
        }
        server.restart(*how).await;
        // The server may not be back yet.
        poll_until("a debate can be opened", async || {
            let input = start_debate_input("graph", json!({ "rounds": 3 }));
            let opened = service.client.try_query(
                "mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }",
                json!({ "input": input }),
            );
            let id = opened.await.expect("the process answers")["data"]["startDebate"]["debate"]["id"].take();
            id.as_str().map(|text| crash_test.debates.push((text.parse().expect("an id"), "graph")))
        })
        .await;
    }
    while let Some(event) = socket.next_event().await {
        versions.push(event["version"].as_i64().expect("a version"));
    }
    let n_again = crash_test.check(wanted, None).await;
    let events = read_all_events(&crash_test.log, watched).await;
    assert_eq!(
        versions,
        events.iter().map(|event| event.version).collect::<Vec<_>>(),
        "one socket, no gap and no repeat"
    );
    assert_eq!(n_again, 0, "no process died, so no request is repeated");
    service.kill().await;
    server.cluster.stop().await.expect("stop");
    crash_test.debates.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_continue_once_a_full_disk_has_space_again() {
    let home = TestHome::new();
    let Some(disk) = SmallDisk::mount(&home.path("disk"), 160) else {
        report_skipped("the test of a full disk, because only root may mount a small disk");
        return;
    };
    let (wanted, bin) = (undisturbed().await, postgres_bin(&cache_dir()).await.expect("binaries"));
    let mut variables = home.environment(&PgConnectOptions::new_without_pgpass(), &scripted_replies(30));
    variables.retain(|(name, _)| *name != "DATABASE_URL" && *name != "FAULTLINE_HOME");
    variables.push(("FAULTLINE_HOME", home.path("disk")));
    // The test is about the server itself: turn the check of free space off.
    variables.push(("FAULTLINE_FREE_MIB", "0".to_owned()));
    variables.push(("FAULTLINE_PG_BIN", bin.display().to_string()));
    let service = ServiceProcess::start(&variables).await;
    let place = ClusterLayout::under(home.path("disk").as_ref());
    let cluster = attach(&place).await.expect("look").expect("a server");
    let settings = ConnectionSettings { application: "faultline test".to_owned(), ..ConnectionSettings::default() };
    let pool = connect(cluster.options("faultline"), &settings).await.expect("connect");
    let log = Log::start(pool.clone()).await.expect("start");
    let tail = Tail::start(&log);
    let mut crash_test = CrashTest {
        _database: None,
        _home: home,
        variables,
        pool,
        log,
        tail,
        debates: Vec::new(),
        plays: Plays::Rounds,
    };
    crash_test.open(&service, 4).await;
    crash_test.wait_for_events(60).await;
    disk.fill();
    let client = service.client.clone();
    let opening = tokio::spawn(async move { client.start(&start_debate_input("graph", json!({ "rounds": 3 }))).await });
    poll_until("the server reports that no space is left", async || {
        log_tail(&place, 1_000).contains("No space left").then_some(())
    })
    .await;
    let debate = crash_test.debates[0].0;
    let data = service.client.data("query ($id: ID!) { debate(id: $id) { version } }", json!({ "id": debate })).await;
    assert!(data["debate"]["version"].as_i64().is_some_and(|version| version > 1), "existing events are readable");
    disk.clear();
    crash_test.debates.push((opening.await.expect("opened once there is space"), "graph"));
    assert_eq!(crash_test.check(&wanted, Some(&[])).await, 0, "no process died, so no request is repeated");
    println!(
        "a full disk: {} debates continued when there was space again; no request repeated",
        crash_test.debates.len()
    );
    crash_test.pool.close().await;
    service.signal(Signal::TERM);
    assert_eq!(service.wait().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_and_subscribers_survive_cut_connections() {
    const CUTS: usize = 40;
    let (mut crash_test, wanted, mut random) = (CrashTest::new(20, 10).await, undisturbed().await, Random(40));
    let service = ServiceProcess::start(&crash_test.variables).await;
    crash_test.open(&service, 4).await;
    let mut socket = WebSocketClient::open(&service.client).await;
    socket.subscribe_to_debate(crash_test.debates[0].0, 0).await;
    let mut cut: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..CUTS {
        // Wait until a session is opened again if all of them were cut.
        let sessions = poll_until("a session to cut", async || {
            let sessions: Vec<(i32, String)> = sqlx::query_as(
                "select pid, application_name
                from pg_stat_activity
                where datname = current_database()
                and application_name like 'faultline%'
                and application_name not like 'faultline test%'
                order by pid",
            )
            .fetch_all(&crash_test.pool)
            .await
            .expect("look at the sessions");
            (!sessions.is_empty()).then_some(sessions)
        })
        .await;
        let (pid, name) = &sessions[random.below(sessions.len())];
        sqlx::query("select pg_terminate_backend($1)").bind(pid).execute(&crash_test.pool).await.expect("cut");
        *cut.entry(name.clone()).or_default() += 1;
        crash_test.wait_for_events(random.below(12) as i64).await;
    }
    let mut versions = Vec::new();
    while let Some(event) = socket.next_event().await {
        versions.push(event["version"].as_i64().expect("a version"));
    }
    assert_eq!(crash_test.check(&wanted, Some(&[])).await, 0, "no process died, so no request is repeated");
    let events = read_all_events(&crash_test.log, crash_test.debates[0].0).await;
    assert_eq!(
        versions,
        events.iter().map(|event| event.version).collect::<Vec<_>>(),
        "one socket, no gap and no repeat"
    );
    println!("connections cut: {cut:?}; no request repeated");
    service.kill().await;
}
