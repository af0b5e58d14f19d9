//! Search for the sets of one region that cannot be split further, on bit sets.
//!
//! Every argument is IN, OUT, free (may still become IN) or spent (will not be IN). A step branches on a free argument:
//! first with it IN, then without it. After each step the following rules are applied:
//!
//! | condition | consequence |
//! |-----------|-------------|
//! | every attacker of a free argument is OUT or must be | it is IN, because a maximal set is complete |
//! | every attacker of a spent argument is OUT or must be | dead end |
//! | no free argument attacks an argument that is not OUT | its targets cannot be IN |
//! | no free argument attacks an argument that must be OUT because it attacks an IN argument | dead end |
//! | exactly one free argument attacks an argument that must be OUT | that free argument is IN |
//! | a spent argument defends itself, and exactly one free argument conflicts with it | that free argument is IN |
//! | a spent argument defends itself, and no free argument conflicts with it | no maximal set in this branch |
//!
//! The result of a branch is a complete set, and a second search looks for a larger one. For complete sets, the second
//! search is omitted, and spent arguments may defend themselves. For stable sets, every argument that is not IN must be
//! OUT.
//!
//! The labels and rules are those of Nofal, Atkinson and Dunne (2014) on bit sets; the rules for spent arguments that
//! defend themselves are the pivot of Bron and Kerbosch (1973). Exponential in the size of the region in the worst
//! case; a step costs at most the region's attacks times its size over the word width.

use crate::cancellation::is_cancelled;
use crate::search::region::{Aim, ArgumentRole, Region};
use crate::structures::bitset::BitSet;

/// Maximum size of a region to search, in arguments.
pub const MAX_REGION: usize = 1_024;

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSets {
    /// Sets found, each ascending, in the order of the search.
    pub sets: Vec<Vec<u32>>,
    /// True if these are all sets.
    pub complete: bool,
}

/// Finds the conflict-free sets of free arguments that attack all their attackers and all due arguments and that,
/// depending on the aim, cannot be extended by an open argument (preferred), contain every free argument they defend
/// and defend no spent one (complete), or attack every argument outside (stable).
///
/// Each step spends one unit of `budget` per 64 arguments of the region, and the search stops when the budget is spent.
/// The sets found by then are correct.
///
/// # Panics
///
/// Panics if the region has more than [`MAX_REGION`] arguments.
pub fn find_sets(region: &Region, aim: Aim, budget: &mut u64) -> FoundSets {
    match region.roles.len() {
        0..=64 => Search::<1>::new(region, aim).run(region, budget),
        65..=128 => Search::<2>::new(region, aim).run(region, budget),
        129..=192 => Search::<3>::new(region, aim).run(region, budget),
        193..=256 => Search::<4>::new(region, aim).run(region, budget),
        257..=512 => Search::<8>::new(region, aim).run(region, budget),
        size => {
            assert!(size <= MAX_REGION, "the region has {size} arguments; the maximum is {MAX_REGION}");
            Search::<{ MAX_REGION / 64 }>::new(region, aim).run(region, budget)
        }
    }
}

struct Search<const W: usize> {
    aim: Aim,
    open: BitSet<W>,
    attackers: Vec<BitSet<W>>,
    attacked: Vec<BitSet<W>>,
}

#[derive(Clone, Copy)]
struct State<const W: usize> {
    inside: BitSet<W>,
    /// Targets of `inside`.
    out: BitSet<W>,
    /// Arguments that may still become IN.
    free: BitSet<W>,
    /// Arguments that must be OUT and are not yet.
    due: BitSet<W>,
}

impl<const W: usize> Search<W> {
    fn new(region: &Region, aim: Aim) -> Self {
        let size = region.roles.len();
        let (mut attackers, mut attacked) = (vec![BitSet::EMPTY; size], vec![BitSet::EMPTY; size]);
        for &(attacker, target) in &region.attacks {
            attackers[target as usize].insert(attacker as usize);
            attacked[attacker as usize].insert(target as usize);
        }
        let open = BitSet::positions_of(&region.roles, |role| role.is_open());
        Self { aim, open, attackers, attacked }
    }

    fn run(&self, region: &Region, budget: &mut u64) -> FoundSets {
        let mut start = State {
            inside: BitSet::EMPTY,
            out: BitSet::EMPTY,
            free: BitSet::positions_of(&region.roles, |role| *role == ArgumentRole::Free),
            due: BitSet::positions_of(&region.roles, |role| *role == ArgumentRole::Due),
        };
        let (mut ways, mut sets) = (Vec::new(), Vec::new());
        if self.follow(&mut start, BitSet::below(region.roles.len())) {
            ways.push(start);
        }
        while let Some(mut state) = ways.pop() {
            if !Self::spend(budget) {
                return FoundSets { sets, complete: false };
            }
            let Some(among) = self.demand(&mut state) else {
                continue;
            };
            if let Some(argument) = among.first() {
                self.decide(state, argument, &mut ways);
                continue;
            }
            let grows = if self.aim == Aim::Preferred { self.grows(&state, budget) } else { Some(false) };
            match grows {
                Some(true) => {}
                Some(false) => sets.push(to_indices(&state.inside)),
                None => return FoundSets { sets, complete: false },
            }
        }
        FoundSets { sets, complete: true }
    }

    /// Spends the budget of a step; returns false if not enough is left or the work was cancelled.
    fn spend(budget: &mut u64) -> bool {
        let left = budget.checked_sub(W as u64).filter(|_| !is_cancelled());
        *budget = left.unwrap_or(0);
        left.is_some()
    }

    /// Branches on a free argument. The branch in which it is IN is processed first.
    fn decide(&self, mut state: State<W>, argument: usize, ways: &mut Vec<State<W>>) {
        let mut with = state;
        let touched = self.enter(&mut with, argument);
        state.free.remove(argument);
        let mut shaken = self.attacked[argument];
        if self.aim != Aim::Preferred {
            shaken.insert(argument);
        }
        if self.aim == Aim::Stable {
            state.due.insert(argument);
        }
        if self.follow(&mut state, shaken) {
            ways.push(state);
        }
        if self.follow(&mut with, touched) {
            ways.push(with);
        }
    }

    /// Returns the smallest known set of free arguments of which at least one must become IN; all free arguments if
    /// there is no such demand. Makes an argument IN that is the only one in such a set. `None` if a demand cannot be
    /// met.
    fn demand(&self, state: &mut State<W>) -> Option<BitSet<W>> {
        'again: loop {
            let (mut fewest, mut size) = self.fewest_answers(state);
            if self.aim != Aim::Preferred {
                return Some(fewest);
            }
            let spent = self.open.minus(&state.inside).minus(&state.out).minus(&state.free).minus(&state.due);
            for argument in spent.iter() {
                let (attackers, attacked) = (&self.attackers[argument], &self.attacked[argument]);
                if !attackers.minus(&state.out).minus(&state.due).is_subset(attacked) {
                    continue;
                }
                // It defends itself, so it would join any set without an argument in conflict with it.
                let against = attackers.or(attacked).and(&state.free);
                match against.len() {
                    0 => return None,
                    1 => {
                        let touched = against.first().map_or(BitSet::EMPTY, |only| self.enter(state, only));
                        if !self.follow(state, touched) {
                            return None;
                        }
                        continue 'again;
                    }
                    len if len < size => (fewest, size) = (against, len),
                    _ => {}
                }
            }
            return Some(fewest);
        }
    }

    /// Returns the free attackers of the due argument that has the fewest of them, and their number; all free arguments
    /// if none is due.
    fn fewest_answers(&self, state: &State<W>) -> (BitSet<W>, u32) {
        let mut fewest = (state.free, u32::MAX);
        for attacker in state.due.iter() {
            let answers = self.attackers[attacker].and(&state.free);
            let len = answers.len();
            if len < fewest.1 {
                fewest = (answers, len);
            }
        }
        fewest
    }

    /// Makes a free argument IN. Returns the arguments that this affects.
    fn enter(&self, state: &mut State<W>, argument: usize) -> BitSet<W> {
        let fallen = self.attacked[argument].minus(&state.out);
        let threats = self.attackers[argument].minus(&state.out).minus(&fallen);
        let mut lost = fallen.or(&threats).and(&state.free);
        lost.remove(argument);
        state.inside.insert(argument);
        state.out = state.out.or(&fallen);
        state.free = state.free.minus(&lost);
        state.free.remove(argument);
        let touched = fallen.or(&lost).or(&threats.minus(&state.due));
        state.due = state.due.or(&threats).minus(&fallen);
        touched.iter().fold(threats, |all, other| all.or(&self.attacked[other]))
    }

    /// Propagates all consequences for the touched arguments. Returns false if the branch is a dead end.
    fn follow(&self, state: &mut State<W>, mut touched: BitSet<W>) -> bool {
        while let Some(argument) = touched.first() {
            touched.remove(argument);
            if state.out.contains(argument) || state.inside.contains(argument) {
                continue;
            }
            let threats = self.attackers[argument].minus(&state.out).minus(&state.due);
            if threats.is_empty() && self.open.contains(argument) {
                if !state.free.contains(argument) {
                    return false;
                }
                touched = touched.or(&self.enter(state, argument));
                continue;
            }
            if self.aim == Aim::Complete {
                touched = touched.or(&self.keep_undefended(state, argument, &threats));
            }
            let answers = threats.and(&state.free);
            let due = state.due.contains(argument);
            if answers.is_empty() {
                if due {
                    return false;
                }
                let lost = self.attacked[argument].and(&state.free);
                state.free = state.free.minus(&lost);
                touched = lost.iter().fold(touched, |all, other| all.or(&self.attacked[other]));
            } else if due && let Some(answer) = answers.only() {
                touched = touched.or(&self.enter(state, answer));
            }
        }
        true
    }

    /// Keeps a spent argument undefended: if exactly one of its threats is left, no attacker of that threat can be IN.
    /// Returns the arguments that this affects.
    fn keep_undefended(&self, state: &mut State<W>, argument: usize, threats: &BitSet<W>) -> BitSet<W> {
        let is_spent = self.open.contains(argument) && !state.free.contains(argument) && !state.due.contains(argument);
        let Some(threat) = threats.only().filter(|_| is_spent) else {
            return BitSet::EMPTY;
        };
        let lost = self.attackers[threat].and(&state.free);
        state.free = state.free.minus(&lost);
        lost.iter().fold(lost, |all, other| all.or(&self.attacked[other]))
    }

    /// Returns true if a finished set has a proper superset; `None` if the budget does not suffice to decide.
    fn grows(&self, state: &State<W>, budget: &mut u64) -> Option<bool> {
        let free = self.defended(self.open.minus(&state.inside).minus(&state.out), &state.out);
        if free.is_empty() {
            return Some(false);
        }
        let mut ways = vec![State { free, ..*state }];
        while let Some(way) = ways.pop() {
            if way.due.is_empty() && way.inside != state.inside {
                return Some(true);
            }
            let (among, _) = self.fewest_answers(&way);
            if let Some(argument) = among.first() {
                if !Self::spend(budget) {
                    return None;
                }
                self.decide(way, argument, &mut ways);
            }
        }
        Some(false)
    }

    /// Returns the largest subset of `rest` in which each attacker of a member is OUT or attacked by a member.
    fn defended(&self, mut rest: BitSet<W>, out: &BitSet<W>) -> BitSet<W> {
        loop {
            let mut left = BitSet::EMPTY;
            for argument in rest.iter() {
                let threats = self.attackers[argument].minus(out);
                if threats.iter().all(|attacker| self.attackers[attacker].intersects(&rest)) {
                    left.insert(argument);
                }
            }
            if left == rest {
                return rest;
            }
            rest = left;
        }
    }
}

fn to_indices<const W: usize>(set: &BitSet<W>) -> Vec<u32> {
    let mut told = Vec::with_capacity(set.len() as usize);
    told.extend(set.iter().map(|argument| u32::try_from(argument).expect("below MAX_REGION")));
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a region of free arguments, except those with another role.
    fn region(size: usize, roles: &[(usize, ArgumentRole)], attacks: &[(u32, u32)]) -> Region {
        let mut region = Region { roles: vec![ArgumentRole::Free; size], attacks: attacks.to_vec() };
        roles.iter().for_each(|&(argument, role)| region.roles[argument] = role);
        region
    }

    fn ring(size: u32) -> Vec<(u32, u32)> {
        (0..size).map(|argument| (argument, (argument + 1) % size)).collect()
    }

    #[test]
    fn maximal_sets_are_found() {
        fn check(size: usize, roles: &[(usize, ArgumentRole)], attacks: &[(u32, u32)], expected: &[&[u32]]) {
            let mut found = find_sets(&region(size, roles, attacks), Aim::Preferred, &mut 1_000);
            found.sets.sort();
            assert_eq!(found.sets, expected, "{roles:?} {attacks:?}");
            assert!(found.complete);
        }
        use ArgumentRole::{Due, Shut, Spent};
        let mutual = [(0, 1), (1, 0)];
        check(0, &[], &[], &[&[]]);
        check(2, &[], &mutual, &[&[0], &[1]]);
        check(2, &[(0, Shut)], &mutual, &[&[1]]);
        check(2, &[(0, Shut), (1, Shut)], &mutual, &[&[]]);
        check(2, &[(0, Spent)], &mutual, &[&[1]]);
        check(2, &[(0, Due)], &mutual, &[&[1]]);
        check(2, &[(0, Spent), (1, Spent)], &mutual, &[]);
        check(2, &[(0, Spent), (1, Shut)], &mutual, &[]);
        check(2, &[(0, Due), (1, Shut)], &mutual, &[]);
        check(3, &[], &ring(3), &[&[]]);
        check(3, &[(0, Spent), (1, Spent), (2, Spent)], &ring(3), &[&[]]);
        check(4, &[], &ring(4), &[&[0, 2], &[1, 3]]);
        check(4, &[(1, Shut)], &ring(4), &[&[0, 2]]);
        check(4, &[(0, Shut), (1, Shut)], &ring(4), &[&[]]);
        check(4, &[(0, Spent)], &ring(4), &[&[1, 3]]);
        check(4, &[(0, Due)], &ring(4), &[&[1, 3]]);
        check(4, &[(0, Spent), (1, Spent)], &ring(4), &[]);
        // A cycle of three, and a mutual attack between 0 and 3: 3 breaks the cycle or is not in the set.
        check(4, &[], &[(0, 1), (1, 2), (2, 0), (0, 3), (3, 0)], &[&[1, 3]]);
        // Three arguments in mutual conflict.
        check(3, &[], &[(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)], &[&[0], &[1], &[2]]);
    }

    #[test]
    fn every_word_width_gives_the_same_sets() {
        for size in [64, 66, 128, 130, 192, 194, 256, 258, 512, 514, 1_024] {
            let found = find_sets(&region(size as usize, &[], &ring(size)), Aim::Preferred, &mut 1_000);
            let half = |first: u32| (first..size).step_by(2).collect::<Vec<_>>();
            assert_eq!(found, FoundSets { sets: vec![half(0), half(1)], complete: true });
        }
        let odd = find_sets(&region(129, &[], &ring(129)), Aim::Preferred, &mut 1_000);
        assert_eq!(odd, FoundSets { sets: vec![vec![]], complete: true });
    }

    #[test]
    fn a_spent_budget_is_reported() {
        let pairs: Vec<(u32, u32)> =
            (0..10).flat_map(|a| (0..10).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
        let clique = region(10, &[], &pairs);
        let mut budget = 1_000;
        let whole = find_sets(&clique, Aim::Preferred, &mut budget);
        assert_eq!((whole.sets.len(), whole.complete), (10, true));
        let needed = 1_000 - budget;
        for mut budget in 0..needed {
            let part = find_sets(&clique, Aim::Preferred, &mut budget);
            assert_eq!((part.complete, budget), (false, 0));
            assert_eq!(whole.sets[..part.sets.len()], part.sets[..]);
        }
        assert_eq!(find_sets(&clique, Aim::Preferred, &mut { needed }), whole);
    }
}
