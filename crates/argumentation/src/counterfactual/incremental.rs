//! Incremental recomputation of labels after one more settlement in every lane.
//!
//! Labels can only be added if the settled argument was undecided, because the least fixed point is monotone; the
//! computation then continues from the current labels. In the *turned* lanes, in which the argument had the opposite
//! label, labels that depended on it may be invalid, and in a cycle there is no record of these dependencies: in these
//! lanes a circular component is recomputed from UNDEC.

use crate::counterfactual::ancestors::{AncestorComponent, Ancestors};
use crate::counterfactual::bit_sliced::{BitSlicedLabels, LaneLabels};
use crate::counterfactual::intervention::Intervention;
use crate::structures::bitset::BitSet;
use crate::structures::csr::CsrLists;

/// Working memory for propagating the consequences of a settlement.
#[derive(Debug)]
pub struct IncrementalPropagation<'c, const W: usize> {
    cone: &'c Ancestors,
    attacked: CsrLists,
    component_of: Vec<u32>,
    due: Places,
    /// Previous labels of the places in `kept`, in the order of the changes.
    before: Vec<(usize, LaneLabels<W>)>,
    kept: Places,
}

/// Settled place, which keeps its labels, and the lanes in which it was turned.
struct Settled<const W: usize> {
    place: usize,
    turned: BitSet<W>,
}

impl<'c, const W: usize> IncrementalPropagation<'c, W> {
    /// Creates the working memory for lanes of this cone. Linear time.
    pub fn new(cone: &'c Ancestors) -> Self {
        let len = cone.members().len();
        let attacks = (0..cone.len())
            .flat_map(|place| cone.attackers(place as usize).iter().map(move |&attacker| (attacker, place)));
        let attacked = CsrLists::group(len, attacks);
        let mut component_of = Vec::with_capacity(len);
        for (component, number) in cone.components().iter().zip(0..) {
            component_of.extend(component.places().map(|_| number));
        }
        let before = Vec::with_capacity(len);
        Self { cone, attacked, component_of, due: Places::none(len), before, kept: Places::none(len) }
    }

    /// Returns the labels of the thesis, at the last place, if one place is settled in every lane in addition to the
    /// settlements there. The lanes must be spread; they are restored before this returns.
    ///
    /// The cost is that of the places that change, and of the circular components with a turned label.
    pub fn thesis_labels_with(
        &mut self,
        lanes: &mut BitSlicedLabels<'_, W>,
        place: usize,
        way: Intervention,
    ) -> LaneLabels<W> {
        let old = lanes.labels(place);
        let turned = if way == Intervention::Refuted { old.inside } else { old.out };
        let settled = Settled { place, turned };
        self.change(lanes, place, LaneLabels::settled(way));
        let own = self.component(place);
        if own.is_circular() {
            self.go_round(lanes, own, &settled);
        }
        let len = self.cone.members().len();
        let mut cursor = place;
        while let Some(place) = self.due.take(cursor, len) {
            let component = self.component(place);
            if component.is_circular() {
                self.due.insert(place);
                self.go_round(lanes, component, &settled);
            } else {
                self.recompute(lanes, place);
            }
            cursor = component.places().end;
        }
        let found = *lanes.labels(len - 1);
        while let Some((place, old)) = self.before.pop() {
            lanes.set_labels(place, old);
            self.kept.remove(place);
        }
        found
    }

    fn component(&self, place: usize) -> AncestorComponent {
        self.cone.components()[self.component_of[place] as usize]
    }

    /// Changes the labels of a place and schedules its targets; in a circular component only those inside for now.
    fn change(&mut self, lanes: &mut BitSlicedLabels<'_, W>, place: usize, labels: LaneLabels<W>) {
        let old = *lanes.labels(place);
        lanes.set_labels(place, labels);
        self.changed(place, old);
    }

    fn recompute(&mut self, lanes: &mut BitSlicedLabels<'_, W>, place: usize) {
        let old = *lanes.labels(place);
        if lanes.recompute(place) {
            self.changed(place, old);
        }
    }

    fn changed(&mut self, place: usize, old: LaneLabels<W>) {
        if self.kept.insert(place) {
            self.before.push((place, old));
        }
        let component = self.component_of[place];
        let circular = self.cone.components()[component as usize].is_circular();
        for &target in self.attacked.row(place as u32) {
            if !circular || self.component_of[target as usize] == component {
                self.due.insert(target as usize);
            }
        }
    }

    /// Recomputes a circular component. Schedules the targets outside of those places that changed.
    fn go_round(&mut self, lanes: &mut BitSlicedLabels<'_, W>, component: AncestorComponent, settled: &Settled<W>) {
        let places = component.places();
        if !settled.turned.is_empty() {
            for place in places.clone().filter(|&place| place != settled.place) {
                let LaneLabels { inside, out } = lanes.labels(place);
                let kept = LaneLabels { inside: inside.minus(&settled.turned), out: out.minus(&settled.turned) };
                if kept != *lanes.labels(place) {
                    self.change(lanes, place, kept);
                    self.due.insert(place);
                }
            }
        }
        let mut cursor = places.start;
        loop {
            match self.due.take(cursor, places.end) {
                Some(place) => {
                    if place != settled.place {
                        self.recompute(lanes, place);
                    }
                    cursor = place + 1;
                }
                None if cursor == places.start => break,
                None => cursor = places.start,
            }
        }
        let inside = |(place, _): &&(usize, LaneLabels<W>)| places.contains(place);
        for (place, old) in self.before.iter().rev().take_while(inside) {
            if lanes.labels(*place) != old {
                let outside = self.attacked.row(*place as u32).iter().map(|&target| target as usize);
                outside.filter(|target| !places.contains(target)).for_each(|target| {
                    self.due.insert(target);
                });
            }
        }
    }
}

/// Set of places.
#[derive(Debug)]
struct Places(Vec<u64>);

impl Places {
    fn none(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    /// Returns true if the place is new.
    #[inline]
    fn insert(&mut self, place: usize) -> bool {
        let word = &mut self.0[place / 64];
        let new = *word | 1 << (place % 64);
        std::mem::replace(word, new) != new
    }

    #[inline]
    fn remove(&mut self, place: usize) {
        self.0[place / 64] &= !(1 << (place % 64));
    }

    /// Removes and returns the first place that is not below `start`, if it is below `end`.
    #[inline]
    fn take(&mut self, start: usize, end: usize) -> Option<usize> {
        let mut word = start / 64;
        let mut left = self.0.get(word)? & (u64::MAX << (start % 64));
        while left == 0 {
            word += 1;
            if 64 * word >= end {
                return None;
            }
            left = *self.0.get(word)?;
        }
        let place = 64 * word + left.trailing_zeros() as usize;
        if place >= end {
            return None;
        }
        self.remove(place);
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::framework::Framework;

    /// One more settlement in every lane gives the same as a full recomputation, and is undone without a trace.
    #[test]
    fn incremental_labels_equal_a_full_recomputation() {
        fn check(attacks: &[(u32, u32)]) {
            let framework = Framework::new(7, attacks.iter().copied()).expect("in range");
            let cone = Ancestors::of(&framework, &[6]);
            let places = cone.members().len();
            let mut lanes = BitSlicedLabels::<1>::new(&cone);
            let singles = || (0..places - 1).flat_map(|place| Intervention::BOTH.map(|way| (place, way)));
            singles().enumerate().for_each(|(lane, (place, way))| lanes.intervene(place, lane, way));
            lanes.propagate();
            let labels =
                |lanes: &BitSlicedLabels<'_, 1>| (0..places).map(|place| *lanes.labels(place)).collect::<Vec<_>>();
            let before = labels(&lanes);
            let mut ripple = IncrementalPropagation::new(&cone);
            for (place, way) in singles() {
                let mut whole = lanes.clone();
                whole.intervene_all(place, LaneLabels::settled(way));
                whole.propagate();
                let due = *whole.labels(places - 1);
                assert_eq!(ripple.thesis_labels_with(&mut lanes, place, way), due, "{place} {way:?} {attacks:?}");
                assert_eq!(labels(&lanes), before);
            }
        }
        check(&[(0, 6)]);
        check(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]);
        check(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0)]);
        check(&[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6), (0, 6)]);
        check(&[(0, 1), (1, 0), (1, 2), (0, 2), (2, 3), (3, 2), (3, 6), (4, 4), (4, 6), (5, 4), (4, 5)]);
    }

    #[test]
    fn places_are_taken_in_order() {
        let mut places = Places::none(200);
        assert!([3, 64, 130, 199].into_iter().all(|place| places.insert(place)));
        assert!(!places.insert(64));
        assert_eq!((places.take(4, 64), places.take(4, 65), places.take(4, 130)), (None, Some(64), None));
        assert_eq!((places.take(131, 200), places.take(200, 200), places.take(0, 200)), (Some(199), None, Some(3)));
        places.remove(130);
        assert_eq!(places.take(0, 200), None);
    }
}
