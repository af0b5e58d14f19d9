//! Loader of documents and passages: reads all that a request selects of a kind with one statement.

use std::collections::HashMap;

use async_graphql::Error;
use async_graphql::async_trait::async_trait;
use async_graphql::dataloader::{DataLoader, Loader};
use uuid::Uuid;

use crate::api::error::from_fault;
use crate::api::types::persona::document::{Document, Passage};
use faultline_core::events::ids::PersonaId;
use faultline_service::service::DebateService;
use faultline_store::library::documents::{
    DocumentName, DocumentPage, LibraryDocument, Neighbors, PageItems, PassagePage,
};
use faultline_store::library::recall::StoredPassage;

/// Loader of documents and passages.
pub struct LibraryLoader(DebateService);

/// Key of the number of documents of an owner.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DocumentCount(pub PersonaId);

/// Key of the neighbors of a passage.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct NeighborsOf(pub Uuid);

impl LibraryLoader {
    /// Creates a loader that batches the documents and passages of one request.
    pub fn loader(service: DebateService) -> DataLoader<LibraryLoader> {
        DataLoader::new(LibraryLoader(service), tokio::spawn)
    }
}

#[async_trait]
impl Loader<Uuid> for LibraryLoader {
    type Value = Passage;
    type Error = Error;

    async fn load(&self, keys: &[Uuid]) -> Result<HashMap<Uuid, Passage>, Error> {
        let found = self.0.read_library().cited(keys).await.map_err(|error| from_fault(&error))?;
        Ok(found.into_iter().map(|passage| (passage.chunk, Passage::from(passage))).collect())
    }
}

#[async_trait]
impl Loader<NeighborsOf> for LibraryLoader {
    type Value = Neighbors;
    type Error = Error;

    async fn load(&self, keys: &[NeighborsOf]) -> Result<HashMap<NeighborsOf, Neighbors>, Error> {
        let chunks: Vec<Uuid> = keys.iter().map(|key| key.0).collect();
        let found = self.0.read_library().neighbors(&chunks).await.map_err(|error| from_fault(&error))?;
        Ok(found.into_iter().map(|neighbors| (NeighborsOf(neighbors.chunk), neighbors)).collect())
    }
}

#[async_trait]
impl Loader<DocumentName> for LibraryLoader {
    type Value = Document;
    type Error = Error;

    async fn load(&self, keys: &[DocumentName]) -> Result<HashMap<DocumentName, Document>, Error> {
        let found = self.0.read_library().named_documents(keys).await.map_err(|error| from_fault(&error))?;
        Ok(found.into_iter().map(|document| (document.name.clone(), Document::from(document))).collect())
    }
}

#[async_trait]
impl Loader<DocumentPage> for LibraryLoader {
    type Value = PageItems<LibraryDocument>;
    type Error = Error;

    async fn load(&self, keys: &[DocumentPage]) -> Result<HashMap<DocumentPage, PageItems<LibraryDocument>>, Error> {
        let found = self.0.read_library().document_pages(keys).await.map_err(|error| from_fault(&error))?;
        Ok(keys.iter().cloned().zip(found).collect())
    }
}

#[async_trait]
impl Loader<DocumentCount> for LibraryLoader {
    type Value = i64;
    type Error = Error;

    async fn load(&self, keys: &[DocumentCount]) -> Result<HashMap<DocumentCount, i64>, Error> {
        let owners: Vec<PersonaId> = keys.iter().map(|key| key.0.clone()).collect();
        let counts = self.0.read_library().count_documents(&owners).await.map_err(|error| from_fault(&error))?;
        Ok(keys.iter().cloned().zip(counts).collect())
    }
}

#[async_trait]
impl Loader<PassagePage> for LibraryLoader {
    type Value = PageItems<StoredPassage>;
    type Error = Error;

    async fn load(&self, keys: &[PassagePage]) -> Result<HashMap<PassagePage, PageItems<StoredPassage>>, Error> {
        let found = self.0.read_library().passage_pages(keys).await.map_err(|error| from_fault(&error))?;
        Ok(keys.iter().cloned().zip(found).collect())
    }
}
