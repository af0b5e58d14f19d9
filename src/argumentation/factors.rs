//! All preferred extensions without listing them: sums of products.
//!
//! An extension picks one choice from every root part, and from every part a choice names in turn. Parts are independent,
//! choices of one part exclude one another, and a part that occurs in several places is worked out once. So their number
//! is a sum of products, and what some or all of them hold is a union or an intersection: each one pass over the choices,
//! however many extensions there are.

use std::collections::BTreeMap;

use crate::argumentation::count::{Count, Natural};
use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::{Label, grounded};
use crate::argumentation::residue::{Outcome, Problem, Residue, Source};
use crate::argumentation::search::{STEP_LIMIT, maximal_sets};

/// How many parts are remembered in case they occur again. Beyond it they are worked out again: this bounds memory and
/// changes no answer.
const MEMORY: usize = 1 << 16;

/// The preferred extensions of a framework as sums of products.
#[derive(Clone, Debug)]
pub struct Factors {
    /// How many arguments the framework has.
    pub arguments: usize,
    /// IN in every preferred extension, ascending: at least the grounded extension.
    pub fixed: Vec<u32>,
    /// The independent parts, by their place in `parts`.
    pub roots: Vec<usize>,
    /// Every part, after those its own choices name.
    pub parts: Vec<Part>,
    /// The arguments of root parts that are not complete and might be IN, ascending.
    pub unsettled: Vec<u32>,
    /// The first limit that was reached; `None` when every part is complete.
    pub limit: Option<&'static str>,
}

/// A connected part of the framework on its own.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it may come to; no two choices share an extension.
    pub choices: Vec<Choice>,
    /// Whether these are all choices, and their parts complete.
    pub complete: bool,
}

/// One way to decide the source of a part.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What is IN for it.
    pub inside: Vec<u32>,
    /// What is left to decide, independently, by place in [`Factors::parts`].
    pub parts: Vec<usize>,
}

/// The preferred extensions of a framework: the maximal sets of arguments that attack none of their own and attack all that
/// attacks them (Dung 1995).
///
/// The grounded labelling first; what it leaves falls into independent parts; of each part one strongly connected source is
/// searched and each of its choices leads to smaller parts (SCC-recursiveness: Baroni, Giacomin and Guida 2005). `steps`
/// bounds the steps of all searches, and the choices, together. Exponential at worst.
pub fn preferred_factors(framework: &Framework, steps: u64) -> Factors {
    let labelling = grounded(framework);
    let (mut fixed, mut undecided) = (Vec::with_capacity(framework.len()), Vec::with_capacity(framework.len()));
    fixed.extend(labelling.with(Label::In));
    undecided.extend(labelling.with(Label::Undec));
    let mut factors = Factors {
        arguments: framework.len(),
        fixed,
        roots: vec![],
        parts: vec![],
        unsettled: vec![],
        limit: None,
    };
    if undecided.is_empty() {
        return factors;
    }
    let mut solver = Solver::new(framework, steps);
    let outcome = solver.residue.of_undecided(&undecided);
    factors.fixed.extend(outcome.inside);
    factors.fixed.sort_unstable();
    for problem in outcome.problems {
        undecided.clear();
        undecided.extend(
            problem
                .arguments()
                .filter(|(_, open)| *open)
                .map(|(argument, _)| argument),
        );
        let root = solver.solve(problem);
        if !solver.parts[root].complete {
            factors.unsettled.extend_from_slice(&undecided);
        }
        factors.roots.push(root);
    }
    factors.unsettled.sort_unstable();
    (factors.parts, factors.limit) = (solver.parts, solver.limit);
    factors
}

impl Factors {
    /// How many extensions there are; a bound where a limit was reached, for each part has at least one.
    pub fn count(&self) -> Count {
        let mut numbers: Vec<Natural> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let products = part
                .choices
                .iter()
                .map(|choice| Natural::product(choice.parts.iter().map(|&part| &numbers[part])));
            let number = products.fold(Natural::ZERO, |sum, product| sum.plus(&product));
            numbers.push(number);
        }
        let roots = self.roots.iter().map(|&part| &numbers[part]);
        match self.limit {
            None => Count::Exactly(Natural::product(roots)),
            Some(_) => Count::AtLeast(Natural::product(roots.filter(|number| **number != Natural::ZERO))),
        }
    }
}

struct Solver<'f> {
    residue: Residue<'f>,
    steps: u64,
    limit: Option<&'static str>,
    parts: Vec<Part>,
    known: BTreeMap<Problem, usize>,
    /// What is under way, each for the sake of the one before.
    frames: Vec<Frame>,
    /// The source being searched.
    source: Source,
}

/// A problem under way.
struct Frame {
    problem: Problem,
    source: Vec<u32>,
    /// What may be IN of the source, as far as it was not yet followed.
    left: std::vec::IntoIter<Vec<u32>>,
    /// The choice being followed, and what is left to solve for it.
    following: Option<(Choice, Vec<Problem>)>,
    part: Part,
}

enum Step {
    /// This must be solved first.
    Into(Problem),
    Finished,
}

impl<'f> Solver<'f> {
    fn new(framework: &'f Framework, steps: u64) -> Self {
        Self {
            residue: Residue::new(framework),
            steps,
            limit: None,
            parts: Vec::new(),
            known: BTreeMap::new(),
            frames: Vec::new(),
            source: Source::default(),
        }
    }

    /// Works out a part and all it leads to. Without recursion, for a debate may be deep.
    fn solve(&mut self, problem: Problem) -> usize {
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
            if frame.part.complete && self.known.len() < MEMORY {
                self.known.insert(frame.problem, place);
            }
            self.parts.push(frame.part);
            frame = above;
        }
    }

    fn begin(&mut self, problem: Problem) -> Frame {
        let mut frame = Frame {
            problem,
            source: Vec::new(),
            left: Vec::new().into_iter(),
            following: None,
            part: Part {
                choices: Vec::new(),
                complete: false,
            },
        };
        if self.steps == 0 {
            self.limit.get_or_insert(STEP_LIMIT);
            return frame;
        }
        self.residue.source(&frame.problem, &mut self.source);
        let members = &self.source.members;
        let found = maximal_sets(&self.source.region, &mut self.steps);
        frame.part.complete = found.limit.is_none();
        self.limit = self.limit.or(found.limit);
        let named = found.sets.into_iter().map(|mut set| {
            set.iter_mut().for_each(|number| *number = members[*number as usize]);
            set
        });
        if members.len() == frame.problem.len() {
            frame.part.choices = named
                .map(|inside| Choice {
                    inside,
                    parts: Vec::new(),
                })
                .collect();
        } else {
            frame.left = named.collect::<Vec<_>>().into_iter();
            frame.source = members.clone();
        }
        frame
    }

    fn advance(&mut self, frame: &mut Frame) -> Step {
        loop {
            if let Some((choice, problems)) = &mut frame.following {
                while let Some(problem) = problems.pop() {
                    match self.known.get(&problem) {
                        Some(&part) => choice.parts.push(part),
                        None => return Step::Into(problem),
                    }
                }
            }
            frame
                .part
                .choices
                .extend(frame.following.take().map(|(choice, _)| choice));
            let Some(chosen) = frame.left.next() else {
                return Step::Finished;
            };
            if self.steps == 0 {
                self.limit.get_or_insert(STEP_LIMIT);
                frame.part.complete = false;
                return Step::Finished;
            }
            self.steps -= 1;
            let Outcome { inside, problems } = self.residue.after(&frame.problem, &frame.source, chosen);
            frame.following = Some((
                Choice {
                    inside,
                    parts: Vec::new(),
                },
                problems,
            ));
        }
    }
}

impl Frame {
    /// A part of the choice being followed is there. One that is not complete ends the work on this problem, and one that
    /// came to nothing ends the choice as well.
    fn take(&mut self, place: usize, part: &Part) {
        if let Some((choice, problems)) = &mut self.following {
            choice.parts.push(place);
            if !part.complete {
                self.part.complete = false;
                self.left = Vec::new().into_iter();
                if part.choices.is_empty() || !problems.is_empty() {
                    self.following = None;
                }
            }
        }
    }
}
