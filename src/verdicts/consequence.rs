//! What hangs on a statement: which theses its settlement changes, alone or together with one more argument.
//!
//! A statement is settled by settling every argument that rests on it in one way: all refuted, or all established. Its
//! **order** is the least number of things that have to be settled, itself among them, to change the status of a thesis
//! that does not rest on it, where nothing less does; its **responsibility** is one over that (Chockler and Halpern 2004,
//! as `argumentation/counterfactual` has it).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::argumentation::bits::Bits;
use crate::argumentation::counterfactual::cone::Cone;
use crate::argumentation::counterfactual::lanes::{Labels, Lanes};
use crate::argumentation::counterfactual::settlement::Settlement;
use crate::argumentation::counterfactual::shares::{Share, shares};
use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::Label;

/// The most steps that the search for cruxes of order 2 may take: an argument or an attack looked at, in 256 worlds at once.
/// Some tenths of a second. Where it would take more, only order 1 is told, and the answer says so.
pub const MAX_STEPS: usize = 50_000_000;

/// Words of a set of lanes, and how many worlds these are.
const WIDTH: usize = 4;
const WORLDS: usize = 64 * WIDTH;

/// What hangs on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consequence {
    /// Theses whose status its settlement changes.
    pub changed: usize,
    /// Theses that do not rest on it.
    pub theses: usize,
    /// 1 or 2; `None` where it is neither.
    pub order: Option<u32>,
    /// Up to which order was looked: 2, or 1 where more would have taken more than [`MAX_STEPS`].
    pub searched: u32,
}

impl Consequence {
    /// The share of theses whose status it changes, from 0 to 1; 0 of none.
    pub fn pivotality(&self) -> f64 {
        if self.theses == 0 { 0.0 } else { self.changed as f64 / self.theses as f64 }
    }

    /// One over its order; 0 where it has none.
    pub fn responsibility(&self) -> f64 {
        self.order.map_or(0.0, |it| 1.0 / f64::from(it))
    }
}

/// The consequences of each of these sets of arguments, on these theses.
///
/// One pass over the cone of the theses for every 256 sets. For those that change nothing alone, two more for every 256
/// ways to settle one argument of the cone.
pub fn consequences<'a>(
    framework: &Framework,
    theses: &[u32],
    sets: impl Iterator<Item = &'a BTreeSet<u32>>,
) -> Vec<Consequence> {
    let sets: Vec<Vec<u32>> = sets.map(|it| it.iter().copied().collect()).collect();
    let slices: Vec<&[u32]> = sets.iter().map(Vec::as_slice).collect();
    let mut found: Vec<Consequence> = shares(framework, &slices, theses).into_iter().map(alone).collect();
    let cone = Cone::of(framework, theses);
    let idle = found.iter().filter(|it| it.order.is_none()).count();
    let size = cone.members().len();
    let attacks: usize = cone.members().iter().map(|it| framework.attackers(*it).len()).sum();
    let steps = (idle * 2 + 1).saturating_mul((2 * size).div_ceil(WORLDS)).saturating_mul(size + attacks);
    if idle == 0 || steps > MAX_STEPS {
        return found;
    }
    let mut pairs = Pairs::new(framework, &cone, theses);
    for (consequence, set) in found.iter_mut().zip(&sets).filter(|(it, _)| it.order.is_none()) {
        consequence.order = pairs.decide(set).then_some(2);
        consequence.searched = 2;
    }
    found
}

fn alone(share: Share) -> Consequence {
    let (order, searched) = if share.part > 0 { (Some(1), 2) } else { (None, 1) };
    Consequence { changed: share.part, theses: share.whole, order, searched }
}

/// The search for one more argument that decides a thesis together with a set that does not decide it alone. All in
/// places of the cone of the theses: nothing else can change one.
struct Pairs<'c> {
    lanes: Lanes<'c, WIDTH>,
    /// The place of each argument of the framework that is in the cone.
    places: Vec<Option<usize>>,
    theses: Vec<usize>,
    labels: Vec<Label>,
    /// Every place, settled in every way: a lane each.
    trials: Vec<(usize, Settlement)>,
    /// By block of trials and thesis: the lanes in which the trial changes the thesis alone.
    alone: Vec<Vec<Bits<WIDTH>>>,
}

impl<'c> Pairs<'c> {
    fn new(framework: &Framework, cone: &'c Cone, theses: &[u32]) -> Self {
        let mut places = vec![None; framework.len()];
        (0..).zip(cone.members()).for_each(|(place, member)| places[*member as usize] = Some(place));
        let theses: Vec<usize> = theses.iter().filter_map(|it| places[*it as usize]).collect();
        let trials = (0..cone.members().len()).flat_map(|place| Settlement::BOTH.map(|way| (place, way)));
        let mut lanes = Lanes::new(cone);
        lanes.spread();
        let labels = theses.iter().map(|it| lanes.labels(*it).of(0)).collect();
        let mut pairs = Pairs { lanes, places, theses, labels, trials: trials.collect(), alone: Vec::new() };
        let blocks = pairs.trials.len().div_ceil(WORLDS);
        pairs.alone = (0..blocks).map(|block| pairs.changes(block, &[], Settlement::Refuted)).collect();
        pairs
    }

    /// For each thesis the lanes of a block in which it changes, when a set is settled in all of them.
    fn changes(&mut self, block: usize, set: &[usize], way: Settlement) -> Vec<Bits<WIDTH>> {
        self.lanes.clear();
        for (lane, &(place, way)) in self.trials[block * WORLDS..].iter().take(WORLDS).enumerate() {
            self.lanes.settle(place, lane, way);
        }
        set.iter().for_each(|&place| self.lanes.settle_all(place, Labels::settled(way)));
        self.lanes.spread();
        let theses = self.theses.iter().zip(&self.labels);
        theses.map(|(&thesis, &label)| self.lanes.labels(thesis).other_than(label)).collect()
    }

    /// Whether some thesis outside a set changes with it and one more argument, that is neither in the set nor the thesis,
    /// and with neither of the two alone. The set alone changes none.
    fn decide(&mut self, set: &[u32]) -> bool {
        let set: Vec<usize> = set.iter().filter_map(|it| self.places[*it as usize]).collect();
        for way in Settlement::BOTH {
            for block in 0..self.alone.len() {
                let changed = self.changes(block, &set, way);
                let trials = &self.trials[block * WORLDS..];
                let open =
                    self.theses.iter().zip(changed).zip(&self.alone[block]).filter(|((it, _), _)| !set.contains(it));
                for ((thesis, changed), alone) in open {
                    // In lanes behind the last trial nothing is settled beyond the set.
                    let counts =
                        |lane: usize| trials.get(lane).is_some_and(|(it, _)| it != thesis && !set.contains(it));
                    if changed.minus(alone).iter().any(counts) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::argumentation::counterfactual::settlement::settle;

    /// Each set's order against what trying every pair one by one says.
    #[test]
    fn orders_are_those_of_all_pairs() {
        fn slow(framework: &Framework, theses: &[u32], set: &[u32]) -> Option<u32> {
            let base = settle(framework, &[]);
            let single = || framework.arguments().flat_map(|it| Settlement::BOTH.map(|way| (it, way)));
            let all = |way: Settlement| set.iter().map(|it| (*it, way)).collect::<Vec<_>>();
            let mut order = None;
            for &thesis in theses.iter().filter(|it| !set.contains(it)) {
                let changes = |settled: &[(u32, Settlement)]| settle(framework, settled).of(thesis) != base.of(thesis);
                for way in Settlement::BOTH {
                    if changes(&all(way)) {
                        return Some(1);
                    }
                    let others = single().filter(|(it, _)| *it != thesis && !set.contains(it));
                    let mut both = others.map(|it| (it, [all(way), vec![it]].concat()));
                    if both.any(|(it, both)| changes(&both) && !changes(&[it])) {
                        order = Some(2);
                    }
                }
            }
            order
        }
        fn check(arguments: usize, attacks: &[(u32, u32)]) {
            let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
            let everything: Vec<u32> = framework.arguments().collect();
            let mut seen = BTreeSet::new();
            for theses in [&everything[..], &[0], &[arguments as u32 - 1]] {
                for chosen in 1_u32..1 << arguments {
                    let set: BTreeSet<u32> = everything.iter().copied().filter(|it| chosen >> it & 1 == 1).collect();
                    let found = consequences(&framework, theses, std::iter::once(&set))[0];
                    let settled: Vec<u32> = set.iter().copied().collect();
                    assert_eq!(found.order, slow(&framework, theses, &settled), "{attacks:?} {theses:?} {set:?}");
                    assert_eq!((found.changed > 0, found.searched), (found.order == Some(1), 2));
                    seen.insert(found.order);
                }
            }
            assert!(seen.len() > 1, "{attacks:?}: {seen:?}");
        }
        check(3, &[(0, 2), (1, 2)]);
        check(5, &[(0, 1), (1, 0), (0, 2), (1, 2), (2, 3), (3, 4), (4, 4)]);
        check(6, &[(0, 2), (1, 2), (2, 3), (4, 3), (5, 4)]);
        check(7, &[(6, 5), (5, 6), (4, 3), (3, 5), (3, 2), (2, 1), (0, 1), (1, 0)]);
    }

    #[test]
    fn too_much_work_is_left_and_told() {
        let n = 4_000;
        let apart = Framework::new(n, (0..n as u32 / 2).map(|it| (2 * it, 2 * it + 1))).expect("in range");
        let sets: Vec<BTreeSet<u32>> = (0..400).map(|it| BTreeSet::from([2 * it])).collect();
        let found = consequences(&apart, &[1, 3_999], sets.iter());
        assert_eq!(found[0], Consequence { changed: 1, theses: 2, order: Some(1), searched: 2 });
        assert_eq!(found[1], Consequence { changed: 0, theses: 2, order: None, searched: 2 });
        assert_eq!((found[0].responsibility(), found[1].responsibility(), found[0].pivotality()), (1.0, 0.0, 0.5));
        // With a thesis in every pair but some, what is in those changes nothing, and to try all pairs is too much.
        let theses: Vec<u32> = (0..n as u32).collect();
        let lone: Vec<BTreeSet<u32>> = (0..400).map(|it| BTreeSet::from([2 * it + 1])).collect();
        let found = consequences(&apart, &theses, lone.iter());
        assert_eq!(found[0], Consequence { changed: 0, theses: n - 1, order: None, searched: 1 });
    }
}
