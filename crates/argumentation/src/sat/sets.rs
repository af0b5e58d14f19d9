//! Enumeration of the sets of a region by clause learning; each set is excluded once it is found.

use crate::limits::WorkBudget;
use crate::sat::clauses::Literal;
use crate::sat::labels::{Bias, LabellingClauses};
use crate::search::region::{Aim, ArgumentRole, Region};
use crate::search::search::FoundSets;

/// Finds up to `most` of the sets of [`crate::search::search::find_sets`] by clause learning. Also
/// exponential in the worst case, and slower on easy regions, but effective on large regions with many odd cycles.
///
/// Any set is grown to a maximal one (Cerutti, Dunne, Giacomin and Vallati 2014).
pub fn learn_sets(region: &Region, aim: Aim, most: usize, work: &mut WorkBudget<'_>) -> FoundSets {
    let mut labels = LabellingClauses::new(region, aim, Bias::Out, work);
    let found = each_set(&mut labels, region, aim, most);
    labels.clauses.return_conflicts(work);
    found
}

fn each_set(labels: &mut LabellingClauses<'_>, region: &Region, aim: Aim, most: usize) -> FoundSets {
    let is_spent = |argument: &u32| region.roles[*argument as usize] == ArgumentRole::Spent;
    let unspent: Vec<Literal> =
        (0..).take(region.roles.len()).filter(is_spent).map(|place| !labels.inside[place as usize]).collect();
    let mut sets = Vec::new();
    while sets.len() < most {
        match labels.clauses.solve(unspent.iter().copied()) {
            Some(true) => {}
            answer => return FoundSets { sets, complete: answer == Some(false) },
        }
        let set = if aim == Aim::Preferred { labels.grow(&[]) } else { Some(labels.set()) };
        let Some(set) = set else {
            return FoundSets { sets, complete: false };
        };
        let mut other = labels.clause_outside(&set);
        if aim == Aim::Complete {
            other.extend(set.iter().map(|&member| !labels.inside[member as usize]));
        }
        labels.clauses.add(other);
        if !set.iter().any(is_spent) {
            sets.push(set);
        }
    }
    let complete = labels.clauses.solve(unspent) == Some(false);
    FoundSets { sets, complete }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::limits::SolverLimits;
    use crate::search::search::find_sets;

    /// Generates regions with all roles from a linear congruential sequence.
    fn regions() -> impl Iterator<Item = Region> {
        let mut state = 0x9E37_79B9_u64;
        let mut below = move |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        (0..600).map(move |round| {
            let size = 1 + round % 8;
            let roles = (0..size).map(|_| match below(8) {
                0 => ArgumentRole::Spent,
                1 => ArgumentRole::Shut,
                2 => ArgumentRole::Due,
                _ => ArgumentRole::Free,
            });
            let roles = roles.collect();
            let pairs = (0..size * size).map(|pair| ((pair / size) as u32, (pair % size) as u32));
            let attacks = pairs.filter(|(a, b)| a != b && below(10) < 3).collect();
            Region { roles, attacks }
        })
    }

    #[test]
    fn both_searches_find_the_same_sets() {
        for region in regions() {
            for aim in [Aim::Preferred, Aim::Complete, Aim::Stable] {
                let mut region = region.clone();
                if aim == Aim::Stable {
                    region
                        .roles
                        .iter_mut()
                        .filter(|role| **role != ArgumentRole::Free)
                        .for_each(|role| *role = ArgumentRole::Due);
                }
                let mut quick = find_sets(&region, aim, &mut 100_000);
                let mut learned = learn_sets(&region, aim, 1_000, &mut WorkBudget::new(&SolverLimits::default()));
                quick.sets.sort_unstable();
                learned.sets.sort_unstable();
                assert_eq!(learned, quick, "{aim:?} {region:?}");
            }
        }
    }

    #[test]
    fn at_most_the_requested_sets_are_found() {
        let pairs = (0..8).flat_map(|pair| [(2 * pair, 2 * pair + 1), (2 * pair + 1, 2 * pair)]).collect();
        let region = Region { roles: vec![ArgumentRole::Free; 16], attacks: pairs };
        for (most, complete) in [(0, false), (3, false), (255, false), (256, true), (300, true)] {
            let found = learn_sets(&region, Aim::Preferred, most, &mut WorkBudget::new(&SolverLimits::default()));
            assert_eq!((found.sets.len(), found.complete), (most.min(256), complete));
        }
    }
}
