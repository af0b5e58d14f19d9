//! Largest ranges: the arguments that a set contains or attacks, maximal among the sets of its kind.

use crate::framework::Framework;
use crate::limits::{STEP_LIMIT, WorkBudget};
use crate::sat::clauses::{Clauses, Literal};
use crate::sat::labels::{Bias, LabellingClauses};
use crate::search::region::{Aim, Region};

/// Kind of sets whose ranges are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeKind {
    /// Conflict-free sets that attack all their attackers.
    Admissible,
    /// Conflict-free sets.
    ConflictFree,
}

/// Result of a search for the largest ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// Arguments outside of each largest range, ascending.
    pub left_out: Vec<Vec<u32>>,
    /// True if these are all largest ranges.
    pub complete: bool,
}

/// Finds the largest ranges of the sets of a kind.
///
/// Grows a range until nothing can be added, and then excludes all ranges within it (Dvořák, Järvisalo, Wallner and
/// Woltran 2014). Exponential in the worst case. Takes one step per range.
pub fn largest_ranges(framework: &Framework, kind: RangeKind, work: &mut WorkBudget<'_>) -> Ranges {
    let (mut clauses, reached) = statements(framework, kind, work);
    let mut ranges = Ranges { left_out: Vec::new(), complete: false };
    loop {
        if !work.spend(1) {
            work.record_limit(STEP_LIMIT);
            break;
        }
        match clauses.solve([]) {
            Some(true) => {}
            answer => {
                ranges.complete = answer == Some(false);
                break;
            }
        }
        let Some(left_out) = widen(&mut clauses, &reached) else {
            break;
        };
        clauses.add(left_out.iter().map(|&argument| reached[argument as usize]));
        ranges.left_out.push(left_out);
    }
    clauses.return_conflicts(work);
    ranges
}

/// Grows the range of the last solution to a maximal one, and returns the arguments outside of it. `None` if the
/// conflicts do not suffice.
fn widen(clauses: &mut Clauses<'_>, reached: &[Literal]) -> Option<Vec<u32>> {
    let unreached = |clauses: &Clauses<'_>| -> Vec<u32> {
        (0..).zip(reached).filter(|(_, literal)| !clauses.is_true(**literal)).map(|(argument, _)| argument).collect()
    };
    let mut left_out = unreached(clauses);
    loop {
        let wider = clauses.new_literal(false);
        clauses.add(left_out.iter().map(|&argument| reached[argument as usize]).chain([!wider]));
        let mut omitted = left_out.iter().copied().peekable();
        let kept = (0..).zip(reached).filter(|(argument, _)| omitted.next_if_eq(argument).is_none());
        let kept: Vec<Literal> = kept.map(|(_, literal)| *literal).chain([wider]).collect();
        let answer = clauses.solve(kept);
        if answer == Some(true) {
            left_out = unreached(clauses);
        }
        clauses.add([!wider]);
        match answer {
            Some(true) => {}
            Some(false) => return Some(left_out),
            None => return None,
        }
    }
}

/// Encodes the sets of a kind as clauses, with a literal for each argument that it is in range.
fn statements<'a>(framework: &Framework, kind: RangeKind, work: &WorkBudget<'a>) -> (Clauses<'a>, Vec<Literal>) {
    let (mut clauses, inside, out) = match kind {
        RangeKind::Admissible => {
            let LabellingClauses { clauses, inside, out } =
                LabellingClauses::new(&Region::whole(framework, Aim::Preferred), Aim::Preferred, Bias::Out, work);
            (clauses, inside, out)
        }
        RangeKind::ConflictFree => {
            let mut clauses = Clauses::new(work);
            let inside: Vec<Literal> = framework.arguments().map(|_| clauses.new_literal(false)).collect();
            let out: Vec<Literal> = framework.arguments().map(|_| clauses.new_literal(false)).collect();
            for (attacker, target) in framework.attacks() {
                clauses.add([!inside[attacker as usize], !inside[target as usize]]);
            }
            for argument in framework.arguments() {
                let attackers = framework.attackers(argument).iter().map(|&attacker| inside[attacker as usize]);
                clauses.add(attackers.chain([!out[argument as usize]]));
            }
            (clauses, inside, out)
        }
    };
    let mut reached = Vec::with_capacity(inside.len());
    for (&inside, &out) in inside.iter().zip(&out) {
        let range = clauses.new_literal(false);
        clauses.add([inside, out, !range]);
        clauses.add([!inside, range]);
        clauses.add([!out, range]);
        reached.push(range);
    }
    (clauses, reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::limits::SolverLimits;

    #[test]
    fn ranges_are_found() {
        fn check(arguments: usize, attacks: &[(u32, u32)], kind: RangeKind, left_out: &[&[u32]]) {
            let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
            let mut ranges = largest_ranges(&framework, kind, &mut WorkBudget::new(&SolverLimits::default()));
            ranges.left_out.sort_unstable();
            assert_eq!(
                (&ranges.left_out[..], ranges.complete),
                (&left_out.iter().map(|set| set.to_vec()).collect::<Vec<_>>()[..], true),
                "{attacks:?}"
            );
        }
        use RangeKind::{Admissible, ConflictFree};
        for kind in [Admissible, ConflictFree] {
            check(0, &[], kind, &[&[]]);
            check(1, &[(0, 0)], kind, &[&[0]]);
            check(2, &[(0, 1), (1, 0)], kind, &[&[]]);
        }
        let ring = [(0, 1), (1, 2), (2, 0)];
        check(3, &ring, Admissible, &[&[0, 1, 2]]);
        check(3, &ring, ConflictFree, &[&[0], &[1], &[2]]);
        // 0 attacks 2 of the ring, and 1 attacks nothing but 0.
        let attacks = [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (0, 2)];
        check(5, &attacks, Admissible, &[&[]]);
    }

    #[test]
    fn an_exhausted_limit_is_reported() {
        let framework = Framework::new(3, [(0, 1), (1, 2), (2, 0)]).expect("in range");
        for nodes in 0..3 {
            let mut work = WorkBudget::new(&SolverLimits { nodes, ..SolverLimits::default() });
            let ranges = largest_ranges(&framework, RangeKind::ConflictFree, &mut work);
            assert_eq!((ranges.left_out.len() as u64, ranges.complete, work.limit), (nodes, false, Some("nodes")));
        }
    }
}
