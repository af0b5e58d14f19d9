//! Speed and correctness of argumentation queries.
//!
//! - `cargo bench --bench argumentation -- medium`: medians over frameworks of debate size, beside scalop if
//!   `benches/peers/scalop/build` built it.
//! - `cargo bench --bench argumentation -- large FOLDER [SECONDS] [NAME]`: checks every answer of the large frameworks
//!   in a folder, with at most this many seconds a query (10). With NAME, only those whose name contains it.
//! - `cargo bench --bench argumentation -- small-worlds [SECONDS] [FOLDER]`: answers with witnesses in generated
//!   frameworks of 500 to 1,000 arguments; `w` marks a time whose witness was checked. Writes them to FOLDER, so that
//!   other solvers can be run on the same.
//!
//! Relative folders are those of the project.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

mod digits;
mod large;
mod medium;
mod small_worlds;
mod stopwatch;

/// Returns a path of the project. Cargo runs a bench in the folder of its crate.
fn in_project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let word = |place: usize| words.get(place).map(String::as_str);
    let sound = match (word(0), word(1)) {
        (Some("large"), Some(folder)) => {
            let seconds = word(2).and_then(|word| word.parse().ok()).unwrap_or(10.0);
            large::check(&in_project(folder), Duration::from_secs_f64(seconds), word(3))
        }
        (Some("small-worlds"), seconds) => {
            let seconds = seconds.and_then(|word| word.parse().ok()).unwrap_or(10.0);
            small_worlds::run(Duration::from_secs_f64(seconds), word(2).map(in_project).as_deref())
        }
        _ => medium::run(),
    };
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
