//! Influence functions of four gradual semantics: the strength of an argument from its base score β, the weights wᵢ of
//! the attacks and supports on it and the strengths sᵢ of their sources.
//!
//! | semantics | aggregation | strength |
//! |-----------|-------------|----------|
//! | DF-QuAD (Rago, Toni, Aurisicchio and Baroni 2016) | v = ∏(1 − wᵢsᵢ) over supports less ∏(1 − wᵢsᵢ) over attacks, so that v < 0 means more support | β − βv if v ≥ 0, else β − (1 − β)v |
//! | quadratic energy (Potyka 2018) | E = Σwᵢsᵢ over supports less Σwᵢsᵢ over attacks; h(x) = max(x, 0)² / (1 + max(x, 0)²) | β + (1 − β)h(E) − βh(−E) |
//! | Euler-based (Amgoud and Ben-Naim 2018) | E as above | 1 − (1 − β²) / (1 + βeᴱ) |
//! | h-categoriser (Besnard and Hunter 2001; with base scores Amgoud, Ben-Naim, Doder and Vesic 2017) | Σwᵢsᵢ over attacks | β / (1 + Σ) |
//!
//! All return β without attackers and supporters, stay within 0 to 1, rise with supporters and fall with attackers.
//! DF-QuAD and quadratic energy treat the two symmetrically (an argument and its contrary add up to 1). In the
//! Euler-based semantics attackers are weaker than supporters, and base scores of 0 and 1 do not change. The
//! h-categoriser ignores supports.

use crate::gradual::qbaf::{RelationKind, WeightedRelation};

/// Gradual semantics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GradualSemantics {
    /// Discontinuity-free quantitative argumentation debate (DF-QuAD). One attacker of strength 1 cancels all
    /// supporters except those of strength 1.
    DfQuad,
    /// The quadratic energy model.
    QuadraticEnergy,
    /// The Euler-based semantics.
    Euler,
    /// The h-categoriser. Ignores supports.
    Categoriser,
}

impl GradualSemantics {
    /// All gradual semantics.
    pub const ALL: [Self; 4] = [Self::DfQuad, Self::QuadraticEnergy, Self::Euler, Self::Categoriser];

    /// Returns the strength of an argument with this base score, given the relations on it and the strengths of all
    /// arguments. Linear in the relations.
    ///
    /// # Panics
    ///
    /// Panics if a source has no strength.
    pub fn strength(self, score: f64, relations: &[WeightedRelation], strengths: &[f64]) -> f64 {
        let arriving = |kind: RelationKind| {
            let those = relations.iter().filter(move |relation| relation.kind == kind);
            those.map(|relation| relation.weight * strengths[relation.source as usize])
        };
        let sum = |kind: RelationKind| arriving(kind).sum::<f64>();
        let left = |kind: RelationKind| arriving(kind).map(|part| 1.0 - part).product::<f64>();
        match self {
            Self::DfQuad => {
                let against = left(RelationKind::Support) - left(RelationKind::Attack);
                let room = if against >= 0.0 { score } else { 1.0 - score };
                score - room * against
            }
            Self::QuadraticEnergy => {
                let energy = sum(RelationKind::Support) - sum(RelationKind::Attack);
                let pull = |energy: f64| {
                    let square = energy.max(0.0).powi(2);
                    square / (1.0 + square)
                };
                score + (1.0 - score) * pull(energy) - score * pull(-energy)
            }
            // The formula gives the same, except for energies with an infinite exponential.
            Self::Euler if score == 0.0 => 0.0,
            Self::Euler => {
                let energy = sum(RelationKind::Support) - sum(RelationKind::Attack);
                1.0 - (1.0 - score * score) / (1.0 + score * energy.exp())
            }
            Self::Categoriser => score / (1.0 + sum(RelationKind::Attack)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_match_manual_calculations() {
        fn check(gradual: GradualSemantics, score: f64, attackers: &[f64], supporters: &[f64], expected: f64) {
            let strengths = [attackers, supporters].concat();
            let (attacking, target) = (attackers.len() as u32, strengths.len() as u32);
            let attacks = (0..attacking).map(|source| WeightedRelation::attack(source, target));
            let supports = (attacking..target).map(|source| WeightedRelation::support(source, target));
            let found = gradual.strength(score, &attacks.chain(supports).collect::<Vec<_>>(), &strengths);
            assert!((found - expected).abs() < 1e-9, "{gradual:?} {score} {attackers:?} {supporters:?}: {found}");
        }
        for gradual in GradualSemantics::ALL {
            check(gradual, 0.3, &[], &[], 0.3);
            check(gradual, 0.3, &[0.0, 0.0], &[0.0], 0.3);
        }
        check(GradualSemantics::DfQuad, 0.5, &[0.4], &[], 0.3);
        check(GradualSemantics::DfQuad, 0.5, &[], &[0.4], 0.7);
        check(GradualSemantics::DfQuad, 0.5, &[0.4, 0.5], &[0.7], 0.5);
        check(GradualSemantics::DfQuad, 0.8, &[1.0], &[0.9, 0.5], 0.8 - 0.8 * 0.05);
        check(GradualSemantics::QuadraticEnergy, 0.5, &[1.0], &[], 0.25);
        check(GradualSemantics::QuadraticEnergy, 0.5, &[], &[1.0], 0.75);
        check(GradualSemantics::QuadraticEnergy, 0.2, &[0.5], &[0.5, 1.0, 1.0], 0.2 + 0.8 * 0.8);
        check(GradualSemantics::Euler, 0.5, &[1.0], &[], 1.0 - 0.75 / (1.0 + 0.5 * (-1.0_f64).exp()));
        check(GradualSemantics::Euler, 0.0, &[], &[1.0; 1_000], 0.0);
        check(GradualSemantics::Euler, 0.1, &[], &[1.0; 1_000], 1.0);
        check(GradualSemantics::Categoriser, 1.0, &[1.0, 0.5], &[1.0], 0.4);
    }

    #[test]
    fn weights_scale_the_strength_of_the_source() {
        let half = |relation: WeightedRelation| WeightedRelation { weight: 0.5, ..relation };
        for gradual in GradualSemantics::ALL {
            for relation in [WeightedRelation::attack(0, 1), WeightedRelation::support(0, 1)] {
                let weighed = gradual.strength(0.6, &[half(relation)], &[0.8, 0.0]);
                assert!((weighed - gradual.strength(0.6, &[relation], &[0.4, 0.0])).abs() < 1e-12);
            }
        }
    }
}
