//! Responsibility of arguments for the label of a thesis, and the cruxes that are still open.

use std::fmt;

use crate::counterfactual::cruxes::{AbstractCrux, MAX_ORDER};
use crate::labelling::{Label, Labelling};

/// Responsibility of an argument for the label of a thesis (Chockler and Halpern 2004).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Responsibility {
    /// 1/k: the argument is in a crux of order k and in none of a lower order.
    Order(usize),
    /// The argument is in no crux up to this order. Cruxes of a higher order are unknown.
    NoneUpTo(usize),
}

impl Responsibility {
    /// Returns 1/k; `None` if no crux is known.
    pub fn share(self) -> Option<f64> {
        match self {
            Self::Order(order) => Some(1.0 / order as f64),
            Self::NoneUpTo(_) => None,
        }
    }
}

impl fmt::Display for Responsibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(1) => f.write_str("1"),
            Self::Order(order) => write!(f, "1/{order}"),
            Self::NoneUpTo(order) => write!(f, "none of order ≤ {order}"),
        }
    }
}

/// Computes the responsibility of every argument, by index, given all cruxes of a thesis up to [`MAX_ORDER`]. Linear.
///
/// # Panics
///
/// Panics if a crux settles an argument that is not below `arguments`.
pub fn responsibilities(arguments: usize, cruxes: &[AbstractCrux]) -> Vec<Responsibility> {
    let mut found = vec![Responsibility::NoneUpTo(MAX_ORDER); arguments];
    for crux in cruxes {
        let order = crux.settled.len();
        for &(argument, _) in &crux.settled {
            let best = &mut found[argument as usize];
            if best.share().is_none_or(|share| share < 1.0 / order as f64) {
                *best = Responsibility::Order(order);
            }
        }
    }
    found
}

/// Returns the cruxes that are still open: one of their arguments is UNDEC or `challenged`, as the caller defines it.
/// The most relevant come first: by order, and within an order by the greatest `worth` of an argument, such as the
/// information it gives.
pub fn open_cruxes<'c>(
    cruxes: &'c [AbstractCrux],
    labelling: &Labelling,
    challenged: impl Fn(u32) -> bool,
    worth: impl Fn(u32) -> f64,
) -> Vec<&'c AbstractCrux> {
    let open = |&(argument, _): &(u32, _)| labelling.of(argument) == Label::Undec || challenged(argument);
    let greatest = |crux: &AbstractCrux| crux.settled.iter().map(|&(argument, _)| worth(argument)).fold(0.0, f64::max);
    let mut live: Vec<(f64, &AbstractCrux)> =
        cruxes.iter().filter(|crux| crux.settled.iter().any(open)).map(|crux| (greatest(crux), crux)).collect();
    live.sort_by(|(one_worth, one), (other_worth, other)| {
        let by_order = one.settled.len().cmp(&other.settled.len());
        by_order.then(other_worth.total_cmp(one_worth)).then(one.cmp(other))
    });
    live.into_iter().map(|(_, crux)| crux).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::counterfactual::cruxes::cruxes;
    use crate::framework::Framework;
    use crate::labelling::grounded;

    #[test]
    fn responsibility_follows_the_lowest_order() {
        fn check(arguments: usize, attacks: &[(u32, u32)], thesis: u32, expected: &[&str]) {
            let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
            let found = responsibilities(arguments, &cruxes(&framework, thesis));
            assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), expected, "{attacks:?}");
        }
        const NONE: &str = "none of order ≤ 2";
        check(1, &[], 0, &[NONE]);
        check(3, &[(1, 0), (2, 1)], 0, &[NONE, "1", "1"]);
        check(3, &[(1, 0), (2, 0)], 0, &[NONE, "1/2", "1/2"]);
        // Three at once: cruxes of order 3 are not searched.
        check(4, &[(1, 0), (2, 0), (3, 0)], 0, &[NONE; 4]);
        // Establishing 1 alone changes the thesis; 2 and 3 must both be refuted.
        check(4, &[(1, 0), (2, 1), (3, 1)], 0, &[NONE, "1", "1/2", "1/2"]);
        assert_eq!(Responsibility::Order(2).share(), Some(0.5));
        assert_eq!(Responsibility::NoneUpTo(2).share(), None);
    }

    #[test]
    fn only_open_cruxes_are_live() {
        // 1 and 2 attack each other; 3 attacks 4, which attacks the thesis 0 as 1 does.
        let framework = Framework::new(5, [(1, 0), (1, 2), (2, 1), (4, 0), (3, 4)]).expect("in range");
        let all = cruxes(&framework, 0);
        let labels = grounded(&framework);
        let told = |challenged: fn(u32) -> bool, worth: fn(u32) -> f64| -> Vec<Vec<u32>> {
            let live = open_cruxes(&all, &labels, challenged, worth);
            live.iter().map(|crux| crux.settled.iter().map(|&(argument, _)| argument).collect()).collect()
        };
        let even = |_: u32| 0.5;
        let first_order = [vec![1], vec![1], vec![2], vec![2]];
        assert_eq!(told(|_| false, even)[..4], first_order);
        assert_eq!(told(|argument| argument == 3, even)[..5], [&first_order[..], &[vec![3]]].concat());
        assert_eq!(told(|argument| argument == 3, f64::from)[0], [3]);
        assert!(told(|_| false, even).iter().all(|crux| crux.contains(&1) || crux.contains(&2)));
    }
}
