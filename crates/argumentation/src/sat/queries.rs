//! Queries on one set or one argument of a region, each answered by a few solutions.
//!
//! The time to find a solution varies by orders of magnitude with the label that is tried first, and the best label is
//! not known in advance. All are therefore tried in turn with a small budget, and then again with larger ones
//! (Huberman, Lukose and Hogg 1997).

use crate::limits::WorkBudget;
use crate::sat::labels::{Bias, LabellingClauses};
use crate::search::region::{Aim, Region};

/// Conflict budget of the first attempt.
const FIRST_TRY: u64 = 1_000;

/// Growth factor of the budget from one round to the next.
const BUDGET_GROWTH: u64 = 3;

/// Tries the `ways` in turn, with a larger budget in each round, until one yields an answer or the conflicts are spent.
fn in_turn<'a, W: Copy, T>(
    ways: &[W],
    work: &mut WorkBudget<'a>,
    mut attempt: impl FnMut(W, &mut WorkBudget<'a>) -> Option<T>,
) -> Option<T> {
    let mut conflicts = FIRST_TRY;
    loop {
        for &way in ways {
            let mut part = work.split_off(conflicts);
            let answer = attempt(way, &mut part);
            let goes_on = work.take_back(&part, conflicts);
            if answer.is_some() || !goes_on {
                return answer;
            }
        }
        conflicts = conflicts.saturating_mul(BUDGET_GROWTH);
    }
}

/// Finds one set. The outer `None` means that the conflicts do not suffice, the inner one that there is no set.
///
/// For maximal sets, stable sets are tried as well, because one may be found sooner.
pub fn find_set(region: &Region, aim: Aim, work: &mut WorkBudget<'_>) -> Option<Option<Vec<u32>>> {
    let own = vec![(aim, Bias::Out), (aim, Bias::In), (aim, Bias::Undec)];
    let stable = vec![(Aim::Stable, Bias::Out), (Aim::Stable, Bias::In)];
    let ways = if aim == Aim::Preferred { [own, stable].concat() } else { own };
    in_turn(&ways, work, |(sought, bias), work| {
        let mut labels = LabellingClauses::new(region, sought, bias, work);
        let set = match labels.clauses.solve([]) {
            Some(true) if sought == Aim::Preferred => labels.grow(&[]).map(Some),
            Some(true) => Some(Some(labels.set())),
            Some(false) if sought == aim => Some(None),
            _ => None,
        };
        labels.clauses.return_conflicts(work);
        set
    })
}

/// Returns true if some set contains the argument; `None` if the conflicts do not suffice. One solution per attempt.
pub fn some_set_contains(region: &Region, aim: Aim, argument: u32, work: &mut WorkBudget<'_>) -> Option<bool> {
    in_turn(&[Bias::Out, Bias::In], work, |bias, work| {
        let mut labels = LabellingClauses::new(region, aim, bias, work);
        let answer = labels.clauses.solve([labels.inside[argument as usize]]);
        labels.clauses.return_conflicts(work);
        answer
    })
}

/// Returns every argument that is IN in some set, ascending; `None` if the conflicts do not suffice. At most one
/// solution per argument.
pub fn credulous_arguments(region: &Region, aim: Aim, work: &mut WorkBudget<'_>) -> Option<Vec<u32>> {
    let mut labels = LabellingClauses::new(region, aim, Bias::Out, work);
    let mut held = vec![false; region.roles.len()];
    let answer = loop {
        let fresh = labels.inside.iter().zip(&held).filter(|(_, held)| !**held).map(|(literal, _)| *literal);
        let fresh: Vec<_> = fresh.collect();
        labels.clauses.add(fresh);
        match labels.clauses.solve([]) {
            Some(true) => labels.set().iter().for_each(|&argument| held[argument as usize] = true),
            Some(false) => {
                break Some((0..).zip(held).filter(|(_, held)| *held).map(|(argument, _)| argument).collect());
            }
            None => break None,
        }
    };
    labels.clauses.return_conflicts(work);
    answer
}

/// Returns true if every set contains the argument; `None` if the conflicts do not suffice.
///
/// For stable sets, one solution per attempt. For maximal sets, searches a counterexample: grows a set without the
/// argument as far as possible without it. If no set with the argument includes it, it is a counterexample; otherwise
/// all sets within the larger one are excluded (counterexample-guided refinement as in Dvořák, Järvisalo, Wallner and
/// Woltran 2014).
pub fn every_set_contains(region: &Region, aim: Aim, argument: u32, work: &mut WorkBudget<'_>) -> Option<bool> {
    in_turn(&[Bias::Out, Bias::In], work, |bias, work| {
        let mut labels = LabellingClauses::new(region, aim, bias, work);
        let answer = if aim == Aim::Preferred {
            without_counterexample(&mut labels, argument)
        } else {
            labels.clauses.solve([!labels.inside[argument as usize]]).map(|counterexample| !counterexample)
        };
        labels.clauses.return_conflicts(work);
        answer
    })
}

fn without_counterexample(labels: &mut LabellingClauses<'_>, argument: u32) -> Option<bool> {
    let (holds, attacked) = (labels.inside[argument as usize], labels.out[argument as usize]);
    // An argument attacked by a set is in no superset of it.
    if labels.clauses.solve([attacked])? {
        return Some(false);
    }
    if !labels.clauses.solve([holds])? {
        return Some(false);
    }
    while labels.clauses.solve([!holds])? {
        let set = labels.grow(&[!holds])?;
        let members: Vec<_> = set.iter().map(|&member| labels.inside[member as usize]).collect();
        if !labels.clauses.solve(members.into_iter().chain([holds]))? {
            return Some(false);
        }
        let larger = labels.grow(&[])?;
        let other = labels.clause_outside(&larger);
        labels.clauses.add(other);
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::framework::Framework;
    use crate::limits::SolverLimits;

    fn region(arguments: usize, attacks: &[(u32, u32)], aim: Aim) -> Region {
        Region::whole(&Framework::new(arguments, attacks.iter().copied()).expect("in range"), aim)
    }

    #[test]
    fn queries_are_answered() {
        /// Expects a letter per argument: `S` in every set, `C` in some, `R` in none, `V` if there is no set.
        fn check(attacks: &[(u32, u32)], aim: Aim, word: &str) {
            let region = region(word.len(), attacks, aim);
            let mut work = WorkBudget::new(&SolverLimits::default());
            let letter = |argument: u32, work: &mut WorkBudget<'static>| {
                let some = some_set_contains(&region, aim, argument, work).expect("it is easy");
                let every = every_set_contains(&region, aim, argument, work).expect("it is easy");
                match (some, every) {
                    (true, true) => 'S',
                    (true, false) => 'C',
                    (false, false) => 'R',
                    (false, true) => 'V',
                }
            };
            let found: String = (0..).take(word.len()).map(|argument| letter(argument, &mut work)).collect();
            assert_eq!(found, word, "{attacks:?}");
            let held = credulous_arguments(&region, aim, &mut work).expect("it is easy");
            assert!(held.iter().copied().eq(
                (0..).zip(word.chars()).filter(|(_, letter)| "SC".contains(*letter)).map(|(argument, _)| argument)
            ));
            let set = find_set(&region, aim, &mut work).expect("it is easy");
            assert_eq!(set.is_none(), word.contains('V'));
        }
        use Aim::{Preferred, Stable};
        let floating = [(0, 1), (1, 0), (0, 2), (1, 2), (2, 3)];
        let ring = [(0, 1), (1, 2), (2, 0)];
        check(&floating, Preferred, "CCRS");
        check(&floating, Stable, "CCRS");
        check(&ring, Preferred, "RRR");
        check(&ring, Stable, "VVV");
        check(&[(0, 0)], Preferred, "R");
        check(&[(0, 0)], Stable, "V");
        check(&[(0, 1), (1, 0), (1, 1)], Preferred, "SR");
        check(&[(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 2)], Preferred, "CCRCR");
    }

    #[test]
    fn ways_are_tried_in_turn_with_growing_budgets() {
        let mut work = WorkBudget::new(&SolverLimits { conflicts: 10_000, ..SolverLimits::default() });
        let mut tried = Vec::new();
        // The second way finds the answer, given 3,000 conflicts.
        let answer = in_turn(&['a', 'b'], &mut work, |way, part| {
            tried.push((way, part.conflicts));
            let leads = way == 'b' && part.conflicts >= 3_000;
            part.conflicts = 0;
            leads.then_some(7)
        });
        assert_eq!((answer, work.conflicts, work.limit), (Some(7), 2_000, None));
        assert_eq!(tried, [('a', 1_000), ('b', 1_000), ('a', 3_000), ('b', 3_000)]);
        let none = in_turn(&['a'], &mut work, |_, part| {
            part.conflicts = 0;
            None::<()>
        });
        assert_eq!((none, work.conflicts, work.limit), (None, 0, Some("conflicts")));
    }
}
