//! Lanes of the projector: shared fairly, taken over from members that are killed, frozen or cut off, and saved by their
//! holder only.

use faultline_core::events::ids::DebateId;
use faultline_core::verdicts::read_model::REVISION;
use faultline_store::error::StoreError;
use faultline_store::generations::generation_progress::LanePosition;
use faultline_store::generations::generations::GenerationState;
use faultline_store::generations::save::ViewChanges;
use faultline_store::lanes::LANES;
use faultline_store::projector::projector_member::{Assignment, ProjectorMember};
use faultline_store::projector::save_fence::SaveFence;
use faultline_store::views::views::{ViewBody, ViewRow, Views};
use rustix::process::Signal;
use serde_json::value::RawValue;
use sqlx::{Connection, Executor, PgConnection};
use uuid::Uuid;

use crate::support::database::{Database, migrated_database};
use crate::support::debate_builder::DebateBuilder;
use crate::support::service_process::{ServiceProcess, run_json_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::view_waits::{record_listed, shares};
use crate::support::waiting::{poll_until, within_limit};
use crate::views::rebuild_steps::{assert_complete, count, debates, n_rows, rebuild_request, wait_for_state};

async fn join(database: &Database) -> ProjectorMember {
    ProjectorMember::join(&database.pool, REVISION).await.expect("the database").expect("a membership")
}

fn now(member: &ProjectorMember) -> Assignment {
    member.assignment().borrow().clone()
}

/// Waits until the members hold these numbers of lanes, in ascending order, and all of them together.
async fn wait_for_shares(members: &[&ProjectorMember], wanted: &[usize]) {
    poll_until(&format!("the shares are {wanted:?}"), async || {
        let mut shares: Vec<usize> = members.iter().map(|member| now(member).lanes.len()).collect();
        shares.sort_unstable();
        (shares == wanted).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_share_the_lanes_and_one_of_the_newest_revision_coordinates() {
    let database = migrated_database().await;
    let first = join(&database).await;
    assert_eq!((now(&first).lanes.len(), now(&first).coordinator), (16, Some(1)));
    let (second, third) = (join(&database).await, join(&database).await);
    wait_for_shares(&[&first, &second, &third], &[5, 5, 6]).await;
    let all = [&first, &second, &third].map(now);
    let held = all.iter().flat_map(|it| (0..LANES).filter(|lane| it.lanes.set().contains(*lane))).count();
    assert_eq!((held, all.iter().filter_map(|it| it.coordinator).collect::<Vec<_>>()), (16, vec![1]));
    third.leave().await;
    wait_for_shares(&[&first, &second], &[8, 8]).await;

    // A member of a newer revision has lanes of its own, and becomes the coordinator.
    let newer = ProjectorMember::join(&database.pool, REVISION + 1).await.expect("the database").expect("a membership");
    assert_eq!(now(&newer).lanes.len(), 16);
    poll_until("the newer one coordinates", async || now(&newer).coordinator).await;
    let former = || (now(&first).coordinator, now(&second).coordinator);
    poll_until("the others know", async || (former() == (None, None)).then_some(())).await;
    wait_for_shares(&[&first, &second], &[8, 8]).await;
    newer.leave().await;
    poll_until("one of the others coordinates again", async || now(&first).coordinator.or(now(&second).coordinator))
        .await;

    // Without its session, a member counts no longer.
    let terminate = "select pg_terminate_backend(backend) from projector_members
        where member in (select holder from projection_lanes where lane = 0)";
    database.run(terminate).await;
    poll_until("one of them is over", async || (now(&first).is_over != now(&second).is_over).then_some(())).await;
    let left = if now(&first).is_over { &second } else { &first };
    wait_for_shares(&[left], &[16]).await;
    poll_until("it coordinates", async || now(left).coordinator).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_saved_by_the_holder_of_their_lanes_only() {
    let database = migrated_database().await;
    let (views, debate) = (Views::new(database.pool.clone()), DebateId(Uuid::from_u128(1)));
    views.generations().request(rebuild_request(false)).await.expect("a generation");
    views.generations().begin(1, &[0; 16]).await.expect("its lanes");
    let save = async |fence: SaveFence, lane: i16, version: i64| {
        let body = ViewBody::Json(RawValue::from_string(version.to_string()).expect("JSON"));
        let row = ViewRow { projection: "transcript", generation: 1, debate, version, body };
        let positions = vec![LanePosition { generation: 1, lane, position: version }];
        views.fenced(fence).save(&ViewChanges { views: vec![row], positions, ..ViewChanges::default() }).await
    };
    let saved = async |lane: i16| {
        let view = views.load::<i64>("transcript", 1, debate).await.expect("the views");
        (view.map(|view| view.value), views.reached(1).await.expect("the lanes").position(lane))
    };
    let lanes = |member: &ProjectorMember| SaveFence::Lanes(now(member).lanes);
    let first = join(&database).await;
    let former = lanes(&first);
    save(former.clone(), 15, 1).await.expect("saved");
    assert_eq!(saved(15).await, (Some(1), 1));
    // The first member gives the upper half back, and the second takes it.
    let second = join(&database).await;
    wait_for_shares(&[&first, &second], &[8, 8]).await;
    for (fence, name) in [(former.clone(), "with its former lanes"), (lanes(&first), "with those that it holds")] {
        assert!(matches!(save(fence, 15, 2).await, Err(StoreError::Superseded)), "{name}");
    }
    assert_eq!(saved(15).await, (Some(1), 1), "nothing was saved");
    save(former.clone(), 0, 2).await.expect("it never lost the lower half");
    save(lanes(&second), 15, 3).await.expect("saved");
    save(lanes(&second), 15, 2).await.expect("saved");
    assert_eq!(saved(15).await, (Some(3), 3), "neither row nor position goes back");
    // The first member takes the lane again: what it held at the beginning is of no use, though the holder is the same.
    second.leave().await;
    wait_for_shares(&[&first], &[16]).await;
    assert!(matches!(save(former, 15, 4).await, Err(StoreError::Superseded)));
    save(lanes(&first), 15, 4).await.expect("saved");

    // A process of an earlier version took the lease of the coordinator: it projects all lanes.
    let held = lanes(&first);
    database.run("update projector_lease set fence = fence + 1").await;
    assert!(matches!(save(held, 15, 5).await, Err(StoreError::Superseded)));
    assert!(matches!(save(SaveFence::Coordinator(1), 15, 5).await, Err(StoreError::Superseded)));
    assert_eq!(saved(15).await, (Some(4), 4));
}

/// A member may still save rows of a generation that was rejected.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_save_outlives_its_generation() {
    let database = migrated_database().await;
    let (views, debate) = (Views::new(database.pool.clone()), DebateId(Uuid::from_u128(1)));
    let generations = views.generations();
    generations.request(rebuild_request(false)).await.expect("a generation");
    generations.begin(1, &[0; 16]).await.expect("its lanes");
    let states = [GenerationState::Wanted];
    assert!(generations.change_state(1, &states, GenerationState::Rejected).await.expect("rejected"));
    // A save that has written its rows and is not committed yet.
    let mut saving = database.pool.begin().await.expect("a transaction");
    saving
        .execute(
            "insert into views (projection, generation, debate_id, version, body)
            values ('transcript', 1, '00000000-0000-0000-0000-000000000001', 1, '1');
            update generation_lanes set position = 1 where generation = 1 and lane = 0",
        )
        .await
        .expect("write");
    let dropping = tokio::spawn(async move { generations.drop_rows(1).await });
    let blocked = "select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'delete from generation_lanes%'";
    poll_until("the deletion waits", async || (count(&database, blocked).await > 0).then_some(())).await;
    saving.commit().await.expect("commit");
    within_limit(dropping).await.expect("no panic").expect("dropped");
    assert_eq!(n_rows(&database, 1).await, 0);
    let positions = vec![LanePosition { generation: 1, lane: 0, position: 2 }];
    let body = ViewBody::Json(RawValue::from_string("2".to_owned()).expect("JSON"));
    let row = ViewRow { projection: "transcript", generation: 1, debate, version: 2, body };
    let late = views.save(&ViewChanges { views: vec![row], positions, ..ViewChanges::default() }).await;
    assert!(late.is_err(), "its lanes are gone");
    assert_eq!(n_rows(&database, 1).await, 0);
}

/// The coordinator writes rows that a member may be about to save, while it keeps that save waiting.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_save_that_waits_for_a_cut_over_keeps_nothing_locked() {
    let database = migrated_database().await;
    let (views, debate) = (Views::new(database.pool.clone()), DebateId(Uuid::from_u128(1)));
    views.generations().request(rebuild_request(false)).await.expect("a generation");
    views.generations().begin(1, &[0; 16]).await.expect("its lanes");
    let changes = |version: i64| {
        let body = ViewBody::Json(RawValue::from_string(version.to_string()).expect("JSON"));
        let row = ViewRow { projection: "transcript", generation: 1, debate, version, body };
        let positions = vec![LanePosition { generation: 1, lane: 0, position: version }];
        ViewChanges { views: vec![row], positions, ..ViewChanges::default() }
    };
    let member = join(&database).await;
    let fenced = views.fenced(SaveFence::Lanes(now(&member).lanes));
    let cut_over = views.generations().begin_cut_over().await.expect("it begins");
    let first = changes(1);
    let waiting = tokio::spawn(async move { fenced.save(&first).await });
    let blocked = "select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%projection_lanes%'";
    poll_until("the save waits", async || (count(&database, blocked).await > 0).then_some(())).await;
    within_limit(views.save(&changes(2))).await.expect("nothing is locked");
    drop(cut_over);
    within_limit(waiting).await.expect("no panic").expect("saved");
    assert_eq!(views.load::<i64>("transcript", 1, debate).await.expect("views").map(|view| view.value), Some(2));
}

/// Key of the advisory lock of projectors.
const KEY: &str = "x'4661756c746c696e'::bigint";

/// A process of an early version takes the lock for itself.
#[tokio::test]
async fn a_projector_without_a_lease_works_alone() {
    let database = migrated_database().await;
    let mut older = database.pool.acquire().await.expect("a connection");
    let member = join(&database).await;
    let lock = format!("select pg_try_advisory_lock({KEY})");
    let mut try_lock = async || {
        let locked = sqlx::query_scalar::<_, bool>(sqlx::AssertSqlSafe(lock.clone()));
        locked.fetch_one(&mut *older).await.expect("an answer")
    };
    assert!(!try_lock().await, "not beside a member");
    member.leave().await;
    // The server releases the lock once it has noticed the end of the session.
    within_limit(async { while !try_lock().await {} }).await;
    assert!(ProjectorMember::join(&database.pool, REVISION).await.expect("the database").is_none());
}

/// A process of a later version shares the lock and takes the lease, as it was before lanes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_projector_with_a_lease_and_no_lanes_works_alone() {
    let database = migrated_database().await;
    let mut earlier = PgConnection::connect_with(&database.options).await.expect("connect");
    let take = format!(
        "select pg_try_advisory_lock_shared({KEY});
        insert into projector_lease as lease (backend, until)
        values (pg_backend_pid(), clock_timestamp() + interval '1 hour')"
    );
    earlier.execute(sqlx::AssertSqlSafe(take)).await.expect("the lease");
    let member = join(&database).await;
    assert_eq!((now(&member).lanes.len(), now(&member).coordinator), (0, None));
    earlier.close().await.expect("close");
    wait_for_shares(&[&member], &[16]).await;
    poll_until("it coordinates", async || now(&member).coordinator.filter(|fence| *fence == 2)).await;
    // It takes the lease back: the member gives its lanes back.
    database.run("update projector_lease set fence = 3, until = clock_timestamp() + interval '3 seconds'").await;
    wait_for_shares(&[&member], &[0]).await;
    wait_for_shares(&[&member], &[16]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_processes_share_the_lanes_and_replace_one_that_is_frozen_or_killed() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let (variables, log) = (home.environment(&database.options, &scripted_replies(0)), database.log().await);
    let mut services = Vec::new();
    for _ in 0..3 {
        services.push(ServiceProcess::start(&variables).await);
    }
    poll_until("the lanes are shared", async || (shares(&database).await == [5, 5, 6]).then_some(())).await;
    record_listed(&database, &log, 20).await;
    // Frozen in the middle of a save: its session holds locks of its lanes.
    database
        .run(
            "create function wait_for_the_test() returns trigger language plpgsql as $$
            begin
                perform pg_advisory_xact_lock_shared(42);
                return new;
            end
            $$;
            create trigger wait_for_the_test before update on generation_lanes for each row
            execute function wait_for_the_test()",
        )
        .await;
    let mut blocker = PgConnection::connect_with(&database.options).await.expect("connect");
    blocker.execute("select pg_advisory_lock(42)").await.expect("lock");
    for _ in 0..20 {
        DebateBuilder::new(&["ada", "ben"]).append_new(&log).await;
    }
    let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted and objid = 42
        and database = (select oid from pg_database where datname = current_database())";
    poll_until("all of them save", async || (count(&database, waiting).await == 3).then_some(())).await;
    let frozen = services.remove(0);
    frozen.signal(Signal::STOP);
    blocker.close().await.expect("release the lock");
    database.run("drop trigger wait_for_the_test on generation_lanes").await;
    record_listed(&database, &log, 20).await;
    // Those debates need not touch every lane: one that none of them touched may be taken over later.
    poll_until("its lanes are shared", async || (shares(&database).await == [8, 8]).then_some(())).await;
    frozen.signal(Signal::CONT);
    poll_until("the lanes are shared again", async || (shares(&database).await == [5, 5, 6]).then_some(())).await;
    services.remove(0).kill().await;
    record_listed(&database, &log, 20).await;
    poll_until("the lanes are shared", async || (shares(&database).await == [8, 8]).then_some(())).await;
    let faults = run_json_command(&variables, &["verify", "--json"]).await[0]["faults"].clone();
    assert_eq!(faults, serde_json::json!([]), "every view equals a fresh fold");
    for service in services.into_iter().chain([frozen]) {
        service.kill().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_processes_rebuild_together_though_one_is_killed() {
    let (database, home) = (migrated_database().await, TestHome::new());
    let (variables, log) = (home.environment(&database.options, &scripted_replies(0)), database.log().await);
    let views = Views::new(database.pool.clone());
    let n_debates = debates(&log, 40).await.len() + 1;
    let mut services = Vec::new();
    for _ in 0..3 {
        services.push(ServiceProcess::start(&variables).await);
    }
    poll_until("the lanes are shared", async || (shares(&database).await == [5, 5, 6]).then_some(())).await;
    wait_for_state(&views.generations(), 1, GenerationState::Served).await;
    let slow = "create function slow() returns trigger language plpgsql as $$
            begin
                perform pg_sleep(0.2);
                return new;
            end
            $$;
            create trigger slow before update on generation_lanes for each row execute function slow()";
    database.run(slow).await;
    let id = views.generations().request(rebuild_request(false)).await.expect("a request").id;
    poll_until("a part is built", async || {
        let built = format!("select count(*) from generation_lanes where generation = {id} and is_through");
        (count(&database, &built).await > 3).then_some(())
    })
    .await;
    services.remove(0).kill().await;
    wait_for_state(&views.generations(), id, GenerationState::Served).await;
    assert_complete(&variables, n_debates).await;
    for service in services {
        service.kill().await;
    }
}
