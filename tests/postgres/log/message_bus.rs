//! Events on a message bus: they save reads of the log, and nothing that the bus does to them can be seen.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::lifecycle::{DebateAborted, DebateForked};
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::error::StoreError;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::Cursor;
use faultline_store::log::append::{Append, NewEvent};
use faultline_store::log::log::Log;
use faultline_store::log::received_events::BusKeys;
use faultline_store::wake::bus::MessageBus;
use sqlx::{Connection, Executor, PgConnection};
use uuid::Uuid;

use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::log_reads::{count_reads, follow, read_all_events};
use crate::support::phase_events::{append_phases, new_debate_id};
use crate::support::random::Random;
use crate::support::statement_counter::StatementLog;
use crate::support::waiting::within_limit;

/// Interval at which nothing is polled during a test.
const NEVER: Duration = Duration::from_secs(600);
/// Interval of the poll by which lost messages are noticed.
const SOON: Duration = Duration::from_millis(20);

/// Bus that keeps its messages until the test delivers them.
#[derive(Debug, Default)]
struct HeldBus(Mutex<Vec<Vec<u8>>>);

impl MessageBus for HeldBus {
    fn publish(&self, _lane: i16, message: Vec<u8>) {
        self.0.lock().expect("messages").push(message);
    }
}

impl HeldBus {
    fn take(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut *self.0.lock().expect("messages"))
    }
}

/// Connects a log with a bus.
async fn join(log: &Log) -> Arc<HeldBus> {
    let bus = Arc::<HeldBus>::default();
    log.publish_on(log.bus_identity().await.expect("an identity"), bus.clone());
    bus
}

/// Process that appends, and its bus.
async fn writer(database: &Database) -> (Log, Arc<HeldBus>) {
    let log = database.second_log().await;
    let bus = join(&log).await;
    (log, bus)
}

/// Process that learns of appends by a bus, and by a poll at this interval.
struct Edge {
    log: Log,
    tail: Tail,
    keys: BusKeys,
}

impl Edge {
    async fn start(database: &Database, every: Duration) -> Edge {
        let log = database.log().await;
        join(&log).await;
        Edge { tail: Tail::start_without_listening(&log, every), log, keys: BusKeys::default() }
    }

    async fn receive(&mut self, messages: &[Vec<u8>]) {
        self.log.receive(messages, &mut self.keys).await;
    }

    fn follow_log(&self) -> Follower {
        Follower::of_log(&self.log, &self.tail, Cursor::default())
    }
}

/// Orders events as the log does, lane by lane.
fn by_lane(mut events: Vec<Recorded>) -> Vec<Recorded> {
    events.sort_by_key(|event| (event.lane, event.position));
    events
}

#[tokio::test]
async fn events_on_a_bus_reach_followers_without_a_read_of_the_log() {
    let sent = StatementLog::for_this_thread();
    let database = migrated_database().await;
    let mut edge = Edge::start(&database, NEVER).await;
    let (log, bus) = writer(&database).await;
    let debate = new_debate_id();
    append_phases(&log, debate, &["1"]).await;
    edge.receive(&bus.take()).await;
    let (mut one, mut all) = (Follower::of_debate(&edge.log, &edge.tail, debate, 0), edge.follow_log());
    let (mut of_debate, mut of_log) = (follow(&mut one, 1).await, follow(&mut all, 1).await);
    assert_eq!(count_reads(&sent), 2, "a new follower reads the history");
    for n in 2..10 {
        append_phases(&log, debate, &[&n.to_string(), "and more"]).await;
        edge.receive(&bus.take()).await;
        of_debate.extend(follow(&mut one, 2).await);
        of_log.extend(follow(&mut all, 2).await);
    }
    // Some reads are permitted: events older than a second are not handed over, and a busy machine may stall that long.
    assert!(count_reads(&sent) < 8, "at most 7 reads for 16 batches");
    let kept = log.read(debate, 0, 100).await.expect("the debate");
    assert_eq!((&of_debate, &of_log), (&kept, &kept));
}

#[tokio::test]
async fn what_a_bus_loses_repeats_and_reorders_does_not_show() {
    let database = migrated_database().await;
    let mut edge = Edge::start(&database, SOON).await;
    let (log, bus) = writer(&database).await;
    let debates = [new_debate_id(), new_debate_id(), new_debate_id()];
    let mut followers = debates.map(|debate| Follower::of_debate(&edge.log, &edge.tail, debate, 0));
    let mut all = edge.follow_log();
    let mut random = Random(46);
    let mut held: Vec<Vec<u8>> = Vec::new();
    for n in 0..90 {
        append_phases(&log, debates[random.below(3)], &["a"; 3][..=random.below(3)]).await;
        for mut message in bus.take() {
            match random.below(8) {
                0 => {}
                1 => held.extend([message.clone(), message]),
                2 => {
                    let at = random.below(message.len());
                    message[at] ^= 1;
                    held.push(message);
                }
                3 => message.truncate(random.below(message.len())),
                _ => held.push(message),
            }
        }
        for _ in 0..random.below(4).min(held.len()) {
            let message = held.swap_remove(random.below(held.len()));
            edge.receive(&[message]).await;
        }
        if n % 10 == 0 {
            tokio::time::sleep(SOON).await;
        }
    }
    edge.receive(&held).await;
    let mut everything = Vec::new();
    for (debate, follower) in debates.into_iter().zip(&mut followers) {
        let kept = read_all_events(&log, debate).await;
        assert_eq!(follow(follower, kept.len()).await, kept);
        everything.extend(kept);
    }
    assert_eq!(by_lane(follow(&mut all, everything.len()).await), by_lane(everything));
}

#[tokio::test]
async fn messages_of_another_store_are_discarded() {
    let (database, other) = (migrated_database().await, migrated_database().await);
    let mut edge = Edge::start(&database, NEVER).await;
    let ((log, bus), (stranger, strange_bus)) = (writer(&database).await, writer(&other).await);
    let debate = new_debate_id();
    append_phases(&stranger, debate, &["of another store"]).await;
    append_phases(&log, debate, &["of this store"]).await;
    let mut follower = Follower::of_debate(&edge.log, &edge.tail, debate, 0);
    let name = async |log: &Log| log.bus_identity().await.expect("an identity").name().to_owned();
    assert_ne!(name(&log).await, name(&stranger).await);
    edge.receive(&strange_bus.take()).await;
    assert_eq!(edge.log.wakes().heads(), [0; 16], "nothing was learned from it");
    edge.receive(&bus.take()).await;
    assert_eq!(follow(&mut follower, 1).await, read_all_events(&log, debate).await);
}

#[tokio::test]
async fn an_erased_debate_is_not_shown_from_a_bus() {
    let database = migrated_database().await;
    let mut edge = Edge::start(&database, NEVER).await;
    let (log, bus) = writer(&database).await;
    let debate = new_debate_id();
    let mut follower = Follower::of_debate(&edge.log, &edge.tail, debate, 0);
    for phase in ["1", "2"] {
        append_phases(&log, debate, &[phase]).await;
        edge.receive(&bus.take()).await;
        assert_eq!(follow(&mut follower, 1).await.len(), 1);
    }
    let order = ErasureOrder { asked_by: "the test".into(), reason: "to be forgotten".into() };
    database.log().await.erase(debate, &order).await.expect("erased");
    // The writer still has the key, as the edge does, which looks for erasures every second.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    append_phases(&log, debate, &["3"]).await;
    let late = bus.take();
    assert_eq!(late.len(), 1);
    edge.receive(&late).await;
    assert!(matches!(within_limit(follower.next()).await, Err(StoreError::Erased { .. })));
}

#[tokio::test]
async fn no_cached_key_is_used_while_it_is_unknown_whether_anything_was_erased() {
    let sent = StatementLog::for_this_thread();
    let database = migrated_database().await;
    let mut edge = Edge::start(&database, NEVER).await;
    let (log, bus) = writer(&database).await;
    let debate = new_debate_id();
    let mut follower = Follower::of_debate(&edge.log, &edge.tail, debate, 0);
    append_phases(&log, debate, &["1"]).await;
    edge.receive(&bus.take()).await;
    follow(&mut follower, 1).await;
    append_phases(&log, debate, &["2"]).await;
    edge.receive(&bus.take()).await;
    sent.take();
    follow(&mut follower, 1).await;
    assert_eq!(count_reads(&sent), 0, "the key is cached");
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let mut blocker = PgConnection::connect_with(&database.options).await.expect("connect");
    blocker.execute("begin; lock table erasures").await.expect("lock");
    append_phases(&log, debate, &["3"]).await;
    edge.receive(&bus.take()).await;
    sent.take();
    assert_eq!(follow(&mut follower, 1).await, read_all_events(&log, debate).await[2..]);
    assert!(count_reads(&sent) > 1, "the event is read from the log, besides the read of this test");
}

#[tokio::test]
async fn events_without_bodies_on_the_bus_are_read_from_the_log() {
    let database = migrated_database().await;
    let mut edge = Edge::start(&database, NEVER).await;
    let (log, bus) = writer(&database).await;
    let (long, fork) = (new_debate_id(), new_debate_id());
    let mut opening = DebateBuilder::new(&["ada", "ben"]);
    opening.append_new(&log).await;
    let events = vec![NewEvent {
        id: Uuid::now_v7(),
        event: Event::DebateAborted(DebateAborted { reason: "x".repeat(300 << 10) }),
        caused_by: None,
    }];
    let appended = Append { debate: long, expected: 0, events, fence: None, actor: None };
    let appended = log.append(appended).await.expect("appended");
    let opened = Box::new(log.opening_for_version(opening.id, 1).await.expect("the log").expect("an opening"));
    let forked = DebateForked { origin: opening.id, at: 1, opened };
    log.fork(fork, Uuid::now_v7(), forked).await.expect("forked");
    let messages = bus.take();
    assert_eq!(messages.len(), 3);
    assert!(messages.iter().all(|message| message.len() < 4_096), "no message has the long body");
    let mut followers = [long, fork].map(|debate| Follower::of_debate(&edge.log, &edge.tail, debate, 0));
    edge.receive(&messages).await;
    assert_eq!(follow(&mut followers[0], 1).await, appended);
    assert_eq!(follow(&mut followers[1], 2).await, read_all_events(&log, fork).await);
}

#[tokio::test]
async fn debates_in_plain_text_are_exchanged_encrypted() {
    let database = migrated_database().await;
    let mut edge = Edge::start(&database, NEVER).await;
    let log = database.plain_log().await;
    let bus = join(&log).await;
    let debate = new_debate_id();
    let mut follower = Follower::of_debate(&edge.log, &edge.tail, debate, 0);
    append_phases(&log, debate, &["a phase in plain text"]).await;
    let messages = bus.take();
    assert!(messages.iter().all(|message| !message.windows(10).any(|window| window == b"plain text")));
    edge.receive(&messages).await;
    assert_eq!(follow(&mut follower, 1).await, read_all_events(&log, debate).await);
}
