//! The shape of the house, as a test: who may import whom, and what may stand where. All faults are told at once.

use std::fs;
use std::path::Path;

/// From the ground up. A folder may import folders on lower floors, and its own files.
const FLOORS: &[&[&str]] = &[
    &["events", "argumentation", "limits", "provision", "proxies", "questions", "retrieval"],
    &["voices", "config"],
    &["projections", "drafting"],
    &["verdicts"],
    &["kernel", "store", "export"],
    &["engines", "providers", "imports"],
    &["desk"],
    &["api", "ingest", "runtime"],
    &["app"],
    &["cli"],
    &["main"],
];

/// The folders that know no clock, no chance, no socket, no file and no table.
const PURE: &[&str] = &[
    "events",
    "argumentation",
    "questions",
    "retrieval",
    "voices",
    "drafting",
    "projections",
    "verdicts",
    "kernel",
    "export",
    "engines",
    "imports",
];

/// What a pure file may not contain.
const FOREIGN: &[&str] = &[
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

/// What may be named in one folder only.
const AT_HOME: &[(&str, &str)] = &[("sqlx::", "store"), ("async_graphql", "api")];

/// The most lines of production code that a file may have: tests and lines of comment are not counted.
const MAX_FILE_LINES: usize = 400;
/// The most lines that a function may have, from its name to its closing brace.
const MAX_FUNCTION_LINES: usize = 70;

#[test]
fn the_house_has_its_shape() {
    let sources = sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), "");
    assert!(sources.len() > 40, "only {} sources were found", sources.len());
    let mut faults = without_door(&sources);
    faults.extend(sources.iter().flat_map(|(path, text)| faults_of(path, text)));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Every `.rs` below a folder, by its path from `src/`, in order.
fn sources(folder: &Path, prefix: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|it| it.expect("an entry").path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            found.extend(sources(&path, &format!("{prefix}{name}/")));
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            found.push((format!("{prefix}{name}"), text));
        }
    }
    found
}

/// What one file alone does wrong.
fn faults_of(path: &str, text: &str) -> Vec<String> {
    let code = without_tests(&bare(text));
    let mut faults: Vec<(usize, String)> = Vec::new();
    if !text.starts_with("//!") {
        faults.push((1, "opens without saying what it is for".to_owned()));
    }
    if is_door(path) {
        faults.extend(beside_mod_lines(&code));
    } else {
        faults.extend(imports(path, &code));
        faults.extend(words(path, &code));
        faults.extend(size(text, &code));
    }
    faults.sort();
    faults.dedup();
    faults.iter().map(|(line, fault)| format!("{path}:{line}: {fault}")).collect()
}

fn is_door(path: &str) -> bool {
    path == "lib.rs" || path.ends_with("/mod.rs")
}

/// What a door holds beside docs, crate attributes and `mod` lines.
fn beside_mod_lines(code: &str) -> Vec<(usize, String)> {
    let is_mod = |line: &str| {
        let name = line.trim_start_matches("pub ").strip_prefix("mod ").and_then(|it| it.strip_suffix(';'));
        name.is_some_and(|it| it.chars().all(is_of_word))
    };
    numbered(code)
        .filter(|(_, line)| !line.is_empty() && !line.starts_with("#![") && !is_mod(line))
        .map(|(number, line)| (number, format!("a door is not a place for `{line}`")))
        .collect()
}

/// Files that nothing compiles, and folders without a door.
fn without_door(sources: &[(String, String)]) -> Vec<String> {
    let named = |door: &str, name: &str| {
        let text = sources.iter().find(|(path, _)| path == door).map(|(_, text)| bare(text));
        text.map(|it| it.lines().any(|line| line.trim_start_matches("pub ").trim_end() == format!("mod {name};")))
    };
    let mut faults = Vec::new();
    for (path, _) in sources.iter().filter(|(path, _)| path != "lib.rs" && path != "main.rs") {
        let stem = path.trim_end_matches(".rs").trim_end_matches("/mod");
        let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
        let door = if folder.is_empty() { "lib.rs".to_owned() } else { format!("{folder}/mod.rs") };
        match named(&door, name) {
            Some(true) => {}
            Some(false) => faults.push(format!("{path}: {door} does not name it, so nothing compiles it")),
            None => faults.push(format!("{path}: there is no {door}, so nothing compiles it")),
        }
    }
    faults
}

/// Imports, in `use` lines and in the middle of code: downward only; no globs, no re-exports, no `super`.
fn imports(path: &str, code: &str) -> Vec<(usize, String)> {
    let own: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    let mut faults = Vec::new();
    if floor(own[0]).is_none() {
        faults.push((1, format!("{} is on no floor", own[0])));
    }
    for (line, named) in paths(code) {
        if named.ends_with("::*") {
            faults.push((line, format!("imports a glob: {named}")));
        }
        if named.starts_with("super::") {
            faults.push((line, format!("imports by super, which hides whose it is: {named}")));
        }
        if let Some(theirs) = named.strip_prefix("crate::").or_else(|| named.strip_prefix("faultline::")) {
            let theirs: Vec<&str> = theirs.split("::").collect();
            let refused = refusal(&own, &theirs).map(|why| (line, format!("imports {named}: {why}")));
            faults.extend(refused);
        }
    }
    for (line, text) in numbered(code) {
        if text.starts_with("pub") && text.contains(" use ") || text.starts_with("pub use ") {
            faults.push((line, "exports again what is another file's".to_owned()));
        }
    }
    faults
}

/// Why a file may not import another; both are told as folder and files.
fn refusal(own: &[&str], theirs: &[&str]) -> Option<String> {
    let (own_floor, their_floor) = (floor(own[0])?, floor(theirs[0]));
    if own[0] == theirs[0] {
        return refusal_within(own[0], own.get(1)?, theirs.get(1)?);
    }
    match their_floor {
        None => Some(format!("{} is on no floor", theirs[0])),
        Some(it) if it >= own_floor => Some(format!("{} is not below {}", theirs[0], own[0])),
        Some(_) => None,
    }
}

/// Projections do not know one another, and no more do engines; the registry knows all engines.
fn refusal_within(folder: &str, own: &str, theirs: &str) -> Option<String> {
    let family = |file: &str| file.split('_').next().unwrap_or_default().to_owned();
    match folder {
        "projections" if !["projection", own].contains(&theirs) => Some("a projection knows no projection".to_owned()),
        // What dialogue and disputes share is the family of `talk`, which is no engine.
        "engines" if own != "registry" && !["brief", "manner", "options", "replies"].contains(&theirs) => {
            let shared = family(theirs) == "talk" || family(theirs) == family(own);
            (!shared).then(|| "an engine knows no engine".to_owned())
        }
        _ => None,
    }
}

fn floor(folder: &str) -> Option<usize> {
    FLOORS.iter().position(|it| it.contains(&folder))
}

/// Words that may not stand here.
fn words(path: &str, code: &str) -> Vec<(usize, String)> {
    let folder = path.split(['/', '.']).next().unwrap_or_default();
    let mut unwelcome: Vec<(&str, String)> = vec![(".unwrap()", "only tests unwrap".to_owned())];
    if PURE.contains(&folder) {
        unwelcome.extend(FOREIGN.iter().map(|it| (*it, format!("{folder} is pure"))));
    }
    let elsewhere = AT_HOME.iter().filter(|(_, home)| *home != folder);
    unwelcome.extend(elsewhere.map(|(word, home)| (*word, format!("only {home} knows it"))));
    let lines = numbered(code).map(|(line, text)| (line, text.to_owned()));
    let said: Vec<(usize, String)> = lines.chain(paths(code).into_iter().map(|(line, it)| (line, it + "::"))).collect();
    let mut faults = Vec::new();
    for (word, why) in unwelcome {
        let found = said.iter().filter(|(_, text)| text.contains(word));
        faults.extend(found.map(|(line, _)| (*line, format!("says {}: {why}", word.trim_end_matches("::")))));
    }
    faults
}

/// Files and functions that are too long.
fn size(text: &str, code: &str) -> Vec<(usize, String)> {
    let counted = |(written, kept): &(&str, &str)| !kept.trim().is_empty() || written.trim().is_empty();
    let last = code.trim_end().lines().count();
    let lines = text.lines().zip(code.lines()).take(last).filter(counted).count();
    let mut faults = Vec::new();
    if lines > MAX_FILE_LINES {
        faults.push((1, format!("{lines} lines of code; at most {MAX_FILE_LINES}")));
    }
    for (at, _) in code.match_indices("fn ").filter(|(at, _)| starts_word(code, *at)) {
        let name: String = code[at + 3..].chars().take_while(|it| is_of_word(*it)).collect();
        let lines = item(&code[at..]).lines().count();
        if !name.is_empty() && lines > MAX_FUNCTION_LINES {
            let fault = format!("fn {name} has {lines} lines; at most {MAX_FUNCTION_LINES}");
            faults.push((line_of(code, at), fault));
        }
    }
    faults
}

/// All paths in a code (`a::b::c`), each with its line; of one with braces, each name on its own.
fn paths(code: &str) -> Vec<(usize, String)> {
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
            found.extend(names.into_iter().map(|it| (line, it)));
        }
        line += code[at..end].matches('\n').count();
        at = end;
    }
    found
}

/// Reads the path at the start of a code; returns what follows it.
fn path<'a>(code: &'a str, prefix: &str, found: &mut Vec<String>) -> &'a str {
    if let Some(mut rest) = code.strip_prefix('{') {
        while !rest.is_empty() && !rest.starts_with('}') {
            rest = path(rest.trim_start(), prefix, found);
            rest = &rest[rest.find([',', '}']).unwrap_or(rest.len())..];
            rest = rest.trim_start_matches(',').trim_start();
        }
        return rest.trim_start_matches('}');
    }
    let after = code.strip_prefix('*').unwrap_or_else(|| code.trim_start_matches(is_of_word));
    let named = format!("{prefix}{}", &code[..code.len() - after.len()]);
    let goes_on = |it: &&str| it.starts_with(|it| is_of_word(it) || it == '*' || it == '{');
    match after.strip_prefix("::").filter(goes_on) {
        Some(rest) => path(rest, &format!("{named}::"), found),
        None => {
            found.push(named);
            after
        }
    }
}

/// The item at the start of a code: to its semicolon, or to the end of its braces.
fn item(code: &str) -> &str {
    let mut depth = 0;
    for (at, it) in code.char_indices() {
        match it {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth -= 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return &code[..=at];
                }
            }
            ';' if depth == 0 => return &code[..=at],
            _ => {}
        }
    }
    code
}

/// A code without what only tests compile; lines stay where they were.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let Some((before, after)) = code.split_once(MARK) else {
        return code.to_owned();
    };
    let tests = item(after);
    let lines = "\n".repeat(tests.matches('\n').count());
    format!("{before}{lines}{}", without_tests(&after[tests.len()..]))
}

/// A source with comments blanked and literals struck out; lines stay where they were.
fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(it) = rest.chars().next() {
        let (len, filling) = match (comment(rest), literal(rest, &bare)) {
            (Some(len), _) => (len, ' '),
            (None, Some(len)) => (len, '"'),
            (None, None) => (it.len_utf8(), it),
        };
        let written = rest[..len].chars();
        bare.extend(written.map(|it| if it == '\n' { it } else { filling }));
        rest = &rest[len..];
    }
    bare
}

/// How long the comment at the start of a text is.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let mut inside = text.strip_prefix("/*")?;
    let mut depth = 1;
    while depth > 0 && !inside.is_empty() {
        let (step, len) = if inside.starts_with("/*") {
            (1, 2)
        } else if inside.starts_with("*/") {
            (-1, 2)
        } else {
            (0, inside.chars().next().map_or(1, char::len_utf8))
        };
        depth += step;
        inside = &inside[len..];
    }
    Some(text.len() - inside.len())
}

/// How long the string or character at the start of a text is; what stands before it says whether it is raw.
fn literal(text: &str, before: &str) -> Option<usize> {
    let to_end = |mark: char| {
        let mut escaped = false;
        let end = text.char_indices().skip(1).find(|(_, it)| {
            let ends = *it == mark && !escaped;
            escaped = *it == '\\' && !escaped;
            ends
        });
        end.map_or(text.len(), |(at, _)| at + 1)
    };
    if let Some(inside) = text.strip_prefix('"') {
        let opened = before.trim_end_matches('#');
        let close = format!("\"{}", &before[opened.len()..]);
        let raw_end = || inside.find(&close).map_or(text.len(), |it| 1 + it + close.len());
        return Some(if opened.ends_with('r') { raw_end() } else { to_end('"') });
    }
    let mut inside = text.strip_prefix('\'')?.chars();
    match (inside.next()?, inside.next()?) {
        ('\\', _) => Some(to_end('\'')),
        (it, '\'') => Some(it.len_utf8() + 2),
        _ => None, // a lifetime
    }
}

fn numbered(code: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(code.lines().map(str::trim))
}

fn line_of(code: &str, at: usize) -> usize {
    1 + code[..at].matches('\n').count()
}

fn starts_word(code: &str, at: usize) -> bool {
    !code[..at].ends_with(is_of_word)
}

fn is_of_word(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

/// What the checks find in a made-up file: each fault by its line and a part of its words.
#[track_caller]
fn check(path: &str, code: &str, expected: &[(usize, &str)]) {
    let text = format!("//! About.\n{code}");
    let found = faults_of(path, &text);
    let told = |(line, part): &(usize, &str)| {
        let place = format!("{path}:{line}: ");
        found.iter().any(|it| it.starts_with(&place) && it.contains(part))
    };
    assert!(
        found.len() == expected.len() && expected.iter().all(told),
        "{code}\nexpected {expected:?}\nfound {found:#?}"
    );
}

#[test]
fn imports_go_down() {
    check("kernel/session.rs", "use crate::events::event::{Event, Recorded};", &[]);
    check("kernel/session.rs", "use crate::kernel::ledger::Ledger;\nuse std::fmt;", &[]);
    check("kernel/session.rs", "use crate::engines::graph;", &[(2, "engines is not below kernel")]);
    check("kernel/session.rs", "\nuse crate::store::log::Log;", &[(3, "store is not below kernel")]);
    check("kernel/session.rs", "fn f() {\n    crate::app::run();\n}", &[(3, "app is not below kernel")]);
    check("kernel/session.rs", "use crate::{api::router, events::event};", &[(2, "imports crate::api::router")]);
    check(
        "kernel/session.rs",
        "use crate::{\n    desk::{self, desk::Desk as D},\n};",
        &[(2, "crate::desk::self"), (2, "crate::desk::desk::Desk")],
    );
    check("kernel/session.rs", "use crate::cellar::wine;", &[(2, "cellar is on no floor")]);
    check("cellar/wine.rs", "", &[(1, "cellar is on no floor")]);
    check("events/event.rs", "use crate::argumentation::framework;", &[(2, "argumentation is not below events")]);
    check("main.rs", "fn main() {\n    faultline::cli::run();\n}", &[]);
    check("cli/run.rs", "use crate::main::x;", &[(2, "main is not below cli")]);
}

#[test]
fn neighbours_know_only_what_they_share() {
    check("projections/summary.rs", "use crate::projections::projection::Projection;", &[]);
    check("projections/summary.rs", "use crate::projections::transcript::Turn;", &[(2, "no projection")]);
    check("engines/graph.rs", "use crate::engines::{brief, graph_replies, options};", &[]);
    check("engines/graph_reading.rs", "use crate::engines::graph_replies::Opened;", &[]);
    check("engines/graph.rs", "use crate::engines::dialectic_replies::Drafted;", &[(2, "no engine")]);
    check("engines/graph.rs", "use crate::engines::registry::ENGINES;", &[(2, "no engine")]);
    check("engines/brief.rs", "use crate::engines::graph;", &[(2, "no engine")]);
    check("engines/registry.rs", "use crate::engines::{dialectic, graph};", &[]);
}

#[test]
fn names_are_imported_from_where_they_are() {
    check("api/query.rs", "use rten::prelude::*;", &[(2, "a glob: rten::prelude::*")]);
    check("api/query.rs", "use a::{b, c::*};", &[(2, "a glob: a::c::*")]);
    check("api/query.rs", "pub use crate::events::event::Event;", &[(2, "exports again")]);
    check("api/query.rs", "pub(crate) use std::fmt;", &[(2, "exports again")]);
    check("api/query.rs", "use super::router;", &[(2, "by super")]);
    check("api/query.rs", "pub fn reuse() {}\nfn f() { let x = 2 * 3; }", &[]);
}

#[test]
fn pure_files_know_no_outside() {
    for folder in PURE {
        let path = format!("{folder}/x.rs");
        for word in FOREIGN {
            assert!(!faults_of(&path, &format!("//! x\nfn f() {{ a{word}::b }}")).is_empty(), "{word} in {path}");
        }
        check(&path, "use std::{collections::BTreeMap, env};", &[(2, "says std::env")]);
        check(&path, "use sqlx as tables;", &[(2, "is pure"), (2, "only store")]);
        check(&path, "/// Not `tokio::spawn`, nor /* x.await */.\nconst A: &str = \"std::fs\"; // Utc::now", &[]);
    }
    check("runtime/runner.rs", "async fn f() { tokio::time::sleep(d).await }", &[]);
}

#[test]
fn tables_and_graphql_stay_at_home() {
    check("store/log.rs", "use sqlx::PgPool;", &[]);
    check("desk/desk.rs", "use sqlx::PgPool;", &[(2, "only store")]);
    check("api/schema.rs", "use async_graphql::Schema;", &[]);
    check("app.rs", "use async_graphql_axum::GraphQL;", &[(2, "only api")]);
}

#[test]
fn a_door_is_not_a_place() {
    check("engines/mod.rs", "//! More.\n\npub mod brief;\nmod hidden; // why", &[]);
    check("lib.rs", "#![warn(missing_docs)]\npub mod events;", &[]);
    check("engines/mod.rs", "pub mod brief;\npub const N: u32 = 1;", &[(3, "`pub const N: u32 = 1;`")]);
    check("engines/mod.rs", "pub use brief::persona;", &[(2, "not a place")]);
    check("lib.rs", "pub mod a { pub mod b; }", &[(2, "not a place")]);
    assert_eq!(faults_of("engines/mod.rs", "pub mod brief;").len(), 1, "a door without docs");

    let files = |those: &[(&str, &str)]| -> Vec<(String, String)> {
        those.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };
    let whole = [("lib.rs", "pub mod a;\npub mod b;"), ("a/mod.rs", "mod x;"), ("a/x.rs", ""), ("b.rs", "")];
    assert!(without_door(&files(&whole)).is_empty());
    let broken = [("lib.rs", "// pub mod b;"), ("a/mod.rs", ""), ("a/x.rs", ""), ("b.rs", ""), ("c/y.rs", "")];
    assert_eq!(
        without_door(&files(&broken)),
        [
            "a/mod.rs: lib.rs does not name it, so nothing compiles it",
            "a/x.rs: a/mod.rs does not name it, so nothing compiles it",
            "b.rs: lib.rs does not name it, so nothing compiles it",
            "c/y.rs: there is no c/mod.rs, so nothing compiles it",
        ]
    );
}

#[test]
fn nothing_grows_without_end() {
    let lines = |n: usize, line: &str| format!("{line}\n").repeat(n);
    check("config.rs", &lines(399, "use x;"), &[]);
    check("config.rs", &lines(401, "use x;"), &[(1, "401 lines of code")]);
    check("config.rs", &format!("{}{}", lines(399, "use x;"), lines(50, "/// Words.")), &[]);
    check("config.rs", &format!("{}#[cfg(test)]\nmod tests {{\n{}}}", lines(399, "use x;"), lines(50, "x;")), &[]);
    let function = |n: usize| format!("\nfn long(a: [u8; 2]) -> u8 {{\n{}}}", lines(n, "    x('}', \"{\");"));
    check("config.rs", &function(68), &[]);
    check("config.rs", &function(69), &[(3, "fn long has 71 lines")]);
}

#[test]
fn tests_and_literals_are_not_looked_at() {
    check("config.rs", "fn f() { x.unwrap(); x.unwrap_or(1); }", &[(2, "only tests unwrap")]);
    check("config.rs", "#[cfg(test)]\nmod tests {\n    use super::*;\n    fn f() { x.unwrap() }\n}", &[]);
    check("config.rs", "#[cfg(test)]\nuse crate::cli::x;\nuse crate::app::y;", &[(4, "crate::app::y")]);
    check("config.rs", "#[cfg(test)]\nmod tests { fn f() { \"}\" } }\nfn g() { x.unwrap() }", &[(4, "unwrap")]);
    check(
        "config.rs",
        "fn f<'a>(x: &'a str) { ('\"', '\\'', b'x', \"\\\"\", r#\"\"\"#) } // \"\nuse super::y;",
        &[(3, "by super")],
    );
    check("config.rs", "const A: &str = r\"\\\"; /* /* */ use super::x; */ const B: &str = \"\nuse super::z;\";", &[]);
}

#[test]
fn the_table_names_each_folder_once() {
    let mut folders: Vec<&str> = FLOORS.iter().flat_map(|it| it.iter().copied()).collect();
    let n_folders = folders.len();
    folders.sort_unstable();
    folders.dedup();
    assert_eq!(folders.len(), n_folders);
    assert!(PURE.iter().all(|it| folders.contains(it)));
}
