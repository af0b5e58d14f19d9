//! Constraint propagation on one problem: the consequences that need no choice.
//!
//! | condition | consequence |
//! |-----------|-------------|
//! | every attacker of a free argument is decided or due | it is IN |
//! | every attacker of a spent argument is decided or due | no solution |
//! | exactly one free argument attacks a due argument | that free argument is IN |
//! | no free argument attacks a due argument | no solution |
//! | a spent argument defends itself, and exactly one free argument conflicts with it | that free argument is IN |
//! | a spent argument defends itself, and no free argument conflicts with it | no solution |
//! | no open argument attacks an argument | its targets cannot be IN: they become shut |
//! | no free argument attacks an argument | its targets will not be IN: they become spent |
//! | a shut argument has no open attacker or no open target | it is dropped |
//!
//! [`ArgumentRole`] defines the roles. A due argument will be OUT, so it is no threat. For complete sets, a spent argument may
//! defend itself, and it becomes shut as soon as one of its attackers has no free attacker, because nothing can defend
//! it then. For stable sets, all arguments are free or due.

use crate::framework::Framework;
use crate::search::region::{Aim, ArgumentRole};

/// Arguments of a framework, some of them with a role: those that are loaded and undecided.
#[derive(Debug)]
pub struct Propagator<'f> {
    framework: &'f Framework,
    aim: Aim,
    sheets: Vec<Sheet>,
    /// Arguments whose consequences must be checked.
    agenda: Vec<u32>,
}

/// State of one argument.
#[derive(Clone, Copy, Debug, Default)]
struct Sheet {
    role: Option<ArgumentRole>,
    /// Number of attackers that have a role and are not due.
    threats: u32,
    /// Number of these attackers that are open.
    open: u32,
    /// Number of these attackers that are free.
    free: u32,
}

impl Sheet {
    fn is_ripe(&self) -> bool {
        self.threats == 0 || self.open == 0 || self.free <= 1
    }
}

impl<'f> Propagator<'f> {
    /// Creates an instance without loaded arguments.
    pub fn new(framework: &'f Framework, aim: Aim) -> Self {
        Self { framework, aim, sheets: vec![Sheet::default(); framework.len()], agenda: Vec::new() }
    }

    /// Returns the role of an argument; `None` if it is decided or not loaded.
    #[inline]
    pub fn role(&self, argument: u32) -> Option<ArgumentRole> {
        self.sheets[argument as usize].role
    }

    /// Sets the role of an argument, or unloads it. Nothing is propagated before [`Propagator::propagate`].
    #[inline]
    pub fn set_role(&mut self, argument: u32, role: Option<ArgumentRole>) {
        self.sheets[argument as usize].role = role;
    }

    /// Unloads an argument and returns its role, if it had one.
    #[inline]
    pub fn take(&mut self, argument: u32) -> Option<ArgumentRole> {
        self.sheets[argument as usize].role.take()
    }

    /// Propagates all consequences; `arguments` are all arguments that have a role. Adds the arguments that become IN
    /// to `inside`. Returns false if there is no solution; all roles must be cleared then.
    ///
    /// Linear time: each argument changes its role a few times at most, and each change costs one step per attack from
    /// it.
    pub fn propagate(&mut self, arguments: &[u32], inside: &mut Vec<u32>) -> bool {
        self.agenda.clear();
        for &argument in arguments {
            let mut sheet = Sheet { role: self.role(argument), ..Sheet::default() };
            for attacker in self.framework.attackers(argument) {
                let weight = Weight::of(self.role(*attacker));
                sheet.threats += weight.threat;
                sheet.open += weight.open;
                sheet.free += weight.free;
            }
            self.sheets[argument as usize] = sheet;
            if sheet.is_ripe() {
                self.agenda.push(argument);
            }
        }
        while let Some(argument) = self.agenda.pop() {
            if !self.follow(argument, inside) {
                return false;
            }
        }
        for &argument in arguments {
            let mut attacked = self.framework.attacked(argument).iter();
            let matters = |&target: &u32| self.role(target).is_some_and(ArgumentRole::is_open);
            if self.role(argument) == Some(ArgumentRole::Shut) && !attacked.any(matters) {
                self.set_role(argument, None);
            }
        }
        true
    }

    /// Propagates the consequences for an argument and its targets. Returns false if there is no solution.
    fn follow(&mut self, argument: u32, inside: &mut Vec<u32>) -> bool {
        let Sheet { role, threats, open, free } = self.sheets[argument as usize];
        match role {
            None => {}
            Some(ArgumentRole::Due) => {
                let is_free = |attacker: &u32| self.role(*attacker) == Some(ArgumentRole::Free);
                let answer = self.framework.attackers(argument).iter().copied().find(is_free);
                match (free, answer) {
                    (0, _) => return false,
                    (1, Some(answer)) => self.set_in(answer, inside),
                    _ => {}
                }
            }
            Some(ArgumentRole::Free) if threats == 0 => self.set_in(argument, inside),
            Some(ArgumentRole::Spent) if threats == 0 => return false,
            Some(role) => {
                if role == ArgumentRole::Spent
                    && free <= 1
                    && self.aim == Aim::Preferred
                    && self.defends_itself(argument)
                {
                    match self.free_against(argument) {
                        None => return false,
                        Some((one, true)) => {
                            self.set_in(one, inside);
                            return true;
                        }
                        Some((_, false)) => {}
                    }
                }
                if open == 0 || free == 0 && self.aim == Aim::Complete {
                    self.demote_targets(argument, ArgumentRole::Shut);
                    if role == ArgumentRole::Shut {
                        self.change(argument, None);
                    }
                } else if free == 0 {
                    self.demote_targets(argument, ArgumentRole::Spent);
                }
            }
        }
        true
    }

    /// Returns true if an argument attacks all its threats.
    fn defends_itself(&self, argument: u32) -> bool {
        let mut attackers = self.framework.attackers(argument).iter();
        attackers.all(|&attacker| {
            self.role(attacker).is_none_or(|role| role == ArgumentRole::Due)
                || self.framework.has_attack(argument, attacker)
        })
    }

    /// Returns the first free argument in conflict with an argument, and true if it is the only one.
    fn free_against(&self, argument: u32) -> Option<(u32, bool)> {
        let against = self.framework.attackers(argument).iter().chain(self.framework.attacked(argument));
        let mut against = against.filter(|&&other| self.role(other) == Some(ArgumentRole::Free));
        let first = *against.next()?;
        Some((first, against.all(|&other| other == first)))
    }

    /// Makes an argument IN: its targets become OUT, and its attackers must become OUT.
    fn set_in(&mut self, argument: u32, inside: &mut Vec<u32>) {
        inside.push(argument);
        for &target in self.framework.attacked(argument) {
            self.change(target, None);
        }
        for &attacker in self.framework.attackers(argument) {
            if self.role(attacker).is_some() {
                self.change(attacker, Some(ArgumentRole::Due));
            }
        }
        self.change(argument, None);
    }

    /// Demotes the open targets of an argument to at least `to`: spent or shut.
    fn demote_targets(&mut self, argument: u32, to: ArgumentRole) {
        for &target in self.framework.attacked(argument) {
            if self.role(target).is_some_and(|role| role.is_open() && role < to) {
                self.change(target, Some(to));
            }
        }
    }

    fn change(&mut self, argument: u32, to: Option<ArgumentRole>) {
        let from = std::mem::replace(&mut self.sheets[argument as usize].role, to);
        if from == to {
            return;
        }
        let (before, after) = (Weight::of(from), Weight::of(to));
        for &target in self.framework.attacked(argument) {
            let sheet = &mut self.sheets[target as usize];
            if sheet.role.is_some() {
                sheet.threats -= before.threat - after.threat;
                sheet.open -= before.open - after.open;
                sheet.free -= before.free - after.free;
                if sheet.is_ripe() {
                    self.agenda.push(target);
                }
            }
        }
        if to.is_some() && self.sheets[argument as usize].is_ripe() {
            self.agenda.push(argument);
        }
    }
}

/// Contribution of an attacker with a role to the counts of its targets. A change of role never increases it.
struct Weight {
    threat: u32,
    open: u32,
    free: u32,
}

impl Weight {
    #[inline]
    fn of(role: Option<ArgumentRole>) -> Self {
        Self {
            threat: u32::from(role.is_some_and(|role| role != ArgumentRole::Due)),
            open: u32::from(role.is_some_and(ArgumentRole::is_open)),
            free: u32::from(role == Some(ArgumentRole::Free)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses `f`, `o`, `s` and `d` as free, spent, shut and due, and `.` as no role.
    fn roles(word: &str) -> Vec<Option<ArgumentRole>> {
        let role = |letter| match letter {
            'f' => Some(ArgumentRole::Free),
            'o' => Some(ArgumentRole::Spent),
            's' => Some(ArgumentRole::Shut),
            'd' => Some(ArgumentRole::Due),
            _ => None,
        };
        word.chars().map(role).collect()
    }

    #[test]
    fn consequences_without_a_choice_are_propagated() {
        /// Checks which arguments are IN and which roles are left; `None` if there is no solution.
        fn check(attacks: &[(u32, u32)], word: &str, expected: Option<(&[u32], &str)>) {
            let framework = Framework::new(word.len(), attacks.iter().copied()).expect("in range");
            let mut propagator = Propagator::new(&framework, Aim::Preferred);
            for (argument, role) in (0..).zip(roles(word)) {
                propagator.set_role(argument, role);
            }
            let laid: Vec<u32> =
                framework.arguments().filter(|&argument| propagator.role(argument).is_some()).collect();
            let mut inside = Vec::new();
            let hopeful = propagator.propagate(&laid, &mut inside);
            inside.sort_unstable();
            let left: Vec<_> = framework.arguments().map(|argument| propagator.role(argument)).collect();
            let found = hopeful.then_some((&inside[..], left));
            assert_eq!(found, expected.map(|(inside, word)| (inside, roles(word))), "{attacks:?} {word}");
        }
        let chain = [(0, 1), (1, 2), (2, 3)];
        check(&chain, "ffff", Some((&[0, 2], "....")));
        check(&chain, ".fff", Some((&[1, 3], "....")));
        check(&chain, "offf", None);
        check(&chain, "sfff", Some((&[], "....")));
        check(&chain, "fdff", Some((&[0, 2], "....")));
        check(&chain, "dfff", None);
        let mutual = [(0, 1), (1, 0)];
        check(&mutual, "ff", Some((&[], "ff")));
        check(&mutual, "df", Some((&[1], "..")));
        check(&mutual, "do", None);
        check(&mutual, "of", Some((&[1], "..")));
        check(&mutual, "oo", None);
        check(&mutual, "sf", Some((&[], "sf")));
        check(&mutual, "ss", Some((&[], "..")));
        // No free argument attacks 0, so 1 will not be IN; with the spent 2 it might be.
        let unanswered = [(0, 1), (2, 0), (3, 2), (3, 4), (4, 3), (1, 5), (5, 1)];
        check(&unanswered, "sfofff", Some((&[], "soofff")));
        // 2 would join the set here, because it defends itself and no free argument conflicts with it.
        check(&[(2, 0), (0, 2), (0, 1), (1, 3), (3, 1)], "sfof", None);
        check(&[(2, 0), (0, 2), (0, 1), (1, 3), (3, 1)], "sfsf", Some((&[], ".s.f")));
    }
}
