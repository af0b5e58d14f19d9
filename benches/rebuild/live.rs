//! The projector while debates are appended, in one process or shared by several: events per second, and the age of
//! what the views lack.

use std::collections::VecDeque;
use std::process::Stdio;
use std::time::{Duration, Instant};

use faultline_core::events::ids::DebateId;
use faultline_runtime::projector::Projector;
use faultline_store::database::pool::ConnectionSettings;
use faultline_store::log::append::{Append, NewEvent};
use faultline_store::log::log::Log;
use faultline_store::open::Store;
use faultline_store::views::views::DEBATES;
use futures_util::future::join_all;
use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval, sleep};
use uuid::Uuid;

use crate::debates::events;

/// First argument of a process that shares the work with the one that measures.
pub const MEMBER: &str = "member";
/// Tasks that append in all processes together, each to several debates in turn.
const WRITERS: usize = 64;
/// Debates in motion of each of them.
const IN_MOTION: usize = 8;
/// Events per append, as many as a turn with its argument and attack takes.
const PER_APPEND: usize = 4;
/// Interval between two looks at the projector.
const LOOK: Duration = Duration::from_millis(50);
/// Time in which the lanes are shared after the last process has started.
const SHARED_IN: Duration = Duration::from_secs(5);

/// Load of one measurement.
#[derive(Clone, Copy)]
pub struct LiveLoad {
    /// Processes that append and project, this one among them.
    pub n_processes: usize,
    /// Maximum number of events appended per second in all; `None` for as many as possible.
    pub rate: Option<usize>,
    /// Duration of the appends.
    pub lasting: Duration,
}

/// Appends and projects, in this process and in others if the load says so, and prints how the projector kept up.
pub async fn live(store: &Store, options: &PgConnectOptions, load: LiveLoad) {
    let (stop, projecting) = project(store);
    while behind(store).await > 0 {
        sleep(LOOK).await;
    }
    let begin = Instant::now() + if load.n_processes > 1 { SHARED_IN } else { Duration::ZERO };
    let members: Vec<Child> = (1..load.n_processes).map(|n| start_member(options, load, n, begin)).collect();
    sleep(begin.saturating_duration_since(Instant::now())).await;
    if load.n_processes > 1 {
        println!("{:>24} {}", "lanes", shares(store).await);
    }
    let before = store.log.count_events().await.expect("heads");
    let (begun, until) = (Instant::now(), Instant::now() + load.lasting);
    let writers = writers(&store.log, load, 0, until);
    let mut ages = ages(store, before, until).await;
    join_all(writers).await;
    let n_events = store.log.count_events().await.expect("heads") - before;
    let (wrote, left) = (begun.elapsed(), behind(store).await);
    while behind(store).await > 0 {
        sleep(Duration::from_millis(5)).await;
    }
    let lasted = begun.elapsed();
    ages.sort_unstable();
    let age = |share: usize| ages.get(ages.len() * share / 100).map_or(0.0, Duration::as_secs_f64);
    println!(
        "{:>24} {:>11.0} {:>11.0} {left:>9} {:>9.2} {:>9.2}",
        load.rate.map_or("as fast as possible".to_owned(), |rate| format!("{rate} a second")),
        n_events as f64 / wrote.as_secs_f64(),
        n_events as f64 / lasted.as_secs_f64(),
        age(50),
        age(99),
    );
    for member in members {
        // The end of its input lets it leave.
        let output = member.wait_with_output().await.expect("a process");
        assert!(output.status.success(), "a process failed: {}", output.status);
    }
    stop.send(true).expect("the projector");
    projecting.await.expect("the projector");
}

/// Prints the heading of the lines of [`live`].
pub fn heading() {
    println!("\n                   appended    events/s   projected/s    behind   p50 age   p99 age (s)");
}

/// Appends and projects as one of several processes until its input ends. Its arguments are those of [`start_member`].
pub async fn member(arguments: &[String]) {
    let [url, n, n_processes, rate, wait, lasting] = arguments else { panic!("not the arguments of a member") };
    let number = |text: &String| text.parse::<usize>().expect("a number");
    let milliseconds = |text: &String| Duration::from_millis(number(text) as u64);
    let begin = Instant::now() + milliseconds(wait);
    let store = Store::open_url(url, &ConnectionSettings::default()).await.expect("a store");
    let (stop, projecting) = project(&store);
    sleep(begin.saturating_duration_since(Instant::now())).await;
    let rate = Some(number(rate)).filter(|rate| *rate > 0);
    let load = LiveLoad { n_processes: number(n_processes), rate, lasting: milliseconds(lasting) };
    join_all(writers(&store.log, load, number(n), Instant::now() + load.lasting)).await;
    let input = spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    input.await.expect("its input").expect("its input");
    stop.send(true).expect("the projector");
    projecting.await.expect("the projector");
    store.close().await;
}

/// Starts another process, the `n`th, that begins to append at a moment.
fn start_member(options: &PgConnectOptions, load: LiveLoad, n: usize, begin: Instant) -> Child {
    let numbers = [
        n as u128,
        load.n_processes as u128,
        load.rate.unwrap_or(0) as u128,
        begin.saturating_duration_since(Instant::now()).as_millis(),
        load.lasting.as_millis(),
    ];
    Command::new(std::env::current_exe().expect("the path of this program"))
        .args([MEMBER, options.to_url_lossy().as_str()])
        .args(numbers.map(|number| number.to_string()))
        .stdin(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("a process")
}

/// Starts the projector of this process. Returns a sender that stops it.
fn project(store: &Store) -> (watch::Sender<bool>, JoinHandle<()>) {
    let (stop, stopped) = watch::channel(false);
    let projector = Projector::new(store.log.clone(), store.tail.clone(), store.views.clone());
    (stop, tokio::spawn(projector.run(stopped)))
}

/// Starts the writers of the `n`th process.
fn writers(log: &Log, load: LiveLoad, n: usize, until: Instant) -> Vec<JoinHandle<()>> {
    let own = (0..WRITERS).filter(|writer| writer % load.n_processes == n);
    own.map(|writer| tokio::spawn(write(log.clone(), writer, load.rate, until))).collect()
}

/// Appends whole debates, several in turn, until a moment.
async fn write(log: Log, writer: usize, rate: Option<usize>, until: Instant) {
    let mut pace = rate.map(|rate| {
        let mut pace = interval(Duration::from_secs_f64((PER_APPEND * WRITERS) as f64 / rate as f64));
        pace.set_missed_tick_behavior(MissedTickBehavior::Burst);
        pace
    });
    let mut debates: VecDeque<(DebateId, i64, VecDeque<NewEvent>)> = VecDeque::new();
    let mut n = writer;
    while Instant::now() < until {
        if debates.len() < IN_MOTION {
            let new = |event| NewEvent { id: Uuid::now_v7(), event, caused_by: None };
            debates.push_back((DebateId(Uuid::now_v7()), 0, events(n).into_iter().map(new).collect()));
            n += WRITERS;
        }
        if let Some(pace) = &mut pace {
            pace.tick().await;
        }
        let Some((debate, version, mut left)) = debates.pop_front() else { continue };
        let some: Vec<NewEvent> = left.drain(..PER_APPEND.min(left.len())).collect();
        let n_events = some.len() as i64;
        log.append(Append { debate, expected: version, events: some, fence: None, actor: None }).await.expect("append");
        if !left.is_empty() {
            debates.push_back((debate, version + n_events, left));
        }
    }
}

/// Returns the ages of the oldest event that the views lacked, at every look. `before` is the number of events that
/// there were at the beginning.
async fn ages(store: &Store, before: i64, until: Instant) -> Vec<Duration> {
    let (mut ages, mut history) = (Vec::new(), VecDeque::from([(Instant::now(), 0_i64)]));
    while Instant::now() < until {
        sleep(LOOK).await;
        let now = Instant::now();
        let appended = store.log.count_events().await.expect("heads") - before;
        history.push_back((now, appended));
        let projected = appended - behind(store).await;
        // The last look at which everything that had been appended is in the views by now.
        while history.get(1).is_some_and(|(_, then)| *then <= projected) {
            history.pop_front();
        }
        ages.push(now - history.front().map_or(now, |(then, _)| *then));
    }
    ages
}

/// Returns the number of lanes that each process holds.
async fn shares(store: &Store) -> String {
    let shares = "select count(*) from projection_lanes where holder is not null group by holder order by 1";
    let shares: Vec<i64> = sqlx::query_scalar(shares).fetch_all(store.log.pool()).await.expect("the lanes");
    shares.iter().map(i64::to_string).collect::<Vec<_>>().join(" + ")
}

async fn behind(store: &Store) -> i64 {
    let heads = store.log.heads().await.expect("heads");
    match store.views.served_generation(DEBATES).await.expect("served") {
        Some(served) => store.views.behind(served, &heads).await.expect("behind"),
        None => i64::MAX,
    }
}
