//! Gradual strengths, compared with known answers, and their laws.

use std::collections::BTreeMap;
use std::fs;

use faultline_argumentation::gradual::influence::GradualSemantics;
use faultline_argumentation::gradual::qbaf::{Qbaf, RelationKind, WeightedRelation};
use faultline_argumentation::gradual::strengths::{Strengths, strengths};
use serde::Deserialize;

use crate::support::random::Random;

#[derive(Deserialize)]
struct Case {
    id: String,
    n: usize,
    #[serde(default)]
    beta: Vec<f64>,
    attacks: Vec<(u32, u32)>,
    #[serde(default)]
    supports: Vec<(u32, u32)>,
    expected: BTreeMap<String, Vec<f64>>,
}

#[test]
fn known_cases_have_the_expected_strengths() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/argumentation/gradual.jsonl");
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut answers = 0;
    for line in text.lines() {
        let case: Case = serde_json::from_str(line).expect("a case");
        let scores = if case.beta.is_empty() { vec![1.0; case.n] } else { case.beta };
        let attacks = case.attacks.iter().map(|&(a, b)| WeightedRelation::attack(a, b));
        let supports = case.supports.iter().map(|&(a, b)| WeightedRelation::support(a, b));
        let qbaf = Qbaf::new(scores, attacks.chain(supports)).expect("in range");
        for (name, expected) in &case.expected {
            let gradual = match name.as_str() {
                "dfquad" => GradualSemantics::DfQuad,
                "qe" => GradualSemantics::QuadraticEnergy,
                "euler" => GradualSemantics::Euler,
                "h-categoriser" => GradualSemantics::Categoriser,
                other => panic!("{other}"),
            };
            let found = strengths(&qbaf, gradual);
            assert!(found.converged && found.of.len() == expected.len(), "{} {name}", case.id);
            let near = found.of.iter().zip(expected).all(|(found, due)| (found - due).abs() < 1e-7);
            assert!(near, "{} {name}: {:?} is not {expected:?}", case.id, found.of);
            answers += 1;
        }
    }
    assert!(answers >= 60, "only {answers}");
}

/// Draws a random framework, with cycles only if `circles`.
fn any(rng: &mut Random, circles: bool) -> (Vec<f64>, Vec<WeightedRelation>) {
    let size = 2 + rng.below(10) as u32;
    let mut share = || [0.0, 1.0, rng.below(1_001) as f64 / 1_000.0][(rng.below(10) as usize).min(2)];
    let scores: Vec<f64> = (0..size).map(|_| share()).collect();
    let mut relations = Vec::new();
    for source in 0..size {
        for target in 0..size {
            if rng.below(100) < 25 && (circles || source > target) {
                let kind = if rng.below(2) == 0 { RelationKind::Attack } else { RelationKind::Support };
                relations.push(WeightedRelation { source, target, kind, weight: rng.below(1_001) as f64 / 1_000.0 });
            }
        }
    }
    (scores, relations)
}

fn found(scores: &[f64], relations: &[WeightedRelation], gradual: GradualSemantics) -> Strengths {
    strengths(&Qbaf::new(scores.to_vec(), relations.iter().copied()).expect("in range"), gradual)
}

#[test]
fn strengths_satisfy_their_equations() {
    let mut rng = Random(0x8F14_4F3A_7C15_9E37);
    let mut rests = 0;
    for round in 0..400 {
        let (scores, relations) = any(&mut rng, round % 2 == 0);
        let qbaf = Qbaf::new(scores.clone(), relations.iter().copied()).expect("in range");
        for gradual in GradualSemantics::ALL {
            let Strengths { of, converged, limit } = strengths(&qbaf, gradual);
            assert!(of.iter().all(|strength| (0.0..=1.0).contains(strength)), "{gradual:?} {qbaf:?} {of:?}");
            assert_eq!(converged, limit.is_none());
            let may_not_rest = round % 2 == 0 && matches!(gradual, GradualSemantics::DfQuad | GradualSemantics::Euler);
            assert!(converged || may_not_rest, "{gradual:?} {qbaf:?}");
            rests += usize::from(converged);
            for (argument, strength) in (0..).zip(&of).filter(|_| converged) {
                let relations = qbaf.relations(argument);
                let due = gradual.strength(scores[argument as usize], relations, &of);
                assert!((strength - due).abs() < 1e-9, "{gradual:?} {argument} {qbaf:?}");
                let base = scores[argument as usize];
                assert!(!relations.is_empty() || (strength - base).abs() < 1e-12);
            }
        }
    }
    assert!(rests > 1_500, "only {rests} of 1600 converged");
}

/// More support does not weaken an argument, and more attack does not strengthen it.
#[test]
fn support_never_weakens_and_attack_never_strengthens() {
    let mut rng = Random(0x2127_599B_F432_5C37);
    for _ in 0..300 {
        let (mut scores, mut relations) = any(&mut rng, false);
        let newcomer = scores.len() as u32;
        scores.push(rng.below(1_001) as f64 / 1_000.0);
        let target = rng.below(u64::from(newcomer)) as u32;
        for gradual in GradualSemantics::ALL {
            let before = found(&scores, &relations, gradual).of[target as usize];
            for (relation, may) in
                [(WeightedRelation::attack(newcomer, target), -1.0), (WeightedRelation::support(newcomer, target), 1.0)]
            {
                relations.push(relation);
                let after = found(&scores, &relations, gradual).of[target as usize];
                assert!((after - before) * may >= -1e-12, "{gradual:?} {relation:?} {before} {after}");
                let newcomer = newcomer as usize;
                let stronger = (scores[newcomer] + 1.0) / 2.0;
                let weaker = std::mem::replace(&mut scores[newcomer], stronger);
                let with_stronger = found(&scores, &relations, gradual).of[target as usize];
                assert!((with_stronger - after) * may >= -1e-12, "{gradual:?} {relation:?}");
                scores[newcomer] = 0.0;
                let with_nothing = found(&scores, &relations, gradual).of[target as usize];
                assert!(
                    (with_nothing - before).abs() < 1e-12,
                    "{gradual:?}: a relation from an argument of strength 0 changes nothing"
                );
                scores[newcomer] = weaker;
                relations.pop();
            }
        }
    }
}

/// Whatever supports an argument attacks its contrary as strongly: their strengths add up to 1.
#[test]
fn strengths_of_an_argument_and_its_contrary_add_up_to_one() {
    let mut rng = Random(0x3C6E_F372_FE94_F82B);
    for _ in 0..300 {
        let (mut scores, mut relations) = any(&mut rng, false);
        let contrary = scores.len() as u32;
        scores.push(1.0 - scores[0]);
        let turned: Vec<WeightedRelation> = relations.iter().filter(|relation| relation.target == 0).copied().collect();
        relations.extend(turned.into_iter().map(|relation| {
            let kind = if relation.kind == RelationKind::Attack { RelationKind::Support } else { RelationKind::Attack };
            WeightedRelation { target: contrary, kind, ..relation }
        }));
        for gradual in [GradualSemantics::DfQuad, GradualSemantics::QuadraticEnergy] {
            let of = found(&scores, &relations, gradual).of;
            assert!((of[0] + of[contrary as usize] - 1.0).abs() < 1e-12, "{gradual:?} {relations:?}");
        }
    }
}

#[test]
fn strengths_do_not_depend_on_the_numbering() {
    let mut rng = Random(0x5851_F42D_4C95_7F2D);
    for round in 0..100 {
        let (scores, relations) = any(&mut rng, round % 2 == 0);
        let names = rng.permutation(scores.len());
        let mut renamed_scores = scores.clone();
        names.iter().zip(&scores).for_each(|(&name, &score)| renamed_scores[name as usize] = score);
        let renamed = relations.iter().rev().map(|relation| {
            let (source, target) = (names[relation.source as usize], names[relation.target as usize]);
            WeightedRelation { source, target, ..*relation }
        });
        let renamed: Vec<WeightedRelation> = renamed.collect();
        for gradual in GradualSemantics::ALL {
            let (before, after) = (found(&scores, &relations, gradual), found(&renamed_scores, &renamed, gradual));
            if before.converged && after.converged {
                let pairs = before.of.iter().zip(names.iter().map(|&name| after.of[name as usize]));
                assert!(pairs.into_iter().all(|(before, after)| (before - after).abs() < 1e-8), "{gradual:?}");
            }
        }
    }
}
