//! Libraries of the `GraphiQL` page: `GraphiQL`, React, and a WebSocket client.

use std::path::Path;

use tokio::task::spawn_blocking;

use crate::provision::disk::sha256;
use crate::provision::error::ProvisionError;
use crate::provision::tree::check_private;
use crate::provision::unpack::unpack;
use crate::provision::wheels::{Wheel, fetch};

/// Wheel with the libraries, for all platforms.
pub const GRAPHIQL: Wheel = Wheel {
    name: "graphene-django-graphiql-static",
    version: "0.8",
    hashes: &["f5a8669485fdf2ef292ad024867093d057c63d165f52a64d58f4313fd6b5e3c5"],
};

/// Folder of the libraries in the wheel.
const FOLDER: &str = "graphene_django_graphiql_static/static/graphene_django_graphiql_static/";

/// Library files in the order in which a page loads them, each with its SHA-256.
pub const FILES: [(&str, &str); 5] = [
    ("graphiql.min.css", "c6cd4b83f01c5e1ff4975d77bc957184dce6dec0155fbf9cc4d9190eba8a7b9d"),
    ("react.production.min.js", "229bbf4d0e7488209564152c6723497f1ac3934136ca1684233d2fa88fa4146f"),
    ("react-dom.production.min.js", "9db33292007ab6c38527b39d5663e976a305564e19b2a5a8713ea2b2c00f505d"),
    ("graphiql.min.js", "c564de05b95d184e2c5ba5ceaf2635821f6bf92f2d5777b74d91004ff6b591d1"),
    ("graphql-ws.min.js", "11986f83a00d26b06c80bbcb01ad2eb8734b7a92c95421584bec656f953f6eac"),
];

/// Content of one library file.
pub struct LibraryFile {
    /// Name, without a folder.
    pub name: &'static str,
    /// Content, 1.5 MB in all files together.
    pub content: Vec<u8>,
}

/// Returns the library files from the cache. Fetches and unpacks them if necessary, and checks their hashes in any
/// case.
///
/// # Errors
/// The errors of [`fetch`] and [`unpack`], and `Hash` if a file in the cache was changed.
pub async fn graphiql_files(cache: &Path) -> Result<Vec<LibraryFile>, ProvisionError> {
    check_private(cache)?;
    let tree = cache.join(format!("graphiql-{}", GRAPHIQL.version));
    if !tree.is_dir() {
        let wheel = fetch(&GRAPHIQL, &cache.join("wheels")).await?;
        unpack(&wheel, &tree, |member| member.strip_prefix(FOLDER).filter(|name| is_library(name))).await?;
    }
    let reading = spawn_blocking(move || FILES.iter().map(|file| read(&tree, file)).collect());
    reading.await.expect("reading does not panic")
}

fn is_library(name: &str) -> bool {
    FILES.iter().any(|(library, _)| *library == name)
}

fn read(tree: &Path, (name, hash): &(&'static str, &str)) -> Result<LibraryFile, ProvisionError> {
    let path = tree.join(name);
    let found = sha256(&path).map_err(ProvisionError::io("read", &path))?;
    if found != *hash {
        return Err(ProvisionError::Hash { path: tree.to_owned(), found });
    }
    Ok(LibraryFile { name, content: std::fs::read(&path).map_err(ProvisionError::io("read", &path))? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_changed_library_is_refused() {
        let cache = tempfile::tempdir().unwrap();
        let tree = cache.path().join("graphiql-0.8");
        std::fs::create_dir(&tree).unwrap();
        for (name, _) in FILES {
            std::fs::write(tree.join(name), "alert('not what was pinned')").unwrap();
        }
        assert!(matches!(graphiql_files(cache.path()).await, Err(ProvisionError::Hash { path, .. }) if path == tree));
    }
}
