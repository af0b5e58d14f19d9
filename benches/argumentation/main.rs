//! How fast frameworks are answered, and whether rightly.
//!
//! | after `cargo bench --bench argumentation --` | |
//! |---|---|
//! | `medium` | medians over frameworks of debate size, beside scalop where `benches/peers/scalop/build` built it |
//! | `large FOLDER [SECONDS] [NAME]` | every answer of the large frameworks in a folder, so many seconds a question at most (10); those with such a name only |

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

mod digits;
mod large;
mod medium;
mod stopwatch;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let word = |place: usize| words.get(place).map(String::as_str);
    let sound = match (word(0), word(1)) {
        (Some("large"), Some(folder)) => {
            let seconds = word(2).and_then(|it| it.parse().ok()).unwrap_or(10.0);
            large::check(Path::new(folder), Duration::from_secs_f64(seconds), word(3))
        }
        _ => medium::run(),
    };
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
