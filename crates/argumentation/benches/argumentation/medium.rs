//! The frameworks of debate size: medians by family, in process, beside scalop if it is built.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use faultline_argumentation::framework::Framework;
use faultline_argumentation::labelling::grounded;
use faultline_argumentation::limits::SolverLimits;
use faultline_argumentation::queries::argument_acceptance::is_sceptical;
use faultline_argumentation::queries::extension_search::some_extension;
use faultline_argumentation::reasoning::{count_of, extensions_of};
use faultline_argumentation::semantics::Semantics;
use serde::Deserialize;

use crate::stopwatch::micros;

const SET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/argumentation/medium.jsonl");

/// Path at which `benches/peers/scalop/build` puts the program of the peer.
const PEER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/peers/scalop/target/release/scalop-peer");

/// Counts for which the default number of steps does not suffice, with the number that other solvers found.
const LONG: &[(&str, u128)] = &[("medium-stable-7", 157_220), ("medium-symmetric-3", 148_114)];
const LONG_STEPS: u64 = 20_000_000;

/// Greatest number of extensions; frameworks with more are left out.
const MOST: u64 = 5_000;

#[derive(Deserialize)]
struct Case {
    id: String,
    n: usize,
    family: String,
    attacks: Vec<(u32, u32)>,
    expected: BTreeMap<String, serde_json::Value>,
}

/// Times of one framework, in microseconds a query: of this solver, and of the peer.
struct Timed<'a> {
    own: Vec<f64>,
    peer: Option<&'a Vec<f64>>,
}

/// Queries, by their codes: all preferred extensions, the grounded one, one preferred, and whether argument 0 is in all
/// preferred ones.
const QUESTIONS: [&str; 4] = ["EE-PR", "SE-GR", "SE-PR", "DS-PR"];

/// Prints the medians, and counts to the end what the tests do not. Returns true if the counts are correct.
pub fn run() -> bool {
    let text = fs::read_to_string(SET).unwrap_or_else(|error| panic!("{SET}: {error}"));
    let cases: Vec<Case> =
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{SET}: {error}"))).collect();
    let peer = peer();
    if peer.is_empty() {
        println!("scalop is not built: benches/peers/scalop/build");
    }
    let mut families: BTreeMap<&str, Vec<Timed<'_>>> = BTreeMap::new();
    let mut sound = true;
    for case in &cases {
        let framework = Framework::new(case.n, case.attacks.iter().copied()).expect("in range");
        let limits = SolverLimits::default();
        if case.expected["PR"]["count"].as_u64().is_some_and(|count| count <= MOST) {
            let own = vec![
                micros(|| black_box(extensions_of(&framework, Semantics::Preferred, &limits))),
                micros(|| black_box(grounded(&framework))),
                micros(|| black_box(some_extension(&framework, Semantics::Preferred, &limits))),
                micros(|| black_box(is_sceptical(&framework, 0, Semantics::Preferred, &limits))),
                micros(|| black_box(count_of(&framework, Semantics::Preferred, &limits))),
            ];
            families.entry(&case.family).or_default().push(Timed { own, peer: peer.get(&case.id) });
        }
        if let Some((_, count)) = LONG.iter().find(|(id, _)| *id == case.id) {
            let long = SolverLimits { nodes: LONG_STEPS, conflicts: 0, ..limits };
            let found = count_of(&framework, Semantics::Complete, &long).to_string();
            sound &= found == count.to_string();
            println!("{} has {found} complete extensions; {count} are known", case.id);
        }
    }
    print(&families);
    sound
}

fn print(families: &BTreeMap<&str, Vec<Timed<'_>>>) {
    println!(
        "medians, us; in brackets scalop (for EE-PR what one extension takes it: it lists none), and the median ratio"
    );
    print!("{:12} {:>3}", "family", "");
    QUESTIONS.iter().for_each(|question| print!(" {question:>30}"));
    println!(" {:>9}", "count PR");
    let all: Vec<_> = families.values().flatten().collect();
    let rows = families.iter().map(|(family, cases)| (*family, cases.iter().collect())).chain([("all", all)]);
    for (family, cases) in rows {
        let cases: Vec<&Timed<'_>> = cases;
        print!("{family:12} {:3}", cases.len());
        for question in 0..QUESTIONS.len() {
            let own = median(cases.iter().map(|case| case.own[question]));
            let theirs = median(cases.iter().filter_map(|case| case.peer.map(|peer| peer[question])));
            let ratio =
                median(cases.iter().filter_map(|case| case.peer.map(|peer| peer[question] / case.own[question])));
            print!(" {own:10.2} ({theirs:10.1}, {ratio:5.0}x)");
        }
        println!(" {:9.2}", median(cases.iter().map(|case| case.own[QUESTIONS.len()])));
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Runs the peer. Returns the microseconds of each query, by the name of the framework.
fn peer() -> BTreeMap<String, Vec<f64>> {
    if !Path::new(PEER).exists() {
        return BTreeMap::new();
    }
    let output = Command::new(PEER).arg(SET).output().unwrap_or_else(|error| panic!("{PEER}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let read = |line: &str| {
        let mut words = line.split_whitespace();
        let id = words.next()?.to_owned();
        Some((id, words.map(|word| word.parse().unwrap_or(f64::NAN)).collect()))
    };
    text.lines().filter_map(read).collect()
}
