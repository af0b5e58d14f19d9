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
        self.0.iter().map(|&packed| unpacked(packed))
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

fn unpacked(packed: u32) -> (u32, bool) {
    (packed >> 1, packed & 1 == 1)
}

/// A first part of a problem: what attacks it is within it.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Its arguments in the framework, those with most attacks from and on them first; the region numbers them in this
    /// order.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Standing {
    /// Decided, or not of this problem.
    #[default]
    Gone,
    Shut,
    Open,
}

/// What is known of one argument.
#[derive(Clone, Copy, Debug, Default)]
struct Sheet {
    standing: Standing,
    /// How many arguments that are not gone attack it.
    threats: u32,
    /// How many of them are open.
    answers: u32,
    /// Its number within the source being cut out, from 1.
    place: u32,
}

#[derive(Clone, Copy, Debug)]
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
    desk: Vec<Sheet>,
    tarjan: Tarjan,
    /// The arguments laid out.
    laid: Vec<u32>,
    agenda: Vec<Event>,
    /// The problem being collected.
    members: Vec<u32>,
}

impl<'f> Residue<'f> {
    /// An empty desk.
    pub fn new(framework: &'f Framework) -> Self {
        let (desk, tarjan) = (vec![Sheet::default(); framework.len()], Tarjan::new(framework.len()));
        Self {
            framework,
            desk,
            tarjan,
            laid: Vec::new(),
            agenda: Vec::new(),
            members: Vec::new(),
        }
    }

    /// Takes apart what the grounded labelling leaves undecided; `undecided` is ascending. Linear time.
    pub fn of_undecided(&mut self, undecided: &[u32]) -> Outcome {
        for &argument in undecided {
            let open = !self.framework.has_attack(argument, argument);
            self.sheet(argument).standing = if open { Standing::Open } else { Standing::Shut };
        }
        self.laid.clear();
        self.laid.extend_from_slice(undecided);
        self.take_apart(Vec::new())
    }

    /// Takes apart what is left of a problem when of a source exactly `chosen` are IN. Linear time.
    pub fn after(&mut self, problem: &Problem, source: &[u32], chosen: Vec<u32>) -> Outcome {
        self.lay_out(problem);
        let framework = self.framework;
        for &argument in &chosen {
            self.sheet(argument).standing = Standing::Gone;
            framework
                .attacked(argument)
                .iter()
                .for_each(|&target| self.sheet(target).standing = Standing::Gone);
        }
        for &argument in source {
            if std::mem::take(&mut self.sheet(argument).standing) == Standing::Gone {
                continue;
            }
            // It is UNDEC.
            for &target in framework.attacked(argument) {
                if self.is_open(target) {
                    self.sheet(target).standing = Standing::Shut;
                }
            }
        }
        let desk = &self.desk;
        self.laid.clear();
        self.laid.extend(
            problem
                .arguments()
                .map(|(argument, _)| argument)
                .filter(|&argument| is_left(desk, argument)),
        );
        self.take_apart(chosen)
    }

    /// Finds a strongly connected part of a problem that nothing outside it attacks. Linear time.
    pub fn source(&mut self, problem: &Problem, source: &mut Source) {
        self.lay_out(problem);
        let Source { members, region } = source;
        members.clear();
        let (framework, desk) = (self.framework, &self.desk);
        if let Some((root, _)) = problem.arguments().next() {
            let _ = self.tarjan.explore(
                root,
                |argument| framework.attackers(argument),
                |attacker, target| matters(desk, attacker, target),
                |component| {
                    members.extend_from_slice(component);
                    ControlFlow::Break(())
                },
            );
        }
        members.sort_unstable_by_key(|&argument| {
            let attacks = framework.attackers(argument).len() + framework.attacked(argument).len();
            (std::cmp::Reverse(attacks), argument)
        });
        self.cut(members, region);
        problem
            .arguments()
            .for_each(|(argument, _)| self.sheet(argument).standing = Standing::Gone);
        self.tarjan.forget(problem.arguments().map(|(argument, _)| argument));
    }

    fn cut(&mut self, members: &[u32], region: &mut Region) {
        region.open.clear();
        for (&member, number) in members.iter().zip(1..) {
            region.open.push(self.is_open(member));
            self.sheet(member).place = number;
        }
        region.attacks.clear();
        for (&member, number) in members.iter().zip(0..) {
            for &target in self.framework.attacked(member) {
                let place = self.desk[target as usize].place;
                if place > 0 && matters(&self.desk, member, target) {
                    region.attacks.push((number, place - 1));
                }
            }
        }
        members.iter().for_each(|&member| self.sheet(member).place = 0);
    }

    fn lay_out(&mut self, problem: &Problem) {
        for (argument, open) in problem.arguments() {
            self.sheet(argument).standing = if open { Standing::Open } else { Standing::Shut };
        }
    }

    fn sheet(&mut self, argument: u32) -> &mut Sheet {
        &mut self.desk[argument as usize]
    }

    fn is_left(&self, argument: u32) -> bool {
        is_left(&self.desk, argument)
    }

    fn is_open(&self, argument: u32) -> bool {
        self.desk[argument as usize].standing == Standing::Open
    }

    /// Reduces what is laid out and splits the rest; `inside` is IN by what went before.
    fn take_apart(&mut self, mut inside: Vec<u32>) -> Outcome {
        let laid = std::mem::take(&mut self.laid);
        self.reduce(&laid, &mut inside);
        let mut problems = Vec::new();
        for &root in &laid {
            if self.is_left(root) {
                problems.push(self.connected(root));
            }
        }
        problems.sort_by_key(Problem::len);
        self.laid = laid;
        Outcome { inside, problems }
    }

    /// Draws what consequences there are without a choice, and adds to `inside` what is IN.
    fn reduce(&mut self, arguments: &[u32], inside: &mut Vec<u32>) {
        for &argument in arguments {
            let (mut threats, mut answers) = (0, 0);
            for &attacker in self.framework.attackers(argument) {
                threats += u32::from(self.is_left(attacker));
                answers += u32::from(self.is_open(attacker));
            }
            let sheet = self.sheet(argument);
            (sheet.threats, sheet.answers) = (threats, answers);
            if threats == 0 && sheet.standing == Standing::Open {
                self.agenda.push(Event::Stands(argument));
            } else if answers == 0 {
                self.agenda.push(Event::Remains(argument));
            }
        }
        while let Some(event) = self.agenda.pop() {
            match event {
                Event::Stands(argument) => {
                    if self.is_open(argument) {
                        inside.push(argument);
                        self.stands(argument);
                    }
                }
                Event::Remains(argument) => {
                    if self.is_left(argument) {
                        self.remains(argument);
                    }
                }
            }
        }
        for &argument in arguments {
            let attacked = self.framework.attacked(argument);
            if !self.is_open(argument) && !attacked.iter().any(|&target| self.is_open(target)) {
                self.sheet(argument).standing = Standing::Gone;
            }
        }
    }

    fn stands(&mut self, argument: u32) {
        self.sheet(argument).standing = Standing::Gone;
        for &fallen in self.framework.attacked(argument) {
            let was = std::mem::take(&mut self.sheet(fallen).standing);
            if was == Standing::Gone {
                continue;
            }
            for &target in self.framework.attacked(fallen) {
                if !self.is_left(target) {
                    continue;
                }
                let sheet = self.sheet(target);
                sheet.threats -= 1;
                if sheet.threats == 0 && sheet.standing == Standing::Open {
                    self.agenda.push(Event::Stands(target));
                }
                if was == Standing::Open {
                    self.lose_answer(target);
                }
            }
        }
    }

    fn remains(&mut self, argument: u32) {
        for &target in self.framework.attacked(argument) {
            if !self.is_open(target) {
                continue;
            }
            self.sheet(target).standing = Standing::Shut;
            for &other in self.framework.attacked(target) {
                if self.is_left(other) {
                    self.lose_answer(other);
                }
            }
            if self.sheet(target).answers == 0 {
                self.agenda.push(Event::Remains(target));
            }
        }
        let sheet = self.sheet(argument);
        if sheet.standing == Standing::Shut {
            sheet.standing = Standing::Gone;
        }
    }

    /// An open attacker of an argument that is left is open no longer.
    fn lose_answer(&mut self, argument: u32) {
        let sheet = self.sheet(argument);
        sheet.answers -= 1;
        if sheet.answers == 0 {
            self.agenda.push(Event::Remains(argument));
        }
    }

    /// Takes from the desk the arguments that are left and hang together with `root`.
    fn connected(&mut self, root: u32) -> Problem {
        self.members.clear();
        self.collect(root);
        let mut spent = 0;
        while let Some(&member) = self.members.get(spent) {
            spent += 1;
            let (argument, open) = unpacked(member);
            for row in [self.framework.attackers(argument), self.framework.attacked(argument)] {
                for &other in row {
                    if self.is_open(other) || open && self.is_left(other) {
                        self.collect(other);
                    }
                }
            }
        }
        self.members.sort_unstable();
        Problem(self.members.clone())
    }

    fn collect(&mut self, argument: u32) {
        self.members.push(packed(argument, self.is_open(argument)));
        self.sheet(argument).standing = Standing::Gone;
    }
}

fn is_left(desk: &[Sheet], argument: u32) -> bool {
    desk[argument as usize].standing != Standing::Gone
}

/// Whether an attack is one between arguments that are left, and from or on an open one.
fn matters(desk: &[Sheet], attacker: u32, target: u32) -> bool {
    matches!(
        (desk[attacker as usize].standing, desk[target as usize].standing),
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
            let mut source = Source::default();
            residue.source(&problem, &mut source);
            assert_eq!(
                (&source.members[..], &source.region.open[..]),
                (&[0, 1][..], &[true, true][..])
            );
            assert_eq!(source.region.attacks, [(0, 1), (1, 0)]);
        }
        let mut check = |chosen: &[u32], inside: &[u32], problems: &[&str]| {
            let outcome = residue.after(&problem, &[0, 1], chosen.to_vec());
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
