//! Reasons for the labels of the grounded labelling.

use crate::framework::Framework;
use crate::labelling::{GroundedPropagation, Label, Labelling};

/// Reason for an argument's label in the grounded labelling. Every defeater and defender named was derived earlier than
/// the argument that it explains, so the reasons of IN and OUT arguments are never circular.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelReason {
    /// The argument is IN: all its attackers are defeated.
    In {
        /// Each attacker, ascending, with the IN argument that first defeated it. Empty if nothing attacks the
        /// argument.
        defended: Vec<(u32, u32)>,
    },
    /// The argument is OUT.
    Out {
        /// IN arguments that attack it, in the order in which they were derived. At least one.
        by: Vec<u32>,
    },
    /// The argument is UNDEC: no attacker is IN, and not all attackers are OUT.
    Undec {
        /// Undecided attackers, ascending. At least one; may include the argument itself.
        by: Vec<u32>,
    },
}

/// Grounded labelling of a framework, with the order of its derivation.
#[derive(Clone, Debug)]
pub struct GroundedDerivation<'f> {
    framework: &'f Framework,
    labelling: Labelling,
    /// Position of each IN argument in the derivation.
    ranks: Vec<u32>,
    /// IN argument that first defeated each OUT argument.
    defeaters: Vec<u32>,
}

impl<'f> GroundedDerivation<'f> {
    /// Derives the grounded labelling and records the order of the derivation: a strongly admissible labelling in the
    /// sense of Caminada and Dunne (2019). Linear time.
    pub fn new(framework: &'f Framework) -> Self {
        let mut grounding = GroundedPropagation::new(framework);
        grounding.propagate();
        let (labelling, derivation) = grounding.into_derivation();
        let (mut ranks, mut defeaters) = (vec![0; framework.len()], vec![0; framework.len()]);
        for (&argument, time) in derivation.iter().zip(0..) {
            ranks[argument as usize] = time;
        }
        for &argument in derivation.iter().rev() {
            framework.attacked(argument).iter().for_each(|&target| defeaters[target as usize] = argument);
        }
        Self { framework, labelling, ranks, defeaters }
    }

    /// Returns the labelled framework.
    pub fn framework(&self) -> &'f Framework {
        self.framework
    }

    /// Returns the grounded labelling.
    pub fn labelling(&self) -> &Labelling {
        &self.labelling
    }

    /// Returns the position of an IN argument in the derivation: the arguments it depends on have lower positions.
    /// Meaningless for other arguments.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn rank(&self, argument: u32) -> u32 {
        self.ranks[argument as usize]
    }

    /// Returns the IN argument that first defeats an OUT one. Meaningless for other arguments.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn defeater(&self, argument: u32) -> u32 {
        self.defeaters[argument as usize]
    }

    /// Returns the reason for the label of `argument`. Linear in its attackers, plus sorting those that are IN.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn reason(&self, argument: u32) -> LabelReason {
        match self.labelling.of(argument) {
            Label::In => {
                let attackers = self.framework.attackers(argument).iter();
                LabelReason::In { defended: attackers.map(|&attacker| (attacker, self.defeater(attacker))).collect() }
            }
            Label::Out => {
                let mut by: Vec<u32> = self.attackers_with(Label::In, argument).collect();
                by.sort_unstable_by_key(|&attacker| self.rank(attacker));
                LabelReason::Out { by }
            }
            Label::Undec => LabelReason::Undec { by: self.attackers_with(Label::Undec, argument).collect() },
        }
    }

    /// Returns the attackers of `argument` that have this label, ascending.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn attackers_with(&self, label: Label, argument: u32) -> impl Iterator<Item = u32> {
        let attackers = self.framework.attackers(argument).iter().copied();
        attackers.filter(move |&attacker| self.labelling.of(attacker) == label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_has_its_reason() {
        fn check(attacks: &[(u32, u32)], argument: u32, expected: &LabelReason) {
            let framework = Framework::new(6, attacks.iter().copied()).expect("in range");
            let grounds = GroundedDerivation::new(&framework);
            assert_eq!(&grounds.reason(argument), expected, "{attacks:?}");
        }
        let defended = |pairs: &[(u32, u32)]| LabelReason::In { defended: pairs.to_vec() };
        let chain = [(0, 1), (1, 2), (2, 3), (4, 3)];
        check(&chain, 0, &defended(&[]));
        check(&chain, 1, &LabelReason::Out { by: vec![0] });
        check(&chain, 2, &defended(&[(1, 0)]));
        check(&chain, 3, &LabelReason::Out { by: vec![4, 2] });
        // 0 attacks 1 back, but its defender is 2.
        check(&[(0, 1), (1, 0), (2, 1)], 0, &defended(&[(1, 2)]));
        check(&[(0, 1), (1, 0), (2, 0), (3, 2), (4, 3), (4, 1)], 0, &LabelReason::Out { by: vec![2] });
        check(&[(0, 1), (1, 0), (2, 0), (3, 2), (4, 3), (4, 2)], 0, &LabelReason::Undec { by: vec![1] });
        check(&[(0, 1), (1, 0), (2, 2), (2, 1), (3, 1), (4, 3)], 1, &LabelReason::Undec { by: vec![0, 2] });
    }
}
