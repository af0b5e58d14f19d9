//! The shape and the language of the code base, as one test. The rules are in `crates/xtask`; all faults are printed at once.

use std::path::Path;

use xtask::imports::imports;
use xtask::rooms::{MAX_ENTRIES, cycles, entries};
use xtask::source::{Source, sources};
use xtask::{language, layers, sizes};

#[test]
fn the_code_base_keeps_its_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = sources(root);
    assert!(sources.len() > 600, "only {} sources were found", sources.len());
    let product: Vec<Source> = sources.iter().filter(|source| source.krate != "xtask").cloned().collect();
    let mut faults = layers::undeclared(&product);
    faults.extend(product.iter().flat_map(layers::faults));
    faults.extend(sources.iter().flat_map(sizes::faults));
    faults.extend(language::faults(&sources));
    let circles = cycles(&imports(&sources));
    faults.extend(circles.iter().map(|(folder, cycle)| format!("{folder}: import cycle of {}", cycle.join(", "))));
    let crowded = entries(root).into_iter().filter(|(n_entries, _)| *n_entries > MAX_ENTRIES);
    faults.extend(
        crowded.map(|(n_entries, folder)| format!("{folder} holds {n_entries} entries; at most {MAX_ENTRIES}")),
    );
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
