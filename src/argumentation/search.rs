//! The search where nothing is left to take apart: the maximal admissible sets of one strongly connected region.
//!
//! Every argument is IN, OUT, free (it may still become IN) or spent (it will not be IN). A step takes a free argument and
//! goes on twice: first with it IN, then without it. After each step follows what must follow:
//!
//! | when | then |
//! |------|------|
//! | every attacker of a free argument is OUT | it is IN, for a maximal set is complete |
//! | every attacker of a spent argument that might have been IN is OUT | this way leads nowhere |
//! | nothing free attacks an argument that is not OUT | what it attacks cannot be IN |
//! | it attacks something IN as well | this way leads nowhere |
//! | it attacks something IN, and one free argument alone attacks it | that one is IN |
//! | a spent argument defends itself, and one free argument alone is in conflict with it | that one is IN |
//! | a spent argument defends itself, and nothing is in conflict with it | this way leads to no maximal set |
//!
//! Going first where the argument is IN makes the order of the sets useful: a set can only be part of one found before it.
//! So each set is known to be maximal when it is found, and those found by the time the budget is spent are right.
//!
//! The labels and rules are those of Nofal, Atkinson and Dunne (2014) on bit sets; the rule for spent arguments that defend
//! themselves is the pivot of Bron and Kerbosch (1973). Cost: exponential in the size of the region at worst, a step costs
//! at most its size squared over the word width.

use crate::argumentation::bits::Bits;

/// The largest region that is searched, in arguments. A larger one is a limit reached, by the name of [`SIZE_LIMIT`].
pub const MAX_REGION: usize = 8_192;

/// The name of the limit [`MAX_REGION`].
pub const SIZE_LIMIT: &str = "component";

/// The name of the limit on steps.
pub const STEP_LIMIT: &str = "nodes";

/// A part of a framework, its arguments numbered from 0. Where there is nothing to choose between, the argument with the
/// lowest number is decided first: those in most conflicts had better come first.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// For each argument, whether it may be IN. An argument that attacks itself may not.
    pub open: Vec<bool>,
    /// Who attacks whom.
    pub attacks: Vec<(u32, u32)>,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Maximal admissible sets among the open arguments, each ascending, in the order of the search.
    pub sets: Vec<Vec<u32>>,
    /// The limit that ended the search before all were found.
    pub limit: Option<&'static str>,
}

/// The maximal sets of open arguments that attack none of their own and attack all that attacks them.
///
/// Takes what it used from `budget`: one for each step.
pub fn maximal_sets(region: &Region, budget: &mut u64) -> Found {
    match region.open.len() {
        0..=64 => Search::<1>::new(region).run(budget),
        65..=128 => Search::<2>::new(region).run(budget),
        129..=192 => Search::<3>::new(region).run(budget),
        193..=256 => Search::<4>::new(region).run(budget),
        257..=512 => Search::<8>::new(region).run(budget),
        513..=1_024 => Search::<16>::new(region).run(budget),
        1_025..=MAX_REGION => Search::<{ MAX_REGION / 64 }>::new(region).run(budget),
        _ => Found {
            sets: Vec::new(),
            limit: Some(SIZE_LIMIT),
        },
    }
}

struct Search<const W: usize> {
    open: Bits<W>,
    attackers: Vec<Bits<W>>,
    attacked: Vec<Bits<W>>,
    found: Vec<Bits<W>>,
}

#[derive(Clone, Copy)]
struct State<const W: usize> {
    inside: Bits<W>,
    /// What `inside` attacks.
    out: Bits<W>,
    /// What may still become IN.
    free: Bits<W>,
    /// What attacks `inside` and is not OUT yet.
    due: Bits<W>,
}

impl<const W: usize> Search<W> {
    fn new(region: &Region) -> Self {
        let size = region.open.len();
        let mut open = Bits::EMPTY;
        for (argument, _) in region.open.iter().enumerate().filter(|(_, open)| **open) {
            open.insert(argument);
        }
        let (mut attackers, mut attacked) = (vec![Bits::EMPTY; size], vec![Bits::EMPTY; size]);
        for &(attacker, target) in &region.attacks {
            attackers[target as usize].insert(attacker as usize);
            attacked[attacker as usize].insert(target as usize);
        }
        Self {
            open,
            attackers,
            attacked,
            found: Vec::new(),
        }
    }

    fn run(mut self, budget: &mut u64) -> Found {
        let mut start = State {
            inside: Bits::EMPTY,
            out: Bits::EMPTY,
            free: self.open,
            due: Bits::EMPTY,
        };
        let mut ways = Vec::new();
        if self.follow(&mut start, Bits::below(self.attackers.len())) {
            ways.push(start);
        }
        let mut limit = None;
        while let Some(mut state) = ways.pop() {
            if *budget == 0 {
                limit = Some(STEP_LIMIT);
                break;
            }
            *budget -= 1;
            let Some(among) = self.demand(&mut state) else {
                continue;
            };
            let Some(argument) = among.first() else {
                if self.is_maximal(&state) {
                    self.found.push(state.inside);
                }
                continue;
            };
            let mut with = state;
            let touched = self.enter(&mut with, argument);
            state.free.remove(argument);
            if self.follow(&mut state, self.attacked[argument]) {
                ways.push(state);
            }
            if self.follow(&mut with, touched) {
                ways.push(with);
            }
        }
        let number = |argument| u32::try_from(argument).expect("below MAX_REGION");
        let told = |set: &Bits<W>| {
            let mut told = Vec::with_capacity(set.len() as usize);
            told.extend(set.iter().map(number));
            told
        };
        Found {
            sets: self.found.iter().map(told).collect(),
            limit,
        }
    }

    /// The free arguments of which one at least must become IN, as few as are known; all that are free where there is no
    /// such demand. Enters those that are alone in this. `None` when a demand cannot be met.
    fn demand(&self, state: &mut State<W>) -> Option<Bits<W>> {
        'again: loop {
            let (mut fewest, mut size) = (state.free, u32::MAX);
            let mut narrow = |among: Bits<W>| {
                let len = among.len();
                if len < size {
                    (fewest, size) = (among, len);
                }
            };
            for attacker in state.due.iter() {
                narrow(self.attackers[attacker].and(&state.free));
            }
            let spent = self
                .open
                .minus(&state.inside)
                .minus(&state.out)
                .minus(&state.free)
                .minus(&state.due);
            for argument in spent.iter() {
                let (attackers, attacked) = (&self.attackers[argument], &self.attacked[argument]);
                if !attackers.minus(&state.out).within(attacked) {
                    continue;
                }
                // It defends itself, so it would join any set that nothing in conflict with it is in.
                let against = attackers.or(attacked).and(&state.free);
                if against.is_empty() {
                    return None;
                }
                if let Some(only) = against.only() {
                    let touched = self.enter(state, only);
                    if !self.follow(state, touched) {
                        return None;
                    }
                    continue 'again;
                }
                narrow(against);
            }
            return Some(fewest);
        }
    }

    /// Puts a free argument IN. Says which arguments this touches.
    fn enter(&self, state: &mut State<W>, argument: usize) -> Bits<W> {
        let fallen = self.attacked[argument].minus(&state.out);
        let threats = self.attackers[argument].minus(&state.out).minus(&fallen);
        let mut lost = fallen.or(&threats).and(&state.free);
        lost.remove(argument);
        state.inside.insert(argument);
        state.out = state.out.or(&fallen);
        state.free = state.free.minus(&lost);
        state.free.remove(argument);
        state.due = state.due.or(&threats).minus(&fallen);
        fallen
            .or(&lost)
            .iter()
            .fold(threats, |touched, other| touched.or(&self.attacked[other]))
    }

    /// Draws every consequence for the touched arguments. Whether this way may still lead to a set.
    fn follow(&self, state: &mut State<W>, mut touched: Bits<W>) -> bool {
        while let Some(argument) = touched.first() {
            touched.remove(argument);
            if state.out.has(argument) || state.inside.has(argument) {
                continue;
            }
            let threats = self.attackers[argument].minus(&state.out);
            if threats.is_empty() && self.open.has(argument) {
                if !state.free.has(argument) {
                    return false;
                }
                touched = touched.or(&self.enter(state, argument));
                continue;
            }
            let answers = threats.and(&state.free);
            let due = state.due.has(argument);
            if answers.is_empty() {
                if due {
                    return false;
                }
                let lost = self.attacked[argument].and(&state.free);
                state.free = state.free.minus(&lost);
                touched = lost
                    .iter()
                    .fold(touched, |touched, other| touched.or(&self.attacked[other]));
            } else if due && let Some(answer) = answers.only() {
                touched = touched.or(&self.enter(state, answer));
            }
        }
        true
    }

    /// Whether nothing can be added to a finished set. It is quick where all is IN or OUT, or where no rest defends itself;
    /// else the sets found before tell, for a larger one must be among them.
    fn is_maximal(&self, state: &State<W>) -> bool {
        let mut rest = self.open.minus(&state.inside).minus(&state.out);
        loop {
            let answered = |attacker: usize| self.attackers[attacker].meets(&rest);
            let defended = |argument: &usize| self.attackers[*argument].minus(&state.out).iter().all(answered);
            let mut left = Bits::EMPTY;
            rest.iter().filter(defended).for_each(|argument| left.insert(argument));
            if left == rest {
                break;
            }
            rest = left;
        }
        rest.is_empty() || !self.found.iter().any(|set| state.inside.within(set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(size: usize, shut: &[usize], attacks: &[(u32, u32)]) -> Region {
        Region {
            open: (0..size).map(|argument| !shut.contains(&argument)).collect(),
            attacks: attacks.to_vec(),
        }
    }

    fn ring(size: u32) -> Vec<(u32, u32)> {
        (0..size).map(|argument| (argument, (argument + 1) % size)).collect()
    }

    #[test]
    fn maximal_sets_are_found() {
        fn check(size: usize, shut: &[usize], attacks: &[(u32, u32)], expected: &[&[u32]]) {
            let mut found = maximal_sets(&region(size, shut, attacks), &mut 1_000);
            found.sets.sort();
            assert_eq!(
                (&found.sets[..], found.limit),
                (&expected.iter().map(|set| set.to_vec()).collect::<Vec<_>>()[..], None)
            );
        }
        let mutual = [(0, 1), (1, 0)];
        check(0, &[], &[], &[&[]]);
        check(2, &[], &mutual, &[&[0], &[1]]);
        check(2, &[0], &mutual, &[&[1]]);
        check(2, &[0, 1], &mutual, &[&[]]);
        check(3, &[], &ring(3), &[&[]]);
        check(4, &[], &ring(4), &[&[0, 2], &[1, 3]]);
        check(4, &[1], &ring(4), &[&[0, 2]]);
        check(4, &[0, 1], &ring(4), &[&[]]);
        // A ring of three from which a mutual attack leads out: 3 breaks it or stays out of it.
        check(4, &[], &[(0, 1), (1, 2), (2, 0), (0, 3), (3, 0)], &[&[1, 3]]);
        // Three that attack one another both ways.
        check(
            3,
            &[],
            &[(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)],
            &[&[0], &[1], &[2]],
        );
    }

    #[test]
    fn every_width_gives_the_same() {
        for size in [64, 66, 128, 130, 256, 258, 1_024, 1_026, 8_192] {
            let found = maximal_sets(&region(size as usize, &[], &ring(size)), &mut 1_000);
            let half = |first: u32| (first..size).step_by(2).collect::<Vec<_>>();
            assert_eq!(
                found,
                Found {
                    sets: vec![half(0), half(1)],
                    limit: None
                }
            );
        }
        let (odd, size) = (maximal_sets(&region(129, &[], &ring(129)), &mut 1_000), MAX_REGION + 1);
        assert_eq!(
            odd,
            Found {
                sets: vec![vec![]],
                limit: None
            }
        );
        let oversize = maximal_sets(&region(size, &[], &[]), &mut 1_000);
        assert_eq!(
            oversize,
            Found {
                sets: vec![],
                limit: Some(SIZE_LIMIT)
            }
        );
    }

    #[test]
    fn a_spent_budget_is_told() {
        let pairs: Vec<(u32, u32)> = (0..10)
            .flat_map(|a| (0..10).map(move |b| (a, b)))
            .filter(|(a, b)| a != b)
            .collect();
        let clique = region(10, &[], &pairs);
        let mut budget = 1_000;
        let whole = maximal_sets(&clique, &mut budget);
        assert_eq!((whole.sets.len(), whole.limit), (10, None));
        let needed = 1_000 - budget;
        for mut budget in 0..needed {
            let part = maximal_sets(&clique, &mut budget);
            assert_eq!((part.limit, budget), (Some(STEP_LIMIT), 0));
            assert_eq!(whole.sets[..part.sets.len()], part.sets[..]);
        }
        assert_eq!(maximal_sets(&clique, &mut { needed }), whole);
    }
}
