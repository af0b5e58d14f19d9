//! `GraphiQL` under a strict content security policy.
//!
//! The page is part of this project and of the binary. Its libraries are not ([`FetchedLibraries`]).

use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use axum::response::{IntoResponse, Response};

use crate::api::transport::web_libraries::{FetchedLibraries, JAVASCRIPT, PAGE, STYLE_SHEET, missing, sent};

/// Content security policy of the page. Its libraries set inline styles from scripts and embed fonts in their style
/// sheet; everything else must come from this server.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; \
                      object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// File that the page loads.
struct Asset {
    /// Path under `/graphiql/`.
    name: &'static str,
    kind: &'static str,
    body: &'static [u8],
}

const ASSETS: [Asset; 2] = [
    Asset { name: "page.js", kind: JAVASCRIPT, body: include_bytes!("graphiql/page.js") },
    Asset { name: "page.css", kind: STYLE_SHEET, body: include_bytes!("graphiql/page.css") },
];

/// Returns a file of the page by its path under `/graphiql/`.
pub async fn asset(libraries: &FetchedLibraries, path: &str) -> Response {
    if let Some(asset) = ASSETS.iter().find(|asset| asset.name == path) {
        return sent(asset.kind, "no-cache", asset.body.into_response());
    }
    match path.strip_prefix(libraries.pinned().wheel.version).and_then(|rest| rest.strip_prefix('/')) {
        Some(name) => libraries.library(name, "public, max-age=31536000, immutable").await,
        None => missing(),
    }
}

/// Returns the page.
pub fn page() -> Response {
    let mut response = sent(PAGE, "no-cache", include_str!("graphiql/page.html").into_response());
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use axum::http::StatusCode;

    use super::*;
    use faultline_store::provision::web_libraries::GRAPHIQL;

    #[tokio::test]
    async fn the_page_loads_its_own_files_and_the_pinned_libraries() {
        let page = include_str!("graphiql/page.html");
        let libraries = FetchedLibraries::new(&GRAPHIQL, PathBuf::from("unused"));
        let loaded = page.split('"').filter_map(|part| part.strip_prefix("graphiql/"));
        let (pinned, own): (Vec<&str>, Vec<&str>) = loaded.partition(|name| name.starts_with(GRAPHIQL.wheel.version));
        let file = |(name, _): &(&str, &str)| format!("{}/{name}", GRAPHIQL.wheel.version);
        assert_eq!(pinned, GRAPHIQL.files.iter().map(file).collect::<Vec<_>>());
        assert_eq!(own, ["page.css", "page.js"]);
        for name in own {
            assert_eq!(asset(&libraries, name).await.status(), StatusCode::OK, "{name}");
        }
        assert_eq!(asset(&libraries, "../mod.rs").await.status(), StatusCode::NOT_FOUND);
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
}
