//! How a problem comes apart: into what follows without a choice, and independent smaller problems.
//!
//! Only some attacks matter to the sets that are wanted of a problem: those from and on open arguments, and of those on
//! what is due the ones from free arguments. So shut arguments hold nothing together, and one that nothing open
//! attacks, or that attacks nothing open, goes away. What is left falls apart into more and smaller pieces than the
//! framework itself would.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::argumentation::components::Tarjan;
use crate::argumentation::factors::desk::Desk;
use crate::argumentation::factors::elimination::{Elimination, eliminate};
use crate::argumentation::factors::problem::{Decision, Outcome, Problem, Source};
use crate::argumentation::framework::Framework;
use crate::argumentation::search::region::{Aim, Role};

/// Takes problems of one framework apart. Between two calls nothing lies on its desk.
#[derive(Debug)]
pub struct Residue<'f> {
    framework: &'f Framework,
    aim: Aim,
    desk: Desk<'f>,
    tarjan: Tarjan,
    /// The arguments laid out.
    laid: Vec<u32>,
    /// The problem being collected.
    members: Vec<(u32, Role)>,
    /// The source being put in order.
    order: Vec<(Reverse<usize>, u32)>,
    /// The numbers of arguments within the source being cut out, from 1.
    place: Vec<u32>,
}

impl<'f> Residue<'f> {
    /// For a framework of which nothing is taken apart yet.
    pub fn new(framework: &'f Framework, aim: Aim) -> Self {
        Self {
            framework,
            aim,
            desk: Desk::new(framework, aim),
            tarjan: Tarjan::new(framework.len()),
            laid: Vec::with_capacity(framework.len()),
            members: Vec::with_capacity(framework.len()),
            order: Vec::new(),
            place: vec![0; framework.len()],
        }
    }

    /// Takes apart what is undecided, as far as nothing is decided of it yet: an argument is free unless it attacks
    /// itself, or `is_due` says that it must be OUT. `undecided` is ascending. `None` if there is no set as wanted, which
    /// there is where nothing is due. Linear time.
    pub fn of_undecided(&mut self, undecided: &[u32], is_due: impl Fn(u32) -> bool) -> Option<Outcome> {
        for &argument in undecided {
            let role = if is_due(argument) {
                Role::Due
            } else if self.framework.has_attack(argument, argument) {
                self.aim.of_self_attacker()
            } else {
                Role::Free
            };
            self.desk.put(argument, Some(role));
        }
        self.laid.clear();
        self.laid.extend_from_slice(undecided);
        self.take_apart(Vec::new())
    }

    /// Takes apart what a decision on a problem leaves; `source` is the one the problem has. `None` if there is no set
    /// as wanted. Linear time.
    pub fn after(&mut self, problem: &Problem, source: &[u32], decision: Decision) -> Option<Outcome> {
        self.lay_out(problem);
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
                self.desk.put(argument, Some(self.aim.of_declined()));
                Vec::new()
            }
        };
        let left = |&argument: &u32| self.desk.role(argument).is_some();
        self.laid.clear();
        self.laid.extend(problem.arguments().map(|(argument, _)| argument).filter(left));
        self.take_apart(inside)
    }

    fn decide_source(&mut self, source: &[u32], chosen: &[u32]) {
        for &argument in chosen {
            self.desk.put(argument, None);
            for &target in self.framework.attacked(argument) {
                self.desk.put(target, None);
            }
        }
        for &argument in source {
            if self.desk.take(argument).is_some() {
                // It is UNDEC.
                for &target in self.framework.attacked(argument) {
                    if self.desk.role(target).is_some_and(Role::is_open) {
                        self.desk.put(target, Some(Role::Shut));
                    }
                }
            }
        }
    }

    fn decide_with(&mut self, argument: u32) {
        self.desk.put(argument, None);
        for &target in self.framework.attacked(argument) {
            self.desk.put(target, None);
        }
        for &attacker in self.framework.attackers(argument) {
            if self.desk.role(attacker).is_some() {
                self.desk.put(attacker, Some(Role::Due));
            }
        }
    }

    /// Finds a strongly connected part of a problem that nothing outside it attacks. Linear time, but for sorting it.
    pub fn source(&mut self, problem: &Problem, source: &mut Source) {
        self.lay_out(problem);
        let (framework, desk, order) = (self.framework, &self.desk, &mut self.order);
        order.clear();
        if let Some((root, _)) = problem.arguments().next() {
            let _ = self.tarjan.explore(
                root,
                |argument| framework.attackers(argument),
                |attacker, target| leads(desk.role(attacker), desk.role(target)),
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
        problem.arguments().for_each(|(argument, _)| self.desk.put(argument, None));
        self.tarjan.forget(problem.arguments().map(|(argument, _)| argument));
    }

    fn cut(&mut self, source: &mut Source) {
        let Source { members, region } = source;
        region.roles.clear();
        region.roles.extend(members.iter().filter_map(|&member| self.desk.role(member)));
        for (&member, number) in members.iter().zip(1..) {
            self.place[member as usize] = number;
        }
        region.attacks.clear();
        for (&member, number) in members.iter().zip(0..) {
            for &target in self.framework.attacked(member) {
                let place = self.place[target as usize];
                if place > 0 && leads(self.desk.role(member), self.desk.role(target)) {
                    region.attacks.push((number, place - 1));
                }
            }
        }
        members.iter().for_each(|&member| self.place[member as usize] = 0);
    }

    /// An order of a problem's arguments in which to decide the last first; by number among its arguments.
    pub fn order(&mut self, problem: &Problem) -> Elimination {
        self.lay_out(problem);
        for ((argument, _), number) in problem.arguments().zip(0..) {
            self.place[argument as usize] = number;
        }
        let mut pairs = Vec::new();
        for (argument, own) in problem.arguments() {
            for &target in self.framework.attacked(argument) {
                if binds(Some(own), self.desk.role(target)) {
                    pairs.push((self.place[argument as usize] as usize, self.place[target as usize] as usize));
                }
            }
        }
        for (argument, _) in problem.arguments() {
            self.desk.put(argument, None);
            self.place[argument as usize] = 0;
        }
        eliminate(problem.len(), pairs)
    }

    fn lay_out(&mut self, problem: &Problem) {
        problem.arguments().for_each(|(argument, role)| self.desk.put(argument, Some(role)));
    }

    /// Reduces what is laid out and splits the rest; `inside` is IN by what went before.
    fn take_apart(&mut self, mut inside: Vec<u32>) -> Option<Outcome> {
        let laid = std::mem::take(&mut self.laid);
        let hopeful = self.desk.reduce(&laid, &mut inside);
        let mut problems = Vec::new();
        for &root in &laid {
            if !hopeful {
                self.desk.put(root, None);
            } else if self.desk.role(root).is_some() {
                problems.push(self.connected(root));
            }
        }
        problems.sort_by_key(Problem::len);
        self.laid = laid;
        hopeful.then_some(Outcome { inside, problems })
    }

    /// Takes from the desk the arguments that are left and hang together with `root`.
    fn connected(&mut self, root: u32) -> Problem {
        self.members.clear();
        self.collect(root);
        let mut spent = 0;
        while let Some(&(argument, own)) = self.members.get(spent) {
            spent += 1;
            for &attacker in self.framework.attackers(argument) {
                if binds(self.desk.role(attacker), Some(own)) {
                    self.collect(attacker);
                }
            }
            for &target in self.framework.attacked(argument) {
                if binds(Some(own), self.desk.role(target)) {
                    self.collect(target);
                }
            }
        }
        Problem::new(self.members.iter().copied())
    }

    fn collect(&mut self, argument: u32) {
        if let Some(role) = self.desk.take(argument) {
            self.members.push((argument, role));
        }
    }
}

/// Whether an attack between arguments with these roles is one a search must know, and goes from what is decided
/// earlier to what is decided later.
fn leads(attacker: Option<Role>, target: Option<Role>) -> bool {
    match (attacker, target) {
        (Some(attacker), Some(Role::Due)) => attacker == Role::Free,
        (Some(attacker), Some(target)) => attacker.is_open() || target.is_open(),
        _ => false,
    }
}

/// Whether it makes one problem of the two arguments: what is due will be OUT, and then attacks nothing.
fn binds(attacker: Option<Role>, target: Option<Role>) -> bool {
    attacker != Some(Role::Due) && leads(attacker, target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    /// An argument with the first letter of its role; `p` for spent.
    fn words(problems: &[Problem]) -> Vec<String> {
        let letter = |role| match role {
            Role::Free => 'f',
            Role::Spent => 'p',
            Role::Shut => 's',
            Role::Due => 'd',
        };
        let word = |(argument, role)| format!("{argument}{}", letter(role));
        problems.iter().map(|problem| problem.arguments().map(word).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn what_is_undecided_comes_apart() {
        fn check(arguments: usize, attacks: &[(u32, u32)], inside: &[u32], problems: &[&str]) {
            let framework = framework(arguments, attacks);
            let mut residue = Residue::new(&framework, Aim::Preferred);
            for _ in 0..2 {
                let mut outcome = residue
                    .of_undecided(&framework.arguments().collect::<Vec<_>>(), |_| false)
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
        // What attacks itself and nothing attacks is UNDEC, so what it attacks cannot be IN.
        check(3, &[(0, 0), (0, 1), (1, 2), (2, 1)], &[], &["1s 2f"]);
        check(3, &[(0, 0), (0, 1), (0, 2), (1, 2), (2, 1)], &[], &[]);
        // Where something may answer it, it stays; but shut arguments hold nothing together.
        check(2, &[(0, 0), (0, 1), (1, 0)], &[], &["0s 1f"]);
        check(4, &[(0, 0), (0, 1), (1, 0), (1, 2), (2, 1)], &[3], &["0s 1f 2f"]);
        let attacks = [(0, 1), (1, 0), (1, 2), (2, 2), (2, 3), (3, 3), (3, 4), (4, 5), (5, 4), (4, 3)];
        check(6, &attacks, &[], &["0f 1f", "3s 4f 5f"]);
    }

    #[test]
    fn decisions_have_outcomes() {
        let attacks = [(0, 1), (1, 0), (0, 2), (2, 3), (3, 2), (3, 4), (4, 3), (5, 4), (4, 5)];
        let framework = framework(6, &attacks);
        let mut residue = Residue::new(&framework, Aim::Preferred);
        let problem = residue.of_undecided(&[0, 1, 2, 3, 4, 5], |_| false).expect("nothing is due").problems.remove(0);
        for _ in 0..2 {
            let mut source = Source::default();
            residue.source(&problem, &mut source);
            assert_eq!((&source.members[..], &source.region.roles[..]), (&[0, 1][..], &[Role::Free; 2][..]));
            assert_eq!(source.region.attacks, [(0, 1), (1, 0)]);
        }
        let mut check = |decision: Decision, expected: Option<(&[u32], &[&str])>| {
            let found = residue.after(&problem, &[0, 1], decision.clone());
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
