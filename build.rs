//! Passes the commit of the checkout to the program as `FAULTLINE_BUILD_COMMIT`, for `faultline --version`.
//!
//! Without git or outside a checkout there is none, unless `FAULTLINE_COMMIT` names it, as packagers can. Neither has a
//! development build: it would be built anew after each commit. The script runs again only when the checkout moves to another
//! commit.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FAULTLINE_COMMIT");
    let given = std::env::var("FAULTLINE_COMMIT").ok().filter(|commit| !commit.trim().is_empty());
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if let Some(commit) = given.or_else(|| if is_release { commit_of_checkout() } else { None }) {
        println!("cargo::rustc-env=FAULTLINE_BUILD_COMMIT={}", commit.trim());
    }
}

/// Returns the commit that is checked out, with its date, and watches for another one.
fn commit_of_checkout() -> Option<String> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)?;
    // A copy of the sources inside another project's checkout has no commit of its own.
    let top = PathBuf::from(git(&root, &["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let branch = git(&root, &["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD", "logs/HEAD"].into_iter().chain(branch.as_deref()) {
        let path = git(&root, &["rev-parse", "--git-path", name]).map(|path| root.join(path));
        // Cargo would run the script each time for a file that does not exist.
        if let Some(path) = path.filter(|path| path.exists()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(&root, &["show", "-s", "--no-show-signature", "--abbrev=12", "--format=%h %cs", "HEAD"])
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
