//! `GraphiQL` under a strict content security policy.
//!
//! The page is part of this project and of the binary. Its libraries are not: they are fetched once, at the first
//! request, into the cache of the data directory, and served from there ([`faultline_store::provision::graphiql`]).

use std::future::Future;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};

use faultline_store::provision::error::ProvisionError;
use faultline_store::provision::graphiql::{GRAPHIQL, LibraryFile, graphiql_files};

/// Content security policy of the page. Its libraries set inline styles from scripts and embed fonts in their style
/// sheet; everything else must come from this server.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Time for which a request waits for libraries that are being fetched.
const WAIT: Duration = Duration::from_secs(20);

/// Time after a failure before the libraries are fetched again.
const RETRY: Duration = Duration::from_secs(30);

/// File that the page loads.
struct Asset {
    /// Path under `/graphiql/`.
    name: &'static str,
    kind: &'static str,
    body: &'static [u8],
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE_SHEET: &str = "text/css; charset=utf-8";

const ASSETS: [Asset; 2] = [
    Asset { name: "page.js", kind: JAVASCRIPT, body: include_bytes!("graphiql/page.js") },
    Asset { name: "page.css", kind: STYLE_SHEET, body: include_bytes!("graphiql/page.css") },
];

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

/// The libraries of the page. Clones share them.
#[derive(Clone)]
pub struct GraphiqlLibraries {
    cache: PathBuf,
    attempt: Arc<Mutex<Option<Attempt>>>,
}

impl GraphiqlLibraries {
    /// Creates the libraries, which are fetched into `cache` at the first request for one.
    pub fn new(cache: PathBuf) -> GraphiqlLibraries {
        GraphiqlLibraries { cache, attempt: Arc::default() }
    }

    /// Returns a file of the page by its path under `/graphiql/`.
    pub async fn asset(&self, path: &str) -> Response {
        if let Some(asset) = ASSETS.iter().find(|asset| asset.name == path) {
            return sent(asset.kind, "no-cache", asset.body.into_response());
        }
        match path.strip_prefix(GRAPHIQL.version).and_then(|rest| rest.strip_prefix('/')) {
            Some(name) => self.library(name).await,
            None => missing(),
        }
    }

    /// Returns a library file. `accept-encoding` is ignored, because every browser accepts gzip.
    async fn library(&self, name: &str) -> Response {
        let Ok(fetched) = tokio::time::timeout(WAIT, self.fetching()).await else {
            return unavailable("The libraries of GraphiQL are being fetched. Reload the page in a moment.\n");
        };
        let Some(libraries) = fetched else {
            return unavailable(
                "The libraries of GraphiQL could not be fetched; the service's log explains why. \
                 Any other GraphQL client can use the endpoint /graphql.\n",
            );
        };
        let Some(library) = libraries.iter().find(|library| library.name == name) else { return missing() };
        let kind = if name.ends_with(".css") { STYLE_SHEET } else { JAVASCRIPT };
        let mut response = sent(kind, "public, max-age=31536000, immutable", library.body.clone().into_response());
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
        response
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
        let cache = self.cache.clone();
        let task = tokio::spawn(async move { fetched(graphiql_files(&cache).await) });
        Attempt { began: Instant::now(), fetching: task.map(|fetched| fetched.unwrap_or_default()).boxed().shared() }
    }
}

/// Compresses the fetched files, or logs the reason why there are none.
fn fetched(files: Result<Vec<LibraryFile>, ProvisionError>) -> Fetched {
    match files {
        Ok(files) => files.into_iter().map(compressed).collect::<Option<Arc<[Library]>>>(),
        Err(error) => {
            tracing::warn!(%error, "GraphiQL is not available");
            None
        }
    }
}

fn compressed(file: LibraryFile) -> Option<Library> {
    let mut packer = GzEncoder::new(Vec::with_capacity(file.content.len() / 3), Compression::default());
    packer.write_all(&file.content).ok()?;
    Some(Library { name: file.name, body: packer.finish().ok()?.into() })
}

/// Returns the page.
pub fn page() -> Response {
    let mut response = sent("text/html; charset=utf-8", "no-cache", include_str!("graphiql/page.html").into_response());
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

fn sent(kind: &'static str, caching: &'static str, mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, "no such file\n").into_response()
}

fn unavailable(reason: &'static str) -> Response {
    let headers =
        [(RETRY_AFTER, HeaderValue::from(RETRY.as_secs())), (CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (StatusCode::SERVICE_UNAVAILABLE, headers, reason).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_store::provision::graphiql::FILES;

    #[tokio::test]
    async fn the_page_loads_its_own_files_and_the_pinned_libraries() {
        let page = include_str!("graphiql/page.html");
        let libraries = GraphiqlLibraries::new(PathBuf::from("unused"));
        let loaded = page.split('"').filter_map(|part| part.strip_prefix("graphiql/"));
        let (pinned, own): (Vec<&str>, Vec<&str>) = loaded.partition(|name| name.starts_with(GRAPHIQL.version));
        let expected: Vec<String> = FILES.iter().map(|(name, _)| format!("{}/{name}", GRAPHIQL.version)).collect();
        assert_eq!(pinned, expected);
        assert_eq!(own, ["page.css", "page.js"]);
        for name in own {
            assert_eq!(libraries.asset(name).await.status(), StatusCode::OK, "{name}");
        }
        assert_eq!(libraries.asset("../mod.rs").await.status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn the_page_names_no_other_server_and_contains_nothing_inline() {
        let page = include_str!("graphiql/page.html");
        for text in [page, include_str!("graphiql/page.js"), include_str!("graphiql/page.css")] {
            assert!(!text.contains("//cdn") && !text.contains("https://") && !text.contains("http://"), "{text:.80}");
        }
        assert!(
            !page.contains("<script>") && !page.contains("<style>") && !page.contains("style="),
            "the content security policy forbids inline scripts and styles"
        );
    }

    #[tokio::test]
    async fn libraries_that_cannot_be_fetched_are_a_named_failure_that_reveals_no_path() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // No directory can be created below a file, so that nothing can be fetched.
        let libraries = GraphiqlLibraries::new(file.path().join("cache"));
        let response = libraries.asset("0.8/graphiql.min.js").await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[RETRY_AFTER], "30");
        let body = axum::body::to_bytes(response.into_body(), 1_000).await.unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(
            text.starts_with("The libraries of GraphiQL could not be fetched") && !text.contains("cache"),
            "{text}"
        );
    }
}
