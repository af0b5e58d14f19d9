//! The command `cargo xtask`: everyday work on Faultline in one word each.

use std::path::Path;
use std::process::{Command, ExitCode};

const HELP: &str = "\
Everyday commands for work on Faultline.

Usage: cargo xtask COMMAND

Commands:
  look              Print figures of the code base: sizes, rooms, cycles, language
  check             Format, lints and docs, as CI runs them
  test [WORDS...]   Run the tests of the crates that differ from the last commit, or those whose names contain WORDS
  update            Regenerate schema.graphql, docs/events.md and the expected outputs of tests
  bench NAME        Run one benchmark of benches/, such as `log` or `rebuild`
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["look"] => {
            print!("{}", xtask::figures::figures(&root));
            true
        }
        ["check"] => {
            cargo(&root, &["fmt", "--all", "--check"], &[])
                && cargo(&root, &["clippy", "--all-targets", "--quiet", "--", "-D", "warnings"], &[])
                && cargo(&root, &["doc", "--no-deps", "--quiet"], &[("RUSTDOCFLAGS", "-D warnings")])
        }
        ["test", words @ ..] => test(&root, words),
        ["update"] => update(&root),
        ["bench", name] => cargo(&root, &["bench", "--bench", name], &[]),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            true
        }
        _ => {
            eprint!("unknown command `{}`\n\n{HELP}", words.join(" "));
            return ExitCode::from(2);
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the tests of changed crates, and those of all crates above them; with words, the tests whose names contain them.
fn test(root: &Path, words: &[&str]) -> bool {
    if !words.is_empty() {
        return words.iter().all(|word| cargo(root, &["test", "--workspace", word], &[]));
    }
    let changed = changed(root);
    println!("changed: {}", if changed.is_empty() { "nothing".to_owned() } else { changed.join(", ") });
    let lib_of =
        |path: &String| path.strip_prefix("crates/").and_then(|rest| rest.split('/').next().map(str::to_owned));
    let mut crates: Vec<String> = changed.iter().filter_map(lib_of).collect();
    crates.sort();
    crates.dedup();
    let libs = crates.iter().all(|name| {
        let package = if name == "xtask" { name.clone() } else { format!("faultline-{name}") };
        cargo(root, &["test", "-p", &package], &[])
    });
    let any = |start: &str| changed.iter().any(|path| path.starts_with(start));
    let below = !changed.is_empty();
    libs && (!any("src/") || cargo(root, &["test", "--lib"], &[]))
        && (!below || cargo(root, &["test", "--test", "pure"], &[]))
        && (!(any("src/") || any("crates/store") || any("tests/postgres"))
            || cargo(root, &["test", "--test", "postgres"], &[]))
}

/// Paths that differ from the last commit, new files included.
fn changed(root: &Path) -> Vec<String> {
    let output =
        Command::new("git").current_dir(root).args(["status", "--porcelain", "--untracked-files=all"]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.get(3..))
        .map(|path| path.rsplit(" -> ").next().unwrap_or(path).to_owned())
        .collect()
}

/// Writes the generated contracts and the expected outputs of tests anew; `git diff` then shows the changes.
fn update(root: &Path) -> bool {
    let write = |arguments: &[&str], file: &str| {
        let output = Command::new("cargo").current_dir(root).args(["run", "--quiet", "--"]).args(arguments).output();
        match output {
            Ok(output) if output.status.success() => std::fs::write(root.join(file), output.stdout).is_ok(),
            _ => {
                eprintln!("`cargo run -- {}` failed", arguments.join(" "));
                false
            }
        }
    };
    write(&["schema"], "schema.graphql")
        && write(&["schema", "--events", "--format", "markdown"], "docs/events.md")
        && cargo(root, &["test", "--test", "pure"], &[("UPDATE", "1")])
}

fn cargo(root: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> bool {
    println!("$ cargo {}", arguments.join(" "));
    let status = Command::new("cargo").current_dir(root).args(arguments).envs(environment.iter().copied()).status();
    status.is_ok_and(|status| status.success())
}
