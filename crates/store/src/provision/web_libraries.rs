//! Libraries of the pages that the service serves: those of `GraphiQL`, and Preact of the studio.

use std::path::Path;

use tokio::task::spawn_blocking;

use crate::provision::disk::sha256;
use crate::provision::error::ProvisionError;
use crate::provision::tree::check_private;
use crate::provision::unpack::unpack;
use crate::provision::wheels::{Wheel, fetch};

/// Libraries of a page, from one wheel for all platforms.
#[derive(Debug)]
pub struct WebLibraries {
    /// Name for people.
    pub name: &'static str,
    /// The wheel that contains them.
    pub wheel: Wheel,
    /// Folder of the libraries in the wheel.
    pub folder: &'static str,
    /// Library files in the order in which the page loads them, each with its SHA-256.
    pub files: &'static [(&'static str, &'static str)],
}

/// Libraries of the `GraphiQL` page: `GraphiQL`, React, and a WebSocket client. 1.5 MB.
pub const GRAPHIQL: WebLibraries = WebLibraries {
    name: "GraphiQL",
    wheel: Wheel {
        name: "graphene-django-graphiql-static",
        version: "0.8",
        hashes: &["f5a8669485fdf2ef292ad024867093d057c63d165f52a64d58f4313fd6b5e3c5"],
    },
    folder: "graphene_django_graphiql_static/static/graphene_django_graphiql_static/",
    files: &[
        ("graphiql.min.css", "c6cd4b83f01c5e1ff4975d77bc957184dce6dec0155fbf9cc4d9190eba8a7b9d"),
        ("react.production.min.js", "229bbf4d0e7488209564152c6723497f1ac3934136ca1684233d2fa88fa4146f"),
        ("react-dom.production.min.js", "9db33292007ab6c38527b39d5663e976a305564e19b2a5a8713ea2b2c00f505d"),
        ("graphiql.min.js", "c564de05b95d184e2c5ba5ceaf2635821f6bf92f2d5777b74d91004ff6b591d1"),
        ("graphql-ws.min.js", "11986f83a00d26b06c80bbcb01ad2eb8734b7a92c95421584bec656f953f6eac"),
    ],
};

/// Preact 10.27.2 with its hooks, which the studio imports. 13 kB.
pub const PREACT: WebLibraries = WebLibraries {
    name: "Preact",
    wheel: Wheel {
        name: "datasette-preact",
        version: "0.0.1",
        hashes: &["6cfe3b4d4651ffa4ec9207e3df40e49ea5e157d9b064ac02fd516d931cd52a58"],
    },
    folder: "datasette_preact/static/",
    files: &[("preact-10.27.2-htm-3.1.1.min.js", "2ad4f06c517e968b6382c26262363ebb89ebd7bcf3f7dc29a8368fe5b542861b")],
};

/// Content of one library file.
pub struct LibraryFile {
    /// Name, without a folder.
    pub name: &'static str,
    /// Content.
    pub content: Vec<u8>,
}

/// Returns the library files from the cache. Fetches and unpacks them if necessary, and checks their hashes in any
/// case.
///
/// # Errors
/// The errors of [`fetch`] and [`unpack`], and `Hash` if a file in the cache was changed.
pub async fn library_files(cache: &Path, libraries: &'static WebLibraries) -> Result<Vec<LibraryFile>, ProvisionError> {
    check_private(cache)?;
    let tree = cache.join(format!("{}-{}", libraries.name.to_lowercase(), libraries.wheel.version));
    if !tree.is_dir() {
        let wheel = fetch(&libraries.wheel, &cache.join("wheels")).await?;
        let is_library = |name: &str| libraries.files.iter().any(|(library, _)| *library == name);
        unpack(&wheel, &tree, move |member| member.strip_prefix(libraries.folder).filter(|name| is_library(name)))
            .await?;
    }
    let reading = spawn_blocking(move || libraries.files.iter().map(|file| read(&tree, file)).collect());
    reading.await.expect("reading does not panic")
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
        for (libraries, folder) in [(&GRAPHIQL, "graphiql-0.8"), (&PREACT, "preact-0.0.1")] {
            let cache = tempfile::tempdir().unwrap();
            let tree = cache.path().join(folder);
            std::fs::create_dir(&tree).unwrap();
            for (name, _) in libraries.files {
                std::fs::write(tree.join(name), "alert('not what was pinned')").unwrap();
            }
            let found = library_files(cache.path(), libraries).await;
            assert!(matches!(found, Err(ProvisionError::Hash { path, .. }) if path == tree));
        }
    }
}
