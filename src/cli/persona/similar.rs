//! Suggestion of a persona for a mistyped id.

use crate::config::Config;
use faultline_core::questions::nearest::nearest;
use faultline_ingest::sources::listed;

/// Returns the end of an error about an unknown persona: the nearest one in the folder, or nothing if the persona exists or
/// none is similar.
pub fn did_you_mean(config: &Config, id: &str) -> String {
    let files = listed(&config.personas).unwrap_or_default();
    let files = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "toml"));
    let known: Vec<&str> = files.filter_map(|file| file.file_stem().and_then(|stem| stem.to_str())).collect();
    match nearest(id, known.iter().copied()) {
        Some(nearest) if !known.contains(&id) => format!("; did you mean {nearest}?"),
        _ => String::new(),
    }
}
