//! Seven semantics compared with their definitions, evaluated on all subsets of thousands of small frameworks.

use std::ops::ControlFlow;

use faultline_argumentation::explanation::acceptance::AcceptanceStatus;
use faultline_argumentation::extensions::{ExtensionList, extensions};
use faultline_argumentation::factors::factors::Factors;
use faultline_argumentation::factors::recursion::recursive_factors;
use faultline_argumentation::framework::Framework;
use faultline_argumentation::limits::{SolverLimits, WorkBudget};
use faultline_argumentation::queries::argument_acceptance::{is_credulous, is_sceptical};
use faultline_argumentation::queries::extension_search::{deciding_extension, some_extension};
use faultline_argumentation::reasoning::{acceptance_of, count_of, enumerate_extensions_of, extensions_of, factors_of};
use faultline_argumentation::search::region::Aim;
use faultline_argumentation::semantics::Semantics;
use faultline_argumentation::structures::count::{Count, Natural};

use crate::argumentation::known_answers::IMPATIENT;
use crate::argumentation::oracle::{Oracle, member_list};
use crate::support::random::Random;

/// Returns the expected result for all extensions of a framework.
fn expected(sets: &[u32]) -> ExtensionList {
    let mut sets: Vec<Vec<u32>> = sets.iter().map(|&set| member_list(set)).collect();
    sets.sort_unstable();
    ExtensionList { count: Count::Exactly(Natural::from(sets.len() as u128)), sets, exact: true, limit: None }
}

/// Returns the expected standing of one argument.
fn standing(sets: &[u32], argument: u32) -> AcceptanceStatus {
    let within = sets.iter().filter(|&&set| set >> argument & 1 == 1).count();
    match (within, sets.len()) {
        (_, 0) => AcceptanceStatus::Vacuous,
        (0, _) => AcceptanceStatus::Rejected,
        (within, all) if within == all => AcceptanceStatus::Sceptical,
        _ => AcceptanceStatus::Credulous,
    }
}

#[test]
fn all_semantics_match_their_definitions() {
    let mut random = Random(0xC2B2_AE3D_27D4_EB4F);
    let limits = SolverLimits::default();
    for round in 0..8_000 {
        let framework = random.framework(if round % 15 == 0 { 10 } else { 7 });
        let oracle = Oracle::new(&framework);
        for semantics in Semantics::ALL {
            let sets = oracle.extensions(semantics);
            let due = expected(&sets);
            let place = || format!("{semantics} of {framework:?}");
            assert_eq!(extensions_of(&framework, semantics, &limits), due, "{}", place());
            let standings = acceptance_of(&framework, semantics, &limits).statuses;
            let due_standings = framework.arguments().map(|argument| standing(&sets, argument));
            assert!(due_standings.eq(standings), "{}", place());
        }
    }
}

#[test]
fn single_queries_match_the_definitions() {
    let mut random = Random(0x1656_67B1_9E37_79F9);
    let limits = SolverLimits::default();
    // Almost no steps, so that the learning solver has to answer.
    let learning = SolverLimits { nodes: 0, ..limits };
    for _ in 0..400 {
        let framework = random.framework(7);
        let oracle = Oracle::new(&framework);
        for semantics in Semantics::ALL {
            let sets = oracle.extensions(semantics);
            let place = || format!("{semantics} of {framework:?}");
            let has_steps = !matches!(semantics, Semantics::SemiStable | Semantics::Stage);
            for limits in [limits, learning].into_iter().filter(|limits| limits.nodes > 0 || has_steps) {
                let some = some_extension(&framework, semantics, &limits);
                let is_one = some.as_ref().is_ok_and(|some| match some {
                    Some(set) => sets.iter().any(|&mask| member_list(mask) == *set),
                    None => sets.is_empty(),
                });
                assert!(is_one, "{some:?}: {}", place());
                for argument in framework.arguments() {
                    let due = standing(&sets, argument);
                    let found = is_credulous(&framework, argument, semantics, &limits);
                    assert_eq!(found.ok(), due.is_credulous(), "{argument} {}", place());
                    let found = is_sceptical(&framework, argument, semantics, &limits);
                    assert_eq!(found.ok(), due.is_sceptical(), "{argument} {}", place());
                    for holds in [true, false] {
                        let found = deciding_extension(&framework, argument, semantics, holds, &limits);
                        let fits = |&mask: &u32| (mask >> argument & 1 == 1) == holds;
                        let is_right = found.as_ref().is_ok_and(|found| match found {
                            Some(set) => sets.iter().filter(|mask| fits(mask)).any(|&mask| member_list(mask) == *set),
                            None => !sets.iter().any(fits),
                        });
                        assert!(is_right, "{argument} {holds} {found:?}: {}", place());
                    }
                }
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_algorithm() {
    let mut random = Random(0x27D4_EB2F_1656_67C5);
    let all = SolverLimits::default();
    for _ in 0..300 {
        let framework = random.framework(12);
        for (aim, semantics) in [
            (Aim::Preferred, Semantics::Preferred),
            (Aim::Complete, Semantics::Complete),
            (Aim::Stable, Semantics::Stable),
        ] {
            let found = extensions_of(&framework, semantics, &all);
            let impatient = recursive_factors(&framework, aim, WorkBudget::new(&all), IMPATIENT);
            assert_eq!(extensions(&impatient, all.sets), found, "{aim:?} {framework:?}");
            assert_eq!(count_of(&framework, semantics, &all), found.count);
            let mut actual = Vec::new();
            let end = enumerate_extensions_of(&framework, semantics, &all, |set| {
                actual.push(set.to_vec());
                ControlFlow::Continue(())
            });
            actual.sort_unstable();
            assert_eq!((&actual, end.count, end.exact), (&found.sets, found.sets.len(), true));
        }
    }
}

/// Results returned within a limit are correct, and missing results are reported as missing.
#[test]
fn results_within_limits_are_correct_and_limits_are_reported() {
    fn is_right(part: &Factors, whole: &ExtensionList) -> bool {
        let actual = extensions(part, 5_000);
        let least = actual.count.number().as_u128().expect("small");
        let all = whole.sets.len() as u128;
        let bounded =
            if actual.exact { actual == *whole } else { least <= all && matches!(actual.count, Count::AtLeast(_)) };
        bounded && actual.exact == actual.limit.is_none() && actual.sets.iter().all(|set| whole.sets.contains(set))
    }
    let mut random = Random(0x9FB2_1C65_1E98_DF25);
    for _ in 0..60 {
        let framework = random.framework(9);
        for semantics in Semantics::ALL {
            let whole = extensions_of(&framework, semantics, &SolverLimits::default());
            for (nodes, conflicts) in (0..12).flat_map(|nodes| [(nodes, 0), (nodes, 1), (nodes, 1_000)]) {
                let limits = SolverLimits { nodes, conflicts, ..SolverLimits::default() };
                let part = factors_of(&framework, semantics, &limits);
                assert!(is_right(&part, &whole), "{semantics} within {limits:?} of {framework:?}: {part:?}");
                let standings = acceptance_of(&framework, semantics, &limits).statuses;
                for (argument, standing) in framework.arguments().zip(standings) {
                    let holds = |set: &Vec<u32>| set.contains(&argument);
                    let some =
                        standing.is_credulous().is_none_or(|credulous| credulous == whole.sets.iter().any(holds));
                    let every =
                        standing.is_sceptical().is_none_or(|sceptical| sceptical == whole.sets.iter().all(holds));
                    assert!(some && every, "{standing:?} {argument} {semantics} within {limits:?} of {framework:?}");
                }
            }
        }
    }
}

#[test]
fn extensions_are_enumerated_until_the_callback_stops() {
    let pairs = (0..40).flat_map(|pair| [(2 * pair, 2 * pair + 1), (2 * pair + 1, 2 * pair)]);
    let framework = Framework::new(80, pairs).expect("in range");
    for (most, stop, actual, limit) in [(10, 99, 10, Some("sets")), (99, 10, 10, None), (0, 1, 0, Some("sets"))] {
        let limits = SolverLimits { sets: most, ..SolverLimits::default() };
        let mut heard = 0;
        let end = enumerate_extensions_of(&framework, Semantics::Stable, &limits, |set| {
            heard += 1;
            assert_eq!(set.len(), 40);
            if heard == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((heard, end.count, end.exact, end.limit), (actual, actual, false, limit));
    }
    for (semantics, count) in
        [(Semantics::Complete, 3_u128.pow(40)), (Semantics::SemiStable, 1 << 40), (Semantics::Stage, 1 << 40)]
    {
        assert_eq!(count_of(&framework, semantics, &SolverLimits::default()), Count::Exactly(Natural::from(count)));
    }
}
