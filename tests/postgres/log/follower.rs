//! Followers: history and live events, lost listeners, cancelled calls, and damaged events.

use std::time::Duration;

use faultline_core::events::event::{Event, Recorded};
use faultline_core::events::ids::DebateId;
use faultline_core::events::lifecycle::{DebatePaused, DebateResumed, PhaseEntered};
use faultline_store::erasure::erasure::ErasureOrder;
use faultline_store::error::StoreError;
use faultline_store::follow::follower::{Follower, MAX_DEBATE_PAGE, MAX_LOG_PAGE};
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::{Cursor, lane_of};
use faultline_store::log::append::{Append, NewEvent};
use faultline_store::log::log::Log;
use uuid::Uuid;

use crate::support::database::{Database, migrated_database};
use crate::support::log_reads::{count_reads, follow, versions};
use crate::support::phase_events::{append_phases, new_debate_id, new_phase_event, phase_append, phase_of};
use crate::support::statement_counter::StatementLog;
use crate::support::waiting::within_limit;

#[tokio::test]
async fn a_follower_returns_history_then_live_events_without_gaps_or_repeats() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let other = database.second_log().await;
    let debate = new_debate_id();
    append_phases(&log, debate, &["1", "2", "3"]).await;
    let mut one = Follower::of_debate(&log, &tail, debate, 1);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    assert_eq!(versions(&follow(&mut one, 2).await), [2, 3]);
    assert_eq!(follow(&mut all, 3).await.len(), 3);
    // Live events, alternately from this process and from another.
    for n in 4..24 {
        let writer = if n % 2 == 0 { &log } else { &other };
        append_phases(writer, debate, &[&n.to_string()]).await;
        append_phases(&other, crate::support::phase_events::new_debate_id(), &["a neighbour"]).await;
        assert_eq!(versions(&follow(&mut one, 1).await), [n]);
    }
    let seen = follow(&mut all, 40).await;
    assert_eq!(
        seen.iter().filter(|event| event.debate == debate).map(|event| event.version).collect::<Vec<_>>(),
        (4..24).collect::<Vec<_>>()
    );
    let cursor = all.cursor().cloned().unwrap();
    assert_eq!(cursor, Cursor::from_heads(log.heads().await.unwrap()));
    let mut resumed = Follower::of_log(&log, &tail, cursor);
    append_phases(&other, debate, &["24"]).await;
    assert_eq!(versions(&follow(&mut resumed, 1).await), [24]);
}

#[tokio::test]
async fn events_of_this_process_reach_followers_without_a_read() {
    let sent = StatementLog::for_this_thread();
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let other = database.second_log().await;
    let debate = new_debate_id();
    append_phases(&log, debate, &["1"]).await;
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    let (mut actual, mut told_of_all) = (follow(&mut one, 1).await, follow(&mut all, 1).await);
    assert_eq!(count_reads(&sent), 2, "a new follower reads the history");
    for n in 2..10 {
        append_phases(&log, debate, &[&n.to_string(), "and more"]).await;
        actual.extend(follow(&mut one, 2).await);
        told_of_all.extend(follow(&mut all, 2).await);
    }
    // Some reads are permitted: events older than a second are not handed over, and a busy machine may stall that long.
    assert!(count_reads(&sent) < 8, "at most 7 reads for 16 batches");
    // Events of another process are read, and so are the events after them.
    append_phases(&other, debate, &["theirs"]).await;
    append_phases(&log, debate, &["ours"]).await;
    actual.extend(follow(&mut one, 2).await);
    told_of_all.extend(follow(&mut all, 2).await);
    assert!(count_reads(&sent) > 0);
    let kept = log.read(debate, 0, 100).await.expect("the debate");
    assert_eq!((&actual, &told_of_all), (&kept, &kept));
}

#[tokio::test]
async fn an_erased_debate_is_not_handed_over() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let debate = new_debate_id();
    append_phases(&log, debate, &["1"]).await;
    let mut follower = Follower::of_debate(&log, &tail, debate, 0);
    follow(&mut follower, 1).await;
    append_phases(&log, debate, &["2"]).await;
    let order = ErasureOrder { asked_by: "the test".into(), reason: "to be forgotten".into() };
    log.erase(debate, &order).await.expect("erased");
    assert!(matches!(within_limit(follower.next()).await, Err(StoreError::Erased { .. })));
}

#[tokio::test]
async fn a_debate_can_be_followed_before_it_exists() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let other = database.second_log().await;
    let debate = new_debate_id();
    let mut follower = Follower::of_debate(&log, &tail, debate, 0);
    let waiting = tokio::time::timeout(Duration::from_millis(200), follower.next()).await;
    assert!(waiting.is_err(), "a follower without events waits");
    append_phases(&other, debate, &["1"]).await;
    assert_eq!(versions(&follow(&mut follower, 1).await), [1]);
}

#[tokio::test]
async fn a_killed_listener_loses_no_events() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let other = database.second_log().await;
    let debate = new_debate_id();
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    for n in 1..=30 {
        if n % 10 == 5 {
            assert!(kill(&database, "tail").await > 0, "there was no listener to kill");
        }
        append_phases(&other, debate, &[&n.to_string()]).await;
        if n % 10 == 0 {
            assert_eq!(versions(&follow(&mut one, 10).await), (n - 9..=n).collect::<Vec<_>>());
        }
    }
    assert_eq!(versions(&follow(&mut all, 30).await), (1..=30).collect::<Vec<_>>());
}

/// Terminates the backends of one role once there are any; returns their number.
async fn kill(database: &Database, role: &str) -> i64 {
    within_limit(async {
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
async fn unannounced_events_are_found_by_polling() {
    let database = migrated_database().await;
    let log = database.log().await;
    let tail = Tail::start_polling(&log, Duration::from_millis(100));
    let debate = new_debate_id();
    let (mut one, mut all) =
        (Follower::of_debate(&log, &tail, debate, 0), Follower::of_log(&log, &tail, Cursor::default()));
    let listener =
        "select pid from pg_stat_activity where datname = current_database() and application_name like '% tail'";
    let pid = || async { sqlx::query_scalar::<_, i32>(listener).fetch_optional(&database.pool).await.unwrap() };
    within_limit(async {
        while pid().await.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let deaf = pid().await;
    for n in 1..=8 {
        append_unannounced(&database, &log, debate, n).await;
        assert_eq!(versions(&follow(&mut one, 1).await), [n]);
        assert_eq!(versions(&follow(&mut all, 1).await), [n]);
    }
    within_limit(async {
        while pid().await.is_none_or(|pid| Some(pid) == deaf) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// Appends as a process that dies between its commit and its notification.
async fn append_unannounced(
    database: &Database,
    log: &Log,
    debate: faultline_core::events::ids::DebateId,
    version: i64,
) {
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
async fn a_slow_reader_receives_everything_in_pages() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let debate = new_debate_id();
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    let writer = tokio::spawn({
        let log = log.clone();
        async move {
            for version in (0..3_000).step_by(300) {
                let events = (0..300).map(|n| new_phase_event((version + n + 1).to_string())).collect();
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
    for (follower, limit) in [(&mut one, MAX_DEBATE_PAGE), (&mut all, MAX_LOG_PAGE)] {
        let mut seen: Vec<Recorded> = Vec::new();
        while seen.len() < 3_000 {
            let page = within_limit(follower.next()).await.unwrap();
            assert!(page.len() as i64 <= limit, "a page of {}", page.len());
            seen.extend(page);
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        assert!(seen.iter().zip(1..).all(|(event, n)| event.version == n && phase_of(event) == n.to_string()));
    }
    writer.await.unwrap();
}

#[tokio::test]
async fn a_cancelled_next_loses_nothing() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let debate = new_debate_id();
    let mut one = Follower::of_debate(&log, &tail, debate, 0);
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    let writer = tokio::spawn({
        let log = log.clone();
        async move {
            for n in 0..100 {
                log.append(phase_append(debate, n, &["x"])).await.unwrap();
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
async fn damaged_events_are_reported_and_can_be_skipped() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let debate = new_debate_id();
    // Appended by another process: events of this process would be handed over as they were before the damage.
    append_phases(&database.second_log().await, debate, &["1", "2", "3", "4"]).await;
    database.run("alter table events disable trigger all; update events set body = '7' where version = 3").await;
    let one = Follower::of_debate(&log, &tail, debate, 0);
    let all = Follower::of_log(&log, &tail, Cursor::default());
    for mut follower in [one, all] {
        assert_eq!(versions(&follow(&mut follower, 2).await), [1, 2], "readable events come first");
        for _ in 0..3 {
            let fault = within_limit(follower.next()).await.expect_err("damage");
            assert!(matches!(fault, StoreError::Damaged { version: 3, .. }), "{fault}");
        }
        let fault = within_limit(follower.next()).await.expect_err("damage");
        assert!(!follower.skip(&StoreError::Stopped));
        assert!(follower.skip(&fault));
        assert!(!follower.skip(&fault), "only once");
        assert_eq!(versions(&follow(&mut follower, 1).await), [4]);
    }
    database.run("delete from events where version = 4").await;
    // In another process, because events that this one has just read would be handed over as well.
    let (log, tail) = database.log_and_tail().await;
    let mut all = Follower::of_log(&log, &tail, Cursor::default());
    follow(&mut all, 2).await;
    let fault = within_limit(all.next()).await.expect_err("damage");
    assert!(all.skip(&fault));
    let fault = within_limit(all.next()).await.expect_err("an event that the lane counts is missing");
    assert!(matches!(fault, StoreError::LaneGap { wanted: 4, found: None, .. }), "{fault}");
}

#[tokio::test]
async fn a_cursor_of_another_log_is_reported() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let mut heads = log.heads().await.unwrap();
    heads[2] = 9;
    let mut follower = Follower::of_log(&log, &tail, Cursor::from_heads(heads));
    for _ in 0..2 {
        let fault = within_limit(follower.next()).await.expect_err("a position beyond the end");
        assert!(matches!(fault, StoreError::Ahead { lane: 2, at: 9, head: 0 }), "{fault}");
    }
}

#[tokio::test]
async fn a_reader_of_the_life_cycle_loses_nothing_around_events_that_cannot_be_read() {
    let database = migrated_database().await;
    let (log, tail) = database.log_and_tail().await;
    let writer = database.second_log().await;
    let (one, other) = (new_debate_id(), new_debate_id());
    let append = async |debate, expected, events: Vec<Event>| {
        let new = |event| NewEvent { id: Uuid::now_v7(), event, caused_by: None };
        let events = events.into_iter().map(new).collect();
        writer.append(Append { debate, expected, events, fence: None, actor: None }).await.expect("append");
    };
    let paused = || Event::DebatePaused(DebatePaused::default());
    let resumed = || Event::DebateResumed(DebateResumed::default());
    let talk = || Event::PhaseEntered(PhaseEntered::new("talk", None, None));
    append(one, 0, vec![paused(), talk(), resumed(), talk(), paused(), talk(), resumed(), talk()]).await;
    append(other, 0, vec![talk(), paused(), talk(), resumed()]).await;
    let damage = format!(
        "alter table events disable trigger all;
        update events set body = '7' where debate_id = '{one}' and version in (5, 6)
        or debate_id = '{other}' and version = 4"
    );
    database.run(&damage).await;
    let mut follower = Follower::of_lifecycle(&log, &tail, Cursor::default());
    let (mut found, mut damaged) = (Vec::new(), Vec::new());
    while found.len() + damaged.len() < 6 {
        match within_limit(follower.next()).await {
            Ok(events) => found.extend(events.iter().map(|event| (event.debate, event.version))),
            Err(fault) => {
                let StoreError::Damaged { debate, version, .. } = fault else { panic!("{fault}") };
                damaged.push((debate, version));
                assert!(follower.skip(&fault) && !follower.skip(&fault), "once");
            }
        }
    }
    let sorted = |mut list: Vec<(DebateId, i64)>| {
        list.sort_unstable();
        list
    };
    assert_eq!(sorted(found), sorted(vec![(one, 1), (one, 3), (one, 7), (other, 2)]));
    assert_eq!(sorted(damaged), sorted(vec![(one, 5), (other, 4)]), "what is of other kinds is not read");
    // The last event of a lane is of another kind; the reader has passed it.
    let heads = log.heads().await.expect("heads");
    append(one, 8, vec![paused()]).await;
    let events = within_limit(follower.next()).await.expect("an event");
    assert_eq!(events.iter().map(|event| (event.debate, event.version)).collect::<Vec<_>>(), [(one, 9)]);
    assert_eq!(follower.cursor().expect("a cursor").lag(&heads), 0);
}
