//! Strengths that fit together: each argument's follows from those of the arguments that attack and support it.
//!
//! Where nothing comes back to itself, one pass in order gives them. In a circle they are approached: quadratic energy as
//! the model it is, ds/dt = f(s) − s, by the Runge-Kutta method of fourth order, at rest in every case known (Potyka
//! 2018); the others by putting the strengths into the formulas again and again, which the h-categoriser always survives
//! (Pu, Luo, Zhang and Luo 2014), and DF-QuAD not always. What does not come to rest within a limit is told.

use crate::argumentation::components::Components;
use crate::argumentation::gradual::influence::Gradual;
use crate::argumentation::gradual::qbaf::Qbaf;

/// How often strengths are put into the formulas again, in one circular component.
pub const MAX_ITERATIONS: usize = 10_000;

/// How many steps of time are taken, in one circular component.
pub const MAX_STEPS: usize = 20_000;

/// Strengths are at rest when no formula would move one by more.
const REST: f64 = 1e-11;

/// The longest step of time.
const STEP: f64 = 0.25;

/// How strong each argument is.
#[derive(Clone, Debug, PartialEq)]
pub struct Strengths {
    /// By argument, from 0 to 1.
    pub of: Vec<f64>,
    /// Whether all came to rest. If not, those of some circle, and what depends on them, are where the limit left them.
    pub converged: bool,
    /// The limit that was reached: `iterations` or `steps`.
    pub limit: Option<&'static str>,
}

/// The strengths of all arguments. Linear, but for circles, which take as many rounds as they need up to
/// [`MAX_ITERATIONS`] or, four formulas each, [`MAX_STEPS`].
pub fn strengths(qbaf: &Qbaf, gradual: Gradual) -> Strengths {
    let connections = qbaf.connections();
    let mut found = Strengths { of: qbaf.scores().to_vec(), converged: true, limit: None };
    let components = Components::strong(&connections);
    for component in (0..).take(components.len()) {
        let members = components.members(component);
        if let &[alone] = members
            && !connections.has_attack(alone, alone)
        {
            found.of[alone as usize] = due(qbaf, gradual, alone, &found.of);
            continue;
        }
        let (at_rest, limit) = match gradual {
            Gradual::QuadraticEnergy => (flow(qbaf, gradual, members, &mut found.of), "steps"),
            _ => (iterate(qbaf, gradual, members, &mut found.of), "iterations"),
        };
        if !at_rest {
            (found.converged, found.limit) = (false, found.limit.or(Some(limit)));
        }
    }
    found
}

/// What the strength of an argument should be, given those of all.
fn due(qbaf: &Qbaf, gradual: Gradual, argument: u32, strengths: &[f64]) -> f64 {
    gradual.strength(qbaf.scores()[argument as usize], qbaf.relations(argument), strengths)
}

/// Puts strengths into the formulas until they stay. Says whether they do.
fn iterate(qbaf: &Qbaf, gradual: Gradual, members: &[u32], strengths: &mut [f64]) -> bool {
    let mut next = Vec::with_capacity(members.len());
    for _ in 0..MAX_ITERATIONS {
        next.clear();
        next.extend(members.iter().map(|&member| due(qbaf, gradual, member, strengths)));
        let mut moved: f64 = 0.0;
        for (&member, &new) in members.iter().zip(&next) {
            moved = moved.max((new - strengths[member as usize]).abs());
            strengths[member as usize] = new;
        }
        if moved <= REST {
            return true;
        }
    }
    false
}

/// Follows the flow from the base scores until it rests. Says whether it does.
fn flow(qbaf: &Qbaf, gradual: Gradual, members: &[u32], strengths: &mut [f64]) -> bool {
    let pull = |strengths: &[f64]| -> Vec<f64> {
        members.iter().map(|&it| due(qbaf, gradual, it, strengths) - strengths[it as usize]).collect()
    };
    // Many relations on one argument pull fast: the step is short enough for them.
    let weight = |&it: &u32| qbaf.relations(it).iter().map(|relation| relation.weight).sum::<f64>();
    let fastest = members.iter().map(weight).fold(0.0, f64::max);
    let step = STEP.min(1.0 / (1.0 + fastest));
    let mut tried = strengths.to_vec();
    for _ in 0..MAX_STEPS {
        let first = pull(strengths);
        if first.iter().all(|pull| pull.abs() <= REST) {
            return true;
        }
        let mut after = |pulls: &[f64], time: f64| {
            for (&member, pull) in members.iter().zip(pulls) {
                tried[member as usize] = strengths[member as usize] + time * pull;
            }
            pull(&tried)
        };
        let second = after(&first, step / 2.0);
        let third = after(&second, step / 2.0);
        let fourth = after(&third, step);
        for (place, &member) in members.iter().enumerate() {
            let mean = (first[place] + 2.0 * (second[place] + third[place]) + fourth[place]) / 6.0;
            let strength = &mut strengths[member as usize];
            *strength = (*strength + step * mean).clamp(0.0, 1.0);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::argumentation::gradual::qbaf::Relation;

    fn found(scores: &[f64], relations: &[Relation], gradual: Gradual) -> Strengths {
        strengths(&Qbaf::new(scores.to_vec(), relations.iter().copied()).expect("in range"), gradual)
    }

    #[test]
    fn strengths_follow_the_order() {
        fn check(scores: &[f64], relations: &[Relation], gradual: Gradual, expected: &[f64]) {
            let found = found(scores, relations, gradual);
            assert_eq!((found.converged, found.limit), (true, None));
            let near = found.of.iter().zip(expected).all(|(found, due)| (found - due).abs() < 1e-9);
            assert!(near && found.of.len() == expected.len(), "{gradual:?} {relations:?}: {found:?}");
        }
        let chain = [Relation::attack(2, 1), Relation::attack(1, 0)];
        check(&[1.0; 3], &chain, Gradual::Categoriser, &[2.0 / 3.0, 0.5, 1.0]);
        check(&[0.5; 3], &chain, Gradual::DfQuad, &[0.375, 0.25, 0.5]);
        // The golden ratio: each of two that attack each other, and one that attacks itself.
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        let circles = [Relation::attack(0, 1), Relation::attack(1, 0), Relation::attack(2, 2)];
        check(&[1.0; 3], &circles, Gradual::Categoriser, &[golden; 3]);
        // s = 1 / (1 + s²).
        let root = 0.682_327_803_828_019_3;
        check(&[1.0; 3], &circles, Gradual::QuadraticEnergy, &[root; 3]);
        // What a circle comes to goes on to what it attacks.
        let tail = [Relation::attack(0, 0), Relation::attack(0, 1)];
        check(&[1.0; 2], &tail, Gradual::Categoriser, &[golden, 1.0 / (1.0 + golden)]);
        check(&[], &[], Gradual::Euler, &[]);
    }

    #[test]
    fn what_does_not_rest_is_told() {
        let circle = [Relation::attack(0, 1), Relation::attack(1, 0), Relation::attack(1, 2)];
        let found = found(&[1.0; 3], &circle, Gradual::DfQuad);
        assert_eq!((found.converged, found.limit), (false, Some("iterations")));
        assert!(found.of.iter().all(|strength| (0.0..=1.0).contains(strength)));
    }

    #[test]
    fn many_relations_do_not_shake_it() {
        // Forty that attack one another.
        let all = (0..40).flat_map(|a| (0..40).filter(move |&b| a != b).map(move |b| Relation::attack(a, b)));
        let found = found(&[0.9; 40], &all.collect::<Vec<_>>(), Gradual::QuadraticEnergy);
        assert!(found.converged && found.of.iter().all(|strength| (strength - found.of[0]).abs() < 1e-9));
    }
}
