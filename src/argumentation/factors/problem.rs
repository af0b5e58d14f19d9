//! What is still undecided, as a problem of its own.
//!
//! A [`Problem`] is a set of arguments of a framework, each with a [`Role`]. Wanted are the sets of free arguments that
//! attack none of their own, attack all that attacks them and all that is due, and to which nothing open could be
//! added. Everything outside the problem is decided, and what follows from that is in the roles: the generic scheme of
//! Baroni, Giacomin and Guida (2005), with the roles spent and due added so that a decision on one argument leaves a
//! problem of the same kind.

use crate::argumentation::framework::MAX_ARGUMENTS;
use crate::argumentation::search::region::{Region, Role};

/// A connected set of undecided arguments: what the answer depends on, so equal problems have equal answers.
///
/// An argument and its role share a number; [`MAX_ARGUMENTS`] leaves the room.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem(Vec<u32>);

const ROLES: [Role; 4] = [Role::Free, Role::Spent, Role::Shut, Role::Due];
const ROLE_BITS: u32 = 2;
const _: () = assert!(MAX_ARGUMENTS <= 1 << (u32::BITS - ROLE_BITS));

impl Problem {
    /// Of these arguments, each given once.
    pub fn new(arguments: impl IntoIterator<Item = (u32, Role)>) -> Self {
        let arguments = arguments.into_iter();
        let mut packed: Vec<u32> = arguments.map(|(argument, role)| argument << ROLE_BITS | role as u32).collect();
        packed.sort_unstable();
        Self(packed)
    }

    /// Each argument with its role, ascending.
    pub fn arguments(&self) -> impl Iterator<Item = (u32, Role)> {
        let role = |packed: u32| ROLES[packed as usize % ROLES.len()];
        self.0.iter().map(move |&packed| (packed >> ROLE_BITS, role(packed)))
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

/// A first part of a problem: what attacks it is within it.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Its arguments in the framework, those with most attacks from and on them first; the region numbers them in this
    /// order.
    pub members: Vec<u32>,
    /// The same, cut out.
    pub region: Region,
}

/// What is decided of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Of the source exactly these are IN; they are a maximal set of it.
    Source(Vec<u32>),
    /// This free argument is IN.
    With(u32),
    /// This free argument is not.
    Without(u32),
}

/// What follows from a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The arguments that are IN, those decided to be among them.
    pub inside: Vec<u32>,
    /// What is left undecided: problems that have nothing to do with one another, the smaller first.
    pub problems: Vec<Problem>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_problems_are_equal_in_any_order() {
        let problem = Problem::new(vec![(7, Role::Free), (2, Role::Due)]);
        assert_eq!(problem, Problem::new(vec![(2, Role::Due), (7, Role::Free)]));
        assert_ne!(problem, Problem::new(vec![(2, Role::Due), (7, Role::Spent)]));
        assert_eq!(problem.arguments().collect::<Vec<_>>(), [(2, Role::Due), (7, Role::Free)]);
        assert_eq!((problem.len(), problem.is_empty()), (2, false));
        let top = MAX_ARGUMENTS as u32 - 1;
        for role in ROLES {
            assert_eq!(Problem::new([(top, role)]).arguments().collect::<Vec<_>>(), [(top, role)]);
        }
    }
}
