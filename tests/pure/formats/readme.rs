//! Example in the README: parts of the debate that `faultline demo` plays, exactly as the terminal shows it.
//! `UPDATE=1 cargo test --test pure readme` pastes fresh ones; look at the difference.

use std::path::Path;

use faultline_terminal::live::live::DebateRenderer;
use faultline_terminal::text::style::TerminalStyle;
use faultline_terminal::verdict::card::card;

use crate::support::offline::{OfflineDebate, Shipped};

/// Line of the README that stands for what it leaves out.
const OMITTED: &str = "[...]";

/// Output without the id of the debate, which differs from play to play.
fn without_id(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("debate 0"));
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Parts of the output for the README: the opening lines, an exchange with the notes of the clerk, and the cruxes.
fn fresh_example(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    let part = |from: &str, to: &str| -> String {
        let start = lines.iter().position(|line| line.contains(from)).expect("the part begins");
        let length = lines[start..].iter().position(|line| line.contains(to)).expect("the part ends");
        lines[start..start + length].iter().map(|line| format!("{line}\n")).collect()
    };
    let opening = part("Should the city", "▲ Edda Tolvane  t1");
    let exchange = part("  t4 to ", "Labels that are new");
    let verdict = part("── Verdict ─", "│  Common ground");
    format!("{opening}  {OMITTED}\n{exchange}  {OMITTED}\n{verdict}  {OMITTED}\n")
}

#[test]
fn the_example_in_the_readme_is_what_the_demo_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let demo = OfflineDebate {
        topic: "Should the city close its centre to private cars?",
        engine: "dialogue",
        personas: vec!["edda-tolvane", "gus-ormerand"],
        seed: 1,
        ..OfflineDebate::default()
    };
    let look = TerminalStyle { width: 80, colour: false, unicode: true };
    let mut renderer = DebateRenderer::new(look);
    let log = Shipped::read(root).play(&demo);
    let shown: String = log.iter().map(|recorded| renderer.render(recorded)).collect();
    let printed = without_id(&format!("{shown}\n{}", card(renderer.read_model(), look)));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let (before, rest) = readme.split_once("## Example\n\n```text\n").expect("an example");
    let (example, after) = rest.split_once("```\n").expect("the end of the example");
    if std::env::var_os("UPDATE").is_some() {
        let updated = format!("{before}## Example\n\n```text\n{}```\n{after}", fresh_example(&printed));
        std::fs::write(root.join("README.md"), updated).expect("the README is rewritten");
        return;
    }
    let example = without_id(example);
    let mut rest = printed.as_str();
    for part in example.split(&format!("  {OMITTED}\n")).filter(|part| !part.trim().is_empty()) {
        let found = rest.find(part);
        assert!(found.is_some(), "the demo does not print, in this order:\n{part}\nIt prints:\n{printed}");
        rest = &rest[found.unwrap_or_default() + part.len()..];
    }
}
