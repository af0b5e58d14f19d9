//! Arguments and the attacks between them: an abstract argumentation framework (Dung 1995), as dense indices.

use std::error::Error;
use std::fmt;

use crate::argumentation::rows::Rows;

/// The most arguments a framework may have.
pub const MAX_ARGUMENTS: usize = 1 << 24;

/// The most attacks a framework may be built from, repetitions counted.
pub const MAX_ATTACKS: usize = u32::MAX as usize;

/// A finite set of arguments `0..len` and a set of attacks between them.
///
/// An argument may attack itself. An attack counts once however often it is given. Both directions are kept, each as
/// sorted rows, so that going over all attackers, or over all that is attacked, costs one step an attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framework {
    attacked: Rows,
    attackers: Rows,
}

/// Why there is no such framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameworkError {
    /// More than [`MAX_ARGUMENTS`] arguments.
    TooManyArguments {
        /// How many were asked for.
        arguments: usize,
    },
    /// More than [`MAX_ATTACKS`] attacks.
    TooManyAttacks,
    /// An attack from or on an argument that is not there.
    UnknownArgument {
        /// The attack: who attacks, and whom.
        attack: (u32, u32),
        /// How many arguments there are.
        arguments: usize,
    },
}

impl Framework {
    /// A framework of `arguments` arguments in which `a` attacks `b` for every `(a, b)` of `attacks`.
    ///
    /// Linear in arguments and attacks.
    ///
    /// # Errors
    ///
    /// When an attack names an argument that is not below `arguments`, or when there are more than [`MAX_ARGUMENTS`] or
    /// [`MAX_ATTACKS`].
    pub fn new(arguments: usize, attacks: impl IntoIterator<Item = (u32, u32)>) -> Result<Self, FrameworkError> {
        if arguments > MAX_ARGUMENTS {
            return Err(FrameworkError::TooManyArguments { arguments });
        }
        let mut given = Vec::new();
        for attack in attacks {
            if attack.0.max(attack.1) as usize >= arguments {
                return Err(FrameworkError::UnknownArgument { attack, arguments });
            }
            if given.len() == MAX_ATTACKS {
                return Err(FrameworkError::TooManyAttacks);
            }
            given.push(attack);
        }
        // Grouped by target and then by source, the targets of a source are in order, and what repeats is side by side.
        let by_target = Rows::group(arguments, given.iter().map(|&attack| turned(attack)));
        let mut attacked = Rows::group(arguments, by_target.pairs().map(turned));
        attacked.dedup();
        let attackers = Rows::group(arguments, attacked.pairs().map(turned));
        Ok(Self { attacked, attackers })
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.attacked.len()
    }

    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.attacked.is_empty()
    }

    /// Every argument, ascending.
    pub fn arguments(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.len()).expect("MAX_ARGUMENTS fits")
    }

    /// Who attacks `argument`, ascending.
    ///
    /// # Panics
    ///
    /// If there is no such argument.
    #[inline]
    pub fn attackers(&self, argument: u32) -> &[u32] {
        self.attackers.row(argument)
    }

    /// Whom `argument` attacks, ascending.
    ///
    /// # Panics
    ///
    /// If there is no such argument.
    #[inline]
    pub fn attacked(&self, argument: u32) -> &[u32] {
        self.attacked.row(argument)
    }

    /// By how many each argument is attacked, ascending by argument.
    pub fn attacker_counts(&self) -> impl Iterator<Item = u32> {
        self.attackers.lengths()
    }

    /// Whether `attacker` attacks `target`. Logarithmic in what `attacker` attacks.
    ///
    /// # Panics
    ///
    /// If there is no such attacker.
    pub fn has_attack(&self, attacker: u32, target: u32) -> bool {
        self.attacked(attacker).binary_search(&target).is_ok()
    }

    /// Every attack once, by attacker and then by target.
    pub fn attacks(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.attacked.pairs()
    }

    /// How many attacks there are, each counted once.
    pub fn attack_count(&self) -> usize {
        self.attacked.total()
    }

    /// The framework of `members` alone, with the attacks between them: argument `i` of it is `members[i]` of this one.
    ///
    /// Linear in the arguments of this framework and the attacks of the members.
    ///
    /// # Panics
    ///
    /// If a member is not an argument, or is given twice.
    pub fn restricted_to(&self, members: &[u32]) -> Self {
        const ABSENT: u32 = u32::MAX;
        let mut place = vec![ABSENT; self.len()];
        for (&member, new) in members.iter().zip(0..) {
            let old = std::mem::replace(&mut place[member as usize], new);
            assert_eq!(old, ABSENT, "argument {member} is given twice");
        }
        let inside = members.iter().zip(0..).flat_map(|(&member, attacker)| {
            let targets = self.attacked(member).iter().map(|&target| place[target as usize]);
            targets.filter(|&target| target != ABSENT).map(move |target| (attacker, target))
        });
        Self::new(members.len(), inside).expect("members are numbered from 0")
    }
}

fn turned((a, b): (u32, u32)) -> (u32, u32) {
    (b, a)
}

impl fmt::Display for FrameworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyArguments { arguments } => {
                write!(f, "a framework of {arguments} arguments: the limit is {MAX_ARGUMENTS}")
            }
            Self::TooManyAttacks => write!(f, "a framework of more than {MAX_ATTACKS} attacks"),
            Self::UnknownArgument { attack: (a, b), arguments } => {
                write!(f, "an attack of {a} on {b} in a framework of {arguments} arguments, which count from 0")
            }
        }
    }
}

impl Error for FrameworkError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_are_kept_once_and_in_order() {
        fn check(arguments: usize, given: &[(u32, u32)], kept: &[(u32, u32)]) {
            let framework = Framework::new(arguments, given.iter().copied()).expect("in range");
            assert_eq!(framework.attacks().collect::<Vec<_>>(), kept);
            assert_eq!(framework.attack_count(), kept.len());
            assert_eq!((framework.len(), framework.is_empty()), (arguments, arguments == 0));
            for a in framework.arguments() {
                let attackers: Vec<u32> = kept.iter().filter(|k| k.1 == a).map(|k| k.0).collect();
                let attacked: Vec<u32> = kept.iter().filter(|k| k.0 == a).map(|k| k.1).collect();
                assert_eq!((framework.attackers(a), framework.attacked(a)), (&attackers[..], &attacked[..]));
                assert_eq!(framework.attacker_counts().nth(a as usize), u32::try_from(attackers.len()).ok());
                for b in framework.arguments() {
                    assert_eq!(framework.has_attack(a, b), kept.contains(&(a, b)));
                }
            }
        }
        check(0, &[], &[]);
        check(1, &[(0, 0), (0, 0)], &[(0, 0)]);
        check(3, &[(2, 0), (0, 2), (2, 0), (0, 1), (2, 2)], &[(0, 1), (0, 2), (2, 0), (2, 2)]);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        fn check(arguments: usize, attacks: &[(u32, u32)], error: FrameworkError, words: &str) {
            assert_eq!(Framework::new(arguments, attacks.iter().copied()), Err(error));
            assert_eq!(error.to_string(), words);
        }
        let unknown = |attack, arguments| FrameworkError::UnknownArgument { attack, arguments };
        let words = "an attack of 0 on 2 in a framework of 2 arguments, which count from 0";
        check(2, &[(0, 1), (0, 2)], unknown((0, 2), 2), words);
        check(
            0,
            &[(0, 0)],
            unknown((0, 0), 0),
            "an attack of 0 on 0 in a framework of 0 arguments, which count from 0",
        );
        let arguments = MAX_ARGUMENTS + 1;
        let words = "a framework of 16777217 arguments: the limit is 16777216";
        check(arguments, &[], FrameworkError::TooManyArguments { arguments }, words);
    }

    #[test]
    fn a_part_keeps_its_own_attacks() {
        fn check(members: &[u32], attacks: &[(u32, u32)]) {
            let whole = Framework::new(4, [(0, 1), (1, 2), (2, 3), (3, 0), (2, 2)]).expect("in range");
            let part = whole.restricted_to(members);
            assert_eq!(part.len(), members.len());
            assert_eq!(part.attacks().collect::<Vec<_>>(), attacks);
        }
        check(&[], &[]);
        check(&[2], &[(0, 0)]);
        check(&[0, 1, 3], &[(0, 1), (2, 0)]);
        check(&[3, 2], &[(1, 0), (1, 1)]);
    }
}
