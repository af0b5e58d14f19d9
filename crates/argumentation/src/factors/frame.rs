//! A problem in progress: its result so far, and the decisions left to process.

use crate::factors::factors::{Factor, FactorChoice};
use crate::factors::problem::{Decision, Subproblem};

/// Problem in progress.
#[derive(Debug)]
pub struct Frame {
    /// The problem to solve.
    pub problem: Subproblem,
    /// Its source component, if the choices are sets of it.
    pub source: Vec<u32>,
    /// Decisions that are not processed yet. They exclude one another and together cover all cases.
    pub left: std::vec::IntoIter<Decision>,
    /// Choice in progress, and the problems left to solve for it.
    pub following: Option<(FactorChoice, Vec<Subproblem>)>,
    /// Result so far.
    pub part: Factor,
}

impl Frame {
    /// Starts a problem without results.
    pub fn new(problem: Subproblem) -> Self {
        Self {
            problem,
            source: Vec::new(),
            left: Vec::new().into_iter(),
            following: None,
            part: Factor { choices: Vec::new(), complete: true },
        }
    }

    /// Stops the problem with its result so far, marked as incomplete.
    pub fn stop(&mut self) {
        self.part.complete = false;
        self.left = Vec::new().into_iter();
    }

    /// Adds a solved part to the choice in progress. If the part has no choices, the choice is dropped. If the part is
    /// incomplete, this problem stops with its result so far.
    pub fn take(&mut self, place: usize, part: &Factor) {
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
    fn a_solved_part_keeps_or_drops_its_choice() {
        /// Adds a part with `choices` choices to a choice with `left` problems left.
        fn check(choices: usize, complete: bool, left: usize, followed: bool, stopped: bool) {
            let choice = || FactorChoice { inside: Vec::new(), parts: Vec::new() };
            let mut frame = Frame::new(Subproblem::new(Vec::new()));
            frame.left = vec![Decision::Without(7)].into_iter();
            frame.following = Some((choice(), vec![Subproblem::new(Vec::new()); left]));
            frame.take(3, &Factor { choices: vec![choice(); choices], complete });
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
