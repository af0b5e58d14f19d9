//! Consequences of a statement: the theses whose status changes if it is settled, alone or together with one more
//! argument.
//!
//! Settling a statement means settling every argument that rests on it in the same way: all refuted, or all
//! established. Its **order** is the smallest number of things, including itself, that must be settled to change the
//! status of a thesis that does not rest on it, if no subset does so. Its **responsibility** is the inverse of the
//! order (Chockler and Halpern 2004, see `argumentation/counterfactual`).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use faultline_argumentation::counterfactual::ancestors::Ancestors;
use faultline_argumentation::counterfactual::bit_sliced::{BitSlicedLabels, LaneLabels};
use faultline_argumentation::counterfactual::impact::{ThesisShare, shares};
use faultline_argumentation::counterfactual::intervention::Intervention;
use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::Label;
use faultline_argumentation::structures::bitset::BitSet;

/// Maximum number of steps of the search for cruxes of order 2. A step examines an argument or an attack in 256 worlds
/// at once; the maximum takes some tenths of a second. A search that would take more is skipped, and `searched` is then
/// 1.
pub const MAX_STEPS: usize = 50_000_000;

/// Number of words in a set of lanes; below, the number of worlds.
const WIDTH: usize = 4;
const WORLDS: usize = 64 * WIDTH;

/// Kind of the claims that are counted as theses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedClaims {
    /// Claims that answer the topic.
    #[default]
    Theses,
    /// All disputed claims, since no claim that answers the topic is attacked.
    DisputedClaims,
}

/// Consequence of settling a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consequence {
    /// Number of theses whose status changes.
    pub changed: usize,
    /// Number of theses that do not rest on the statement.
    pub theses: usize,
    /// Order of the statement, 1 or 2; `None` if it is neither.
    pub order: Option<u32>,
    /// Highest order that was searched: 2, or 1 if order 2 would have taken more than [`MAX_STEPS`].
    pub searched: u32,
    /// Kind of the claims that are counted.
    #[serde(default)]
    pub among: CountedClaims,
}

impl Consequence {
    /// Share of theses whose status changes, from 0 to 1; 0 if there are none.
    pub fn pivotality(&self) -> f64 {
        if self.theses == 0 { 0.0 } else { self.changed as f64 / self.theses as f64 }
    }

    /// Inverse of the order; 0 if there is none.
    pub fn responsibility(&self) -> f64 {
        self.order.map_or(0.0, |order| 1.0 / f64::from(order))
    }
}

/// Computes the consequences of each of the given sets of arguments for the theses.
///
/// Makes one pass over the ancestors of the theses for every 256 sets. For sets that change nothing alone, makes two
/// more passes for every 256 ways to settle one ancestor.
pub fn consequences<'a>(
    framework: &Framework,
    theses: &[u32],
    sets: impl Iterator<Item = &'a BTreeSet<u32>>,
) -> Vec<Consequence> {
    let sets: Vec<Vec<u32>> = sets.map(|set| set.iter().copied().collect()).collect();
    let slices: Vec<&[u32]> = sets.iter().map(Vec::as_slice).collect();
    let mut found: Vec<Consequence> = shares(framework, &slices, theses).into_iter().map(alone).collect();
    let cone = Ancestors::of(framework, theses);
    let idle = found.iter().filter(|consequence| consequence.order.is_none()).count();
    let size = cone.members().len();
    let attacks: usize = cone.members().iter().map(|member| framework.attackers(*member).len()).sum();
    let steps = (idle * 2 + 1).saturating_mul((2 * size).div_ceil(WORLDS)).saturating_mul(size + attacks);
    if idle == 0 || steps > MAX_STEPS {
        return found;
    }
    let mut pairs = Pairs::new(framework, &cone, theses);
    for (consequence, set) in found.iter_mut().zip(&sets).filter(|(consequence, _)| consequence.order.is_none()) {
        consequence.order = pairs.decide(set).then_some(2);
        consequence.searched = 2;
    }
    found
}

fn alone(share: ThesisShare) -> Consequence {
    let (order, searched) = if share.affected > 0 { (Some(1), 2) } else { (None, 1) };
    Consequence { changed: share.affected, theses: share.total, order, searched, among: CountedClaims::Theses }
}

/// Search for an argument that changes a thesis together with a set that does not change it alone. Works on the
/// ancestors of the theses, since no other argument can change one.
struct Pairs<'c> {
    lanes: BitSlicedLabels<'c, WIDTH>,
    /// Index of each argument among the ancestors; `None` for others.
    places: Vec<Option<usize>>,
    theses: Vec<usize>,
    labels: Vec<Label>,
    /// Trials: every ancestor settled in every way, one lane each.
    trials: Vec<(usize, Intervention)>,
    /// Lanes in which the trial alone changes the thesis, by block of trials and thesis.
    alone: Vec<Vec<BitSet<WIDTH>>>,
}

impl<'c> Pairs<'c> {
    fn new(framework: &Framework, cone: &'c Ancestors, theses: &[u32]) -> Self {
        let mut places = vec![None; framework.len()];
        (0..).zip(cone.members()).for_each(|(place, member)| places[*member as usize] = Some(place));
        let theses: Vec<usize> = theses.iter().filter_map(|thesis| places[*thesis as usize]).collect();
        let trials = (0..cone.members().len()).flat_map(|place| Intervention::BOTH.map(|way| (place, way)));
        let mut lanes = BitSlicedLabels::new(cone);
        lanes.propagate();
        let labels = theses.iter().map(|thesis| lanes.labels(*thesis).of(0)).collect();
        let mut pairs = Pairs { lanes, places, theses, labels, trials: trials.collect(), alone: Vec::new() };
        let blocks = pairs.trials.len().div_ceil(WORLDS);
        pairs.alone = (0..blocks).map(|block| pairs.changes(block, &[], Intervention::Refuted)).collect();
        pairs
    }

    /// For each thesis, the lanes of a block in which it changes if a set is also settled in all of them.
    fn changes(&mut self, block: usize, set: &[usize], way: Intervention) -> Vec<BitSet<WIDTH>> {
        self.lanes.clear();
        for (lane, &(place, way)) in self.trials[block * WORLDS..].iter().take(WORLDS).enumerate() {
            self.lanes.intervene(place, lane, way);
        }
        set.iter().for_each(|&place| self.lanes.intervene_all(place, LaneLabels::settled(way)));
        self.lanes.propagate();
        let theses = self.theses.iter().zip(&self.labels);
        theses.map(|(&thesis, &label)| self.lanes.labels(thesis).lanes_differing_from(label)).collect()
    }

    /// True if a thesis outside the set changes with the set and one more argument, other than the thesis, but not with
    /// that argument alone. The set alone must not change any thesis.
    fn decide(&mut self, set: &[u32]) -> bool {
        let set: Vec<usize> = set.iter().filter_map(|member| self.places[*member as usize]).collect();
        for way in Intervention::BOTH {
            for block in 0..self.alone.len() {
                let changed = self.changes(block, &set, way);
                let trials = &self.trials[block * WORLDS..];
                let open = self
                    .theses
                    .iter()
                    .zip(changed)
                    .zip(&self.alone[block])
                    .filter(|((thesis, _), _)| !set.contains(thesis));
                for ((thesis, changed), alone) in open {
                    // Lanes after the last trial settle nothing but the set.
                    let counts = |lane: usize| {
                        trials.get(lane).is_some_and(|(argument, _)| argument != thesis && !set.contains(argument))
                    };
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

    use faultline_argumentation::counterfactual::intervention::labels_after;

    /// Compares the order of each set with a search over all pairs.
    #[test]
    fn orders_match_a_search_over_all_pairs() {
        fn slow(framework: &Framework, theses: &[u32], set: &[u32]) -> Option<u32> {
            let base = labels_after(framework, &[]);
            let single = || framework.arguments().flat_map(|argument| Intervention::BOTH.map(|way| (argument, way)));
            let all = |way: Intervention| set.iter().map(|member| (*member, way)).collect::<Vec<_>>();
            let mut order = None;
            for &thesis in theses.iter().filter(|thesis| !set.contains(thesis)) {
                let changes =
                    |settled: &[(u32, Intervention)]| labels_after(framework, settled).of(thesis) != base.of(thesis);
                for way in Intervention::BOTH {
                    if changes(&all(way)) {
                        return Some(1);
                    }
                    let others = single().filter(|(argument, _)| *argument != thesis && !set.contains(argument));
                    let mut both = others.map(|trial| (trial, [all(way), vec![trial]].concat()));
                    if both.any(|(trial, both)| changes(&both) && !changes(&[trial])) {
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
                    let set: BTreeSet<u32> =
                        everything.iter().copied().filter(|argument| chosen >> argument & 1 == 1).collect();
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
    fn a_search_that_is_too_long_is_skipped_and_reported() {
        let n = 4_000;
        let apart = Framework::new(n, (0..n as u32 / 2).map(|number| (2 * number, 2 * number + 1))).expect("in range");
        let sets: Vec<BTreeSet<u32>> = (0..400).map(|number| BTreeSet::from([2 * number])).collect();
        let found = consequences(&apart, &[1, 3_999], sets.iter());
        let among = CountedClaims::Theses;
        assert_eq!(found[0], Consequence { changed: 1, theses: 2, order: Some(1), searched: 2, among });
        assert_eq!(found[1], Consequence { changed: 0, theses: 2, order: None, searched: 2, among });
        assert_eq!((found[0].responsibility(), found[1].responsibility(), found[0].pivotality()), (1.0, 0.0, 0.5));
        // With a thesis in nearly every pair, settling one of these arguments changes nothing, and trying all pairs
        // takes too long.
        let theses: Vec<u32> = (0..n as u32).collect();
        let lone: Vec<BTreeSet<u32>> = (0..400).map(|number| BTreeSet::from([2 * number + 1])).collect();
        let found = consequences(&apart, &theses, lone.iter());
        assert_eq!(found[0], Consequence { changed: 0, theses: n - 1, order: None, searched: 1, among });
    }
}
