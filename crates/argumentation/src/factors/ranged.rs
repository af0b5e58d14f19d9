//! Factors of the semantics with maximal range: semi-stable and stage.
//!
//! These semantics are not SCC-recursive, but weakly connected components are independent. If a component has stable
//! sets, these are the sets of the largest range. Otherwise its largest ranges are searched; the sets of each range are
//! the stable sets of the arguments in range that respect the arguments out of range, so they too are counted without
//! being listed.

use crate::components::Components;
use crate::factors::factors::{Factor, FactorChoice, Factors};
use crate::factors::solver::{SearchBudgets, Solver};
use crate::framework::Framework;
use crate::labelling::{Label, grounded};
use crate::limits::WorkBudget;
use crate::sat::ranges::{RangeKind, Ranges, largest_ranges};
use crate::search::region::Aim;

/// Computes all semi-stable extensions if the kind is admissible sets (Caminada 2006), or all stage extensions if it is
/// conflict-free sets (Verheij 1996).
///
/// Semi-stable extensions contain the IN arguments of the grounded labelling, so only its undecided arguments are
/// searched. Stage extensions may not contain them.
pub fn ranged_factors(framework: &Framework, kind: RangeKind, work: WorkBudget<'_>) -> Factors {
    let (fixed, undecided): (Vec<u32>, Vec<u32>) = match kind {
        RangeKind::Admissible => {
            let labelling = grounded(framework);
            (labelling.with(Label::In).collect(), labelling.with(Label::Undec).collect())
        }
        RangeKind::ConflictFree => (Vec::new(), framework.arguments().collect()),
    };
    let mut factors = Factors::single(framework.len(), fixed);
    if undecided.is_empty() {
        return factors;
    }
    let left = framework.restricted_to(&undecided);
    let components = Components::weak(&left);
    let mut solver = Solver::new(framework, Aim::Stable, work, SearchBudgets::default());
    let mut complete = true;
    for component in (0..).take(components.len()) {
        let members: Vec<u32> =
            components.members(component).iter().map(|&member| undecided[member as usize]).collect();
        let part = match stable(&mut solver, &members, |_| false) {
            Stable::Some { choice, complete } => Factor { choices: vec![choice], complete },
            Stable::None => of_largest_range(framework, &mut solver, kind, &members),
            Stable::Unknown => Factor { choices: Vec::new(), complete: false },
        };
        if !part.complete {
            complete = false;
            factors.unsettled.extend(members.iter().filter(|&&member| !framework.has_attack(member, member)));
        }
        factors.roots.push(solver.add(part));
    }
    factors.unsettled.sort_unstable();
    let (parts, limit) = solver.finish();
    (factors.parts, factors.limit) = (parts, limit.filter(|_| !complete));
    factors
}

/// Result of a search for stable sets.
enum Stable {
    /// Stable sets exist: these, and no others if `complete`.
    Some {
        choice: FactorChoice,
        complete: bool,
    },
    None,
    Unknown,
}

/// Computes the stable sets of `members` (ascending) in which every argument with `is_due` is OUT.
fn stable(solver: &mut Solver<'_>, members: &[u32], is_due: impl Fn(u32) -> bool) -> Stable {
    let Some(outcome) = solver.split_undecided(members, is_due) else {
        return Stable::None;
    };
    let mut choice = FactorChoice { inside: outcome.inside, parts: Vec::new() };
    let (mut complete, mut known) = (true, true);
    for problem in outcome.problems {
        let place = solver.solve(problem);
        let part = solver.factor(place);
        match (part.choices.is_empty(), part.complete) {
            (true, true) => return Stable::None,
            (true, false) => known = false,
            (false, _) => complete &= part.complete,
        }
        choice.parts.push(place);
    }
    if known { Stable::Some { choice, complete } } else { Stable::Unknown }
}

/// Computes the sets of the largest ranges of `members`, which have no stable set.
fn of_largest_range(framework: &Framework, solver: &mut Solver<'_>, kind: RangeKind, members: &[u32]) -> Factor {
    let own = framework.restricted_to(members);
    let Ranges { left_out, complete } = largest_ranges(&own, kind, solver.work());
    let mut part = Factor { choices: Vec::new(), complete };
    for left_out in left_out {
        let mut reached = vec![true; own.len()];
        left_out.iter().for_each(|&place| reached[place as usize] = false);
        let is_out_of_range = |place: &u32| !reached[*place as usize];
        let within: Vec<u32> =
            (0..).zip(members).filter(|(place, _)| reached[*place as usize]).map(|(_, &member)| member).collect();
        // An attacker of an argument out of range is not IN, because that argument would be in range otherwise. For
        // admissible sets, a target of an argument out of range is not IN either, because nothing defends it.
        let is_due = |member: u32| {
            let it = u32::try_from(members.partition_point(|&other| other < member)).expect("as many as arguments");
            own.attacked(it).iter().any(is_out_of_range)
                || kind == RangeKind::Admissible && own.attackers(it).iter().any(is_out_of_range)
        };
        match stable(solver, &within, is_due) {
            Stable::Some { choice, complete } => {
                part.choices.push(choice);
                part.complete &= complete;
            }
            Stable::None | Stable::Unknown => part.complete = false,
        }
    }
    part
}
