//! Libraries of pages, fetched once, at the first request, into the cache of the data directory, and served from there
//! ([`faultline_store::provision::web_libraries`]).

use std::future::Future;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER, VARY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};

use faultline_store::provision::error::ProvisionError;
use faultline_store::provision::web_libraries::{LibraryFile, WebLibraries, library_files};

/// Time for which a request waits for libraries that are being fetched.
const WAIT: Duration = Duration::from_secs(20);
/// Time after a failure before the libraries are fetched again.
const RETRY: Duration = Duration::from_secs(30);

/// Media type of scripts.
pub const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
/// Media type of style sheets.
pub const STYLE_SHEET: &str = "text/css; charset=utf-8";
/// Media type of pages.
pub const PAGE: &str = "text/html; charset=utf-8";

/// Library file as it is sent.
struct Library {
    name: &'static str,
    /// Content, compressed with gzip.
    body: Bytes,
}

/// Fetched libraries; `None` if they could not be fetched, which the service's log explains.
type Fetched = Option<Arc<[Library]>>;

/// One attempt to fetch the libraries, awaited by all requests for them.
struct Attempt {
    began: Instant,
    fetching: Shared<BoxFuture<'static, Fetched>>,
}

impl Attempt {
    fn has_failed(&self) -> bool {
        matches!(self.fetching.peek(), Some(None)) && self.began.elapsed() >= RETRY
    }
}

/// Reason why the libraries of a page cannot be served now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibrariesMissing {
    /// They are being fetched.
    Fetching,
    /// They could not be fetched; the service's log explains why.
    Failed,
}

/// The libraries of a page. Clones share them.
#[derive(Clone)]
pub struct FetchedLibraries {
    libraries: &'static WebLibraries,
    cache: PathBuf,
    attempt: Arc<Mutex<Option<Attempt>>>,
}

impl FetchedLibraries {
    /// Creates the libraries, which are fetched into `cache` at the first request for one.
    pub fn new(libraries: &'static WebLibraries, cache: PathBuf) -> FetchedLibraries {
        FetchedLibraries { libraries, cache, attempt: Arc::default() }
    }

    /// The libraries, with the wheel that contains them.
    pub fn pinned(&self) -> &'static WebLibraries {
        self.libraries
    }

    /// Waits for the libraries, for at most 20 seconds.
    ///
    /// # Errors
    /// [`LibrariesMissing`] if there are none then.
    pub async fn available(&self) -> Result<(), LibrariesMissing> {
        self.fetched().await.map(|_| ())
    }

    /// Returns a library file. `accept-encoding` is ignored, because every browser accepts gzip.
    pub async fn library(&self, name: &str, caching: &'static str) -> Response {
        let libraries = match self.fetched().await {
            Ok(libraries) => libraries,
            Err(missing) => return unavailable(&self.explain(missing), "text/plain; charset=utf-8"),
        };
        let Some(library) = libraries.iter().find(|library| library.name == name) else { return missing() };
        let kind = if name.ends_with(".css") { STYLE_SHEET } else { JAVASCRIPT };
        packed(kind, caching, library.body.clone())
    }

    /// Explains in a sentence why there are no libraries.
    pub fn explain(&self, missing: LibrariesMissing) -> String {
        let name = self.libraries.name;
        match missing {
            LibrariesMissing::Fetching => {
                format!("The libraries of this page ({name}) are being fetched. Reload it in a moment.\n")
            }
            LibrariesMissing::Failed => format!(
                "The libraries of this page ({name}) could not be fetched; the service's log explains why. Any GraphQL \
                 client can use the endpoint /graphql.\n"
            ),
        }
    }

    async fn fetched(&self) -> Result<Arc<[Library]>, LibrariesMissing> {
        match tokio::time::timeout(WAIT, self.fetching()).await {
            Err(_) => Err(LibrariesMissing::Fetching),
            Ok(fetched) => fetched.ok_or(LibrariesMissing::Failed),
        }
    }

    /// Returns the current attempt; begins one if there is none, or if the last one failed a while ago.
    fn fetching(&self) -> impl Future<Output = Fetched> + use<> {
        let mut attempt = self.attempt.lock().unwrap_or_else(PoisonError::into_inner);
        let current = attempt.take().filter(|attempt| !attempt.has_failed());
        let current = current.unwrap_or_else(|| self.begin());
        attempt.insert(current).fetching.clone()
    }

    /// Begins to fetch in a task of its own, which outlives the request.
    fn begin(&self) -> Attempt {
        let (cache, libraries) = (self.cache.clone(), self.libraries);
        let task = tokio::spawn(async move {
            let files = library_files(&cache, libraries).await;
            compressed_files(files, libraries.name)
        });
        Attempt { began: Instant::now(), fetching: task.map(|fetched| fetched.unwrap_or_default()).boxed().shared() }
    }
}

/// Compresses the fetched files, or logs the reason why there are none.
fn compressed_files(files: Result<Vec<LibraryFile>, ProvisionError>, name: &str) -> Fetched {
    match files {
        Ok(files) => {
            let pack = |file: LibraryFile| Some(Library { name: file.name, body: compressed(&file.content)? });
            files.into_iter().map(pack).collect::<Option<Arc<[Library]>>>()
        }
        Err(error) => {
            tracing::warn!(%error, "{name} is not available");
            None
        }
    }
}

/// Compresses a file with gzip.
pub fn compressed(content: &[u8]) -> Option<Bytes> {
    let mut packer = GzEncoder::new(Vec::with_capacity(content.len() / 3), Compression::best());
    packer.write_all(content).ok()?;
    Some(packer.finish().ok()?.into())
}

/// Returns the response with a file that is compressed with gzip.
pub fn packed(kind: &'static str, caching: &'static str, body: Bytes) -> Response {
    let mut response = sent(kind, caching, body.into_response());
    response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    response
}

/// Adds the headers of a file to a response.
pub fn sent(kind: &'static str, caching: &'static str, mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Returns the response for a file that does not exist.
pub fn missing() -> Response {
    (StatusCode::NOT_FOUND, "no such file\n").into_response()
}

/// Returns the response while there are no libraries.
pub fn unavailable(reason: &str, kind: &'static str) -> Response {
    let mut response = sent(kind, "no-store", reason.to_owned().into_response());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(RETRY.as_secs()));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_store::provision::web_libraries::{GRAPHIQL, PREACT};

    #[tokio::test]
    async fn libraries_that_cannot_be_fetched_are_a_named_failure_that_reveals_no_path() {
        for (pinned, name) in [(&GRAPHIQL, "GraphiQL"), (&PREACT, "Preact")] {
            let file = tempfile::NamedTempFile::new().unwrap();
            // No directory can be created below a file, so that nothing can be fetched.
            let libraries = FetchedLibraries::new(pinned, file.path().join("cache"));
            let response = libraries.library(pinned.files[0].0, "no-cache").await;
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(response.headers()[RETRY_AFTER], "30");
            let body = axum::body::to_bytes(response.into_body(), 1_000).await.unwrap();
            let text = String::from_utf8(body.to_vec()).unwrap();
            let expected = format!("The libraries of this page ({name}) could not be fetched");
            assert!(text.starts_with(&expected) && !text.contains("cache"), "{text}");
        }
    }
}
