//! Latency from before an append until a follower has the event, at a hundred events a second: in the same process, and
//! in another one.

use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use faultline_core::events::ids::DebateId;
use faultline_store::database::pool;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::follow::follower::Follower;
use faultline_store::follow::log_tail::Tail;
use faultline_store::lanes::Cursor;
use faultline_store::log::log::Log;
use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{ChildStdout, Command};

use crate::stream::AppendSource;

const LIVE_EVENTS: usize = 500;
const LIVE_PAUSE: Duration = Duration::from_millis(10);
/// Variable with the database that a child process follows; set only for that process.
pub const FOLLOWS: &str = "FAULTLINE_BENCH_FOLLOWS";
/// Variable with the debate that it follows; it follows the whole log if this is not set.
const DEBATE: &str = "FAULTLINE_BENCH_DEBATE";

/// Measures all four ways to follow.
pub async fn live(log: &Log, options: &PgConnectOptions) {
    println!("\nlive, 100 events/s, from before the append to the follower      p50 ms     p99 ms");
    let tail = Tail::start(log);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let heads = log.heads().await.expect("heads");
    let follower = Follower::of_log(log, &tail, Cursor::from_heads(heads));
    report("the whole log, in the same process", delays(log, Reader::here(follower), endless()).await);
    let stream = endless();
    let follower = Follower::of_debate(log, &tail, stream.debate, 0);
    report("one debate, in the same process", delays(log, Reader::here(follower), stream).await);
    report("the whole log, in another process", delays(log, Reader::there(options, None).await, endless()).await);
    let stream = endless();
    let reader = Reader::there(options, Some(stream.debate)).await;
    report("one debate, in another process", delays(log, reader, stream).await);
}

/// Returns a stream that stays in one debate.
fn endless() -> AppendSource {
    AppendSource { length: i64::MAX, ..AppendSource::default() }
}

/// Returns nanoseconds of the system clock, which both processes read.
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock past 1970").as_nanos()
}

enum Reader {
    Here(tokio::task::JoinHandle<Vec<u128>>),
    There(Box<Lines<BufReader<ChildStdout>>>, Box<tokio::process::Child>),
}

impl Reader {
    fn here(mut follower: Follower) -> Reader {
        Reader::Here(tokio::spawn(async move {
            let mut arrivals = Vec::new();
            while arrivals.len() < LIVE_EVENTS {
                let events = follower.next().await.expect("follow");
                let at = now();
                arrivals.extend(events.iter().map(|_| at));
            }
            arrivals
        }))
    }

    /// Starts this program once more, as a follower.
    async fn there(options: &PgConnectOptions, debate: Option<DebateId>) -> Reader {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.env(FOLLOWS, options.to_url_lossy().as_str()).stdout(Stdio::piped()).kill_on_drop(true);
        if let Some(debate) = debate {
            command.env(DEBATE, debate.to_string());
        }
        let mut child = command.spawn().expect("another process");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        assert_eq!(lines.next_line().await.expect("read").as_deref(), Some("ready"));
        Reader::There(Box::new(lines), Box::new(child))
    }

    async fn arrivals(self) -> Vec<u128> {
        match self {
            Reader::Here(task) => task.await.expect("the follower"),
            Reader::There(mut lines, mut child) => {
                let mut arrivals = Vec::new();
                while let Some(line) = lines.next_line().await.expect("read") {
                    arrivals.push(line.parse().expect("a time"));
                }
                assert!(child.wait().await.expect("it ends").success());
                arrivals
            }
        }
    }
}

/// Runs the child process: prints the time at which each event arrived.
pub async fn follow(url: &str) {
    let options: PgConnectOptions = url.parse().expect("a database");
    let pool = pool::connect(options, &ConnectionSettings::default()).await.expect("connect");
    let log = Log::start(pool).await.expect("start");
    let tail = Tail::start(&log);
    let mut follower = match std::env::var(DEBATE) {
        Ok(debate) => Follower::of_debate(&log, &tail, debate.parse().expect("a debate"), 0),
        Err(_) => Follower::of_log(&log, &tail, Cursor::from_heads(log.heads().await.expect("heads"))),
    };
    tokio::time::sleep(Duration::from_millis(300)).await;
    println!("ready");
    let mut arrivals = Vec::new();
    while arrivals.len() < LIVE_EVENTS {
        let events = follower.next().await.expect("follow");
        let at = now();
        arrivals.extend(events.iter().map(|_| at));
    }
    arrivals.iter().for_each(|arrival| println!("{arrival}"));
}

async fn delays(log: &Log, reader: Reader, mut stream: AppendSource) -> Vec<Duration> {
    let mut departures = Vec::new();
    for _ in 0..LIVE_EVENTS {
        tokio::time::sleep(LIVE_PAUSE).await;
        let append = stream.append(1);
        departures.push(now());
        log.append(append).await.expect("append");
    }
    let arrivals = reader.arrivals().await;
    let delay = |(arrival, departure): (&u128, &u128)| {
        Duration::from_nanos(arrival.saturating_sub(*departure).try_into().expect("less than centuries"))
    };
    arrivals.iter().zip(&departures).map(delay).collect()
}

fn report(name: &str, mut delays: Vec<Duration>) {
    delays.sort();
    let at = |share: usize| delays[delays.len() * share / 100].as_secs_f64() * 1e3;
    println!("{name:>60} {:>10.2} {:>10.2}", at(50), at(99));
}
