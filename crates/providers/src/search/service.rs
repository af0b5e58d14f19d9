//! Calls of a search service: query, limits, and failures with a remedy.
//!
//! Retries, timeouts and the maximum size of a response are those of [`crate::http`]; a body that cannot be used is
//! `Unavailable` here as well. Redirects are not followed.

use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
use serde_json::Value;

use crate::call_error::CallError;
use crate::http::{Calls, Wire, extended};
use crate::pacing::ProviderLimits;
use crate::search::results::SearchReply;
use crate::settings::{ApiKey, CallTimeouts, ConfigError};
use faultline_core::events::receipt::{Failure, FailureKind};
use faultline_core::kernel::effect::{PassageQuery, SuppliedPassage};

/// Maximum time of one search, with retries and the waits before them.
pub const MAX_SEARCH_TIME: Duration = Duration::from_secs(30);
/// Maximum number of calls to a search service at once.
pub const MAX_SEARCHES_AT_ONCE: u32 = 4;
/// Maximum number of characters of a query: that of Tavily.
pub const MAX_QUERY_CHARS: usize = 400;

/// Remedies of failures, by their cause.
#[derive(Debug)]
pub(super) struct Remedies {
    /// The service refused the key or the request (401, 403).
    pub(super) refused: &'static str,
    /// Nothing at the address answers as the service does.
    pub(super) address: &'static str,
}

/// Search service behind an HTTP endpoint.
pub(super) struct SearchService {
    name: &'static str,
    wire: Wire,
    remedies: Remedies,
}

impl SearchService {
    /// Creates a client of the service at a base address.
    pub(super) fn new(
        name: &'static str,
        base: Url,
        key: Option<ApiKey>,
        timeouts: CallTimeouts,
        remedies: Remedies,
    ) -> Result<Self, ConfigError> {
        let mut headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
        if let Some(key) = &key {
            let header = key.header("Bearer ").ok_or(ConfigError::Header { provider: name, what: "API key" })?;
            headers.insert(AUTHORIZATION, header);
        }
        let limits = ProviderLimits { calls: Some(MAX_SEARCHES_AT_ONCE), ..ProviderLimits::default() };
        let timeouts = CallTimeouts { call: timeouts.call.min(MAX_SEARCH_TIME), ..timeouts };
        let wire = Wire::new(name, extended(base, &["search"]), headers, key, timeouts, &[])?.within(&limits);
        Ok(SearchService { name, wire, remedies })
    }

    /// Returns the client with requests by GET.
    pub(super) fn with_queries(self) -> Self {
        SearchService { wire: self.wire.with_queries(), ..self }
    }

    /// Name of the service.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Origin of the endpoint (scheme, host and port), for people.
    pub(super) fn origin(&self) -> String {
        self.wire.origin()
    }

    /// Sends a request for a query, and converts the results.
    pub(super) async fn find(&self, query: &PassageQuery, request: Value) -> Result<Vec<SuppliedPassage>, Failure> {
        let mut calls = self.wire.calls_about("search for evidence".to_owned(), query.text.clone());
        match calls.send::<SearchReply>(&request).await {
            Ok(reply) => reply.body.passages(query.passages).map_err(|what| {
                let message = format!("{} {what}; {}", self.name, self.remedies.address);
                Failure::new(FailureKind::Unavailable, message)
            }),
            Err(error) => Err(self.failure(&calls, error)),
        }
    }

    /// Adds the remedy to a failure, if there is one that people can apply.
    fn failure(&self, calls: &Calls<'_>, error: CallError) -> Failure {
        let remedy = match error.status().map(|status| status.as_u16()) {
            Some(401 | 403) => Some(self.remedies.refused.to_owned()),
            Some(300..=399) => Some(format!("redirects are not followed; {}", self.remedies.address)),
            Some(404 | 405) => Some(self.remedies.address.to_owned()),
            None if error.kind == FailureKind::Unavailable => Some(self.remedies.address.to_owned()),
            _ => None,
        };
        let failure = calls.failure(error);
        match remedy {
            Some(remedy) => Failure { message: format!("{}; {remedy}", failure.message), ..failure },
            None => failure,
        }
    }
}

impl fmt::Debug for SearchService {
    /// Omits the address, whose query may contain a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchService").field("name", &self.name).field("origin", &self.origin()).finish()
    }
}

/// Returns the words of a query on one line, of at most [`MAX_QUERY_CHARS`] characters.
pub(super) fn query_line<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut line = String::new();
    let mut n_chars = 0;
    for word in words.filter(|word| !word.is_empty()) {
        let separator = usize::from(!line.is_empty());
        n_chars += separator + word.chars().count();
        if n_chars > MAX_QUERY_CHARS {
            break;
        }
        line.push_str(&" "[..separator]);
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_one_line_and_ends_with_a_whole_word() {
        assert_eq!(query_line("The ferry\n\n is safe. ".split_whitespace()), "The ferry is safe.");
        let long = "ähnlich ".repeat(100);
        let line = query_line(long.split_whitespace());
        assert_eq!((line.chars().count(), line.ends_with("ähnlich")), (399, true));
        assert_eq!(query_line("".split_whitespace()), "");
        assert_eq!(query_line([&*"x".repeat(500)].into_iter()), "");
    }
}
