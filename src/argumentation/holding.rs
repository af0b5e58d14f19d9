//! Of all extensions those that hold most of some arguments, without listing the others.

use crate::argumentation::factors::factors::{Choice, Factors, Part};

/// The extensions that hold most of some arguments.
#[derive(Clone, Debug)]
pub struct Holding {
    /// How many of the arguments each of them holds.
    pub most: usize,
    /// They, and no others, as sums of products. As incomplete as the factors they were chosen from.
    pub factors: Factors,
}

/// Chooses the extensions that hold most of the `wanted` arguments.
///
/// Parts are independent and an argument is decided in one place, so the best of a whole is made of the best of its
/// parts: of every part the best choices are kept. One pass over the choices, however many extensions there are. Where
/// a limit was reached, they are the best of what was found.
pub fn holding_most(factors: &Factors, wanted: impl Fn(u32) -> bool) -> Holding {
    let mut parts = Vec::with_capacity(factors.parts.len());
    let most = fold(factors, wanted, |part, worths| {
        let most = worths.iter().copied().flatten().max();
        let choices = part.choices.iter().zip(worths).filter(|(_, worth)| worth.is_some() && **worth == most);
        parts.push(Part { choices: choices.map(|(choice, _)| choice.clone()).collect(), complete: part.complete });
        most
    });
    Holding { most, factors: Factors { parts, ..factors.clone() } }
}

/// How many of the `wanted` arguments every extension holds at least. As [`holding_most`]; where a limit was reached, how
/// many those do that were found.
pub fn held_at_least(factors: &Factors, wanted: impl Fn(u32) -> bool) -> usize {
    fold(factors, wanted, |_, worths| worths.iter().copied().flatten().min())
}

/// What is held of the `wanted` arguments, where each part is worth what `pick` makes of what its choices are worth;
/// `None` is what comes to nothing.
fn fold(
    factors: &Factors,
    wanted: impl Fn(u32) -> bool,
    mut pick: impl FnMut(&Part, &[Option<usize>]) -> Option<usize>,
) -> usize {
    let weight = |inside: &[u32]| inside.iter().filter(|&&argument| wanted(argument)).count();
    let mut picked: Vec<Option<usize>> = Vec::with_capacity(factors.parts.len());
    for part in &factors.parts {
        let worth = |choice: &Choice| {
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

    use crate::argumentation::extensions::extensions;
    use crate::argumentation::framework::Framework;
    use crate::argumentation::limits::Limits;
    use crate::argumentation::preferred::{preferred, preferred_factors};

    #[test]
    fn the_best_are_those_of_the_list() {
        fn check(arguments: usize, attacks: &[(u32, u32)]) {
            let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
            let all = preferred(&framework, &Limits::default()).sets;
            let factors = preferred_factors(&framework, &Limits::default());
            for wanted in 0_u32..1 << arguments {
                let is_wanted = |argument: u32| wanted >> argument & 1 == 1;
                let held = |set: &&Vec<u32>| set.iter().filter(|argument| is_wanted(**argument)).count();
                let most = all.iter().map(|set| held(&set)).max().unwrap_or(0);
                let expected: Vec<Vec<u32>> = all.iter().filter(|set| held(set) == most).cloned().collect();
                let found = holding_most(&factors, is_wanted);
                assert_eq!(
                    (found.most, extensions(&found.factors, 99).sets),
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
