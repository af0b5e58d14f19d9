//! The commit-order race of a log: a sequence number is drawn before the commit, so transactions become visible out of
//! order.
//!
//! A naive reader by "id > last" loses events to this race, here and in nearly every event store that was tried for
//! comparison. Readers of this log face the same slow writers and miss nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use faultline_core::events::event::Recorded;
use faultline_core::events::ids::DebateId;
use faultline_store::follow::follower::Follower;
use faultline_store::lanes::{Cursor, lane_of};
use faultline_store::log::append::AppendError;
use faultline_store::log::log::Log;
use futures_util::future::join_all;
use sqlx::{ConnectOptions, Executor, PgConnection, PgPool};
use uuid::Uuid;

use crate::support::database::{Database, migrated_database};
use crate::support::phase_events::{new_debate_id, phase_append};
use crate::support::waiting::within_limit;

const WRITERS: u64 = 8;
const EVENTS: u64 = 60;

/// Delay between write and commit: different for each event, the same in every run.
fn pause(writer: u64, n: u64) -> Duration {
    Duration::from_millis((writer * 7 + n * 13) % 11)
}

/// Appends one event in a transaction of the caller, as another process would.
async fn append_by_hand(connection: &mut PgConnection, debate: DebateId, expected: i64) -> String {
    let called = sqlx::query_scalar(
        "select outcome
        from append_events(
            array[$1::smallint], array[$2::uuid], array[$1::smallint], '{1}', '{1}', array[$3::bigint], null, '{1}',
            '{1}', array[$4::uuid], '{phase_entered}', '{1}', array['{\"phase\":\"by hand\"}'::bytea],
            array[null]::uuid[], array[null]::text[]
        )",
    );
    let called = called.bind(lane_of(debate)).bind(debate.0).bind(expected).bind(Uuid::now_v7());
    called.fetch_one(connection).await.expect("append by hand")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_naive_reader_loses_events() {
    let database = migrated_database().await;
    let table = "create table naive (id bigserial primary key, writer bigint, n bigint)";
    sqlx::query(table).execute(&database.pool).await.unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn(read_naively(database.pool.clone(), Arc::clone(&done)));
    let writers = (0..WRITERS).map(|writer| {
        let pool = wide(&database);
        tokio::spawn(async move {
            for n in 0..EVENTS {
                let mut transaction = pool.begin().await.unwrap();
                let insert = sqlx::query("insert into naive (writer, n) values ($1, $2)");
                insert.bind(writer as i64).bind(n as i64).execute(&mut *transaction).await.unwrap();
                tokio::time::sleep(pause(writer, n)).await;
                transaction.commit().await.unwrap();
            }
        })
    });
    join_all(writers).await.into_iter().for_each(|result| result.unwrap());
    done.store(true, Ordering::SeqCst);
    let seen = reader.await.unwrap();
    let lost = WRITERS * EVENTS - seen.len() as u64;
    assert!(lost > 0, "the naive reader saw all {} events: this machine does not show the race", seen.len());
}

async fn read_naively(pool: PgPool, done: Arc<AtomicBool>) -> BTreeSet<i64> {
    let mut seen = BTreeSet::new();
    loop {
        let last_look = done.load(Ordering::SeqCst);
        let last = seen.last().copied().unwrap_or(0);
        let ids: Vec<i64> = sqlx::query_scalar("select id from naive where id > $1 order by id")
            .bind(last)
            .fetch_all(&pool)
            .await
            .expect("the database");
        seen.extend(ids);
        if last_look {
            return seen;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_loses_no_event_and_keeps_the_order() {
    let database = migrated_database().await;
    let log = database.log().await;
    let done = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn(read_all(log.clone(), Arc::clone(&done)));
    let writers = (0..WRITERS).map(|writer| {
        let pool = wide(&database);
        tokio::spawn(async move {
            let debate = new_debate_id();
            for n in 0..EVENTS {
                let mut transaction = pool.begin().await.unwrap();
                assert_eq!(append_by_hand(&mut transaction, debate, n as i64).await, "appended");
                tokio::time::sleep(pause(writer, n)).await;
                transaction.commit().await.unwrap();
            }
        })
    });
    join_all(writers).await.into_iter().for_each(|result| result.unwrap());
    done.store(true, Ordering::SeqCst);
    let seen = reader.await.unwrap();
    assert_eq!(seen.len() as u64, WRITERS * EVENTS, "lost, or seen twice");
    assert_in_order(&seen);
}

/// Reads pages until `done`; each page starts exactly where the previous one ended, or `read_all` reports a gap.
async fn read_all(log: Log, done: Arc<AtomicBool>) -> Vec<Recorded> {
    let (mut seen, mut cursor) = (Vec::new(), Cursor::default());
    loop {
        let last_look = done.load(Ordering::SeqCst);
        let (events, reached) = log.read_all(&cursor, 100).await.expect("the database");
        let more = !events.is_empty();
        seen.extend(events);
        cursor = reached;
        if last_look && !more {
            return seen;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_misses_nothing_among_rollbacks_and_conflicts() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let other = database.second_log().await;
    let debates: Vec<DebateId> = (0..6).map(|_| new_debate_id()).collect();
    let mut follower = Follower::of_log(&log, &tail, Cursor::default());

    let through_logs = (0..WRITERS).map(|writer| {
        let log = if writer % 2 == 0 { log.clone() } else { other.clone() };
        tokio::spawn(contend(log, debates.clone(), writer))
    });
    let by_hand = (0..2).map(|_| tokio::spawn(contend_and_roll_back(wide(&database), debates.clone())));
    let work: Vec<_> = through_logs.chain(by_hand).collect();
    // The order across lanes is open, so the last event may come before one of another lane: the reader counts.
    let wanted = Arc::new(AtomicUsize::new(usize::MAX));
    let reader = tokio::spawn({
        let wanted = Arc::clone(&wanted);
        async move {
            let mut seen: Vec<Recorded> = Vec::new();
            while seen.len() < wanted.load(Ordering::SeqCst) {
                seen.extend(within_limit(follower.next()).await.unwrap());
            }
            seen
        }
    });
    let (appended, refused) =
        join_all(work).await.into_iter().map(Result::unwrap).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    assert!(refused > 20, "only {refused} conflicts and rollbacks: too little contention");
    wanted.store(appended + 1, Ordering::SeqCst);
    log.append(phase_append(new_debate_id(), 0, &["the last"])).await.unwrap();

    let mut seen = reader.await.unwrap();
    assert_in_order(&seen);
    assert_eq!(seen.len(), appended + 1, "lost, or seen twice");
    let (mut stored, _) = log.read_all(&Cursor::default(), 10_000).await.unwrap();
    seen.sort_by_key(|event| (event.lane, event.position));
    stored.sort_by_key(|event| (event.lane, event.position));
    assert_eq!(seen, stored, "the follower received exactly what is stored");
    for debate in &debates {
        assert_eq!(log.verify(*debate).await.unwrap().breaks, []);
    }
}

/// Appends to debates shared with other writers, half of the time at a stale version.
async fn contend(log: Log, debates: Vec<DebateId>, writer: u64) -> (usize, usize) {
    let (mut appended, mut refused) = (0, 0);
    for n in 0..EVENTS {
        let debate = debates[((writer + n) % 6) as usize];
        let expected = if n % 2 == 0 { log.head(debate).await.expect("the database") } else { 0 };
        match log.append(phase_append(debate, expected, &["a", "b"][..(n % 2) as usize + 1])).await {
            Ok(recorded) => appended += recorded.len(),
            Err(AppendError::Conflict { actual }) => {
                assert_ne!(actual, expected);
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    (appended, refused)
}

/// Writes as another process whose every second transaction fails after it has written.
async fn contend_and_roll_back(pool: PgPool, debates: Vec<DebateId>) -> (usize, usize) {
    let (mut appended, mut refused) = (0, 0);
    for n in 0..EVENTS {
        let debate = debates[(n % 6) as usize];
        let mut transaction = pool.begin().await.expect("the database");
        let expected: i64 = sqlx::query_scalar("select coalesce(max(version), 0) from events where debate_id = $1")
            .bind(debate.0)
            .fetch_one(&mut *transaction)
            .await
            .expect("the database");
        let done = append_by_hand(&mut transaction, debate, expected).await;
        tokio::time::sleep(Duration::from_millis(n % 3)).await;
        if done == "appended" && n % 2 == 0 {
            transaction.commit().await.expect("the database");
            appended += 1;
        } else {
            transaction.rollback().await.expect("the database");
            refused += 1;
        }
    }
    // Appends by hand send no notification.
    sqlx::query("select pg_notify('faultline_log', 'look')").execute(&pool).await.expect("the database");
    (appended, refused)
}

/// Opens a transaction of another process that has written and stays open.
async fn open_writer(database: &Database, debate: DebateId) -> PgConnection {
    let mut connection = database.options.connect().await.expect("connect");
    connection.execute("begin").await.expect("begin");
    assert_eq!(append_by_hand(&mut connection, debate, 0).await, "appended");
    connection
}

/// Returns a debate of this lane if `inside`, else of any other lane.
fn debate_in(lane: i16, inside: bool) -> DebateId {
    std::iter::repeat_with(new_debate_id)
        .find(|debate| (lane_of(*debate) == lane) == inside)
        .expect("an endless iterator")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_transaction_blocks_its_lane_and_no_other() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let asleep = new_debate_id();
    let lane = lane_of(asleep);
    let mut sleeper = open_writer(&database, asleep).await;
    let mut follower = Follower::of_log(&log, &tail, Cursor::default());
    // One writer of this process may wait for the lane: its other appends wait as well, and nothing else does.
    let free: Vec<DebateId> =
        (0..20).map(|_| debate_in(lane, false)).filter(|debate| lane_of(*debate) % 2 != lane % 2).collect();
    let held_up = tokio::spawn({
        let (log, debate) = (log.clone(), debate_in(lane, true));
        async move { log.append(phase_append(debate, 0, &["after it"])).await }
    });
    let mut seen = Vec::new();
    for debate in &free {
        within_limit(log.append(phase_append(*debate, 0, &["meanwhile"]))).await.expect("append");
        seen.extend(within_limit(follower.next()).await.expect("follow"));
    }
    assert_eq!(
        seen.iter().map(|event| event.debate).collect::<Vec<_>>(),
        free,
        "each event as soon as it was recorded"
    );
    let (stored, _) = log.read_all(&Cursor::default(), 1_000).await.expect("read");
    assert_eq!(stored.len(), free.len(), "no event of the blocked lane is visible");
    assert!(!held_up.is_finished());
    sleeper.execute("commit").await.expect("commit");
    let after = within_limit(held_up).await.expect("a task").expect("append");
    assert_eq!((after[0].lane, after[0].position), (lane, 2), "after the event of the open transaction");
    while seen.len() < free.len() + 2 {
        seen.extend(within_limit(follower.next()).await.expect("follow"));
    }
    assert_in_order(&seen);
    assert_eq!(seen[free.len()].debate, asleep);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_that_waited_for_its_lane_sees_what_was_written_meanwhile() {
    let database = migrated_database().await;
    let log = database.log().await;
    let contested = new_debate_id();
    let other = std::iter::repeat_with(new_debate_id)
        .find(|debate| lane_of(*debate) == lane_of(contested))
        .expect("there is one");
    log.append(phase_append(contested, 0, &["a"])).await.expect("append");
    for (waiting, expected, version) in [(other, 0, 1), (contested, 2, 2)] {
        let mut holder = database.options.connect().await.expect("connect");
        holder.execute("begin").await.expect("begin");
        assert_eq!(append_by_hand(&mut holder, contested, version).await, "appended");
        let log = log.clone();
        let waiter = tokio::spawn(async move { log.append(phase_append(waiting, expected, &["b", "c"])).await });
        // Its statement has started, with a snapshot from before the other append.
        within_limit(database.wait_for_blocked_session()).await;
        holder.execute("commit").await.expect("commit");
        match within_limit(waiter).await.expect("a task") {
            Ok(recorded) => assert_eq!(recorded.iter().map(|event| event.position).collect::<Vec<_>>(), [3, 4]),
            Err(AppendError::Conflict { actual }) => assert_eq!((waiting, actual), (contested, 3)),
            Err(error) => panic!("{error}"),
        }
    }
    for debate in [contested, other] {
        assert_eq!(log.verify(debate).await.expect("verify").breaks, []);
    }
    let (stored, _) = log.read_all(&Cursor::default(), 10).await.expect("read");
    assert_in_order(&stored);
    assert_eq!(stored.len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_open_elsewhere_delay_no_reader() {
    let (database, neighbour) = (migrated_database().await, migrated_database().await);
    // One transaction in another database of the server, one in this database: both have written and hold an old
    // snapshot.
    let mut strangers = Vec::new();
    for of in [&neighbour, &database] {
        let mut stranger = of.options.connect().await.expect("connect");
        let open =
            "begin isolation level repeatable read; create table stranger (n int); insert into stranger values (1)";
        stranger.execute(sqlx::raw_sql(open)).await.expect("begin");
        strangers.push(stranger);
    }
    let (log, tail) = database.log_and_tail().await;
    let other = database.second_log().await;
    let mut follower = Follower::of_log(&log, &tail, Cursor::default());
    let debate = new_debate_id();
    let mut seen = Vec::new();
    for version in 0..40 {
        let writer = if version % 2 == 0 { &log } else { &other };
        within_limit(writer.append(phase_append(debate, version, &["x"]))).await.expect("append");
        let news = within_limit(follower.next()).await.expect("follow");
        assert_eq!(
            news.iter().map(|event| event.version).collect::<Vec<_>>(),
            [version + 1],
            "as soon as it was recorded"
        );
        seen.extend(news);
    }
    assert_in_order(&seen);
    for mut stranger in strangers {
        stranger.execute("rollback").await.expect("the transaction was still open");
    }
}

fn assert_in_order(seen: &[Recorded]) {
    let (mut lanes, mut streams) = (BTreeMap::new(), BTreeMap::new());
    for event in seen {
        let position = lanes.entry(event.lane).or_insert(0);
        let version = streams.entry(event.debate).or_insert(0);
        *position += 1;
        *version += 1;
        assert_eq!((event.position, event.version), (*position, *version), "late, lost, or out of order: {event:?}");
    }
}

/// Pool with a connection for each writer, so that no writer waits for another outside the database.
fn wide(database: &Database) -> PgPool {
    sqlx::postgres::PgPoolOptions::new().max_connections(1).connect_lazy_with(database.options.clone())
}
