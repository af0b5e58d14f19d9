//! Argumentation against answers known from elsewhere, and against definitions tried out on all subsets.

use std::collections::BTreeSet;
use std::fs;

use faultline::argumentation::acceptance::{Grounds, Standing, Why, acceptance, standings};
use faultline::argumentation::count::{Count, Natural};
use faultline::argumentation::counterfactual::{Crux, Settlement, Share, cruxes, pivots, settle, share_changed};
use faultline::argumentation::framework::Framework;
use faultline::argumentation::labelling::{Label, Labelling, grounded, is_complete};
use faultline::argumentation::preferred::{Extensions, Limits, extensions, patient_factors, preferred};
use faultline::argumentation::solver::Patience;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Decides one argument after the other, and searches next to nothing.
const IMPATIENT: Patience = Patience { first: 1, least: 1 };

#[derive(Deserialize)]
struct Case {
    args: Vec<String>,
    attacks: Vec<(String, String)>,
    #[serde(default)]
    labels: std::collections::BTreeMap<String, Label>,
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
fn known_frameworks() {
    let all: std::collections::BTreeMap<String, Expected> = read("EXPECTED");
    assert_eq!(all.len(), 22);
    for (name, expected) in all {
        let case: Case = read(&name);
        let framework = case.framework();
        assert_eq!((framework.len(), framework.attack_count()), (expected.n, expected.edges), "{name}");
        let labelling = grounded(&framework);
        assert_eq!(labelling.with(Label::In).collect::<Vec<_>>(), case.set(&expected.grounded_in), "{name}");
        assert_eq!(labelling.with(Label::Undec).count(), expected.undec, "{name}");
        let found = preferred(&framework, &Limits::default());
        assert_eq!(found.count, Count::Exactly(Natural::from(expected.preferred_count)), "{name}");
        assert_eq!(found.exact, expected.preferred_count <= 5_000, "{name}");
        if let Some(sets) = &expected.preferred {
            assert_eq!(found.sets, case.sets(sets), "{name}");
        }
        let impatient = extensions(&patient_factors(&framework, 10_000_000, IMPATIENT), 5_000);
        assert_eq!((impatient.count, impatient.limit), (found.count, found.limit), "{name}");
    }
}

#[test]
fn known_random_frameworks() {
    let cases: Vec<Case> = read("fuzz600_with_answers");
    assert_eq!(cases.len(), 600);
    for case in &cases {
        let framework = case.framework();
        let labels = case.args.iter().map(|name| case.labels[name]).collect();
        assert_eq!(grounded(&framework), Labelling(labels));
        assert_eq!(preferred(&framework, &Limits::default()).sets, case.sets(&case.preferred));
    }
}

/// Oracle O1 of VERDICTS.md: with the one conflict that was missed, two camps and nothing in common.
#[test]
fn one_missing_conflict() {
    let case: Case = read("11_real_v2");
    let framework = case.framework();
    assert_eq!(preferred(&framework, &Limits::default()).sets, [[2, 4, 7]]);
    let with = Framework::new(8, framework.attacks().chain([(4, 7), (7, 4)])).expect("in range");
    assert_eq!(grounded(&with).with(Label::In).count(), 0);
    assert_eq!(preferred(&with, &Limits::default()).sets, [vec![0, 2, 4, 5, 6], vec![1, 3, 7]]);
}

/// Oracle O5: k conflicts that have nothing to do with one another have 2^k preferred extensions.
#[test]
fn independent_conflicts_multiply() {
    for k in (0..=20).chain([100, 127, 128, 200, 5_000]) {
        let pairs = (0..k).flat_map(|pair| [(2 * pair, 2 * pair + 1), (2 * pair + 1, 2 * pair)]);
        let framework = Framework::new(2 * k as usize, pairs).expect("in range");
        let found = preferred(&framework, &Limits::default());
        let doubled = (0..k).fold(Natural::ONE, |number, _| number.plus(&number));
        assert_eq!(found.count, Count::Exactly(doubled), "{k}");
        let listed = if k <= 12 { 1 << k } else { 5_000 };
        assert_eq!((found.sets.len(), found.exact), (listed, k <= 12), "{k}");
        assert_eq!(found.limit, if k <= 12 { None } else { Some("sets") });
        assert!(found.sets.is_sorted_by(|a, b| a < b));
        let accepted = acceptance(&framework, &Limits::default());
        assert!(accepted.exact && accepted.standings.iter().all(|it| *it == Standing::Credulous));
    }
}

/// Mutual attacks along a path have as many maximal conflict-free sets as Padovan's sequence says, along a ring as
/// Perrin's; all of it is one strongly connected component.
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
    for n in (3..40).chain([64, 100, 500]) {
        let mutual = |a, b| [(a, b), (b, a)];
        let path = Framework::new(n as usize, (1..n).flat_map(|a| mutual(a - 1, a))).expect("in range");
        let ring = Framework::new(n as usize, (0..n).flat_map(|a| mutual(a, (a + 1) % n))).expect("in range");
        let limits = Limits { sets: 0, ..Limits::default() };
        assert_eq!(preferred(&path, &limits).count, Count::Exactly(sequence([1, 1, 2], n)), "{n}");
        assert_eq!(preferred(&ring, &limits).count, Count::Exactly(sequence([3, 0, 2], n)), "{n}");
    }
}

#[test]
fn a_deep_debate_takes_no_stack() {
    // Each conflict decides something about the next, three thousand deep.
    let links = (0..3_000).flat_map(|a| [(2 * a, 2 * a + 1), (2 * a + 1, 2 * a), (2 * a + 1, 2 * a + 2)]);
    let framework = Framework::new(6_001, links).expect("in range");
    let limits = Limits { sets: 3, ..Limits::default() };
    let found = preferred(&framework, &limits);
    assert_eq!((found.limit, found.sets.len()), (Some("sets"), 3));
    for set in &found.sets {
        assert!(is_complete(&framework, &Labelling::of_extension(&framework, set)));
    }
    assert!(acceptance(&framework, &limits).exact);
}

/// Marsaglia's xorshift: the same frameworks in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % bound
    }

    /// A framework of up to `most` arguments, thin or thick, with attacks that go both ways more or less often.
    fn framework(&mut self, most: u64) -> Framework {
        let size = self.below(most + 1);
        let (thickness, mutual, alone) = (1 + self.below(45), self.below(100), self.below(15));
        let mut attacks = Vec::new();
        for a in 0..size {
            for b in 0..size {
                let likely = if a == b { alone } else { thickness };
                if self.below(100) < likely {
                    attacks.push((a as u32, b as u32));
                    if self.below(100) < mutual {
                        attacks.push((b as u32, a as u32));
                    }
                }
            }
        }
        Framework::new(size as usize, attacks).expect("in range")
    }

    fn permutation(&mut self, size: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..).take(size).collect();
        for last in (1..size).rev() {
            order.swap(last, self.below(last as u64 + 1) as usize);
        }
        order
    }
}

/// The definitions, on sets of arguments as bits.
struct Oracle {
    attackers: Vec<u32>,
    attacked: Vec<u32>,
}

impl Oracle {
    fn new(framework: &Framework) -> Self {
        let bits = |row: &[u32]| row.iter().fold(0, |bits, argument| bits | 1 << argument);
        let attackers = framework.arguments().map(|a| bits(framework.attackers(a))).collect();
        Self { attackers, attacked: framework.arguments().map(|a| bits(framework.attacked(a))).collect() }
    }

    fn attacked_by(&self, set: u32) -> u32 {
        members(set).fold(0, |out, argument| out | self.attacked[argument])
    }

    /// What the set defends.
    fn defended_by(&self, set: u32) -> u32 {
        let out = self.attacked_by(set);
        let defended = (0..self.attackers.len()).filter(|&argument| self.attackers[argument] & !out == 0);
        defended.fold(0, |bits, argument| bits | 1 << argument)
    }

    fn preferred(&self) -> Vec<Vec<u32>> {
        let admissible = |&set: &u32| self.attacked_by(set) & set == 0 && set & !self.defended_by(set) == 0;
        let admissible: Vec<u32> = (0..1 << self.attackers.len()).filter(admissible).collect();
        let maximal = |&&set: &&u32| !admissible.iter().any(|&other| other != set && set & !other == 0);
        let mut sets: Vec<Vec<u32>> = admissible.iter().filter(maximal).map(|&set| list(set)).collect();
        sets.sort_unstable();
        sets
    }

    fn grounded(&self) -> Labelling {
        let mut set = 0;
        while self.defended_by(set) != set {
            set = self.defended_by(set);
        }
        let out = self.attacked_by(set);
        let label = |argument: usize| match (set >> argument & 1, out >> argument & 1) {
            (1, _) => Label::In,
            (_, 1) => Label::Out,
            _ => Label::Undec,
        };
        Labelling((0..self.attackers.len()).map(label).collect())
    }
}

fn members(set: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |argument| set >> argument & 1 == 1)
}

fn list(set: u32) -> Vec<u32> {
    (0..32).filter(|argument| set >> argument & 1 == 1).collect()
}
