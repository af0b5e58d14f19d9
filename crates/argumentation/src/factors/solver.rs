//! Solver that computes the parts of a framework, each once, from problems to sums of products.
//!
//! ```text
//! problem --> its source --search--> finished: the sets of the source are the choices
//!                               \--> not finished, but clause learning is: the same
//!                               \--> neither: branch on one argument of it, IN or not IN
//! each choice --> the rest, split --> smaller problems, each solved in the same way or already known
//! ```
//!
//! The step budget of a search depends on how well the problem splits (its width in [`Elimination`]): small if a
//! decision soon leaves small pieces, as in nearly every debate, and large otherwise. If the problem does not split at
//! all, the clause-learning solver is tried before the search of the whole source is given up.

use std::collections::BTreeMap;

use crate::factors::elimination::Elimination;
use crate::factors::factors::{Factor, FactorChoice};
use crate::factors::frame::Frame;
use crate::factors::problem::{Decision, SourceComponent, SplitOutcome, Subproblem};
use crate::factors::splitting::ProblemSplitter;
use crate::framework::Framework;
use crate::limits::{SIZE_LIMIT, STEP_LIMIT, WorkBudget};
use crate::sat::sets::learn_sets;
use crate::search::region::{Aim, ArgumentRole};
use crate::search::search::{FoundSets, MAX_REGION, find_sets};

/// Width up to which a problem splits well. The step budget doubles with each unit above it.
const GOOD_WIDTH: usize = 8;

/// Steps of a search after which the clause-learning solver is tried, if these do not suffice and the budget is larger.
const UNLEARNED: u64 = 1 << 16;

/// Steps per set below which clause learning saves nothing.
const STEPS_A_SET: u64 = 256;

/// Maximum number of sets of a source to learn.
const MAX_LEARNED_SETS: usize = 4_096;

/// Step budgets of a search before a problem is split by a decision on one argument instead. They bound the work lost
/// on the wrong method; no answer depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchBudgets {
    /// Budget before the width of the problem is known.
    pub before_width: u64,
    /// Budget for a problem that splits well.
    pub at_good_width: u64,
}

impl Default for SearchBudgets {
    fn default() -> Self {
        Self { before_width: 2_000, at_good_width: 32 }
    }
}

/// Total number of arguments of the problems that are cached in case they occur again. Problems beyond it are solved
/// again: this bounds memory and changes no answer.
const MEMORY: usize = 1 << 22;

/// Solver of the problems of one framework.
#[derive(Debug)]
pub struct Solver<'f> {
    aim: Aim,
    splitter: ProblemSplitter<'f>,
    /// Remaining work budget.
    work: WorkBudget<'f>,
    budgets: SearchBudgets,
    parts: Vec<Factor>,
    known: BTreeMap<Subproblem, usize>,
    /// Remaining part of [`MEMORY`].
    memory: usize,
    /// Problems in progress; each is needed by the one before it.
    frames: Vec<Frame>,
    /// Source component being searched.
    source: SourceComponent,
    guides: Vec<Guide>,
}

/// Branching hints for an argument.
#[derive(Clone, Copy, Debug, Default)]
struct Guide {
    /// Position in the elimination order, from 1; 0 as long as there is none.
    place: u32,
    /// Step budget of a search among such arguments.
    budget: u64,
}

enum Step {
    /// This problem must be solved first.
    Into(Subproblem),
    Finished,
}

impl<'f> Solver<'f> {
    /// Creates a solver with a total work budget.
    pub fn new(framework: &'f Framework, aim: Aim, work: WorkBudget<'f>, budgets: SearchBudgets) -> Self {
        Self {
            aim,
            splitter: ProblemSplitter::new(framework, aim),
            work,
            budgets,
            parts: Vec::new(),
            known: BTreeMap::new(),
            memory: MEMORY,
            frames: Vec::new(),
            source: SourceComponent::default(),
            guides: Vec::new(),
        }
    }

    /// Splits the undecided arguments into problems; `undecided` is ascending, and `is_due` selects the arguments that
    /// must be OUT. `None` if there is no solution, which cannot happen if nothing is due and the aim is not a stable
    /// set.
    pub fn split_undecided(&mut self, undecided: &[u32], is_due: impl Fn(u32) -> bool) -> Option<SplitOutcome> {
        self.splitter.split_undecided(undecided, is_due)
    }

    /// Solves a problem and the smaller ones it leads to, and returns the index of its part. Not recursive, because a
    /// debate can be deep.
    pub fn solve(&mut self, problem: Subproblem) -> usize {
        let mut frame = self.begin(problem);
        loop {
            if let Step::Into(problem) = self.advance(&mut frame) {
                let below = self.begin(problem);
                self.frames.push(std::mem::replace(&mut frame, below));
                continue;
            }
            let place = self.parts.len();
            let Some(mut above) = self.frames.pop() else {
                self.parts.push(frame.part);
                return place;
            };
            above.take(place, &frame.part);
            if frame.part.complete && self.memory >= frame.problem.len() {
                self.memory -= frame.problem.len();
                self.known.insert(frame.problem, place);
            }
            self.parts.push(frame.part);
            frame = above;
        }
    }

    /// Returns a computed part.
    pub fn factor(&self, place: usize) -> &Factor {
        &self.parts[place]
    }

    /// Adds a part that was computed otherwise, and returns its index.
    pub fn add(&mut self, part: Factor) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// Returns the remaining work budget.
    pub fn work(&mut self) -> &mut WorkBudget<'f> {
        &mut self.work
    }

    /// Returns all parts, and the limit that was reached, if any.
    pub fn finish(self) -> (Vec<Factor>, Option<&'static str>) {
        (self.parts, self.work.limit)
    }

    fn begin(&mut self, problem: Subproblem) -> Frame {
        let mut frame = Frame::new(problem);
        if !self.spend(frame.problem.len()) {
            self.give_up(&mut frame, STEP_LIMIT);
            return frame;
        }
        self.splitter.source(&frame.problem, &mut self.source);
        let found = self.find(&frame.problem);
        let is_free = self.source.region.roles.contains(&ArgumentRole::Free);
        if !found.complete && self.work.steps > 0 && is_free {
            let argument = self.branch();
            frame.left = vec![Decision::With(argument), Decision::Without(argument)].into_iter();
            return frame;
        }
        if !found.complete {
            self.give_up(&mut frame, if self.work.steps == 0 { STEP_LIMIT } else { SIZE_LIMIT });
        }
        let members = &self.source.members;
        let named = found.sets.into_iter().map(|mut set| {
            set.iter_mut().for_each(|number| *number = members[*number as usize]);
            set
        });
        if members.len() == frame.problem.len() {
            frame.part.choices = named.map(|inside| FactorChoice { inside, parts: Vec::new() }).collect();
        } else if found.complete {
            frame.left = named.map(Decision::Source).collect::<Vec<_>>().into_iter();
            frame.source = members.clone();
        }
        frame
    }

    /// Finds the sets of the source, unless that exceeds the step budget of the search.
    fn find(&mut self, problem: &Subproblem) -> FoundSets {
        if !self.source.region.roles.contains(&ArgumentRole::Free) {
            // There is no free argument to branch on.
            return self.search(u64::MAX);
        }
        let mut is_promising = false;
        if self.guide().is_none() {
            let found = self.search(self.budgets.before_width);
            if found.complete || self.work.steps == 0 {
                return found;
            }
            self.find_guides(problem);
            if self.guide().is_none_or(|guide| guide.budget <= self.budgets.before_width) {
                return found;
            }
            is_promising = found.sets.len() as u64 > self.budgets.before_width / STEPS_A_SET;
        }
        let budget = self.guide().map_or(self.budgets.before_width, |guide| guide.budget);
        if budget > UNLEARNED && !is_promising && self.work.conflicts > 0 {
            let found = self.search(UNLEARNED);
            if found.complete || self.work.steps == 0 {
                return found;
            }
            if found.sets.len() as u64 <= UNLEARNED / STEPS_A_SET {
                let learned = learn_sets(&self.source.region, self.aim, MAX_LEARNED_SETS, &mut self.work);
                if learned.complete {
                    return learned;
                }
            }
        }
        self.search(budget)
    }

    /// Searches the source within `budget` and the remaining steps.
    fn search(&mut self, budget: u64) -> FoundSets {
        let region = &self.source.region;
        if region.roles.len() > MAX_REGION {
            return FoundSets { sets: Vec::new(), complete: false };
        }
        let granted = budget.min(self.work.steps);
        let mut left = granted;
        let found = find_sets(region, self.aim, &mut left);
        self.work.steps -= granted - left;
        found
    }

    /// Returns the guide of the source's first argument, or `None` unless every argument of the source has one.
    fn guide(&self) -> Option<Guide> {
        let guide = |&member: &u32| self.guides.get(member as usize).copied().filter(|guide| guide.place > 0);
        let mut guides = self.source.members.iter().map(guide);
        let first = guides.next()??;
        guides.all(|guide| guide.is_some()).then_some(first)
    }

    /// Computes an elimination order and a step budget for a problem, which includes the source.
    fn find_guides(&mut self, problem: &Subproblem) {
        let Elimination { places, width } = self.splitter.order(problem);
        let doublings = width.saturating_sub(GOOD_WIDTH).min(32);
        let budget = self.budgets.at_good_width.saturating_mul(1 << doublings);
        for ((argument, _), place) in problem.arguments().zip(places) {
            let argument = argument as usize;
            if self.guides.len() <= argument {
                self.guides.resize(argument + 1, Guide::default());
            }
            self.guides[argument] = Guide { place: place + 1, budget };
        }
    }

    /// Selects the free argument of the source to branch on: the last one in the elimination order. If an argument that
    /// is not free comes later, selects a free attacker of it, which removes it.
    fn branch(&self) -> u32 {
        let SourceComponent { members, region } = &self.source;
        let free = |number: u32| region.roles[number as usize] == ArgumentRole::Free;
        let place = |number: u32| self.guides[members[number as usize] as usize].place;
        let own =
            (0..).take(members.len()).filter(|&number| free(number)).map(|number| (place(number), u32::MAX, number));
        let answers = region.attacks.iter().filter(|&&(attacker, target)| free(attacker) && !free(target));
        let answers = answers.map(|&(attacker, target)| (place(target), place(attacker), attacker));
        let (.., number) = own.chain(answers).max().expect("the source has a free argument");
        members[number as usize]
    }

    /// Pays for processing `arguments` arguments; returns false if not enough steps are left.
    fn spend(&mut self, arguments: usize) -> bool {
        self.work.spend(1 + arguments as u64 / 16)
    }

    /// Stops a problem with its result so far.
    fn give_up(&mut self, frame: &mut Frame, limit: &'static str) {
        self.work.record_limit(limit);
        frame.stop();
    }

    /// Processes the remaining decisions, up to the first that needs another problem solved.
    fn advance(&mut self, frame: &mut Frame) -> Step {
        loop {
            if let Some(problem) = self.next_problem(frame) {
                return Step::Into(problem);
            }
            frame.part.choices.extend(frame.following.take().map(|(choice, _)| choice));
            let Some(decision) = frame.left.next() else {
                return Step::Finished;
            };
            if !self.spend(frame.problem.len()) {
                self.give_up(frame, STEP_LIMIT);
                return Step::Finished;
            }
            let outcome = self.splitter.split_after(&frame.problem, &frame.source, decision);
            frame.following =
                outcome.map(|SplitOutcome { inside, problems }| (FactorChoice { inside, parts: Vec::new() }, problems));
        }
    }

    /// Returns the next unknown problem of the choice in progress. Drops the choice if one of its problems is known to
    /// have no solution.
    fn next_problem(&self, frame: &mut Frame) -> Option<Subproblem> {
        let (choice, problems) = frame.following.as_mut()?;
        while let Some(problem) = problems.pop() {
            match self.known.get(&problem) {
                Some(&place) if self.parts[place].choices.is_empty() => {
                    frame.following = None;
                    return None;
                }
                Some(&place) => choice.parts.push(place),
                None => return Some(problem),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::limits::SolverLimits;

    /// Builds mutual attacks between the arguments of each pair.
    fn conflicts(arguments: u32, pairs: impl Iterator<Item = (u32, u32)>) -> Framework {
        let both = pairs.flat_map(|(a, b)| [(a, b), (b, a)]);
        Framework::new(arguments as usize, both).expect("in range")
    }

    fn solved(framework: &Framework, budgets: SearchBudgets) -> (Vec<Factor>, Option<&'static str>) {
        let mut solver = Solver::new(framework, Aim::Preferred, WorkBudget::new(&SolverLimits::default()), budgets);
        let all: Vec<u32> = framework.arguments().collect();
        for problem in solver.split_undecided(&all, |_| false).expect("nothing is due").problems {
            let root = solver.solve(problem);
            assert!(solver.factor(root).complete);
        }
        solver.finish()
    }

    #[test]
    fn repeated_problems_are_solved_once() {
        for (least, bound) in [(1, 700), (32, 200)] {
            let path = conflicts(100, (1..100).map(|a| (a - 1, a)));
            let (parts, limit) = solved(&path, SearchBudgets { before_width: 1, at_good_width: least });
            assert!(limit.is_none() && parts.len() < bound, "{}", parts.len());
        }
    }

    #[test]
    fn separating_arguments_are_decided_first() {
        // Three stars, and 15 in conflict with the centre of each.
        let star = |middle: u32| (1..5).map(move |leaf| (middle, middle + leaf));
        let stars = conflicts(16, [0, 5, 10].into_iter().flat_map(|middle| star(middle).chain([(15, middle)])));
        let (parts, _) = solved(&stars, SearchBudgets { before_width: 1, at_good_width: 1 });
        let root = parts.last().expect("the whole");
        let with = root.choices.iter().find(|choice| choice.inside.contains(&15)).expect("15 may be IN");
        assert_eq!(with.inside.len(), 13, "the centres are OUT, their leaves are IN");
        assert!(parts.len() < 10, "{}", parts.len());
    }

    #[test]
    fn an_easy_part_is_searched_without_splitting() {
        let ring = conflicts(6, (0..6).map(|a| (a, (a + 1) % 6)));
        let (parts, _) = solved(&ring, SearchBudgets::default());
        assert_eq!((parts.len(), parts[0].choices.len()), (1, 5));
        assert!(parts[0].choices.iter().all(|choice| choice.parts.is_empty()));
    }
}
