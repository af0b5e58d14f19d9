//! Impact of a settlement on several theses.

use crate::cancellation::is_cancelled;
use crate::counterfactual::ancestors::Ancestors;
use crate::counterfactual::bit_sliced::BitSlicedLabels;
use crate::counterfactual::intervention::Intervention;
use crate::framework::Framework;
use crate::structures::bitset::BitSet;

/// Share of several theses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThesisShare {
    /// Number of theses in the share.
    pub affected: usize,
    /// Number of theses in total.
    pub total: usize,
}

impl ThesisShare {
    /// Returns the share as a number from 0 to 1; 0 if there are no theses.
    pub fn as_f64(self) -> f64 {
        if self.total == 0 { 0.0 } else { self.affected as f64 / self.total as f64 }
    }
}

/// Computes the share of the theses that depend on a set of arguments: those whose current label, label with the whole
/// set refuted and label with the whole set established are not all the same.
///
/// A thesis in the set would always change; it is left out, also of the total. A thesis given twice counts twice.
/// Linear time.
///
/// # Panics
///
/// Panics if a settled argument or a thesis is not in the framework.
pub fn share_changed(framework: &Framework, settled: &[u32], theses: &[u32]) -> ThesisShare {
    let shares = shares(framework, &[settled], theses);
    shares.into_iter().next().expect("one set, one share")
}

/// Computes [`share_changed`] for many sets at once, in their order.
///
/// Each set takes two lanes of the cone of the theses: one pass over the cone for every 256 sets, and linear in the
/// members of the sets.
///
/// # Panics
///
/// Panics if a settled argument or a thesis is not in the framework.
pub fn shares(framework: &Framework, sets: &[&[u32]], theses: &[u32]) -> Vec<ThesisShare> {
    let cone = Ancestors::of(framework, theses);
    let mut places = vec![None; framework.len()];
    cone.members().iter().zip(0..).for_each(|(&member, place)| places[member as usize] = Some(place));
    let theses: Vec<usize> =
        theses.iter().map(|&thesis| places[thesis as usize].expect("a thesis is in its own cone")).collect();
    let laid_out = Laid { cone, places, theses };
    match sets.len() {
        0..=32 => laid_out.shares::<1>(sets),
        33..=64 => laid_out.shares::<2>(sets),
        65..=128 => laid_out.shares::<4>(sets),
        _ => laid_out.shares::<8>(sets),
    }
}

/// Theses and their cone.
struct Laid {
    cone: Ancestors,
    /// Place of each argument of the framework that is in the cone.
    places: Vec<Option<usize>>,
    /// Places of the theses.
    theses: Vec<usize>,
}

impl Laid {
    fn shares<const W: usize>(&self, sets: &[&[u32]]) -> Vec<ThesisShare> {
        let mut base = BitSlicedLabels::<1>::new(&self.cone);
        base.propagate();
        let mut lanes = BitSlicedLabels::<W>::new(&self.cone);
        let mut shares = Vec::with_capacity(sets.len());
        for those in sets.chunks(32 * W) {
            if is_cancelled() {
                shares.resize(sets.len(), ThesisShare { affected: 0, total: 1 });
                break;
            }
            lanes.clear();
            for (number, set) in those.iter().enumerate() {
                // An argument outside the cone makes no difference.
                for place in set.iter().filter_map(|&argument| self.places[argument as usize]) {
                    for way in Intervention::BOTH {
                        lanes.intervene(place, 2 * number + way as usize, way);
                    }
                }
            }
            lanes.propagate();
            let first = shares.len();
            shares.resize(first + those.len(), ThesisShare { affected: 0, total: 0 });
            for &thesis in &self.theses {
                let changed = lanes.labels(thesis).lanes_differing_from(base.labels(thesis).of(0));
                self.count(&lanes, thesis, &changed, &mut shares[first..]);
            }
        }
        shares
    }

    /// Counts one thesis in the shares of the sets that do not contain it.
    fn count<const W: usize>(
        &self,
        lanes: &BitSlicedLabels<'_, W>,
        thesis: usize,
        changed: &BitSet<W>,
        shares: &mut [ThesisShare],
    ) {
        let own = lanes.settled(thesis).out;
        for (number, share) in shares.iter_mut().enumerate() {
            let (refuted, established) = (2 * number, 2 * number + 1);
            if !own.contains(refuted) {
                share.total += 1;
                share.affected += usize::from(changed.contains(refuted) || changed.contains(established));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_changed_theses_are_counted() {
        fn check(attacks: &[(u32, u32)], settled: &[u32], theses: &[u32], affected: usize, total: usize) {
            let framework = Framework::new(5, attacks.iter().copied()).expect("in range");
            let share = share_changed(&framework, settled, theses);
            assert_eq!(share, ThesisShare { affected, total }, "{attacks:?} {settled:?} {theses:?}");
        }
        let attacks = [(0, 1), (1, 2), (3, 2)];
        check(&attacks, &[], &[0, 1, 2, 3, 4], 0, 5);
        check(&attacks, &[0], &[1, 2, 4], 1, 3);
        check(&attacks, &[0], &[0, 1, 2, 4], 1, 3);
        check(&attacks, &[0, 3], &[1, 2, 4], 1, 3);
        check(&attacks, &[1, 3], &[0, 2, 4], 1, 3);
        check(&attacks, &[3], &[2], 1, 1);
        check(&attacks, &[3], &[], 0, 0);
        check(&attacks, &[3], &[2, 2, 0], 2, 3);
        check(&attacks, &[3, 3], &[2], 1, 1);
        assert_eq!(ThesisShare { affected: 1, total: 4 }.as_f64(), 0.25);
        assert_eq!(ThesisShare { affected: 0, total: 0 }.as_f64(), 0.0);
    }
}
