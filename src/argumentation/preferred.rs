//! Preferred extensions: the positions one can hold, each as large as it can be.

use crate::argumentation::count::Count;
use crate::argumentation::factors::Factors;
use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::{Label, grounded};
use crate::argumentation::listing::list;
use crate::argumentation::solver::{Patience, Solver};

/// The name of the limit [`Limits::sets`].
pub const SET_LIMIT: &str = "sets";

/// How much work an answer may take, and how long it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps of the search, for all of a framework together. One is a decision on an argument in a region of up to 64,
    /// in a larger one of as many as there are times 64 arguments in it; or taking up to 16 arguments apart. Where they
    /// do not suffice the answer is incomplete and names the limit `nodes`. A million steps take some tenths of a
    /// second, in the densest frameworks of hundreds of arguments a second or two. Default: 1,000,000.
    pub nodes: u64,
    /// Extensions written out. Beyond it the answer names the limit `sets`, and the count is exact all the same.
    /// Default: 5,000.
    pub sets: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { nodes: 1_000_000, sets: 5_000 }
    }
}

/// The preferred extensions of a framework. There is always at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extensions {
    /// Preferred extensions, each ascending, in lexicographic order. All of them where `exact`; else each is one, and
    /// which ones are here depends on the order of the search.
    pub sets: Vec<Vec<u32>>,
    /// How many there are. Exact unless the search itself reached a limit: the number is multiplied over independent
    /// parts and added over exclusive choices, not counted from `sets`.
    pub count: Count,
    /// Whether `sets` are all and `count` is exact.
    pub exact: bool,
    /// The limit that was reached: `nodes`, `sets`, or `component` (a region that is too large to be searched, and in
    /// which no decision is left to take).
    pub limit: Option<&'static str>,
}

/// All preferred extensions, exact or with the name of the limit that was reached.
///
/// Cost and sources: [`preferred_factors`]. Linear where the grounded labelling decides everything.
pub fn preferred(framework: &Framework, limits: &Limits) -> Extensions {
    extensions(&preferred_factors(framework, limits.nodes), limits.sets)
}

/// The extensions of factors that are there already; up to `most` of them are written out.
pub fn extensions(factors: &Factors, most: usize) -> Extensions {
    let (sets, all) = list(factors, most);
    let limit = factors.limit.or(if all { None } else { Some(SET_LIMIT) });
    Extensions { sets, count: factors.count(), exact: limit.is_none(), limit }
}

/// The preferred extensions of a framework: the maximal sets of arguments that attack none of their own and attack all
/// that attacks them (Dung 1995).
///
/// The grounded labelling first; what it leaves falls into independent parts; of each part one strongly connected
/// source is searched, and each of its choices leads to smaller parts (SCC-recursiveness: Baroni, Giacomin and Guida
/// 2005). A source that takes long to search is decided argument by argument instead, and a part that occurs again is
/// worked out once, as in counting models (Sang, Bacchus, Beame, Kautz and Pitassi 2004): so a debate of mutual
/// attacks, which is one large component, still comes apart. `steps` is the limit [`Limits::nodes`]. Exponential at
/// worst; for frameworks that are nearly trees, nearly quadratic.
pub fn preferred_factors(framework: &Framework, steps: u64) -> Factors {
    patient_factors(framework, steps, Patience::default())
}

/// [`preferred_factors`] with a patience of one's own, on which no answer depends.
pub fn patient_factors(framework: &Framework, steps: u64, patience: Patience) -> Factors {
    let labelling = grounded(framework);
    let (mut fixed, mut undecided) = (Vec::with_capacity(framework.len()), Vec::with_capacity(framework.len()));
    fixed.extend(labelling.with(Label::In));
    undecided.extend(labelling.with(Label::Undec));
    let mut factors =
        Factors { arguments: framework.len(), fixed, roots: vec![], parts: vec![], unsettled: vec![], limit: None };
    if undecided.is_empty() {
        return factors;
    }
    let mut solver = Solver::new(framework, steps, patience);
    let outcome = solver.take_apart(&undecided);
    factors.fixed.extend(outcome.inside);
    factors.fixed.sort_unstable();
    for problem in outcome.problems {
        let settled = factors.unsettled.len();
        let open = problem.arguments().filter(|(_, role)| role.is_open());
        factors.unsettled.extend(open.map(|(argument, _)| argument));
        let root = solver.solve(problem);
        if solver.part(root).complete {
            factors.unsettled.truncate(settled);
        }
        factors.roots.push(root);
    }
    factors.unsettled.sort_unstable();
    (factors.parts, factors.limit) = solver.finish();
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::argumentation::count::Natural;

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    #[test]
    fn extensions_are_listed() {
        fn check(arguments: usize, attacks: &[(u32, u32)], sets: &[&[u32]]) {
            let framework = framework(arguments, attacks);
            let extensions = preferred(&framework, &Limits::default());
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
        // What one part comes to decides what is left of the next.
        check(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)], &[&[0, 2], &[0, 3], &[1, 3]]);
        // 0 attacks itself; only if 1 is IN can 2 be.
        check(4, &[(0, 0), (1, 0), (0, 2), (1, 3), (3, 1)], &[&[1, 2], &[3]]);
    }

    #[test]
    fn a_limit_is_named_and_what_is_told_is_right() {
        let pairs = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (1, 2), (3, 4), (5, 6), (6, 5)];
        let framework = framework(7, &pairs);
        let whole = preferred(&framework, &Limits::default());
        assert!(whole.exact && whole.sets.len() > 2);
        for sets in 0..whole.sets.len() {
            let part = preferred(&framework, &Limits { sets, ..Limits::default() });
            assert_eq!((part.sets.len(), part.exact, part.limit), (sets, false, Some("sets")));
            assert!(part.sets.iter().all(|set| whole.sets.contains(set)));
            assert_eq!(part.count, whole.count);
        }
        let all = whole.sets.len();
        assert_eq!(preferred(&framework, &Limits { sets: all, ..Limits::default() }), whole);
        for patience in [Patience::default(), Patience { first: 1, least: 1 }] {
            let within = |nodes| extensions(&patient_factors(&framework, nodes, patience), 5_000);
            let needed = (0..).find(|&nodes| within(nodes).exact).expect("it is finite");
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
