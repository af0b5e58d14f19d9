//! Regions: parts of a framework as the search sees them, with their attacks and the role of each argument.

use crate::framework::Framework;

/// Kind of sets to find.
///
/// All three are SCC-recursive (Baroni, Giacomin and Guida 2005), so problems split in the same way, and a decision on
/// one argument leaves a problem of the same kind. They differ in the role of an argument that is not to be IN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Admissible sets to which no open argument can be added.
    Preferred,
    /// Admissible sets that contain every argument they defend.
    Complete,
    /// Sets that attack every argument outside.
    Stable,
}

impl Aim {
    /// Returns the role of an argument that cannot be IN because it attacks itself.
    pub fn role_of_self_attacker(self) -> ArgumentRole {
        if self == Self::Stable { ArgumentRole::Due } else { ArgumentRole::Shut }
    }

    /// Returns the role of a free argument after the decision that it is not IN.
    pub fn of_declined(self) -> ArgumentRole {
        if self == Self::Stable { ArgumentRole::Due } else { ArgumentRole::Spent }
    }
}

/// Role of an argument in the sets to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArgumentRole {
    /// It may be IN.
    Free,
    /// It is not to be IN, and a set that it could join is no solution: that set is not maximal or, for complete sets,
    /// defends it.
    Spent,
    /// It cannot be IN, because it attacks itself or an UNDEC argument attacks it. Not used for stable sets: such an
    /// argument is due there.
    Shut,
    /// It must be OUT, because it attacks an IN argument or because no argument may be UNDEC.
    Due,
}

impl ArgumentRole {
    /// Returns true if the argument might be IN in some admissible set.
    #[inline]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Free | Self::Spent)
    }
}

/// Part of a framework, with arguments numbered from 0. If nothing else decides, the argument with the lowest number is
/// branched on first, so arguments in most conflicts should have the lowest numbers.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Role of each argument.
    pub roles: Vec<ArgumentRole>,
    /// Attacks, as (attacker, target).
    pub attacks: Vec<(u32, u32)>,
}

impl Region {
    /// Creates the region of a whole framework: every argument is free, except self-attackers.
    pub fn whole(framework: &Framework, aim: Aim) -> Self {
        let attacks_itself = |argument| framework.has_attack(argument, argument);
        let role = |argument| if attacks_itself(argument) { aim.role_of_self_attacker() } else { ArgumentRole::Free };
        Self { roles: framework.arguments().map(role).collect(), attacks: framework.attacks().collect() }
    }
}
