//! `GraphiQL`, served from within: it works where nothing else can be reached, and a strict policy lets nothing else in.
//!
//! What is vendored lies beside this file, compressed as it is sent; `graphiql/README.md` says where it is from and how
//! it was made. The page itself is ours.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

/// What the page may do. Its libraries set styles from scripts; nothing else is taken from anywhere but here.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What the page loads.
struct Asset {
    /// Its path under `/graphiql/`. What is vendored has its version in it, and never changes.
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

/// The page.
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

/// What the page loads. Every browser takes gzip; so it is not asked for.
pub fn asset(name: &str) -> Response {
    let Some(asset) = ASSETS.iter().find(|it| it.name == name) else {
        return (StatusCode::NOT_FOUND, "there is no such file\n").into_response();
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
    fn the_page_loads_what_is_there_and_nothing_else() {
        let page = include_str!("graphiql/page.html");
        let quoted: Vec<&str> = page.split('"').filter_map(|it| it.strip_prefix("graphiql/")).collect();
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
            "the policy forbids it"
        );
    }

    #[test]
    fn what_is_vendored_is_small_and_compressed() {
        for asset in ASSETS.iter().filter(|it| it.is_eternal()) {
            assert!(asset.is_compressed() && asset.body.len() < 1_000_000, "{}", asset.name);
        }
    }
}
