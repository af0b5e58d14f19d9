//! Theses and all their direct and indirect attackers, ordered so that attackers come first.

use std::ops::{ControlFlow, Range};

use crate::components::Tarjan;
use crate::framework::Framework;

/// Part of a framework that is closed under attackers. Its arguments are numbered by *place*: every attacker of a place
/// has a lower place or belongs to the same component.
#[derive(Clone, Debug)]
pub struct Ancestors {
    members: Vec<u32>,
    /// Attackers of all places, place by place.
    attackers: Vec<u32>,
    /// End of the attackers of each place.
    ends: Vec<u32>,
    components: Vec<AncestorComponent>,
}

/// Strongly connected component: a range of consecutive places.
#[derive(Clone, Copy, Debug)]
pub struct AncestorComponent {
    start: u32,
    end: u32,
    circular: bool,
}

impl AncestorComponent {
    /// Returns the places of the component.
    #[inline]
    pub fn places(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns true if an attack stays inside the component, so that one pass over its places may not suffice.
    #[inline]
    pub fn is_circular(&self) -> bool {
        self.circular
    }
}

impl Ancestors {
    /// Creates the cone of some theses. Linear in the framework's arguments and the cone's attacks.
    ///
    /// # Panics
    ///
    /// Panics if there is no such argument.
    pub fn of(framework: &Framework, theses: &[u32]) -> Self {
        const NONE: u32 = u32::MAX;
        let mut places = vec![NONE; framework.len()];
        let mut cone = Self {
            members: Vec::with_capacity(framework.len()),
            attackers: Vec::with_capacity(framework.attack_count()),
            ends: Vec::with_capacity(framework.len()),
            components: Vec::with_capacity(framework.len()),
        };
        let mut tarjan = Tarjan::new(framework.len());
        for &thesis in theses {
            let _ = tarjan.explore(
                thesis,
                |argument| framework.attackers(argument),
                |_, _| true,
                |component| {
                    // The walk followed attacks backwards, from targets to attackers.
                    let start = cone.len();
                    for &argument in component.iter().rev() {
                        places[argument as usize] = cone.len();
                        cone.members.push(argument);
                    }
                    let mut circular = component.len() > 1;
                    for &argument in component.iter().rev() {
                        let attackers = framework.attackers(argument);
                        cone.attackers.extend(attackers.iter().map(|&attacker| places[attacker as usize]));
                        circular |= attackers.contains(&argument);
                        cone.ends.push(narrow(cone.attackers.len()));
                    }
                    cone.components.push(AncestorComponent { start, end: cone.len(), circular });
                    ControlFlow::Continue(())
                },
            );
        }
        cone
    }

    /// Returns the number of places.
    pub fn len(&self) -> u32 {
        narrow(self.members.len())
    }

    /// Returns true if there are no places, that is, no theses.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the argument at each place. If there is one thesis, it comes last.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// Returns the attackers of a place, as places.
    ///
    /// # Panics
    ///
    /// Panics if there is no such place.
    #[inline]
    pub fn attackers(&self, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.attackers[start as usize..self.ends[place] as usize]
    }

    /// Returns the components, attackers before targets.
    pub fn components(&self) -> &[AncestorComponent] {
        &self.components
    }
}

fn narrow(len: usize) -> u32 {
    u32::try_from(len).expect("the counts of a framework fit in 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attackers_come_first() {
        /// Checks the components, as arguments, and which of them are circular.
        fn check(attacks: &[(u32, u32)], theses: &[u32], expected: &[(&[u32], bool)]) {
            let framework = Framework::new(7, attacks.iter().copied()).expect("in range");
            let cone = Ancestors::of(&framework, theses);
            let mut found = Vec::new();
            for component in cone.components() {
                let mut members = cone.members()[component.places()].to_vec();
                members.sort_unstable();
                found.push((members, component.is_circular()));
            }
            assert_eq!(
                found.iter().map(|component| (&component.0[..], component.1)).collect::<Vec<_>>(),
                expected,
                "{attacks:?}"
            );
            for (place, &member) in cone.members().iter().enumerate() {
                let attackers = cone.attackers(place).iter().map(|&attacker| cone.members()[attacker as usize]);
                assert!(attackers.eq(framework.attackers(member).iter().copied()));
            }
            assert_eq!((cone.len() as usize, cone.is_empty()), (cone.members().len(), theses.is_empty()));
        }
        check(&[], &[], &[]);
        check(&[(0, 1)], &[0], &[(&[0], false)]);
        check(&[(0, 1), (1, 2), (3, 2), (2, 4)], &[2], &[(&[0], false), (&[1], false), (&[3], false), (&[2], false)]);
        check(&[(0, 0), (0, 1)], &[1], &[(&[0], true), (&[1], false)]);
        check(&[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)], &[3], &[(&[0, 1], true), (&[2, 3], true)]);
        check(&[(0, 1), (2, 1), (2, 3)], &[1, 3, 1], &[(&[0], false), (&[2], false), (&[1], false), (&[3], false)]);
    }
}
