//! The Rust files of the workspace's crates, each with the module that it defines.

use std::fs;
use std::path::Path;

use crate::text::{bare, without_tests};

/// A Rust file of a crate.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the crate as paths spell it: `faultline_core`.
    pub krate: String,
    /// Path of the file from the root of the workspace, with `/`.
    pub path: String,
    /// Module that the file defines, below its crate: `["events", "turn"]`; empty for `lib.rs`.
    pub module: Vec<String>,
    /// Text of the file.
    pub text: String,
    /// Code without comments, literals and tests; lines as in the text.
    pub code: String,
}

impl Source {
    /// Makes a source of a path from the root of the workspace and a text.
    #[must_use]
    pub fn new(path: &str, text: &str) -> Self {
        let (krate, inside) = match path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/")) {
            Some((name, inside)) => (crate_name(name), inside),
            None => ("faultline".to_owned(), path.trim_start_matches("src/")),
        };
        let stem = inside.trim_end_matches(".rs");
        let stem = if stem == "mod" || stem == "lib" { "" } else { stem.trim_end_matches("/mod") };
        let module = stem.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let code = without_tests(&bare(text));
        Source { krate, path: path.to_owned(), module, text: text.to_owned(), code }
    }

    /// Whether the file only declares the modules of its folder.
    #[must_use]
    pub fn is_door(&self) -> bool {
        self.path.ends_with("/mod.rs") || self.path.ends_with("/lib.rs")
    }
}

/// Reads the sources of every crate of the workspace, tests and benches excluded, ordered by path.
///
/// # Panics
/// If a folder or a file cannot be read.
#[must_use]
pub fn sources(root: &Path) -> Vec<Source> {
    let mut paths = Vec::new();
    files(&root.join("src"), &mut paths);
    for entry in fs::read_dir(root.join("crates")).expect("read the folder of crates") {
        files(&entry.expect("read an entry of crates").path().join("src"), &mut paths);
    }
    let mut found: Vec<Source> = paths.iter().map(|path| read(root, path)).collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn read(root: &Path, path: &Path) -> Source {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("read {}: {error}", path.display()));
    let below = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    Source::new(&below, &text)
}

fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("read {}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("read an entry of a folder").path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Name of a crate as paths spell it, from the name of its folder.
fn crate_name(folder: &str) -> String {
    if folder == "xtask" { folder.to_owned() } else { format!("faultline_{folder}") }
}
