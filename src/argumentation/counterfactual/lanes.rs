//! Bit-sliced grounded labelling of many worlds at a time: each bit of some machine words is a world, a *lane*.
//!
//! An argument is IN in the lanes in which all its attackers are OUT, and OUT in those in which one of them is IN: an
//! `and` and an `or` per attack, for `64 * W` worlds. Places are processed in the order of the cone, circular
//! components until nothing changes: the least fixed point in every lane at once (Kleene).

use crate::argumentation::bits::Bits;
use crate::argumentation::counterfactual::cone::Cone;
use crate::argumentation::counterfactual::settlement::Settlement;
use crate::argumentation::labelling::Label;

/// Lanes in which an argument is IN or OUT. In the others it is UNDEC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels<const W: usize> {
    /// Lanes in which it is IN.
    pub inside: Bits<W>,
    /// Lanes in which it is OUT.
    pub out: Bits<W>,
}

impl<const W: usize> Labels<W> {
    /// UNDEC in every lane.
    pub const UNDEC: Self = Self { inside: Bits::EMPTY, out: Bits::EMPTY };

    /// Returns the labels of the same settlement in every lane.
    pub fn settled(way: Settlement) -> Self {
        let (all, none) = (Bits::below(64 * W), Bits::EMPTY);
        match way {
            Settlement::Refuted => Self { inside: none, out: all },
            Settlement::Established => Self { inside: all, out: none },
        }
    }

    /// Returns the label in one lane.
    pub fn of(&self, lane: usize) -> Label {
        if self.inside.has(lane) {
            Label::In
        } else if self.out.has(lane) {
            Label::Out
        } else {
            Label::Undec
        }
    }

    /// Returns the lanes in which the label is not this one.
    pub fn other_than(&self, label: Label) -> Bits<W> {
        let all = Bits::below(64 * W);
        match label {
            Label::In => all.minus(&self.inside),
            Label::Out => all.minus(&self.out),
            Label::Undec => self.inside.or(&self.out),
        }
    }
}

/// Worlds of a cone: the settlements in each of them, and the grounded labels that follow.
#[derive(Clone, Debug)]
pub struct Lanes<'c, const W: usize> {
    cone: &'c Cone,
    /// Lanes in which each place is refuted (OUT) and established (IN).
    settled: Vec<Labels<W>>,
    labels: Vec<Labels<W>>,
}

impl<'c, const W: usize> Lanes<'c, W> {
    /// Number of worlds.
    pub const WORLDS: usize = 64 * W;

    /// Creates worlds without settlements. Their labels are not computed yet.
    pub fn new(cone: &'c Cone) -> Self {
        let nothing = vec![Labels::UNDEC; cone.members().len()];
        Self { cone, settled: nothing.clone(), labels: nothing }
    }

    /// Removes every settlement. The labels do not change before [`Lanes::spread`].
    pub fn clear(&mut self) {
        self.settled.fill(Labels::UNDEC);
    }

    /// Settles a place in one lane. A place can be settled once per lane.
    pub fn settle(&mut self, place: usize, lane: usize, way: Settlement) {
        let settled = &mut self.settled[place];
        match way {
            Settlement::Refuted => settled.out.insert(lane),
            Settlement::Established => settled.inside.insert(lane),
        }
    }

    /// Settles a place in many lanes: refuted where `settled` is OUT, established where it is IN.
    pub fn settle_all(&mut self, place: usize, settled: Labels<W>) {
        self.settled[place] = settled;
    }

    /// Returns the lanes in which a place is settled, as the labels that it has there.
    #[inline]
    pub fn settled(&self, place: usize) -> &Labels<W> {
        &self.settled[place]
    }

    /// Computes the labels of all places.
    pub fn spread(&mut self) {
        for component in self.cone.components() {
            if component.is_circular() {
                self.labels[component.places()].fill(Labels::UNDEC);
                while component.places().fold(false, |changed, place| self.renew(place) | changed) {}
            } else {
                self.renew(component.places().start);
            }
        }
    }

    /// Recomputes the labels of one place from those of its attackers, and returns true if they changed.
    #[inline]
    pub fn renew(&mut self, place: usize) -> bool {
        let mut due = Labels { inside: Bits::below(64 * W), out: Bits::EMPTY };
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
    pub fn labels(&self, place: usize) -> &Labels<W> {
        &self.labels[place]
    }

    /// Overwrites the labels of a place.
    #[inline]
    pub fn put(&mut self, place: usize, labels: Labels<W>) {
        self.labels[place] = labels;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::argumentation::counterfactual::settlement::settle;
    use crate::argumentation::framework::Framework;

    #[test]
    fn lanes_are_independent_worlds() {
        fn check<const W: usize>(attacks: &[(u32, u32)]) {
            let framework = Framework::new(6, attacks.iter().copied()).expect("in range");
            let cone = Cone::of(&framework, &[0, 1, 2, 3, 4, 5]);
            // Each world settles each argument in one of three ways, by its number in base three.
            let way = |world: usize, argument: u32| match world / 3_usize.pow(argument) % 3 {
                0 => None,
                1 => Some(Settlement::Refuted),
                _ => Some(Settlement::Established),
            };
            let mut lanes = Lanes::<W>::new(&cone);
            for start in (0..729).step_by(Lanes::<W>::WORLDS) {
                lanes.clear();
                for lane in 0..Lanes::<W>::WORLDS {
                    for (place, &argument) in cone.members().iter().enumerate() {
                        way(start + lane, argument).into_iter().for_each(|way| lanes.settle(place, lane, way));
                    }
                }
                lanes.spread();
                for lane in 0..Lanes::<W>::WORLDS {
                    let ways = framework.arguments().filter_map(|it| way(start + lane, it).map(|way| (it, way)));
                    let alone = settle(&framework, &ways.collect::<Vec<_>>());
                    let found = cone.members().iter().enumerate();
                    assert!(
                        found.map(|(place, &it)| (lanes.labels(place).of(lane), it)).all(|(l, it)| l == alone.of(it))
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
        let labels = Labels::<1> { inside: Bits::of_words([1]), out: Bits::of_words([2]) };
        assert_eq!([0, 1, 2].map(|lane| labels.of(lane)), [Label::In, Label::Out, Label::Undec]);
        for label in [Label::In, Label::Out, Label::Undec] {
            let other = labels.other_than(label);
            assert!((0..64).all(|lane| other.has(lane) == (labels.of(lane) != label)));
        }
        for way in Settlement::BOTH {
            assert!(Labels::<1>::settled(way).other_than(way.label()).is_empty());
        }
    }
}
