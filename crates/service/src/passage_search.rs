//! Passage search in the library, for speakers, clients and the command line.
//!
//! The query is embedded, the library is searched, and a diverse selection of the hits is returned. Searches are not
//! recorded in the log; the passages given to a speaker are recorded in the receipt of its answer.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use uuid::Uuid;

use crate::error::ServiceError;
use faultline_core::events::ids::PersonaId;
use faultline_core::kernel::engine::{Refusal, RefusalKind};
use faultline_core::retrieval::variety::{DiversityOptions, RankedPassage, diversify};
use faultline_providers::ports::Embedder;
use faultline_store::library::open::{Library, LibraryError};
use faultline_store::library::recall::{
    CorpusScope, FoundPassage, LibrarySearch, MAX_PASSAGES, MatchReasons, StoredPassage,
};
use faultline_store::stored_embedder::StoredEmbedder;

/// Maximum length of a client's search text, in characters.
pub const MAX_SEARCH_CHARS: usize = 1_000;

/// Number of passages returned if the client does not specify one.
pub const FIRST: usize = 10;

/// Passage search service. Cheap to clone.
#[derive(Clone)]
pub struct PassageSearch {
    library: Library,
    embedder: Arc<dyn Embedder>,
    /// True if the warning about a replaced embedder has been logged.
    exchanged: Arc<AtomicBool>,
    /// Called to ingest missing documents if a search finds nothing.
    ingest: Option<IngestMissing>,
}

/// Ingests documents that are not in the library yet, of one persona or shared corpus, or of all; returns whether there were any.
pub type IngestMissing = Arc<dyn Fn(Option<PersonaId>) -> BoxFuture<'static, bool> + Send + Sync>;

/// Search hit, as shown to a client.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageMatch {
    /// Passage that was found.
    pub passage: StoredPassage,
    /// Ranks that led to the hit.
    pub why: MatchReasons,
    /// Byte ranges of the search words in the passage's text, in order.
    pub words: Vec<Range<usize>>,
    /// Ids of near-duplicate passages that rank lower and are folded into this hit.
    pub folded: Vec<Uuid>,
}

impl PassageSearch {
    /// Creates a search over a library with an embedder.
    pub fn new(library: Library, embedder: Arc<dyn Embedder>) -> PassageSearch {
        PassageSearch { library, embedder, exchanged: Arc::default(), ingest: None }
    }

    /// Adds a callback that ingests missing documents if a search finds nothing.
    #[must_use]
    pub fn with_ingest(self, ingest: IngestMissing) -> PassageSearch {
        PassageSearch { ingest: Some(ingest), ..self }
    }

    /// Returns the stored record of the embedder; `None`, with a warning logged once, if the library uses another one.
    ///
    /// # Errors
    /// [`LibraryError`] if the database fails or the embedder cannot be registered.
    pub async fn stored_embedder(&self) -> Result<Option<StoredEmbedder>, LibraryError> {
        let embedder = &self.embedder;
        match self.library.embedder(embedder.name(), embedder.width(), embedder.is_fallback()).await {
            Ok(by) => {
                self.exchanged.store(false, Ordering::Relaxed);
                Ok(Some(by))
            }
            Err(error @ LibraryError::OtherEmbedder { .. }) => {
                if !self.exchanged.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        "{error}. Until the service is restarted with that embedder, it finds passages by words only"
                    );
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the passages of one persona or shared corpus, or of all, that match best, best first. `first` is 1 to
    /// [`MAX_PASSAGES`].
    ///
    /// # Errors
    /// [`ServiceError::Refused`] if the text is empty or too long, `first` is out of range, or the library refuses the
    /// search; [`ServiceError::Fault`] if the database fails.
    pub async fn search(
        &self,
        text: &str,
        owner: Option<&PersonaId>,
        first: usize,
    ) -> Result<Vec<PassageMatch>, ServiceError> {
        check(text, first)?;
        let whose = owner.map_or(CorpusScope::All, |owner| CorpusScope::Of(std::slice::from_ref(owner)));
        let mut hits = self.fitting(text, whose, first).await?;
        if let Some(ingest) = self.ingest.as_ref().filter(|_| hits.is_empty())
            && ingest(owner.cloned()).await
        {
            hits = self.fitting(text, whose, first).await?;
        }
        let found: Vec<&StoredPassage> = hits.iter().map(|hit| &hit.passage).collect();
        let mut words = self.library.hits(text, &found).await.map_err(refused)?;
        for hit in &mut hits {
            hit.words = words.remove(&hit.passage.chunk).unwrap_or_default();
        }
        Ok(hits)
    }

    /// Runs the same search for a speaker: matched words are not marked, and the query may be as long as the prompt.
    ///
    /// # Errors
    /// As [`PassageSearch::search`]. If the query cannot be embedded, passages are matched by words only.
    pub async fn fitting(
        &self,
        text: &str,
        whose: CorpusScope<'_>,
        most: usize,
    ) -> Result<Vec<PassageMatch>, ServiceError> {
        Ok(picked(self.found(text, whose).await.map_err(refused)?, most))
    }

    async fn found(&self, text: &str, whose: CorpusScope<'_>) -> Result<Vec<FoundPassage>, LibraryError> {
        let by_words = LibrarySearch { whose, text, vector: &[], limit: MAX_PASSAGES };
        let Some(by) = self.stored_embedder().await? else { return self.library.search_by_words(by_words).await };
        let vector = match self.embedder.embed(&[text.to_owned()]).await {
            Ok(vectors) => vectors.into_iter().next().unwrap_or_default(),
            Err(failure) => {
                tracing::warn!(%failure, "the search query could not be embedded; searching by words only");
                return self.library.search_by_words(by_words).await;
            }
        };
        match self.library.search(&by, LibrarySearch { vector: &vector, ..by_words }).await {
            // The embedder was replaced just now.
            Err(LibraryError::OtherEmbedder { .. }) => self.library.search_by_words(by_words).await,
            found => found,
        }
    }
}

/// Picks a diverse selection of the hits.
fn picked(found: Vec<FoundPassage>, most: usize) -> Vec<PassageMatch> {
    let candidate = |hit: &FoundPassage| (hit.passage.persona.clone(), hit.passage.document.clone());
    let documents: Vec<_> = found.iter().map(candidate).collect();
    let candidates: Vec<_> = found
        .iter()
        .zip(&documents)
        .map(|(hit, document)| RankedPassage { document, text: hit.passage.text.as_str() })
        .collect();
    let picked = diversify(&candidates, DiversityOptions::of(most));
    let hit = |selected: faultline_core::retrieval::variety::SelectedPassage| PassageMatch {
        passage: found[selected.at].passage.clone(),
        why: found[selected.at].why,
        words: Vec::new(),
        folded: selected.folded.into_iter().map(|at| found[at].passage.chunk).collect(),
    };
    picked.into_iter().map(hit).collect()
}

fn check(text: &str, first: usize) -> Result<(), Refusal> {
    let n_chars = text.chars().count();
    if text.trim().is_empty() {
        Err(Refusal::invalid("the search text is empty; enter one or more words"))
    } else if n_chars > MAX_SEARCH_CHARS {
        let reason = format!("the search text has {n_chars} characters; the limit is {MAX_SEARCH_CHARS}");
        Err(Refusal::limit("search_characters", MAX_SEARCH_CHARS as u64, n_chars as u64, reason))
    } else if !(1..=MAX_PASSAGES).contains(&first) {
        let reason = format!("`first` is {first}; it must be 1 to {MAX_PASSAGES}");
        Err(Refusal::limit("passages", MAX_PASSAGES as u64, first as u64, reason))
    } else {
        Ok(())
    }
}

/// Maps a library error to a service error; errors that the user can resolve become refusals.
pub(crate) fn refused(error: LibraryError) -> ServiceError {
    match error {
        LibraryError::Fault(fault) => ServiceError::Fault(fault),
        LibraryError::Limit { most, given, .. } => {
            Refusal::limit("library_search", most as u64, given as u64, error.to_string()).into()
        }
        _ => Refusal::new(RefusalKind::Conflict, error.to_string()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_limits() {
        let refused = |text: &str, first| check(text, first).unwrap_err().reason;
        assert_eq!(refused(" \n", 10), "the search text is empty; enter one or more words");
        assert_eq!(refused(&"é".repeat(1_001), 10), "the search text has 1001 characters; the limit is 1000");
        assert_eq!(refused("wall", 0), "`first` is 0; it must be 1 to 50");
        assert_eq!(refused("wall", 51), "`first` is 51; it must be 1 to 50");
        assert!(check(&"é".repeat(1_000), 50).is_ok());
    }
}
