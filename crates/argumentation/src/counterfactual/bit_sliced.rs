//! Bit-sliced grounded labelling of many worlds at a time: each bit of some machine words is a world, a *lane*.
//!
//! An argument is IN in the lanes in which all its attackers are OUT, and OUT in those in which one of them is IN: an
//! `and` and an `or` per attack, for `64 * W` worlds. Places are processed in the order of the cone, circular
//! components until nothing changes: the least fixed point in every lane at once (Kleene).

use crate::counterfactual::ancestors::Ancestors;
use crate::counterfactual::intervention::Intervention;
use crate::labelling::Label;
use crate::structures::bitset::BitSet;

/// Lanes in which an argument is IN or OUT. In the others it is UNDEC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneLabels<const W: usize> {
    /// Lanes in which it is IN.
    pub inside: BitSet<W>,
    /// Lanes in which it is OUT.
    pub out: BitSet<W>,
}

impl<const W: usize> LaneLabels<W> {
    /// UNDEC in every lane.
    pub const UNDEC: Self = Self { inside: BitSet::EMPTY, out: BitSet::EMPTY };

    /// Returns the labels of the same settlement in every lane.
    pub fn settled(way: Intervention) -> Self {
        let (all, none) = (BitSet::below(64 * W), BitSet::EMPTY);
        match way {
            Intervention::Refuted => Self { inside: none, out: all },
            Intervention::Established => Self { inside: all, out: none },
        }
    }

    /// Returns the label in one lane.
    pub fn of(&self, lane: usize) -> Label {
        if self.inside.contains(lane) {
            Label::In
        } else if self.out.contains(lane) {
            Label::Out
        } else {
            Label::Undec
        }
    }

    /// Returns the lanes in which the label is not this one.
    pub fn lanes_differing_from(&self, label: Label) -> BitSet<W> {
        let all = BitSet::below(64 * W);
        match label {
            Label::In => all.minus(&self.inside),
            Label::Out => all.minus(&self.out),
            Label::Undec => self.inside.or(&self.out),
        }
    }
}

/// Worlds of a cone: the settlements in each of them, and the grounded labels that follow.
#[derive(Clone, Debug)]
pub struct BitSlicedLabels<'c, const W: usize> {
    cone: &'c Ancestors,
    /// Lanes in which each place is refuted (OUT) and established (IN).
    settled: Vec<LaneLabels<W>>,
    labels: Vec<LaneLabels<W>>,
}

impl<'c, const W: usize> BitSlicedLabels<'c, W> {
    /// Number of worlds.
    pub const WORLDS: usize = 64 * W;

    /// Creates worlds without settlements. Their labels are not computed yet.
    pub fn new(cone: &'c Ancestors) -> Self {
        let nothing = vec![LaneLabels::UNDEC; cone.members().len()];
        Self { cone, settled: nothing.clone(), labels: nothing }
    }

    /// Removes every settlement. The labels do not change before [`BitSlicedLabels::propagate`].
    pub fn clear(&mut self) {
        self.settled.fill(LaneLabels::UNDEC);
    }

    /// Settles a place in one lane. A place can be settled once per lane.
    pub fn intervene(&mut self, place: usize, lane: usize, way: Intervention) {
        let settled = &mut self.settled[place];
        match way {
            Intervention::Refuted => settled.out.insert(lane),
            Intervention::Established => settled.inside.insert(lane),
        }
    }

    /// Settles a place in many lanes: refuted where `settled` is OUT, established where it is IN.
    pub fn intervene_all(&mut self, place: usize, settled: LaneLabels<W>) {
        self.settled[place] = settled;
    }

    /// Returns the lanes in which a place is settled, as the labels that it has there.
    #[inline]
    pub fn settled(&self, place: usize) -> &LaneLabels<W> {
        &self.settled[place]
    }

    /// Computes the labels of all places.
    pub fn propagate(&mut self) {
        for component in self.cone.components() {
            if component.is_circular() {
                self.labels[component.places()].fill(LaneLabels::UNDEC);
                while component.places().fold(false, |changed, place| self.recompute(place) | changed) {}
            } else {
                self.recompute(component.places().start);
            }
        }
    }

    /// Recomputes the labels of one place from those of its attackers, and returns true if they changed.
    #[inline]
    pub fn recompute(&mut self, place: usize) -> bool {
        let mut due = LaneLabels { inside: BitSet::below(64 * W), out: BitSet::EMPTY };
        for &attacker in self.cone.attackers(place) {
            let attacker = &self.labels[attacker as usize];
            due.inside = due.inside.and(&attacker.out);
            due.out = due.out.or(&attacker.inside);
        }
        let settled = &self.settled[place];
        due.inside = due.inside.minus(&settled.out).or(&settled.inside);
        due.out = due.out.minus(&settled.inside).or(&settled.out);
        std::mem::replace(&mut self.labels[place], due) != due
    }

    /// Returns the labels of a place.
    #[inline]
    pub fn labels(&self, place: usize) -> &LaneLabels<W> {
        &self.labels[place]
    }

    /// Overwrites the labels of a place.
    #[inline]
    pub fn set_labels(&mut self, place: usize, labels: LaneLabels<W>) {
        self.labels[place] = labels;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::counterfactual::intervention::labels_after;
    use crate::framework::Framework;

    #[test]
    fn lanes_are_independent_worlds() {
        fn check<const W: usize>(attacks: &[(u32, u32)]) {
            let framework = Framework::new(6, attacks.iter().copied()).expect("in range");
            let cone = Ancestors::of(&framework, &[0, 1, 2, 3, 4, 5]);
            // Each world settles each argument in one of three ways, by its number in base three.
            let way = |world: usize, argument: u32| match world / 3_usize.pow(argument) % 3 {
                0 => None,
                1 => Some(Intervention::Refuted),
                _ => Some(Intervention::Established),
            };
            let mut lanes = BitSlicedLabels::<W>::new(&cone);
            for start in (0..729).step_by(BitSlicedLabels::<W>::WORLDS) {
                lanes.clear();
                for lane in 0..BitSlicedLabels::<W>::WORLDS {
                    for (place, &argument) in cone.members().iter().enumerate() {
                        way(start + lane, argument).into_iter().for_each(|way| lanes.intervene(place, lane, way));
                    }
                }
                lanes.propagate();
                for lane in 0..BitSlicedLabels::<W>::WORLDS {
                    let ways = framework
                        .arguments()
                        .filter_map(|argument| way(start + lane, argument).map(|way| (argument, way)));
                    let alone = labels_after(&framework, &ways.collect::<Vec<_>>());
                    let found = cone.members().iter().enumerate();
                    assert!(
                        found
                            .map(|(place, &member)| (lanes.labels(place).of(lane), member))
                            .all(|(l, member)| l == alone.of(member))
                    );
                }
            }
        }
        for attacks in [
            &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)][..],
            &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 5), (5, 0)],
            &[(0, 1), (1, 0), (1, 2), (0, 2), (2, 3), (4, 3), (4, 5), (5, 4)],
        ] {
            check::<1>(attacks);
            check::<8>(attacks);
        }
    }

    #[test]
    fn labels_are_read_lane_by_lane() {
        let labels = LaneLabels::<1> { inside: BitSet::from_words([1]), out: BitSet::from_words([2]) };
        assert_eq!([0, 1, 2].map(|lane| labels.of(lane)), [Label::In, Label::Out, Label::Undec]);
        for label in [Label::In, Label::Out, Label::Undec] {
            let other = labels.lanes_differing_from(label);
            assert!((0..64).all(|lane| other.contains(lane) == (labels.of(lane) != label)));
        }
        for way in Intervention::BOTH {
            assert!(LaneLabels::<1>::settled(way).lanes_differing_from(way.label()).is_empty());
        }
    }
}
