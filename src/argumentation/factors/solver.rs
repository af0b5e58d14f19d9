//! Works out the parts of a framework, each once: the way from a problem to its sums of products.
//!
//! ```text
//! problem --> its source --search--> found in time: the sets of the source are the choices
//!                              \--> not in time, but learned in time: the same
//!                              \--> neither: one argument of it, IN or not: these are the choices
//! each choice --> what is left, taken apart --> smaller problems, each solved in the same way or known already
//! ```
//!
//! How long a search may take depends on how well the problem falls apart (its width in [`Elimination`]): not long
//! where a decision soon leaves small pieces, as in nearly every debate; long where it would not. Where it does not fall
//! apart at all, a solver that learns is asked before the source is given up as a whole.

use std::collections::BTreeMap;

use crate::argumentation::factors::elimination::Elimination;
use crate::argumentation::factors::factors::{Choice, Part};
use crate::argumentation::factors::frame::Frame;
use crate::argumentation::factors::problem::{Decision, Outcome, Problem, Source};
use crate::argumentation::factors::residue::Residue;
use crate::argumentation::framework::Framework;
use crate::argumentation::limits::{SIZE_LIMIT, STEP_LIMIT, Work};
use crate::argumentation::sat::sets::learn_sets;
use crate::argumentation::search::region::{Aim, Role};
use crate::argumentation::search::search::{Found, MAX_REGION, find_sets};

/// Up to this width a problem falls apart well. For each one more, patience doubles.
const GOOD_WIDTH: usize = 8;

/// The steps of a search after which the solver that learns is asked, if so many do not suffice and more would be
/// granted.
const UNLEARNED: u64 = 1 << 16;

/// So many steps for a set are few: where no more are needed, learning from conflicts saves none.
const STEPS_A_SET: u64 = 256;

/// The most sets of a source that are learned.
const LEARNED_SETS: usize = 4_096;

/// How many steps a search may take before a problem is taken apart by a decision on one argument instead. It bounds
/// what is lost on the wrong way; no answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Before it is known how well the problem falls apart.
    pub first: u64,
    /// Where it falls apart well.
    pub least: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { first: 2_000, least: 32 }
    }
}

/// How many arguments the problems may have together that are remembered in case they occur again. Beyond it they are
/// worked out again: this bounds memory and changes no answer.
const MEMORY: usize = 1 << 22;

/// Solves the problems of one framework.
#[derive(Debug)]
pub struct Solver<'f> {
    aim: Aim,
    residue: Residue<'f>,
    /// What is left to spend.
    work: Work<'f>,
    patience: Patience,
    parts: Vec<Part>,
    known: BTreeMap<Problem, usize>,
    /// What is left of [`MEMORY`].
    memory: usize,
    /// What is under way, each for the sake of the one before.
    frames: Vec<Frame>,
    /// The source being searched.
    source: Source,
    guides: Vec<Guide>,
}

/// How to go about an argument.
#[derive(Clone, Copy, Debug, Default)]
struct Guide {
    /// Its place in the elimination, from 1; 0 as long as there is none.
    place: u32,
    /// The steps of a search among such arguments.
    patience: u64,
}

enum Step {
    /// This must be solved first.
    Into(Problem),
    Finished,
}

impl<'f> Solver<'f> {
    /// A solver that may do so much work in all.
    pub fn new(framework: &'f Framework, aim: Aim, work: Work<'f>, patience: Patience) -> Self {
        Self {
            aim,
            residue: Residue::new(framework, aim),
            work,
            patience,
            parts: Vec::new(),
            known: BTreeMap::new(),
            memory: MEMORY,
            frames: Vec::new(),
            source: Source::default(),
            guides: Vec::new(),
        }
    }

    /// What is undecided, as problems; `undecided` is ascending, and of those arguments `is_due` says which must be OUT.
    /// `None` if there is no set as wanted, which there is where nothing is due and the aim is not a stable set.
    pub fn take_apart(&mut self, undecided: &[u32], is_due: impl Fn(u32) -> bool) -> Option<Outcome> {
        self.residue.of_undecided(undecided, is_due)
    }

    /// Works out a part and all it leads to, and says its place. Without recursion, for a debate may be deep.
    pub fn solve(&mut self, problem: Problem) -> usize {
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

    /// A part that was worked out.
    pub fn part(&self, place: usize) -> &Part {
        &self.parts[place]
    }

    /// Adds a part that was worked out otherwise, and says its place.
    pub fn add(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// What is left to spend.
    pub fn work(&mut self) -> &mut Work<'f> {
        &mut self.work
    }

    /// All parts, and the limit that was reached.
    pub fn finish(self) -> (Vec<Part>, Option<&'static str>) {
        (self.parts, self.work.limit)
    }

    fn begin(&mut self, problem: Problem) -> Frame {
        let mut frame = Frame::new(problem);
        if !self.pay(frame.problem.len()) {
            self.give_up(&mut frame, STEP_LIMIT);
            return frame;
        }
        self.residue.source(&frame.problem, &mut self.source);
        let found = self.find(&frame.problem);
        let is_free = self.source.region.roles.contains(&Role::Free);
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
            frame.part.choices = named.map(|inside| Choice { inside, parts: Vec::new() }).collect();
        } else if found.complete {
            frame.left = named.map(Decision::Source).collect::<Vec<_>>().into_iter();
            frame.source = members.clone();
        }
        frame
    }

    /// Finds the sets of the source, unless that takes longer than patience lasts.
    fn find(&mut self, problem: &Problem) -> Found {
        if !self.source.region.roles.contains(&Role::Free) {
            // There is nothing to branch on.
            return self.search(u64::MAX);
        }
        let mut is_promising = false;
        if self.guide().is_none() {
            let found = self.search(self.patience.first);
            if found.complete || self.work.steps == 0 {
                return found;
            }
            self.find_guides(problem);
            if self.guide().is_none_or(|guide| guide.patience <= self.patience.first) {
                return found;
            }
            is_promising = found.sets.len() as u64 > self.patience.first / STEPS_A_SET;
        }
        let patience = self.guide().map_or(self.patience.first, |guide| guide.patience);
        if patience > UNLEARNED && !is_promising && self.work.conflicts > 0 {
            let found = self.search(UNLEARNED);
            if found.complete || self.work.steps == 0 {
                return found;
            }
            if found.sets.len() as u64 <= UNLEARNED / STEPS_A_SET {
                let learned = learn_sets(&self.source.region, self.aim, LEARNED_SETS, &mut self.work);
                if learned.complete {
                    return learned;
                }
            }
        }
        self.search(patience)
    }

    /// Searches the source, as long as this patience and the steps last.
    fn search(&mut self, patience: u64) -> Found {
        let region = &self.source.region;
        if region.roles.len() > MAX_REGION {
            return Found { sets: Vec::new(), complete: false };
        }
        let granted = patience.min(self.work.steps);
        let mut left = granted;
        let found = find_sets(region, self.aim, &mut left);
        self.work.steps -= granted - left;
        found
    }

    /// The guide of the source's first argument, once all of the source have theirs.
    fn guide(&self) -> Option<Guide> {
        let guide = |&member: &u32| self.guides.get(member as usize).copied().filter(|guide| guide.place > 0);
        let mut guides = self.source.members.iter().map(guide);
        let first = guides.next()??;
        guides.all(|guide| guide.is_some()).then_some(first)
    }

    /// Finds an order for a problem, the source among it, and how patient to be with it.
    fn find_guides(&mut self, problem: &Problem) {
        let Elimination { places, width } = self.residue.order(problem);
        let doublings = width.saturating_sub(GOOD_WIDTH).min(32);
        let patience = self.patience.least.saturating_mul(1 << doublings);
        for ((argument, _), place) in problem.arguments().zip(places) {
            let argument = argument as usize;
            if self.guides.len() <= argument {
                self.guides.resize(argument + 1, Guide::default());
            }
            self.guides[argument] = Guide { place: place + 1, patience };
        }
    }

    /// The free argument of the source to decide: the one that comes last in the elimination; or if something comes
    /// later that is not free, what attacks it, so that it goes.
    fn branch(&self) -> u32 {
        let Source { members, region } = &self.source;
        let free = |number: u32| region.roles[number as usize] == Role::Free;
        let place = |number: u32| self.guides[members[number as usize] as usize].place;
        let own =
            (0..).take(members.len()).filter(|&number| free(number)).map(|number| (place(number), u32::MAX, number));
        let answers = region.attacks.iter().filter(|&&(attacker, target)| free(attacker) && !free(target));
        let answers = answers.map(|&(attacker, target)| (place(target), place(attacker), attacker));
        let (.., number) = own.chain(answers).max().expect("something is free");
        members[number as usize]
    }

    /// Pays for going through so many arguments; false when there are not enough steps left.
    fn pay(&mut self, arguments: usize) -> bool {
        self.work.pay(1 + arguments as u64 / 16)
    }

    /// Leaves a problem at what it has come to.
    fn give_up(&mut self, frame: &mut Frame, limit: &'static str) {
        self.work.reach(limit);
        frame.stop();
    }

    /// Follows the decisions left, up to the first that needs another problem solved.
    fn advance(&mut self, frame: &mut Frame) -> Step {
        loop {
            if let Some(problem) = self.next_problem(frame) {
                return Step::Into(problem);
            }
            frame.part.choices.extend(frame.following.take().map(|(choice, _)| choice));
            let Some(decision) = frame.left.next() else {
                return Step::Finished;
            };
            if !self.pay(frame.problem.len()) {
                self.give_up(frame, STEP_LIMIT);
                return Step::Finished;
            }
            let outcome = self.residue.after(&frame.problem, &frame.source, decision);
            frame.following =
                outcome.map(|Outcome { inside, problems }| (Choice { inside, parts: Vec::new() }, problems));
        }
    }

    /// The next problem of the choice being followed that is not known. Drops the choice when one is known to come to
    /// nothing.
    fn next_problem(&self, frame: &mut Frame) -> Option<Problem> {
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

    use crate::argumentation::limits::Limits;

    /// Mutual attacks between each two pairs given.
    fn conflicts(arguments: u32, pairs: impl Iterator<Item = (u32, u32)>) -> Framework {
        let both = pairs.flat_map(|(a, b)| [(a, b), (b, a)]);
        Framework::new(arguments as usize, both).expect("in range")
    }

    fn solved(framework: &Framework, patience: Patience) -> (Vec<Part>, Option<&'static str>) {
        let mut solver = Solver::new(framework, Aim::Preferred, Work::new(&Limits::default()), patience);
        let all: Vec<u32> = framework.arguments().collect();
        for problem in solver.take_apart(&all, |_| false).expect("nothing is due").problems {
            let root = solver.solve(problem);
            assert!(solver.part(root).complete);
        }
        solver.finish()
    }

    #[test]
    fn what_occurs_again_is_worked_out_once() {
        for (least, bound) in [(1, 700), (32, 200)] {
            let path = conflicts(100, (1..100).map(|a| (a - 1, a)));
            let (parts, limit) = solved(&path, Patience { first: 1, least });
            assert!(limit.is_none() && parts.len() < bound, "{}", parts.len());
        }
    }

    #[test]
    fn what_separates_is_decided_first() {
        // Three stars, and 15 in conflict with the middle of each.
        let star = |middle: u32| (1..5).map(move |leaf| (middle, middle + leaf));
        let stars = conflicts(16, [0, 5, 10].into_iter().flat_map(|middle| star(middle).chain([(15, middle)])));
        let (parts, _) = solved(&stars, Patience { first: 1, least: 1 });
        let root = parts.last().expect("the whole");
        let with = root.choices.iter().find(|choice| choice.inside.contains(&15)).expect("15 may be IN");
        assert_eq!(with.inside.len(), 13, "the middles fall, their leaves stand");
        assert!(parts.len() < 10, "{}", parts.len());
    }

    #[test]
    fn a_part_is_searched_where_that_is_quick() {
        let ring = conflicts(6, (0..6).map(|a| (a, (a + 1) % 6)));
        let (parts, _) = solved(&ring, Patience::default());
        assert_eq!((parts.len(), parts[0].choices.len()), (1, 5));
        assert!(parts[0].choices.iter().all(|choice| choice.parts.is_empty()));
    }
}
