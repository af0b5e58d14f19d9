//! Keeps the corpora: what a persona wrote is read, cut and embedded when somebody first asks for it, and at leisure for
//! the rest.
//!
//! **When the embedder is exchanged beneath a running service** (`faultline corpus reembed` in another process), vectors
//! of this service and of the library cannot be compared any more. It says so, and what to do; until it is started anew it
//! finds passages by words alone, embeds a persona's sentences itself where it needs them, and takes nothing in. Where an
//! embedder fails, passages are found by words alone as well.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use crate::desk::passages::{Passages, Stock};
use crate::events::ids::PersonaId;
use crate::events::receipt::{Failure, FailureKind, Ground};
use crate::ingest::corpus::{Folders, gather};
use crate::ingest::embedding::embed_all;
use crate::ingest::fetch::fetcher::Fetcher;
use crate::ingest::reembed::forget;
use crate::ingest::report::{IngestError, Report, Tell};
use crate::kernel::effect::{Passage, Query};
use crate::providers::ports::{Corpora, Embedder, Pending, Recall, Sentence};
use crate::store::library::open::{Library, LibraryError, StoredEmbedder};
use crate::store::library::reading::StoredSentence;
use crate::store::library::recall::{self, Whose};

/// How long a search waits for what is being taken in for it; less than a request may take.
const STOCK_PATIENCE: Duration = Duration::from_secs(15);

/// Whoever keeps the corpora.
pub struct Librarian {
    library: Library,
    embedder: Arc<dyn Embedder>,
    passages: Passages,
    personas: PathBuf,
    corpus: PathBuf,
    shelves: Mutex<HashMap<PersonaId, Arc<Vec<Sentence>>>>,
    /// Held while files are read: one ingest at a time.
    at_work: Mutex<()>,
}

impl Librarian {
    /// A librarian over a library and two folders.
    pub fn new(library: Library, embedder: Arc<dyn Embedder>, personas: PathBuf, corpus: PathBuf) -> Librarian {
        let (shelves, at_work) = (Mutex::default(), Mutex::default());
        let passages = Passages::new(library.clone(), embedder.clone());
        Librarian { library, embedder, passages, personas, corpus, shelves, at_work }
    }

    /// The embedder, where it knows what texts mean; `None` for a stand-in, which knows their spelling.
    pub fn meaning(&self) -> Option<Arc<dyn Embedder>> {
        (!self.embedder.is_stand_in()).then(|| self.embedder.clone())
    }

    /// Brings the library up to date with the folders: for these personas, or for all.
    ///
    /// # Errors
    /// As the ingest.
    pub async fn stock(&self, only: Option<Vec<PersonaId>>, tell: Tell<'_>) -> Result<Report, IngestError> {
        self.gather(only, None, tell).await
    }

    /// The same, and what the folders name in the web, where there is a fetcher.
    ///
    /// # Errors
    /// As the ingest.
    pub async fn gather(
        &self,
        only: Option<Vec<PersonaId>>,
        fetcher: Option<&Fetcher>,
        tell: Tell<'_>,
    ) -> Result<Report, IngestError> {
        let _at_work = self.at_work.lock().await;
        let folders = Folders { personas: self.personas.clone(), corpus: self.corpus.clone(), only };
        let report = gather(&self.library, self.embedder.as_ref(), &folders, fetcher, tell).await?;
        self.shelves.lock().await.clear();
        // A search goes on with what was there before: slower, and with words counted as they were.
        if let Err(error) = self.library.tend().await {
            tracing::warn!(%error, "the library could not be tended after an ingest");
        }
        Ok(report)
    }

    /// Takes in what personas wrote of whom nothing is in the library and something in the folders: of these. Names them.
    ///
    /// # Errors
    /// As the ingest.
    pub async fn stock_lacking(&self, of: &[PersonaId], tell: Tell<'_>) -> Result<Vec<PersonaId>, IngestError> {
        let holdings = self.library.holdings().await?;
        let has_some = |id: &PersonaId| holdings.iter().any(|it| it.persona == *id && it.n_passages > 0);
        let is_written = |id: &PersonaId| self.corpus.join(id.as_str()).is_dir();
        let lacking: Vec<PersonaId> = of.iter().filter(|it| !has_some(it) && is_written(it)).cloned().collect();
        if !lacking.is_empty() {
            self.stock(Some(lacking.clone()), tell).await?;
        }
        Ok(lacking)
    }

    /// The same for whoever searches: of one, or of all of these. What takes longer than a moment goes on, and is there
    /// for the next search.
    pub fn stocks(self: &Arc<Self>, all: Vec<PersonaId>) -> Stock {
        let own = Arc::clone(self);
        Arc::new(move |persona| {
            let (own, of) = (Arc::clone(&own), persona.map_or_else(|| all.clone(), |it| vec![it]));
            let stocking = tokio::spawn(async move {
                let taken_in = own.stock_lacking(&of, &|_| {}).await;
                taken_in
                    .inspect(|it| {
                        if !it.is_empty() {
                            tracing::info!(personas = ?it, "taken in what they wrote, for a search");
                        }
                    })
                    .inspect_err(|error| tracing::warn!(%error, "what personas wrote could not be taken in"))
                    .is_ok_and(|it| !it.is_empty())
            });
            Box::pin(async move { matches!(timeout(STOCK_PATIENCE, stocking).await, Ok(Ok(true))) })
        })
    }

    /// Removes vectors that an exchange of embedders has left behind. Says of how many passages.
    ///
    /// # Errors
    /// The database's fault.
    pub async fn tidy(&self) -> Result<u64, LibraryError> {
        forget(&self.library, &|_| {}).await
    }

    /// Whoever searches the library.
    pub fn passages(&self) -> &Passages {
        &self.passages
    }

    /// A persona's sentences: from the shelf, from the library, or from its files.
    async fn fetch(&self, persona: &PersonaId) -> Result<Arc<Vec<Sentence>>, Failure> {
        if let Some(shelf) = self.shelves.lock().await.get(persona) {
            return Ok(shelf.clone());
        }
        let stored = match self.passages.by().await.map_err(unavailable)? {
            Some(by) => self.stocked(&by, persona).await?,
            None => self.embedded_here(persona).await?,
        };
        let shelf = Arc::new(stored);
        self.shelves.lock().await.insert(persona.clone(), shelf.clone());
        Ok(shelf)
    }

    async fn stocked(&self, by: &StoredEmbedder, persona: &PersonaId) -> Result<Vec<Sentence>, Failure> {
        let mut stored = self.library.sentences(by, persona).await.map_err(unavailable)?;
        if stored.is_empty() {
            self.stock(Some(vec![persona.clone()]), &|_| {}).await.map_err(unavailable)?;
            stored = self.library.sentences(by, persona).await.map_err(unavailable)?;
        }
        Ok(stored.into_iter().map(|it| sentence(persona, it)).collect())
    }

    /// The sentences that are stored, with vectors by this embedder instead of those in the library.
    async fn embedded_here(&self, persona: &PersonaId) -> Result<Vec<Sentence>, Failure> {
        let Some(theirs) = self.library.embedder_in_use().await.map_err(unavailable)? else { return Ok(Vec::new()) };
        let stored = self.library.sentences(&theirs, persona).await.map_err(unavailable)?;
        let texts: Vec<String> = stored.iter().map(|it| it.text.clone()).collect();
        let vectors = embed_all(self.embedder.as_ref(), &texts, &|_| {}).await?;
        let own = |(it, vector)| sentence(persona, StoredSentence { vector, ..it });
        Ok(stored.into_iter().zip(vectors).map(own).collect())
    }

    async fn search(&self, query: &Query) -> Result<Vec<Passage>, Failure> {
        let stocks = self.passages.by().await.map_err(unavailable)?.is_some();
        if stocks && self.fetch(&query.persona).await?.is_empty() {
            return Ok(Vec::new());
        }
        let whose = Whose::Of(std::slice::from_ref(&query.persona));
        let found = self.passages.fitting(&query.text, whose, query.passages as usize).await;
        let found = found.map_err(unavailable)?.into_iter().map(|it| it.passage);
        Ok(found.into_iter().map(passage).collect())
    }

    async fn look_up(&self, chunks: &[Uuid]) -> Result<Vec<Passage>, Failure> {
        let found = self.library.cited(chunks).await.map_err(unavailable)?;
        Ok(found.into_iter().map(passage).collect())
    }
}

fn passage(it: recall::Passage) -> Passage {
    Passage {
        ground: Ground { alias: String::new(), chunk: it.chunk, score: it.score },
        text: it.text,
        title: it.title,
    }
}

fn sentence(persona: &PersonaId, stored: StoredSentence) -> Sentence {
    let StoredSentence { chunk, ordinal, text, vector } = stored;
    Sentence { persona: persona.clone(), chunk, ordinal, text, vector }
}

impl Corpora for Librarian {
    fn sentences<'a>(&'a self, persona: &'a PersonaId) -> Pending<'a, Arc<Vec<Sentence>>> {
        Box::pin(self.fetch(persona))
    }
}

impl Recall for Librarian {
    fn recall<'a>(&'a self, query: &'a Query) -> Pending<'a, Vec<Passage>> {
        Box::pin(self.search(query))
    }

    fn passages<'a>(&'a self, chunks: &'a [Uuid]) -> Pending<'a, Vec<Passage>> {
        Box::pin(self.look_up(chunks))
    }
}

fn unavailable(error: impl std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Unavailable, error.to_string())
}
