//! Budget for the remote calls of all debates together, by day.
//!
//! Calls are counted in the database when they start, so their number is never exceeded, by however many processes. What a
//! call takes is known only when it has ended, so each call under way reserves the tokens that it can take at most, and
//! further ones of the process wait while these do not fit into what is left. A call that is alone starts while a limit is
//! not reached: each process overshoots a limit of tokens or cost by one call at most, beside what others have under way.
//! When the budget is spent, running debates are paused, with the reason.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::NaiveDate;
use tokio::sync::Notify;

use faultline_core::events::receipt::Usage;
use faultline_store::error::StoreError;
use faultline_store::providers::spending::{Spending, Spent, StartedCalls};

/// Limits over all debates and a day (UTC). A limit that is `None` is not applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Maximum number of calls.
    pub calls: Option<u64>,
    /// Maximum number of tokens, input and output.
    pub tokens: Option<u64>,
    /// Maximum cost in millionths of a US dollar. Calls without a known price cost nothing.
    pub cost_micros: Option<u64>,
}

impl BudgetLimits {
    /// Returns the limits of these names and values; others are ignored.
    pub fn named<'a>(values: impl IntoIterator<Item = (&'a str, u64)>) -> BudgetLimits {
        let mut limits = BudgetLimits::default();
        for (name, value) in values {
            match name {
                "calls" => limits.calls = Some(value),
                "tokens" => limits.tokens = Some(value),
                "cost_micros" => limits.cost_micros = Some(value),
                _ => {}
            }
        }
        limits
    }

    /// Returns the limit that is reached, as a sentence; `None` if none is.
    fn reached(&self, spent: Spent) -> Option<String> {
        let parts = [
            ("calls", self.calls, spent.calls),
            ("tokens", self.tokens, spent.tokens),
            ("cost_micros", self.cost_micros, spent.cost_micros),
        ];
        let is_reached = |limit: u64, spent: i64| unsigned(spent) >= limit;
        let reached = parts.into_iter().find_map(|(name, limit, spent)| {
            limit.filter(|limit| is_reached(*limit, spent)).map(|limit| format!("{spent} of {limit} {name}"))
        })?;
        Some(format!("the budget of all debates is spent for today: {reached} (FAULTLINE_BUDGET)"))
    }

    /// Returns how many of these calls, in order, fit beside the reserved ones into what is left.
    fn fitting(&self, spent: Spent, reserved: Reserved, tokens: &[u64]) -> usize {
        let (mut taken, mut calls) = (reserved, unsigned(spent.calls));
        let fits = |tokens: &&u64| {
            taken = taken.plus(**tokens);
            // Those under way were counted when they started.
            calls += 1;
            let all = unsigned(spent.tokens).saturating_add(taken.tokens);
            // The tokens of calls under way are taken to cost as much as those of today so far.
            let mean = spent.cost_micros as f64 / spent.tokens.max(1) as f64;
            let cost = spent.cost_micros as f64 + mean * taken.tokens as f64;
            self.calls.is_none_or(|limit| calls <= limit)
                && self.tokens.is_none_or(|limit| all <= limit)
                && self.cost_micros.is_none_or(|limit| cost <= limit as f64)
        };
        let fitting = tokens.iter().take_while(fits).count();
        if fitting == 0 && reserved.calls == 0 { tokens.len().min(1) } else { fitting }
    }
}

/// Calls under way, with the tokens that they can take at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reserved {
    calls: u64,
    tokens: u64,
}

impl Reserved {
    fn plus(self, tokens: u64) -> Reserved {
        Reserved { calls: self.calls + 1, tokens: self.tokens.saturating_add(tokens) }
    }
}

/// Budget over all debates.
#[derive(Debug)]
pub struct Budget {
    limits: BudgetLimits,
    spending: Spending,
    reserved: Mutex<Reserved>,
    /// Woken when a call under way has ended.
    ended: Notify,
}

/// Answer to a request for calls.
#[derive(Debug)]
pub enum Admission {
    /// The first of the calls may start, each with its reservation.
    Granted(Vec<Reservation>),
    /// A limit is reached, told in a sentence.
    Spent(String),
}

impl Budget {
    /// Creates a budget with these limits.
    pub fn new(limits: BudgetLimits, spending: Spending) -> Arc<Budget> {
        Arc::new(Budget { limits, spending, reserved: Mutex::default(), ended: Notify::new() })
    }

    /// Takes back calls that were granted and not made. If that cannot be recorded, they stay counted, and a warning is
    /// logged.
    pub async fn give_back(&self, reservations: Vec<Reservation>) {
        let mut days: BTreeMap<NaiveDate, usize> = BTreeMap::new();
        for day in reservations.iter().filter_map(|reservation| reservation.day) {
            *days.entry(day).or_default() += 1;
        }
        for (day, n) in days {
            if let Err(fault) = self.spending.give_back(StartedCalls { n, day }).await {
                tracing::warn!(%fault, "calls that were not made stay counted in the budget");
            }
        }
    }

    /// Asks for calls that can take these numbers of tokens, at least one. Waits while none of them fits beside those
    /// under way.
    ///
    /// # Errors
    /// [`StoreError`] if what was spent cannot be read.
    pub async fn admit(self: &Arc<Self>, tokens: &[u64]) -> Result<Admission, StoreError> {
        loop {
            let ended = self.ended.notified();
            let spent = self.spending.today().await?;
            if let Some(reason) = self.limits.reached(spent) {
                return Ok(Admission::Spent(reason));
            }
            if tokens.is_empty() {
                return Ok(Admission::Granted(Vec::new()));
            }
            let mut reserved = self.reserve(spent, tokens);
            if reserved.is_empty() {
                ended.await;
                continue;
            }
            // Another process may have started the last ones meanwhile.
            let Some(started) = self.spending.start(reserved.len(), self.limits.calls).await? else { continue };
            reserved.truncate(started.n);
            reserved.iter_mut().for_each(|reservation| reservation.day = Some(started.day));
            if !reserved.is_empty() {
                return Ok(Admission::Granted(reserved));
            }
        }
    }

    fn reserve(self: &Arc<Self>, spent: Spent, tokens: &[u64]) -> Vec<Reservation> {
        let mut reserved = self.reserved();
        let granted = &tokens[..self.limits.fitting(spent, *reserved, tokens)];
        *reserved = granted.iter().fold(*reserved, |reserved, tokens| reserved.plus(*tokens));
        granted.iter().map(|tokens| Reservation { budget: self.clone(), tokens: *tokens, day: None }).collect()
    }

    fn reserved(&self) -> MutexGuard<'_, Reserved> {
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Part of the budget that a call under way can take; it is free again when the reservation is dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: Arc<Budget>,
    tokens: u64,
    /// Day on which the call is counted; `None` until it is.
    day: Option<NaiveDate>,
}

impl Reservation {
    /// Counts the tokens and the cost of the call. If that cannot be recorded, a warning is logged: the answer is worth more
    /// than the count.
    pub async fn settle(self, usage: &Usage) {
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let spent = Spent { calls: 0, tokens: signed(usage.tokens()), cost_micros: signed(usage.cost_micros) };
        if let Err(fault) = self.budget.spending.add(spent).await {
            tracing::warn!(%fault, "a call is not counted in the budget");
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut reserved = self.budget.reserved();
        *reserved = Reserved { calls: reserved.calls - 1, tokens: reserved.tokens.saturating_sub(self.tokens) };
        drop(reserved);
        self.budget.ended.notify_waiters();
    }
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_fit_beside_those_under_way_and_a_single_one_always_starts() {
        let limits = BudgetLimits::named([("calls", 5), ("tokens", 1_000), ("cost_micros", 100), ("speed", 1)]);
        let spent = |calls, tokens, cost_micros| Spent { calls, tokens, cost_micros };
        let reserved = |calls, tokens| Reserved { calls, tokens };
        for (case, spent, under_way, expected) in [
            ("nothing was spent", spent(0, 0, 0), reserved(0, 0), 3),
            ("calls are left", spent(3, 0, 0), reserved(0, 0), 2),
            ("calls under way are counted already", spent(4, 0, 0), reserved(1, 0), 1),
            ("tokens are left", spent(0, 500, 0), reserved(0, 0), 2),
            ("tokens are under way", spent(0, 500, 0), reserved(1, 400), 0),
            ("the first is too large, and alone", spent(0, 900, 0), reserved(0, 0), 1),
            ("the cost is that of today's tokens", spent(1, 100, 40), reserved(0, 0), 1),
        ] {
            assert_eq!(limits.fitting(spent, under_way, &[200, 200, 200]), expected, "{case}");
        }
        assert_eq!(BudgetLimits::default().fitting(spent(9, 9, 9), reserved(9, 9), &[1, 1]), 2);
    }

    #[test]
    fn a_limit_is_reached_when_nothing_is_left() {
        let limits = BudgetLimits { cost_micros: Some(100), ..BudgetLimits::default() };
        let spent = |cost_micros| Spent { calls: 9, tokens: 9, cost_micros };
        assert_eq!(limits.reached(spent(99)), None);
        let reason = "the budget of all debates is spent for today: 100 of 100 cost_micros (FAULTLINE_BUDGET)";
        assert_eq!(limits.reached(spent(100)).as_deref(), Some(reason));
    }
}
