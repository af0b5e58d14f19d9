//! Consistent strengths: each argument's strength follows from those of its attackers and supporters.
//!
//! Without cycles, one pass in topological order computes them. In a cycle they are approximated: quadratic energy as
//! its model, the differential equation ds/dt = f(s) − s, by the fourth-order Runge-Kutta method, which converges in
//! every known case (Potyka 2018); the others by fixed-point iteration, which always converges for the h-categoriser
//! (Pu, Luo, Zhang and Luo 2014), but not always for DF-QuAD. Strengths that do not converge within a limit are
//! reported.

use crate::components::Components;
use crate::gradual::influence::GradualSemantics;
use crate::gradual::qbaf::Qbaf;

/// Maximum number of iterations in one circular component.
pub const MAX_ITERATIONS: usize = 10_000;

/// Maximum number of time steps in one circular component.
pub const MAX_STEPS: usize = 20_000;

/// Largest change by any formula at which strengths count as converged.
const REST: f64 = 1e-11;

/// Longest time step.
const STEP: f64 = 0.25;

/// Strength of each argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Strengths {
    /// Strengths by argument, from 0 to 1.
    pub of: Vec<f64>,
    /// True if all strengths converged. If not, those of some cycle and its dependants are the values at the limit.
    pub converged: bool,
    /// The limit that was reached, if any: `iterations` or `steps`.
    pub limit: Option<&'static str>,
}

/// Computes the strengths of all arguments. Linear, except for cycles, which take as many rounds as they need up to
/// [`MAX_ITERATIONS`] or, with four evaluations each, [`MAX_STEPS`].
pub fn strengths(qbaf: &Qbaf, gradual: GradualSemantics) -> Strengths {
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
            GradualSemantics::QuadraticEnergy => (flow(qbaf, gradual, members, &mut found.of), "steps"),
            _ => (iterate(qbaf, gradual, members, &mut found.of), "iterations"),
        };
        if !at_rest {
            (found.converged, found.limit) = (false, found.limit.or(Some(limit)));
        }
    }
    found
}

/// Returns the strength of an argument that follows from the strengths of all.
fn due(qbaf: &Qbaf, gradual: GradualSemantics, argument: u32, strengths: &[f64]) -> f64 {
    gradual.strength(qbaf.scores()[argument as usize], qbaf.relations(argument), strengths)
}

/// Iterates the formulas until the strengths converge. Returns false if they do not.
fn iterate(qbaf: &Qbaf, gradual: GradualSemantics, members: &[u32], strengths: &mut [f64]) -> bool {
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

/// Integrates the differential equation from the base scores until it converges. Returns false if it does not.
fn flow(qbaf: &Qbaf, gradual: GradualSemantics, members: &[u32], strengths: &mut [f64]) -> bool {
    let pull = |strengths: &[f64]| -> Vec<f64> {
        members.iter().map(|&member| due(qbaf, gradual, member, strengths) - strengths[member as usize]).collect()
    };
    // Many relations on one argument change it fast, so the step is shortened.
    let weight = |&argument: &u32| qbaf.relations(argument).iter().map(|relation| relation.weight).sum::<f64>();
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

    use crate::gradual::qbaf::WeightedRelation;

    fn found(scores: &[f64], relations: &[WeightedRelation], gradual: GradualSemantics) -> Strengths {
        strengths(&Qbaf::new(scores.to_vec(), relations.iter().copied()).expect("in range"), gradual)
    }

    #[test]
    fn strengths_are_computed() {
        fn check(scores: &[f64], relations: &[WeightedRelation], gradual: GradualSemantics, expected: &[f64]) {
            let found = found(scores, relations, gradual);
            assert_eq!((found.converged, found.limit), (true, None));
            let near = found.of.iter().zip(expected).all(|(found, due)| (found - due).abs() < 1e-9);
            assert!(near && found.of.len() == expected.len(), "{gradual:?} {relations:?}: {found:?}");
        }
        let chain = [WeightedRelation::attack(2, 1), WeightedRelation::attack(1, 0)];
        check(&[1.0; 3], &chain, GradualSemantics::Categoriser, &[2.0 / 3.0, 0.5, 1.0]);
        check(&[0.5; 3], &chain, GradualSemantics::DfQuad, &[0.375, 0.25, 0.5]);
        // The golden ratio: for two that attack each other, and for one that attacks itself.
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        let circles = [WeightedRelation::attack(0, 1), WeightedRelation::attack(1, 0), WeightedRelation::attack(2, 2)];
        check(&[1.0; 3], &circles, GradualSemantics::Categoriser, &[golden; 3]);
        // s = 1 / (1 + s²).
        let root = 0.682_327_803_828_019_3;
        check(&[1.0; 3], &circles, GradualSemantics::QuadraticEnergy, &[root; 3]);
        // The strength of a cycle affects the targets of the cycle.
        let tail = [WeightedRelation::attack(0, 0), WeightedRelation::attack(0, 1)];
        check(&[1.0; 2], &tail, GradualSemantics::Categoriser, &[golden, 1.0 / (1.0 + golden)]);
        check(&[], &[], GradualSemantics::Euler, &[]);
    }

    #[test]
    fn missing_convergence_is_reported() {
        let circle = [WeightedRelation::attack(0, 1), WeightedRelation::attack(1, 0), WeightedRelation::attack(1, 2)];
        let found = found(&[1.0; 3], &circle, GradualSemantics::DfQuad);
        assert_eq!((found.converged, found.limit), (false, Some("iterations")));
        assert!(found.of.iter().all(|strength| (0.0..=1.0).contains(strength)));
    }

    #[test]
    fn many_relations_do_not_prevent_convergence() {
        // Forty arguments that attack one another.
        let all = (0..40).flat_map(|a| (0..40).filter(move |&b| a != b).map(move |b| WeightedRelation::attack(a, b)));
        let found = found(&[0.9; 40], &all.collect::<Vec<_>>(), GradualSemantics::QuadraticEnergy);
        assert!(found.converged && found.of.iter().all(|strength| (strength - found.of[0]).abs() < 1e-9));
    }
}
