//! Queries on one set or one argument of a region.
//!
//! The answer to each follows from a few solutions. They are searched by clause learning, with different labels tried
//! first, and by local search.

use std::cell::Cell;
use std::rc::Rc;

use crate::limits::WorkBudget;
use crate::sat::labels::{Bias, LabellingClauses};
use crate::sat::local_search::LocalSearch;
use crate::sat::portfolio::{Portfolio, Turn};
use crate::sat::witnesses::{Condition, admissible_sets, stable_sets};
use crate::search::region::{Aim, Region};

/// Conflicts' worth of each turn of a local search for a stable set.
const STABLE_WALK: u64 = 2_000;

/// Conflicts' worth of each turn of a local search for an admissible set.
const ADMISSIBLE_WALK: u64 = 500;

/// Searches one set that contains `members`; the answer is `None` if there is none.
///
/// For maximal sets, stable sets are searched as well, because one may be found sooner.
pub fn set_search<'a>(region: &'a Region, aim: Aim, members: &[u32]) -> Portfolio<'a, Option<Vec<u32>>> {
    let has_no_stable_set = Rc::new(Cell::new(false));
    let learn = |sought: Aim, bias: Bias| {
        let (mut labels, has_no_stable_set) = (Resumable::new(region, sought, bias), Rc::clone(&has_no_stable_set));
        let members = members.to_vec();
        let mut grown = None;
        move |work: &mut WorkBudget<'a>| {
            if sought != aim && has_no_stable_set.get() {
                return Turn::Useless;
            }
            let turn = labels.resume(work, |labels| {
                if grown.is_none() {
                    let kept: Vec<_> = members.iter().map(|&member| labels.inside[member as usize]).collect();
                    if !labels.clauses.solve(kept)? {
                        return Some(None);
                    }
                    grown = Some(labels.set());
                }
                if sought == Aim::Preferred {
                    labels.grow_from(grown.as_mut()?, &[])?;
                }
                Some(grown.take())
            });
            if sought != aim && turn == Turn::Answer(None) {
                has_no_stable_set.set(true);
                return Turn::Useless;
            }
            turn
        }
    };
    let mut walk = walk(move |condition| stable_sets(region, condition), Condition::Contains(members.to_vec()));
    let ended = Rc::clone(&has_no_stable_set);
    let stable = move |work: &mut WorkBudget<'a>| if ended.get() { Turn::Useless } else { walk(work) };
    let portfolio = Portfolio::new(learn(aim, Bias::Out)).or_briefly(STABLE_WALK, stable).or(4, learn(aim, Bias::In));
    if aim == Aim::Preferred {
        let portfolio = portfolio.or(4, learn(aim, Bias::Undec));
        return portfolio.or(4, learn(Aim::Stable, Bias::Out)).or(4, learn(Aim::Stable, Bias::In));
    }
    portfolio
}

/// Searches a set that contains the argument; the answer is `None` if there is none. For maximal sets, the answer is an
/// admissible set, which is within a maximal one.
pub fn example_search<'a>(region: &'a Region, aim: Aim, argument: u32) -> Portfolio<'a, Option<Vec<u32>>> {
    let learn = |bias: Bias| {
        let mut labels = Resumable::new(region, aim, bias);
        move |work: &mut WorkBudget<'a>| {
            labels.resume(work, |labels| {
                let is_found = labels.clauses.solve([labels.inside[argument as usize]])?;
                Some(is_found.then(|| labels.set()))
            })
        }
    };
    let contains = Condition::Contains(vec![argument]);
    let stable = walk(move |condition| stable_sets(region, condition), contains.clone());
    let portfolio = Portfolio::new(learn(Bias::Out)).or_briefly(STABLE_WALK, stable).or(4, learn(Bias::In));
    let admissible = walk(move |condition| admissible_sets(region, condition), contains);
    if aim == Aim::Preferred { portfolio.or_briefly(ADMISSIBLE_WALK, admissible) } else { portfolio }
}

/// Searches a set that does not contain the argument; the answer is `None` if there is none. For maximal sets, the
/// answer is an admissible set, and no maximal set around it contains the argument.
pub fn counterexample_search<'a>(region: &'a Region, aim: Aim, argument: u32) -> Portfolio<'a, Option<Vec<u32>>> {
    let learn = |bias: Bias| {
        let mut labels = Resumable::new(region, aim, bias);
        let mut counterexamples = Counterexamples::new(argument);
        move |work: &mut WorkBudget<'a>| {
            labels.resume(work, |labels| {
                if aim == Aim::Preferred {
                    return counterexamples.find(labels);
                }
                let is_found = labels.clauses.solve([!labels.inside[argument as usize]])?;
                Some(is_found.then(|| labels.set()))
            })
        }
    };
    let stable = walk(move |condition| stable_sets(region, condition), Condition::Lacks(argument));
    let portfolio = Portfolio::new(learn(Bias::Out)).or_briefly(STABLE_WALK, stable).or(4, learn(Bias::In));
    let admissible = walk(move |condition| admissible_sets(region, condition), Condition::Attacks(argument));
    if aim == Aim::Preferred { portfolio.or_briefly(ADMISSIBLE_WALK, admissible) } else { portfolio }
}

/// Returns a way that resumes a local search, which is prepared at its first turn.
fn walk<'a>(
    prepare: impl Fn(&Condition) -> Option<LocalSearch> + 'a,
    condition: Condition,
) -> impl FnMut(&mut WorkBudget<'a>) -> Turn<Option<Vec<u32>>> + 'a {
    let mut search = None;
    move |work| {
        if search.is_none() {
            search = prepare(&condition);
        }
        match search.as_mut() {
            None => Turn::Useless,
            Some(search) => {
                if search.resume(work) {
                    Turn::Answer(Some(search.true_variables()))
                } else {
                    Turn::Unfinished
                }
            }
        }
    }
}

/// Clauses of a region that are prepared at their first use, and keep what the solver learned from one use to the next.
struct Resumable<'a> {
    region: &'a Region,
    aim: Aim,
    bias: Bias,
    labels: Option<LabellingClauses<'a>>,
}

impl<'a> Resumable<'a> {
    fn new(region: &'a Region, aim: Aim, bias: Bias) -> Self {
        Self { region, aim, bias, labels: None }
    }

    fn resume<T>(
        &mut self,
        work: &mut WorkBudget<'a>,
        attempt: impl FnOnce(&mut LabellingClauses<'a>) -> Option<T>,
    ) -> Turn<T> {
        let prepare = || LabellingClauses::new(self.region, self.aim, self.bias, work);
        let labels = self.labels.get_or_insert_with(prepare);
        labels.clauses.resume(work);
        let answer = attempt(labels);
        labels.clauses.return_conflicts(work);
        answer.map_or(Turn::Unfinished, Turn::Answer)
    }
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

/// Search for a maximal set without an argument.
///
/// Grows a set without the argument as far as possible without it. If no set with the argument includes it, it is a
/// counterexample; otherwise all sets within the larger one are excluded (counterexample-guided refinement as in Dvořák,
/// Järvisalo, Wallner and Woltran 2014). A search that ran out of conflicts can be resumed.
struct Counterexamples {
    argument: u32,
    /// True once a set with the argument is known.
    is_credulous: bool,
    /// True once it is known that no set attacks the argument.
    is_unattacked: bool,
    /// Set without the argument that is being grown.
    grown: Option<Vec<u32>>,
}

impl Counterexamples {
    fn new(argument: u32) -> Self {
        Self { argument, is_credulous: false, is_unattacked: false, grown: None }
    }

    /// Returns a counterexample, or the inner `None` if there is none; the outer `None` if the conflicts do not suffice.
    fn find(&mut self, labels: &mut LabellingClauses<'_>) -> Option<Option<Vec<u32>>> {
        let (holds, attacked) = (labels.inside[self.argument as usize], labels.out[self.argument as usize]);
        if !self.is_credulous {
            if !labels.clauses.solve([holds])? {
                return Some(Some(Vec::new()));
            }
            self.is_credulous = true;
        }
        if !self.is_unattacked {
            // An argument attacked by a set is in no superset of it.
            if labels.clauses.solve([attacked])? {
                return Some(Some(labels.set()));
            }
            labels.clauses.add([!attacked]);
            self.is_unattacked = true;
        }
        loop {
            if self.grown.is_none() {
                if !labels.clauses.solve([!holds])? {
                    return Some(None);
                }
                self.grown = Some(labels.set());
            }
            let set = self.grown.as_mut()?;
            labels.grow_from(set, &[!holds])?;
            let members: Vec<_> = set.iter().map(|&member| labels.inside[member as usize]).collect();
            if !labels.clauses.solve(members.into_iter().chain([holds]))? {
                return Some(self.grown.take());
            }
            let larger = labels.grow(&[])?;
            self.grown = None;
            let other = labels.clause_outside(&larger);
            labels.clauses.add(other);
        }
    }
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
            let mut letter = |argument: u32| {
                let some = example_search(&region, aim, argument).run(&mut work).expect("it is easy").is_some();
                let every = counterexample_search(&region, aim, argument).run(&mut work).expect("it is easy").is_none();
                match (some, every) {
                    (true, true) => 'S',
                    (true, false) => 'C',
                    (false, false) => 'R',
                    (false, true) => 'V',
                }
            };
            let found: String = (0..).take(word.len()).map(&mut letter).collect();
            assert_eq!(found, word, "{attacks:?}");
            let held = credulous_arguments(&region, aim, &mut work).expect("it is easy");
            assert!(held.iter().copied().eq(
                (0..).zip(word.chars()).filter(|(_, letter)| "SC".contains(*letter)).map(|(argument, _)| argument)
            ));
            let set = set_search(&region, aim, &[]).run(&mut work).expect("it is easy");
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
}
