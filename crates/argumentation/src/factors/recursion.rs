//! Factors of the SCC-recursive semantics: preferred, complete and stable.

use crate::factors::factors::Factors;
use crate::factors::solver::{SearchBudgets, Solver};
use crate::framework::Framework;
use crate::labelling::{Label, grounded};
use crate::limits::WorkBudget;
use crate::search::region::Aim;

/// Computes all extensions of a framework that `aim` asks for.
///
/// Every extension contains the IN arguments of the grounded labelling. Its undecided arguments split into independent
/// parts, and each part is solved on its own.
pub fn recursive_factors(framework: &Framework, aim: Aim, work: WorkBudget<'_>, budgets: SearchBudgets) -> Factors {
    let labelling = grounded(framework);
    let (mut fixed, mut undecided) = (Vec::with_capacity(framework.len()), Vec::with_capacity(framework.len()));
    fixed.extend(labelling.with(Label::In));
    undecided.extend(labelling.with(Label::Undec));
    let mut factors = Factors { assured: aim != Aim::Stable, ..Factors::single(framework.len(), fixed) };
    if undecided.is_empty() {
        return factors;
    }
    let mut solver = Solver::new(framework, aim, work, budgets);
    let Some(outcome) = solver.split_undecided(&undecided, |_| false) else {
        return Factors::none(framework.len());
    };
    factors.fixed.extend(outcome.inside);
    factors.fixed.sort_unstable();
    let mut complete = true;
    for problem in outcome.problems {
        let settled = factors.unsettled.len();
        let open = problem.arguments().filter(|(_, role)| role.is_open());
        factors.unsettled.extend(open.map(|(argument, _)| argument));
        let root = solver.solve(problem);
        let part = solver.factor(root);
        if part.complete {
            factors.unsettled.truncate(settled);
            if part.choices.is_empty() {
                return Factors::none(framework.len());
            }
        }
        complete &= part.complete;
        factors.roots.push(root);
    }
    factors.unsettled.sort_unstable();
    let (parts, limit) = solver.finish();
    (factors.parts, factors.limit) = (parts, limit.filter(|_| !complete));
    factors
}
