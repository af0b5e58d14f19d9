//! Effect ledger of a debate: requests, failures and costs.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::events::event::{Event, Recorded};
use crate::events::lifecycle::DebateLimits;
use crate::events::receipt::{EffectAbandoned, EffectKey, Failure, FailureKind, ProviderAnswer};

/// Effect ledger of one debate.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: BTreeMap<EffectKey, EffectRecord>,
    calls: u32,
    tokens: u64,
    cost_micros: u64,
    /// Highest cost of a token in one call so far, in millionths of a micro-dollar.
    token_cost: u64,
    turns: u32,
    /// Number of searches asked for, by the subject of the effect.
    searches: BTreeMap<String, u32>,
    opened_at: Option<DateTime<Utc>>,
    latest_at: Option<DateTime<Utc>>,
    paused_at: Option<DateTime<Utc>>,
    paused_millis: i64,
}

/// A limit that a debate has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachedLimit {
    /// Name of the limit.
    pub name: &'static str,
    /// Amount spent so far.
    pub spent: u64,
    /// The limit.
    pub limit: u64,
    unit: &'static str,
}

impl ReachedLimit {
    /// Returns the figures for people, such as "3 of 3 calls made".
    pub fn in_words(self) -> String {
        format!("{} of {} {}", self.spent, self.limit, self.unit)
    }
}

/// Record of one effect.
#[derive(Clone, Debug, Default)]
pub struct EffectRecord {
    /// Number of requests.
    pub requests: u32,
    /// Number of failure receipts.
    pub failures: u32,
    /// Number of answer receipts, and of replies that asked for a search.
    pub answers: u32,
    /// Words that the speaker asked to have searched for.
    pub search: Option<String>,
    /// The last failure.
    pub last_failure: Option<Failure>,
    /// The reply that the last failure is about, if one arrived.
    pub last_reply: Option<FailedReply>,
    /// Number of replies that were cut off at the token limit.
    pub truncations: u32,
    /// True if the effect was abandoned.
    pub abandoned: bool,
    /// Attempts that have a receipt.
    pub settled: Vec<u32>,
}

/// A reply that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedReply {
    /// Provider and model, as the receipt names them.
    pub by: String,
    /// Text of the reply.
    pub text: String,
    /// Number of tokens that the model generated.
    pub output_tokens: u64,
}

impl EffectRecord {
    /// Returns the number of requests without a receipt: under way, or lost to a crash.
    pub fn open(&self) -> u32 {
        self.requests.saturating_sub(self.failures + self.answers)
    }

    /// Returns true if a reply that cannot be used is the one that came before: asking a third time is useless.
    pub fn is_same_reply(&self, failure: &Failure, answer: Option<&ProviderAnswer>) -> bool {
        let is_about_reply =
            matches!(failure.kind, FailureKind::Unreadable | FailureKind::Repeated | FailureKind::Truncated);
        is_about_reply && self.last_reply.as_ref().zip(answer).is_some_and(|(last, answer)| last.text == answer.text)
    }
}

impl Ledger {
    /// Applies an event.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.opened_at.get_or_insert(recorded.at);
        self.latest_at = Some(recorded.at);
        match &recorded.event {
            Event::EffectRequested(it) => {
                self.calls += 1;
                self.entry(&it.key).requests += 1;
            }
            Event::EffectAnswered(it) => {
                let entry = self.entry(&it.key);
                entry.answers += 1;
                entry.settled.push(it.attempt);
                self.spend(&it.answer);
            }
            Event::SearchRequested(it) => {
                *self.searches.entry(it.key.subject.clone()).or_default() += 1;
                let entry = self.entry(&it.key);
                entry.answers += 1;
                entry.settled.push(it.attempt);
                entry.search = Some(it.query.clone());
                self.spend(&it.answer);
            }
            Event::EffectFailed(it) => {
                let entry = self.entry(&it.key);
                entry.failures += 1;
                entry.settled.push(it.attempt);
                entry.last_failure = Some(it.failure.clone());
                entry.truncations += u32::from(it.failure.kind == FailureKind::Truncated);
                entry.last_reply = it.answer.as_ref().map(|answer| FailedReply {
                    by: answer.by.clone(),
                    text: answer.text.clone(),
                    output_tokens: answer.usage.output_tokens,
                });
                if let Some(answer) = &it.answer {
                    self.spend(answer);
                }
            }
            Event::DebateForked(_) => self.begin_again(recorded),
            Event::EffectAbandoned(it) => self.entry(&it.key).abandoned = true,
            Event::TurnTaken(_) => self.turns += 1,
            Event::DebatePaused(_) => self.paused_at = Some(recorded.at),
            Event::DebateResumed(_) => {
                if let Some(paused_at) = self.paused_at.take() {
                    self.paused_millis += (recorded.at - paused_at).num_milliseconds();
                }
            }
            _ => {}
        }
    }

    /// Returns the record of an effect.
    pub fn of(&self, key: &EffectKey) -> EffectRecord {
        self.entries.get(key).cloned().unwrap_or_default()
    }

    /// Returns the event that gives an effect up, if as many of its requests were lost as the limits allow.
    pub fn lost_too_often(&self, key: &EffectKey, limits: &DebateLimits) -> Option<Event> {
        let entry = self.of(key);
        (entry.open() >= limits.losses.max(1)).then(|| {
            let reason = format!("requested {} times without an answer: every request was interrupted", entry.requests);
            Event::EffectAbandoned(EffectAbandoned { key: key.clone(), attempts: entry.requests, reason })
        })
    }

    /// Returns the number of searches asked for by a subject, since the last fork.
    pub fn searches_by(&self, subject: &str) -> u32 {
        self.searches.get(subject).copied().unwrap_or_default()
    }

    /// Returns the number of calls that may still be made.
    pub fn calls_left(&self, limits: &DebateLimits) -> u32 {
        limits.calls.saturating_sub(self.calls)
    }

    /// Returns the first limit that is reached: its name, and a description for people.
    pub fn reached_limit(&self, limits: &DebateLimits) -> Option<(&'static str, String)> {
        self.reached(limits).map(|it| (it.name, it.in_words()))
    }

    /// Returns the first reached limit with its figures.
    pub fn reached(&self, limits: &DebateLimits) -> Option<ReachedLimit> {
        let seconds = self.millis() / 1_000;
        [
            ("calls", u64::from(self.calls), u64::from(limits.calls), "calls made"),
            ("tokens", self.tokens, limits.tokens, "tokens spent"),
            ("cost_micros", self.cost_micros, limits.cost_micros, "millionths of a dollar spent"),
            ("turns", u64::from(self.turns), u64::from(limits.turns), "turns taken"),
            ("seconds", seconds, u64::from(limits.seconds), "seconds passed"),
        ]
        .into_iter()
        .map(|(name, spent, limit, unit)| ReachedLimit { name, spent, limit, unit })
        .find(|it| it.spent >= it.limit)
    }

    fn millis(&self) -> u64 {
        let (Some(opened), Some(latest)) = (self.opened_at, self.latest_at) else {
            return 0;
        };
        let paused_until_now = self.paused_at.map_or(0, |time| (latest - time).num_milliseconds());
        let millis = (latest - opened).num_milliseconds() - self.paused_millis - paused_until_now;
        u64::try_from(millis).unwrap_or(0)
    }

    /// Starts the budget of a fork. The origin's requests that were unanswered at the fork count as lost.
    fn begin_again(&mut self, recorded: &Recorded) {
        (self.calls, self.tokens, self.cost_micros, self.turns) = (0, 0, 0, 0);
        self.searches.clear();
        (self.opened_at, self.paused_at, self.paused_millis) = (Some(recorded.at), None, 0);
    }

    fn entry(&mut self, key: &EffectKey) -> &mut EffectRecord {
        self.entries.entry(key.clone()).or_default()
    }

    /// Returns what is left of the limits of tokens and of cost, in micro-dollars.
    pub fn left(&self, limits: &DebateLimits) -> (u64, u64) {
        (limits.tokens.saturating_sub(self.tokens), limits.cost_micros.saturating_sub(self.cost_micros))
    }

    /// Returns the cost of this number of tokens at the highest price so far, in micro-dollars; 0 before the first call
    /// with a price.
    pub fn cost_of(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(self.token_cost).div_ceil(1_000_000)
    }

    fn spend(&mut self, answer: &ProviderAnswer) {
        let (tokens, cost) = (answer.usage.tokens(), answer.usage.cost_micros);
        self.tokens += tokens;
        self.cost_micros += cost;
        if tokens > 0 {
            self.token_cost = self.token_cost.max(cost.saturating_mul(1_000_000).div_ceil(tokens));
        }
    }
}
