//! Lease of the projector: one holder at a time, and another one as soon as it is killed, frozen or cut off.

use faultline_core::events::ids::DebateId;
use faultline_store::error::StoreError;
use faultline_store::generations::projector_lease::ProjectorLease;
use faultline_store::generations::save::ViewChanges;
use faultline_store::log::log::Log;
use faultline_store::views::views::{ViewRow, Views};
use rustix::process::Signal;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::ServiceProcess;
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, within_limit};

async fn try_take(database: &Database) -> Option<ProjectorLease> {
    ProjectorLease::try_take(&database.pool).await.expect("the database")
}

/// Takes the lease of a holder that keeps its session, as if it were frozen and had renewed nothing.
async fn take_frozen(database: &Database) -> ProjectorLease {
    // In between, the holder may renew it.
    poll_until("the lease has run out", async || {
        database.run("update projector_lease set until = clock_timestamp() - interval '1 second'").await;
        try_take(database).await
    })
    .await
}

async fn newest_fence(database: &Database) -> i64 {
    let fence = sqlx::query_scalar("select fence from projector_lease");
    fence.fetch_one(&database.pool).await.expect("one row")
}

#[tokio::test]
async fn there_is_one_projector_at_a_time() {
    let database = migrated_database().await;
    let first = try_take(&database).await.expect("the lease is free");
    assert!(first.is_held() && try_take(&database).await.is_none());
    first.release().await;
    let second = poll_until("the lease is free", async || try_take(&database).await).await;
    let terminate = "select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like '% projector'";
    database.run(terminate).await;
    let third = poll_until("the session has ended", async || try_take(&database).await).await;
    assert_eq!(third.fence(), second.fence() + 1);
    poll_until("the loss is noticed", async || (!second.is_held()).then_some(())).await;

    let fourth = take_frozen(&database).await;
    poll_until("the loss is noticed", async || (!third.is_held()).then_some(())).await;
    assert!(fourth.is_held() && try_take(&database).await.is_none());
}

#[tokio::test]
async fn rows_are_saved_under_the_newest_lease_only() {
    let database = migrated_database().await;
    let (views, debate) = (Views::new(database.pool.clone()), DebateId(Uuid::from_u128(1)));
    let save = async |fence: i64, version: i64| {
        let body = RawValue::from_string(version.to_string()).expect("JSON");
        let row = ViewRow { projection: "transcript", generation: 1, debate, version, body };
        views.fenced(fence).save(&ViewChanges { views: vec![row], ..ViewChanges::default() }).await
    };
    let saved = async || views.load::<i64>("transcript", 1, debate).await.expect("the views").map(|view| view.value);
    let former = try_take(&database).await.expect("the lease is free");
    save(former.fence(), 1).await.expect("saved");
    let newest = take_frozen(&database).await;
    assert!(matches!(save(former.fence(), 2).await, Err(StoreError::Superseded)));
    assert_eq!(saved().await, Some(1), "nothing was saved");
    save(newest.fence(), 2).await.expect("saved");
    assert_eq!(saved().await, Some(2));
}

/// A process of an earlier version takes the lock for itself.
#[tokio::test]
async fn a_projector_without_a_lease_works_alone() {
    const LOCK: &str = "select pg_try_advisory_lock(x'4661756c746c696e'::bigint)";
    let database = migrated_database().await;
    let mut older = database.pool.acquire().await.expect("a connection");
    let lease = try_take(&database).await.expect("the lease is free");
    let mut try_lock = async || sqlx::query_scalar::<_, bool>(LOCK).fetch_one(&mut *older).await.expect("an answer");
    assert!(!try_lock().await, "not beside a lease");
    lease.release().await;
    // The server releases the lock once it has noticed the end of the session.
    within_limit(async { while !try_lock().await {} }).await;
    assert!(try_take(&database).await.is_none());
}

/// Records a debate, and waits until it is in the list.
async fn record_listed(database: &Database, log: &Log) {
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.add_argument("ada", "Yes", "Crews are rested.");
    let version = builder.append_new(log).await;
    poll_until("the debate is listed", async || {
        let listed: Option<i64> = sqlx::query_scalar("select version from debates where debate_id = $1")
            .bind(builder.id.0)
            .fetch_optional(&database.pool)
            .await
            .expect("the list");
        (listed == Some(version)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_projector_is_replaced_and_a_killed_one_as_well() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let (variables, log) = (home.environment(&database.options, &scripted_replies(0)), database.log().await);
    let frozen = ServiceProcess::start(&variables).await;
    record_listed(&database, &log).await;
    let first = newest_fence(&database).await;
    let other = ServiceProcess::start(&variables).await;
    frozen.signal(Signal::STOP);
    record_listed(&database, &log).await;
    assert_eq!(newest_fence(&database).await, first + 1);
    frozen.signal(Signal::CONT);
    record_listed(&database, &log).await;
    assert_eq!(newest_fence(&database).await, first + 1, "it does not take the lease back");
    other.kill().await;
    record_listed(&database, &log).await;
    assert_eq!(newest_fence(&database).await, first + 2);
    frozen.kill().await;
}
