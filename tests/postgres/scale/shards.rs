//! A log whose lanes are on several servers gives the same answers as one on a single server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::DebateForked;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::erasure::erasure::{ErasureOrder, ErasureOutcome};
use faultline_store::lanes::{Cursor, LANES, lane_of};
use faultline_store::log::log::Log;
use faultline_store::open::Store;
use faultline_store::shard::ShardAddress;
use faultline_store::shards::lane_move::LaneMove;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::faults::database_proxy::through_proxy;
use crate::support::client::start_debate_input;
use crate::support::database::{Database, migrated_database};
use crate::support::service_process::{ServiceProcess, run_command, run_json_command};
use crate::support::test_home::{TestHome, database_url, scripted_replies};
use crate::support::waiting::poll_until;
use crate::views::rebuild_steps::{debates, wait_for_projector};

/// Home and shards of a store.
pub struct Servers {
    /// The database at `DATABASE_URL`.
    pub home: Database,
    /// The others, by name.
    pub shards: Vec<(&'static str, Database)>,
}

impl Servers {
    /// Creates databases for a home and these shards.
    pub async fn create(names: &[&'static str]) -> Servers {
        let mut shards = Vec::new();
        for name in names {
            shards.push((*name, migrated_database().await));
        }
        Servers { home: migrated_database().await, shards }
    }

    /// Opens the store, as a process of its own would.
    pub async fn open(&self) -> Store {
        let shards = self
            .shards
            .iter()
            .map(|(name, database)| ShardAddress { name: (*name).to_owned(), url: database_url(&database.options) });
        let settings = ConnectionSettings { shards: shards.collect(), ..ConnectionSettings::default() };
        Store::open(self.home.options.clone(), &settings).await.expect("a store")
    }

    /// Environment of a process that uses the store.
    pub fn environment(&self, home: &TestHome) -> Vec<(&'static str, String)> {
        let shard = |(name, database): &(&str, Database)| format!("{name}={}", database_url(&database.options));
        let shards: Vec<String> = self.shards.iter().map(shard).collect();
        let variables = home.environment(&self.home.options, &scripted_replies(0));
        [variables.as_slice(), &[("FAULTLINE_SHARDS", shards.join(","))]].concat()
    }

    /// Moves lanes that have no events yet.
    pub async fn place(&self, store: &Store, lanes: impl IntoIterator<Item = i16>, shard: &str) {
        for lane in lanes {
            let mut lane_move =
                LaneMove::begin(store.log.shards(), lane, shard).await.expect("begin").expect("it is elsewhere");
            lane_move.carry_over(|_, _| ()).await.expect("moved");
        }
        self.home.run("delete from lane_moves").await;
    }
}

/// Counts the rows of a query in a database.
pub async fn count(database: &Database, query: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_one(&database.pool).await.expect("count")
}

/// Returns every event of the log, by lane.
async fn whole_log(log: &Log) -> BTreeMap<i16, Vec<Recorded>> {
    let (mut cursor, mut lanes) = (Cursor::default(), BTreeMap::<i16, Vec<Recorded>>::new());
    loop {
        let (events, reached) = log.read_all(&cursor, 100).await.expect("read");
        if events.is_empty() {
            return lanes;
        }
        events.into_iter().for_each(|event| lanes.entry(event.lane).or_default().push(event));
        cursor = reached;
    }
}

/// Answers of the API to queries across debates.
async fn answers(environment: &[(&'static str, String)], log: &Log, store: &Store) -> Vec<Value> {
    const DEBATES: &str = "{ debates(first: 50) { totalCount nodes { id topic status version openedAt phase
        cruxes { id question statement } disputes { id } arguments { id claim } } } }";
    const BY_PERSONA: &str = "{ debates(first: 3, filter: { personaId: \"ada\" }) { totalCount nodes { id } } }";
    const CRUXES: &str = "{ cruxes(first: 50) { totalCount nodes { id question debateId openedAt } } }";
    const FOUND: &str = "{ cruxes(first: 50, search: \"winter rough\") { totalCount nodes { id question } } }";
    let service = ServiceProcess::start(environment).await;
    wait_for_projector(&store.views, log).await;
    // A search finds by meaning what has a vector.
    let are_embedded = async || (store.views.questions_due().await.expect("counted") == 0).then_some(());
    poll_until("the questions are embedded", are_embedded).await;
    let mut found = Vec::new();
    for query in [DEBATES, BY_PERSONA, CRUXES, FOUND] {
        found.push(service.client.data(query, json!({})).await);
    }
    service.kill().await;
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lanes_on_two_or_three_servers_give_the_answers_of_one() {
    let (single, home) = (migrated_database().await, TestHome::new());
    let log = single.log().await;
    let made = debates(&log, 24).await;
    // A fork whose own events are on another server than the shared ones, wherever the lanes are.
    let far = |lane: i16| (0..).map(|_| DebateId(Uuid::now_v7())).find(|id| lane_of(*id) == lane).expect("an id");
    let origin = made.iter().find(|builder| lane_of(builder.id) < 5).expect("a debate at home").id;
    let forks = [far(6), far(14)];
    for fork in forks {
        let shared = log.read(origin, 0, 10).await.expect("the origin");
        let Event::DebateOpened(opened) = &shared[0].event else { panic!("not opened") };
        let forked = DebateForked { origin, at: 3, opened: opened.clone() };
        log.fork(fork, Uuid::now_v7(), forked).await.expect("a fork");
    }
    // In the order in which they were recorded.
    let mut ids: Vec<DebateId> = made.iter().map(|builder| builder.id).collect();
    let all = whole_log(&log).await.into_values().flatten().map(|event| event.debate);
    ids.extend(all.filter(|id| !ids.contains(id) && !forks.contains(id)).collect::<BTreeSet<_>>());
    ids.extend(forks);
    let store = Store::open(single.options.clone(), &ConnectionSettings::default()).await.expect("a store");
    let of_one = answers(&home.environment(&single.options, &scripted_replies(0)), &log, &store).await;
    assert!(of_one[0]["debates"]["totalCount"].as_i64() >= Some(26), "{}", of_one[0]);

    for (names, placed) in [(vec!["b"], vec![("b", 5..LANES)]), (vec!["b", "c"], vec![("b", 5..10), ("c", 10..LANES)])]
    {
        let servers = Servers::create(&names).await;
        let sharded = servers.open().await;
        for (name, lanes) in placed {
            servers.place(&sharded, lanes, name).await;
        }
        for id in &ids {
            sharded.log.restore(&log.read(*id, 0, 1_000).await.expect("read"), true).await.expect("restored");
        }
        let (here, there) = (whole_log(&log).await, whole_log(&sharded.log).await);
        assert_eq!(here, there, "the log of {names:?}");
        for (name, database) in &servers.shards {
            assert!(count(database, "select count(*) from events").await > 0, "{name} has events");
            assert_eq!(count(database, "select count(*) from debates").await, 0, "lists are at home");
        }
        let variables = servers.environment(&home);
        assert_eq!(answers(&variables, &sharded.log, &sharded).await, of_one, "{names:?}");
        let verified = run_json_command(&variables, &["verify", "--json"]).await.remove(0);
        assert_eq!(json!([verified["debates"], verified["faults"]]), json!([ids.len(), []]));
        sharded.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_run_on_several_servers_and_are_erased_there() {
    let (servers, home) = (Servers::create(&["b", "c"]).await, TestHome::new());
    let store = servers.open().await;
    servers.place(&store, 4..10, "b").await;
    servers.place(&store, 10..LANES, "c").await;
    let variables = servers.environment(&home);
    let (one, other) = (ServiceProcess::start(&variables).await, ServiceProcess::start(&variables).await);
    for n in 0..24 {
        let service = if n % 2 == 0 { &one } else { &other };
        service.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    }
    let ended = "select count(*) from debates where outcome is not null";
    poll_until("the debates have ended", async || (count(&servers.home, ended).await == 24).then_some(())).await;
    for database in [&servers.home, &servers.shards[0].1, &servers.shards[1].1] {
        assert!(count(database, "select count(*) from events").await > 0, "each server has events");
    }
    let left = run_json_command(&variables, &["verify", "--json"]).await.remove(0);
    assert_eq!(json!([left["debates"], left["faults"]]), json!([24, []]));

    // The key is destroyed where it is, and what was derived from the debate at home.
    let sql = "select min(debate_id::text)::uuid from debate_keys";
    let erased: Uuid = sqlx::query_scalar(sql).fetch_one(&servers.shards[1].1.pool).await.expect("a debate");
    let order = ErasureOrder { asked_by: "a test".to_owned(), reason: "to see it".to_owned() };
    let outcome = store.log.erase(DebateId(erased), &order).await.expect("erased");
    assert!(matches!(outcome, ErasureOutcome::Erased(record) if record.sealed));
    let key = format!("select count(*) from debate_keys where debate_id = '{erased}' and key is not null");
    let rows = format!("select count(*) from debates where debate_id = '{erased}'");
    assert_eq!((count(&servers.shards[1].1, &key).await, count(&servers.home, &rows).await), (0, 0));
    assert!(store.log.read(DebateId(erased), 0, 10).await.is_err_and(|fault| fault.to_string().contains("was erased")));

    // A process that dies between the two transactions leaves the key, which the next one destroys.
    let sql = "select max(debate_id::text)::uuid from debate_keys where key is not null";
    let half: Uuid = sqlx::query_scalar(sql).fetch_one(&servers.shards[0].1.pool).await.expect("a debate");
    servers
        .home
        .run(&format!(
            "insert into erasures (debate_id, sealed, asked_by, reason) values ('{half}', true, 'a test', 'a crash')"
        ))
        .await;
    let again = servers.open().await;
    let key = format!("select count(*) from debate_keys where debate_id = '{half}' and key is not null");
    assert_eq!(count(&servers.shards[0].1, &key).await, 0);
    again.close().await;
    for service in [one, other] {
        service.kill().await;
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_on_other_servers_go_on_while_one_is_away() {
    let (servers, home) = (Servers::create(&["b"]).await, TestHome::new());
    let store = servers.open().await;
    servers.place(&store, 8..LANES, "b").await;
    store.close().await;
    let (far, proxy) = through_proxy(&servers.shards[0].1.options).await;
    let variables: Vec<_> = servers
        .environment(&home)
        .into_iter()
        .map(|(name, value)| match name {
            "FAULTLINE_SCRIPT" => (name, home.file(&scripted_replies(100))),
            "FAULTLINE_SHARDS" => (name, format!("b={}", database_url(&far))),
            _ => (name, value),
        })
        .collect();
    let service = ServiceProcess::start(&variables).await;
    // Debates that last until all have been started, however busy the machine is.
    let mut n_at_home = 0;
    for _ in 0..16 {
        let debate = service.client.start(&start_debate_input("dialectic", json!({ "rounds": 10 }))).await;
        n_at_home += i64::from(lane_of(debate) < 8);
    }
    let driven = "select count(*) from leases where holder is not null";
    poll_until("the debates run", async || (count(&servers.home, driven).await == n_at_home).then_some(())).await;
    proxy.disconnect_all().await;
    let ended = "select count(*) from events where kind = 'debate_concluded'";
    assert!(count(&servers.home, ended).await < n_at_home, "they run while the server is away");
    poll_until("those at home end", async || (count(&servers.home, ended).await == n_at_home).then_some(())).await;
    proxy.away.store(false, Ordering::SeqCst);
    let listed = "select count(*) from debates where outcome is not null";
    poll_until("all have ended and are listed", async || (count(&servers.home, listed).await == 16).then_some(()))
        .await;
    let verified = run_json_command(&variables, &["verify", "--json"]).await.remove(0);
    assert_eq!(json!([verified["debates"], verified["faults"]]), json!([16, []]));
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_a_shard_of_one_store_under_one_name() {
    let (servers, home) = (Servers::create(&["b"]).await, TestHome::new());
    servers.open().await.close().await;
    let (own, shard) = (database_url(&servers.home.options), database_url(&servers.shards[0].1.options));
    let stranger = migrated_database().await;
    stranger.run("insert into personas (id, name, version, topics, body) values ('ada', 'Ada', 1, '{}', '{}')").await;
    // Databases of tests are copies of one.
    stranger.run("update store_identity set store = gen_random_uuid()").await;
    let used = database_url(&stranger.options);
    let refused = async |database: &str, shards: String| {
        let base = home.environment(&servers.home.options, &scripted_replies(0));
        let mut variables: Vec<_> = base.into_iter().filter(|(name, _)| *name != "DATABASE_URL").collect();
        variables.extend([("DATABASE_URL", database.to_owned()), ("FAULTLINE_SHARDS", shards)]);
        let output = run_command(&variables, &["lanes"]).await;
        assert_ne!(output.code, Some(0), "{output:?}");
        output.stderr
    };
    for (database, shards, reason) in [
        (&own, format!("c={shard}"), "is shard \"b\" of this store"),
        (&own, format!("b={own}"), "is the one at DATABASE_URL"),
        (&own, format!("b={used}"), "holds another store"),
        (&used, format!("b={shard}"), "of another store"),
        (&shard, String::new(), "is shard \"b\" of a store"),
        (&own, format!("home={shard}"), "is no name of a shard"),
        (&own, format!("b={}", shard.replace("/faultline_test_", "/missing_")), "shard \"b\": PostgreSQL at"),
    ] {
        let stderr = refused(database, shards.clone()).await;
        assert!(stderr.contains(reason), "{shards}: {stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
    // A lane on a shard that is not named.
    let store = servers.open().await;
    servers.place(&store, [3], "b").await;
    store.close().await;
    let stderr = refused(&own, String::new()).await;
    assert!(stderr.contains("lane 3 of the log is on shard \"b\", which FAULTLINE_SHARDS does not name"), "{stderr}");
}
