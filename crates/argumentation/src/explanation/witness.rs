//! Witnesses: one extension that contains an argument, or one that does not.

use crate::factors::factors::{FactorChoice, Factors};

/// Returns an extension that contains the argument (`holds`) or one that does not, ascending; `None` if the factors
/// contain no such extension. If the factors are complete, `None` proves that there is none.
///
/// One pass over the choices, however many extensions there are.
pub fn witness(factors: &Factors, argument: u32, holds: bool) -> Option<Vec<u32>> {
    let abilities = abilities(factors, argument);
    let is_fixed = factors.fixed.contains(&argument);
    let mut wish = if holds { Wish::With } else { Wish::Without };
    let whole = factors.roots.iter().fold(NOTHING, |whole, part| whole.beside(abilities[*part]));
    match (is_fixed, holds) {
        (true, false) => return None,
        (true, true) => wish = Wish::Any,
        (false, _) => {}
    }
    if !whole.grants(wish) {
        return None;
    }
    let mut extension = factors.fixed.clone();
    let mut open = shared(&factors.roots, wish, &abilities);
    while let Some((part, wish)) = open.pop() {
        let fits = |choice: &&FactorChoice| of_choice(choice, argument, &abilities).grants(wish);
        let choice = factors.parts[part].choices.iter().find(fits)?;
        extension.extend(&choice.inside);
        let left = if choice.inside.contains(&argument) { Wish::Any } else { wish };
        open.extend(shared(&choice.parts, left, &abilities));
    }
    extension.sort_unstable();
    Some(extension)
}

/// Requirement on an extension with regard to the argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Any,
    With,
    Without,
}

/// Kinds of extensions available: any at all, some with the argument, some without it.
#[derive(Clone, Copy, Debug)]
struct Ability {
    any: bool,
    with: bool,
    without: bool,
}

/// Ability of an empty product: one extension, without the argument.
const NOTHING: Ability = Ability { any: true, with: false, without: true };

impl Ability {
    fn grants(self, wish: Wish) -> bool {
        match wish {
            Wish::Any => self.any,
            Wish::With => self.with,
            Wish::Without => self.without,
        }
    }

    /// Combines two independent parts.
    fn beside(self, other: Self) -> Self {
        Self {
            any: self.any && other.any,
            with: self.with && other.any || self.any && other.with,
            without: self.without && other.without,
        }
    }

    /// Combines two exclusive choices.
    fn or(self, other: Self) -> Self {
        Self { any: self.any || other.any, with: self.with || other.with, without: self.without || other.without }
    }
}

fn abilities(factors: &Factors, argument: u32) -> Vec<Ability> {
    let mut abilities: Vec<Ability> = Vec::with_capacity(factors.parts.len());
    for part in &factors.parts {
        let none = Ability { any: false, with: false, without: false };
        abilities.push(part.choices.iter().fold(none, |all, choice| all.or(of_choice(choice, argument, &abilities))));
    }
    abilities
}

fn of_choice(choice: &FactorChoice, argument: u32, abilities: &[Ability]) -> Ability {
    let inside = choice.inside.contains(&argument);
    let own = Ability { any: true, with: inside, without: !inside };
    choice.parts.iter().fold(own, |all, part| all.beside(abilities[*part]))
}

/// Distributes a requirement over independent parts: `With` goes to the first part that can contain the argument, and
/// the others get `Any`; any other requirement goes to every part.
fn shared(parts: &[usize], wish: Wish, abilities: &[Ability]) -> Vec<(usize, Wish)> {
    let bearer = parts.iter().position(|part| wish == Wish::With && abilities[*part].with);
    let own = |place: usize| match wish {
        Wish::With if bearer != Some(place) => Wish::Any,
        _ => wish,
    };
    parts.iter().enumerate().map(|(place, part)| (*part, own(place))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framework::Framework;
    use crate::limits::SolverLimits;
    use crate::reasoning::{extensions_of, factors_of};
    use crate::semantics::Semantics;

    #[test]
    fn a_witness_is_an_extension_with_the_required_membership() {
        fn check(arguments: usize, attacks: &[(u32, u32)]) {
            let framework = Framework::new(arguments, attacks.iter().copied()).unwrap();
            for semantics in Semantics::ALL {
                let factors = factors_of(&framework, semantics, &SolverLimits::default());
                let sets = extensions_of(&framework, semantics, &SolverLimits::default()).sets;
                for argument in framework.arguments() {
                    for holds in [true, false] {
                        let witness = witness(&factors, argument, holds);
                        let expected = sets.iter().any(|set| set.contains(&argument) == holds);
                        assert_eq!(witness.is_some(), expected, "{semantics} {argument} {holds} {attacks:?}");
                        let shows = |set: &Vec<u32>| sets.contains(set) && set.contains(&argument) == holds;
                        assert!(witness.as_ref().is_none_or(shows), "{semantics} {argument} {holds}: {witness:?}");
                    }
                }
            }
        }
        check(1, &[]);
        check(1, &[(0, 0)]);
        check(3, &[(0, 1), (1, 2), (2, 0)]);
        check(4, &[(0, 1), (1, 0), (2, 3), (3, 2)]);
        check(7, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 2), (5, 6), (6, 5), (5, 4), (0, 6)]);
        let mut seed = 0x1234_5678_9ABC_DEF1_u64;
        for _ in 0..200 {
            let mut dice = |end: u64| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                u32::try_from(seed % end).unwrap()
            };
            let attacks: Vec<(u32, u32)> = (0..dice(16)).map(|_| (dice(8), dice(8))).collect();
            check(8, &attacks);
        }
    }
}
