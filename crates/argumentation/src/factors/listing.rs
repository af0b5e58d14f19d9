//! Enumeration of the extensions that factors represent.

use std::ops::ControlFlow;

use crate::factors::factors::Factors;
use crate::structures::bitset::Indices;

/// Returns up to `most` extensions, each ascending, and true if these are all.
///
/// Time linear in the output, times the arguments over the word width.
pub fn list(factors: &Factors, most: usize) -> (Vec<Vec<u32>>, bool) {
    let mut lister = Lister::new(factors);
    let mut sets = Vec::new();
    let mut more = lister.descend();
    while more && sets.len() < most {
        let mut set = Vec::with_capacity(lister.size());
        set.extend(lister.members());
        sets.push(set);
        more = lister.turn() && lister.descend();
    }
    sets.sort_unstable();
    (sets, !more)
}

/// Passes every extension to `listener`, ascending, in the order of the walk, until the listener stops. Returns true if
/// all were passed.
///
/// Same time as [`list`]; stores no extension.
pub fn visit(factors: &Factors, mut listener: impl FnMut(&[u32]) -> ControlFlow<()>) -> bool {
    let mut lister = Lister::new(factors);
    let mut set = Vec::new();
    let mut more = lister.descend();
    while more {
        set.clear();
        set.extend(lister.members());
        if listener(&set).is_break() {
            return false;
        }
        more = lister.turn() && lister.descend();
    }
    true
}

/// Walk through all ways to pick one choice from each part. The last pick varies fastest.
struct Lister<'a> {
    factors: &'a Factors,
    /// Arguments that are IN by the current picks, as bits.
    inside: Vec<u64>,
    picks: Vec<Pick>,
    /// Parts to pick from: linked lists that share their tails. Each entry is a part and the index of the next entry.
    agenda: Vec<(usize, Option<usize>)>,
    /// Head of the list.
    next: Option<usize>,
}

struct Pick {
    part: usize,
    choice: usize,
    /// Rest of the list after this part.
    rest: Option<usize>,
    /// Length of the agenda before the choice extended it.
    agenda: usize,
}

impl<'a> Lister<'a> {
    fn new(factors: &'a Factors) -> Self {
        let inside = vec![0; factors.arguments.div_ceil(64)];
        let mut lister = Self { factors, inside, picks: Vec::new(), agenda: Vec::new(), next: None };
        lister.flip(&factors.fixed);
        lister.plan(&factors.roots);
        lister
    }

    /// Picks the first choice of every pending part. Returns false if a part has no choices, for example because a
    /// limit was reached first.
    fn descend(&mut self) -> bool {
        while let Some((part, rest)) = self.next.map(|next| self.agenda[next]) {
            if self.factors.parts[part].choices.is_empty() {
                return false;
            }
            self.picks.push(Pick { part, choice: 0, rest, agenda: self.agenda.len() });
            self.apply(part, 0, rest);
        }
        true
    }

    /// Undoes picks back to the last one that has another choice, and takes that choice. Returns false if there is
    /// none.
    fn turn(&mut self) -> bool {
        while let Some(pick) = self.picks.last_mut() {
            let choices = &self.factors.parts[pick.part].choices;
            let taken = &choices[pick.choice];
            pick.choice += 1;
            self.agenda.truncate(pick.agenda);
            let (part, choice, rest) = (pick.part, pick.choice, pick.rest);
            self.flip(&taken.inside);
            if choice < choices.len() {
                self.apply(part, choice, rest);
                return true;
            }
            self.picks.pop();
        }
        false
    }

    fn apply(&mut self, part: usize, choice: usize, rest: Option<usize>) {
        let choice = &self.factors.parts[part].choices[choice];
        self.flip(&choice.inside);
        self.next = rest;
        self.plan(&choice.parts);
    }

    fn plan(&mut self, parts: &[usize]) {
        for &part in parts.iter().rev() {
            self.agenda.push((part, self.next));
            self.next = Some(self.agenda.len() - 1);
        }
    }

    /// Toggles arguments. An argument is IN by at most one pick, so the same call adds and removes it.
    fn flip(&mut self, arguments: &[u32]) {
        arguments.iter().for_each(|&argument| self.inside[argument as usize / 64] ^= 1 << (argument % 64));
    }

    fn size(&self) -> usize {
        self.inside.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn members(&self) -> impl Iterator<Item = u32> {
        Indices::of(&self.inside).map(|argument| argument as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::factors::factors::{Factor, FactorChoice};

    /// Choices of a part: the arguments inside, and the parts named.
    type Choices = &'static [(&'static [u32], &'static [usize])];

    #[test]
    fn extensions_are_listed() {
        fn check(parts: &[Choices], roots: &[usize], most: usize, sets: &[&[u32]], all: bool) {
            let choice =
                |(inside, parts): &(&[u32], &[usize])| FactorChoice { inside: inside.to_vec(), parts: parts.to_vec() };
            let part = |choices: &Choices| Factor { choices: choices.iter().map(choice).collect(), complete: true };
            let factors = Factors {
                arguments: 130,
                fixed: vec![3, 129],
                roots: roots.to_vec(),
                parts: parts.iter().map(part).collect(),
                unsettled: Vec::new(),
                assured: true,
                limit: None,
            };
            let sets: Vec<Vec<u32>> = sets.iter().map(|set| set.to_vec()).collect();
            assert_eq!(list(&factors, most), (sets, all));
        }
        check(&[], &[], 1, &[&[3, 129]], true);
        check(&[], &[], 0, &[], false);
        let pair: Choices = &[(&[1], &[]), (&[0], &[])];
        check(&[pair], &[0], 9, &[&[0, 3, 129], &[1, 3, 129]], true);
        check(&[pair], &[0], 2, &[&[0, 3, 129], &[1, 3, 129]], true);
        check(&[pair], &[0], 1, &[&[1, 3, 129]], false);
        // A part without choices leaves no extension.
        check(&[pair, &[]], &[0, 1], 9, &[], true);
        let shared: Choices = &[(&[64], &[]), (&[65], &[])];
        let naming: Choices = &[(&[1], &[0]), (&[2, 7], &[])];
        let other: Choices = &[(&[100], &[]), (&[], &[])];
        let sets: &[&[u32]] = &[
            &[1, 3, 64, 100, 129],
            &[1, 3, 64, 129],
            &[1, 3, 65, 100, 129],
            &[1, 3, 65, 129],
            &[2, 3, 7, 100, 129],
            &[2, 3, 7, 129],
        ];
        check(&[shared, naming, other], &[1, 2], 9, sets, true);
    }
}
