//! Enumeration of the sets of a region by clause learning; each set is excluded once it is found.

use crate::argumentation::limits::Work;
use crate::argumentation::sat::clauses::Literal;
use crate::argumentation::sat::labels::{Bias, Labels};
use crate::argumentation::search::region::{Aim, Region, Role};
use crate::argumentation::search::search::Found;

/// Finds up to `most` of the sets of [`crate::argumentation::search::search::find_sets`] by clause learning. Also
/// exponential in the worst case, and slower on easy regions, but effective on large regions with many odd cycles.
///
/// Any set is grown to a maximal one (Cerutti, Dunne, Giacomin and Vallati 2014).
pub fn learn_sets(region: &Region, aim: Aim, most: usize, work: &mut Work<'_>) -> Found {
    let mut labels = Labels::new(region, aim, Bias::Out, work);
    let found = each_set(&mut labels, region, aim, most);
    labels.clauses.settle(work);
    found
}

fn each_set(labels: &mut Labels<'_>, region: &Region, aim: Aim, most: usize) -> Found {
    let is_spent = |argument: &u32| region.roles[*argument as usize] == Role::Spent;
    let unspent: Vec<Literal> =
        (0..).take(region.roles.len()).filter(is_spent).map(|it| !labels.inside[it as usize]).collect();
    let mut sets = Vec::new();
    while sets.len() < most {
        match labels.clauses.solve(unspent.iter().copied()) {
            Some(true) => {}
            answer => return Found { sets, complete: answer == Some(false) },
        }
        let set = if aim == Aim::Preferred { labels.grow(&[]) } else { Some(labels.set()) };
        let Some(set) = set else {
            return Found { sets, complete: false };
        };
        let mut other = labels.beyond(&set);
        if aim == Aim::Complete {
            other.extend(set.iter().map(|&member| !labels.inside[member as usize]));
        }
        labels.clauses.add(other);
        if !set.iter().any(is_spent) {
            sets.push(set);
        }
    }
    let complete = labels.clauses.solve(unspent) == Some(false);
    Found { sets, complete }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::argumentation::limits::Limits;
    use crate::argumentation::search::search::find_sets;

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
                0 => Role::Spent,
                1 => Role::Shut,
                2 => Role::Due,
                _ => Role::Free,
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
                    region.roles.iter_mut().filter(|role| **role != Role::Free).for_each(|role| *role = Role::Due);
                }
                let mut quick = find_sets(&region, aim, &mut 100_000);
                let mut learned = learn_sets(&region, aim, 1_000, &mut Work::new(&Limits::default()));
                quick.sets.sort_unstable();
                learned.sets.sort_unstable();
                assert_eq!(learned, quick, "{aim:?} {region:?}");
            }
        }
    }

    #[test]
    fn at_most_the_requested_sets_are_found() {
        let pairs = (0..8).flat_map(|pair| [(2 * pair, 2 * pair + 1), (2 * pair + 1, 2 * pair)]).collect();
        let region = Region { roles: vec![Role::Free; 16], attacks: pairs };
        for (most, complete) in [(0, false), (3, false), (255, false), (256, true), (300, true)] {
            let found = learn_sets(&region, Aim::Preferred, most, &mut Work::new(&Limits::default()));
            assert_eq!((found.sets.len(), found.complete), (most.min(256), complete));
        }
    }
}
