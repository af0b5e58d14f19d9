//! Several ways to answer one question, each worked on for a while, in turn.
//!
//! The time that a way takes varies by orders of magnitude from one framework to the next, and the best way is not known
//! in advance (Huberman, Lukose and Hogg 1997). Each way keeps its state, so that little work is lost, and the first,
//! which answers every question in the end, gets most of the conflicts if the others find nothing soon.

use std::fmt;

use crate::limits::WorkBudget;

/// Result of one turn of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn<T> {
    /// The answer.
    Answer(T),
    /// No answer yet; the way is to be resumed.
    Unfinished,
    /// No answer, and none to be expected: the way is left out from now on.
    Useless,
}

/// Ways to answer a question.
pub struct Portfolio<'a, T> {
    ways: Vec<Way<'a, T>>,
}

/// One way. It works with the conflicts of the budget that it is given, and can be resumed.
struct Way<'a, T> {
    /// Conflicts of the next turn.
    conflicts: u64,
    /// True if each turn is a quarter longer than the one before it.
    grows: bool,
    resume: Box<Resume<'a, T>>,
}

/// Function that works on the question with a budget.
type Resume<'a, T> = dyn FnMut(&mut WorkBudget<'a>) -> Turn<T> + 'a;

/// Conflicts of the first turn of the first way.
const FIRST_TURN: u64 = 1_000;

impl<'a, T> Portfolio<'a, T> {
    /// Creates a portfolio with the way that answers every question in the end.
    pub fn new(resume: impl FnMut(&mut WorkBudget<'a>) -> Turn<T> + 'a) -> Self {
        Self { ways: Vec::new() }.or(1, resume)
    }

    /// Adds a way that gets one `part`-th of the conflicts of the first one.
    pub fn or(mut self, part: u64, resume: impl FnMut(&mut WorkBudget<'a>) -> Turn<T> + 'a) -> Self {
        self.ways.push(Way { conflicts: FIRST_TURN / part, grows: true, resume: Box::new(resume) });
        self
    }

    /// Adds a way that finds an answer soon or, most likely, never: its turns do not become longer, so its part shrinks.
    pub fn or_briefly(mut self, conflicts: u64, resume: impl FnMut(&mut WorkBudget<'a>) -> Turn<T> + 'a) -> Self {
        self.ways.push(Way { conflicts, grows: false, resume: Box::new(resume) });
        self
    }

    /// Resumes the ways in turn, each time with a quarter more conflicts, until one has an answer. `None` if the
    /// conflicts do not suffice; in that case, it can be called again.
    pub fn run(&mut self, work: &mut WorkBudget<'a>) -> Option<T> {
        while !self.ways.is_empty() {
            let mut place = 0;
            while let Some(way) = self.ways.get_mut(place) {
                let mut part = work.split_off(way.conflicts);
                let turn = (way.resume)(&mut part);
                let goes_on = work.take_back(&part, way.conflicts);
                if way.grows {
                    way.conflicts += way.conflicts.div_ceil(4);
                }
                match turn {
                    Turn::Answer(answer) => return Some(answer),
                    Turn::Unfinished => place += 1,
                    Turn::Useless => drop(self.ways.remove(place)),
                }
                if !goes_on {
                    return None;
                }
            }
        }
        None
    }
}

impl<T> fmt::Debug for Portfolio<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Portfolio({} ways)", self.ways.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::limits::SolverLimits;

    fn budget(conflicts: u64) -> WorkBudget<'static> {
        WorkBudget::new(&SolverLimits { conflicts, ..SolverLimits::default() })
    }

    #[test]
    fn ways_are_resumed_in_turn_until_one_has_an_answer() {
        let turns = std::cell::RefCell::new(Vec::new());
        let way = |name: char, needed: u64| {
            let (turns, mut spent) = (&turns, 0);
            move |part: &mut WorkBudget<'_>| {
                turns.borrow_mut().push((name, part.conflicts));
                spent += std::mem::take(&mut part.conflicts);
                if spent >= needed { Turn::Answer(name) } else { Turn::Unfinished }
            }
        };
        let mut work = budget(10_000);
        let mut portfolio = Portfolio::new(way('a', 5_000)).or(2, way('b', 1_500));
        assert_eq!((portfolio.run(&mut work), work.limit), (Some('b'), None));
        assert_eq!(turns.take(), [('a', 1_000), ('b', 500), ('a', 1_250), ('b', 625), ('a', 1_563), ('b', 782)]);
        assert_eq!(work.conflicts, 10_000 - 5_720);
    }

    #[test]
    fn useless_ways_are_left_out() {
        let mut turns = 0;
        let mut portfolio = Portfolio::new(|part: &mut WorkBudget<'_>| {
            part.conflicts = 0;
            turns += 1;
            if turns == 3 { Turn::Answer(7) } else { Turn::Unfinished }
        })
        .or(4, |_| Turn::Useless);
        let mut work = budget(10_000);
        assert_eq!((portfolio.run(&mut work), portfolio.ways.len()), (Some(7), 1));
        assert_eq!(work.conflicts, 10_000 - 1_000 - 1_250 - 1_563);
    }

    #[test]
    fn the_conflicts_bound_all_ways_together() {
        let spend = |part: &mut WorkBudget<'_>| {
            part.conflicts = 0;
            Turn::<()>::Unfinished
        };
        let mut work = budget(1_600);
        let mut portfolio = Portfolio::new(spend).or(2, spend);
        assert_eq!((portfolio.run(&mut work), work.conflicts, work.limit), (None, 0, Some("conflicts")));
    }
}
