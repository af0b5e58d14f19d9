//! Maximum membership: the extensions that contain most of some given arguments, without listing the others.

use crate::factors::factors::{Factor, FactorChoice, Factors};

/// Extensions that contain as many of some given arguments as possible.
#[derive(Clone, Debug)]
pub struct MaxMembership {
    /// Number of the given arguments in each of these extensions.
    pub count: usize,
    /// Exactly these extensions, as sums of products. As incomplete as the factors they were selected from.
    pub factors: Factors,
}

/// Selects the extensions that contain as many of the `wanted` arguments as possible.
///
/// Parts are independent and each argument is decided in one part, so an optimal extension consists of optimal choices:
/// only the best choices of every part are kept. One pass over the choices, however many extensions there are. If a
/// limit was reached, the result is optimal among the extensions found.
pub fn max_membership(factors: &Factors, wanted: impl Fn(u32) -> bool) -> MaxMembership {
    let mut parts = Vec::with_capacity(factors.parts.len());
    let most = fold(factors, wanted, |part, worths| {
        let most = worths.iter().copied().flatten().max();
        let choices = part.choices.iter().zip(worths).filter(|(_, worth)| worth.is_some() && **worth == most);
        parts.push(Factor { choices: choices.map(|(choice, _)| choice.clone()).collect(), complete: part.complete });
        most
    });
    MaxMembership { count: most, factors: Factors { parts, ..factors.clone() } }
}

/// Returns the minimum number of `wanted` arguments over all extensions. Same method and cost as [`max_membership`]; if a
/// limit was reached, the minimum over the extensions found.
pub fn min_membership(factors: &Factors, wanted: impl Fn(u32) -> bool) -> usize {
    fold(factors, wanted, |_, worths| worths.iter().copied().flatten().min())
}

/// Counts `wanted` arguments bottom-up and returns the total. `pick` selects the value of a part from the values of its
/// choices; `None` stands for no extension.
fn fold(
    factors: &Factors,
    wanted: impl Fn(u32) -> bool,
    mut pick: impl FnMut(&Factor, &[Option<usize>]) -> Option<usize>,
) -> usize {
    let weight = |inside: &[u32]| inside.iter().filter(|&&argument| wanted(argument)).count();
    let mut picked: Vec<Option<usize>> = Vec::with_capacity(factors.parts.len());
    for part in &factors.parts {
        let worth = |choice: &FactorChoice| {
            let mut below = choice.parts.iter();
            below.try_fold(weight(&choice.inside), |sum, &part| picked[part].map(|held| sum + held))
        };
        let worths: Vec<Option<usize>> = part.choices.iter().map(worth).collect();
        let worth = pick(part, &worths);
        picked.push(worth);
    }
    weight(&factors.fixed) + factors.roots.iter().filter_map(|&root| picked[root]).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::extensions::extensions;
    use crate::framework::Framework;
    use crate::limits::SolverLimits;
    use crate::preferred::{preferred, preferred_factors};

    #[test]
    fn the_selection_equals_the_best_of_the_full_list() {
        fn check(arguments: usize, attacks: &[(u32, u32)]) {
            let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
            let all = preferred(&framework, &SolverLimits::default()).sets;
            let factors = preferred_factors(&framework, &SolverLimits::default());
            for wanted in 0_u32..1 << arguments {
                let is_wanted = |argument: u32| wanted >> argument & 1 == 1;
                let held = |set: &&Vec<u32>| set.iter().filter(|argument| is_wanted(**argument)).count();
                let most = all.iter().map(|set| held(&set)).max().unwrap_or(0);
                let expected: Vec<Vec<u32>> = all.iter().filter(|set| held(set) == most).cloned().collect();
                let found = max_membership(&factors, is_wanted);
                assert_eq!(
                    (found.count, extensions(&found.factors, 99).sets),
                    (most, expected),
                    "{attacks:?} {wanted:b}"
                );
            }
        }
        check(0, &[]);
        check(3, &[(0, 1), (1, 2)]);
        check(4, &[(0, 1), (1, 0), (2, 3), (3, 2)]);
        check(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)]);
        check(7, &[(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (1, 2), (3, 4), (5, 6), (6, 5)]);
        check(6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (4, 5), (5, 5)]);
    }
}
