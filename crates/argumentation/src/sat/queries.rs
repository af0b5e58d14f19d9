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

/// Searches one set; the answer is `None` if there is none.
///
/// For maximal sets, stable sets are searched as well, because one may be found sooner.
pub fn set_search<'a>(region: &'a Region, aim: Aim) -> Portfolio<'a, Option<Vec<u32>>> {
    let has_no_stable_set = Rc::new(Cell::new(false));
    let learn = |sought: Aim, bias: Bias| {
        let (mut labels, has_no_stable_set) = (Resumable::new(region, sought, bias), Rc::clone(&has_no_stable_set));
        move |work: &mut WorkBudget<'a>| {
            if sought != aim && has_no_stable_set.get() {
                return Turn::Useless;
            }
            let turn = labels.resume(work, |labels| match labels.clauses.solve([]) {
                Some(true) if sought == Aim::Preferred => labels.grow(&[]).map(Some),
                Some(true) => Some(Some(labels.set())),
                Some(false) => Some(None),
                None => None,
            });
            if sought != aim && turn == Turn::Answer(None) {
                has_no_stable_set.set(true);
                return Turn::Useless;
            }
            turn
        }
    };
    let mut search = None;
    let has_no_stable_set = Rc::clone(&has_no_stable_set);
    let stable = move |work: &mut WorkBudget<'a>| {
        if has_no_stable_set.get() {
            return Turn::Useless;
        }
        resume_walk(&mut search, || stable_sets(region, Condition::None), work, |search| Some(search.true_variables()))
    };
    let portfolio = Portfolio::new(learn(aim, Bias::Out)).or_briefly(STABLE_WALK, stable).or(4, learn(aim, Bias::In));
    if aim == Aim::Preferred {
        let portfolio = portfolio.or(4, learn(aim, Bias::Undec));
        return portfolio.or(4, learn(Aim::Stable, Bias::Out)).or(4, learn(Aim::Stable, Bias::In));
    }
    portfolio
}

/// Searches a set that contains the argument; the answer is true if there is one.
pub fn credulous_search<'a>(region: &'a Region, aim: Aim, argument: u32) -> Portfolio<'a, bool> {
    let learn = |bias: Bias| {
        let mut labels = Resumable::new(region, aim, bias);
        move |work: &mut WorkBudget<'a>| {
            labels.resume(work, |labels| labels.clauses.solve([labels.inside[argument as usize]]))
        }
    };
    let condition = Condition::Contains(argument);
    let portfolio = Portfolio::new(learn(Bias::Out)).or(1, stable_witness(region, condition, true));
    let portfolio = portfolio.or(4, learn(Bias::In));
    // Each admissible set is within a maximal one.
    if aim == Aim::Preferred {
        portfolio.or_briefly(ADMISSIBLE_WALK, admissible_witness(region, condition, true))
    } else {
        portfolio
    }
}

/// Searches a set that does not contain the argument; the answer is true if there is none.
///
/// For stable sets, one solution. For maximal sets, see [`Counterexamples`].
pub fn sceptical_search<'a>(region: &'a Region, aim: Aim, argument: u32) -> Portfolio<'a, bool> {
    let learn = |bias: Bias| {
        let mut labels = Resumable::new(region, aim, bias);
        let mut counterexamples = Counterexamples::new(argument);
        move |work: &mut WorkBudget<'a>| {
            labels.resume(work, |labels| {
                if aim == Aim::Preferred {
                    return counterexamples.are_absent(labels);
                }
                labels.clauses.solve([!labels.inside[argument as usize]]).map(|counterexample| !counterexample)
            })
        }
    };
    let lacks = stable_witness(region, Condition::Lacks(argument), false);
    let portfolio = Portfolio::new(learn(Bias::Out)).or_briefly(STABLE_WALK, lacks).or(4, learn(Bias::In));
    // A set that attacks the argument is within a maximal one, which does not contain it either.
    let attacks = admissible_witness(region, Condition::Attacks(argument), false);
    if aim == Aim::Preferred { portfolio.or_briefly(ADMISSIBLE_WALK, attacks) } else { portfolio }
}

/// Answers `answer` as soon as a stable set under the condition is found.
fn stable_witness<'a>(
    region: &'a Region,
    condition: Condition,
    answer: bool,
) -> impl FnMut(&mut WorkBudget<'a>) -> Turn<bool> + 'a {
    let mut search = None;
    move |work| resume_walk(&mut search, || stable_sets(region, condition), work, |_| answer)
}

/// Answers `answer` as soon as an admissible set under the condition is found.
fn admissible_witness<'a>(
    region: &'a Region,
    condition: Condition,
    answer: bool,
) -> impl FnMut(&mut WorkBudget<'a>) -> Turn<bool> + 'a {
    let mut search = None;
    move |work| resume_walk(&mut search, || admissible_sets(region, condition), work, |_| answer)
}

/// Resumes a local search, which is prepared at its first turn.
fn resume_walk<T>(
    search: &mut Option<LocalSearch>,
    prepare: impl FnOnce() -> Option<LocalSearch>,
    work: &mut WorkBudget<'_>,
    answer: impl FnOnce(&LocalSearch) -> T,
) -> Turn<T> {
    if search.is_none() {
        *search = prepare();
    }
    let Some(search) = search else {
        return Turn::Useless;
    };
    if search.resume(work) { Turn::Answer(answer(search)) } else { Turn::Unfinished }
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
}

impl Counterexamples {
    fn new(argument: u32) -> Self {
        Self { argument, is_credulous: false, is_unattacked: false }
    }

    /// Returns true if every maximal set contains the argument; `None` if the conflicts do not suffice.
    fn are_absent(&mut self, labels: &mut LabellingClauses<'_>) -> Option<bool> {
        let (holds, attacked) = (labels.inside[self.argument as usize], labels.out[self.argument as usize]);
        if !self.is_credulous {
            if !labels.clauses.solve([holds])? {
                return Some(false);
            }
            self.is_credulous = true;
        }
        if !self.is_unattacked {
            // An argument attacked by a set is in no superset of it.
            if labels.clauses.solve([attacked])? {
                return Some(false);
            }
            labels.clauses.add([!attacked]);
            self.is_unattacked = true;
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
                let some = credulous_search(&region, aim, argument).run(&mut work).expect("it is easy");
                let every = sceptical_search(&region, aim, argument).run(&mut work).expect("it is easy");
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
            let set = set_search(&region, aim).run(&mut work).expect("it is easy");
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
