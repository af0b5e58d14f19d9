//! Leases: one holder at a time, takeover after expiry, and no append under a lost lease.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use faultline_core::events::ids::DebateId;
use faultline_store::lanes::lane_of;
use faultline_store::leases::{ClaimedDebate, DriveRequest, DriveState, Fence, Leases, MAX_LAPSES, Renewed};
use faultline_store::log::append::{Append, AppendError};
use futures_util::future::join_all;
use uuid::Uuid;

use crate::support::database::migrated_database;
use crate::support::phase_events::{new_debate_id, phase_append};
use crate::support::waiting::within_limit;

const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(150);

fn drive_request(debate: DebateId, version: i64, state: DriveState) -> DriveRequest {
    DriveRequest { debate, version, state, provider: "scripted".to_owned() }
}

async fn new_debates(leases: &Leases, n: usize) -> Vec<DebateId> {
    let debates: Vec<DebateId> = (0..n).map(|_| new_debate_id()).collect();
    leases
        .record_requests(&debates.iter().map(|debate| drive_request(*debate, 1, DriveState::Open)).collect::<Vec<_>>())
        .await
        .expect("the leases");
    debates
}

/// Claims until at least one lease is granted.
async fn claim_some(leases: &Leases, holder: Uuid, ttl: Duration) -> Vec<Fence> {
    within_limit(async {
        loop {
            let claims = leases.claim(holder, ttl, 100, None, &[]).await.expect("the leases");
            let fences: Vec<Fence> = claims.iter().map(|claim| claim.fence).collect();
            if !fences.is_empty() {
                return fences;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_never_has_two_holders() {
    let database = migrated_database().await;
    let leases = Leases::new(database.pool.clone());
    new_debates(&leases, 40).await;
    let held: Arc<Mutex<HashSet<DebateId>>> = Arc::default();
    let tokens: Arc<Mutex<HashSet<Fence>>> = Arc::default();
    let holders = (0..6).map(|n| {
        let (leases, held, tokens) = (leases.clone(), Arc::clone(&held), Arc::clone(&tokens));
        tokio::spawn(async move {
            let holder = Uuid::now_v7();
            let mut n_claims = 0;
            for _ in 0..30 {
                let claims = leases.claim(holder, LONG, 5 + n, None, &[]).await.unwrap();
                let fences: Vec<Fence> = claims.iter().map(|claim| claim.fence).collect();
                n_claims += fences.len();
                for fence in &fences {
                    assert!(held.lock().unwrap().insert(fence.debate), "{fence:?} is held twice");
                    assert!(tokens.lock().unwrap().insert(*fence), "{fence:?} was given out twice");
                }
                let debates: Vec<DebateId> = fences.iter().map(|fence| fence.debate).collect();
                let still: BTreeSet<_> = leases.renew(holder, LONG, &debates).await.unwrap().held.into_iter().collect();
                assert_eq!(still, debates.iter().copied().collect());
                for fence in fences {
                    held.lock().unwrap().remove(&fence.debate);
                    assert!(leases.release(fence).await.unwrap());
                }
            }
            n_claims
        })
    });
    let n_claims: usize = join_all(holders).await.into_iter().map(|result| result.unwrap()).sum();
    assert_eq!(tokens.lock().unwrap().len(), n_claims);
    assert!(n_claims > 40);
}

#[tokio::test]
async fn an_expired_lease_is_taken_over_and_its_former_holder_is_fenced() {
    let database = migrated_database().await;
    let (log, leases) = (database.log().await, Leases::new(database.pool.clone()));
    let debate = new_debates(&leases, 1).await[0];
    let (one, two) = (Uuid::now_v7(), Uuid::now_v7());
    let first = claim_some(&leases, one, LONG).await[0];
    assert_eq!(first, Fence { debate, token: 1 });
    assert_eq!(leases.claim(two, LONG, 10, None, &[]).await.unwrap(), [], "the debate has a holder");
    log.append(Append { fence: Some(first), ..phase_append(debate, 0, &["a"]) }).await.unwrap();

    // The lease has expired and nobody has claimed it: its holder may still renew it and append.
    assert_eq!(leases.renew(one, Duration::ZERO, &[debate]).await.unwrap().held, [debate]);
    log.append(Append { fence: Some(first), ..phase_append(debate, 1, &["b"]) }).await.unwrap();
    let lapsed = leases.renew(one, Duration::ZERO, &[debate]).await.unwrap();
    assert_eq!(
        lapsed,
        Renewed { held: vec![debate], lapsed: vec![debate] },
        "the renewal reports that the lease had expired"
    );
    assert_eq!(leases.claim(two, LONG, 10, None, &[debate]).await.unwrap(), [], "excluded by the caller");

    let second = claim_some(&leases, two, LONG).await[0];
    assert_eq!(second, Fence { debate, token: 2 });
    let late = Append { fence: Some(first), ..phase_append(debate, 2, &["late"]) };
    assert!(matches!(log.append(late).await, Err(AppendError::Fenced)));
    assert_eq!(leases.renew(one, LONG, &[debate]).await.unwrap().held, []);
    assert!(!leases.release(first).await.unwrap(), "the former holder cannot release it");
    log.append(Append { fence: Some(second), ..phase_append(debate, 2, &["c"]) }).await.unwrap();
    log.append(phase_append(debate, 3, &["a command, without a lease"])).await.unwrap();

    assert!(leases.release(second).await.unwrap());
    let released = Append { fence: Some(second), ..phase_append(debate, 4, &["late"]) };
    assert!(matches!(log.append(released).await, Err(AppendError::Fenced)));
    assert_eq!(log.head(debate).await.unwrap(), 4);
}

#[tokio::test]
async fn an_unrenewed_lease_expires() {
    let database = migrated_database().await;
    let leases = Leases::new(database.pool.clone());
    let debates: BTreeSet<_> = new_debates(&leases, 3).await.into_iter().collect();
    assert_eq!(claim_some(&leases, Uuid::now_v7(), SHORT).await.len(), 3);
    let taken = claim_some(&leases, Uuid::now_v7(), LONG).await;
    assert_eq!(taken.iter().map(|fence| fence.debate).collect::<BTreeSet<_>>(), debates);
    assert!(taken.iter().all(|fence| fence.token == 2));
}

#[tokio::test]
async fn expired_leases_are_recorded_and_released_ones_are_not() {
    let database = migrated_database().await;
    let leases = Leases::new(database.pool.clone());
    let debate = new_debates(&leases, 1).await[0];
    let (one, two) = (Uuid::now_v7(), Uuid::now_v7());
    let formers = async |holder, ttl| {
        within_limit(async {
            loop {
                if let [it] = leases.claim(holder, ttl, 10, None, &[]).await.unwrap()[..] {
                    return it.previous_holder;
                }
            }
        })
        .await
    };
    assert_eq!(formers(one, LONG).await, None);
    leases.release_all(one).await.unwrap();
    assert_eq!(formers(one, Duration::ZERO).await, None, "it was released");
    assert_eq!(formers(two, Duration::ZERO).await, Some(one));
    assert_eq!(formers(two, Duration::ZERO).await, Some(two), "its own lease");
    let lapses: Vec<(Uuid, i64, Uuid, Uuid)> =
        sqlx::query_as("select debate_id, fence, former, claimant from lapses order by fence")
            .fetch_all(&database.pool)
            .await
            .unwrap();
    assert_eq!(lapses, [(debate.0, 3, one, two), (debate.0, 4, two, two)]);
    for _ in 0..MAX_LAPSES + 5 {
        formers(two, Duration::ZERO).await;
    }
    let kept: i64 = sqlx::query_scalar("select count(*) from lapses").fetch_one(&database.pool).await.unwrap();
    assert_eq!(kept, MAX_LAPSES);
}

#[tokio::test]
async fn a_repeated_append_under_a_released_lease_returns_the_recorded_events() {
    let database = migrated_database().await;
    let (log, leases) = (database.log().await, Leases::new(database.pool.clone()));
    let debate = new_debates(&leases, 1).await[0];
    let fence = claim_some(&leases, Uuid::now_v7(), LONG).await[0];
    let first = Append { fence: Some(fence), ..phase_append(debate, 0, &["a"]) };
    let recorded = log.append(first.clone()).await.unwrap();
    leases.release(fence).await.unwrap();
    assert_eq!(log.append(first).await.unwrap(), recorded);
    let never_noted = Fence { debate: crate::support::phase_events::new_debate_id(), token: 1 };
    let unknown = Append { fence: Some(never_noted), ..phase_append(never_noted.debate, 0, &["a"]) };
    assert!(matches!(log.append(unknown).await, Err(AppendError::Fenced)));
}

#[tokio::test]
async fn no_append_under_the_former_fence_follows_a_claim() {
    let database = migrated_database().await;
    let leases = Leases::new(database.pool.clone());
    let debate = new_debates(&leases, 1).await[0];
    let fence = claim_some(&leases, Uuid::now_v7(), Duration::ZERO).await[0];
    // An append is running; its lease has expired meanwhile.
    let mut under_way = database.pool.begin().await.unwrap();
    let call = "select outcome from append_events(
        array[$1::smallint], array[$2::uuid], array[$1::smallint], '{1}', '{1}', '{0}', array[$3::bigint], '{1}', '{1}',
        array[gen_random_uuid()], '{x}', '{1}', array['{}'::bytea], array[null]::uuid[], array[null]::text[])";
    let call = sqlx::query_scalar::<_, String>(call).bind(lane_of(debate)).bind(debate.0).bind(fence.token);
    assert_eq!(call.fetch_one(&mut *under_way).await.unwrap(), "appended");
    // A renewal does not wait for the append. A claim skips the debate until the append has finished.
    assert_eq!(within_limit(leases.renew(Uuid::now_v7(), LONG, &[debate])).await.unwrap().held, []);
    assert_eq!(within_limit(leases.claim(Uuid::now_v7(), LONG, 10, None, &[])).await.unwrap(), []);
    within_limit(leases.record_requests(&[drive_request(debate, 2, DriveState::Open)])).await.unwrap();
    under_way.commit().await.unwrap();
    assert_eq!(claim_some(&leases, Uuid::now_v7(), LONG).await, [Fence { debate, token: 2 }]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_is_fenced_if_its_lease_is_lost_while_it_waits_for_its_lane() {
    let database = migrated_database().await;
    let (log, leases) = (database.log().await, Leases::new(database.pool.clone()));
    let debate = new_debates(&leases, 1).await[0];
    let fence = claim_some(&leases, Uuid::now_v7(), LONG).await[0];
    let mut holder = database.pool.begin().await.unwrap();
    let hold = sqlx::query("select head from lanes where lane = $1 for update").bind(lane_of(debate));
    hold.execute(&mut *holder).await.unwrap();
    let waiting = Append { fence: Some(fence), ..phase_append(debate, 0, &["a"]) };
    let waiter = tokio::spawn({
        let log = log.clone();
        async move { log.append(waiting).await }
    });
    within_limit(database.wait_for_blocked_session()).await;
    // As an erasure does while it locks the lane.
    let take = sqlx::query("update leases set fence = fence + 1 where debate_id = $1").bind(debate.0);
    take.execute(&mut *holder).await.unwrap();
    holder.commit().await.unwrap();
    assert!(matches!(within_limit(waiter).await.unwrap(), Err(AppendError::Fenced)));
    assert_eq!(log.head(debate).await.unwrap(), 0);
    // The attempt has left nothing, and the lane has no gap.
    assert_eq!(log.append(phase_append(debate, 0, &["a"])).await.unwrap()[0].position, 1);
}

#[tokio::test]
async fn a_stale_fence_fails_only_its_own_append() {
    let database = migrated_database().await;
    let (log, leases) = (database.log().await, Leases::new(database.pool.clone()));
    new_debates(&leases, 30).await;
    let fences = claim_some(&leases, Uuid::now_v7(), LONG).await;
    let appends = fences.iter().enumerate().map(|(n, fence)| {
        let token = if n % 3 == 0 { fence.token - 1 } else { fence.token };
        let append = Append { fence: Some(Fence { token, ..*fence }), ..phase_append(fence.debate, 0, &["a"]) };
        let log = log.clone();
        async move { (n, log.append(append).await) }
    });
    for (n, answer) in join_all(appends).await {
        assert_eq!(matches!(answer, Err(AppendError::Fenced)), n % 3 == 0, "{n}: {answer:?}");
        assert_eq!(answer.is_ok(), n % 3 != 0);
    }
}

#[tokio::test]
async fn only_open_debates_of_known_providers_are_claimed() {
    let database = migrated_database().await;
    let leases = Leases::new(database.pool.clone());
    let debates: Vec<DebateId> = (0..4).map(|_| new_debate_id()).collect();
    let mut wants = [
        drive_request(debates[0], 3, DriveState::Open),
        drive_request(debates[1], 3, DriveState::Paused),
        drive_request(debates[2], 3, DriveState::Closed),
        drive_request(debates[3], 3, DriveState::Open),
    ];
    wants[3].provider = "of another process".to_owned();
    leases.record_requests(&wants).await.unwrap();
    let holder = Uuid::now_v7();
    assert_eq!(leases.claim(holder, LONG, 10, Some(&[]), &[]).await.unwrap(), []);
    let own = leases.claim(holder, LONG, 10, Some(&["scripted".to_owned()]), &[]).await.unwrap();
    assert_eq!(own, [ClaimedDebate { fence: Fence { debate: debates[0], token: 1 }, previous_holder: None }]);
    let rest = leases.claim(holder, LONG, 10, None, &[]).await.unwrap();
    assert_eq!(rest, [ClaimedDebate { fence: Fence { debate: debates[3], token: 1 }, previous_holder: None }]);
    assert_eq!(leases.release_all(holder).await.unwrap(), 2);
    assert_eq!(leases.claim(holder, LONG, 1, None, &[]).await.unwrap().len(), 1, "no more than asked for");
}

#[tokio::test]
async fn late_or_repeated_notes_change_nothing() {
    let database = migrated_database().await;
    let leases = Leases::new(database.pool.clone());
    let debate = new_debate_id();
    let (open, closed) = (drive_request(debate, 1, DriveState::Open), drive_request(debate, 9, DriveState::Closed));
    leases
        .record_requests(&[closed.clone(), open.clone(), drive_request(debate, 5, DriveState::Paused)])
        .await
        .unwrap();
    // Another process follows the log from its beginning.
    leases.record_requests(std::slice::from_ref(&open)).await.unwrap();
    leases.record_requests(&[open, closed]).await.unwrap();
    leases.record_requests(&[]).await.unwrap();
    assert_eq!(leases.claim(Uuid::now_v7(), LONG, 10, None, &[]).await.unwrap(), []);
    leases.record_requests(&[drive_request(debate, 10, DriveState::Open)]).await.unwrap();
    assert_eq!(leases.claim(Uuid::now_v7(), LONG, 10, None, &[]).await.unwrap().len(), 1);
}
