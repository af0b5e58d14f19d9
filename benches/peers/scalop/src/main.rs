//! Times of scalop for the frameworks of a file. `scalop-peer FILE` prints for each framework its name, and
//! microseconds measured in process: for all preferred extensions, for the grounded one, for one preferred, and for
//! whether argument 0 is in all preferred ones.
//!
//! scalop does not list extensions: for all of them, the time of one is printed, which is a lower bound.

use std::env::args;
use std::fs::read_to_string;
use std::hint::black_box;
use std::time::{Duration, Instant};

use scalop::aa::{AAFramework, ArgumentSet};
use scalop::solvers::{
    GroundedSemanticsSolver, PreferredSemanticsSolver, SingleExtensionComputer, SkepticalAcceptanceComputer,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    n: usize,
    attacks: Vec<(usize, usize)>,
}

fn main() {
    let words: Vec<String> = args().collect();
    for line in read_to_string(&words[1]).expect("a file").lines() {
        let case: Case = serde_json::from_str(line).expect("a framework");
        let labels: Vec<usize> = (0..case.n).collect();
        let mut framework = AAFramework::new_with_argument_set(ArgumentSet::new_with_labels(&labels));
        for (attacker, target) in &case.attacks {
            framework.new_attack(attacker, target).expect("known arguments");
        }
        let grounded = micros(|| GroundedSemanticsSolver::new(&framework).compute_one_extension().map(|it| it.len()));
        let one = micros(|| PreferredSemanticsSolver::new(&framework).compute_one_extension().map(|it| it.len()));
        let sceptical = micros(|| PreferredSemanticsSolver::new(&framework).is_skeptically_accepted(&0));
        println!("{} {one:.3} {grounded:.3} {one:.3} {sceptical:.3}", case.id);
    }
}

/// Returns the microseconds a call: the best of several batches.
fn micros<T>(mut call: impl FnMut() -> T) -> f64 {
    let mut times = 1_u32;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        loop {
            let start = Instant::now();
            (0..times).for_each(|_| drop(black_box(call())));
            let spent = start.elapsed();
            if spent >= Duration::from_millis(4) {
                best = best.min(spent.as_secs_f64() * 1e6 / f64::from(times));
                break;
            }
            times *= 2;
        }
    }
    best
}
