//! Web search by an instance of `SearXNG`: `GET /search?q=...&format=json`.
//!
//! Of the response, `results` with `title`, `url`, `content` and `score` are read. An instance must offer JSON
//! (`search.formats` in its `settings.yml`); otherwise it answers 403. It returns about 20 results whatever is wanted, so
//! the best of them are kept.
//!
//! Words of a query that begin with `!`, `:` or `<` are commands of `SearXNG`: they choose engines, languages and timeouts,
//! or redirect to another site. A claim is prose, so these characters are removed from the beginning of its words.

use serde_json::json;

use crate::http::base_url;
use crate::ports::{EvidenceSearch, Pending};
use crate::search::service::{Remedies, SearchService, query_line};
use crate::settings::{CallTimeouts, ConfigError};
use faultline_core::events::receipt::Failure;
use faultline_core::kernel::effect::{PassageQuery, SuppliedPassage};

const NAME: &str = "searxng";

/// Configuration of [`Searxng`].
#[derive(Clone, Debug)]
pub struct SearxngConfig {
    /// Base URL of the instance: `http://127.0.0.1:8888`.
    pub base: String,
    /// Timeouts and backoff. No search takes longer than
    /// [`MAX_SEARCH_TIME`](crate::search::service::MAX_SEARCH_TIME).
    pub timeouts: CallTimeouts,
}

/// Web search by an instance of `SearXNG`.
#[derive(Debug)]
pub struct Searxng(SearchService);

impl Searxng {
    /// Creates the search; sends nothing.
    ///
    /// # Errors
    /// [`ConfigError`] if the address is invalid.
    pub fn new(config: SearxngConfig) -> Result<Self, ConfigError> {
        let SearxngConfig { base, timeouts } = config;
        let remedies = Remedies {
            refused: "let the instance offer JSON: add `json` to `search.formats` in its settings.yml",
            address: "check that FAULTLINE_SEARXNG_URL is the final address of an instance that is running and offers JSON",
        };
        Ok(Searxng(SearchService::new(NAME, base_url(NAME, &base)?, None, timeouts, remedies)?.with_queries()))
    }

    /// Origin of the endpoint (scheme, host and port), for people.
    pub fn origin(&self) -> String {
        self.0.origin()
    }

    async fn search(&self, query: &PassageQuery) -> Result<Vec<SuppliedPassage>, Failure> {
        let line = query_line(query.text.split_whitespace().map(without_command));
        if line.is_empty() || query.passages == 0 {
            return Ok(Vec::new());
        }
        self.0.find(query, json!({ "q": line, "format": "json" })).await
    }
}

/// Removes the characters from the beginning of a word that make it a command.
fn without_command(word: &str) -> &str {
    word.trim_start_matches(['!', ':', '<'])
}

impl EvidenceSearch for Searxng {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn find<'a>(&'a self, query: &'a PassageQuery) -> Pending<'a, Vec<SuppliedPassage>> {
        Box::pin(self.search(query))
    }
}
