//! A part of a framework as the search sees it: who attacks whom, and what each argument may become.

use crate::argumentation::framework::Framework;

/// Which sets are looked for.
///
/// All three are SCC-recursive (Baroni, Giacomin and Guida 2005), so they come apart in the same way, and a decision on
/// one argument leaves a problem of the same kind. They differ in what becomes of an argument that is not to be IN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Admissible sets to which nothing open can be added.
    Preferred,
    /// Admissible sets that hold all they defend.
    Complete,
    /// Sets that attack all they do not hold.
    Stable,
}

impl Aim {
    /// The role of an argument that cannot be IN, for it attacks itself.
    pub fn of_self_attacker(self) -> Role {
        if self == Self::Stable { Role::Due } else { Role::Shut }
    }

    /// The role of a free argument after the decision that it is not IN.
    pub fn of_declined(self) -> Role {
        if self == Self::Stable { Role::Due } else { Role::Spent }
    }
}

/// What an argument may become in the sets that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It may be IN.
    Free,
    /// It is not to be IN; but a set it could join is not wanted: not a maximal one, or where complete sets are the aim,
    /// not one that defends it.
    Spent,
    /// It cannot be IN: it attacks itself, or something UNDEC attacks it. Not where stable sets are the aim: there it
    /// is due.
    Shut,
    /// It must be OUT, for it attacks what is IN already, or nothing may be left UNDEC.
    Due,
}

impl Role {
    /// Whether it might be IN in some admissible set.
    #[inline]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Free | Self::Spent)
    }
}

/// A part of a framework, its arguments numbered from 0. Where there is nothing to choose between, the argument with
/// the lowest number is decided first: those in most conflicts had better come first.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// The role of each argument.
    pub roles: Vec<Role>,
    /// Who attacks whom.
    pub attacks: Vec<(u32, u32)>,
}

impl Region {
    /// A whole framework: all is free but what attacks itself.
    pub fn whole(framework: &Framework, aim: Aim) -> Self {
        let attacks_itself = |argument| framework.has_attack(argument, argument);
        let role = |argument| if attacks_itself(argument) { aim.of_self_attacker() } else { Role::Free };
        Self { roles: framework.arguments().map(role).collect(), attacks: framework.attacks().collect() }
    }
}
