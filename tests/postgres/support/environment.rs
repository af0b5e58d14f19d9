//! Paths and settings of a test run.

use std::path::{Path, PathBuf};

/// Returns a path below the checkout.
pub fn project_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the folder of fetched binaries.
pub fn cache_dir() -> PathBuf {
    let home = std::env::var_os("FAULTLINE_HOME").map(PathBuf::from);
    home.unwrap_or_else(|| project_path(".faultline")).join("cache")
}

/// Reports on stderr that something is not tested here, bypassing the test runner, which hides the output of passing
/// tests.
pub fn report_skipped(what: &str) {
    use std::io::Write;
    writeln!(std::io::stderr(), "left out: {what}").expect("say it");
}

/// Returns the number of kills in a test: the value of `FAULTLINE_TRIALS`, or else `usually`.
pub fn n_trials(usually: usize) -> usize {
    std::env::var("FAULTLINE_TRIALS").map_or(usually, |value| value.parse().expect("FAULTLINE_TRIALS is a number"))
}

/// Returns the number of followers on each service of a test: the value of `FAULTLINE_FOLLOWERS`, or else `usually`.
pub fn n_followers(usually: usize) -> usize {
    std::env::var("FAULTLINE_FOLLOWERS")
        .map_or(usually, |value| value.parse().expect("FAULTLINE_FOLLOWERS is a number"))
}

/// Path of a file in `tests/fixtures`.
pub fn fixture_path(name: &str) -> PathBuf {
    project_path(&format!("tests/fixtures/{name}"))
}
