//! Edges: followers of the whole log on three of them, while NATS is killed, frozen and cut off.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use faultline_store::lanes::LANES;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::scale::nats_server::{Eavesdropper, NatsServer, Relay};
use crate::support::client::{Client, start_debate_input};
use crate::support::database::{Database, migrated_database};
use crate::support::environment::n_followers;
use crate::support::log_reads::rows_read;
use crate::support::service_process::{ServiceProcess, run_command};
use crate::support::test_home::{TestHome, scripted_replies};
use crate::support::waiting::{poll_until, with_timeout};
use crate::support::websocket_client::WebSocketClient;

/// Time before each reply of the model, which spreads the events of a debate.
const REPLY_MILLIS: u64 = 50;
/// Duration of each phase of the test.
const PHASE: Duration = Duration::from_secs(4);
/// Maximum number of rows of events that are read for each event while nothing is disturbed.
const MOST_ROWS: f64 = 1.5;

const FOLLOW: &str = "subscription ($after: String) { log(after: $after) { position at cursor } }";

/// Follower of the whole log: the number of events that it received, in the order of the log, each once.
struct LogFollower {
    n_events: Arc<AtomicI64>,
}

/// Time at which a follower received an event, and the age of the event then, in milliseconds.
type Receipt = (Instant, i64);

impl LogFollower {
    /// Follows the log from its beginning on the first of these services, and on the next one when that ends, until the
    /// test is over. Its task panics at an event that is lost, repeated or out of order.
    fn start(services: Vec<Client>, mut over: watch::Receiver<bool>, tasks: &mut JoinSet<Vec<Receipt>>) -> LogFollower {
        let n_events = Arc::<AtomicI64>::default();
        let counted = Arc::clone(&n_events);
        tasks.spawn(async move {
            let (mut heads, mut cursor, mut receipts) = ([0_i64; LANES as usize], Value::Null, Vec::new());
            for service in services {
                let mut socket = WebSocketClient::open(&service).await;
                socket.subscribe("log", FOLLOW, json!({ "after": cursor })).await;
                loop {
                    let message = tokio::select! {
                        message = socket.receive() => message,
                        _over = over.wait_for(|over| *over) => return receipts,
                    };
                    let Some(mut message) = message else { break };
                    if message["type"] == "ping" {
                        socket.send(&json!({ "type": "pong" })).await;
                        continue;
                    }
                    let event = &mut message["payload"]["data"]["log"];
                    cursor = event["cursor"].take();
                    let (lane, position) = place(event);
                    assert_eq!(position, heads[lane] + 1, "lost, repeated or out of order in lane {lane}");
                    heads[lane] = position;
                    let at: DateTime<Utc> = event["at"].as_str().and_then(|at| at.parse().ok()).expect("a time");
                    receipts.push((Instant::now(), (Utc::now() - at).num_milliseconds()));
                    counted.fetch_add(1, Ordering::Relaxed);
                }
            }
            receipts
        });
        LogFollower { n_events }
    }
}

/// Returns lane and number in the position of an event.
fn place(event: &Value) -> (usize, i64) {
    let position = event["position"].as_str().expect("a position");
    let (lane, number) = position.split_once('.').unwrap_or_else(|| panic!("no position: {position}"));
    (lane.parse().expect("a lane"), number.parse().expect("a number"))
}

/// Starts debates on a service for the time of one phase. Returns their number.
async fn debate(service: &ServiceProcess, pace: Duration) -> i64 {
    let (begun, mut n_started) = (Instant::now(), 0);
    while begun.elapsed() < PHASE {
        service.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
        n_started += 1;
        tokio::time::sleep(pace).await;
    }
    n_started
}

/// Waits until so many debates have ended, and every follower has every event of the log.
async fn catch_up(database: &Database, followers: &[LogFollower], n_debates: i64) {
    let ended = "select count(*) from debates where outcome is not null";
    poll_until("the debates have ended", async || {
        let n_ended: i64 = sqlx::query_scalar(ended).fetch_one(&database.pool).await.expect("the debates");
        (n_ended == n_debates).then_some(())
    })
    .await;
    let events = count_events(database).await;
    let is_behind = |follower: &&LogFollower| follower.n_events.load(Ordering::Relaxed) < events;
    poll_until("every follower has every event", async || followers.iter().find(is_behind).is_none().then_some(()))
        .await;
}

/// Prints the age of events when followers received them, in one phase of the test.
fn report_ages(phase: &str, during: &Range<Instant>, receipts: &[Receipt]) {
    let within = receipts.iter().filter(|(at, _)| during.contains(at));
    let mut ages: Vec<i64> = within.map(|(_, age)| *age).collect();
    ages.sort_unstable();
    let at = |part: usize| ages[(ages.len() - 1) * part / 100];
    println!("NATS {phase}: {} deliveries, age p50 {} ms, p99 {} ms, max {} ms", ages.len(), at(50), at(99), at(100));
}

/// Returns a sum over the values of a metric of a service.
async fn metric(service: &ServiceProcess, name: &str) -> f64 {
    let answer = service.client.http.get(service.client.url("/metrics")).send().await.expect("an answer");
    let text = answer.text().await.expect("text");
    let values = text.lines().filter(|line| line.starts_with(name)).filter_map(|line| line.rsplit(' ').next());
    values.map(|value| value.parse::<f64>().expect("a number")).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_on_edges_miss_and_repeat_nothing_whatever_happens_to_nats() {
    let Some(mut nats) = NatsServer::start().await else { return };
    let (database, home) = (migrated_database().await, TestHome::new());
    let variables = home.environment(&database.options, &scripted_replies(REPLY_MILLIS));
    let with_nats = |url: String| [variables.as_slice(), &[("FAULTLINE_NATS_URL", url)]].concat();
    let service = ServiceProcess::start(&with_nats(nats.url())).await;
    let (mut relays, mut edges) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let relay = Relay::start(&nats).await;
        edges.push(ServiceProcess::start_edge(&with_nats(relay.url())).await);
        relays.push(relay);
    }
    for edge in &edges {
        poll_until("the edge is connected to NATS", async || {
            (metric(edge, "faultline_bus_connected").await > 0.5).then_some(())
        })
        .await;
    }
    let mut everybody = Eavesdropper::connect(&nats).await;
    let (n, mut tasks, mut followers, over) = (n_followers(20), JoinSet::new(), Vec::new(), watch::Sender::new(false));
    for first in 0..edges.len() {
        let services: Vec<Client> = (first..edges.len()).map(|edge| edges[edge].client.clone()).collect();
        for _ in 0..n {
            followers.push(LogFollower::start(services.clone(), over.subscribe(), &mut tasks));
        }
    }
    // Everybody follows before anything is measured.
    service.client.start(&start_debate_input("dialectic", json!({ "rounds": 1 }))).await;
    let mut n_debates = 1;
    catch_up(&database, &followers, n_debates).await;
    let pace = Duration::from_millis(500 * (n as u64).div_ceil(100));

    let (rows, events) = (rows_read(&database.pool).await, count_events(&database).await);
    let begun = Instant::now();
    n_debates += debate(&service, pace).await;
    catch_up(&database, &followers, n_debates).await;
    let mut phases = vec![("undisturbed", begun..Instant::now())];
    let (rows, events) = (rows_read(&database.pool).await - rows, count_events(&database).await - events);
    println!("undisturbed: {rows} rows read for {events} events");
    assert!(rows as f64 <= MOST_ROWS * events as f64, "{rows} rows for {events} events on four processes");
    for edge in &edges {
        assert!(metric(edge, "faultline_bus_messages_total{outcome=\"received\"}").await > 0.5);
    }

    everybody.listen().await;
    let (subject, heard) = (everybody.subject(), everybody.text());
    assert!(subject.starts_with("faultline.") && heard.matches("MSG ").count() > 1);
    for secret in ["private cars", "debate_opened", "turn_taken", "edda-tolvane", "dialectic"] {
        assert!(!heard.contains(secret), "{secret} is on the bus");
    }
    everybody.publish(&subject, "no message of this store").await;
    poll_until("the edges discard it", async || {
        let unreadable = metric(&edges[0], "faultline_bus_messages_total{outcome=\"unreadable\"}").await;
        (unreadable > 0.5).then_some(())
    })
    .await;

    for (what, fault) in [("killed", Fault::Kill), ("frozen", Fault::Freeze), ("cut off", Fault::Cut)] {
        let begun = Instant::now();
        let (n_started, ()) = tokio::join!(debate(&service, pace), disturb(&mut nats, &relays, fault));
        n_debates += n_started;
        catch_up(&database, &followers, n_debates).await;
        phases.push((what, begun..Instant::now()));
    }
    for edge in &edges {
        poll_until("the edge is connected again", async || {
            (metric(edge, "faultline_bus_connected").await > 0.5).then_some(())
        })
        .await;
    }

    // The first edge ends, and its followers resume on the second one.
    edges.remove(0).kill().await;
    n_debates += debate(&service, pace).await;
    catch_up(&database, &followers, n_debates).await;
    over.send_replace(true);
    let mut receipts = Vec::new();
    while let Some(received) = with_timeout("the followers end", tasks.join_next()).await {
        receipts.extend(received.expect("a follower found a fault"));
    }
    for process in edges.into_iter().chain([service]) {
        process.kill().await;
    }
    phases.iter().for_each(|(phase, during)| report_ages(phase, during, &receipts));
}

/// Disturbance of NATS.
#[derive(Clone, Copy)]
enum Fault {
    Kill,
    Freeze,
    Cut,
}

/// Disturbs NATS for three quarters of a phase.
async fn disturb(nats: &mut NatsServer, relays: &[Relay], fault: Fault) {
    let pause = || tokio::time::sleep(PHASE * 3 / 4);
    match fault {
        Fault::Kill => {
            nats.kill();
            pause().await;
            nats.revive().await;
        }
        Fault::Freeze => {
            nats.signal(Signal::STOP);
            pause().await;
            nats.signal(Signal::CONT);
        }
        Fault::Cut => {
            relays.iter().for_each(|relay| relay.set_open(false));
            pause().await;
            relays.iter().for_each(|relay| relay.set_open(true));
        }
    }
}

async fn count_events(database: &Database) -> i64 {
    sqlx::query_scalar("select sum(head)::bigint from lanes").fetch_one(&database.pool).await.expect("the heads")
}

#[tokio::test]
async fn an_edge_needs_a_shared_database_and_a_valid_url_of_nats() {
    let home = TestHome::new();
    let output =
        run_command(&[("FAULTLINE_HOME", home.path("home"))], &["serve", "--edge", "--listen", "127.0.0.1:0"]).await;
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    assert!(output.stderr.contains("DATABASE_URL is not set"), "{}", output.stderr);
    let output = run_command(
        &[("FAULTLINE_HOME", home.path("home")), ("FAULTLINE_NATS_URL", "http://u:hunter2@a".to_owned())],
        &["serve", "--listen", "127.0.0.1:0"],
    )
    .await;
    assert_eq!(output.code, Some(2), "{}", output.stderr);
    assert!(output.stderr.contains("URL 1 of FAULTLINE_NATS_URL"), "{}", output.stderr);
    assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
}
