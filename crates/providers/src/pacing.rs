//! Limits of a provider: calls at once, requests and tokens a minute. Calls beyond them wait in a queue, in the order in
//! which they came.
//!
//! A call reserves the tokens that it can take at most: those of the prompt, estimated, and those granted to the reply.
//! The reservation is corrected after it, so that calls side by side do not exceed a limit together. Time in the queue does not count against the timeout of a question.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

use faultline_core::events::receipt::Usage;

/// Time over which the limits a minute are counted.
const MINUTE: Duration = Duration::from_secs(60);

/// Limits of a provider. A limit that is `None` is not applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderLimits {
    /// Number of tokens of the context window: prompt and reply. A reply is granted no more than what the prompt leaves.
    pub context: Option<u32>,
    /// Maximum number of tokens of a reply, thinking not included.
    pub reply: Option<u32>,
    /// Maximum number of calls at once.
    pub calls: Option<u32>,
    /// Maximum number of requests a minute.
    pub requests: Option<u32>,
    /// Maximum number of tokens a minute, input and output.
    pub tokens: Option<u32>,
    /// Limits of single models, by name. They hold beside those of the provider, except that those of context and reply
    /// replace them.
    pub models: BTreeMap<String, ProviderLimits>,
}

impl ProviderLimits {
    /// Returns the limits of these names and values; others are ignored, and a value of 0 applies no limit. A name behind
    /// that of a model and a colon (`gpt-5-mini:calls`) is the limit of that model.
    pub fn named<'a>(values: impl IntoIterator<Item = (&'a str, u32)>) -> ProviderLimits {
        let mut limits = ProviderLimits::default();
        for (name, value) in values {
            let (of, name) = match name.rsplit_once(':') {
                Some((model, name)) => (limits.models.entry(model.to_owned()).or_default(), name),
                None => (&mut limits, name),
            };
            let limit = match name {
                "context" => &mut of.context,
                "reply" => &mut of.reply,
                "calls" => &mut of.calls,
                "requests" => &mut of.requests,
                "tokens" => &mut of.tokens,
                _ => continue,
            };
            *limit = Some(value).filter(|value| *value > 0);
        }
        limits
    }

    /// Returns the number of tokens to grant a reply of a model: what was asked for, within the limit of a reply, and what
    /// a prompt of about `prompt` tokens leaves of the context window. At least 1.
    pub(super) fn granted(&self, model: &str, asked: u32, thinking: u32, prompt: u64) -> u32 {
        let own = self.models.get(model);
        let limit = |limit: fn(&ProviderLimits) -> Option<u32>| own.and_then(limit).or_else(|| limit(self));
        let reply = asked.min(limit(|it| it.reply).unwrap_or(u32::MAX)).saturating_add(thinking);
        let left = limit(|it| it.context)
            .map_or(u32::MAX, |context| u32::try_from(u64::from(context).saturating_sub(prompt)).unwrap_or(u32::MAX));
        reply.min(left).max(1)
    }
}

/// Queues of a provider's calls: one for all of them, and one for each model that has limits of its own.
#[derive(Debug)]
pub(super) struct CallQueues {
    all: CallQueue,
    models: BTreeMap<String, CallQueue>,
}

impl CallQueues {
    /// Creates queues with these limits.
    pub(super) fn new(limits: &ProviderLimits) -> CallQueues {
        let models = limits.models.iter().map(|(model, limits)| (model.clone(), CallQueue::new(limits)));
        CallQueues { all: CallQueue::new(limits), models: models.collect() }
    }

    /// Waits until a call to a model of at most about this many tokens may begin. The model's own queue comes first, so
    /// that its calls do not hold slots of the provider while they wait there.
    pub(super) async fn admit(&self, model: Option<&str>, tokens: u64) -> [Option<CallPermit>; 2] {
        let own = match self.of(model) {
            Some(queue) => Some(queue.admit(tokens).await),
            None => None,
        };
        [own, Some(self.all.admit(tokens).await)]
    }

    /// Replaces the tokens that a call to a model reserved by those that it took.
    pub(super) async fn settle(&self, model: Option<&str>, reserved: u64, usage: &Usage) {
        for queue in self.of(model).into_iter().chain([&self.all]) {
            queue.settle(reserved, usage).await;
        }
    }

    fn of(&self, model: Option<&str>) -> Option<&CallQueue> {
        self.models.get(model?)
    }
}

/// Queue of calls with limits in common.
#[derive(Debug)]
struct CallQueue {
    slots: Option<Arc<Semaphore>>,
    requests: Option<Mutex<Allowance>>,
    tokens: Option<Mutex<Allowance>>,
}

/// Permission for one call; the slot is free again when it is dropped.
#[derive(Debug)]
pub(super) struct CallPermit {
    _slot: Option<OwnedSemaphorePermit>,
}

impl CallQueue {
    /// Creates a queue with these limits.
    fn new(limits: &ProviderLimits) -> CallQueue {
        let allowance = |limit: Option<u32>| limit.map(|limit| Mutex::new(Allowance::new(limit, Instant::now())));
        CallQueue {
            slots: limits.calls.map(|calls| Arc::new(Semaphore::new(calls as usize))),
            requests: allowance(limits.requests),
            tokens: allowance(limits.tokens),
        }
    }

    /// Waits until a call of at most about this many tokens may begin.
    async fn admit(&self, tokens: u64) -> CallPermit {
        let slot = match &self.slots {
            // The semaphore is never closed.
            Some(slots) => Arc::clone(slots).acquire_owned().await.ok(),
            None => None,
        };
        for (allowance, amount) in [(&self.requests, 1), (&self.tokens, tokens)] {
            if let Some(allowance) = allowance {
                // Locked while waiting, so that later calls queue behind this one.
                let mut allowance = allowance.lock().await;
                let wait = allowance.wait_for(amount, Instant::now());
                sleep(wait).await;
                allowance.take(amount as f64, Instant::now());
            }
        }
        CallPermit { _slot: slot }
    }

    /// Replaces the tokens that a call reserved by those that it took.
    async fn settle(&self, reserved: u64, usage: &Usage) {
        if let Some(allowance) = &self.tokens {
            let more = usage.tokens() as f64 - reserved as f64;
            allowance.lock().await.take(more, Instant::now());
        }
    }
}

/// Amount that may be taken now; it grows steadily up to the limit of a minute, and may be overdrawn.
#[derive(Debug)]
struct Allowance {
    limit: f64,
    left: f64,
    at: Instant,
}

impl Allowance {
    fn new(limit: u32, now: Instant) -> Allowance {
        Allowance { limit: f64::from(limit), left: f64::from(limit), at: now }
    }

    /// Returns how long to wait until this amount may be taken. More than the limit may be taken when all is there.
    fn wait_for(&mut self, amount: u64, now: Instant) -> Duration {
        self.grow(now);
        let missing = (amount as f64).min(self.limit) - self.left;
        if missing <= 0.0 { Duration::ZERO } else { MINUTE.mul_f64(missing / self.limit) }
    }

    /// Takes an amount; a negative one gives it back.
    fn take(&mut self, amount: f64, now: Instant) {
        self.grow(now);
        self.left = (self.left - amount).min(self.limit);
    }

    fn grow(&mut self, now: Instant) {
        let grown = self.limit * (now - self.at).as_secs_f64() / MINUTE.as_secs_f64();
        (self.left, self.at) = ((self.left + grown).min(self.limit), now);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn limits_have_names() {
        let limits = ProviderLimits::named([("context", 8_192), ("calls", 1), ("requests", 0), ("speed", 3)]);
        assert_eq!(limits, ProviderLimits { context: Some(8_192), calls: Some(1), ..ProviderLimits::default() });
    }

    #[test]
    fn a_reply_is_granted_what_the_context_leaves() {
        let limits = ProviderLimits { context: Some(4_096), reply: Some(2_000), ..ProviderLimits::default() };
        let granted = |asked, thinking, prompt| limits.granted("any", asked, thinking, prompt);
        assert_eq!(granted(400, 0, 1_000), 400);
        assert_eq!(granted(9_000, 0, 1_000), 2_000);
        assert_eq!(granted(9_000, 1_000, 1_000), 3_000);
        assert_eq!(granted(9_000, 1_000, 2_096), 2_000);
        assert_eq!(granted(400, 0, 10_000), 1);
        assert_eq!(ProviderLimits::default().granted("any", 400, 8_000, 1 << 40), 8_400);
        let small = ProviderLimits::named([("context", 4_096), ("llama3:8b:context", 2_048), ("llama3:8b:reply", 300)]);
        assert_eq!((small.granted("llama3:8b", 400, 0, 1_900), small.granted("llama3:8b", 400, 0, 100)), (148, 300));
        assert_eq!(small.granted("llama3", 400, 0, 1_900), 400);
    }

    #[tokio::test]
    async fn a_model_with_limits_of_its_own_holds_up_no_other() {
        let limits = ProviderLimits::named([("calls", 2), ("slow:calls", 1)]);
        let queues = Arc::new(CallQueues::new(&limits));
        let first = queues.admit(Some("slow"), 1).await;
        let waiting = queues.clone();
        let second = tokio::spawn(async move { waiting.admit(Some("slow"), 1).await });
        sleep(Duration::from_millis(50)).await;
        let other = queues.admit(Some("other"), 1).await;
        assert!(!second.is_finished());
        drop((first, other));
        assert!(second.await.unwrap().iter().all(Option::is_some));
    }

    #[test]
    fn an_allowance_grows_with_time_and_may_be_overdrawn() {
        let start = Instant::now();
        let mut allowance = Allowance::new(60, start);
        let later = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(allowance.wait_for(60, start), Duration::ZERO);
        allowance.take(60.0, start);
        assert_eq!(allowance.wait_for(1, start), Duration::from_secs(1));
        assert_eq!(allowance.wait_for(30, later(10)), Duration::from_secs(20));
        allowance.take(100.0, later(10));
        assert_eq!(allowance.wait_for(10, later(10)), Duration::from_secs(100));
        assert_eq!(allowance.wait_for(1_000, later(160)), Duration::ZERO, "more than the limit waits for all of it");
    }

    #[tokio::test]
    async fn tokens_that_a_call_reserved_and_did_not_take_are_given_back() {
        let queue = CallQueue::new(&ProviderLimits { tokens: Some(1_000), ..ProviderLimits::default() });
        let left = || async { queue.tokens.as_ref().unwrap().lock().await.left.round() };
        let _permit = queue.admit(800).await;
        assert_eq!(left().await, 200.0);
        queue.settle(800, &Usage { input_tokens: 40, output_tokens: 60, ..Usage::default() }).await;
        assert_eq!(left().await, 900.0);
        queue.settle(0, &Usage { output_tokens: 1_000, ..Usage::default() }).await;
        assert_eq!(left().await, -100.0);
        queue.settle(5_000, &Usage::default()).await;
        assert_eq!(left().await, 1_000.0, "no more than the limit");
    }

    #[tokio::test]
    async fn calls_wait_for_a_free_slot_in_their_order() {
        let queue = Arc::new(CallQueue::new(&ProviderLimits { calls: Some(1), ..ProviderLimits::default() }));
        let (first, order) = (queue.admit(1).await, Arc::new(Mutex::new(Vec::new())));
        let waiting: Vec<_> = (0..3)
            .map(|number| {
                let (queue, order) = (queue.clone(), order.clone());
                tokio::spawn(async move {
                    // Spawned in order, and queued in it.
                    sleep(Duration::from_millis(20 * number)).await;
                    let permit = queue.admit(1).await;
                    order.lock().await.push(number);
                    drop(permit);
                })
            })
            .collect();
        sleep(Duration::from_millis(150)).await;
        assert!(order.lock().await.is_empty());
        drop(first);
        for task in waiting {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().await, [0, 1, 2]);
    }
}
