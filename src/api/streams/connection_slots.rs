//! Connection slots for sockets and event streams. Their number is limited. On shutdown they are drained over a time
//! window, so that clients do not all reconnect at the same moment.

use std::sync::Arc;
use std::time::Duration;

use metrics::{Gauge, counter, gauge};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;
use uuid::Uuid;

/// Average time between the ends of two connections while draining, as far as the window permits.
const APART: Duration = Duration::from_millis(2);
/// Time that a connection may take to close after it was asked to.
const GOODBYE: Duration = Duration::from_secs(2);

/// Limits on connections, and the drain window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotLimits {
    /// Maximum number of sockets and event streams of the process.
    pub connections: usize,
    /// Maximum number of running operations per socket.
    pub operations: usize,
    /// Time over which connections are drained.
    pub drain: Duration,
}

impl Default for SlotLimits {
    fn default() -> SlotLimits {
        SlotLimits { connections: 5_000, operations: 64, drain: Duration::from_secs(5) }
    }
}

/// Connection slots of a process. Clones share them.
#[derive(Clone, Debug)]
pub struct Slots {
    limits: SlotLimits,
    free: Arc<Semaphore>,
    /// Drain window, set on shutdown.
    leaving: Arc<watch::Sender<Option<Duration>>>,
}

impl Slots {
    /// Creates free slots according to the limits.
    pub fn new(limits: SlotLimits) -> Slots {
        Slots {
            limits,
            free: Arc::new(Semaphore::new(limits.connections)),
            leaving: Arc::new(watch::Sender::new(None)),
        }
    }

    /// Returns the limits.
    pub fn limits(&self) -> SlotLimits {
        self.limits
    }

    /// Takes a slot; `None` if all are taken, or the service is draining.
    pub fn take(&self, transport: &'static str) -> Option<Slot> {
        let permit = Arc::clone(&self.free).try_acquire_owned().ok().filter(|_| self.leaving.borrow().is_none());
        let Some(permit) = permit else {
            counter!("faultline_connections_refused_total", "transport" => transport).increment(1);
            return None;
        };
        let taken = gauge!("faultline_connections", "transport" => transport);
        taken.increment(1);
        Some(Slot { _permit: permit, taken, leaving: self.leaving.subscribe() })
    }

    /// Starts draining: asks all connections to end, spread over the drain window, or less if there are few.
    pub fn start_drain(&self) {
        let taken = self.limits.connections - self.free.available_permits();
        let window = self.limits.drain.min(APART.saturating_mul(u32::try_from(taken).unwrap_or(u32::MAX)));
        self.leaving.send_replace(Some(window));
    }

    /// Waits until all connections have ended, at most as long as they may take.
    pub async fn left(&self) {
        let all = u32::try_from(self.limits.connections).unwrap_or(u32::MAX);
        // Connections that take longer are dropped.
        let _left = tokio::time::timeout(self.limits.drain + GOODBYE, self.free.acquire_many(all)).await;
    }
}

/// Slot of one connection, released on drop.
#[derive(Debug)]
pub struct Slot {
    _permit: OwnedSemaphorePermit,
    taken: Gauge,
    leaving: watch::Receiver<Option<Duration>>,
}

impl Slot {
    /// Completes when the connection has to end. The future may be dropped and created again before that.
    pub fn draining(&self) -> impl Future<Output = ()> + Send + use<> {
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

impl Drop for Slot {
    fn drop(&mut self) {
        self.taken.decrement(1);
    }
}

/// Returns a random number from 0 to 1.
fn drawn() -> f64 {
    f64::from(Uuid::new_v4().as_fields().0) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn slots_are_limited_and_drained() {
        let slots = Slots::new(SlotLimits { connections: 2, ..SlotLimits::default() });
        let (one, two) = (slots.take("test").expect("a free slot"), slots.take("test").expect("a free slot"));
        assert!(slots.take("test").is_none(), "all slots are taken");
        drop(two);
        let two = slots.take("test").expect("a released slot");
        slots.start_drain();
        one.draining().await;
        two.draining().await;
        drop(one);
        assert!(slots.take("test").is_none(), "no slot is given while draining");
        drop(two);
        slots.left().await;
    }
}
