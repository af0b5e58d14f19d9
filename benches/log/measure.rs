//! Measurements of time, and of the processor time of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use crate::cpu_time::cpu_time;

/// Number of events, and the time that they took.
#[derive(Default)]
pub struct Measured {
    pub events: u64,
    pub elapsed: Duration,
    /// Processor time of the server processes that wrote them; zero if they are not on this machine.
    pub cpu: Duration,
}

impl Measured {
    pub fn add(&mut self, other: Measured) {
        self.events += other.events;
        self.elapsed += other.elapsed;
        self.cpu += other.cpu;
    }

    pub fn rate(&self) -> f64 {
        self.events as f64 / self.elapsed.as_secs_f64()
    }

    pub fn cpu_micros(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.events as f64
    }
}

/// Runs callers concurrently until the time is over; each counts the events it appends.
pub async fn measure<W>(work: impl Iterator<Item = W>, pids: Vec<i32>, lasting: Duration) -> Measured
where
    W: FnOnce(Arc<AtomicU64>, Instant) -> tokio::task::JoinHandle<()>,
{
    let n_events = Arc::new(AtomicU64::new(0));
    let (begun, cpu) = (Instant::now(), cpu_of(&pids));
    let tasks: Vec<_> = work.map(|start| start(Arc::clone(&n_events), begun + lasting)).collect();
    let watch = tokio::spawn(async move {
        // The backends end with the callers, so the last reading counts.
        let mut spent = Duration::ZERO;
        loop {
            spent = spent.max(cpu_of(&pids).saturating_sub(cpu));
            tokio::time::sleep(Duration::from_millis(50)).await;
            if begun.elapsed() > lasting {
                return spent;
            }
        }
    });
    join_all(tasks).await.into_iter().for_each(|task| task.expect("a caller"));
    let elapsed = begun.elapsed();
    let cpu = watch.await.expect("the watch");
    Measured { events: n_events.load(Ordering::Relaxed), elapsed, cpu }
}

/// Returns the processor time used by this process.
pub fn own_cpu() -> Duration {
    cpu_time(std::process::id())
}

/// Returns the processor time used by these processes; zero if they are not on this machine.
fn cpu_of(pids: &[i32]) -> Duration {
    pids.iter().map(|pid| cpu_time(pid.cast_unsigned())).sum()
}
