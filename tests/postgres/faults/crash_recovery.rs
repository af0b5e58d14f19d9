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

use crate::faults::crash_test::{CrashTest, Plays, undisturbed, undisturbed_of};
use crate::support::environment::n_trials;
use crate::support::log_reads::wait_for_event;
use crate::support::random::Random;
use crate::support::service_process::ServiceProcess;
use crate::support::waiting::poll_until;
use crate::support::websocket_client::WebSocketClient;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_at_random_moments_lose_nothing_and_repeat_no_turn() {
    kill_at_random_moments(Plays::Rounds, n_trials(20)).await;
}

/// Kills at random moments of debates with rooms: the channel and the rooms go on from where they were.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_nothing_of_rooms_beside_a_channel() {
    for engine in ["crux_rooms", "forum"] {
        kill_at_random_moments(Plays::Rooms(engine), n_trials(5)).await;
    }
}

async fn kill_at_random_moments(plays: Plays, kills: usize) {
    let (mut crash_test, mut random) = (CrashTest::of(plays, 30, 1).await, Random(20));
    let wanted = undisturbed_of(plays).await;
    let mut cuts = Vec::new();
    for kill in 0..kills {
        if kill % 7 == 3 {
            // Kill it while it starts.
            let mut child = ServiceProcess::spawn(&crash_test.variables);
            tokio::time::sleep(Duration::from_millis(random.below(600) as u64)).await;
            child.kill().await.expect("kill");
        } else {
            let service = ServiceProcess::start(&crash_test.variables).await;
            let missing = 6 - crash_test.running_debates().await;
            crash_test.open(&service, missing).await;
            crash_test.wait_for_events(random.below(120) as i64).await;
            tokio::time::sleep(Duration::from_millis(random.below(40) as u64)).await;
            service.kill().await;
        }
        cuts.push(crash_test.versions_after_kill().await);
    }
    let service = ServiceProcess::start(&crash_test.variables).await;
    let n_again = crash_test.check(&wanted, Some(&cuts)).await;
    let (n_debates, n_events) = (crash_test.debates.len(), crash_test.events().await);
    println!("{kills} kills, {n_debates} debates, {n_events} events: {n_again} interrupted requests repeated");
    assert!(n_again > 0, "no kill interrupted a request");
    service.signal(Signal::TERM);
    assert_eq!(service.wait().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debates_of_a_killed_process_are_taken_over() {
    let (mut crash_test, wanted) = (CrashTest::new(40, 2).await, undisturbed().await);
    let first = ServiceProcess::start(&crash_test.variables).await;
    crash_test.open(&first, 4).await;
    crash_test.wait_for_events(60).await;
    let drivers = crash_test.holders().await;
    let second = ServiceProcess::start(&crash_test.variables).await;
    crash_test.wait_for_events(20).await;
    // On a busy machine they may all have ended while the other process started.
    let missing = 4 - crash_test.running_debates().await;
    crash_test.open(&first, missing).await;
    poll_until("a request is open", async || (crash_test.questions_of(&drivers).await > 0).then_some(())).await;
    first.kill().await;
    let (killed, head) = (Instant::now(), crash_test.events().await);
    // The open request may have been answered before the process died.
    let n_open = crash_test.questions_of(&drivers).await;
    poll_until("the other process takes over", async || (crash_test.events().await > head + 1).then_some(())).await;
    let millis = killed.elapsed().as_millis();
    let n_again = crash_test.check(&wanted, Some(&[])).await;
    println!("a lease of 2 s: taken over {millis} ms after the kill; {n_again} requests repeated");
    assert!(
        n_again <= 8 && (n_open == 0 || n_again > 0),
        "only requests in flight are repeated: {n_again}, {n_open} open"
    );
    second.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_lost_its_leases_appends_nothing_more() {
    let (mut crash_test, wanted) = (CrashTest::new(40, 1).await, undisturbed().await);
    let mut services = vec![ServiceProcess::start(&crash_test.variables).await];
    crash_test.open(&services[0], 4).await;
    crash_test.wait_for_events(40).await;
    services.push(ServiceProcess::start(&crash_test.variables).await);
    for turn in 0..4 {
        // Stop the driving process for longer than its leases last, with answers pending, then let it continue.
        let (standing, holders) = (&services[turn % 2], crash_test.holders().await);
        standing.signal(Signal::STOP);
        poll_until("the other process takes over", async || {
            (crash_test.holders().await.is_disjoint(&holders) || crash_test.running_debates().await == 0).then_some(())
        })
        .await;
        crash_test.wait_for_events(20).await;
        standing.signal(Signal::CONT);
        crash_test.wait_for_events(20).await;
    }
    let n_again = crash_test.check(&wanted, Some(&[])).await;
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
    let (mut crash_test, wanted) = (CrashTest::new(40, 1).await, undisturbed().await);
    let service = ServiceProcess::start(&crash_test.variables).await;
    let mut n_kept = 0;
    for turn in 1..=6 {
        let missing = 4 - crash_test.running_debates().await;
        crash_test.open(&service, missing).await;
        crash_test.wait_for_events(10).await;
        // Simulates a stalled process, machine or disk: its leases have expired when it continues.
        service.signal(Signal::STOP);
        poll_until("the leases expire", async || {
            (crash_test.all_lapsed().await || crash_test.running_debates().await == 0).then_some(())
        })
        .await;
        service.signal(Signal::CONT);
        n_kept = poll_until("the process notices the expired leases", async || {
            let kept = lapsed(&service, "kept").await;
            (kept > n_kept || crash_test.running_debates().await == 0).then_some(kept)
        })
        .await;
        assert!(n_kept > 0, "{turn}: the process counts expired leases");
    }
    assert_eq!(crash_test.check(&wanted, Some(&[])).await, 0, "no lease was claimed, so no request is repeated");
    let claims: Vec<i64> =
        sqlx::query_scalar("select distinct fence from leases").fetch_all(&crash_test.pool).await.expect("leases");
    assert_eq!(claims, [1], "every debate was claimed once");
    println!("6 times the only process was stopped for longer than its leases: {n_kept} expired, no request repeated");
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_expired_in_the_database_is_renewed_and_not_claimed() {
    let (mut crash_test, wanted) = (CrashTest::new(40, 12).await, undisturbed().await);
    let service = ServiceProcess::start(&crash_test.variables).await;
    crash_test.open(&service, 4).await;
    crash_test.wait_for_events(20).await;
    // The service looks for expired leases several times between two renewals.
    let run_out = "update leases set until = now() - interval '1 second' where holder is not null";
    let ran_out = sqlx::query(run_out).execute(&crash_test.pool).await.expect("expire the leases").rows_affected();
    assert!(ran_out > 0, "no debate was driven");
    poll_until("the process notices the expired leases", async || {
        (lapsed(&service, "kept").await > 0 || crash_test.running_debates().await == 0).then_some(())
    })
    .await;
    assert_eq!(crash_test.check(&wanted, Some(&[])).await, 0, "no lease was claimed, so no request is repeated");
    assert_eq!(lapsed(&service, "claimed again").await, 0);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_share_the_debates_and_repeat_no_request() {
    const DEBATES: usize = 24;
    let (mut crash_test, wanted) = (CrashTest::new(10, 30).await, undisturbed().await);
    crash_test.variables.push(("FAULTLINE_RUNNERS", "4".to_owned()));
    let (first, second) =
        (ServiceProcess::start(&crash_test.variables).await, ServiceProcess::start(&crash_test.variables).await);
    for turn in 0..DEBATES {
        crash_test.open(if turn % 2 == 0 { &first } else { &second }, 1).await;
    }
    let mut holders = BTreeSet::new();
    poll_until("both have driven a debate", async || {
        holders.extend(crash_test.holders().await);
        (holders.len() >= 2 || crash_test.running_debates().await == 0).then_some(())
    })
    .await;
    assert_eq!(holders.len(), 2, "24 debates need both processes with four runners each");
    assert_eq!(crash_test.check(&wanted, Some(&[])).await, 0, "no process died, so no request is repeated");
    poll_until("every lease is released", async || {
        let open: i64 = sqlx::query_scalar("select count(*) from leases where state <> 'closed' or holder is not null")
            .fetch_one(&crash_test.pool)
            .await
            .expect("look at the leases");
        (open == 0).then_some(())
    })
    .await;
    let fences: Vec<i64> = sqlx::query_scalar("select distinct fence from leases")
        .fetch_all(&crash_test.pool)
        .await
        .expect("look at the leases");
    assert_eq!(fences, [1], "every debate was claimed once");
    first.kill().await;
    second.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_is_driven_although_its_lease_could_not_be_written_at_first() {
    let (mut crash_test, wanted) = (CrashTest::new(0, 10).await, undisturbed().await);
    let service = ServiceProcess::start(&crash_test.variables).await;
    // Lock the leases, and cut every session that waits to write one.
    let mut locked = crash_test.pool.begin().await.expect("begin");
    locked.execute("lock table leases in share mode").await.expect("lock");
    crash_test.open(&service, 1).await;
    poll_until("the supervisor tries to write the lease", async || {
        let waiting: Vec<(String, bool)> = sqlx::query_as(
            "select query, pg_terminate_backend(pid)
            from pg_stat_activity
            where datname = current_database()
            and wait_event_type = 'Lock'",
        )
        .fetch_all(&crash_test.pool)
        .await
        .expect("look at the sessions");
        waiting.iter().any(|(query, _)| query.contains("insert into leases")).then_some(())
    })
    .await;
    locked.rollback().await.expect("unlock");
    assert_eq!(crash_test.check(&wanted, Some(&[])).await, 0);
    service.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_shuts_down_hands_its_debates_over_at_once() {
    // These leases last longer than the test.
    let (mut crash_test, wanted) = (CrashTest::new(40, 600).await, undisturbed().await);
    let first = ServiceProcess::start(&crash_test.variables).await;
    crash_test.open(&first, 4).await;
    crash_test.wait_for_events(40).await;
    let second = ServiceProcess::start(&crash_test.variables).await;
    // Clients that stay connected: a socket, an idle connection, and a request that is never completed.
    let mut socket = WebSocketClient::open(&first.client).await;
    socket.subscribe_to_debate(crash_test.debates[0].0, 0).await;
    let mut half = TcpStream::connect(&first.client.address).await.expect("connect");
    half.write_all(b"POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{").await.expect("send");
    wait_for_event(&crash_test.log, &crash_test.tail, crash_test.debates[0].0, |event| {
        matches!(event, Event::TurnTaken(_))
    })
    .await;
    let holder = crash_test.holders().await;
    assert_eq!(holder.len(), 1, "one process drives, the other waits");
    first.signal(Signal::TERM);
    let actual = Instant::now();
    poll_until("the other process takes over", async || {
        let holders = crash_test.holders().await;
        (holders.is_disjoint(&holder) && (!holders.is_empty() || crash_test.running_debates().await == 0)).then_some(())
    })
    .await;
    let taken_over = actual.elapsed();
    assert_eq!(first.wait().await.code(), Some(0), "a clean exit");
    let ended = actual.elapsed();
    let n_again = crash_test.check(&wanted, None).await;
    println!("shut down: ended after {ended:.1?}, taken over after {taken_over:.1?}; {n_again} requests repeated");
    second.kill().await;
}
