//! Seats for those who stay: sockets and event streams. There are so many and no more, and when the service is told to
//! stop they are given up one after the other, so that not all come back at the same moment.

use std::sync::Arc;
use std::time::Duration;

use metrics::{Gauge, counter, gauge};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;
use uuid::Uuid;

/// So long the goodbyes of one connection are set apart from those of the next, on average, as far as the window allows.
const APART: Duration = Duration::from_millis(2);
/// How long whoever has left may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(2);

/// How many may stay, and how they leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Sockets and event streams of the process.
    pub connections: usize,
    /// Operations under way on one socket.
    pub operations: usize,
    /// The time over which goodbyes are spread.
    pub drain: Duration,
}

impl Default for Places {
    fn default() -> Places {
        Places { connections: 5_000, operations: 64, drain: Duration::from_secs(5) }
    }
}

/// The seats of a process. Clones share them.
#[derive(Clone, Debug)]
pub struct Seats {
    places: Places,
    free: Arc<Semaphore>,
    /// Once it is told: the time over which to leave.
    leaving: Arc<watch::Sender<Option<Duration>>>,
}

impl Seats {
    /// So many.
    pub fn new(places: Places) -> Seats {
        Seats {
            places,
            free: Arc::new(Semaphore::new(places.connections)),
            leaving: Arc::new(watch::Sender::new(None)),
        }
    }

    /// How many there are, of what.
    pub fn places(&self) -> Places {
        self.places
    }

    /// A seat; none where all are taken, or everybody is leaving.
    pub fn take(&self, transport: &'static str) -> Option<Seat> {
        let permit = Arc::clone(&self.free).try_acquire_owned().ok().filter(|_| self.leaving.borrow().is_none());
        let Some(permit) = permit else {
            counter!("faultline_connections_refused_total", "transport" => transport).increment(1);
            return None;
        };
        let taken = gauge!("faultline_connections", "transport" => transport);
        taken.increment(1);
        Some(Seat { _permit: permit, taken, leaving: self.leaving.subscribe() })
    }

    /// Tells everybody to leave, spread over a while: the window at the most, less where they are few.
    pub fn leave(&self) {
        let taken = self.places.connections - self.free.available_permits();
        let window = self.places.drain.min(APART.saturating_mul(u32::try_from(taken).unwrap_or(u32::MAX)));
        self.leaving.send_replace(Some(window));
    }

    /// Waits until all have left, as long as they may take.
    pub async fn left(&self) {
        let all = u32::try_from(self.places.connections).unwrap_or(u32::MAX);
        // Those who take longer are cut off: nothing is owed to them any more.
        let _left = tokio::time::timeout(self.places.drain + GOODBYE, self.free.acquire_many(all)).await;
    }
}

/// One seat, free again when it is dropped.
#[derive(Debug)]
pub struct Seat {
    _permit: OwnedSemaphorePermit,
    taken: Gauge,
    leaving: watch::Receiver<Option<Duration>>,
}

impl Seat {
    /// Comes true when it is time to leave. May be dropped and asked again before that.
    pub fn time_to_leave(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut leaving = self.leaving.clone();
        async move {
            let window = match leaving.wait_for(Option::is_some).await {
                Ok(it) => it.unwrap_or_default(),
                Err(_) => Duration::ZERO,
            };
            sleep(window.mul_f64(drawn())).await;
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.taken.decrement(1);
    }
}

/// A number from 0 to 1 that nobody can foretell.
fn drawn() -> f64 {
    f64::from(Uuid::new_v4().as_fields().0) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn seats_are_counted_and_left() {
        let seats = Seats::new(Places { connections: 2, ..Places::default() });
        let (one, two) = (seats.take("test").expect("a seat"), seats.take("test").expect("a seat"));
        assert!(seats.take("test").is_none(), "all are taken");
        drop(two);
        let two = seats.take("test").expect("free again");
        seats.leave();
        one.time_to_leave().await;
        two.time_to_leave().await;
        drop(one);
        assert!(seats.take("test").is_none(), "nobody comes while all leave");
        drop(two);
        seats.left().await;
    }
}
