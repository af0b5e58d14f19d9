//! Abstract argumentation frameworks (Dung 1995): arguments and the attacks between them, as dense indices.

use std::error::Error;
use std::fmt;

use crate::structures::csr::CsrLists;

/// Maximum number of arguments of a framework.
pub const MAX_ARGUMENTS: usize = 1 << 24;

/// Maximum number of attacks passed to [`Framework::new`], duplicates included.
pub const MAX_ATTACKS: usize = u32::MAX as usize;

/// Finite set of arguments `0..len` and the attacks between them.
///
/// An argument may attack itself. Duplicate attacks are stored once. Both directions are stored as sorted rows, so that
/// iterating over the attackers or the targets of an argument costs one step per attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framework {
    attacked: CsrLists,
    attackers: CsrLists,
}

/// Error of [`Framework::new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameworkError {
    /// More than [`MAX_ARGUMENTS`] arguments.
    TooManyArguments {
        /// Number of arguments requested.
        arguments: usize,
    },
    /// More than [`MAX_ATTACKS`] attacks.
    TooManyAttacks,
    /// An attack from or on an argument that does not exist.
    UnknownArgument {
        /// The attack, as (attacker, target).
        attack: (u32, u32),
        /// Number of arguments in the framework.
        arguments: usize,
    },
}

impl Framework {
    /// Builds a framework of `arguments` arguments in which `a` attacks `b` for every `(a, b)` of `attacks`.
    ///
    /// Linear in arguments and attacks.
    ///
    /// # Errors
    ///
    /// [`FrameworkError::TooManyArguments`] above [`MAX_ARGUMENTS`], [`FrameworkError::TooManyAttacks`] above
    /// [`MAX_ATTACKS`], and [`FrameworkError::UnknownArgument`] if an attack names an argument that is not below
    /// `arguments`.
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
        // Grouping by target and then by source sorts the targets of each source and puts duplicates side by side.
        let by_target = CsrLists::group(arguments, given.iter().map(|&attack| turned(attack)));
        let mut attacked = CsrLists::group(arguments, by_target.pairs().map(turned));
        attacked.dedup();
        let attackers = CsrLists::group(arguments, attacked.pairs().map(turned));
        Ok(Self { attacked, attackers })
    }

    /// Returns the number of arguments.
    pub fn len(&self) -> usize {
        self.attacked.len()
    }

    /// Returns true if there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.attacked.is_empty()
    }

    /// Returns every argument, ascending.
    pub fn arguments(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.len()).expect("MAX_ARGUMENTS fits")
    }

    /// Returns the attackers of `argument`, ascending.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    #[inline]
    pub fn attackers(&self, argument: u32) -> &[u32] {
        self.attackers.row(argument)
    }

    /// Returns the arguments that `argument` attacks, ascending.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    #[inline]
    pub fn attacked(&self, argument: u32) -> &[u32] {
        self.attacked.row(argument)
    }

    /// Returns the number of attackers of each argument, ascending by argument.
    pub fn attacker_counts(&self) -> impl Iterator<Item = u32> {
        self.attackers.lengths()
    }

    /// Returns true if `attacker` attacks `target`. Logarithmic in the number of targets of `attacker`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such attacker.
    pub fn has_attack(&self, attacker: u32, target: u32) -> bool {
        self.attacked(attacker).binary_search(&target).is_ok()
    }

    /// Returns every attack once, ordered by attacker and then by target.
    pub fn attacks(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.attacked.pairs()
    }

    /// Returns the number of distinct attacks.
    pub fn attack_count(&self) -> usize {
        self.attacked.total()
    }

    /// Returns the subframework of `members` with the attacks between them: argument `i` of the result is `members[i]`
    /// of this framework.
    ///
    /// Linear in the arguments of this framework and the attacks of the members.
    ///
    /// # Panics
    ///
    /// Panics if a member is not an argument, or is given twice.
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
                write!(f, "the framework has {arguments} arguments; the maximum is {MAX_ARGUMENTS}")
            }
            Self::TooManyAttacks => {
                write!(f, "the framework has more than {MAX_ATTACKS} attacks, which is the maximum")
            }
            Self::UnknownArgument { attack: (a, b), arguments } => {
                write!(
                    f,
                    "unknown argument in the attack of {a} on {b}: there are {arguments} arguments, numbered from 0"
                )
            }
        }
    }
}

impl Error for FrameworkError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_are_deduplicated_and_sorted() {
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
    fn oversized_frameworks_and_unknown_arguments_are_refused() {
        fn check(arguments: usize, attacks: &[(u32, u32)], error: FrameworkError, words: &str) {
            assert_eq!(Framework::new(arguments, attacks.iter().copied()), Err(error));
            assert_eq!(error.to_string(), words);
        }
        let unknown = |attack, arguments| FrameworkError::UnknownArgument { attack, arguments };
        let words = "unknown argument in the attack of 0 on 2: there are 2 arguments, numbered from 0";
        check(2, &[(0, 1), (0, 2)], unknown((0, 2), 2), words);
        check(
            0,
            &[(0, 0)],
            unknown((0, 0), 0),
            "unknown argument in the attack of 0 on 0: there are 0 arguments, numbered from 0",
        );
        let arguments = MAX_ARGUMENTS + 1;
        let words = "the framework has 16777217 arguments; the maximum is 16777216";
        check(arguments, &[], FrameworkError::TooManyArguments { arguments }, words);
    }

    #[test]
    fn a_restriction_keeps_the_attacks_between_its_members() {
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
