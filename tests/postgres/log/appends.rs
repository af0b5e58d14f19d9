//! The log: accepted and refused appends, reads, and protection against changes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use faultline_core::events::event::{Event, Opaque};
use faultline_core::events::ids::DebateId;
use faultline_store::error::StoreError;
use faultline_store::lanes::{Cursor, LANES, lane_of};
use faultline_store::log::append::{Append, AppendError};
use faultline_store::log::log::Log;
use futures_util::future::join_all;
use sqlx::Row;
use uuid::Uuid;

use crate::support::database::migrated_database;
use crate::support::phase_events::{new_debate_id, new_phase_event, phase_append, phase_event, phase_of};
use crate::support::waiting::within_limit;

#[tokio::test]
async fn appended_events_are_read_back() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = new_debate_id();
    let mut first = phase_append(debate, 0, &["opening", "round one"]);
    first.events[1].caused_by = Some(first.events[0].id);
    first.actor = Some("a test".to_owned());
    let recorded = log.append(first.clone()).await.unwrap();
    let more = log.append(phase_append(debate, 2, &["round two"])).await.unwrap();

    assert_eq!(recorded.iter().map(|event| (event.version, event.position)).collect::<Vec<_>>(), [(1, 1), (2, 2)]);
    assert!(recorded.iter().all(|event| event.debate == debate && event.lane == lane_of(debate)));
    assert_eq!(recorded[1].caused_by, Some(first.events[0].id));
    assert_eq!(log.read(debate, 0, 100).await.unwrap(), [recorded.clone(), more.clone()].concat());
    assert_eq!(log.read(debate, 1, 1).await.unwrap(), recorded[1..]);
    assert_eq!(log.read(debate, 3, 100).await.unwrap(), []);
    assert_eq!((log.head(debate).await.unwrap(), log.head(DebateId(Uuid::nil())).await.unwrap()), (3, 0));
}

#[tokio::test]
async fn plain_events_are_readable_with_sql() {
    let database = migrated_database().await;
    let log = database.plain_log().await;
    let debate = new_debate_id();
    let mut first = phase_append(debate, 0, &["opening", "round one"]);
    first.actor = Some("a test".to_owned());
    log.append(first).await.unwrap();
    let by_hand =
        sqlx::query("select body ->> 'phase', actor from events_readable where debate_id = $1 and version = 2");
    let row = by_hand.bind(debate.0).fetch_one(&database.pool).await.unwrap();
    assert_eq!((row.get(0), row.get(1)), ("round one", "a test"));
}

#[tokio::test]
async fn appends_conflict_at_any_other_version() {
    let log = migrated_database().await;
    let log = log.log().await;
    let debate = new_debate_id();
    log.append(phase_append(debate, 0, &["a", "b"])).await.unwrap();
    for expected in [0, 1, 3, -1, i64::MAX] {
        let refused = log.append(phase_append(debate, expected, &["c"])).await;
        assert!(matches!(refused, Err(AppendError::Conflict { actual: 2 })), "{expected}: {refused:?}");
    }
    assert_eq!(log.head(debate).await.unwrap(), 2);
}

#[tokio::test]
async fn a_repeated_append_returns_the_recorded_events() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = new_debate_id();
    let first = phase_append(debate, 0, &["a", "b"]);
    let recorded = log.append(first.clone()).await.unwrap();
    log.append(phase_append(debate, 2, &["c"])).await.unwrap();

    for expected in [0, 3, 99] {
        let again = Append { expected, ..first.clone() };
        assert_eq!(log.append(again).await.unwrap(), recorded, "at expected version {expected}");
    }
    let mut turned = first.clone();
    turned.events.reverse();
    let backwards = log.append(turned).await.unwrap();
    assert_eq!(backwards, [recorded[1].clone(), recorded[0].clone()], "in the order of the request");
    assert_eq!(log.head(debate).await.unwrap(), 3);
    let elsewhere = database.second_log().await;
    assert_eq!(elsewhere.append(first).await.unwrap(), recorded, "sent to another process");
}

#[tokio::test]
async fn a_partial_repeat_conflicts_and_other_content_is_refused() {
    let log = migrated_database().await;
    let log = log.log().await;
    let debate = new_debate_id();
    let first = phase_append(debate, 0, &["a", "b"]);
    log.append(first.clone()).await.unwrap();

    let mut longer = first.clone();
    longer.events.push(new_phase_event("c"));
    longer.expected = 2;
    let refused = log.append(longer).await;
    assert!(matches!(refused, Err(AppendError::Conflict { actual: 2 })), "{refused:?}");

    let mut other = first.clone();
    other.events[1].event = phase_event("not b");
    let refused = log.append(other).await;
    assert!(matches!(refused, Err(AppendError::Reused { id }) if id == first.events[1].id), "{refused:?}");

    let mut elsewhere = first;
    elsewhere.debate = crate::support::phase_events::new_debate_id();
    assert_eq!(log.append(elsewhere).await.unwrap().len(), 2, "the same ids in another stream are other events");
    assert_eq!(log.head(debate).await.unwrap(), 2);
}

#[tokio::test]
async fn one_bad_append_does_not_fail_the_others() {
    let log = migrated_database().await;
    let log = log.log().await;
    let opaque = |kind: &str| Event::Opaque(Opaque { kind: kind.to_owned(), schema: 1, body: serde_json::json!({}) });
    let appends = (0..40).map(|n| {
        let mut append = phase_append(new_debate_id(), if n % 3 == 0 { 7 } else { 0 }, &["a"]);
        if n % 8 == 1 {
            // Text in Postgres cannot contain a zero byte, so the statement that writes the whole batch fails.
            append.events[0].event = opaque("moon\0landed");
        }
        let log = log.clone();
        async move { (n, log.append(append).await) }
    });
    for (n, answer) in join_all(appends).await {
        let as_wanted = match (n % 8 == 1, n % 3 == 0) {
            (true, _) => matches!(answer, Err(AppendError::Fault(StoreError::Database { .. }))),
            (_, true) => matches!(answer, Err(AppendError::Conflict { actual: 0 })),
            _ => answer.is_ok(),
        };
        assert!(as_wanted, "{n}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_concurrent_callers_share_commits() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debates: Vec<DebateId> = (0..64).map(|_| new_debate_id()).collect();
    let work = debates.iter().map(|debate| {
        let (log, debate) = (log.clone(), *debate);
        tokio::spawn(async move {
            for version in 0..10 {
                log.append(phase_append(debate, version, &[&version.to_string()])).await.unwrap();
            }
        })
    });
    join_all(work).await.into_iter().for_each(|result| result.unwrap());
    let (events, _) = log.read_all(&Cursor::default(), 1_000).await.unwrap();
    assert_eq!(events.len(), 640);
    for debate in debates {
        let own: Vec<&str> = events.iter().filter(|event| event.debate == debate).map(phase_of).collect();
        assert_eq!(own, (0..10).map(|n| n.to_string()).collect::<Vec<_>>());
    }
    let commits: BTreeSet<_> = events.iter().map(|event| event.at).collect();
    assert!(commits.len() < 320, "640 events took {} commits: they were not batched", commits.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_concurrent_callers_append_to_one_debate() {
    let database = migrated_database().await;
    let (log, debate) = (database.log().await, new_debate_id());
    let work = (0..64).map(|n| {
        let log = log.clone();
        tokio::spawn(async move { crate::support::phase_events::append_phases(&log, debate, &[&n.to_string()]).await })
    });
    join_all(work).await.into_iter().for_each(|result| drop(result.unwrap()));
    let events = log.read(debate, 0, 100).await.unwrap();
    let said: BTreeSet<&str> = events.iter().map(phase_of).collect();
    assert_eq!((events.len(), said.len()), (64, 64), "each caller's event, once");
}

#[tokio::test]
async fn a_cancelled_append_is_recorded_completely_or_not_at_all() {
    let database = migrated_database().await;
    let log = database.log().await;
    let mut asked: BTreeMap<DebateId, Append> = BTreeMap::new();
    for n in 0..60u64 {
        let append = phase_append(new_debate_id(), 0, &["a", "b", "c"]);
        asked.insert(append.debate, append.clone());
        let call = log.append(append);
        // Cancelled at once, during the append, or not at all.
        let _given_up = tokio::time::timeout(Duration::from_micros(n * 50), call).await;
    }
    for (debate, append) in asked {
        let before = log.head(debate).await.unwrap();
        assert!(before == 0 || before == 3, "part of an append was recorded: {before}");
        let recorded = log.append(append).await.expect("a repeated append is recorded");
        assert_eq!(recorded.iter().map(|event| event.version).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(log.head(debate).await.unwrap(), 3, "recorded once");
    }
}

#[tokio::test]
async fn the_writer_survives_the_loss_of_its_connection() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = new_debate_id();
    for n in 0..5 {
        let killer = "select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name like '% writer%'";
        sqlx::query(killer).execute(&database.pool).await.unwrap();
        within_limit(log.append(phase_append(debate, n, &["a"]))).await.unwrap();
    }
    assert_eq!(log.head(debate).await.unwrap(), 5);
}

#[tokio::test]
async fn an_append_is_recorded_once_if_its_connection_is_lost() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = new_debate_id();
    log.append(phase_append(debate, 0, &["a"])).await.unwrap();
    // The lane is locked, so that the running append is cut off; it must then be sent again.
    let mut holder = database.pool.begin().await.unwrap();
    sqlx::query("select 1 from lanes for update").execute(&mut *holder).await.unwrap();
    let call = tokio::spawn({
        let log = log.clone();
        async move { log.append(phase_append(debate, 1, &["b"])).await }
    });
    let waiting = "select count(*) from pg_stat_activity
        where datname = current_database() and application_name like '% writer%' and wait_event_type = 'Lock'";
    let waits = |wanted: i64| {
        let pool = database.pool.clone();
        within_limit(async move {
            while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&pool).await.unwrap() != wanted {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
    };
    waits(1).await;
    let killed = "select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like '% writer%'";
    sqlx::query(killed).execute(&database.pool).await.unwrap();
    waits(0).await;
    waits(1).await;
    holder.rollback().await.unwrap();
    assert_eq!(within_limit(call).await.unwrap().unwrap()[0].version, 2);
    assert_eq!(log.head(debate).await.unwrap(), 2);
}

#[tokio::test]
async fn a_commit_whose_response_was_lost_returns_the_recorded_events() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = new_debate_id();
    // The server commits and its response is lost: a second writer finds the same batch recorded.
    let batch = phase_append(debate, 0, &["a", "b"]);
    let recorded = log.append(batch.clone()).await.unwrap();
    let other = database.second_log().await;
    assert_eq!(other.append(batch).await.unwrap(), recorded);
    assert_eq!(log.verify(debate).await.unwrap().breaks, []);
}

#[tokio::test]
async fn the_database_refuses_to_rewrite_the_log() {
    let database = migrated_database().await;
    let log = database.log().await;
    log.append(phase_append(new_debate_id(), 0, &["a"])).await.unwrap();
    let refused = [
        "update events set version = 7",
        "update events set body = body where false",
        "delete from events",
        "truncate events",
        "truncate events cascade",
        "delete from lanes",
        "truncate lanes",
        "set session_replication_role = replica; delete from events",
    ];
    for statement in refused {
        let mut connection = database.pool.acquire().await.unwrap();
        let error = sqlx::raw_sql(statement).execute(&mut *connection).await.expect_err(statement);
        let error = error.into_database_error().expect(statement);
        assert_eq!(error.code().as_deref(), Some("FL001"), "{statement}: {error}");
        assert_eq!(error.constraint(), Some("log_only_grows"), "{statement}");
        assert!(error.message().starts_with("the log only grows: "), "{error}");
    }
    let (events, _) = log.read_all(&Cursor::default(), 10).await.unwrap();
    assert_eq!(events.len(), 1);
}

#[tokio::test]
async fn the_log_is_read_in_pages_of_any_size() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debates: Vec<DebateId> = (0..30).map(|_| new_debate_id()).collect();
    for version in 0..4 {
        for debate in &debates {
            log.append(phase_append(*debate, version, &["x"])).await.unwrap();
        }
    }
    for limit in [1, 16, 17, 50, 10_000] {
        let mut cursor = Cursor::default();
        let mut versions: BTreeMap<DebateId, Vec<i64>> = BTreeMap::new();
        loop {
            let (events, reached) = log.read_all(&cursor, limit).await.unwrap();
            assert!(events.len() as i64 <= limit.max(LANES as i64));
            if events.is_empty() {
                assert_eq!(reached, cursor);
                break;
            }
            events.iter().for_each(|event| versions.entry(event.debate).or_default().push(event.version));
            cursor = reached.to_string().parse().expect("a cursor reads back");
            assert_eq!(cursor, reached);
        }
        assert!(
            versions.len() == 30 && versions.values().all(|versions| *versions == [1, 2, 3, 4]),
            "{limit}: {versions:?}"
        );
    }
}

#[tokio::test]
async fn a_cursor_of_another_log_is_refused() {
    let log = migrated_database().await;
    let log = log.log().await;
    log.append(phase_append(new_debate_id(), 0, &["a"])).await.unwrap();
    let mut heads = log.heads().await.unwrap();
    heads[5] += 1_000;
    let refused = log.read_all(&Cursor::from_heads(heads), 10).await;
    assert!(matches!(refused, Err(StoreError::Ahead { lane: 5, .. })), "{refused:?}");
}

#[tokio::test]
async fn the_debates_of_a_lane_are_listed() {
    let log = migrated_database().await;
    let log: Log = log.log().await;
    let mut debates: Vec<DebateId> = (0..100).map(|_| new_debate_id()).collect();
    for debate in &debates {
        log.append(phase_append(*debate, 0, &["a", "b"])).await.unwrap();
    }
    debates.sort();
    let mut found = Vec::new();
    for lane in 0..LANES {
        let mut after = None;
        loop {
            let page = log.debates(lane, after, 3).await.unwrap();
            assert!(page.is_sorted() && page.len() <= 3 && page.iter().all(|debate| lane_of(*debate) == lane));
            let Some(last) = page.last() else { break };
            after = Some(*last);
            found.extend(page);
        }
    }
    found.sort();
    assert_eq!(found, debates);
}

#[tokio::test]
async fn reads_report_damaged_and_missing_events() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = new_debate_id();
    log.append(phase_append(debate, 0, &["a", "b", "c"])).await.unwrap();
    let tamper = |statement: &str| format!("alter table events disable trigger all; {statement}");
    database.run(&tamper("update events set body = '{\"phase\": 7}' where version = 2")).await;
    for read in [log.read(debate, 0, 9).await, log.read_all(&Cursor::default(), 99).await.map(|page| page.0)] {
        let Err(fault @ StoreError::Damaged { .. }) = read else { panic!("{read:?}") };
        let wanted = format!("damage in debate {debate} at version 2 (kind phase_entered)");
        assert!(fault.to_string().starts_with(&wanted), "{fault}");
    }
    database.run(&tamper("delete from events where version = 2")).await;
    let read = log.read(debate, 0, 9).await;
    assert!(matches!(read, Err(StoreError::StreamGap { wanted: 2, found: 3, .. })), "{read:?}");
    let read = log.read_all(&Cursor::default(), 99).await;
    assert!(matches!(read, Err(StoreError::LaneGap { wanted: 2, found: Some(3), .. })), "{read:?}");
    database.run(&tamper("delete from events where version = 3")).await;
    let read = log.read_all(&Cursor::default(), 99).await;
    assert!(matches!(read, Err(StoreError::LaneGap { wanted: 2, found: None, .. })), "{read:?}");
}
