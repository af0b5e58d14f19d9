//! Incremental grounded labels: only labels that depend on a change are recomputed.
//!
//! Every IN and every OUT argument has a rank. Its label depends on arguments of lower rank: that of an IN argument on
//! all its attackers, that of an OUT argument on its *witness*, an IN attacker. Derived in order, the ranks are the
//! min-max numbers of Caminada and Dunne (2019); later they may be higher, but dependencies are never circular.
//!
//! A label that loses its reason can be based on another reason of lower rank, because that one cannot depend on the
//! label. Without such a reason the label is retracted, together with the labels that depend on it; then all that is
//! possible is derived again from the remaining labels (the deletion and rederivation of materialized views: Gupta,
//! Mumick and Subrahmanian 1993).

use std::collections::VecDeque;

use crate::framework::Framework;
use crate::labelling::{GroundedPropagation, Label};

/// Arguments by number, with their attacks and labels. Callers must check that arguments exist.
#[derive(Clone, Debug, Default)]
pub struct DynamicGrounded {
    entries: Vec<Entry>,
    /// Arguments that the last change touched, with their previous labels. The first entry of an argument counts.
    touched: Vec<(u32, Label)>,
    /// Arguments whose labels must be retracted.
    falling: Vec<u32>,
    /// Arguments that lost their labels and may be derived again.
    lost: Vec<u32>,
    /// Arguments whose attackers are all OUT.
    rising: VecDeque<u32>,
}

/// State of one argument.
#[derive(Clone, Debug)]
struct Entry {
    is_there: bool,
    label: Label,
    /// IN attacker on which the label of an OUT argument depends.
    witness: u32,
    /// Number of attackers that are not OUT.
    threats: u32,
    /// Rank: 1 for an unattacked argument, meaningless for an UNDEC one.
    rank: u64,
    attackers: Vec<u32>,
    attacked: Vec<u32>,
}

impl Entry {
    /// Creates an argument without attacks from or on it.
    fn new() -> Self {
        let (attackers, attacked) = (Vec::new(), Vec::new());
        Self { is_there: true, label: Label::In, witness: 0, threats: 0, rank: 1, attackers, attacked }
    }
}

impl DynamicGrounded {
    /// Copies a framework. Linear time.
    pub fn of(framework: &Framework) -> Self {
        let mut grounding = GroundedPropagation::new(framework);
        grounding.propagate();
        let (labelling, derivation) = grounding.into_derivation();
        let entry = |argument: u32| {
            let attackers = framework.attackers(argument);
            let threats = attackers.iter().filter(|&&attacker| labelling.of(attacker) != Label::Out).count();
            Entry {
                label: labelling.of(argument),
                threats: u32::try_from(threats).expect("a framework counts in 32 bits"),
                attackers: attackers.to_vec(),
                attacked: framework.attacked(argument).to_vec(),
                rank: 0,
                ..Entry::new()
            }
        };
        let mut ranked = Self { entries: framework.arguments().map(entry).collect(), ..Self::default() };
        for argument in derivation {
            let rank = ranked.rank_above(argument);
            ranked.entry_mut(argument).rank = rank;
            for &target in framework.attacked(argument) {
                let target = ranked.entry_mut(target);
                if target.rank == 0 {
                    (target.witness, target.rank) = (argument, rank + 1);
                }
            }
        }
        ranked
    }

    /// Returns the number of the next argument.
    pub fn next(&self) -> u32 {
        u32::try_from(self.entries.len()).expect("a framework counts in 32 bits")
    }

    /// Adds an argument that nothing attacks, and returns its number.
    pub fn add(&mut self) -> u32 {
        self.touched.clear();
        let argument = self.next();
        self.entries.push(Entry::new());
        argument
    }

    /// Removes an argument and its attacks.
    pub fn withdraw(&mut self, argument: u32) {
        self.touched.clear();
        let (attackers, attacked) = {
            let entry = self.entry_mut(argument);
            entry.is_there = false;
            (std::mem::take(&mut entry.attackers), std::mem::take(&mut entry.attacked))
        };
        for attacker in attackers {
            drop_one(&mut self.entry_mut(attacker).attacked, argument);
        }
        for target in attacked.into_iter().filter(|&target| target != argument) {
            drop_one(&mut self.entry_mut(target).attackers, argument);
            self.relieve(argument, target);
        }
        self.rederive();
    }

    /// Adds an attack; returns false if it existed already.
    pub fn attack(&mut self, attacker: u32, target: u32) -> bool {
        self.touched.clear();
        if self.has_attack(attacker, target) {
            return false;
        }
        self.entry_mut(attacker).attacked.push(target);
        let label = self.entry(attacker).label;
        let entry = self.entry_mut(target);
        entry.attackers.push(attacker);
        entry.threats += u32::from(label != Label::Out);
        match entry.label {
            Label::Out => {}
            Label::Undec if label == Label::In => {
                self.defeat(target, attacker);
                self.rise();
            }
            Label::Undec => {}
            Label::In => {
                if !self.may_rest_on(target, attacker) {
                    self.falling.push(target);
                    self.rederive();
                }
            }
        }
        true
    }

    /// Removes an attack; returns false if there was none.
    pub fn retract(&mut self, attacker: u32, target: u32) -> bool {
        self.touched.clear();
        if !self.has_attack(attacker, target) {
            return false;
        }
        drop_one(&mut self.entry_mut(attacker).attacked, target);
        drop_one(&mut self.entry_mut(target).attackers, attacker);
        self.relieve(attacker, target);
        self.rederive();
        true
    }

    /// Returns the label of an argument; `None` if it does not exist.
    pub fn label(&self, argument: u32) -> Option<Label> {
        self.entries.get(argument as usize).filter(|entry| entry.is_there).map(|entry| entry.label)
    }

    /// Returns the arguments whose labels the last change changed, ascending, except those that were added or
    /// withdrawn.
    pub fn changed(&self) -> Vec<u32> {
        let mut first = self.touched.clone();
        // The sort is stable, so the first of several entries stays in front.
        first.sort_by_key(|&(argument, _)| argument);
        first.dedup_by_key(|&mut (argument, _)| argument);
        let differ =
            first.into_iter().filter(|&(argument, before)| self.label(argument).is_some_and(|now| now != before));
        differ.map(|(argument, _)| argument).collect()
    }

    /// Returns the targets of an argument, in any order.
    pub fn attacked(&self, argument: u32) -> &[u32] {
        &self.entry(argument).attacked
    }

    fn entry(&self, argument: u32) -> &Entry {
        &self.entries[argument as usize]
    }

    fn entry_mut(&mut self, argument: u32) -> &mut Entry {
        &mut self.entries[argument as usize]
    }

    /// Returns one more than the highest rank of the attackers.
    fn rank_above(&self, argument: u32) -> u64 {
        let attackers = self.entry(argument).attackers.iter();
        attackers.map(|&attacker| self.entry(attacker).rank).max().unwrap_or(0) + 1
    }

    /// Returns the IN attacker with the lowest rank, if that is below `rank`.
    fn witness_below(&self, argument: u32, rank: u64) -> Option<u32> {
        let attackers = self.entry(argument).attackers.iter().copied();
        let inside = attackers.filter(|&attacker| self.entry(attacker).label == Label::In);
        inside.min_by_key(|&attacker| self.entry(attacker).rank).filter(|&witness| self.entry(witness).rank < rank)
    }

    /// Gives an OUT argument that lost its witness another one, or schedules its label for retraction.
    fn replace_witness(&mut self, argument: u32) {
        match self.witness_below(argument, self.entry(argument).rank) {
            Some(witness) => self.entry_mut(argument).witness = witness,
            None => self.falling.push(argument),
        }
    }

    /// Retracts the scheduled labels and all that depend on them, then derives labels again.
    fn rederive(&mut self) {
        while let Some(argument) = self.falling.pop() {
            let label = std::mem::replace(&mut self.entry_mut(argument).label, Label::Undec);
            if label == Label::Undec {
                continue;
            }
            self.touched.push((argument, label));
            self.lost.push(argument);
            for at in 0..self.entry(argument).attacked.len() {
                let target = self.entry(argument).attacked[at];
                match (label, self.entry(target).label) {
                    (Label::In, Label::Out) if self.entry(target).witness == argument => self.replace_witness(target),
                    (Label::Out, target_label) => {
                        self.entry_mut(target).threats += 1;
                        if target_label == Label::In {
                            self.falling.push(target);
                        }
                    }
                    _ => {}
                }
            }
        }
        while let Some(argument) = self.lost.pop() {
            if self.entry(argument).label != Label::Undec {
                continue;
            }
            if self.entry(argument).threats == 0 {
                self.rising.push_back(argument);
            } else if let Some(witness) = self.witness_below(argument, u64::MAX) {
                self.defeat(argument, witness);
            }
            self.rise();
        }
        self.rise();
    }

    /// Makes arguments without threats IN, and propagates the consequences.
    fn rise(&mut self) {
        while let Some(argument) = self.rising.pop_front() {
            if self.entry(argument).label != Label::Undec {
                continue;
            }
            self.touched.push((argument, Label::Undec));
            let rank = self.rank_above(argument);
            let entry = self.entry_mut(argument);
            (entry.label, entry.rank) = (Label::In, rank);
            for at in 0..self.entry(argument).attacked.len() {
                let target = self.entry(argument).attacked[at];
                if self.entry(target).label == Label::Undec {
                    self.defeat(target, argument);
                }
            }
        }
    }

    /// Makes an undecided argument OUT because of a witness.
    fn defeat(&mut self, argument: u32, witness: u32) {
        self.touched.push((argument, Label::Undec));
        let rank = self.entry(witness).rank + 1;
        let entry = self.entry_mut(argument);
        (entry.label, entry.witness, entry.rank) = (Label::Out, witness, rank);
        for at in 0..self.entry(argument).attacked.len() {
            let target = self.entry(argument).attacked[at];
            let entry = self.entry_mut(target);
            entry.threats -= 1;
            if entry.threats == 0 && entry.label == Label::Undec {
                self.rising.push_back(target);
            }
        }
    }

    /// Updates the former target of a removed attack.
    fn relieve(&mut self, attacker: u32, target: u32) {
        let label = self.entry(attacker).label;
        if label == Label::Out {
            return;
        }
        let entry = self.entry_mut(target);
        entry.threats -= 1;
        match entry.label {
            Label::Undec if entry.threats == 0 => self.rising.push_back(target),
            Label::Out if entry.witness == attacker => self.replace_witness(target),
            _ => {}
        }
    }

    /// Returns true if the label of an IN argument may depend on an attacker that is OUT: if the attacker has, or can
    /// be given, a lower rank.
    fn may_rest_on(&mut self, argument: u32, attacker: u32) -> bool {
        let rank = self.entry(argument).rank;
        if self.entry(attacker).label != Label::Out {
            return false;
        }
        if self.entry(attacker).rank >= rank {
            let Some(witness) = self.witness_below(attacker, rank - 1) else { return false };
            let lower = self.entry(witness).rank + 1;
            let entry = self.entry_mut(attacker);
            (entry.witness, entry.rank) = (witness, lower);
        }
        true
    }

    /// Returns true if the attack exists. Linear in the targets of the attacker or the attackers of the target,
    /// whichever are fewer.
    fn has_attack(&self, attacker: u32, target: u32) -> bool {
        let (attacked, attackers) = (&self.entry(attacker).attacked, &self.entry(target).attackers);
        if attacked.len() <= attackers.len() { attacked.contains(&target) } else { attackers.contains(&attacker) }
    }
}

/// Removes an argument from a list, if it is there.
fn drop_one(list: &mut Vec<u32>, argument: u32) {
    if let Some(place) = list.iter().position(|&other| other == argument) {
        list.swap_remove(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that every label has a reason of lower rank, and that the counts are correct.
    fn is_grounded_in_order(ranked: &DynamicGrounded) -> bool {
        let there = ranked.entries.iter().filter(|entry| entry.is_there);
        let holds = |entry: &Entry| {
            let attackers = || entry.attackers.iter().map(|&attacker| ranked.entry(attacker));
            let threats = attackers().filter(|attacker| attacker.label != Label::Out).count();
            entry.threats as usize == threats
                && match entry.label {
                    Label::In => attackers().all(|attacker| attacker.label == Label::Out && attacker.rank < entry.rank),
                    Label::Out => {
                        let witness = ranked.entry(entry.witness);
                        let attacks = entry.attackers.contains(&entry.witness);
                        attacks && witness.label == Label::In && witness.rank < entry.rank
                    }
                    Label::Undec => threats > 0 && attackers().all(|attacker| attacker.label != Label::In),
                }
        };
        there.into_iter().all(holds)
    }

    #[test]
    fn labels_depend_on_lower_ranks() {
        for size in [3, 5, 9, 20] {
            let mut ranked = DynamicGrounded::default();
            (0..size).for_each(|_| {
                ranked.add();
            });
            let mut state: u32 = size;
            let mut below = |bound: u32| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) % bound
            };
            for _ in 0..600 {
                let (a, b) = (below(size), below(size));
                if below(10) < 6 {
                    ranked.attack(a, b)
                } else {
                    ranked.retract(a, b)
                };
                assert!(is_grounded_in_order(&ranked), "{ranked:?}");
                if below(20) == 0 {
                    let edges = (0..size).flat_map(|a| ranked.attacked(a).iter().map(move |&b| (a, b)));
                    let taken_over = DynamicGrounded::of(&Framework::new(size as usize, edges).expect("in range"));
                    assert!(is_grounded_in_order(&taken_over));
                    assert!((0..size).all(|argument| taken_over.label(argument) == ranked.label(argument)));
                }
            }
            (0..size - 1).for_each(|argument| ranked.withdraw(argument));
            assert!(is_grounded_in_order(&ranked) && ranked.label(0).is_none() && ranked.label(size - 1).is_some());
        }
    }

    #[test]
    fn changed_labels_are_reported() {
        let mut ranked = DynamicGrounded::default();
        (0..4).for_each(|_| {
            ranked.add();
        });
        let mut told = |a, b, there: bool| {
            let done = if there { ranked.attack(a, b) } else { ranked.retract(a, b) };
            (done, ranked.changed())
        };
        assert_eq!(told(0, 1, true), (true, vec![1]));
        assert_eq!(told(0, 1, true), (false, vec![]));
        assert_eq!(told(1, 2, true), (true, vec![]));
        assert_eq!(told(3, 0, true), (true, vec![0, 1, 2]));
        assert_eq!(told(3, 1, true), (true, vec![1, 2]));
        assert_eq!(told(3, 0, false), (true, vec![0]));
        assert_eq!(told(3, 0, false), (false, vec![]));
    }
}
