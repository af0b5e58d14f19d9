//! Counterfactuals computed in bit lanes, compared with one labelling per world.

use faultline_argumentation::counterfactual::cruxes::{AbstractCrux, Pivot, cruxes, pivots};
use faultline_argumentation::counterfactual::impact::{ThesisShare, share_changed, shares};
use faultline_argumentation::counterfactual::information::information;
use faultline_argumentation::counterfactual::intervention::{Intervention, labels_after};
use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::{Label, grounded};

use crate::support::random::Random;

/// Returns all single settlements of the arguments that can be settled.
fn singles(framework: &Framework, thesis: u32) -> impl Iterator<Item = (u32, Intervention)> + Clone {
    let others = framework.arguments().filter(move |&argument| argument != thesis);
    others.flat_map(|argument| Intervention::BOTH.map(|way| (argument, way)))
}

fn label_when(framework: &Framework, thesis: u32, settled: &[(u32, Intervention)]) -> Label {
    labels_after(framework, settled).of(thesis)
}

/// Computes the pivots by their definition.
fn pivots_tried(framework: &Framework, thesis: u32) -> Vec<Pivot> {
    let tried = framework.arguments().filter(|&argument| argument != thesis).map(|argument| {
        let [refuted, established] = Intervention::BOTH.map(|way| label_when(framework, thesis, &[(argument, way)]));
        Pivot { argument, refuted, established }
    });
    tried.filter(|pivot| pivot.refuted != pivot.established).collect()
}

/// Computes the cruxes of order 1 and 2 by their definition.
fn cruxes_tried(framework: &Framework, thesis: u32) -> Vec<AbstractCrux> {
    let status = grounded(framework).of(thesis);
    let mut cruxes = Vec::new();
    let mut idle = Vec::new();
    for single in singles(framework, thesis) {
        match label_when(framework, thesis, &[single]) {
            becomes if becomes == status => idle.push(single),
            becomes => cruxes.push(AbstractCrux { settled: vec![single], becomes }),
        }
    }
    for (first, &one) in idle.iter().enumerate() {
        for &other in idle[first + 1..].iter().filter(|other| other.0 != one.0) {
            let becomes = label_when(framework, thesis, &[one, other]);
            if becomes != status {
                cruxes.push(AbstractCrux { settled: vec![one, other], becomes });
            }
        }
    }
    cruxes
}

#[test]
fn bit_lanes_agree_with_single_worlds() {
    let mut random = Random(0x6C62_272E_07BB_0142);
    for round in 0..300 {
        let framework = match round % 30 {
            0 => random.debate(90),
            1 => random.debate(40),
            _ => random.framework(12),
        };
        if framework.is_empty() {
            continue;
        }
        let thesis = random.below(framework.len() as u64) as u32;
        assert_eq!(pivots(&framework, thesis), pivots_tried(&framework, thesis), "{thesis} {framework:?}");
        assert_eq!(cruxes(&framework, thesis), cruxes_tried(&framework, thesis), "{thesis} {framework:?}");
    }
}

#[test]
fn shares_of_many_sets_equal_those_of_each_alone() {
    let mut random = Random(0x27D4_EB2F_1656_67C5);
    for round in 0..60 {
        let framework = if round % 6 == 0 { random.debate(60) } else { random.framework(12) };
        let size = framework.len() as u64;
        if size == 0 {
            continue;
        }
        let mut some = |most: u64| (0..random.below(most + 1)).map(|_| random.below(size) as u32).collect::<Vec<u32>>();
        let theses = some(10);
        let sets: Vec<Vec<u32>> = (0..3 + 5 * round).map(|_| some(4)).collect();
        let sets: Vec<&[u32]> = sets.iter().map(Vec::as_slice).collect();
        let found = shares(&framework, &sets, &theses);
        assert!(
            found.iter().eq(sets.iter().map(|set| share_tried(&framework, set, &theses)).collect::<Vec<_>>().iter())
        );
        assert!(sets.iter().zip(&found).all(|(set, &share)| share_changed(&framework, set, &theses) == share));
    }
}

/// Computes the share of theses that a set changes, by the definition.
fn share_tried(framework: &Framework, set: &[u32], theses: &[u32]) -> ThesisShare {
    let base = grounded(framework);
    let worlds = Intervention::BOTH
        .map(|way| labels_after(framework, &set.iter().map(|&argument| (argument, way)).collect::<Vec<_>>()));
    let others = || theses.iter().filter(|thesis| !set.contains(thesis));
    let changes = |thesis: &&u32| worlds.iter().any(|world| world.of(**thesis) != base.of(**thesis));
    ThesisShare { affected: others().filter(changes).count(), total: others().count() }
}

/// Enumerates all worlds with their probabilities. Returns the entropy of the label of argument 0, and the information
/// gain of each argument.
fn information_counted(framework: &Framework, credences: &[f64]) -> (f64, Vec<f64>) {
    let size = framework.len();
    // Probability by argument, by whether the argument fails, and by label; the last row is that of all worlds.
    let mut chances = vec![[[0.0; 3]; 2]; size + 1];
    for world in 0..1_u32 << (size - 1) {
        let fails = |argument: u32| argument > 0 && world >> (argument - 1) & 1 == 1;
        let refuted: Vec<_> = framework
            .arguments()
            .filter(|&argument| fails(argument))
            .map(|argument| (argument, Intervention::Refuted))
            .collect();
        let label = labels_after(framework, &refuted).of(0) as usize;
        let chance = |argument: u32| {
            if fails(argument) { 1.0 - credences[argument as usize] } else { credences[argument as usize] }
        };
        let chance: f64 = (1..size as u32).map(chance).product();
        for argument in framework.arguments() {
            chances[argument as usize][usize::from(fails(argument))][label] += chance;
        }
        chances[size][0][label] += chance;
    }
    let entropy = |chances: &[f64; 3]| -> f64 {
        let whole: f64 = chances.iter().sum();
        chances.iter().filter(|chance| **chance > 0.0).map(|chance| chance * (whole / chance).log2()).sum()
    };
    let open = entropy(&chances[size][0]);
    (open, chances[..size].iter().map(|both| open - entropy(&both[0]) - entropy(&both[1])).collect())
}

#[test]
fn sampled_information_is_close_to_the_exact_one() {
    let mut random = Random(0x9FB2_1C65_1E98_DF25);
    for round in 0..15 {
        let framework = random.framework(7);
        if framework.is_empty() {
            continue;
        }
        let credences: Vec<f64> = framework.arguments().map(|_| random.below(257) as f64 / 256.0).collect();
        let found = information(&framework, 0, &credences, 100_000, round).expect("it can be sampled");
        let (entropy, gains) = information_counted(&framework, &credences);
        assert!((found.entropy - entropy).abs() < 0.01, "{found:?} {entropy}");
        assert!(found.gains.iter().zip(&gains).all(|(found, due)| (found - due).abs() < 0.01), "{found:?} {gains:?}");
    }
}
