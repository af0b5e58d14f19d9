//! Searching the library, for whoever asks: a speaker, a client, the command line.
//!
//! The words are embedded, the library is searched, and of what is found a varied part is picked. A search changes
//! nothing and is not in the log; what a speaker was given is, in the receipt of its answer.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use uuid::Uuid;

use crate::desk::desk::DeskError;
use crate::events::ids::PersonaId;
use crate::kernel::engine::{Refusal, RefusalKind};
use crate::providers::ports::Embedder;
use crate::retrieval::variety::{Candidate, Terms, varied};
use crate::store::library::open::{Library, LibraryError, StoredEmbedder};
use crate::store::library::recall::{Found, PASSAGES, Passage, Search, Whose, Why};

/// The most characters of what a client searches for.
pub const SEARCH_CHARS: usize = 1_000;

/// How many passages a client is given where it does not say.
pub const FIRST: usize = 10;

/// Whoever searches the library. Cheap to clone.
#[derive(Clone)]
pub struct Passages {
    library: Library,
    embedder: Arc<dyn Embedder>,
    /// Whether it was said that the embedder was exchanged.
    exchanged: Arc<AtomicBool>,
    /// Asked where nothing was found.
    stock: Option<Stock>,
}

/// Takes in what was written and nobody has taken in yet, by one persona or by all; answers whether there was any.
pub type Stock = Arc<dyn Fn(Option<PersonaId>) -> BoxFuture<'static, bool> + Send + Sync>;

/// A passage that was found, as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageHit {
    /// The passage.
    pub passage: Passage,
    /// Why it was found.
    pub why: Why,
    /// Where words of the search stand in it, in bytes of its text, in order.
    pub words: Vec<Range<usize>>,
    /// Passages that say nearly the same word for word, and fit less.
    pub folded: Vec<Uuid>,
}

impl Passages {
    /// A search of this library, by this embedder.
    pub fn new(library: Library, embedder: Arc<dyn Embedder>) -> Passages {
        Passages { library, embedder, exchanged: Arc::default(), stock: None }
    }

    /// The same search, for whom somebody fills the library where there is nothing in it yet.
    #[must_use]
    pub fn stocked_by(self, stock: Stock) -> Passages {
        Passages { stock: Some(stock), ..self }
    }

    /// The embedder as the library knows it; `None`, and a warning once, where another has taken its place.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn by(&self) -> Result<Option<StoredEmbedder>, LibraryError> {
        let embedder = &self.embedder;
        match self.library.embedder(embedder.name(), embedder.width(), embedder.is_stand_in()).await {
            Ok(by) => {
                self.exchanged.store(false, Ordering::Relaxed);
                Ok(Some(by))
            }
            Err(error @ LibraryError::OtherEmbedder { .. }) => {
                if !self.exchanged.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        "{error}. Until this service is started anew with that embedder, it finds passages by words alone"
                    );
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The passages of one persona, or of all, that fit best, the best first: 1 to [`PASSAGES`] at the most.
    ///
    /// # Errors
    /// A refusal where there is nothing to search for, or too much, or the library is by another embedder; or a fault.
    pub async fn search(
        &self,
        text: &str,
        persona: Option<&PersonaId>,
        first: usize,
    ) -> Result<Vec<PassageHit>, DeskError> {
        check(text, first)?;
        let whose = persona.map_or(Whose::All, |it| Whose::Of(std::slice::from_ref(it)));
        let mut hits = self.fitting(text, whose, first).await?;
        if let Some(stock) = self.stock.as_ref().filter(|_| hits.is_empty())
            && stock(persona.cloned()).await
        {
            hits = self.fitting(text, whose, first).await?;
        }
        let found: Vec<&Passage> = hits.iter().map(|it| &it.passage).collect();
        let mut words = self.library.hits(text, &found).await.map_err(refused)?;
        for hit in &mut hits {
            hit.words = words.remove(&hit.passage.chunk).unwrap_or_default();
        }
        Ok(hits)
    }

    /// The same for a speaker, who needs no words marked, and whose query is as long as its brief.
    ///
    /// # Errors
    /// As [`Passages::search`]. Where the search cannot be embedded, passages are found by their words alone.
    pub async fn fitting(&self, text: &str, whose: Whose<'_>, most: usize) -> Result<Vec<PassageHit>, DeskError> {
        Ok(picked(self.found(text, whose).await.map_err(refused)?, most))
    }

    async fn found(&self, text: &str, whose: Whose<'_>) -> Result<Vec<Found>, LibraryError> {
        let by_words = Search { whose, text, vector: &[], limit: PASSAGES };
        let Some(by) = self.by().await? else { return self.library.search_by_words(by_words).await };
        let vector = match self.embedder.embed(&[text.to_owned()]).await {
            Ok(vectors) => vectors.into_iter().next().unwrap_or_default(),
            Err(failure) => {
                tracing::warn!(%failure, "a search could not be embedded; its passages are found by words alone");
                return self.library.search_by_words(by_words).await;
            }
        };
        match self.library.search(&by, Search { vector: &vector, ..by_words }).await {
            // Exchanged this very moment.
            Err(LibraryError::OtherEmbedder { .. }) => self.library.search_by_words(by_words).await,
            found => found,
        }
    }
}

/// A varied part of what was found.
fn picked(found: Vec<Found>, most: usize) -> Vec<PassageHit> {
    let candidate = |it: &Found| (it.passage.persona.clone(), it.passage.document.clone());
    let documents: Vec<_> = found.iter().map(candidate).collect();
    let candidates: Vec<_> = found
        .iter()
        .zip(&documents)
        .map(|(it, document)| Candidate { document, text: it.passage.text.as_str() })
        .collect();
    let picked = varied(&candidates, Terms::of(most));
    let hit = |it: crate::retrieval::variety::Picked| PassageHit {
        passage: found[it.at].passage.clone(),
        why: found[it.at].why,
        words: Vec::new(),
        folded: it.folded.into_iter().map(|at| found[at].passage.chunk).collect(),
    };
    picked.into_iter().map(hit).collect()
}

fn check(text: &str, first: usize) -> Result<(), Refusal> {
    let n_chars = text.chars().count();
    if text.trim().is_empty() {
        Err(Refusal::invalid("there is nothing to search for; say it in words"))
    } else if n_chars > SEARCH_CHARS {
        let reason = format!("at most {SEARCH_CHARS} characters are searched for, and here are {n_chars}");
        Err(Refusal::new(RefusalKind::Limit, reason))
    } else if !(1..=PASSAGES).contains(&first) {
        Err(Refusal::new(RefusalKind::Limit, format!("first is {first}; a search gives 1 to {PASSAGES} passages")))
    } else {
        Ok(())
    }
}

/// What the library said, as the desk says it: what somebody can mend is a refusal.
fn refused(error: LibraryError) -> DeskError {
    let kind = match &error {
        LibraryError::Fault(fault) => return DeskError::Fault(fault.clone()),
        LibraryError::Limit { .. } => RefusalKind::Limit,
        _ => RefusalKind::Conflict,
    };
    Refusal::new(kind, error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_named() {
        let refused = |text: &str, first| check(text, first).unwrap_err().reason;
        assert_eq!(refused(" \n", 10), "there is nothing to search for; say it in words");
        assert_eq!(refused(&"é".repeat(1_001), 10), "at most 1000 characters are searched for, and here are 1001");
        assert_eq!(refused("wall", 0), "first is 0; a search gives 1 to 50 passages");
        assert_eq!(refused("wall", 51), "first is 51; a search gives 1 to 50 passages");
        assert!(check(&"é".repeat(1_000), 50).is_ok());
    }
}
