//! Reasons: why an argument stands, falls or is undecided in the grounded labelling.

use crate::argumentation::framework::Framework;
use crate::argumentation::labelling::{Grounding, Label, Labelling};

/// Why an argument has its label in the grounded labelling. Each reason is one a person can follow to its end: what
/// defeats or defends was derived before, so no reason leads back to what it explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It stands: all that attacks it is defeated.
    In {
        /// Each attacker, ascending, with the first IN argument that defeats it. Nothing if nothing attacks.
        defended: Vec<(u32, u32)>,
    },
    /// It falls.
    Out {
        /// The IN arguments that attack it, in the order in which they were derived. At least one.
        by: Vec<u32>,
    },
    /// It is undecided: nothing IN attacks it, and not all that attacks it is defeated.
    Undec {
        /// The undecided arguments that attack it, ascending. At least one; it may be the argument itself.
        by: Vec<u32>,
    },
}

/// The grounded labelling of a framework, with its reasons.
#[derive(Clone, Debug)]
pub struct Grounds<'f> {
    framework: &'f Framework,
    labelling: Labelling,
    /// When each IN argument was derived.
    ranks: Vec<u32>,
    /// The IN argument that first defeated each OUT argument.
    defeaters: Vec<u32>,
}

impl<'f> Grounds<'f> {
    /// Derives the grounded labelling and keeps the order of the derivation: a strongly admissible labelling in the
    /// sense of Caminada and Dunne (2019). Linear time.
    pub fn new(framework: &'f Framework) -> Self {
        let mut grounding = Grounding::new(framework);
        grounding.spread();
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

    /// The framework that was labelled.
    pub fn framework(&self) -> &'f Framework {
        self.framework
    }

    /// The grounded labelling.
    pub fn labelling(&self) -> &Labelling {
        &self.labelling
    }

    /// The place of an IN argument in the derivation: what it rests on has a lower one. Of no meaning for others.
    ///
    /// # Panics
    ///
    /// If there is no such argument.
    pub fn rank(&self, argument: u32) -> u32 {
        self.ranks[argument as usize]
    }

    /// The IN argument that first defeats an OUT one. Of no meaning for others.
    ///
    /// # Panics
    ///
    /// If there is no such argument.
    pub fn defeater(&self, argument: u32) -> u32 {
        self.defeaters[argument as usize]
    }

    /// Why `argument` has its label. Linear in its attackers, but for sorting those that defeat it.
    ///
    /// # Panics
    ///
    /// If there is no such argument.
    pub fn why(&self, argument: u32) -> Why {
        match self.labelling.of(argument) {
            Label::In => {
                let attackers = self.framework.attackers(argument).iter();
                Why::In { defended: attackers.map(|&attacker| (attacker, self.defeater(attacker))).collect() }
            }
            Label::Out => {
                let mut by: Vec<u32> = self.attackers_with(Label::In, argument).collect();
                by.sort_unstable_by_key(|&attacker| self.rank(attacker));
                Why::Out { by }
            }
            Label::Undec => Why::Undec { by: self.attackers_with(Label::Undec, argument).collect() },
        }
    }

    /// What attacks `argument` and has this label, ascending.
    ///
    /// # Panics
    ///
    /// If there is no such argument.
    pub fn attackers_with(&self, label: Label, argument: u32) -> impl Iterator<Item = u32> {
        let attackers = self.framework.attackers(argument).iter().copied();
        attackers.filter(move |&attacker| self.labelling.of(attacker) == label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_given() {
        fn check(attacks: &[(u32, u32)], argument: u32, expected: &Why) {
            let framework = Framework::new(6, attacks.iter().copied()).expect("in range");
            let grounds = Grounds::new(&framework);
            assert_eq!(&grounds.why(argument), expected, "{attacks:?}");
        }
        let defended = |pairs: &[(u32, u32)]| Why::In { defended: pairs.to_vec() };
        let chain = [(0, 1), (1, 2), (2, 3), (4, 3)];
        check(&chain, 0, &defended(&[]));
        check(&chain, 1, &Why::Out { by: vec![0] });
        check(&chain, 2, &defended(&[(1, 0)]));
        check(&chain, 3, &Why::Out { by: vec![4, 2] });
        // 0 attacks 1 back, but what defends it is 2.
        check(&[(0, 1), (1, 0), (2, 1)], 0, &defended(&[(1, 2)]));
        check(&[(0, 1), (1, 0), (2, 0), (3, 2), (4, 3), (4, 1)], 0, &Why::Out { by: vec![2] });
        check(&[(0, 1), (1, 0), (2, 0), (3, 2), (4, 3), (4, 2)], 0, &Why::Undec { by: vec![1] });
        check(&[(0, 1), (1, 0), (2, 2), (2, 1), (3, 1), (4, 3)], 1, &Why::Undec { by: vec![0, 2] });
    }
}
