//! Subproblems: sets of undecided arguments with roles.
//!
//! A [`Problem`] is a set of arguments of a framework, each with a [`Role`]. Its solutions are the conflict-free sets
//! of free arguments that attack all their attackers and all due arguments, and to which no open argument can be added.
//! Everything outside the problem is decided, and the roles encode the consequences: the generic scheme of Baroni,
//! Giacomin and Guida (2005), extended by the roles spent and due so that a decision on one argument leaves a problem
//! of the same kind.

use crate::argumentation::framework::MAX_ARGUMENTS;
use crate::argumentation::search::region::{Region, Role};

/// Connected set of undecided arguments with their roles. The solutions depend on nothing else, so equal problems have
/// equal solutions.
///
/// An argument and its role are packed into one number; [`MAX_ARGUMENTS`] leaves room for the role bits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem(Vec<u32>);

const ROLES: [Role; 4] = [Role::Free, Role::Spent, Role::Shut, Role::Due];
const ROLE_BITS: u32 = 2;
const _: () = assert!(MAX_ARGUMENTS <= 1 << (u32::BITS - ROLE_BITS));

impl Problem {
    /// Creates a problem from its arguments, each given once.
    pub fn new(arguments: impl IntoIterator<Item = (u32, Role)>) -> Self {
        let arguments = arguments.into_iter();
        let mut packed: Vec<u32> = arguments.map(|(argument, role)| argument << ROLE_BITS | role as u32).collect();
        packed.sort_unstable();
        Self(packed)
    }

    /// Returns each argument with its role, ascending.
    pub fn arguments(&self) -> impl Iterator<Item = (u32, Role)> {
        let role = |packed: u32| ROLES[packed as usize % ROLES.len()];
        self.0.iter().map(move |&packed| (packed >> ROLE_BITS, role(packed)))
    }

    /// Returns the number of arguments.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no arguments, which is never the case for a problem that was split off.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Source component of a problem: all its attackers belong to it.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Arguments of the component in the framework, those with most attacks (from and on them) first. The region
    /// numbers them in this order.
    pub members: Vec<u32>,
    /// The component as a region.
    pub region: Region,
}

/// Decision on a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Exactly these arguments of the source are IN; they are a maximal set of it.
    Source(Vec<u32>),
    /// This free argument is IN.
    With(u32),
    /// This free argument is not IN.
    Without(u32),
}

/// Consequences of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Arguments that are IN, including those decided to be.
    pub inside: Vec<u32>,
    /// Remaining undecided arguments: independent problems, smallest first.
    pub problems: Vec<Problem>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_equal_in_any_order_of_arguments() {
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
