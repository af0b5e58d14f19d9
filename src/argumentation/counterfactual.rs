//! Counterfactuals: what would become of a thesis if arguments were settled, and which are the ones it turns on.
//!
//! To settle an argument is to *refute* it (a fresh argument that nobody attacks attacks it) or to *establish* it (the
//! attacks on it are gone). The status of a thesis is its grounded label.
//!
//! | | |
//! |---|---|
//! | pivot | an argument of which refuting and establishing give the thesis different labels |
//! | crux of order k | a settlement of k arguments that changes the label of the thesis, where no part of it does |
//! | share changed | of several theses, how many change when a set is settled one way or the other |
//!
//! The definitions follow the notion of a counterfactual cause and its responsibility 1/k (Chockler and Halpern 2004).
//! Only what attacks a thesis, directly or not, can change it, so nothing else is tried. Each trial is one grounded
//! labelling of that part, from scratch.

use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::{Grounding, Label, Labelling};

/// How an argument is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Settlement {
    /// It is OUT for good.
    Refuted,
    /// It is IN for good, and goes on attacking.
    Established,
}

impl Settlement {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::Refuted, Self::Established];

    /// The label of an argument that is settled in this way.
    pub fn label(self) -> Label {
        match self {
            Self::Refuted => Label::Out,
            Self::Established => Label::In,
        }
    }
}

/// The grounded labelling of the framework in which these arguments are settled. Of two settlements of one argument the
/// later counts. Linear time.
///
/// # Panics
///
/// If a settled argument is not in the framework.
pub fn settle(framework: &Framework, settled: &[(u32, Settlement)]) -> Labelling {
    labels_when(&mut Grounding::new(framework), settled).clone()
}

/// An argument on which the thesis turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pivot {
    /// The argument.
    pub argument: u32,
    /// The label of the thesis when it is refuted.
    pub refuted: Label,
    /// The label of the thesis when it is established; not the same.
    pub established: Label,
}

/// All pivots of a thesis, ascending. The thesis itself is none.
///
/// Two grounded labellings for each argument that attacks the thesis, directly or not.
///
/// # Panics
///
/// If there is no such argument.
pub fn pivots(framework: &Framework, target: u32) -> Vec<Pivot> {
    let cone = Cone::of(framework, target);
    let mut grounding = Grounding::new(&cone.framework);
    let mut pivots = Vec::new();
    for (place, &argument) in (0..).zip(&cone.members) {
        let [refuted, established] =
            Settlement::BOTH.map(|way| labels_when(&mut grounding, &[(place, way)]).of(cone.target));
        if argument != target && refuted != established {
            pivots.push(Pivot { argument, refuted, established });
        }
    }
    pivots
}

/// A smallest change that changes the thesis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crux {
    /// The arguments to settle and how, ascending; their number is the order. Settling only some of them in this way
    /// leaves the thesis as it is.
    pub settled: Vec<(u32, Settlement)>,
    /// The label of the thesis then.
    pub becomes: Label,
}

/// All cruxes of order 1 and 2 of a thesis: first those of order 1, each order by the settled arguments. The thesis
/// itself is never settled.
///
/// A crux is minimal as a settlement: an argument that changes the thesis when refuted may be in a crux of order 2 when
/// established. The order of an *argument* is that of the first crux it is in.
///
/// With c arguments that attack the thesis, directly or not, up to 2c² grounded labellings of these, and 2c that are
/// kept. Some hundred such arguments take milliseconds, some thousand minutes: the caller bounds the framework.
///
/// # Panics
///
/// If there is no such argument.
pub fn cruxes(framework: &Framework, target: u32) -> Vec<Crux> {
    let cone = Cone::of(framework, target);
    let mut grounding = Grounding::new(&cone.framework);
    let status = grounding.spread().of(cone.target);
    let mut cruxes = Vec::new();
    let mut idle = Vec::new();
    for place in (0..).take(cone.members.len()).filter(|&place| place != cone.target) {
        for way in Settlement::BOTH {
            let labels = labels_when(&mut grounding, &[(place, way)]);
            match labels.of(cone.target) {
                becomes if becomes == status => idle.push((place, way, labels.clone())),
                becomes => cruxes.push(cone.crux(&[(place, way)], becomes)),
            }
        }
    }
    for (first, (place, way, labels)) in idle.iter().enumerate() {
        for (other, other_way, other_labels) in &idle[first + 1..] {
            // To settle an argument as it is already labelled changes nothing.
            let repeats = labels.of(*other) == other_way.label() || other_labels.of(*place) == way.label();
            if other == place || repeats {
                continue;
            }
            let settled = [(*place, *way), (*other, *other_way)];
            let becomes = labels_when(&mut grounding, &settled).of(cone.target);
            if becomes != status {
                cruxes.push(cone.crux(&settled, becomes));
            }
        }
    }
    cruxes
}

/// A share of several theses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// How many of them.
    pub part: usize,
    /// How many there are.
    pub whole: usize,
}

impl Share {
    /// The share as a number from 0 to 1; 0 of no theses.
    pub fn as_f64(self) -> f64 {
        if self.whole == 0 { 0.0 } else { self.part as f64 / self.whole as f64 }
    }
}

/// The share of the theses on which it matters how a set of arguments is settled: those whose labels as things stand,
/// with all of the set refuted, and with all of it established are not all the same.
///
/// A thesis that is itself in the set would always change; it is left out, of the whole too. A thesis given twice
/// counts twice. Three grounded labellings.
///
/// # Panics
///
/// If a settled argument or a thesis is not in the framework.
pub fn share_changed(framework: &Framework, settled: &[u32], theses: &[u32]) -> Share {
    let mut grounding = Grounding::new(framework);
    let base = labels_when(&mut grounding, &[]).clone();
    let mut own = vec![false; framework.len()];
    settled.iter().for_each(|&argument| own[argument as usize] = true);
    let others = || theses.iter().filter(|&&thesis| !own[thesis as usize]);
    let mut changed = vec![false; framework.len()];
    for way in Settlement::BOTH {
        let all: Vec<_> = settled.iter().map(|&argument| (argument, way)).collect();
        let labels = labels_when(&mut grounding, &all);
        others().for_each(|&thesis| changed[thesis as usize] |= labels.of(thesis) != base.of(thesis));
    }
    Share { part: others().filter(|&&thesis| changed[thesis as usize]).count(), whole: others().count() }
}

fn labels_when<'g>(grounding: &'g mut Grounding<'_>, settled: &[(u32, Settlement)]) -> &'g Labelling {
    grounding.reset();
    for &(argument, way) in settled {
        match way {
            Settlement::Refuted => grounding.refute(argument),
            Settlement::Established => grounding.establish(argument),
        }
    }
    grounding.spread()
}

/// A thesis and all that attacks it, directly or not, as a framework of its own.
struct Cone {
    /// The arguments in the framework it is cut from, ascending.
    members: Vec<u32>,
    framework: Framework,
    /// The thesis, as a number of this framework.
    target: u32,
}

impl Cone {
    fn of(framework: &Framework, target: u32) -> Self {
        let mut reached = vec![false; framework.len()];
        reached[target as usize] = true;
        let mut members = vec![target];
        let mut spent = 0;
        while let Some(&member) = members.get(spent) {
            spent += 1;
            for &attacker in framework.attackers(member) {
                if !std::mem::replace(&mut reached[attacker as usize], true) {
                    members.push(attacker);
                }
            }
        }
        members.sort_unstable();
        let place = members.iter().zip(0..).find(|(member, _)| **member == target);
        let target = place.map(|(_, place)| place).expect("it is the first that was reached");
        Self { framework: framework.restricted_to(&members), members, target }
    }

    fn crux(&self, settled: &[(u32, Settlement)], becomes: Label) -> Crux {
        let settled = settled.iter().map(|&(place, way)| (self.members[place as usize], way)).collect();
        Crux { settled, becomes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Settlement::{Established, Refuted};

    fn framework(arguments: usize, attacks: &[(u32, u32)]) -> Framework {
        Framework::new(arguments, attacks.iter().copied()).expect("in range")
    }

    #[test]
    fn settlements_have_consequences() {
        fn check(attacks: &[(u32, u32)], settled: &[(u32, Settlement)], labels: [Label; 3]) {
            assert_eq!(settle(&framework(3, attacks), settled).0, labels, "{attacks:?} {settled:?}");
        }
        use Label::{In as I, Out as O, Undec as U};
        let chain = [(0, 1), (1, 2)];
        check(&chain, &[], [I, O, I]);
        check(&chain, &[(0, Refuted)], [O, I, O]);
        check(&chain, &[(1, Established)], [I, I, O]);
        check(&chain, &[(0, Refuted), (1, Refuted)], [O, O, I]);
        check(&chain, &[(0, Refuted), (0, Established)], [I, O, I]);
        let ring = [(0, 1), (1, 2), (2, 0)];
        check(&ring, &[], [U, U, U]);
        check(&ring, &[(0, Refuted)], [O, I, O]);
        check(&ring, &[(0, Established)], [I, O, I]);
        check(&[(0, 0), (0, 1)], &[(0, Established)], [I, O, I]);
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
        // Two attackers: neither alone decides once the other is IN.
        check(3, &[(0, 2), (1, 2)], 2, &[]);
        check(4, &[(0, 2), (1, 2), (3, 1)], 2, &[(0, In, Out)]);
        check(3, &[(0, 1), (1, 0), (1, 2)], 2, &[(0, Out, In), (1, In, Out)]);
        check(2, &[(0, 1), (1, 1)], 1, &[(0, Undec, Out)]);
    }

    #[test]
    fn cruxes_are_minimal() {
        fn check(arguments: usize, attacks: &[(u32, u32)], target: u32, expected: &[(&[(u32, Settlement)], Label)]) {
            let crux =
                |&(settled, becomes): &(&[(u32, Settlement)], Label)| Crux { settled: settled.to_vec(), becomes };
            let expected: Vec<Crux> = expected.iter().map(crux).collect();
            assert_eq!(cruxes(&framework(arguments, attacks), target), expected, "{attacks:?}");
        }
        use Label::{In, Out};
        check(3, &[(1, 2)], 0, &[]);
        check(2, &[(0, 1)], 1, &[(&[(0, Refuted)], In)]);
        check(3, &[(0, 1), (1, 2)], 2, &[(&[(0, Refuted)], Out), (&[(1, Established)], Out)]);
        check(3, &[(0, 2), (1, 2)], 2, &[(&[(0, Refuted), (1, Refuted)], In)]);
        // A ring of three, undecided: whatever is settled breaks it.
        let broken: &[(&[(u32, Settlement)], Label)] =
            &[(&[(1, Refuted)], Out), (&[(1, Established)], In), (&[(2, Refuted)], In), (&[(2, Established)], Out)];
        check(3, &[(0, 1), (1, 2), (2, 0)], 0, broken);
        // Refuting 0 frees the thesis 2 as long as 1 is not established; 1 stands if 0 falls, so it must be refuted
        // too.
        check(3, &[(0, 1), (0, 2), (1, 2)], 2, &[(&[(0, Refuted), (1, Refuted)], In)]);
    }

    #[test]
    fn shares_are_counted() {
        fn check(attacks: &[(u32, u32)], settled: &[u32], theses: &[u32], part: usize, whole: usize) {
            let share = share_changed(&framework(5, attacks), settled, theses);
            assert_eq!(share, Share { part, whole }, "{attacks:?} {settled:?} {theses:?}");
        }
        let attacks = [(0, 1), (1, 2), (3, 2)];
        check(&attacks, &[], &[0, 1, 2, 3, 4], 0, 5);
        check(&attacks, &[0], &[1, 2, 4], 1, 3);
        check(&attacks, &[0], &[0, 1, 2, 4], 1, 3);
        check(&attacks, &[0, 3], &[1, 2, 4], 1, 3);
        check(&attacks, &[1, 3], &[0, 2, 4], 1, 3);
        check(&attacks, &[3], &[2], 1, 1);
        check(&attacks, &[3], &[], 0, 0);
        assert_eq!(Share { part: 1, whole: 4 }.as_f64(), 0.25);
        assert_eq!(Share { part: 0, whole: 0 }.as_f64(), 0.0);
    }
}
