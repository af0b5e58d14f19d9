//! The studio: the page on which debates are watched, replayed and questioned, under a strict content security policy.
//!
//! Its files are compiled from `studio/` and part of the binary; a test compares them with their sources. Preact is not:
//! it is fetched once ([`FetchedLibraries`]). While it is missing, the page says so in plain HTML.

use std::fmt::Write;
use std::sync::LazyLock;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::header::{CONTENT_SECURITY_POLICY, ETAG, IF_NONE_MATCH, REFERRER_POLICY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};

use crate::api::admission::origin::STUDIO;
use crate::api::transport::web_libraries::{
    FetchedLibraries, JAVASCRIPT, LibrariesMissing, PAGE, STYLE_SHEET, compressed, missing, packed, sent, unavailable,
};

/// Content security policy of the page: everything comes from this server, and no text becomes code or markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
/// The file is asked for again at every visit, and sent again only if it has changed.
const CACHING: &str = "no-cache";

/// File of the page.
struct StudioFile {
    kind: &'static str,
    /// Content, compressed with gzip.
    body: Bytes,
    /// Entity tag of the content.
    tag: String,
}

impl StudioFile {
    fn new(kind: &'static str, content: &[u8]) -> StudioFile {
        let mut tag = String::from("\"");
        for byte in &Sha256::digest(content)[..12] {
            let _ = write!(tag, "{byte:02x}");
        }
        tag.push('"');
        StudioFile { kind, body: compressed(content).unwrap_or_default(), tag }
    }

    /// Returns the file, or that the client has it.
    fn respond(&self, headers: &HeaderMap) -> Response {
        let known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).unwrap_or_default();
        let mut response = if known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == self.tag) {
            sent(self.kind, CACHING, StatusCode::NOT_MODIFIED.into_response())
        } else {
            packed(self.kind, CACHING, self.body.clone())
        };
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

static HTML: LazyLock<StudioFile> =
    LazyLock::new(|| StudioFile::new(PAGE, include_bytes!("../../../studio/dist/index.html")));
/// Scripts and style sheet: those that `dist/FILES` lists.
static FILES: LazyLock<[(&str, StudioFile); 5]> = LazyLock::new(|| {
    [
        ("studio.js", StudioFile::new(JAVASCRIPT, include_bytes!("../../../studio/dist/studio.js"))),
        ("debate.js", StudioFile::new(JAVASCRIPT, include_bytes!("../../../studio/dist/debate.js"))),
        ("sections.js", StudioFile::new(JAVASCRIPT, include_bytes!("../../../studio/dist/sections.js"))),
        ("pages.js", StudioFile::new(JAVASCRIPT, include_bytes!("../../../studio/dist/pages.js"))),
        ("studio.css", StudioFile::new(STYLE_SHEET, include_bytes!("../../../studio/dist/studio.css"))),
    ]
});

/// Routes of the studio. Its page is the same at all its addresses, and holds no data.
pub fn routes<S: Clone + Send + Sync + 'static>(preact: &FetchedLibraries) -> Router<S> {
    let files = preact.clone();
    let file = move |Path(name): Path<String>, headers: HeaderMap| {
        let files = files.clone();
        async move { asset(&files, &name, &headers).await }
    };
    STUDIO.into_iter().fold(Router::new().route("/studio/{*name}", get(file)), |routes, address| {
        let preact = preact.clone();
        let shown = move |headers: HeaderMap| {
            let preact = preact.clone();
            async move { page(&preact, &headers).await }
        };
        routes.route(address, get(shown))
    })
}

/// Returns the page, for each of its addresses.
async fn page(preact: &FetchedLibraries, headers: &HeaderMap) -> Response {
    let response = match preact.available().await {
        Ok(()) => HTML.respond(headers),
        Err(why) => unavailable(&without_library(preact, why), PAGE),
    };
    guarded(response)
}

/// Returns a file of the page by its path under `/studio/`.
async fn asset(preact: &FetchedLibraries, path: &str, headers: &HeaderMap) -> Response {
    if let Some((_, file)) = FILES.iter().find(|(name, _)| *name == path) {
        return file.respond(headers);
    }
    match preact.pinned().files {
        [(name, _)] if path == "preact.js" => preact.library(name, CACHING).await,
        _ => missing(),
    }
}

fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Page without its library, in plain HTML.
fn without_library(preact: &FetchedLibraries, why: LibrariesMissing) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Faultline</title></head><body>\
         <h1>Faultline</h1><p>{}</p><p>A debate can be read as a report without this page: <code>faultline export ID \
         --format html</code>. <a href=\"/graphiql\">GraphiQL</a></p></body></html>\n",
        preact.explain(why).trim_end()
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use faultline_store::provision::web_libraries::PREACT;

    #[test]
    fn the_page_loads_its_own_files_and_contains_nothing_inline() {
        let page = include_str!("../../../studio/dist/index.html");
        for file in ["/studio/studio.js", "/studio/studio.css", "/studio/preact.js"] {
            assert!(page.contains(&format!("\"{file}\"")), "{file}");
        }
        assert!(!page.contains("<style") && !page.contains("style=") && !page.contains("<script>"), "{page}");
        let scripts = [
            include_str!("../../../studio/dist/studio.js"),
            include_str!("../../../studio/dist/debate.js"),
            include_str!("../../../studio/dist/sections.js"),
            include_str!("../../../studio/dist/pages.js"),
        ];
        for text in scripts.into_iter().chain([page]) {
            assert!(!text.contains("https://"), "another server is named");
            let makes_markup = ["innerHTML", "eval("].into_iter().find(|name| text.contains(name));
            assert_eq!(makes_markup, None, "the policy forbids markup and code from text");
        }
        let mut built: Vec<&str> = include_str!("../../../studio/dist/FILES").lines().collect();
        let mut served: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        built.sort_unstable();
        served.sort_unstable();
        assert_eq!(built, served);
    }

    #[tokio::test]
    async fn a_known_file_is_not_sent_again() {
        let libraries = FetchedLibraries::new(&PREACT, PathBuf::from("unused"));
        let first = asset(&libraries, "studio.css", &HeaderMap::new()).await;
        assert_eq!(first.status(), StatusCode::OK);
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, first.headers()[ETAG].clone());
        assert_eq!(asset(&libraries, "studio.css", &headers).await.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(asset(&libraries, "studio.js", &headers).await.status(), StatusCode::OK);
        assert_eq!(asset(&libraries, "../mod.rs", &headers).await.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn without_its_library_the_page_says_so() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let libraries = FetchedLibraries::new(&PREACT, file.path().join("cache"));
        let response = page(&libraries, &HeaderMap::new()).await;
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[CONTENT_SECURITY_POLICY], POLICY);
        let body = axum::body::to_bytes(response.into_body(), 4_000).await.unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(text.contains("(Preact) could not be fetched") && text.contains("/graphiql"), "{text}");
    }
}
