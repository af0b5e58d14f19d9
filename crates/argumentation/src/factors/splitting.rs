//! Splitting of problems into consequences that need no choice, and independent smaller problems.
//!
//! Only some attacks affect the solutions of a problem: those from and on open arguments and, of the attacks on due
//! arguments, those from free arguments. Shut arguments therefore connect nothing, and a shut argument without an open
//! attacker or an open target is dropped. The rest splits into more and smaller pieces than the framework itself would.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::components::Tarjan;
use crate::factors::elimination::{Elimination, eliminate};
use crate::factors::problem::{Decision, SourceComponent, SplitOutcome, Subproblem};
use crate::factors::propagation::Propagator;
use crate::framework::Framework;
use crate::search::region::{Aim, ArgumentRole};

/// Splits problems of one framework. No argument is loaded between two calls.
#[derive(Debug)]
pub struct ProblemSplitter<'f> {
    framework: &'f Framework,
    aim: Aim,
    propagator: Propagator<'f>,
    tarjan: Tarjan,
    /// Arguments currently loaded.
    laid: Vec<u32>,
    /// Problem being collected.
    members: Vec<(u32, ArgumentRole)>,
    /// Source component being sorted.
    order: Vec<(Reverse<usize>, u32)>,
    /// Numbers of arguments within the source being extracted, from 1.
    place: Vec<u32>,
}

impl<'f> ProblemSplitter<'f> {
    /// Creates an instance for a framework.
    pub fn new(framework: &'f Framework, aim: Aim) -> Self {
        Self {
            framework,
            aim,
            propagator: Propagator::new(framework, aim),
            tarjan: Tarjan::new(framework.len()),
            laid: Vec::with_capacity(framework.len()),
            members: Vec::with_capacity(framework.len()),
            order: Vec::new(),
            place: vec![0; framework.len()],
        }
    }

    /// Splits the undecided arguments before any decision: an argument is free unless it attacks itself or `is_due`
    /// requires it to be OUT. `undecided` is ascending. `None` if there is no solution, which cannot happen if nothing
    /// is due and the aim is not a stable set. Linear time.
    pub fn split_undecided(&mut self, undecided: &[u32], is_due: impl Fn(u32) -> bool) -> Option<SplitOutcome> {
        for &argument in undecided {
            let role = if is_due(argument) {
                ArgumentRole::Due
            } else if self.framework.has_attack(argument, argument) {
                self.aim.role_of_self_attacker()
            } else {
                ArgumentRole::Free
            };
            self.propagator.set_role(argument, Some(role));
        }
        self.laid.clear();
        self.laid.extend_from_slice(undecided);
        self.split(Vec::new())
    }

    /// Splits the rest of a problem after a decision; `source` is the source component of the problem. `None` if there
    /// is no solution. Linear time.
    pub fn split_after(&mut self, problem: &Subproblem, source: &[u32], decision: Decision) -> Option<SplitOutcome> {
        self.load(problem);
        let inside = match decision {
            Decision::Source(chosen) => {
                self.decide_source(source, &chosen);
                chosen
            }
            Decision::With(argument) => {
                self.decide_with(argument);
                vec![argument]
            }
            Decision::Without(argument) => {
                self.propagator.set_role(argument, Some(self.aim.of_declined()));
                Vec::new()
            }
        };
        let left = |&argument: &u32| self.propagator.role(argument).is_some();
        self.laid.clear();
        self.laid.extend(problem.arguments().map(|(argument, _)| argument).filter(left));
        self.split(inside)
    }

    fn decide_source(&mut self, source: &[u32], chosen: &[u32]) {
        for &argument in chosen {
            self.propagator.set_role(argument, None);
            for &target in self.framework.attacked(argument) {
                self.propagator.set_role(target, None);
            }
        }
        for &argument in source {
            if self.propagator.take(argument).is_some() {
                // The argument is UNDEC.
                for &target in self.framework.attacked(argument) {
                    if self.propagator.role(target).is_some_and(ArgumentRole::is_open) {
                        self.propagator.set_role(target, Some(ArgumentRole::Shut));
                    }
                }
            }
        }
    }

    fn decide_with(&mut self, argument: u32) {
        self.propagator.set_role(argument, None);
        for &target in self.framework.attacked(argument) {
            self.propagator.set_role(target, None);
        }
        for &attacker in self.framework.attackers(argument) {
            if self.propagator.role(attacker).is_some() {
                self.propagator.set_role(attacker, Some(ArgumentRole::Due));
            }
        }
    }

    /// Finds a strongly connected component of a problem that nothing outside attacks. Linear time, plus sorting the
    /// component.
    pub fn source(&mut self, problem: &Subproblem, source: &mut SourceComponent) {
        self.load(problem);
        let (framework, propagator, order) = (self.framework, &self.propagator, &mut self.order);
        order.clear();
        if let Some((root, _)) = problem.arguments().next() {
            let _ = self.tarjan.explore(
                root,
                |argument| framework.attackers(argument),
                |attacker, target| leads(propagator.role(attacker), propagator.role(target)),
                |component| {
                    order.extend(component.iter().map(|&argument| {
                        let attacks = framework.attackers(argument).len() + framework.attacked(argument).len();
                        (Reverse(attacks), argument)
                    }));
                    ControlFlow::Break(())
                },
            );
        }
        order.sort_unstable();
        source.members.clear();
        source.members.extend(order.iter().map(|&(_, argument)| argument));
        self.cut(source);
        problem.arguments().for_each(|(argument, _)| self.propagator.set_role(argument, None));
        self.tarjan.forget(problem.arguments().map(|(argument, _)| argument));
    }

    fn cut(&mut self, source: &mut SourceComponent) {
        let SourceComponent { members, region } = source;
        region.roles.clear();
        region.roles.extend(members.iter().filter_map(|&member| self.propagator.role(member)));
        for (&member, number) in members.iter().zip(1..) {
            self.place[member as usize] = number;
        }
        region.attacks.clear();
        for (&member, number) in members.iter().zip(0..) {
            for &target in self.framework.attacked(member) {
                let place = self.place[target as usize];
                if place > 0 && leads(self.propagator.role(member), self.propagator.role(target)) {
                    region.attacks.push((number, place - 1));
                }
            }
        }
        members.iter().for_each(|&member| self.place[member as usize] = 0);
    }

    /// Computes an elimination order of a problem's arguments, by their numbers within the problem. Decisions start
    /// with the last one.
    pub fn order(&mut self, problem: &Subproblem) -> Elimination {
        self.load(problem);
        for ((argument, _), number) in problem.arguments().zip(0..) {
            self.place[argument as usize] = number;
        }
        let mut pairs = Vec::new();
        for (argument, own) in problem.arguments() {
            for &target in self.framework.attacked(argument) {
                if binds(Some(own), self.propagator.role(target)) {
                    pairs.push((self.place[argument as usize] as usize, self.place[target as usize] as usize));
                }
            }
        }
        for (argument, _) in problem.arguments() {
            self.propagator.set_role(argument, None);
            self.place[argument as usize] = 0;
        }
        eliminate(problem.len(), pairs)
    }

    fn load(&mut self, problem: &Subproblem) {
        problem.arguments().for_each(|(argument, role)| self.propagator.set_role(argument, Some(role)));
    }

    /// Propagates the loaded roles and splits the rest; `inside` are the arguments that are already IN.
    fn split(&mut self, mut inside: Vec<u32>) -> Option<SplitOutcome> {
        let laid = std::mem::take(&mut self.laid);
        let hopeful = self.propagator.propagate(&laid, &mut inside);
        let mut problems = Vec::new();
        for &root in &laid {
            if !hopeful {
                self.propagator.set_role(root, None);
            } else if self.propagator.role(root).is_some() {
                problems.push(self.connected(root));
            }
        }
        problems.sort_by_key(Subproblem::len);
        self.laid = laid;
        hopeful.then_some(SplitOutcome { inside, problems })
    }

    /// Unloads the remaining arguments connected with `root` and returns them as a problem.
    fn connected(&mut self, root: u32) -> Subproblem {
        self.members.clear();
        self.collect(root);
        let mut spent = 0;
        while let Some(&(argument, own)) = self.members.get(spent) {
            spent += 1;
            for &attacker in self.framework.attackers(argument) {
                if binds(self.propagator.role(attacker), Some(own)) {
                    self.collect(attacker);
                }
            }
            for &target in self.framework.attacked(argument) {
                if binds(Some(own), self.propagator.role(target)) {
                    self.collect(target);
                }
            }
        }
        Subproblem::new(self.members.iter().copied())
    }

    fn collect(&mut self, argument: u32) {
        if let Some(role) = self.propagator.take(argument) {
            self.members.push((argument, role));
        }
    }
}

/// Returns true if an attack between arguments with these roles affects the search; it then leads from an argument
/// decided earlier to one decided later.
fn leads(attacker: Option<ArgumentRole>, target: Option<ArgumentRole>) -> bool {
    match (attacker, target) {
        (Some(attacker), Some(ArgumentRole::Due)) => attacker == ArgumentRole::Free,
        (Some(attacker), Some(target)) => attacker.is_open() || target.is_open(),
        _ => false,
    }
}

/// Returns true if an attack puts both arguments into one problem. A due argument will be OUT, so its attacks do not.
fn binds(attacker: Option<ArgumentRole>, target: Option<ArgumentRole>) -> bool {
    attacker != Some(ArgumentRole::Due) && leads(attacker, target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    /// Formats each argument with the first letter of its role; `p` for spent.
    fn words(problems: &[Subproblem]) -> Vec<String> {
        let letter = |role| match role {
            ArgumentRole::Free => 'f',
            ArgumentRole::Spent => 'p',
            ArgumentRole::Shut => 's',
            ArgumentRole::Due => 'd',
        };
        let word = |(argument, role)| format!("{argument}{}", letter(role));
        problems.iter().map(|problem| problem.arguments().map(word).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn undecided_arguments_are_split_into_problems() {
        fn check(arguments: usize, attacks: &[(u32, u32)], inside: &[u32], problems: &[&str]) {
            let framework = framework(arguments, attacks);
            let mut splitter = ProblemSplitter::new(&framework, Aim::Preferred);
            for _ in 0..2 {
                let mut outcome = splitter
                    .split_undecided(&framework.arguments().collect::<Vec<_>>(), |_| false)
                    .expect("nothing is due");
                outcome.inside.sort_unstable();
                assert_eq!(outcome.inside, inside, "{attacks:?}");
                assert_eq!(words(&outcome.problems), problems, "{attacks:?}");
            }
        }
        check(0, &[], &[], &[]);
        check(3, &[(0, 1), (1, 2)], &[0, 2], &[]);
        check(2, &[(0, 1), (1, 0)], &[], &["0f 1f"]);
        check(5, &[(3, 4), (4, 3), (2, 1), (1, 0), (0, 2)], &[], &["3f 4f", "0f 1f 2f"]);
        // A self-attacker that nothing else attacks is UNDEC, so its targets cannot be IN.
        check(3, &[(0, 0), (0, 1), (1, 2), (2, 1)], &[], &["1s 2f"]);
        check(3, &[(0, 0), (0, 1), (0, 2), (1, 2), (2, 1)], &[], &[]);
        // A self-attacker with another attacker stays in the problem; but shut arguments connect nothing.
        check(2, &[(0, 0), (0, 1), (1, 0)], &[], &["0s 1f"]);
        check(4, &[(0, 0), (0, 1), (1, 0), (1, 2), (2, 1)], &[3], &["0s 1f 2f"]);
        let attacks = [(0, 1), (1, 0), (1, 2), (2, 2), (2, 3), (3, 3), (3, 4), (4, 5), (5, 4), (4, 3)];
        check(6, &attacks, &[], &["0f 1f", "3s 4f 5f"]);
    }

    #[test]
    fn decisions_leave_smaller_problems() {
        let attacks = [(0, 1), (1, 0), (0, 2), (2, 3), (3, 2), (3, 4), (4, 3), (5, 4), (4, 5)];
        let framework = framework(6, &attacks);
        let mut splitter = ProblemSplitter::new(&framework, Aim::Preferred);
        let problem =
            splitter.split_undecided(&[0, 1, 2, 3, 4, 5], |_| false).expect("nothing is due").problems.remove(0);
        for _ in 0..2 {
            let mut source = SourceComponent::default();
            splitter.source(&problem, &mut source);
            assert_eq!((&source.members[..], &source.region.roles[..]), (&[0, 1][..], &[ArgumentRole::Free; 2][..]));
            assert_eq!(source.region.attacks, [(0, 1), (1, 0)]);
        }
        let mut check = |decision: Decision, expected: Option<(&[u32], &[&str])>| {
            let found = splitter.split_after(&problem, &[0, 1], decision.clone());
            let found = found.map(|outcome| (outcome.inside, words(&outcome.problems)));
            let expected = expected
                .map(|(inside, problems)| (inside.to_vec(), problems.iter().map(ToString::to_string).collect()));
            assert_eq!(found, expected, "{decision:?}");
        };
        check(Decision::Source(vec![0]), Some((&[0], &["3f 4f 5f"])));
        check(Decision::Source(vec![1]), Some((&[1], &["2f 3f 4f 5f"])));
        check(Decision::Source(vec![]), Some((&[], &["2s 3f 4f 5f"])));
        check(Decision::With(4), Some((&[4], &["0f 1f 2f"])));
        check(Decision::With(2), Some((&[2, 1], &["4f 5f"])));
        check(Decision::Without(4), Some((&[], &["0f 1f 2f 3f 4p 5f"])));
        check(Decision::With(0), Some((&[0], &["3f 4f 5f"])));
    }
}
