//! Frameworks with results on which several solvers agree (`tests/fixtures/argumentation`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use faultline_argumentation::explanation::acceptance::AcceptanceStatus;
use faultline_argumentation::framework::Framework;
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::reasoning::{acceptance_of, count_of, extensions_of};
use faultline_argumentation::semantics::Semantics;
use faultline_argumentation::structures::count::{Count, Natural};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Counts that no solver found.
const UNKNOWN: &[&str] = &["medium-debate-13 CO", "medium-scc-8 CO", "medium-oddmix-3 STG"];

/// Counts that take longer than a test should: here, only a bound found within few steps is checked. `cargo bench
/// --bench argumentation -- medium` counts them to the end.
const LONG: &[&str] = &["medium-stable-7 CO", "medium-symmetric-3 CO"];
const FEW_STEPS: u64 = 20_000;

/// Set as hexadecimal digits: bit i stands for argument i.
type Digits = String;

#[derive(Deserialize)]
struct Case {
    id: String,
    n: usize,
    attacks: Vec<(u32, u32)>,
    expected: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Listed {
    count: Option<u64>,
    ext: Option<Vec<Digits>>,
}

#[derive(Deserialize)]
struct Trace {
    id: String,
    ops: Vec<Vec<Value>>,
    after: Vec<After>,
}

#[derive(Deserialize)]
struct After {
    #[serde(rename = "GR")]
    grounded: Digits,
    #[serde(rename = "ID")]
    ideal: Digits,
    #[serde(rename = "PR")]
    preferred: u128,
    #[serde(rename = "DC-PR")]
    credulous: Digits,
    #[serde(rename = "DS-PR")]
    sceptical: Digits,
}

fn lines<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = format!("{}/tests/fixtures/argumentation/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}: {error}"))).collect()
}

/// Writes a set in the digits of the files.
fn digits(set: impl IntoIterator<Item = u32>) -> Digits {
    let mut nibbles = vec![0_u32; 1];
    for argument in set {
        let place = argument as usize / 4;
        nibbles.resize(nibbles.len().max(place + 1), 0);
        nibbles[place] |= 1 << (argument % 4);
    }
    nibbles.iter().rev().map(|&nibble| char::from_digit(nibble, 16).expect("a nibble")).collect()
}

fn arguments_where(framework: &Framework, holds: impl Fn(AcceptanceStatus) -> Option<bool>) -> Digits {
    let found = acceptance_of(framework, Semantics::Preferred, &SolverLimits::default());
    assert!(found.exact, "{:?}", found.limit);
    let held = framework.arguments().zip(found.statuses).filter(|(_, standing)| holds(*standing) == Some(true));
    digits(held.map(|(argument, _)| argument))
}

/// Compares every result of a file. Returns the number of results.
fn check(name: &str) -> usize {
    let mut answers = 0;
    for case in lines::<Case>(name) {
        let framework = Framework::new(case.n, case.attacks.iter().copied()).expect("in range");
        for (key, value) in &case.expected {
            let place = format!("{} {key}", case.id);
            answers += 1;
            match (key.as_str(), value) {
                ("DC-PR", Value::String(set)) => {
                    assert_eq!(arguments_where(&framework, AcceptanceStatus::is_credulous), *set, "{place}");
                }
                ("DS-PR", Value::String(set)) => {
                    assert_eq!(arguments_where(&framework, AcceptanceStatus::is_sceptical), *set, "{place}");
                }
                (code, Value::String(set)) => {
                    let semantics = code.parse().expect("a semantics");
                    let found = extensions_of(&framework, semantics, &SolverLimits::default());
                    let sets: Vec<Digits> = found.sets.into_iter().map(digits).collect();
                    assert_eq!((sets, found.limit), (vec![set.clone()], None), "{place}");
                }
                (code, listed) => {
                    let listed: Listed = serde_json::from_value(listed.clone()).expect("a count and sets");
                    compare(&framework, code.parse().expect("a semantics"), &listed, &place);
                }
            }
        }
    }
    answers
}

fn compare(framework: &Framework, semantics: Semantics, listed: &Listed, place: &str) {
    let Some(count) = listed.count else {
        return assert!(UNKNOWN.contains(&place), "{place}");
    };
    let count = Natural::from(u128::from(count));
    if LONG.contains(&place) {
        let limits = SolverLimits { nodes: FEW_STEPS, conflicts: 0, ..SolverLimits::default() };
        let Count::AtLeast(bound) = count_of(framework, semantics, &limits) else {
            panic!("{place} was counted to the end")
        };
        return assert!(bound.as_u128() <= count.as_u128(), "{place}");
    }
    let limits = SolverLimits { sets: if listed.ext.is_some() { 5_000 } else { 3 }, ..SolverLimits::default() };
    let found = extensions_of(framework, semantics, &limits);
    assert_eq!(found.count, Count::Exactly(count), "{place}");
    if let Some(sets) = &listed.ext {
        assert!(found.exact, "{place}: {:?}", found.limit);
        let found: BTreeSet<Digits> = found.sets.into_iter().map(digits).collect();
        assert!(found.len() == sets.len() && sets.iter().all(|set| found.contains(set)), "{place}");
    }
}

#[test]
fn small_frameworks_match_the_solvers() {
    assert_eq!(check("small"), 2_214);
}

#[test]
fn medium_frameworks_match_the_solvers() {
    assert_eq!(check("medium"), 639);
}

#[test]
fn real_debates_match_the_solvers() {
    assert_eq!(check("real"), 90);
}

/// Returns the number of an argument in an operation of a trace.
fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).expect("an argument")
}

#[test]
fn growing_debates_match_the_solvers_after_every_change() {
    let limits = SolverLimits::default();
    let mut steps = 0;
    for trace in lines::<Trace>("dynamic") {
        let (mut present, mut attacks) = (BTreeSet::new(), BTreeSet::new());
        for (op, after) in trace.ops.iter().zip(&trace.after) {
            match (op[0].as_str(), &op[1..]) {
                (Some("+n"), [argument]) => assert!(present.insert(number(argument))),
                (Some("-n"), [argument]) => {
                    let gone = number(argument);
                    present.remove(&gone);
                    attacks.retain(|&(a, b)| a != gone && b != gone);
                }
                (Some("+a"), [a, b]) => assert!(attacks.insert((number(a), number(b)))),
                (Some("-a"), [a, b]) => assert!(attacks.remove(&(number(a), number(b)))),
                _ => panic!("{op:?}"),
            }
            let size = present.last().map_or(0, |last| last + 1);
            let whole = Framework::new(size as usize, attacks.iter().copied()).expect("in range");
            let members: Vec<u32> = present.iter().copied().collect();
            let framework = whole.restricted_to(&members);
            let named = |set: &[u32]| digits(set.iter().map(|&index| members[index as usize]));
            let only = |semantics| named(&extensions_of(&framework, semantics, &limits).sets[0]);
            let standings = acceptance_of(&framework, Semantics::Preferred, &limits).statuses;
            let held = |holds: fn(AcceptanceStatus) -> Option<bool>| {
                let held = members.iter().zip(&standings).filter(|(_, standing)| holds(**standing) == Some(true));
                digits(held.map(|(&argument, _)| argument))
            };
            let place = || format!("{} after {op:?}", trace.id);
            assert_eq!(only(Semantics::Grounded), after.grounded, "{}", place());
            assert_eq!(only(Semantics::Ideal), after.ideal, "{}", place());
            let count = count_of(&framework, Semantics::Preferred, &limits);
            assert_eq!(count, Count::Exactly(Natural::from(after.preferred)), "{}", place());
            assert_eq!(held(AcceptanceStatus::is_credulous), after.credulous, "{}", place());
            assert_eq!(held(AcceptanceStatus::is_sceptical), after.sceptical, "{}", place());
            steps += 1;
        }
    }
    assert_eq!(steps, 2_005);
}
