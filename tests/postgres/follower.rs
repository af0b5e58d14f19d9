//! Followers: history, then live; through lost listeners and lost patience; up to damage and beyond it.

use std::time::Duration;

use faultline_core::events::event::Recorded;
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::error::StoreError;
use faultline_store::follow::follower::{DEBATE_PAGE, Follower, LOG_PAGE};
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::{Cursor, lane_of};
use faultline_store::log::log::Log;
use uuid::Uuid;

use crate::counted::Sent;
use crate::support::{Database, add, append, debate, fresh, new, says, soon};

/// Follows until it has seen so many events.
async fn follow(follower: &mut Follower, n: usize) -> Vec<Recorded> {
    let mut seen = Vec::new();
    while seen.len() < n {
        let page = soon(follower.next()).await.expect("the log");
        assert!(!page.is_empty());
        seen.extend(page);
    }
    seen
}

fn versions(events: &[Recorded]) -> Vec<i64> {
    events.iter().map(|it| it.version).collect()
}

#[tokio::test]
async fn history_then_live_without_gap_or_repeat() {
    let database = fresh().await;
    let (log, tail) = database.log_and_tail().await;
    let other = database.elsewhere().await;
    let debate = debate();
    add(&log, debate, &["1", "2", "3"]).await;
    let mut one = Follower::of_debate(&log, &tail, debate, 1);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    assert_eq!(versions(&follow(&mut one, 2).await), [2, 3]);
    assert_eq!(follow(&mut all, 3).await.len(), 3);
    // Live, in turns from this process and from another.
    for n in 4..24 {
        let writer = if n % 2 == 0 { &log } else { &other };
        add(writer, debate, &[&n.to_string()]).await;
        add(&other, crate::support::debate(), &["a neighbour"]).await;
        assert_eq!(versions(&follow(&mut one, 1).await), [n]);
    }
    let seen = follow(&mut all, 40).await;
    assert_eq!(
        seen.iter().filter(|it| it.debate == debate).map(|it| it.version).collect::<Vec<_>>(),
        (4..24).collect::<Vec<_>>()
    );
    let cursor = all.cursor().cloned().unwrap();
    assert_eq!(cursor, Cursor::from_heads(log.heads().await.unwrap()));
    let mut resumed = Follower::of_log(&log, &tail, cursor);
    add(&other, debate, &["24"]).await;
    assert_eq!(versions(&follow(&mut resumed, 1).await), [24]);
}

/// What this thread has asked for events since it was last looked at.
fn reads(sent: &Sent) -> usize {
    let is_read = |it: &&String| it.contains("with k as materialized") || it.contains("select e.lane");
    sent.take().iter().filter(is_read).count()
}

#[tokio::test]
async fn what_is_written_here_is_handed_over_as_it_is_read_and_nobody_asks_for_it() {
    let sent = Sent::by_this_thread();
    let database = fresh().await;
    let (log, tail) = database.log_and_tail().await;
    let other = database.elsewhere().await;
    let debate = debate();
    add(&log, debate, &["1"]).await;
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    let (mut told, mut told_of_all) = (follow(&mut one, 1).await, follow(&mut all, 1).await);
    assert_eq!(reads(&sent), 2, "whoever begins asks for what there is");
    for n in 2..10 {
        add(&log, debate, &[&n.to_string(), "and more"]).await;
        told.extend(follow(&mut one, 2).await);
        told_of_all.extend(follow(&mut all, 2).await);
    }
    // Some may be: what was written more than a second ago is not handed over, and a busy machine may stand still so long.
    assert!(reads(&sent) < 8, "of 16 times");
    // Another process writes in between: that is read, and so is whatever lies behind it.
    add(&other, debate, &["theirs"]).await;
    add(&log, debate, &["ours"]).await;
    told.extend(follow(&mut one, 2).await);
    told_of_all.extend(follow(&mut all, 2).await);
    assert!(reads(&sent) > 0);
    let kept = log.read(debate, 0, 100).await.expect("the debate");
    assert_eq!((&told, &told_of_all), (&kept, &kept));
}

#[tokio::test]
async fn what_was_erased_is_not_handed_over() {
    let database = fresh().await;
    let (log, tail) = database.log_and_tail().await;
    let debate = debate();
    add(&log, debate, &["1"]).await;
    let mut follower = Follower::of_debate(&log, &tail, debate, 0);
    follow(&mut follower, 1).await;
    add(&log, debate, &["2"]).await;
    let order = ErasureOrder { asked_by: "the test".into(), reason: "to be forgotten".into() };
    log.erase(debate, &order).await.expect("erased");
    assert!(matches!(soon(follower.next()).await, Err(StoreError::Erased { .. })));
}

#[tokio::test]
async fn a_debate_is_followed_before_it_exists() {
    let database = fresh().await;
    let (log, tail) = database.log_and_tail().await;
    let other = database.elsewhere().await;
    let debate = debate();
    let mut follower = Follower::of_debate(&log, &tail, debate, 0);
    let waiting = tokio::time::timeout(Duration::from_millis(200), follower.next()).await;
    assert!(waiting.is_err(), "there is nothing, and nothing is not an answer");
    add(&other, debate, &["1"]).await;
    assert_eq!(versions(&follow(&mut follower, 1).await), [1]);
}

#[tokio::test]
async fn a_killed_listener_costs_nothing() {
    let database = fresh().await;
    let (log, tail) = database.log_and_tail().await;
    let other = database.elsewhere().await;
    let debate = debate();
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    for n in 1..=30 {
        if n % 10 == 5 {
            assert!(kill(&database, "tail").await > 0, "there was no listener to kill");
        }
        add(&other, debate, &[&n.to_string()]).await;
        if n % 10 == 0 {
            assert_eq!(versions(&follow(&mut one, 10).await), (n - 9..=n).collect::<Vec<_>>());
        }
    }
    assert_eq!(versions(&follow(&mut all, 30).await), (1..=30).collect::<Vec<_>>());
}

/// Ends the backends of one role once there are any; answers how many.
async fn kill(database: &Database, role: &str) -> i64 {
    soon(async {
        loop {
            let killed: i64 = sqlx::query_scalar(
                "select count(pg_terminate_backend(pid)) from pg_stat_activity
                where datname = current_database() and application_name like '% ' || $1",
            )
            .bind(role)
            .fetch_one(&database.pool)
            .await
            .expect("the log");
            if killed > 0 {
                return killed;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
}

#[tokio::test]
async fn what_nobody_announced_is_found_by_the_poll() {
    let database = fresh().await;
    let log = database.log().await;
    let tail = Tail::start_polling(&log, Duration::from_millis(100));
    let debate = debate();
    let (mut one, mut all) =
        (Follower::of_debate(&log, &tail, debate, 0), Follower::of_log(&log, &tail, Cursor::default()));
    let listener =
        "select pid from pg_stat_activity where datname = current_database() and application_name like '% tail'";
    let pid = || async { sqlx::query_scalar::<_, i32>(listener).fetch_optional(&database.pool).await.unwrap() };
    soon(async {
        while pid().await.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let deaf = pid().await;
    for n in 1..=8 {
        silently(&database, &log, debate, n).await;
        assert_eq!(versions(&follow(&mut one, 1).await), [n]);
        assert_eq!(versions(&follow(&mut all, 1).await), [n]);
    }
    soon(async {
        while pid().await.is_none_or(|it| Some(it) == deaf) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// Appends as a process would that dies between its commit and its notification.
async fn silently(database: &Database, log: &Log, debate: faultline_core::events::ids::DebateId, version: i64) {
    let statement = format!(
        "select append_events(
            '{{{lane}}}', '{{{debate}}}', '{{{lane}}}', '{{1}}', '{{1}}', '{{{}}}', null, '{{1}}', '{{1}}', '{{{}}}',
            '{{phase_entered}}', '{{1}}', array['{{\"phase\":\"silent\"}}'::bytea], '{{null}}', '{{null}}')",
        version - 1,
        Uuid::now_v7(),
        lane = lane_of(debate),
    );
    database.run(&statement).await;
    assert_eq!(log.head(debate).await.expect("the log"), version);
}

#[tokio::test]
async fn a_slow_reader_gets_everything_in_pages() {
    let database = fresh().await;
    let (log, tail) = database.log_and_tail().await;
    let debate = debate();
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    let writer = tokio::spawn({
        let log = log.clone();
        async move {
            for version in (0..3_000).step_by(300) {
                let events = (0..300).map(|n| new((version + n + 1).to_string())).collect();
                let append = faultline_store::log::append::Append {
                    debate,
                    expected: version,
                    events,
                    fence: None,
                    actor: None,
                };
                log.append(append).await.unwrap();
            }
        }
    });
    for (follower, limit) in [(&mut one, DEBATE_PAGE), (&mut all, LOG_PAGE)] {
        let mut seen: Vec<Recorded> = Vec::new();
        while seen.len() < 3_000 {
            let page = soon(follower.next()).await.unwrap();
            assert!(page.len() as i64 <= limit, "a page of {}", page.len());
            seen.extend(page);
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        assert!(seen.iter().zip(1..).all(|(it, n)| it.version == n && says(it) == n.to_string()));
    }
    writer.await.unwrap();
}

#[tokio::test]
async fn a_next_given_up_loses_nothing() {
    let database = fresh().await;
    let (log, tail) = database.log_and_tail().await;
    let debate = debate();
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    let writer = tokio::spawn({
        let log = log.clone();
        async move {
            for n in 0..100 {
                log.append(append(debate, n, &["x"])).await.unwrap();
            }
        }
    });
    let (mut of_one, mut of_all, mut given_up) = (Vec::new(), Vec::new(), 0u64);
    while of_one.len() < 100 || of_all.len() < 100 {
        tokio::select! {
            page = one.next(), if of_one.len() < 100 => of_one.extend(page.unwrap()),
            page = all.next(), if of_all.len() < 100 => of_all.extend(page.unwrap()),
            () = tokio::time::sleep(Duration::from_micros(given_up * 97 % 3_000)) => given_up += 1,
        }
    }
    writer.await.unwrap();
    assert!(given_up > 0);
    assert_eq!((versions(&of_one), versions(&of_all)), ((1..=100).collect(), (1..=100).collect()));
}

#[tokio::test]
async fn damage_is_reported_and_can_be_stepped_over() {
    let database = fresh().await;
    let (log, tail) = database.log_and_tail().await;
    let debate = debate();
    // Written elsewhere: what was written here is handed over as it was, whatever became of it since.
    add(&database.elsewhere().await, debate, &["1", "2", "3", "4"]).await;
    database.run("alter table events disable trigger all; update events set body = '7' where version = 3").await;
    let one = Follower::of_debate(&log, &tail, debate, 0);
    let all = Follower::of_log(&log, &tail, Cursor::default());
    for mut follower in [one, all] {
        assert_eq!(versions(&follow(&mut follower, 2).await), [1, 2], "what can be read comes first");
        for _ in 0..3 {
            let fault = soon(follower.next()).await.expect_err("damage");
            assert!(matches!(fault, StoreError::Damaged { version: 3, .. }), "{fault}");
        }
        let fault = soon(follower.next()).await.expect_err("damage");
        assert!(!follower.skip(&StoreError::Stopped));
        assert!(follower.skip(&fault));
        assert!(!follower.skip(&fault), "only once");
        assert_eq!(versions(&follow(&mut follower, 1).await), [4]);
    }
    database.run("delete from events where version = 4").await;
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    follow(&mut all, 2).await;
    let fault = soon(all.next()).await.expect_err("damage");
    assert!(all.skip(&fault));
    let fault = soon(all.next()).await.expect_err("an event that the lane counts is not there");
    assert!(matches!(fault, StoreError::LaneGap { wanted: 4, found: None, .. }), "{fault}");
}

#[tokio::test]
async fn a_cursor_of_another_log_is_reported() {
    let database = fresh().await;
    let (log, tail) = database.log_and_tail().await;
    let mut heads = log.heads().await.unwrap();
    heads[2] = 9;
    let mut follower = Follower::of_log(&log, &tail, Cursor::from_heads(heads));
    for _ in 0..2 {
        let fault = soon(follower.next()).await.expect_err("a place beyond the end");
        assert!(matches!(fault, StoreError::Ahead { lane: 2, at: 9, head: 0 }), "{fault}");
    }
}
