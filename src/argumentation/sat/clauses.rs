//! Clauses over numbered statements, and whether they can all hold: the solver batsat, with a budget of conflicts.

use std::cell::Cell;
use std::fmt;
use std::ops::Not;

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};

use crate::argumentation::cancellation::is_cancelled;
use crate::argumentation::limits::{CONFLICT_LIMIT, Work};

/// A statement or its denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal(Lit);

impl Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// Clauses, of each of which something must hold.
pub struct Clauses<'a> {
    solver: Solver<Watch<'a>>,
    clause: Vec<Lit>,
    assumed: Vec<Lit>,
}

/// How many decisions pass between two questions whether to stop.
const STOP_INTERVAL: u32 = 64;

/// What ends the solver's work early.
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
    /// No clause yet; with the conflicts that are left of the work.
    pub fn new(work: &Work<'a>) -> Self {
        let watch = Watch {
            conflicts: Cell::new(work.conflicts),
            decisions: Cell::new(0),
            stop: work.stop(),
            stopped: Cell::new(false),
        };
        Self { solver: Solver::new(SolverOpts::default(), watch), clause: Vec::new(), assumed: Vec::new() }
    }

    /// A statement not made before. If it is likely the solver tries first that it holds, else that it does not.
    pub fn statement(&mut self, likely: bool) -> Literal {
        // Of a variable it tries first that it is false.
        Literal(Lit::new(self.solver.new_var_default(), !likely))
    }

    /// From now on one of these must hold.
    pub fn add(&mut self, clause: impl IntoIterator<Item = Literal>) {
        self.clause.clear();
        self.clause.extend(clause.into_iter().map(|literal| literal.0));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// Whether all clauses can hold together with what is assumed. `None` when the conflicts do not suffice to know.
    pub fn solve(&mut self, assumed: impl IntoIterator<Item = Literal>) -> Option<bool> {
        self.assumed.clear();
        self.assumed.extend(assumed.into_iter().map(|literal| literal.0));
        let answer = self.solver.solve_limited(&self.assumed);
        if answer == lbool::UNDEF { None } else { Some(answer == lbool::TRUE) }
    }

    /// Whether a literal holds in the last solution.
    pub fn holds(&self, literal: Literal) -> bool {
        self.solver.value_lit(literal.0) == lbool::TRUE
    }

    /// Gives back to the work the conflicts that are left, and says which limit was reached if none are.
    pub fn settle(&self, work: &mut Work<'a>) {
        work.conflicts = self.solver.cb().conflicts.get();
        if self.solver.cb().stopped.get() {
            work.is_stopped();
        }
        if work.conflicts == 0 {
            work.reach(CONFLICT_LIMIT);
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

    use crate::argumentation::limits::Limits;

    /// So many pigeons in one hole fewer: impossible, and hard to see.
    fn pigeons(count: usize, work: &Work<'static>) -> Clauses<'static> {
        let mut clauses = Clauses::new(work);
        let sits: Vec<Vec<Literal>> =
            (0..count).map(|_| (1..count).map(|_| clauses.statement(false)).collect()).collect();
        sits.iter().for_each(|holes| clauses.add(holes.iter().copied()));
        for (number, one) in sits.iter().enumerate() {
            for other in &sits[..number] {
                one.iter().zip(other).for_each(|(&a, &b)| clauses.add([!a, !b]));
            }
        }
        clauses
    }

    #[test]
    fn clauses_are_solved() {
        let mut clauses = Clauses::new(&Work::new(&Limits::default()));
        let [a, b, c] = [(); 3].map(|()| clauses.statement(false));
        clauses.add([a, b]);
        clauses.add([!a, c]);
        let mut check = |assumed: &[Literal], answer: bool, holding: &[Literal]| {
            assert_eq!(clauses.solve(assumed.iter().copied()), Some(answer));
            assert!(!answer || holding.iter().all(|&literal| clauses.holds(literal)));
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
            let mut work = Work::new(&Limits { conflicts, ..Limits::default() });
            let mut clauses = pigeons(6, &work);
            assert_eq!(clauses.solve([]), answer, "{clauses:?}");
            clauses.settle(&mut work);
            assert_eq!(work.limit, limit);
            assert!(work.conflicts < conflicts);
        }
        check(10, None, Some("conflicts"));
        check(100_000, Some(false), None);
    }

    #[test]
    fn a_stop_is_heard() {
        let mut work = Work::new(&Limits { stop: Some(&|| true), ..Limits::default() });
        let mut clauses = pigeons(9, &work);
        assert_eq!(clauses.solve([]), None);
        clauses.settle(&mut work);
        assert_eq!((work.conflicts, work.limit), (0, Some("stop")));
    }
}
