//! How much work an answer may take and how long it may be; and what is said when that did not suffice.

use std::error::Error;
use std::fmt;

use crate::argumentation::cancellation::is_cancelled;

/// The name of the limit [`Limits::nodes`].
pub const STEP_LIMIT: &str = "nodes";

/// The name of the limit [`Limits::conflicts`].
pub const CONFLICT_LIMIT: &str = "conflicts";

/// The name of the limit [`Limits::sets`].
pub const SET_LIMIT: &str = "sets";

/// The name of the limit on a region in which nothing is free, and which is too large for the search on bit sets.
pub const SIZE_LIMIT: &str = "component";

/// The name of the limit that [`Limits::stop`] is.
pub const STOP_LIMIT: &str = "stop";

/// How much work an answer may take, and how long it may be.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Steps of the search, for all of a framework together. One is a decision on an argument in a region of up to 64,
    /// in a larger one of as many as there are times 64 arguments in it; or taking up to 16 arguments apart. Where they
    /// do not suffice the answer is incomplete and names the limit `nodes`. A million steps take some tenths of a
    /// second, in the densest frameworks of hundreds of arguments a second or two. Default: 1,000,000.
    pub nodes: u64,
    /// Conflicts of the clause-learning solver, for all of a framework together: it takes over where a search on bit
    /// sets takes too long. Twenty thousand take about a second. Where they do not suffice the answer is incomplete and
    /// names the limit `conflicts`. None at all leaves that solver out. Default: 20,000.
    pub conflicts: u64,
    /// Extensions written out. Beyond it the answer names the limit `sets`, and the count is exact all the same.
    /// Default: 5,000.
    pub sets: usize,
    /// Asked now and then whether to stop: then the answer is incomplete and names the limit `stop`. A caller that knows
    /// a clock gives a deadline in this way. Default: never.
    pub stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// The steps that are tried before a question that the solver that learns can answer goes to it.
const FIRST_STEPS: u64 = 20_000;

impl Limits<'_> {
    /// What is tried before the solver that learns. Without that solver there is nothing to save steps for.
    pub fn before_learning(&self) -> Self {
        let nodes = if self.conflicts == 0 { self.nodes } else { self.nodes.min(FIRST_STEPS) };
        Self { nodes, conflicts: 0, ..*self }
    }
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self { nodes: 1_000_000, conflicts: 20_000, sets: 5_000, stop: None }
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, conflicts, sets, stop } = self;
        let mut told = f.debug_struct("Limits");
        told.field("nodes", nodes).field("conflicts", conflicts).field("sets", sets);
        told.field("stop", &stop.map(|_| "asked")).finish()
    }
}

/// A limit was reached before an answer was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// The limit: `nodes`, `conflicts`, `component` or `stop`.
    pub limit: &'static str,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the limit `{}` was reached before the answer was known; raise it", self.limit)
    }
}

impl Error for Exhausted {}

/// The work that is left for an answer.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// What is left of [`Limits::nodes`].
    pub steps: u64,
    /// What is left of [`Limits::conflicts`].
    pub conflicts: u64,
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// The first limit that was reached.
    pub limit: Option<&'static str>,
}

impl<'a> Work<'a> {
    /// All that the limits allow.
    pub fn new(limits: &Limits<'a>) -> Self {
        Self { steps: limits.nodes, conflicts: limits.conflicts, stop: limits.stop, limit: None }
    }

    /// Takes so many steps; false when there are not enough left, or the caller wants to stop.
    pub fn pay(&mut self, steps: u64) -> bool {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        left.is_some() && !self.is_stopped()
    }

    /// Whether the caller wants to stop, or the work on this thread was cancelled. From then on nothing is left.
    pub fn is_stopped(&mut self) -> bool {
        let stopped = is_cancelled() || self.stop.is_some_and(|stop| stop());
        if stopped {
            self.reach(STOP_LIMIT);
            (self.steps, self.conflicts) = (0, 0);
        }
        stopped
    }

    /// A part of the work, of so many conflicts at most; [`Work::take_back`] settles it.
    pub fn part(&self, conflicts: u64) -> Self {
        Self { conflicts: conflicts.min(self.conflicts), limit: None, ..*self }
    }

    /// Takes back what is left of a part that began with so many conflicts. Whether there is anything left to go on with.
    pub fn take_back(&mut self, part: &Self, conflicts: u64) -> bool {
        self.steps = part.steps;
        self.conflicts -= conflicts.min(self.conflicts) - part.conflicts;
        if part.limit == Some(STOP_LIMIT) {
            self.reach(STOP_LIMIT);
            (self.steps, self.conflicts) = (0, 0);
        }
        if self.conflicts == 0 {
            self.reach(CONFLICT_LIMIT);
        }
        self.conflicts > 0
    }

    /// What asks whether to stop.
    pub fn stop(&self) -> Option<&'a (dyn Fn() -> bool + Sync)> {
        self.stop
    }

    /// Takes note that a limit was reached; the first one counts.
    pub fn reach(&mut self, limit: &'static str) {
        self.limit.get_or_insert(limit);
    }
}

impl fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, conflicts, stop: _, limit } = self;
        write!(f, "Work({steps} steps, {conflicts} conflicts, {limit:?})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_spent() {
        fn check(nodes: u64, paid: &[u64], left: u64, suffices: bool) {
            let mut work = Work::new(&Limits { nodes, ..Limits::default() });
            assert_eq!(paid.iter().all(|&steps| work.pay(steps)), suffices);
            assert_eq!((work.steps, work.limit), (left, None));
        }
        check(5, &[], 5, true);
        check(5, &[2, 3], 0, true);
        check(5, &[2, 4], 0, false);
        check(0, &[1], 0, false);
    }

    #[test]
    fn a_stop_leaves_nothing() {
        let mut work = Work::new(&Limits { stop: Some(&|| true), ..Limits::default() });
        assert!(!work.pay(1));
        work.reach(STEP_LIMIT);
        assert_eq!((work.steps, work.conflicts, work.limit), (0, 0, Some("stop")));
        assert_eq!(format!("{work:?}"), "Work(0 steps, 0 conflicts, Some(\"stop\"))");
    }

    #[test]
    fn parts_are_taken_back() {
        fn check(granted: u64, spent: u64, left: u64, limit: Option<&'static str>) {
            let mut work = Work::new(&Limits { conflicts: 100, ..Limits::default() });
            let mut part = work.part(granted);
            assert_eq!(part.conflicts, granted.min(100));
            part.conflicts -= spent;
            part.reach(CONFLICT_LIMIT);
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
    fn limits_are_told() {
        let words = "Limits { nodes: 1000000, conflicts: 20000, sets: 5000, stop: None }";
        assert_eq!(format!("{:?}", Limits::default()), words);
        let words = "the limit `nodes` was reached before the answer was known; raise it";
        assert_eq!(Exhausted { limit: STEP_LIMIT }.to_string(), words);
    }
}
