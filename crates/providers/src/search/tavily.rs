//! Web search by Tavily: `POST /search` with a bearer key.
//!
//! | field of the request | value |
//! |----------------------|-------|
//! | `query` | the claim, at most 400 characters |
//! | `max_results` | the number of passages wanted, at most 20 |
//!
//! Of the response, `results` with `title`, `url`, `content` and `score` are read. Tavily answers 432 or 433 if a plan or
//! a budget is used up; these are not retried.

use serde_json::json;

use crate::http::base_url;
use crate::ports::{EvidenceSearch, Pending};
use crate::search::results::MAX_RESULTS;
use crate::search::service::{Remedies, SearchService, query_line};
use crate::settings::{ApiKey, CallTimeouts, ConfigError};
use faultline_core::events::receipt::Failure;
use faultline_core::kernel::effect::{PassageQuery, SuppliedPassage};

const NAME: &str = "tavily";

/// Configuration of [`Tavily`].
#[derive(Clone, Debug)]
pub struct TavilyConfig {
    /// Base URL of the API: `https://api.tavily.com`.
    pub base: String,
    /// API key.
    pub key: ApiKey,
    /// Timeouts and backoff. No search takes longer than
    /// [`MAX_SEARCH_TIME`](crate::search::service::MAX_SEARCH_TIME).
    pub timeouts: CallTimeouts,
}

/// Web search by Tavily.
#[derive(Debug)]
pub struct Tavily(SearchService);

impl Tavily {
    /// Creates the search; sends nothing.
    ///
    /// # Errors
    /// [`ConfigError`] if the key is missing, or a setting is invalid.
    pub fn new(config: TavilyConfig) -> Result<Self, ConfigError> {
        let TavilyConfig { base, key, timeouts } = config;
        if key.is_empty() {
            return Err(ConfigError::NoKey { provider: NAME });
        }
        let remedies = Remedies {
            refused: "check the API key in TAVILY_API_KEY",
            address: "check that FAULTLINE_TAVILY_URL is the final address of Tavily's API",
        };
        Ok(Tavily(SearchService::new(NAME, base_url(NAME, &base)?, Some(key), timeouts, remedies)?))
    }

    /// Origin of the endpoint (scheme, host and port), for people.
    pub fn origin(&self) -> String {
        self.0.origin()
    }

    async fn search(&self, query: &PassageQuery) -> Result<Vec<SuppliedPassage>, Failure> {
        let line = query_line(query.text.split_whitespace());
        if line.is_empty() || query.passages == 0 {
            return Ok(Vec::new());
        }
        self.0.find(query, json!({ "query": line, "max_results": query.passages.min(MAX_RESULTS) })).await
    }
}

impl EvidenceSearch for Tavily {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn find<'a>(&'a self, query: &'a PassageQuery) -> Pending<'a, Vec<SuppliedPassage>> {
        Box::pin(self.search(query))
    }
}
