//! Rooms: how many entries a folder holds, and whether the entries of a folder import one another in circles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::imports::Import;

/// Most entries that a folder of code may hold, files and folders counted.
pub const MAX_ENTRIES: usize = 25;

/// Folders whose entries are data, one file an item, and no code: they may grow.
const DATA: &[&str] = &["fixtures", "node_modules", "target", ".venv"];

/// Returns the folders of code with the number of their entries, largest first.
///
/// # Panics
/// If a folder cannot be read.
#[must_use]
pub fn entries(root: &Path) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for top in ["src", "crates", "tests", "benches"] {
        count(root, &root.join(top), &mut found);
    }
    found.sort_by(|a, b| b.cmp(a));
    found
}

fn count(root: &Path, folder: &Path, found: &mut Vec<(usize, String)>) {
    let mut n_entries = 0;
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("read {}: {error}", folder.display())) {
        let path = entry.expect("read an entry of a folder").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        n_entries += 1;
        if path.is_dir() && !DATA.contains(&name.as_str()) {
            count(root, &path, found);
        }
    }
    found.push((n_entries, folder.strip_prefix(root).unwrap_or(folder).to_string_lossy().into_owned()));
}

/// Returns the cycles of imports between the entries of one folder, for every folder: the folder and the entries in the cycle.
///
/// A folder that imports its neighbor and is imported by it is a cycle, even if no single file is part of one: the two cannot
/// be understood one after the other. Tarjan's strongly connected components, linear in the number of imports.
#[must_use]
pub fn cycles(imports: &[Import]) -> Vec<(String, Vec<String>)> {
    let mut folders: BTreeMap<Vec<String>, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for import in imports {
        let shared = import.from.iter().zip(&import.to).take_while(|(a, b)| a == b).count();
        if let (Some(from), Some(to)) = (import.from.get(shared), import.to.get(shared)) {
            let folder = folders.entry(import.from[..shared].to_vec()).or_default();
            folder.entry(from.clone()).or_default().insert(to.clone());
            folder.entry(to.clone()).or_default();
        }
    }
    let mut found = Vec::new();
    for (folder, graph) in &folders {
        found.extend(components(graph).into_iter().map(|cycle| (folder.join("/"), cycle)));
    }
    found
}

/// Strongly connected components with more than one node.
fn components(graph: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let mut search =
        Search { graph, index: BTreeMap::new(), low: BTreeMap::new(), stack: Vec::new(), found: Vec::new() };
    for node in graph.keys() {
        if !search.index.contains_key(node.as_str()) {
            search.visit(node);
        }
    }
    search.found
}

struct Search<'a> {
    graph: &'a BTreeMap<String, BTreeSet<String>>,
    index: BTreeMap<&'a str, usize>,
    low: BTreeMap<&'a str, usize>,
    stack: Vec<&'a str>,
    found: Vec<Vec<String>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, node: &'a str) -> usize {
        let own = self.index.len();
        self.index.insert(node, own);
        self.stack.push(node);
        let mut low = own;
        for next in &self.graph[node] {
            match self.index.get(next.as_str()).copied() {
                None => low = low.min(self.visit(next)),
                Some(at) if self.stack.contains(&next.as_str()) => low = low.min(at),
                Some(_) => {}
            }
        }
        self.low.insert(node, low);
        if low == own {
            let start = self.stack.iter().position(|on_stack| *on_stack == node).unwrap_or_default();
            let mut cycle: Vec<String> = self.stack.split_off(start).into_iter().map(str::to_owned).collect();
            cycle.sort();
            if cycle.len() > 1 {
                self.found.push(cycle);
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(from: &str, to: &str) -> Import {
        let parts = |path: &str| path.split('/').map(str::to_owned).collect();
        Import { from: parts(from), to: parts(to), line: 1 }
    }

    #[test]
    fn a_cycle_between_folders_is_found_where_no_file_has_one() {
        let imports = [import("x/a/p", "x/b/q"), import("x/b/r", "x/a/s"), import("x/c", "x/a/p")];
        assert_eq!(cycles(&imports), [("x".to_owned(), vec!["a".to_owned(), "b".to_owned()])]);
    }

    #[test]
    fn imports_in_one_direction_are_no_cycle() {
        let imports = [import("x/a/p", "x/a/q"), import("x/a/p", "x/b"), import("x/c", "x/b"), import("y/a", "x/a/p")];
        assert_eq!(cycles(&imports), []);
    }
}
