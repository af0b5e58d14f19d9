//! Moves of lanes between servers while the log grows: nothing is lost or doubled, whatever happens to the move.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use faultline_core::events::ids::DebateId;
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::{Cursor, LaneSet, lane_of};
use faultline_store::leases::{DriveRequest, DriveState, Leases};
use faultline_store::log::append::Append;
use faultline_store::log::log::Log;
use faultline_store::shards::lane_move::{LaneMove, delete_leftovers};
use serde_json::json;
use sqlx::Executor;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use uuid::Uuid;

use crate::scale::shards::{Servers, count};
use crate::support::client::start_debate_input;
use crate::support::database::Database;
use crate::support::phase_events::phase_append;
use crate::support::service_process::{ServiceProcess, run_command, run_json_command};
use crate::support::test_home::TestHome;
use crate::support::waiting::{poll_until, within_limit};

/// The lane that is moved.
const LANE: i16 = 7;
/// Time after which former copies are deleted.
const GRACE: Duration = Duration::from_millis(2_200);
/// Debates that grow while the lane is moved.
const N_DEBATES: usize = 20;
/// Appends per second to all of them.
const RATE: f64 = 500.0;

fn in_lane(lane: i16) -> DebateId {
    (0..).map(|_| DebateId(Uuid::now_v7())).find(|id| lane_of(*id) == lane).expect("an id")
}

/// Appends to debates of the lane at a steady rate until told to stop. Returns the last version of each, and the longest time
/// that an append took.
async fn grow(log: Log, stop: Arc<AtomicBool>, appended: Arc<AtomicUsize>) -> (Vec<(DebateId, i64)>, Duration) {
    let mut debates: Vec<(DebateId, i64)> = (0..N_DEBATES).map(|_| (in_lane(LANE), 0)).collect();
    let writers = debates.iter_mut().map(|(debate, version)| {
        let (log, stop, appended) = (log.clone(), Arc::clone(&stop), Arc::clone(&appended));
        async move {
            let mut pace = interval(Duration::from_secs_f64(N_DEBATES as f64 / RATE));
            pace.set_missed_tick_behavior(MissedTickBehavior::Skip);
            let mut longest = Duration::ZERO;
            while !stop.load(Ordering::Relaxed) {
                pace.tick().await;
                let begun = Instant::now();
                let append: Append = phase_append(*debate, *version, &["one", "two"]);
                *version += log.append(append).await.expect("an append").len() as i64;
                appended.fetch_add(2, Ordering::Relaxed);
                longest = longest.max(begun.elapsed());
            }
            longest
        }
    });
    let longest = futures_util::future::join_all(writers).await.into_iter().max().unwrap_or_default();
    (debates, longest)
}

/// Follows the lane until this many events were seen. Returns the versions of each debate in the order of their arrival.
async fn followed(log: Log, stop: Arc<AtomicUsize>) -> BTreeMap<DebateId, Vec<i64>> {
    let tail = Tail::start(&log);
    let mut follower = Follower::of_lanes(&log, &tail, Cursor::default(), [LANE].into_iter().collect::<LaneSet>());
    let (mut seen, mut n_seen) = (BTreeMap::<DebateId, Vec<i64>>::new(), 0);
    while n_seen < stop.load(Ordering::Relaxed) {
        let Ok(events) = timeout(Duration::from_millis(200), follower.next()).await else { continue };
        for event in events.expect("the log is sound") {
            seen.entry(event.debate).or_default().push(event.version);
            n_seen += 1;
        }
    }
    seen
}

async fn move_to(log: &Log, shard: &str) -> LaneMove {
    let mut lane_move = LaneMove::begin(log.shards(), LANE, shard).await.expect("begin").expect("it is elsewhere");
    let carried = lane_move.carry_over(|_, _| ()).await.expect("moved");
    println!("lane {LANE} to {shard}: {} events, appends waited for {:?}", carried.n_events, carried.paused);
    lane_move
}

const EVENTS: &str = "select count(*) from events where lane = 7";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_that_grows_is_moved_to_another_server_on_to_a_third_and_back() {
    let servers = Servers::create(&["b", "c"]).await;
    // Processes of their own: one writes, one follows, one moves, and one knows only the home.
    let (writing, following, moving) = (servers.open().await, servers.open().await, servers.open().await);
    let stale = servers.home.log().await;
    let (stop, appended) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let limit = Arc::new(AtomicUsize::new(usize::MAX));
    let writers = tokio::spawn(grow(writing.log.clone(), Arc::clone(&stop), Arc::clone(&appended)));
    let follower = tokio::spawn(followed(following.log.clone(), Arc::clone(&limit)));
    sleep(Duration::from_secs(1)).await;
    for (shard, former) in [("b", &servers.home), ("c", &servers.shards[0].1), ("home", &servers.shards[1].1)] {
        let lane_move = move_to(&moving.log, shard).await;
        let refused = former.pool.execute("update lanes set head = head + 1 where lane = 7").await;
        assert!(refused.is_err_and(|error| error.to_string().contains("lanes_closed")), "the former server is closed");
        if shard == "b" {
            let append = stale.append(phase_append(in_lane(LANE), 0, &["lost"]));
            let error = within_limit(append).await.expect_err("an old map").to_string();
            assert!(error.contains("which FAULTLINE_SHARDS does not name"), "{error}");
        }
        lane_move.delete_former_copy(GRACE).await.expect("deleted");
        assert_eq!(count(former, EVENTS).await, 0);
        let secrets = "select count(*) from debate_keys where key is not null";
        assert_eq!(count(former, secrets).await, 0, "no key is left behind");
    }
    stop.store(true, Ordering::Relaxed);
    let (debates, longest) = writers.await.expect("no panic");
    println!("{} events appended; the longest append took {longest:?}", appended.load(Ordering::Relaxed));
    limit.store(appended.load(Ordering::Relaxed), Ordering::Relaxed);
    let seen = within_limit(follower).await.expect("no panic");
    let wanted: BTreeMap<DebateId, Vec<i64>> =
        debates.iter().map(|(debate, version)| (*debate, (1..=*version).collect())).collect();
    assert!(seen == wanted, "the follower missed or repeated events");
    assert_eq!(count(&servers.home, EVENTS).await, appended.load(Ordering::Relaxed) as i64);
    assert_eq!(moving.log.verify_lane(LANE).await.expect("read"), []);
    for (debate, version) in &debates {
        let chain = moving.log.verify(*debate).await.expect("read");
        assert_eq!((chain.version, chain.breaks), (*version, vec![]));
    }
    for store in [writing, following, moving] {
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_is_interrupted_ends_by_itself() {
    let servers = Servers::create(&["b"]).await;
    let (store, moving) = (servers.open().await, servers.open().await);
    let debate = in_lane(LANE);
    store.log.append(phase_append(debate, 0, &["a", "b"])).await.expect("appended");
    let expire = async || servers.home.run("update lane_moves set until = '-infinity'").await;
    let closed = async |database: &Database| {
        count(database, "select count(*) from lanes where lane = 7 and closed_head is not null").await == 1
    };

    // Before the placement is changed: the lane is opened where it was.
    let interrupted = LaneMove::begin(moving.log.shards(), LANE, "b").await.expect("begin").expect("elsewhere");
    let close = "update lanes set closed_head = head, move = (select token from lane_moves) where lane = 7";
    servers.home.run(close).await;
    let log = store.log.clone();
    let waiting =
        tokio::spawn(async move { log.append(phase_append(debate, 2, &["c"])).await.expect("appended").len() });
    sleep(Duration::from_millis(1_500)).await;
    assert!(closed(&servers.home).await && !waiting.is_finished(), "the move is under way, so the append waits");
    let second = LaneMove::begin(moving.log.shards(), LANE, "b").await.err().expect("refused").to_string();
    assert!(second.contains("lane 7 is being moved already"), "{second}");
    drop(interrupted);
    expire().await;
    assert_eq!(within_limit(waiting).await.expect("no panic"), 1);
    assert!(!closed(&servers.home).await && closed(&servers.shards[0].1).await);

    // A process that was frozen meanwhile changes nothing when it wakes up.
    let mut frozen = LaneMove::begin(moving.log.shards(), LANE, "b").await.expect("begin").expect("elsewhere");
    expire().await;
    let fault = frozen.carry_over(|_, _| ()).await.expect_err("it ran out").to_string();
    assert!(fault.contains("was not renewed in time"), "{fault}");
    assert_eq!(store.log.append(phase_append(debate, 3, &["d"])).await.expect("appended").len(), 1);

    // After it: the lane is opened in its new place.
    let complete = move_to(&moving.log, "b").await;
    let reclose = "update lanes set closed_head = head where lane = 7";
    servers.shards[0].1.run(reclose).await;
    drop(complete);
    expire().await;
    assert_eq!(within_limit(store.log.append(phase_append(debate, 4, &["e"]))).await.expect("appended").len(), 1);
    assert_eq!(store.log.read(debate, 0, 10).await.expect("read").len(), 5);
    assert_eq!(count(&servers.shards[0].1, EVENTS).await, 5);

    // What it left on the former server is deleted when the move is repeated.
    assert_eq!(count(&servers.home, EVENTS).await, 4);
    assert!(delete_leftovers(moving.log.shards(), LANE, GRACE).await.expect("deleted"));
    assert!(!delete_leftovers(moving.log.shards(), LANE, GRACE).await.expect("nothing"), "there is no other copy");
    let secrets = "select count(*) from debate_keys where key is not null";
    assert_eq!((count(&servers.home, EVENTS).await, count(&servers.home, secrets).await), (0, 0));
    assert_eq!((count(&servers.shards[0].1, EVENTS).await, count(&servers.shards[0].1, secrets).await), (5, 1));
    move_to(&moving.log, "home").await.delete_former_copy(GRACE).await.expect("deleted");
    assert_eq!((count(&servers.home, EVENTS).await, count(&servers.shards[0].1, EVENTS).await), (5, 0));
    assert_eq!(store.log.verify(debate).await.expect("read").breaks, []);
    store.close().await;
    moving.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_and_erasures_go_along_with_a_lane() {
    let servers = Servers::create(&["b"]).await;
    let (store, moving) = (servers.open().await, servers.open().await);
    let (held, free, erased, late) = (in_lane(LANE), in_lane(LANE), in_lane(LANE), in_lane(LANE));
    let want = |debate, version, state| DriveRequest { debate, version, state, provider: "scripted".to_owned() };
    for debate in [held, free, erased, late] {
        store.log.append(phase_append(debate, 0, &["a"])).await.expect("appended");
    }
    store.leases.record_requests(&[want(held, 1, DriveState::Open)]).await.expect("recorded");
    let (holder, ttl) = (Uuid::new_v4(), Duration::from_secs(60));
    let claimed = store.leases.claim(holder, ttl, 10, None, &[]).await.expect("claimed");
    store.leases.record_requests(&[want(free, 1, DriveState::Open)]).await.expect("recorded");
    let order = ErasureOrder { asked_by: "a test".to_owned(), reason: "to see it".to_owned() };
    store.log.erase(erased, &order).await.expect("erased");

    let lane_move = move_to(&moving.log, "b").await;
    // A supervisor that does not know of the move yet records a need where the lane was.
    Leases::new(servers.home.pool.clone())
        .record_requests(&[want(late, 1, DriveState::Open)])
        .await
        .expect("recorded at home");
    lane_move.delete_former_copy(GRACE).await.expect("deleted");
    poll_until("the store knows of the move", async || (store.log.shards().name_of(LANE) == "b").then_some(())).await;
    let append = Append { fence: Some(claimed[0].fence), ..phase_append(held, 1, &["b"]) };
    assert_eq!(store.log.append(append).await.expect("still held").len(), 1);
    let renewed = store.leases.renew(holder, ttl, &[held]).await.expect("renewed");
    assert_eq!(renewed.held, [held]);
    let others = store.leases.claim(Uuid::new_v4(), ttl, 10, None, &[]).await.expect("claimed");
    let mut others: Vec<DebateId> = others.iter().map(|claim| claim.fence.debate).collect();
    others.sort_unstable();
    let mut wanted = vec![free, late];
    wanted.sort_unstable();
    assert_eq!(others, wanted);
    assert!(store.log.read(erased, 0, 10).await.is_err_and(|fault| fault.to_string().contains("was erased")));
    // Erased after the move, while the former copy is still there.
    let back = move_to(&moving.log, "home").await;
    store.log.erase(free, &order).await.expect("erased");
    let key = format!("select count(*) from debate_keys where debate_id = '{free}' and key is not null");
    assert_eq!((count(&servers.home, &key).await, count(&servers.shards[0].1, &key).await), (0, 0));
    back.delete_former_copy(GRACE).await.expect("deleted");
    store.close().await;
    moving.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_moves_lanes_while_debates_run() {
    let (servers, home) = (Servers::create(&["b"]).await, TestHome::new());
    let variables = servers.environment(&home);
    let (one, other) = (ServiceProcess::start(&variables).await, ServiceProcess::start(&variables).await);
    let starting = async {
        for n in 0..60 {
            let service = if n % 2 == 0 { &one } else { &other };
            service.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
        }
    };
    let moving = run_json_command(&variables, &["lanes", "move", "0-7", "--to", "b", "--grace-seconds", "3", "--json"]);
    let ((), moved) = tokio::join!(starting, moving);
    let lanes: Vec<_> = moved.iter().map(|line| line["lane"].as_i64().expect("a lane")).collect();
    assert_eq!(lanes, (0..8).collect::<Vec<i64>>());
    let ended = "select count(*) from debates where outcome is not null";
    poll_until("the debates have ended", async || (count(&servers.home, ended).await == 60).then_some(())).await;
    assert_eq!(count(&servers.home, "select count(*) from events where lane < 8").await, 0);
    assert_eq!(count(&servers.shards[0].1, "select count(*) from events where lane >= 8").await, 0);
    let verified = run_json_command(&variables, &["verify", "--json"]).await.remove(0);
    assert_eq!(json!([verified["debates"], verified["faults"]]), json!([60, []]));
    let again = run_json_command(&variables, &["lanes", "move", "3", "--to", "b", "--json"]).await.remove(0);
    assert_eq!(again["pausedMs"], json!(null), "it is there already");
    let listed = run_json_command(&variables, &["lanes", "--json"]).await.remove(0);
    let seen = json!([listed["shards"], listed["lanes"][7]["shard"], listed["lanes"][8]["shard"]]);
    assert_eq!(seen, json!([["home", "b"], "b", "home"]));
    let text = run_command(&variables, &["lanes"]).await.stdout;
    assert_eq!(text.lines().count(), 17, "{text}");
    for (arguments, code, reason) in [
        (["lanes", "move", "3", "--to", "z"], 1, "unknown shard \"z\"; available: home, b"),
        (["lanes", "move", "16", "--to", "b"], 2, "numbers from 0 to 15"),
    ] {
        let output = run_command(&variables, &arguments).await;
        assert!(output.code == Some(code) && output.stderr.contains(reason), "{output:?}");
    }
    for service in [one, other] {
        service.kill().await;
    }
}
