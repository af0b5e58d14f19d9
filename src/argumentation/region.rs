//! A part of a framework as the search sees it: who attacks whom, and what each argument may become.

/// What an argument may become in the sets that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It may be IN.
    Free,
    /// It is not to be IN; but a set it could join is not maximal.
    Spent,
    /// It cannot be IN: it attacks itself, or something UNDEC attacks it.
    Shut,
    /// It must be OUT, for it attacks what is IN already.
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
