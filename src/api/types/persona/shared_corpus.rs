//! GraphQL type of shared corpora.

use std::collections::HashMap;

use async_graphql::async_trait::async_trait;
use async_graphql::dataloader::{DataLoader, Loader};
use async_graphql::{Context, Error, ID, Result, SimpleObject};

use crate::api::error::from_service;
use faultline_core::events::ids::PersonaId;
use faultline_service::service::DebateService;
use faultline_store::library::shared_corpora::StoredSharedCorpus;

/// A corpus that belongs to no persona: common knowledge of the participants of a debate, and evidence for fact checks.
#[derive(SimpleObject, Clone)]
#[graphql(complex)]
pub struct SharedCorpus {
    /// Unique id, also accepted by `node`: the name of its folder. No persona has it.
    pub(crate) id: ID,
    /// Display name.
    name: String,
    /// One-line description of its content.
    about: String,
    /// Number of documents in the library; 0 before its first ingest.
    document_count: i64,
    /// Number of passages in the library.
    passage_count: i64,
}

impl From<StoredSharedCorpus> for SharedCorpus {
    fn from(stored: StoredSharedCorpus) -> Self {
        SharedCorpus {
            id: ID(stored.corpus.id.to_string()),
            name: stored.corpus.name,
            about: stored.corpus.about,
            document_count: stored.n_documents,
            passage_count: stored.n_passages,
        }
    }
}

impl SharedCorpus {
    /// Returns the shared corpora that debates can use, ordered by id, with one statement.
    ///
    /// # Errors
    /// The codes of [`from_service`] if the library cannot be read.
    pub(crate) async fn all(context: &Context<'_>) -> Result<Vec<SharedCorpus>> {
        let service = context.data::<DebateService>()?;
        let stored = service.stored_shared_corpora().await.map_err(from_service)?;
        let counted = |id: &PersonaId| {
            let found = stored.iter().find(|entry| entry.corpus.id == *id);
            found.map_or((0, 0), |entry| (entry.n_documents, entry.n_passages))
        };
        let corpora = service.catalog().shared_corpora.values().map(|corpus| {
            let (n_documents, n_passages) = counted(&corpus.id);
            SharedCorpus::from(StoredSharedCorpus { corpus: corpus.clone(), n_documents, n_passages })
        });
        Ok(corpora.collect())
    }

    /// Returns the shared corpus with this id: one that the library contains, or that debates can use.
    ///
    /// # Errors
    /// As [`SharedCorpus::all`].
    pub(crate) async fn find(context: &Context<'_>, id: &PersonaId) -> Result<Option<SharedCorpus>> {
        let stored = SharedCorpus::stored(context, Some(id)).await?;
        let usable = context.data::<DebateService>()?.catalog().shared_corpora.get(id).cloned();
        let empty = |corpus| SharedCorpus::from(StoredSharedCorpus { corpus, n_documents: 0, n_passages: 0 });
        Ok(stored.or_else(|| usable.map(empty)))
    }

    /// Returns a shared corpus in the library; `None` without an id. Reads all that a request selects with one statement.
    ///
    /// # Errors
    /// As [`SharedCorpus::all`].
    pub(crate) async fn stored(context: &Context<'_>, id: Option<&PersonaId>) -> Result<Option<SharedCorpus>> {
        match id {
            Some(id) => context.data::<DataLoader<SharedCorpora>>()?.load_one(id.clone()).await,
            None => Ok(None),
        }
    }
}

/// Loader of shared corpora in the library: reads all that a request selects with one statement.
pub struct SharedCorpora(DebateService);

impl SharedCorpora {
    /// Creates a loader that batches the shared corpora of one request.
    pub fn loader(service: DebateService) -> DataLoader<SharedCorpora> {
        DataLoader::new(SharedCorpora(service), tokio::spawn)
    }
}

#[async_trait]
impl Loader<PersonaId> for SharedCorpora {
    type Value = SharedCorpus;
    type Error = Error;

    async fn load(&self, keys: &[PersonaId]) -> Result<HashMap<PersonaId, SharedCorpus>, Error> {
        let stored = self.0.stored_shared_corpora().await.map_err(from_service)?;
        let wanted = stored.into_iter().filter(|entry| keys.contains(&entry.corpus.id));
        Ok(wanted.map(|entry| (entry.corpus.id.clone(), SharedCorpus::from(entry))).collect())
    }
}
