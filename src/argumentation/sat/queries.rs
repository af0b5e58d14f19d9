//! Questions on one argument of a region, each by a few solutions.

use crate::argumentation::limits::Work;
use crate::argumentation::sat::labels::Labels;
use crate::argumentation::search::region::{Aim, Region};

/// One set as is wanted; the outer `None` when the conflicts do not suffice, the inner when there is none.
pub fn some_set(region: &Region, aim: Aim, work: &mut Work<'_>) -> Option<Option<Vec<u32>>> {
    let mut labels = Labels::new(region, aim, work);
    let set = match labels.clauses.solve([]) {
        Some(true) if aim == Aim::Preferred => labels.grow(&[]).map(Some),
        Some(true) => Some(Some(labels.set())),
        Some(false) => Some(None),
        None => None,
    };
    labels.clauses.settle(work);
    set
}

/// Whether some set holds the argument. One solution.
pub fn some_holds(region: &Region, aim: Aim, argument: u32, work: &mut Work<'_>) -> Option<bool> {
    let mut labels = Labels::new(region, aim, work);
    let answer = labels.clauses.solve([labels.inside[argument as usize]]);
    labels.clauses.settle(work);
    answer
}

/// What some sets hold: every argument that is IN in one of them, ascending. At most a solution an argument.
pub fn held_by_some(region: &Region, aim: Aim, work: &mut Work<'_>) -> Option<Vec<u32>> {
    let mut labels = Labels::new(region, aim, work);
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
    let mut labels = Labels::new(region, aim, work);
    let answer = if aim == Aim::Preferred {
        without_counterexample(&mut labels, argument)
    } else {
        labels.clauses.solve([!labels.inside[argument as usize]]).map(|counterexample| !counterexample)
    };
    labels.clauses.settle(work);
    answer
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
