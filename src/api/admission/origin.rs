//! Checks of the `Origin` and `Host` headers, against cross-site requests and DNS rebinding.
//!
//! Without tokens anyone who can reach the port may use the service, so web pages of other sites must be kept out. A
//! request with an `Origin` header is served only if that is the service's own origin or an allowed one. A request that
//! a browser sends for another page without `Origin`, such as for an image, is refused by its `Sec-Fetch-Site`. A
//! service on loopback answers only to loopback host names, so a foreign host name that resolves to it (DNS rebinding)
//! is refused.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HOST, HeaderName, ORIGIN, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
/// Request headers that pages of allowed origins may send.
const ASKED_HEADERS: &str = "authorization, content-type, if-none-match, last-event-id, x-request-id, faultline-seen, \
                             x-graphql-event-stream-token";
/// Addresses of the studio; `{id}` stands for one part of a path.
pub const STUDIO: [&str; 9] =
    ["/", "/start", "/cruxes", "/personas", "/personas/{id}", "/projections", "/cost", "/statistics", "/debates/{id}"];
/// Address of the other page.
const GRAPHIQL: &str = "/graphiql";

/// Entry of the allowed origins that stands for every page of the machine itself, on any port.
pub const LOCALHOST: &str = "localhost";

/// Allowed origins of web pages.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Allowed origins in addition to the service's own, such as `https://debates.example`, or [`LOCALHOST`].
    pub allowed: Vec<String>,
    /// True if the service listens on loopback only.
    pub loopback: bool,
}

/// Reason for refusing a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// The request does not name exactly one host.
    #[error("ambiguous host: send one `Host` header, and in the request target only the same host")]
    Host,
    /// The host is not a loopback name.
    #[error("unknown host: this service listens on loopback; use localhost, 127.0.0.1 or [::1]")]
    NotLoopback,
    /// The origin is not allowed. Contains its first characters.
    #[error(
        "pages of {0} may not use this service; set FAULTLINE_ORIGINS={0} to allow it, or serve them from its own address"
    )]
    Origin(String),
    /// The origin is a page of the machine itself, such as that of a development server, and is not allowed.
    #[error(
        "pages of {0} may not use this service; start it with `serve --dev` to allow all pages of this machine, or set \
         FAULTLINE_ORIGINS={0} to allow these"
    )]
    LocalOrigin(String),
    /// A page of another site sent the request without an `Origin` header.
    #[error("cross-site request refused; open the address directly, or add the site to FAULTLINE_ORIGINS")]
    CrossSite,
}

impl Origins {
    /// Checks the host and origin of a request.
    ///
    /// # Errors
    /// [`OriginError`] with the reason.
    pub fn check(&self, request: &Request) -> Result<(), OriginError> {
        let headers = request.headers();
        let in_target = request.uri().authority().map(|authority| authority.as_str());
        // HTTP/2 requests have the host in the target only.
        let host = text(headers, &HOST).or(in_target).unwrap_or_default();
        if headers.get_all(HOST).iter().count() > 1
            || in_target.is_some_and(|authority| !authority.eq_ignore_ascii_case(host))
        {
            return Err(OriginError::Host);
        }
        if self.loopback && !is_loopback(host) {
            return Err(OriginError::NotLoopback);
        }
        match text(headers, &ORIGIN) {
            Some(origin) => {
                let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) == Some(host);
                if own || self.allows(origin) {
                    return Ok(());
                }
                let reason = if is_local(origin) { OriginError::LocalOrigin } else { OriginError::Origin };
                Err(reason(shown(origin)))
            }
            // Browsers omit the origin when they load subresources without CORS, and when they follow links.
            None if is_foreign(headers) && !is_link_to_page(request) => Err(OriginError::CrossSite),
            None => Ok(()),
        }
    }

    fn allows(&self, origin: &str) -> bool {
        let is_covered = |allowed: &String| if allowed == LOCALHOST { is_local(origin) } else { allowed == origin };
        self.allowed.iter().any(is_covered)
    }

    /// Returns the origin to name in the response, if it is an allowed one.
    pub fn listed<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let origin = headers.get(ORIGIN)?.to_str().ok()?;
        self.allows(origin).then_some(origin)
    }
}

/// Middleware that refuses requests from other sites, and adds CORS headers for allowed origins.
pub async fn check_origin(State(origins): State<Arc<Origins>>, request: Request, next: Next) -> Response {
    if let Err(reason) = origins.check(&request) {
        let status = if reason == OriginError::Host { StatusCode::BAD_REQUEST } else { StatusCode::FORBIDDEN };
        return (status, format!("{reason}\n")).into_response();
    }
    let listed = origins.listed(request.headers()).and_then(|origin| HeaderValue::from_str(origin).ok());
    let preflight = request.method() == Method::OPTIONS;
    let mut response = if preflight { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.append(VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = listed {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, PUT, DELETE"));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ASKED_HEADERS));
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("etag, faultline-seen, location, retry-after, x-request-id"),
        );
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
    response
}

/// Maximum number of characters of an origin in an error.
const MAX_ORIGIN_CHARS: usize = 100;

/// First characters of an origin, without those that a terminal would interpret.
fn shown(origin: &str) -> String {
    origin.chars().filter(|letter| !letter.is_control()).take(MAX_ORIGIN_CHARS).collect()
}

/// Returns the text of a header; a value that is not text is replaced by one that matches no name.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or("\u{0}"))
}

/// Returns true if the browser reports that a page of another origin sent the request.
fn is_foreign(headers: &HeaderMap) -> bool {
    matches!(text(headers, &SEC_FETCH_SITE), Some("cross-site" | "same-site"))
}

fn is_link_to_page(request: &Request) -> bool {
    let (path, mode) = (request.uri().path(), text(request.headers(), &SEC_FETCH_MODE));
    request.method() == Method::GET && mode == Some("navigate") && is_page(path)
}

/// Returns true for the pages that links on other sites may lead to; they hold no data and execute nothing by themselves.
fn is_page(path: &str) -> bool {
    let is_at = |page: &str| match page.strip_suffix("{id}") {
        Some(folder) => path.strip_prefix(folder).is_some_and(|id| !id.is_empty() && !id.contains('/')),
        None => path == page,
    };
    path == GRAPHIQL || STUDIO.into_iter().any(is_at)
}

/// Returns true if a server on the machine itself serves the pages of an origin.
fn is_local(origin: &str) -> bool {
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")).is_some_and(is_loopback)
}

fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost"
        || name == "::1"
        || name.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn check(loopback: bool, host: &str, origin: Option<&str>, expected: Result<(), OriginError>) {
        let more: Vec<(&str, &str)> = origin.map(|origin| ("origin", origin)).into_iter().collect();
        check_request(loopback, "/graphql", host, &more, expected);
    }

    fn check_request(
        loopback: bool,
        target: &str,
        host: &str,
        more: &[(&str, &str)],
        expected: Result<(), OriginError>,
    ) {
        let origins = Origins { allowed: vec!["https://debates.example".into()], loopback };
        let request = Request::get(target).header("host", host);
        let request = more.iter().fold(request, |builder, (name, value)| builder.header(*name, *value));
        let request = request.body(Body::empty()).expect("a request");
        assert_eq!(origins.check(&request), expected, "{target} {host} {more:?}");
    }

    #[test]
    fn foreign_origins_and_hosts_are_refused() {
        let refused = |origin: &str| Err(OriginError::Origin(origin.to_owned()));
        check(true, "127.0.0.1:7777", None, Ok(()));
        check(true, "[::1]:7777", None, Ok(()));
        check(true, "localhost:7777", Some("http://localhost:7777"), Ok(()));
        check(true, "localhost:7777", Some("https://debates.example"), Ok(()));
        let local = Err(OriginError::LocalOrigin("http://localhost:3000".to_owned()));
        check(true, "localhost:7777", Some("http://localhost:3000"), local);
        check(true, "localhost:7777", Some("null"), refused("null"));
        check(true, "evil.example:7777", Some("http://evil.example:7777"), Err(OriginError::NotLoopback));
        check(true, "evil.example:7777", None, Err(OriginError::NotLoopback));
        check(true, "127.0.0.1.evil.example", None, Err(OriginError::NotLoopback));
        check(false, "debates.internal", Some("https://debates.internal"), Ok(()));
        check(false, "debates.internal", Some("https://evil.example"), refused("https://evil.example"));
        let reason = OriginError::LocalOrigin("http://localhost:5173".to_owned()).to_string();
        assert!(reason.contains("`serve --dev`"), "{reason}");
        assert!(reason.contains("set FAULTLINE_ORIGINS=http://localhost:5173"), "{reason}");
    }

    #[test]
    fn development_allows_all_pages_of_the_machine() {
        let origins = Origins { allowed: vec![LOCALHOST.to_owned()], loopback: true };
        let check = |origin: &str, expected: bool| {
            let request = Request::get("/graphql").header("host", "localhost:7777").header("origin", origin);
            let request = request.body(Body::empty()).expect("a request");
            assert_eq!(origins.check(&request).is_ok(), expected, "{origin}");
            assert_eq!(origins.listed(request.headers()).is_some(), expected, "{origin}");
        };
        for own in ["http://localhost:5173", "http://127.0.0.1:3000", "https://[::1]:8443"] {
            check(own, true);
        }
        for foreign in ["null", "localhost", "http://localhost.evil.example", "http://evil.example", "file://localhost"]
        {
            check(foreign, false);
        }
    }

    #[test]
    fn subresources_of_foreign_pages_are_refused() {
        let check = |target, more: &[_], expected| check_request(false, target, "debates.internal", more, expected);
        for site in ["cross-site", "same-site"] {
            check("/graphql?query={x}", &[("sec-fetch-site", site)], Err(OriginError::CrossSite));
            let link = [("sec-fetch-site", site), ("sec-fetch-mode", "navigate")];
            check("/graphql?query={x}", &link, Err(OriginError::CrossSite));
            check("/graphiql?query={x}", &link, Ok(()));
            for page in ["/", "/start", "/debates/0199c8a4", "/personas/edda-tolvane?tab=voice"] {
                check(page, &link, Ok(()));
            }
            for data in ["/debates/0199c8a4/events", "/debates/", "/log.jsonl"] {
                check(data, &link, Err(OriginError::CrossSite));
            }
            check("/graphql", &[("sec-fetch-site", site), ("origin", "https://debates.example")], Ok(()));
        }
        for site in ["same-origin", "none"] {
            check("/graphql?query={x}", &[("sec-fetch-site", site)], Ok(()));
        }
    }

    #[test]
    fn a_request_must_name_exactly_one_host() {
        check_request(false, "/graphql", "a", &[("host", "b")], Err(OriginError::Host));
        check_request(false, "/graphql", "a", &[("host", "a")], Err(OriginError::Host));
        check_request(false, "http://b/graphql", "a", &[], Err(OriginError::Host));
        check_request(false, "http://A:80/graphql", "a:80", &[], Ok(()));
    }
}
