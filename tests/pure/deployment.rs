//! Files of `deploy/`, which repeat what the program says; and the index of the documentation.

use std::fs;
use std::path::Path;

use faultline::config::Config;
use faultline_store::provision::minilm::MINILM;
use faultline_store::provision::web_libraries::{GRAPHIQL, PREACT};

fn project_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the version that follows `before` in a text.
fn version_after(text: &str, before: &str) -> Vec<u32> {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before:?}"));
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
    rest[..end].split('.').map(|part| part.parse().expect("a number")).collect()
}

#[test]
fn the_image_contains_the_wheels_that_the_program_accepts() {
    let wanted = [MINILM, GRAPHIQL.wheel, PREACT.wheel]
        .map(|wheel| format!("{} --hash=sha256:{}", wheel.requirement(), wheel.hashes.join(" --hash=sha256:")));
    let listed = project_file("deploy/wheels.txt");
    let listed: Vec<&str> = listed.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(listed, wanted);
}

#[test]
fn the_image_is_built_with_a_sufficient_rust() {
    let image = version_after(&project_file("deploy/Dockerfile"), "FROM rust:");
    let needed = version_after(&project_file("Cargo.toml"), "rust-version = \"");
    assert!(image >= needed, "the image has Rust {image:?}, but {needed:?} is needed");
}

#[test]
fn the_settings_of_the_files_exist() {
    let known = Config::variables();
    for name in ["deploy/Dockerfile", "deploy/compose.yaml", "deploy/faultline.service"] {
        let text = project_file(name);
        let words = text.split(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
        let named: Vec<&str> = words.filter(|word| word.starts_with("FAULTLINE_")).collect();
        assert!(!named.is_empty(), "{name} names no setting");
        for setting in named {
            assert!(known.iter().any(|variable| variable == setting), "{name} names {setting}, which does not exist");
        }
    }
}

#[test]
fn the_index_lists_every_page() {
    let index = project_file("docs/README.md");
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")).expect("the folder of pages") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let is_listed = index.contains(&format!("]({name})"));
        assert!(is_listed || name == "README.md" || !name.ends_with(".md"), "docs/README.md does not list {name}");
    }
}
