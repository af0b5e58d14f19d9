//! Imports between modules, read from `use` lines and from paths in the middle of code.

use std::collections::BTreeSet;

use crate::source::Source;
use crate::text::is_of_word;

/// One module that names another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// Crate and module that imports.
    pub from: Vec<String>,
    /// Crate and module that is imported.
    pub to: Vec<String>,
    /// Line of the import, from 1.
    pub line: usize,
}

/// Returns every import between modules of the given sources, with crates as the first part of both ends.
#[must_use]
pub fn imports(sources: &[Source]) -> Vec<Import> {
    let modules: BTreeSet<Vec<String>> = sources.iter().map(address).collect();
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| !source.is_door()) {
        let from = address(source);
        for (line, named) in paths(&source.code) {
            if let Some(to) = resolve(&modules, &source.krate, &named).filter(|to| *to != from) {
                found.push(Import { from: from.clone(), to, line });
            }
        }
    }
    found
}

/// Crate and module of a source.
#[must_use]
pub fn address(source: &Source) -> Vec<String> {
    std::iter::once(source.krate.clone()).chain(source.module.iter().cloned()).collect()
}

/// The longest module that a path names, if it names one of ours.
fn resolve(modules: &BTreeSet<Vec<String>>, own: &str, named: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = named.split("::").map(str::to_owned).collect();
    if parts[0] == "crate" {
        own.clone_into(&mut parts[0]);
    }
    while parts.len() > 1 {
        if modules.contains(&parts) {
            return Some(parts);
        }
        parts.pop();
    }
    None
}

/// Returns all paths in code (`a::b::c`), each with its line; of one with braces, each name by itself.
#[must_use]
pub fn paths(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(offset) = code[at..].find(is_of_word) {
        line += code[at..at + offset].matches('\n').count();
        at += offset;
        let after = code[at..].trim_start_matches(is_of_word);
        let mut end = code.len() - after.len();
        if after.starts_with("::") || code[..at].ends_with("use ") {
            let mut names = Vec::new();
            end = code.len() - path(&code[at..], "", &mut names).len();
            found.extend(names.into_iter().map(|name| (line, name)));
        }
        line += code[at..end].matches('\n').count();
        at = end;
    }
    found
}

/// Reads the path at the start of code; returns the code after it.
fn path<'a>(code: &'a str, prefix: &str, found: &mut Vec<String>) -> &'a str {
    if let Some(mut rest) = code.strip_prefix('{') {
        while !rest.is_empty() && !rest.starts_with('}') {
            rest = path(rest.trim_start(), prefix, found);
            rest = &rest[rest.find([',', '}']).unwrap_or(rest.len())..];
            rest = rest.trim_start_matches(',').trim_start();
        }
        return rest.strip_prefix('}').unwrap_or(rest);
    }
    let after = code.strip_prefix('*').unwrap_or_else(|| code.trim_start_matches(is_of_word));
    let named = format!("{prefix}{}", &code[..code.len() - after.len()]);
    let goes_on = |rest: &&str| rest.starts_with(|letter| is_of_word(letter) || letter == '*' || letter == '{');
    match after.strip_prefix("::").filter(goes_on) {
        Some(rest) => path(rest, &format!("{named}::"), found),
        None => {
            found.push(named);
            after
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_use_lines_and_in_code() {
        let code = "use a::{b, c::{self, d as e}};\nfn f() { crate::x::y(); }\nuse g::*;";
        let names: Vec<String> = paths(code).into_iter().map(|(line, name)| format!("{line} {name}")).collect();
        assert_eq!(names, ["1 a::b", "1 a::c::self", "1 a::c::d", "2 crate::x::y", "3 g::*"]);
    }

    #[test]
    fn imports_end_at_modules() {
        let files = [
            ("crates/core/src/events/turn.rs", "use crate::events::ids::TurnId;"),
            ("crates/core/src/events/ids.rs", ""),
            ("src/api/query.rs", "use faultline_core::events::ids::{DebateId, TurnId};\nuse serde::Serialize;"),
        ];
        let sources: Vec<Source> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
        let found: Vec<String> = imports(&sources)
            .iter()
            .map(|import| format!("{} > {}", import.from.join("/"), import.to.join("/")))
            .collect();
        let to_ids = "faultline/api/query > faultline_core/events/ids";
        assert_eq!(found, ["faultline_core/events/turn > faultline_core/events/ids", to_ids, to_ids]);
    }
}
