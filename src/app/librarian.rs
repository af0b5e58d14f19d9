//! Keeps the corpora: what a persona wrote is read, cut and embedded when somebody first asks for it, and at leisure for
//! the rest.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Mutex;
use uuid::Uuid;

use crate::events::ids::PersonaId;
use crate::events::receipt::{Failure, FailureKind, Ground};
use crate::ingest::corpus::{Folders, gather};
use crate::ingest::fetch::fetcher::Fetcher;
use crate::ingest::report::{IngestError, Report, Tell};
use crate::kernel::effect::{Passage, Query};
use crate::providers::hashing;
use crate::providers::ports::{Corpora, Embedder, Pending, Recall, Sentence};
use crate::store::library::open::{Library, LibraryError, StoredEmbedder};
use crate::store::library::recall::{self, Search};

/// Whoever keeps the corpora.
pub struct Librarian {
    library: Library,
    embedder: Arc<dyn Embedder>,
    personas: PathBuf,
    corpus: PathBuf,
    shelves: Mutex<HashMap<PersonaId, Arc<Vec<Sentence>>>>,
    /// Held while files are read: one ingest at a time.
    at_work: Mutex<()>,
}

impl Librarian {
    /// A librarian over a library and two folders.
    pub fn new(library: Library, embedder: Arc<dyn Embedder>, personas: PathBuf, corpus: PathBuf) -> Librarian {
        let (shelves, at_work) = (Mutex::new(HashMap::new()), Mutex::new(()));
        Librarian { library, embedder, personas, corpus, shelves, at_work }
    }

    /// The embedder, where it knows what texts mean; `None` for a stand-in, which knows their spelling.
    pub fn meaning(&self) -> Option<Arc<dyn Embedder>> {
        (!self.is_stand_in()).then(|| self.embedder.clone())
    }

    fn is_stand_in(&self) -> bool {
        self.embedder.name() == hashing::NAME
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
        let folders = Folders { personas: self.personas.clone(), corpus: self.corpus.clone(), only, reembed: false };
        let report = gather(&self.library, self.embedder.as_ref(), &folders, fetcher, tell).await?;
        self.shelves.lock().await.clear();
        Ok(report)
    }

    async fn by(&self) -> Result<StoredEmbedder, LibraryError> {
        self.library.embedder(self.embedder.name(), self.embedder.width(), self.is_stand_in()).await
    }

    /// A persona's sentences: from the shelf, from the library, or from its files.
    async fn fetch(&self, persona: &PersonaId) -> Result<Arc<Vec<Sentence>>, Failure> {
        if let Some(shelf) = self.shelves.lock().await.get(persona) {
            return Ok(shelf.clone());
        }
        let mut stored = self.stored(persona).await?;
        if stored.is_empty() {
            self.stock(Some(vec![persona.clone()]), &|_| {}).await.map_err(unavailable)?;
            stored = self.stored(persona).await?;
        }
        let shelf = Arc::new(stored);
        self.shelves.lock().await.insert(persona.clone(), shelf.clone());
        Ok(shelf)
    }

    async fn stored(&self, persona: &PersonaId) -> Result<Vec<Sentence>, Failure> {
        let by = self.by().await.map_err(unavailable)?;
        let stored = self.library.sentences(&by, persona).await.map_err(unavailable)?;
        let sentence = |it: crate::store::library::reading::StoredSentence| Sentence {
            persona: persona.clone(),
            chunk: it.chunk,
            ordinal: it.ordinal,
            text: it.text,
            vector: it.vector,
        };
        Ok(stored.into_iter().map(sentence).collect())
    }

    async fn search(&self, query: &Query) -> Result<Vec<Passage>, Failure> {
        if self.fetch(&query.persona).await?.is_empty() {
            return Ok(Vec::new());
        }
        let vector = self.embedder.embed(std::slice::from_ref(&query.text)).await?.pop().unwrap_or_default();
        let by = self.by().await.map_err(unavailable)?;
        let search = Search {
            personas: std::slice::from_ref(&query.persona),
            text: &query.text,
            vector: &vector,
            limit: query.passages as usize,
        };
        let found = self.library.recall(&by, search).await.map_err(unavailable)?;
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
