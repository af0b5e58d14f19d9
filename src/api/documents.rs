//! Documents that were read before: clients ask in the same few texts over and over.
//!
//! What is kept follows from the text and the limits alone: that it may be asked for at all is looked at each time, as are
//! the variables. As many texts are kept as fit; the longest unused goes first.

use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::parser::types::ExecutableDocument;
use lru::LruCache;

use crate::api::plain::is_unmerged;

/// The longest text that is kept, in bytes.
pub const MAX_TEXT_BYTES: usize = 16 * 1024;
/// How many bytes of text are kept; their trees take some twenty times as much.
pub const KEPT_BYTES: usize = 256 * 1024;

/// A document, and what holds for it whoever asks.
#[derive(Debug)]
pub struct Document {
    /// The document.
    pub tree: ExecutableDocument,
    /// Whether it [`is_unmerged`].
    pub unmerged: bool,
}

impl From<ExecutableDocument> for Document {
    fn from(tree: ExecutableDocument) -> Document {
        Document { unmerged: is_unmerged(&tree), tree }
    }
}

/// Documents by their texts.
pub struct Documents(Mutex<Kept>);

struct Kept {
    documents: LruCache<Box<str>, Arc<Document>>,
    n_bytes: usize,
}

impl Default for Documents {
    fn default() -> Documents {
        Documents(Mutex::new(Kept { documents: LruCache::unbounded(), n_bytes: 0 }))
    }
}

impl Documents {
    /// The document of this text, where it is kept.
    pub fn find(&self, text: &str) -> Option<Arc<Document>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.documents.get(text).cloned()
    }

    /// Keeps what was read from a text and found good.
    pub fn keep(&self, text: &str, document: &Arc<Document>) {
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
    fn as_much_is_kept_as_fits_and_the_longest_unused_goes_first() {
        let documents = Documents::default();
        let text = |at: usize| format!("{{ a{at:0width$} }}", width = MAX_TEXT_BYTES - 5);
        let keep = |text: &str| documents.keep(text, &Arc::new(parse_query(text).expect("a query").into()));
        let fit = KEPT_BYTES / MAX_TEXT_BYTES;
        (0..fit).for_each(|at| keep(&text(at)));
        keep(&text(0));
        assert!((0..fit).all(|at| documents.find(&text(at)).is_some()), "one that is kept twice takes its room once");
        assert!(documents.find(&text(0)).is_some());
        keep(&text(fit));
        assert!(documents.find(&text(1)).is_none() && documents.find(&text(0)).is_some());
        assert_eq!((0..=fit).filter(|at| documents.find(&text(*at)).is_some()).count(), fit);
        keep(&(text(0) + " "));
        assert!(documents.find(&(text(0) + " ")).is_none(), "a long one is not kept");
    }
}
