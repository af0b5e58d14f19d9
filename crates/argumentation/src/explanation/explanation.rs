//! Short explanations of a grounded label, from the explained argument down to unattacked arguments or to a
//! cycle of undecided ones.
//!
//! | label | explanation |
//! |-------|-------------|
//! | IN | a strongly admissible set that contains the argument: each member, and a defeater of each of its attackers |
//! | OUT | an IN argument that attacks it, and the explanation of that one |
//! | UNDEC | the path to the nearest cycle of undecided arguments that no undecided argument outside attacks |
//!
//! An explanation can be checked by hand. Its numbers are min-max numbers (Caminada and Dunne 2019): 1 for an unattacked
//! argument; for any other IN argument, one more than the largest number among its attackers; for an OUT argument, one
//! more than its defeater's number. Numbers therefore decrease along the steps. Finding a smallest such set is NP-hard
//! (Caminada and Dunne 2020); these explanations are small, but not always smallest.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::ops::ControlFlow;

use crate::components::Tarjan;
use crate::explanation::reasons::GroundedDerivation;
use crate::labelling::Label;

/// Default maximum number of steps of an explanation.
pub const MAX_STEPS: usize = 24;

/// Maximum number of IN attackers tried when looking for the shortest explanation of an OUT argument. Those derived
/// first are tried.
const MAX_TRIED: usize = 8;

/// Explanation of an argument's label: the steps that justify it and no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The explained argument.
    pub argument: u32,
    /// Its grounded label.
    pub label: Label,
    /// Steps, beginning with that of the argument. Every argument that a step relies on is explained in a later step.
    pub steps: Vec<ExplanationStep>,
    /// Number of further steps omitted because of the limit: those furthest from the argument.
    pub omitted: usize,
}

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplanationStep {
    /// The argument is IN because each of its attackers is defeated.
    Accepted {
        /// The argument.
        argument: u32,
        /// Its min-max number within the explanation: odd, from 1.
        number: u32,
        /// Attackers, ascending, each with a defeater. Empty if nothing attacks the argument.
        defeats: Vec<DefeatedAttacker>,
    },
    /// The argument is OUT because an IN argument attacks it.
    Defeated {
        /// The argument.
        argument: u32,
        /// Its min-max number within the explanation: even, from 2.
        number: u32,
        /// The IN attacker.
        defeater: u32,
    },
    /// The argument is UNDEC because one of its attackers is.
    Undecided {
        /// The argument.
        argument: u32,
        /// The undecided attacker.
        attacker: u32,
    },
    /// A cycle of UNDEC arguments: each attacks the next, the last attacks the first, and any other attacker is OUT or
    /// belongs to the same component.
    Cycle {
        /// Arguments of the cycle, in the direction of the attacks. A single argument attacks itself.
        arguments: Vec<u32>,
    },
}

/// A defeated attacker and its defeater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefeatedAttacker {
    /// The attacker.
    pub attacker: u32,
    /// The IN argument that defeats it.
    pub defeater: u32,
}

/// Builds the explanation of an argument's label, with at most `most` steps ([`MAX_STEPS`] is a good default).
///
/// Nearly linear in the framework; for an OUT argument, times the number of IN attackers tried, at most eight.
///
/// # Panics
///
/// Panics if there is no such argument.
pub fn explain_label(grounds: &GroundedDerivation, argument: u32, most: usize) -> Explanation {
    let label = grounds.labelling().of(argument);
    let mut steps = match label {
        Label::In => standing(grounds, argument),
        Label::Out => falling(grounds, argument),
        Label::Undec => waiting(grounds, argument),
    };
    let omitted = steps.len().saturating_sub(most);
    steps.truncate(most);
    Explanation { argument, label, steps, omitted }
}

/// Returns the steps of a strongly admissible set that contains an IN argument, nearest to the argument first.
fn standing(grounds: &GroundedDerivation, argument: u32) -> Vec<ExplanationStep> {
    let numbered = number(grounds, &defenders(grounds, argument));
    let mut steps = Vec::new();
    let mut agenda = VecDeque::from([argument]);
    let mut seen = BTreeSet::from([argument]);
    while let Some(argument) = agenda.pop_front() {
        let attackers = grounds.framework().attackers(argument).iter();
        let answers: Vec<DefeatedAttacker> =
            attackers.map(|&attacker| DefeatedAttacker { attacker, defeater: numbered.defeaters[&attacker] }).collect();
        for answer in &answers {
            if seen.insert(answer.defeater) {
                agenda.push_back(answer.defeater);
            }
        }
        steps.push(ExplanationStep::Accepted { argument, number: numbered.members[&argument], defeats: answers });
    }
    steps
}

/// Selects IN arguments that defend one another and `argument`, which is included. Prefers a defender that is already
/// selected if it was derived early enough to exclude a circular defence; otherwise takes the one derived first.
fn defenders(grounds: &GroundedDerivation, argument: u32) -> Vec<u32> {
    // Lowest rank among the selected attackers of each attacked argument.
    let mut answered: BTreeMap<u32, u32> = BTreeMap::new();
    let mut taken = Vec::new();
    // The argument derived last is processed first, so that every selected argument that could defend it is present.
    let mut agenda = BinaryHeap::from([(grounds.rank(argument), argument)]);
    let mut last = None;
    while let Some((rank, argument)) = agenda.pop() {
        if last.replace(argument) == Some(argument) {
            continue;
        }
        taken.push(argument);
        for &attacker in grounds.framework().attackers(argument) {
            if answered.get(&attacker).is_some_and(|&by| by < rank) {
                continue;
            }
            let defeater = grounds.defeater(attacker);
            agenda.push((grounds.rank(defeater), defeater));
            for &target in grounds.framework().attacked(defeater) {
                let by = answered.entry(target).or_insert(u32::MAX);
                *by = grounds.rank(defeater).min(*by);
            }
        }
    }
    taken
}

/// Min-max numbers of a strongly admissible set.
struct Numbered {
    /// Number of each member.
    members: BTreeMap<u32, u32>,
    /// For each argument attacked by a member, the attacking member with the lowest number.
    defeaters: BTreeMap<u32, u32>,
}

fn number(grounds: &GroundedDerivation, set: &[u32]) -> Numbered {
    let framework = grounds.framework();
    let mut threats: BTreeMap<u32, usize> =
        set.iter().map(|&member| (member, framework.attackers(member).len())).collect();
    let mut numbered = Numbered { members: BTreeMap::new(), defeaters: BTreeMap::new() };
    let unattacked = threats.iter().filter(|(_, threats)| **threats == 0).map(|(&member, _)| (member, 1));
    let mut agenda: VecDeque<(u32, u32)> = unattacked.collect();
    while let Some((member, number)) = agenda.pop_front() {
        numbered.members.insert(member, number);
        for &fallen in framework.attacked(member) {
            if numbered.defeaters.contains_key(&fallen) {
                continue;
            }
            numbered.defeaters.insert(fallen, member);
            for &defended in framework.attacked(fallen) {
                if let Some(threats) = threats.get_mut(&defended) {
                    *threats -= 1;
                    if *threats == 0 {
                        agenda.push_back((defended, number + 2));
                    }
                }
            }
        }
    }
    numbered
}

/// Returns the step of an OUT argument, followed by the shortest explanation among its IN attackers.
fn falling(grounds: &GroundedDerivation, argument: u32) -> Vec<ExplanationStep> {
    let mut attackers: Vec<u32> = grounds.attackers_with(Label::In, argument).collect();
    attackers.sort_unstable_by_key(|&attacker| grounds.rank(attacker));
    attackers.truncate(MAX_TRIED);
    let stories = attackers.iter().map(|&attacker| standing(grounds, attacker));
    let mut story = stories.min_by_key(Vec::len).expect("an OUT argument has an IN attacker");
    if let Some(&ExplanationStep::Accepted { argument: to, number, .. }) = story.first() {
        story.insert(0, ExplanationStep::Defeated { argument, number: number + 1, defeater: to });
    }
    story
}

/// Returns the steps from an UNDEC argument along its undecided attackers to the nearest unresolved cycle.
fn waiting(grounds: &GroundedDerivation, argument: u32) -> Vec<ExplanationStep> {
    let loops = unresolved(grounds, argument);
    let in_loop = |argument: u32| loops.contains_key(&argument);
    let way = shortest_way(grounds, argument, |_| true, in_loop)
        .expect("an undecided argument depends on an unresolved cycle");
    let steps = way.windows(2).map(|pair| ExplanationStep::Undecided { argument: pair[0], attacker: pair[1] });
    let mut steps: Vec<ExplanationStep> = steps.collect();
    let entered = *way.last().expect("the path contains the argument itself");
    let own = loops[&entered];
    // The cycle is followed backwards, from the target to the attacker.
    let mut circle: Vec<u32> = vec![entered];
    if !grounds.framework().has_attack(entered, entered) {
        let closes = |last: u32| grounds.framework().has_attack(entered, last);
        let inside = |argument: u32| loops.get(&argument) == Some(&own);
        let around = shortest_way(grounds, entered, inside, closes).expect("the component is strongly connected");
        circle.extend(around[1..].iter().rev());
    }
    steps.push(ExplanationStep::Cycle { arguments: circle });
    steps
}

/// Returns the shortest path from `start` to the first `wanted` argument, along undecided attackers that `enters`
/// admits; of several shortest paths, the one with the smallest indices.
fn shortest_way(
    grounds: &GroundedDerivation,
    start: u32,
    enters: impl Fn(u32) -> bool,
    wanted: impl Fn(u32) -> bool,
) -> Option<Vec<u32>> {
    let mut came_from = BTreeMap::from([(start, start)]);
    let mut agenda = VecDeque::from([start]);
    while let Some(argument) = agenda.pop_front() {
        if wanted(argument) {
            let mut way = vec![argument];
            let mut last = argument;
            while last != start {
                last = came_from[&last];
                way.push(last);
            }
            way.reverse();
            return Some(way);
        }
        for attacker in grounds.attackers_with(Label::Undec, argument).filter(|&attacker| enters(attacker)) {
            if let Entry::Vacant(place) = came_from.entry(attacker) {
                place.insert(argument);
                agenda.push_back(attacker);
            }
        }
    }
    None
}

/// Returns the undecided arguments on which `argument` ultimately depends, each with the number of its strongly
/// connected component: the members of the components that no undecided argument outside attacks.
fn unresolved(grounds: &GroundedDerivation, argument: u32) -> BTreeMap<u32, usize> {
    let framework = grounds.framework();
    let mut loops = BTreeMap::new();
    let mut count = 0;
    let found = |component: &[u32]| {
        let members: BTreeSet<u32> = component.iter().copied().collect();
        let mut threats = component.iter().flat_map(|&member| grounds.attackers_with(Label::Undec, member));
        if threats.all(|attacker| members.contains(&attacker)) {
            loops.extend(members.into_iter().map(|member| (member, count)));
        }
        count += 1;
        ControlFlow::Continue(())
    };
    let undecided = |attacker: u32, _: u32| grounds.labelling().of(attacker) == Label::Undec;
    let mut tarjan = Tarjan::new(framework.len());
    let _ = tarjan.explore(argument, |argument| framework.attackers(argument), undecided, found);
    loops
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::framework::Framework;

    fn steps(arguments: usize, attacks: &[(u32, u32)], argument: u32) -> Vec<ExplanationStep> {
        let framework = Framework::new(arguments, attacks.iter().copied()).expect("in range");
        let found = explain_label(&GroundedDerivation::new(&framework), argument, usize::MAX);
        assert_eq!((found.argument, found.omitted), (argument, 0));
        found.steps
    }

    fn stands(argument: u32, number: u32, answers: &[(u32, u32)]) -> ExplanationStep {
        let answers = answers.iter().map(|&(attacker, by)| DefeatedAttacker { attacker, defeater: by }).collect();
        ExplanationStep::Accepted { argument, number, defeats: answers }
    }

    #[test]
    fn an_in_argument_is_defended_down_to_unattacked_arguments() {
        assert_eq!(steps(1, &[], 0), [stands(0, 1, &[])]);
        let chain = [(0, 1), (1, 2), (2, 3), (3, 4)];
        assert_eq!(steps(5, &chain, 4), [stands(4, 5, &[(3, 2)]), stands(2, 3, &[(1, 0)]), stands(0, 1, &[])]);
        // 4 is attacked by 1, 2 and 3; 0 defeats all of them, although 5 and 6 defeat one each.
        let shared = [(1, 4), (2, 4), (3, 4), (0, 1), (0, 2), (0, 3), (5, 1), (6, 2)];
        assert_eq!(steps(7, &shared, 4), [stands(4, 3, &[(1, 0), (2, 0), (3, 0)]), stands(0, 1, &[])]);
        // 0 attacks 1 back, but is IN only because of 2.
        assert_eq!(steps(3, &[(0, 1), (1, 0), (2, 1)], 0), [stands(0, 3, &[(1, 2)]), stands(2, 1, &[])]);
        // 7 needs 2 (through 0) and a defeater of 6: 2 serves for that too, although 5 was derived earlier.
        let reuse = [(0, 1), (1, 2), (2, 3), (3, 7), (6, 7), (2, 6), (5, 6)];
        let found = steps(8, &reuse, 7);
        assert_eq!(found, [stands(7, 5, &[(3, 2), (6, 2)]), stands(2, 3, &[(1, 0)]), stands(0, 1, &[])]);
    }

    #[test]
    fn an_out_argument_gets_the_shortest_explanation() {
        assert_eq!(
            steps(2, &[(0, 1)], 1),
            [ExplanationStep::Defeated { argument: 1, number: 2, defeater: 0 }, stands(0, 1, &[])]
        );
        // 2 needs two other arguments, 3 needs one.
        let attacks = [(2, 9), (3, 9), (4, 2), (5, 2), (6, 4), (7, 5), (4, 3), (8, 9), (8, 8)];
        assert_eq!(
            steps(10, &attacks, 9),
            [
                ExplanationStep::Defeated { argument: 9, number: 4, defeater: 3 },
                stands(3, 3, &[(4, 6)]),
                stands(6, 1, &[])
            ]
        );
    }

    #[test]
    fn an_undecided_argument_is_traced_to_a_cycle() {
        fn check(arguments: usize, attacks: &[(u32, u32)], argument: u32, way: &[(u32, u32)], circle: &[u32]) {
            let waits = way.iter().map(|&(argument, on)| ExplanationStep::Undecided { argument, attacker: on });
            let expected: Vec<ExplanationStep> =
                waits.chain([ExplanationStep::Cycle { arguments: circle.to_vec() }]).collect();
            assert_eq!(steps(arguments, attacks, argument), expected, "{attacks:?}");
        }
        check(1, &[(0, 0)], 0, &[], &[0]);
        check(2, &[(0, 1), (1, 0)], 1, &[], &[1, 0]);
        check(3, &[(0, 1), (1, 2), (2, 0)], 0, &[], &[0, 1, 2]);
        check(5, &[(0, 1), (1, 0), (1, 2), (2, 3), (4, 3)], 2, &[(2, 1)], &[1, 0]);
        // 3 and 4 attack each other, but depend on the cycle of 0, 1 and 2.
        let nested = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)];
        check(5, &nested, 4, &[(4, 3), (3, 2)], &[2, 0, 1]);
        // A defeated argument is not on the path: 1 is OUT.
        check(5, &[(0, 1), (1, 2), (2, 2), (3, 4), (4, 3), (4, 2)], 2, &[(2, 4)], &[4, 3]);
    }

    #[test]
    fn omitted_steps_are_counted() {
        let framework = Framework::new(9, (1..9).map(|a| (a - 1, a))).expect("in range");
        let grounds = GroundedDerivation::new(&framework);
        let whole = explain_label(&grounds, 8, usize::MAX);
        assert_eq!((whole.steps.len(), whole.label), (5, Label::In));
        for most in 0..7 {
            let part = explain_label(&grounds, 8, most);
            assert_eq!((&part.steps[..], part.omitted), (&whole.steps[..most.min(5)], 5_usize.saturating_sub(most)));
        }
    }
}
