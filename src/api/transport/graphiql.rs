//! `GraphiQL`, served from the binary: it works without internet access, under a strict content security policy.
//!
//! The vendored files lie beside this file, compressed as they are sent; `graphiql/README.md` documents their origin
//! and build. The page itself is part of this project.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

/// Content security policy of the page. Its libraries set inline styles from scripts; everything else must come from
/// this server.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// File that the page loads.
struct Asset {
    /// Path under `/graphiql/`. The path of a vendored file contains its version, and its content never changes.
    name: &'static str,
    kind: &'static str,
    body: &'static [u8],
}

const ASSETS: &[Asset] = &[
    Asset { name: "page.js", kind: "text/javascript; charset=utf-8", body: include_bytes!("graphiql/page.js") },
    Asset { name: "page.css", kind: "text/css; charset=utf-8", body: include_bytes!("graphiql/page.css") },
    Asset {
        name: "4.1.2/graphiql.js",
        kind: "text/javascript; charset=utf-8",
        body: include_bytes!("graphiql/graphiql.js.gz"),
    },
    Asset {
        name: "4.1.2/graphiql.css",
        kind: "text/css; charset=utf-8",
        body: include_bytes!("graphiql/graphiql.css.gz"),
    },
    Asset { name: "licences.txt", kind: "text/plain; charset=utf-8", body: include_bytes!("graphiql/licences.txt.gz") },
];

impl Asset {
    fn is_compressed(&self) -> bool {
        self.body.starts_with(&[0x1f, 0x8b])
    }

    fn is_eternal(&self) -> bool {
        self.name.contains('/')
    }
}

/// Returns the page.
pub fn page() -> Response {
    let mut response = include_str!("graphiql/page.html").into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Returns a file of the page. `accept-encoding` is ignored, because every browser accepts gzip.
pub fn asset(name: &str) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return (StatusCode::NOT_FOUND, "no such file\n").into_response();
    };
    let mut response = asset.body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let age = if asset.is_eternal() { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(age));
    if asset.is_compressed() {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_only_files_that_are_served() {
        let page = include_str!("graphiql/page.html");
        let quoted: Vec<&str> = page.split('"').filter_map(|part| part.strip_prefix("graphiql/")).collect();
        assert!(quoted.len() >= 4, "{quoted:?}");
        for name in quoted {
            assert_eq!(asset(name).status(), StatusCode::OK, "{name}");
        }
        assert_eq!(asset("../mod.rs").status(), StatusCode::NOT_FOUND);
        for text in [page, include_str!("graphiql/page.js"), include_str!("graphiql/page.css")] {
            assert!(!text.contains("//cdn") && !text.contains("https://") && !text.contains("http://"), "{text:.80}");
        }
        assert!(
            !page.contains("<script>") && !page.contains("<style>") && !page.contains("style="),
            "the content security policy forbids inline scripts and styles"
        );
    }

    #[test]
    fn vendored_files_are_small_and_compressed() {
        for asset in ASSETS.iter().filter(|asset| asset.is_eternal()) {
            assert!(asset.is_compressed() && asset.body.len() < 1_000_000, "{}", asset.name);
        }
    }
}
