//! Verification of the hash chain: intact streams pass, and tampered ones are reported.

use faultline_core::events::ids::DebateId;
use faultline_store::lanes::lane_of;
use faultline_store::log::log::Log;
use faultline_store::log::verify::{ChainBreak, LaneBreak};
use sqlx::PgPool;

use crate::support::database::{Database, migrated_database};
use crate::support::phase_events::{new_debate_id, new_phase_event, phase_append};

/// Records a debate of six events that uses everything the chain covers.
async fn record_debate(log: &Log) -> DebateId {
    let mut six = phase_append(new_debate_id(), 0, &["1", "2", "3", "4", "5"]);
    six.actor = Some("zoë".to_owned());
    let cause = six.events[0].id;
    six.events.iter_mut().skip(1).for_each(|event| event.caused_by = Some(cause));
    six.events.push(new_phase_event("\u{0}six \\ \"\u{1F980}"));
    log.append(six.clone()).await.expect("the log");
    six.debate
}

async fn tamper(database: &Database, statements: &str) {
    database
        .run(&format!("alter table events disable trigger all; {statements}; alter table events enable trigger all"))
        .await;
}

#[tokio::test]
async fn intact_streams_verify_without_breaks() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = record_debate(&log).await;
    log.append(phase_append(debate, 6, &["7"])).await.unwrap();
    let chain = log.verify(debate).await.unwrap();
    assert_eq!((chain.version, chain.breaks), (7, vec![]));
    assert_eq!(chain.hash, stored_hash(&database.pool, debate, 7).await);
    let nothing = log.verify(crate::support::phase_events::new_debate_id()).await.unwrap();
    assert_eq!((nothing.version, nothing.breaks, nothing.hash.len()), (0, vec![], 32));
    for lane in 0..16 {
        assert_eq!(log.verify_lane(lane).await.unwrap(), []);
    }
}

async fn stored_hash(pool: &PgPool, debate: DebateId, version: i64) -> Vec<u8> {
    let hash = sqlx::query_scalar("select hash from events where debate_id = $1 and version = $2");
    hash.bind(debate.0).bind(version).fetch_one(pool).await.expect("the log")
}

#[tokio::test]
async fn a_long_stream_is_verified_page_by_page() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = new_debate_id();
    for version in (0..2_500).step_by(500) {
        log.append(phase_append(debate, version, &["x"; 500])).await.unwrap();
    }
    tamper(&database, "update events set kind = 'debate_paused', body = '{}' where version = 1001").await;
    let chain = log.verify(debate).await.unwrap();
    assert_eq!((chain.version, chain.breaks), (2_500, vec![ChainBreak::Altered { version: 1_001 }]));
}

#[tokio::test]
async fn every_alteration_is_found() {
    let altered =
        |versions: &[i64]| versions.iter().map(|version| ChainBreak::Altered { version: *version }).collect::<Vec<_>>();
    let cases: &[(&str, Vec<ChainBreak>)] = &[
        ("update events set body = '{\"phase\":\"three\"}' where version = 3", altered(&[3])),
        ("update events set kind = 'debate_paused' where version = 3", altered(&[3])),
        ("update events set actor = 'somebody else' where version = 3", altered(&[3])),
        ("update events set actor = null where version = 3", altered(&[3])),
        ("update events set caused_by = null where version = 3", altered(&[3])),
        ("update events set recorded_at = recorded_at - interval '1 microsecond' where version = 3", altered(&[3])),
        ("update events set id = gen_random_uuid() where version = 3", altered(&[3])),
        // The next event no longer chains to it.
        ("update events set hash = sha256('forged') where version = 3", altered(&[3, 4])),
        ("delete from events where version = 3", vec![ChainBreak::Missing { first: 3, last: 3 }]),
        ("delete from events where version < 3", vec![ChainBreak::Missing { first: 1, last: 2 }]),
        // Two bodies exchanged, everything else unchanged.
        (
            "update events e set body = o.body from events o where e.version + o.version = 5 and e.version in (2, 3)",
            altered(&[2, 3]),
        ),
        // Two events exchanged as a whole.
        (
            "update events set version = 99 where version = 2;
            update events set version = 2 where version = 3;
            update events set version = 3 where version = 99",
            vec![
                ChainBreak::Altered { version: 2 },
                ChainBreak::Altered { version: 3 },
                ChainBreak::Unordered { version: 3 },
                ChainBreak::Altered { version: 4 },
            ],
        ),
        (
            "update events set position = 100 where version = 3; update events set position = 3 where version = 4;
            update events set position = 4 where version = 3",
            vec![ChainBreak::Unordered { version: 4 }],
        ),
    ];
    for (statements, wanted) in cases {
        let database = migrated_database().await;
        let log = database.plain_log().await;
        let debate = record_debate(&log).await;
        tamper(&database, statements).await;
        assert_eq!(log.verify(debate).await.unwrap().breaks, *wanted, "{statements}");

        // With encryption, the chain reports the same; a body that no longer decrypts is reported in addition.
        let database = migrated_database().await;
        let log = database.log().await;
        let debate = record_debate(&log).await;
        tamper(&database, statements).await;
        let (unread, broken): (Vec<_>, Vec<_>) = log.verify(debate).await.unwrap().breaks.into_iter().partition(
            |fault| matches!(fault, ChainBreak::Unreadable { reason, .. } if reason.ends_with("or belong to another event")),
        );
        assert_eq!(broken, *wanted, "{statements}");
        let of = |fault: &ChainBreak| matches!(fault, ChainBreak::Altered { version: 2 | 3 });
        assert!(unread.len() <= wanted.iter().filter(|fault| of(fault)).count(), "{statements}: {unread:?}");
    }
}

#[tokio::test]
async fn unreadable_bodies_and_stray_events_are_named() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = record_debate(&log).await;
    tamper(&database, "update events set body = 'not json' where version = 3").await;
    let breaks = log.verify(debate).await.unwrap().breaks;
    assert!(
        matches!(&breaks[..], [ChainBreak::Altered { version: 3 }, ChainBreak::Unreadable { version: 3, .. }]),
        "{breaks:?}"
    );
    let elsewhere = (lane_of(debate) + 1) % 16;
    tamper(&database, &format!("update events set lane = {elsewhere} where version = 6")).await;
    let breaks = log.verify(debate).await.unwrap().breaks;
    assert_eq!(breaks[2..], [ChainBreak::Stray { lane: elsewhere, n_events: 1 }]);
}

#[tokio::test]
async fn truncated_events_are_missing_from_their_lane() {
    let database = migrated_database().await;
    let log = database.log().await;
    let debate = record_debate(&log).await;
    let lane = lane_of(debate);
    let kept_elsewhere = log.verify(debate).await.unwrap();
    tamper(&database, "delete from events where version in (2, 3, 6)").await;
    let missing = |first, last| LaneBreak::Missing { first, last };
    assert_eq!(log.verify_lane(lane).await.unwrap(), [missing(2, 3), missing(6, 6)]);
    assert_ne!(log.verify(debate).await.unwrap().hash, kept_elsewhere.hash, "the chain ends with another hash");
    tamper(&database, "update lanes set head = 4").await;
    assert_eq!(log.verify_lane(lane).await.unwrap(), [missing(2, 3), LaneBreak::Beyond { head: 4, last: 5 }]);
    tamper(&database, "delete from events").await;
    assert_eq!(log.verify_lane(lane).await.unwrap(), [missing(1, 4)]);
}
