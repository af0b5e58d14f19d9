//! Argumentation: results compared with known answers, and with the definitions evaluated on all subsets.

use std::collections::BTreeMap;
use std::fs;

use faultline_argumentation::explanation::acceptance::{AcceptanceStatus, acceptance, acceptance_from_factors};
use faultline_argumentation::extensions::extensions;
use faultline_argumentation::factors::solver::SearchBudgets;
use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::{Label, Labelling, grounded, is_complete};
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::preferred::{preferred, preferred_factors_within};
use faultline_argumentation::structures::count::{Count, Natural};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::support::random::Random;

/// Budgets that decide one argument after another and search almost nothing.
pub const IMPATIENT: SearchBudgets = SearchBudgets { before_width: 1, at_good_width: 1 };

#[derive(Deserialize)]
struct Case {
    args: Vec<String>,
    attacks: Vec<(String, String)>,
    #[serde(default)]
    labels: BTreeMap<String, Label>,
    #[serde(default)]
    preferred: Vec<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expected {
    n: usize,
    edges: usize,
    grounded_in: Vec<String>,
    undec: usize,
    preferred_count: u128,
    preferred: Option<Vec<Vec<String>>>,
}

fn read<T: DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/tests/fixtures/af-cases/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

impl Case {
    fn index(&self, name: &String) -> u32 {
        let place = self.args.iter().position(|arg| arg == name).expect("a known argument");
        u32::try_from(place).expect("small")
    }

    fn set(&self, names: &[String]) -> Vec<u32> {
        let mut set: Vec<u32> = names.iter().map(|name| self.index(name)).collect();
        set.sort_unstable();
        set
    }

    fn sets(&self, sets: &[Vec<String>]) -> Vec<Vec<u32>> {
        let mut sets: Vec<Vec<u32>> = sets.iter().map(|set| self.set(set)).collect();
        sets.sort_unstable();
        sets
    }

    fn framework(&self) -> Framework {
        let attacks = self.attacks.iter().map(|(a, b)| (self.index(a), self.index(b)));
        Framework::new(self.args.len(), attacks).expect("in range")
    }
}

#[test]
fn known_frameworks_have_the_expected_results() {
    let all: BTreeMap<String, Expected> = read("EXPECTED");
    assert_eq!(all.len(), 22);
    for (name, expected) in all {
        let case: Case = read(&name);
        let framework = case.framework();
        assert_eq!((framework.len(), case.attacks.len()), (expected.n, expected.edges), "{name}");
        let labelling = grounded(&framework);
        assert_eq!(labelling.with(Label::In).collect::<Vec<_>>(), case.set(&expected.grounded_in), "{name}");
        assert_eq!(labelling.with(Label::Undec).count(), expected.undec, "{name}");
        let found = preferred(&framework, &SolverLimits::default());
        assert_eq!(found.count, Count::Exactly(Natural::from(expected.preferred_count)), "{name}");
        assert_eq!(found.exact, expected.preferred_count <= 5_000, "{name}");
        if let Some(sets) = &expected.preferred {
            assert_eq!(found.sets, case.sets(sets), "{name}");
        }
        let impatient = extensions(&preferred_factors_within(&framework, 10_000_000, IMPATIENT), 5_000);
        assert_eq!((impatient.count, impatient.limit), (found.count, found.limit), "{name}");
    }
}

#[test]
fn known_random_frameworks_have_the_expected_results() {
    let cases: Vec<Case> = read("fuzz600_with_answers");
    assert_eq!(cases.len(), 600);
    for case in &cases {
        let framework = case.framework();
        let labels = case.args.iter().map(|name| case.labels[name]).collect();
        assert_eq!(grounded(&framework), Labelling(labels));
        assert_eq!(preferred(&framework, &SolverLimits::default()).sets, case.sets(&case.preferred));
    }
}

/// Oracle O1 of VERDICTS.md: with the missing conflict added, there are two camps and no common ground.
#[test]
fn adding_the_missing_conflict_makes_two_camps() {
    let case: Case = read("11_real_v2");
    let framework = case.framework();
    assert_eq!(preferred(&framework, &SolverLimits::default()).sets, [[2, 4, 7]]);
    let with = Framework::new(8, framework.attacks().chain([(4, 7), (7, 4)])).expect("in range");
    assert_eq!(grounded(&with).with(Label::In).count(), 0);
    assert_eq!(preferred(&with, &SolverLimits::default()).sets, [vec![0, 2, 4, 5, 6], vec![1, 3, 7]]);
}

/// Oracle O5: k independent conflicts have 2^k preferred extensions.
#[test]
fn independent_conflicts_multiply() {
    for k in (0..=20).chain([100, 127, 128, 200, 5_000]) {
        let pairs = (0..k).flat_map(|pair| [(2 * pair, 2 * pair + 1), (2 * pair + 1, 2 * pair)]);
        let framework = Framework::new(2 * k as usize, pairs).expect("in range");
        let found = preferred(&framework, &SolverLimits::default());
        let doubled = (0..k).fold(Natural::ONE, |number, _| number.plus(&number));
        assert_eq!(found.count, Count::Exactly(doubled), "{k}");
        let listed = if k <= 12 { 1 << k } else { 5_000 };
        assert_eq!((found.sets.len(), found.exact), (listed, k <= 12), "{k}");
        assert_eq!(found.limit, if k <= 12 { None } else { Some("sets") });
        assert!(found.sets.is_sorted_by(|a, b| a < b));
        let accepted = acceptance(&framework, &SolverLimits::default());
        assert!(accepted.exact && accepted.statuses.iter().all(|status| *status == AcceptanceStatus::Credulous));
    }
}

/// Mutual attacks along a path have as many maximal conflict-free sets as given by Padovan's sequence, and along a ring
/// as given by Perrin's. Each framework is one strongly connected component.
#[test]
fn paths_and_rings_are_counted() {
    let sequence = |mut last: [u128; 3], n: u32| {
        let mut last = last.each_mut().map(|number| Natural::from(*number));
        for _ in 0..n {
            let next = last[0].plus(&last[1]);
            last = [last[1].clone(), last[2].clone(), next];
        }
        last[0].clone()
    };
    for n in (3..30).chain([100, 340]) {
        let mutual = |a, b| [(a, b), (b, a)];
        let path = Framework::new(n as usize, (1..n).flat_map(|a| mutual(a - 1, a))).expect("in range");
        let ring = Framework::new(n as usize, (0..n).flat_map(|a| mutual(a, (a + 1) % n))).expect("in range");
        let limits = SolverLimits { sets: 0, ..SolverLimits::default() };
        assert_eq!(preferred(&path, &limits).count, Count::Exactly(sequence([1, 1, 2], n)), "{n}");
        assert_eq!(preferred(&ring, &limits).count, Count::Exactly(sequence([3, 0, 2], n)), "{n}");
    }
}

#[test]
fn a_deep_debate_does_not_overflow_the_stack() {
    // Each conflict affects the next one, hundreds deep.
    let links = (0..700).flat_map(|a| [(2 * a, 2 * a + 1), (2 * a + 1, 2 * a), (2 * a + 1, 2 * a + 2)]);
    let framework = Framework::new(1_401, links).expect("in range");
    let limits = SolverLimits { sets: 3, ..SolverLimits::default() };
    let found = preferred(&framework, &limits);
    assert_eq!((found.limit, found.sets.len()), (Some("sets"), 3));
    for set in &found.sets {
        assert!(is_complete(&framework, &Labelling::of_extension(&framework, set)));
    }
    assert!(acceptance(&framework, &limits).exact);
}

#[test]
fn search_budgets_do_not_change_the_results() {
    let mut random = Random(0xE703_7ED1_A0B4_28DB);
    for round in 0..60 {
        // A debate in which most replies are mutual, with a few attacks across.
        let size = 20 + round % 15;
        let mut attacks = Vec::new();
        for reply in 1..size + 5 {
            let (a, b) =
                if reply < size { (reply, random.below(reply)) } else { (random.below(size), random.below(size)) };
            attacks.push((a as u32, b as u32));
            if random.below(100) < 80 {
                attacks.push((b as u32, a as u32));
            }
        }
        let framework = Framework::new(size as usize, attacks).expect("in range");
        let patient = preferred_factors_within(
            &framework,
            10_000_000,
            SearchBudgets { before_width: u64::MAX, at_good_width: 1 },
        );
        let impatient = preferred_factors_within(&framework, 10_000_000, IMPATIENT);
        let found = extensions(&patient, 100_000);
        assert!(found.exact);
        assert_eq!(found.count, Count::Exactly(Natural::from(found.sets.len() as u128)));
        assert_eq!(extensions(&impatient, 100_000), found, "{framework:?}");
        assert_eq!(acceptance_from_factors(&impatient), acceptance_from_factors(&patient), "{framework:?}");
        assert_eq!(preferred(&framework, &SolverLimits { sets: 100_000, ..SolverLimits::default() }), found);
        assert!(found.sets.iter().all(|set| is_complete(&framework, &Labelling::of_extension(&framework, set))));
    }
}
