//! Work budgets and size limits of answers, and the error if they do not suffice.

use std::error::Error;
use std::fmt;

use crate::cancellation::is_cancelled;

/// Name of the limit [`SolverLimits::nodes`].
pub const STEP_LIMIT: &str = "nodes";

/// Name of the limit [`SolverLimits::conflicts`].
pub const CONFLICT_LIMIT: &str = "conflicts";

/// Name of the limit [`SolverLimits::sets`].
pub const SET_LIMIT: &str = "sets";

/// Name of the limit on regions without a free argument that are too large for the search on bit sets.
pub const SIZE_LIMIT: &str = "component";

/// Name of the limit [`SolverLimits::stop`].
pub const STOP_LIMIT: &str = "stop";

/// Limits on the work and the size of an answer.
#[derive(Clone, Copy)]
pub struct SolverLimits<'a> {
    /// Budget of search steps, for the whole framework. One step is a decision on an argument in a region of up to 64
    /// arguments; in a larger region, a decision costs one step per 64 arguments. Splitting costs one step per 16
    /// arguments. If the budget does not suffice, the answer is incomplete and names the limit `nodes`. A million steps
    /// take some tenths of a second; in the densest frameworks of hundreds of arguments, a second or two. Default:
    /// 1,000,000.
    pub nodes: u64,
    /// Budget of conflicts of the clause-learning solver, for the whole framework. That solver takes over if a search
    /// on bit sets takes too long; 256 flips of the local search beside it count as one conflict. Twenty thousand
    /// conflicts take about a second. If the budget does not suffice, the answer is incomplete and names the limit
    /// `conflicts`. Zero disables the solver. Default: 20,000.
    pub conflicts: u64,
    /// Maximum number of extensions listed. Beyond it the answer names the limit `sets`; the count is still exact.
    /// Default: 5,000.
    pub sets: usize,
    /// Callback polled at intervals. Once it returns true, the answer is incomplete and names the limit `stop`. A
    /// caller with a clock implements a deadline in this way. Default: none.
    pub stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// Steps spent on a question before it is handed to the clause-learning solver.
const FIRST_STEPS: u64 = 20_000;

impl SolverLimits<'_> {
    /// Returns the limits of the first attempt, before the clause-learning solver. If that solver is disabled, the
    /// attempt gets all steps.
    pub fn before_learning(&self) -> Self {
        let nodes = if self.conflicts == 0 { self.nodes } else { self.nodes.min(FIRST_STEPS) };
        Self { nodes, conflicts: 0, ..*self }
    }
}

impl Default for SolverLimits<'_> {
    fn default() -> Self {
        Self { nodes: 1_000_000, conflicts: 20_000, sets: 5_000, stop: None }
    }
}

impl fmt::Debug for SolverLimits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, conflicts, sets, stop } = self;
        let mut told = f.debug_struct("SolverLimits");
        told.field("nodes", nodes).field("conflicts", conflicts).field("sets", sets);
        told.field("stop", &stop.map(|_| "asked")).finish()
    }
}

/// Error: a limit was reached before the answer was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// Name of the limit: `nodes`, `conflicts`, `component` or `stop`.
    pub limit: &'static str,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the limit `{}` was reached before the answer was known; raise it", self.limit)
    }
}

impl Error for Exhausted {}

/// Remaining work budget of an answer.
#[derive(Clone, Copy)]
pub struct WorkBudget<'a> {
    /// Remaining part of [`SolverLimits::nodes`].
    pub steps: u64,
    /// Remaining part of [`SolverLimits::conflicts`].
    pub conflicts: u64,
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// First limit that was reached.
    pub limit: Option<&'static str>,
}

impl<'a> WorkBudget<'a> {
    /// Creates the whole budget that the limits allow.
    pub fn new(limits: &SolverLimits<'a>) -> Self {
        Self { steps: limits.nodes, conflicts: limits.conflicts, stop: limits.stop, limit: None }
    }

    /// Spends `steps` steps; returns false if not enough are left or the caller wants to stop.
    pub fn spend(&mut self, steps: u64) -> bool {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        left.is_some() && !self.is_stopped()
    }

    /// Returns true if the caller wants to stop or the work on this thread was cancelled; in that case, empties the
    /// budget.
    pub fn is_stopped(&mut self) -> bool {
        let stopped = is_cancelled() || self.stop.is_some_and(|stop| stop());
        if stopped {
            self.record_limit(STOP_LIMIT);
            (self.steps, self.conflicts) = (0, 0);
        }
        stopped
    }

    /// Splits off a budget with at most `conflicts` conflicts. [`WorkBudget::take_back`] returns its rest.
    pub fn split_off(&self, conflicts: u64) -> Self {
        Self { conflicts: conflicts.min(self.conflicts), limit: None, ..*self }
    }

    /// Takes back the rest of a budget that was split off with `conflicts` conflicts. Returns true if any conflicts are
    /// left.
    pub fn take_back(&mut self, part: &Self, conflicts: u64) -> bool {
        self.steps = part.steps;
        self.conflicts -= conflicts.min(self.conflicts) - part.conflicts;
        if part.limit == Some(STOP_LIMIT) {
            self.record_limit(STOP_LIMIT);
            (self.steps, self.conflicts) = (0, 0);
        }
        if self.conflicts == 0 {
            self.record_limit(CONFLICT_LIMIT);
        }
        self.conflicts > 0
    }

    /// Returns the callback that is polled for a stop.
    pub fn stop(&self) -> Option<&'a (dyn Fn() -> bool + Sync)> {
        self.stop
    }

    /// Records that a limit was reached. The first one is kept.
    pub fn record_limit(&mut self, limit: &'static str) {
        self.limit.get_or_insert(limit);
    }
}

impl fmt::Debug for WorkBudget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, conflicts, stop: _, limit } = self;
        write!(f, "WorkBudget({steps} steps, {conflicts} conflicts, {limit:?})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_spent_until_none_is_left() {
        fn check(nodes: u64, paid: &[u64], left: u64, suffices: bool) {
            let mut work = WorkBudget::new(&SolverLimits { nodes, ..SolverLimits::default() });
            assert_eq!(paid.iter().all(|&steps| work.spend(steps)), suffices);
            assert_eq!((work.steps, work.limit), (left, None));
        }
        check(5, &[], 5, true);
        check(5, &[2, 3], 0, true);
        check(5, &[2, 4], 0, false);
        check(0, &[1], 0, false);
    }

    #[test]
    fn a_stop_empties_the_budget() {
        let mut work = WorkBudget::new(&SolverLimits { stop: Some(&|| true), ..SolverLimits::default() });
        assert!(!work.spend(1));
        work.record_limit(STEP_LIMIT);
        assert_eq!((work.steps, work.conflicts, work.limit), (0, 0, Some("stop")));
        assert_eq!(format!("{work:?}"), "WorkBudget(0 steps, 0 conflicts, Some(\"stop\"))");
    }

    #[test]
    fn split_budgets_are_taken_back() {
        fn check(granted: u64, spent: u64, left: u64, limit: Option<&'static str>) {
            let mut work = WorkBudget::new(&SolverLimits { conflicts: 100, ..SolverLimits::default() });
            let mut part = work.split_off(granted);
            assert_eq!(part.conflicts, granted.min(100));
            part.conflicts -= spent;
            part.record_limit(CONFLICT_LIMIT);
            assert_eq!(work.take_back(&part, granted), left > 0);
            assert_eq!((work.conflicts, work.limit), (left, limit));
        }
        check(30, 0, 100, None);
        check(30, 30, 70, None);
        check(100, 100, 0, Some("conflicts"));
        check(500, 40, 60, None);
        check(500, 100, 0, Some("conflicts"));
    }

    #[test]
    fn limits_are_formatted() {
        let words = "SolverLimits { nodes: 1000000, conflicts: 20000, sets: 5000, stop: None }";
        assert_eq!(format!("{:?}", SolverLimits::default()), words);
        let words = "the limit `nodes` was reached before the answer was known; raise it";
        assert_eq!(Exhausted { limit: STEP_LIMIT }.to_string(), words);
    }
}
