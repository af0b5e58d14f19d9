//! Cache of parsed documents: clients send the same few query texts again and again.
//!
//! A cached document depends only on its text and the limits. The allow-list and the variables are checked for every
//! request. The cache is bounded in bytes and evicts the least recently used text first.

use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::parser::types::ExecutableDocument;
use lru::LruCache;

use crate::api::json::direct_json::is_unmerged;

/// Longest text that is cached, in bytes.
pub const MAX_TEXT_BYTES: usize = 16 * 1024;
/// Total size of the cached texts, in bytes. The syntax trees take some twenty times as much.
pub const KEPT_BYTES: usize = 256 * 1024;

/// A parsed document, and the facts about it that hold for every caller.
#[derive(Debug)]
pub struct ParsedDocument {
    /// Syntax tree.
    pub tree: ExecutableDocument,
    /// Result of [`is_unmerged`].
    pub unmerged: bool,
}

impl From<ExecutableDocument> for ParsedDocument {
    fn from(tree: ExecutableDocument) -> ParsedDocument {
        ParsedDocument { unmerged: is_unmerged(&tree), tree }
    }
}

/// Cache of documents by text.
pub struct DocumentCache(Mutex<Kept>);

struct Kept {
    documents: LruCache<Box<str>, Arc<ParsedDocument>>,
    n_bytes: usize,
}

impl Default for DocumentCache {
    fn default() -> DocumentCache {
        DocumentCache(Mutex::new(Kept { documents: LruCache::unbounded(), n_bytes: 0 }))
    }
}

impl DocumentCache {
    /// Returns the cached document for a text.
    pub fn find(&self, text: &str) -> Option<Arc<ParsedDocument>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.documents.get(text).cloned()
    }

    /// Caches a document that was parsed from a text and passed the limits.
    pub fn keep(&self, text: &str, document: &Arc<ParsedDocument>) {
        if text.len() > MAX_TEXT_BYTES {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.documents.put(text.into(), Arc::clone(document)).is_none() {
            kept.n_bytes += text.len();
        }
        while kept.n_bytes > KEPT_BYTES
            && let Some((gone, _)) = kept.documents.pop_lru()
        {
            kept.n_bytes -= gone.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    #[test]
    fn the_cache_is_bounded_and_evicts_the_least_recently_used_text() {
        let documents = DocumentCache::default();
        let text = |at: usize| format!("{{ a{at:0width$} }}", width = MAX_TEXT_BYTES - 5);
        let keep = |text: &str| documents.keep(text, &Arc::new(parse_query(text).expect("a query").into()));
        let fit = KEPT_BYTES / MAX_TEXT_BYTES;
        (0..fit).for_each(|at| keep(&text(at)));
        keep(&text(0));
        assert!((0..fit).all(|at| documents.find(&text(at)).is_some()), "a text that is cached twice is counted once");
        assert!(documents.find(&text(0)).is_some());
        keep(&text(fit));
        assert!(documents.find(&text(1)).is_none() && documents.find(&text(0)).is_some());
        assert_eq!((0..=fit).filter(|at| documents.find(&text(*at)).is_some()).count(), fit);
        keep(&(text(0) + " "));
        assert!(documents.find(&(text(0) + " ")).is_none(), "a text above the limit is not cached");
    }
}
