//! Pivots, and cruxes of order 1 and 2.

use crate::cancellation::is_cancelled;
use crate::counterfactual::ancestors::Ancestors;
use crate::counterfactual::bit_sliced::BitSlicedLabels;
use crate::counterfactual::incremental::IncrementalPropagation;
use crate::counterfactual::intervention::Intervention;
use crate::framework::Framework;
use crate::labelling::Label;
use crate::structures::bitset::BitSet;

/// Highest order of cruxes that is searched. Up to this order the result is complete.
pub const MAX_ORDER: usize = 2;

/// Argument for which refuting and establishing it give the thesis different labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pivot {
    /// The argument.
    pub argument: u32,
    /// Label of the thesis if the argument is refuted.
    pub refuted: Label,
    /// Label of the thesis if the argument is established; different from `refuted`.
    pub established: Label,
}

/// Finds all pivots of a thesis, ascending. The thesis itself is not a pivot.
///
/// For c direct and indirect attackers of the thesis, up to 2c worlds; quadratic, with 512 worlds per step.
///
/// # Panics
///
/// Panics if there is no such argument.
pub fn pivots(framework: &Framework, target: u32) -> Vec<Pivot> {
    Thesis::of(framework, target).pivots()
}

/// Minimal settlement that changes the label of the thesis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AbstractCrux {
    /// Arguments to settle, each with its settlement, ascending; their number is the order. Settling only some of them
    /// in this way does not change the label.
    pub settled: Vec<(u32, Intervention)>,
    /// Label of the thesis after the settlement.
    pub becomes: Label,
}

/// Finds all cruxes of order 1 and 2 of a thesis: first those of order 1, each order sorted by the settled arguments.
/// The thesis itself is never settled.
///
/// A crux is minimal as a settlement: an argument that changes the thesis when refuted may be in a crux of order 2 when
/// established. The order of an *argument* is that of the first crux that contains it.
///
/// For c direct and indirect attackers of the thesis, up to 2c² worlds, 512 per step; in each, only the differences to
/// a single settlement are computed. Some hundred such arguments take a fraction of a millisecond, some thousand take
/// seconds: the caller must bound the framework.
///
/// # Panics
///
/// Panics if there is no such argument.
pub fn cruxes(framework: &Framework, target: u32) -> Vec<AbstractCrux> {
    let thesis = Thesis::of(framework, target);
    let mut cruxes = thesis.first_order();
    cruxes.extend(thesis.second_order());
    cruxes
}

/// Thesis with its cone, and its labels if no argument or one argument is settled.
#[derive(Clone, Debug)]
pub struct Thesis {
    cone: Ancestors,
    /// Current label of the thesis.
    status: Label,
    /// Labels of the thesis if a place is refuted and if it is established, for each place except the last, which is
    /// the thesis.
    becomes: Vec<[Label; 2]>,
}

/// Number of settlements from which those that change nothing are filtered out first. Below it, the filter would take
/// longer than trying them.
const ONE_PASS: usize = 256;

/// A place and its settlement.
type Single = (usize, Intervention);

impl Thesis {
    /// Tries both settlements of every argument of the cone.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn of(framework: &Framework, target: u32) -> Self {
        let cone = Ancestors::of(framework, &[target]);
        let places = cone.members().len() - 1;
        let mut singles: Vec<Single> = Vec::with_capacity(2 * places);
        singles.extend((0..places).flat_map(|place| Intervention::BOTH.map(|way| (place, way))));
        if singles.len() >= ONE_PASS {
            // Settling an argument to its current label changes nothing.
            let mut base = BitSlicedLabels::<1>::new(&cone);
            base.propagate();
            singles.retain(|&(place, way)| base.labels(place).of(0) != way.label());
        }
        let (status, found) = match singles.len() {
            0..64 => try_singles::<1>(&cone, &singles),
            64..128 => try_singles::<2>(&cone, &singles),
            128..256 => try_singles::<4>(&cone, &singles),
            _ => try_singles::<8>(&cone, &singles),
        };
        let mut becomes = vec![[status; 2]; places];
        for (&(place, way), label) in singles.iter().zip(found) {
            becomes[place][way as usize] = label;
        }
        Self { cone, status, becomes }
    }

    /// Returns the current label of the thesis.
    pub fn status(&self) -> Label {
        self.status
    }

    /// Returns all pivots, ascending.
    pub fn pivots(&self) -> Vec<Pivot> {
        let turning = self.cone.members().iter().zip(&self.becomes).filter(|(_, [refuted, other])| refuted != other);
        let pivot =
            |(&argument, &[refuted, established]): (&u32, &[Label; 2])| Pivot { argument, refuted, established };
        let mut pivots: Vec<Pivot> = turning.map(pivot).collect();
        pivots.sort_unstable_by_key(|pivot| pivot.argument);
        pivots
    }

    /// Returns all cruxes of order 1, by argument.
    pub fn first_order(&self) -> Vec<AbstractCrux> {
        let mut cruxes = Vec::new();
        for (&argument, becomes) in self.cone.members().iter().zip(&self.becomes) {
            for (way, &becomes) in Intervention::BOTH.into_iter().zip(becomes) {
                if becomes != self.status {
                    cruxes.push(AbstractCrux { settled: vec![(argument, way)], becomes });
                }
            }
        }
        cruxes.sort_unstable();
        cruxes
    }

    /// Returns all cruxes of order 2, by arguments.
    pub fn second_order(&self) -> Vec<AbstractCrux> {
        let idle = self.idle();
        let mut pairs = match idle.len() {
            0..=64 => self.try_pairs::<1>(&idle),
            65..=128 => self.try_pairs::<2>(&idle),
            129..=256 => self.try_pairs::<4>(&idle),
            _ => self.try_pairs::<8>(&idle),
        };
        pairs.sort_unstable();
        let crux =
            |(settled, becomes): ([(u32, Intervention); 2], Label)| AbstractCrux { settled: settled.to_vec(), becomes };
        pairs.into_iter().map(crux).collect()
    }

    /// Returns the settlements that change nothing alone, by place.
    fn idle(&self) -> Vec<Single> {
        let ways = self.becomes.iter().enumerate().flat_map(|(place, becomes)| {
            Intervention::BOTH.into_iter().zip(becomes).map(move |(way, becomes)| ((place, way), becomes))
        });
        ways.filter(|(_, becomes)| **becomes == self.status).map(|(single, _)| single).collect()
    }

    /// Tries pairs of settlements: each lane has one of `idle`, and those at later places are added to all lanes in
    /// turn.
    fn try_pairs<const W: usize>(&self, idle: &[Single]) -> Vec<([(u32, Intervention); 2], Label)> {
        let mut found = Vec::new();
        let mut lanes = BitSlicedLabels::<W>::new(&self.cone);
        let mut ripple = IncrementalPropagation::new(&self.cone);
        let named = |(place, way): Single| (self.cone.members()[place], way);
        for (block, those) in idle.chunks(64 * W).enumerate() {
            lanes.clear();
            those.iter().enumerate().for_each(|(lane, &(place, way))| lanes.intervene(place, lane, way));
            lanes.propagate();
            let start = 64 * W * block;
            for &(place, way) in &idle[start..] {
                if is_cancelled() {
                    return found;
                }
                let before = BitSet::<W>::below(those.partition_point(|&(other, _)| other < place));
                if !before.intersects(&lanes.labels(place).lanes_differing_from(way.label())) {
                    continue;
                }
                let thesis = ripple.thesis_labels_with(&mut lanes, place, way);
                for lane in before.and(&thesis.lanes_differing_from(self.status)).iter() {
                    let mut settled = [named(those[lane]), named((place, way))];
                    settled.sort_unstable();
                    found.push((settled, thesis.of(lane)));
                }
            }
        }
        found
    }
}

/// Returns the labels of the thesis, at the last place: without settlements, and for each of `singles`.
fn try_singles<const W: usize>(cone: &Ancestors, singles: &[Single]) -> (Label, Vec<Label>) {
    let mut lanes = BitSlicedLabels::<W>::new(cone);
    let mut status = Label::Undec;
    let mut found = Vec::with_capacity(singles.len());
    // Nothing is settled in the last lane.
    for those in chunks(singles, 64 * W - 1) {
        lanes.clear();
        those.iter().enumerate().for_each(|(lane, &(place, way))| lanes.intervene(place, lane, way));
        lanes.propagate();
        let thesis = lanes.labels(cone.members().len() - 1);
        status = thesis.of(64 * W - 1);
        found.extend((0..those.len()).map(|lane| thesis.of(lane)));
    }
    (status, found)
}

/// Splits items into slices of at most `most` items; returns at least one slice, which may be empty.
fn chunks<T>(items: &[T], most: usize) -> impl Iterator<Item = &[T]> {
    let (first, rest) = items.split_at(most.min(items.len()));
    std::iter::once(first).chain(rest.chunks(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    use Intervention::{Established, Refuted};

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    #[test]
    fn pivots_are_found() {
        fn check(arguments: usize, attacks: &[(u32, u32)], target: u32, expected: &[(u32, Label, Label)]) {
            let pivots = pivots(&framework(arguments, attacks), target);
            let found: Vec<_> = pivots.iter().map(|pivot| (pivot.argument, pivot.refuted, pivot.established)).collect();
            assert_eq!(found, expected, "{attacks:?}");
        }
        use Label::{In, Out, Undec};
        check(2, &[], 0, &[]);
        check(3, &[(0, 1), (1, 2)], 2, &[(0, Out, In), (1, In, Out)]);
        check(3, &[(0, 1), (1, 2)], 0, &[]);
        // Two attackers: neither decides alone while the other is IN.
        check(3, &[(0, 2), (1, 2)], 2, &[]);
        check(4, &[(0, 2), (1, 2), (3, 1)], 2, &[(0, In, Out)]);
        check(3, &[(0, 1), (1, 0), (1, 2)], 2, &[(0, Out, In), (1, In, Out)]);
        check(2, &[(0, 1), (1, 1)], 1, &[(0, Undec, Out)]);
    }

    #[test]
    fn cruxes_are_minimal() {
        fn check(arguments: usize, attacks: &[(u32, u32)], target: u32, expected: &[(&[(u32, Intervention)], Label)]) {
            let crux = |&(settled, becomes): &(&[(u32, Intervention)], Label)| AbstractCrux {
                settled: settled.to_vec(),
                becomes,
            };
            let expected: Vec<AbstractCrux> = expected.iter().map(crux).collect();
            assert_eq!(cruxes(&framework(arguments, attacks), target), expected, "{attacks:?}");
        }
        use Label::{In, Out};
        check(3, &[(1, 2)], 0, &[]);
        check(2, &[(0, 1)], 1, &[(&[(0, Refuted)], In)]);
        check(3, &[(0, 1), (1, 2)], 2, &[(&[(0, Refuted)], Out), (&[(1, Established)], Out)]);
        check(3, &[(0, 2), (1, 2)], 2, &[(&[(0, Refuted), (1, Refuted)], In)]);
        // A cycle of three, undecided: every settlement breaks it.
        let broken: &[(&[(u32, Intervention)], Label)] =
            &[(&[(1, Refuted)], Out), (&[(1, Established)], In), (&[(2, Refuted)], In), (&[(2, Established)], Out)];
        check(3, &[(0, 1), (1, 2), (2, 0)], 0, broken);
        // Refuting 0 frees the thesis 2 only if 1 is OUT; 1 becomes IN if 0 is OUT, so it must be refuted too.
        check(3, &[(0, 1), (0, 2), (1, 2)], 2, &[(&[(0, Refuted), (1, Refuted)], In)]);
    }

    #[test]
    fn every_word_width_gives_the_same_cruxes() {
        // A tree of replies, three to each argument, in which every fifth attack is mutual.
        let replies = (1..150_u32).flat_map(|a| {
            let back = (a % 5 == 0).then_some(((a - 1) / 3, a));
            [(a, (a - 1) / 3)].into_iter().chain(back)
        });
        let thesis = Thesis::of(&Framework::new(150, replies).expect("in range"), 0);
        let idle = thesis.idle();
        assert!(idle.len() > 256);
        let sorted = |mut pairs: Vec<_>| {
            pairs.sort_unstable();
            pairs
        };
        let widest = sorted(thesis.try_pairs::<8>(&idle));
        assert!(!widest.is_empty());
        assert_eq!(sorted(thesis.try_pairs::<1>(&idle)), widest);
        assert_eq!(sorted(thesis.try_pairs::<2>(&idle)), widest);
        let singles: Vec<Single> = (0..149).flat_map(|place| Intervention::BOTH.map(|way| (place, way))).collect();
        assert_eq!(try_singles::<1>(&thesis.cone, &singles), try_singles::<8>(&thesis.cone, &singles));
        assert_eq!(try_singles::<1>(&thesis.cone, &[]), (thesis.status(), Vec::new()));
    }
}
