//! Resolvers of documents and their passages, and of their personas and shared corpora.

use async_graphql::dataloader::DataLoader;
use async_graphql::{ComplexObject, Context, ID, Result};

use crate::api::complexity::{FOLD_COMPLEXITY, assumed_page_size};
use crate::api::loading::library_loader::{LibraryLoader, NeighborsOf};
use crate::api::loading::nodes;
use crate::api::pages::document_pages;
use crate::api::paging::PageArguments;
use crate::api::types::persona::document::{Document, Passage, PassageConnection};
use crate::api::types::persona::persona::Persona;
use crate::api::types::persona::shared_corpus::SharedCorpus;
use faultline_store::library::documents::Neighbors;

#[ComplexObject]
impl Document {
    /// The persona; null for a document of a shared corpus, and if the persona does not take part in debates any more.
    async fn persona(&self, context: &Context<'_>) -> Result<Option<Persona>> {
        match self.shared {
            Some(_) => Ok(None),
            None => nodes::persona(context, &self.document.owner, None).await,
        }
    }

    /// The shared corpus that contains it; null if a persona wrote it.
    async fn shared_corpus(&self, context: &Context<'_>) -> Result<Option<SharedCorpus>> {
        SharedCorpus::stored(context, self.shared.as_ref()).await
    }

    /// Passages, in their order.
    #[graphql(complexity = "FOLD_COMPLEXITY + assumed_page_size(first.or(last)) * child_complexity")]
    async fn passages(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "Number of passages from the start, or after `after`: 1 to 100; default 20, unless `last` is given."
        )]
        first: Option<i32>,
        #[graphql(desc = "Only passages after this cursor. Requires `first`.")] after: Option<String>,
        #[graphql(desc = "Number of passages from the end, or before `before`: 1 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only passages before this cursor. Requires `last`.")] before: Option<String>,
    ) -> Result<PassageConnection> {
        document_pages::passages(context, self, PageArguments { first, after, last, before }.page()?).await
    }
}

#[ComplexObject]
impl Passage {
    /// The document; null if it was removed from the library in the meantime.
    async fn document(&self, context: &Context<'_>) -> Result<Option<Document>> {
        context.data::<DataLoader<LibraryLoader>>()?.load_one(self.document.clone()).await
    }

    /// The persona; null for a passage of a shared corpus, and if the persona does not take part in debates any more.
    async fn persona(&self, context: &Context<'_>) -> Result<Option<Persona>> {
        match self.shared {
            Some(_) => Ok(None),
            None => nodes::persona(context, &self.document.owner, None).await,
        }
    }

    /// The shared corpus that contains it; null if a persona wrote it.
    async fn shared_corpus(&self, context: &Context<'_>) -> Result<Option<SharedCorpus>> {
        SharedCorpus::stored(context, self.shared.as_ref()).await
    }

    /// Id of the passage before it in the document; null for the first one.
    async fn previous_id(&self, context: &Context<'_>) -> Result<Option<ID>> {
        Ok(self.neighbors(context).await?.and_then(|neighbors| neighbors.previous).map(|chunk| ID(chunk.to_string())))
    }

    /// Id of the passage after it in the document; null for the last one.
    async fn next_id(&self, context: &Context<'_>) -> Result<Option<ID>> {
        Ok(self.neighbors(context).await?.and_then(|neighbors| neighbors.next).map(|chunk| ID(chunk.to_string())))
    }
}

impl Passage {
    /// Returns the passages before and after it. Both fields of several passages are read with one statement.
    async fn neighbors(&self, context: &Context<'_>) -> Result<Option<Neighbors>> {
        context.data::<DataLoader<LibraryLoader>>()?.load_one(NeighborsOf(self.chunk)).await
    }
}
