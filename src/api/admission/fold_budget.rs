//! Budget of a request for folding debates: two at a time, and a limited number of events.
//!
//! The cost of a field in `docs/api.md` does not depend on the length of a debate, but the cost of a fold does. Events
//! are charged before they are read: to the request (`fold_events`), and to all running requests together
//! (`folding_events`).

use std::sync::Arc;

use async_graphql::{Context, ErrorExtensions, Result};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::api::error::{field_limit, unavailable_for_now};
use crate::limits::ApiLimits;

/// Number of debates that one request folds at a time.
const AT_ONCE: usize = 2;
/// Number of events below which a fold is not charged to the service-wide budget, so that small debates never wait for
/// large ones.
const SMALL: usize = 2_000;

/// Service-wide budget: the events that all running requests may fold together. Clones share it.
#[derive(Clone, Debug)]
pub struct ServiceFoldBudget {
    room: Arc<Semaphore>,
    size: usize,
}

impl ServiceFoldBudget {
    /// Creates a budget of `size` events.
    pub fn new(size: usize) -> ServiceFoldBudget {
        ServiceFoldBudget { room: Arc::new(Semaphore::new(size)), size }
    }
}

/// Fold budget of one request. The permits it holds are released when the last clone is dropped.
#[derive(Clone)]
pub struct FoldBudget(Arc<Inner>);

struct Inner {
    limit: usize,
    all: ServiceFoldBudget,
    turns: Semaphore,
    charged: Mutex<Charged>,
}

#[derive(Default)]
struct Charged {
    events: usize,
    room: Option<OwnedSemaphorePermit>,
}

impl FoldBudget {
    /// Creates the fold budget of a new request.
    pub fn new(limits: &ApiLimits, all: ServiceFoldBudget) -> FoldBudget {
        let turns = Semaphore::new(AT_ONCE);
        FoldBudget(Arc::new(Inner { limit: limits.fold_events, all, turns, charged: Mutex::default() }))
    }

    /// Waits until the request is folding fewer than two debates. Keep the permit while folding one more.
    pub async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        self.0.turns.acquire().await.ok()
    }

    /// Charges the folding of debates up to these versions. The first debate of a request is folded whatever its
    /// length, so that a long debate can be read if it is the only one.
    ///
    /// # Errors
    /// `LIMIT` if the request has used up its budget; `UNAVAILABLE` if it holds permits already and the service-wide
    /// budget has too few left. A request that holds no permit waits for them.
    pub async fn charge(&self, versions: impl IntoIterator<Item = i64>) -> Result<()> {
        let (mut n_debates, mut events) = (0_usize, 0_usize);
        for version in versions {
            n_debates += 1;
            events = events.saturating_add(usize::try_from(version).unwrap_or_default());
        }
        // The lock is also a queue: a fold that waits for permits keeps it, and the request's next fold comes after.
        let mut charged = self.0.charged.lock().await;
        let total = charged.events.saturating_add(events);
        let is_first = charged.events == 0 && n_debates <= 1;
        if total > self.0.limit && !is_first {
            let reason = format!(
                "the request has to fold {total} events; the limit is {}; request fewer debates or versions",
                self.0.limit
            );
            return Err(field_limit(&reason, "fold_events", self.0.limit, total));
        }
        if events > SMALL {
            let more = self.room_for(events.min(self.0.all.size), charged.room.is_some()).await?;
            match &mut charged.room {
                Some(room) => room.merge(more),
                room @ None => *room = Some(more),
            }
        }
        charged.events = total;
        Ok(())
    }

    /// Acquires permits from the service-wide budget. A request that holds permits does not wait for more: two such
    /// requests could wait for each other forever.
    async fn room_for(&self, events: usize, holds: bool) -> Result<OwnedSemaphorePermit> {
        let ServiceFoldBudget { room, size } = &self.0.all;
        let (room, events) = (Arc::clone(room), u32::try_from(events).unwrap_or(u32::MAX));
        let found =
            if holds { room.try_acquire_many_owned(events).ok() } else { room.acquire_many_owned(events).await.ok() };
        found.ok_or_else(|| {
            let reason = format!("the running requests use the service's budget of {size} events; try again");
            unavailable_for_now(&reason).extend_with(|_, extensions| {
                extensions.set("limit", "folding_events");
                extensions.set("max", *size);
                extensions.set("actual", events);
            })
        })
    }
}

/// Charges the request for debates that are folded together; see [`FoldBudget::charge`].
///
/// # Errors
/// Those of [`FoldBudget::charge`].
pub async fn charge(context: &Context<'_>, versions: impl IntoIterator<Item = i64>) -> Result<()> {
    match context.data_opt::<FoldBudget>() {
        Some(folds) => folds.charge(versions).await,
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use async_graphql::{Error, Value};
    use tokio::time::timeout;

    use super::*;

    fn of(limit: usize, all: &ServiceFoldBudget) -> FoldBudget {
        FoldBudget::new(&ApiLimits { fold_events: limit, ..ApiLimits::default() }, all.clone())
    }

    fn extension(error: &Error, name: &str) -> Option<Value> {
        error.extensions.as_ref()?.get(name).cloned()
    }

    #[tokio::test]
    async fn a_request_folds_one_debate_of_any_length_and_several_within_its_limit() {
        let all = ServiceFoldBudget::new(1_000_000);
        assert!(of(10_000, &all).charge([50_000]).await.is_ok());
        let folds = of(10_000, &all);
        assert!(folds.charge([4_000, 6_000]).await.is_ok());
        let refused = folds.charge([1]).await.expect_err("one event too many");
        let names = ["code", "limit", "max", "actual"].map(|name| extension(&refused, name));
        assert_eq!(
            names,
            ["LIMIT".into(), "fold_events".into(), 10_000.into(), 10_001.into()].map(|value: Value| Some(value))
        );
        assert!(of(10_000, &all).charge([5_000, 6_000]).await.is_err(), "only a single debate may exceed the limit");
    }

    #[tokio::test]
    async fn requests_wait_for_permits_only_if_they_hold_none() {
        let all = ServiceFoldBudget::new(10_000);
        let (one, other) = (of(100_000, &all), of(100_000, &all));
        assert!(one.charge([8_000]).await.is_ok());
        assert!(other.charge([SMALL as i64]).await.is_ok(), "a small fold never waits");
        let waiting = tokio::spawn(async move { other.charge([8_000]).await.is_ok() });
        let refused = one.charge([8_000]).await.expect_err("a request that holds permits does not wait");
        assert_eq!(extension(&refused, "code"), Some("UNAVAILABLE".into()));
        drop(one);
        assert_eq!(timeout(Duration::from_secs(10), waiting).await.expect("permits are released").ok(), Some(true));
        assert!(of(100_000, &all).charge([90_000]).await.is_ok(), "a fold above the budget takes all of it");
    }
}
