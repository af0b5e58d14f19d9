//! Thousands of small frameworks compared with the definitions, and laws that hold for any framework.

use std::collections::BTreeSet;

use faultline_argumentation::counterfactual::cruxes::{AbstractCrux, cruxes, pivots};
use faultline_argumentation::counterfactual::impact::{ThesisShare, share_changed};
use faultline_argumentation::counterfactual::intervention::{Intervention, labels_after};
use faultline_argumentation::explanation::acceptance::{AcceptanceStatus, acceptance, acceptance_from_factors};
use faultline_argumentation::explanation::reasons::{GroundedDerivation, LabelReason};
use faultline_argumentation::extensions::{ExtensionList, extensions};
use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::{Label, Labelling, grounded, is_complete};
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::preferred::{preferred, preferred_factors_within};
use faultline_argumentation::structures::count::{Count, Natural};

use crate::argumentation::known_answers::IMPATIENT;
use crate::argumentation::oracle::Oracle;
use crate::support::random::Random;

#[test]
fn results_match_the_definitions() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..2_000 {
        let framework = random.framework(if round % 10 == 0 { 10 } else { 7 });
        let oracle = Oracle::new(&framework);
        let labelling = oracle.grounded();
        assert_eq!(grounded(&framework), labelling, "{framework:?}");
        assert!(is_complete(&framework, &labelling));
        let sets = oracle.preferred();
        let expected =
            ExtensionList { count: Count::Exactly(Natural::from(sets.len() as u128)), sets, exact: true, limit: None };
        assert_eq!(preferred(&framework, &SolverLimits::default()), expected, "{framework:?}");
        let impatient = preferred_factors_within(&framework, 1_000_000, IMPATIENT);
        assert_eq!(extensions(&impatient, 5_000), expected, "{framework:?}");
        for (argument, standing) in (0..).zip(acceptance_from_factors(&impatient).statuses) {
            let within = expected.sets.iter().filter(|set| set.contains(&argument)).count();
            let due = match within {
                0 => AcceptanceStatus::Rejected,
                _ if within == expected.sets.len() => AcceptanceStatus::Sceptical,
                _ => AcceptanceStatus::Credulous,
            };
            assert_eq!(standing, due, "{argument} of {framework:?}");
        }
        assert_eq!(acceptance(&framework, &SolverLimits::default()), acceptance_from_factors(&impatient));
        for set in &expected.sets {
            assert!(labelling.with(Label::In).all(|argument| set.contains(&argument)));
            assert!(is_complete(&framework, &Labelling::of_extension(&framework, set)));
        }
    }
}

/// Labels the changed framework: a new attacker for each refuted argument, and no attackers for each established one.
fn changed(framework: &Framework, settled: &[(u32, Intervention)]) -> Labelling {
    let way = |argument| settled.iter().rev().find(|(decided, _)| *decided == argument).map(|(_, way)| *way);
    let kept = framework.attacks().filter(|&(_, target)| way(target) != Some(Intervention::Established));
    let refuted = framework.arguments().filter(|&argument| way(argument) == Some(Intervention::Refuted));
    let fresh = (framework.len() as u32..).zip(refuted);
    let attacks: Vec<_> = kept.chain(fresh).collect();
    let with = Framework::new(2 * framework.len(), attacks).expect("in range");
    let mut labelling = Oracle::new(&with).grounded();
    labelling.0.truncate(framework.len());
    labelling
}

#[test]
fn counterfactuals_equal_the_changed_framework() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    for _ in 0..400 {
        let framework = random.framework(6);
        if framework.is_empty() {
            continue;
        }
        let base = grounded(&framework);
        let others = |argument: &u32| *argument != 0;
        let singles = || framework.arguments().filter(others).flat_map(|a| Intervention::BOTH.map(|way| (a, way)));
        let becomes = |settled: &[(u32, Intervention)]| changed(&framework, settled).of(0);
        let flips = |settled: &[(u32, Intervention)]| becomes(settled) != base.of(0);
        let mut expected = Vec::new();
        for one in singles() {
            assert_eq!(labels_after(&framework, &[one]), changed(&framework, &[one]), "{one:?} {framework:?}");
            expected.extend(flips(&[one]).then(|| vec![one]));
        }
        for one in singles() {
            for two in singles().filter(|two| one.0 < two.0) {
                let minimal = !flips(&[one]) && !flips(&[two]) && flips(&[one, two]);
                expected.extend(minimal.then(|| vec![one, two]));
                assert_eq!(labels_after(&framework, &[one, two]), changed(&framework, &[one, two]));
            }
        }
        let crux = |settled: Vec<_>| AbstractCrux { becomes: becomes(&settled), settled };
        let expected: Vec<AbstractCrux> = expected.into_iter().map(crux).collect();
        assert_eq!(cruxes(&framework, 0), expected, "{framework:?}");

        let turning =
            framework.arguments().filter(others).map(|a| (a, Intervention::BOTH.map(|way| becomes(&[(a, way)]))));
        let found = pivots(&framework, 0);
        let found = found.iter().map(|pivot| (pivot.argument, [pivot.refuted, pivot.established]));
        assert!(found.eq(turning.filter(|(_, [refuted, established])| refuted != established)));
    }
}

#[test]
fn shares_count_the_theses_that_change() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for _ in 0..400 {
        let framework = random.framework(7);
        if framework.is_empty() {
            continue;
        }
        let base = grounded(&framework);
        let split = random.below(framework.len() as u64) as u32;
        let (settled, theses): (Vec<u32>, Vec<u32>) = framework.arguments().partition(|&argument| argument <= split);
        let worlds =
            Intervention::BOTH.map(|way| changed(&framework, &settled.iter().map(|&a| (a, way)).collect::<Vec<_>>()));
        let part =
            theses.iter().filter(|&&thesis| worlds.iter().any(|world| world.of(thesis) != base.of(thesis))).count();
        let share = ThesisShare { affected: part, total: theses.len() };
        assert_eq!(share_changed(&framework, &settled, &theses), share);
        assert_eq!(share_changed(&framework, &settled, &framework.arguments().collect::<Vec<_>>()), share);
    }
}

#[test]
fn results_do_not_depend_on_the_numbering() {
    let mut random = Random(0xA076_1D64_78BD_642F);
    for _ in 0..500 {
        let framework = random.framework(14);
        let names = random.permutation(framework.len());
        let named = |argument: u32| names[argument as usize];
        let mut attacks: Vec<_> = framework.attacks().map(|(a, b)| (named(a), named(b))).collect();
        attacks.reverse();
        let renamed = Framework::new(framework.len(), attacks).expect("in range");
        let (before, after) = (grounded(&framework), grounded(&renamed));
        assert!(framework.arguments().all(|argument| before.of(argument) == after.of(named(argument))));
        let rename = |set: &Vec<u32>| set.iter().map(|&argument| named(argument)).collect::<BTreeSet<_>>();
        let sets: BTreeSet<_> = preferred(&framework, &SolverLimits::default()).sets.iter().map(rename).collect();
        let found = preferred(&renamed, &SolverLimits::default()).sets;
        assert_eq!(found.into_iter().map(BTreeSet::from_iter).collect::<BTreeSet<_>>(), sets);
    }
}

#[test]
fn reasons_are_well_founded() {
    let mut random = Random(0x8EBC_6AF0_9C88_C6E3);
    for _ in 0..500 {
        let framework = random.framework(12);
        let grounds = GroundedDerivation::new(&framework);
        let labelling = grounds.labelling().clone();
        assert_eq!(labelling, grounded(&framework));
        // Arguments explained so far; an IN argument is explained once all arguments that defend it are.
        let mut explained = BTreeSet::new();
        for _ in framework.arguments() {
            for argument in framework.arguments() {
                match grounds.reason(argument) {
                    LabelReason::In { defended } => {
                        let attackers: Vec<u32> = defended.iter().map(|(attacker, _)| *attacker).collect();
                        assert_eq!(attackers, framework.attackers(argument));
                        assert!(defended.iter().all(|&(attacker, by)| framework.has_attack(by, attacker)));
                        if defended.iter().all(|(_, by)| explained.contains(by)) {
                            explained.insert(argument);
                        }
                    }
                    LabelReason::Out { by } => {
                        let all = framework.attackers(argument).iter().filter(|&&a| labelling.of(a) == Label::In);
                        assert!(!by.is_empty() && by.iter().collect::<BTreeSet<_>>() == all.collect());
                    }
                    LabelReason::Undec { by } => {
                        let all = framework.attackers(argument).iter().filter(|&&a| labelling.of(a) == Label::Undec);
                        assert!(!by.is_empty() && by.iter().eq(all));
                    }
                }
            }
        }
        assert!(explained.into_iter().eq(labelling.with(Label::In)));
    }
}
