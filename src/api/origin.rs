//! From where a browser may speak to the service.
//!
//! Without tokens, whoever reaches the socket may use it; so a page of somebody else must not. A request with an
//! `Origin` is served only where that is the service's own or on the list; and a service on loopback answers only to
//! loopback names, so that no name pointed at it from outside (DNS rebinding) is its own.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// From where a browser may speak.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Origins that may, beside the service's own: `https://debates.example`.
    pub allowed: Vec<String>,
    /// Whether the service listens on loopback only.
    pub loopback: bool,
}

impl Origins {
    /// Why a request may not be served; `None` where it may.
    pub fn refuse(&self, headers: &HeaderMap) -> Option<&'static str> {
        let text = |name| headers.get(name).map(|it: &axum::http::HeaderValue| it.to_str().unwrap_or("\u{0}"));
        let host = text(HOST).unwrap_or_default();
        if self.loopback && !is_loopback(host) {
            return Some("this service listens on loopback and answers to localhost, 127.0.0.1 and [::1] only");
        }
        let origin = text(ORIGIN)?;
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) == Some(host);
        let listed = self.allowed.iter().any(|it| it == origin);
        (!own && !listed).then_some("this origin is not on the list; name it in FAULTLINE_ORIGINS")
    }

    /// The origin to be named in a response, where it is one on the list.
    pub fn listed<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let origin = headers.get(ORIGIN)?.to_str().ok()?;
        self.allowed.iter().any(|it| it == origin).then_some(origin)
    }
}

fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name == "::1" || name.parse::<std::net::Ipv4Addr>().is_ok_and(|it| it.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(loopback: bool, host: &str, origin: Option<&str>, served: bool) {
        let origins = Origins { allowed: vec!["https://debates.example".into()], loopback };
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().expect("a header"));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().expect("a header"));
        }
        assert_eq!(origins.refuse(&headers).is_none(), served, "{host} {origin:?}");
    }

    #[test]
    fn pages_of_others_are_refused() {
        check(true, "127.0.0.1:7777", None, true);
        check(true, "[::1]:7777", None, true);
        check(true, "localhost:7777", Some("http://localhost:7777"), true);
        check(true, "localhost:7777", Some("https://debates.example"), true);
        check(true, "localhost:7777", Some("http://localhost:3000"), false);
        check(true, "localhost:7777", Some("null"), false);
        check(true, "evil.example:7777", Some("http://evil.example:7777"), false);
        check(true, "evil.example:7777", None, false);
        check(true, "127.0.0.1.evil.example", None, false);
        check(false, "debates.internal", Some("https://debates.internal"), true);
        check(false, "debates.internal", Some("https://evil.example"), false);
    }
}
