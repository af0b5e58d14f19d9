//! Subproblems: sets of undecided arguments with roles.
//!
//! A [`Subproblem`] is a set of arguments of a framework, each with a [`ArgumentRole`]. Its solutions are the conflict-free sets
//! of free arguments that attack all their attackers and all due arguments, and to which no open argument can be added.
//! Everything outside the problem is decided, and the roles encode the consequences: the generic scheme of Baroni,
//! Giacomin and Guida (2005), extended by the roles spent and due so that a decision on one argument leaves a problem
//! of the same kind.

use crate::framework::MAX_ARGUMENTS;
use crate::search::region::{ArgumentRole, Region};

/// Connected set of undecided arguments with their roles. The solutions depend on nothing else, so equal problems have
/// equal solutions.
///
/// An argument and its role are packed into one number; [`MAX_ARGUMENTS`] leaves room for the role bits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subproblem(Vec<u32>);

const ROLES: [ArgumentRole; 4] = [ArgumentRole::Free, ArgumentRole::Spent, ArgumentRole::Shut, ArgumentRole::Due];
const ROLE_BITS: u32 = 2;
const _: () = assert!(MAX_ARGUMENTS <= 1 << (u32::BITS - ROLE_BITS));

impl Subproblem {
    /// Creates a problem from its arguments, each given once.
    pub fn new(arguments: impl IntoIterator<Item = (u32, ArgumentRole)>) -> Self {
        let arguments = arguments.into_iter();
        let mut packed: Vec<u32> = arguments.map(|(argument, role)| argument << ROLE_BITS | role as u32).collect();
        packed.sort_unstable();
        Self(packed)
    }

    /// Returns each argument with its role, ascending.
    pub fn arguments(&self) -> impl Iterator<Item = (u32, ArgumentRole)> {
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
pub struct SourceComponent {
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
pub struct SplitOutcome {
    /// Arguments that are IN, including those decided to be.
    pub inside: Vec<u32>,
    /// Remaining undecided arguments: independent problems, smallest first.
    pub problems: Vec<Subproblem>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_equal_in_any_order_of_arguments() {
        let problem = Subproblem::new(vec![(7, ArgumentRole::Free), (2, ArgumentRole::Due)]);
        assert_eq!(problem, Subproblem::new(vec![(2, ArgumentRole::Due), (7, ArgumentRole::Free)]));
        assert_ne!(problem, Subproblem::new(vec![(2, ArgumentRole::Due), (7, ArgumentRole::Spent)]));
        assert_eq!(problem.arguments().collect::<Vec<_>>(), [(2, ArgumentRole::Due), (7, ArgumentRole::Free)]);
        assert_eq!((problem.len(), problem.is_empty()), (2, false));
        let top = MAX_ARGUMENTS as u32 - 1;
        for role in ROLES {
            assert_eq!(Subproblem::new([(top, role)]).arguments().collect::<Vec<_>>(), [(top, role)]);
        }
    }
}
