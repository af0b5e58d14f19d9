//! What is still undecided, and how it comes apart.
//!
//! A [`Problem`] is a set of arguments of a framework, each *open* (it may be IN) or *shut* (it attacks itself, or something
//! UNDEC attacks it: it may be OUT or UNDEC). Wanted are its maximal sets of open arguments that attack none of their own
//! and attack all that attacks them. Everything outside the problem is decided, and what follows from that is in its shut
//! arguments: this is the generic scheme of Baroni, Giacomin and Guida (2005).
//!
//! Only attacks from or on an open argument matter to such a set. So shut arguments hold nothing together, and one that
//! nothing open attacks, or that attacks nothing open, goes away. What is left falls apart into more and smaller pieces than
//! the framework itself would.

use std::ops::ControlFlow;

use crate::argumentation::components::Tarjan;
use crate::argumentation::framework::Framework;
use crate::argumentation::search::Region;

/// A connected set of undecided arguments: what the answer depends on, so equal problems have equal answers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem(Vec<u32>);

impl Problem {
    /// Each argument with whether it is open, ascending.
    pub fn arguments(&self) -> impl Iterator<Item = (u32, bool)> {
        self.0.iter().map(|&packed| (packed >> 1, packed & 1 == 1))
    }

    /// How many arguments it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no arguments, which no problem that was split off has.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// An argument and whether it is open in one number; [`crate::argumentation::framework::MAX_ARGUMENTS`] leaves the room.
fn packed(argument: u32, open: bool) -> u32 {
    argument << 1 | u32::from(open)
}

/// A first part of a problem: what attacks it is within it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its arguments in the framework, ascending; the region numbers them in this order.
    pub members: Vec<u32>,
    /// The same, cut out.
    pub region: Region,
}

/// What follows from a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The arguments that are IN, those chosen among them.
    pub inside: Vec<u32>,
    /// What is left undecided: problems that have nothing to do with one another, the smaller first.
    pub problems: Vec<Problem>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Decided, or not of this problem.
    Gone,
    Shut,
    Open,
}

enum Event {
    /// Nothing attacks this open argument any more.
    Stands(u32),
    /// Nothing open attacks this argument any more, so it will not be OUT.
    Remains(u32),
}

/// A desk on which one problem at a time is laid out. Between two calls nothing lies on it.
#[derive(Debug)]
pub struct Residue<'f> {
    framework: &'f Framework,
    standing: Vec<Standing>,
    /// How many arguments that are not gone attack an argument.
    threats: Vec<u32>,
    /// How many of them are open.
    answers: Vec<u32>,
    /// Numbers within the source being cut out, from 1.
    place: Vec<u32>,
    tarjan: Tarjan,
}

impl<'f> Residue<'f> {
    /// An empty desk.
    pub fn new(framework: &'f Framework) -> Self {
        let size = framework.len();
        Self {
            framework,
            standing: vec![Standing::Gone; size],
            threats: vec![0; size],
            answers: vec![0; size],
            place: vec![0; size],
            tarjan: Tarjan::new(size),
        }
    }

    /// Takes apart what the grounded labelling leaves undecided; `undecided` is ascending. Linear time.
    pub fn of_undecided(&mut self, undecided: &[u32]) -> Outcome {
        for &argument in undecided {
            let open = !self.framework.has_attack(argument, argument);
            self.standing[argument as usize] = if open { Standing::Open } else { Standing::Shut };
        }
        let mut inside = Vec::new();
        self.reduce(undecided, &mut inside);
        Outcome {
            inside,
            problems: self.split(undecided),
        }
    }

    /// Takes apart what is left of a problem when of a source exactly `chosen` are IN. Linear time.
    pub fn after(&mut self, problem: &Problem, source: &[u32], chosen: &[u32]) -> Outcome {
        self.lay_out(problem);
        for &argument in chosen {
            self.standing[argument as usize] = Standing::Gone;
            for &target in self.framework.attacked(argument) {
                self.standing[target as usize] = Standing::Gone;
            }
        }
        for &argument in source {
            if std::mem::replace(&mut self.standing[argument as usize], Standing::Gone) != Standing::Gone {
                for &target in self.framework.attacked(argument) {
                    let standing = &mut self.standing[target as usize];
                    if *standing == Standing::Open {
                        *standing = Standing::Shut;
                    }
                }
            }
        }
        let left: Vec<u32> = problem
            .arguments()
            .map(|(argument, _)| argument)
            .filter(|&a| self.is_left(a))
            .collect();
        let mut inside = chosen.to_vec();
        self.reduce(&left, &mut inside);
        Outcome {
            inside,
            problems: self.split(&left),
        }
    }

    /// Finds a strongly connected part of a problem that nothing outside it attacks. Linear time.
    pub fn source(&mut self, problem: &Problem) -> Source {
        self.lay_out(problem);
        let mut members = Vec::new();
        let (framework, standing) = (self.framework, &self.standing);
        if let Some((root, _)) = problem.arguments().next() {
            let _ = self.tarjan.explore(
                root,
                |argument| framework.attackers(argument),
                |attacker, target| matters(standing, attacker, target),
                |component| {
                    members.extend_from_slice(component);
                    ControlFlow::Break(())
                },
            );
        }
        members.sort_unstable();
        let region = self.cut(&members);
        for (argument, _) in problem.arguments() {
            self.standing[argument as usize] = Standing::Gone;
        }
        self.tarjan.forget(problem.arguments().map(|(argument, _)| argument));
        Source { members, region }
    }

    fn lay_out(&mut self, problem: &Problem) {
        for (argument, open) in problem.arguments() {
            self.standing[argument as usize] = if open { Standing::Open } else { Standing::Shut };
        }
    }

    fn is_left(&self, argument: u32) -> bool {
        self.standing[argument as usize] != Standing::Gone
    }

    fn is_open(&self, argument: u32) -> bool {
        self.standing[argument as usize] == Standing::Open
    }

    fn cut(&mut self, members: &[u32]) -> Region {
        for (&member, number) in members.iter().zip(1..) {
            self.place[member as usize] = number;
        }
        let mut attacks = Vec::new();
        for (&member, number) in members.iter().zip(0..) {
            for &target in self.framework.attacked(member) {
                let place = self.place[target as usize];
                if place > 0 && matters(&self.standing, member, target) {
                    attacks.push((number, place - 1));
                }
            }
        }
        for &member in members {
            self.place[member as usize] = 0;
        }
        Region {
            open: members.iter().map(|&member| self.is_open(member)).collect(),
            attacks,
        }
    }

    /// Draws what consequences there are without a choice among the arguments laid out, and adds to `inside` what is IN.
    fn reduce(&mut self, arguments: &[u32], inside: &mut Vec<u32>) {
        let mut agenda = Vec::new();
        for &argument in arguments {
            let (mut threats, mut answers) = (0, 0);
            for &attacker in self.framework.attackers(argument) {
                threats += u32::from(self.is_left(attacker));
                answers += u32::from(self.is_open(attacker));
            }
            self.threats[argument as usize] = threats;
            self.answers[argument as usize] = answers;
            if threats == 0 && self.is_open(argument) {
                agenda.push(Event::Stands(argument));
            } else if answers == 0 {
                agenda.push(Event::Remains(argument));
            }
        }
        while let Some(event) = agenda.pop() {
            match event {
                Event::Stands(argument) => self.stands(argument, inside, &mut agenda),
                Event::Remains(argument) => self.remains(argument, &mut agenda),
            }
        }
        for &argument in arguments {
            let attacked = self.framework.attacked(argument);
            if !self.is_open(argument) && !attacked.iter().any(|&target| self.is_open(target)) {
                self.standing[argument as usize] = Standing::Gone;
            }
        }
    }

    fn stands(&mut self, argument: u32, inside: &mut Vec<u32>, agenda: &mut Vec<Event>) {
        if !self.is_open(argument) {
            return;
        }
        self.standing[argument as usize] = Standing::Gone;
        inside.push(argument);
        for &fallen in self.framework.attacked(argument) {
            if !self.is_left(fallen) {
                continue;
            }
            let was_open = self.is_open(fallen);
            self.standing[fallen as usize] = Standing::Gone;
            for &target in self.framework.attacked(fallen) {
                self.threats[target as usize] = self.threats[target as usize].saturating_sub(1);
                if self.threats[target as usize] == 0 && self.is_open(target) {
                    agenda.push(Event::Stands(target));
                }
                if was_open {
                    self.lose_answer(target, agenda);
                }
            }
        }
    }

    fn remains(&mut self, argument: u32, agenda: &mut Vec<Event>) {
        if !self.is_left(argument) {
            return;
        }
        for &target in self.framework.attacked(argument) {
            if !self.is_open(target) {
                continue;
            }
            self.standing[target as usize] = Standing::Shut;
            for &other in self.framework.attacked(target) {
                self.lose_answer(other, agenda);
            }
            if self.answers[target as usize] == 0 {
                agenda.push(Event::Remains(target));
            }
        }
        if !self.is_open(argument) {
            self.standing[argument as usize] = Standing::Gone;
        }
    }

    /// An open attacker of `argument` is no longer open.
    fn lose_answer(&mut self, argument: u32, agenda: &mut Vec<Event>) {
        let answers = &mut self.answers[argument as usize];
        *answers = answers.saturating_sub(1);
        if *answers == 0 && self.is_left(argument) {
            agenda.push(Event::Remains(argument));
        }
    }

    /// Clears the desk of the arguments laid out, one connected problem after the other.
    fn split(&mut self, arguments: &[u32]) -> Vec<Problem> {
        let mut problems = Vec::new();
        for &root in arguments {
            if !self.is_left(root) {
                continue;
            }
            let mut members = Vec::new();
            self.collect(root, &mut members);
            let mut spent = 0;
            while let Some(&member) = members.get(spent) {
                spent += 1;
                let (argument, open) = (member >> 1, member & 1 == 1);
                for rows in [self.framework.attackers(argument), self.framework.attacked(argument)] {
                    for &other in rows {
                        if self.is_open(other) || open && self.is_left(other) {
                            self.collect(other, &mut members);
                        }
                    }
                }
            }
            members.sort_unstable();
            problems.push(Problem(members));
        }
        problems.sort_by_key(Problem::len);
        problems
    }

    fn collect(&mut self, argument: u32, members: &mut Vec<u32>) {
        members.push(packed(argument, self.is_open(argument)));
        self.standing[argument as usize] = Standing::Gone;
    }
}

/// Whether an attack is one between arguments that are left, and from or on an open one.
fn matters(standing: &[Standing], attacker: u32, target: u32) -> bool {
    matches!(
        (standing[attacker as usize], standing[target as usize]),
        (Standing::Open, Standing::Open | Standing::Shut) | (Standing::Shut, Standing::Open)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    /// `+3` for an open argument, `-3` for a shut one.
    fn words(problems: &[Problem]) -> Vec<String> {
        let word = |(argument, open)| format!("{}{argument}", if open { '+' } else { '-' });
        problems
            .iter()
            .map(|problem| problem.arguments().map(word).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn what_is_undecided_comes_apart() {
        fn check(arguments: usize, attacks: &[(u32, u32)], inside: &[u32], problems: &[&str]) {
            let framework = framework(arguments, attacks);
            let mut residue = Residue::new(&framework);
            for _ in 0..2 {
                let mut outcome = residue.of_undecided(&framework.arguments().collect::<Vec<_>>());
                outcome.inside.sort_unstable();
                assert_eq!(
                    (&outcome.inside[..], words(&outcome.problems)),
                    (inside, to_strings(problems)),
                    "{attacks:?}"
                );
            }
        }
        check(0, &[], &[], &[]);
        check(3, &[(0, 1), (1, 2)], &[0, 2], &[]);
        check(2, &[(0, 1), (1, 0)], &[], &["+0 +1"]);
        check(
            5,
            &[(3, 4), (4, 3), (2, 1), (1, 0), (0, 2)],
            &[],
            &["+3 +4", "+0 +1 +2"],
        );
        // What attacks itself and nothing attacks is UNDEC, so what it attacks cannot be IN.
        check(3, &[(0, 0), (0, 1), (1, 2), (2, 1)], &[], &["-1 +2"]);
        check(3, &[(0, 0), (0, 1), (0, 2), (1, 2), (2, 1)], &[], &[]);
        // Where something may answer it, it stays; but shut arguments hold nothing together.
        check(2, &[(0, 0), (0, 1), (1, 0)], &[], &["-0 +1"]);
        check(4, &[(0, 0), (0, 1), (1, 0), (1, 2), (2, 1)], &[3], &["-0 +1 +2"]);
        check(
            6,
            &[
                (0, 1),
                (1, 0),
                (1, 2),
                (2, 2),
                (2, 3),
                (3, 3),
                (3, 4),
                (4, 5),
                (5, 4),
                (4, 3),
            ],
            &[],
            &["+0 +1", "-3 +4 +5"],
        );
    }

    #[test]
    fn a_source_is_cut_out_and_its_consequences_drawn() {
        let attacks = [(0, 1), (1, 0), (0, 2), (2, 3), (3, 2), (3, 4), (4, 3), (5, 4), (4, 5)];
        let framework = framework(6, &attacks);
        let mut residue = Residue::new(&framework);
        let problem = residue.of_undecided(&[0, 1, 2, 3, 4, 5]).problems.remove(0);
        for _ in 0..2 {
            let source = residue.source(&problem);
            assert_eq!(
                (&source.members[..], &source.region.open[..]),
                (&[0, 1][..], &[true, true][..])
            );
            assert_eq!(source.region.attacks, [(0, 1), (1, 0)]);
        }
        let mut check = |chosen: &[u32], inside: &[u32], problems: &[&str]| {
            let outcome = residue.after(&problem, &[0, 1], chosen);
            assert_eq!(
                (&outcome.inside[..], words(&outcome.problems)),
                (inside, to_strings(problems))
            );
        };
        check(&[0], &[0], &["+3 +4 +5"]);
        check(&[1], &[1], &["+2 +3 +4 +5"]);
        check(&[], &[], &["-2 +3 +4 +5"]);
    }

    fn to_strings(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }
}
