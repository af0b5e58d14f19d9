//! Resolvers of the passages that are cited, found by speakers or suspected.

use async_graphql::dataloader::DataLoader;
use async_graphql::{ComplexObject, Context, Result};

use crate::api::loading::library_loader::LibraryLoader;
use crate::api::types::persona::document::Passage;
use crate::api::types::speech::grounding::{Citation, SuspectedPassage};
use crate::api::types::speech::search::FoundPassage;

#[ComplexObject]
impl Citation {
    /// The passage; null if the library does not contain it any more, or it comes from a web page.
    async fn passage(&self, context: &Context<'_>) -> Result<Option<Passage>> {
        context.data::<DataLoader<LibraryLoader>>()?.load_one(self.chunk).await
    }
}

#[ComplexObject]
impl FoundPassage {
    /// The passage; null if the library does not contain it any more, or it comes from a web page.
    async fn passage(&self, context: &Context<'_>) -> Result<Option<Passage>> {
        context.data::<DataLoader<LibraryLoader>>()?.load_one(self.chunk).await
    }
}

#[ComplexObject]
impl SuspectedPassage {
    /// The passage; null if the library does not contain it any more, or it comes from a web page.
    async fn passage(&self, context: &Context<'_>) -> Result<Option<Passage>> {
        context.data::<DataLoader<LibraryLoader>>()?.load_one(self.chunk).await
    }
}
