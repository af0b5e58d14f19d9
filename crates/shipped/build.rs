//! Lists the files of `personas` and `corpus` as a table of paths and contents, which `src/built_in.rs` includes.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders at the root of the workspace that are built into the program.
const FOLDERS: [&str; 2] = ["corpus", "personas"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    let mut files = Vec::new();
    for folder in FOLDERS {
        // A folder stands for everything below it.
        println!("cargo:rerun-if-changed={}", root.join(folder).display());
        list(&root, &root.join(folder), &mut files)?;
    }
    files.sort();
    let row = |(name, path): &(String, PathBuf)| format!("    ({name:?}, include_bytes!({path:?})),\n");
    let rows: String = files.iter().map(row).collect();
    fs::write(Path::new(&variable("OUT_DIR")?).join("files.rs"), format!("&[\n{rows}]\n"))
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|error| io::Error::other(format!("cannot read {name}: {error}")))
}

/// Adds the files below a folder, with their paths from the root; those whose names begin with a dot are left out.
fn list(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        let below = path.strip_prefix(root).map_err(io::Error::other)?.to_str().map(str::to_owned);
        let below = below.ok_or_else(|| io::Error::other(format!("{} is not UTF-8; rename it", path.display())))?;
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        match (is_hidden, kind.is_dir()) {
            (true, _) => {}
            (false, true) => list(root, &path, files)?,
            (false, false) => files.push((below, path)),
        }
    }
    Ok(())
}
