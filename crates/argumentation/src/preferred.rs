//! Preferred extensions: the maximal admissible sets.

use crate::extensions::{ExtensionList, extensions};
use crate::factors::factors::Factors;
use crate::factors::recursion::recursive_factors;
use crate::factors::solver::SearchBudgets;
use crate::framework::Framework;
use crate::limits::{SolverLimits, WorkBudget};
use crate::search::region::Aim;

/// Returns all preferred extensions, exact or with the name of the limit that was reached.
///
/// Cost and sources: see [`preferred_factors`]. Linear if the grounded labelling decides every argument.
pub fn preferred(framework: &Framework, limits: &SolverLimits<'_>) -> ExtensionList {
    extensions(&preferred_factors(framework, limits), limits.sets)
}

/// Computes the preferred extensions of a framework: the maximal conflict-free sets that attack all their attackers
/// (Dung 1995).
///
/// The grounded labelling comes first. Its undecided arguments split into independent parts; in each part one strongly
/// connected source component is searched, and each of its choices leaves smaller parts (SCC-recursiveness: Baroni,
/// Giacomin and Guida 2005). A source that takes too long to search is decided argument by argument instead, and a part
/// that occurs again is solved only once, as in model counting (Sang, Bacchus, Beame, Kautz and Pitassi 2004). A debate
/// of mutual attacks, which is one large component, can therefore still be split. Exponential in the worst case; nearly
/// quadratic for frameworks that are nearly trees.
pub fn preferred_factors(framework: &Framework, limits: &SolverLimits<'_>) -> Factors {
    recursive_factors(framework, Aim::Preferred, WorkBudget::new(limits), SearchBudgets::default())
}

/// Computes [`preferred_factors`] within `steps` steps, without the clause-learning solver and with a custom
/// `budgets`, which affects the cost but not the result.
pub fn preferred_factors_within(framework: &Framework, steps: u64, budgets: SearchBudgets) -> Factors {
    let limits = SolverLimits { nodes: steps, conflicts: 0, ..SolverLimits::default() };
    recursive_factors(framework, Aim::Preferred, WorkBudget::new(&limits), budgets)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::structures::count::{Count, Natural};

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    #[test]
    fn extensions_are_listed() {
        fn check(arguments: usize, attacks: &[(u32, u32)], sets: &[&[u32]]) {
            let framework = framework(arguments, attacks);
            let extensions = preferred(&framework, &SolverLimits::default());
            assert_eq!(extensions.sets, sets, "{attacks:?}");
            assert_eq!(extensions.count, Count::Exactly(Natural::from(sets.len() as u128)));
            assert_eq!((extensions.exact, extensions.limit), (true, None));
        }
        check(0, &[], &[&[]]);
        check(2, &[(0, 0), (0, 1)], &[&[]]);
        check(3, &[(0, 1), (1, 2)], &[&[0, 2]]);
        check(2, &[(0, 1), (1, 0)], &[&[0], &[1]]);
        check(3, &[(0, 1), (1, 2), (2, 0)], &[&[]]);
        check(4, &[(0, 1), (1, 0), (2, 3), (3, 2)], &[&[0, 2], &[0, 3], &[1, 2], &[1, 3]]);
        // The result of one part decides what remains of the next.
        check(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)], &[&[0, 2], &[0, 3], &[1, 3]]);
        // 0 attacks itself; 2 can be IN only if 1 is.
        check(4, &[(0, 0), (1, 0), (0, 2), (1, 3), (3, 1)], &[&[1, 2], &[3]]);
    }

    #[test]
    fn a_limit_is_named_and_partial_results_are_correct() {
        let pairs = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (1, 2), (3, 4), (5, 6), (6, 5)];
        let framework = framework(7, &pairs);
        let whole = preferred(&framework, &SolverLimits::default());
        assert!(whole.exact && whole.sets.len() > 2);
        for sets in 0..whole.sets.len() {
            let part = preferred(&framework, &SolverLimits { sets, ..SolverLimits::default() });
            assert_eq!((part.sets.len(), part.exact, part.limit), (sets, false, Some("sets")));
            assert!(part.sets.iter().all(|set| whole.sets.contains(set)));
            assert_eq!(part.count, whole.count);
        }
        let all = whole.sets.len();
        assert_eq!(preferred(&framework, &SolverLimits { sets: all, ..SolverLimits::default() }), whole);
        for budgets in [SearchBudgets::default(), SearchBudgets { before_width: 1, at_good_width: 1 }] {
            let within = |nodes| extensions(&preferred_factors_within(&framework, nodes, budgets), 5_000);
            let needed = (0..).find(|&nodes| within(nodes).exact).expect("some budget suffices");
            assert_eq!(within(needed), whole);
            for nodes in 0..needed {
                let part = within(nodes);
                assert_eq!((part.exact, part.limit), (false, Some("nodes")));
                assert!(part.sets.iter().all(|set| whole.sets.contains(set)));
                let least = part.count.number().as_u128().expect("small");
                assert!(matches!(part.count, Count::AtLeast(_)) && (1..=all as u128).contains(&least));
            }
        }
    }
}
