//! Questions on one set or one argument of a region, each by a few solutions.
//!
//! How long a solver takes to find one varies by orders of magnitude with what it tries first, and nobody knows in
//! advance which way is the short one. So the ways are tried in turn, each for so long, and then again for longer (Huberman,
//! Lukose and Hogg 1997).

use crate::argumentation::limits::Work;
use crate::argumentation::sat::labels::{Bias, Labels};
use crate::argumentation::search::region::{Aim, Region};

/// The conflicts of a first try.
const FIRST_TRY: u64 = 1_000;

/// How many times longer each next one takes.
const PATIENCE_GROWTH: u64 = 3;

/// Tries one way after the other, again and for longer each time, until one leads to an answer or the conflicts are
/// spent.
fn in_turn<'a, W: Copy, T>(
    ways: &[W],
    work: &mut Work<'a>,
    mut attempt: impl FnMut(W, &mut Work<'a>) -> Option<T>,
) -> Option<T> {
    let mut conflicts = FIRST_TRY;
    loop {
        for &way in ways {
            let mut part = work.part(conflicts);
            let answer = attempt(way, &mut part);
            let goes_on = work.take_back(&part, conflicts);
            if answer.is_some() || !goes_on {
                return answer;
            }
        }
        conflicts = conflicts.saturating_mul(PATIENCE_GROWTH);
    }
}

/// One set as is wanted; the outer `None` when the conflicts do not suffice, the inner when there is none.
///
/// Of maximal sets also a stable one is looked for, for where there is one it may be found sooner.
pub fn some_set(region: &Region, aim: Aim, work: &mut Work<'_>) -> Option<Option<Vec<u32>>> {
    let own = vec![(aim, Bias::Out), (aim, Bias::In), (aim, Bias::Undec)];
    let stable = vec![(Aim::Stable, Bias::Out), (Aim::Stable, Bias::In)];
    let ways = if aim == Aim::Preferred { [own, stable].concat() } else { own };
    in_turn(&ways, work, |(sought, bias), work| {
        let mut labels = Labels::new(region, sought, bias, work);
        let set = match labels.clauses.solve([]) {
            Some(true) if sought == Aim::Preferred => labels.grow(&[]).map(Some),
            Some(true) => Some(Some(labels.set())),
            Some(false) if sought == aim => Some(None),
            _ => None,
        };
        labels.clauses.settle(work);
        set
    })
}

/// Whether some set holds the argument. One solution.
pub fn some_holds(region: &Region, aim: Aim, argument: u32, work: &mut Work<'_>) -> Option<bool> {
    in_turn(&[Bias::Out, Bias::In], work, |bias, work| {
        let mut labels = Labels::new(region, aim, bias, work);
        let answer = labels.clauses.solve([labels.inside[argument as usize]]);
        labels.clauses.settle(work);
        answer
    })
}

/// What some sets hold: every argument that is IN in one of them, ascending. At most a solution an argument.
pub fn held_by_some(region: &Region, aim: Aim, work: &mut Work<'_>) -> Option<Vec<u32>> {
    let mut labels = Labels::new(region, aim, Bias::Out, work);
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
    labels.clauses.settle(work);
    answer
}

/// Whether every set holds the argument.
///
/// For stable sets one solution. For maximal ones a counterexample is looked for: a set without the argument, as large
/// as it can be without it. If it is part of none with the argument, it is a counterexample; else nothing within the
/// larger one is (counterexample-guided refinement as in Dvořák, Järvisalo, Wallner and Woltran 2014).
pub fn every_holds(region: &Region, aim: Aim, argument: u32, work: &mut Work<'_>) -> Option<bool> {
    in_turn(&[Bias::Out, Bias::In], work, |bias, work| {
        let mut labels = Labels::new(region, aim, bias, work);
        let answer = if aim == Aim::Preferred {
            without_counterexample(&mut labels, argument)
        } else {
            labels.clauses.solve([!labels.inside[argument as usize]]).map(|counterexample| !counterexample)
        };
        labels.clauses.settle(work);
        answer
    })
}

fn without_counterexample(labels: &mut Labels<'_>, argument: u32) -> Option<bool> {
    let (holds, attacked) = (labels.inside[argument as usize], labels.out[argument as usize]);
    // What is attacked by a set is in no larger one.
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
        let other = labels.beyond(&larger);
        labels.clauses.add(other);
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::argumentation::framework::Framework;
    use crate::argumentation::limits::Limits;

    fn region(arguments: usize, attacks: &[(u32, u32)], aim: Aim) -> Region {
        Region::whole(&Framework::new(arguments, attacks.iter().copied()).expect("in range"), aim)
    }

    #[test]
    fn questions_are_answered() {
        /// For each argument `S`, `C` or `R`: it is in every set, in some, or in none. `V`: there is none.
        fn check(attacks: &[(u32, u32)], aim: Aim, word: &str) {
            let region = region(word.len(), attacks, aim);
            let mut work = Work::new(&Limits::default());
            let letter = |argument: u32, work: &mut Work<'static>| {
                let some = some_holds(&region, aim, argument, work).expect("it is easy");
                let every = every_holds(&region, aim, argument, work).expect("it is easy");
                match (some, every) {
                    (true, true) => 'S',
                    (true, false) => 'C',
                    (false, false) => 'R',
                    (false, true) => 'V',
                }
            };
            let found: String = (0..).take(word.len()).map(|argument| letter(argument, &mut work)).collect();
            assert_eq!(found, word, "{attacks:?}");
            let held = held_by_some(&region, aim, &mut work).expect("it is easy");
            assert!(
                held.iter().copied().eq((0..).zip(word.chars()).filter(|(_, it)| "SC".contains(*it)).map(|(it, _)| it))
            );
            let set = some_set(&region, aim, &mut work).expect("it is easy");
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
    fn one_way_after_the_other() {
        let mut work = Work::new(&Limits { conflicts: 10_000, ..Limits::default() });
        let mut tried = Vec::new();
        // The second way leads there, given 3,000.
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
