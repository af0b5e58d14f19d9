//! The projector of one process while debates are appended: events per second, and the age of what it lacks.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use faultline_core::events::ids::DebateId;
use faultline_runtime::projector::Projector;
use faultline_store::log::append::{Append, NewEvent};
use faultline_store::log::log::Log;
use faultline_store::open::Store;
use faultline_store::views::views::DEBATES;
use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep};
use uuid::Uuid;

use crate::debates::events;

/// Tasks that append, each to several debates in turn.
const WRITERS: usize = 64;
/// Debates in motion of each of them.
const IN_MOTION: usize = 8;
/// Events per append, as many as a turn with its argument and attack takes.
const PER_APPEND: usize = 4;
/// Interval between two looks at the projector.
const LOOK: Duration = Duration::from_millis(50);

/// Appends this many events at most a second (`None`: as many as possible) for some time while a projector runs, and
/// prints how it kept up.
pub async fn live(store: &Store, rate: Option<usize>, lasting: Duration) {
    let (stop, stopped) = watch::channel(false);
    let projector = Projector::new(store.log.clone(), store.tail.clone(), store.views.clone());
    let projecting = tokio::spawn(projector.run(stopped));
    while behind(store).await > 0 {
        sleep(LOOK).await;
    }
    let (before, appended) = (store.log.count_events().await.expect("heads"), Arc::new(AtomicUsize::new(0)));
    let begun = Instant::now();
    let writers: Vec<_> = (0..WRITERS)
        .map(|n| tokio::spawn(write(store.log.clone(), n, rate, begun + lasting, Arc::clone(&appended))))
        .collect();
    let mut ages = ages(store, before, &appended, begun + lasting).await;
    join_all(writers).await;
    let (n_events, wrote) = (appended.load(Ordering::Relaxed), begun.elapsed());
    let left = behind(store).await;
    while behind(store).await > 0 {
        sleep(Duration::from_millis(5)).await;
    }
    let lasted = begun.elapsed();
    ages.sort_unstable();
    let age = |share: usize| ages.get(ages.len() * share / 100).map_or(0.0, Duration::as_secs_f64);
    println!(
        "{:>24} {:>11.0} {:>11.0} {left:>9} {:>9.2} {:>9.2}",
        rate.map_or("as fast as possible".to_owned(), |rate| format!("{rate} a second")),
        n_events as f64 / wrote.as_secs_f64(),
        n_events as f64 / lasted.as_secs_f64(),
        age(50),
        age(99),
    );
    stop.send(true).expect("the projector");
    projecting.await.expect("the projector");
}

/// Prints the heading of the lines of [`live`].
pub fn heading() {
    println!("\n                   appended    events/s   projected/s    behind   p50 age   p99 age (s)");
}

/// Appends whole debates, several in turn, until a moment.
async fn write(log: Log, writer: usize, rate: Option<usize>, until: Instant, appended: Arc<AtomicUsize>) {
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
        let n_events = some.len();
        log.append(Append { debate, expected: version, events: some, fence: None, actor: None }).await.expect("append");
        appended.fetch_add(n_events, Ordering::Relaxed);
        if !left.is_empty() {
            debates.push_back((debate, version + n_events as i64, left));
        }
    }
}

/// Returns the ages of the oldest event that the views lacked, at every look.
async fn ages(store: &Store, before: i64, appended: &AtomicUsize, until: Instant) -> Vec<Duration> {
    let (mut ages, mut history) = (Vec::new(), VecDeque::from([(Instant::now(), 0_i64)]));
    while Instant::now() < until {
        sleep(LOOK).await;
        let now = Instant::now();
        history.push_back((now, appended.load(Ordering::Relaxed) as i64));
        let projected = store.log.count_events().await.expect("heads") - before - behind(store).await;
        // The last look at which everything that had been appended is in the views by now.
        while history.get(1).is_some_and(|(_, then)| *then <= projected) {
            history.pop_front();
        }
        ages.push(now - history.front().map_or(now, |(then, _)| *then));
    }
    ages
}

async fn behind(store: &Store) -> i64 {
    let heads = store.log.heads().await.expect("heads");
    match store.views.served_generation(DEBATES).await.expect("served") {
        Some(served) => store.views.behind(served, &heads).await.expect("behind"),
        None => i64::MAX,
    }
}
