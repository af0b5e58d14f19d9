//! Propositional clauses and their satisfiability, by the solver batsat with a budget of conflicts.

use std::cell::Cell;
use std::fmt;
use std::ops::Not;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};

use crate::cancellation::is_cancelled;
use crate::limits::{CONFLICT_LIMIT, WorkBudget};

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal(Lit);

impl Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// Conjunction of clauses.
pub struct Clauses<'a> {
    solver: Solver<Watch<'a>>,
    clause: Vec<Lit>,
    assumed: Vec<Lit>,
}

/// Number of decisions between two checks of the stop callback.
const STOP_INTERVAL: u32 = 64;

/// Conditions that end the solver's work early.
struct Watch<'a> {
    conflicts: Cell<u64>,
    decisions: Cell<u32>,
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
    stopped: Cell<bool>,
}

impl Callbacks for Watch<'_> {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts.set(self.conflicts.get().saturating_sub(1));
        }
    }

    fn stop(&self) -> bool {
        let decisions = self.decisions.get().wrapping_add(1);
        self.decisions.set(decisions);
        if decisions.is_multiple_of(STOP_INTERVAL) && (is_cancelled() || self.stop.is_some_and(|stop| stop())) {
            self.stopped.set(true);
        }
        self.conflicts.get() == 0 || self.stopped.get()
    }
}

impl<'a> Clauses<'a> {
    /// Creates an empty conjunction, with the remaining conflicts of `work`.
    pub fn new(work: &WorkBudget<'a>) -> Self {
        let watch = Watch {
            conflicts: Cell::new(work.conflicts),
            decisions: Cell::new(0),
            stop: work.stop(),
            stopped: Cell::new(false),
        };
        Self { solver: Solver::new(SolverOpts::default(), watch), clause: Vec::new(), assumed: Vec::new() }
    }

    /// Adds a variable and returns a literal of it. The solver tries first that the literal is true if `likely`, and
    /// otherwise that it is false.
    pub fn new_literal(&mut self, likely: bool) -> Literal {
        // The solver first assigns false to a variable.
        Literal(Lit::new(self.solver.new_var_default(), !likely))
    }

    /// Adds a clause: at least one of these literals must be true.
    pub fn add(&mut self, clause: impl IntoIterator<Item = Literal>) {
        self.clause.clear();
        self.clause.extend(clause.into_iter().map(|literal| literal.0));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// Returns true if the clauses are satisfiable under the assumptions. `None` if the conflicts do not suffice to
    /// decide.
    pub fn solve(&mut self, assumed: impl IntoIterator<Item = Literal>) -> Option<bool> {
        self.assumed.clear();
        self.assumed.extend(assumed.into_iter().map(|literal| literal.0));
        let answer = self.solver.solve_limited(&self.assumed);
        if answer == lbool::UNDEF { None } else { Some(answer == lbool::TRUE) }
    }

    /// Returns true if a literal is true in the last solution.
    pub fn is_true(&self, literal: Literal) -> bool {
        self.solver.value_lit(literal.0) == lbool::TRUE
    }

    /// Continues with the conflicts of `work`, and keeps all learned clauses.
    pub fn resume(&mut self, work: &WorkBudget<'_>) {
        self.solver.cb_mut().conflicts.set(work.conflicts);
    }

    /// Returns the remaining conflicts to `work`, and records the limit if none are left.
    pub fn return_conflicts(&self, work: &mut WorkBudget<'a>) {
        work.conflicts = self.solver.cb().conflicts.get();
        if self.solver.cb().stopped.get() {
            work.is_stopped();
        }
        if work.conflicts == 0 {
            work.record_limit(CONFLICT_LIMIT);
        }
    }
}

impl fmt::Debug for Clauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clauses({} statements, {} clauses)", self.solver.num_vars(), self.solver.num_clauses())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::limits::SolverLimits;

    /// Builds the pigeonhole problem of `count` pigeons and one hole fewer: unsatisfiable, and hard to refute.
    fn pigeons(count: usize, work: &WorkBudget<'static>) -> Clauses<'static> {
        let mut clauses = Clauses::new(work);
        let sits: Vec<Vec<Literal>> =
            (0..count).map(|_| (1..count).map(|_| clauses.new_literal(false)).collect()).collect();
        sits.iter().for_each(|holes| clauses.add(holes.iter().copied()));
        for (number, one) in sits.iter().enumerate() {
            for other in &sits[..number] {
                one.iter().zip(other).for_each(|(&a, &b)| clauses.add([!a, !b]));
            }
        }
        clauses
    }

    #[test]
    fn satisfiability_is_decided() {
        let mut clauses = Clauses::new(&WorkBudget::new(&SolverLimits::default()));
        let [a, b, c] = [(); 3].map(|()| clauses.new_literal(false));
        clauses.add([a, b]);
        clauses.add([!a, c]);
        let mut check = |assumed: &[Literal], answer: bool, holding: &[Literal]| {
            assert_eq!(clauses.solve(assumed.iter().copied()), Some(answer));
            assert!(!answer || holding.iter().all(|&literal| clauses.is_true(literal)));
        };
        check(&[], true, &[]);
        check(&[!b], true, &[a, c]);
        check(&[!b, !c], false, &[]);
        check(&[!c], true, &[b, !a]);
        clauses.add([]);
        assert_eq!(clauses.solve([]), Some(false));
    }

    #[test]
    fn conflicts_are_bounded() {
        fn check(conflicts: u64, answer: Option<bool>, limit: Option<&'static str>) {
            let mut work = WorkBudget::new(&SolverLimits { conflicts, ..SolverLimits::default() });
            let mut clauses = pigeons(6, &work);
            assert_eq!(clauses.solve([]), answer, "{clauses:?}");
            clauses.return_conflicts(&mut work);
            assert_eq!(work.limit, limit);
            assert!(work.conflicts < conflicts);
        }
        check(10, None, Some("conflicts"));
        check(100_000, Some(false), None);
    }

    #[test]
    fn an_interrupted_solution_is_resumed() {
        let mut work = WorkBudget::new(&SolverLimits { conflicts: 10, ..SolverLimits::default() });
        let mut clauses = pigeons(6, &work);
        let mut answers = Vec::new();
        while answers.last() != Some(&Some(false)) {
            work.conflicts = 10;
            clauses.resume(&work);
            answers.push(clauses.solve([]));
            clauses.return_conflicts(&mut work);
        }
        assert!(answers.len() > 2 && answers[..answers.len() - 1].iter().all(Option::is_none), "{answers:?}");
    }

    #[test]
    fn a_requested_stop_ends_the_search() {
        let mut work = WorkBudget::new(&SolverLimits { stop: Some(&|| true), ..SolverLimits::default() });
        let mut clauses = pigeons(9, &work);
        assert_eq!(clauses.solve([]), None);
        clauses.return_conflicts(&mut work);
        assert_eq!((work.conflicts, work.limit), (0, Some("stop")));
    }
}
