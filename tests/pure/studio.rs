//! The studio: what is served is what its sources compile to, and the sources keep the rules of the code base.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Layers of the sources. A file may import from its own layer and from those before it.
const LAYERS: [&str; 4] = ["wire", "model", "parts", "pages"];
/// Maximum number of lines of a source that is written by hand.
const MAX_LINES: usize = 400;
/// Types generated from the schema.
const GENERATED: &str = "operations.ts";

fn studio() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("studio")
}

/// Paths of the files below a folder, relative to the studio, with `/`.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true => files(&path),
        false => vec![path.strip_prefix(studio()).expect("below the studio").display().to_string()],
    });
    found.collect()
}

fn sources() -> Vec<String> {
    files(&studio().join("src"))
}

/// The digest that `build.mjs` describes.
#[test]
fn the_served_files_are_built_from_the_sources() {
    let mut paths = sources();
    paths.extend(["package.json", "package-lock.json", "tsconfig.json", "build.mjs"].map(str::to_owned));
    paths.sort();
    let mut hash = Sha256::new();
    for path in paths {
        let content = fs::read(studio().join(&path)).expect("a source");
        hash.update(format!("{path}\0{}\0", content.len()));
        hash.update(content);
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let built = fs::read_to_string(studio().join("dist/SOURCES")).expect("the digest of the build");
    assert_eq!(built.trim(), digest, "studio/dist is not current: cd studio && npm ci && node build.mjs");
}

#[test]
fn the_sources_import_downward_only() {
    let mut faults = Vec::new();
    for path in sources().iter().filter(|path| path.ends_with(".ts") || path.ends_with(".tsx")) {
        let text = fs::read_to_string(studio().join(path)).expect("a source");
        let parts: Vec<&str> = path.split('/').collect();
        let Some(own) = LAYERS.iter().position(|layer| parts.get(1) == Some(layer)) else { continue };
        if text.lines().count() > MAX_LINES && parts.last() != Some(&GENERATED) {
            faults.push(format!("{path} has more than {MAX_LINES} lines"));
        }
        let imported = text.split(" from \"").skip(1).filter_map(|rest| rest.split('"').next());
        for target in imported.filter(|target| target.starts_with('.') || *target == "wire") {
            let layer = LAYERS.iter().position(|layer| target.split('/').any(|part| part == *layer)).unwrap_or(own);
            if layer > own {
                faults.push(format!("{path} imports {target}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_registry_is_named() {
    let lock = fs::read_to_string(studio().join("package-lock.json")).expect("a lock file");
    assert!(!lock.contains("\"resolved\""), "package-lock.json: remove the addresses of packages");
}
