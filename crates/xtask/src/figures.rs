//! Figures of the code base, as `cargo xtask look` prints them.

use std::fmt::Write;
use std::path::Path;

use crate::imports::imports;
use crate::language::{is_riddle, openings, reused};
use crate::rooms::{cycles, entries};
use crate::sizes::{file_lines, functions, percentile};
use crate::source::sources;

/// Returns the figures of the checkout at a root, one a line.
#[must_use]
pub fn figures(root: &Path) -> String {
    let sources = sources(root);
    let imports = imports(&sources);
    let openings: Vec<_> = sources.iter().flat_map(openings).collect();
    let riddles = openings.iter().filter(|opening| is_riddle(opening)).count();
    let files: Vec<usize> = sources.iter().filter(|source| !source.is_door()).map(file_lines).collect();
    let lengths: Vec<usize> = sources.iter().flat_map(functions).map(|function| function.lines).collect();
    let rooms = entries(root);
    let cycles = cycles(&imports);
    let mut text = String::new();
    let share = 100.0 * riddles as f64 / openings.len().max(1) as f64;
    let mut line = |name: &str, value: String| writeln!(text, "{name:<44}{value}").unwrap_or_default();
    line("files, imports between them", format!("{}, {}", sources.len(), imports.len()));
    line("lines of code a file: median, p90, most", spread(&files));
    line("lines a function: median, p90, most", spread(&lengths));
    line("functions", lengths.len().to_string());
    line("docs that open with What, Who, How, So, ...", format!("{riddles} of {} ({share:.1} %)", openings.len()));
    line("public type names used twice in a crate", reused(&sources).len().to_string());
    line("cycles among the entries of a folder", cycles.len().to_string());
    for (folder, cycle) in &cycles {
        line("", format!("{folder}: {}", cycle.join(", ")));
    }
    line(
        "largest folders (entries)",
        rooms.iter().take(5).map(|(n, path)| format!("{path} {n}")).collect::<Vec<_>>().join(", "),
    );
    text
}

fn spread(values: &[usize]) -> String {
    let most = values.iter().max().copied().unwrap_or_default();
    format!("{}, {}, {most}", percentile(values, 50), percentile(values, 90))
}
