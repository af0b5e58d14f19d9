//! Layers: which folders may import which, and words that may appear in one layer only.

use crate::imports::paths;
use crate::source::Source;
use crate::text::{bare, numbered};

/// From the ground up. A folder may import folders on lower floors, and its own files.
///
/// The crates are on these floors as well, and the compiler keeps those apart.
pub const FLOORS: &[&[&str]] = &[
    &[
        "argumentation",
        "core/events",
        "core/programs",
        "core/questions",
        "core/retrieval",
        "store/provision",
        "config_values",
        "limits",
        "proxies",
        "shipped",
    ],
    &["core/voices", "core/positions", "config_file"],
    &["core/projections", "core/drafting", "config"],
    &["core/verdicts"],
    &["core/measures"],
    &["core/kernel", "store", "core/export"],
    &["core/engines", "providers", "core/imports", "tables", "nats"],
    &["core/experiments", "core/suggestions", "service"],
    &["api", "ingest", "runtime"],
    &["app", "terminal"],
    &["cli"],
    &["main"],
];

/// The crates that know no clock, no chance, no socket, no file and no table.
pub const PURE: &[&str] = &["faultline_argumentation", "faultline_core"];

/// Words that a pure file may not contain.
pub const FOREIGN: &[&str] = &[
    "sqlx::",
    "tokio::",
    "reqwest::",
    "axum::",
    "async_graphql::",
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "SystemTime",
    "Utc::now",
    "Uuid::new_v4",
    "Uuid::now_v7",
    ".await",
];

/// Words that may be used in one folder only.
const AT_HOME: &[(&str, &str)] = &[("sqlx::", "store"), ("async_graphql", "api")];

/// Calls that may be made in one file only.
const IN_FILE: &[(&str, &str)] = &[
    ("pool.begin()", "crates/store/src/database/transaction.rs"),
    ("pool().begin()", "crates/store/src/database/transaction.rs"),
];

/// Folder of a source, as the floors name it: the crate, or the crate and its top folder.
#[must_use]
pub fn folder(source: &Source) -> String {
    named(&source.krate, source.module.first().map_or("main", String::as_str))
}

/// Folder that a path names, if the path names one of ours.
fn named_by(own: &Source, path: &str) -> Option<String> {
    let mut parts = path.split("::");
    let krate = match parts.next()? {
        "crate" => own.krate.as_str(),
        krate if krate == "faultline" || krate.starts_with("faultline_") => krate,
        _ => return None,
    };
    Some(named(krate, parts.next().unwrap_or_default()))
}

fn named(krate: &str, top: &str) -> String {
    match krate {
        "faultline" => top.to_owned(),
        "faultline_core" => format!("core/{top}"),
        "faultline_store" if top == "provision" => "store/provision".to_owned(),
        _ => krate.trim_start_matches("faultline_").to_owned(),
    }
}

fn floor(folder: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&folder))
}

/// Returns the faults of one file: lines and what is wrong with them.
#[must_use]
pub fn faults(source: &Source) -> Vec<String> {
    let mut faults: Vec<(usize, String)> = Vec::new();
    if !source.text.starts_with("//!") {
        faults.push((1, "has no documentation at its head".to_owned()));
    }
    if source.is_door() {
        faults.extend(beside_mod_lines(source));
    } else {
        faults.extend(upward(source));
        faults.extend(words(source));
    }
    faults.sort();
    faults.dedup();
    faults.iter().map(|(line, fault)| format!("{}:{line}: {fault}", source.path)).collect()
}

/// Content of a door besides docs, attributes of the crate and `mod` lines.
fn beside_mod_lines(source: &Source) -> Vec<(usize, String)> {
    let is_mod = |line: &str| {
        let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        line.strip_prefix("mod ").is_some_and(|name| name.ends_with(';') && !name.contains(' '))
    };
    numbered(&source.code)
        .filter(|(_, line)| !line.is_empty() && !line.starts_with("#![") && !is_mod(line))
        .map(|(line, text)| (line, format!("a door only declares modules; move `{text}` to a file")))
        .collect()
}

/// Imports that do not go down; globs, re-exports and `super`.
fn upward(source: &Source) -> Vec<(usize, String)> {
    let own = folder(source);
    let mut faults = Vec::new();
    let Some(own_floor) = floor(&own) else {
        return vec![(1, format!("{own} is on no floor"))];
    };
    for (line, path) in paths(&source.code) {
        if path.ends_with("::*") {
            faults.push((line, format!("imports a glob: {path}")));
        }
        if path.starts_with("super::") {
            faults.push((line, format!("imports by `super`, which hides the owner: {path}")));
        }
        match named_by(source, &path).map(|theirs| (floor(&theirs), theirs)) {
            Some((None, theirs)) => faults.push((line, format!("imports {path}: {theirs} is on no floor"))),
            Some((Some(theirs_floor), theirs)) if theirs != own && theirs_floor >= own_floor => {
                faults.push((line, format!("imports {path}: {theirs} is not below {own}")));
            }
            Some((_, theirs)) if theirs == own => {
                faults.extend(among_siblings(source, &path).map(|why| (line, format!("imports {path}: {why}"))));
            }
            _ => {}
        }
    }
    let reexports = numbered(&source.code)
        .filter(|(_, text)| text.starts_with("pub") && text.contains(" use ") || text.starts_with("pub use "));
    faults.extend(reexports.map(|(line, _)| (line, "re-exports an item of another file".to_owned())));
    faults
}

/// Projections do not import one another, and neither do engines.
fn among_siblings(source: &Source, path: &str) -> Option<String> {
    let theirs = path.split("::").nth(2)?;
    let own = source.module.get(1)?;
    match folder(source).as_str() {
        "core/projections" if theirs != "projection" && theirs != own && own != "registry" => {
            Some("a projection imports no projection".to_owned())
        }
        // What engines share is no engine: the talk of dialogue and disputes, and the closing phase of graph and dialectic.
        "core/engines" if own != "registry" && theirs != own && !["closing", "shared", "talk"].contains(&theirs) => {
            Some("an engine imports no engine".to_owned())
        }
        _ => None,
    }
}

/// Words that may not be used here.
fn words(source: &Source) -> Vec<(usize, String)> {
    let own = folder(source);
    let top = own.split('/').next().unwrap_or_default();
    let mut unwelcome: Vec<(&str, String)> = vec![(".unwrap()", "only tests unwrap".to_owned())];
    if PURE.contains(&source.krate.as_str()) {
        unwelcome.extend(FOREIGN.iter().map(|word| (*word, format!("{own} is pure"))));
    }
    let elsewhere = AT_HOME.iter().filter(|(_, home)| *home != top);
    unwelcome.extend(elsewhere.map(|(word, home)| (*word, format!("only {home} may use it"))));
    let in_others = IN_FILE.iter().filter(|(_, file)| *file != source.path);
    unwelcome.extend(in_others.map(|(call, file)| (*call, format!("only {file} may call it"))));
    let named = paths(&source.code).into_iter().map(|(line, path)| (line, path + "::"));
    let said: Vec<(usize, String)> =
        numbered(&source.code).map(|(line, text)| (line, text.to_owned())).chain(named).collect();
    let mut faults = Vec::new();
    for (word, why) in unwelcome {
        let found = said.iter().filter(|(_, text)| text.contains(word));
        faults.extend(found.map(|(line, _)| (*line, format!("contains {}: {why}", word.trim_end_matches("::")))));
    }
    faults
}

/// Returns the files that no door declares, and the folders without a door.
#[must_use]
pub fn undeclared(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for source in sources.iter().filter(|source| !source.module.is_empty() && source.module != ["main"]) {
        let (name, folder) = source.module.split_last().map_or(("", &[][..]), |(name, folder)| (name.as_str(), folder));
        let door = sources.iter().find(|door| door.krate == source.krate && door.is_door() && door.module == folder);
        let Some(door) = door else {
            faults.push(format!("{}: its folder has no door, so nothing compiles it", source.path));
            continue;
        };
        let declared = bare(&door.text).lines().any(|line| line.trim_end().ends_with(&format!("mod {name};")));
        if !declared {
            faults.push(format!("{}: {} does not declare it, so nothing compiles it", source.path, door.path));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the faults of a made-up file with the expected ones: lines, and parts of the messages.
    #[track_caller]
    fn check(path: &str, code: &str, expected: &[(usize, &str)]) {
        let found = faults(&Source::new(path, &format!("//! About.\n{code}")));
        let has = |(line, part): &(usize, &str)| {
            let place = format!("{path}:{line}: ");
            found.iter().any(|fault| fault.starts_with(&place) && fault.contains(part))
        };
        let agrees = found.len() == expected.len() && expected.iter().all(has);
        assert!(agrees, "{code}\nexpected {expected:?}\nfound {found:#?}");
    }

    const SESSION: &str = "crates/core/src/kernel/session.rs";

    #[test]
    fn imports_go_down() {
        check(SESSION, "use crate::events::event::{Event, Recorded};", &[]);
        check(SESSION, "use crate::kernel::ledger::Ledger;\nuse std::fmt;", &[]);
        check(SESSION, "use crate::engines::graph;", &[(2, "core/engines is not below core/kernel")]);
        check(SESSION, "\nuse faultline_store::log::log::Log;", &[(3, "store is not below core/kernel")]);
        check("src/api/query.rs", "fn f() {\n    crate::app::run();\n}", &[(3, "app is not below api")]);
        check("src/api/query.rs", "use crate::{cli::run, service::append};", &[(2, "imports crate::cli::run")]);
        check("src/api/query.rs", "use crate::cellar::wine;", &[(2, "cellar is on no floor")]);
        check("src/cellar/wine.rs", "", &[(1, "cellar is on no floor")]);
        check("src/main.rs", "fn main() {\n    faultline::cli::run();\n}", &[]);
    }

    #[test]
    fn siblings_import_only_the_shared_parts() {
        let (summary, graph) = ("crates/core/src/projections/summary.rs", "crates/core/src/engines/graph/graph.rs");
        check(summary, "use crate::projections::projection::Projection;", &[]);
        check(summary, "use crate::projections::transcript::Turn;", &[(2, "no projection")]);
        check(graph, "use crate::engines::graph::decode;\nuse crate::engines::shared::options;", &[]);
        check(graph, "use crate::engines::dialectic::schema::Draft;", &[(2, "no engine")]);
        check(graph, "use crate::engines::registry::ENGINES;", &[(2, "no engine")]);
        check("crates/core/src/engines/registry.rs", "use crate::engines::{dialectic, graph};", &[]);
    }

    #[test]
    fn names_are_imported_from_their_own_files() {
        check("src/api/query.rs", "use a::{b, c::*};", &[(2, "a glob: a::c::*")]);
        check("src/api/query.rs", "pub use faultline_core::events::event::Event;", &[(2, "re-exports")]);
        check("src/api/query.rs", "use super::router;", &[(2, "by `super`")]);
        check("src/api/query.rs", "pub fn reuse() {}\nfn f() { let x = 2 * 3; }", &[]);
    }

    #[test]
    fn pure_files_know_no_outside() {
        for word in FOREIGN {
            let source = Source::new(SESSION, &format!("//! x\nfn f() {{ a{word}::b }}"));
            assert!(!faults(&source).is_empty(), "{word}");
        }
        check(SESSION, "use std::{collections::BTreeMap, env};", &[(2, "contains std::env")]);
        check(SESSION, "use sqlx as tables;", &[(2, "is pure"), (2, "only store")]);
        check(SESSION, "/// Not `tokio::spawn`, nor /* x.await */.\nconst A: &str = \"std::fs\"; // Utc::now", &[]);
        check("crates/runtime/src/runner.rs", "async fn f() { tokio::time::sleep(d).await }", &[]);
        check("crates/store/src/log/log.rs", "use sqlx::PgPool;", &[]);
        check("crates/service/src/service.rs", "use sqlx::PgPool;", &[(2, "only store")]);
        check("src/app/app.rs", "use async_graphql::Schema;", &[(2, "only api")]);
    }

    #[test]
    fn doors_only_declare_modules() {
        let door = "crates/core/src/engines/mod.rs";
        check(door, "//! More.\n\npub mod shared;\nmod hidden; // why\npub(crate) mod near;", &[]);
        check(door, "pub mod shared;\npub const N: u32 = 1;", &[(3, "`pub const N: u32 = 1;`")]);
        check(door, "pub use shared::persona;", &[(2, "move")]);
        assert_eq!(faults(&Source::new(door, "pub mod shared;")).len(), 1, "a door without docs");
    }

    #[test]
    fn files_that_no_door_declares_are_found() {
        let sources = |files: &[(&str, &str)]| -> Vec<Source> {
            files.iter().map(|(path, text)| Source::new(path, text)).collect()
        };
        let whole = [
            ("src/lib.rs", "pub mod a;\npub mod b;"),
            ("src/a/mod.rs", "mod x;"),
            ("src/a/x.rs", ""),
            ("src/b.rs", ""),
        ];
        assert_eq!(undeclared(&sources(&whole)), [""; 0]);
        let broken = [("src/lib.rs", "// pub mod b;"), ("src/b.rs", ""), ("src/c/y.rs", "")];
        assert_eq!(
            undeclared(&sources(&broken)),
            [
                "src/b.rs: src/lib.rs does not declare it, so nothing compiles it",
                "src/c/y.rs: its folder has no door, so nothing compiles it",
            ]
        );
    }
}
