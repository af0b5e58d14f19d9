//! Clauses for the local search: sets of a region with one variable for each argument, true if it is IN.

use crate::sat::local_search::{LocalSearch, VariableValue};
use crate::search::region::{ArgumentRole, Region};
use crate::structures::csr::CsrLists;

/// Maximum number of literals in the clauses of admissible sets, which grow with the number of attackers of attackers.
const MAX_LITERALS: usize = 1 << 22;

/// Condition on the sets to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Sets that contain these arguments.
    Contains(Vec<u32>),
    /// Sets that do not contain this argument.
    Lacks(u32),
    /// Sets that attack this argument.
    Attacks(u32),
}

/// Prepares a search for a stable set: each argument is IN or attacked by an IN argument, and not both. `None` if unit
/// propagation shows that there is none.
pub fn stable_sets(region: &Region, condition: &Condition) -> Option<LocalSearch> {
    let attackers = attackers(region);
    let mut clauses = conflict_free(region, condition, &attackers);
    for argument in (0..).take(region.roles.len()) {
        let others = attackers.row(argument).iter().copied().filter(|&attacker| attacker != argument);
        clauses.push(others.chain([argument]).map(within).collect());
    }
    LocalSearch::new(region.roles.len(), &clauses)
}

/// Prepares a search for an admissible set: conflict-free, and each attacker of an IN argument is attacked by an IN
/// argument. `None` if unit propagation shows that there is none, or if the clauses are too many.
pub fn admissible_sets(region: &Region, condition: &Condition) -> Option<LocalSearch> {
    let attackers = attackers(region);
    let literals = region.attacks.iter().map(|&(attacker, _)| attackers.row(attacker).len() + 1).sum::<usize>();
    if literals > MAX_LITERALS {
        return None;
    }
    let mut clauses = conflict_free(region, condition, &attackers);
    for &(attacker, target) in &region.attacks {
        let defenders = attackers.row(attacker);
        // One that strikes back defends itself, and a self-attacker is never IN.
        if attacker != target && !defenders.contains(&target) {
            clauses.push(defenders.iter().copied().map(within).chain([outside(target)]).collect());
        }
    }
    LocalSearch::new(region.roles.len(), &clauses)
}

/// Returns the clauses of conflict-free sets under a condition: only free arguments are IN, and due arguments are
/// attacked.
fn conflict_free(region: &Region, condition: &Condition, attackers: &CsrLists) -> Vec<Vec<VariableValue>> {
    let one_of_attackers = |target: u32| attackers.row(target).iter().copied().map(within).collect::<Vec<_>>();
    let mut clauses = Vec::new();
    for (argument, role) in (0..).zip(&region.roles) {
        if *role != ArgumentRole::Free {
            clauses.push(vec![outside(argument)]);
        }
        if *role == ArgumentRole::Due {
            clauses.push(one_of_attackers(argument));
        }
    }
    for &(attacker, target) in &region.attacks {
        if attacker == target {
            clauses.push(vec![outside(target)]);
        } else {
            clauses.push(vec![outside(attacker), outside(target)]);
        }
    }
    match condition {
        Condition::Contains(members) => clauses.extend(members.iter().map(|&member| vec![within(member)])),
        Condition::Lacks(argument) => clauses.push(vec![outside(*argument)]),
        Condition::Attacks(argument) => clauses.push(one_of_attackers(*argument)),
    }
    clauses
}

fn attackers(region: &Region) -> CsrLists {
    CsrLists::group(region.roles.len(), region.attacks.iter().map(|&(attacker, target)| (target, attacker)))
}

fn within(argument: u32) -> VariableValue {
    VariableValue { variable: argument, value: true }
}

fn outside(argument: u32) -> VariableValue {
    VariableValue { variable: argument, value: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::framework::Framework;
    use crate::limits::{SolverLimits, WorkBudget};
    use crate::search::region::Aim;
    use crate::structures::random_bits::RandomBits;

    /// Generates regions of up to seven arguments, some of which attack themselves.
    fn regions() -> impl Iterator<Item = Region> {
        let mut random = RandomBits::<1>::new(3);
        (0..300_u32).map(move |round| {
            let size = 1 + round % 7;
            let pairs = (0..size * size).map(|pair| (pair / size, pair % size));
            let attacks: Vec<(u32, u32)> = pairs.filter(|_| random.bits(70)[0] & 1 == 1).collect();
            let framework = Framework::new(size as usize, attacks).expect("in range");
            let aim = if round.is_multiple_of(2) { Aim::Preferred } else { Aim::Stable };
            Region::whole(&framework, aim)
        })
    }

    /// Checks sets of a region by their definitions.
    struct Oracle<'r>(&'r Region);

    impl Oracle<'_> {
        fn attacks(&self, set: &[u32], target: u32) -> bool {
            self.0.attacks.iter().any(|(attacker, attacked)| set.contains(attacker) && *attacked == target)
        }

        fn is_stable(&self, set: &[u32]) -> bool {
            self.arguments().all(|argument| set.contains(&argument) != self.attacks(set, argument))
        }

        fn is_admissible(&self, set: &[u32]) -> bool {
            let answers = |&(attacker, target): &(u32, u32)| !set.contains(&target) || self.attacks(set, attacker);
            let is_met =
                |argument: u32| self.0.roles[argument as usize] != ArgumentRole::Due || self.attacks(set, argument);
            set.iter().all(|&member| !self.attacks(set, member))
                && self.0.attacks.iter().all(answers)
                && self.arguments().all(is_met)
        }

        fn holds(&self, set: &[u32], condition: &Condition) -> bool {
            match condition {
                Condition::Contains(members) => members.iter().all(|member| set.contains(member)),
                Condition::Lacks(argument) => !set.contains(argument),
                Condition::Attacks(argument) => self.attacks(set, *argument),
            }
        }

        fn arguments(&self) -> std::ops::Range<u32> {
            0..self.0.roles.len() as u32
        }

        fn sets(&self) -> impl Iterator<Item = Vec<u32>> {
            let members = |bits: u32| self.arguments().filter(|place| bits >> place & 1 == 1).collect();
            (0..1_u32 << self.0.roles.len()).map(members)
        }
    }

    #[test]
    fn a_set_is_found_if_there_is_one() {
        let limits = SolverLimits { conflicts: 100, ..SolverLimits::default() };
        for region in regions() {
            let oracle = Oracle(&region);
            let last = region.roles.len() as u32 - 1;
            let contains = [vec![], vec![0], vec![0, last]].map(Condition::Contains);
            for condition in contains.iter().chain(&[Condition::Lacks(0), Condition::Attacks(last)]) {
                let check = |search: Option<LocalSearch>, is_right: &dyn Fn(&[u32]) -> bool| {
                    let is_right = |set: &Vec<u32>| is_right(set) && oracle.holds(set, condition);
                    let found = search.and_then(|mut search| {
                        search.resume(&mut WorkBudget::new(&limits)).then(|| search.true_variables())
                    });
                    assert_eq!(found.is_some(), oracle.sets().any(|set| is_right(&set)), "{condition:?} {region:?}");
                    assert!(found.is_none_or(|set| is_right(&set)), "{condition:?} {region:?}");
                };
                check(stable_sets(&region, condition), &|set| oracle.is_stable(set));
                check(admissible_sets(&region, condition), &|set| oracle.is_admissible(set));
            }
        }
    }
}
