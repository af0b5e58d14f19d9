//! Crash tests with real processes and real signals: every debate ends as in an undisturbed run, and no turn is
//! repeated.
//!
//! One difference is permitted: a provider request that was interrupted before its answer was recorded is repeated.
//! Each interruption has a known cause: a kill, or an expired lease that another process claimed, which is recorded in
//! the table `lapses`. A process that is stopped and loses no lease interrupts nothing.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use faultline_core::events::event::Event;
use rustix::process::Signal;
use sqlx::Executor;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::faults::crash_test::{CrashTest, undisturbed};
use crate::support::environment::n_trials;
use crate::support::log_reads::wait_for_event;
use crate::support::random::Random;
use crate::support::service_process::ServiceProcess;
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_at_random_moments_lose_nothing_and_repeat_no_turn() {
    let kills = n_trials(20);
    let (mut stage, wanted, mut random) = (CrashTest::new(30, 1).await, undisturbed().await, Random(20));
    let mut cuts = Vec::new();
    for kill in 0..kills {
        if kill % 7 == 3 {
            // Kill it while it starts.
            let mut child = ServiceProcess::spawn(&stage.variables);
            tokio::time::sleep(Duration::from_millis(random.below(600) as u64)).await;
            child.kill().await.expect("kill");
        } else {
            let service = ServiceProcess::start(&stage.variables).await;
            let missing = 6 - stage.running_debates().await;
            stage.open(&service, missing).await;
            stage.wait_for_events(random.below(120) as i64).await;
            tokio::time::sleep(Duration::from_millis(random.below(40) as u64)).await;
            service.kill().await;
        }
        cuts.push(stage.versions_after_kill().await);
    }
    let service = ServiceProcess::start(&stage.variables).await;
    let n_again = stage.check(&wanted, Some(&cuts)).await;
    let (n_debates, n_events) = (stage.debates.len(), stage.events().await);
    println!("{kills} kills, {n_debates} debates, {n_events} events: {n_again} interrupted requests repeated");
    assert!(n_again > 0, "no kill interrupted a request");
    service.signal(Signal::TERM);
    assert_eq!(service.wait().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_of_a_killed_process_are_taken_over() {
    let (mut stage, wanted) = (CrashTest::new(40, 2).await, undisturbed().await);
    let first = ServiceProcess::start(&stage.variables).await;
    stage.open(&first, 4).await;
    stage.wait_for_events(60).await;
    let drivers = stage.holders().await;
    let second = ServiceProcess::start(&stage.variables).await;
    stage.wait_for_events(20).await;
    // On a busy machine they may all have ended while the other process started.
    let missing = 4 - stage.running_debates().await;
    stage.open(&first, missing).await;
    poll_until("a request is open", async || (stage.questions_of(&drivers).await > 0).then_some(())).await;
    first.kill().await;
    let (killed, head) = (Instant::now(), stage.events().await);
    poll_until("the other process takes over", async || (stage.events().await > head + 1).then_some(())).await;
    let millis = killed.elapsed().as_millis();
    let n_again = stage.check(&wanted, Some(&[])).await;
    println!("a lease of 2 s: taken over {millis} ms after the kill; {n_again} requests repeated");
    assert!((1..=8).contains(&n_again), "only requests in flight are repeated: {n_again}");
    second.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_lost_its_leases_appends_nothing_more() {
    let (mut stage, wanted) = (CrashTest::new(40, 1).await, undisturbed().await);
    let mut services = vec![ServiceProcess::start(&stage.variables).await];
    stage.open(&services[0], 4).await;
    stage.wait_for_events(40).await;
    services.push(ServiceProcess::start(&stage.variables).await);
    for turn in 0..4 {
        // Stop the driving process for longer than its leases last, with answers pending, then let it continue.
        let (standing, holders) = (&services[turn % 2], stage.holders().await);
        standing.signal(Signal::STOP);
        poll_until("the other process takes over", async || {
            (stage.holders().await.is_disjoint(&holders) || stage.running_debates().await == 0).then_some(())
        })
        .await;
        stage.wait_for_events(20).await;
        standing.signal(Signal::CONT);
        stage.wait_for_events(20).await;
    }
    let n_again = stage.check(&wanted, Some(&[])).await;
    println!("4 times a process was stopped for longer than its leases: {n_again} requests repeated");
    for service in services {
        service.kill().await;
    }
}

/// Value of a service's counter of expired leases with this outcome.
pub async fn lapsed(service: &ServiceProcess, outcome: &str) -> u64 {
    let metrics = service.client.http.get(service.client.url("/metrics")).send().await.expect("metrics");
    let text = metrics.text().await.expect("text");
    let line = format!("faultline_leases_lapsed_total{{outcome=\"{outcome}\"}} ");
    text.lines().find_map(|metric| metric.strip_prefix(&line)).map_or(0, |it| it.parse().expect("a number"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_process_that_lost_no_lease_repeats_no_request() {
    let (mut stage, wanted) = (CrashTest::new(40, 1).await, undisturbed().await);
    let service = ServiceProcess::start(&stage.variables).await;
    let mut n_kept = 0;
    for turn in 1..=6 {
        let missing = 4 - stage.running_debates().await;
        stage.open(&service, missing).await;
        stage.wait_for_events(10).await;
        // Simulates a stalled process, machine or disk: its leases have expired when it continues.
        service.signal(Signal::STOP);
        poll_until("the leases expire", async || {
            (stage.all_lapsed().await || stage.running_debates().await == 0).then_some(())
        })
        .await;
        service.signal(Signal::CONT);
        n_kept = poll_until("the process notices the expired leases", async || {
            let kept = lapsed(&service, "kept").await;
            (kept > n_kept || stage.running_debates().await == 0).then_some(kept)
        })
        .await;
        assert!(n_kept > 0, "{turn}: the process counts expired leases");
    }
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0, "no lease was claimed, so no request is repeated");
    let claims: Vec<i64> =
        sqlx::query_scalar("select distinct fence from leases").fetch_all(&stage.pool).await.expect("leases");
    assert_eq!(claims, [1], "every debate was claimed once");
    println!("6 times the only process was stopped for longer than its leases: {n_kept} expired, no request repeated");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_expired_in_the_database_is_renewed_and_not_claimed() {
    let (mut stage, wanted) = (CrashTest::new(40, 12).await, undisturbed().await);
    let service = ServiceProcess::start(&stage.variables).await;
    stage.open(&service, 4).await;
    stage.wait_for_events(20).await;
    // The service looks for expired leases several times between two renewals.
    let run_out = "update leases set until = now() - interval '1 second' where holder is not null";
    let ran_out = sqlx::query(run_out).execute(&stage.pool).await.expect("expire the leases").rows_affected();
    assert!(ran_out > 0, "no debate was driven");
    poll_until("the process notices the expired leases", async || {
        (lapsed(&service, "kept").await > 0 || stage.running_debates().await == 0).then_some(())
    })
    .await;
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0, "no lease was claimed, so no request is repeated");
    assert_eq!(lapsed(&service, "claimed again").await, 0);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_share_the_debates_and_repeat_no_request() {
    const DEBATES: usize = 24;
    let (mut stage, wanted) = (CrashTest::new(10, 30).await, undisturbed().await);
    stage.variables.push(("FAULTLINE_RUNNERS", "4".to_owned()));
    let (first, second) =
        (ServiceProcess::start(&stage.variables).await, ServiceProcess::start(&stage.variables).await);
    for turn in 0..DEBATES {
        stage.open(if turn % 2 == 0 { &first } else { &second }, 1).await;
    }
    let mut holders = BTreeSet::new();
    poll_until("both have driven a debate", async || {
        holders.extend(stage.holders().await);
        (holders.len() >= 2 || stage.running_debates().await == 0).then_some(())
    })
    .await;
    assert_eq!(holders.len(), 2, "24 debates need both processes with four runners each");
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0, "no process died, so no request is repeated");
    poll_until("every lease is released", async || {
        let open: i64 = sqlx::query_scalar("select count(*) from leases where state <> 'closed' or holder is not null")
            .fetch_one(&stage.pool)
            .await
            .expect("look at the leases");
        (open == 0).then_some(())
    })
    .await;
    let fences: Vec<i64> = sqlx::query_scalar("select distinct fence from leases")
        .fetch_all(&stage.pool)
        .await
        .expect("look at the leases");
    assert_eq!(fences, [1], "every debate was claimed once");
    first.kill().await;
    second.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_is_driven_although_its_lease_could_not_be_written_at_first() {
    let (mut stage, wanted) = (CrashTest::new(0, 10).await, undisturbed().await);
    let service = ServiceProcess::start(&stage.variables).await;
    // Lock the leases, and cut every session that waits to write one.
    let mut locked = stage.pool.begin().await.expect("begin");
    locked.execute("lock table leases in share mode").await.expect("lock");
    stage.open(&service, 1).await;
    poll_until("the supervisor tries to write the lease", async || {
        let waiting: Vec<(String, bool)> = sqlx::query_as(
            "select query, pg_terminate_backend(pid)
            from pg_stat_activity
            where datname = current_database()
            and wait_event_type = 'Lock'",
        )
        .fetch_all(&stage.pool)
        .await
        .expect("look at the sessions");
        waiting.iter().any(|(query, _)| query.contains("insert into leases")).then_some(())
    })
    .await;
    locked.rollback().await.expect("unlock");
    assert_eq!(stage.check(&wanted, Some(&[])).await, 0);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_shuts_down_hands_its_debates_over_at_once() {
    // These leases last longer than the test.
    let (mut stage, wanted) = (CrashTest::new(40, 600).await, undisturbed().await);
    let first = ServiceProcess::start(&stage.variables).await;
    stage.open(&first, 4).await;
    stage.wait_for_events(40).await;
    let second = ServiceProcess::start(&stage.variables).await;
    // Clients that stay connected: a socket, an idle connection, and a request that is never completed.
    let mut socket = WebSocketClient::open(&first.client).await;
    socket.subscribe_to_debate(stage.debates[0].0, 0).await;
    let mut half = TcpStream::connect(&first.client.address).await.expect("connect");
    half.write_all(b"POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{").await.expect("send");
    wait_for_event(&stage.log, &stage.tail, stage.debates[0].0, |event| matches!(event, Event::TurnTaken(_))).await;
    let holder = stage.holders().await;
    assert_eq!(holder.len(), 1, "one process drives, the other waits");
    first.signal(Signal::TERM);
    let actual = Instant::now();
    poll_until("the other process takes over", async || {
        let holders = stage.holders().await;
        (holders.is_disjoint(&holder) && (!holders.is_empty() || stage.running_debates().await == 0)).then_some(())
    })
    .await;
    let taken_over = actual.elapsed();
    assert_eq!(first.wait().await.code(), Some(0), "a clean exit");
    let ended = actual.elapsed();
    let n_again = stage.check(&wanted, None).await;
    println!("shut down: ended after {ended:.1?}, taken over after {taken_over:.1?}; {n_again} requests repeated");
    second.kill().await;
}
