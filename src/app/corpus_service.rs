//! Corpus service: reads, splits and embeds the writings of personas and shared corpora, on demand for a first search, or in the
//! background.
//!
//! **If the embedder is replaced while the service runs** (`faultline corpus reembed` in another process), the vectors
//! of this service and those of the library cannot be compared any more. The service reports this and the remedy. Until
//! it is restarted it finds passages by words alone, embeds a persona's sentences itself if it needs them, and ingests
//! nothing. If an embedder fails, passages are found by words alone as well.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use faultline_core::events::ids::PersonaId;
use faultline_core::events::receipt::{Failure, FailureKind, PassageRef};
use faultline_core::kernel::effect::{PassageQuery, PassageScope, SuppliedPassage};
use faultline_ingest::corpus::{Folders, ingest_with_web};
use faultline_ingest::fetch::fetcher::Fetcher;
use faultline_ingest::reembed::forget;
use faultline_ingest::report::{IngestError, IngestReport, OnProgress};
use faultline_providers::ports::{Corpora, Embedder, EvidenceSearch, Pending, Recall, Sentence};
use faultline_service::passage_search::{IngestMissing, PassageSearch};
use faultline_shipped::files::is_folder;
use faultline_store::library::open::{Library, LibraryError};
use faultline_store::library::reading::StoredSentence;
use faultline_store::library::recall;
use faultline_store::library::recall::CorpusScope;
use faultline_store::stored_embedder::StoredEmbedder;

/// Maximum time a search waits for an ingest on its behalf; less than a request may take.
const ON_DEMAND_TIMEOUT: Duration = Duration::from_secs(15);

/// Service that provides the corpora of personas, and shared corpora. Where it takes the id of a persona, it takes that of
/// a shared corpus as well.
pub struct CorpusService {
    library: Library,
    embedder: Arc<dyn Embedder>,
    passages: PassageSearch,
    personas: PathBuf,
    corpus: PathBuf,
    /// Sentences in memory, by persona.
    sentences: Mutex<HashMap<PersonaId, Arc<Vec<Sentence>>>>,
    /// Lock held while files are read: one ingest at a time.
    ingesting: Mutex<()>,
}

impl CorpusService {
    /// Creates a corpus service over a library and two folders.
    pub fn new(library: Library, embedder: Arc<dyn Embedder>, personas: PathBuf, corpus: PathBuf) -> CorpusService {
        let (sentences, ingesting) = (Mutex::default(), Mutex::default());
        let passages = PassageSearch::new(library.clone(), embedder.clone());
        CorpusService { library, embedder, passages, personas, corpus, sentences, ingesting }
    }

    /// Returns the embedder if it captures meaning; `None` for a stand-in, which knows spellings only.
    pub fn semantic_embedder(&self) -> Option<Arc<dyn Embedder>> {
        (!self.embedder.is_fallback()).then(|| self.embedder.clone())
    }

    /// Updates the library from the folders, for these personas and shared corpora or for all.
    ///
    /// # Errors
    /// An [`IngestError`] if files cannot be read or embedded, or the library cannot be written.
    pub async fn ingest(
        &self,
        only: Option<Vec<PersonaId>>,
        progress: OnProgress<'_>,
    ) -> Result<IngestReport, IngestError> {
        self.ingest_with_web_sources(only, None, progress).await
    }

    /// Updates the library from the folders and, with a fetcher, from the web sources that they name.
    ///
    /// # Errors
    /// As [`CorpusService::ingest`].
    pub async fn ingest_with_web_sources(
        &self,
        only: Option<Vec<PersonaId>>,
        fetcher: Option<&Fetcher>,
        progress: OnProgress<'_>,
    ) -> Result<IngestReport, IngestError> {
        let _ingesting = self.ingesting.lock().await;
        let folders = Folders { personas: self.personas.clone(), corpus: self.corpus.clone(), only };
        let report = ingest_with_web(&self.library, self.embedder.as_ref(), &folders, fetcher, progress).await?;
        self.sentences.lock().await.clear();
        // Searches continue with the previous indexes and word counts, only slower.
        if let Err(error) = self.library.maintain().await {
            tracing::warn!(%error, "index maintenance failed after an ingest");
        }
        Ok(report)
    }

    /// Ingests those of these personas and shared corpora that have documents in the folders and none in the library.
    /// Returns them. Waits for an ingest under way.
    ///
    /// # Errors
    /// As [`CorpusService::ingest`].
    pub async fn ingest_missing(
        &self,
        of: &[PersonaId],
        progress: OnProgress<'_>,
    ) -> Result<Vec<PersonaId>, IngestError> {
        drop(self.ingesting.lock().await);
        let holdings = self.library.holdings().await?;
        let has_some = |id: &PersonaId| holdings.iter().any(|holding| holding.persona == *id && holding.n_passages > 0);
        let missing: Vec<PersonaId> =
            of.iter().filter(|persona| !has_some(persona) && self.is_written(persona)).cloned().collect();
        if !missing.is_empty() {
            self.ingest(Some(missing.clone()), progress).await?;
        }
        Ok(missing)
    }

    /// Returns true if a persona or a shared corpus has a folder of documents; plain sides have none.
    fn is_written(&self, persona: &PersonaId) -> bool {
        is_folder(&self.corpus.join(persona.as_str()))
    }

    /// Returns a function that ingests missing documents on demand of a search, for one persona or shared corpus or for all
    /// of these. An ingest that exceeds the time limit continues in the background, for the next search.
    pub fn on_demand_ingest(self: &Arc<Self>, all: Vec<PersonaId>) -> IngestMissing {
        let own = Arc::clone(self);
        Arc::new(move |persona| {
            let (own, of) = (Arc::clone(&own), persona.map_or_else(|| all.clone(), |persona| vec![persona]));
            let ingest = tokio::spawn(async move {
                let ingested = own.ingest_missing(&of, &|_| {}).await;
                ingested
                    .inspect(|ingested| {
                        if !ingested.is_empty() {
                            tracing::info!(personas = ?ingested, "ingested writings for a search");
                        }
                    })
                    .inspect_err(|error| tracing::warn!(%error, "cannot ingest the writings of personas"))
                    .is_ok_and(|ingested| !ingested.is_empty())
            });
            Box::pin(async move { matches!(timeout(ON_DEMAND_TIMEOUT, ingest).await, Ok(Ok(true))) })
        })
    }

    /// Deletes vectors left over from replaced embedders. Returns the number of passages.
    ///
    /// # Errors
    /// [`LibraryError::Fault`] if the database cannot be reached or refuses a statement.
    pub async fn maintain(&self) -> Result<u64, LibraryError> {
        forget(&self.library, &|_| {}).await
    }

    /// Returns the search for passages.
    pub fn passages(&self) -> &PassageSearch {
        &self.passages
    }

    /// Returns the sentences of a persona or a shared corpus: from memory, from the library, or from its files.
    async fn fetch(&self, persona: &PersonaId) -> Result<Arc<Vec<Sentence>>, Failure> {
        if let Some(cached) = self.sentences.lock().await.get(persona) {
            return Ok(cached.clone());
        }
        let stored = match self.passages.stored_embedder().await.map_err(unavailable)? {
            Some(by) => self.stored_sentences(&by, persona).await?,
            None => self.sentences_by_other(persona).await?,
        };
        let fetched = Arc::new(stored);
        self.sentences.lock().await.insert(persona.clone(), fetched.clone());
        Ok(fetched)
    }

    async fn stored_sentences(&self, by: &StoredEmbedder, persona: &PersonaId) -> Result<Vec<Sentence>, Failure> {
        let mut stored = self.library.sentences(by, persona).await.map_err(unavailable)?;
        if stored.is_empty() && self.is_written(persona) {
            self.ingest(Some(vec![persona.clone()]), &|_| {}).await.map_err(unavailable)?;
            stored = self.library.sentences(by, persona).await.map_err(unavailable)?;
        }
        Ok(stored.into_iter().map(|stored| sentence(persona, stored)).collect())
    }

    /// Returns the sentences that another embedder has embedded.
    async fn sentences_by_other(&self, persona: &PersonaId) -> Result<Vec<Sentence>, Failure> {
        let Some(by_other) = self.library.embedder_in_use().await.map_err(unavailable)? else { return Ok(Vec::new()) };
        let stored = self.library.sentences(&by_other, persona).await.map_err(unavailable)?;
        Ok(stored.into_iter().map(|stored| sentence(persona, stored)).collect())
    }

    async fn search(&self, query: &PassageQuery) -> Result<Vec<SuppliedPassage>, Failure> {
        let persona = match &query.scope {
            PassageScope::Writings(persona) => persona,
            PassageScope::Evidence { without } => return self.search_all(query, without.as_ref()).await,
        };
        let is_current = self.passages.stored_embedder().await.map_err(unavailable)?.is_some();
        if is_current && self.fetch(persona).await?.is_empty() {
            return Ok(Vec::new());
        }
        self.best(query, CorpusScope::Of(std::slice::from_ref(persona))).await
    }

    /// Searches what the library contains of all personas but one, and of all shared corpora.
    async fn search_all(
        &self,
        query: &PassageQuery,
        except: Option<&PersonaId>,
    ) -> Result<Vec<SuppliedPassage>, Failure> {
        if query.text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let holdings = self.library.holdings().await.map_err(unavailable)?;
        let others: Vec<PersonaId> =
            holdings.into_iter().map(|holding| holding.persona).filter(|id| Some(id) != except).collect();
        match (except, others.is_empty()) {
            (None, _) => self.best(query, CorpusScope::All).await,
            (Some(_), true) => Ok(Vec::new()),
            (Some(_), false) => self.best(query, CorpusScope::Of(&others)).await,
        }
    }

    async fn best(&self, query: &PassageQuery, whose: CorpusScope<'_>) -> Result<Vec<SuppliedPassage>, Failure> {
        let found = self.passages.fitting(&query.text, whose, query.passages as usize).await;
        let found = found.map_err(unavailable)?.into_iter().map(|hit| hit.passage);
        Ok(found.into_iter().map(passage).collect())
    }

    async fn look_up(&self, chunks: &[Uuid]) -> Result<Vec<SuppliedPassage>, Failure> {
        let found = self.library.cited(chunks).await.map_err(unavailable)?;
        Ok(found.into_iter().map(passage).collect())
    }
}

fn passage(it: recall::StoredPassage) -> SuppliedPassage {
    SuppliedPassage { ground: PassageRef::of_chunk("", it.chunk, it.score), text: it.text, title: it.title }
}

fn sentence(persona: &PersonaId, stored: StoredSentence) -> Sentence {
    let StoredSentence { chunk, ordinal, text, .. } = stored;
    Sentence { persona: persona.clone(), chunk, ordinal, text }
}

impl Corpora for CorpusService {
    fn sentences<'a>(&'a self, persona: &'a PersonaId) -> Pending<'a, Arc<Vec<Sentence>>> {
        Box::pin(self.fetch(persona))
    }
}

impl Recall for CorpusService {
    fn prepare<'a>(&'a self, personas: &'a [PersonaId]) -> Pending<'a, ()> {
        Box::pin(async move { self.ingest_missing(personas, &|_| {}).await.map(drop).map_err(unavailable) })
    }

    fn recall<'a>(&'a self, query: &'a PassageQuery) -> Pending<'a, Vec<SuppliedPassage>> {
        Box::pin(self.search(query))
    }

    fn passages<'a>(&'a self, chunks: &'a [Uuid]) -> Pending<'a, Vec<SuppliedPassage>> {
        Box::pin(self.look_up(chunks))
    }
}

impl EvidenceSearch for CorpusService {
    fn name(&self) -> &str {
        "corpora"
    }

    fn find<'a>(&'a self, query: &'a PassageQuery) -> Pending<'a, Vec<SuppliedPassage>> {
        Box::pin(self.search(query))
    }
}

fn unavailable(error: impl std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Unavailable, error.to_string())
}
