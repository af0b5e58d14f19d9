//! A problem under way: what it has come to, and what is left to follow.

use crate::argumentation::factors::factors::{Choice, Part};
use crate::argumentation::factors::problem::{Decision, Problem};

/// A problem under way.
#[derive(Debug)]
pub struct Frame {
    /// What is to be solved.
    pub problem: Problem,
    /// Its source, where choices are sets of it.
    pub source: Vec<u32>,
    /// Decisions that exclude one another and together leave nothing out, as far as they were not yet followed.
    pub left: std::vec::IntoIter<Decision>,
    /// The choice being followed, and what is left to solve for it.
    pub following: Option<(Choice, Vec<Problem>)>,
    /// What it has come to.
    pub part: Part,
}

impl Frame {
    /// A problem of which nothing is known.
    pub fn new(problem: Problem) -> Self {
        Self {
            problem,
            source: Vec::new(),
            left: Vec::new().into_iter(),
            following: None,
            part: Part { choices: Vec::new(), complete: true },
        }
    }

    /// Leaves the problem at what it has come to.
    pub fn stop(&mut self) {
        self.part.complete = false;
        self.left = Vec::new().into_iter();
    }

    /// A part of the choice being followed is there. If it came to nothing, so does the choice. If it is not complete,
    /// this problem is left at what it has come to.
    pub fn take(&mut self, place: usize, part: &Part) {
        let Some((choice, problems)) = &mut self.following else {
            return;
        };
        choice.parts.push(place);
        let unfinished = !part.complete && !problems.is_empty();
        if part.choices.is_empty() || unfinished {
            self.following = None;
        }
        if !part.complete {
            self.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_decide_what_becomes_of_a_choice() {
        /// Whether the part that comes has choices and is complete; and how many problems are left for the choice.
        fn check(choices: usize, complete: bool, left: usize, followed: bool, stopped: bool) {
            let choice = || Choice { inside: Vec::new(), parts: Vec::new() };
            let mut frame = Frame::new(Problem::new(Vec::new()));
            frame.left = vec![Decision::Without(7)].into_iter();
            frame.following = Some((choice(), vec![Problem::new(Vec::new()); left]));
            frame.take(3, &Part { choices: vec![choice(); choices], complete });
            assert_eq!(frame.following.map(|(choice, _)| choice.parts), followed.then(|| vec![3]));
            assert_eq!((frame.left.len() == 0, frame.part.complete), (stopped, !stopped));
        }
        check(2, true, 0, true, false);
        check(2, true, 1, true, false);
        check(0, true, 1, false, false);
        check(2, false, 0, true, true);
        check(2, false, 1, false, true);
        check(0, false, 0, false, true);
    }
}
