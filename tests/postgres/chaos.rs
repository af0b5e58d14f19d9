//! Whatever is killed, whenever: every debate comes to its end as if nothing had happened, and nothing is said twice.
//!
//! Real processes and real signals. What may differ from an undisturbed run is only what was asked of a provider and cut
//! off before its answer was recorded: it is asked once more. What cut it off is known: a kill, or a lease that ran out and
//! that another process claimed, which is on record. A process that stands still and loses no lease cuts nothing off.

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

use crate::client::{Home, Service, Socket, ended, history, input, run_json, script, seen, until};
use crate::support::{Database, cache, fresh, left_out, trials};

/// Rounds of each engine: enough to be killed often.
const ROUNDS: [(&str, u32); 2] = [("dialectic", 10), ("graph", 3)];

/// Dice that always fall the same way.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) % limit
    }
}

/// A database that outlives the processes that serve from it, and what is known of the debates in it.
struct Stage {
    _database: Option<Database>,
    _home: Home,
    variables: Vec<(&'static str, String)>,
    pool: PgPool,
    log: Log,
    tail: Tail,
    debates: Vec<(DebateId, &'static str)>,
}

impl Stage {
    /// A fresh one, where every answer takes so long.
    async fn new(after_millis: u64, lease_seconds: u32) -> Stage {
        let database = fresh().await;
        let (log, options, pool) = (database.log().await, database.options.clone(), database.pool.clone());
        let stage = Stage::over(&options, pool, log, after_millis, lease_seconds);
        Stage { _database: Some(database), ..stage }
    }

    fn over(options: &PgConnectOptions, pool: PgPool, log: Log, after_millis: u64, lease_seconds: u32) -> Stage {
        let home = Home::new();
        let mut variables = home.variables(options, &script(after_millis));
        variables.push(("FAULTLINE_LEASE_SECONDS", lease_seconds.to_string()));
        let tail = Tail::start(&log);
        Stage { _database: None, _home: home, variables, pool, log, tail, debates: Vec::new() }
    }

    /// Opens so many debates, by turns of either engine.
    async fn open(&mut self, service: &Service, n_debates: usize) {
        for _ in 0..n_debates {
            let (engine, rounds) = ROUNDS[self.debates.len() % ROUNDS.len()];
            let debate = service.client.start(&input(engine, json!({ "rounds": rounds }))).await;
            self.debates.push((debate, engine));
        }
    }

    /// How many events there are in all.
    async fn events(&self) -> i64 {
        self.log.heads().await.expect("heads").iter().sum()
    }

    /// How many debates have not come to their end.
    async fn under_way(&self) -> usize {
        let ended: i64 = sqlx::query_scalar("select count(*) from events where kind = 'debate_concluded'")
            .fetch_one(&self.pool)
            .await
            .expect("count");
        self.debates.len() - ended as usize
    }

    /// The processes that drive debates.
    async fn holders(&self) -> BTreeSet<Uuid> {
        let held: Vec<Uuid> = sqlx::query_scalar("select distinct holder from leases where holder is not null")
            .fetch_all(&self.pool)
            .await
            .expect("look at the leases");
        held.into_iter().collect()
    }

    /// How many questions of debates that these processes drive are not answered.
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

    /// When each debate was taken over from a process that had let its lease run out. One that a process claimed from
    /// itself is none: what it drives it never claims, so nothing is cut off by that.
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

    /// The lease of whatever is driven has run out, and nobody has renewed or claimed it.
    async fn all_lapsed(&self) -> bool {
        let (held, lapsed): (i64, i64) = sqlx::query_as(
            "select count(*), count(*) filter (where until < now()) from leases where holder is not null",
        )
        .fetch_one(&self.pool)
        .await
        .expect("look at the leases");
        held > 0 && held == lapsed
    }

    /// Waits until so many events more were recorded, or there is nothing more to come.
    async fn grown(&self, by: i64) {
        let wanted = self.events().await + by;
        until("the log grows", async || (self.events().await >= wanted || self.under_way().await == 0).then_some(()))
            .await;
    }

    /// Where every debate stands once nothing of the processes that were killed is left on the server.
    async fn cut(&self) -> HashMap<DebateId, i64> {
        until("the server lets go of the dead", async || {
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

    /// Waits until every debate has ended; then checks each against what it should have come to, and the whole log.
    /// Answers how many questions were asked again.
    async fn audit(&self, wanted: &Wanted, cuts: Option<&[HashMap<DebateId, i64>]>) -> usize {
        let mut n_again = 0;
        for (debate, engine) in &self.debates {
            let events = ended(&self.log, &self.tail, *debate).await;
            let lapses = self.lapses().await;
            let versions: Vec<i64> = events.iter().map(|it| it.version).collect();
            assert_eq!(versions, (1..=events.len() as i64).collect::<Vec<_>>(), "{debate}");
            let cuts: Option<Vec<i64>> = cuts.map(|it| it.iter().filter_map(|it| it.get(debate).copied()).collect());
            let lapses = lapses.get(debate).map_or(&[][..], Vec::as_slice);
            n_again += asked_again(&events, cuts.as_deref(), lapses);
            assert_eq!(facts(&events), wanted[engine], "{engine} {debate}");
        }
        let verified = run_json(&self.variables, &["verify", "--json"]).await;
        let counted = json!([verified[0]["debates"], verified[0]["events"], verified[0]["faults"]]);
        assert_eq!(counted, json!([self.debates.len(), self.events().await, []]));
        n_again
    }
}

/// When debates were taken over from a process that had let its lease run out.
type Lapses = HashMap<DebateId, Vec<DateTime<Utc>>>;

/// What a debate of each engine comes to when nothing disturbs it.
type Wanted = BTreeMap<&'static str, Vec<String>>;

async fn undisturbed() -> Wanted {
    let mut stage = Stage::new(0, 10).await;
    let service = Service::start(&stage.variables).await;
    stage.open(&service, ROUNDS.len()).await;
    let mut wanted = Wanted::new();
    for (debate, engine) in &stage.debates {
        let events = ended(&stage.log, &stage.tail, *debate).await;
        assert_eq!(asked_again(&events, Some(&[]), &[]), 0);
        wanted.insert(engine, facts(&events));
    }
    service.kill().await;
    wanted
}

/// All that a debate's events say, but for receipts and for names that hang on who answered first.
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
    assert_eq!(distinct.len(), names.len(), "nothing is said twice");
    let is_fact = |it: &&Recorded| !matches!(it.event, Event::EffectRequested(_) | Event::EffectAnswered(_));
    let told = |it: &Recorded| renamed(serde_json::to_value(&it.event).expect("JSON"), &names).to_string();
    let mut facts: Vec<String> = events.iter().filter(is_fact).map(told).collect();
    if board.summary.engine == "graph" {
        // Those who speak side by side are heard in any order.
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
        // What was refused is told in words, with the names as they were.
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(name, _)| name != "refused")
            .map(|(name, it)| (name, renamed(it, names)))
            .collect(),
        other => other,
    }
}

/// Every question was answered once, and what is drawn from an answer follows from it. How many requests were made anew;
/// each of those before was still open at one of the cuts, where these are known, or when the debate was taken over from
/// whoever had let its lease run out.
fn asked_again(events: &[Recorded], cuts: Option<&[i64]>, lapses: &[DateTime<Utc>]) -> usize {
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
        let told = (answer.attempt as usize, answer.ignored, receipt.caused_by);
        assert_eq!(told, (requests.len(), false, Some(last.id)), "{key}: its last request is the one answered");
        for pair in requests.windows(2) {
            let open_at = |cut: &i64| pair[0].version <= *cut && *cut < pair[1].version;
            // By the database's clock, all three; a claim waits for appends under way, and none comes after it.
            let open_when = |lapse: &DateTime<Utc>| pair[0].at <= *lapse && *lapse <= pair[1].at;
            assert!(
                cuts.is_none_or(|it| it.iter().any(open_at)) || lapses.iter().any(open_when),
                "{key} was asked again though nothing had cut it off"
            );
        }
    }
    requests.values().map(|it| it.len() - 1).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_nothing_is_lost_and_nothing_is_said_twice() {
    let kills = trials(20);
    let (mut stage, wanted, mut dice) = (Stage::new(30, 1).await, undisturbed().await, Dice(20));
    let mut cuts = Vec::new();
    for kill in 0..kills {
        if kill % 7 == 3 {
            // In the middle of its start.
            let mut child = Service::spawn(&stage.variables);
            tokio::time::sleep(Duration::from_millis(dice.below(600))).await;
            child.kill().await.expect("kill");
        } else {
            let service = Service::start(&stage.variables).await;
            let missing = 6 - stage.under_way().await;
            stage.open(&service, missing).await;
            stage.grown(dice.below(120) as i64).await;
            tokio::time::sleep(Duration::from_millis(dice.below(40))).await;
            service.kill().await;
        }
        cuts.push(stage.cut().await);
    }
    let service = Service::start(&stage.variables).await;
    let n_again = stage.audit(&wanted, Some(&cuts)).await;
    let (n_debates, n_events) = (stage.debates.len(), stage.events().await);
    println!("{kills} kills, {n_debates} debates, {n_events} events: {n_again} questions cut off and asked again");
    assert!(n_again > 0, "no kill hit a question");
    service.signal(Signal::TERM);
    assert_eq!(service.ended().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_dead_process_drove_another_takes_over() {
    let (mut stage, wanted) = (Stage::new(40, 2).await, undisturbed().await);
    let first = Service::start(&stage.variables).await;
    stage.open(&first, 4).await;
    stage.grown(60).await;
    let drivers = stage.holders().await;
    let second = Service::start(&stage.variables).await;
    stage.grown(20).await;
    // On a busy machine they may all have ended while the other process started.
    let missing = 4 - stage.under_way().await;
    stage.open(&first, missing).await;
    until("a question is open", async || (stage.questions_of(&drivers).await > 0).then_some(())).await;
    first.kill().await;
    let (killed, head) = (Instant::now(), stage.events().await);
    until("the other takes over", async || (stage.events().await > head + 1).then_some(())).await;
    let millis = killed.elapsed().as_millis();
    let n_again = stage.audit(&wanted, Some(&[])).await;
    println!("a lease of 2 s: taken over {millis} ms after the kill; {n_again} questions asked again");
    assert!((1..=8).contains(&n_again), "those in flight, and no others: {n_again}");
    second.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_thought_dead_says_nothing_more() {
    let (mut stage, wanted) = (Stage::new(40, 1).await, undisturbed().await);
    let mut services = vec![Service::start(&stage.variables).await];
    stage.open(&services[0], 4).await;
    stage.grown(40).await;
    services.push(Service::start(&stage.variables).await);
    for turn in 0..4 {
        // Whoever drives stands still for longer than its leases hold, with answers under way, and then goes on.
        let (standing, holders) = (&services[turn % 2], stage.holders().await);
        standing.signal(Signal::STOP);
        until("the other takes over", async || {
            (stage.holders().await.is_disjoint(&holders) || stage.under_way().await == 0).then_some(())
        })
        .await;
        stage.grown(20).await;
        standing.signal(Signal::CONT);
        stage.grown(20).await;
    }
    let n_again = stage.audit(&wanted, Some(&[])).await;
    println!("4 times a process stood still for longer than its leases: {n_again} questions asked again");
    for service in services {
        service.kill().await;
    }
}

/// What a service counts of leases that ran out, by what became of them.
async fn lapsed(service: &Service, outcome: &str) -> u64 {
    let metrics = service.client.http.get(service.client.at("/metrics")).send().await.expect("metrics");
    let text = metrics.text().await.expect("text");
    let line = format!("faultline_leases_lapsed_total{{outcome=\"{outcome}\"}} ");
    text.lines().find_map(|it| it.strip_prefix(&line)).map_or(0, |it| it.parse().expect("a number"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_stood_still_and_lost_no_lease_asks_nothing_again() {
    let (mut stage, wanted) = (Stage::new(40, 1).await, undisturbed().await);
    let service = Service::start(&stage.variables).await;
    let mut n_kept = 0;
    for turn in 1..=6 {
        let missing = 4 - stage.under_way().await;
        stage.open(&service, missing).await;
        stage.grown(10).await;
        // Whatever stalls a process, a machine or a disk: when it goes on, its leases have run out.
        service.signal(Signal::STOP);
        until("the leases run out", async || (stage.all_lapsed().await || stage.under_way().await == 0).then_some(()))
            .await;
        service.signal(Signal::CONT);
        n_kept = until("it notices", async || {
            let kept = lapsed(&service, "kept").await;
            (kept > n_kept || stage.under_way().await == 0).then_some(kept)
        })
        .await;
        assert!(n_kept > 0, "{turn}: it takes note, and counts");
    }
    assert_eq!(stage.audit(&wanted, Some(&[])).await, 0, "nobody claimed anything: every answer was still awaited");
    let claims: Vec<i64> =
        sqlx::query_scalar("select distinct fence from leases").fetch_all(&stage.pool).await.expect("leases");
    assert_eq!(claims, [1], "every debate was claimed once");
    println!(
        "6 times the only process stood still for longer than its leases: {n_kept} lapsed, no question asked again"
    );
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_ran_out_by_the_database_is_renewed_and_not_claimed() {
    let (mut stage, wanted) = (Stage::new(40, 12).await, undisturbed().await);
    let service = Service::start(&stage.variables).await;
    stage.open(&service, 4).await;
    stage.grown(20).await;
    // Between two renewals it is looked for leases that ran out several times.
    let run_out = "update leases set until = now() - interval '1 second' where holder is not null";
    let ran_out = sqlx::query(run_out).execute(&stage.pool).await.expect("run out").rows_affected();
    assert!(ran_out > 0, "nothing was driven any more");
    until("it notices", async || (lapsed(&service, "kept").await > 0 || stage.under_way().await == 0).then_some(()))
        .await;
    assert_eq!(stage.audit(&wanted, Some(&[])).await, 0, "nobody claimed anything: every answer was still awaited");
    assert_eq!(lapsed(&service, "claimed again").await, 0);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_share_the_debates_and_no_question() {
    const DEBATES: usize = 24;
    let (mut stage, wanted) = (Stage::new(10, 30).await, undisturbed().await);
    stage.variables.push(("FAULTLINE_RUNNERS", "4".to_owned()));
    let (first, second) = (Service::start(&stage.variables).await, Service::start(&stage.variables).await);
    for turn in 0..DEBATES {
        stage.open(if turn % 2 == 0 { &first } else { &second }, 1).await;
    }
    let mut holders = BTreeSet::new();
    until("both have driven a debate", async || {
        holders.extend(stage.holders().await);
        (holders.len() >= 2 || stage.under_way().await == 0).then_some(())
    })
    .await;
    assert_eq!(holders.len(), 2, "four runners each, and twenty-four debates: both are needed");
    assert_eq!(stage.audit(&wanted, Some(&[])).await, 0, "nobody died, so nothing is asked twice");
    until("every lease is given back", async || {
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

/// A private server of this test's own, with a database for one service.
struct OwnServer {
    cluster: PrivatePostgres,
    options: PgConnectOptions,
    _home: Home,
}

impl OwnServer {
    async fn new() -> OwnServer {
        let home = Home::new();
        let place = ClusterLayout { cache: cache(), ..ClusterLayout::under(home.path("pg").as_ref()) };
        let cluster = open(&place, &|_| ()).await.expect("a private server");
        let mut connection = sqlx::PgConnection::connect_with(&cluster.options("postgres")).await.expect("connect");
        connection.execute("create database chaos").await.expect("create");
        connection.close().await.expect("close");
        let options = cluster.options("chaos");
        OwnServer { cluster, options, _home: home }
    }

    /// Sends its postmaster a signal, and waits until another one serves.
    async fn restart(&self, how: Signal) {
        let before = self.cluster.pid().expect("it runs");
        kill_process(Pid::from_raw(before).expect("a process"), how).expect("a signal");
        until("the server comes back", async || self.cluster.pid().filter(|it| *it != before)).await;
    }
}

/// How its server is killed: at once, and in the middle of its work.
const HOWS: [Signal; 3] = [Signal::KILL, Signal::INT, Signal::KILL];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_goes_away_and_comes_back_and_nobody_notices() {
    let (n_restarts, wanted) = (trials(HOWS.len()), undisturbed().await);
    let hows: Vec<Signal> = HOWS.into_iter().cycle().take(n_restarts).collect();
    let mut n_debates = 0;
    // A server that ends often in a row is started again with pauses: each has a few ends of its own.
    for hows in hows.chunks(HOWS.len()) {
        n_debates += goes_and_comes(hows, &wanted).await;
    }
    println!("{n_restarts} restarts of the database, {n_debates} debates: no question asked again");
}

/// One server that ends in these ways, under debates that are watched; how many they were.
async fn goes_and_comes(hows: &[Signal], wanted: &Wanted) -> usize {
    let server = OwnServer::new().await;
    let settings = ConnectionSettings { application: "faultline test".to_owned(), ..ConnectionSettings::default() };
    let pool = connect(server.options.clone(), &settings).await.expect("connect");
    let log = Log::start(pool.clone()).await.expect("start");
    let mut stage = Stage::over(&server.options, pool, log, 40, 10);
    let service = Service::start(&stage.variables).await;
    stage.open(&service, 6).await;
    let watched = stage.debates[0].0;
    let mut socket = Socket::open(&service.client).await;
    socket.follow(watched, 0).await;
    let mut versions = Vec::new();
    for how in hows {
        for _ in 0..25 {
            versions.push(socket.event().await.expect("an event")["version"].as_i64().expect("a version"));
        }
        server.restart(*how).await;
        // Opened while the server may not yet answer again.
        until("a debate can be opened", async || {
            let input = input("graph", json!({ "rounds": 3 }));
            let opened = service.client.try_ask(
                "mutation ($input: StartDebateInput!) { startDebate(input: $input) { id } }",
                json!({ "input": input }),
            );
            let id = opened.await.expect("the process answers")["data"]["startDebate"]["id"].take();
            id.as_str().map(|it| stage.debates.push((it.parse().expect("an id"), "graph")))
        })
        .await;
    }
    while let Some(event) = socket.event().await {
        versions.push(event["version"].as_i64().expect("a version"));
    }
    let n_again = stage.audit(wanted, None).await;
    let events = history(&stage.log, watched).await;
    assert_eq!(versions, events.iter().map(|it| it.version).collect::<Vec<_>>(), "one socket, no gap and no repeat");
    assert_eq!(n_again, 0, "no process died: what was asked is still awaited");
    service.kill().await;
    server.cluster.stop().await.expect("stop");
    stage.debates.len()
}

/// A small disk of a test's own.
pub struct Disk(PathBuf);

impl Disk {
    /// Mounts it; nothing where this user may not.
    pub fn mount(path: &str, mebibytes: u32) -> Option<Disk> {
        fs::create_dir(path).expect("a folder");
        let options = format!("size={mebibytes}m,mode=755");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs", path]).output();
        mounted.is_ok_and(|it| it.status.success()).then(|| Disk(path.into()))
    }

    /// Leaves no byte of room.
    pub fn fill(&self) {
        let mut ballast = File::create(self.0.join("ballast")).expect("a file");
        for size in [1 << 20, 4_096, 1] {
            while ballast.write_all(&vec![0; size]).is_ok() {}
        }
    }

    pub fn clear(&self) {
        fs::remove_file(self.0.join("ballast")).expect("remove");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.0).status();
        assert!(
            unmounted.is_ok_and(|it| it.success()) || std::thread::panicking(),
            "{} stays mounted",
            self.0.display()
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_stops_nothing_for_good() {
    let home = Home::new();
    let Some(disk) = Disk::mount(&home.path("disk"), 160) else {
        left_out("the test of a full disk mounts a small one, which only root may");
        return;
    };
    let (wanted, bin) = (undisturbed().await, postgres_bin(&cache()).await.expect("binaries"));
    let mut variables = home.variables(&PgConnectOptions::new_without_pgpass(), &script(30));
    variables.retain(|(name, _)| *name != "DATABASE_URL" && *name != "FAULTLINE_HOME");
    variables.push(("FAULTLINE_HOME", home.path("disk")));
    // What the server itself does, not what is refused before.
    variables.push(("FAULTLINE_FREE_MIB", "0".to_owned()));
    variables.push(("FAULTLINE_PG_BIN", bin.display().to_string()));
    let service = Service::start(&variables).await;
    let place = ClusterLayout::under(home.path("disk").as_ref());
    let cluster = attach(&place).await.expect("look").expect("a server");
    let settings = ConnectionSettings { application: "faultline test".to_owned(), ..ConnectionSettings::default() };
    let pool = connect(cluster.options("faultline"), &settings).await.expect("connect");
    let log = Log::start(pool.clone()).await.expect("start");
    let tail = Tail::start(&log);
    let mut stage = Stage { _database: None, _home: home, variables, pool, log, tail, debates: Vec::new() };
    stage.open(&service, 4).await;
    stage.grown(60).await;
    disk.fill();
    let client = service.client.clone();
    let opening = tokio::spawn(async move { client.start(&input("graph", json!({ "rounds": 3 }))).await });
    until("nothing can be recorded any more", async || log_tail(&place, 1_000).contains("No space left").then_some(()))
        .await;
    let debate = stage.debates[0].0;
    let data = service.client.data("query ($id: ID!) { debate(id: $id) { version } }", json!({ "id": debate })).await;
    assert!(data["debate"]["version"].as_i64().is_some_and(|it| it > 1), "what is there can be read");
    disk.clear();
    stage.debates.push((opening.await.expect("opened once there is room"), "graph"));
    assert_eq!(stage.audit(&wanted, Some(&[])).await, 0, "no process died: what was asked is still awaited");
    println!("a full disk: {} debates went on when there was room again; no question asked again", stage.debates.len());
    stage.pool.close().await;
    service.signal(Signal::TERM);
    assert_eq!(service.ended().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_cut_and_nobody_notices() {
    const CUTS: usize = 40;
    let (mut stage, wanted, mut dice) = (Stage::new(20, 10).await, undisturbed().await, Dice(40));
    let service = Service::start(&stage.variables).await;
    stage.open(&service, 4).await;
    let mut socket = Socket::open(&service.client).await;
    socket.follow(stage.debates[0].0, 0).await;
    let mut cut: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..CUTS {
        // Where all of them were cut, one comes back.
        let sessions = until("a session to cut", async || {
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
        stage.grown(dice.below(12) as i64).await;
    }
    let mut versions = Vec::new();
    while let Some(event) = socket.event().await {
        versions.push(event["version"].as_i64().expect("a version"));
    }
    assert_eq!(stage.audit(&wanted, Some(&[])).await, 0, "no process died: what was asked is still awaited");
    let events = history(&stage.log, stage.debates[0].0).await;
    assert_eq!(versions, events.iter().map(|it| it.version).collect::<Vec<_>>(), "one socket, no gap and no repeat");
    println!("connections cut: {cut:?}; no question asked again");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_that_could_not_be_noted_is_driven_all_the_same() {
    let (mut stage, wanted) = (Stage::new(0, 10).await, undisturbed().await);
    let service = Service::start(&stage.variables).await;
    // Nobody can note what a debate wants; and who tries loses the connection.
    let mut locked = stage.pool.begin().await.expect("begin");
    locked.execute("lock table leases in share mode").await.expect("lock");
    stage.open(&service, 1).await;
    until("the supervisor tries to note it", async || {
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
    assert_eq!(stage.audit(&wanted, Some(&[])).await, 0);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_told_to_stop_hands_over_at_once() {
    // Nobody could wait for these leases to run out.
    let (mut stage, wanted) = (Stage::new(40, 600).await, undisturbed().await);
    let first = Service::start(&stage.variables).await;
    stage.open(&first, 4).await;
    stage.grown(40).await;
    let second = Service::start(&stage.variables).await;
    // Clients that hold on to it: a socket, an idle connection, and half a request that never ends.
    let mut socket = Socket::open(&first.client).await;
    socket.follow(stage.debates[0].0, 0).await;
    let mut half = TcpStream::connect(&first.client.address).await.expect("connect");
    half.write_all(b"POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{").await.expect("send");
    seen(&stage.log, &stage.tail, stage.debates[0].0, |it| matches!(it, Event::TurnTaken(_))).await;
    let holder = stage.holders().await;
    assert_eq!(holder.len(), 1, "one drives, the other waits");
    first.signal(Signal::TERM);
    let told = Instant::now();
    until("the other takes over", async || {
        let holders = stage.holders().await;
        (holders.is_disjoint(&holder) && (!holders.is_empty() || stage.under_way().await == 0)).then_some(())
    })
    .await;
    let taken_over = told.elapsed();
    assert_eq!(first.ended().await.code(), Some(0), "in order");
    let ended = told.elapsed();
    let n_again = stage.audit(&wanted, None).await;
    println!(
        "told to stop: ended after {ended:.1?}, taken over after {taken_over:.1?}; {n_again} questions asked again"
    );
    second.kill().await;
}
