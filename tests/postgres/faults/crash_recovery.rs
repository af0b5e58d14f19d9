//! Crash tests with real processes and real signals: every debate ends as in an undisturbed run, and no turn is
//! repeated.
//!
//! One difference is permitted: a provider request that was interrupted before its answer was recorded is repeated.
//! Each interruption has a known cause: a kill, or an expired lease that another process claimed, which is recorded in
//! the table `lapses`. A process that is stopped and loses no lease interrupts nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::receipt::{EffectAnswered, EffectKey};
use faultline_core::verdicts::read_model::DebateReadModel;
use faultline_store::embedded::cluster::{PrivatePostgres, attach, open};
use faultline_store::embedded::layout::ClusterLayout;
use faultline_store::embedded::log::log_tail;
use faultline_store::follow::log_tail::Tail;
use faultline_store::log::log::Log;
use faultline_store::pool::{ConnectionSettings, connect};
use faultline_store::provision::postgres::postgres_bin;
use futures_util::future::join_all;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, Executor, PgPool};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use uuid::Uuid;

use crate::support::client::{
    ServiceProcess, TestHome, WebSocketClient, poll_until, read_all_events, run_json_command, scripted_replies,
    start_debate_input, wait_for_end, wait_for_event,
};
use crate::support::database::{Database, cache_dir, migrated_database, n_trials, report_skipped};

/// Engines with their numbers of rounds, enough for many kills per debate.
const ROUNDS: [(&str, u32); 2] = [("dialectic", 10), ("graph", 3)];

/// Random number generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) % limit
    }
}

/// Database that outlives the processes that serve from it, and the debates opened in it.
struct CrashTest {
    _database: Option<Database>,
    _home: TestHome,
    variables: Vec<(&'static str, String)>,
    pool: PgPool,
    log: Log,
    tail: Tail,
    debates: Vec<(DebateId, &'static str)>,
}

impl CrashTest {
    /// Creates a database; every answer of the provider takes `after_millis`.
    async fn new(after_millis: u64, lease_seconds: u32) -> CrashTest {
        let database = migrated_database().await;
        let (log, options, pool) = (database.log().await, database.options.clone(), database.pool.clone());
        let stage = CrashTest::start_over(&options, pool, log, after_millis, lease_seconds);
        CrashTest { _database: Some(database), ..stage }
    }

    fn start_over(
        options: &PgConnectOptions,
        pool: PgPool,
        log: Log,
        after_millis: u64,
        lease_seconds: u32,
    ) -> CrashTest {
        let home = TestHome::new();
        let mut variables = home.environment(options, &scripted_replies(after_millis));
        variables.push(("FAULTLINE_LEASE_SECONDS", lease_seconds.to_string()));
        let tail = Tail::start(&log);
        CrashTest { _database: None, _home: home, variables, pool, log, tail, debates: Vec::new() }
    }

    /// Opens `n_debates` debates, alternating between the engines.
    async fn open(&mut self, service: &ServiceProcess, n_debates: usize) {
        for _ in 0..n_debates {
            let (engine, rounds) = ROUNDS[self.debates.len() % ROUNDS.len()];
            let debate = service.client.start(&start_debate_input(engine, json!({ "rounds": rounds }))).await;
            self.debates.push((debate, engine));
        }
    }

    /// Number of events in the log.
    async fn events(&self) -> i64 {
        self.log.heads().await.expect("heads").iter().sum()
    }

    /// Number of debates that have not ended.
    async fn running_debates(&self) -> usize {
        let ended: i64 = sqlx::query_scalar("select count(*) from events where kind = 'debate_concluded'")
            .fetch_one(&self.pool)
            .await
            .expect("count");
        self.debates.len() - ended as usize
    }

    /// Processes that have a lease on a debate.
    async fn holders(&self) -> BTreeSet<Uuid> {
        let held: Vec<Uuid> = sqlx::query_scalar("select distinct holder from leases where holder is not null")
            .fetch_all(&self.pool)
            .await
            .expect("look at the leases");
        held.into_iter().collect()
    }

    /// Number of unanswered requests in debates that these processes drive.
    async fn questions_of(&self, drivers: &BTreeSet<Uuid>) -> i64 {
        sqlx::query_scalar(
            "select count(*) filter (where kind = 'effect_requested') - count(*) filter (where kind = 'effect_answered')
            from events
            join leases using (debate_id)
            where holder = any ($1)",
        )
        .bind(drivers.iter().copied().collect::<Vec<_>>())
        .fetch_one(&self.pool)
        .await
        .expect("count")
    }

    /// Times at which each debate was claimed after its lease had expired. Claims by the former holder itself do not
    /// count: a process never claims a debate that it drives, so they interrupt nothing.
    async fn lapses(&self) -> Lapses {
        let found: Vec<(Uuid, DateTime<Utc>)> =
            sqlx::query_as("select debate_id, claimed_at from lapses where former <> claimant")
                .fetch_all(&self.pool)
                .await
                .expect("look at the lapses");
        let mut lapses = Lapses::new();
        found.into_iter().for_each(|(debate, at)| lapses.entry(DebateId(debate)).or_default().push(at));
        lapses
    }

    /// Returns true if all leases with a holder have expired and none was renewed or claimed.
    async fn all_lapsed(&self) -> bool {
        let (held, lapsed): (i64, i64) = sqlx::query_as(
            "select count(*), count(*) filter (where until < now()) from leases where holder is not null",
        )
        .fetch_one(&self.pool)
        .await
        .expect("look at the leases");
        held > 0 && held == lapsed
    }

    /// Waits until `by` more events are recorded or all debates have ended.
    async fn wait_for_events(&self, by: i64) {
        let wanted = self.events().await + by;
        poll_until("the log grows", async || {
            (self.events().await >= wanted || self.running_debates().await == 0).then_some(())
        })
        .await;
    }

    /// Waits until killed processes have no sessions on the server; returns the version of every debate then.
    async fn versions_after_kill(&self) -> HashMap<DebateId, i64> {
        poll_until("the sessions of killed processes end", async || {
            let sessions: i64 = sqlx::query_scalar(
                "select count(*)
                from pg_stat_activity
                where datname = current_database()
                and application_name like 'faultline%'
                and application_name not like 'faultline test%'",
            )
            .fetch_one(&self.pool)
            .await
            .expect("look at the sessions");
            (sessions == 0).then_some(())
        })
        .await;
        let heads =
            self.debates.iter().map(|(debate, _)| async { (*debate, self.log.head(*debate).await.expect("head")) });
        join_all(heads).await.into_iter().collect()
    }

    /// Waits until every debate has ended, then compares each with the undisturbed run and verifies the whole log.
    /// Returns the number of repeated requests.
    async fn check(&self, wanted: &UndisturbedFacts, cuts: Option<&[HashMap<DebateId, i64>]>) -> usize {
        let mut n_again = 0;
        for (debate, engine) in &self.debates {
            let events = wait_for_end(&self.log, &self.tail, *debate).await;
            let lapses = self.lapses().await;
            let versions: Vec<i64> = events.iter().map(|it| it.version).collect();
            assert_eq!(versions, (1..=events.len() as i64).collect::<Vec<_>>(), "{debate}");
            let cuts: Option<Vec<i64>> = cuts.map(|it| it.iter().filter_map(|it| it.get(debate).copied()).collect());
            let lapses = lapses.get(debate).map_or(&[][..], Vec::as_slice);
            n_again += count_repeats(&events, cuts.as_deref(), lapses);
            assert_eq!(facts(&events), wanted[engine], "{engine} {debate}");
        }
        let verified = run_json_command(&self.variables, &["verify", "--json"]).await;
        let counted = json!([verified[0]["debates"], verified[0]["events"], verified[0]["faults"]]);
        assert_eq!(counted, json!([self.debates.len(), self.events().await, []]));
        n_again
    }
}

/// Times at which debates were claimed after their leases had expired.
type Lapses = HashMap<DebateId, Vec<DateTime<Utc>>>;

/// Facts of an undisturbed debate of each engine.
type UndisturbedFacts = BTreeMap<&'static str, Vec<String>>;

async fn undisturbed() -> UndisturbedFacts {
    let mut stage = CrashTest::new(0, 10).await;
    let service = ServiceProcess::start(&stage.variables).await;
    stage.open(&service, ROUNDS.len()).await;
    let mut wanted = UndisturbedFacts::new();
    for (debate, engine) in &stage.debates {
        let events = wait_for_end(&stage.log, &stage.tail, *debate).await;
        assert_eq!(count_repeats(&events, Some(&[]), &[]), 0);
        wanted.insert(engine, facts(&events));
    }
    service.kill().await;
    wanted
}

/// Content of a debate's events, without receipts, and with text in place of ids that depend on the order of answers.
fn facts(events: &[Recorded]) -> Vec<String> {
    let board = DebateReadModel::of(events);
    let mut names: HashMap<String, String> = HashMap::new();
    for (argument, it) in &board.arguments.arguments {
        names.insert(argument.to_string(), format!("({})", it.advanced.claim));
    }
    for (attack, it) in &board.arguments.attacks {
        let end = |it: String| names[&it].clone();
        names.insert(
            attack.to_string(),
            format!("{} -> {}", end(it.raised.source.to_string()), end(it.raised.target.to_string())),
        );
    }
    let turns: Vec<_> =
        events.iter().filter_map(|it| if let Event::TurnTaken(turn) = &it.event { Some(turn) } else { None }).collect();
    for (number, turn) in (1..).zip(&turns) {
        assert_eq!(turn.turn.0, number, "turns are numbered in their order");
        names.insert(turn.turn.to_string(), format!("({} in {:?}: {})", turn.speaker, turn.round, turn.text));
    }
    let distinct: BTreeSet<&String> = names.values().collect();
    assert_eq!(distinct.len(), names.len(), "nothing is recorded twice");
    let is_fact = |it: &&Recorded| !matches!(it.event, Event::EffectRequested(_) | Event::EffectAnswered(_));
    let actual = |it: &Recorded| renamed(serde_json::to_value(&it.event).expect("JSON"), &names).to_string();
    let mut facts: Vec<String> = events.iter().filter(is_fact).map(actual).collect();
    if board.summary.engine == "graph" {
        // Answers of parallel speakers arrive in any order.
        facts.sort_unstable();
    }
    let labels: BTreeMap<String, String> = board
        .verdict()
        .labels
        .iter()
        .map(|(it, label)| (names[&it.to_string()].clone(), format!("{label:?}")))
        .collect();
    facts.push(format!("{:?} {labels:?}", board.verdict().regime.kind));
    facts
}

fn renamed(value: Value, names: &HashMap<String, String>) -> Value {
    match value {
        Value::String(text) => Value::String(names.get(&text).cloned().unwrap_or(text)),
        Value::Array(items) => items.into_iter().map(|it| renamed(it, names)).collect(),
        // The text of a refusal contains the original ids.
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(name, _)| name != "refused")
            .map(|(name, it)| (name, renamed(it, names)))
            .collect(),
        other => other,
    }
}

/// Checks that the last request of every key was answered exactly once, and returns the number of repeated requests.
/// Every earlier request must have been open at one of the cuts (not checked for `None`), or when the debate was
/// claimed after its lease had expired.
fn count_repeats(events: &[Recorded], cuts: Option<&[i64]>, lapses: &[DateTime<Utc>]) -> usize {
    let mut requests: BTreeMap<&EffectKey, Vec<&Recorded>> = BTreeMap::new();
    let mut answers: BTreeMap<&EffectKey, Vec<(&EffectAnswered, &Recorded)>> = BTreeMap::new();
    for recorded in events {
        match &recorded.event {
            Event::EffectRequested(it) => requests.entry(&it.key).or_default().push(recorded),
            Event::EffectAnswered(it) => answers.entry(&it.key).or_default().push((it, recorded)),
            Event::EffectFailed(_) | Event::EffectAbandoned(_) => panic!("the script never fails: {recorded:?}"),
            _ => {}
        }
    }
    for (key, requests) in &requests {
        let [(answer, receipt)] = answers[key][..] else { panic!("{key} was answered {} times", answers[key].len()) };
        let last = requests.last().expect("a request");
        let actual = (answer.attempt as usize, answer.ignored, receipt.caused_by);
        assert_eq!(actual, (requests.len(), false, Some(last.id)), "{key}: its last request is the one answered");
        for pair in requests.windows(2) {
            let open_at = |cut: &i64| pair[0].version <= *cut && *cut < pair[1].version;
            // All three times are of the database's clock. A claim waits for running appends, and no append follows it.
            let open_when = |lapse: &DateTime<Utc>| pair[0].at <= *lapse && *lapse <= pair[1].at;
            assert!(
                cuts.is_none_or(|it| it.iter().any(open_at)) || lapses.iter().any(open_when),
                "{key} was repeated without an interruption"
            );
        }
    }
    requests.values().map(|it| it.len() - 1).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_at_random_moments_lose_nothing_and_repeat_no_turn() {
    let kills = n_trials(20);
    let (mut stage, wanted, mut dice) = (CrashTest::new(30, 1).await, undisturbed().await, Random(20));
    let mut cuts = Vec::new();
    for kill in 0..kills {
        if kill % 7 == 3 {
            // Kill it while it starts.
            let mut child = ServiceProcess::spawn(&stage.variables);
            tokio::time::sleep(Duration::from_millis(dice.below(600))).await;
            child.kill().await.expect("kill");
        } else {
            let service = ServiceProcess::start(&stage.variables).await;
            let missing = 6 - stage.running_debates().await;
            stage.open(&service, missing).await;
            stage.wait_for_events(dice.below(120) as i64).await;
            tokio::time::sleep(Duration::from_millis(dice.below(40))).await;
            service.kill().await;
        }
        cuts.push(stage.versions_after_kill().await);
    }
    let service = ServiceProcess::start(&stage.variables).await;
    let n_again = stage.check(&wanted, Some(&cuts)).await;
    let (n_debates, n_events) = (stage.debates.len(), stage.events().await);
    println!("{kills} kills, {n_debates} debates, {n_events} events: {n_again} interrupted requests repeated");
    assert!(n_again > 0, "no kill interrupted a request");
    service.signal(Signal::TERM);
    assert_eq!(service.wait().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_of_a_killed_process_are_taken_over() {
    let (mut stage, wanted) = (CrashTest::new(40, 2).await, undisturbed().await);
    let first = ServiceProcess::start(&stage.variables).await;
    stage.open(&first, 4).await;
    stage.wait_for_events(60).await;
    let drivers = stage.holders().await;
    let second = ServiceProcess::start(&stage.variables).await;
    stage.wait_for_events(20).await;
    // On a busy machine they may all have ended while the other process started.
    let missing = 4 - stage.running_debates().await;
    stage.open(&first, missing).await;
    poll_until("a request is open", async || (stage.questions_of(&drivers).await > 0).then_some(())).await;
    first.kill().await;
    let (killed, head) = (Instant::now(), stage.events().await);
    poll_until("the other process takes over", async || (stage.events().await > head + 1).then_some(())).await;
    let millis = killed.elapsed().as_millis();
    let n_again = stage.check(&wanted, Some(&[])).await;
    println!("a lease of 2 s: taken over {millis} ms after the kill; {n_again} requests repeated");
    assert!((1..=8).contains(&n_again), "only requests in flight are repeated: {n_again}");
    second.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_lost_its_leases_appends_nothing_more() {
    let (mut stage, wanted) = (CrashTest::new(40, 1).await, undisturbed().await);
    let mut services = vec![ServiceProcess::start(&stage.variables).await];
    stage.open(&services[0], 4).await;
    stage.wait_for_events(40).await;
    services.push(ServiceProcess::start(&stage.variables).await);
    for turn in 0..4 {
        // Stop the driving process for longer than its leases last, with answers pending, then let it continue.
        let (standing, holders) = (&services[turn % 2], stage.holders().await);
        standing.signal(Signal::STOP);
        poll_until("the other process takes over", async || {
            (stage.holders().await.is_disjoint(&holders) || stage.running_debates().await == 0).then_some(())
        })
        .await;
        stage.wait_for_events(20).await;
        standing.signal(Signal::CONT);
        stage.wait_for_events(20).await;
    }
    let n_again = stage.check(&wanted, Some(&[])).await;
    println!("4 times a process was stopped for longer than its leases: {n_again} requests repeated");
    for service in services {
        service.kill().await;
    }
}

/// Value of a service's counter of expired leases with this outcome.
async fn lapsed(service: &ServiceProcess, outcome: &str) -> u64 {
    let metrics = service.client.http.get(service.client.url("/metrics")).send().await.expect("metrics");
    let text = metrics.text().await.expect("text");
    let line = format!("faultline_leases_lapsed_total{{outcome=\"{outcome}\"}} ");
    text.lines().find_map(|it| it.strip_prefix(&line)).map_or(0, |it| it.parse().expect("a number"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_process_that_lost_no_lease_repeats_no_request() {
    let (mut stage, wanted) = (CrashTest::new(40, 1).await, undisturbed().await);
    let service = ServiceProcess::start(&stage.variables).await;
    let mut n_kept = 0;
    for turn in 1..=6 {
        let missing = 4 - stage.running_debates().await;
        stage.open(&service, missing).await;
        stage.wait_for_events(10).await;
        // Simulates a stalled process, machine or disk: its leases have expired when it continues.
        service.signal(Signal::STOP);
        poll_until("the leases expire", async || {
            (stage.all_lapsed().await || stage.running_debates().await == 0).then_some(())
        })
        .await;
        service.signal(Signal::CONT);
        n_kept = poll_until("the process notices the expired leases", async || {
            let kept = lapsed(&service, "kept").await;
            (kept > n_kept || stage.running_debates().await == 0).then_some(kept)
        })
        .await;
        assert!(n_kept > 0, "{turn}: the process counts expired leases");
    }
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0, "no lease was claimed, so no request is repeated");
    let claims: Vec<i64> =
        sqlx::query_scalar("select distinct fence from leases").fetch_all(&stage.pool).await.expect("leases");
    assert_eq!(claims, [1], "every debate was claimed once");
    println!("6 times the only process was stopped for longer than its leases: {n_kept} expired, no request repeated");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_expired_in_the_database_is_renewed_and_not_claimed() {
    let (mut stage, wanted) = (CrashTest::new(40, 12).await, undisturbed().await);
    let service = ServiceProcess::start(&stage.variables).await;
    stage.open(&service, 4).await;
    stage.wait_for_events(20).await;
    // The service looks for expired leases several times between two renewals.
    let run_out = "update leases set until = now() - interval '1 second' where holder is not null";
    let ran_out = sqlx::query(run_out).execute(&stage.pool).await.expect("expire the leases").rows_affected();
    assert!(ran_out > 0, "no debate was driven");
    poll_until("the process notices the expired leases", async || {
        (lapsed(&service, "kept").await > 0 || stage.running_debates().await == 0).then_some(())
    })
    .await;
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0, "no lease was claimed, so no request is repeated");
    assert_eq!(lapsed(&service, "claimed again").await, 0);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_share_the_debates_and_repeat_no_request() {
    const DEBATES: usize = 24;
    let (mut stage, wanted) = (CrashTest::new(10, 30).await, undisturbed().await);
    stage.variables.push(("FAULTLINE_RUNNERS", "4".to_owned()));
    let (first, second) =
        (ServiceProcess::start(&stage.variables).await, ServiceProcess::start(&stage.variables).await);
    for turn in 0..DEBATES {
        stage.open(if turn % 2 == 0 { &first } else { &second }, 1).await;
    }
    let mut holders = BTreeSet::new();
    poll_until("both have driven a debate", async || {
        holders.extend(stage.holders().await);
        (holders.len() >= 2 || stage.running_debates().await == 0).then_some(())
    })
    .await;
    assert_eq!(holders.len(), 2, "24 debates need both processes with four runners each");
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0, "no process died, so no request is repeated");
    poll_until("every lease is released", async || {
        let open: i64 = sqlx::query_scalar("select count(*) from leases where state <> 'closed' or holder is not null")
            .fetch_one(&stage.pool)
            .await
            .expect("look at the leases");
        (open == 0).then_some(())
    })
    .await;
    let fences: Vec<i64> = sqlx::query_scalar("select distinct fence from leases")
        .fetch_all(&stage.pool)
        .await
        .expect("look at the leases");
    assert_eq!(fences, [1], "every debate was claimed once");
    first.kill().await;
    second.kill().await;
}

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
        poll_until("the server comes back", async || self.cluster.pid().filter(|it| *it != before)).await;
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
    let mut stage = CrashTest::start_over(&server.options, pool, log, 40, 10);
    let service = ServiceProcess::start(&stage.variables).await;
    stage.open(&service, 6).await;
    let watched = stage.debates[0].0;
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
                "mutation ($input: StartDebateInput!) { startDebate(input: $input) { id } }",
                json!({ "input": input }),
            );
            let id = opened.await.expect("the process answers")["data"]["startDebate"]["id"].take();
            id.as_str().map(|it| stage.debates.push((it.parse().expect("an id"), "graph")))
        })
        .await;
    }
    while let Some(event) = socket.next_event().await {
        versions.push(event["version"].as_i64().expect("a version"));
    }
    let n_again = stage.check(wanted, None).await;
    let events = read_all_events(&stage.log, watched).await;
    assert_eq!(versions, events.iter().map(|it| it.version).collect::<Vec<_>>(), "one socket, no gap and no repeat");
    assert_eq!(n_again, 0, "no process died, so no request is repeated");
    service.kill().await;
    server.cluster.stop().await.expect("stop");
    stage.debates.len()
}

/// Small tmpfs of one test, unmounted on drop.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts the disk; `None` if this user may not mount.
    pub fn mount(path: &str, mebibytes: u32) -> Option<SmallDisk> {
        fs::create_dir(path).expect("a folder");
        let options = format!("size={mebibytes}m,mode=755");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs", path]).output();
        mounted.is_ok_and(|it| it.status.success()).then(|| SmallDisk(path.into()))
    }

    /// Fills the disk to the last byte.
    pub fn fill(&self) {
        let mut ballast = File::create(self.0.join("ballast")).expect("a file");
        for size in [1 << 20, 4_096, 1] {
            while ballast.write_all(&vec![0; size]).is_ok() {}
        }
    }

    /// Frees the space that [`Self::fill`] has taken.
    /// Frees the space that [`Self::fill`] has taken.
    pub fn clear(&self) {
        fs::remove_file(self.0.join("ballast")).expect("remove");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.0).status();
        assert!(
            unmounted.is_ok_and(|it| it.success()) || std::thread::panicking(),
            "{} cannot be unmounted",
            self.0.display()
        );
    }
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
    let mut stage = CrashTest { _database: None, _home: home, variables, pool, log, tail, debates: Vec::new() };
    stage.open(&service, 4).await;
    stage.wait_for_events(60).await;
    disk.fill();
    let client = service.client.clone();
    let opening = tokio::spawn(async move { client.start(&start_debate_input("graph", json!({ "rounds": 3 }))).await });
    poll_until("the server reports that no space is left", async || {
        log_tail(&place, 1_000).contains("No space left").then_some(())
    })
    .await;
    let debate = stage.debates[0].0;
    let data = service.client.data("query ($id: ID!) { debate(id: $id) { version } }", json!({ "id": debate })).await;
    assert!(data["debate"]["version"].as_i64().is_some_and(|it| it > 1), "existing events are readable");
    disk.clear();
    stage.debates.push((opening.await.expect("opened once there is space"), "graph"));
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0, "no process died, so no request is repeated");
    println!("a full disk: {} debates continued when there was space again; no request repeated", stage.debates.len());
    stage.pool.close().await;
    service.signal(Signal::TERM);
    assert_eq!(service.wait().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_and_subscribers_survive_cut_connections() {
    const CUTS: usize = 40;
    let (mut stage, wanted, mut dice) = (CrashTest::new(20, 10).await, undisturbed().await, Random(40));
    let service = ServiceProcess::start(&stage.variables).await;
    stage.open(&service, 4).await;
    let mut socket = WebSocketClient::open(&service.client).await;
    socket.subscribe_to_debate(stage.debates[0].0, 0).await;
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
            .fetch_all(&stage.pool)
            .await
            .expect("look at the sessions");
            (!sessions.is_empty()).then_some(sessions)
        })
        .await;
        let (pid, name) = &sessions[dice.below(sessions.len() as u64) as usize];
        sqlx::query("select pg_terminate_backend($1)").bind(pid).execute(&stage.pool).await.expect("cut");
        *cut.entry(name.clone()).or_default() += 1;
        stage.wait_for_events(dice.below(12) as i64).await;
    }
    let mut versions = Vec::new();
    while let Some(event) = socket.next_event().await {
        versions.push(event["version"].as_i64().expect("a version"));
    }
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0, "no process died, so no request is repeated");
    let events = read_all_events(&stage.log, stage.debates[0].0).await;
    assert_eq!(versions, events.iter().map(|it| it.version).collect::<Vec<_>>(), "one socket, no gap and no repeat");
    println!("connections cut: {cut:?}; no request repeated");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_is_driven_although_its_lease_could_not_be_written_at_first() {
    let (mut stage, wanted) = (CrashTest::new(0, 10).await, undisturbed().await);
    let service = ServiceProcess::start(&stage.variables).await;
    // Lock the leases, and cut every session that waits to write one.
    let mut locked = stage.pool.begin().await.expect("begin");
    locked.execute("lock table leases in share mode").await.expect("lock");
    stage.open(&service, 1).await;
    poll_until("the supervisor tries to write the lease", async || {
        let waiting: Vec<(String, bool)> = sqlx::query_as(
            "select query, pg_terminate_backend(pid)
            from pg_stat_activity
            where datname = current_database()
            and wait_event_type = 'Lock'",
        )
        .fetch_all(&stage.pool)
        .await
        .expect("look at the sessions");
        waiting.iter().any(|(query, _)| query.contains("insert into leases")).then_some(())
    })
    .await;
    locked.rollback().await.expect("unlock");
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_shuts_down_hands_its_debates_over_at_once() {
    // These leases last longer than the test.
    let (mut stage, wanted) = (CrashTest::new(40, 600).await, undisturbed().await);
    let first = ServiceProcess::start(&stage.variables).await;
    stage.open(&first, 4).await;
    stage.wait_for_events(40).await;
    let second = ServiceProcess::start(&stage.variables).await;
    // Clients that stay connected: a socket, an idle connection, and a request that is never completed.
    let mut socket = WebSocketClient::open(&first.client).await;
    socket.subscribe_to_debate(stage.debates[0].0, 0).await;
    let mut half = TcpStream::connect(&first.client.address).await.expect("connect");
    half.write_all(b"POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{").await.expect("send");
    wait_for_event(&stage.log, &stage.tail, stage.debates[0].0, |it| matches!(it, Event::TurnTaken(_))).await;
    let holder = stage.holders().await;
    assert_eq!(holder.len(), 1, "one process drives, the other waits");
    first.signal(Signal::TERM);
    let actual = Instant::now();
    poll_until("the other process takes over", async || {
        let holders = stage.holders().await;
        (holders.is_disjoint(&holder) && (!holders.is_empty() || stage.running_debates().await == 0)).then_some(())
    })
    .await;
    let taken_over = actual.elapsed();
    assert_eq!(first.wait().await.code(), Some(0), "a clean exit");
    let ended = actual.elapsed();
    let n_again = stage.check(&wanted, None).await;
    println!("shut down: ended after {ended:.1?}, taken over after {taken_over:.1?}; {n_again} requests repeated");
    second.kill().await;
}
