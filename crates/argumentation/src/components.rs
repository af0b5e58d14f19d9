//! Strongly and weakly connected components.

use std::ops::ControlFlow;

use crate::framework::Framework;
use crate::structures::csr::CsrLists;

/// Partition of the arguments into components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    of: Vec<u32>,
    members: CsrLists,
}

impl Components {
    /// Computes the strongly connected components in topological order: no attack leads from a component to an earlier
    /// one.
    ///
    /// Two arguments share a component if each reaches the other along attacks. Linear time (Tarjan 1972), without
    /// recursion.
    pub fn strong(framework: &Framework) -> Self {
        let mut of = vec![0; framework.len()];
        let mut count = 0;
        let mut tarjan = Tarjan::new(framework.len());
        for root in framework.arguments() {
            let _ = tarjan.explore(
                root,
                |argument| framework.attackers(argument),
                |_, _| true,
                |component| {
                    component.iter().for_each(|&argument| of[argument as usize] = count);
                    count += 1;
                    ControlFlow::Continue(())
                },
            );
        }
        Self::from_numbers(of, count)
    }

    /// Computes the weakly connected components, ordered by their smallest argument: no attack leads from one to
    /// another.
    ///
    /// Linear time.
    pub fn weak(framework: &Framework) -> Self {
        const NONE: u32 = u32::MAX;
        let mut of = vec![NONE; framework.len()];
        let mut count = 0;
        let mut agenda = Vec::new();
        for root in framework.arguments() {
            if of[root as usize] != NONE {
                continue;
            }
            of[root as usize] = count;
            agenda.push(root);
            while let Some(argument) = agenda.pop() {
                for &other in framework.attackers(argument).iter().chain(framework.attacked(argument)) {
                    if of[other as usize] == NONE {
                        of[other as usize] = count;
                        agenda.push(other);
                    }
                }
            }
            count += 1;
        }
        Self::from_numbers(of, count)
    }

    fn from_numbers(of: Vec<u32>, count: u32) -> Self {
        let members = CsrLists::group(count as usize, of.iter().copied().zip(0..));
        Self { of, members }
    }

    /// Returns the number of components.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns true if there is no component, that is, no argument.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the number of the component that contains `argument`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn of(&self, argument: u32) -> u32 {
        self.of[argument as usize]
    }

    /// Returns the arguments of a component, ascending.
    ///
    /// # Panics
    ///
    /// Panics if there is no such component.
    pub fn members(&self, component: u32) -> &[u32] {
        self.members.row(component)
    }
}

/// Tarjan's algorithm, following attacks backwards from targets to attackers. Its memory is reused from one walk to the
/// next.
#[derive(Debug)]
pub struct Tarjan {
    marks: Vec<Mark>,
    clock: u32,
    /// Visited arguments whose component is not complete yet.
    open: Vec<u32>,
    /// Current walk: each argument with the number of its attackers that were visited.
    path: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// Time of the first visit, from 1; 0 before it, [`Tarjan::CLOSED`] once the component is complete.
    seen: u32,
    /// Time of the first visit of the earliest argument known to be reachable.
    low: u32,
}

impl Tarjan {
    const CLOSED: u32 = u32::MAX;

    /// Creates a walk over `arguments` arguments, none of them visited.
    pub fn new(arguments: usize) -> Self {
        Self {
            marks: vec![Mark::default(); arguments],
            clock: 0,
            open: Vec::with_capacity(arguments),
            path: Vec::with_capacity(arguments),
        }
    }

    /// Forgets the visits of `arguments`, which must include every argument visited since the last call.
    pub fn forget(&mut self, arguments: impl IntoIterator<Item = u32>) {
        arguments.into_iter().for_each(|argument| self.marks[argument as usize].seen = 0);
        self.clock = 0;
        self.open.clear();
        self.path.clear();
    }

    /// Walks from `root` to all its direct and indirect attackers, and passes each component to `found` once it is
    /// complete: after the components that attack it. Ignores attacks for which `counts(attacker, attacked)` is false.
    ///
    /// Linear in the part of the framework not visited before. `found` may stop the walk; call [`Tarjan::forget`]
    /// before the next one then.
    pub fn explore<'f>(
        &mut self,
        root: u32,
        attackers: impl Fn(u32) -> &'f [u32],
        counts: impl Fn(u32, u32) -> bool,
        mut found: impl FnMut(&[u32]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.marks[root as usize].seen == 0 {
            self.enter(root);
        }
        while let Some((argument, looked)) = self.path.last_mut() {
            let argument = *argument;
            if let Some(&attacker) = attackers(argument).get(*looked as usize) {
                *looked += 1;
                if !counts(attacker, argument) {
                    continue;
                }
                match self.marks[attacker as usize].seen {
                    0 => self.enter(attacker),
                    Self::CLOSED => {}
                    time => self.reach(argument, time),
                }
                continue;
            }
            self.path.pop();
            let Mark { seen, low } = self.marks[argument as usize];
            if let Some(&(below, _)) = self.path.last() {
                self.reach(below, low);
            }
            if low == seen {
                let start = self.open.iter().rposition(|&other| other == argument).expect("the argument is open");
                for &member in &self.open[start..] {
                    self.marks[member as usize].seen = Self::CLOSED;
                }
                let flow = found(&self.open[start..]);
                self.open.truncate(start);
                flow?;
            }
        }
        ControlFlow::Continue(())
    }

    fn enter(&mut self, argument: u32) {
        self.clock += 1;
        self.marks[argument as usize] = Mark { seen: self.clock, low: self.clock };
        self.open.push(argument);
        self.path.push((argument, 0));
    }

    fn reach(&mut self, argument: u32, time: u32) {
        let low = &mut self.marks[argument as usize].low;
        *low = time.min(*low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(components: &Components) -> Vec<Vec<u32>> {
        let count = u32::try_from(components.len()).expect("small");
        assert_eq!(components.is_empty(), count == 0);
        let members: Vec<_> = (0..count).map(|number| components.members(number).to_vec()).collect();
        for (number, members) in (0..).zip(&members) {
            assert!(members.iter().all(|&argument| components.of(argument) == number));
        }
        members
    }

    #[test]
    fn components_are_found() {
        fn check(arguments: usize, attacks: &[(u32, u32)], strong: &[&[u32]], weak: &[&[u32]]) {
            let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
            assert_eq!(members(&Components::strong(&framework)), strong);
            assert_eq!(members(&Components::weak(&framework)), weak);
        }
        check(0, &[], &[], &[]);
        check(1, &[(0, 0)], &[&[0]], &[&[0]]);
        check(3, &[(2, 1), (1, 0)], &[&[2], &[1], &[0]], &[&[0, 1, 2]]);
        check(4, &[(0, 1), (1, 0), (2, 3)], &[&[0, 1], &[2], &[3]], &[&[0, 1], &[2, 3]]);
        check(
            6,
            &[(5, 4), (4, 5), (4, 3), (3, 2), (2, 1), (1, 3), (0, 2)],
            &[&[0], &[4, 5], &[1, 2, 3]],
            &[&[0, 1, 2, 3, 4, 5]],
        );
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let length = 200_000;
        let chain = Framework::new(length as usize, (1..length).map(|a| (a - 1, a))).expect("in range");
        let ring = Framework::new(length as usize, (0..length).map(|a| (a, (a + 1) % length))).expect("in range");
        assert_eq!((Components::strong(&chain).len(), Components::weak(&chain).len()), (200_000, 1));
        assert_eq!((Components::strong(&ring).len(), Components::weak(&ring).len()), (1, 1));
    }
}
